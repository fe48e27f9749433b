"""Pure geometry, usable on its own: exact predicates and the triangulation that is built on them.

In: points (n, 2 or 3) and weights (n,) as float64 arrays, vertices as their indices.
Out: signs that are exactly right, whatever the rounding (`predicates`), within `limits`; the
regular triangulation of points in space, which follows them as they move (`triangulation3`); its
dual, the power diagram: volumes, faces and centroids of cells (`power`, `power_periodic`).
"""

from granum.geometry.power import PowerDiagram, power_diagram, power_volumes
from granum.geometry.power_periodic import periodic_power_diagram
from granum.geometry.triangulation3 import Triangulation3

__all__ = ["PowerDiagram", "Triangulation3", "periodic_power_diagram", "power_diagram",
           "power_volumes"]

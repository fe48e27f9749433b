"""Pure geometry, usable on its own: exact predicates and the triangulation that is built on them.

In: points (n, 2 or 3) and weights (n,) as float64 arrays, vertices as their indices.
Out: signs that are exactly right, whatever the rounding (`predicates`), within `limits`; the
regular triangulation of points in the plane or in space, which follows them as they move, in
periodic boxes too (`triangulation`); its dual, the power diagram: volumes, faces and centroids of
cells (`power`). On bare numbers, for kernels: closest points of segments and triangles
(`simplices`).
"""

from granum.geometry.power import PowerDiagram, power_diagram
from granum.geometry.triangulation import Triangulation

__all__ = ["PowerDiagram", "Triangulation", "power_diagram"]

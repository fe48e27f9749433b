"""The dynamic regular triangulation in space: built once, then kept up.

See `granum.geometry.triangulation_base` for how; here are the kernels of space.
"""

from __future__ import annotations

from granum.geometry.frame3 import find_base
from granum.geometry.state import Space
from granum.geometry.triangulation_base import TriangulationBase

SPACE = Space(
    dimension=3,
    cells_per_vertex=8,  # random points have 6.8, packings fewer
    worth_repair=0.1,
    worth_detour=0.03,
    most_detours=0.002,
    find_base=find_base,
)


class Triangulation3(TriangulationBase):
    """The regular (weighted Delaunay) triangulation of points in space, kept up as they move.

    Vertex i has the index i in all arrays for as long as it is present. Points in one plane or on
    one line are triangulated there (``dimension`` < 3; there are edges, but no cells).

    Args:
        points: (n,3) positions.
        weights: (n,) weights, squares of the radii; 0 for the Delaunay triangulation.
    """

    _space = SPACE

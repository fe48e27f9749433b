"""The dynamic regular triangulation in space: built once, then kept up.

See `granum.geometry.triangulation_base` for how; here are the kernels of space.
"""

from __future__ import annotations

from granum.geometry.build3 import begin, insert_all, locate
from granum.geometry.change3 import insert_vertices, release_uncovered, remove_vertices
from granum.geometry.check3 import count_broken_links, count_uncovered, flag_cells, winding
from granum.geometry.frame3 import find_base
from granum.geometry.repair3 import repair
from granum.geometry.triangulation_base import Kernels, TriangulationBase


class Triangulation3(TriangulationBase):
    """The regular (weighted Delaunay) triangulation of points in space, kept up as they move.

    Vertex i has the index i in all arrays for as long as it is present. Points in one plane or on
    one line are triangulated there (``dimension`` < 3; there are edges, but no cells).

    Args:
        points: (n,3) positions.
        weights: (n,) weights, squares of the radii; 0 for the Delaunay triangulation.

    Attributes:
        dimension: 3, or 2, 1, 0 if all points lie in one plane, on one line, in one place; -1 if
            there are none.
    """

    _kernels = Kernels(find_base, begin, insert_all, insert_vertices, remove_vertices,
                       release_uncovered, locate, flag_cells, count_uncovered, count_broken_links,
                       repair)
    _space = 3
    _cells_per_vertex = 8  # random points have 6.8, packings fewer
    _worth_repair = 0.1

    def _winding(self) -> int:
        rows = len(self._points)
        return int(winding(self._mesh, rows - 2, rows - 1))

    def _winds_once(self) -> bool:
        return self._winding() == 1

    def _covers_once(self) -> bool:
        return self._winds_once() or (self._winding() < 0 and self._is_like_new())

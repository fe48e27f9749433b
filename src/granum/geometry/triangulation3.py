"""The dynamic regular triangulation in space: built once, then kept up.

What is particular to space: flips can be blocked, and some vertices must be led around.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from granum.checks import FloatArray
from granum.geometry.build3 import begin, insert_all, locate
from granum.geometry.change3 import (
    insert_vertices,
    release_uncovered,
    remove_vertices,
)
from granum.geometry.check3 import count_broken_links, count_uncovered, flag_cells, winding
from granum.geometry.edges import EDGE_STAMP, EDGE_TOP, Edges, restore_slots
from granum.geometry.frame3 import find_base
from granum.geometry.repair3 import FLIPS, STUCK, WORK, fill_queue, repair
from granum.geometry.tetrahedra import BLOCKED, DONE, LIVE, NO_ROOM, STAMP, Mesh
from granum.geometry.triangulation_base import Kernels, TriangulationBase

TRIES = 5  # how often more vertices are sent on a detour before building anew
WORTH_REPAIR = 0.1  # share of bad cells above which building anew is as cheap


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
                       release_uncovered, locate, flag_cells, count_uncovered, count_broken_links)
    _space = 3
    _cells_per_vertex = 8  # random points have 6.8, packings fewer

    # How it is done.

    def _winding(self) -> int:
        rows = len(self._points)
        return int(winding(self._mesh, rows - 2, rows - 1))

    def _winds_once(self) -> bool:
        return self._winding() == 1

    def _covers_once(self) -> bool:
        return self._winds_once() or (self._winding() < 0 and self._is_like_new())

    def _follow(
        self, start: tuple[FloatArray, FloatArray], end: tuple[FloatArray, FloatArray], bad: int
    ) -> bool:
        """Follow a motion by flips; False if it must be built anew.

        Where flips are blocked (nearly always by a flat cell at the hull that turned over), the
        vertices there make a detour: they are taken out before the motion, where all is regular,
        and put back after it. The result is unique, so nothing remembers the detour.

        Args:
            start: points and weights that the cells belong to.
            end: points and weights as they are now.
            bad: cells that are flagged now.
        """
        mesh, edges = _copied(self._mesh), _copied_edges(self._edges)
        out = np.empty(0, dtype=np.int64)
        for _ in range(TRIES):
            blocked = self._repair(bad)
            if blocked is None:
                break
            if len(blocked) == 0:
                self._detours += len(out)
                self._insert(out.astype(np.int32))
                restore_slots(self._edges, edges.ends, edges.counts[EDGE_TOP])
                return True
            out = np.union1d(out, blocked)
            self._go_back(_copied(mesh), _copied_edges(edges))
            self.points[:], self.weights[:] = start
            if not self._remove(out):
                break
            self.points[:], self.weights[:] = end
            bad = flag_cells(self._mesh, self._flags())
        self._go_back(mesh, edges)
        self.points[:], self.weights[:] = end
        return False

    def _go_back(self, mesh: Mesh, edges: Edges) -> None:
        """Return to an earlier state; stamps go on, for the marks have been used since."""
        mesh.counts[STAMP] = self._mesh.counts[STAMP]
        edges.counts[EDGE_STAMP] = self._edges.counts[EDGE_STAMP]
        self._mesh, self._edges = mesh, edges

    def _repair(self, bad: int) -> NDArray[np.int32] | None:
        """Flip until the triangulation is regular.

        Args:
            bad: how many cells are flagged.

        Returns:
            The vertices where flips are blocked, none if all is well; None if there is no hope.
        """
        if bad > WORTH_REPAIR * int(self._mesh.counts[LIVE]):
            return None
        size = 64 * bad + 4096
        queue, stuck = np.empty(size, dtype=np.int32), np.empty(size // 4, dtype=np.int32)
        work = np.zeros(WORK, dtype=np.int64)
        fill_queue(self._mesh, self._flags(), queue, work)
        limit = 16 * bad + 1000
        status = repair(self._mesh, self._edges, queue, stuck, work, limit)
        while status == NO_ROOM:
            self._grow()
            status = repair(self._mesh, self._edges, queue, stuck, work, limit)
        self._flips += int(work[FLIPS])
        if status == BLOCKED:
            facets = stuck[: work[STUCK]]
            cells = np.concatenate((facets >> 2, self._mesh.N[facets >> 2, facets & 3] >> 2))
            vertices = np.unique(self._mesh.V[cells])
            return vertices[vertices >= 0]
        done = status == DONE and self._winds_once()
        return np.empty(0, dtype=np.int32) if done else None



def _copied(mesh: Mesh) -> Mesh:
    """Return a copy of what flips change."""
    return mesh._replace(V=mesh.V.copy(), N=mesh.N.copy(), home=mesh.home.copy(),
                         hidden=mesh.hidden.copy(), witness=mesh.witness.copy(),
                         counts=mesh.counts.copy())


def _copied_edges(edges: Edges) -> Edges:
    return Edges(edges.ends.copy(), edges.next.copy(), edges.previous.copy(), edges.mark,
                 edges.head.copy(), edges.degree.copy(), edges.counts.copy())

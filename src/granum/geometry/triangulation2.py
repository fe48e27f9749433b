"""The dynamic regular triangulation in the plane: built once, then kept up.

See `granum.geometry.triangulation_base` for how; here are the kernels of the plane, and a second
way to build.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from granum.checks import FloatArray, IntArray
from granum.errors import InputError
from granum.geometry.edges import make_edges
from granum.geometry.facet_queue import FLIPS, WORK
from granum.geometry.frame2 import find_base
from granum.geometry.state import Space, State
from granum.geometry.sweep2 import sweep
from granum.geometry.tetrahedra import DONE
from granum.geometry.triangulation_base import TriangulationBase

PLANE = Space(
    dimension=2,
    cells_per_vertex=3,  # there are two; more while a vertex is inserted
    worth_repair=0.2,  # measured: shear, squeeze, random motion of 10 000
    worth_detour=0.03,
    most_detours=0.02,
    find_base=find_base,
)


class SweptState(State):
    """The arrays of a triangulation that is built by a sweep from left to right and flips."""

    def triangulate(self, base: list[int], order: IntArray) -> None:
        """Make the cells of all vertices in ``order``."""
        if self.dimension < self.space.dimension:
            super().triangulate(base, order)
        else:
            self._sweep(order)
            self.insert_all(order)

    def _sweep(self, vertices: IntArray) -> None:
        """Build by a sweep; vertices in the place of others are left absent, to be inserted."""
        p, w = self.points[vertices], self.weights[vertices]
        from_left = np.lexsort((vertices, -w, p[:, 1], p[:, 0]))
        order, p = vertices[from_left], p[from_left]
        first = np.ones(len(order), dtype=np.bool_)
        first[1:] = (p[1:] != p[:-1]).any(axis=1)
        size = 32 * len(vertices) + 4096
        queue, stuck = np.empty(size, dtype=np.int32), np.empty(64, dtype=np.int32)
        work = np.zeros(WORK, dtype=np.int64)
        status = sweep(self.mesh, order[first], make_edges(0, 0), queue, stuck, work)
        if status != DONE:
            message = "flips behind the sweep did not end; please report these points"
            raise AssertionError(message)
        self.add("flips", int(work[FLIPS]))


BUILDS = {"insertion": State, "sweep": SweptState}


class Triangulation2(TriangulationBase):
    """The regular (weighted Delaunay) triangulation of points in the plane, kept up as they move.

    Vertex i has the index i in all arrays for as long as it is present. Points on one line are
    triangulated there (``dimension`` < 2; there are edges, but no cells).

    Args:
        points: (n,2) positions.
        weights: (n,) weights, squares of the radii; 0 for the Delaunay triangulation.
        method: how it is built, now and whenever that is needed again: by insertion along a curve
            that fills the plane, or by a sweep from left to right and flips. The result is the
            same.
    """

    _space = PLANE

    def __init__(
        self, points: FloatArray, weights: FloatArray,
        method: Literal["insertion", "sweep"] = "insertion",
    ) -> None:
        if method not in BUILDS:
            message = f"method must be one of {', '.join(BUILDS)}, got {method!r}"
            raise InputError(message)
        super().__init__(points, weights, BUILDS[method])

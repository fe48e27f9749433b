"""What the dynamic triangulations of the plane and of space have in common.

``TriangulationBase`` shows the arrays and decides what to do when a way to follow a motion fails.
The ways are in `granum.geometry.follow`, the arrays in `granum.geometry.state`; all geometry is in
kernels, which a subclass names.
"""

from __future__ import annotations

from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from granum.checks import FloatArray, IntArray, array
from granum.errors import InputError
from granum.geometry.build import locate
from granum.geometry.check import count_broken_links, count_uncovered
from granum.geometry.edges import EDGE_TOP, Edges, list_edges
from granum.geometry.follow import Way, by_events, by_few_flips, by_flips, by_submoves
from granum.geometry.limits import refuse_unsafe
from granum.geometry.snapshot import Positions
from granum.geometry.state import Space, State
from granum.geometry.tetrahedra import ABSENT, TOP, Mesh

WAYS: dict[str, Way] = {"flips": by_flips, "kinetic": by_events, "submoves": by_submoves}
"""To follow a motion, by name."""
FEW = 0.03  # share of vertices up to which only the cells around those that move are looked at


class Statistics(NamedTuple):
    """What has happened to a triangulation so far."""

    builds: int = 0  # from nothing, the first one included
    flips: int = 0
    detours: int = 0  # vertices taken out before a motion and put back after it
    checks: int = 0  # of all cells
    events: int = 0  # facets that became illegal on the way, followed one by one (Algorithm 2)
    submoves: int = 0  # pieces of motions (Algorithm 3)
    failed_flips: int = 0  # motions that Algorithm 1 gave up
    failed_kinetic: int = 0  # that Algorithm 2 gave up
    failed_submoves: int = 0  # that Algorithm 3 gave up


class TriangulationBase:
    """The regular (weighted Delaunay) triangulation of points, kept up as they move.

    Args:
        points: (n,d) positions.
        weights: (n,) weights.
        kind: of the state; it knows how to build.
    """

    _space: ClassVar[Space]

    def __init__(
        self, points: FloatArray, weights: FloatArray, kind: type[State] = State
    ) -> None:
        self._state = kind(self._space, *self._checked(points, weights))

    # What it is like.

    @property
    def dimension(self) -> int:
        """Return that of what the points span: 0 for points in one place, -1 if there are none."""
        return self._state.dimension

    @property
    def points(self) -> FloatArray:
        """Return the positions (n,d)."""
        return self._state.points[: self._state.n]

    @property
    def weights(self) -> FloatArray:
        """Return the weights (n,)."""
        return self._state.weights[: self._state.n]

    @property
    def is_present(self) -> NDArray[np.bool_]:
        """Tell (n,) which vertices have been inserted and not removed."""
        return self._state.present[: self._state.n].copy()

    @property
    def is_hidden(self) -> NDArray[np.bool_]:
        """Tell (n,) which vertices are present but hidden by heavier ones."""
        return np.asarray(self._mesh.home[: self._state.n] < ABSENT)

    @property
    def cells(self) -> NDArray[np.int32]:
        """Return the cells (m,d+1), positively oriented; none if the points span less."""
        V = self.all_cells
        return V[(V.min(axis=1) >= 0) & (V.max(axis=1) < self._state.n)]

    @property
    def all_cells(self) -> NDArray[np.int32]:
        """Return all cells (m,d+1): -1 for the infinite vertex, -2 first if not in use. A view."""
        return self._mesh.V[: self._mesh.counts[TOP]]

    @property
    def edges(self) -> NDArray[np.int32]:
        """Return the edges (m,2), the lower vertex first, in the order of their slots."""
        return self.slots[self.slots[:, 0] >= 0]

    @property
    def slots(self) -> NDArray[np.int32]:
        """Return all slots (k,2): the edge that lives there, or -1, -1. A view: do not write."""
        return self._edges.ends[: self._edges.counts[EDGE_TOP]]

    def slots_of(self, vertex: int) -> NDArray[np.int32]:
        """Return the slots of a vertex's edges."""
        result = np.empty(int(self._edges.degree[vertex]), dtype=np.int32)
        list_edges(self._edges, vertex, result)
        return result

    @property
    def statistics(self) -> Statistics:
        """Return what has happened so far."""
        return Statistics(**self._state.count)

    def is_valid(self) -> bool:
        """Tell whether this is exactly the regular triangulation of the points as they are."""
        if self.dimension < 0:
            return True
        if (self._state.check() or count_uncovered(self._mesh)
                or count_broken_links(self._mesh)):
            return False
        winding = self._state.winding()
        return winding == 1 or (winding < 0 and self._is_like_new())

    def locate(self, point: FloatArray) -> NDArray[np.int32]:
        """Return the vertices (d+1,) of a cell that contains a point, -1 among them if outside."""
        if self.dimension < self._space.dimension:
            message = f"there are no cells: these points span dimension {self.dimension} only"
            raise InputError(message)
        query = len(self._state.points) - 1
        self._state.points[query] = array("point", point, (self._space.dimension,))
        return self._mesh.V[locate(self._mesh, query)].copy()

    # What happens to it.

    def move(
        self, points: FloatArray, weights: FloatArray | None = None, method: str = "auto",
        vertices: IntArray | None = None,
    ) -> None:
        """Move all vertices, and change their weights if given; rows of absent ones do not matter.

        The result is the same triangulation whatever the method, and edges keep their slots.

        Args:
            points: (n,d) new positions.
            weights: (n,) new weights; by default they stay as they are.
            method: "flips" (Algorithm 1), "kinetic" (Algorithm 2: flips in the order of time) and
                "submoves" (Algorithm 3: the motion is cut into pieces) insist on one way to follow
                the motion; where that fails, all is built anew. "rebuild" does so at once. "auto"
                takes what is fastest: flips; where these fail, following the motion in detail takes
                longer than building anew.
            vertices: (n,) which ones move, each once, if not all.
        """
        methods = ("auto", *WAYS, "rebuild")
        if method not in methods:
            message = f"method must be one of {', '.join(methods)}, got {method!r}"
            raise InputError(message)
        state = self._state
        number, what = (state.n, "each") if vertices is None else (len(vertices), "each given")
        if len(points) != number:
            message = f"points must have {number} rows, one for {what} vertex, got {len(points)}"
            raise InputError(message)
        if weights is None:
            weights = self.weights if vertices is None else self.weights[vertices]
        end = Positions(*self._checked(points, weights))
        is_flat = self.dimension < self._space.dimension
        if vertices is not None and not is_flat and method == "auto" and number <= FEW * state.n:
            self._follow_few(np.asarray(vertices, dtype=np.int64), end)
            return
        start = state.positions()
        state.place(end, vertices)
        end = state.positions() if vertices is not None else end
        if is_flat or method == "rebuild" or not self._follow(start, end, method):
            state.build()
        else:
            state.renumber_if_shuffled()

    def insert(self, points: FloatArray, weights: FloatArray) -> IntArray:
        """Insert points (k,d) with weights (k,); returns their indices, the lowest ones free."""
        points, weights = self._checked(points, weights)
        state, k = self._state, len(points)
        free = np.flatnonzero(~state.present[: state.n])
        vertices = np.concatenate((free, np.arange(state.n, state.n + k)))[:k]
        state.give_vertices(state.n + max(0, k - len(free)))
        state.points[vertices], state.weights[vertices] = points, weights
        state.present[vertices] = True
        if self.dimension < self._space.dimension:
            state.build()
        else:
            state.insert(vertices.astype(np.int32))
        return vertices

    def remove(self, vertices: IntArray) -> None:
        """Remove vertices; what they had hidden comes back."""
        vertices = np.asarray(vertices, dtype=np.int64)
        state = self._state
        for v in vertices:
            if not 0 <= v < state.n or not state.present[v]:
                message = f"vertex {v} is not present; it cannot be removed"
                raise InputError(message)
        state.present[vertices] = False
        if self.dimension < self._space.dimension or not state.remove(vertices):
            state.build()

    # How it is done.

    @property
    def _mesh(self) -> Mesh:
        return self._state.mesh

    @property
    def _edges(self) -> Edges:
        return self._state.edges

    def _follow(self, start: Positions, end: Positions, method: str) -> bool:
        """Follow a motion with the cells as they are; False if they must be built anew."""
        way = "flips" if method == "auto" else method
        followed = WAYS[way](self._state, start, end)
        if not followed:
            self._state.add(f"failed_{way}")
        return followed

    def _follow_few(self, vertices: IntArray, end: Positions) -> None:
        """Follow the motion of a few vertices, or build anew; edges are in their slots then."""
        state = self._state
        slots = state.slots()
        if by_few_flips(state, vertices, end):
            state.renumber_if_shuffled()
        else:
            state.add("failed_flips")
            state.build()
        state.restore_slots(slots)

    def _is_like_new(self) -> bool:
        """Tell whether it has the cells that it would have if it were built now."""
        present = np.flatnonzero(self._state.present[: self._state.n])
        new = type(self)(self.points[present], self.weights[present])
        mine, its = (np.sort(cells, axis=1) for cells in (self.cells, present[new.cells]))
        return bool(np.array_equal(mine[np.lexsort(mine.T)], its[np.lexsort(its.T)]))

    def _checked(
        self, points: FloatArray, weights: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Return points and weights as arrays that the predicates can decide about."""
        points = array("points", points, (None, self._space.dimension))
        weights = array("weights", weights, (len(points),))
        refuse_unsafe(points, weights)
        return points, weights

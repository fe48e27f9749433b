"""What the dynamic triangulations of the plane and of space have in common.

``TriangulationBase`` holds the arrays and decides what to do when a kernel says that it cannot:
give more room, lead some vertices around, or build anew. All geometry is in the kernels, which a
subclass names.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from granum.checks import FloatArray, IntArray, array
from granum.errors import InputError
from granum.geometry.edges import (
    EDGE_STAMP,
    EDGE_TOP,
    Edges,
    list_edges,
    make_edges,
    match_edges,
    restore_slots,
    with_edge_room,
)
from granum.geometry.frame3 import AUXILIARY, auxiliary_points
from granum.geometry.limits import refuse_unsafe
from granum.geometry.renumber import renumbered
from granum.geometry.repair3 import FLIPS, STUCK, WORK, fill_queue
from granum.geometry.spatial_order import hilbert_order, in_rounds
from granum.geometry.tetrahedra import (
    ABSENT,
    BLOCKED,
    DONE,
    LAST,
    LIVE,
    LOST,
    NO_ROOM,
    STAMP,
    TOP,
    Mesh,
    make_mesh,
    with_room,
)

TRIES = 5  # how often more vertices are sent on a detour before building anew
HOLE = 1024  # facets of a hole that there is room for at first
SPARE = AUXILIARY + 2  # rows behind the vertices: auxiliary points, and two to ask about


class Statistics(NamedTuple):
    """What has happened to a triangulation so far."""

    builds: int  # from nothing
    flips: int
    detours: int  # vertices taken out before a motion and put back after it


class Kernels(NamedTuple):
    """The kernels of one dimension; each is described where it is written."""

    find_base: Callable[..., Any]
    begin: Callable[..., Any]
    insert_all: Callable[..., Any]
    insert_vertices: Callable[..., Any]
    remove_vertices: Callable[..., Any]
    release_uncovered: Callable[..., Any]
    locate: Callable[..., Any]
    flag_cells: Callable[..., Any]
    count_uncovered: Callable[..., Any]
    count_broken_links: Callable[..., Any]
    repair: Callable[..., Any]


class TriangulationBase:
    """The regular (weighted Delaunay) triangulation of points, kept up as they move.

    Attributes:
        dimension: of what the points span; -1 if there are none.
    """

    _kernels: ClassVar[Kernels]
    _space: ClassVar[int]  # dimension of the points
    _cells_per_vertex: ClassVar[int]  # room at the start
    _worth_repair: ClassVar[float]  # share of bad cells above which building anew is as cheap

    def __init__(self, points: FloatArray, weights: FloatArray) -> None:
        points, weights = self._checked(points, weights)
        n = len(points)
        self.dimension = -1
        self._builds = self._flips = self._detours = self._flips_at_renumbering = 0
        self._n = n
        self._points = np.zeros((n + SPARE, self._space))
        self._weights = np.zeros(n + SPARE)
        self._points[:n], self._weights[:n] = points, weights
        self._present = np.ones(n, dtype=np.bool_)
        self._edges = make_edges(n, 0)
        self._flag = np.empty(0, dtype=np.uint8)
        self._build()

    # What it is like.

    @property
    def points(self) -> FloatArray:
        """Return the positions (n,d)."""
        return self._points[: self._n]

    @property
    def weights(self) -> FloatArray:
        """Return the weights (n,)."""
        return self._weights[: self._n]

    @property
    def is_present(self) -> NDArray[np.bool_]:
        """Tell (n,) which vertices have been inserted and not removed."""
        return self._present[: self._n].copy()

    @property
    def is_hidden(self) -> NDArray[np.bool_]:
        """Tell (n,) which vertices are present but hidden by heavier ones."""
        return np.asarray(self._mesh.home[: self._n] < ABSENT)

    @property
    def cells(self) -> NDArray[np.int32]:
        """Return the cells (m,d+1), positively oriented; none if the points span less."""
        V = self._mesh.V[: self._mesh.counts[TOP]]
        return V[(V.min(axis=1) >= 0) & (V.max(axis=1) < self._n)]

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
        return Statistics(self._builds, self._flips, self._detours)

    def is_valid(self) -> bool:
        """Tell whether this is exactly the regular triangulation of the points as they are."""
        mesh, kernels = self._mesh, self._kernels
        if self.dimension < 0:
            return True
        return bool(
            kernels.flag_cells(mesh, self._flags()) == 0 and kernels.count_uncovered(mesh) == 0
            and kernels.count_broken_links(mesh) == 0 and self._covers_once()
        )

    def locate(self, point: FloatArray) -> NDArray[np.int32]:
        """Return the vertices (d+1,) of a cell that contains a point, -1 among them if outside."""
        if self.dimension < self._space:
            message = f"there are no cells: these points span dimension {self.dimension} only"
            raise InputError(message)
        query = len(self._points) - 1
        self._points[query] = array("point", point, (self._space,))
        mesh = self._mesh
        cell = self._kernels.locate(
            mesh.points, mesh.V, mesh.N, int(mesh.counts[LAST]), query, len(mesh.V)
        )
        return mesh.V[cell].copy()

    # What happens to it.

    def move(self, points: FloatArray, weights: FloatArray | None = None) -> None:
        """Move all vertices, and change their weights if given; rows of absent ones do not matter.

        Flips do it if they can; if not, it is built anew. The result is the same triangulation in
        any case, and edges keep their slots.
        """
        if len(points) != self._n:
            message = f"points must have {self._n} rows, one for each vertex, got {len(points)}"
            raise InputError(message)
        points, weights = self._checked(points, self.weights if weights is None else weights)
        start = self._points[: self._n].copy(), self._weights[: self._n].copy()
        self.points[:], self.weights[:] = points, weights
        if self.dimension < self._space:
            self._build()
            return
        bad = self._kernels.flag_cells(self._mesh, self._flags())
        good = bad == 0 and self._winds_once()
        if not good and not self._follow(start, (points, weights), bad):
            self._build()
            return
        self._return_uncovered()
        if self._flips - self._flips_at_renumbering > int(self._mesh.counts[LIVE]):
            self._renumber()

    def insert(self, points: FloatArray, weights: FloatArray) -> IntArray:
        """Insert points (k,d) with weights (k,); returns their indices, the lowest ones free."""
        points, weights = self._checked(points, weights)
        free = np.flatnonzero(~self._present[: self._n])
        vertices = np.concatenate((free, np.arange(self._n, self._n + len(points))))[: len(points)]
        self._give_vertices(self._n + max(0, len(points) - len(free)))
        self._points[vertices], self._weights[vertices] = points, weights
        self._present[vertices] = True
        if self.dimension < self._space:
            self._build()
        else:
            self._insert(vertices.astype(np.int32))
        return vertices

    def remove(self, vertices: IntArray) -> None:
        """Remove vertices; what they had hidden comes back."""
        vertices = np.asarray(vertices, dtype=np.int64)
        for v in vertices:
            if not 0 <= v < self._n or not self._present[v]:
                message = f"vertex {v} is not present; it cannot be removed"
                raise InputError(message)
        self._present[vertices] = False
        if self.dimension < self._space or not self._remove(vertices):
            self._build()

    # What a subclass knows.

    def _winds_once(self) -> bool:
        """Tell whether cells that are all right cover the hull once."""
        raise NotImplementedError

    def _covers_once(self) -> bool:
        """Tell the same, however long it takes."""
        return self._winds_once()

    # How it is done.

    def _checked(
        self, points: FloatArray, weights: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Return points and weights as arrays that the predicates can decide about."""
        points = array("points", points, (None, self._space))
        weights = array("weights", weights, (len(points),))
        refuse_unsafe(points, weights)
        return points, weights

    def _is_like_new(self) -> bool:
        """Tell whether it has the cells that it would have if it were built now."""
        present = np.flatnonzero(self._present[: self._n])
        new = type(self)(self.points[present], self.weights[present])
        mine, its = (np.sort(cells, axis=1) for cells in (self.cells, present[new.cells]))
        return bool(np.array_equal(mine[np.lexsort(mine.T)], its[np.lexsort(its.T)]))

    def _flags(self) -> NDArray[np.uint8]:
        """Return scratch for the flags of all cells."""
        if len(self._flag) < len(self._mesh.V):
            self._flag = np.empty(len(self._mesh.V), dtype=np.uint8)
        return self._flag

    def _build(self) -> None:
        """Build from nothing; edges that were there before keep their slots."""
        present = np.flatnonzero(self._present[: self._n])
        order = present[hilbert_order(self.points[present])]
        base = self._kernels.find_base(self._points, order)
        self.dimension = len(base) - 1
        self._builds += 1
        room = self._cells_per_vertex * len(order) + 64
        self._mesh = make_mesh(self._points, self._weights, room)
        self._rank = np.zeros(len(self._points), dtype=np.int32)
        self._rank[order] = np.arange(len(order))
        if base:
            self._triangulate(base, in_rounds(order))
        self._renumber()
        self._fit_edges()
        match_edges(self._mesh, self._edges)

    def _triangulate(self, base: list[int], order: IntArray) -> None:
        """Make the cells of all vertices in ``order`` from a simplex of some of them."""
        capacity = len(self._points) - SPARE
        auxiliary: list[int] = []
        if self.dimension < self._space:
            extra = auxiliary_points(self._points, base)
            auxiliary = list(range(capacity, capacity + len(extra)))
            self._points[auxiliary] = extra
        self._kernels.begin(self._mesh, *base, *auxiliary)
        self._insert_all(order)

    def _insert_all(self, order: IntArray) -> None:
        done, status = 0, NO_ROOM
        while status != DONE:
            done, status = self._kernels.insert_all(self._mesh, order, done)
            if status == NO_ROOM:
                self._mesh = with_room(self._mesh, 2 * len(self._mesh.V))
            elif status == LOST:
                message = "the walk to a point's cell did not end; please report these points"
                raise AssertionError(message)

    def _fit_edges(self) -> None:
        """Give the table of edges room for as many as the mesh can have."""
        capacity = len(self._points) - SPARE
        room = len(self._mesh.V) + capacity
        if len(self._edges.ends) < room or len(self._edges.head) < capacity:
            self._edges = with_edge_room(self._edges, capacity, room)

    def _grow(self) -> None:
        self._mesh = with_room(self._mesh, 2 * len(self._mesh.V))
        self._fit_edges()

    def _renumber(self) -> None:
        self._mesh = renumbered(self._mesh, self._rank)
        self._flips_at_renumbering = self._flips

    def _insert(self, vertices: NDArray[np.int32]) -> None:
        """Insert vertices into cells and edges."""
        done, status = 0, NO_ROOM
        while status == NO_ROOM:
            done, status = self._kernels.insert_vertices(
                self._mesh, self._edges, vertices, done
            )
            if status == NO_ROOM:
                self._grow()
        if status != DONE:
            self._build()

    def _fit_hole(self, size: int) -> None:
        """Give the mesh room for the cells of any hole with so many facets; see ``unlink``."""
        while int(self._mesh.counts[LIVE]) + size // 2 + 64 > len(self._mesh.V):
            self._grow()

    def _remove(self, vertices: IntArray) -> bool:
        """Remove vertices from cells and edges; False if the rest must be built anew."""
        link, released = (np.empty(len(self._points), dtype=np.int32) for _ in range(2))
        back = []
        done, status, size = 0, NO_ROOM, HOLE
        while status == NO_ROOM:
            self._fit_hole(size)
            hole = np.empty((size, 4), dtype=np.int32)
            done, status, number = self._kernels.remove_vertices(
                self._mesh, self._edges, vertices, done, link, hole, released
            )
            back.append(released[:number].copy())
            size *= 4
        if status == DONE:
            returning = np.concatenate(back)
            self._insert(returning[self._present[returning]])
        return bool(status == DONE)

    def _return_uncovered(self) -> None:
        """Insert the hidden vertices that are hidden no longer."""
        released = np.empty(len(self._points), dtype=np.int32)
        number = self._kernels.release_uncovered(self._mesh, released)
        if number:
            self._insert(released[:number])

    def _follow(
        self, start: tuple[FloatArray, FloatArray], end: tuple[FloatArray, FloatArray], bad: int
    ) -> bool:
        """Follow a motion by flips; False if it must be built anew.

        Where flips are blocked (in space nearly always by a flat cell at the hull that turned
        over), the vertices there make a detour: they are taken out before the motion, where all is
        regular, and put back after it. The result is unique, so nothing remembers the detour.

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
            bad = self._kernels.flag_cells(self._mesh, self._flags())
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
        if bad > self._worth_repair * int(self._mesh.counts[LIVE]):
            return None
        size = 64 * bad + 4096
        queue, stuck = np.empty(size, dtype=np.int32), np.empty(size // 4, dtype=np.int32)
        work = np.zeros(WORK, dtype=np.int64)
        fill_queue(self._mesh, self._flags(), queue, work)
        limit = 16 * bad + 1000
        status = self._kernels.repair(self._mesh, self._edges, queue, stuck, work, limit)
        while status == NO_ROOM:
            self._grow()
            status = self._kernels.repair(self._mesh, self._edges, queue, stuck, work, limit)
        self._flips += int(work[FLIPS])
        if status == BLOCKED:
            facets = stuck[: work[STUCK]]
            cells = np.concatenate((facets >> 2, self._mesh.N[facets >> 2, facets & 3] >> 2))
            vertices = np.unique(self._mesh.V[cells])
            return vertices[vertices >= 0]
        done = status == DONE and self._winds_once()
        return np.empty(0, dtype=np.int32) if done else None

    def _give_vertices(self, n: int) -> None:
        """Give the arrays room for n vertices."""
        capacity = len(self._points) - SPARE
        if n > capacity:
            room = max(2 * capacity, n)
            self._points = _longer(self._points, room + SPARE, self._n)
            self._weights = _longer(self._weights, room + SPARE, self._n)
            self._present = _longer(self._present, room, self._n)
            self._rank = _longer(self._rank, room + SPARE, self._n)
            old = self._mesh
            new = make_mesh(self._points, self._weights, 0)
            for mine, theirs in ((new.home, old.home), (new.vertex_mark, old.vertex_mark),
                                 (new.hidden, old.hidden), (new.witness, old.witness)):
                mine[: len(theirs) - SPARE] = theirs[: len(theirs) - SPARE]
            self._mesh = new._replace(V=old.V, N=old.N, mark=old.mark, old=old.old, new=old.new,
                                      counts=old.counts)
            self._fit_edges()
        self._n = n


def _longer(old: NDArray, rows: int, used: int) -> NDArray:
    """Return an array with more rows, the used ones as before and zeros behind them."""
    result = np.zeros((rows, *old.shape[1:]), dtype=old.dtype)
    result[:used] = old[:used]
    return result


def _copied(mesh: Mesh) -> Mesh:
    """Return a copy of what flips change."""
    return mesh._replace(V=mesh.V.copy(), N=mesh.N.copy(), home=mesh.home.copy(),
                         hidden=mesh.hidden.copy(), witness=mesh.witness.copy(),
                         counts=mesh.counts.copy())


def _copied_edges(edges: Edges) -> Edges:
    return Edges(edges.ends.copy(), edges.next.copy(), edges.previous.copy(), edges.mark,
                 edges.head.copy(), edges.degree.copy(), edges.counts.copy())

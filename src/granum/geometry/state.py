"""The arrays of a triangulation and the room they need; what happens to them is kernels'.

`State` is what `granum.geometry.triangulation_base` shows to the outside and what the ways to
follow a motion (`granum.geometry.follow`) work on, in the plane and in space.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from granum.checks import FloatArray, IntArray
from granum.geometry.build import begin, insert_all
from granum.geometry.change import insert_vertices, release_uncovered, remove_vertices
from granum.geometry.check import find_moved, flag_cells, winding
from granum.geometry.edges import (
    EDGE_STAMP,
    EDGE_TOP,
    make_edges,
    match_edges,
    restore_slots,
    with_edge_room,
)
from granum.geometry.frame3 import AUXILIARY, auxiliary_points
from granum.geometry.renumber import renumbered
from granum.geometry.snapshot import Positions, Snapshot, copied, copy_into, fits
from granum.geometry.spatial_order import hilbert_order, in_rounds
from granum.geometry.tetrahedra import (
    DONE,
    LIVE,
    LOST,
    NO_ROOM,
    STAMP,
    Mesh,
    make_mesh,
    with_room,
)

HOLE = 1024  # facets of a hole that there is room for at first
SPARE = AUXILIARY + 2  # rows behind the vertices: auxiliary points, and two to ask about


class Space(NamedTuple):
    """What the plane and space do not have in common, besides kernels."""

    dimension: int  # of the points
    cells_per_vertex: int  # room at the start
    worth_repair: float  # share of bad cells above which building anew is as cheap
    worth_detour: float  # the same where flips have been blocked
    most_detours: float  # share of vertices above which building anew is cheaper than detours
    find_base: Callable[..., list[int]]


class State:
    """Vertices, cells and edges.

    Args:
        space: what belongs to the plane, or to space.
        points: (n,d) positions that the predicates can decide about.
        weights: (n,) weights.

    Attributes:
        space: as given.
        n: vertices, absent ones included.
        points: (n + more,d) positions.
        weights: (n + more,) weights.
        present: (n + more,) which vertices there are.
        dimension: what the vertices span, from -1 to d.
        mesh: the cells.
        edges: the edges, in slots that they keep.
        count: what has happened, by name; see ``Statistics``.
    """

    mesh: Mesh

    def __init__(self, space: Space, points: FloatArray, weights: FloatArray) -> None:
        n = len(points)
        self.space = space
        self.n = n
        self.dimension = -1
        self.points = np.zeros((n + SPARE, space.dimension))
        self.weights = np.zeros(n + SPARE)
        self.points[:n], self.weights[:n] = points, weights
        self.present = np.ones(n, dtype=np.bool_)
        self.edges = make_edges(n, 0)
        self.count: dict[str, int] = {}
        self._flag = np.empty(0, dtype=np.uint8)
        self._flips_at_renumbering = 0
        self._spare: Snapshot | None = None
        self._slots = np.empty((0, 2), dtype=np.int32)
        self.build()

    def add(self, name: str, number: int = 1) -> None:
        """Count something that has happened."""
        self.count[name] = self.count.get(name, 0) + number

    # What it is like.

    @property
    def flags(self) -> NDArray[np.uint8]:
        """Return the flags of all cells as the last check left them."""
        if len(self._flag) < len(self.mesh.V):
            self._flag = np.empty(len(self.mesh.V), dtype=np.uint8)
        return self._flag

    def check(self, start: Positions | None = None) -> int:
        """Flag the cells that are not as they must be and return their number.

        Args:
            start: where the vertices were when all was right; what has not moved since is not
                looked at. By default nothing is taken for granted.
        """
        self.add("checks")
        moved = np.zeros(len(self.points) + 2, dtype=np.bool_)
        if start is None:
            moved[2:] = True
        else:
            find_moved(start.points, start.weights, self.points, self.weights, moved[2:])
        return int(flag_cells(self.mesh, moved, self.flags))

    def winding(self) -> int:
        """Return how often the hull winds about its inside: 1 if all is well, -1 if in doubt."""
        return int(winding(self.mesh))

    def positions(self) -> Positions:
        """Return a copy of where the vertices are."""
        return Positions(self.points[: self.n].copy(), self.weights[: self.n].copy())

    def place(self, positions: Positions, vertices: IntArray | None = None) -> None:
        """Put the vertices, or some of them, somewhere; the cells do not follow."""
        some = slice(self.n) if vertices is None else vertices
        self.points[some], self.weights[some] = positions

    def snapshot(self) -> Snapshot:
        """Return a copy of cells and edges; give it back with ``release``."""
        spare, self._spare = self._spare, None
        if spare is None or not fits(spare, self.mesh, self.edges):
            return copied(Snapshot(self.mesh, self.edges))
        return copy_into(spare, self.mesh, self.edges)

    def release(self, snapshot: Snapshot) -> None:
        """Let the next snapshot use the memory of this one."""
        self._spare = snapshot

    def go_back(self, snapshot: Snapshot) -> None:
        """Return to an earlier state; stamps go on, for the marks have been used since."""
        mesh, edges = copied(snapshot)
        mesh.counts[STAMP] = self.mesh.counts[STAMP]
        edges.counts[EDGE_STAMP] = self.edges.counts[EDGE_STAMP]
        self.mesh, self.edges = mesh, edges

    def slots(self) -> NDArray[np.int32]:
        """Return a copy of all slots (k,2), the ends of the edge that lives there, or -1, -1.

        The next call uses its memory again.
        """
        top = int(self.edges.counts[EDGE_TOP])
        if len(self._slots) < top:
            self._slots = np.empty_like(self.edges.ends)
        self._slots[:top] = self.edges.ends[:top]
        return self._slots[:top]

    def restore_slots(self, before: NDArray[np.int32]) -> None:
        """Bring edges that went and came again back to the slots (k,2) that they had before."""
        restore_slots(self.edges, before, len(before))

    # What happens to it.

    def build(self) -> None:
        """Build from nothing; edges that were there before keep their slots."""
        self.add("builds")
        present = np.flatnonzero(self.present[: self.n])
        order = present[hilbert_order(self.points[present])]
        base = self.space.find_base(self.points, order)
        self.dimension = len(base) - 1
        room = self.space.cells_per_vertex * len(order) + 64
        self.mesh = make_mesh(self.points, self.weights, room)
        self._rank = np.zeros(len(self.points), dtype=np.int32)
        self._rank[order] = np.arange(len(order))
        if base:
            self.triangulate(base, in_rounds(order))
        self.renumber()
        self.fit_edges()
        match_edges(self.mesh, self.edges)

    def triangulate(self, base: list[int], order: IntArray) -> None:
        """Make the cells of all vertices in ``order`` from a simplex of some of them."""
        capacity = len(self.points) - SPARE
        auxiliary: list[int] = []
        if self.dimension < self.space.dimension:
            extra = auxiliary_points(self.points, base)
            auxiliary = list(range(capacity, capacity + len(extra)))
            self.points[auxiliary] = extra
        begin(self.mesh, np.array([*base, *auxiliary]))
        self.insert_all(order)

    def insert_all(self, order: IntArray) -> None:
        """Insert vertices into cells, before there are edges; those that have cells stay."""
        done, status = 0, NO_ROOM
        while status != DONE:
            done, status = insert_all(self.mesh, order, done)
            if status == NO_ROOM:
                self.mesh = with_room(self.mesh, 2 * len(self.mesh.V))
            elif status == LOST:
                message = "the walk to a point's cell did not end; please report these points"
                raise AssertionError(message)

    def fit_edges(self) -> None:
        """Give the table of edges room for as many as the mesh can have."""
        capacity = len(self.points) - SPARE
        room = len(self.mesh.V) + capacity
        if len(self.edges.ends) < room or len(self.edges.head) < capacity:
            self.edges = with_edge_room(self.edges, capacity, room)

    def grow(self) -> None:
        """Give room for twice as many cells."""
        self.mesh = with_room(self.mesh, 2 * len(self.mesh.V))
        self.fit_edges()

    def renumber(self) -> None:
        """Sort the cells in space."""
        self.mesh = renumbered(self.mesh, self._rank)
        self._flips_at_renumbering = self.count.get("flips", 0)

    def renumber_if_shuffled(self) -> None:
        """Sort the cells in space if there have been as many flips as cells since the last time."""
        if self.count.get("flips", 0) - self._flips_at_renumbering > int(self.mesh.counts[LIVE]):
            self.renumber()

    def insert(self, vertices: NDArray[np.int32]) -> None:
        """Insert vertices into cells and edges."""
        done, status = 0, NO_ROOM
        while status == NO_ROOM:
            done, status = insert_vertices(self.mesh, self.edges, vertices, done)
            if status == NO_ROOM:
                self.grow()
        if status != DONE:
            self.build()

    def remove(self, vertices: IntArray) -> bool:
        """Remove vertices from cells and edges; False if the rest must be built anew."""
        link, released = (np.empty(len(self.points), dtype=np.int32) for _ in range(2))
        back = []
        done, status, size = 0, NO_ROOM, HOLE
        while status == NO_ROOM:
            while int(self.mesh.counts[LIVE]) + size // 2 + 64 > len(self.mesh.V):
                self.grow()  # room for the cells of any hole with so many facets
            hole = np.empty((size, 4), dtype=np.int32)
            done, status, number = remove_vertices(
                self.mesh, self.edges, vertices, done, link, hole, released
            )
            back.append(released[:number].copy())
            size *= 4
        if status == DONE:
            returning = np.concatenate(back)
            self.insert(returning[self.present[returning]])
        return bool(status == DONE)

    def return_uncovered(self) -> None:
        """Insert the hidden vertices that are hidden no longer."""
        released = np.empty(len(self.points), dtype=np.int32)
        number = release_uncovered(self.mesh, released)
        if number:
            self.insert(released[:number])

    def give_vertices(self, n: int) -> None:
        """Give the arrays room for n vertices."""
        capacity = len(self.points) - SPARE
        if n > capacity:
            room = max(2 * capacity, n)
            self.points = _longer(self.points, room + SPARE, self.n)
            self.weights = _longer(self.weights, room + SPARE, self.n)
            self.present = _longer(self.present, room, self.n)
            self._rank = _longer(self._rank, room + SPARE, self.n)
            old = self.mesh
            new = make_mesh(self.points, self.weights, 0)
            for mine, theirs in ((new.home, old.home), (new.vertex_mark, old.vertex_mark),
                                 (new.hidden, old.hidden), (new.witness, old.witness)):
                mine[: len(theirs) - SPARE] = theirs[: len(theirs) - SPARE]
            self.mesh = new._replace(V=old.V, N=old.N, mark=old.mark, old=old.old, new=old.new,
                                     counts=old.counts)
            self.fit_edges()
        self.n = n


def _longer(old: NDArray, rows: int, used: int) -> NDArray:
    """Return an array with more rows, the used ones as before and zeros behind them."""
    result = np.zeros((rows, *old.shape[1:]), dtype=old.dtype)
    result[:used] = old[:used]
    return result

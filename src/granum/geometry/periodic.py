"""The dynamic regular triangulation in a box that is periodic in some or all directions.

It is that of the points and of their images within a halo around the box, wide enough for all cells
of the points themselves to be those of the infinite, periodic triangulation; `granum.geometry.halo`
proves it cell by cell. Images move with their points. When a motion ends what was proven, the
images are chosen anew.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from granum.checks import FloatArray, IntArray, array
from granum.errors import InputError
from granum.geometry.halo import (
    BAD,
    ENOUGH,
    OPEN,
    are_clear,
    exact_sphere,
    images,
    judge_cells,
    list_images,
)
from granum.geometry.triangulation2 import Triangulation2
from granum.geometry.triangulation3 import Triangulation3
from granum.geometry.triangulation_base import Statistics

FIRST_HALO = 3.0  # in mean distances of points
WIDER = 1.5  # how much wider a halo is tried next
LARGEST_SHIFT = 127
ROUGH = 1e-6  # error of a centre, in radii, above which fractions are used


class PeriodicTriangulation:
    """The regular triangulation of points in a periodic box, kept up as they move.

    An edge joins point i with the image of point j that lies ``shifts`` periods from j. The same
    two points may be joined to several images of each other, and in a small box a point may be
    joined to its own: such an edge (i, i) is listed once, with the shift whose first number other
    than 0 is positive. Where points are so placed that rounding an image's position decides between
    two diagonals, both may be listed.

    With an open direction, the hull is spanned by points a whole period apart, so that there are
    several images of every point, not only of those near the faces.

    Args:
        points: (n,d) positions, inside the box or beyond it.
        weights: (n,) weights.
        period: (d,) the periods, infinite in open directions.
    """

    def __init__(self, points: FloatArray, weights: FloatArray, period: FloatArray) -> None:
        self._period = period
        self._finite = np.where(np.isfinite(period), period, 0.0)
        self._points, self._weights = points, weights
        self._present = np.ones(len(points), dtype=np.bool_)
        self._turns = np.zeros(points.shape, dtype=np.int64)
        self._rows = np.empty((0, 2 + len(period)), dtype=np.int64)
        self._halo = 0.0
        self._past = Statistics()
        self._is_built = False
        self._build()

    # What it is like.

    @property
    def points(self) -> FloatArray:
        """Return the positions (n,d) as they were given."""
        return self._points

    @property
    def weights(self) -> FloatArray:
        """Return the weights (n,)."""
        return self._weights

    @property
    def dimension(self) -> int:
        """Return the dimension of what points and images span; -1 if there are none."""
        return self._inner.dimension

    @property
    def is_present(self) -> NDArray[np.bool_]:
        """Tell (n,) which vertices have been inserted and not removed."""
        return self._present.copy()

    @property
    def is_hidden(self) -> NDArray[np.bool_]:
        """Tell (n,) which vertices are present but hidden by heavier ones."""
        hidden = np.zeros(len(self._points), dtype=np.bool_)
        hidden[self._owner[self._is_home]] = self._inner.is_hidden[self._is_home]
        return hidden

    @property
    def cells(self) -> NDArray[np.int32]:
        """Return the cells (m,d+1) as points, each once for all its images."""
        cells = self._inner.cells
        mine = self._is_home[cells.min(axis=1)] if len(cells) else np.empty(0, dtype=np.bool_)
        return self._owner[cells[mine]].astype(np.int32)

    @property
    def slots(self) -> NDArray[np.int32]:
        """Return all slots (k,2): the edge that lives there, or -1, -1."""
        return self._rows[:, :2].astype(np.int32)

    @property
    def slot_shifts(self) -> NDArray[np.int8]:
        """Return, for all slots (k,d), the periods from the second point to its image."""
        i, j = self._rows[:, 0], self._rows[:, 1]
        shift = self._rows[:, 2:] + self._turns[i] - self._turns[j]
        shift[i < 0] = 0
        if np.abs(shift).max(initial=0) > LARGEST_SHIFT:
            message = (f"points are more than {LARGEST_SHIFT} periods from each other; "
                       "put them back into the box from time to time")
            raise InputError(message)
        return shift.astype(np.int8)

    def slots_of(self, vertex: int) -> NDArray[np.int32]:
        """Return the slots of a vertex's edges."""
        mine = (self._rows[:, 0] == vertex) | (self._rows[:, 1] == vertex)
        return np.flatnonzero(mine).astype(np.int32)

    @property
    def statistics(self) -> Statistics:
        """Return what has happened so far."""
        return Statistics(*(a + b for a, b in zip(self._past, self._inner.statistics, strict=True)))

    def is_valid(self) -> bool:
        """Tell whether this is exactly the periodic regular triangulation of the points."""
        return self._inner.is_valid() and self._suffices()

    def locate(self, point: FloatArray) -> NDArray[np.int32]:
        """Return the vertices (d+1,) of a cell that contains a point, -1 among them if outside."""
        place = array("point", point, (len(self._period),))
        place -= np.floor(place / self._period) * self._finite
        cell = self._inner.locate(place)
        while not self._is_home[cell].any() and cell.min() >= 0:  # an image of the cell has one
            v = int(cell[0])
            home = self._shift[self._is_home][np.searchsorted(
                self._owner[self._is_home], self._owner[v])]
            place -= (self._shift[v] - home) * self._finite
            cell = self._inner.locate(place)
        return np.where(cell >= 0, self._owner[cell], -1).astype(np.int32)

    # What happens to it.

    def move(
        self, points: FloatArray, weights: FloatArray | None = None, method: str = "auto",
        vertices: IntArray | None = None,
    ) -> None:
        """Move all vertices, or some; each by the nearest way: a step of a period is none."""
        if vertices is not None:
            moved, heavy = self._points.copy(), self._weights.copy()
            moved[vertices] = points
            heavy[vertices] = heavy[vertices] if weights is None else weights
            points, weights = moved, heavy
        if len(points) != len(self._points):
            message = (f"points must have {len(self._points)} rows, one for each vertex, "
                       f"got {len(points)}")
            raise InputError(message)
        points = array("points", points, self._points.shape)
        weights = self._weights if weights is None else array("weights", weights, (len(points),))
        turns = self._turns + np.rint((points - self._points) / self._period).astype(np.int64)
        base = np.asarray(points - turns * self._finite)
        place = images(base, self._owner, self._shift, self._period)
        self._inner.move(place, weights[self._owner], method)
        self._points, self._weights, self._turns = points, weights, turns
        if self._suffices():
            self._match()
        else:
            self._build()

    def insert(self, points: FloatArray, weights: FloatArray) -> IntArray:
        """Insert points (k,d) with weights (k,); returns their indices, the lowest ones free."""
        free = np.flatnonzero(~self._present)
        more = max(0, len(points) - len(free))
        n = len(self._points)
        vertices = np.concatenate((free, np.arange(n, n + more)))[: len(points)]
        room = ((0, more), (0, 0))
        self._points, self._turns = np.pad(self._points, room), np.pad(self._turns, room)
        self._weights = np.pad(self._weights, room[0])
        self._present = np.pad(self._present, room[0])
        self._points[vertices], self._weights[vertices] = points, weights
        self._turns[vertices], self._present[vertices] = 0, True
        self._build()
        return vertices

    def remove(self, vertices: IntArray) -> None:
        """Remove vertices; what they had hidden comes back."""
        for v in vertices:
            if not 0 <= v < len(self._points) or not self._present[v]:
                message = f"vertex {v} is not present; it cannot be removed"
                raise InputError(message)
        self._present[vertices] = False
        self._build()

    # How it is done.

    def _base(self) -> FloatArray:
        """Return the positions, followed without jumps."""
        return np.asarray(self._points - self._turns * self._finite)

    def _build(self) -> None:
        """Choose images, wider and wider, until they suffice; edges keep their slots."""
        base, present = self._base(), np.flatnonzero(self._present)
        self._halo = max(self._halo, self._first_halo(base[present]))
        while True:
            owner, self._shift, self._is_home = list_images(base[present], self._period, self._halo)
            self._owner, self._start = present[owner], base
            if self._is_built:
                self._past = self.statistics
            self._is_built = True
            self._inner = (Triangulation2, Triangulation3)[len(self._period) - 2](
                images(base, self._owner, self._shift, self._period), self._weights[self._owner]
            )
            if self._suffices():
                break
            self._halo *= WIDER
        self._match()

    def _first_halo(self, base: FloatArray) -> float:
        """Return the halo to try first: some distances of neighbours; a period at a free surface.

        The hull of all images, which the cells at a free surface reach, is spanned by points a
        period apart.
        """
        if len(base) == 0:
            return 0.0
        size = self._size(base)
        size = size[size > 0.0]
        halo = FIRST_HALO * float(np.prod(size) / len(base)) ** (1.0 / len(size))
        return halo if np.isfinite(self._period).all() else max(halo, float(self._finite.max()))

    def _size(self, base: FloatArray) -> FloatArray:
        """Return the extent (d,) of the box, or of the points where it is open."""
        return np.where(np.isfinite(self._period), self._finite, np.ptp(base, axis=0))

    def _suffices(self) -> bool:
        """Tell whether the halo is wide enough for the points as they are."""
        start, base = self._start[self._present], self._base()[self._present]
        if len(base) == 0:
            return True
        moved = float(np.abs(base - start).max())
        is_open = ~np.isfinite(self._period)
        limit = 0.5 * ENOUGH * float(np.linalg.norm(self._size(base)))
        if self.dimension < len(self._period):  # with an extent in open directions: not proven
            return self._halo - 2.0 * moved >= limit
        if not is_open.any() and self._halo - 2.0 * moved >= limit:
            return True
        width = self._halo - moved
        low = np.array([np.where(is_open, base.min(axis=0), -np.inf),
                        np.where(is_open, -np.inf, -width)])
        high = np.array([np.where(is_open, base.max(axis=0), np.inf),
                         np.where(is_open, np.inf, self._period + width)])
        return self._are_good(low, high, float(self._weights[self._present].max()))

    def _are_good(self, low: FloatArray, high: FloatArray, heaviest: float) -> bool:
        """Tell whether all cells of the points are those of the infinite triangulation.

        See ``judge_cells`` for the arguments.
        """
        points, weights, V = self._inner.points, self._inner.weights, self._inner.all_cells
        verdict = np.empty(len(V), dtype=np.uint8)
        sphere = np.empty((len(V), len(self._period) + 2))
        opened = np.ascontiguousarray(points[:, ~np.isfinite(self._period)])
        judge_cells(points, weights, V, self._is_home, opened, low, high, heaviest, verdict, sphere)
        if (verdict == BAD).any():
            return False
        mine = np.flatnonzero(verdict == OPEN)
        for cell in mine[~(sphere[mine, -1] ** 2 < ROUGH**2 * sphere[mine, -2])]:
            if V[cell].min() < 0:
                return False
            sphere[cell] = exact_sphere(points[V[cell]], weights[V[cell]], heaviest)
        lift = np.sqrt(heaviest - self._weights[self._present])
        width = -float(low[1].max(initial=-np.inf, where=np.isfinite(low[1])))
        return len(mine) == 0 or are_clear(
            self._base()[self._present], lift, self._period, width, sphere[mine]
        )

    def _match(self) -> None:
        """List the edges of the points; those that were there before keep their slots."""
        ends = self._inner.edges
        ends = ends[self._is_home[ends].any(axis=1)]
        i, j = self._owner[ends].T
        shift = self._shift[ends[:, 1]] - self._shift[ends[:, 0]]
        back = i > j
        leading = np.argmax(shift != 0, axis=1) if len(shift) else np.empty(0, dtype=np.int64)
        back |= (i == j) & (shift[np.arange(len(shift)), leading] < 0)
        shift[back] *= -1
        rows = np.column_stack((np.minimum(i, j), np.maximum(i, j), shift))
        self._rows = _in_slots(_once(rows), self._rows)


def _order(rows: IntArray) -> IntArray:
    return np.lexsort(rows.T[::-1])


def _once(rows: IntArray) -> IntArray:
    """Return the rows (m,k), each once, in order."""
    rows = rows[_order(rows)]
    new = np.ones(len(rows), dtype=np.bool_)
    new[1:] = (rows[1:] != rows[:-1]).any(axis=1)
    return rows[new]


def _in_slots(rows: IntArray, slots: IntArray) -> IntArray:
    """Return slots (k,c) that hold just the given rows (m,c), those that did before in place."""
    slots = slots.copy()
    used = np.flatnonzero(slots[:, 0] >= 0)
    both = np.concatenate((slots[used], rows))
    order = _order(both)
    same = (both[order[1:]] == both[order[:-1]]).all(axis=1)
    kept, found = order[:-1][same], order[1:][same] - len(used)
    slots[np.delete(used, kept)] = -1
    new = np.delete(rows, found, axis=0)
    free = np.flatnonzero(slots[:, 0] < 0)[: len(new)]
    slots[free] = new[: len(free)]
    return np.concatenate((slots, new[len(free) :]))

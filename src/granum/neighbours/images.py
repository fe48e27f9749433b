"""Images: copies of grains beyond the faces of a periodic cell, where they may meet others.

A pair across a face is met if one of the two has an image beside the other. It is enough to copy
the larger one: a grain of reach R (radius and skin) meets no smaller one farther away than 2 R, so
it needs images only where their centres are within 2 R of the cell.

Each copy, and the grain itself (the copy that is shifted by nothing), is a vertex of the
triangulation. When a grain leaves the cell by one face and enters by the other, no vertex jumps:
what was an image is the grain now, and what was the grain is an image. Only the grains that have
new places are looked at.
"""

from __future__ import annotations

from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from granum.compile import kernel

NONE = -1  # instead of a vertex where a grain has no copy

Float = NDArray[np.float64]
Int = NDArray[np.int64]


class Changes(NamedTuple):
    """What must happen to the vertices."""

    gone: Int  # (g,) vertices that are copies no longer
    moved: Int  # (m,) vertices that stay copies
    moved_to: Float  # (m,4) position and radius of each
    new: Int  # (k,2) row of the grain and number of the shift of each new copy
    new_at: Float  # (k,4) its position and radius


class Images:
    """The vertices of grains in a periodic cell.

    Args:
        period: (3,) period of the world, 0 where there is none [m].

    Attributes:
        grain: (vertices,) the row of the grain that each is a copy of; 0 for those that are gone.
    """

    def __init__(self, period: Float) -> None:
        self._period = period
        self._shifts = np.array(
            list(product(*[(0, 1, -1) if L > 0.0 else (0,) for L in period])), dtype=np.int64
        )  # the first is no shift
        self.forget()

    def forget(self) -> None:
        """Begin again, without a vertex."""
        self._ids = np.zeros(0, dtype=np.int64)
        self._vertex = np.zeros((0, len(self._shifts)), dtype=np.int64)
        self._position = np.zeros((0, 3))
        self.grain = np.zeros(0, dtype=np.int64)

    def change(self, at: Float, rows: Int, ids: Int, skin: float) -> Changes:
        """Find out which copies of grains go, move and come.

        Args:
            at: (n,4) place in the cell, and radius [m].
            rows: those whose places are new; all, if the grains are others than the last time.
            ids: (n,) which grains they are.
            skin: added to each radius [m].
        """
        lost = np.zeros(0, dtype=np.int64)
        if not np.array_equal(ids, self._ids):
            rows, lost = np.arange(len(ids)), self._sort(at, ids)
        table = (rows, at, self._position, self._period, self._shifts, skin, self._vertex,
                 self.grain)
        g, m, k = _compare(*table, False, *_room(0, 0, 0))
        changes = _room(g, m, k)
        _compare(*table, True, *changes)
        gone = np.concatenate((lost, changes.gone))
        self.grain[gone] = 0
        return changes._replace(gone=gone)

    def settle(self, new: Int, vertices: Int) -> None:
        """Learn which vertices the new copies have become."""
        self._vertex[new[:, 0], new[:, 1]] = vertices
        grain = np.zeros(max(len(self.grain), int(vertices.max()) + 1), dtype=np.int64)
        grain[: len(self.grain)] = self.grain
        grain[vertices] = new[:, 0]
        self.grain = grain

    def _sort(self, at: Float, ids: Int) -> Int:
        """Bring the vertices into the order of the grains; return those of grains that are gone."""
        order = np.argsort(self._ids)
        known = np.isin(ids, self._ids)
        where = order[np.searchsorted(self._ids[order], ids[known])]
        vertex = np.full((len(ids), len(self._shifts)), NONE)
        vertex[known] = self._vertex[where]
        position = at[:, :3].copy()
        position[known] = self._position[where]
        lost = self._vertex[~np.isin(self._ids, ids)].ravel()
        self._ids, self._vertex, self._position = ids.copy(), vertex, position
        return lost[lost != NONE]


def _room(gone: int, moved: int, new: int) -> Changes:
    return Changes(np.empty(gone, dtype=np.int64), np.empty(moved, dtype=np.int64),
                   np.empty((moved, 4)), np.empty((new, 2), dtype=np.int64), np.empty((new, 4)))


@kernel
def _is_near(X, i, L, shifts, k, skin):
    """Tell whether a grain that is shifted by periods is within twice its reach of the cell."""
    near = 2.0 * (X[i, 3] + skin)
    found = True
    for a in range(3):
        x = X[i, a] + shifts[k, a] * L[a]
        found = found and (L[a] == 0.0 or (x > -near and x < L[a] + near))
    return found


@kernel
def _shift_after(shifts, k, X, before, i, L):
    """Return which shift a copy has now, or NONE: another one if the grain went round the cell."""
    for m in range(shifts.shape[0]):
        same = True
        for a in range(3):
            turn = np.rint((X[i, a] - before[i, a]) / L[a]) if L[a] > 0.0 else 0.0
            same = same and shifts[m, a] == shifts[k, a] - turn
        if same:
            return m
    return NONE


@kernel
def _has_turned(X, before, i, L):
    """Tell whether a grain has left the cell by one face and entered by the other."""
    turned = False
    for a in range(3):
        turned = turned or (L[a] > 0.0 and 2.0 * abs(X[i, a] - before[i, a]) > L[a])
    return turned


@kernel
def _write(X, i, L, shifts, k, sphere):
    """Write a copy of a grain: position and radius."""
    for a in range(3):
        sphere[a] = X[i, a] + shifts[k, a] * L[a]
    sphere[3] = X[i, 3]


@kernel
def _compare(rows, X, before, L, shifts, skin, vertex, grain, write,
             gone, moved, moved_to, new, new_at):
    """Count the vertices that go, move and come; and write them, if told to.

    Args:
        rows: (r,) grains that have new places.
        X: (n,4) the places and radii.
        before: (n,3) the places before; written: those now.
        L: (3,) period.
        shifts: (s,3) shifts in periods.
        skin: added to each radius.
        vertex: (n,s) the vertex of each copy, or NONE; written: NONE for new ones.
        grain: (vertices,) written: the grain of each vertex that stays.
        write: whether to write, or only to count.
        gone: as are the rest, see ``Changes``.
        moved: the next.
        moved_to: the next.
        new: the next.
        new_at: the last.
    """
    n_gone, n_moved, n_new = 0, 0, 0
    mine = np.empty(shifts.shape[0], dtype=np.int64)
    for row in range(rows.size):
        i = rows[row]
        mine[:] = NONE
        turned = _has_turned(X, before, i, L)
        for k in range(mine.size):
            if vertex[i, k] == NONE:
                continue
            m = _shift_after(shifts, k, X, before, i, L) if turned else k
            if m != NONE and (m == 0 or _is_near(X, i, L, shifts, m, skin)):
                mine[m] = vertex[i, k]
            else:
                if write:
                    gone[n_gone] = vertex[i, k]
                n_gone += 1
        for k in range(mine.size):
            if mine[k] != NONE:
                if write:
                    moved[n_moved] = mine[k]
                    grain[mine[k]] = i
                    _write(X, i, L, shifts, k, moved_to[n_moved])
                n_moved += 1
            elif k == 0 or _is_near(X, i, L, shifts, k, skin):
                if write:
                    new[n_new, 0], new[n_new, 1] = i, k
                    _write(X, i, L, shifts, k, new_at[n_new])
                n_new += 1
        if write:
            for k in range(mine.size):
                vertex[i, k] = mine[k]
            for a in range(3):
                before[i, a] = X[i, a]
    return n_gone, n_moved, n_new

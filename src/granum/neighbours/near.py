"""Near pairs: the edges whose inflated spheres meet, in rows that change where something changed.

The row of a grain holds the partners that it owns, sorted (see `granum.neighbours.candidates`); two
grains that are joined by more than one edge, to different images, stand there as often. Rows have
room to spare. An edge is looked at again only if another lives in its slot now, or if one of its
ends has a new place: of a packing in motion a few in a hundred.

Rows are in the engine's order of storage. When that changes, the rows are sorted anew, but no edge
is looked at: what is known of edges is in the order of the places, which stays.
"""

from __future__ import annotations

from typing import NamedTuple

import numba
import numpy as np
from numpy.typing import NDArray

from granum.compile import kernel, parallel_kernel
from granum.neighbours.candidates import Found, block_bounds, owns, sort_row

ROUNDING = 1e-12  # of R²: D below this counts as not positive
SPARE = 3  # partners that a row has room for beyond those it has
HARDLY_HALF = 0.49  # of a period: whoever is not farther away is the nearest image itself
MORE = 1.25  # slots that there is room for, as a share of those in use

# What an edge is.
NEAR = 1  # a near pair
DEEP = 2  # D is not positive

Float = NDArray[np.float64]
Int = NDArray[np.int64]


class Near(NamedTuple):
    """Near pairs of n grains in rows, in storage order, and the edges they come from."""

    begin: Int  # (n + 1,) a row's first place; that of the next is its limit
    end: Int  # (n,) one past its last partner
    partner: NDArray[np.int32]  # (places,)
    pair: NDArray[np.int32]  # (slots,2) the ends of each edge, rows of places, or -1, -1
    kind: NDArray[np.uint8]  # (slots,) what it is
    deep: int  # edges with D <= 0


def find_near(at: Float, order: Int, period: Float, skin: float, slots: NDArray[np.int32],
              row: Int) -> Near:
    """Return the near pairs of all edges.

    Args:
        at: (n,4) place and radius of the grains [m].
        order: (n,) where each of them stands in storage.
        period: (3,) period, 0 where there is none [m].
        skin: added to each radius [m].
        slots: (k,2) edges between vertices, -1 where there is none.
        row: (vertices,) the place of each vertex.
    """
    room = int(MORE * len(slots)) + 64
    pair, kind = np.full((room, 2), -1, dtype=np.int32), np.zeros(room, dtype=np.uint8)
    begin, end = np.zeros(len(at) + 1, dtype=np.int64), np.empty(len(at), dtype=np.int64)
    deep = _look(at, order, period, skin, slots, row, pair, kind, begin)
    partner = np.empty(int(begin[-1]), dtype=np.int32)
    _fill(at, order, pair[: len(slots)], kind, begin, end, partner)
    return Near(begin, end, partner, pair, kind, int(deep))


def follow_near(near: Near, at: Float, order: Int, period: Float, skin: float,
                slots: NDArray[np.int32], row: Int, moved: NDArray[np.bool_]) -> Near | None:
    """Return the near pairs after some grains got new places; None if there is no room.

    Their sizes must be the same.

    Args:
        near: the near pairs before; its rows are written.
        at: as are order, period, skin, slots and row: see `find_near`.
        order: the next.
        period: the next.
        skin: the next.
        slots: the next.
        row: the last.
        moved: (n,) whose places are new.
    """
    if len(slots) > len(near.kind):
        return None
    fits, deep = _follow(at, order, period, skin, slots, row, moved, *near)
    return near._replace(deep=int(deep)) if fits else None


def sorted_near(near: Near, radius: Float, before: Int, order: Int) -> Near:
    """Return the near pairs after the engine has sorted its grains.

    Args:
        near: the near pairs before.
        radius: (n,) of the grains, in the order of the places [m].
        before: (n,) where each stood in storage.
        order: (n,) where it stands now.
    """
    n = len(order)
    new, size = np.empty(n, dtype=np.int32), np.empty(n)
    new[before], size[order] = order, radius
    begin, end = np.zeros(n + 1, dtype=np.int64), np.empty(n, dtype=np.int64)
    number = int((near.end - near.begin[:-1]).sum())
    partner = np.empty(number + SPARE * n, dtype=np.int32)
    _sort(near.begin, near.end, near.partner, new, size, begin, end, partner)
    return near._replace(begin=begin, end=end, partner=partner)


def chosen(X: Float, margin: Float, period: Float, near: Near) -> Found:
    """Return those of the near pairs that have a gap below their margins."""
    begin, end = np.empty((2, len(X)), dtype=np.int64)
    block = block_bounds(len(X))
    first = near.begin[block]
    size = np.zeros(len(block) - 1, dtype=np.int64)
    owner, partner = np.empty((2, len(near.partner)), dtype=np.int32)
    _copy_rows(X, margin, period, block, first, near.begin, near.end, near.partner,
               begin, end, owner, partner, size)
    return Found(block, first, size, begin, end, owner, partner)


@kernel
def square_between(X, i, j, L):
    """Return the squared distance of two grains, the nearest image of one [m2]."""
    total = 0.0
    for a in range(3):
        d = X[j, a] - X[i, a]
        if abs(d) > HARDLY_HALF * L[a] > 0.0:
            d -= L[a] * np.rint(d / L[a])
        total += d * d
    return total


@kernel
def _kind_of(at, i, j, L, skin):
    """Return what an edge between two grains is; nothing if it leads to an image of the same."""
    if i < 0 or i == j:
        return 0
    square = square_between(at, i, j, L)
    ri, rj = at[i, 3], at[j, 3]
    kind = 0
    if square <= ((ri + skin) * (ri + skin) + (rj + skin) * (rj + skin)) * (1.0 + ROUNDING):
        kind = DEEP
    reach = ri + rj + 2.0 * skin
    return kind | NEAR if square < reach * reach else kind


@kernel
def _grains(slots, row, e):
    """Return the grains that an edge joins, or -1, -1."""
    if slots[e, 0] < 0:
        return np.int64(-1), np.int64(-1)
    return row[slots[e, 0]], row[slots[e, 1]]


@kernel
def _owned(at, order, i, j):
    """Return where the owner of a pair stands in storage, and its partner."""
    first, second = order[i], order[j]
    return (first, second) if owns(at[i, 3], first, at[j, 3], second) else (second, first)


@kernel
def _look(at, order, L, skin, slots, row, pair, kind, begin):
    """Write what each edge is, and where rows begin; returns how many edges are deep."""
    deep = 0
    for e in range(slots.shape[0]):
        i, j = _grains(slots, row, e)
        pair[e, 0], pair[e, 1] = i, j
        kind[e] = _kind_of(at, i, j, L, skin)
        deep += int(kind[e] & DEEP != 0)
        if kind[e] & NEAR:
            begin[_owned(at, order, i, j)[0] + 1] += 1
    _make_room(begin)
    return deep


@kernel
def _make_room(begin):
    """Turn the sizes of rows, each one place late, into where they begin."""
    for i in range(begin.size - 1):
        begin[i + 1] += begin[i] + SPARE


@kernel
def _fill(at, order, pair, kind, begin, end, partner):
    """Write the rows, each sorted by partner."""
    end[:] = begin[:-1]
    for e in range(pair.shape[0]):
        if kind[e] & NEAR:
            i, j = _owned(at, order, np.int64(pair[e, 0]), np.int64(pair[e, 1]))
            partner[end[i]] = j
            end[i] += 1
    for i in range(end.size):
        sort_row(partner, begin[i], end[i])


@kernel
def _sort(old_begin, old_end, old, new, size, begin, end, partner):
    """Write the rows in another order of storage; of equal grains another one may own a pair."""
    n = end.size
    for i in range(n):
        for k in range(old_begin[i], old_end[i]):
            a, b = new[i], new[old[k]]
            begin[(b if b < a and size[a] == size[b] else a) + 1] += 1
    _make_room(begin)
    end[:] = begin[:-1]
    for i in range(n):
        for k in range(old_begin[i], old_end[i]):
            a, b = new[i], new[old[k]]
            if b < a and size[a] == size[b]:
                a, b = b, a
            partner[end[a]] = b
            end[a] += 1
    for i in range(n):
        sort_row(partner, begin[i], end[i])


@kernel
def _take_out(partner, begin, end, i, j):
    """Take partner j out of row i, once."""
    k = begin[i]
    while partner[k] != j:
        k += 1
    end[i] -= 1
    while k < end[i]:
        partner[k] = partner[k + 1]
        k += 1


@kernel
def _put_in(partner, begin, end, i, j):
    """Put partner j into row i, which has room for it."""
    k = end[i]
    while k > begin[i] and partner[k - 1] > j:
        partner[k] = partner[k - 1]
        k -= 1
    partner[k] = j
    end[i] += 1


@kernel
def _follow(at, order, L, skin, slots, row, moved, begin, end, partner, pair, kind, deep):
    """Look again at the edges where something has changed; returns whether there was room."""
    for e in range(slots.shape[0]):
        i, j = _grains(slots, row, e)
        was_i, was_j = np.int64(pair[e, 0]), np.int64(pair[e, 1])
        if i == was_i and j == was_j and (i < 0 or not (moved[i] | moved[j])):
            continue
        if kind[e] & NEAR:
            first, second = _owned(at, order, was_i, was_j)
            _take_out(partner, begin, end, first, second)
        deep -= int(kind[e] & DEEP != 0)
        pair[e, 0], pair[e, 1] = i, j
        kind[e] = _kind_of(at, i, j, L, skin)
        deep += int(kind[e] & DEEP != 0)
        if kind[e] & NEAR:
            first, second = _owned(at, order, i, j)
            if end[first] == begin[first + 1]:
                return False, deep
            _put_in(partner, begin, end, first, second)
    return True, deep


@parallel_kernel
def _copy_rows(X, margin, L, block, first, near_begin, near_end, near, begin, end, owner, partner,
               size):
    """Copy the pairs with a gap below their margins, each once, row by row, block by block."""
    half_x, half_y, half_z = [HARDLY_HALF * L[a] if L[a] > 0.0 else np.inf for a in range(3)]
    for b in numba.prange(size.size):
        place = first[b]
        for i in range(block[b], block[b + 1]):
            x, y, z, reach = X[i, 0], X[i, 1], X[i, 2], X[i, 3] + margin[i]
            begin[i] = place
            for k in range(near_begin[i], near_end[i]):
                j = np.uint64(near[k])
                dx, dy, dz = X[j, 0] - x, X[j, 1] - y, X[j, 2] - z
                if abs(dx) > half_x or abs(dy) > half_y or abs(dz) > half_z:
                    square = square_between(X, i, np.int64(near[k]), L)
                else:
                    square = dx * dx + dy * dy + dz * dz
                far = reach + X[j, 3] + margin[j]
                is_first = k == near_begin[i] or near[k] != near[k - 1]
                if square < far * far and is_first:
                    owner[place], partner[place] = i, near[k]
                    place += 1
            end[i] = place
        size[b] = place - first[b]

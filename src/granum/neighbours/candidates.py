"""Candidates: the pairs that may touch before the next update, kept in rows, block by block.

Grains stand in storage order, cut into contiguous blocks (their number depends on the number of
grains only). The row of grain i holds the partners j that i owns: the smaller grain owns the pair,
the lower index where the radii are equal. Rows are sorted by j. So the order in which touching
pairs are met depends on the grains' order and sizes alone, never on how or when the list was made:
the list is scratch, and results do not depend on it to the last bit.

Each block sums forces into its own grains' rows and into private halo rows for partners in other
blocks; ``halo`` says which rows to add to which grain, in the order of the blocks.
"""

from __future__ import annotations

from typing import NamedTuple

import numba
import numpy as np
from numpy.typing import NDArray

from granum.compile import kernel, parallel_kernel
from granum.neighbours.grid import cell_along, make_grid


class Candidates(NamedTuple):
    """Rows of candidate pairs; slot k holds one pair and owns one place of history."""

    block: NDArray[np.uint64]  # (blocks + 1,) a block's first grain
    begin: NDArray[np.uint64]  # (n,) a row's first slot
    end: NDArray[np.uint64]  # (n,) one past a row's last slot
    first: NDArray[np.uint64]  # (blocks,) a block's first slot
    last: NDArray[np.uint64]  # (blocks,) one past its last
    owner: NDArray[np.uint32]  # (slots,) grain i
    partner: NDArray[np.uint32]  # (slots,) grain j
    target: NDArray[np.uint32]  # (slots,) force row of the partner: its own, or a halo row
    wraps: NDArray[np.uint8]  # (slots,) whether the nearest image of the partner may be another one
    halo_begin: NDArray[np.uint32]  # (n + 1,) a grain's first entry in halo_row
    halo_row: NDArray[np.uint32]  # (halos,) force rows to add to the grain, in order of blocks


def block_bounds(grains: int) -> NDArray[np.int64]:
    """Cut ``grains`` into contiguous blocks: a power of two, of 1000 grains and more.

    Few large blocks have few halo rows; many small ones serve more threads.
    """
    blocks = 1
    while blocks < 64 and grains >= 1000 * blocks and (blocks < 16 or grains >= 6000 * blocks):
        blocks *= 2
    return np.linspace(0, grains, blocks + 1).astype(np.int64)


def find_candidates(
    X: NDArray[np.float64], period: NDArray[np.float64], skin: float, capacity: float
) -> tuple[Candidates, float]:
    """Find all pairs with a gap below ``skin``.

    Args:
        X: (n,4) position and radius of the grains in storage order [m].
        period: (3,) period of the world, 0 where there is none [m].
        skin: gap below which a pair is a candidate [m].
        capacity: slots set aside for each grain; grown until all pairs fit.

    Returns:
        The candidates, and the capacity that will be enough next time.
    """
    grid = make_grid(X, period, skin)
    block = block_bounds(len(X))
    begin = np.empty(len(X), dtype=np.int64)
    end = np.empty(len(X), dtype=np.int64)
    blocks = len(block) - 1
    size = np.zeros(blocks, dtype=np.int64)
    slots = np.maximum((np.diff(block) * capacity).astype(np.int64), 64)
    while True:
        first = np.concatenate(([0], np.cumsum(slots)))
        partner = np.empty(int(first[-1]), dtype=np.int32)
        _fill_rows(X, grid, skin, block, first, begin, end, partner, size)
        if (size <= slots).all():
            break
        slots = np.maximum(slots, size + size // 8)
    owner, target = np.empty((2, len(partner)), dtype=np.int32)
    halo_owner = np.empty(partner.size, dtype=np.int32)
    wraps = np.zeros(len(partner), dtype=np.uint8)
    halos = _make_targets(block, begin, end, partner, owner, target, halo_owner)
    if period.any():
        _mark_wraps(X, period, skin, first, size, owner, partner, wraps)
    halo_begin = np.zeros(len(X) + 1, dtype=np.int32)
    halo_row = np.empty(halos, dtype=np.int32)
    _order_halos(halo_owner[:halos], halo_begin, halo_row)
    found = Candidates(
        block.astype(np.uint64), begin.view(np.uint64), end.view(np.uint64),
        first[:-1].astype(np.uint64), (first[:-1] + size).astype(np.uint64),
        owner.view(np.uint32), partner.view(np.uint32), target.view(np.uint32), wraps,
        halo_begin.view(np.uint32), halo_row.view(np.uint32),
    )
    return found, 1.1 * float((size / np.maximum(np.diff(block), 1)).max()) + 0.5


@kernel
def owns(ri, i, rj, j):
    """Tell whether grain i owns the pair: the smaller one does, then the lower index."""
    return ri < rj or (ri == rj and i < j)


@kernel
def image_gap(d, period):
    """Return a difference of coordinates in the cell [0, period) to the nearest image [m]."""
    if period > 0.0:
        if d > 0.5 * period:
            d -= period
        elif d < -0.5 * period:
            d += period
    return d


@kernel
def _search_range(x, reach, low, width, count, periodic):
    """Return first cell and number of cells along one direction that can hold a partner."""
    if periodic:
        lo = int(np.floor((x - reach - low) / width))
        hi = int(np.floor((x + reach - low) / width))
        return lo, min(hi - lo + 1, count)
    lo = cell_along(x - reach, low, width, count)
    hi = cell_along(x + reach, low, width, count)
    return lo, hi - lo + 1


@kernel
def _search_cells(x, y, z, r, i, skin, grid, first, last, partner, place, end):
    """Write the partners that i owns in a row of cells; return the next free place, full or not."""
    Lx, Ly, Lz = grid.period[0], grid.period[1], grid.period[2]
    for m in range(grid.start[first], grid.start[last]):
        dx = image_gap(grid.X[m, 0] - x, Lx)
        dy = image_gap(grid.X[m, 1] - y, Ly)
        dz = image_gap(grid.X[m, 2] - z, Lz)
        reach = r + grid.X[m, 3] + skin
        if dx * dx + dy * dy + dz * dz < reach * reach:
            j = grid.member[m]
            if j != i and owns(r, i, grid.X[m, 3], j):
                if place < end:
                    partner[place] = j
                place += 1
    return place


@kernel
def _search(X, i, skin, grid, partner, place, end):
    """Write all partners that i owns, in its own level and in the coarser ones."""
    x, y, z, r = X[i, 0], X[i, 1], X[i, 2], X[i, 3]
    for lv in range(grid.level[i], grid.largest.size):
        reach = r + grid.largest[lv] + skin
        nx, ny, nz = grid.number[lv, 0], grid.number[lv, 1], grid.number[lv, 2]
        ax, mx = _search_range(x, reach, grid.low[0], grid.width[lv, 0], nx, grid.period[0] > 0.0)
        ay, my = _search_range(y, reach, grid.low[1], grid.width[lv, 1], ny, grid.period[1] > 0.0)
        az, mz = _search_range(z, reach, grid.low[2], grid.width[lv, 2], nz, grid.period[2] > 0.0)
        ax %= nx
        wrapped = max(ax + mx - nx, 0)  # cells beyond the period, met again at its beginning
        for c in range(az, az + mz):
            for b in range(ay, ay + my):
                row = grid.first[lv] + ((c % nz) * ny + b % ny) * nx
                place = _search_cells(x, y, z, r, i, skin, grid, row + ax, row + ax + mx - wrapped,
                                      partner, place, end)
                if wrapped:
                    place = _search_cells(x, y, z, r, i, skin, grid, row, row + wrapped,
                                          partner, place, end)
    return place


@kernel
def _sort_row(partner, begin, end):
    """Sort one row by insertion: few grains as large as the owner or larger fit around it."""
    for k in range(begin + 1, end):
        j = partner[k]
        m = k - 1
        while m >= begin and partner[m] > j:
            partner[m + 1] = partner[m]
            m -= 1
        partner[m + 1] = j


@parallel_kernel
def _fill_rows(X, grid, skin, block, first, begin, end, partner, size):
    """Fill the rows of all blocks; ``size`` tells what each block needed."""
    for b in numba.prange(block.size - 1):
        place = first[b]
        last = first[b + 1]
        for i in range(block[b], block[b + 1]):
            begin[i] = place
            place = _search(X, i, skin, grid, partner, place, last)
            end[i] = place
            if place <= last:
                _sort_row(partner, begin[i], place)
        size[b] = place - first[b]


@kernel
def _make_targets(block, begin, end, partner, owner, target, halo_owner):
    """Give each slot its owner and the force row of its partner; return the number of halos."""
    n = begin.size
    seen = np.full(n, -1, dtype=np.int32)  # halo row of a grain, if newer than the block's first
    halos = 0
    for b in range(block.size - 1):
        oldest = halos
        for i in range(block[b], block[b + 1]):
            for k in range(begin[i], end[i]):
                owner[k] = i
                j = partner[k]
                if block[b] <= j < block[b + 1]:
                    target[k] = j
                    continue
                if seen[j] < oldest:
                    seen[j] = halos
                    halo_owner[halos] = j
                    halos += 1
                target[k] = n + seen[j]
    return halos


@kernel
def _at_face(x, y, z, L, skin):
    """Tell whether a grain may cross a face of the periodic cell before it has moved by skin/2."""
    return ((L[0] > 0.0 and not skin < x < L[0] - skin)
            or (L[1] > 0.0 and not skin < y < L[1] - skin)
            or (L[2] > 0.0 and not skin < z < L[2] - skin))


@parallel_kernel
def _mark_wraps(X, L, skin, first, size, owner, partner, wraps):
    """Mark the pairs that reach across the cell's faces now, or may do so before the next update.

    For all others the nearest image is the grain itself, and the sweep need not ask.
    """
    for b in numba.prange(size.size):
        for k in range(first[b], first[b] + size[b]):
            i = owner[k]
            j = partner[k]
            wrap = (_at_face(X[i, 0], X[i, 1], X[i, 2], L, skin)
                    or _at_face(X[j, 0], X[j, 1], X[j, 2], L, skin))
            for a in range(3):
                if L[a] > 0.0 and abs(X[j, a] - X[i, a]) > 0.5 * L[a] - skin:
                    wrap = True
            wraps[k] = wrap


@kernel
def _order_halos(halo_owner, halo_begin, halo_row):
    """List the halo rows of each grain, in the order of the blocks (a counting sort)."""
    n = halo_begin.size - 1
    for h in range(halo_owner.size):
        halo_begin[halo_owner[h] + 1] += 1
    for i in range(n):
        halo_begin[i + 1] += halo_begin[i]
    place = halo_begin[:n].copy()
    for h in range(halo_owner.size):
        j = halo_owner[h]
        halo_row[place[j]] = n + h
        place[j] += 1

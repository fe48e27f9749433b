"""Neighbours by cells: each grain looks into the cells around it, level by level."""

from __future__ import annotations

import numba
import numpy as np
from numpy.typing import NDArray

from granum.compile import kernel, parallel_kernel
from granum.neighbours.candidates import Candidates, Found, assemble, block_bounds, owns, sort_row
from granum.neighbours.grid import cell_along, make_grid


class Cells:
    """The search on a grid of several levels; it remembers nothing but how much room rows need.

    Args:
        period: (3,) period of the world, 0 where there is none [m].
        thickest: longest margin, in smallest radii: how far a grain may go between updates.
    """

    proven = False  # longer margins only cost time

    def __init__(self, period: NDArray[np.float64], thickest: float = 0.4) -> None:
        self.period, self.thickest = period, thickest
        self.capacity = 4.0  # slots set aside for each grain; more if they do not do
        self.counts: dict[str, int] = {}

    def find(
        self, X: NDArray[np.float64], margin: NDArray[np.float64], ids: NDArray[np.int64],
        body: NDArray[np.int64] | None = None,
    ) -> Candidates:
        """Find all pairs with a gap below the sum of their margins.

        As long as no grain has gone farther than its margin, no other pair can touch.

        Args:
            X: (n,4) position and radius of the grains in storage order [m].
            margin: (n,) how far each grain may go before the next update [m].
            ids: (n,) which grains they are.
            body: (n,) which body they belong to, if they are balls of bodies.
        """
        grid = make_grid(X, margin, self.period)
        block = block_bounds(len(X))
        begin, end = np.empty((2, len(X)), dtype=np.int64)
        size = np.zeros(len(block) - 1, dtype=np.int64)
        slots = np.maximum((np.diff(block) * self.capacity).astype(np.int64), 64)
        while True:
            first = np.concatenate(([0], np.cumsum(slots)))
            owner, partner = np.empty((2, int(first[-1])), dtype=np.int32)
            _fill_rows(X, margin, grid, block, first, begin, end, owner, partner, size)
            if (size <= slots).all():
                break
            slots = np.maximum(slots, size + size // 8)
        self.capacity = 1.1 * float((size / np.maximum(np.diff(block), 1)).max()) + 0.5
        found = Found(block, first, size, begin, end, owner, partner)
        return assemble(X, margin, self.period, found, body)


@kernel
def image_gap(d, period):
    """Return a difference of coordinates to the nearest image [m]."""
    return d - period * np.rint(d / period) if period > 0.0 else d


@kernel
def _search_range(x, reach, low, width, count, periodic):
    """Return first cell and number of cells along one direction that can hold a partner.

    In a periodic direction the first may be -1, -2, ... (cells of the period before), and there
    may be more of them than the period has.
    """
    if periodic:
        lo = int(np.floor((x - reach - low) / width))
        hi = int(np.floor((x + reach - low) / width))
        return lo, hi - lo + 1
    lo = cell_along(x - reach, low, width, count)
    hi = cell_along(x + reach, low, width, count)
    return lo, hi - lo + 1


@kernel
def _into_period(c, count, L):
    """Return a cell's number brought into the grid, and the way that it went for it [m]."""
    way = 0.0
    while c < 0:
        c += count
        way += L
    while c >= count:
        c -= count
        way -= L
    return c, way


@kernel
def _search_cells(x, y, z, reach, i, r, X, grid, few, first, last, partner, place, end):
    """Write the partners that i owns in a row of cells; return the next free place, full or not.

    Where cells are so few that the nearest image may be any, it is asked for.
    """
    for m in range(grid.start[first], grid.start[last]):
        dx = grid.X[m, 0] - x
        dy = grid.X[m, 1] - y
        dz = grid.X[m, 2] - z
        if few:
            dx = image_gap(dx, grid.period[0])
            dy = image_gap(dy, grid.period[1])
            dz = image_gap(dz, grid.period[2])
        near = reach + grid.X[m, 3]
        if dx * dx + dy * dy + dz * dz < near * near:
            j = grid.member[m]
            if j != i and owns(r, i, X[j, 3], j):
                if place < end:
                    partner[place] = j
                place += 1
    return place


@kernel
def _search(X, margin, i, grid, partner, place, end):
    """Write all partners that i owns, in its own level and in the coarser ones."""
    x, y, z, r = X[i, 0], X[i, 1], X[i, 2], X[i, 3]
    reach = r + margin[i]
    L = grid.period
    for lv in range(grid.level[i], grid.longest.size):
        near = reach + grid.longest[lv]
        nx, ny, nz = grid.number[lv, 0], grid.number[lv, 1], grid.number[lv, 2]
        ax, mx = _search_range(x, near, grid.low[0], grid.width[lv, 0], nx, L[0] > 0.0)
        ay, my = _search_range(y, near, grid.low[1], grid.width[lv, 1], ny, L[1] > 0.0)
        az, mz = _search_range(z, near, grid.low[2], grid.width[lv, 2], nz, L[2] > 0.0)
        few = mx > nx or my > ny or mz > nz
        mx, my, mz = min(mx, nx), min(my, ny), min(mz, nz)
        ax, wx = _into_period(ax, nx, L[0])
        wrapped = max(ax + mx - nx, 0)  # cells beyond the period, met again at its beginning
        for c in range(az, az + mz):
            cz, wz = _into_period(c, nz, L[2])
            for b in range(ay, ay + my):
                cy, wy = _into_period(b, ny, L[1])
                row = grid.first[lv] + (cz * ny + cy) * nx
                place = _search_cells(x + wx, y + wy, z + wz, reach, i, r, X, grid, few, row + ax,
                                      row + ax + mx - wrapped, partner, place, end)
                if wrapped:
                    place = _search_cells(x + wx - L[0], y + wy, z + wz, reach, i, r, X, grid, few,
                                          row, row + wrapped, partner, place, end)
    return place


@parallel_kernel
def _fill_rows(X, margin, grid, block, first, begin, end, owner, partner, size):
    """Fill the rows of all blocks; ``size`` tells what each block needed."""
    for b in numba.prange(block.size - 1):
        place = first[b]
        last = first[b + 1]
        for i in range(block[b], block[b + 1]):
            begin[i] = place
            place = _search(X, margin, i, grid, partner, place, last)
            end[i] = place
            if place <= last:
                sort_row(partner, begin[i], place)
                owner[begin[i] : place] = i
        size[b] = place - first[b]

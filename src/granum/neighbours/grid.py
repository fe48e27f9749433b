"""A grid of cells on several levels: the search for grains that are near each other.

Each grain has a reach: its radius and a margin around it. Grains are sorted by size into levels,
each twice as coarse as the one below; a level's cells are as wide as twice its longest reach. A
grain searches its own level and the coarser ones only, so a pair is found once, by its smaller
partner, and a 1:35 mix costs each grain about what one size does (Ogarko & Luding, Comput. Phys.
Commun. 183 (2012) 931).

Legend: X (n,4) rows x, y, z, radius; L (3,) period in each direction, 0 where there is none.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from granum.compile import kernel

LEVELS = 16


class Grid(NamedTuple):
    """Cells of all levels: where they are, how wide, and which grains are in them."""

    low: NDArray[np.float64]  # (3,) corner of the searched region [m]
    period: NDArray[np.float64]  # (3,) period [m], 0 where there is none
    width: NDArray[np.float64]  # (levels, 3) cell width [m]
    number: NDArray[np.int64]  # (levels, 3) cells in each direction
    first: NDArray[np.int64]  # (levels + 1,) a level's first cell in `start`
    longest: NDArray[np.float64]  # (levels,) longest reach of a level [m]
    level: NDArray[np.int8]  # (n,) level of each grain
    start: NDArray[np.int32]  # (cells + 1,) a cell's first entry in `member`
    member: NDArray[np.int32]  # (n,) grains, cell by cell
    X: NDArray[np.float64]  # (n,4) their position and reach, cell by cell


def make_grid(
    X: NDArray[np.float64], margin: NDArray[np.float64], period: NDArray[np.float64]
) -> Grid:
    """Sort grains into cells: pairs with a gap below both margins are in adjacent ones."""
    level = np.empty(len(X), dtype=np.int8)
    longest, low, high = np.zeros(LEVELS), np.empty(3), np.empty(3)
    levels = _measure(X, margin, level, longest, low, high)
    longest = longest[:levels].copy()
    extent = np.where(period > 0.0, period, high - low)
    low[period > 0.0] = 0.0
    width = np.zeros((levels, 3))
    number = np.zeros((levels, 3), dtype=np.int64)
    for lv in range(levels):
        width[lv], number[lv] = _cells(2.0 * longest[lv], extent, period, len(X))
    first = np.concatenate(([0], np.cumsum(number.prod(axis=1))))
    cell = np.empty(len(X), dtype=np.int32)
    start = np.zeros(int(first[-1]) + 1, dtype=np.int32)
    member = np.empty(len(X), dtype=np.int32)
    sorted_rows = np.empty((len(X), 4))
    _sort_into_cells(X, margin, low, width, number, first, level, cell, start, member, sorted_rows)
    return Grid(low, period, width, number, first, longest, level, start, member, sorted_rows)


def _cells(
    smallest: float, extent: NDArray[np.float64], period: NDArray[np.float64], grains: int
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Choose cell width and number: at least ``smallest`` wide, not many more cells than grains.

    Wider cells are always correct, only slower, so an empty vast region costs no memory.
    """
    wide = smallest if smallest > 0.0 else 1.0
    while True:
        number = np.maximum(np.floor(extent / wide), 1.0)
        if number.prod() <= 8.0 * grains + 1000.0:
            break
        wide *= 1.3
    width = np.where(period > 0.0, extent / number, np.maximum(extent / number, wide))
    return width, number.astype(np.int64)


@kernel
def cell_along(x, low, width, count):
    """Return the cell index of a coordinate along one direction, kept inside the grid."""
    c = int(np.floor((x - low) / width))
    return min(max(c, 0), count - 1)


@kernel
def _measure(X, margin, level, longest, low, high):
    """Give each grain its level, each level its longest reach; return the number of levels."""
    smallest = X[0, 3]
    for a in range(3):
        low[a] = high[a] = X[0, a]
    for i in range(X.shape[0]):
        smallest = min(smallest, X[i, 3])
        for a in range(3):
            low[a] = min(low[a], X[i, a])
            high[a] = max(high[a], X[i, a])
    levels = 1
    for i in range(X.shape[0]):
        lv = 0
        while lv < LEVELS - 1 and X[i, 3] >= smallest * 2.0 ** (lv + 1):
            lv += 1
        level[i] = lv
        levels = max(levels, lv + 1)
        longest[lv] = max(longest[lv], X[i, 3] + margin[i])
    return levels


@kernel
def _sort_into_cells(X, margin, low, width, number, first, level, cell, start, member, rows):
    """Counting sort of grains by cell; grains keep their order inside a cell."""
    n = X.shape[0]
    for i in range(n):
        lv = level[i]
        a = cell_along(X[i, 0], low[0], width[lv, 0], number[lv, 0])
        b = cell_along(X[i, 1], low[1], width[lv, 1], number[lv, 1])
        c = cell_along(X[i, 2], low[2], width[lv, 2], number[lv, 2])
        cell[i] = first[lv] + (c * number[lv, 1] + b) * number[lv, 0] + a
        start[cell[i] + 1] += 1
    for k in range(start.size - 1):
        start[k + 1] += start[k]
    for i in range(n):
        place = start[cell[i]]
        member[place] = i
        rows[place, 0], rows[place, 1], rows[place, 2] = X[i, 0], X[i, 1], X[i, 2]
        rows[place, 3] = X[i, 3] + margin[i]
        start[cell[i]] += 1
    for k in range(start.size - 1, 0, -1):
        start[k] = start[k - 1]
    start[0] = 0

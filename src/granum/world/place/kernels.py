"""Kernels of the multilevel grid: who overlaps a grain, exactly, whatever the mix of sizes.

Grains of similar size (within a factor of two) share a level; each level has its own cubic cells,
a little larger than its grains, found through one hash table. A query looks, level by level, at the
cells that its reach (own radius + largest radius of the level) covers.

Arrays (n: number of grains in the grid):
    grains (capacity, 4): x, y, z, radius [m]
    slots (capacity, 6): cell x, y, z, level, next grain in the same bucket and next in the same
        level (-1: none)
    head (power of two): first grain of each bucket (-1: none)
    levels (k, 4): cell width in x, y, z [m], largest radius in the level [m]
    counts (k, 5): cells in x, y, z (0: not periodic), grains in the level, first of them
    length (3,): periodic length [m], 0 where not periodic

Two grains overlap when |x_i - x_j| < r_i + r_j, with the nearest image in periodic directions. The
arithmetic is IEEE to the letter, so NumPy gives the same bits.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from granum.checks import FloatArray, IntArray
from granum.compile import kernel

PAD = 1e-12  # relative widening of the cells searched, against rounding at their borders


@kernel
def _bucket(ix: int, iy: int, iz: int, level: int, mask: int) -> int:
    """Return the bucket of a cell; different cells may share one."""
    return (ix * 73856093 ^ iy * 19349663 ^ iz * 83492791 ^ level * 40503701) & mask


@kernel
def _cell(x: float, width: float, cells: int) -> int:
    """Return the index of the cell that holds coordinate ``x``, wrapped where periodic."""
    index = math.floor(x / width)
    return index % cells if cells > 0 else index


@kernel
def _cell_range(x: float, reach: float, width: float, cells: int) -> tuple[int, int]:
    """Return the first and last cell that [x - reach, x + reach] touches, each cell once."""
    padded = reach + PAD * (reach + abs(x))
    first = math.floor((x - padded) / width)
    last = math.floor((x + padded) / width)
    if cells > 0 and last - first + 1 >= cells:
        return 0, cells - 1
    return first, last


@kernel
def nearest(d: float, length: float) -> float:
    """Return the difference ``d`` to the nearest image; ``length`` 0 means not periodic."""
    if length > 0.0:
        return d - length * np.rint(d / length)
    return d


@kernel
def _overlap(
    grains: FloatArray, length: FloatArray, j: int, x: float, y: float, z: float, r: float,
) -> bool:
    """Tell whether grain ``j`` overlaps a ball of radius ``r`` at x, y, z."""
    dx = nearest(x - grains[j, 0], length[0])
    dy = nearest(y - grains[j, 1], length[1])
    dz = nearest(z - grains[j, 2], length[2])
    return math.sqrt(dx * dx + dy * dy + dz * dz) < r + grains[j, 3]


@kernel
def _search_level(
    grains: FloatArray, slots: IntArray, head: IntArray, levels: FloatArray, counts: IntArray,
    length: FloatArray, k: int, after: int, x: float, y: float, z: float, r: float, found: int,
    limit: int, out: IntArray,
) -> int:
    """Search the cells of level ``k`` within reach; see ``search``."""
    reach = r + levels[k, 3]
    ax, bx = _cell_range(x, reach, levels[k, 0], counts[k, 0])
    ay, by = _cell_range(y, reach, levels[k, 1], counts[k, 1])
    az, bz = _cell_range(z, reach, levels[k, 2], counts[k, 2])
    mask = head.size - 1
    for cx in range(ax, bx + 1):
        ix = cx % counts[k, 0] if counts[k, 0] > 0 else cx
        for cy in range(ay, by + 1):
            iy = cy % counts[k, 1] if counts[k, 1] > 0 else cy
            for cz in range(az, bz + 1):
                iz = cz % counts[k, 2] if counts[k, 2] > 0 else cz
                j = head[_bucket(ix, iy, iz, k, mask)]
                while j >= 0:
                    if (j > after and slots[j, 0] == ix and slots[j, 1] == iy
                            and slots[j, 2] == iz and slots[j, 3] == k
                            and _overlap(grains, length, j, x, y, z, r)):
                        if found < out.size:
                            out[found] = j
                        found += 1
                        if found >= limit:
                            return found
                    j = slots[j, 4]
    return found


@kernel
def _cells_within(
    levels: FloatArray, counts: IntArray, k: int, x: float, y: float, z: float, r: float,
) -> float:
    """Return how many cells of level ``k`` are within reach (as a float: it may be huge)."""
    reach = r + levels[k, 3]
    ax, bx = _cell_range(x, reach, levels[k, 0], counts[k, 0])
    ay, by = _cell_range(y, reach, levels[k, 1], counts[k, 1])
    az, bz = _cell_range(z, reach, levels[k, 2], counts[k, 2])
    return (bx - ax + 1.0) * (by - ay + 1.0) * (bz - az + 1.0)


@kernel
def search(
    grains: FloatArray, slots: IntArray, head: IntArray, levels: FloatArray, counts: IntArray,
    length: FloatArray, lowest: int, after: int, x: float, y: float, z: float, r: float,
    limit: int, out: IntArray,
) -> int:
    """Find the grains that overlap a ball of radius ``r`` at x, y, z.

    Levels below ``lowest`` are left out, and in ``lowest`` itself the grains up to ``after``; so
    each pair is found once when every grain asks for its own level and the coarser ones. A level
    with fewer grains than cells within reach (a large ball among tiny cells) is read through.

    Returns:
        How many were found, at most ``limit``; ``out`` holds as many of them as it has room for.
    """
    found = 0
    for k in range(lowest, levels.shape[0]):
        if counts[k, 3] == 0:
            continue
        least = after if k == lowest else -1
        if _cells_within(levels, counts, k, x, y, z, r) <= counts[k, 3]:
            found = _search_level(grains, slots, head, levels, counts, length, k, least,
                                  x, y, z, r, found, limit, out)
        else:
            j = counts[k, 4]
            while j > least and found < limit:
                if _overlap(grains, length, j, x, y, z, r):
                    if found < out.size:
                        out[found] = j
                    found += 1
                j = slots[j, 5]
        if found >= limit:
            break
    return found


@kernel
def insert(
    grains: FloatArray, slots: IntArray, head: IntArray, levels: FloatArray, counts: IntArray,
    smallest: float, n: int, x: float, y: float, z: float, r: float,
) -> None:
    """Put a grain into row ``n`` of the grid; its level is floor(log2(r / smallest))."""
    k = min(max(math.floor(math.log2(r / smallest)), 0), levels.shape[0] - 1)
    ix = _cell(x, levels[k, 0], counts[k, 0])
    iy = _cell(y, levels[k, 1], counts[k, 1])
    iz = _cell(z, levels[k, 2], counts[k, 2])
    bucket = _bucket(ix, iy, iz, k, head.size - 1)
    grains[n, 0], grains[n, 1], grains[n, 2], grains[n, 3] = x, y, z, r
    slots[n, 0], slots[n, 1], slots[n, 2], slots[n, 3] = ix, iy, iz, k
    slots[n, 4], slots[n, 5] = head[bucket], counts[k, 4]
    head[bucket], counts[k, 4] = n, n
    levels[k, 3] = max(levels[k, 3], r)
    counts[k, 3] += 1


@kernel
def insert_all(
    grains: FloatArray, slots: IntArray, head: IntArray, levels: FloatArray, counts: IntArray,
    smallest: float, n: int, points: FloatArray, radii: FloatArray,
) -> None:
    """Put all of ``points (m, 3)`` with ``radii (m,)`` into the grid, overlapping or not."""
    for i in range(radii.size):
        insert(grains, slots, head, levels, counts, smallest, n + i,
               points[i, 0], points[i, 1], points[i, 2], radii[i])


@kernel
def insert_in_turn(
    grains: FloatArray, slots: IntArray, head: IntArray, levels: FloatArray, counts: IntArray,
    length: FloatArray, smallest: float, n: int, places: FloatArray, allowed: NDArray[np.bool_],
    radii: FloatArray, in_order: bool, chosen: IntArray,
) -> None:
    """Put each grain into the first of its places that is allowed and free.

    ``places (m, tries, 3)`` and ``allowed (m, tries)`` belong to grains of ``radii (m,)``;
    ``chosen (m,)`` receives the number of the place taken, -1 for none. ``in_order`` stops at the
    first grain without a place.
    """
    out = np.empty(1, np.int64)
    for i in range(radii.size):
        chosen[i] = -1
    for i in range(radii.size):
        r = radii[i]
        for t in range(places.shape[1]):
            x, y, z = places[i, t, 0], places[i, t, 1], places[i, t, 2]
            if allowed[i, t] and search(grains, slots, head, levels, counts, length, 0, -1,
                                        x, y, z, r, 1, out) == 0:
                insert(grains, slots, head, levels, counts, smallest, n, x, y, z, r)
                n += 1
                chosen[i] = t
                break
        if in_order and chosen[i] < 0:
            break


@kernel
def list_overlaps(
    grains: FloatArray, slots: IntArray, head: IntArray, levels: FloatArray, counts: IntArray,
    length: FloatArray, balls: FloatArray, lowest: IntArray, after: IntArray, limit: int,
    start: IntArray, partners: IntArray,
) -> None:
    """List for each of ``balls (m, 4)`` (x, y, z, radius) the grains that overlap it.

    ``lowest (m,)``, ``after (m,)`` and ``limit`` are those of ``search``. With an empty
    ``partners`` only count: ``start (m + 1,)`` receives the offsets of the rows. Otherwise fill
    ``partners`` by the offsets of an earlier call.
    """
    counting = partners.size == 0
    for i in range(balls.shape[0]):
        row = partners[:0] if counting else partners[start[i]:start[i + 1]]
        found = search(grains, slots, head, levels, counts, length, lowest[i], after[i],
                       balls[i, 0], balls[i, 1], balls[i, 2], balls[i, 3], limit, row)
        if counting:
            start[i + 1] = start[i] + found

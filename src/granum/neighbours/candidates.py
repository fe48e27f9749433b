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

WORD = 64  # bits of one


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

    @property
    def places(self) -> int:
        """How many places of history there are."""
        return len(self.target)


class Found(NamedTuple):
    """Rows as a method finds them; each block has a stretch of slots, filled from its start."""

    block: NDArray[np.int64]  # (blocks + 1,) a block's first grain
    first: NDArray[np.int64]  # (blocks + 1,) a block's first slot
    size: NDArray[np.int64]  # (blocks,) slots that it uses
    begin: NDArray[np.int64]  # (n,) a row's first slot
    end: NDArray[np.int64]  # (n,) one past a row's last slot
    owner: NDArray[np.int32]  # (slots,)
    partner: NDArray[np.int32]  # (slots,) sorted in each row


def block_bounds(grains: int) -> NDArray[np.int64]:
    """Cut ``grains`` into contiguous blocks: a power of two, of 1000 grains and more.

    Few large blocks have few halo rows; many small ones serve more threads.
    """
    blocks = 1
    while blocks < 64 and grains >= 1000 * blocks and (blocks < 16 or grains >= 6000 * blocks):
        blocks *= 2
    return np.linspace(0, grains, blocks + 1).astype(np.int64)


def assemble(
    X: NDArray[np.float64], margin: NDArray[np.float64], period: NDArray[np.float64], found: Found,
    body: NDArray[np.int64] | None = None,
) -> Candidates:
    """Make candidates of the pairs that were found: where their forces go, who needs images.

    Args:
        X: (n,4) position and radius of the grains in storage order [m].
        margin: (n,) how far each grain may go before the next update [m].
        period: (3,) period of the world, 0 where there is none [m].
        found: the pairs.
        body: (n,) which body each row belongs to; pairs of one body are taken out. None: each row
            is a body of its own.
    """
    if body is not None:
        _take_out_own(body, found.block, found.first, found.size, found.begin, found.end,
                      found.owner, found.partner)
    block, first, size, begin, end, owner, partner = found
    wraps = np.zeros(len(partner), dtype=np.uint8)
    if period.any():
        _mark_wraps(X, margin, period, block, begin, end, partner, wraps)
    target, halo_begin, halo_row = halo_rows(block, first, size, partner, len(X))
    return Candidates(
        block.astype(np.uint64), begin.view(np.uint64), end.view(np.uint64),
        first[:-1].astype(np.uint64), (first[:-1] + size).astype(np.uint64),
        owner.view(np.uint32), partner.view(np.uint32), target, wraps, halo_begin, halo_row,
    )


def halo_rows(
    block: NDArray[np.int64], first: NDArray[np.int64], size: NDArray[np.int64],
    partner: NDArray[np.int32], grains: int,
) -> tuple[NDArray[np.uint32], NDArray[np.uint32], NDArray[np.uint32]]:
    """Return the force row of each partner, and where grains find their halo rows.

    Args:
        block: (blocks + 1,) a block's first grain.
        first: (blocks + 1,) a block's first slot.
        size: (blocks,) slots that it uses.
        partner: (slots,) whom it pushes.
        grains: how many there are.
    """
    words = grains // WORD + 1
    seen = np.zeros((len(size), words), dtype=np.uint64)
    before = np.empty((len(size), words), dtype=np.int32)
    outside = np.empty(len(partner), dtype=np.int32)
    number = np.zeros(len(size), dtype=np.int64)
    _list_outside(block, first, size, partner, seen, before, outside, number)
    halo_first = grains + np.concatenate(([0], np.cumsum(number)))
    target = np.empty(len(partner), dtype=np.int32)
    _make_targets(block, first, size, partner, seen, before, halo_first, target)
    halo_begin = np.zeros(grains + 1, dtype=np.int32)
    halo_row = np.empty(int(number.sum()), dtype=np.int32)
    _order_halos(first, outside, number, halo_first, halo_begin, halo_row)
    return target.view(np.uint32), halo_begin.view(np.uint32), halo_row.view(np.uint32)


@kernel
def owns(ri, i, rj, j):
    """Tell whether grain i owns the pair: the smaller one does, then the lower index."""
    return ri < rj or (ri == rj and i < j)


@kernel
def sort_row(partner, begin, end):
    """Sort one row by insertion: few grains as large as the owner or larger fit around it."""
    for k in range(begin + 1, end):
        j = partner[k]
        m = k - 1
        while m >= begin and partner[m] > j:
            partner[m + 1] = partner[m]
            m -= 1
        partner[m + 1] = j


@parallel_kernel
def _take_out_own(body, block, first, size, begin, end, owner, partner):
    """Take pairs of one body out of the rows, and close the gaps they leave."""
    for b in numba.prange(size.size):
        place = first[b]
        for i in range(block[b], block[b + 1]):
            start = place
            for k in range(begin[i], end[i]):
                if body[partner[k]] != body[i]:
                    owner[place], partner[place] = i, partner[k]
                    place += 1
            begin[i], end[i] = start, place
        size[b] = place - first[b]


@kernel
def _ones(bits):
    """Return how many bits are set: sums over 2, 4, 8 bits, then over all bytes at once."""
    bits -= (bits >> np.uint64(1)) & np.uint64(0x5555555555555555)
    twos = np.uint64(0x3333333333333333)
    bits = (bits & twos) + ((bits >> np.uint64(2)) & twos)
    bits = (bits + (bits >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return np.int64((bits * np.uint64(0x0101010101010101)) >> np.uint64(56))


@parallel_kernel
def _list_outside(block, first, size, partner, seen, before, outside, number):
    """List each block's partners in other blocks, in order, from the block's first slot on.

    A bit for every grain sorts them and finds them again: its place in the list is the number of
    bits before it, ``before`` counting those of the words before its own.
    """
    one, word = np.uint64(1), np.uint64(WORD)
    for b in numba.prange(size.size):
        for k in range(first[b], first[b] + size[b]):
            j = np.uint64(partner[k])
            if not block[b] <= partner[k] < block[b + 1]:
                seen[b, j // word] |= one << j % word
        found = first[b]
        for m in range(seen.shape[1]):
            before[b, m] = found - first[b]
            bits = seen[b, m]
            while bits:
                lower = bits & (bits - one)
                outside[found] = WORD * m + _ones((bits ^ lower) - one)
                found += 1
                bits = lower
        number[b] = found - first[b]


@parallel_kernel
def _make_targets(block, first, size, partner, seen, before, halo_first, target):
    """Give each slot the force row of its partner: its own, or one of the block's halo."""
    one, word = np.uint64(1), np.uint64(WORD)
    for b in numba.prange(size.size):
        for k in range(first[b], first[b] + size[b]):
            target[k] = partner[k]
            if not block[b] <= partner[k] < block[b + 1]:
                j = np.uint64(partner[k])
                lower = seen[b, j // word] & ((one << j % word) - one)
                target[k] = halo_first[b] + before[b, j // word] + _ones(lower)


@kernel
def _order_halos(first, outside, number, halo_first, halo_begin, halo_row):
    """List the halo rows of each grain, in the order of the blocks (a counting sort)."""
    n = halo_begin.size - 1
    for b in range(number.size):
        for h in range(number[b]):
            halo_begin[outside[first[b] + h] + 1] += 1
    for i in range(n):
        halo_begin[i + 1] += halo_begin[i]
    place = halo_begin[:n].copy()
    for b in range(number.size):
        for h in range(number[b]):
            j = outside[first[b] + h]
            halo_row[place[j]] = halo_first[b] + h
            place[j] += 1


@kernel
def _at_face(X, margin, i, L):
    """Tell whether a grain may cross a face of the periodic cell before the next update."""
    m = 2.0 * margin[i]
    at = False
    for a in range(3):
        at = at or (L[a] > 0.0 and not m < X[i, a] < L[a] - m)
    return at


@parallel_kernel
def _mark_wraps(X, margin, L, block, begin, end, partner, wraps):
    """Mark the pairs that reach across the cell's faces now, or may do so before the next update.

    For all others the nearest image is the grain itself, and the sweep need not ask.
    """
    at_face = np.empty(X.shape[0], dtype=np.bool_)
    half = np.where(L > 0.0, 0.5 * L, np.inf)
    for b in numba.prange(block.size - 1):
        for i in range(block[b], block[b + 1]):
            at_face[i] = _at_face(X, margin, i, L)
    for b in numba.prange(block.size - 1):
        for i in range(block[b], block[b + 1]):
            x, y, z, m = X[i, 0], X[i, 1], X[i, 2], 2.0 * margin[i]
            for k in range(begin[i], end[i]):
                j = partner[k]
                near = m + 2.0 * margin[j]
                far = ((abs(X[j, 0] - x) > half[0] - near) | (abs(X[j, 1] - y) > half[1] - near)
                       | (abs(X[j, 2] - z) > half[2] - near))
                wraps[k] = at_face[i] | at_face[j] | far

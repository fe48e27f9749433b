"""Facets that doubles have left in doubt, many at a time.

In a crystal they are every third. Each stage works through a list of them and leaves those that it
cannot decide to the next, without a branch, for who they are is hard to foresee:

- where coordinates have few bits, doubles are exact (`granum.geometry.short`);
- where they are rounded, pairs of doubles decide most of them, in half the time if they work on
  many facets at once (`granum.geometry.doubled`);
- ties above all are left for exact arithmetic (`granum.geometry.settle`).

A loop over one stage is much faster than all stages facet by facet: their code does not fit side
by side into the processor's nearest memory.

A list has rows (4 * cell + facet, vertex behind it). Points and weights are rows as in
`granum.geometry.planes`.
"""

from __future__ import annotations

import numpy as np

from granum.compile import inner_kernel, uncounted
from granum.geometry.doubled import LANES, doubled_lanes
from granum.geometry.integers import UNFIT
from granum.geometry.planes import gather
from granum.geometry.settle import settle_left3d
from granum.geometry.short import short_conflict3d
from granum.geometry.tetrahedra import vertices_of

BATCH = 21 * LANES  # numbers, as `doubled_lanes` wants them


@uncounted
def _vertex(rows, v):
    """Return a vertex as a tuple."""
    i = np.uint64(v + 1)
    return rows[i, 0], rows[i, 1], rows[i, 2], rows[i, 3]


@uncounted
def _keep(todo, left, k, is_open):
    """Write facet k of a list over place ``left``, and return how many are left if it stays."""
    todo[left, 0], todo[left, 1] = todo[k, 0], todo[k, 1]
    return left + int(is_open)


@uncounted
def _flag(flags, facet, is_illegal):
    flags[facet >> 2] |= int(is_illegal) << (facet & 3)


@inner_kernel
def _settle_short(V, rows, todo, number, flags):
    """Flag what doubles decide exactly; returns how many facets are left.

    If the first few all have long coordinates, so will the others.
    """
    left = 0
    for k in range(number):
        if k == left == LANES:
            return number
        facet, e = todo[k, 0], todo[k, 1]
        a, b, c, d = vertices_of(V, facet >> 2)
        found = short_conflict3d(_vertex(rows, a), _vertex(rows, b), _vertex(rows, c),
                                 _vertex(rows, d), _vertex(rows, e), a, b, c, d, e)
        _flag(flags, facet, found == 1)
        left = _keep(todo, left, k, found == UNFIT)
    return left


@inner_kernel
def _settle_doubled(V, rows, todo, number, flags):
    """Flag what pairs of doubles decide; returns how many facets are left."""
    s = np.zeros(BATCH)
    left = 0
    for begin in range(0, number, LANES):
        lanes = min(LANES, number - begin)
        for k in range(lanes):
            cell = todo[begin + k, 0] >> 2
            for i in range(4):
                gather(rows, s, i, k, V[cell, i])
            gather(rows, s, 4, k, todo[begin + k, 1])
        doubled_lanes(s)
        for k in range(lanes):
            t = s[20 * LANES + k]
            _flag(flags, todo[begin + k, 0], t > 0.0)
            left = _keep(todo, left, begin + k, t == 0.0)
    return left


@inner_kernel
def settle_facets(V, rows, todo, number, flags):
    """Flag those of the listed facets that are illegal.

    Args:
        V: the cells.
        rows: (n + 1, 4) points and weights, those of INFINITE first.
        todo: (k, 2) the list, k > ``number``; it is used up.
        number: of facets in it.
        flags: written: 1 << f for facet f of a cell.
    """
    number = _settle_short(V, rows, todo, number, flags)
    number = _settle_doubled(V, rows, todo, number, flags)
    for k in range(number):
        facet, e = todo[k, 0], todo[k, 1]
        a, b, c, d = vertices_of(V, facet >> 2)
        found = settle_left3d(_vertex(rows, a), _vertex(rows, b), _vertex(rows, c),
                              _vertex(rows, d), _vertex(rows, e), a, b, c, d, e)[0]
        _flag(flags, facet, found > 0)

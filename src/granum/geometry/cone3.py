"""The cells of a new vertex: one on every facet around the hole that it leaves in the others.

Two ways to join them to each other. Turning about the edges of the hole through the old cells needs
no memory and serves holes of any size. For a small hole, where all vertices around it have numbers
below 2^ROUND_BITS, a table of its edges is faster.
"""

from __future__ import annotations

import numpy as np

from granum.compile import inner_kernel, kernel
from granum.geometry.tetrahedra import LAST, NEW, place_of, take_cell

ROUND_BITS = 6  # a hole with up to 2^6 vertices around it is small
ROUND_MASK = 2**ROUND_BITS - 1
MOST_FACETS = 2 * 2**ROUND_BITS - 4  # of a sphere of triangles with so many vertices


@inner_kernel
def raise_cells(V, N, count, home, new, v):
    """Make a cell of v on every facet listed in ``new``.

    The conflicting cell notes the new one in place of its mate, as its complement (negative).
    """
    for k in range(count[NEW]):
        c, f = np.int64(new[k]) >> 2, np.int64(new[k]) & 3
        b = take_cell(N, count)
        for i in range(4):
            V[b, i] = V[c, i]
            N[b, i] = -1
            if i != f and V[c, i] >= 0:
                home[V[c, i]] = b
        V[b, f] = v
        mate = np.int64(N[c, f])
        N[b, f] = mate
        N[mate >> 2, mate & 3] = 4 * b + f
        N[c, f] = ~b
        home[v] = b
    count[LAST] = home[v]


@inner_kernel
def _turn(V, N, c, f, k):
    """Turn about the edge of cell c that lies in facets f and k, away from f, through old cells.

    Returns the facet, 4 * new cell + facet, of the new cell met at the other end.
    """
    while N[c, k] >= 0:
        pivot = np.int64(V[c, f])
        mate = np.int64(N[c, k])
        c = mate >> 2
        f = mate & 3
        k = place_of(V, c, pivot)
    return 4 * ~np.int64(N[c, k]) + f


@inner_kernel
def sew_cells(V, N, new, number):
    """Join the new cells to each other; the list ``new`` names the cells afterwards."""
    for j in range(number):
        c, f = np.int64(new[j]) >> 2, np.int64(new[j]) & 3
        b = ~np.int64(N[c, f])
        for k in range(4):
            if k != f and N[b, k] < 0:
                mate = _turn(V, N, c, f, k)
                N[b, k] = mate
                N[mate >> 2, mate & 3] = 4 * b + k
    for j in range(number):
        new[j] = ~N[new[j] >> 2, new[j] & 3]


@inner_kernel
def _facet_places(f):
    """Return the three places other than f, in the sense in which facet f turns."""
    odd = f & 1
    return (f + 1) & 3, (f + 2 + odd) & 3, (f + 3 - odd) & 3


@inner_kernel
def _number_of(local, u, stamp, found):
    """Return the number of vertex u among those around a hole, and how many have one then."""
    known = local[u + 1]
    is_new = known >> ROUND_BITS != stamp
    number = found if is_new else known & ROUND_MASK
    local[u + 1] = stamp << ROUND_BITS | number
    return number, found + int(is_new)


@kernel
def cone(V, N, count, home, new, v, local, table, stamp):
    """Make a cell of v on every facet listed in ``new`` and join them; the list names them then.

    What ``raise_cells`` and ``sew_cells`` do, for a small hole: its boundary is a sphere of
    triangles, and each of its edges is found by the numbers of its vertices, once in either
    direction. Numbers stand in the last bits of ``local``, behind a stamp.
    """
    found = 0
    for j in range(count[NEW]):
        c, f = np.int64(new[j]) >> 2, np.int64(new[j]) & 3
        p, q, r = _facet_places(f)
        a, b, d = np.int64(V[c, p]), np.int64(V[c, q]), np.int64(V[c, r])
        mate = np.int64(N[c, f])
        x, found = _number_of(local, a, stamp, found)
        y, found = _number_of(local, b, stamp, found)
        z, found = _number_of(local, d, stamp, found)
        cell = take_cell(N, count)
        V[cell, f], V[cell, p], V[cell, q], V[cell, r] = v, a, b, d
        N[cell, f] = mate
        N[mate >> 2, mate & 3] = 4 * cell + f
        table[y << ROUND_BITS | z] = 4 * cell + p
        table[z << ROUND_BITS | x] = 4 * cell + q
        table[x << ROUND_BITS | y] = 4 * cell + r
        for u in (a, b, d):
            if u >= 0:
                home[u] = cell
        new[j] = 4 * cell + f
    for j in range(count[NEW]):
        cell, f = np.int64(new[j]) >> 2, np.int64(new[j]) & 3
        p, q, r = _facet_places(f)
        x, y = local[V[cell, p] + 1] & ROUND_MASK, local[V[cell, q] + 1] & ROUND_MASK
        z = local[V[cell, r] + 1] & ROUND_MASK
        N[cell, p] = table[z << ROUND_BITS | y]
        N[cell, q] = table[x << ROUND_BITS | z]
        N[cell, r] = table[y << ROUND_BITS | x]
        new[j] = cell
    home[v] = new[0]
    count[LAST] = new[0]

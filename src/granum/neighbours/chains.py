"""Pairs beside a triangulation where overlaps are so deep that some of them are no edges.

Each pair that meets and is no edge shares a grain with a pair whose D = d² - R_i² - R_j² is less
and below 0, and the last of such a chain is an edge (see `triangulated` and `covered`). So chains
are followed from the grains where one can end.
"""

from __future__ import annotations

import numpy as np

from granum.compile import kernel
from granum.neighbours.near import ROUNDING, square_between


@kernel
def chained_pairs(X, body, first, L, broken):
    """Compare grains with all others, then the partners with some D <= 0, and so forth.

    Args:
        X: (k,4) centre and radius of the spheres, those of a grain after each other.
        body: (k,) the grain of each.
        first: (n + 1,) a grain's first sphere.
        L: (3,) period.
        broken: (n,) grains to begin with.

    Returns:
        (m,2) all pairs met, some more than once.
    """
    n = broken.size
    queue = np.empty(n, dtype=np.int64)
    seen = broken.copy()
    last = 0
    for b in range(n):
        if broken[b]:
            queue[last] = b
            last += 1
    pairs = np.empty((64, 2), dtype=np.int64)
    number = 0
    begin = 0
    while begin < last:
        b = queue[begin]
        begin += 1
        for i in range(first[b], first[b + 1]):
            for j in range(X.shape[0]):
                other = body[j]
                if other == b:
                    continue
                square = square_between(X, i, j, L)
                Ri, Rj = X[i, 3], X[j, 3]
                if square >= (Ri + Rj) * (Ri + Rj):
                    continue
                if number == pairs.shape[0]:
                    longer = np.empty((2 * number, 2), dtype=np.int64)
                    longer[:number] = pairs
                    pairs = longer
                pairs[number, 0], pairs[number, 1] = b, other
                number += 1
                if not seen[other] and square <= (Ri * Ri + Rj * Rj) * (1.0 + ROUNDING):
                    seen[other] = True
                    queue[last] = other
                    last += 1
    return pairs[:number]

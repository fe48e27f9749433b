"""An order of points in which neighbours in the order are neighbours in space.

Incremental construction is fast when each point is close to the one before it: the walk to its
place is short and what it touches is still in the cache. Points are sorted along a Hilbert curve
(J. Skilling, Programming the Hilbert curve, AIP Conf. Proc. 707 (2004) 381), coarse to fine in a
few rounds of growing size, so that the early triangulation already spans the whole region
(N. Amenta, S. Choi, G. Rote, Incremental constructions con BRIO, SoCG 2003). The rounds are taken
by a hash of the index, not by chance: the order depends on the points alone.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from granum.compile import inner_kernel, kernel

BITS = 16  # cells of the curve along each direction: 2^16
SHRINK = 8  # a round is so many times larger than all before it
FIRST_ROUND = 512  # points of the first round, at most about this many


@inner_kernel
def _hilbert_key(x, y, z):
    """Return the place of a cell along the Hilbert curve, from its three integer coordinates."""
    q = 1 << (BITS - 1)
    while q > 1:
        mask = q - 1
        if x & q:
            x ^= mask
        if y & q:
            x ^= mask
        else:
            swap = (x ^ y) & mask
            x ^= swap
            y ^= swap
        if z & q:
            x ^= mask
        else:
            swap = (x ^ z) & mask
            x ^= swap
            z ^= swap
        q >>= 1
    y ^= x
    z ^= y
    t = 0
    q = 1 << (BITS - 1)
    while q > 1:
        if z & q:
            t ^= q - 1
        q >>= 1
    x ^= t
    y ^= t
    z ^= t
    key = 0
    for bit in range(BITS - 1, -1, -1):
        key = (key << 3) | (((x >> bit) & 1) << 2) | (((y >> bit) & 1) << 1) | ((z >> bit) & 1)
    return key


@inner_kernel
def _hilbert_key_in_plane(x, y):
    """Return the same for two coordinates."""
    key = 0
    for bit in range(BITS - 1, -1, -1):
        u, v = (x >> bit) & 1, (y >> bit) & 1
        key = (key << 2) | ((3 * u) ^ v)
        if v == 0:  # turn the quarter, so that the curve enters it where it left the last one
            if u == 1:
                x, y = ~x, ~y
            x, y = y, x
    return key


@kernel
def _keys(points, low, scale, key):
    """Write the Hilbert key of every point, for cells of one size in all directions."""
    top = (1 << BITS) - 1
    if points.shape[1] == 2:
        for i in range(points.shape[0]):
            x = min(max(int((points[i, 0] - low[0]) * scale), 0), top)
            y = min(max(int((points[i, 1] - low[1]) * scale), 0), top)
            key[i] = _hilbert_key_in_plane(x, y)
        return
    for i in range(points.shape[0]):
        x = min(max(int((points[i, 0] - low[0]) * scale), 0), top)
        y = min(max(int((points[i, 1] - low[1]) * scale), 0), top)
        z = min(max(int((points[i, 2] - low[2]) * scale), 0), top)
        key[i] = _hilbert_key(x, y, z)


def hilbert_order(points: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return the indices of ``points`` (n,3) or (n,2) along a Hilbert curve."""
    key = np.empty(len(points), dtype=np.int64)
    if len(points) == 0:
        return key
    low = points.min(axis=0)
    extent = float((points.max(axis=0) - low).max())
    scale = ((1 << BITS) - 1) / extent if extent > 0.0 else 0.0
    _keys(points, low, scale, key)
    return np.argsort(key, kind="stable")


def in_rounds(order: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return ``order`` (n,), made by ``hilbert_order``, in rounds of growing size.

    Within a round the order is kept.
    """
    n = len(order)
    rounds = 0
    while n > FIRST_ROUND * SHRINK**rounds:
        rounds += 1
    draw = (order.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(11)
    share = draw.astype(np.float64) / 2.0**53  # in [0, 1)
    level = np.zeros(n, dtype=np.int64)
    for k in range(rounds):
        level[share >= float(SHRINK) ** (k - rounds)] = k + 1
    return order[np.argsort(level, kind="stable")]

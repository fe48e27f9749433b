"""Distances and crossings of points, segments and triangles, for whole arrays of pairs at once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from granum.checks import FloatArray, IntArray

TINY = np.finfo(np.float64).tiny
BLOCK = 1_000_000  # pairs of boxes that are compared at once


def points_to_segments(p: FloatArray, a: FloatArray, b: FloatArray) -> FloatArray:
    """Return distances from points to segments, (k,); rows (k,2) or (k,3)."""
    way = b - a
    share = ((p - a) * way).sum(axis=1) / np.maximum((way**2).sum(axis=1), TINY)
    return np.asarray(np.linalg.norm(p - a - np.clip(share, 0.0, 1.0)[:, None] * way, axis=1))


def segments_to_segments(a: FloatArray, b: FloatArray, c: FloatArray, d: FloatArray
                         ) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return distances between segments ab and cd in space, and the shares of the closest points.

    All are (k,). The closest points are an end and a foot, or both inside, where the lines are
    closest; of parallel segments one pair of them.
    """
    u, v, w = b - a, d - c, a - c
    uu, vv = (np.maximum((way * way).sum(axis=1), TINY) for way in (u, v))
    uv, uw, vw = (u * v).sum(axis=1), (u * w).sum(axis=1), (v * w).sum(axis=1)
    spread = uu * vv - uv**2
    askew = spread > 1e-14 * uu * vv
    safe = np.where(askew, spread, 1.0)
    tried = [(np.where(askew, (uv * vw - vv * uw) / safe, 0.0),
              np.where(askew, (uu * vw - uv * uw) / safe, vw / vv))]
    tried += [(np.full(len(a), end), (vw + end * uv) / vv) for end in (0.0, 1.0)]
    tried += [((end * uv - uw) / uu, np.full(len(a), end)) for end in (0.0, 1.0)]
    shares = np.clip(np.array(tried), 0.0, 1.0)  # (5,2,k)
    between = np.linalg.norm(w + shares[:, 0, :, None] * u - shares[:, 1, :, None] * v, axis=2)
    best = between.argmin(axis=0)
    k = np.arange(len(a))
    return between[best, k], shares[best, 0, k], shares[best, 1, k]


def points_to_triangles(p: FloatArray, corner: FloatArray) -> FloatArray:
    """Return distances from points (k,3) to triangles (k,3,3)."""
    a, b, c = corner[:, 0], corner[:, 1], corner[:, 2]
    n = np.cross(b - a, c - a)
    n = n / np.maximum(np.linalg.norm(n, axis=1), TINY)[:, None]
    height = ((p - a) * n).sum(axis=1)
    inside = np.ones(len(p), dtype=np.bool_)
    for first, last in ((a, b), (b, c), (c, a)):
        inside &= (np.cross(n, last - first) * (p - first)).sum(axis=1) >= 0.0
    border = np.minimum.reduce([points_to_segments(p, a, b), points_to_segments(p, b, c),
                                points_to_segments(p, c, a)])
    return np.where(inside, np.abs(height), border)


def pierced(a: FloatArray, b: FloatArray, corner: FloatArray) -> NDArray[np.bool_]:
    """Tell which segments ab go through triangles (k,3,3), not along them."""
    n = np.cross(corner[:, 1] - corner[:, 0], corner[:, 2] - corner[:, 0])
    low, high = (((x - corner[:, 0]) * n).sum(axis=1) for x in (a, b))
    through = low * high < 0.0
    share = np.where(through, low, 0.0) / np.where(through, low - high, 1.0)
    at = a + share[:, None] * (b - a)
    for k in range(3):
        side = corner[:, (k + 1) % 3] - corner[:, k]
        through &= (np.cross(n, side) * (at - corner[:, k])).sum(axis=1) > 0.0
    return np.asarray(through)


def is_inside(p: FloatArray, corner: FloatArray) -> NDArray[np.bool_]:
    """Tell which points (n,3) lie in the solid that triangles (m,3,3) close, seen from outside.

    The solid angle under which a point sees the surface is 4π inside and 0 outside
    (A. Van Oosterom and J. Strackee, IEEE Trans. Biomed. Eng. 30 (1983) 125).
    """
    arm = corner[None] - p[:, None, None]
    length = np.linalg.norm(arm, axis=3)
    a, b, c = (arm[:, :, k] for k in range(3))
    la, lb, lc = (length[:, :, k] for k in range(3))
    volume = (a * np.cross(b, c)).sum(axis=2)
    rest = (la * lb * lc + (a * b).sum(axis=2) * lc + (b * c).sum(axis=2) * la
            + (c * a).sum(axis=2) * lb)
    return np.asarray(2.0 * np.arctan2(volume, rest).sum(axis=1) > 2.0 * np.pi)


def near_boxes(low: FloatArray, high: FloatArray, other_low: FloatArray, other_high: FloatArray,
               reach: float) -> tuple[IntArray, IntArray]:
    """Return pairs of boxes, (n,3) and (m,3), that are no further apart than reach along any axis.

    Rows are looked at in blocks, so that many boxes do not fill the memory.
    """
    rows = max(1, BLOCK // max(1, len(other_low)))
    one, other = [np.zeros(0, dtype=np.int64)], [np.zeros(0, dtype=np.int64)]
    for start in range(0, len(low), rows):
        part = slice(start, start + rows)
        near = np.ones((len(low[part]), len(other_low)), dtype=np.bool_)
        for axis in range(3):
            near &= other_low[None, :, axis] - high[part, None, axis] <= reach
            near &= low[part, None, axis] - other_high[None, :, axis] <= reach
        i, j = np.nonzero(near)
        one.append(i + start)
        other.append(j)
    return np.concatenate(one), np.concatenate(other)

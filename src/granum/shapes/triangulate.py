"""Flat polygons cut into triangles, convex or not."""

from __future__ import annotations

import numpy as np

from granum.checks import FloatArray

SLACK = 1e-12  # area, as a share of the square about a polygon, that may be nothing but rounding


def normal_of(loop: FloatArray) -> FloatArray:
    """Return the normal of a polygon (n,3), as long as its area (Newell's sum)."""
    arms = loop - loop.mean(axis=0)
    return np.asarray(0.5 * np.cross(arms, np.roll(arms, -1, axis=0)).sum(axis=0))


def ears(loop: FloatArray) -> list[tuple[int, int, int]] | None:
    """Return triangles of a simple flat polygon (n,3), by numbers of its corners; None: not simple.

    The corner that can be cut off with the best triangle goes first (two ears theorem,
    G. H. Meisters, Amer. Math. Monthly 82 (1975) 648).
    """
    n = normal_of(loop)
    across = np.cross(n, np.eye(3)[int(np.abs(n).argmin())])
    flat = np.column_stack((loop @ across, loop @ np.cross(n, across) / np.linalg.norm(n)))
    slack = SLACK * float(np.ptp(flat, axis=0).max()) ** 2
    left, found = list(range(len(loop))), []
    while len(left) > 3:
        at = _best(flat, left, slack)
        at = _best(flat, left, 0.0) if at < 0 else at
        if at < 0:
            return None
        found.append((left[at - 1], left[at], left[(at + 1) % len(left)]))
        del left[at]
    last = _quality(flat, left, 1, 0.0)
    return [*found, (left[0], left[1], left[2])] if last > 0.0 else None


def _best(flat: FloatArray, left: list[int], slack: float) -> int:
    """Return which of the corners that are left makes the best ear; -1: none does."""
    best, at = 0.0, -1
    for k in range(len(left)):
        quality = _quality(flat, left, k, slack)
        if quality > best * (1.0 + 1e-9):
            best, at = quality, k
    return at


def _quality(flat: FloatArray, left: list[int], k: int, slack: float) -> float:
    """Return area over the square of the longest side of an ear; 0 or less if it is none.

    A corner that lies on the side of an ear, but for the slack, forbids it: what is left would be
    flat there.
    """
    i, j, m = left[k - 1], left[k], left[(k + 1) % len(left)]
    a, b, c = flat[i], flat[j], flat[m]
    area = float(_cross(b - a, c - a))
    if area <= slack:
        return 0.0
    p = flat[[other for other in left if other not in (i, j, m)]]
    inside = np.minimum.reduce([_cross(b - a, p - a), _cross(c - b, p - b), _cross(a - c, p - c)])
    if (inside >= -slack).any():
        return 0.0
    return area / max(float((u - v) @ (u - v)) for u, v in ((a, b), (b, c), (c, a)))


def _cross(u: FloatArray, v: FloatArray) -> FloatArray:
    return np.asarray(u[0] * v[..., 1] - u[1] * v[..., 0])

"""Outlines: closed loops and open lines of points in the plane, checked."""

from __future__ import annotations

import numpy as np

from granum.checks import FloatArray, IntArray
from granum.errors import InputError
from granum.shapes.apart import points_to_segments
from granum.shapes.skeleton import FLAT, Skeleton, pairs, straight


def area_of(loop: FloatArray) -> float:
    """Return the area that a loop (n,2) holds; negative if it runs clockwise."""
    x, y = (loop - loop.mean(axis=0)).T
    return 0.5 * float(x @ np.roll(y, -1) - y @ np.roll(x, -1))


def outline_skeleton(points: FloatArray, is_closed: bool) -> Skeleton:
    """Return the skeleton of a checked outline (n,2), counter-clockwise where it is closed."""
    size = float(np.linalg.norm(np.ptp(points, axis=0)))
    loop = is_closed and len(points) > 2
    kept = points[~straight(points, FLAT * size)] if loop else _open_corners(points, FLAT * size)
    if loop and area_of(kept) < 0.0:
        kept = kept[::-1]
    edges = [(k, k + 1) for k in range(len(kept) - 1)] + ([(len(kept) - 1, 0)] if loop else [])
    return Skeleton(np.column_stack((kept, np.zeros(len(kept)))), pairs(edges), pairs([]),
                    np.zeros((0, 3), dtype=np.int64), np.full(len(edges), loop),
                    len(kept) < 3 or (loop and bool((_turns(kept) >= 0.0).all())))


def refuse_bad_outline(name: str, points: FloatArray, is_closed: bool) -> None:
    """Refuse an outline (n,2) that has points twice, folds back, is flat, or crosses itself."""
    size = float(np.linalg.norm(np.ptp(points, axis=0)))
    apart = np.linalg.norm(points[:, None] - points[None], axis=2)
    same = np.argwhere(np.triu(apart <= FLAT * size, 1))
    if len(same):
        i, j = same[0]
        last = (f": an outline closes by itself, leave point {j} out" if is_closed
                and (i, j) == (0, len(points) - 1) else ": leave one of them out")
        message = f"{name} {i} and {j} are both at {place(points[i])}{last}"
        raise InputError(message)
    if not is_closed or len(points) < 3:
        return
    across = np.linalg.svd(points - points.mean(axis=0), compute_uv=False)[1]
    if across <= FLAT * size:
        message = (f"{name} lie on one line, from {place(points[0])} on, so they are no closed "
                   "outline: give its two ends, or closed = False")
        raise InputError(message)
    _refuse_crossing(name, points, FLAT * size)


def _open_corners(points: FloatArray, tolerance: float) -> FloatArray:
    """Return an open line without the points that lie straight between others."""
    kept = [0]
    for k in range(1, len(points) - 1):
        a, b = points[kept[-1]], points[k + 1]
        way = b - a
        share = float((points[k] - a) @ way) / max(float(way @ way), np.finfo(float).tiny)
        if not (0.0 < share < 1.0) or np.linalg.norm(points[k] - a - share * way) > tolerance:
            kept.append(k)
    return points[[*kept, len(points) - 1] if len(points) > 1 else kept]


def _turns(loop: FloatArray) -> FloatArray:
    """Return how the loop turns at each corner: greater than 0 to the left."""
    onwards = np.roll(loop, -1, axis=0) - loop
    before = np.roll(onwards, 1, axis=0)
    return np.asarray(before[:, 0] * onwards[:, 1] - before[:, 1] * onwards[:, 0])


def _refuse_crossing(name: str, loop: FloatArray, tolerance: float) -> None:
    """Refuse a loop of which two sides that are no neighbours meet, or neighbours fold."""
    n = len(loop)
    onwards = np.roll(loop, -1, axis=0) - loop
    unit = onwards / np.linalg.norm(onwards, axis=1)[:, None]
    folded = (np.roll(unit, 1, axis=0) * unit).sum(axis=1) < -1.0 + 1e-12
    if folded.any():
        k = int(np.argmax(folded))
        message = (f"{name} {k} at {place(loop[k])} is a tip without any width: the outline comes "
                   "back as it went. Leave it out, or move a neighbour aside")
        raise InputError(message)
    i, j = np.triu_indices(n, 2)
    apart = ~((i == 0) & (j == n - 1))
    i, j = i[apart], j[apart]
    meet = _meet(loop, i, j, tolerance)
    if meet.any():
        k = int(np.argmax(meet))
        message = (f"{name} make an outline that crosses or touches itself: the side from point "
                   f"{i[k]} at {place(loop[i[k]])} to {(i[k] + 1) % n} meets that from point "
                   f"{j[k]} at {place(loop[j[k]])} to {(j[k] + 1) % n}: put the points in order "
                   "around the shape, or move them apart")
        raise InputError(message)


def _meet(loop: FloatArray, i: IntArray, j: IntArray, tolerance: float) -> np.ndarray:
    """Tell which pairs of sides i and j come closer than the tolerance."""
    after = np.roll(loop, -1, axis=0)
    a, b, c, d = loop[i], after[i], loop[j], after[j]

    def side(p: FloatArray, q: FloatArray, r: FloatArray) -> FloatArray:
        u, v = q - p, r - p
        return np.asarray(u[:, 0] * v[:, 1] - u[:, 1] * v[:, 0])

    cross = (side(a, b, c) * side(a, b, d) < 0.0) & (side(c, d, a) * side(c, d, b) < 0.0)
    for p, q, r in ((a, b, c), (a, b, d), (c, d, a), (c, d, b)):
        cross |= points_to_segments(r, p, q) <= tolerance
    return np.asarray(cross)


def place(point: FloatArray) -> str:
    """Return a point for a message."""
    return "(" + ", ".join(f"{x:.4g}" for x in point) + ") m"

"""What stands in a grain's way besides other grains: the faces of a region, and walls.

Conventions: the gap of a grain is its distance from touching [m], negative where it overlaps; the
normal is a unit vector away from the obstacle. Obstacles are counted: first the faces of the region
(low and high of x, y, z), then the pieces of walls. A face that is open is at gap inf.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from granum.checks import FloatArray, IntArray
from granum.compile import kernel
from granum.walls.moving import POSE, closest_moved, nearest_moved
from granum.walls.piece import ROW

FACES = 6
Touch = tuple[float, float, float, float]


class Barriers(NamedTuple):
    """Pieces of walls, and where those are that move."""

    kind: IntArray  # (w,) kinds of the pieces
    data: FloatArray  # (w, ROW) rows of the pieces
    body: IntArray  # (w,) body of each, -1 where it is still
    pose: FloatArray  # (b, POSE) where the bodies are
    time: float  # simulated time [s]


def no_barriers() -> Barriers:
    """Return no walls at all."""
    return Barriers(np.zeros(0, dtype=np.int64), np.zeros((0, ROW)), np.zeros(0, dtype=np.int64),
                    np.zeros((0, POSE)), 0.0)


@kernel
def barrier(
    box: FloatArray, kind: IntArray, data: FloatArray, body: IntArray, pose: FloatArray,
    time: float, b: int, x: float, y: float, z: float, r: float,
) -> Touch:
    """Return gap and normal of a grain at x, y, z and barrier ``b``.

    ``box (2, 3)`` are the corners of the region [m], infinite where it has no face.
    """
    if b >= FACES:
        d, nx, ny, nz = closest_moved(kind, data, b - FACES, time, body, pose, x, y, z)
        return d - r, -nx, -ny, -nz
    axis = b // 2
    at = x if axis == 0 else (y if axis == 1 else z)
    sign = 1.0 if b % 2 == 0 else -1.0
    gap = (at - box[b % 2, axis]) * sign - r
    if axis == 0:
        return gap, sign, 0.0, 0.0
    if axis == 1:
        return gap, 0.0, sign, 0.0
    return gap, 0.0, 0.0, sign


@kernel
def least_gap(
    box: FloatArray, kind: IntArray, data: FloatArray, body: IntArray, pose: FloatArray,
    time: float, x: float, y: float, z: float, r: float,
) -> float:
    """Return the smallest gap of a grain to any barrier."""
    least = math.inf
    for b in range(FACES + kind.size):
        least = min(least, barrier(box, kind, data, body, pose, time, b, x, y, z, r)[0])
    return least


@kernel
def near_barriers(
    near: IntArray, box: FloatArray, kind: IntArray, data: FloatArray, body: IntArray,
    pose: FloatArray, time: float, x: float, y: float, z: float, r: float, reach: float,
) -> int:
    """List the barriers whose gaps are below ``reach`` [m], or may get so by going that far.

    Barrier b is listed as -1 - b; how many there are is returned.
    """
    found = 0
    for b in range(FACES + kind.size):
        if b < FACES:
            gap = barrier(box, kind, data, body, pose, time, b, x, y, z, r)[0]
        else:
            gap = nearest_moved(kind, data, b - FACES, body, pose, x, y, z) - r
        if gap < reach:
            near[found] = -1 - b
            found += 1
    return found

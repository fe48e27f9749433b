"""Where bodies of walls are at a time, and how a grain meets a wall that has moved.

The grain's centre is taken into the frame in which the wall was described, is measured there, and
the normal is turned back. Walls that are still are measured as if nothing could move.

Legend: see `table` for the rows of poses.
"""

from __future__ import annotations

import math

import numpy as np
from numba.extending import register_jitable

from granum.checks import FloatArray
from granum.compile import kernel
from granum.walls.closest import closest, nearest_possible
from granum.walls.moving.driven import DRIVEN
from granum.walls.moving.prescribed import (
    ABOUT,
    ALONG,
    CODE,
    END,
    FALL,
    FIRST,
    LINEAR,
    OMEGA,
    PATH,
    PERIOD,
    PHASE,
    RISE,
    ROTATION,
    SINE,
    SIZE,
    SPEED,
    STARTS,
    STOPS,
    TURNS,
)
from granum.walls.moving.table import (
    CENTRE,
    SHIFT,
    SPIN,
    TURN,
    TURNED,
    VELOCITY,
)
from granum.walls.piece import PLANE


@kernel
def _half_wave(t, lasts):
    """Return a rise from 0 to 1 along half a cosine that ``lasts`` so long, and its rate."""
    angle = math.pi * t / lasts
    return 0.5 * (1.0 - math.cos(angle)), 0.5 * math.pi / lasts * math.sin(angle)


@kernel
def _tap(row, t):
    """Return lift and speed of a tap at time t since its start."""
    t -= math.floor(t / row[PERIOD]) * row[PERIOD]
    if t < row[RISE]:
        share, rate = _half_wave(t, row[RISE])
        return row[SIZE] * share, row[SIZE] * rate
    if t < row[RISE] + row[FALL]:
        share, rate = _half_wave(t - row[RISE], row[FALL])
        return row[SIZE] * (1.0 - share), -row[SIZE] * rate
    return 0.0, 0.0


@kernel
def _along_path(knots, first, end, time, axis):
    """Return one coordinate of a path and its rate: a cubic between two knots."""
    low, high = first, end - 1
    while high - low > 1:
        middle = (low + high) // 2
        if knots[middle, 0] <= time:
            low = middle
        else:
            high = middle
    h = knots[high, 0] - knots[low, 0]
    s = (time - knots[low, 0]) / h
    x, y = knots[low, 1 + axis], knots[high, 1 + axis]
    m, n = h * knots[low, 4 + axis], h * knots[high, 4 + axis]
    d = y - x
    place = x + s * (m + s * ((3.0 * d - 2.0 * m - n) + s * (m + n - 2.0 * d)))
    rate = (m + s * (2.0 * (3.0 * d - 2.0 * m - n) + s * 3.0 * (m + n - 2.0 * d))) / h
    return place, rate


@kernel
def displacement(row, knots, time, axis):
    """Return displacement [m] and velocity [m/s] of one motion along x, y or z at a time [s]."""
    now = min(max(time, row[STARTS]), row[STOPS])
    t = now - row[STARTS]
    if row[CODE] == PATH:
        x, v = _along_path(knots, int(row[FIRST]), int(row[END]), now, axis)
    elif row[CODE] == SINE:
        angle = row[OMEGA] * t + row[PHASE]
        x = row[ALONG + axis] * row[SIZE] * (math.sin(angle) - math.sin(row[PHASE]))
        v = row[ALONG + axis] * row[SIZE] * row[OMEGA] * math.cos(angle)
    elif row[CODE] == LINEAR:
        x, v = row[ALONG + axis] * t, row[ALONG + axis]
    else:
        lift, speed = _tap(row, t)
        x, v = row[ALONG + axis] * lift, row[ALONG + axis] * speed
    return x, v if row[STARTS] <= time < row[STOPS] else 0.0


@kernel
def _rotated(x, y, z, ax, ay, az, c, s):
    """Return a vector turned about a unit axis by an angle of this cosine and sine (Rodrigues)."""
    along = (ax * x + ay * y + az * z) * (1.0 - c)
    return (x * c + (ay * z - az * y) * s + ax * along,
            y * c + (az * x - ax * z) * s + ay * along,
            z * c + (ax * y - ay * x) * s + az * along)


@kernel
def _turn(pose, row, time):
    """Turn a pose about an axis, and its velocities with it.

    A point that moves at V + W x y moves, seen after a turn Q about p at the rate w, at
    w x (y - p) + Q V + Q W x (y - p + Q p).
    """
    t = min(max(time, row[STARTS]), row[STOPS]) - row[STARTS]
    angle = row[SPEED] * t
    rate = row[SPEED] if row[STARTS] <= time < row[STOPS] else 0.0
    ax, ay, az = row[ALONG], row[ALONG + 1], row[ALONG + 2]
    px, py, pz = row[ABOUT], row[ABOUT + 1], row[ABOUT + 2]
    c, s = math.cos(angle), math.sin(angle)
    wx, wy, wz = rate * ax, rate * ay, rate * az
    vx, vy, vz = _rotated(pose[VELOCITY], pose[VELOCITY + 1], pose[VELOCITY + 2], ax, ay, az, c, s)
    ox, oy, oz = _rotated(pose[SPIN], pose[SPIN + 1], pose[SPIN + 2], ax, ay, az, c, s)
    qx, qy, qz = _rotated(px, py, pz, ax, ay, az, c, s)
    qx, qy, qz = qx - px, qy - py, qz - pz
    pose[VELOCITY] = vx + oy * qz - oz * qy - (wy * pz - wz * py)
    pose[VELOCITY + 1] = vy + oz * qx - ox * qz - (wz * px - wx * pz)
    pose[VELOCITY + 2] = vz + ox * qy - oy * qx - (wx * py - wy * px)
    pose[SPIN], pose[SPIN + 1], pose[SPIN + 2] = wx + ox, wy + oy, wz + oz
    if row[TURNS] == 0.0 or angle == 0.0:
        return
    for k in range(3):
        pose[TURN + k], pose[TURN + 3 + k], pose[TURN + 6 + k] = _rotated(
            pose[TURN + k], pose[TURN + 3 + k], pose[TURN + 6 + k], ax, ay, az, c, s)
    x, y, z = _rotated(pose[SHIFT] - px, pose[SHIFT + 1] - py, pose[SHIFT + 2] - pz,
                       ax, ay, az, c, s)
    pose[SHIFT], pose[SHIFT + 1], pose[SHIFT + 2] = x + px, y + py, z + pz
    pose[TURNED] = 1.0


@kernel
def set_poses(first, motion, knots, drive, state, time, pose):
    """Write the poses of all bodies at a time [s]; arguments as in `MotionTable` and `table`."""
    for b in range(pose.shape[0]):
        for k in range(pose.shape[1]):
            pose[b, k] = 1.0 if k in (TURN, TURN + 4, TURN + 8) else 0.0
        for m in range(first[b], first[b + 1]):
            if motion[m, CODE] == ROTATION:
                _turn(pose[b], motion[m], time)
        for a in range(3):
            x, v = 0.0, 0.0
            if drive[b, DRIVEN] != 0.0:
                x, v = state[b, a], state[b, 3 + a]
            for m in range(first[b], first[b + 1]):
                if motion[m, CODE] != ROTATION:
                    dx, dv = displacement(motion[m], knots, time, a)
                    x, v = x + dx, v + dv
            pose[b, SHIFT + a] += x
            pose[b, CENTRE + a] = x
            pose[b, VELOCITY + a] += v


@register_jitable
def inwards(pose, b, x, y, z):
    """Return a point in the frame in which body b was described."""
    x, y, z = x - pose[b, SHIFT], y - pose[b, SHIFT + 1], z - pose[b, SHIFT + 2]
    if pose[b, TURNED] == 0.0:
        return x, y, z
    return (pose[b, 0] * x + pose[b, 3] * y + pose[b, 6] * z,
            pose[b, 1] * x + pose[b, 4] * y + pose[b, 7] * z,
            pose[b, 2] * x + pose[b, 5] * y + pose[b, 8] * z)


@register_jitable
def outwards(pose, b, x, y, z):
    """Return where a point is in space that was described in the frame of body b."""
    if pose[b, TURNED] != 0.0:
        x, y, z = (pose[b, 0] * x + pose[b, 1] * y + pose[b, 2] * z,
                   pose[b, 3] * x + pose[b, 4] * y + pose[b, 5] * z,
                   pose[b, 6] * x + pose[b, 7] * y + pose[b, 8] * z)
    return x + pose[b, SHIFT], y + pose[b, SHIFT + 1], z + pose[b, SHIFT + 2]


@register_jitable
def closest_moved(kind, data, w, time, body, pose, x, y, z):
    """Return ``(distance, nx, ny, nz)`` as `closest` does, to a piece of a wall that may move.

    ``body`` (w,) tells the body of each piece, -1 where it is still, and ``pose`` (b, POSE) where
    the bodies are.
    """
    b = body[w]
    if b < 0:
        return closest(kind, data, w, time, x, y, z)
    x, y, z = inwards(pose, b, x, y, z)
    d, nx, ny, nz = closest(kind, data, w, time, x, y, z)
    if pose[b, TURNED] == 0.0:
        return d, nx, ny, nz
    return (d, pose[b, 0] * nx + pose[b, 1] * ny + pose[b, 2] * nz,
            pose[b, 3] * nx + pose[b, 4] * ny + pose[b, 5] * nz,
            pose[b, 6] * nx + pose[b, 7] * ny + pose[b, 8] * nz)


@register_jitable
def nearest_moved(kind, data, w, body, pose, x, y, z):
    """Return what `nearest_possible` does, for a piece of a wall that may move."""
    if body[w] >= 0:
        x, y, z = inwards(pose, body[w], x, y, z)
    return nearest_possible(kind, data, w, x, y, z)


@register_jitable
def velocity_at(pose, b, x, y, z):
    """Return the velocity [m/s] of body b at a point of space [m]."""
    x, y, z = x - pose[b, CENTRE], y - pose[b, CENTRE + 1], z - pose[b, CENTRE + 2]
    wx, wy, wz = pose[b, SPIN], pose[b, SPIN + 1], pose[b, SPIN + 2]
    return (pose[b, VELOCITY] + wy * z - wz * y,
            pose[b, VELOCITY + 1] + wz * x - wx * z,
            pose[b, VELOCITY + 2] + wx * y - wy * x)


@kernel
def way_between(kind, data, w, b, pose, other, region):
    """Return how far [m] piece w of body b may have come closer to a grain between two poses.

    ``region`` is a ball (centre, radius) that holds all grains. A distance to the piece, measured
    in the frame of the wall, changes by no more than the grain moves in that frame,

        |D(x)|,   D(x) = R' (x - t) - S' (x - u)

    with the poses (R, t) and (S, u). D is linear, and R - S has the norm of its squares over
    sqrt(2); so over the ball |D| <= |D(centre)| + radius |R - S|. An infinite plane that does not
    turn comes closer only along its normal.
    """
    if kind[w] == PLANE and pose[b, TURNED] == 0.0 and other[b, TURNED] == 0.0:
        along = 0.0
        for a in range(3):
            along += data[w, 3 + a] * (pose[b, SHIFT + a] - other[b, SHIFT + a])
        return abs(along)
    x, y, z = inwards(pose, b, region[0], region[1], region[2])
    ox, oy, oz = inwards(other, b, region[0], region[1], region[2])
    apart2 = (x - ox) ** 2 + (y - oy) ** 2 + (z - oz) ** 2
    turned2 = 0.0
    for k in range(9):
        turned2 += (pose[b, TURN + k] - other[b, TURN + k]) ** 2
    return math.sqrt(apart2) + region[3] * math.sqrt(0.5 * turned2)


def into_rest(pose: FloatArray, points: FloatArray) -> FloatArray:
    """Return points [m], (n,3), in the frame in which a body in this pose (POSE,) was described."""
    return np.asarray((points - pose[SHIFT:SHIFT + 3]) @ pose[TURN:TURN + 9].reshape(3, 3))


def moved(pose: FloatArray, points: FloatArray) -> FloatArray:
    """Return where points [m], (n,3), of the walls as described are in this pose (POSE,)."""
    return np.asarray(points @ pose[TURN:TURN + 9].reshape(3, 3).T + pose[SHIFT:SHIFT + 3])

"""Grains go down one after another as far as they can: they fall, roll over others, and rest.

A compacted sedimentation after W. M. Visscher and M. Bolsterli, Nature 239 (1972) 504, and after
L. Pournin, EPFL thesis (2005), section 5.1. Grains that have come to rest do not move again.
It is a path of steepest descent without friction or inertia; `downhill` says which way it goes.

The grain goes in steps along the tangent. After each, it is brought back to the contacts that carry
it, at the gaps that it had from them. Where a step would lead into something else, it is cut where
the grain first touches that. All gaps are measured, so no rounding adds up over a descent.

Arrays of the grid are those of `kernels`, those of walls those of `barriers`. Obstacles are entries
of the list ``near``: barrier b is -1 - b, a grain its row. The constants are lengths in units of
the grain's radius.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from granum.checks import FloatArray, IntArray
from granum.compile import kernel
from granum.world.place.barriers import FACES, barrier, least_gap, near_barriers
from granum.world.place.downhill import way_down
from granum.world.place.kernels import insert, nearest, search

TOUCH = 1e-9  # a gap below this is a contact
EXACT = 1e-10  # gaps are never below minus this, and contacts are found as closely
REACH = 1.5  # gap up to which grains are in the list
ROLL = 0.3  # longest step while rolling
FALL = 0.7  # longest step while falling
SHORTEST = 1e-11  # a step that gets shorter has come to its end; what is no contact is further
MOST_STEPS = 20_000
MOST_TOUCHED = 16


@kernel
def _measure(
    c: int, near: IntArray, grains: FloatArray, length: FloatArray, box: FloatArray,
    kind: IntArray, data: FloatArray, body: IntArray, pose: FloatArray, time: float,
    x: float, y: float, z: float, r: float,
) -> tuple[float, float, float, float]:
    """Return gap and normal of obstacle ``c``."""
    j = near[c]
    if j < 0:
        return barrier(box, kind, data, body, pose, time, -1 - j, x, y, z, r)
    dx = nearest(x - grains[j, 0], length[0])
    dy = nearest(y - grains[j, 1], length[1])
    dz = nearest(z - grains[j, 2], length[2])
    d = math.sqrt(dx * dx + dy * dy + dz * dz)
    return d - (r + grains[j, 3]), dx / d, dy / d, dz / d


@kernel
def _hold(
    carry: IntArray, held: int, keep: FloatArray, at: FloatArray, near: IntArray,
    grains: FloatArray, length: FloatArray, box: FloatArray, kind: IntArray, data: FloatArray,
    body: IntArray, pose: FloatArray, time: float, r: float,
) -> bool:
    """Bring the grain at ``at (3,)`` back to gaps ``keep`` from what carries it (Newton).

    The correction is the shortest that does it; false if it is not found.
    """
    ax = ay = az = bx = by = bz = first = second = 0.0
    for _ in range(12):
        for k in range(held):
            gap, nx, ny, nz = _measure(carry[k], near, grains, length, box, kind, data, body, pose,
                                       time, at[0], at[1], at[2], r)
            if k == 0:
                first, ax, ay, az = gap - keep[0], nx, ny, nz
            else:
                second, bx, by, bz = gap - keep[1], nx, ny, nz
        if max(abs(first), abs(second)) < 1e-3 * EXACT * r:
            return True
        if not max(abs(first), abs(second)) < r:
            return False
        if held > 1:
            c = ax * bx + ay * by + az * bz
            sine2 = 1.0 - c * c
            if sine2 < 1e-14:
                return False
            first, second = (first - c * second) / sine2, (second - c * first) / sine2
        at[0] -= first * ax + second * bx
        at[1] -= first * ay + second * by
        at[2] -= first * az + second * bz
    return False


@kernel
def _step(
    s: float, d: FloatArray, carry: IntArray, held: int, keep: FloatArray, x: FloatArray,
    at: FloatArray, near: IntArray, grains: FloatArray, length: FloatArray, box: FloatArray,
    kind: IntArray, data: FloatArray, body: IntArray, pose: FloatArray, time: float, r: float,
) -> bool:
    """Write the place after a step of length ``s`` from ``x`` into ``at``; false if none is found.

    The step is straight; then the grain is brought back to what carries it.
    """
    for a in range(3):
        at[a] = x[a] + s * d[a]
    return held == 0 or _hold(carry, held, keep, at, near, grains, length, box, kind, data, body,
                              pose, time, r)


@kernel
def _deepest(
    carry: IntArray, held: int, at: FloatArray, near: IntArray, found: int, grains: FloatArray,
    length: FloatArray, box: FloatArray, kind: IntArray, data: FloatArray, body: IntArray,
    pose: FloatArray, time: float, r: float,
) -> tuple[int, float]:
    """Return the obstacle with the smallest gap that does not carry the grain, and that gap."""
    worst, least = -1, math.inf
    for c in range(found):
        if (held > 0 and c == carry[0]) or (held > 1 and c == carry[1]):
            continue
        gap = _measure(c, near, grains, length, box, kind, data, body, pose, time,
                       at[0], at[1], at[2], r)[0]
        if gap < least:
            worst, least = c, gap
    return worst, least


@kernel
def _cut(
    s: float, c: int, d: FloatArray, carry: IntArray, held: int, keep: FloatArray, x: FloatArray,
    at: FloatArray, near: IntArray, grains: FloatArray, length: FloatArray, box: FloatArray,
    kind: IntArray, data: FloatArray, body: IntArray, pose: FloatArray, time: float, r: float,
) -> float:
    """Return the length of the step after which obstacle ``c`` is touched (regula falsi, Illinois).

    At the end of the step ``s`` it is overlapped. If it is touched already, the answer is s / 2.
    """
    low, high = 0.0, s
    before = _measure(c, near, grains, length, box, kind, data, body, pose, time,
                      x[0], x[1], x[2], r)[0]
    after = _measure(c, near, grains, length, box, kind, data, body, pose, time,
                     at[0], at[1], at[2], r)[0]
    if before <= EXACT * r or not before < math.inf:
        return 0.5 * s
    side = 0
    for _ in range(60):
        middle = (low * after - high * before) / (after - before)
        if not _step(middle, d, carry, held, keep, x, at, near, grains, length, box, kind, data,
                     body, pose, time, r):
            return 0.5 * middle
        gap = _measure(c, near, grains, length, box, kind, data, body, pose, time,
                       at[0], at[1], at[2], r)[0]
        if abs(gap) <= 0.5 * EXACT * r:
            return middle
        if gap > 0.0:
            low, before = middle, gap
            if side == 1:
                after *= 0.5
            side = 1
        else:
            high, after = middle, gap
            if side == -1:
                before *= 0.5
            side = -1
    return low


@kernel
def _clear_below(
    near: IntArray, found: int, grains: FloatArray, length: FloatArray, up: int, x: FloatArray,
    r: float, most: float,
) -> float:
    """Return how far the grain falls before it meets a grain of the list, at most ``most`` [m]."""
    for k in range(found):
        j = near[k]
        if j < 0:
            continue
        over = nearest(x[up] - grains[j, up], length[up])
        aside2 = 0.0
        for a in range(3):
            if a != up:
                off = nearest(x[a] - grains[j, a], length[a])
                aside2 += off * off
        reach = r + grains[j, 3]
        if over > 0.0 and aside2 < reach * reach:
            most = min(most, max(over - math.sqrt(reach * reach - aside2), 0.0))
    return most


@kernel
def _look(
    x: FloatArray, r: float, up: int, near: IntArray, found: int, normal: FloatArray,
    touching: IntArray, grains: FloatArray, length: FloatArray, box: FloatArray, kind: IntArray,
    data: FloatArray, body: IntArray, pose: FloatArray, time: float,
) -> tuple[int, float]:
    """Write the normals of all obstacles, and which of them are touched.

    Returns:
        How many are touched, and how far the nearest barrier is that may stop a fall [m].
    """
    m, wall = 0, math.inf
    for c in range(found):
        gap, nx, ny, nz = _measure(c, near, grains, length, box, kind, data, body, pose, time,
                                   x[0], x[1], x[2], r)
        normal[c, 0], normal[c, 1], normal[c, 2] = nx, ny, nz
        is_touched = gap < TOUCH * r
        if is_touched and m < touching.size:
            touching[m] = c
            m += 1
        if near[c] < 0 and not (is_touched and normal[c, up] >= 0.0):
            wall = min(wall, gap)
    return m, wall


@kernel
def _go(
    s: float, up: int, d: FloatArray, carry: IntArray, held: int, keep: FloatArray, x: FloatArray,
    at: FloatArray, near: IntArray, found: int, grains: FloatArray, length: FloatArray,
    box: FloatArray, kind: IntArray, data: FloatArray, body: IntArray, pose: FloatArray,
    time: float, r: float,
) -> bool:
    """Go a step of at most ``s`` downhill from ``x`` to ``at``; false if it gets no lower."""
    for k in range(held):
        keep[k] = _measure(carry[k], near, grains, length, box, kind, data, body, pose, time,
                           x[0], x[1], x[2], r)[0]
    while s > SHORTEST * r:
        if not _step(s, d, carry, held, keep, x, at, near, grains, length, box, kind, data,
                     body, pose, time, r):
            s *= 0.5
            continue
        c, gap = _deepest(carry, held, at, near, found, grains, length, box, kind, data, body,
                          pose, time, r)
        if gap < -EXACT * r:
            s = _cut(s, c, d, carry, held, keep, x, at, near, grains, length, box, kind, data,
                     body, pose, time, r)
        elif at[up] < x[up]:
            return True
        else:
            s *= 0.5
    return False


@kernel
def _descend(
    r: float, up: int, place: FloatArray, keep: FloatArray, touching: IntArray, carry: IntArray,
    near: IntArray, normal: FloatArray, grains: FloatArray, slots: IntArray, head: IntArray,
    levels: FloatArray, counts: IntArray, length: FloatArray, box: FloatArray, kind: IntArray,
    data: FloatArray, body: IntArray, pose: FloatArray, time: float,
) -> bool:
    """Let the grain at ``place[0]`` go down until it rests; the other arrays are scratch."""
    x, at, listed, d = place[0], place[1], place[2], place[3]
    found = -1
    for _ in range(MOST_STEPS):
        moved2 = 0.0
        for a in range(3):
            moved2 += (x[a] - listed[a]) * (x[a] - listed[a])
        if found < 0 or moved2 > (REACH - FALL) * (REACH - FALL) * r * r:
            found = near_barriers(near, box, kind, data, body, pose, time, x[0], x[1], x[2], r,
                                  REACH * r)
            found += search(grains, slots, head, levels, counts, length, 0, -1, x[0], x[1], x[2],
                            (1.0 + REACH) * r, near.size + 1, near[found:])
            for a in range(3):
                listed[a] = x[a]
        m, wall = _look(x, r, up, near, found, normal, touching, grains, length, box, kind, data,
                        body, pose, time)
        held = way_down(normal, touching, m, up, d, carry)
        if held < 0:
            return True
        s = ROLL * r
        if held == 0:
            s = _clear_below(near, found, grains, length, up, x, r, min(max(s, wall), FALL * r))
        if not _go(s, up, d, carry, held, keep, x, at, near, found, grains, length, box, kind,
                   data, body, pose, time, r):
            return True
        for a in range(3):
            x[a] = at[a]
    return False


@kernel
def _lift(
    x: FloatArray, r: float, up: int, near: IntArray, grains: FloatArray, slots: IntArray,
    head: IntArray, levels: FloatArray, counts: IntArray, length: FloatArray, box: FloatArray,
    kind: IntArray, data: FloatArray, body: IntArray, pose: FloatArray, time: float,
) -> bool:
    """Raise the grain at ``x (3,)`` until it overlaps no other; false if a wall is in the way."""
    start = x[up]
    while True:
        found = search(grains, slots, head, levels, counts, length, 0, -1, x[0], x[1], x[2], r,
                       near.size + 1, near)
        if found == 0:
            break
        top = x[up]
        for k in range(found):
            j = near[k]
            aside2 = 0.0
            for a in range(3):
                if a != up:
                    off = nearest(x[a] - grains[j, a], length[a])
                    aside2 += off * off
            reach = (1.0 + EXACT) * (r + grains[j, 3])
            over = nearest(x[up] - grains[j, up], length[up])
            top = max(top, x[up] - over + math.sqrt(max(reach * reach - aside2, 0.0)))
        if not top > x[up]:
            return False
        x[up] = top
        if top > box[1, up] - r:
            return False
    at = start
    while at < x[up]:
        at = min(at + 0.5 * r, x[up])
        px, py, pz = x[0], at if up == 1 else x[1], at if up == 2 else x[2]
        if least_gap(box, kind, data, body, pose, time, px, py, pz, r) < -EXACT * r:
            return False
    return True


@kernel
def lower_in_turn(
    grains: FloatArray, slots: IntArray, head: IntArray, levels: FloatArray, counts: IntArray,
    length: FloatArray, smallest: float, n: int, box: FloatArray, kind: IntArray,
    data: FloatArray, body: IntArray, pose: FloatArray, time: float, up: int,
    points: FloatArray, radii: FloatArray, rests: NDArray[np.bool_],
) -> int:
    """Lower grains in turn from ``points (m, 3)``, which become the places where they rest.

    ``rests (m,)`` receives which of them found a place; the others are left out. Row ``n`` of the
    grid is the first that is free; the number of rows in the grid is returned.
    """
    near = np.empty(FACES + kind.size + grains.shape[0], np.int64)
    normal = np.zeros((near.size, 3))
    place = np.zeros((4, 3))
    keep = np.zeros(2)
    touching = np.zeros(MOST_TOUCHED, np.int64)
    carry = np.zeros(2, np.int64)
    x = place[0]
    for i in range(radii.size):
        for a in range(3):
            x[a] = points[i, a]
        r = radii[i]
        rests[i] = _lift(
            x, r, up, near, grains, slots, head, levels, counts, length, box, kind, data, body,
            pose, time,
        ) and _descend(
            r, up, place, keep, touching, carry, near, normal, grains, slots, head, levels, counts,
            length, box, kind, data, body, pose, time)
        if not rests[i]:
            continue
        for a in range(3):
            if length[a] > 0.0:
                x[a] -= length[a] * math.floor(x[a] / length[a])
                if x[a] >= length[a]:
                    x[a] = 0.0
            points[i, a] = x[a]
        insert(grains, slots, head, levels, counts, smallest, n, x[0], x[1], x[2], r)
        n += 1
    return n

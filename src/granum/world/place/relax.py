"""Pushing grains apart that overlap: the energy of all overlaps goes downhill.

The energy is that of springs, E = sum over pairs of (r_i + r_j - d_ij)^2 / 2 where they overlap,
and of (r_i - d)^2 / 2 at walls. Time and mass have no unit here: the inertia of a grain is
(r_i / smallest)^2, so that large grains, which touch many others, are not thrown about. The motion
is brought to rest by the fast inertial relaxation engine (FIRE) of E. Bitzek et al., Phys. Rev.
Lett. 97 (2006) 170201, with its parameters.

Arrays: points (n, 3) and radii (n,) [m]; ease (n,), the inverse of the inertia, 0 for a grain that
stays where it is; speed, push (n, 3); pairs (m, 2); at_wall (k, 2): grain and barrier.
"""

from __future__ import annotations

import math

import numpy as np

from granum.checks import FloatArray, IntArray
from granum.compile import kernel
from granum.world.place.barriers import FACES, barrier, near_barriers
from granum.world.place.kernels import nearest

CLEAR, MOVED, STUCK, TIRED = 0, 1, 2, 3  # how a stretch of relaxation ends
LONGEST, BEGIN = 0.4, 0.1  # time step, where springs and the lightest inertia are 1
FASTER, SLOWER, FORGET, MIX, PATIENCE = 1.1, 0.5, 0.99, 0.1, 5
BALANCED = 1e-3  # of the largest overlap: with net forces below, nothing will move any more


@kernel
def list_barriers(
    points: FloatArray, radii: FloatArray, skin: float, box: FloatArray, kind: IntArray,
    data: FloatArray, body: IntArray, pose: FloatArray, time: float, out: IntArray,
) -> int:
    """List grains and barriers closer than ``skin`` radii in ``out (m, 2)``; return how many."""
    near = np.empty(FACES + kind.size, np.int64)
    found = 0
    for i in range(radii.size):
        here = near_barriers(near, box, kind, data, body, pose, time, points[i, 0], points[i, 1],
                             points[i, 2], radii[i], skin * radii[i])
        for k in range(here):
            if found < out.shape[0]:
                out[found, 0], out[found, 1] = i, -1 - near[k]
            found += 1
    return found


@kernel
def _push(
    points: FloatArray, radii: FloatArray, true: float, pairs: IntArray, at_wall: IntArray,
    length: FloatArray, box: FloatArray, kind: IntArray, data: FloatArray, body: IntArray,
    pose: FloatArray, time: float, push: FloatArray,
) -> tuple[float, float]:
    """Write the forces of all overlaps into ``push``.

    Returns:
        The largest overlap [m], and the largest as a share of the smaller radius if all radii were
        ``true`` times as large.
    """
    deepest, share = 0.0, -math.inf
    for i in range(radii.size):
        push[i, 0] = push[i, 1] = push[i, 2] = 0.0
    for k in range(pairs.shape[0]):
        i, j = pairs[k, 0], pairs[k, 1]
        dx = nearest(points[i, 0] - points[j, 0], length[0])
        dy = nearest(points[i, 1] - points[j, 1], length[1])
        dz = nearest(points[i, 2] - points[j, 2], length[2])
        reach = radii[i] + radii[j]
        d2 = dx * dx + dy * dy + dz * dz
        if d2 >= reach * reach or d2 == 0.0:
            continue
        d = math.sqrt(d2)
        depth = reach - d
        deepest = max(deepest, depth)
        share = max(share, (true * reach - d) / (true * min(radii[i], radii[j])))
        fx, fy, fz = depth * dx / d, depth * dy / d, depth * dz / d
        push[i, 0] += fx
        push[i, 1] += fy
        push[i, 2] += fz
        push[j, 0] -= fx
        push[j, 1] -= fy
        push[j, 2] -= fz
    for k in range(at_wall.shape[0]):
        i = at_wall[k, 0]
        r = radii[i]
        gap, nx, ny, nz = barrier(box, kind, data, body, pose, time, at_wall[k, 1],
                                  points[i, 0], points[i, 1], points[i, 2], r)
        if gap < 0.0:
            deepest = max(deepest, -gap)
            share = max(share, (true * r - (gap + r)) / (true * r))
            push[i, 0] -= gap * nx
            push[i, 1] -= gap * ny
            push[i, 2] -= gap * nz
    return deepest, share


@kernel
def relax(
    points: FloatArray, radii: FloatArray, ease: FloatArray, true: float, goal: float,
    skin: float, pairs: IntArray, at_wall: IntArray, length: FloatArray, box: FloatArray,
    kind: IntArray, data: FloatArray, body: IntArray, pose: FloatArray, time: float,
    speed: FloatArray, state: FloatArray, steps: int,
) -> tuple[int, int, float]:
    """Push overlapping grains apart until it is enough.

    ``state`` holds what the method remembers between two calls: time step, mixing, and how many
    steps went downhill in turn.

    Returns:
        ``CLEAR``: with ``true`` times these radii no overlap is larger than ``goal``;
        ``MOVED``: some grain has gone further than ``skin`` radii, find the pairs anew;
        ``STUCK``: all forces are balanced; ``TIRED``: so many ``steps`` are done. Then the steps
        done, and the largest overlap as a share of the smaller radius.
    """
    n = radii.size
    push = np.empty((n, 3))
    start = points.copy()
    share = math.inf
    for step in range(steps):
        deepest, share = _push(points, radii, true, pairs, at_wall, length, box, kind, data, body,
                               pose, time, push)
        if share <= goal:
            return CLEAR, step, share
        power, push2, speed2, largest = 0.0, 0.0, 0.0, 0.0
        for i in range(n):
            if ease[i] == 0.0:
                continue
            f2 = push[i, 0] ** 2 + push[i, 1] ** 2 + push[i, 2] ** 2
            largest = max(largest, f2)
            push2 += f2
            speed2 += speed[i, 0] ** 2 + speed[i, 1] ** 2 + speed[i, 2] ** 2
            power += (push[i, 0] * speed[i, 0] + push[i, 1] * speed[i, 1]
                      + push[i, 2] * speed[i, 2])
        if largest <= (BALANCED * deepest) ** 2:
            return STUCK, step, share
        if power > 0.0:
            mix = state[1]
            along = mix * math.sqrt(speed2 / push2)
            for i in range(n):
                for a in range(3):
                    speed[i, a] = (1.0 - mix) * speed[i, a] + along * push[i, a]
            state[2] += 1.0
            if state[2] > PATIENCE:
                state[0] = min(FASTER * state[0], LONGEST)
                state[1] *= FORGET
        else:
            for i in range(n):
                speed[i, 0] = speed[i, 1] = speed[i, 2] = 0.0
            state[0] *= SLOWER
            state[1], state[2] = MIX, 0.0
        far = False
        for i in range(n):
            if ease[i] == 0.0:
                continue
            moved2 = 0.0
            for a in range(3):
                speed[i, a] += state[0] * ease[i] * push[i, a]
                points[i, a] += state[0] * speed[i, a]
                moved2 += (points[i, a] - start[i, a]) ** 2
            if moved2 > (skin * radii[i]) ** 2:
                far = True
        if far:
            return MOVED, step + 1, share
    return TIRED, steps, share

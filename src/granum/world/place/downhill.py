"""Which way a grain goes down among what it touches, without friction.

Legend: n_c unit normals away from what is touched, e = (0, 0, -1) down (in 2D along -y), d the
velocity of the steepest descent. It is the projection of e on the directions that go into nothing,

    d = argmin |d - e|,  d . n_c >= 0 for all c;   d = e + sum_c lambda_c n_c,  lambda_c >= 0.

The contacts with lambda_c > 0 carry the grain: it rolls over them. There is one projection only, so
if neither one contact nor two give it, three do, and then d = 0. There the grain rests: the
vertical through its centre meets the triangle of the three points where it is carried (on a flat
floor, the one point).
"""

from __future__ import annotations

import math

from granum.checks import FloatArray, IntArray
from granum.compile import kernel

INTO = 1e-9  # of the speed: less does not count as going into something,
NOISE = 1e-15  # nor does what may be rounding
FLAT = 1e-12  # squared sines below this are those of parallel normals
STILL = 1e-10  # a descent that is less steep is none


@kernel
def _goes_into(normal: FloatArray, touching: IntArray, m: int, d: FloatArray) -> bool:
    """Tell whether the direction d leads into anything that is touched."""
    speed = math.sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2])
    for k in range(m):
        c = touching[k]
        if d[0] * normal[c, 0] + d[1] * normal[c, 1] + d[2] * normal[c, 2] < -INTO * speed - NOISE:
            return True
    return False


@kernel
def _along_one(normal: FloatArray, a: int, up: int, d: FloatArray) -> bool:
    """Write the way down over contact a alone; false if it does not carry."""
    load = normal[a, up]
    for k in range(3):
        d[k] = load * normal[a, k]
    d[up] -= 1.0
    return load > 0.0


@kernel
def _along_two(normal: FloatArray, a: int, b: int, up: int, d: FloatArray) -> bool:
    """Write the way down over contacts a and b; false if one of them does not carry."""
    c = (normal[a, 0] * normal[b, 0] + normal[a, 1] * normal[b, 1] + normal[a, 2] * normal[b, 2])
    sine2 = 1.0 - c * c
    if sine2 < FLAT:
        return False
    p, q = normal[a, up], normal[b, up]
    first, second = (p - c * q) / sine2, (q - c * p) / sine2
    for k in range(3):
        d[k] = first * normal[a, k] + second * normal[b, k]
    d[up] -= 1.0
    return first > 0.0 and second > 0.0


@kernel
def way_down(
    normal: FloatArray, touching: IntArray, m: int, up: int, d: FloatArray, carry: IntArray,
) -> int:
    """Write the way down (a unit vector) into ``d (3,)`` and what carries into ``carry (2,)``.

    Args:
        normal: of all obstacles, (k, 3).
        touching: rows of those that are touched, the first ``m`` count.
        m: how many.
        up: the vertical axis.
        d: receives the direction.
        carry: receives rows of contacts that carry the grain on its way.

    Returns:
        How many contacts carry it on its way, 0 to 2; -1 if it rests.
    """
    found = -1
    d[0] = d[1] = d[2] = 0.0
    d[up] = -1.0
    if not _goes_into(normal, touching, m, d):
        return 0
    for i in range(m):
        if _along_one(normal, touching[i], up, d) and not _goes_into(normal, touching, m, d):
            carry[0] = touching[i]
            found = 1
            break
    if found < 0:
        for i in range(m):
            for j in range(i):
                if (found < 0 and _along_two(normal, touching[i], touching[j], up, d)
                        and not _goes_into(normal, touching, m, d)):
                    carry[0], carry[1] = touching[i], touching[j]
                    found = 2
            if found > 0:
                break
    if found < 0:
        return -1
    steep = math.sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2])
    if steep < STILL:
        return -1
    for k in range(3):
        d[k] /= steep
    return found

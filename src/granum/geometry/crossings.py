"""Where an edge goes through a triangle, or through another edge in the plane; on numbers alone.

An edge goes through if its ends are on different sides, and the point between them where it changes
sides belongs to the triangle, its border included. So

- an edge beside a triangle, in its plane, does not go through: on which sides its ends are may be a
  matter of rounding, but the point between them is beside the triangle, too;
- no edge slips through between two triangles that share a side.

Points are tuples (x, y, z); in the plane z does not count.
"""

from __future__ import annotations

import math

from numba.extending import register_jitable

from granum.geometry.simplices import Vector, between, cross, dot, less

BORDER = 1e-9  # of a side: how far beyond it a point still belongs to it


@register_jitable
def through_triangle(a: Vector, b: Vector, x: Vector, y: Vector, z: Vector) -> float:
    """Return the share of the way from a to b at which it goes through xyz; -1 if nowhere."""
    n = cross(less(y, x), less(z, x))
    low, high = dot(less(a, x), n), dot(less(b, x), n)
    if low * high >= 0.0:
        return -1.0
    t = low / (low - high)
    at = between(a, b, t)
    length = math.sqrt(dot(n, n))
    if (_is_within(at, x, y, n, length) and _is_within(at, y, z, n, length)
            and _is_within(at, z, x, n, length)):
        return t
    return -1.0


@register_jitable
def through_edge(a: Vector, b: Vector, c: Vector, d: Vector) -> float:
    """Return the share of the way from a to b at which it crosses cd in the plane; -1: nowhere."""
    u = less(d, c)
    n = (-u[1], u[0], 0.0)
    low, high = dot(less(a, c), n), dot(less(b, c), n)
    if low * high >= 0.0:
        return -1.0
    t = low / (low - high)
    along, square = dot(less(between(a, b, t), c), u), dot(u, u)
    return t if -BORDER * square <= along <= (1.0 + BORDER) * square else -1.0


@register_jitable
def _is_within(at: Vector, p: Vector, q: Vector, n: Vector, length: float) -> bool:
    """Tell whether a point is on the inner side of pq, or on it."""
    side = less(q, p)
    return dot(cross(n, side), less(at, p)) >= -BORDER * length * dot(side, side)

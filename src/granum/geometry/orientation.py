"""On which side: the exact sign of the area of a triangle and of the volume of a tetrahedron.

Two forms of each: for indices into an array of points, and for vertices as tuples (x, y, z, w).
"""

from __future__ import annotations

from granum.checks import FloatArray
from granum.compile import kernel
from granum.geometry.doubled import doubled_orient3d
from granum.geometry.estimates import (
    ORIENT_2D,
    ORIENT_3D,
    estimate_orient2d,
    estimate_orient3d,
    sign,
)
from granum.geometry.exact import exact_orient2d, exact_orient3d
from granum.geometry.integers import UNFIT, integer_orient3d
from granum.geometry.short import short_orient3d

Vertex = tuple[float, float, float, float]


@kernel
def turn(A: Vertex, B: Vertex, C: Vertex) -> int:
    """Return `orient2d` of vertices as seen along z: the sign of [AB] from C."""
    t, m = estimate_orient2d(A, B, C)
    if abs(t) > ORIENT_2D * m or m == 0.0:
        return sign(t)
    return exact_orient2d(A, B, C)


@kernel
def volume(A: Vertex, B: Vertex, C: Vertex, D: Vertex) -> int:
    """Return `orient3d` of vertices: the sign of -[ABC] from D."""
    t, m = estimate_orient3d(A, B, C, D)
    if abs(t) > ORIENT_3D * m or m == 0.0:
        return -sign(t)
    found = short_orient3d(A, B, C, D)
    if found == UNFIT:
        found = doubled_orient3d(A, B, C, D)
    if found == UNFIT:
        found = integer_orient3d(A, B, C, D)
    if found == UNFIT:
        found = exact_orient3d(A, B, C, D)
    return -found


@kernel
def orient2d(p: FloatArray, a: int, b: int, c: int) -> int:
    """Return the sign of det[b - a; c - a]: 1 for a left turn, 0 for points on one line.

    Args:
        p: points, (n, 2).
        a: a vertex, as are b and c.
        b: the next.
        c: the last.
    """
    return turn((p[a, 0], p[a, 1], 0.0, 0.0), (p[b, 0], p[b, 1], 0.0, 0.0),
                (p[c, 0], p[c, 1], 0.0, 0.0))


@kernel
def orient3d(p: FloatArray, a: int, b: int, c: int, d: int) -> int:
    """Return the sign of det[b - a; c - a; d - a]: 0 for points in one plane.

    It is 1 if a is the origin and b, c, d are the unit points along x, y and z.

    Args:
        p: points, (n, 3).
        a: a vertex, as are b, c and d.
        b: the next.
        c: the next.
        d: the last.
    """
    return volume((p[a, 0], p[a, 1], p[a, 2], 0.0), (p[b, 0], p[b, 1], p[b, 2], 0.0),
                  (p[c, 0], p[c, 1], p[c, 2], 0.0), (p[d, 0], p[d, 1], p[d, 2], 0.0))

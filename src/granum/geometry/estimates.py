"""The determinants of the predicates in doubles, with proven bounds of their rounding errors.

Legend: A, B, ... vertices (x, y, z, w), E the last, whose differences from the others make the rows
of the determinants [AB], [ABC]; (ax, ay, az, aw) = A - E, each computed with one rounding; a2 =
ax^2 + ay^2 + az^2; h_a = a2 - aw the lift. t the determinant; m the product of the largest absolute
values of its columns (of the column of lifts: a2 + |aw|).

Let u = 2^-53. Along its longest path an entry of t meets k roundings, each a factor within 1 -+ u.
So t errs by at most (1 + u)^k - 1 times the sum of the absolute values of its N terms before any
cancellation, and that sum is at most N times the exact product of the largest entries, of which m
itself misses at most a factor (1 - u)^12: nine or fewer roundings of its entries, and three
products. As k <= 18 everywhere, all effects of second order are below u, and |t - exact| <=
(k + 1) N u m. This is the way of Shewchuk, Discrete Comput. Geom. 18 (1997) 305, with column maxima
for his permanent: looser by a small factor, a third faster.

What            Roundings                                                         k    N
orient2d        differences 2, product 1, sum 1                                   4    2
orient3d        minor as above 4, third factor 1, product 1, sums 2               8    6
conflict2d      lift 6 (differences 2, square 1, sums 2, weight 1), minor 4,
                product 1, sums 2                                                13    6
conflict3d      lift 6, triple product 8, product 1, sums 2                      17   24

In a lift the weights meet 2 roundings only. If m is zero, so is one column, and t is exact.

The estimates are written into the kernels that use them, for a call would take a third of their
time; these must be exact kernels.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import numpy as np
from numba.extending import overload

from granum.checks import FloatArray
from granum.compile import inner_kernel, kernel

Place = tuple[float, float, float]
Vertex = tuple[float, float, float, float]
Estimate = tuple[float, float]
Sides = tuple[float, float, float, float, float]

Numbers = TypeVar("Numbers")

U = 2.0**-53
ORIENT_2D = 5 * 2 * U
ORIENT_3D = 9 * 6 * U
CONFLICT_2D = 14 * 6 * U
CONFLICT_3D = 18 * 24 * U


def written_out(function: Callable[..., Numbers]) -> Callable[..., Numbers]:
    """Let kernels take in the text of a function instead of calling it."""
    overload(function, inline="always", strict=False)(lambda *_: function)
    return function


@kernel
def sign(t: float) -> int:
    """Return -1, 0 or 1; without a branch, for the sign of a determinant is hard to foresee."""
    return int(t > 0.0) - int(t < 0.0)


@inner_kernel
def vertex_row(p: FloatArray, w: FloatArray, v: int) -> Vertex:
    """Return vertex v, not negative, as a tuple: an unsigned index spares the test for that."""
    i = np.uint64(v)
    return p[i, 0], p[i, 1], p[i, 2], w[i]


@inner_kernel
def place_row(p: FloatArray, v: int) -> Place:
    """Return the same without the weight."""
    i = np.uint64(v)
    return p[i, 0], p[i, 1], p[i, 2]


@written_out
def estimate_orient2d(A: Vertex, B: Vertex, E: Vertex) -> Estimate:
    """Return t = [AB] and m."""
    ex, ey = E[0], E[1]
    ax, ay = A[0] - ex, A[1] - ey
    bx, by = B[0] - ex, B[1] - ey
    return ax * by - ay * bx, max(abs(ax), abs(bx)) * max(abs(ay), abs(by))


@written_out
def estimate_orient3d(A: Vertex, B: Vertex, C: Vertex, E: Vertex) -> Estimate:
    """Return t = [ABC] and m."""
    ex, ey, ez = E[0], E[1], E[2]
    ax, ay, az = A[0] - ex, A[1] - ey, A[2] - ez
    bx, by, bz = B[0] - ex, B[1] - ey, B[2] - ez
    cx, cy, cz = C[0] - ex, C[1] - ey, C[2] - ez
    t = az * (bx * cy - by * cx) - bz * (ax * cy - ay * cx) + cz * (ax * by - ay * bx)
    x, y = max(abs(ax), abs(bx), abs(cx)), max(abs(ay), abs(by), abs(cy))
    return t, x * y * max(abs(az), abs(bz), abs(cz))


@written_out
def quick_conflict3d(A: Vertex, B: Vertex, C: Vertex, D: Vertex, E: Vertex) -> Estimate:
    """Return t of ``estimate_conflict3d`` and a bound of the square of its error.

    Cheaper, and looser: with s = a2 + b2 + c2 + d2, no coordinate is above sqrt(s) and no lift
    above h = s + |aw| + ..., so m <= sqrt(s)^3 h. The constant takes over where that underflows.
    """
    ex, ey, ez, ew = E
    ax, ay, az = A[0] - ex, A[1] - ey, A[2] - ez
    bx, by, bz = B[0] - ex, B[1] - ey, B[2] - ez
    cx, cy, cz = C[0] - ex, C[1] - ey, C[2] - ez
    dx, dy, dz = D[0] - ex, D[1] - ey, D[2] - ez
    aw, bw = A[3] - ew, B[3] - ew
    cw, dw = C[3] - ew, D[3] - ew
    ab, ac, ad = ax * by - ay * bx, ax * cy - ay * cx, ax * dy - ay * dx
    bc, bd, cd = bx * cy - by * cx, bx * dy - by * dx, cx * dy - cy * dx
    a2, b2 = ax * ax + ay * ay + az * az, bx * bx + by * by + bz * bz
    c2, d2 = cx * cx + cy * cy + cz * cz, dx * dx + dy * dy + dz * dz
    t = (((a2 - aw) * (bc * dz - bd * cz + cd * bz) - (b2 - bw) * (ac * dz - ad * cz + cd * az))
         + ((c2 - cw) * (ab * dz - ad * bz + bd * az) - (d2 - dw) * (ab * cz - ac * bz + bc * az)))
    s = (a2 + b2) + (c2 + d2)
    h = CONFLICT_3D * (s + ((abs(aw) + abs(bw)) + (abs(cw) + abs(dw))))
    return t, 1.0001 * (s * (s * (h * (s * h)))) + 1e-290


@written_out
def estimate_sides(
    A: Place | Vertex, B: Place | Vertex, C: Place | Vertex, D: Place | Vertex, E: Place | Vertex
) -> Sides:
    """Return the orientations of ABCD with E in place of A, B, C, D, and an m for all four."""
    ex, ey, ez = E[0], E[1], E[2]
    ax, ay, az = A[0] - ex, A[1] - ey, A[2] - ez
    bx, by, bz = B[0] - ex, B[1] - ey, B[2] - ez
    cx, cy, cz = C[0] - ex, C[1] - ey, C[2] - ez
    dx, dy, dz = D[0] - ex, D[1] - ey, D[2] - ez
    ab, ac, ad = ax * by - ay * bx, ax * cy - ay * cx, ax * dy - ay * dx
    bc, bd, cd = bx * cy - by * cx, bx * dy - by * dx, cx * dy - cy * dx
    x, y = max(abs(ax), abs(bx), abs(cx), abs(dx)), max(abs(ay), abs(by), abs(cy), abs(dy))
    return (bz * cd - cz * bd + dz * bc, -(az * cd - cz * ad + dz * ac),
            az * bd - bz * ad + dz * ab, -(az * bc - bz * ac + cz * ab),
            x * y * max(abs(az), abs(bz), abs(cz), abs(dz)))


@written_out
def estimate_conflict2d(A: Vertex, B: Vertex, C: Vertex, E: Vertex) -> Estimate:
    """Return t = h_a [BC] - h_b [AC] + h_c [AB] and m."""
    ex, ey, ez, ew = E
    ax, ay, az = A[0] - ex, A[1] - ey, A[2] - ez
    bx, by, bz = B[0] - ex, B[1] - ey, B[2] - ez
    cx, cy, cz = C[0] - ex, C[1] - ey, C[2] - ez
    aw, bw, cw = A[3] - ew, B[3] - ew, C[3] - ew
    a2, b2 = ax * ax + ay * ay + az * az, bx * bx + by * by + bz * bz
    c2 = cx * cx + cy * cy + cz * cz
    t = ((a2 - aw) * (bx * cy - by * cx) - (b2 - bw) * (ax * cy - ay * cx)
         + (c2 - cw) * (ax * by - ay * bx))
    x, y = max(abs(ax), abs(bx), abs(cx)), max(abs(ay), abs(by), abs(cy))
    return t, x * y * max(a2 + abs(aw), b2 + abs(bw), c2 + abs(cw))


@written_out
def estimate_conflict3d(A: Vertex, B: Vertex, C: Vertex, D: Vertex, E: Vertex) -> Estimate:
    """Return t = h_a [BCD] - h_b [ACD] + h_c [ABD] - h_d [ABC] and m."""
    ex, ey, ez, ew = E
    ax, ay, az = A[0] - ex, A[1] - ey, A[2] - ez
    bx, by, bz = B[0] - ex, B[1] - ey, B[2] - ez
    cx, cy, cz = C[0] - ex, C[1] - ey, C[2] - ez
    dx, dy, dz = D[0] - ex, D[1] - ey, D[2] - ez
    aw, bw = A[3] - ew, B[3] - ew
    cw, dw = C[3] - ew, D[3] - ew
    ab, ac, ad = ax * by - ay * bx, ax * cy - ay * cx, ax * dy - ay * dx
    bc, bd, cd = bx * cy - by * cx, bx * dy - by * dx, cx * dy - cy * dx
    a2, b2 = ax * ax + ay * ay + az * az, bx * bx + by * by + bz * bz
    c2, d2 = cx * cx + cy * cy + cz * cz, dx * dx + dy * dy + dz * dz
    t = (((a2 - aw) * (bc * dz - bd * cz + cd * bz) - (b2 - bw) * (ac * dz - ad * cz + cd * az))
         + ((c2 - cw) * (ab * dz - ad * bz + bd * az) - (d2 - dw) * (ab * cz - ac * bz + bc * az)))
    x, y = max(abs(ax), abs(bx), abs(cx), abs(dx)), max(abs(ay), abs(by), abs(cy), abs(dy))
    z = max(abs(az), abs(bz), abs(cz), abs(dz))
    h = max(a2 + abs(aw), b2 + abs(bw), c2 + abs(cw), d2 + abs(dw))
    return t, (x * y) * (z * h)

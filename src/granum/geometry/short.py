"""Signs of determinants where coordinates have few bits: on lattices, plain doubles are exact.

Let M be the largest coordinate difference of the vertices of a test. If all coordinates are
multiples of one power of two q, and M < 2^k q, then all that a determinant is made of is a multiple
of a power of q, and too small to be rounded. With q = 1: differences are below 2^k;
lifts, of equal weights, below 3 * 2^2k; minors at most 2 * 2^2k, triple products 6 * 2^3k. So

    orient3d                             6 * 2^3k  <  2^53  for k = 16,
    conflict2d   3 * 3 * 2 * 2^4k  =    18 * 2^4k  <  2^53  for k = 9 (as below),
    conflict3d   4 * 3 * 6 * 2^5k  =    72 * 2^5k  <  2^53  for k = 9,

and the sign is certain, zero included. Nothing underflows within `granum.geometry.limits`.

How to see that x is a multiple of q: let c = 2^(53 - k) M, ulp(c) the value of its last bit.
If |x| + c - c, rounded twice, is |x|, then x is a multiple of q = ulp(c): the sum is at least c and
thus such a multiple, so is the difference, and rounding leaves it one. Since c < 2^53 q, M < 2^k q.
The differences are exact as well: those of multiples of q below 2^53 q are doubles.

A crystal whose spacing is a rounded number has long coordinates, and is left to
`granum.geometry.integers`; so are weights that differ.

Legend: A, B, ... vertices (x, y, z, w), their differences from the last vertex E.
"""

from __future__ import annotations

from granum.compile import inner_kernel, kernel
from granum.geometry.estimates import sign
from granum.geometry.integers import UNFIT

Vertex = tuple[float, float, float, float]

CONFLICT = 2.0**44  # 2^(53 - k) for k = 9
ORIENT = 2.0**37  # for k = 16


@inner_kernel
def _is_short(A: Vertex, c: float) -> bool:
    """Tell whether the coordinates are multiples of the last bit of c."""
    x, y, z = abs(A[0]), abs(A[1]), abs(A[2])
    return ((x + c) - c == x) & ((y + c) - c == y) & ((z + c) - c == z)


@inner_kernel
def _first(best: int, found: float, index: int, t: float) -> tuple[int, float]:
    """Return the lower one of two indices and its coefficient, passing over coefficients of 0."""
    return (index, t) if t != 0.0 and index < best else (best, found)


@kernel
def short_orient3d(A: Vertex, B: Vertex, C: Vertex, E: Vertex) -> int:
    """Return the sign of [ABC], or UNFIT."""
    ax, ay, az = A[0] - E[0], A[1] - E[1], A[2] - E[2]
    bx, by, bz = B[0] - E[0], B[1] - E[1], B[2] - E[2]
    cx, cy, cz = C[0] - E[0], C[1] - E[1], C[2] - E[2]
    x, y = max(abs(ax), abs(bx), abs(cx)), max(abs(ay), abs(by), abs(cy))
    c = ORIENT * max(x, y, abs(az), abs(bz), abs(cz))
    if not (_is_short(E, c) and _is_short(A, c) & _is_short(B, c) & _is_short(C, c)):
        return UNFIT
    return sign(az * (bx * cy - by * cx) - bz * (ax * cy - ay * cx) + cz * (ax * by - ay * bx))


@kernel
def short_conflict2d(A: Vertex, B: Vertex, C: Vertex, E: Vertex,
                     a: int, b: int, c: int, e: int) -> int:
    """Return the sign of h_a [BC] - h_b [AC] + h_c [AB], ties broken, or UNFIT."""
    if A[3] != E[3] or B[3] != E[3] or C[3] != E[3]:
        return UNFIT
    ax, ay, az = A[0] - E[0], A[1] - E[1], A[2] - E[2]
    bx, by, bz = B[0] - E[0], B[1] - E[1], B[2] - E[2]
    cx, cy, cz = C[0] - E[0], C[1] - E[1], C[2] - E[2]
    x, y = max(abs(ax), abs(bx), abs(cx)), max(abs(ay), abs(by), abs(cy))
    q = CONFLICT * max(x, y, abs(az), abs(bz), abs(cz))
    if not (_is_short(E, q) and _is_short(A, q) & _is_short(B, q) & _is_short(C, q)):
        return UNFIT
    s0, s1, s2 = bx * cy - by * cx, cx * ay - cy * ax, ax * by - ay * bx
    t = ((ax * ax + ay * ay + az * az) * s0 + (bx * bx + by * by + bz * bz) * s1
         + (cx * cx + cy * cy + cz * cz) * s2)
    if t != 0.0:
        return sign(t)
    best, t = _first(max(a, b, c, e) + 1, 0.0, a, -s0)
    best, t = _first(best, t, b, -s1)
    best, t = _first(best, t, c, -s2)
    best, t = _first(best, t, e, s0 + s1 + s2)
    return sign(t)


@kernel
def short_conflict3d(A: Vertex, B: Vertex, C: Vertex, D: Vertex, E: Vertex,
                     a: int, b: int, c: int, d: int, e: int) -> int:
    """Return the sign of h_a [BCD] - h_b [ACD] + h_c [ABD] - h_d [ABC], ties broken, or UNFIT.

    The coefficients of the weights, see `granum.geometry.ties`, are the four triple products: s0
    to s3 for the vertices with minus signs, and their sum, the volume of ABCD, for E.
    """
    if A[3] != E[3] or B[3] != E[3] or C[3] != E[3] or D[3] != E[3]:
        return UNFIT
    ax, ay, az = A[0] - E[0], A[1] - E[1], A[2] - E[2]
    bx, by, bz = B[0] - E[0], B[1] - E[1], B[2] - E[2]
    cx, cy, cz = C[0] - E[0], C[1] - E[1], C[2] - E[2]
    dx, dy, dz = D[0] - E[0], D[1] - E[1], D[2] - E[2]
    x, y = max(abs(ax), abs(bx), abs(cx), abs(dx)), max(abs(ay), abs(by), abs(cy), abs(dy))
    q = CONFLICT * max(x, y, abs(az), abs(bz), abs(cz), abs(dz))
    if not (_is_short(E, q)
            and _is_short(A, q) & _is_short(B, q) & _is_short(C, q) & _is_short(D, q)):
        return UNFIT
    ab, ac, ad = ax * by - ay * bx, ax * cy - ay * cx, ax * dy - ay * dx
    bc, bd, cd = bx * cy - by * cx, bx * dy - by * dx, cx * dy - cy * dx
    s0, s1 = bz * cd - cz * bd + dz * bc, -(az * cd - cz * ad + dz * ac)
    s2, s3 = az * bd - bz * ad + dz * ab, -(az * bc - bz * ac + cz * ab)
    t = ((ax * ax + ay * ay + az * az) * s0 + (bx * bx + by * by + bz * bz) * s1
         + (cx * cx + cy * cy + cz * cz) * s2 + (dx * dx + dy * dy + dz * dz) * s3)
    if t != 0.0:
        return sign(t)
    best, t = _first(max(a, b, c, d, e) + 1, 0.0, a, -s0)
    best, t = _first(best, t, b, -s1)
    best, t = _first(best, t, c, -s2)
    best, t = _first(best, t, d, -s3)
    best, t = _first(best, t, e, s0 + s1 + s2 + s3)
    return sign(t)

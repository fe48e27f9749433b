"""The determinants of the predicates in integers: exact, where the coordinates' bits allow it.

Neighbours have coordinates of like size, so their differences are multiples of one power of two
and fit into 58 bits, even on lattices whose spacing is rounded: a few hundred multiplications of
integers settle what doubles cannot. Others are left to expansions (`granum.geometry.exact`).

A number is written with digits of 30 bits, lowest first, each between -2^29 and 2^29: a difference
with 2, a minor of two vectors or a lift with 4, a triple product with 6. A product is collected
column by column before it is carried. No column holds more than 16 products of digits, 2^62 in all
(`conflict3d`: four terms of up to four products), so 64 bits suffice. All values are at the scale
s, a power of two that makes the largest coordinate difference at least 2^57 and less than 2^58.

Legend: A, B, ... vertices (x, y, z, w); differences from the last vertex E; h lift, m minor, t
triple product, c columns; d digits.
"""

from __future__ import annotations

import math

import numpy as np

from granum.compile import inner_kernel, kernel
from granum.geometry.expansion import two_difference

Vertex = tuple[float, float, float, float]
Two = tuple[int, int]
Four = tuple[int, int, int, int]
Six = tuple[int, int, int, int, int, int]
Nine = tuple[int, int, int, int, int, int, int, int, int]
Row = tuple[Two, Two, Two]

BITS = 30
HALF = 2**29
MASK = 2**30 - 1
LARGEST = 58  # bits of a difference
WIDEST = 2.0**118  # of weights, at the square of the scale
NONE = (0, 0)
"""Two digits more, where a longer number is expected."""
UNFIT = 2
"""The answer where the numbers do not fit; all others are signs."""


@inner_kernel
def _scale(A: Vertex, B: Vertex, C: Vertex, D: Vertex, E: Vertex) -> float:
    """Return s."""
    largest = 0.0
    for k in range(3):
        one = max(abs(A[k] - E[k]), abs(B[k] - E[k]))
        two = max(abs(C[k] - E[k]), abs(D[k] - E[k]))
        largest = max(largest, one, two)
    return math.ldexp(1.0, LARGEST - math.frexp(largest)[1])


@inner_kernel
def _carry(c: int) -> Two:
    """Return the digit of a column, and what is carried to the next."""
    d = ((c + HALF) & MASK) - HALF
    return d, (c - d) >> BITS


@inner_kernel
def _difference(x: float, y: float, s: float) -> tuple[Two, float]:
    """Return the digits of x - y, and a rest that is 0 if it is an integer."""
    high, low = two_difference(x, y)
    high, low = high * s, low * s
    i, j = int(high), int(low)
    return _carry(i + j), abs(high - i) + abs(low - j)


@inner_kernel
def _row(A: Vertex, E: Vertex, s: float) -> tuple[Row, float]:
    """Return the digits of A - E, and a rest that is 0 if they are integers."""
    x, rest_x = _difference(A[0], E[0], s)
    y, rest_y = _difference(A[1], E[1], s)
    z, rest_z = _difference(A[2], E[2], s)
    return (x, y, z), rest_x + rest_y + rest_z


@inner_kernel
def _carry4(c0: int, c1: int, c2: int, c3: int) -> Four:
    d0, over = _carry(c0)
    d1, over = _carry(c1 + over)
    d2, over = _carry(c2 + over)
    return d0, d1, d2, c3 + over


@inner_kernel
def _columns(weight: float) -> tuple[Four, float]:
    """Return columns of a weight at scale s^2, and a rest that is 0 if it is an integer."""
    if abs(weight) >= WIDEST or weight != np.floor(weight):
        return (0, 0, 0, 0), 1.0
    high = int(np.floor(weight * 2.0**-60))
    low = int(weight - high * 2.0**60)
    return (low & MASK, low >> BITS, high & MASK, high >> BITS), 0.0


@inner_kernel
def _lift(a: Row, A: Vertex, E: Vertex, s: float) -> tuple[Four, float]:
    """Return the digits of |A - E|^2 - (w_a - w_e), and a rest."""
    (x0, x1), (y0, y1), (z0, z1) = a
    high, low = two_difference(E[3], A[3])
    (v0, v1, v2, v3), rest_v = _columns(high * s * s)
    (u0, u1, u2, u3), rest_u = _columns(low * s * s)
    return _carry4(x0 * x0 + y0 * y0 + z0 * z0 + u0 + v0,
                   2 * (x0 * x1 + y0 * y1 + z0 * z1) + u1 + v1,
                   x1 * x1 + y1 * y1 + z1 * z1 + u2 + v2, u3 + v3), rest_u + rest_v


@inner_kernel
def _minor(a: Row, b: Row) -> Four:
    """Return the digits of a_x b_y - a_y b_x."""
    (ax0, ax1), (ay0, ay1), _ = a
    (bx0, bx1), (by0, by1), _ = b
    return _carry4(ax0 * by0 - ay0 * bx0, ax0 * by1 + ax1 * by0 - ay0 * bx1 - ay1 * bx0,
                   ax1 * by1 - ay1 * bx1, np.int64(0))


@inner_kernel
def _triple(bc: Four, ac: Four, ab: Four, a: Row, b: Row, c: Row) -> Six:
    """Return the digits of det[a; b; c] = bc a_z - ac b_z + ab c_z."""
    (x0, x1), (y0, y1), (z0, z1) = a[2], b[2], c[2]
    p0, p1, p2, p3 = bc
    q0, q1, q2, q3 = ac
    r0, r1, r2, r3 = ab
    d0, over = _carry(p0 * x0 - q0 * y0 + r0 * z0)
    d1, over = _carry(p0 * x1 + p1 * x0 - q0 * y1 - q1 * y0 + r0 * z1 + r1 * z0 + over)
    d2, over = _carry(p1 * x1 + p2 * x0 - q1 * y1 - q2 * y0 + r1 * z1 + r2 * z0 + over)
    d3, over = _carry(p2 * x1 + p3 * x0 - q2 * y1 - q3 * y0 + r2 * z1 + r3 * z0 + over)
    d4, over = _carry(p3 * x1 - q3 * y1 + r3 * z1 + over)
    return d0, d1, d2, d3, d4, over


@inner_kernel
def _product(h: Four, t: Six) -> Nine:
    """Return the columns of h t."""
    h0, h1, h2, h3 = h
    t0, t1, t2, t3, t4, t5 = t
    return (h0 * t0,
            h0 * t1 + h1 * t0,
            h0 * t2 + h1 * t1 + h2 * t0,
            h0 * t3 + h1 * t2 + h2 * t1 + h3 * t0,
            h0 * t4 + h1 * t3 + h2 * t2 + h3 * t1,
            h0 * t5 + h1 * t4 + h2 * t3 + h3 * t2,
            h1 * t5 + h2 * t4 + h3 * t3,
            h2 * t5 + h3 * t4,
            h3 * t5)


@inner_kernel
def _minus(a: Nine, b: Nine) -> Nine:
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2], a[3] - b[3], a[4] - b[4],
            a[5] - b[5], a[6] - b[6], a[7] - b[7], a[8] - b[8])


@inner_kernel
def _sign(columns: tuple[int, ...]) -> int:
    """Return the sign of a number: that of its highest digit, all below it being less than half."""
    found = over = 0
    for c in columns:
        d, over = _carry(c + over)
        found = found if d == 0 else int(d > 0) - int(d < 0)
    return found if over == 0 else int(over > 0) - int(over < 0)


@kernel
def integer_orient3d(A: Vertex, B: Vertex, C: Vertex, E: Vertex) -> int:
    """Return the sign of [ABC], or UNFIT."""
    s = _scale(A, B, C, A, E)
    (a, rest_a), (b, rest_b), (c, rest_c) = _row(A, E, s), _row(B, E, s), _row(C, E, s)
    if rest_a + rest_b + rest_c != 0.0:
        return UNFIT
    return _sign(_triple(_minor(b, c), _minor(a, c), _minor(a, b), a, b, c))


@kernel
def integer_conflict2d(A: Vertex, B: Vertex, C: Vertex, E: Vertex) -> int:
    """Return the sign of h_a [BC] - h_b [AC] + h_c [AB], or UNFIT."""
    s = _scale(A, B, C, A, E)
    (a, rest_a), (b, rest_b), (c, rest_c) = _row(A, E, s), _row(B, E, s), _row(C, E, s)
    h_a, over_a = _lift(a, A, E, s)
    h_b, over_b = _lift(b, B, E, s)
    h_c, over_c = _lift(c, C, E, s)
    if rest_a + rest_b + rest_c + over_a + over_b + over_c != 0.0:
        return UNFIT
    t = _minus(_product(h_a, _minor(b, c) + NONE), _product(h_b, _minor(a, c) + NONE))
    return _sign(_minus(t, _product(h_c, _minor(b, a) + NONE)))


@kernel
def integer_conflict3d(A: Vertex, B: Vertex, C: Vertex, D: Vertex, E: Vertex) -> int:
    """Return the sign of h_a [BCD] - h_b [ACD] + h_c [ABD] - h_d [ABC], or UNFIT."""
    s = _scale(A, B, C, D, E)
    (a, rest_a), (b, rest_b) = _row(A, E, s), _row(B, E, s)
    (c, rest_c), (d, rest_d) = _row(C, E, s), _row(D, E, s)
    (h_a, over_a), (h_b, over_b) = _lift(a, A, E, s), _lift(b, B, E, s)
    (h_c, over_c), (h_d, over_d) = _lift(c, C, E, s), _lift(d, D, E, s)
    if rest_a + rest_b + rest_c + rest_d + over_a + over_b + over_c + over_d != 0.0:
        return UNFIT
    ab, ac, ad = _minor(a, b), _minor(a, c), _minor(a, d)
    bc, bd, cd = _minor(b, c), _minor(b, d), _minor(c, d)
    t_ab = _minus(_product(h_a, _triple(cd, bd, bc, b, c, d)),
                  _product(h_b, _triple(cd, ad, ac, a, c, d)))
    t_dc = _minus(_product(h_d, _triple(bc, ac, ab, a, b, c)),
                  _product(h_c, _triple(bd, ad, ab, a, b, d)))
    return _sign(_minus(t_ab, t_dc))

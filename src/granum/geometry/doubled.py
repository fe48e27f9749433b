"""The determinants of the predicates with twice the digits of doubles: decides all but true ties.

A crystal whose spacing is a rounded number is full of determinants that are a few last bits from
0. Here each number is a pair of doubles, high and low, whose sum has some hundred bits; low is what
the high parts' roundings lost, known exactly (`granum.geometry.expansion`), and is itself rounded.
Differences of coordinates must be doubles, which they are for neighbours far enough from the origin
that all have the same last bit; those of weights need not. What is left in doubt, ties above all,
goes to `granum.geometry.integers`.

The bound, u = 2^-53, to first order. P, Q, S, W are sums of the absolute values of all terms of a
minor, a triple product, a lift and the determinant. A sum of n + 1 parts that are at most c in all
errs by at most n u c.

What          High      Low: made of                                 at most   Error / u^2
minor         P         2 of products, 1 of the difference           2 u P     2 + 1 = 3
times z       z P       1 of the product, z low                      3 u z P   3 + 2 + 3 = 8
triple        Q         3 of these, 2 of sums: 4 additions           5 u Q     8 + 4 * 5 = 28
lift          S         3 of squares, 3 of sums, weight: 6 additions 5 u S     6 * 5 = 30
times triple  S Q       1 of the product, high low, low high         11 u S Q  30 + 28 + 20 + 25 + 11
determinant   W         4 of these, 3 of sums: 6 additions           14 u W    114 + 6 * 14 = 198

Where a line multiplies, the error has that of its factors, of the products (each 1 of its size), of
their sum, and for lift times triple what low times low would be, 25. With N terms of at most m each
(`granum.geometry.estimates`), a triple product errs by less than 32 * 6 u^2 m and the determinant of
a conflict by less than 256 * 24 u^2 m: that covers second order, and the roundings of m and of the
sum of high and low. A constant takes over where m underflows.
"""

from __future__ import annotations

from granum.compile import inner_kernel, kernel
from granum.geometry.estimates import U, sign
from granum.geometry.expansion import fma, two_difference, two_sum
from granum.geometry.integers import UNFIT

Vertex = tuple[float, float, float, float]
Place = tuple[float, float, float]
Pair = tuple[float, float]

ORIENT = 32 * 6 * U * U
CONFLICT = 256 * 24 * U * U
TINY = 1e-290


@inner_kernel
def row(A: Vertex, E: Vertex) -> tuple[Place, bool]:
    """Return A - E, and whether it is exact."""
    x, y, z = A[0] - E[0], A[1] - E[1], A[2] - E[2]
    back = (A[0] - x == E[0]) & (A[1] - y == E[1]) & (A[2] - z == E[2])
    return (x, y, z), back & (E[0] + x == A[0]) & (E[1] + y == A[1]) & (E[2] + z == A[2])


@inner_kernel
def _minor(a: Place, b: Place) -> Pair:
    """Return a_x b_y - a_y b_x."""
    p, q = a[0] * b[1], a[1] * b[0]
    high, rest = two_difference(p, q)
    return high, (fma(a[0], b[1], -p) - fma(a[1], b[0], -q)) + rest


@inner_kernel
def _times(m: Pair, z: float) -> Pair:
    """Return m z, z a double."""
    p = m[0] * z
    return p, fma(m[0], z, -p) + m[1] * z


@inner_kernel
def _triple(bc: Pair, ac: Pair, ab: Pair, a: Place, b: Place, c: Place) -> Pair:
    """Return det[a; b; c] = bc a_z - ac b_z + ab c_z."""
    (p, p_low), (q, q_low), (r, r_low) = _times(bc, a[2]), _times(ac, b[2]), _times(ab, c[2])
    high, e = two_difference(p, q)
    high, f = two_sum(high, r)
    return high, (p_low - q_low) + (r_low + (e + f))


@inner_kernel
def lift(a: Place, A: Vertex, E: Vertex) -> Pair:
    """Return |a|^2 - (w_a - w_e)."""
    x, y, z = a
    xx, yy, zz = x * x, y * y, z * z
    w, w_low = two_difference(A[3], E[3])
    high, e = two_sum(xx, yy)
    high, f = two_sum(high, zz)
    high, g = two_difference(high, w)
    squares = (fma(x, x, -xx) + fma(y, y, -yy)) + fma(z, z, -zz)
    return high, squares + ((e + f) + (g - w_low))


@inner_kernel
def _product(h: Pair, t: Pair) -> Pair:
    """Return h t."""
    p = h[0] * t[0]
    return p, fma(h[0], t[0], -p) + (h[0] * t[1] + h[1] * t[0])


@inner_kernel
def orient_value(a: Place, b: Place, c: Place) -> Pair:
    """Return t = [ABC] and m."""
    high, low = _triple(_minor(b, c), _minor(a, c), _minor(a, b), a, b, c)
    x, y = max(abs(a[0]), abs(b[0]), abs(c[0])), max(abs(a[1]), abs(b[1]), abs(c[1]))
    return high + low, x * y * max(abs(a[2]), abs(b[2]), abs(c[2]))


@inner_kernel
def conflict_value(a: Place, b: Place, c: Place, d: Place, h_a: Pair, h_b: Pair, h_c: Pair,
                   h_d: Pair) -> float:
    """Return t = h_a [BCD] - h_b [ACD] + h_c [ABD] - h_d [ABC]."""
    ab, ac, ad = _minor(a, b), _minor(a, c), _minor(a, d)
    bc, bd, cd = _minor(b, c), _minor(b, d), _minor(c, d)
    p, p_low = _product(h_a, _triple(cd, bd, bc, b, c, d))
    q, q_low = _product(h_b, _triple(cd, ad, ac, a, c, d))
    r, r_low = _product(h_c, _triple(bd, ad, ab, a, b, d))
    s, s_low = _product(h_d, _triple(bc, ac, ab, a, b, c))
    pq, e = two_difference(p, q)
    rs, f = two_difference(r, s)
    high, g = two_sum(pq, rs)
    return high + (((p_low - q_low) + (r_low - s_low)) + ((e + f) + g))


@kernel
def doubled_orient3d(A: Vertex, B: Vertex, C: Vertex, E: Vertex) -> int:
    """Return the sign of [ABC], or UNFIT."""
    (a, is_a), (b, is_b), (c, is_c) = row(A, E), row(B, E), row(C, E)
    t, m = orient_value(a, b, c)
    return sign(t) if is_a & is_b & is_c and abs(t) > ORIENT * m + TINY else UNFIT


@kernel
def doubled_conflict3d(A: Vertex, B: Vertex, C: Vertex, D: Vertex, E: Vertex) -> int:
    """Return the sign of h_a [BCD] - h_b [ACD] + h_c [ABD] - h_d [ABC], or UNFIT."""
    (a, is_a), (b, is_b), (c, is_c), (d, is_d) = row(A, E), row(B, E), row(C, E), row(D, E)
    if not is_a & is_b & is_c & is_d:
        return UNFIT
    t = conflict_value(a, b, c, d, lift(a, A, E), lift(b, B, E), lift(c, C, E), lift(d, D, E))
    x = max(abs(a[0]), abs(b[0]), abs(c[0]), abs(d[0]))
    y = max(abs(a[1]), abs(b[1]), abs(c[1]), abs(d[1]))
    z = max(abs(a[2]), abs(b[2]), abs(c[2]), abs(d[2]))
    w = max(abs(A[3] - E[3]), abs(B[3] - E[3]), abs(C[3] - E[3]), abs(D[3] - E[3]))
    m = (x * y) * (z * ((x * x + y * y + z * z) + w))
    return sign(t) if abs(t) > CONFLICT * m + TINY else UNFIT

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
times triple  S Q       1 of the product, high low, low high         11 u S Q  58 + 20 + 25 + 11
determinant   W         4 of these, 3 of sums: 6 additions           14 u W    114 + 6 * 14 = 198

Where a line multiplies, the error has that of its factors, of the products (each 1 of its size), of
their sum, and for lift times triple what low times low would be, 25. With N terms of at most m each
(`granum.geometry.estimates`), a triple product errs by less than 32 * 6 u^2 m and the determinant
of a conflict by less than 256 * 24 u^2 m: that covers second order, and the roundings of m and of
the sum of high and low. A constant takes over where m underflows. Sums stand for the largest values
in m: so much more is certain here than is asked for that it does not matter.
"""

from __future__ import annotations

from granum.checks import FloatArray
from granum.compile import kernel, uncounted
from granum.geometry.estimates import U, sign
from granum.geometry.expansion import fma, two_difference, two_sum
from granum.geometry.integers import UNFIT

Vertex = tuple[float, float, float, float]
Pair = tuple[float, float]
Value = tuple[float, float, float]

ORIENT = 32 * 6 * U * U
CONFLICT = 256 * 24 * U * U
TINY = 1e-290
LANES = 32  # conflicts that are looked at at once


@uncounted
def _lost(x: float, e: float, d: float) -> float:
    """Return 0 if d is x - e exactly."""
    return abs((x - d) - e) + abs((e + d) - x)


@uncounted
def _minor(ax: float, ay: float, bx: float, by: float) -> Pair:
    """Return a_x b_y - a_y b_x."""
    p, q = ax * by, ay * bx
    high, rest = two_difference(p, q)
    return high, (fma(ax, by, -p) - fma(ay, bx, -q)) + rest


@uncounted
def _triple(bc: Pair, ac: Pair, ab: Pair, az: float, bz: float, cz: float) -> Pair:
    """Return det[a; b; c] = bc a_z - ac b_z + ab c_z."""
    p, q, r = bc[0] * az, ac[0] * bz, ab[0] * cz
    p_low, q_low = fma(bc[0], az, -p) + bc[1] * az, fma(ac[0], bz, -q) + ac[1] * bz
    r_low = fma(ab[0], cz, -r) + ab[1] * cz
    high, e = two_difference(p, q)
    high, f = two_sum(high, r)
    return high, (p_low - q_low) + (r_low + (e + f))


@uncounted
def _lift(x: float, y: float, z: float, a: float, e: float) -> Pair:
    """Return x^2 + y^2 + z^2 - (a - e), with the weights a and e."""
    xx, yy, zz = x * x, y * y, z * z
    w, w_low = two_difference(a, e)
    high, f = two_sum(xx, yy)
    high, g = two_sum(high, zz)
    high, h = two_difference(high, w)
    squares = (fma(x, x, -xx) + fma(y, y, -yy)) + fma(z, z, -zz)
    return high, squares + ((f + g) + (h - w_low))


@uncounted
def _product(h: Pair, t: Pair) -> Pair:
    """Return h t."""
    p = h[0] * t[0]
    return p, fma(h[0], t[0], -p) + (h[0] * t[1] + h[1] * t[0])


@uncounted
def orient_value(A: Vertex, B: Vertex, C: Vertex, E: Vertex) -> Value:
    """Return t = [ABC], a bound of its error, and 0 if both count."""
    ax, ay, az = A[0] - E[0], A[1] - E[1], A[2] - E[2]
    bx, by, bz = B[0] - E[0], B[1] - E[1], B[2] - E[2]
    cx, cy, cz = C[0] - E[0], C[1] - E[1], C[2] - E[2]
    high, low = _triple(_minor(bx, by, cx, cy), _minor(ax, ay, cx, cy), _minor(ax, ay, bx, by),
                        az, bz, cz)
    m = ((abs(ax) + abs(bx) + abs(cx)) * (abs(ay) + abs(by) + abs(cy))
         * (abs(az) + abs(bz) + abs(cz)))
    lost = (_lost(A[0], E[0], ax) + _lost(A[1], E[1], ay) + _lost(A[2], E[2], az)
            + _lost(B[0], E[0], bx) + _lost(B[1], E[1], by) + _lost(B[2], E[2], bz)
            + _lost(C[0], E[0], cx) + _lost(C[1], E[1], cy) + _lost(C[2], E[2], cz))
    return high + low, ORIENT * m + TINY, lost


@uncounted
def conflict_value(A: Vertex, B: Vertex, C: Vertex, D: Vertex, E: Vertex) -> Value:
    """Return t = h_a [BCD] - h_b [ACD] + h_c [ABD] - h_d [ABC], and the same."""
    ax, ay, az = A[0] - E[0], A[1] - E[1], A[2] - E[2]
    bx, by, bz = B[0] - E[0], B[1] - E[1], B[2] - E[2]
    cx, cy, cz = C[0] - E[0], C[1] - E[1], C[2] - E[2]
    dx, dy, dz = D[0] - E[0], D[1] - E[1], D[2] - E[2]
    ab, ac, ad = _minor(ax, ay, bx, by), _minor(ax, ay, cx, cy), _minor(ax, ay, dx, dy)
    bc, bd, cd = _minor(bx, by, cx, cy), _minor(bx, by, dx, dy), _minor(cx, cy, dx, dy)
    p, p_low = _product(_lift(ax, ay, az, A[3], E[3]), _triple(cd, bd, bc, bz, cz, dz))
    q, q_low = _product(_lift(bx, by, bz, B[3], E[3]), _triple(cd, ad, ac, az, cz, dz))
    r, r_low = _product(_lift(cx, cy, cz, C[3], E[3]), _triple(bd, ad, ab, az, bz, dz))
    s, s_low = _product(_lift(dx, dy, dz, D[3], E[3]), _triple(bc, ac, ab, az, bz, cz))
    pq, e = two_difference(p, q)
    rs, f = two_difference(r, s)
    high, g = two_sum(pq, rs)
    t = high + (((p_low - q_low) + (r_low - s_low)) + ((e + f) + g))
    x = (abs(ax) + abs(bx)) + (abs(cx) + abs(dx))
    y = (abs(ay) + abs(by)) + (abs(cy) + abs(dy))
    z = (abs(az) + abs(bz)) + (abs(cz) + abs(dz))
    w = (abs(A[3] - E[3]) + abs(B[3] - E[3])) + (abs(C[3] - E[3]) + abs(D[3] - E[3]))
    m = (x * y) * (z * ((x * x + y * y + z * z) + w))
    lost = (_lost(A[0], E[0], ax) + _lost(A[1], E[1], ay) + _lost(A[2], E[2], az)
            + _lost(B[0], E[0], bx) + _lost(B[1], E[1], by) + _lost(B[2], E[2], bz)
            + _lost(C[0], E[0], cx) + _lost(C[1], E[1], cy) + _lost(C[2], E[2], cz)
            + _lost(D[0], E[0], dx) + _lost(D[1], E[1], dy) + _lost(D[2], E[2], dz))
    return t, CONFLICT * m + TINY, lost


@kernel
def doubled_orient3d(A: Vertex, B: Vertex, C: Vertex, E: Vertex) -> int:
    """Return the sign of [ABC], or UNFIT."""
    t, bound, lost = orient_value(A, B, C, E)
    return sign(t) if lost == 0.0 and abs(t) > bound else UNFIT


@kernel
def doubled_conflict3d(A: Vertex, B: Vertex, C: Vertex, D: Vertex, E: Vertex) -> int:
    """Return the sign of h_a [BCD] - h_b [ACD] + h_c [ABD] - h_d [ABC], or UNFIT."""
    t, bound, lost = conflict_value(A, B, C, D, E)
    return sign(t) if lost == 0.0 and abs(t) > bound else UNFIT


@kernel
def doubled_lanes(s: FloatArray) -> None:
    """Write the determinants of many conflicts at once, 0 where they are in doubt.

    Without a branch, so that it becomes vector instructions.

    Args:
        s: (21 * LANES,) the coordinates of A, row after row, those of B, C, D, E; the results.
    """
    for k in range(LANES):
        A = s[k], s[LANES + k], s[2 * LANES + k], s[3 * LANES + k]
        B = s[4 * LANES + k], s[5 * LANES + k], s[6 * LANES + k], s[7 * LANES + k]
        C = s[8 * LANES + k], s[9 * LANES + k], s[10 * LANES + k], s[11 * LANES + k]
        D = s[12 * LANES + k], s[13 * LANES + k], s[14 * LANES + k], s[15 * LANES + k]
        E = s[16 * LANES + k], s[17 * LANES + k], s[18 * LANES + k], s[19 * LANES + k]
        t, bound, lost = conflict_value(A, B, C, D, E)
        t = t if abs(t) > bound else 0.0
        s[20 * LANES + k] = t if lost == 0.0 else 0.0

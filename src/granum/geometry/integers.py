"""The determinants of the predicates in integers: exact, where the coordinates' bits allow it.

Neighbours have coordinates of like size, so their differences are multiples of one power of two
and fit into 58 bits, even on lattices whose spacing is rounded: some seventy multiplications of
words settle what doubles cannot. Others are left to expansions (`granum.geometry.exact`).

All values are at the scale s, a power of two that makes the largest coordinate difference at least
2^57 and less than 2^58; differences of weights, at its square, are less than 2^118, and what they
lost by rounding less than one of its last bits. In words of 64 bits (`granum.geometry.words`):

    difference                                        2^58   1 word,
    minor                       2 * 2^116      =      2^117  2 words,
    lift                        3 * 2^116 + 2^118  <  2^119  2 words,
    triple product              6 * 2^174          <  2^177  3 words,
    conflict2d      3 * 2^119 * 2^117              <  2^238  4 words,
    conflict3d      4 * 2^119 * 2^177          =      2^298  5 words.

Sums on the way are below twice of that, and a bit is left for the sign. So nothing overflows.

Legend: A, B, ... vertices (x, y, z, w); differences from the last vertex E.
"""

from __future__ import annotations

import math

import numpy as np

from granum.compile import inner_kernel, kernel
from granum.geometry.expansion import two_difference
from granum.geometry.words import Words, minus, plus, product, sign_of_words

Vertex = tuple[float, float, float, float]
Row = tuple[int, int, int]

LARGEST = 58  # bits of a difference
WIDEST = 2.0**118  # of weights, at the square of the scale
PIECE = 60  # bits of the lower piece of a weight
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
def _difference(x: float, y: float, s: float) -> tuple[int, float]:
    """Return x - y, and a rest that is 0 if it is an integer."""
    high, low = two_difference(x, y)
    high, low = high * s, low * s
    i, j = int(high), int(low)
    return i + j, abs(high - i) + abs(low - j)


@inner_kernel
def _row(A: Vertex, E: Vertex, s: float) -> tuple[Row, float]:
    """Return A - E, and a rest that is 0 if these are integers."""
    x, rest_x = _difference(A[0], E[0], s)
    y, rest_y = _difference(A[1], E[1], s)
    z, rest_z = _difference(A[2], E[2], s)
    return (x, y, z), rest_x + rest_y + rest_z


@inner_kernel
def _weight(weight: float) -> tuple[Words, float]:
    """Return a weight at scale s^2, and a rest that is 0 if it is an integer that fits."""
    if abs(weight) >= WIDEST or weight != np.floor(weight):
        return (0, 0), 1.0
    high = np.floor(weight * 2.0**-PIECE)
    low = weight - high * 2.0**PIECE
    return plus(product((int(high),), (1 << PIECE,)), (int(low), 0)), 0.0


@inner_kernel
def _lift(a: Row, A: Vertex, E: Vertex, s: float) -> tuple[Words, float]:
    """Return |A - E|^2 - (w_a - w_e), and a rest."""
    x, y, z = (a[0],), (a[1],), (a[2],)
    h = plus(plus(product(x, x), product(y, y)), product(z, z))
    if A[3] == E[3]:
        return h, 0.0
    high, low = two_difference(E[3], A[3])
    (v, rest_v), (u, rest_u) = _weight(high * s * s), _weight(low * s * s)
    return plus(plus(h, v), u), rest_u + rest_v


@inner_kernel
def _minor(a: Row, b: Row) -> Words:
    """Return a_x b_y - a_y b_x."""
    return minus(product((a[0],), (b[1],)), product((a[1],), (b[0],)))


@inner_kernel
def _triple(bc: Words, ac: Words, ab: Words, a: Row, b: Row, c: Row) -> Words:
    """Return det[a; b; c] = bc a_z - ac b_z + ab c_z."""
    return plus(minus(product(bc, (a[2],)), product(ac, (b[2],))), product(ab, (c[2],)))


@kernel
def integer_orient3d(A: Vertex, B: Vertex, C: Vertex, E: Vertex) -> int:
    """Return the sign of [ABC], or UNFIT."""
    s = _scale(A, B, C, A, E)
    (a, rest_a), (b, rest_b), (c, rest_c) = _row(A, E, s), _row(B, E, s), _row(C, E, s)
    if rest_a + rest_b + rest_c != 0.0:
        return UNFIT
    return sign_of_words(_triple(_minor(b, c), _minor(a, c), _minor(a, b), a, b, c))


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
    t = minus(product(h_a, _minor(b, c)), product(h_b, _minor(a, c)))
    return sign_of_words(plus(t, product(h_c, _minor(a, b))))


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
    t_ab = minus(product(h_a, _triple(cd, bd, bc, b, c, d)),
                 product(h_b, _triple(cd, ad, ac, a, c, d)))
    t_cd = minus(product(h_c, _triple(bd, ad, ab, a, b, d)),
                 product(h_d, _triple(bc, ac, ab, a, b, c)))
    return sign_of_words(plus(t_ab, t_cd))

"""The determinants of the predicates in expansions: exact whatever the coordinates, and slow.

What is left to this module does not fit into the integers of `granum.geometry.integers`: points of
which some coordinates are far smaller than others, though not zero.

Legend: A, B, ... vertices (x, y, z, w), their differences from the last vertex E; h_a = |A - E|^2 -
(w_a - w_e). Each function writes its result at ``out`` and uses the scratch beyond it.

How many pieces: a difference 2, a product of two 8, a minor 16, a triple product 3 * 4 * 16 = 192,
a lift 3 * 8 + 2 = 26. Products of these would be longer, but within `granum.geometry.limits` their
bits lie between 2^-1060 and 2^813, and at most two of three bits are pieces of their own: LONGEST.

Places begin as ``np.int64(0)``, for Numba compiles a function anew for every literal integer.
"""

from __future__ import annotations

import numpy as np

from granum.checks import FloatArray
from granum.compile import inner_kernel, kernel
from granum.geometry.expansion import add, compress, difference, scale, sign_of

Vertex = tuple[float, float, float, float]

LONGEST = 1250
MINOR, TRIPLE, LIFT = 16, 192, 26
ROOM = 6 * MINOR + TRIPLE + LIFT + 2 * TRIPLE + 4 * LONGEST


@inner_kernel
def _move(s: FloatArray, a: int, n: int, out: int) -> int:
    for k in range(n):
        s[out + k] = s[a + k]
    return n


@inner_kernel
def _multiply(s: FloatArray, a: int, na: int, b: int, nb: int, out: int) -> int:
    """Write a b: 2 na nb pieces, or LONGEST; room for as many again and 2 na."""
    room = min(2 * na * nb, LONGEST)
    other, term = out + room, out + 2 * room
    n = np.int64(0)
    for k in range(nb):
        n_term = scale(s, a, na, s[b + k], term)
        n = _move(s, other, add(s, out, n, term, n_term, 1.0, other), out)
    return int(n)


@inner_kernel
def _minor(s: FloatArray, A: Vertex, B: Vertex, E: Vertex, out: int) -> int:
    """Write A_x B_y - A_y B_x: 16 pieces, room for 56."""
    x, y = out + MINOR, out + MINOR + 2
    left, right = out + MINOR + 4, out + MINOR + 12
    nx, ny = difference(s, A[0], E[0], x), difference(s, B[1], E[1], y)
    n_left = _multiply(s, x, nx, y, ny, left)
    nx, ny = difference(s, B[0], E[0], x), difference(s, A[1], E[1], y)
    n_right = _multiply(s, x, nx, y, ny, right)
    return add(s, left, n_left, right, n_right, -1.0, out)


@inner_kernel
def _triple(s: FloatArray, A: Vertex, B: Vertex, C: Vertex, E: Vertex, bc: int, n_bc: int,
            ac: int, n_ac: int, ab: int, n_ab: int, out: int) -> int:
    """Write det[A; B; C] = bc A_z - ac B_z + ab C_z: 192 pieces, room for 610."""
    z, left, right = out + TRIPLE, out + TRIPLE + 2, out + TRIPLE + 66
    pair, third = out + TRIPLE + 130, out + TRIPLE + 258
    n_left = _multiply(s, bc, n_bc, z, difference(s, A[2], E[2], z), left)
    n_right = _multiply(s, ac, n_ac, z, difference(s, B[2], E[2], z), right)
    n_pair = add(s, left, n_left, right, n_right, -1.0, pair)
    n_third = _multiply(s, ab, n_ab, z, difference(s, C[2], E[2], z), third)
    n = add(s, pair, n_pair, third, n_third, 1.0, out)
    return n if n == 0 else compress(s, out, n)


@inner_kernel
def _lift(s: FloatArray, A: Vertex, E: Vertex, out: int) -> int:
    """Write h_a: 26 pieces, room for 80."""
    x, square, other = out + LIFT, out + LIFT + 2, out + LIFT + 10
    n = difference(s, E[3], A[3], out)
    for k in range(3):
        nx = difference(s, A[k], E[k], x)
        n_square = _multiply(s, x, nx, x, nx, square)
        n = _move(s, other, add(s, out, n, square, n_square, 1.0, other), out)
    return n if n == 0 else compress(s, out, n)


@inner_kernel
def _accumulate(s: FloatArray, A: Vertex, E: Vertex, m: int, nm: int, sign: float, n: int) -> int:
    """Add sign h_a m to the sum, kept in the last LONGEST places of s, of n pieces."""
    total, other = len(s) - LONGEST, len(s) - 2 * LONGEST
    product = other - 2 * LONGEST - 2 * TRIPLE
    lift = product - LIFT
    n_product = _multiply(s, m, nm, lift, _lift(s, A, E, lift), product)
    return _move(s, other, add(s, total, n, product, n_product, sign, other), total)


@inner_kernel
def exact_orient2d(A: Vertex, B: Vertex, E: Vertex) -> int:
    """Return the sign of [AB]."""
    s, out = np.empty(ROOM), np.int64(0)
    return sign_of(s, out, _minor(s, A, B, E, out))


@kernel
def exact_orient3d(A: Vertex, B: Vertex, C: Vertex, E: Vertex) -> int:
    """Return the sign of [ABC]."""
    s, bc = np.empty(ROOM), np.int64(0)
    ac, ab, out = bc + MINOR, bc + 2 * MINOR, bc + 3 * MINOR
    n_bc, n_ac = _minor(s, B, C, E, bc), _minor(s, A, C, E, ac)
    n_ab = _minor(s, A, B, E, ab)
    return sign_of(s, out, _triple(s, A, B, C, E, bc, n_bc, ac, n_ac, ab, n_ab, out))


@inner_kernel
def exact_conflict1d(A: Vertex, B: Vertex, E: Vertex) -> int:
    """Return the sign of h_a B_x - h_b A_x."""
    s, x = np.empty(ROOM), np.int64(0)
    n = _accumulate(s, A, E, x, difference(s, B[0], E[0], x), 1.0, np.int64(0))
    n = _accumulate(s, B, E, x, difference(s, A[0], E[0], x), -1.0, n)
    return sign_of(s, len(s) - LONGEST, n)


@kernel
def exact_conflict2d(A: Vertex, B: Vertex, C: Vertex, E: Vertex) -> int:
    """Return the sign of h_a [BC] - h_b [AC] + h_c [AB]."""
    s, m = np.empty(ROOM), np.int64(0)
    n = _accumulate(s, A, E, m, _minor(s, B, C, E, m), 1.0, np.int64(0))
    n = _accumulate(s, B, E, m, _minor(s, A, C, E, m), -1.0, n)
    n = _accumulate(s, C, E, m, _minor(s, A, B, E, m), 1.0, n)
    return sign_of(s, len(s) - LONGEST, n)


@kernel
def exact_conflict3d(A: Vertex, B: Vertex, C: Vertex, D: Vertex, E: Vertex) -> int:
    """Return the sign of h_a [BCD] - h_b [ACD] + h_c [ABD] - h_d [ABC]."""
    s, ab = np.empty(ROOM), np.int64(0)
    ac, ad, bc = ab + MINOR, ab + 2 * MINOR, ab + 3 * MINOR
    bd, cd, t = ab + 4 * MINOR, ab + 5 * MINOR, ab + 6 * MINOR
    n_ab, n_ac = _minor(s, A, B, E, ab), _minor(s, A, C, E, ac)
    n_ad, n_bc = _minor(s, A, D, E, ad), _minor(s, B, C, E, bc)
    n_bd, n_cd = _minor(s, B, D, E, bd), _minor(s, C, D, E, cd)
    nt = _triple(s, B, C, D, E, cd, n_cd, bd, n_bd, bc, n_bc, t)
    n = _accumulate(s, A, E, t, nt, 1.0, np.int64(0))
    nt = _triple(s, A, C, D, E, cd, n_cd, ad, n_ad, ac, n_ac, t)
    n = _accumulate(s, B, E, t, nt, -1.0, n)
    nt = _triple(s, A, B, D, E, bd, n_bd, ad, n_ad, ab, n_ab, t)
    n = _accumulate(s, C, E, t, nt, 1.0, n)
    nt = _triple(s, A, B, C, E, bc, n_bc, ac, n_ac, ab, n_ab, t)
    n = _accumulate(s, D, E, t, nt, -1.0, n)
    return sign_of(s, len(s) - LONGEST, n)

"""Gear's predictor-corrector of fourth order, as a choice beside velocity Verlet.

C. W. Gear (Numerical Initial Value Problems in Ordinary Differential Equations, 1971); with the
numbers for forces that depend on velocities as T. Pöschel and T. Schwager give them (Computational
Granular Dynamics, 2005), whom F. Alonso-Marroquín and Y. Wang (Granular Matter 11 (2009) 317)
follow. A grain carries the derivatives of its place up to the fourth. A step of length h is

    predict   Taylor's series of x, v, a, x''' and x''''
    (forces at the predicted x and v give a')
    correct   with e = a' - a:   x += 19/90 h²/2 e,   v += 3/4 h/2 e,   a = a',
              x''' += 1/2 3/h e,   x'''' += 1/12 12/h² e

Spins move alike, with the rate of spin in the place of a. In space orientations do not add up: the
turn of a step is the exponential of (Magnus' series, seen from the lab)

    θ = h ω + h²/2 ω' + h³/6 ω'' + h⁴/24 ω''' + h³/12 ω' × ω + h⁴/24 ω'' × ω

and the correction is the small turn 19/90 h²/2 e. About a fixed axis both are the series of an
angle. A body has ω' = I⁻¹ (τ - ω × I ω), at the predicted spin. So smooth motion errs by O(h⁴); a
contact that begins or ends somewhere in a step has a force with a kink, which no method of high
order sees, and the scheme is not symplectic: energy drifts slowly.

The derivatives are state (`derivatives`).

Legend: X, V, W, A, B, Q as in `rows`; H (n,24) six vectors with a number of no meaning each: x''',
x'''', ω', ω'', ω''', and the predicted acceleration. In place of the first of these numbers stands
how far the last correction has moved any point of the grain [m].
"""

from __future__ import annotations

import numba
import numpy as np
from numba.extending import register_jitable

from granum.compile import kernel, parallel_kernel, uncounted
from granum.contact.shaped.meeting import SPAN
from granum.dynamics.integrate import by_direction, farther, into_cell
from granum.dynamics.rigid import axes_of, to_body, to_lab, write_axes
from granum.dynamics.spinning import bound_on_way
from granum.dynamics.swept import move_near, place_near
from granum.geometry.simplices import cross, dot
from granum.vector_rows import ONE

# of a correction, in units of e, for x, v, x''' and x''''; times h², h, 1 / h and 1 / h²
TO_PLACE, TO_VELOCITY, TO_THIRD, TO_FOURTH = 19.0 / 180.0, 3.0 / 8.0, 3.0 / 2.0, 1.0
THIRD, FOURTH, RATE, RATE2, RATE3, PREDICTED = 0, 4, 8, 12, 16, 20
GONE = 3  # column of the way of the last correction


@register_jitable
def series(h, a, b, c, d):
    """Return h a + h²/2 b + h³/6 c + h⁴/24 d for vectors."""
    p, q, r = h / 2.0, h / 3.0, h / 4.0
    return (h * (a[0] + p * (b[0] + q * (c[0] + r * d[0]))),
            h * (a[1] + p * (b[1] + q * (c[1] + r * d[1]))),
            h * (a[2] + p * (b[2] + q * (c[2] + r * d[2]))))


@register_jitable
def turned_by(q, t):
    """Return an orientation that is turned by the vector t in the lab [rad].

    A Cayley turn by tan(θ/4) = θ/4 (1 + θ²/48 + ...), which keeps unit length to rounding.
    """
    s = 0.25 * (1.0 + dot(t, t) / 48.0)
    bx, by, bz = s * t[0], s * t[1], s * t[2]
    b2 = bx * bx + by * by + bz * bz
    s = 1.0 / (1.0 + b2)
    w, x, y, z = (1.0 - b2) * s, 2.0 * bx * s, 2.0 * by * s, 2.0 * bz * s
    return (w * q[0] - x * q[1] - y * q[2] - z * q[3], w * q[1] + x * q[0] + y * q[3] - z * q[2],
            w * q[2] - x * q[3] + y * q[0] + z * q[1], w * q[3] + x * q[2] - y * q[1] + z * q[0])


@uncounted
def vector(M, i, column):
    """Return the vector that stands in a row from a column on."""
    return M[i, column], M[i, column + 1], M[i, column + 2]


@uncounted
def add_vector(M, i, column, k, v):
    """Add k v to the vector that stands in a row from a column on."""
    M[i, column] += k * v[0]
    M[i, column + 1] += k * v[1]
    M[i, column + 2] += k * v[2]


@uncounted
def shift_place(X, i, way, directions):
    """Move grain i along a way, into the periodic cell."""
    X[i, 0] = into_cell(X[i, 0] + way[0], directions[0])
    X[i, 1] = into_cell(X[i, 1] + way[1], directions[1])
    X[i, 2] = into_cell(X[i, 2] + way[2], directions[2])


@uncounted
def turn_grain(Q, i, t):
    """Turn grain i by a vector; return the square of the change of its quaternion."""
    w, x, y, z = Q[i, 0], Q[i, 1], Q[i, 2], Q[i, 3]
    Q[i, 0], Q[i, 1], Q[i, 2], Q[i, 3] = turned_by((w, x, y, z), t)
    w, x, y, z = Q[i, 0] - w, Q[i, 1] - x, Q[i, 2] - y, Q[i, 3] - z
    return w * w + x * x + y * y + z * z


@uncounted
def predict(i, X, V, W, A, Q, H, span, h, directions):
    """Predict grain i; return the square of the longest way of its points since the last sweep."""
    none = 0.0, 0.0, 0.0
    v, a, b, c = vector(V, i, 0), vector(A, i, 0), vector(H, i, THIRD), vector(H, i, FOURTH)
    w, r, s, t = vector(W, i, 0), vector(H, i, RATE), vector(H, i, RATE2), vector(H, i, RATE3)
    way, turn = series(h, v, a, b, c), series(h, w, r, s, t)
    one, two = cross(r, w), cross(s, w)
    k, m = h * h * h / 12.0, h * h * h * h / 24.0
    turn = (turn[0] + k * one[0] + m * two[0], turn[1] + k * one[1] + m * two[1],
            turn[2] + k * one[2] + m * two[2])
    shift_place(X, i, way, directions)
    turn2 = turn_grain(Q, i, turn)
    add_vector(V, i, 0, 1.0, series(h, a, b, c, none))
    add_vector(W, i, 0, 1.0, series(h, r, s, t, none))
    change = series(h, b, c, none, none)
    H[i, PREDICTED], H[i, PREDICTED + 1], H[i, PREDICTED + 2] = (
        a[0] + change[0], a[1] + change[1], a[2] + change[2])
    add_vector(H, i, THIRD, h, c)
    add_vector(H, i, RATE, 1.0, series(h, s, t, none, none))
    add_vector(H, i, RATE2, h, t)
    gone = bound_on_way(dot(way, way), turn2, span) + H[i, GONE]
    return gone * gone


@uncounted
def correct(i, X, V, W, A, Q, H, rate, span, h, directions, moves):
    """Correct grain i for the acceleration and the rate of spin that were found.

    Where nothing moves, they are written down.
    """
    a, p, r = vector(A, i, 0), vector(H, i, PREDICTED), vector(H, i, RATE)
    H[i, RATE], H[i, RATE + 1], H[i, RATE + 2] = rate
    if not moves:
        return
    e, f = (a[0] - p[0], a[1] - p[1], a[2] - p[2]), (rate[0] - r[0], rate[1] - r[1], rate[2] - r[2])
    k = TO_PLACE * h * h
    way, turn = (k * e[0], k * e[1], k * e[2]), (k * f[0], k * f[1], k * f[2])
    shift_place(X, i, way, directions)
    H[i, GONE] = bound_on_way(dot(way, way), turn_grain(Q, i, turn), span)
    add_vector(V, i, 0, TO_VELOCITY * h, e)
    add_vector(H, i, THIRD, TO_THIRD / h, e)
    add_vector(H, i, FOURTH, TO_FOURTH / (h * h), e)
    add_vector(W, i, 0, TO_VELOCITY * h, f)
    add_vector(H, i, RATE2, TO_THIRD / h, f)
    add_vector(H, i, RATE3, TO_FOURTH / (h * h), f)


@kernel
def _predict_rows(first, last, rows, H, h, cell, share):
    """Predict spheres first to last; return the squares of the longest ways, see `integrate`."""
    X, V, W, A, Q = rows.X, rows.V, rows.W, rows.A, rows.Q
    directions = by_direction(cell)
    longest = most = 0.0
    for i in range(first, last):
        gone = predict(i, X, V, W, A, Q, H, 0.0, h, directions)
        longest, most = farther(gone, longest), farther(gone * share[i], most)
    return longest, most


@parallel_kernel
def predict_rows(block, rows, H, h, cell, share, ways):
    """Predict all spheres; ``ways`` (2,blocks) gets the squares of the longest ways."""
    for b in numba.prange(block.size - 1):
        ways[0, b], ways[1, b] = _predict_rows(block[b], block[b + 1], rows, H, h, cell, share)


@kernel
def _correct_rows(first, last, rows, H, h, cell, moves):
    """Correct spheres first to last."""
    X, V, W, A, B, Q = rows.X, rows.V, rows.W, rows.A, rows.B, rows.Q
    directions = by_direction(cell)
    for i in range(first, last):
        correct(i, X, V, W, A, Q, H, vector(B, i, 0), 0.0, h, directions, moves)


@parallel_kernel
def correct_rows(block, rows, H, h, cell, moves):
    """Correct all spheres."""
    for b in numba.prange(block.size - 1):
        _correct_rows(block[b], block[b + 1], rows, H, h, cell, moves)


@kernel
def _place(first, last, bodies, rows, cell):
    """Set the axes of bodies first to last, and of their balls those that are near."""
    Q, axes = bodies.Q, bodies.axes
    directions = by_direction(cell)
    for n in range(first, last):
        i = np.uintp(n)
        R = axes_of((Q[i, 0], Q[i, 1], Q[i, 2], Q[i, 3]))
        write_axes(axes, i, R)
        place_near(i, bodies, rows, directions)
        move_near(i, bodies, rows)


@kernel
def _predict_bodies(first, last, bodies, H, h, cell, share):
    """Predict bodies first to last; ``share`` is of bodies, or of the balls that they own."""
    X, V, W, A, Q, axes, begin = (bodies.X, bodies.V, bodies.W, bodies.A, bodies.Q, bodies.axes,
                                  bodies.begin)
    directions = by_direction(cell)
    longest = most = 0.0
    of_bodies = share.size == X.shape[0]
    for n in range(first, last):
        i = np.uintp(n)
        gone = predict(i, X, V, W, A, Q, H, axes[i, SPAN], h, directions)
        bodies.gone[i] += np.sqrt(gone)
        longest = farther(gone, longest)
        if of_bodies:
            most = farther(gone * share[i], most)
        else:
            for k in range(begin[i], begin[i + ONE]):
                most = farther(gone * share[k], most)
    return longest, most


@parallel_kernel
def predict_bodies(bodies, rows, H, h, cell, share, ways):
    """Predict all bodies and their balls; ``ways`` as for `predict_rows`."""
    block = bodies.block
    for b in numba.prange(block.size - 1):
        ways[0, b], ways[1, b] = _predict_bodies(block[b], block[b + 1], bodies, H, h, cell, share)
        ways[2, b] = np.sqrt(ways[0, b])
        _place(block[b], block[b + 1], bodies, rows, cell)


@kernel
def _correct_bodies(first, last, bodies, H, h, cell, moves):
    """Correct bodies first to last, which turn by themselves, too."""
    X, V, W, A, B, Q, M, axes = (bodies.X, bodies.V, bodies.W, bodies.A, bodies.B, bodies.Q,
                                 bodies.inertia, bodies.axes)
    directions = by_direction(cell)
    for n in range(first, last):
        i = np.uintp(n)
        rate = vector(B, i, 0)
        if M[i, 3] != 1.0:
            R = axes_of((Q[i, 0], Q[i, 1], Q[i, 2], Q[i, 3]))
            x, y, z = to_body(R, W[i, 0], W[i, 1], W[i, 2])
            a, b, c = M[i, 0], M[i, 1], M[i, 2]
            own = to_lab(R, (b - c) / a * y * z, (c - a) / b * z * x, (a - b) / c * x * y)
            rate = rate[0] + own[0], rate[1] + own[1], rate[2] + own[2]
        correct(i, X, V, W, A, Q, H, rate, axes[i, SPAN], h, directions, moves)


@parallel_kernel
def correct_bodies(bodies, rows, H, h, cell, moves):
    """Correct all bodies and their balls."""
    block = bodies.block
    for b in numba.prange(block.size - 1):
        _correct_bodies(block[b], block[b + 1], bodies, H, h, cell, moves)
        if moves:
            _place(block[b], block[b + 1], bodies, rows, cell)

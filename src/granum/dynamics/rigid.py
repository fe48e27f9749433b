"""Motion of rigid bodies: from the forces on their balls to new places of their balls.

The centre of mass moves as a sphere does (see `integrate`). Angular momentum j moves alike, kicked
by half a step, then free for a step, then kicked again; with velocity-dependent torques evaluated
at the predicted spin:

    begin    j = I ω;  j(half) = j + dt/2 τ;  turn freely with j(half);  ω = I'⁻¹ (j + dt τ)
    finish   ω += dt/2 I'⁻¹ (τ' - τ)

I = R diag(I_1, I_2, I_3) R^T is the tensor of inertia in the lab, the prime that at the new
orientation. Total angular momentum is kept to rounding, because torques are the only thing that
changes it. The free turn is the symmetric splitting about the principal axes 1, 2, 3, 2, 1, each by
the angle j_k t / I_k about its own axis (A. Dullweber, B. Leimkuhler and R. McLachlan, J. Chem.
Phys. 107 (1997) 5840, section III): second order, symplectic, reversible, so that the energy of a
free top errs by O(dt²) and does not drift. Each turn is a Cayley turn, as for spheres: no sines,
and the angle errs by O(dt³).

A body whose moments 2 and 3 are equal, as those of rods, cubes and tetrahedra are, turns freely as
a symmetric top does (L. Landau and E. Lifshitz, Mechanics, section 33): about j by |j| t / I_2, and
about its own axis e by (j·e) (1/I_1 - 1/I_2) t. That is two turns instead of five, and the energy
of a free top is kept to rounding, as j·e is. The order is the same, since each is a Cayley turn.

The torque of a ball's contacts about the centre of mass is lever × force + radius × (torque over
radius), summed ball by ball in storage order. Bodies that are spheres go through the very
arithmetic of `integrate`: they have the same bits in a world with clumps as in one without.

What takes arrays is inlined into the loops over bodies, or else their references would be counted
for every body; all else takes and gives numbers.

Legend: X, V, W, A, B, Q, M (inertia), begin, arm and lever as in `bodies`; x, v, w (m,4) those of
the balls in `rows`; F (rows,8) forces and torques over radius; g gravity.
"""

from __future__ import annotations

import numba
import numpy as np
from numba.extending import register_jitable

from granum.compile import kernel, parallel_kernel, uncounted
from granum.dynamics.integrate import by_direction, farther, into_cell
from granum.vector_rows import ONE

ANY, ROUND, TOP = 0.0, 1.0, 2.0  # kinds of bodies: spheres, and those with equal moments 2 and 3


@register_jitable(inline="always")
def axes_of(q):
    """Return the rotation matrix of a quaternion, row by row: from the body's frame to the lab.

    It is a rotation whatever the rounding of the quaternion's length.
    """
    w, x, y, z = q
    s = 2.0 / (w * w + x * x + y * y + z * z)
    return ((1.0 - s * (y * y + z * z), s * (x * y - w * z), s * (x * z + w * y)),
            (s * (x * y + w * z), 1.0 - s * (x * x + z * z), s * (y * z - w * x)),
            (s * (x * z - w * y), s * (y * z + w * x), 1.0 - s * (x * x + y * y)))


@register_jitable(inline="always")
def to_lab(R, x, y, z):
    """Return a vector of the body's frame as seen in the lab."""
    return (R[0][0] * x + R[0][1] * y + R[0][2] * z,
            R[1][0] * x + R[1][1] * y + R[1][2] * z,
            R[2][0] * x + R[2][1] * y + R[2][2] * z)


@register_jitable(inline="always")
def to_body(R, x, y, z):
    """Return a vector of the lab as seen in the body's frame."""
    return (R[0][0] * x + R[1][0] * y + R[2][0] * z,
            R[0][1] * x + R[1][1] * y + R[2][1] * z,
            R[0][2] * x + R[1][2] * y + R[2][2] * z)


@register_jitable(inline="always")
def per_moments(m):
    """Return one over each of three moments."""
    return 1.0 / m[0], 1.0 / m[1], 1.0 / m[2]


@register_jitable(inline="always")
def spin_for(R, per, j):
    """Return I⁻¹ j in the lab, for an angular momentum (or torque) j in the lab.

    ``per`` is one over each principal moment.
    """
    a, b, c = to_body(R, j[0], j[1], j[2])
    return to_lab(R, per[0] * a, per[1] * b, per[2] * c)


@register_jitable(inline="always")
def half_turn(angle):
    """Return cosine and sine of half an angle, for the Cayley turn by about that angle."""
    b = 0.25 * angle
    s = 1.0 / (1.0 + b * b)
    return (1.0 - b * b) * s, 2.0 * b * s


@register_jitable(inline="always")
def about_first(q, j, t, per_moment):
    """Turn about the first axis for the time t: the body turns, and j, which stays, turns back."""
    w, x, y, z = q
    k, s = half_turn(t * j[0] * per_moment)
    c, d = k * k - s * s, 2.0 * k * s
    return ((k * w - s * x, k * x + s * w, k * y + s * z, k * z - s * y),
            (j[0], c * j[1] + d * j[2], c * j[2] - d * j[1]))


@register_jitable(inline="always")
def about_second(q, j, t, per_moment):
    """Turn about the second axis in the same way."""
    w, x, y, z = q
    k, s = half_turn(t * j[1] * per_moment)
    c, d = k * k - s * s, 2.0 * k * s
    return ((k * w - s * y, k * x - s * z, k * y + s * w, k * z + s * x),
            (c * j[0] - d * j[2], j[1], c * j[2] + d * j[0]))


@register_jitable(inline="always")
def about_third(q, j, t, per_moment):
    """Turn about the third axis in the same way."""
    w, x, y, z = q
    k, s = half_turn(t * j[2] * per_moment)
    c, d = k * k - s * s, 2.0 * k * s
    return ((k * w - s * z, k * x + s * y, k * y - s * x, k * z + s * w),
            (c * j[0] + d * j[1], c * j[1] - d * j[0], j[2]))


@register_jitable(inline="always")
def free_turn(q, j, per_moment, dt):
    """Return the orientation after a step of free turning with angular momentum j (body frame)."""
    h = 0.5 * dt
    q, j = about_first(q, j, h, per_moment[0])
    q, j = about_second(q, j, h, per_moment[1])
    q, j = about_third(q, j, dt, per_moment[2])
    q, j = about_second(q, j, h, per_moment[1])
    q, j = about_first(q, j, h, per_moment[0])
    w, x, y, z = q
    longer = 1.5 - 0.5 * (w * w + x * x + y * y + z * z)  # to unit length, but for rounding
    return longer * w, longer * x, longer * y, longer * z


@register_jitable(inline="always")
def turned_body(q, m, per, w, b, R, dt):
    """Return orientation, predicted spin and rate of spin of a clump after a step, and its axes.

    ``m`` are its principal moments, ``per`` is one over each.
    """
    h = 0.5 * dt
    u = to_body(R, w[0], w[1], w[2])
    b = to_body(R, b[0], b[1], b[2])
    j = m[0] * (u[0] + h * b[0]), m[1] * (u[1] + h * b[1]), m[2] * (u[2] + h * b[2])
    ahead = to_lab(R, m[0] * (u[0] + dt * b[0]), m[1] * (u[1] + dt * b[1]),
                   m[2] * (u[2] + dt * b[2]))
    torque = to_lab(R, m[0] * b[0], m[1] * b[1], m[2] * b[2])
    q = free_turn(q, j, per, dt)
    R = axes_of(q)
    return q, spin_for(R, per, ahead), spin_for(R, per, torque), R


@register_jitable(inline="always")
def turned_top(q, m, per, w, b, dt):
    """Return what `turned_body` does, for a body whose second and third moments are equal.

    With e its first axis, I ω = I_2 ω + (I_1 - I_2) (ω·e) e.
    """
    h, R = 0.5 * dt, axes_of(q)
    x, y, z = R[0][0], R[1][0], R[2][0]
    one, two, more = m[0], m[1], m[0] - m[1]
    spin, rate = w[0] * x + w[1] * y + w[2] * z, b[0] * x + b[1] * y + b[2] * z
    f, g = 0.25 * dt * per[1], more * (spin + h * rate)
    bx, by, bz = (f * (two * (w[0] + h * b[0]) + g * x), f * (two * (w[1] + h * b[1]) + g * y),
                  f * (two * (w[2] + h * b[2]) + g * z))
    g = more * (spin + dt * rate)
    ahead = (two * (w[0] + dt * b[0]) + g * x, two * (w[1] + dt * b[1]) + g * y,
             two * (w[2] + dt * b[2]) + g * z)
    g = more * rate
    torque = two * b[0] + g * x, two * b[1] + g * y, two * b[2] + g * z
    a = 0.25 * dt * (per[0] - per[1]) * one * (spin + h * rate)
    a2, b2 = a * a, bx * bx + by * by + bz * bz
    s = 1.0 / ((1.0 + a2) * (1.0 + b2))
    c, bx, by, bz = 1.0 - b2, 2.0 * bx, 2.0 * by, 2.0 * bz
    w, x, y, z = q
    w, x, y, z = (c * w - bx * x - by * y - bz * z, c * x + bx * w + by * z - bz * y,
                  c * y - bx * z + by * w + bz * x, c * z + bx * y - by * x + bz * w)
    k, s = (1.0 - a2) * s, 2.0 * a * s
    w, x, y, z = k * w - s * x, k * x + s * w, k * y + s * z, k * z - s * y
    longer = 1.5 - 0.5 * (w * w + x * x + y * y + z * z)  # to unit length, but for rounding
    q = longer * w, longer * x, longer * y, longer * z
    R = axes_of(q)
    return q, _top_for(R, per, ahead), _top_for(R, per, torque), R


@register_jitable(inline="always")
def _top_for(R, per, j):
    """Return what `spin_for` does, for a top."""
    x, y, z = R[0][0], R[1][0], R[2][0]
    g = (per[0] - per[1]) * (j[0] * x + j[1] * y + j[2] * z)
    return per[1] * j[0] + g * x, per[1] * j[1] + g * y, per[1] * j[2] + g * z


@register_jitable(inline="always")
def turned_sphere(q, w, b, dt):
    """Return the orientation of a sphere after a step, w being its predicted spin.

    The arithmetic is that of `integrate.turn_orientations`.
    """
    h, quarter = 0.5 * dt, 0.25 * dt
    bx, by, bz = (quarter * (w[0] - h * b[0]), quarter * (w[1] - h * b[1]),
                  quarter * (w[2] - h * b[2]))
    b2 = bx * bx + by * by + bz * bz
    s = 1.0 / (1.0 + b2)
    w, x, y, z = (1.0 - b2) * s, 2.0 * bx * s, 2.0 * by * s, 2.0 * bz * s
    qw, qx, qy, qz = q
    return (w * qw - x * qx - y * qy - z * qz, w * qx + x * qw + y * qz - z * qy,
            w * qy - x * qz + y * qw + z * qx, w * qz + x * qy - y * qx + z * qw)


@register_jitable(inline="always")
def step_body(i, X, V, W, A, B, Q, M, R, dt, directions):
    """Move body i by one step; return its way, its centre and its axes. R are those before."""
    h = 0.5 * dt
    ax, ay, az = A[i, 0], A[i, 1], A[i, 2]
    vx, vy, vz = V[i, 0], V[i, 1], V[i, 2]
    sx, sy, sz = dt * (vx + h * ax), dt * (vy + h * ay), dt * (vz + h * az)
    cx = into_cell(X[i, 0] + sx, directions[0])
    cy = into_cell(X[i, 1] + sy, directions[1])
    cz = into_cell(X[i, 2] + sz, directions[2])
    X[i, 0], X[i, 1], X[i, 2] = cx, cy, cz
    V[i, 0], V[i, 1], V[i, 2] = vx + dt * ax, vy + dt * ay, vz + dt * az
    q = Q[i, 0], Q[i, 1], Q[i, 2], Q[i, 3]
    w, b = (W[i, 0], W[i, 1], W[i, 2]), (B[i, 0], B[i, 1], B[i, 2])
    m = M[i, 0], M[i, 1], M[i, 2]
    if M[i, 3] == ROUND:
        w = w[0] + dt * b[0], w[1] + dt * b[1], w[2] + dt * b[2]
        q = turned_sphere(q, w, b, dt)
    elif M[i, 3] == TOP:
        q, w, b, R = turned_top(q, m, per_moments(m), w, b, dt)
    else:
        q, w, b, R = turned_body(q, m, per_moments(m), w, b, R, dt)
    Q[i, 0], Q[i, 1], Q[i, 2], Q[i, 3] = q
    W[i, 0], W[i, 1], W[i, 2] = w
    B[i, 0], B[i, 1], B[i, 2] = b
    return (sx, sy, sz), (cx, cy, cz), R


@register_jitable(inline="always")
def place_balls(i, begin, arm, lever, x, R, way, centre, directions, share, longest, most):
    """Place the balls of body i, that has gone its way; return the longest ways so far.

    The way of a ball is that of its body and what the turn adds to it.
    """
    sx, sy, sz = way
    cx, cy, cz = centre
    for k in range(begin[i], begin[i + ONE]):
        lx, ly, lz = to_lab(R, arm[k, 0], arm[k, 1], arm[k, 2])
        dx, dy, dz = sx + (lx - lever[k, 0]), sy + (ly - lever[k, 1]), sz + (lz - lever[k, 2])
        gone = dx * dx + dy * dy + dz * dz
        longest, most = farther(gone, longest), farther(gone * share[k], most)
        lever[k, 0], lever[k, 1], lever[k, 2] = lx, ly, lz
        x[k, 0] = into_cell(cx + lx, directions[0])
        x[k, 1] = into_cell(cy + ly, directions[1])
        x[k, 2] = into_cell(cz + lz, directions[2])
    return longest, most


@uncounted
def set_ball(k, arm, lever, x, R, centre, directions):
    """Place ball k of a body, whose axes are R."""
    lx, ly, lz = to_lab(R, arm[k, 0], arm[k, 1], arm[k, 2])
    lever[k, 0], lever[k, 1], lever[k, 2] = lx, ly, lz
    x[k, 0] = into_cell(centre[0] + lx, directions[0])
    x[k, 1] = into_cell(centre[1] + ly, directions[1])
    x[k, 2] = into_cell(centre[2] + lz, directions[2])


@uncounted
def move_ball(k, v, w, lever, ball_v, ball_w):
    """Give ball k of a body its velocity and spin; v and w are those of the body."""
    lx, ly, lz = lever[k, 0], lever[k, 1], lever[k, 2]
    ball_v[k, 0] = v[0] + (w[1] * lz - w[2] * ly)
    ball_v[k, 1] = v[1] + (w[2] * lx - w[0] * lz)
    ball_v[k, 2] = v[2] + (w[0] * ly - w[1] * lx)
    ball_w[k, 0], ball_w[k, 1], ball_w[k, 2] = w[0], w[1], w[2]


@register_jitable(inline="always")
def move_balls(i, V, W, begin, lever, v, w):
    """Give the balls of body i their velocities and spins."""
    going, turning = (V[i, 0], V[i, 1], V[i, 2]), (W[i, 0], W[i, 1], W[i, 2])
    for k in range(begin[i], begin[i + ONE]):
        move_ball(k, going, turning, lever, v, w)


@register_jitable(inline="always")
def finish_body(i, V, W, A, B, M, begin, arm, lever, F, halo_begin, halo_row, R, g, correction):
    """Sum the forces on the balls of body i, clear them, get its accelerations, correct it.

    R are its axes. Sums begin with -0, to which any number is added without changing a bit.
    """
    fx = fy = fz = tx = ty = tz = -0.0
    is_round = M[i, 3] == ROUND
    for k in range(begin[i], begin[i + ONE]):
        px, py, pz, qx, qy, qz = F[k, 0], F[k, 1], F[k, 2], F[k, 4], F[k, 5], F[k, 6]
        F[k, 0], F[k, 1], F[k, 2], F[k, 4], F[k, 5], F[k, 6] = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        for h in range(halo_begin[k], halo_begin[k + ONE]):
            p = halo_row[h]
            px, py, pz = px + F[p, 0], py + F[p, 1], pz + F[p, 2]
            qx, qy, qz = qx + F[p, 4], qy + F[p, 5], qz + F[p, 6]
            F[p, 0], F[p, 1], F[p, 2], F[p, 4], F[p, 5], F[p, 6] = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        if not is_round:
            lx, ly, lz, r = lever[k, 0], lever[k, 1], lever[k, 2], arm[k, 3]
            qx, qy, qz = (r * qx + (ly * pz - lz * py), r * qy + (lz * px - lx * pz),
                          r * qz + (lx * py - ly * px))
        fx, fy, fz, tx, ty, tz = fx + px, fy + py, fz + pz, tx + qx, ty + qy, tz + qz
    if is_round:
        bx, by, bz = tx * W[i, 3], ty * W[i, 3], tz * W[i, 3]
    else:
        bx, by, bz = spin_for(R, per_moments((M[i, 0], M[i, 1], M[i, 2])), (tx, ty, tz))
    settle_body(i, V, W, A, B, (fx, fy, fz), (bx, by, bz), g, correction)


@uncounted
def settle_body(i, V, W, A, B, force, rate, g, correction):
    """Give body i the accelerations of this force and this rate of spin, and correct it."""
    light = V[i, 3]
    ax, ay, az = force[0] * light + g[0], force[1] * light + g[1], force[2] * light + g[2]
    bx, by, bz = rate
    V[i, 0] += correction * (ax - A[i, 0])
    V[i, 1] += correction * (ay - A[i, 1])
    V[i, 2] += correction * (az - A[i, 2])
    W[i, 0] += correction * (bx - B[i, 0])
    W[i, 1] += correction * (by - B[i, 1])
    W[i, 2] += correction * (bz - B[i, 2])
    A[i, 0], A[i, 1], A[i, 2] = ax, ay, az
    B[i, 0], B[i, 1], B[i, 2] = bx, by, bz


@kernel
def begin_some(first, last, bodies, rows, dt, cell, share):
    """Move bodies first to last and their balls by one step.

    Returns:
        Square of the longest way of a ball [m2], and of the longest in units of its margin.
    """
    X, V, W, A, B, Q, M = (bodies.X, bodies.V, bodies.W, bodies.A, bodies.B, bodies.Q,
                           bodies.inertia)
    begin, arm, lever, x, v, w = bodies.begin, bodies.arm, bodies.lever, rows.X, rows.V, rows.W
    directions = by_direction(cell)
    longest = most = 0.0
    for n in range(first, last):
        i = np.uintp(n)
        R = axes_of((Q[i, 0], Q[i, 1], Q[i, 2], Q[i, 3]))
        way, centre, R = step_body(i, X, V, W, A, B, Q, M, R, dt, directions)
        longest, most = place_balls(i, begin, arm, lever, x, R, way, centre, directions, share,
                                    longest, most)
        move_balls(i, V, W, begin, lever, v, w)
    return longest, most


@kernel
def finish_some(first, last, bodies, rows, F, halo_begin, halo_row, g, correction):
    """Finish a step of bodies first to last."""
    V, W, A, B, Q, M = bodies.V, bodies.W, bodies.A, bodies.B, bodies.Q, bodies.inertia
    begin, arm, lever, v, w = bodies.begin, bodies.arm, bodies.lever, rows.V, rows.W
    for n in range(first, last):
        i = np.uintp(n)
        R = axes_of((Q[i, 0], Q[i, 1], Q[i, 2], Q[i, 3]))
        finish_body(i, V, W, A, B, M, begin, arm, lever, F, halo_begin, halo_row, R, g, correction)
        move_balls(i, V, W, begin, lever, v, w)


@parallel_kernel
def rate_balls(bodies, rows):
    """Give all balls the rates that forces make of their velocities and spins.

    That is what a kick does to them, A + B × lever; that their velocities turn with the body is not
    the work of any force.
    """
    block, A, B, begin, lever, a, b = (bodies.block, bodies.A, bodies.B, bodies.begin,
                                       bodies.lever, rows.A, rows.B)
    for number in numba.prange(block.size - 1):
        for i in range(block[number], block[number + 1]):
            move_balls(np.uintp(i), A, B, begin, lever, a, b)


@uncounted
def write_axes(axes, i, R):
    """Write the axes of body i, that is the columns of its rotation matrix."""
    for a in range(3):
        axes[i, a], axes[i, 4 + a], axes[i, 8 + a] = R[a]


@kernel
def place_all(bodies, rows, cell):
    """Set all axes and balls from the bodies as they are."""
    X, V, W, Q, begin, arm, lever, axes = (bodies.X, bodies.V, bodies.W, bodies.Q, bodies.begin,
                                           bodies.arm, bodies.lever, bodies.axes)
    x, v, w = rows.X, rows.V, rows.W
    directions = by_direction(cell)
    for n in range(X.shape[0]):
        i = np.uintp(n)
        R = axes_of((Q[i, 0], Q[i, 1], Q[i, 2], Q[i, 3]))
        write_axes(axes, i, R)
        for k in range(begin[i], begin[i + ONE]):
            set_ball(k, arm, lever, x, R, (X[i, 0], X[i, 1], X[i, 2]), directions)
        move_balls(i, V, W, begin, lever, v, w)


@parallel_kernel
def begin_bodies(bodies, rows, dt, cell, share, ways):
    """Move all bodies by one step; ``ways`` (2,blocks) gets the squares of the longest ways."""
    block = bodies.block
    for b in numba.prange(block.size - 1):
        ways[0, b], ways[1, b] = begin_some(block[b], block[b + 1], bodies, rows, dt, cell, share)


@parallel_kernel
def finish_bodies(bodies, rows, F, halo_begin, halo_row, g, correction):
    """Finish a step of all bodies."""
    block = bodies.block
    for b in numba.prange(block.size - 1):
        finish_some(block[b], block[b + 1], bodies, rows, F, halo_begin, halo_row, g, correction)

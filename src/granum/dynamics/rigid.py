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

The torque of a ball's contacts about the centre of mass is lever × force + radius × (torque over
radius), summed ball by ball in storage order. Bodies that are spheres go through the very
arithmetic of `integrate`: they have the same bits in a world with clumps as in one without.

Legend: see `bodies`; F (rows,8) forces and torques over radius; g gravity.
"""

from __future__ import annotations

import numba
from numba.extending import register_jitable

from granum.compile import kernel, parallel_kernel
from granum.dynamics.integrate import by_direction, farther, into_cell, turn_orientations


@register_jitable
def axes_of(Q, i):
    """Return the rotation matrix of body i, row by row: from its frame to the lab.

    It is a rotation whatever the rounding of the quaternion's length, which else would change the
    angular momentum a little at every step.
    """
    w, x, y, z = Q[i, 0], Q[i, 1], Q[i, 2], Q[i, 3]
    s = 2.0 / (w * w + x * x + y * y + z * z)
    return ((1.0 - s * (y * y + z * z), s * (x * y - w * z), s * (x * z + w * y)),
            (s * (x * y + w * z), 1.0 - s * (x * x + z * z), s * (y * z - w * x)),
            (s * (x * z - w * y), s * (y * z + w * x), 1.0 - s * (x * x + y * y)))


@register_jitable
def to_lab(R, x, y, z):
    """Return a vector of the body's frame as seen in the lab."""
    return (R[0][0] * x + R[0][1] * y + R[0][2] * z,
            R[1][0] * x + R[1][1] * y + R[1][2] * z,
            R[2][0] * x + R[2][1] * y + R[2][2] * z)


@register_jitable
def to_body(R, x, y, z):
    """Return a vector of the lab as seen in the body's frame."""
    return (R[0][0] * x + R[1][0] * y + R[2][0] * z,
            R[0][1] * x + R[1][1] * y + R[2][1] * z,
            R[0][2] * x + R[1][2] * y + R[2][2] * z)


@register_jitable
def spin_for(R, inertia, i, x, y, z):
    """Return I⁻¹ j in the lab, for an angular momentum (or torque) j in the lab."""
    p, q, r = to_body(R, x, y, z)
    return to_lab(R, p / inertia[i, 0], q / inertia[i, 1], r / inertia[i, 2])


@register_jitable
def half_turn(angle):
    """Return cosine and sine of half an angle, for the Cayley turn by about that angle."""
    b = 0.25 * angle
    s = 1.0 / (1.0 + b * b)
    return (1.0 - b * b) * s, 2.0 * b * s


@register_jitable
def about_first(q, j, t, moment):
    """Turn about the first axis for the time t: the body turns, and j, which stays, turns back."""
    w, x, y, z = q
    k, s = half_turn(t * j[0] / moment)
    c, d = k * k - s * s, 2.0 * k * s
    return ((k * w - s * x, k * x + s * w, k * y + s * z, k * z - s * y),
            (j[0], c * j[1] + d * j[2], c * j[2] - d * j[1]))


@register_jitable
def about_second(q, j, t, moment):
    """Turn about the second axis in the same way."""
    w, x, y, z = q
    k, s = half_turn(t * j[1] / moment)
    c, d = k * k - s * s, 2.0 * k * s
    return ((k * w - s * y, k * x - s * z, k * y + s * w, k * z + s * x),
            (c * j[0] - d * j[2], j[1], c * j[2] + d * j[0]))


@register_jitable
def about_third(q, j, t, moment):
    """Turn about the third axis in the same way."""
    w, x, y, z = q
    k, s = half_turn(t * j[2] / moment)
    c, d = k * k - s * s, 2.0 * k * s
    return ((k * w - s * z, k * x + s * y, k * y - s * x, k * z + s * w),
            (c * j[0] + d * j[1], c * j[1] - d * j[0], j[2]))


@register_jitable
def free_turn(q, j, moments, dt):
    """Return the orientation after a step of free turning with angular momentum j (body frame)."""
    h = 0.5 * dt
    q, j = about_first(q, j, h, moments[0])
    q, j = about_second(q, j, h, moments[1])
    q, j = about_third(q, j, dt, moments[2])
    q, j = about_second(q, j, h, moments[1])
    q, j = about_first(q, j, h, moments[0])
    w, x, y, z = q
    longer = 1.5 - 0.5 * (w * w + x * x + y * y + z * z)  # to unit length, but for rounding
    return longer * w, longer * x, longer * y, longer * z


@register_jitable
def turn_body(i, bodies, dt):
    """Turn body i by one step; its spin becomes the predicted one."""
    W, B, Q, inertia = bodies.W, bodies.B, bodies.Q, bodies.inertia
    h = 0.5 * dt
    R = axes_of(Q, i)
    u = to_body(R, W[i, 0], W[i, 1], W[i, 2])
    b = to_body(R, B[i, 0], B[i, 1], B[i, 2])
    m = inertia[i, 0], inertia[i, 1], inertia[i, 2]
    j = m[0] * (u[0] + h * b[0]), m[1] * (u[1] + h * b[1]), m[2] * (u[2] + h * b[2])
    ahead = to_lab(R, m[0] * (u[0] + dt * b[0]), m[1] * (u[1] + dt * b[1]),
                   m[2] * (u[2] + dt * b[2]))
    torque = to_lab(R, m[0] * b[0], m[1] * b[1], m[2] * b[2])
    q = Q[i, 0], Q[i, 1], Q[i, 2], Q[i, 3]
    Q[i, 0], Q[i, 1], Q[i, 2], Q[i, 3] = free_turn(q, j, m, dt)
    R = axes_of(Q, i)
    W[i, 0], W[i, 1], W[i, 2] = spin_for(R, inertia, i, ahead[0], ahead[1], ahead[2])
    B[i, 0], B[i, 1], B[i, 2] = spin_for(R, inertia, i, torque[0], torque[1], torque[2])


@register_jitable
def move_balls(i, bodies, rows):
    """Give the balls of body i their velocities and spins."""
    V, W = bodies.V, bodies.W
    wx, wy, wz = W[i, 0], W[i, 1], W[i, 2]
    for k in range(bodies.begin[i], bodies.begin[i + 1]):
        x, y, z = bodies.lever[k, 0], bodies.lever[k, 1], bodies.lever[k, 2]
        rows.V[k, 0] = V[i, 0] + (wy * z - wz * y)
        rows.V[k, 1] = V[i, 1] + (wz * x - wx * z)
        rows.V[k, 2] = V[i, 2] + (wx * y - wy * x)
        rows.W[k, 0], rows.W[k, 1], rows.W[k, 2] = wx, wy, wz


@register_jitable
def place_balls(i, bodies, rows, way, directions, share, longest, most):
    """Put the balls of body i where they belong after it went ``way``; return the longest ways.

    The way of a ball is that of its body and what the turn adds to it.
    """
    R = axes_of(bodies.Q, i)
    for k in range(bodies.begin[i], bodies.begin[i + 1]):
        x, y, z = to_lab(R, bodies.arm[k, 0], bodies.arm[k, 1], bodies.arm[k, 2])
        dx = way[0] + (x - bodies.lever[k, 0])
        dy = way[1] + (y - bodies.lever[k, 1])
        dz = way[2] + (z - bodies.lever[k, 2])
        gone = dx * dx + dy * dy + dz * dz
        longest, most = farther(gone, longest), farther(gone * share[k], most)
        bodies.lever[k, 0], bodies.lever[k, 1], bodies.lever[k, 2] = x, y, z
        rows.X[k, 0] = into_cell(bodies.X[i, 0] + x, directions[0])
        rows.X[k, 1] = into_cell(bodies.X[i, 1] + y, directions[1])
        rows.X[k, 2] = into_cell(bodies.X[i, 2] + z, directions[2])
    move_balls(i, bodies, rows)
    return longest, most


@register_jitable
def begin_body(i, bodies, rows, dt, directions, share, longest, most):
    """Move body i and its balls by one step; return the longest ways so far."""
    X, V, A = bodies.X, bodies.V, bodies.A
    h = 0.5 * dt
    way = (dt * (V[i, 0] + h * A[i, 0]), dt * (V[i, 1] + h * A[i, 1]),
           dt * (V[i, 2] + h * A[i, 2]))
    for a in range(3):
        X[i, a] = into_cell(X[i, a] + way[a], directions[a])
        V[i, a] += dt * A[i, a]
    if bodies.inertia[i, 3] == 1.0:
        for a in range(3):
            bodies.W[i, a] += dt * bodies.B[i, a]
        turn_orientations(i, i + 1, bodies, dt)
    else:
        turn_body(i, bodies, dt)
    return place_balls(i, bodies, rows, way, directions, share, longest, most)


@register_jitable
def force_on(k, F, halo_begin, halo_row):
    """Sum force and torque over radius on ball k in fixed order, and clear them."""
    fx, fy, fz, tx, ty, tz = F[k, 0], F[k, 1], F[k, 2], F[k, 4], F[k, 5], F[k, 6]
    for a in range(8):
        F[k, a] = 0.0
    for h in range(halo_begin[k], halo_begin[k + 1]):
        p = halo_row[h]
        fx, fy, fz = fx + F[p, 0], fy + F[p, 1], fz + F[p, 2]
        tx, ty, tz = tx + F[p, 4], ty + F[p, 5], tz + F[p, 6]
        for a in range(8):
            F[p, a] = 0.0
    return (fx, fy, fz), (tx, ty, tz)


@register_jitable
def finish_body(i, bodies, F, halo_begin, halo_row, g, correction):
    """Get the accelerations of body i from the forces on its balls, and correct its velocities."""
    V, W, A, B, inertia = bodies.V, bodies.W, bodies.A, bodies.B, bodies.inertia
    first = bodies.begin[i]
    if inertia[i, 3] == 1.0:
        f, t = force_on(first, F, halo_begin, halo_row)
        b = t[0] * W[i, 3], t[1] * W[i, 3], t[2] * W[i, 3]
    else:
        fx = fy = fz = tx = ty = tz = 0.0
        for k in range(first, bodies.begin[i + 1]):
            f, t = force_on(k, F, halo_begin, halo_row)
            x, y, z, r = (bodies.lever[k, 0], bodies.lever[k, 1], bodies.lever[k, 2],
                          bodies.arm[k, 3])
            fx, fy, fz = fx + f[0], fy + f[1], fz + f[2]
            tx += r * t[0] + (y * f[2] - z * f[1])
            ty += r * t[1] + (z * f[0] - x * f[2])
            tz += r * t[2] + (x * f[1] - y * f[0])
        f = fx, fy, fz
        b = spin_for(axes_of(bodies.Q, i), inertia, i, tx, ty, tz)
    for a in range(3):
        new = f[a] * V[i, 3] + g[a]
        V[i, a] += correction * (new - A[i, a])
        W[i, a] += correction * (b[a] - B[i, a])
        A[i, a], B[i, a] = new, b[a]


@kernel
def begin(first, last, bodies, rows, dt, cell, share):
    """Move bodies first to last and their balls by one step.

    Returns:
        Square of the longest way of a ball [m2], and of the longest in units of its margin.
    """
    directions = by_direction(cell)
    longest = most = 0.0
    for i in range(first, last):
        longest, most = begin_body(i, bodies, rows, dt, directions, share, longest, most)
    return longest, most


@kernel
def finish(first, last, bodies, rows, F, halo_begin, halo_row, g, correction):
    """Sum forces in fixed order, get accelerations, correct velocities, clear the force rows."""
    for i in range(first, last):
        finish_body(i, bodies, F, halo_begin, halo_row, g, correction)
        move_balls(i, bodies, rows)


@kernel
def finish_and_begin(first, last, bodies, rows, F, halo_begin, halo_row, g, correction, dt, cell,
                     share):
    """Finish one step and begin the next in one pass over memory; the bits are the same."""
    directions = by_direction(cell)
    longest = most = 0.0
    for i in range(first, last):
        finish_body(i, bodies, F, halo_begin, halo_row, g, correction)
        longest, most = begin_body(i, bodies, rows, dt, directions, share, longest, most)
    return longest, most


@parallel_kernel
def begin_bodies(bodies, rows, dt, cell, share, ways):
    """Move all bodies by one step; ``ways`` (2,blocks) gets the squares of the longest ways."""
    block = bodies.block
    for b in numba.prange(block.size - 1):
        ways[0, b], ways[1, b] = begin(block[b], block[b + 1], bodies, rows, dt, cell, share)


@parallel_kernel
def finish_bodies(bodies, rows, F, halo_begin, halo_row, g, correction):
    """Finish a step of all bodies."""
    block = bodies.block
    for b in numba.prange(block.size - 1):
        finish(block[b], block[b + 1], bodies, rows, F, halo_begin, halo_row, g, correction)


@parallel_kernel
def finish_and_begin_bodies(bodies, rows, F, halo_begin, halo_row, g, correction, dt, cell, share,
                            ways):
    """Finish a step of all bodies and begin the next; ``ways`` as in `begin_bodies`."""
    block = bodies.block
    for b in numba.prange(block.size - 1):
        ways[0, b], ways[1, b] = finish_and_begin(
            block[b], block[b + 1], bodies, rows, F, halo_begin, halo_row, g, correction, dt, cell,
            share)


@kernel
def place_all(bodies, rows, cell, share):
    """Set all balls from the bodies as they are."""
    directions = by_direction(cell)
    for i in range(bodies.X.shape[0]):
        place_balls(i, bodies, rows, (0.0, 0.0, 0.0), directions, share, 0.0, 0.0)

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

These functions take arrays, not tuples of them, whose references would be counted for every body.

Legend: X, V, W, A, B, Q, M (inertia), begin, arm and lever as in `bodies`; x, v, w (m,4) those of
the balls in `rows`; F (rows,8) forces and torques over radius; g gravity.
"""

from __future__ import annotations

import numba
import numpy as np
from numba.extending import register_jitable

from granum.compile import kernel, parallel_kernel
from granum.dynamics.integrate import by_direction, farther, into_cell
from granum.vector_rows import ONE


@register_jitable
def axes_of(w, x, y, z):
    """Return the rotation matrix of a quaternion, row by row: from the body's frame to the lab.

    It is a rotation whatever the rounding of the quaternion's length.
    """
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
def spin_for(R, moments, j):
    """Return I⁻¹ j in the lab, for an angular momentum (or torque) j in the lab."""
    a, b, c = to_body(R, j[0], j[1], j[2])
    return to_lab(R, a / moments[0], b / moments[1], c / moments[2])


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
def turn_body(i, W, B, Q, M, dt):
    """Turn a clump by one step; its spin becomes the predicted one."""
    h = 0.5 * dt
    q = Q[i, 0], Q[i, 1], Q[i, 2], Q[i, 3]
    m = M[i, 0], M[i, 1], M[i, 2]
    R = axes_of(q[0], q[1], q[2], q[3])
    u = to_body(R, W[i, 0], W[i, 1], W[i, 2])
    b = to_body(R, B[i, 0], B[i, 1], B[i, 2])
    j = m[0] * (u[0] + h * b[0]), m[1] * (u[1] + h * b[1]), m[2] * (u[2] + h * b[2])
    ahead = to_lab(R, m[0] * (u[0] + dt * b[0]), m[1] * (u[1] + dt * b[1]),
                   m[2] * (u[2] + dt * b[2]))
    torque = to_lab(R, m[0] * b[0], m[1] * b[1], m[2] * b[2])
    q = free_turn(q, j, m, dt)
    R = axes_of(q[0], q[1], q[2], q[3])
    Q[i, 0], Q[i, 1], Q[i, 2], Q[i, 3] = q
    W[i, 0], W[i, 1], W[i, 2] = spin_for(R, m, ahead)
    B[i, 0], B[i, 1], B[i, 2] = spin_for(R, m, torque)


@register_jitable
def turn_sphere(i, W, B, Q, dt):
    """Turn a sphere by one step, with the arithmetic of `integrate`."""
    h, quarter = 0.5 * dt, 0.25 * dt
    for a in range(3):
        W[i, a] += dt * B[i, a]
    bx = quarter * (W[i, 0] - h * B[i, 0])
    by = quarter * (W[i, 1] - h * B[i, 1])
    bz = quarter * (W[i, 2] - h * B[i, 2])
    b2 = bx * bx + by * by + bz * bz
    s = 1.0 / (1.0 + b2)
    w, x, y, z = (1.0 - b2) * s, 2.0 * bx * s, 2.0 * by * s, 2.0 * bz * s
    qw, qx, qy, qz = Q[i, 0], Q[i, 1], Q[i, 2], Q[i, 3]
    Q[i, 0] = w * qw - x * qx - y * qy - z * qz
    Q[i, 1] = w * qx + x * qw + y * qz - z * qy
    Q[i, 2] = w * qy - x * qz + y * qw + z * qx
    Q[i, 3] = w * qz + x * qy - y * qx + z * qw


@register_jitable
def move_balls(i, V, W, begin, lever, v, w):
    """Give the balls of body i their velocities and spins."""
    wx, wy, wz = W[i, 0], W[i, 1], W[i, 2]
    vx, vy, vz = V[i, 0], V[i, 1], V[i, 2]
    for k in range(begin[i], begin[i + ONE]):
        lx, ly, lz = lever[k, 0], lever[k, 1], lever[k, 2]
        v[k, 0] = vx + (wy * lz - wz * ly)
        v[k, 1] = vy + (wz * lx - wx * lz)
        v[k, 2] = vz + (wx * ly - wy * lx)
        w[k, 0], w[k, 1], w[k, 2] = wx, wy, wz


@register_jitable
def place_balls(i, X, Q, begin, arm, lever, x, way, directions, share, longest, most):
    """Put the balls of body i where they belong after it went ``way``; return the longest ways.

    The way of a ball is that of its body and what the turn adds to it.
    """
    R = axes_of(Q[i, 0], Q[i, 1], Q[i, 2], Q[i, 3])
    cx, cy, cz = X[i, 0], X[i, 1], X[i, 2]
    for k in range(begin[i], begin[i + ONE]):
        lx, ly, lz = to_lab(R, arm[k, 0], arm[k, 1], arm[k, 2])
        dx = way[0] + (lx - lever[k, 0])
        dy = way[1] + (ly - lever[k, 1])
        dz = way[2] + (lz - lever[k, 2])
        gone = dx * dx + dy * dy + dz * dz
        longest, most = farther(gone, longest), farther(gone * share[k], most)
        lever[k, 0], lever[k, 1], lever[k, 2] = lx, ly, lz
        x[k, 0] = into_cell(cx + lx, directions[0])
        x[k, 1] = into_cell(cy + ly, directions[1])
        x[k, 2] = into_cell(cz + lz, directions[2])
    return longest, most


@register_jitable
def begin_body(i, X, V, W, A, B, Q, M, dt, directions):
    """Move body i by one step; return its way [m]."""
    h = 0.5 * dt
    dx, dy, dz = (dt * (V[i, 0] + h * A[i, 0]), dt * (V[i, 1] + h * A[i, 1]),
                  dt * (V[i, 2] + h * A[i, 2]))
    X[i, 0] = into_cell(X[i, 0] + dx, directions[0])
    X[i, 1] = into_cell(X[i, 1] + dy, directions[1])
    X[i, 2] = into_cell(X[i, 2] + dz, directions[2])
    V[i, 0] += dt * A[i, 0]
    V[i, 1] += dt * A[i, 1]
    V[i, 2] += dt * A[i, 2]
    if M[i, 3] == 1.0:
        turn_sphere(i, W, B, Q, dt)
    else:
        turn_body(i, W, B, Q, M, dt)
    return dx, dy, dz


@register_jitable
def force_on(k, F, halo_begin, halo_row):
    """Sum force and torque over radius on ball k in fixed order, and clear them."""
    fx, fy, fz, tx, ty, tz = F[k, 0], F[k, 1], F[k, 2], F[k, 4], F[k, 5], F[k, 6]
    F[k, 0] = F[k, 1] = F[k, 2] = F[k, 3] = F[k, 4] = F[k, 5] = F[k, 6] = F[k, 7] = 0.0
    for h in range(halo_begin[k], halo_begin[k + ONE]):
        p = halo_row[h]
        fx, fy, fz = fx + F[p, 0], fy + F[p, 1], fz + F[p, 2]
        tx, ty, tz = tx + F[p, 4], ty + F[p, 5], tz + F[p, 6]
        F[p, 0] = F[p, 1] = F[p, 2] = F[p, 3] = F[p, 4] = F[p, 5] = F[p, 6] = F[p, 7] = 0.0
    return fx, fy, fz, tx, ty, tz


@register_jitable
def finish_body(i, V, W, A, B, Q, M, begin, arm, lever, F, halo_begin, halo_row, g, correction):
    """Get the accelerations of body i from the forces on its balls, and correct its velocities."""
    first = begin[i]
    if M[i, 3] == 1.0:
        fx, fy, fz, tx, ty, tz = force_on(first, F, halo_begin, halo_row)
        b = tx * W[i, 3], ty * W[i, 3], tz * W[i, 3]
    else:
        fx = fy = fz = tx = ty = tz = 0.0
        for k in range(first, begin[i + ONE]):
            px, py, pz, qx, qy, qz = force_on(k, F, halo_begin, halo_row)
            lx, ly, lz, r = lever[k, 0], lever[k, 1], lever[k, 2], arm[k, 3]
            fx, fy, fz = fx + px, fy + py, fz + pz
            tx += r * qx + (ly * pz - lz * py)
            ty += r * qy + (lz * px - lx * pz)
            tz += r * qz + (lx * py - ly * px)
        R = axes_of(Q[i, 0], Q[i, 1], Q[i, 2], Q[i, 3])
        b = spin_for(R, (M[i, 0], M[i, 1], M[i, 2]), (tx, ty, tz))
    light = V[i, 3]
    a = fx * light + g[0], fy * light + g[1], fz * light + g[2]
    for c in range(3):
        V[i, c] += correction * (a[c] - A[i, c])
        W[i, c] += correction * (b[c] - B[i, c])
        A[i, c], B[i, c] = a[c], b[c]


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
        way = begin_body(i, X, V, W, A, B, Q, M, dt, directions)
        longest, most = place_balls(i, X, Q, begin, arm, lever, x, way, directions, share, longest,
                                    most)
        move_balls(i, V, W, begin, lever, v, w)
    return longest, most


@kernel
def finish_some(first, last, bodies, rows, F, halo_begin, halo_row, g, correction):
    """Sum forces in fixed order, get accelerations, correct velocities, clear the force rows."""
    V, W, A, B, Q, M = bodies.V, bodies.W, bodies.A, bodies.B, bodies.Q, bodies.inertia
    begin, arm, lever, v, w = bodies.begin, bodies.arm, bodies.lever, rows.V, rows.W
    for n in range(first, last):
        i = np.uintp(n)
        finish_body(i, V, W, A, B, Q, M, begin, arm, lever, F, halo_begin, halo_row, g, correction)
        move_balls(i, V, W, begin, lever, v, w)


@kernel
def finish_and_begin_some(first, last, bodies, rows, F, halo_begin, halo_row, g, correction, dt,
                          cell, share):
    """Finish one step and begin the next in one pass over memory; the bits are the same."""
    X, V, W, A, B, Q, M = (bodies.X, bodies.V, bodies.W, bodies.A, bodies.B, bodies.Q,
                           bodies.inertia)
    begin, arm, lever, x, v, w = bodies.begin, bodies.arm, bodies.lever, rows.X, rows.V, rows.W
    directions = by_direction(cell)
    longest = most = 0.0
    for n in range(first, last):
        i = np.uintp(n)
        finish_body(i, V, W, A, B, Q, M, begin, arm, lever, F, halo_begin, halo_row, g, correction)
        way = begin_body(i, X, V, W, A, B, Q, M, dt, directions)
        longest, most = place_balls(i, X, Q, begin, arm, lever, x, way, directions, share, longest,
                                    most)
        move_balls(i, V, W, begin, lever, v, w)
    return longest, most


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


@parallel_kernel
def finish_and_begin_bodies(bodies, rows, F, halo_begin, halo_row, g, correction, dt, cell, share,
                            ways):
    """Finish a step of all bodies and begin the next; ``ways`` as in `begin_bodies`."""
    block = bodies.block
    for b in numba.prange(block.size - 1):
        ways[0, b], ways[1, b] = finish_and_begin_some(
            block[b], block[b + 1], bodies, rows, F, halo_begin, halo_row, g, correction, dt, cell,
            share)


@kernel
def place_all(bodies, rows, cell, share):
    """Set all balls from the bodies as they are."""
    directions = by_direction(cell)
    for n in range(bodies.X.shape[0]):
        i = np.uintp(n)
        place_balls(i, bodies.X, bodies.Q, bodies.begin, bodies.arm, bodies.lever, rows.X,
                    (0.0, 0.0, 0.0), directions, share, 0.0, 0.0)
        move_balls(i, bodies.V, bodies.W, bodies.begin, bodies.lever, rows.V, rows.W)

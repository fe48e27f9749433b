"""Motion: from forces to new positions, one block of grains at a time.

Velocity Verlet, in the form that evaluates velocity-dependent forces at a predicted velocity, so
that dashpots too are met to second order:

    begin    x += dt v + dt²/2 a,   v += dt a      (v is now a prediction)
    (forces at the new x and the predicted v give a')
    finish   v += dt/2 (a' - a)

The thesis' step (Ferrez 3.20, 3.21) is the same without the correction in ``finish``: constant
acceleration over the step, first order in v. Spins move alike. Orientations turn by the mean spin
of the step about its axis (a Cayley turn, which keeps unit length to rounding).

These kernels keep IEEE arithmetic to the letter (no contraction), so that a state has the same bits
wherever a run is cut. Legend: X (n,4) position, radius; V (n,8) velocity, 1/m, spin, r²/I;
A (n,8) accelerations; Q (n,4) orientations; F (rows,8) forces, torques over radius.
"""

from __future__ import annotations

import numpy as np
from numba.extending import register_jitable

from granum.compile import exact_kernel


@register_jitable(inline="always")
def turn_orientation(Q, i, bx, by, bz):
    """Turn orientation i by the Cayley rotation of b = tan(angle/4) axis, seen from the lab."""
    b2 = bx * bx + by * by + bz * bz
    s = 1.0 / (1.0 + b2)
    w = (1.0 - b2) * s
    x = 2.0 * bx * s
    y = 2.0 * by * s
    z = 2.0 * bz * s
    qw, qx, qy, qz = Q[i, 0], Q[i, 1], Q[i, 2], Q[i, 3]
    Q[i, 0] = w * qw - x * qx - y * qy - z * qz
    Q[i, 1] = w * qx + x * qw + y * qz - z * qy
    Q[i, 2] = w * qy - x * qz + y * qw + z * qx
    Q[i, 3] = w * qz + x * qy - y * qx + z * qw


@register_jitable(inline="always")
def move(i, X, V, A, Q, dt, L, periodic):
    """Move grain i by one step; return the square of the way gone [m2]."""
    h = 0.5 * dt
    way = 0.0
    for a in range(3):
        d = dt * (V[i, a] + h * A[i, a])
        V[i, a] += dt * A[i, a]
        X[i, a] += d
        way += d * d
    turn_orientation(
        Q, i,
        0.25 * dt * (V[i, 4] + h * A[i, 4]),
        0.25 * dt * (V[i, 5] + h * A[i, 5]),
        0.25 * dt * (V[i, 6] + h * A[i, 6]),
    )
    for a in range(4, 7):
        V[i, a] += dt * A[i, a]
    if periodic:
        for a in range(3):
            if L[a] > 0.0:
                if X[i, a] >= L[a]:
                    X[i, a] -= L[a]
                elif X[i, a] < 0.0:
                    X[i, a] += L[a]
    return way


@register_jitable(inline="always")
def farther(way, longest):
    """Return the longer of two ways; one that is not a finite number is infinite."""
    if way <= longest:
        return longest
    return way if way < np.inf else np.inf


@register_jitable(inline="always")
def settle(i, X, V, A, F, halo_begin, halo_row, gx, gy, gz, correction):
    """Sum the forces on grain i in fixed order, get its accelerations, correct its velocities."""
    for h in range(halo_begin[i], halo_begin[i + 1]):
        row = halo_row[h]
        for a in range(8):
            F[i, a] += F[row, a]
            F[row, a] = 0.0
    im = V[i, 3]
    ii = V[i, 7] / X[i, 3]  # radius over moment of inertia: torques are summed over radius
    ax = F[i, 0] * im + gx
    ay = F[i, 1] * im + gy
    az = F[i, 2] * im + gz
    bx = F[i, 4] * ii
    by = F[i, 5] * ii
    bz = F[i, 6] * ii
    V[i, 0] += correction * (ax - A[i, 0])
    V[i, 1] += correction * (ay - A[i, 1])
    V[i, 2] += correction * (az - A[i, 2])
    V[i, 4] += correction * (bx - A[i, 4])
    V[i, 5] += correction * (by - A[i, 5])
    V[i, 6] += correction * (bz - A[i, 6])
    A[i, 0], A[i, 1], A[i, 2] = ax, ay, az
    A[i, 4], A[i, 5], A[i, 6] = bx, by, bz
    for a in range(8):
        F[i, a] = 0.0


@exact_kernel
def begin(first, last, X, V, A, Q, dt, L, periodic):
    """Move grains first to last by one step; return the square of the longest way gone [m2]."""
    longest = 0.0
    for i in range(first, last):
        longest = farther(move(i, X, V, A, Q, dt, L, periodic), longest)
    return longest


@exact_kernel
def finish(first, last, X, V, A, F, halo_begin, halo_row, gx, gy, gz, correction):
    """Sum forces in fixed order, get accelerations, correct velocities, clear the force rows."""
    for i in range(first, last):
        settle(i, X, V, A, F, halo_begin, halo_row, gx, gy, gz, correction)


@exact_kernel
def finish_and_begin(first, last, X, V, A, Q, F, halo_begin, halo_row, gx, gy, gz, correction,
                     dt, L, periodic):
    """Finish one step and begin the next in one pass over memory; the bits are the same."""
    longest = 0.0
    for i in range(first, last):
        settle(i, X, V, A, F, halo_begin, halo_row, gx, gy, gz, correction)
        longest = farther(move(i, X, V, A, Q, dt, L, periodic), longest)
    return longest

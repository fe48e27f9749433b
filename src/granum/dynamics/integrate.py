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
wherever a run is cut. The fourth number of a row is a constant and goes along: what is added to it
is zero. Legend: see `rows`; F (rows,8) forces and torques over radius.
"""

from __future__ import annotations

from typing import NamedTuple

import numba
import numpy as np
from numba.extending import register_jitable
from numpy.typing import NDArray

from granum.compile import kernel, parallel_kernel
from granum.vector_rows import EIGHT, FOUR, ONE, THREE, TWO, flat, read_row, write_row


class Cell(NamedTuple):
    """The periodic cell: when and how far a coordinate is brought back."""

    period: NDArray[np.float64]  # (3,) period [m], 0 where there is none
    low: NDArray[np.float64]  # (3,) below this, a period is added [m]
    high: NDArray[np.float64]  # (3,) from here on, a period is taken off [m]


def make_cell(period: NDArray[np.float64]) -> Cell:
    """Return the cell of a world with these three periods [m], 0 where there is none."""
    there = period > 0.0
    return Cell(period, np.where(there, 0.0, -np.inf), np.where(there, period, np.inf))


@register_jitable
def by_direction(cell):
    """Return (period, low, high) of each direction, read once and not for every grain."""
    return ((cell.period[0], cell.low[0], cell.high[0]),
            (cell.period[1], cell.low[1], cell.high[1]),
            (cell.period[2], cell.low[2], cell.high[2]))


@register_jitable
def into_cell(x, direction):
    """Return a coordinate brought back into the periodic cell."""
    period, low, high = direction
    x -= period if x >= high else 0.0
    x += period if x < low else 0.0
    return x


@register_jitable
def move(q, X, V, W, v, a, w, b, dt, cell):
    """Move the grain whose rows begin at q; return the square of the way gone [m2].

    v, w, a and b are its velocity, spin and their rates, with the constants that go along.
    """
    h = 0.5 * dt
    x, y, z, r = read_row(X, q)
    dx, dy, dz = dt * (v[0] + h * a[0]), dt * (v[1] + h * a[1]), dt * (v[2] + h * a[2])
    x = into_cell(x + dx, cell[0])
    y = into_cell(y + dy, cell[1])
    z = into_cell(z + dz, cell[2])
    write_row(X, q, x, y, z, r)
    write_row(V, q, v[0] + dt * a[0], v[1] + dt * a[1], v[2] + dt * a[2], v[3] + dt * a[3])
    write_row(W, q, w[0] + dt * b[0], w[1] + dt * b[1], w[2] + dt * b[2], w[3] + dt * b[3])
    return dx * dx + dy * dy + dz * dz


@register_jitable
def farther(way, longest):
    """Return the longer of two ways; one that is not a finite number is infinite."""
    if way <= longest:
        return longest
    return way if way < np.inf else np.inf


@register_jitable
def corrected(v, correction, new, old):
    """Return a velocity after the correction for the acceleration found anew."""
    return (v[0] + correction * (new[0] - old[0]), v[1] + correction * (new[1] - old[1]),
            v[2] + correction * (new[2] - old[2]), v[3] + correction * (new[3] - old[3]))


@register_jitable
def settle(i, q, V, W, A, B, F, halo_begin, halo_row, g, correction):
    """Sum the forces on grain i in fixed order, clear them, get its accelerations.

    Returns:
        Velocity and spin, corrected, with their rates, and the constants that go along.
    """
    p = q + q
    fx, fy, fz, f0 = read_row(F, p)
    tx, ty, tz, t0 = read_row(F, p + FOUR)
    write_row(F, p, 0.0, 0.0, 0.0, 0.0)
    write_row(F, p + FOUR, 0.0, 0.0, 0.0, 0.0)
    for h in range(halo_begin[i], halo_begin[i + ONE]):
        p = EIGHT * halo_row[h]
        px, py, pz, p0 = read_row(F, p)
        qx, qy, qz, q0 = read_row(F, p + FOUR)
        fx, fy, fz, f0 = fx + px, fy + py, fz + pz, f0 + p0
        tx, ty, tz, t0 = tx + qx, ty + qy, tz + qz, t0 + q0
        write_row(F, p, 0.0, 0.0, 0.0, 0.0)
        write_row(F, p + FOUR, 0.0, 0.0, 0.0, 0.0)
    v = read_row(V, q)
    a = (fx * v[3] + g[0], fy * v[3] + g[1], fz * v[3] + g[2], f0 * v[3])
    v = corrected(v, correction, a, read_row(A, q))
    write_row(A, q, a[0], a[1], a[2], a[3])
    w = read_row(W, q)  # radius over moment of inertia goes along: torques are over radius
    b = (tx * w[3], ty * w[3], tz * w[3], t0 * w[3])
    w = corrected(w, correction, b, read_row(B, q))
    write_row(B, q, b[0], b[1], b[2], b[3])
    return v, w, a, b


@kernel
def turn_orientations(first, last, rows, dt):
    """Turn grains first to last by the mean spin of the step that has begun, W - dt/2 B.

    The Cayley rotation of b = tan(angle/4) axis, seen from the lab. A loop of its own, because the
    compiler then turns four grains at once.
    """
    W, B, Q = flat(rows.W), flat(rows.B), flat(rows.Q)
    h, quarter = 0.5 * dt, 0.25 * dt
    for i in range(first, last):
        q = FOUR * np.uintp(i)
        bx = quarter * (W[q] - h * B[q])
        by = quarter * (W[q + ONE] - h * B[q + ONE])
        bz = quarter * (W[q + TWO] - h * B[q + TWO])
        b2 = bx * bx + by * by + bz * bz
        s = 1.0 / (1.0 + b2)
        w, x, y, z = (1.0 - b2) * s, 2.0 * bx * s, 2.0 * by * s, 2.0 * bz * s
        qw, qx, qy, qz = Q[q], Q[q + ONE], Q[q + TWO], Q[q + THREE]
        Q[q] = w * qw - x * qx - y * qy - z * qz
        Q[q + ONE] = w * qx + x * qw + y * qz - z * qy
        Q[q + TWO] = w * qy - x * qz + y * qw + z * qx
        Q[q + THREE] = w * qz + x * qy - y * qx + z * qw


@kernel
def begin(first, last, rows, dt, cell, share):
    """Move grains first to last by one step.

    Returns:
        Square of the longest way gone [m2], and of the longest in units of the grain's margin.
    """
    X, V, W, A, B = flat(rows.X), flat(rows.V), flat(rows.W), flat(rows.A), flat(rows.B)
    directions = by_direction(cell)
    longest = most = 0.0
    for i in range(first, last):
        q = FOUR * np.uintp(i)
        v, w, a, b = read_row(V, q), read_row(W, q), read_row(A, q), read_row(B, q)
        way = move(q, X, V, W, v, a, w, b, dt, directions)
        longest = farther(way, longest)
        most = farther(way * share[i], most)
    turn_orientations(first, last, rows, dt)
    return longest, most


@parallel_kernel
def begin_all(block, rows, dt, cell, share, ways):
    """Move all grains by one step; ``ways`` (2,blocks) gets the squares of the longest ways."""
    for b in numba.prange(block.size - 1):
        ways[0, b], ways[1, b] = begin(block[b], block[b + 1], rows, dt, cell, share)


@kernel
def finish(first, last, rows, F, halo_begin, halo_row, g, correction):
    """Sum forces in fixed order, get accelerations, correct velocities, clear the force rows."""
    V, W, A, B, F = flat(rows.V), flat(rows.W), flat(rows.A), flat(rows.B), flat(F)
    for i in range(first, last):
        q = FOUR * np.uintp(i)
        v, w, _, _ = settle(np.uintp(i), q, V, W, A, B, F, halo_begin, halo_row, g, correction)
        write_row(V, q, v[0], v[1], v[2], v[3])
        write_row(W, q, w[0], w[1], w[2], w[3])


@kernel
def finish_and_begin(first, last, rows, F, halo_begin, halo_row, g, correction, dt, cell, share):
    """Finish one step and begin the next in one pass over memory; the bits are the same."""
    X, V, W, A, B = flat(rows.X), flat(rows.V), flat(rows.W), flat(rows.A), flat(rows.B)
    directions = by_direction(cell)
    F = flat(F)
    longest = most = 0.0
    for i in range(first, last):
        q = FOUR * np.uintp(i)
        v, w, a, b = settle(np.uintp(i), q, V, W, A, B, F, halo_begin, halo_row, g, correction)
        way = move(q, X, V, W, v, a, w, b, dt, directions)
        longest = farther(way, longest)
        most = farther(way * share[i], most)
    turn_orientations(first, last, rows, dt)
    return longest, most


@parallel_kernel
def finish_all(block, rows, F, halo_begin, halo_row, g, correction):
    """Finish a step of all grains."""
    for b in numba.prange(block.size - 1):
        finish(block[b], block[b + 1], rows, F, halo_begin, halo_row, g, correction)


@parallel_kernel
def finish_and_begin_all(block, rows, F, halo_begin, halo_row, g, correction, dt, cell, share,
                         ways):
    """Finish a step of all grains and begin the next; ``ways`` as in `begin_all`."""
    for b in numba.prange(block.size - 1):
        ways[0, b], ways[1, b] = finish_and_begin(
            block[b], block[b + 1], rows, F, halo_begin, halo_row, g, correction, dt, cell, share)

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

import numpy as np
from numba.extending import register_jitable
from numpy.typing import NDArray

from granum.compile import kernel
from granum.vector_rows import read_row, write_row


class Cell(NamedTuple):
    """The periodic cell: when and how far a coordinate is brought back."""

    period: NDArray[np.float64]  # (3,) period [m], 0 where there is none
    low: NDArray[np.float64]  # (3,) below this, a period is added [m]
    high: NDArray[np.float64]  # (3,) from here on, a period is taken off [m]


def make_cell(period: NDArray[np.float64]) -> Cell:
    """Return the cell of a world with these three periods [m], 0 where there is none."""
    there = period > 0.0
    return Cell(period, np.where(there, 0.0, -np.inf), np.where(there, period, np.inf))


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
    u, v, t = -x, -y, -z  # sums only: the compiler makes four of them at once
    write_row(
        Q, i, 0,
        w * qw + u * qx + v * qy + t * qz,
        w * qx + x * qw + y * qz + t * qy,
        w * qy + u * qz + y * qw + z * qx,
        w * qz + x * qy + v * qx + z * qw,
    )


@register_jitable
def into_cell(x, period, low, high):
    """Return a coordinate brought back into the periodic cell."""
    x -= period if x >= high else 0.0
    x += period if x < low else 0.0
    return x


@register_jitable(inline="always")
def move(i, rows, dt, cell):
    """Move grain i by one step; return the square of the way gone [m2]."""
    h = 0.5 * dt
    vx, vy, vz, im = read_row(rows.V, i)
    ax, ay, az, a0 = read_row(rows.A, i)
    wx, wy, wz, ri = read_row(rows.W, i)
    bx, by, bz, b0 = read_row(rows.B, i)
    x, y, z, r = read_row(rows.X, i)
    dx, dy, dz = dt * (vx + h * ax), dt * (vy + h * ay), dt * (vz + h * az)
    x = into_cell(x + dx, cell.period[0], cell.low[0], cell.high[0])
    y = into_cell(y + dy, cell.period[1], cell.low[1], cell.high[1])
    z = into_cell(z + dz, cell.period[2], cell.low[2], cell.high[2])
    write_row(rows.X, i, 0, x, y, z, r)
    write_row(rows.V, i, 0, vx + dt * ax, vy + dt * ay, vz + dt * az, im + dt * a0)
    q = 0.25 * dt
    turn_orientation(rows.Q, i, q * (wx + h * bx), q * (wy + h * by), q * (wz + h * bz))
    write_row(rows.W, i, 0, wx + dt * bx, wy + dt * by, wz + dt * bz, ri + dt * b0)
    return dx * dx + dy * dy + dz * dz


@register_jitable
def farther(way, longest):
    """Return the longer of two ways; one that is not a finite number is infinite."""
    if way <= longest:
        return longest
    return way if way < np.inf else np.inf


@register_jitable(inline="always")
def settle(i, rows, F, halo_begin, halo_row, g, correction):
    """Sum the forces on grain i in fixed order, get its accelerations, correct its velocities."""
    fx, fy, fz, f0 = read_row(F, i)
    tx, ty, tz, t0 = read_row(F, i, 4)
    write_row(F, i, 0, 0.0, 0.0, 0.0, 0.0)
    write_row(F, i, 4, 0.0, 0.0, 0.0, 0.0)
    for h in range(halo_begin[i], halo_begin[i + 1]):
        row = halo_row[h]
        px, py, pz, p0 = read_row(F, row)
        qx, qy, qz, q0 = read_row(F, row, 4)
        fx, fy, fz, f0 = fx + px, fy + py, fz + pz, f0 + p0
        tx, ty, tz, t0 = tx + qx, ty + qy, tz + qz, t0 + q0
        write_row(F, row, 0, 0.0, 0.0, 0.0, 0.0)
        write_row(F, row, 4, 0.0, 0.0, 0.0, 0.0)
    vx, vy, vz, im = read_row(rows.V, i)
    ax, ay, az, a0 = read_row(rows.A, i)
    fx, fy, fz, f0 = fx * im + g[0], fy * im + g[1], fz * im + g[2], f0 * im
    write_row(rows.A, i, 0, fx, fy, fz, f0)
    write_row(rows.V, i, 0, vx + correction * (fx - ax), vy + correction * (fy - ay),
              vz + correction * (fz - az), im + correction * (f0 - a0))
    wx, wy, wz, ri = read_row(rows.W, i)  # radius over moment of inertia: torques are over radius
    bx, by, bz, b0 = read_row(rows.B, i)
    tx, ty, tz, t0 = tx * ri, ty * ri, tz * ri, t0 * ri
    write_row(rows.B, i, 0, tx, ty, tz, t0)
    write_row(rows.W, i, 0, wx + correction * (tx - bx), wy + correction * (ty - by),
              wz + correction * (tz - bz), ri + correction * (t0 - b0))


@kernel
def begin(first, last, rows, dt, cell, share):
    """Move grains first to last by one step.

    Returns:
        Square of the longest way gone [m2], and of the longest in units of the grain's margin.
    """
    longest = most = 0.0
    for i in range(first, last):
        way = move(i, rows, dt, cell)
        longest = farther(way, longest)
        most = farther(way * share[i], most)
    return longest, most


@kernel
def finish(first, last, rows, F, halo_begin, halo_row, g, correction):
    """Sum forces in fixed order, get accelerations, correct velocities, clear the force rows."""
    for i in range(first, last):
        settle(i, rows, F, halo_begin, halo_row, g, correction)


@kernel
def finish_and_begin(first, last, rows, F, halo_begin, halo_row, g, correction, dt, cell, share):
    """Finish one step and begin the next in one pass over memory; the bits are the same."""
    longest = most = 0.0
    for i in range(first, last):
        settle(i, rows, F, halo_begin, halo_row, g, correction)
        way = move(i, rows, dt, cell)
        longest = farther(way, longest)
        most = farther(way * share[i], most)
    return longest, most

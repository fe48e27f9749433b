"""Motion of bodies whose contacts are pairs of features: only what is needed of them is moved.

The sweep over features knows bodies, their axes and the tables of their shapes, and pushes bodies;
so vertices need no rows of their own, but where they may touch a wall: there they are balls. Bodies
that are near a wall are `lively`, and all their vertices go along as the balls of a clump do
(`rigid`, which has the equations of motion). The vertices of all others stay where they were at the
last update, until they are asked for. A body of a thousand vertices then moves as fast as a sphere.

How far vertices have gone is bounded by their bodies: a turn from the unit quaternion q to q' by
the angle θ moves a vertex at the distance ρ by 2 ρ sin(θ/2) at most, and |q' - q| = 2 sin(θ/4), so

    way <= |x' - x| + 2 ρ |q' - q|

They are added up step by step, for features that do not touch sleep until their bodies have gone
far enough (see `contact.shaped.rest`).

Legend as in `rigid`; F has rows for all vertices, then rows for all bodies with the torque about
the centre, then those of halos.
"""

from __future__ import annotations

import numba
import numpy as np
from numba.extending import register_jitable

from granum.compile import inner_kernel, parallel_kernel, uncounted
from granum.contact.shaped.meeting import SPAN
from granum.dynamics.integrate import by_direction, farther, into_cell
from granum.dynamics.rigid import move_balls, set_balls, settle_body, spin_for
from granum.dynamics.spinning import (
    BX,
    BY,
    BZ,
    COLUMNS,
    FARTHEST,
    GONE,
    LANES,
    MX,
    MY,
    MZ,
    QW,
    QX,
    QY,
    QZ,
    ROUND,
    SX,
    SY,
    SZ,
    WX,
    WY,
    WZ,
    XX,
    turn_all,
)
from granum.vector_rows import ONE


@uncounted
def read_axes(axes, i):
    """Return the rotation matrix of body i, row by row."""
    return ((axes[i, 0], axes[i, 1], axes[i, 2]), (axes[i, 3], axes[i, 4], axes[i, 5]),
            (axes[i, 6], axes[i, 7], axes[i, 8]))


@register_jitable(inline="always")
def bring_in(m, i, c, V, W, A, B, Q, M, axes, dt):
    """Bring body i into lane m of a batch."""
    h = 0.5 * dt
    c[QW + m], c[QX + m], c[QY + m], c[QZ + m] = Q[i, 0], Q[i, 1], Q[i, 2], Q[i, 3]
    c[WX + m], c[WY + m], c[WZ + m] = W[i, 0], W[i, 1], W[i, 2]
    c[BX + m], c[BY + m], c[BZ + m] = B[i, 0], B[i, 1], B[i, 2]
    c[MX + m], c[MY + m], c[MZ + m], c[ROUND + m] = M[i, 0], M[i, 1], M[i, 2], M[i, 3]
    c[SX + m] = dt * (V[i, 0] + h * A[i, 0])
    c[SY + m] = dt * (V[i, 1] + h * A[i, 1])
    c[SZ + m] = dt * (V[i, 2] + h * A[i, 2])
    c[FARTHEST + m] = axes[i, SPAN]


@register_jitable(inline="always")
def take_out(m, i, c, X, V, W, A, B, Q, axes, dt, directions):
    """Give body i what lane m of a batch has found."""
    X[i, 0] = into_cell(X[i, 0] + c[SX + m], directions[0])
    X[i, 1] = into_cell(X[i, 1] + c[SY + m], directions[1])
    X[i, 2] = into_cell(X[i, 2] + c[SZ + m], directions[2])
    V[i, 0] += dt * A[i, 0]
    V[i, 1] += dt * A[i, 1]
    V[i, 2] += dt * A[i, 2]
    Q[i, 0], Q[i, 1], Q[i, 2], Q[i, 3] = c[QW + m], c[QX + m], c[QY + m], c[QZ + m]
    W[i, 0], W[i, 1], W[i, 2] = c[WX + m], c[WY + m], c[WZ + m]
    B[i, 0], B[i, 1], B[i, 2] = c[BX + m], c[BY + m], c[BZ + m]
    for a in range(9):
        axes[i, a] = c[XX + np.uintp(a * LANES) + m]


@inner_kernel
def begin_some(first, last, bodies, rows, dt, cell, share):
    """Move bodies first to last by one step, and the vertices of those that are lively.

    Returns:
        Square of the longest way of a vertex [m2], and of the longest in units of its margin.
    """
    X, V, W, A, B, Q, M = (bodies.X, bodies.V, bodies.W, bodies.A, bodies.B, bodies.Q,
                           bodies.inertia)
    begin, arm, lever, x, v, w = bodies.begin, bodies.arm, bodies.lever, rows.X, rows.V, rows.W
    axes, lively, gone = bodies.axes, bodies.lively, bodies.gone
    directions, c = by_direction(cell), np.empty(COLUMNS)
    longest = most = 0.0
    for start in range(first, last, LANES):
        lanes = np.uintp(min(last - start, LANES))
        for m in range(lanes):
            bring_in(m, np.uintp(start) + m, c, V, W, A, B, Q, M, axes, dt)
        turn_all(c, lanes, dt)
        for m in range(lanes):
            i, way = np.uintp(start) + m, c[GONE + m]
            take_out(m, i, c, X, V, W, A, B, Q, axes, dt, directions)
            gone[i] += way
            way *= way
            longest, most = farther(way, longest), farther(way * share[i], most)
            if lively[i]:
                set_balls(i, begin, arm, lever, x, read_axes(axes, i),
                          (X[i, 0], X[i, 1], X[i, 2]), directions)
                move_balls(i, V, W, begin, lever, v, w)
    return longest, most


@register_jitable(inline="always")
def sum_forces(i, F, vertices, begin, arm, lever, is_lively, halo_begin, halo_row):
    """Return force and torque on body i, and clear them.

    ``vertices`` is how many there are: the row of body i in F is that many further.
    """
    k = i + vertices
    fx, fy, fz, tx, ty, tz = F[k, 0], F[k, 1], F[k, 2], F[k, 4], F[k, 5], F[k, 6]
    F[k, 0], F[k, 1], F[k, 2], F[k, 4], F[k, 5], F[k, 6] = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for h in range(halo_begin[i], halo_begin[i + ONE]):
        k = np.uintp(halo_row[h])
        fx, fy, fz = fx + F[k, 0], fy + F[k, 1], fz + F[k, 2]
        tx, ty, tz = tx + F[k, 4], ty + F[k, 5], tz + F[k, 6]
        F[k, 0], F[k, 1], F[k, 2], F[k, 4], F[k, 5], F[k, 6] = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    if is_lively:
        for k in range(begin[i], begin[i + ONE]):
            px, py, pz, r = F[k, 0], F[k, 1], F[k, 2], arm[k, 3]
            lx, ly, lz = lever[k, 0], lever[k, 1], lever[k, 2]
            fx, fy, fz = fx + px, fy + py, fz + pz
            tx += r * F[k, 4] + (ly * pz - lz * py)
            ty += r * F[k, 5] + (lz * px - lx * pz)
            tz += r * F[k, 6] + (lx * py - ly * px)
            F[k, 0], F[k, 1], F[k, 2], F[k, 4], F[k, 5], F[k, 6] = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    return (fx, fy, fz), (tx, ty, tz)


@inner_kernel
def finish_some(first, last, bodies, rows, F, halo_begin, halo_row, g, correction):
    """Finish a step of bodies first to last."""
    X, V, W, A, B, M = bodies.X, bodies.V, bodies.W, bodies.A, bodies.B, bodies.inertia
    begin, arm, lever, v, w = bodies.begin, bodies.arm, bodies.lever, rows.V, rows.W
    axes, lively, vertices = bodies.axes, bodies.lively, np.uintp(arm.shape[0])
    for n in range(first, last):
        i = np.uintp(n)
        force, torque = sum_forces(i, F, vertices, begin, arm, lever, lively[i], halo_begin,
                                   halo_row)
        if M[i, 3] == 1.0:
            k = W[i, 3] / X[i, 3]
            rate = k * torque[0], k * torque[1], k * torque[2]
        else:
            rate = spin_for(read_axes(axes, i), (M[i, 0], M[i, 1], M[i, 2]), torque)
        settle_body(i, V, W, A, B, force, rate, g, correction)
        if lively[i]:
            move_balls(i, V, W, begin, lever, v, w)


@parallel_kernel
def begin_swept(bodies, rows, dt, cell, share, ways):
    """Move all bodies by one step; ``ways`` (2,blocks) gets the squares of the longest ways."""
    block = bodies.block
    for b in numba.prange(block.size - 1):
        ways[0, b], ways[1, b] = begin_some(block[b], block[b + 1], bodies, rows, dt, cell, share)


@parallel_kernel
def finish_swept(bodies, rows, F, halo_begin, halo_row, g, correction):
    """Finish a step of all bodies."""
    block = bodies.block
    for b in numba.prange(block.size - 1):
        finish_some(block[b], block[b + 1], bodies, rows, F, halo_begin, halo_row, g, correction)


@parallel_kernel
def finish_and_begin_swept(bodies, rows, F, halo_begin, halo_row, g, correction, dt, cell, share,
                           ways):
    """Finish a step of all bodies and begin the next; ``ways`` as in `begin_swept`."""
    block = bodies.block
    for b in numba.prange(block.size - 1):
        first, last = block[b], block[b + 1]
        finish_some(first, last, bodies, rows, F, halo_begin, halo_row, g, correction)
        ways[0, b], ways[1, b] = begin_some(first, last, bodies, rows, dt, cell, share)

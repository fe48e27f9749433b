"""Motion of bodies whose contacts are pairs of features: only what is needed of them is moved.

The sweep over features knows bodies, their axes and the tables of their shapes, and pushes bodies;
so vertices need no rows of their own, but where they may touch a wall: there they are balls. Those
that are near a wall go along as the balls of a clump do (`rigid`, which has the equations of
motion). All others stay where they were at the last update, until they are asked for. A body of a
thousand vertices then moves as fast as a sphere.

How far vertices have gone is bounded by their bodies: a turn from the unit quaternion q to q' by
the angle θ moves a vertex at the distance ρ by 2 ρ sin(θ/2) at most, and |q' - q| = 2 sin(θ/4), so

    way <= |x' - x| + 2 ρ |q' - q|

They are added up step by step, for features that do not touch sleep until their bodies have gone
far enough (see `contact.shaped.rest`). There only the way from one body to another counts, so what
all have in common is taken off first: the drift, that is the mean velocity at the last update.

Legend as in `rigid`; F has rows for all vertices, then rows for all bodies with the torque about
the centre, then those of halos.
"""

from __future__ import annotations

import numba
import numpy as np
from numba.extending import register_jitable

from granum.compile import inner_kernel, parallel_kernel, uncounted
from granum.contact.shaped import meeting
from granum.dynamics.integrate import by_direction, farther, into_cell
from granum.dynamics.rigid import move_ball, set_ball
from granum.dynamics.spinning import (
    AX,
    BX,
    COLUMNS,
    CX,
    CY,
    CZ,
    FX,
    FY,
    FZ,
    GONE,
    LANES,
    MASK,
    MX,
    QW,
    SPAN,
    STRAYED,
    TX,
    TY,
    TZ,
    VX,
    WX,
    XX,
    XY,
    XZ,
    YX,
    YY,
    YZ,
    ZX,
    ZY,
    ZZ,
    settle_all,
    turn_all,
    weigh_all,
)
from granum.vector_rows import (
    EIGHT,
    FOUR,
    ONE,
    THREE,
    TWO,
    filled,
    flat,
    read_row,
    take_row,
    write_row,
)

COLUMN = np.uintp(LANES)
TWELVE, FARTHEST = np.uintp(12), np.uintp(meeting.SPAN)


@uncounted
def read_axes(axes, i):
    """Return the rotation matrix of body i, row by row."""
    return ((axes[i, 0], axes[i, 4], axes[i, 8]), (axes[i, 1], axes[i, 5], axes[i, 9]),
            (axes[i, 2], axes[i, 6], axes[i, 10]))


@uncounted
def bring_in(first, c, M, start, lanes):
    """Bring a row of each body of a batch into four columns, from the first one on.

    A loop for each array becomes vector instructions; one loop for all would not, as all of them
    might share memory.
    """
    for m in range(lanes & MASK):
        (c[first + m], c[first + COLUMN + m], c[first + TWO * COLUMN + m],
         c[first + THREE * COLUMN + m]) = read_row(M, FOUR * (start + m))


@uncounted
def take_out(first, c, M, start, lanes):
    """Give each body of a batch the row that stands in four columns, from the first one on."""
    for m in range(lanes & MASK):
        write_row(M, FOUR * (start + m), c[first + m], c[first + COLUMN + m],
                  c[first + TWO * COLUMN + m], c[first + THREE * COLUMN + m])


@uncounted
def bring_back(c, directions, lanes):
    """Bring the centres of a batch back into the cell."""
    for m in range(filled(lanes) & MASK):
        c[CX + m] = into_cell(c[CX + m], directions[0])
        c[CY + m] = into_cell(c[CY + m], directions[1])
        c[CZ + m] = into_cell(c[CZ + m], directions[2])


@uncounted
def take_axes(m, q, c, axes):
    """Give the body whose axes stand from place q on those that lane m of a batch has found."""
    axes[q], axes[q + ONE], axes[q + TWO] = c[XX + m], c[YX + m], c[ZX + m]
    q += FOUR
    axes[q], axes[q + ONE], axes[q + TWO] = c[XY + m], c[YY + m], c[ZY + m]
    q += FOUR
    axes[q], axes[q + ONE], axes[q + TWO] = c[XZ + m], c[YZ + m], c[ZZ + m]


@uncounted
def place_near(i, bodies, rows, directions):
    """Place the vertices of body i that are near a wall."""
    X, R = bodies.X, read_axes(bodies.axes, i)
    for n in range(bodies.near_begin[i], bodies.near_begin[i + ONE]):
        set_ball(bodies.near[n], bodies.arm, bodies.lever, rows.X, R, (X[i, 0], X[i, 1], X[i, 2]),
                 directions)


@uncounted
def move_near(i, bodies, rows):
    """Give the vertices of body i that are near a wall their velocities and spins."""
    V, W = bodies.V, bodies.W
    for n in range(bodies.near_begin[i], bodies.near_begin[i + ONE]):
        move_ball(bodies.near[n], (V[i, 0], V[i, 1], V[i, 2]), (W[i, 0], W[i, 1], W[i, 2]),
                  bodies.lever, rows.V, rows.W)


@register_jitable(inline="always")
def sum_forces(i, F, bodies, halo_begin, halo_row):
    """Return force and torque on body i, and clear them; F is flat.

    The rows of bodies come after those of the vertices.
    """
    arm, lever, near_begin, near = bodies.arm, bodies.lever, bodies.near_begin, bodies.near
    q = EIGHT * (i + np.uintp(arm.shape[0]))
    fx, fy, fz, _ = take_row(F, q)
    tx, ty, tz, _ = take_row(F, q + FOUR)
    for h in range(halo_begin[i], halo_begin[i + ONE]):
        q = EIGHT * halo_row[h]
        px, py, pz, _ = take_row(F, q)
        fx, fy, fz = fx + px, fy + py, fz + pz
        px, py, pz, _ = take_row(F, q + FOUR)
        tx, ty, tz = tx + px, ty + py, tz + pz
    for n in range(near_begin[i], near_begin[i + ONE]):
        k = near[n]
        px, py, pz, _ = take_row(F, EIGHT * k)
        qx, qy, qz, _ = take_row(F, EIGHT * k + FOUR)
        lx, ly, lz, r = lever[k, 0], lever[k, 1], lever[k, 2], arm[k, 3]
        fx, fy, fz = fx + px, fy + py, fz + pz
        tx += r * qx + (ly * pz - lz * py)
        ty += r * qy + (lz * px - lx * pz)
        tz += r * qz + (lx * py - ly * px)
    return (fx, fy, fz), (tx, ty, tz)


@inner_kernel
def move_some(first, last, bodies, rows, F, halo_begin, halo_row, g, correction, dt, cell, share,
              finishes, begins):
    """Finish a step of bodies first to last, begin the next one, or both at once.

    Returns:
        Square of the longest way of a vertex [m2], of the longest in units of its margin, and the
        longest beside what all have in common [m].
    """
    X, V, W, A, B, Q, M = (flat(bodies.X), flat(bodies.V), flat(bodies.W), flat(bodies.A),
                           flat(bodies.B), flat(bodies.Q), flat(bodies.inertia))
    axes, gone, F = flat(bodies.axes), bodies.gone, flat(F)
    drift = dt * bodies.drift[0], dt * bodies.drift[1], dt * bodies.drift[2]
    directions, c = by_direction(cell), np.empty(COLUMNS)
    longest = most = farthest = 0.0
    for start in range(np.uintp(first), np.uintp(last), COLUMN):
        lanes = min(np.uintp(last) - start, COLUMN)
        bring_in(QW, c, Q, start, lanes)
        bring_in(VX, c, V, start, lanes)
        bring_in(WX, c, W, start, lanes)
        bring_in(AX, c, A, start, lanes)
        bring_in(BX, c, B, start, lanes)
        bring_in(MX, c, M, start, lanes)
        weigh_all(c, lanes)
        if finishes:
            for m in range(lanes):
                f, t = sum_forces(start + m, F, bodies, halo_begin, halo_row)
                c[FX + m], c[FY + m], c[FZ + m] = f
                c[TX + m], c[TY + m], c[TZ + m] = t
            settle_all(c, lanes, g, correction)
        if begins:
            bring_in(CX, c, X, start, lanes)
            for m in range(lanes):
                c[SPAN + m] = axes[TWELVE * (start + m) + FARTHEST]
            turn_all(c, lanes, dt, drift)
            bring_back(c, directions, lanes)
            take_out(CX, c, X, start, lanes)
            take_out(QW, c, Q, start, lanes)
            for m in range(lanes):
                i, way = start + m, c[GONE + m]
                take_axes(m, TWELVE * i, c, axes)
                gone[i] += c[STRAYED + m]
                farthest = max(farthest, c[STRAYED + m])
                way *= way
                longest, most = farther(way, longest), farther(way * share[i], most)
        take_out(VX, c, V, start, lanes)
        take_out(WX, c, W, start, lanes)
        take_out(AX, c, A, start, lanes)
        take_out(BX, c, B, start, lanes)
        for m in range(lanes):
            if begins:
                place_near(start + m, bodies, rows, directions)
            move_near(start + m, bodies, rows)
    return longest, most, farthest


@parallel_kernel
def move_swept(bodies, rows, F, halo_begin, halo_row, g, correction, dt, cell, share, ways,
               finishes, begins):
    """Finish a step of all bodies, begin the next one, or both at once, which is faster.

    ``ways`` (3,blocks) gets the longest ways, as `move_some` returns them, where a step begins.
    """
    block = bodies.block
    for b in numba.prange(block.size - 1):
        longest = move_some(block[b], block[b + 1], bodies, rows, F, halo_begin, halo_row, g,
                            correction, dt, cell, share, finishes, begins)
        if begins:
            ways[0, b], ways[1, b], ways[2, b] = longest

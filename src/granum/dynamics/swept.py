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
from granum.dynamics.integrate import by_direction, farther, into_cell
from granum.dynamics.rigid import move_ball, set_ball
from granum.dynamics.spinning import (
    AX,
    AY,
    AZ,
    BX,
    BY,
    BZ,
    COLUMNS,
    CX,
    CY,
    CZ,
    EASE,
    FARTHEST,
    FX,
    FY,
    FZ,
    GONE,
    KIND,
    LANES,
    LIGHT,
    MX,
    MY,
    MZ,
    PX,
    PY,
    PZ,
    QW,
    QX,
    QY,
    QZ,
    RADIUS,
    STRAYED,
    TX,
    TY,
    TZ,
    VX,
    VY,
    VZ,
    WX,
    WY,
    WZ,
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
)
from granum.vector_rows import (
    EIGHT,
    FOUR,
    ONE,
    flat,
    read_row,
    take_row,
    write_row,
)

LAST = np.uintp(12)  # where the last row of four in axes begins: span, one over each moment


@uncounted
def read_axes(axes, i):
    """Return the rotation matrix of body i, row by row."""
    return ((axes[i, 0], axes[i, 1], axes[i, 2]), (axes[i, 3], axes[i, 4], axes[i, 5]),
            (axes[i, 6], axes[i, 7], axes[i, 8]))


@register_jitable(inline="always")
def bring_in(m, i, c, X, V, W, A, B, Q, M, axes):
    """Bring body i into lane m of a batch."""
    q = FOUR * i
    c[QW + m], c[QX + m], c[QY + m], c[QZ + m] = read_row(Q, q)
    c[VX + m], c[VY + m], c[VZ + m], c[LIGHT + m] = read_row(V, q)
    c[WX + m], c[WY + m], c[WZ + m], c[EASE + m] = read_row(W, q)
    c[AX + m], c[AY + m], c[AZ + m], _ = read_row(A, q)
    c[BX + m], c[BY + m], c[BZ + m], _ = read_row(B, q)
    c[MX + m], c[MY + m], c[MZ + m], c[KIND + m] = read_row(M, q)
    c[CX + m], c[CY + m], c[CZ + m], c[RADIUS + m] = read_row(X, q)
    c[FARTHEST + m], c[PX + m], c[PY + m], c[PZ + m] = read_row(axes, FOUR * q + LAST)


@register_jitable(inline="always")
def take_rates(m, i, c, V, W, A, B):
    """Give body i the velocities and rates that lane m of a batch has found."""
    q = FOUR * i
    write_row(V, q, c[VX + m], c[VY + m], c[VZ + m], c[LIGHT + m])
    write_row(W, q, c[WX + m], c[WY + m], c[WZ + m], c[EASE + m])
    write_row(A, q, c[AX + m], c[AY + m], c[AZ + m], 0.0)
    write_row(B, q, c[BX + m], c[BY + m], c[BZ + m], 0.0)


@register_jitable(inline="always")
def take_place(m, i, c, X, Q, axes, directions):
    """Give body i the place, orientation and axes that lane m of a batch has found."""
    q = FOUR * i
    write_row(X, q, into_cell(c[CX + m], directions[0]), into_cell(c[CY + m], directions[1]),
              into_cell(c[CZ + m], directions[2]), c[RADIUS + m])
    write_row(Q, q, c[QW + m], c[QX + m], c[QY + m], c[QZ + m])
    q *= FOUR
    write_row(axes, q, c[XX + m], c[XY + m], c[XZ + m], c[YX + m])
    write_row(axes, q + FOUR, c[YY + m], c[YZ + m], c[ZX + m], c[ZY + m])
    axes[q + EIGHT] = c[ZZ + m]


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
        Square of the longest way of a vertex [m2], and of the longest in units of its margin.
    """
    X, V, W, A, B, Q, M = (flat(bodies.X), flat(bodies.V), flat(bodies.W), flat(bodies.A),
                           flat(bodies.B), flat(bodies.Q), flat(bodies.inertia))
    axes, gone, F = flat(bodies.axes), bodies.gone, flat(F)
    drift = dt * bodies.drift[0], dt * bodies.drift[1], dt * bodies.drift[2]
    directions, c = by_direction(cell), np.empty(COLUMNS)
    longest = most = 0.0
    for start in range(first, last, LANES):
        lanes = np.uintp(min(last - start, LANES))
        for m in range(lanes):
            bring_in(m, np.uintp(start) + m, c, X, V, W, A, B, Q, M, axes)
        if finishes:
            for m in range(lanes):
                f, t = sum_forces(np.uintp(start) + m, F, bodies, halo_begin, halo_row)
                c[FX + m], c[FY + m], c[FZ + m] = f
                c[TX + m], c[TY + m], c[TZ + m] = t
            settle_all(c, lanes, g, correction)
        if begins:
            turn_all(c, lanes, dt, drift)
            for m in range(lanes):
                i, way = np.uintp(start) + m, c[GONE + m]
                take_place(m, i, c, X, Q, axes, directions)
                gone[i] += c[STRAYED + m]
                way *= way
                longest, most = farther(way, longest), farther(way * share[i], most)
        for m in range(lanes):
            i = np.uintp(start) + m
            take_rates(m, i, c, V, W, A, B)
            if begins:
                place_near(i, bodies, rows, directions)
            move_near(i, bodies, rows)
    return longest, most


@parallel_kernel
def move_swept(bodies, rows, F, halo_begin, halo_row, g, correction, dt, cell, share, ways,
               finishes, begins):
    """Finish a step of all bodies, begin the next one, or both at once, which is faster.

    ``ways`` (2,blocks) gets the squares of the longest ways where a step begins.
    """
    block = bodies.block
    for b in numba.prange(block.size - 1):
        longest, most = move_some(block[b], block[b + 1], bodies, rows, F, halo_begin, halo_row, g,
                                  correction, dt, cell, share, finishes, begins)
        if begins:
            ways[0, b], ways[1, b] = longest, most

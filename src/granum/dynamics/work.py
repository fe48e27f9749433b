"""The work that forces do, step by step, for the budget of energy.

A step kicks a grain twice: with the force found last, for the time ``late``, then with the force
found now, for the time ``early`` (half a step each with velocity Verlet; a whole step and none
where acceleration is constant). A kick with the acceleration a takes the velocity from v to
v + t a, so the share of its work that a force F has is exactly

    t F·(v + t a / 2) after v is known,   t F·(v - t a / 2) before

and likewise torque and spin. The sums are therefore the exact change of kinetic energy, up to
rounding: nothing is lost between steps. Work is counted when all velocities of a step are final;
what the late kick will do is known then too, and waits in the second row of ``totals`` until the
next step adds it to the first.

Contacts are told apart by what does the work on them (`NORMAL`, `TANGENTIAL`, `COUPLE`), bonds of
clusters by either end (`GLUE`). Sums are
taken block by block in the order of slots and then of blocks, so neither threads nor stops change a
bit. Legend as in `sweep`; A and B rates of V and W.
"""

from __future__ import annotations

from typing import NamedTuple

import numba
import numpy as np
from numba.extending import register_jitable

from granum.checks import FloatArray
from granum.compile import kernel, parallel_kernel
from granum.contact.sweep import half_period, nearest_image
from granum.contact.walls import STILL, motion_of_wall
from granum.dynamics.medium import push_on_body
from granum.dynamics.rigid import axes_of
from granum.geometry.simplices import dot
from granum.walls.moving.pose import closest_moved

NORMAL, TANGENTIAL, COUPLE, GLUE, MEDIUM, GRAVITY, STREAM, WALLS = range(8)
CHANNELS = 8


class Work(NamedTuple):
    """Work so far, and of the step under way [J]."""

    totals: FloatArray  # (2, CHANNELS) done; and what the kick that comes will do
    blocks: FloatArray  # (blocks, 2, 8) of this step: early, late


def make_work(blocks: int, totals: FloatArray) -> Work:
    """Return the room that ``blocks`` blocks need to count on."""
    return Work(totals, np.zeros((blocks, 2, 8)))


@register_jitable
def enter(sums, channel, power, change, early, late):
    """Add a force's work in both kicks: ``power`` is F·v, ``change`` F·a."""
    sums[0, channel] += early * (power - 0.5 * early * change)
    sums[1, channel] += late * (power + 0.5 * late * change)


@register_jitable
def _relative(M, R, i, j, ai, aj, n):
    """Return M of j less that of i at the contact point, R being what turns there."""
    tx = ai * R[i, 0] + aj * R[j, 0]
    ty = ai * R[i, 1] + aj * R[j, 1]
    tz = ai * R[i, 2] + aj * R[j, 2]
    return (M[j, 0] - M[i, 0] + n[1] * tz - n[2] * ty,
            M[j, 1] - M[i, 1] + n[2] * tx - n[0] * tz,
            M[j, 2] - M[i, 2] + n[0] * ty - n[1] * tx)


@register_jitable
def _at_wall(M, R, i, r, n, u):
    """Return the same for a wall, whose M is u there, and grain i."""
    tx, ty, tz = r * R[i, 0], r * R[i, 1], r * R[i, 2]
    return (n[1] * tz - n[2] * ty - (M[i, 0] - u[0]),
            n[2] * tx - n[0] * tz - (M[i, 1] - u[1]),
            n[0] * ty - n[1] * tx - (M[i, 2] - u[2]))


@register_jitable
def enter_contact(sums, force, n, v, a, w, b, early, late):
    """Add the work done on one contact; v, a, w and b are of j relative to i."""
    pull, couple = (force[1], force[2], force[3]), (force[4], force[5], force[6])
    enter(sums, NORMAL, -force[0] * dot(v, n), -force[0] * dot(a, n), early, late)
    enter(sums, TANGENTIAL, dot(pull, v), dot(pull, a), early, late)
    enter(sums, COUPLE, dot(couple, w), dot(couple, b), early, late)


@kernel
def _count_pairs(block, sums, rows, pairs, spring, now, kept, L, early, late):
    """Count the work done on the contacts of a block's pairs."""
    X, V, W, A, B = rows.X, rows.V, rows.W, rows.A, rows.B
    half = half_period(L[0]), half_period(L[1]), half_period(L[2])
    for k in range(pairs.first[block], pairs.last[block]):
        if spring[k, 3] != now:
            continue
        i, j = pairs.owner[k], pairs.partner[k]
        dx = nearest_image(X[j, 0] - X[i, 0], L[0], half[0])
        dy = nearest_image(X[j, 1] - X[i, 1], L[1], half[1])
        dz = nearest_image(X[j, 2] - X[i, 2], L[2], half[2])
        d = np.sqrt(dx * dx + dy * dy + dz * dz)
        n = dx / d, dy / d, dz / d
        share = d / (X[i, 3] + X[j, 3])
        ai, aj = share * X[i, 3], share * X[j, 3]
        enter_contact(
            sums, kept[k], n, _relative(V, W, i, j, ai, aj, n), _relative(A, B, i, j, ai, aj, n),
            (W[j, 0] - W[i, 0], W[j, 1] - W[i, 1], W[j, 2] - W[i, 2]),
            (B[j, 0] - B[i, 0], B[j, 1] - B[i, 1], B[j, 2] - B[i, 2]), early, late)


@kernel
def count_walls(block, sums, rows, walls, spring, now, kept, time, early, late):
    """Count the work done on a block's contacts with walls, and what moving walls bring in."""
    X, V, W, A, B = rows.X, rows.V, rows.W, rows.A, rows.B
    for k in range(walls.begin[block], walls.begin[block + 1]):
        if spring[k, 3] != now:
            continue
        i, r, f = walls.grain[k], X[walls.grain[k], 3], kept[k]
        _, nx, ny, nz = closest_moved(walls.kind, walls.data, walls.piece[k], time, walls.body,
                                      walls.pose, X[i, 0], X[i, 1], X[i, 2])
        n = nx, ny, nz
        u, o = motion_of_wall(walls, walls.piece[k], X[i, 0] + r * nx, X[i, 1] + r * ny,
                              X[i, 2] + r * nz)
        enter_contact(sums, f, n, _at_wall(V, W, i, r, n, u), _at_wall(A, B, i, r, n, STILL),
                       (o[0] - W[i, 0], o[1] - W[i, 1], o[2] - W[i, 2]),
                       (-B[i, 0], -B[i, 1], -B[i, 2]), early, late)
        on_i = f[1] - f[0] * nx, f[2] - f[0] * ny, f[3] - f[0] * nz
        enter(sums, WALLS, dot(on_i, u) + f[4] * o[0] + f[5] * o[1] + f[6] * o[2], 0.0,
               early, late)


@kernel
def count_grains(first, last, sums, rows, drag, g, medium, early, late):
    """Count the work of gravity, and what damping and drag take from the grains or bring in.

    A stream of the velocity u loses -f·(v - u) to its viscosity by the force f, which is -c (v - u)
    for a sphere, and brings in f·u. ``drag`` is that of bodies, or None for spheres.
    """
    X, V, W, A, B, Q = rows.X, rows.V, rows.W, rows.A, rows.B, rows.Q
    for i in range(first, last):
        r, m = X[i, 3], 1.0 / V[i, 3]
        v, a = (V[i, 0], V[i, 1], V[i, 2]), (A[i, 0], A[i, 1], A[i, 2])
        enter(sums, GRAVITY, m * dot(g, v), m * dot(g, a), early, late)
        if medium.size == 0:
            continue
        w, b = (W[i, 0], W[i, 1], W[i, 2]), (B[i, 0], B[i, 1], B[i, 2])
        u = medium[4], medium[5], medium[6]
        past = v[0] - u[0], v[1] - u[1], v[2] - u[2]
        c, turning = medium[1] * r, medium[2] + medium[3] * r * r * r
        f = -c * past[0], -c * past[1], -c * past[2]
        t = -turning * w[0], -turning * w[1], -turning * w[2]
        if drag is not None:
            R = axes_of((Q[i, 0], Q[i, 1], Q[i, 2], Q[i, 3]))
            f, t = push_on_body(R, drag[i], medium, v, w)
            f = f[0] + medium[0] * v[0], f[1] + medium[0] * v[1], f[2] + medium[0] * v[2]
        enter(sums, MEDIUM, medium[0] * dot(v, v) - dot(f, past) - dot(t, w),
              medium[0] * dot(v, a) - dot(f, a) - dot(t, b), early, late)
        enter(sums, STREAM, dot(f, u), 0.0, early, late)


@kernel
def _count_bonds(first, last, sums, rows, bonds, early, late):
    """Count the work that grains first to last do on their ends of bonds."""
    V, A = rows.V, rows.A
    for i in range(first, last):
        v, a = (V[i, 0], V[i, 1], V[i, 2]), (A[i, 0], A[i, 1], A[i, 2])
        for e in range(bonds.begin[i], bonds.begin[i + 1]):
            f = -bonds.force[e, 0], -bonds.force[e, 1], -bonds.force[e, 2]
            enter(sums, GLUE, dot(f, v), dot(f, a), early, late)


@kernel
def close_step(work):
    """Add a step to the totals, block by block, and leave the blocks blank."""
    for channel in range(CHANNELS):
        early = late = 0.0
        for b in range(work.blocks.shape[0]):
            early += work.blocks[b, 0, channel]
            late += work.blocks[b, 1, channel]
            work.blocks[b, 0, channel] = work.blocks[b, 1, channel] = 0.0
        work.totals[0, channel] += work.totals[1, channel] + early
        work.totals[1, channel] = late


@parallel_kernel
def count_all(block, rows, grain_block, grains, drag, pairs, spring, walls, wall_spring, now, kept,
              kept_walls, L, time, g, medium, bonds, early, late, work):
    """Count all work of the step whose velocities have just become final.

    ``rows`` are what touches, in blocks; ``grains`` what moves: the same, or bodies that own them,
    with their ``drag``.
    """
    are_glued = bonds.bond.size > 0
    for b in numba.prange(block.size - 1):
        sums = work.blocks[b]
        if are_glued:
            _count_bonds(np.int64(block[b]), np.int64(block[b + 1]), sums, rows, bonds, early, late)
        _count_pairs(b, sums, rows, pairs, spring, now, kept, L, early, late)
        count_walls(b, sums, rows, walls, wall_spring, now, kept_walls, time, early, late)
        count_grains(grain_block[b], grain_block[b + 1], sums, grains, drag, g, medium, early, late)
    close_step(work)

"""A batch: the arithmetic of many contacts at once, in loops that become vector instructions.

Pairs that touch are collected in batches of ``LANES``. What a pair brings in and what leaves it
stands in rows of four numbers (a table, moved with one instruction a row); in between, every number
has a column of its own. The arithmetic is cut into four short loops, so that the processor works on
several vectors at a time instead of waiting for one to go through:

    meet    where they touch: normal, overlap, velocities, effective masses
    turn    the tangential spring follows the contact plane and is stretched by the slip
    push    the law: from overlap, spring and velocities to forces
    part    force and torque for either grain, and the spring to remember

The compiler makes vectors of these loops only if indices are unsigned (signed ones may count from
the end) and bounded (hence ``& MASK``), and if rows and columns are two arrays.

Legend: a the table (6 LANES rows of four numbers, flat), c the columns; n normal, u slip velocity,
s tangential spring, w spin times arm.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from numba.extending import register_jitable

from granum.contact.model import Model, Touch, Turning, make_reader, make_writer
from granum.vector_rows import FOUR, ONE, THREE, TWO, filled, read_row

LANES = 64  # 32 were slower where grains do not fit the caches
ZERO, FULL = np.uintp(0), np.uintp(LANES)
MASK = np.uintp(2 * LANES - 1)
DEEPEST = 0.5  # overlap, as a share of the smaller radius, that counts as trouble

# the rows: (difference of positions, sum of radii), (difference of velocities, sum of 1/m),
# (sum of spin times radius, sum of r²/I), (spring, when it was stretched); force; torque / radius
GOING, TURNING, SPRING, FORCE, TORQUE, ROLLING, COUPLE = (
    np.uintp(4 * k * LANES) for k in range(7))
ROWS = 7 * LANES

# what waits: rows (difference of positions, sum of radii), then columns
SMALL, LARGE = np.uintp(4 * LANES), np.uintp(5 * LANES)
WAITING = 6 * LANES

# the columns
(NX, NY, NZ, OVERLAP, RATE, UX, UY, UZ, M_N, M_T, TWIST, ARM, SX, SY, SZ, F_N, TX,
 TY, TZ, CX, CY, CZ) = (np.uintp(k * LANES) for k in range(22))
MORE = 22  # columns so far; two of bodies that are no balls follow (`shaped.levers`)
COLUMNS = (MORE + 2) * LANES

# what is kept of a slot until its work is counted: normal force, tangential force, couple; of edges
# that cross, near their ends, their weight and the forces that the ends have moved
WEIGHT, MOVED, KEPT = 7, 8, 12


@register_jitable
def turn(sx, sy, sz, nx, ny, nz, twist=0.0):
    """Turn a spring with the contact plane, keeping its length.

    The part along the normal is what the plane has turned away since the last step; taking it off
    shortens the spring by the cosine of that angle, which the factor gives back. ``twist`` is the
    angle by which the two grains have turned together about the normal [rad].
    """
    along = sx * nx + sy * ny + sz * nz
    before = sx * sx + sy * sy + sz * sz
    sx, sy, sz = (
        sx - along * nx + twist * (ny * sz - nz * sy),
        sy - along * ny + twist * (nz * sx - nx * sz),
        sz - along * nz + twist * (nx * sy - ny * sx),
    )
    after = sx * sx + sy * sy + sz * sz
    longer = np.sqrt(before / after) if after > 0.0 else 1.0
    return sx * longer, sy * longer, sz * longer


@register_jitable(inline="always")
def meet_lane(c, m, d, reach, going, im, turning, slipping):
    """Find normal, overlap, velocities and effective masses of lane m; return the overlap.

    Args:
        c: the columns that get them.
        m: the lane.
        d: difference of positions [m].
        reach: sum of radii [m].
        going: difference of velocities [m/s].
        im: sum of 1/m [1/kg].
        turning: sum of spin times radius [m/s].
        slipping: sum of r²/I [1/kg].
    """
    dx, dy, dz = d
    d2 = dx * dx + dy * dy + dz * dz
    distance = np.sqrt(d2)
    ia = im + slipping
    # one division for four, beside the root: 1/distance, 1/reach, 1/im and 1/ia
    lengths, masses = d2 * reach, im * ia
    one = 1.0 / (lengths * masses)
    per_lengths, per_masses = one * masses, one * lengths
    per = per_lengths * reach * distance
    arm = per_lengths * d2 * distance
    nx, ny, nz = dx * per, dy * per, dz * per
    wx, wy, wz = arm * turning[0], arm * turning[1], arm * turning[2]
    vx = going[0] + ny * wz - nz * wy
    vy = going[1] + nz * wx - nx * wz
    vz = going[2] + nx * wy - ny * wx
    along = vx * nx + vy * ny + vz * nz
    overlap = reach - distance
    c[NX + m], c[NY + m], c[NZ + m] = nx, ny, nz
    c[OVERLAP + m] = overlap
    c[RATE + m] = -along
    c[UX + m] = vx - along * nx
    c[UY + m] = vy - along * ny
    c[UZ + m] = vz - along * nz
    c[M_N + m] = per_masses * ia
    c[M_T + m] = per_masses * im
    c[TWIST + m] = per * (wx * nx + wy * ny + wz * nz)
    c[ARM + m] = arm
    return overlap


@register_jitable
def meet(a, c, w, lanes):
    """Find where balls touch; return how many are too deep in each other."""
    too_deep = 0
    for m in range(filled(lanes) & MASK):
        q = m * FOUR
        dx, dy, dz, reach = read_row(w, q)
        vx, vy, vz, im = read_row(a, GOING + q)
        wx, wy, wz, slipping = read_row(a, TURNING + q)
        overlap = meet_lane(c, m, (dx, dy, dz), reach, (vx, vy, vz), im, (wx, wy, wz), slipping)
        too_deep += 1 if overlap > DEEPEST * w[SMALL + m] else 0
    return too_deep


@register_jitable
def turn_and_stretch(a, c, lanes, past, ahead, last):
    """Turn the springs of contacts that touched in sweep ``last``; others begin with none."""
    for m in range(filled(lanes) & MASK):
        q = m * FOUR
        keep = 1.0 if a[SPRING + q + THREE] == last else 0.0
        sx, sy, sz = turn(
            keep * a[SPRING + q], keep * a[SPRING + q + ONE], keep * a[SPRING + q + TWO],
            c[NX + m], c[NY + m], c[NZ + m], (past + ahead) * c[TWIST + m],
        )
        c[SX + m] = sx + past * c[UX + m]
        c[SY + m] = sy + past * c[UY + m]
        c[SZ + m] = sz + past * c[UZ + m]


@cache
def make_push(model: Model) -> Callable[..., Any]:
    """Return the loop over a batch that evaluates the law."""
    force, couple, mixed = model.force, model.couple, model.mixed
    coefficients_at = make_reader(model.coefficients, 1)
    state_at = make_reader(len(model.signs), LANES)
    keep_state = make_writer(len(model.signs), LANES)
    state_count = len(model.signs)

    @register_jitable
    def remembered(state, m, lasting):
        """Return what the contact in lane m remembers: zeros unless it was there a step ago."""
        for k in range(state_count):
            state[np.uintp(k * LANES) + m] *= lasting
        return state_at(state, m)

    @register_jitable
    def push(a, c, w, state, kind, lanes, p, last, dt, past, ahead):
        """Get normal force, tangential force, bounded spring and state of all lanes."""
        for m in range(lanes & MASK):  # a law may not end for numbers that are none
            q = m * FOUR
            lasting = 1.0 if a[SPRING + q + THREE] == last else 0.0
            touch = Touch(
                c[OVERLAP + m], c[RATE + m], c[M_N + m], c[M_T + m],
                w[SMALL + m] / (1.0 + w[SMALL + m] / w[LARGE + m]),
                c[SX + m], c[SY + m], c[SZ + m], c[UX + m], c[UY + m], c[UZ + m], lasting, dt,
            )
            numbers = coefficients_at(p, kind[m]) if mixed else p
            f_n, pull, spring, after = force(numbers, touch, remembered(state, m, lasting))
            if couple is not None:
                turning = Turning(c[NX + m], c[NY + m], c[NZ + m], a[ROLLING + q],
                                  a[ROLLING + q + ONE], a[ROLLING + q + TWO], c[TWIST + m],
                                  past, ahead)
                moment, after = couple(numbers, touch, turning, f_n, after)
                c[CX + m], c[CY + m], c[CZ + m] = moment
            c[F_N + m] = f_n
            c[TX + m], c[TY + m], c[TZ + m] = pull
            c[SX + m], c[SY + m], c[SZ + m] = spring
            keep_state(state, m, after)

    return push


@register_jitable
def part(a, c, lanes, ahead, now, far):
    """Write force and torque over radius on i, and the springs stretched by half a step ahead.

    Grains that do not touch are in contact if the law holds them.
    """
    for m in range(filled(lanes) & MASK):
        q = m * FOUR
        nx, ny, nz = c[NX + m], c[NY + m], c[NZ + m]
        tx, ty, tz = c[TX + m], c[TY + m], c[TZ + m]
        f_n, arm = c[F_N + m], c[ARM + m]
        sx = c[SX + m] + ahead * c[UX + m]
        sy = c[SY + m] + ahead * c[UY + m]
        sz = c[SZ + m] + ahead * c[UZ + m]
        a[SPRING + q], a[SPRING + q + ONE], a[SPRING + q + TWO] = sx, sy, sz
        a[SPRING + q + THREE] = now if not far or c[OVERLAP + m] > 0.0 or f_n != 0.0 else -1.0
        a[FORCE + q] = tx - f_n * nx
        a[FORCE + q + ONE] = ty - f_n * ny
        a[FORCE + q + TWO] = tz - f_n * nz
        a[FORCE + q + THREE] = 0.0
        a[TORQUE + q] = arm * (ny * tz - nz * ty)
        a[TORQUE + q + ONE] = arm * (nz * tx - nx * tz)
        a[TORQUE + q + TWO] = arm * (nx * ty - ny * tx)
        a[TORQUE + q + THREE] = 0.0


def make_keep(model: Model) -> Callable[..., Any]:
    """Return the function that keeps the forces of a batch until their work is counted."""
    rolls = model.couple is not None

    @register_jitable
    def keep(c, lanes, slot, kept):
        """Write normal force, tangential force and couple on i into the rows of the slots."""
        for m in range(lanes):
            k = slot[m]
            kept[k, 0] = c[F_N + m]
            kept[k, 1], kept[k, 2], kept[k, 3] = c[TX + m], c[TY + m], c[TZ + m]
            if rolls:
                kept[k, 4], kept[k, 5], kept[k, 6] = c[CX + m], c[CY + m], c[CZ + m]

    return keep


@register_jitable
def keep_ends(kept, k, weight, moved):
    """Keep the weight of edges that cross, and what forces their four ends have moved."""
    kept[k, WEIGHT] = weight
    for v in range(4):
        kept[k, MOVED + v] = moved[v]


@register_jitable
def resist(a, c, w, lanes):
    """Write the couple on i over its radius into the torques, and that on j aside."""
    for m in range(filled(lanes) & MASK):
        q = m * FOUR
        i, j = 1.0 / w[SMALL + m], 1.0 / w[LARGE + m]
        for k, column in ((ZERO, CX), (ONE, CY), (TWO, CZ)):
            torque = a[TORQUE + q + k]
            a[COUPLE + q + k] = torque - j * c[column + m]
            a[TORQUE + q + k] = torque + i * c[column + m]

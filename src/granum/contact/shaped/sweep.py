"""The sweep over pairs of features, block by block, as `granum.contact.sweep` is for balls.

Two closest points with the radii of their bodies are two balls that touch, so the arithmetic of a
batch serves unchanged. Their velocities are those of the rigid bodies there, and the forces go to
the bodies with the torque that they have about the centres (see `levers`). So the sweep needs
nothing but the bodies, where their axes point, and the tables of their shapes: however many
vertices a body has, only those are looked at that may touch. What counts more or less than once
has its force multiplied by its weight (see `meeting`).

Slots that do not meet are asked how far the two bodies may go before they can (see `rest`), and
are not looked at until then; nor are pairs of bodies of which all slots are asleep. That is sure,
so no result depends on it.

Legend as in `granum.contact.sweep`; here X, V, W are those of bodies, F has the torque about the
centre instead of that over radius, and the rows of F for bodies come after those for vertices.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numba.extending import register_jitable

from granum.compile import uncounted
from granum.contact.batch import (
    COUPLE,
    DEEPEST,
    F_N,
    FORCE,
    FULL,
    GOING,
    LANES,
    LARGE,
    M_N,
    M_T,
    OVERLAP,
    ROWS,
    SMALL,
    SPRING,
    TORQUE,
    TURNING,
    ZERO,
    keep_ends,
    make_keep,
    make_push,
    meet,
    turn_and_stretch,
)
from granum.contact.model import Model, make_reader, make_unpack
from granum.contact.shaped.crossing import corners_of, make_push_ends
from granum.contact.shaped.levers import (
    ENDS,
    FIRST,
    HERE,
    SECOND,
    WEIGHT,
    make_part_bodies,
    make_ride,
)
from granum.contact.shaped.meeting import (
    KIND,
    ONES,
    READY,
    SINGLE,
    bodies_of,
    centre_shift,
    pair_of,
)
from granum.contact.shaped.memory import row_signs
from granum.contact.shaped.rest import lie_down
from granum.contact.shaped.single import meet_slot
from granum.contact.shaped.slots import BEGIN, END
from granum.contact.shaped.touching import meet_each, write_lane
from granum.contact.sweep import half_period
from granum.vector_rows import EIGHT, FOUR, ONE, THREE, TWO, add_to_row, read_row, write_row


@uncounted
def next_awake(p, end, pair, pair_wake, gone):
    """Return the first pair from p on that may touch, or ``end``."""
    while p < end and gone[pair[p, 0]] + gone[pair[p, 1]] < pair_wake[p]:
        p += ONE
    return p


@uncounted
def one_slot(k, row):
    """Return how many slots belong to the contact of slot k: one."""
    return ONE


@uncounted
def all_slots(k, row):
    """Return how many slots belong to the contact of slot k, which may be a single contact."""
    return ONE + np.uintp(row[k, ONES]) if row[k, KIND] == SINGLE else ONE


@register_jitable
def note_deep(b, c, w, lanes, row, slot, deep):
    """Write down the last of the batch whose balls overlap by more than they may."""
    for m in range(lanes):
        if c[OVERLAP + m] > DEEPEST * min(w[SMALL + m], w[LARGE + m]):
            deep[b, 0], deep[b, 1] = row[slot[m], 0], row[slot[m], 3]


def _make_gather(model: Model) -> Callable[..., Any]:
    """Return the function that brings what the features in lane m need into the batch."""
    width, count = np.uintp(model.width), len(model.signs)
    mixed, coefficients = model.mixed, np.uintp(model.coefficients)

    @uncounted
    def gather(k, m, i, j, share, a, state, kind, V, W, axes, material, spring, materials):
        q = FOUR * m
        x, y, z, u = read_row(V, FOUR * np.uintp(i))
        xx, yy, zz, v = read_row(V, FOUR * np.uintp(j))
        write_row(a, GOING + q, xx - x, yy - y, zz - z, u + v)
        write_row(share, FIRST + q, *read_row(W, FOUR * np.uintp(i)))
        write_row(share, SECOND + q, *read_row(W, FOUR * np.uintp(j)))
        a[TURNING + q + THREE] = axes[i, READY] + axes[j, READY]
        if mixed:
            kind[m] = coefficients * (material[i] * materials + material[j])
        write_row(a, SPRING + q, *read_row(spring, width * k))
        for s in range(count):
            state[np.uintp(s * LANES) + m] = spring[width * k + np.uintp(4 + s)]

    return gather


def _make_scatter(model: Model) -> Callable[..., Any]:
    """Return the function that pushes the bodies, and keeps the history."""
    width, count = np.uintp(model.width), len(model.signs)

    @uncounted
    def scatter(a, state, lanes, F, row, pair, slot, spring):
        for m in range(lanes):
            k, q = slot[m], FOUR * m
            p, turned = pair_of(k, row)
            write_row(spring, width * k, *read_row(a, SPRING + q))
            for s in range(count):
                spring[width * k + np.uintp(4 + s)] = state[np.uintp(s * LANES) + m]
            i, j = EIGHT * pair[p, TWO + turned], EIGHT * pair[p, THREE - turned]
            x, y, z, _ = read_row(a, FORCE + q)
            add_to_row(F, i, x, y, z, 0.0)
            add_to_row(F, j, -x, -y, -z, 0.0)
            add_to_row(F, i + FOUR, *read_row(a, TORQUE + q))
            add_to_row(F, j + FOUR, *read_row(a, COUPLE + q))

    return scatter


@register_jitable  # a closure over a compiled function is never found in the cache again
def lie_down_at(k, pairs, way, gap, L):
    """Do what `lie_down` does."""
    return lie_down(k, pairs, way, gap, L)


def make_shaped_sweep(model: Model, hand_over: Callable[..., Any],
                      single: bool) -> Callable[..., Any]:
    """Return the sweep over one block's slots, with the law compiled in.

    ``hand_over`` gives a contact that begins the memory of one that has ended; ``single`` tells
    whether convex bodies have a single contact.
    """
    width, signs = np.uintp(model.width), row_signs(model)
    push, gather, scatter = make_push(model), _make_gather(model), _make_scatter(model)
    ride, part_bodies = make_ride(model), make_part_bodies(model)
    meet_at, slots_of = (meet_slot, all_slots) if single else (meet_each, one_slot)
    counted, keep = model.counted, make_keep(model)
    coefficients_of, mixed, push_ends = make_unpack(model), model.mixed, make_push_ends(model)
    coefficients_at = make_reader(model.coefficients, 1)
    state_at = make_reader(len(model.signs), LANES)

    @uncounted
    def weigh_crossings(lanes, slot, c, w, state, kind, p, share, F, row, pair, X, axes, arm, L,
                        half, kept):
        """Weigh crossings whose ends are within reach, and add the forces of the ends."""
        for m in range(lanes):
            k, q = slot[m], FOUR * m
            if share[ENDS + q] == 0.0:
                continue
            i, j = bodies_of(k, row, pair)
            shift = centre_shift(X, i, j, L, half)
            numbers = coefficients_at(p, kind[m]) if mixed else p
            radius = w[SMALL + m] / (1.0 + w[SMALL + m] / w[LARGE + m])
            x, y, z, _ = read_row(share, HERE + q)
            dx, dy, dz, _ = read_row(w, q)
            at = pair_of(k, row)[0]
            share[WEIGHT + q], moved = push_ends(
                (dx, dy, dz), (x, y, z), corners_of(k, i, j, shift, row, axes, arm), shift,
                c[OVERLAP + m], c[F_N + m], w[SMALL + m] + w[LARGE + m], numbers,
                state_at(state, m), (c[M_N + m], c[M_T + m], radius), F, pair[at, TWO],
                pair[at, THREE])
            if counted:
                keep_ends(kept, k, share[WEIGHT + q], moved)

    @uncounted
    def sweep(b, rows, F, pairs, history, now, law, past, ahead, L, scratch):
        """Find the touching features of block b and add their forces."""
        flat_F, spring = F.reshape(F.size), history.spring.reshape(history.spring.size)
        a, share = scratch.table[b].reshape(ROWS * 4), scratch.share[b].reshape(LANES * 16)
        c, state, kind = scratch.columns[b], scratch.state[b], scratch.kind[b]
        w, slot = scratch.waiting[b, 0], scratch.slot[b, 0]
        half = half_period(L[0]), half_period(L[1]), half_period(L[2])
        p = coefficients_of(law.p)
        pair, row, wake, pair_wake, gone = (pairs.pair, pairs.row, pairs.wake, pairs.pair_wake,
                                            pairs.gone)
        X, V, W = pairs.X, pairs.V.reshape(pairs.V.size), pairs.W.reshape(pairs.W.size)
        material, axes, arm = pairs.material, pairs.axes, pairs.arm
        upcoming, end = np.uintp(pairs.first[b]), np.uintp(pairs.last[b])
        at, k, stop = upcoming, ZERO, ZERO
        way, between = 0.0, (0.0, 0.0, 0.0)
        while upcoming < end or k < stop:
            m = ZERO
            while m < FULL:
                if k == stop:
                    at = next_awake(upcoming, end, pair, pair_wake, gone)
                    upcoming = at + ONE
                    if at >= end:
                        break
                    k, stop = np.uintp(pair[at, BEGIN]), np.uintp(pair[at, END])
                    way = gone[pair[at, 0]] + gone[pair[at, 1]]
                    between = centre_shift(X, pair[at, 0], pair[at, 1], L, half)
                    pair_wake[at] = np.inf
                further = ONE
                if way >= wake[k]:
                    i, j = bodies_of(k, row, pair)
                    ri, rj = arm[row[k, 0], 3], arm[row[k, 3], 3]
                    sign = 1.0 if i == pair[at, 0] else -1.0
                    shift = sign * between[0], sign * between[1], sign * between[2]
                    d, here, heavy, ends = meet_at(k, i, j, shift, ri, rj, law.gap, pairs)
                    further = slots_of(k, row)
                    if heavy != 0.0:
                        wake[k] = 0.0
                        if spring[width * k + THREE] != now - 1.0:
                            hand_over(k, pairs, history.spring, signs, now - 1.0, law.gap, L)
                        slot[m] = k
                        write_lane(m, d, here, heavy, ends, shift, ri, rj, w, share)
                        gather(k, m, i, j, share, a, state, kind, V, W, axes, material, spring,
                               law.materials)
                        m += ONE
                    elif further == ONE and way >= -wake[k]:  # no single contact: these stay awake
                        wake[k] = lie_down_at(k, pairs, way, law.gap, L)
                pair_wake[at] = min(pair_wake[at], wake[k])
                k += further
            ride(a, w, share, m)
            meet(a, c, w, m)
            turn_and_stretch(a, c, m, past, ahead, now - 1.0)
            push(a, c, w, state, kind, m, p, now - 1.0, law.step, past, ahead)
            if counted:
                keep(c, m, slot, scratch.kept)
            weigh_crossings(m, slot, c, w, state, kind, p, share, F, row, pair, X, axes, arm, L,
                            half, scratch.kept)
            note_deep(b, c, w, m, row, slot, scratch.deep)
            part_bodies(a, c, w, share, m, ahead, now)
            scatter(a, state, m, flat_F, row, pair, slot, spring)

    return sweep

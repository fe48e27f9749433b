"""The sweep over pairs of features, block by block, as `granum.contact.sweep` is for balls.

It needs nothing but the bodies, where their axes point, and the tables of their shapes: however
many vertices a body has, only those are looked at that may touch. Those that do are collected in
batches, which act on the bodies (see `acting`). Rods have a sweep of their own (`rod_sweep`).

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
from granum.contact.batch import FULL, LANES, ROWS, ZERO
from granum.contact.model import Model, make_unpack
from granum.contact.shaped.acting import make_act, make_gather
from granum.contact.shaped.meeting import (
    KIND,
    ONES,
    SINGLE,
    bodies_of,
    centre_shift,
)
from granum.contact.shaped.memory import row_signs
from granum.contact.shaped.rest import lie_down
from granum.contact.shaped.single import meet_slot
from granum.contact.shaped.slots import BEGIN, END
from granum.contact.shaped.touching import meet_each, write_lane
from granum.contact.sweep import half_period
from granum.vector_rows import ONE, THREE


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
    gather, act = make_gather(model), make_act(model)
    meet_at, slots_of = (meet_slot, all_slots) if single else (meet_each, one_slot)
    coefficients_of = make_unpack(model)

    @uncounted
    def sweep(b, rows, F, pairs, history, now, law, past, ahead, L, scratch):
        """Find the touching features of block b and add their forces."""
        flat_F, spring = F.reshape(F.size), history.spring.reshape(history.spring.size)
        a, share = scratch.table[b].reshape(ROWS * 4), scratch.share[b].reshape(LANES * 16)
        c, state, kind = scratch.columns[b], scratch.state[b], scratch.kind[b]
        w, slot = scratch.waiting[b, 0], scratch.slot[b, 0]
        half = half_period(L[0]), half_period(L[1]), half_period(L[2])
        p = coefficients_of(law.p)
        pair, row, who, wake, pair_wake, gone = (pairs.pair, pairs.row, pairs.who, pairs.wake,
                                                 pairs.pair_wake, pairs.gone)
        X, V, W = pairs.X, pairs.V.reshape(pairs.V.size), pairs.W.reshape(pairs.W.size)
        material, arm = pairs.material, pairs.arm
        upcoming, end = np.uintp(pairs.first[b]), np.uintp(pairs.last[b])
        at, k, stop = upcoming, ZERO, ZERO
        way, between = 0.0, (0.0, 0.0, 0.0)
        while upcoming < end or k < stop:
            m, crossed = ZERO, 0.0
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
                    i, j = bodies_of(k, who)
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
                        write_lane(m, d, here, heavy, ends, shift, ri, rj, c, w, share)
                        gather(k, m, i, j, a, share, state, kind, V, W, material, spring,
                               law.materials)
                        m += ONE
                        crossed += ends
                    elif further == ONE and way >= -wake[k]:  # no single contact: these stay awake
                        wake[k] = lie_down_at(k, pairs, way, law.gap, L)
                pair_wake[at] = min(pair_wake[at], wake[k])
                k += further
            act(b, m, crossed, now, past, ahead, law.step, p, pairs, F, flat_F, spring, a, c, w,
                share, slot, state, kind, L, half, scratch)

    return sweep

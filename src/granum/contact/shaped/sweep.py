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
from granum.contact.shaped.slots import BEGIN, END, is_queue_good, keep_queue, slots_of_block
from granum.contact.shaped.touching import meet_features, write_lane
from granum.contact.sweep import half_period
from granum.prefetch import prefetch
from granum.vector_rows import ONE, THREE

FAR, NEAR = np.uintp(12), np.uintp(6)  # how many slots ahead is asked for


@uncounted
def one_slot(k, row):
    """Return how many slots belong to the contact of slot k: one."""
    return ONE


@uncounted
def all_slots(k, row):
    """Return how many slots belong to the contact of slot k, which may be a single contact."""
    return ONE + np.uintp(row[k, ONES]) if row[k, KIND] == SINGLE else ONE


@uncounted
def line_up(b, n, pairs, slots_of):
    """Line up all slots of block b that are awake, from place n on.

    A pair sleeps as long as all of its slots.
    """
    pair, pair_wake, row, wake, gone, queue = (pairs.pair, pairs.pair_wake, pairs.row, pairs.wake,
                                               pairs.gone, pairs.queue)
    least = np.inf
    for p in range(np.uintp(pairs.first[b]), np.uintp(pairs.last[b])):
        way = gone[pair[p, 0]] + gone[pair[p, 1]]
        if way >= pair_wake[p]:
            first, k, end = np.inf, np.uintp(pair[p, BEGIN]), np.uintp(pair[p, END])
            while k < end:
                queue[n] = k
                n += ONE if way >= wake[k] else ZERO
                first = min(first, wake[k])
                least = min(least, wake[k] - way if way < wake[k] else np.inf)
                k += slots_of(k, row)
            pair_wake[p] = first
        else:
            least = min(least, pair_wake[p] - way)
    keep_queue(b, n, least, pairs)


@uncounted
def foresee(at, end, queue, row, who, spring, X, axes):
    """Ask for what slots need that are looked at soon, and for what their bodies do."""
    k = np.uintp(queue[min(at + FAR, end - ONE)])
    prefetch(row, k)
    prefetch(who, k)
    prefetch(spring, k)
    k = np.uintp(queue[min(at + NEAR, end - ONE)])
    prefetch(X, who[k, 1])
    prefetch(axes, who[k, 1])


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
    meet_at, slots_of = (meet_slot, all_slots) if single else (meet_features, one_slot)
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
        row, who, wake, gone, queue, limit = (pairs.row, pairs.who, pairs.wake, pairs.gone,
                                              pairs.queue, pairs.limit)
        X, V, W = pairs.X, pairs.V.reshape(pairs.V.size), pairs.W.reshape(pairs.W.size)
        material, arm = pairs.material, pairs.arm
        at, _ = slots_of_block(b, pairs)
        if not is_queue_good(b, pairs):
            line_up(b, at, pairs, slots_of)
        end = np.uintp(pairs.lined[b])
        while at < end:
            m, crossed = ZERO, 0.0
            while at < end and m < FULL:
                k = np.uintp(queue[at])
                foresee(at, end, queue, row, who, history.spring, X, pairs.axes)
                at += ONE
                i, j = bodies_of(k, who)
                ri, rj = arm[row[k, 0], 3], arm[row[k, 3], 3]
                shift = centre_shift(X, i, j, L, half)
                d, here, heavy, ends = meet_at(k, i, j, shift, ri + rj + law.gap, pairs)
                if heavy != 0.0:
                    if wake[k] != 0.0:  # what is not written stays in the processor's own memory
                        wake[k] = 0.0
                    if spring[width * k + THREE] != now - 1.0:
                        hand_over(k, pairs, history.spring, signs, now - 1.0, law.gap, L)
                    slot[m] = k
                    write_lane(m, d, here, heavy, ends, shift, ri, rj, c, w, share)
                    gather(k, m, i, j, a, share, state, kind, V, W, material, spring,
                           law.materials)
                    m += ONE
                    crossed += ends
                elif slots_of(k, row) == ONE:  # no single contact: these stay awake
                    way = gone[i] + gone[j]
                    if way >= abs(wake[k]):
                        wake[k] = lie_down_at(k, pairs, way, law.gap, L)
                        limit[b] = -np.inf if wake[k] > way else limit[b]
            act(b, m, crossed, now, past, ahead, law.step, p, pairs, flat_F, spring, a, c, w, share,
                slot, state, kind, L, half, scratch)

    return sweep

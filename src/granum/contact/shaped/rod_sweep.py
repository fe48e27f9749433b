"""The sweep over slots of rods: as `sweep`, but many slots are asked at once where they meet.

Slots that are awake are lined up without asking what they are; their geometry is one formula for
all (see `rods`). Those that meet act as all contacts of features do (see `acting`); the rest is
asked how long it may sleep. Two rods have few slots, so each of them is asked whether it sleeps,
and not first whether the pair does.

Legend as in `sweep`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from granum.compile import uncounted
from granum.contact.batch import FULL, LANES, ROWS, ZERO
from granum.contact.model import Model, make_unpack
from granum.contact.shaped.acting import make_act, make_gather
from granum.contact.shaped.crowd import crowd_weight
from granum.contact.shaped.levers import ENDS, HEAVY
from granum.contact.shaped.meeting import ONES, OTHERS, bodies_of
from granum.contact.shaped.memory import row_signs
from granum.contact.shaped.rods import (
    CROWDED,
    bring_rods,
    line_up,
    meet_rods,
    move_up,
)
from granum.contact.shaped.slots import is_queue_good, slots_of_block
from granum.contact.shaped.sweep import lie_down_at
from granum.contact.sweep import half_period
from granum.vector_rows import FOUR, ONE, THREE, read_row


@uncounted
def weight_with_crowd(k, n, i, j, c, w, gap, pairs):
    """Return the weight of the ends in slot k and lane n, whose other ends touch as well."""
    dx, dy, dz, reach = read_row(w, FOUR * n)
    return c[HEAVY + n] + crowd_weight(
        (dx, dy, dz), reach + gap, pairs.row[k, ONES], i, pairs.row[k, OTHERS], j,
        pairs.axes, pairs.side, pairs.rim, pairs.spoke_begin, pairs.spoke, pairs.fan_begin,
        pairs.fan)


def make_rod_sweep(model: Model, hand_over: Callable[..., Any]) -> Callable[..., Any]:
    """Return the sweep over one block's slots, all of rods and spheres, with the law compiled in.

    ``hand_over`` gives a contact that begins the memory of one that has ended.
    """
    width, signs = np.uintp(model.width), row_signs(model)
    gather, act, coefficients_of = make_gather(model), make_act(model), make_unpack(model)

    @uncounted
    def sweep(b, rows, F, pairs, history, now, law, past, ahead, L, scratch):
        """Find the touching features of block b and add their forces."""
        flat_F, spring = F.reshape(F.size), history.spring.reshape(history.spring.size)
        a, share = scratch.table[b].reshape(ROWS * 4), scratch.share[b].reshape(LANES * 16)
        c, state, kind = scratch.columns[b], scratch.state[b], scratch.kind[b]
        w, slot, lane = scratch.waiting[b, 0], scratch.slot[b, 0], scratch.slot[b, 1]
        one, two, apart = scratch.slot[b, 2], scratch.slot[b, 3], scratch.slot[b, 4]
        half = half_period(L[0]), half_period(L[1]), half_period(L[2])
        p, periods = coefficients_of(law.p), (L[0], L[1], L[2])
        row, who, wake, gone, queue, limit = (pairs.row, pairs.who, pairs.wake, pairs.gone,
                                              pairs.queue, pairs.limit)
        X, V, W = (pairs.X.reshape(pairs.X.size), pairs.V.reshape(pairs.V.size),
                   pairs.W.reshape(pairs.W.size))
        axes, arm = pairs.axes.reshape(pairs.axes.size), pairs.arm.reshape(pairs.arm.size)
        start, end = slots_of_block(b, pairs)
        if not is_queue_good(b, pairs):
            line_up(b, start, end, pairs)
        end = np.uintp(pairs.lined[b])
        while start < end:
            count = min(end - start, FULL)
            for n in range(count):
                k = np.uintp(queue[start + n])
                i, j = bodies_of(k, who)
                one[n], two[n] = i, j
                bring_rods(n, k, i, j, row, X, axes, arm, a, c)
            crowded, crossed = meet_rods(a, c, w, share, count, law.gap, periods, half)
            if crowded > 0:
                for n in range(count):
                    if c[ENDS + n] == CROWDED:
                        c[HEAVY + n] = weight_with_crowd(np.uintp(queue[start + n]), n, one[n],
                                                         two[n], c, w, law.gap, pairs)
                        c[ENDS + n] = 0.0
            m = rest = ZERO
            for n in range(count):  # without a branch, which would be guessed wrongly too often
                touches = c[HEAVY + n] != 0.0
                lane[m] = apart[rest] = n
                m += ONE if touches else ZERO
                rest += ZERO if touches else ONE
            for at in range(rest):
                n = apart[at]
                k, way = np.uintp(queue[start + n]), gone[one[n]] + gone[two[n]]
                if way >= abs(wake[k]):
                    wake[k] = lie_down_at(k, pairs, way, law.gap, L)
                    limit[b] = -np.inf if wake[k] > way else limit[b]
            for at in range(m):
                k = np.uintp(queue[start + lane[at]])
                slot[at] = k
                if wake[k] != 0.0:  # what is not written stays in the processor's own memory
                    wake[k] = 0.0
                if spring[width * k + THREE] != now - 1.0:
                    hand_over(k, pairs, history.spring, signs, now - 1.0, law.gap, L)
            for at in range(m):
                n = lane[at]
                move_up(at, n, c, w, share)
                gather(slot[at], at, one[n], two[n], a, share, state, kind, V, W,
                       pairs.material, spring, law.materials)
            start += count
            act(b, m, crossed, now, past, ahead, law.step, p, pairs, flat_F, spring, a, c, w, share,
                slot, state, kind, L, half, scratch)

    return sweep

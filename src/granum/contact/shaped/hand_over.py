"""Contacts that go over from one pair of features to the next take their memory along.

A vertex that slides over an edge of a polygon or a polyhedron leaves one face, meets the edge and
then the next face, each a slot of its own; so does the corner of a wall under a grain. For the two
bodies it is the same contact, whose spring must not be lost. So a contact that begins takes the
memory of one that has ended just now: of the same two bodies, touching in the step before and not
any more, with one feature the same (the vertex that slides). Where several have ended the first in
the list is taken; each is taken once. What is seen from the other body changes its signs.

No result depends on threads or lists: the slots of two bodies are in one block, in an order of
their own, and what has ended in this step is within the margins of any list.
"""

from __future__ import annotations

import numpy as np
from numba.extending import register_jitable

from granum.compile import kernel
from granum.contact.shaped.meeting import bodies_of, centre_shift, pair_of
from granum.contact.shaped.rim_sweep import meet_rim
from granum.contact.shaped.slots import BEGIN, END
from granum.contact.shaped.touching import meet_features
from granum.contact.sweep import half_period


@kernel
def _have_one_in_common(feature, j, k):
    """Tell whether two slots have a feature in common."""
    return (feature[j, 0] == feature[k, 0] or feature[j, 1] == feature[k, 1]
            or feature[j, 0] == feature[k, 1] or feature[j, 1] == feature[k, 0])


@kernel
def _take(spring, k, j, signs, turned):
    """Move the memory of slot j to slot k."""
    for d in range(spring.shape[1]):
        spring[k, d] = (signs[d] if turned else 1.0) * spring[j, d]
    spring[j, 3] = -1.0


@kernel
def _hand_over(k, pairs, spring, signs, last, gap, L):
    """Do what `hand_over` says."""
    half = half_period(L[0]), half_period(L[1]), half_period(L[2])
    row, arm, pair = pairs.row, pairs.arm, pairs.pair
    at, turned = pair_of(k, row)
    for j in range(pair[at, BEGIN], pair[at, END]):
        if spring[j, 3] != last or j == k or not _have_one_in_common(pairs.feature, j, k):
            continue
        c, d = bodies_of(j, pairs.who)
        reach = arm[row[j, 0], 3] + arm[row[j, 3], 3] + gap
        heavy = meet_features(j, c, d, centre_shift(pairs.X, c, d, L, half), reach, pairs)[2]
        if heavy == 0.0:
            _take(spring, k, j, signs, pair_of(j, row)[1] != turned)
            return


@register_jitable  # no kernel: a closure over a compiled function is never found in the cache again
def hand_over(k, pairs, spring, signs, last, gap, L):
    """Give slot k, whose contact begins, the memory of a contact that has ended since sweep last.

    Args:
        k: slot of the contact that begins.
        pairs: all slots, those of two bodies one after the other.
        spring: (slots, width) history; the row that is taken is blank afterwards.
        signs: (width,) what a row is multiplied by when seen from the other body.
        last: number of the sweep before.
        gap: how far apart features are felt [m].
        L: (3,) periods [m].
    """
    _hand_over(np.int64(k), pairs, spring, signs, last, gap, L)


@kernel
def _hand_over_at_rim(k, rims, spring, signs, last, gap, lane):
    """Do what `hand_over_at_rim` says."""
    owner = rims.body[rims.row[k, 0]]
    for j in range(rims.begin[owner], rims.end[owner]):
        if spring[j, 3] != last or j == k or not _have_one_in_common(rims.feature, j, k):
            continue
        heavy = meet_rim(j, rims, gap, lane, 0)[1]
        if heavy == 0.0:
            _take(spring, k, j, signs, False)
            return


@register_jitable
def hand_over_at_rim(k, rims, spring, signs, last, gap, lane):
    """Do the same for slots at rims of walls, where the wall is always the other body."""
    _hand_over_at_rim(k, rims, spring, signs, last, gap, lane)

"""What contacts of features remember: carried over to new slots, read out, and laid back.

The table is that of `granum.contact.history`: two numbers, here those of the features, and what the
contact remembers as seen from the first. A feature's number is its body's first number, given when
the grain is added, and its place in the shape: vertices, sides, faces.
"""

from __future__ import annotations

from typing import Protocol

import numba
import numpy as np
from numpy.typing import NDArray

from granum.compile import kernel, parallel_kernel
from granum.contact.history import Memory, remembered, signs_of
from granum.contact.model import Model
from granum.contact.shaped.slots import Slots
from granum.contact.sweep import History


class Kept(Protocol):
    """Slots of features, whatever they are pairs of."""

    @property
    def begin(self) -> NDArray[np.int64]:
        """(n,) a body's first slot."""

    @property
    def end(self) -> NDArray[np.int64]:
        """(n,) one past its last."""

    @property
    def feature(self) -> NDArray[np.int64]:
        """(slots, 2) numbers of the two features."""


def row_signs(model: Model) -> tuple[float, ...]:
    """Return what a row of history is multiplied by when seen from the other body, (width,)."""
    signs = (-1.0, -1.0, -1.0, 1.0, *model.signs)
    return signs + (1.0,) * (model.width - len(signs))


def read_slots(pairs: Kept, history: History, now: int, model: Model) -> Memory:
    """Return the memory of all features that touched in sweep ``now``, in the order of slots."""
    slot = np.flatnonzero(history.spring[:, 3] == now)
    i, j = pairs.feature[slot].T
    return Memory(i.copy(), j.copy(), remembered(history, slot, model))


def carry_slots(old: Kept, old_history: History, now: int, new: Kept, history: History) -> None:
    """Carry the memory of features that touched in sweep ``now`` over to new slots."""
    _carry(old.begin, old.end, old.feature, old_history.spring, now, new.begin, new.end,
           new.feature, history.spring)


@parallel_kernel
def _carry(old_begin, old_end, old_feature, old, now, begin, end, feature, spring):
    for i in numba.prange(begin.size):
        at = begin[i]
        for k in range(old_begin[i], old_end[i]):
            if old[k, 3] != now:
                continue
            for n in range(end[i] - begin[i]):  # the order of both lists is the same
                c = at + n if at + n < end[i] else at + n - (end[i] - begin[i])
                if feature[c, 0] == old_feature[k, 0] and feature[c, 1] == old_feature[k, 1]:
                    for d in range(spring.shape[1]):
                        spring[c, d] = old[k, d]
                    spring[c, 3] = 0.0
                    at = c
                    break


def lay_slots(memory: Memory, pairs: Slots, history: History, owner: NDArray[np.int64],
              model: Model) -> int:
    """Lay ``memory`` into ``history`` as of sweep 0; return how much of it is lost.

    Args:
        memory: by the numbers of features.
        pairs: the slots.
        history: theirs, written.
        owner: (numbers,) the body that a feature belongs to, in storage; -1 if it is gone.
        model: of the law.
    """
    return int(_lay(memory.i, memory.j, memory.spring, pairs.begin, pairs.end, pairs.feature,
                    history.spring, owner, signs_of(model)))


@kernel
def _find(a, b, body, begin, end, feature):
    """Return the slot of two features among those of a body, or -1."""
    for k in range(begin[body], end[body]):
        if ((feature[k, 0] == a and feature[k, 1] == b)
                or (feature[k, 0] == b and feature[k, 1] == a)):
            return k
    return -1


@kernel
def _lay(mi, mj, ms, begin, end, feature, spring, owner, signs):
    lost = 0
    for c in range(mi.size):
        a, b = owner[mi[c]], owner[mj[c]]
        if a < 0 or b < 0:
            continue
        k = _find(mi[c], mj[c], a, begin, end, feature)
        if k < 0:
            k = _find(mi[c], mj[c], b, begin, end, feature)
        if k < 0:
            lost += 1
            continue
        turned = feature[k, 0] != mi[c]
        for d in range(ms.shape[1]):
            spring[k, d if d < 3 else d + 1] = (signs[d] if turned else 1.0) * ms[c, d]
        spring[k, 3] = 0.0
    return lost

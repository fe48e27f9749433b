"""Contact history: read out by grain, and laid back into the slots of new candidates.

In this form history is a table: grain i, partner j (both by id; in a world with clumps by the
number of the ball), the spring as seen from i and what the law keeps; for walls the grain and the
piece. The table says everything that contacts remember,
whatever list they are kept in. It is what a list update carries over and what a checkpoint holds.
"""

from __future__ import annotations

from typing import NamedTuple

import numba
import numpy as np
from numpy.typing import NDArray

from granum.compile import aligned, kernel, parallel_kernel
from granum.contact.model import Model
from granum.contact.sweep import History
from granum.contact.walls import WallCandidates
from granum.neighbours.candidates import Candidates, owns


class Memory(NamedTuple):
    """What touching contacts remember."""

    i: NDArray[np.int64]  # (c,) id of one grain
    j: NDArray[np.int64]  # (c,) id of the other; for walls the number of the piece
    spring: NDArray[np.float64]  # (c, 3 + n) tangential spring seen from i [m]; the law's n numbers


def empty_memory(model: Model) -> Memory:
    """Return a memory of nothing."""
    none = np.zeros(0, dtype=np.int64)
    return Memory(none, none, np.zeros((0, 3 + len(model.signs))))


def new_history(slots: int, model: Model) -> History:
    """Return a blank history for ``slots`` candidates: none has touched (number -1)."""
    spring = aligned(slots, model.width)
    spring[:, 3] = -1.0
    return History(spring)


def remembered(history: History, slot: NDArray[np.int64], model: Model) -> NDArray[np.float64]:
    """Return spring and state of some slots, (c, 3 + n)."""
    rows = history.spring[slot]
    return np.hstack([rows[:, :3], rows[:, 4 : 4 + len(model.signs)]])


def signs_of(model: Model) -> NDArray[np.float64]:
    """Return what spring and state are multiplied by when seen from the other grain, (3 + n,)."""
    return np.array([-1.0, -1.0, -1.0, *model.signs])


def read_pairs(
    pairs: Candidates, history: History, now: int, ids: NDArray[np.int64], model: Model
) -> Memory:
    """Return the memory of all pairs that touched in sweep ``now``, as they stand in the list.

    Either grain of a pair may come first here; ``ids`` is in storage order.
    """
    owner, slot = touching_pairs(pairs, history, now)
    return Memory(ids[owner], ids[pairs.partner[slot]], remembered(history, slot, model))


def read_walls(
    walls: WallCandidates, history: History, now: int, ids: NDArray[np.int64], model: Model
) -> Memory:
    """Return the memory of all wall contacts of sweep ``now``; ``ids`` is in storage order."""
    slot = np.flatnonzero(history.spring[:, 3] == now)
    return Memory(ids[walls.grain[slot]], walls.piece[slot], remembered(history, slot, model))


def in_order(memory: Memory, model: Model, *, walls: bool = False) -> Memory:
    """Return the same memory in the one order that depends on ids alone, without signed zeros.

    Pairs get the lower id first, which turns the spring round where they stood otherwise.
    """
    i, j, spring = memory
    if not walls:
        spring = np.where((i < j)[:, None], spring, signs_of(model) * spring)
        i, j = np.minimum(i, j), np.maximum(i, j)
    order = np.lexsort((j, i))
    return Memory(i[order], j[order], spring[order] + 0.0)


def touching_pairs(
    pairs: Candidates, history: History, now: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return owner (storage index) and slot of all pairs that touched in sweep ``now``."""
    count = _list_touching(pairs.begin, pairs.end, history.spring, now, False,
                           np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64))
    owner = np.empty(count, dtype=np.int64)
    slot = np.empty(count, dtype=np.int64)
    _list_touching(pairs.begin, pairs.end, history.spring, now, True, owner, slot)
    return owner, slot


@kernel
def _list_touching(begin, end, spring, now, write, owner, slot):
    count = 0
    for i in range(begin.size):
        for k in range(begin[i], end[i]):
            if spring[k, 3] == now:
                if write:
                    owner[count] = i
                    slot[count] = k
                count += 1
    return count


def lay_pairs(
    memory: Memory, pairs: Candidates, history: History, radius: NDArray[np.float64],
    place: NDArray[np.int64], model: Model,
) -> int:
    """Lay ``memory`` into ``history`` as of sweep 0; ``place[id]`` is a grain's storage index.

    Memory of grains that are gone (place -1) is dropped.

    Returns:
        How many remembered pairs are not near each other any more, and forgotten.
    """
    return int(_lay_pairs(memory.i, memory.j, memory.spring, pairs.begin, pairs.end, pairs.partner,
                          history.spring, radius, place, signs_of(model)))


def lay_walls(
    memory: Memory, walls: WallCandidates, history: History, place: NDArray[np.int64]
) -> int:
    """Lay the memory of wall contacts into ``history`` as of sweep 0; return how many are lost."""
    return int(_lay_walls(memory.i, memory.j, memory.spring, walls.grain, walls.piece,
                          history.spring, place))


def carry_pairs(
    old: Candidates, old_history: History, now: int, new: Candidates, history: History
) -> None:
    """Carry the memory of pairs that touched in sweep ``now`` over to new slots, as of sweep 0.

    Both lists are of the same grains in the same order. A pair that is no candidate any more does
    not touch any more.
    """
    _carry_pairs(old.block, old.begin, old.end, old.partner, old_history.spring, now, new.begin,
                 new.end, new.partner, history.spring)


def carry_walls(
    old: WallCandidates, old_history: History, now: int, new: WallCandidates, history: History
) -> None:
    """Carry the memory of wall contacts over in the same way."""
    _carry_walls(old.grain, old.piece, old_history.spring, now, new.grain, new.piece,
                 history.spring)


@parallel_kernel
def _carry_pairs(block, old_begin, old_end, old_partner, old, now, begin, end, partner, spring):
    for b in numba.prange(block.size - 1):
        for i in range(block[b], block[b + 1]):
            c = np.int64(begin[i])
            for k in range(old_begin[i], old_end[i]):
                if old[k, 3] != now:
                    continue
                while c < np.int64(end[i]) and partner[c] < old_partner[k]:
                    c += 1
                if c < np.int64(end[i]) and partner[c] == old_partner[k]:
                    for d in range(spring.shape[1]):
                        spring[c, d] = old[k, d]
                    spring[c, 3] = 0.0


@kernel
def _carry_walls(old_grain, old_piece, old, now, grain, piece, spring):
    c = 0
    for k in range(old_grain.size):
        if old[k, 3] != now:
            continue
        while c < grain.size and (grain[c] < old_grain[k]
                                  or (grain[c] == old_grain[k] and piece[c] < old_piece[k])):
            c += 1
        if c < grain.size and grain[c] == old_grain[k] and piece[c] == old_piece[k]:
            for d in range(spring.shape[1]):
                spring[c, d] = old[k, d]
            spring[c, 3] = 0.0


@kernel
def _lay_row(row, numbers, signs, seen_from_other):
    """Write spring and state into a row of history, as of sweep 0."""
    for d in range(numbers.size):
        row[d if d < 3 else d + 1] = (signs[d] if seen_from_other else 1.0) * numbers[d]
    row[3] = 0.0


@kernel
def _lay_pairs(mi, mj, ms, begin, end, partner, spring, radius, place, signs):
    lost = 0
    for c in range(mi.size):
        a = place[mi[c]]
        b = place[mj[c]]
        if a < 0 or b < 0:
            continue
        turned = not owns(radius[a], a, radius[b], b)
        if turned:
            a, b = b, a
        low = np.int64(begin[a])
        high = np.int64(end[a])
        while low < high:
            middle = (low + high) // 2
            if partner[middle] < b:
                low = middle + 1
            else:
                high = middle
        if low < np.int64(end[a]) and partner[low] == b:
            _lay_row(spring[low], ms[c], signs, turned)
        else:
            lost += 1
    return lost


@kernel
def _lay_walls(mi, mj, ms, grain, piece, spring, place):
    first = np.full(place.size + 1, -1, dtype=np.int64)  # a grain's first slot
    for k in range(grain.size - 1, -1, -1):
        first[grain[k]] = k
    lost = 0
    for c in range(mi.size):
        a = place[mi[c]]
        if a < 0:
            continue
        k = first[a]
        while 0 <= k < grain.size and grain[k] == a and piece[k] != mj[c]:
            k += 1
        if 0 <= k < grain.size and grain[k] == a:
            _lay_row(spring[k], ms[c], ms[c], False)
        else:
            lost += 1
    return lost

"""Ways to follow a motion: each leads to the same triangulation, or says that it cannot.

- `by_flips`: Algorithm 1. Vertices jump to the end, illegal facets are flipped. Where flips are
  blocked (in space nearly always by a flat cell at the hull that turned over), the vertices there
  make a detour: they are taken out before the motion, where all is regular, and put back after it.
  The result is unique, so nothing remembers the detour.
- `by_few_flips`: the same where few vertices move. It looks at their cells only and keeps no copy
  of the others to go back to; so those at the hull, and those that turn a cell over, make the
  detour at once. The rest of the hull stays where it was: as long as no flip has changed it, it
  winds once as before.

Two more are for motions that are too long for flips alone:

- `by_submoves`: Algorithm 3. The motion is cut where cells would turn over; Algorithm 1 after each.
- `by_events`: Algorithm 2. Facets are flipped in the order of the times when they become illegal.

Positions and weights change linearly on the way. The way itself is rounded arithmetic; its end is
what counts, and Algorithm 1 with an exact check has the last word everywhere. A way that fails
leaves the cells as they were before, the vertices at their end.

Sources: J.-A. Ferrez, EPFL thesis 2432 (2001), chapters 2 and 4; L. Pournin, EPFL thesis 3378
(2005), section 4.3.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from granum.checks import FloatArray, IntArray
from granum.geometry.edges import EDGE_TOP
from granum.geometry.events import (
    ENTRY,
    EVENT_WORK,
    EVENTS,
    PATIENCE,
    SIZE,
    due_times,
    fill_heap,
    flat_times,
    follow_events,
)
from granum.geometry.facet_queue import FLIPS, HULL, STUCK, WORK, fill_queue
from granum.geometry.motion import NEVER, Motion
from granum.geometry.repair import repair
from granum.geometry.snapshot import Positions, Snapshot
from granum.geometry.stars import find_blocking, put_stars
from granum.geometry.state import State
from granum.geometry.tetrahedra import BLOCKED, DONE, LIVE, NO_ROOM, TOP

TRIES = 3  # how often it is flipped, each time with more vertices on a detour
FEW_DETOURS = 16  # vertices that may always make a detour
CELLS_PER_EDGE = 4  # of a vertex: twice as many as it has, and room for those that flips bring
MORE_FACETS = 4096  # that there is room for in a queue
EVENTS_PER_CELL, MORE_EVENTS = 1, 1000  # events allowed: a bound of time, and of memory
SUBMOVES = 64  # most in one motion
STEEPEST = 4  # how much fewer cells may turn over in a sub-move after one that failed
JUST_BEFORE = 0.999  # a sub-move ends at this share of the time when a cell becomes flat
SHORTEST = 1e-6  # share of a motion below which a sub-move that fails is given up
NONE = np.empty(0, dtype=np.int32)

Way = Callable[[State, Positions, Positions], bool]


def by_flips(state: State, start: Positions, end: Positions) -> bool:
    """Follow by flips and detours (Algorithm 1).

    Args:
        state: vertices at their end, cells as at the start.
        start: positions that the cells belong to.
        end: positions now.
    """
    bad = state.check(start)
    if bad == 0 and state.winding() == 1:
        state.return_uncovered()
        return True
    if bad > state.space.worth_repair * int(state.mesh.counts[LIVE]):
        return False
    before = state.snapshot()
    out = np.empty(0, dtype=np.int64)
    for _ in range(TRIES):
        blocked = _flip(state, bad)
        if blocked is None:
            break
        if len(blocked) == 0:
            state.add("detours", len(out))
            state.insert(out.astype(np.int32))
            return _finished(state, before)
        out = np.union1d(out, blocked)
        if (bad > state.space.worth_detour * int(state.mesh.counts[LIVE])
                or len(out) > max(FEW_DETOURS, state.space.most_detours * state.n)):
            break
        state.go_back(before)
        state.place(start)
        if not state.remove(out):
            break
        state.place(end)
        bad = state.check()
    return _given_up(state, before, end)


def by_few_flips(state: State, vertices: IntArray, end: Positions) -> bool:
    """Follow the motion of a few vertices by flips (Algorithm 1).

    Args:
        state: vertices and cells as at the start.
        vertices: (k,) those that move.
        end: (k,) rows of where they must be.
    """
    start = Positions(state.points[vertices], state.weights[vertices])
    state.place(end, vertices)
    blocking = np.empty(len(vertices), dtype=np.bool_)
    hull_moves = find_blocking(state.mesh, state.edges, vertices, blocking)
    out = vertices[blocking]
    if len(out) > max(FEW_DETOURS, state.space.most_detours * state.n):
        before = state.positions()
        before.points[vertices], before.weights[vertices] = start
        return by_flips(state, before, state.positions())
    if len(out):
        state.place(start, vertices)
        removed = state.remove(out)
        state.place(end, vertices)
        if not removed:
            return False
    if not _flip_around(state, vertices, hull_moves):
        return False
    state.add("detours", len(out))
    state.insert(out.astype(np.int32))
    state.return_uncovered()
    return True


def _flip_around(state: State, vertices: IntArray, hull_moves: bool) -> bool:
    """Flip until the cells of some vertices are right, and all that follows from it."""
    state.add("checks")
    size = CELLS_PER_EDGE * len(state.mesh.places) * int(
        (state.edges.degree[vertices] + 1).sum()) + MORE_FACETS
    queue, work = np.empty(size, dtype=np.int32), np.zeros(WORK, dtype=np.int64)
    put_stars(state.mesh, vertices, queue, work)
    status, _ = _repair(state, queue, work, size)
    hull_moves = hull_moves or bool(work[HULL])
    return status == DONE and (not hull_moves or state.winding() == 1)


def by_submoves(state: State, start: Positions, end: Positions) -> bool:
    """Follow by sub-moves that turn few cells over (Algorithm 3).

    How many may turn over adapts: fewer after a sub-move that Algorithm 1 could not repair, more
    after one that it could.

    Args:
        state: vertices anywhere, cells as at the start.
        start: positions that the cells belong to.
        end: positions to reach.
    """
    before = state.snapshot()
    here, few, longest = start, 0, 1.0
    for _ in range(SUBMOVES):
        state.add("submoves")
        motion = _motion(here, end)
        time = _sorted_flat_times(state, motion)
        few = few or max(len(time) // STEEPEST, 1)
        share = min(longest, 1.0 if few > len(time) else JUST_BEFORE * float(time[few - 1]))
        there = end if share == 1.0 else Positions(
            here.points + share * motion.v, here.weights + share * motion.u
        )
        kept = state.snapshot()
        state.place(there)
        blocked = _flip(state, state.check())
        if blocked is not None and len(blocked) == 0:
            if share == 1.0:
                return _finished(state, before)
            here, few, longest = there, 2 * few, min(2.0 * share / (1.0 - share), 1.0)
            state.release(kept)
            continue
        state.go_back(kept)
        state.release(kept)
        if share < SHORTEST:
            break
        few, longest = max(few // STEEPEST, 1), 0.5 * share
    return _given_up(state, before, end)


def _sorted_flat_times(state: State, motion: Motion) -> FloatArray:
    """Return the times when cells become flat, those that do, in order."""
    time = np.empty(len(state.mesh.V))
    flat_times(state.mesh, motion, time)
    time = time[: state.mesh.counts[TOP]]
    return np.sort(time[time < NEVER])


def by_events(state: State, start: Positions, end: Positions) -> bool:
    """Follow event by event (Algorithm 2).

    Args:
        state: vertices anywhere, cells as at the start.
        start: positions that the cells belong to.
        end: positions to reach.
    """
    before = state.snapshot()
    state.place(end)
    motion = _motion(start, end)
    time = np.empty(state.mesh.V.shape)
    due_times(state.mesh, motion, time)
    first = int((time[: state.mesh.counts[TOP]] < NEVER).sum())
    key, entry = np.empty(2 * first + 1024), np.empty((2 * first + 1024, ENTRY), dtype=np.int64)
    changed = np.zeros(len(state.mesh.V), dtype=np.int64)
    work, clock = np.zeros(EVENT_WORK, dtype=np.int64), np.zeros(1)
    fill_heap(state.mesh, time, key, entry, work)
    limit = EVENTS_PER_CELL * int(state.mesh.counts[LIVE]) + MORE_EVENTS
    queue, stuck = np.empty(256, dtype=np.int32), np.empty((PATIENCE, ENTRY), dtype=np.int64)
    status = NO_ROOM
    while status == NO_ROOM:
        status = follow_events(state.mesh, state.edges, motion, changed, key, entry, queue, stuck,
                               work, clock, limit)
        if work[SIZE] + PATIENCE + 64 > len(key):
            key, entry = _doubled(key), _doubled(entry)
        elif status == NO_ROOM:
            state.grow()
            changed = _doubled(changed)
    state.add("events", int(work[EVENTS]))
    state.add("flips", int(work[FLIPS]))
    if status == DONE:
        blocked = _flip(state, state.check())
        if blocked is not None and len(blocked) == 0:
            return _finished(state, before)
    return _given_up(state, before, end)


def _finished(state: State, before: Snapshot) -> bool:
    """Bring back what is hidden no longer, and edges that went and came again to their slots."""
    state.return_uncovered()
    state.restore_slots(before.edges.ends[: before.edges.counts[EDGE_TOP]])
    state.release(before)
    return True


def _given_up(state: State, before: Snapshot, end: Positions) -> bool:
    """Leave the cells as they were, the vertices at their end."""
    state.go_back(before)
    state.release(before)
    state.place(end)
    return False


def _motion(start: Positions, end: Positions) -> Motion:
    return Motion(start.points, end.points - start.points,
                  start.weights, end.weights - start.weights)


def _doubled(array: NDArray) -> NDArray:
    """Return an array of twice the length, zeros behind what it holds."""
    result = np.zeros((2 * len(array), *array.shape[1:]), dtype=array.dtype)
    result[: len(array)] = array
    return result


def _flip(state: State, bad: int) -> NDArray[np.int32] | None:
    """Flip until the triangulation is regular.

    Args:
        state: vertices where they must be.
        bad: how many cells are flagged.

    Returns:
        The vertices where flips are blocked, none if all is well; None if there is no hope.
    """
    if bad > state.space.worth_repair * int(state.mesh.counts[LIVE]):
        return None
    if bad:
        queue, work = np.empty(64 * bad + MORE_FACETS, dtype=np.int32), np.zeros(WORK, np.int64)
        fill_queue(state.mesh, state.flags, queue, work)
        status, facets = _repair(state, queue, work, 16 * bad + 1000)
        if status == BLOCKED:
            cells = np.concatenate((facets >> 2, state.mesh.N[facets >> 2, facets & 3] >> 2))
            vertices = np.unique(state.mesh.V[cells])
            return vertices[vertices >= 0]
        if status != DONE:
            return None
    return NONE if state.winding() == 1 else None


def _repair(
    state: State, queue: NDArray[np.int32], work: NDArray[np.int64], limit: int
) -> tuple[int, NDArray[np.int32]]:
    """Flip the facets in the queue, and what follows; return what came of it, and what is stuck."""
    stuck = np.empty(len(queue) // 4, dtype=np.int32)
    status = NO_ROOM
    while status == NO_ROOM:
        status = repair(state.mesh, state.edges, queue, stuck, work, limit)
        if status == NO_ROOM:
            state.grow()
    state.add("flips", int(work[FLIPS]))
    return status, stuck[: work[STUCK]]

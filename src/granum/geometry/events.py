"""Following a motion event by event (Algorithm 2): facets are flipped in the order of time.

L. Pournin, EPFL thesis 3378 (2005), section 4.3, after J.-A. Ferrez, EPFL thesis 2432 (2001),
section 2.4. Every facet has a time when it becomes illegal (`granum.geometry.motion2`, motion3);
the first is flipped (`granum.geometry.events2`, events3), the facets of the cells that come get
times of their own. In the plane a facet is an edge.

A facet that cannot be flipped waits for what else happens at the same time. Hidden vertices stay
hidden until the end, when those that are uncovered are inserted: to bring them back on the way
would need the cell around each of them at all times, and the result is the same.
"""

from __future__ import annotations

import numpy as np

from granum.compile import inner_kernel, kernel
from granum.geometry import events2, events3, motion2, motion3
from granum.geometry.either import either
from granum.geometry.facet_queue import FIRST, FLIPS, LAST, STUCK, WORK
from granum.geometry.motion import NEVER, SCRATCH
from granum.geometry.tetrahedra import DONE, LIVE, LOST, NO_ROOM, TOP, UNUSED, finite_side

# Places in ``work`` behind those of a repair.
SIZE = WORK  # entries of the heap
EVENTS = WORK + 1  # events so far
EVENT_WORK = WORK + 2

ENTRY = 3  # facet, and when its two cells last changed
PATIENCE = 256  # facets that may wait at the same time

_due_time = either(motion2.due_time, motion3.due_time)
_flat_time = either(motion2.flat_time, motion3.flat_time)
_flip_at = either(events2.flip_at, events3.flip_at)


@kernel
def due_times(mesh, motion, time):
    """Write when the facets become illegal, (m,d+1), each for its cell of the lower number."""
    b = np.empty(SCRATCH)
    for c in range(mesh.counts[TOP]):
        for f in range(len(mesh.places)):
            time[c, f] = NEVER
            if mesh.V[c, 0] != UNUSED and mesh.N[c, f] >> 2 > c:
                cell, facet = finite_side(mesh, c, f)
                time[c, f] = _due_time(mesh, motion, cell, facet, 0.0, b)


@kernel
def flat_times(mesh, motion, time):
    """Write when the cells become flat, (m,): at once if turned, never if infinite or unused."""
    b = np.empty(SCRATCH)
    for c in range(mesh.counts[TOP]):
        time[c] = NEVER if mesh.V[c, 0] == UNUSED else _flat_time(mesh, motion, c, b)


@inner_kernel
def _push(key, entry, work, time, facet, one, other):
    """Put a facet into the heap; the caller has made sure that there is room."""
    k = work[SIZE]
    work[SIZE] += 1
    while k > 0 and key[(k - 1) >> 1] > time:
        up = (k - 1) >> 1
        key[k] = key[up]
        for i in range(ENTRY):
            entry[k, i] = entry[up, i]
        k = up
    key[k] = time
    entry[k, 0], entry[k, 1], entry[k, 2] = facet, one, other


@inner_kernel
def _pop(key, entry, work):
    """Take the first entry off the heap, which is not empty; returns its time and content."""
    time, facet, one, other = key[0], entry[0, 0], entry[0, 1], entry[0, 2]
    work[SIZE] -= 1
    size = work[SIZE]
    last = key[size]
    k = 0
    while 2 * k + 1 < size:
        down = 2 * k + 1
        if down + 1 < size and key[down + 1] < key[down]:
            down += 1
        if key[down] >= last:
            break
        key[k] = key[down]
        for i in range(ENTRY):
            entry[k, i] = entry[down, i]
        k = down
    key[k] = last
    for i in range(ENTRY):
        entry[k, i] = entry[size, i]
    return time, facet, one, other


@inner_kernel
def _reschedule(mesh, motion, now, changed, key, entry, queue, work, b):
    """Give the facets of all cells that have changed their times."""
    V, N = mesh.V, mesh.N
    stamp = work[EVENTS]
    for k in range(work[LAST]):
        changed[queue[k] >> 2] = stamp
    for k in range(work[LAST]):
        c, f = np.int64(queue[k]) >> 2, np.int64(queue[k]) & 3
        if V[c, 0] == UNUSED:
            continue
        other = np.int64(N[c, f]) >> 2
        if changed[other] == stamp and other < c:
            continue
        cell, facet = finite_side(mesh, c, f)
        time = _due_time(mesh, motion, cell, facet, now, b)
        if time < NEVER:
            _push(key, entry, work, time, 4 * c + f, changed[c], changed[other])
    work[FIRST] = 0
    work[LAST] = 0


@kernel
def fill_heap(mesh, time, key, entry, work):
    """Put all facets that have a time into the heap; ``key`` has room for them."""
    for c in range(mesh.counts[TOP]):
        for f in range(len(mesh.places)):
            if time[c, f] < NEVER:
                _push(key, entry, work, time[c, f], 4 * c + f, 0, 0)


@inner_kernel
def _is_stale(mesh, changed, facet, one, other):
    """Tell whether a facet's cells have changed since it got its time."""
    c, f = facet >> 2, facet & 3
    return (mesh.V[c, 0] == UNUSED or changed[c] != one
            or changed[mesh.N[c, f] >> 2] != other)


@inner_kernel
def _has_moved_beside(mesh, changed, facet, stamp):
    """Tell whether a neighbour of a facet's two cells has changed in this event."""
    c = facet >> 2
    b = mesh.N[c, facet & 3] >> 2
    for f in range(len(mesh.places)):
        if changed[mesh.N[c, f] >> 2] == stamp or changed[mesh.N[b, f] >> 2] == stamp:
            return True
    return False


@inner_kernel
def _wait(stuck, work, facet, one, other):
    """Let a facet wait for a flip beside it; if too many do already, it is given up."""
    k = work[STUCK]
    if k < stuck.shape[0]:
        stuck[k, 0], stuck[k, 1], stuck[k, 2] = facet, one, other
        work[STUCK] += 1


@inner_kernel
def _wake(mesh, changed, now, key, entry, stuck, work):
    """Try waiting facets again where something has happened beside them."""
    kept = 0
    for k in range(work[STUCK]):
        facet, one, other = stuck[k, 0], stuck[k, 1], stuck[k, 2]
        if _is_stale(mesh, changed, facet, one, other):
            continue
        if _has_moved_beside(mesh, changed, facet, work[EVENTS]):
            _push(key, entry, work, now, facet, one, other)
        else:
            stuck[kept, 0], stuck[kept, 1], stuck[kept, 2] = facet, one, other
            kept += 1
    work[STUCK] = kept


@kernel
def follow_events(mesh, edges, motion, changed, key, entry, queue, stuck, work, clock, limit):
    """Flip facets in the order of time until the end of the motion.

    Args:
        mesh: the cells, regular at time 0.
        edges: their edges.
        motion: the motion.
        changed: (m,) event that last changed a cell, 0 at first.
        key: (k,) times of the heap.
        entry: (k,ENTRY) its content.
        queue: (k,) scratch, at least 64.
        stuck: (PATIENCE,ENTRY) scratch.
        work: (EVENT_WORK,) where it stands.
        clock: (1,) time now.
        limit: events allowed.

    Returns:
        DONE; NO_ROOM: grow mesh, ``changed`` and heap and call again; LOST: too many events.
    """
    b = np.empty(SCRATCH)
    while work[SIZE] > 0:
        if work[EVENTS] >= limit:
            return LOST
        if mesh.counts[LIVE] + 2 > mesh.V.shape[0] or work[SIZE] + PATIENCE + 64 > key.size:
            return NO_ROOM
        time, facet, one, other = _pop(key, entry, work)
        if _is_stale(mesh, changed, facet, one, other):
            continue
        work[EVENTS] += 1
        clock[0] = max(clock[0], time)
        c, f = finite_side(mesh, facet >> 2, facet & 3)
        if not _flip_at(mesh, edges, motion, c, f, clock[0], queue, work):
            _wait(stuck, work, facet, one, other)
            continue
        work[FLIPS] += 1
        _reschedule(mesh, motion, clock[0], changed, key, entry, queue, work, b)
        _wake(mesh, changed, clock[0], key, entry, stuck, work)
    return DONE

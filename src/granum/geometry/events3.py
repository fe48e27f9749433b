"""Following a motion event by event (Algorithm 2): facets are flipped in the order of time.

L. Pournin, EPFL thesis 3378 (2005), section 4.3, after J.-A. Ferrez, EPFL thesis 2432 (2001),
section 2.4. Every facet has a time when it becomes illegal (`granum.geometry.motion3`); the first
is flipped, the facets of the cells that come get times of their own. Which flip it is follows from
the five vertices at that very moment: where none of the cells that would come is turned, 2-3; with
one that is, 3-2; with two, 4-1: the vertex is hidden from then on. Where four of the five lie in
one plane just then, four cells are exchanged at once, 4-4. The infinite vertex stands beyond its
hull facet for this question.

A facet that cannot be flipped waits for what else happens at the same time. Hidden vertices stay
hidden until the end, when those that are uncovered are inserted: the flip 1-4 would need the cell
around each of them at all times, and the result is the same.
"""

from __future__ import annotations

import numpy as np

from granum.compile import kernel
from granum.geometry.flips3 import flip41, is_four_star, opposite
from granum.geometry.motion3 import DEPTH, NEVER, due_time
from granum.geometry.repair3 import (
    FIRST,
    FLIPS,
    LAST,
    STUCK,
    exchange44,
    fourth_cell,
    put_cell,
    try23,
    try32,
)
from granum.geometry.tetrahedra import (
    DONE,
    INFINITE,
    LIVE,
    LOST,
    NO_ROOM,
    TOP,
    UNUSED,
    is_infinite,
    vertices_of,
)

# Places in ``work`` behind those of a repair.
SIZE = 5  # entries of the heap
EVENTS = 6  # events so far
EVENT_WORK = 7

ENTRY = 3  # facet, and when its two cells last changed
PATIENCE = 256  # facets that may wait at the same time
FLAT_SHARE = 1e-9  # of the cube of its size: the volume of a tetrahedron that counts as flat


@kernel
def push(key, entry, work, time, facet, one, other):
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


@kernel
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


@kernel
def _place(motion, v, t):
    """Return where a vertex is at time t."""
    x, u = motion.x, motion.v
    return x[v, 0] + t * u[v, 0], x[v, 1] + t * u[v, 1], x[v, 2] + t * u[v, 2]


@kernel
def _volume(a, b, c, d):
    """Return the volume of a tetrahedron, and the cube of its size."""
    bx, by, bz = b[0] - a[0], b[1] - a[1], b[2] - a[2]
    cx, cy, cz = c[0] - a[0], c[1] - a[1], c[2] - a[2]
    dx, dy, dz = d[0] - a[0], d[1] - a[1], d[2] - a[2]
    volume = (bx * (cy * dz - cz * dy) + by * (cz * dx - cx * dz) + bz * (cx * dy - cy * dx))
    L = max(abs(bx), abs(by), abs(bz), abs(cx), abs(cy), abs(cz), abs(dx), abs(dy), abs(dz))
    return volume, L * L * L


@kernel
def _beyond(a, b, c):
    """Return a point off the plane of abc, about as far from a as b is."""
    bx, by, bz = b[0] - a[0], b[1] - a[1], b[2] - a[2]
    cx, cy, cz = c[0] - a[0], c[1] - a[1], c[2] - a[2]
    nx, ny, nz = by * cz - bz * cy, bz * cx - bx * cz, bx * cy - by * cx
    scale = np.sqrt((bx * bx + by * by + bz * bz) / max(nx * nx + ny * ny + nz * nz, 1e-300))
    return (a[0] + scale * nx, a[1] + scale * ny, a[2] + scale * nz)


@kernel
def _replaced(P, k, e):
    """Return four places with e instead of the one at k."""
    return (e if k == 0 else P[0], e if k == 1 else P[1],
            e if k == 2 else P[2], e if k == 3 else P[3])


@kernel
def _sign_of(P, k, e):
    """Return the orientation of four places with e at k, 0 if nearly flat."""
    a, b, c, d = _replaced(P, k, e)
    volume, cube = _volume(a, b, c, d)
    return int(volume > FLAT_SHARE * cube) - int(volume < -FLAT_SHARE * cube)


@kernel
def _stand_in(P, k, positive):
    """Return a place for the infinite vertex at k, beyond the others, so that they turn so."""
    q = _beyond(P[(k + 1) & 3], P[(k + 2) & 3], P[(k + 3) & 3])
    if (_sign_of(P, k, q) > 0) == positive:
        return q
    a = P[(k + 1) & 3]
    return (2.0 * a[0] - q[0], 2.0 * a[1] - q[1], 2.0 * a[2] - q[2])


@kernel
def _infinite_place(corner):
    """Return the place of the infinite vertex among four, or -1."""
    a, b, c, d = corner
    return 0 if a < 0 else 1 if b < 0 else 2 if c < 0 else 3 if d < 0 else -1


@kernel
def _signs_at(motion, corner, f, e, t):
    """Return the signs of the three cells that come, with e at places f + 1, f + 2, f + 3."""
    P = (_place(motion, max(corner[0], 0), t), _place(motion, max(corner[1], 0), t),
         _place(motion, max(corner[2], 0), t), _place(motion, max(corner[3], 0), t))
    E = _stand_in(P, f, False) if e < 0 else _place(motion, e, t)
    flat = _infinite_place(corner)  # the cell without the infinite vertex is flat now and grows
    Q = _replaced(P, flat, _stand_in(P, flat, True)) if flat >= 0 else P
    one, two, three = (f + 1) & 3, (f + 2) & 3, (f + 3) & 3
    return (1 if flat == one else _sign_of(Q, one, E), 1 if flat == two else _sign_of(Q, two, E),
            1 if flat == three else _sign_of(Q, three, E))


@kernel
def _hide(mesh, edges, c, f, k, queue, work):
    """Hide vertex k if it has only four cells; tell whether it was done."""
    if (is_infinite(mesh.V, c) or opposite(mesh, c, f) == INFINITE or mesh.counts[LIVE] < 9
            or not is_four_star(mesh, c, f, k)):
        return False
    flip41(mesh, edges, c, f, k)
    put_cell(mesh, queue, work, c)
    return True


@kernel
def _flip_at(mesh, edges, motion, c, f, t, queue, work):
    """Make the flip that a facet needs at time t; tell whether it was possible."""
    e = opposite(mesh, c, f)
    if e == mesh.V[c, f]:
        return False
    signs = _signs_at(motion, vertices_of(mesh.V, c), f, e, t)
    positive = int(signs[0] > 0) + int(signs[1] > 0) + int(signs[2] > 0)
    if positive == 3:
        return try23(mesh, edges, c, f, queue, work)
    for i in range(3):
        k = (f + 1 + i) & 3
        if positive == 2 and signs[i] < 0:
            return try32(mesh, edges, c, f, k, queue, work)
        if positive == 2 and signs[i] == 0:
            if fourth_cell(mesh, c, f, k) >= 0:
                return exchange44(mesh, edges, c, f, k, queue, work)
            return try32(mesh, edges, c, f, k, queue, work)
        if positive == 1 and signs[i] > 0:
            return _hide(mesh, edges, c, f, k, queue, work)
    return False


@kernel
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
        time = due_time(motion, V, N, c, f, now, b)
        if time < NEVER:
            push(key, entry, work, time, 4 * c + f, changed[c], changed[other])
    work[FIRST] = 0
    work[LAST] = 0


@kernel
def fill_heap(mesh, time, key, entry, work):
    """Put all facets that have a time into the heap; ``key`` has room for them."""
    for c in range(mesh.counts[TOP]):
        for f in range(4):
            if time[c, f] < NEVER:
                push(key, entry, work, time[c, f], 4 * c + f, 0, 0)


@kernel
def _is_stale(mesh, changed, facet, one, other):
    """Tell whether a facet's cells have changed since it got its time."""
    c, f = facet >> 2, facet & 3
    return (mesh.V[c, 0] == UNUSED or changed[c] != one
            or changed[mesh.N[c, f] >> 2] != other)


@kernel
def _has_moved_beside(mesh, changed, facet, stamp):
    """Tell whether a neighbour of a facet's two cells has changed in this event."""
    c = facet >> 2
    b = mesh.N[c, facet & 3] >> 2
    for f in range(4):
        if changed[mesh.N[c, f] >> 2] == stamp or changed[mesh.N[b, f] >> 2] == stamp:
            return True
    return False


@kernel
def _wait(stuck, work, facet, one, other):
    """Let a facet wait for a flip beside it; if too many do already, it is given up."""
    k = work[STUCK]
    if k < stuck.shape[0]:
        stuck[k, 0], stuck[k, 1], stuck[k, 2] = facet, one, other
        work[STUCK] += 1


@kernel
def _wake(mesh, changed, now, key, entry, stuck, work):
    """Try waiting facets again where something has happened beside them."""
    kept = 0
    for k in range(work[STUCK]):
        facet, one, other = stuck[k, 0], stuck[k, 1], stuck[k, 2]
        if _is_stale(mesh, changed, facet, one, other):
            continue
        if _has_moved_beside(mesh, changed, facet, work[EVENTS]):
            push(key, entry, work, now, facet, one, other)
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
    b = np.empty((DEPTH + 3, 8))
    while work[SIZE] > 0:
        if work[EVENTS] >= limit:
            return LOST
        if mesh.counts[LIVE] + 2 > mesh.V.shape[0] or work[SIZE] + PATIENCE + 64 > key.size:
            return NO_ROOM
        time, facet, one, other = _pop(key, entry, work)
        c, f = facet >> 2, facet & 3
        if _is_stale(mesh, changed, facet, one, other):
            continue
        work[EVENTS] += 1
        clock[0] = max(clock[0], time)
        if is_infinite(mesh.V, c):
            mate = np.int64(mesh.N[c, f])
            if not is_infinite(mesh.V, mate >> 2):
                c, f = mate >> 2, mate & 3
        if not _flip_at(mesh, edges, motion, c, f, clock[0], queue, work):
            _wait(stuck, work, facet, one, other)
            continue
        work[FLIPS] += 1
        _reschedule(mesh, motion, clock[0], changed, key, entry, queue, work, b)
        _wake(mesh, changed, clock[0], key, entry, stuck, work)
    return DONE

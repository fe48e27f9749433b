"""Insertion into a regular triangulation: walk to the place, carve out what conflicts, cone it.

The cells in conflict with a new vertex form a connected region whose boundary the vertex sees from
inside (A. Bowyer, D. F. Watson, Comput. J. 24 (1981); for weights: H. Edelsbrunner, N. R. Shah,
Algorithmica 15 (1996) 223). Replacing, in a conflicting cell, the vertex opposite a boundary facet
by the new one gives a positive cell at once: a conflict changes sign only across facets that the
new vertex sees from strictly one side, since the powers to two neighbouring cells agree on the
plane of their facet.
"""

from __future__ import annotations

import numpy as np

from granum.compile import inner_kernel, kernel
from granum.geometry.cone3 import MOST_FACETS, ROUND_BITS, cone, raise_cells, sew_cells
from granum.geometry.estimates import (
    ORIENT_3D,
    estimate_sides,
    place_row,
    quick_conflict3d,
    vertex_row,
)
from granum.geometry.tetrahedra import (
    ABSENT,
    DONE,
    FREE,
    INFINITE,
    LARGEST_STAMP,
    LAST,
    LIVE,
    LOST,
    NEW,
    NO_ROOM,
    OLD,
    STAMP,
    UNUSED,
    doubtful_conflict,
    hide,
    in_conflict,
    is_infinite,
    next_stamp,
    orient_with,
    vertices_of,
)

HIDDEN_BY = 10  # what ``_place`` returns besides; see there
HIDES = 11


@inner_kernel
def _beyond(p, V, c, v, E, first):
    """Return a facet of the finite cell c that has v strictly beyond it, or -1.

    They are tried in turn from ``first`` on, those that doubles cannot decide exactly.
    """
    corner = vertices_of(V, c)
    s0, s1, s2, s3, m = estimate_sides(
        place_row(p, corner[0]), place_row(p, corner[1]),
        place_row(p, corner[2]), place_row(p, corner[3]), E,
    )
    m *= ORIENT_3D
    for k in range(4):
        f = (k + first) & 3
        t = s0 if f == 0 else s1 if f == 1 else s2 if f == 2 else s3
        if t < -m or (t <= m and orient_with(p, corner, f, v) < 0):
            return f
    return -1


@kernel
def locate(p, V, N, start, v, steps):
    """Walk from a cell to one that contains vertex v, or to an infinite one that it lies beyond.

    Each step crosses a facet that has v strictly beyond it. In a regular triangulation the power
    of v to the cell falls with each step, so the walk cannot come back to a cell, degenerate input
    or not; elsewhere it gives up (-1) after so many ``steps``.
    """
    c = start
    for f in range(4):
        if V[c, f] == INFINITE:
            c = np.int64(N[c, f]) >> 2
            break
    E = place_row(p, v)
    for step in range(steps):
        f = _beyond(p, V, c, v, E, step)
        if f < 0:
            return c
        c = np.int64(N[c, f]) >> 2
        if is_infinite(V, c):
            return c
    return -1


@inner_kernel
def find_conflicts(p, w, V, N, mark, stamp, old, new, start, v):
    """List the cells in conflict with v in ``old`` and the facets around them in ``new``.

    A facet is listed as 4 * cell + facet of the conflicting cell. A cell is marked with ``stamp``
    if it has been found not to conflict, with stamp + 1 if it does. Returns the two numbers.

    The estimate of `granum.geometry.predicates.conflict3d` is written out here: most cells need no
    more, and the call would take as long again. Where it overflows, it leaves the cell in doubt.
    """
    E = vertex_row(p, w, v)
    mark[start] = stamp + 1
    old[0] = start
    cells = 1
    facets = 0
    k = 0
    while k < cells:
        c = np.int64(old[k])
        k += 1
        for f in range(4):
            b = np.int64(N[c, f]) >> 2
            if mark[b] < stamp:
                q, r, s, u = vertices_of(V, b)
                t, m = 0.0, 1.0
                if (q | r | s | u) >= 0:
                    t, m = quick_conflict3d(
                        vertex_row(p, w, q), vertex_row(p, w, r),
                        vertex_row(p, w, s), vertex_row(p, w, u), E,
                    )
                if t > 0.0 if t * t > m else doubtful_conflict(p, w, V, b, v):
                    mark[b] = stamp + 1
                    old[cells] = b
                    cells += 1
                else:
                    mark[b] = stamp
            if mark[b] == stamp:
                new[facets] = 4 * c + f
                facets += 1
    return cells, facets


@inner_kernel
def _has_lost(V, home, old, cells):
    """Tell whether a vertex of the old cells has no new cell: none has taken its home."""
    lost = False
    for k in range(cells):
        c = old[k]
        for i in range(4):
            u = V[c, i]
            lost |= u >= 0 and home[u] == c
    return lost


@inner_kernel
def _bury(mesh):
    """Hide the vertices of old cells that no new cell has."""
    V, home = mesh.V, mesh.home
    for k in range(mesh.counts[OLD]):
        c = mesh.old[k]
        for i in range(4):
            u = np.int64(V[c, i])
            if u >= 0 and home[u] == c:
                home[u] = ABSENT
                hide(mesh, u, locate(mesh.points, V, mesh.N, mesh.counts[LAST], u, V.shape[0]))


@inner_kernel
def _place(p, w, V, N, mark, old, new, home, count, v, stamp, local, table):
    """Put vertex v in the place of the cells it conflicts with.

    ``local``, (n + 1,) or empty, and ``table`` are scratch for what is faster with than without.

    Returns DONE; NO_ROOM or LOST with nothing changed; HIDDEN_BY: v is in conflict with no cell,
    the one around it is that of counts[LAST]; HIDES: it has hidden others.
    """
    count[OLD] = 0
    count[NEW] = 0
    c = locate(p, V, N, count[LAST], v, V.shape[0])
    if c < 0:
        return LOST
    count[LAST] = c
    if not in_conflict(p, w, V, c, v):
        return HIDDEN_BY
    cells, facets = find_conflicts(p, w, V, N, mark, stamp, old, new, c, v)
    if count[LIVE] + facets > V.shape[0]:
        return NO_ROOM
    count[OLD] = cells
    count[NEW] = facets
    if facets <= MOST_FACETS and local.size > 0:
        cone(V, N, count, home, new, v, local, table, stamp)
    else:
        raise_cells(V, N, count, home, new, v)
        sew_cells(V, N, new, facets)
    return HIDES if _has_lost(V, home, old, cells) else DONE


@kernel
def carve(mesh, v):
    """Insert vertex v, but leave the cells it replaces in the list ``old``; see ``insert_all``."""
    stamp = 2 * np.int64(next_stamp(mesh))
    status = _place(mesh.points, mesh.weights, mesh.V, mesh.N, mesh.mark, mesh.old, mesh.new,
                    mesh.home, mesh.counts, v, stamp, np.empty(0, dtype=np.int64),
                    np.empty(0, dtype=np.int32))
    if status == HIDDEN_BY:
        hide(mesh, v, mesh.counts[LAST])
        return DONE
    if status == HIDES:
        _bury(mesh)
        return DONE
    return status


@inner_kernel
def _drop_old(V, N, count, old):
    """Give back the cells of the list ``old``, as ``drop_old`` does."""
    cells = count[OLD]
    for k in range(cells):
        c = old[k]
        V[c, 0] = UNUSED
        N[c, 0] = count[FREE]
        count[FREE] = c
    count[LIVE] -= cells
    count[OLD] = 0


@kernel
def insert_all(mesh, order, first):
    """Insert the vertices order[first:]; returns how far it came and why it stopped.

    The arrays are handed on one by one: a mesh as a whole has many more, whose references would be
    counted in every call.
    """
    p, w, V, N, mark = mesh.points, mesh.weights, mesh.V, mesh.N, mesh.mark
    old, new, home, count = mesh.old, mesh.new, mesh.home, mesh.counts
    local = np.zeros(w.size + 1, dtype=np.int64)
    table = np.empty(1 << 2 * ROUND_BITS, dtype=np.int32)
    for k in range(first, order.size):
        v = order[k]
        if home[v] == ABSENT:
            count[STAMP] += 1
            if count[STAMP] >= LARGEST_STAMP:
                count[STAMP] = next_stamp(mesh)
            status = _place(p, w, V, N, mark, old, new, home, count, v, 2 * count[STAMP],
                            local, table)
            if status == HIDDEN_BY:
                hide(mesh, v, count[LAST])
            elif status == HIDES:
                _bury(mesh)
            elif status != DONE:
                return k, status
            _drop_old(V, N, count, old)
    return order.size, DONE

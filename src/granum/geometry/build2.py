"""Insertion into a regular triangulation of the plane: walk, carve, fan.

The same as `granum.geometry.build3`, but that in the plane the edges around the cells in conflict
form one ring. A search that goes through the conflicting cells depth first, each time turning
counter-clockwise, meets the ring's edges in their order, and the new cells are joined as they come.
"""

from __future__ import annotations

import numpy as np

from granum.compile import inner_kernel, kernel
from granum.geometry.tetrahedra import (
    ABSENT,
    DONE,
    INFINITE,
    LAST,
    LIVE,
    LOST,
    NEW,
    NO_ROOM,
    OLD,
    drop_old,
    hide,
    next_stamp,
    take_cell,
)
from granum.geometry.triangles import (
    BEFORE,
    NEXT,
    in_conflict,
    is_infinite,
    orient_with,
    vertices_of,
)


@kernel
def locate(p, V, N, start, v, steps):
    """Walk from a cell to one that contains vertex v, or to an infinite one that it lies beyond.

    As in space, it cannot come back to a cell of a regular triangulation; elsewhere it gives up
    (-1) after so many ``steps``.
    """
    c = np.int64(start)
    for f in range(3):
        if V[c, f] == INFINITE:
            c = np.int64(N[c, f]) >> 2
            break
    entry = np.int64(-1)
    for _ in range(steps):
        mate = np.int64(-1)
        corner = vertices_of(V, c)
        for f in range(3):
            if f != entry and orient_with(p, corner, f, v) < 0:
                mate = np.int64(N[c, f])
                break
        if mate < 0:
            return c
        c = mate >> 2
        if is_infinite(V, c):
            return c
        entry = mate & 3
    return -1


@inner_kernel
def find_conflicts(p, w, V, N, mark, stamp, old, new, start, v):
    """List the cells in conflict with v in ``old``, the edges around them in ``new`` in order.

    An edge is listed as 4 * cell + edge of the conflicting cell. A cell is marked with ``stamp`` if
    it has been found not to conflict, with stamp + 1 if it does. Edges yet to cross are stacked
    from the far end of ``new``. Returns the two numbers.
    """
    mark[start] = stamp + 1
    old[0] = start
    cells, ring, stack = 1, 0, new.size
    for f in range(2, -1, -1):
        stack -= 1
        new[stack] = N[start, f]
    while stack < new.size:
        mate = np.int64(new[stack])
        stack += 1
        b, g = mate >> 2, mate & 3
        if mark[b] > stamp:
            continue
        if mark[b] < stamp:
            mark[b] = stamp
            if in_conflict(p, w, V, b, v):
                mark[b] = stamp + 1
                old[cells] = b
                cells += 1
                new[stack - 1] = N[b, BEFORE[g]]
                new[stack - 2] = N[b, NEXT[g]]
                stack -= 2
                continue
        new[ring] = N[b, g]
        ring += 1
    return cells, ring


@inner_kernel
def _raise_fan(V, N, count, home, new, v):
    """Make a cell of v on every edge of the ring; the list ``new`` names the cells afterwards."""
    number = count[NEW]
    before = np.int64(-1)
    for k in range(number):
        c, f = np.int64(new[k]) >> 2, np.int64(new[k]) & 3
        mate = np.int64(N[c, f])
        x, y = V[c, NEXT[f]], V[c, BEFORE[f]]
        b = take_cell(N, count)
        V[b, 0], V[b, 1], V[b, 2] = v, x, y
        N[b, 0] = mate
        N[mate >> 2, mate & 3] = 4 * b
        if before >= 0:
            N[before, 1] = 4 * b + 2
            N[b, 2] = 4 * before + 1
        if x >= 0:
            home[x] = b
        new[k] = b
        before = b
    first = np.int64(new[0])
    N[before, 1] = 4 * first + 2
    N[first, 2] = 4 * before + 1
    home[v] = first
    count[LAST] = first


@inner_kernel
def _bury(mesh):
    """Hide the vertices of old cells that no new cell has."""
    V, home = mesh.V, mesh.home
    for k in range(mesh.counts[OLD]):
        c = mesh.old[k]
        for i in range(3):
            u = np.int64(V[c, i])
            if u >= 0 and home[u] == c:
                home[u] = ABSENT
                hide(mesh, u, locate(mesh.points, V, mesh.N, mesh.counts[LAST], u, V.shape[0]))


@kernel
def carve(mesh, v):
    """Insert vertex v, but leave the cells it replaces in the list ``old``; see ``insert_all``."""
    p, w, V, N, count = mesh.points, mesh.weights, mesh.V, mesh.N, mesh.counts
    count[OLD] = 0
    count[NEW] = 0
    c = locate(p, V, N, count[LAST], v, V.shape[0])
    if c < 0:
        return LOST
    count[LAST] = c
    if not in_conflict(p, w, V, c, v):
        hide(mesh, v, c)
        return DONE
    stamp = 2 * np.int64(next_stamp(mesh))
    cells, ring = find_conflicts(p, w, V, N, mesh.mark, stamp, mesh.old, mesh.new, c, v)
    if count[LIVE] + ring > V.shape[0]:
        return NO_ROOM
    count[OLD] = cells
    count[NEW] = ring
    _raise_fan(V, N, count, mesh.home, mesh.new, v)
    if cells > ring - 2:  # a polygon of so many edges with no vertex inside has ring - 2 cells
        _bury(mesh)
    return DONE


@kernel
def insert_all(mesh, order, first):
    """Insert the vertices order[first:]; returns how far it came and why it stopped."""
    for k in range(first, order.size):
        if mesh.home[order[k]] == ABSENT:
            status = carve(mesh, order[k])
            if status != DONE:
                return k, status
            drop_old(mesh)
    return order.size, DONE

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

from granum.compile import kernel
from granum.geometry.predicates import orient3d
from granum.geometry.tetrahedra import (
    ABSENT,
    DONE,
    FREE,
    HIDDEN,
    INFINITE,
    LAST,
    LIVE,
    LOST,
    NEW,
    NO_ROOM,
    OLD,
    TOP,
    drop_old,
    hide,
    in_conflict,
    is_infinite,
    next_stamp,
    orient_with,
    place_of,
    take_cell,
    vertices_of,
)


@kernel
def begin(mesh, a, b, c, d):
    """Make the first five cells of four vertices that do not lie in one plane."""
    V, N = mesh.V, mesh.N
    if orient3d(mesh.points, a, b, c, d) < 0:
        a, b = b, a
    first = (a, b, c, d)
    for i in range(4):
        V[0, i] = first[i]
        mesh.home[first[i]] = 0
    for f in range(4):  # an infinite cell beyond facet f: two vertices swapped, f at infinity
        i, j = (f + 1) & 3, (f + 2) & 3
        for k in range(4):
            V[f + 1, k] = first[k]
        V[f + 1, i], V[f + 1, j] = first[j], first[i]
        V[f + 1, f] = INFINITE
        N[0, f] = 4 * (f + 1) + f
        N[f + 1, f] = f
    for f in range(4):
        for k in range(4):  # the facet without first[k], k != f, is shared with the cell beyond k
            if k != f:
                i = place_of(V, f + 1, first[k])
                N[f + 1, i] = 4 * (k + 1) + place_of(V, k + 1, first[f])
    mesh.counts[TOP] = 5
    mesh.counts[FREE] = -1
    mesh.counts[LIVE] = 5
    mesh.counts[LAST] = 0
    mesh.counts[HIDDEN] = 0


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
    entry = np.int64(-1)
    for step in range(steps):
        mate = np.int64(-1)
        corner = vertices_of(V, c)
        for k in range(4):
            f = (k + step) & 3
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


@kernel
def find_conflicts(p, w, V, N, mark, stamp, old, new, start, v):
    """List the cells in conflict with v in ``old`` and the facets around them in ``new``.

    A facet is listed as 4 * cell + facet of the conflicting cell. A cell is marked with ``stamp``
    if it has been found not to conflict, with stamp + 1 if it does. Returns the two numbers.
    """
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
                if in_conflict(p, w, V, b, v):
                    mark[b] = stamp + 1
                    old[cells] = b
                    cells += 1
                else:
                    mark[b] = stamp
            if mark[b] == stamp:
                new[facets] = 4 * c + f
                facets += 1
    return cells, facets


@kernel
def _raise_cells(V, N, count, home, new, v):
    """Make a cell of v on every facet listed in ``new``.

    The conflicting cell notes the new one in place of its mate, as its complement (negative).
    """
    for k in range(count[NEW]):
        c, f = np.int64(new[k]) >> 2, np.int64(new[k]) & 3
        b = take_cell(N, count)
        for i in range(4):
            V[b, i] = V[c, i]
            N[b, i] = -1
            if i != f and V[c, i] >= 0:
                home[V[c, i]] = b
        V[b, f] = v
        mate = np.int64(N[c, f])
        N[b, f] = mate
        N[mate >> 2, mate & 3] = 4 * b + f
        N[c, f] = ~b
        home[v] = b
    count[LAST] = home[v]


@kernel
def _turn(V, N, c, f, k):
    """Turn about the edge of cell c that lies in facets f and k, away from f, through old cells.

    Returns the facet, 4 * new cell + facet, of the new cell met at the other end.
    """
    while N[c, k] >= 0:
        pivot = np.int64(V[c, f])
        mate = np.int64(N[c, k])
        c = mate >> 2
        f = mate & 3
        k = place_of(V, c, pivot)
    return 4 * ~np.int64(N[c, k]) + f


@kernel
def _sew_cells(V, N, new, number):
    """Join the new cells to each other; the list ``new`` names the cells afterwards."""
    for j in range(number):
        c, f = np.int64(new[j]) >> 2, np.int64(new[j]) & 3
        b = ~np.int64(N[c, f])
        for k in range(4):
            if k != f and N[b, k] < 0:
                mate = _turn(V, N, c, f, k)
                N[b, k] = mate
                N[mate >> 2, mate & 3] = 4 * b + k
    for j in range(number):
        new[j] = ~N[new[j] >> 2, new[j] & 3]


@kernel
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
    cells, facets = find_conflicts(p, w, V, N, mesh.mark, stamp, mesh.old, mesh.new, c, v)
    if count[LIVE] + facets > V.shape[0]:
        return NO_ROOM
    count[OLD] = cells
    count[NEW] = facets
    _raise_cells(V, N, count, mesh.home, mesh.new, v)
    _sew_cells(V, N, mesh.new, facets)
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

"""Removal in the plane: the hole that a vertex leaves is filled from its own boundary.

The same as `granum.geometry.remove3`, with edges for facets: on each open edge stands the vertex of
the link on its inner side whose circle has none of the others in conflict.
"""

from __future__ import annotations

import numpy as np

from granum.compile import kernel
from granum.geometry.flips2 import next_about
from granum.geometry.predicates import conflict2d, orient2d
from granum.geometry.remove3 import ROOM
from granum.geometry.tetrahedra import (
    ABSENT,
    DONE,
    FLAT,
    INFINITE,
    LAST,
    LIVE,
    LOST,
    NEW,
    NO_ROOM,
    OLD,
    take_cell,
)
from granum.geometry.triangles import BEFORE, NEXT, is_infinite, place_of


@kernel
def _open_hole(mesh, v, link, hole):
    """List the cells of v in ``old``, the finite vertices around it, and the edges around it.

    An edge is a row of ``hole``: two vertices, the hole on their left, and the mate. Returns the
    number of vertices.
    """
    vertices = 0
    for k in range(mesh.counts[OLD]):
        c = np.int64(mesh.old[k])
        f = place_of(mesh.V, c, v)
        hole[k, 0], hole[k, 1] = mesh.V[c, NEXT[f]], mesh.V[c, BEFORE[f]]
        hole[k, 2] = mesh.N[c, f]
        if mesh.V[c, NEXT[f]] >= 0:
            link[vertices] = mesh.V[c, NEXT[f]]
            vertices += 1
    return vertices


@kernel
def _list_star(mesh, v):
    """List the cells of v in ``old`` and return their number."""
    first = np.int64(mesh.home[v])
    c, number = first, 0
    while number == 0 or c != first:
        mesh.old[number] = c
        number += 1
        c = next_about(mesh, c, v)
    mesh.counts[OLD] = number
    return number


@kernel
def _apex(mesh, a, b, link, number):
    """Return the vertex of the link that makes a regular cell on edge ab, or INFINITE."""
    p, w = mesh.points, mesh.weights
    best = np.int64(INFINITE)
    for k in range(number):
        x = np.int64(link[k])
        if x not in (a, b) and orient2d(p, a, b, x) > 0 and (
            best == INFINITE or conflict2d(p, w, a, b, best, x) > 0
        ):
            best = x
    return best


@kernel
def _join(mesh, cell, f, hole, number):
    """Join edge f of a new cell with its mate among the open edges, or open it.

    Returns the number of open edges.
    """
    x, y = mesh.V[cell, NEXT[f]], mesh.V[cell, BEFORE[f]]
    for k in range(number - 1, -1, -1):
        if hole[k, 0] == x and hole[k, 1] == y:
            mate = hole[k, 2]
            mesh.N[cell, f] = mate
            mesh.N[mate >> 2, mate & 3] = 4 * cell + f
            for i in range(3):
                hole[k, i] = hole[number - 1, i]
            return number - 1
    if number < hole.shape[0]:
        hole[number, 0], hole[number, 1], hole[number, 2] = y, x, 4 * cell + f
    return number + 1


@kernel
def _fill(mesh, link, vertices, hole, number):
    """Fill the hole; the cells are listed in ``new``. Returns whether it could be closed."""
    room = min(mesh.V.shape[0] - mesh.counts[LIVE], mesh.new.size)
    cells = 0
    while number > 0:
        k = number - 1
        while k >= 0 and min(hole[k, 0], hole[k, 1]) < 0:
            k -= 1
        if k < 0 or cells == room:
            return False
        a, b = np.int64(hole[k, 0]), np.int64(hole[k, 1])
        x = _apex(mesh, a, b, link, vertices)
        cell = np.int64(take_cell(mesh.N, mesh.counts))
        mesh.new[cells] = cell
        cells += 1
        mesh.V[cell, 0], mesh.V[cell, 1], mesh.V[cell, 2] = a, b, x
        for f in range(2, -1, -1):
            number = _join(mesh, cell, f, hole, number)
            if number > hole.shape[0]:
                return False
        mesh.home[a], mesh.home[b] = cell, cell
        if x >= 0:
            mesh.home[x] = cell
        mesh.counts[LAST] = cell
    mesh.counts[NEW] = cells
    return True


@kernel
def _spans_plane(mesh):
    """Tell whether a finite cell is left among the new ones and their neighbours."""
    for k in range(mesh.counts[NEW]):
        c = mesh.new[k]
        if not is_infinite(mesh.V, c):
            return True
        for f in range(3):
            if not is_infinite(mesh.V, mesh.N[c, f] >> 2):
                return True
    return False


@kernel
def unlink(mesh, v, link, hole):
    """Remove the visible vertex v, but leave its cells in the list ``old``.

    Args:
        mesh: the triangulation.
        v: the vertex.
        link: (n,) scratch.
        hole: (k,4) scratch for the edges of a hole, of which three columns are used.

    Returns:
        DONE; NO_ROOM with nothing changed; FLAT or LOST: the mesh must be built anew.
    """
    mesh.counts[NEW] = 0
    cells = _list_star(mesh, v)
    if mesh.counts[LIVE] + 2 * cells + ROOM > mesh.V.shape[0] or 4 * cells + ROOM > hole.shape[0]:
        mesh.counts[OLD] = 0
        return NO_ROOM
    vertices = _open_hole(mesh, v, link, hole)
    mesh.home[v] = ABSENT
    if not _fill(mesh, link, vertices, hole, cells):
        return LOST
    return DONE if _spans_plane(mesh) else FLAT

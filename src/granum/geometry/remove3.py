"""Removal: the hole that a vertex leaves is filled from its own boundary.

The cells of the regular triangulation without the vertex that fill its star have all their
vertices on the link. Each is found from a facet of the hole: among the link's vertices on the inner
side of the facet, the one whose sphere through it has none of the others in conflict (gift
wrapping; ties fall as everywhere by the perturbation of the weights, so the filling is consistent
and unique). Where no vertex lies on the inner side, the facet belongs to the hull and the cell is
infinite. Every infinite cell has a finite facet, so filling from finite facets reaches them all.
"""

from __future__ import annotations

import numpy as np

from granum.compile import kernel
from granum.geometry.predicates import conflict3d, orient3d
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
    is_infinite,
    next_stamp,
    place_of,
    take_cell,
)

# The facet opposite place f, turned so that (facet, f) has the orientation of the cell.
FACET = ((1, 3, 2), (0, 2, 3), (0, 3, 1), (0, 1, 2))
ROOM = 64  # cells that must be free besides twice the star's; a hole that needs more is LOST


@kernel
def _list_star(mesh, v):
    """List the cells of vertex v in ``old``."""
    N, mark, old = mesh.N, mesh.mark, mesh.old
    stamp = 2 * next_stamp(mesh)
    old[0] = mesh.home[v]
    mark[old[0]] = stamp
    cells = 1
    k = 0
    while k < cells:
        c = old[k]
        k += 1
        for f in range(4):
            b = N[c, f] >> 2
            if mesh.V[c, f] != v and mark[b] != stamp:
                mark[b] = stamp
                old[cells] = b
                cells += 1
    mesh.counts[OLD] = cells


@kernel
def _list_link(mesh, v, link):
    """List the finite vertices around v, once each, and return their number."""
    stamp = next_stamp(mesh)
    number = 0
    for k in range(mesh.counts[OLD]):
        for i in range(4):
            u = mesh.V[mesh.old[k], i]
            if u >= 0 and u != v and mesh.vertex_mark[u] != stamp:
                mesh.vertex_mark[u] = stamp
                link[number] = u
                number += 1
    return number


@kernel
def _open_facets(mesh, v, hole):
    """List the facets of the hole as rows: three vertices, the hole on their positive side; mate.

    Returns their number.
    """
    V = mesh.V
    for k in range(mesh.counts[OLD]):
        c = mesh.old[k]
        f = place_of(V, c, v)
        for i in range(3):
            hole[k, i] = V[c, FACET[f][i]]
        hole[k, 3] = mesh.N[c, f]
    return mesh.counts[OLD]


@kernel
def _apex(mesh, a, b, c, link, number):
    """Return the vertex of the link that makes a regular cell on facet abc, or INFINITE."""
    p, w = mesh.points, mesh.weights
    best = np.int64(INFINITE)
    for k in range(number):
        x = np.int64(link[k])
        if x not in (a, b, c) and orient3d(p, a, b, c, x) > 0 and (
            best == INFINITE or conflict3d(p, w, a, b, c, best, x) > 0
        ):
            best = x
    return best


@kernel
def _is_same(hole, k, x, y, z):
    """Tell whether the facet in row k of the hole has the vertices x, y, z in any order."""
    a, b, c = hole[k, 0], hole[k, 1], hole[k, 2]
    if x == a:
        return (y == b and z == c) or (y == c and z == b)
    if x == b:
        return (y == a and z == c) or (y == c and z == a)
    return x == c and ((y == a and z == b) or (y == b and z == a))


@kernel
def _join(mesh, cell, f, hole, number):
    """Join facet f of a new cell with its mate among the open facets, or open it.

    Returns the number of open facets.
    """
    V, N = mesh.V, mesh.N
    x, y, z = V[cell, FACET[f][0]], V[cell, FACET[f][1]], V[cell, FACET[f][2]]
    for k in range(number - 1, -1, -1):
        if _is_same(hole, k, x, y, z):
            mate = hole[k, 3]
            N[cell, f] = mate
            N[mate >> 2, mate & 3] = 4 * cell + f
            for i in range(4):
                hole[k, i] = hole[number - 1, i]
            return number - 1
    if number < hole.shape[0]:
        hole[number, 0], hole[number, 1], hole[number, 2] = y, x, z  # the hole is on the other side
        hole[number, 3] = 4 * cell + f
    return number + 1


@kernel
def _fill(mesh, link, vertices, hole, number):
    """Fill the hole; the cells are listed in ``new``. Returns whether it could be closed."""
    room = min(mesh.V.shape[0] - mesh.counts[LIVE], mesh.new.size)
    cells = 0
    while number > 0:
        k = number - 1
        while k >= 0 and min(hole[k, 0], hole[k, 1], hole[k, 2]) < 0:
            k -= 1
        if k < 0 or cells == room:
            return False
        a, b, c = np.int64(hole[k, 0]), np.int64(hole[k, 1]), np.int64(hole[k, 2])
        x = _apex(mesh, a, b, c, link, vertices)
        cell = take_cell(mesh.N, mesh.counts)
        mesh.new[cells] = cell
        cells += 1
        mesh.V[cell, 0], mesh.V[cell, 1], mesh.V[cell, 2], mesh.V[cell, 3] = a, b, c, x
        for f in range(3, -1, -1):
            number = _join(mesh, cell, f, hole, number)
            if number > hole.shape[0]:
                return False
        mesh.home[a], mesh.home[b], mesh.home[c] = cell, cell, cell
        if x >= 0:
            mesh.home[x] = cell
        mesh.counts[LAST] = cell
    mesh.counts[NEW] = cells
    return True


@kernel
def _spans_space(mesh):
    """Tell whether a finite cell is left among the new ones and their neighbours."""
    for k in range(mesh.counts[NEW]):
        c = mesh.new[k]
        if not is_infinite(mesh.V, c):
            return True
        for f in range(4):
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
        hole: (k,4) scratch for the facets of a hole.

    Returns:
        DONE; NO_ROOM with nothing changed; FLAT or LOST: the mesh must be built anew.
    """
    mesh.counts[NEW] = 0
    _list_star(mesh, v)
    cells = mesh.counts[OLD]
    if mesh.counts[LIVE] + 2 * cells + ROOM > mesh.V.shape[0] or 4 * cells + ROOM > hole.shape[0]:
        mesh.counts[OLD] = 0
        return NO_ROOM
    vertices = _list_link(mesh, v, link)
    number = _open_facets(mesh, v, hole)
    mesh.home[v] = ABSENT
    if not _fill(mesh, link, vertices, hole, number):
        return LOST
    return DONE if _spans_space(mesh) else FLAT


"""The hole that a vertex leaves in space: its facets, and what stands on them; see remove."""

from __future__ import annotations

import numpy as np

from granum.compile import inner_kernel, kernel
from granum.geometry.predicates import conflict3d, orient3d
from granum.geometry.tetrahedra import INFINITE, OLD, next_stamp, place_of

# The facet opposite place f, turned so that (facet, f) has the orientation of the cell.
FACET = ((1, 3, 2), (0, 2, 3), (0, 3, 1), (0, 1, 2))


@kernel
def list_star(mesh, v):
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


@inner_kernel
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
def open_hole(mesh, v, link, hole):
    """List the finite vertices around v, and the facets around it as rows of ``hole``.

    A row is three vertices, the hole on their positive side, and the mate. Returns the number of
    vertices.
    """
    V = mesh.V
    for k in range(mesh.counts[OLD]):
        c = mesh.old[k]
        f = place_of(V, c, v)
        for i in range(3):
            hole[k, i] = V[c, FACET[f][i]]
        hole[k, 3] = mesh.N[c, f]
    return _list_link(mesh, v, link)


@kernel
def apex(mesh, cell, link, number):
    """Return the vertex that makes a regular cell with the first three of ``cell``, or INFINITE."""
    p, w = mesh.points, mesh.weights
    a, b, c = np.int64(mesh.V[cell, 0]), np.int64(mesh.V[cell, 1]), np.int64(mesh.V[cell, 2])
    best = np.int64(INFINITE)
    for k in range(number):
        x = np.int64(link[k])
        if x not in (a, b, c) and orient3d(p, a, b, c, x) > 0 and (
            best == INFINITE or conflict3d(p, w, a, b, c, best, x) > 0
        ):
            best = x
    return best


@inner_kernel
def _is_same(hole, k, x, y, z):
    """Tell whether the facet in row k of the hole has the vertices x, y, z in any order."""
    a, b, c = hole[k, 0], hole[k, 1], hole[k, 2]
    if x == a:
        return (y == b and z == c) or (y == c and z == b)
    if x == b:
        return (y == a and z == c) or (y == c and z == a)
    return x == c and ((y == a and z == b) or (y == b and z == a))


@kernel
def join(mesh, cell, f, hole, number):
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

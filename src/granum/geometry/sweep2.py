"""A triangulation of points in the plane from left to right, to be made regular by flips.

D. Müller, T. M. Liebling, Detection of collisions of polygons by using a triangulation, in Contact
Mechanics (Plenum 1995) 369: the points are scanned in the order of x (here: then y) and each is
joined to all those on its left that it can see. It sees a piece of the hull that begins at the
point before it, so the search takes constant time on average. Points in one place must have been
sorted out before.

Infinite cells are (INFINITE, x, y) here, with the inside of the hull on the right of xy: edge 1
leads to the next hull edge, from y on, edge 2 to the one before, edge 0 to the inside.
"""

from __future__ import annotations

import numpy as np

from granum.compile import kernel
from granum.geometry.flips3 import join
from granum.geometry.predicates import orient2d
from granum.geometry.tetrahedra import INFINITE, LAST, take_cell


@kernel
def _put_cell(mesh, a, b, c):
    """Make a new cell of three vertices and return it."""
    cell = np.int64(take_cell(mesh.N, mesh.counts))
    mesh.V[cell, 0], mesh.V[cell, 1], mesh.V[cell, 2] = a, b, c
    for v in (a, b, c):
        if v >= 0:
            mesh.home[v] = cell
    mesh.counts[LAST] = cell
    return cell


@kernel
def _first_fan(mesh, order, k):
    """Join the first k points, which lie on one line, to the next; returns the last hull cell."""
    p = mesh.points
    apex = order[k]
    turned = orient2d(p, order[0], order[1], apex) < 0
    inner, outer = np.int64(-1), np.int64(-1)
    start, end = np.int64(-1), np.int64(-1)
    for m in range(k - 1):
        a, b = (order[k - 1 - m], order[k - 2 - m]) if turned else (order[m], order[m + 1])
        cell, beyond = _put_cell(mesh, apex, a, b), _put_cell(mesh, INFINITE, b, a)
        join(mesh, 4 * cell, 4 * beyond)
        if inner >= 0:
            join(mesh, 4 * cell + 2, 4 * inner + 1)
            join(mesh, 4 * beyond + 1, 4 * outer + 2)
        else:
            start = _put_cell(mesh, INFINITE, a, apex)
            join(mesh, 4 * start, 4 * cell + 2)
            join(mesh, 4 * start + 2, 4 * beyond + 1)
        inner, outer, end = cell, beyond, b
    last = _put_cell(mesh, INFINITE, apex, end)
    join(mesh, 4 * last, 4 * inner + 1)
    join(mesh, 4 * last + 1, 4 * outer + 2)
    join(mesh, 4 * last + 2, 4 * start + 1)
    return last


@kernel
def _sees(mesh, cell, v):
    """Tell whether v lies strictly beyond the hull edge of an infinite cell."""
    return orient2d(mesh.points, np.int64(mesh.V[cell, 1]), np.int64(mesh.V[cell, 2]), v) > 0


@kernel
def _join_to_hull(mesh, hull, v):
    """Join v to the hull that it sees, from the vertex where ``hull`` begins; returns its cell."""
    V, N = mesh.V, mesh.N
    after = hull
    while _sees(mesh, after, v):
        V[after, 0] = v
        after = np.int64(N[after, 1]) >> 2
    before = np.int64(N[hull, 2]) >> 2
    while _sees(mesh, before, v):
        V[before, 0] = v
        before = np.int64(N[before, 2]) >> 2
    first, last = np.int64(N[before, 1]) >> 2, np.int64(N[after, 2]) >> 2
    low = _put_cell(mesh, INFINITE, np.int64(V[before, 2]), v)
    high = _put_cell(mesh, INFINITE, v, np.int64(V[after, 1]))
    join(mesh, 4 * low, 4 * first + 2)
    join(mesh, 4 * high, 4 * last + 1)
    join(mesh, 4 * low + 1, 4 * high + 2)
    join(mesh, 4 * before + 1, 4 * low + 2)
    join(mesh, 4 * high + 1, 4 * after + 2)
    return high


@kernel
def sweep(mesh, order):
    """Triangulate the points in ``order``, from left to right, not all on one line.

    The mesh must be empty, with room for two cells for each point.
    """
    k = 2
    while orient2d(mesh.points, order[0], order[1], order[k]) == 0:
        k += 1
    hull = _first_fan(mesh, order, k)
    for m in range(k + 1, order.size):
        hull = _join_to_hull(mesh, hull, order[m])

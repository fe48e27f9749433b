"""The regular triangulation of points in the plane, built from left to right.

D. Müller, T. M. Liebling, Detection of collisions of polygons by using a triangulation, in Contact
Mechanics (Plenum 1995) 369: the points are scanned in the order of x (here: then y) and each is
joined to all those on its left that it can see. It sees a piece of the hull that begins at the
point before it, so the search is short. The authors make the triangulation regular by flips when
it is complete; here flips follow each point, which takes as many (eleven a point for 100 000 at
random), but near each other. Points in one place must have been sorted out before.

The hull edge of an infinite cell is xy, where x follows INFINITE in the cell: the inside of the
hull lies on the right of xy.
"""

from __future__ import annotations

import numpy as np

from granum.compile import inner_kernel, kernel
from granum.geometry.facet_queue import FLIPS, LAST, put, put_cell
from granum.geometry.flips2 import flip22, next_about
from granum.geometry.flips3 import join
from granum.geometry.predicates import orient2d
from granum.geometry.repair import repair
from granum.geometry.repair2 import sign_with
from granum.geometry.tetrahedra import DONE, INFINITE, TOP, take_cell
from granum.geometry.tetrahedra import LAST as LAST_CELL
from granum.geometry.triangles import BEFORE, NEXT, in_conflict, is_infinite, place_of


@inner_kernel
def _put_cell(mesh, a, b, c):
    """Make a new cell of three vertices and return it."""
    cell = np.int64(take_cell(mesh.N, mesh.counts))
    mesh.V[cell, 0], mesh.V[cell, 1], mesh.V[cell, 2] = a, b, c
    for i in range(3):
        if mesh.V[cell, i] >= 0:
            mesh.home[mesh.V[cell, i]] = cell
    mesh.counts[LAST_CELL] = cell
    return cell


@inner_kernel
def _first_fan(mesh, order, k):
    """Join the first k points, which lie on one line, to the next."""
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


@inner_kernel
def _hull_cell(mesh, v):
    """Return the infinite cell whose hull edge begins at v."""
    c = np.int64(mesh.home[v])
    while mesh.V[c, BEFORE[place_of(mesh.V, c, v)]] != INFINITE:
        c = next_about(mesh, c, v)
    return c


@inner_kernel
def _sees(mesh, c, v):
    """Tell whether v lies strictly beyond the hull edge of an infinite cell."""
    f = place_of(mesh.V, c, INFINITE)
    x, y = np.int64(mesh.V[c, NEXT[f]]), np.int64(mesh.V[c, BEFORE[f]])
    return orient2d(mesh.points, x, y, v) > 0


@inner_kernel
def _beside(mesh, c, turn):
    """Return the infinite cell after (turn = NEXT) or before (BEFORE) an infinite cell."""
    return np.int64(mesh.N[c, turn[place_of(mesh.V, c, INFINITE)]]) >> 2


@inner_kernel
def _join_to_hull(mesh, u, v, queue, work):
    """Join v to the hull that it sees, from the vertex u on; what may be illegal is queued.

    That is, first, the hull on both sides, where v may lie on the line of an edge; then the edges
    opposite v. Returns how many these are.
    """
    V = mesh.V
    first = _hull_cell(mesh, u)
    before = _beside(mesh, first, BEFORE)
    while _sees(mesh, before, v):
        first, before = before, _beside(mesh, before, BEFORE)
    last, after = first, first
    while _sees(mesh, after, v):
        last, after = after, _beside(mesh, after, NEXT)
        f = place_of(V, last, INFINITE)
        V[last, f] = v
    x = np.int64(V[before, BEFORE[place_of(V, before, INFINITE)]])
    y = np.int64(V[after, NEXT[place_of(V, after, INFINITE)]])
    low, high = _put_cell(mesh, INFINITE, x, v), _put_cell(mesh, INFINITE, v, y)
    join(mesh, 4 * low, 4 * first + BEFORE[place_of(V, first, v)])
    join(mesh, 4 * high, 4 * last + NEXT[place_of(V, last, v)])
    join(mesh, 4 * low + 1, 4 * high + 2)
    join(mesh, 4 * before + NEXT[place_of(V, before, INFINITE)], 4 * low + 2)
    join(mesh, 4 * high + 1, 4 * after + BEFORE[place_of(V, after, INFINITE)])
    put(queue, work, 4 * low + 2)
    put(queue, work, 4 * high + 1)
    c, number = last, 1
    put(queue, work, 4 * c + place_of(V, c, v))
    while c != first:
        c = np.int64(mesh.N[c, BEFORE[place_of(V, c, v)]]) >> 2
        put(queue, work, 4 * c + place_of(V, c, v))
        number += 1
    return number


@inner_kernel
def _flip_opposite(mesh, edges, v, number, queue, work):
    """Flip the edges opposite v, the last so many in the queue, and those that take their place.

    No others become illegal. An edge that is no diagonal, since a vertex must be hidden, ends this:
    it is left in the queue, with all that is still to do.
    """
    while number > 0:
        edge = np.int64(queue[(work[LAST] - 1) % queue.size])
        c, f = edge >> 2, edge & 3
        mate = np.int64(mesh.N[c, f])
        b, g = mate >> 2, mate & 3
        if not is_infinite(mesh.V, b) and in_conflict(mesh.points, mesh.weights, mesh.V, b, v):
            e = np.int64(mesh.V[b, g])
            if sign_with(mesh, c, NEXT[f], e) <= 0 or sign_with(mesh, c, BEFORE[f], e) <= 0:
                return
            flip22(mesh, edges, c, f)
            put(queue, work, 4 * b + BEFORE[g])
            work[FLIPS] += 1
            number += 1
        else:
            work[LAST] -= 1
            number -= 1


@kernel
def sweep(mesh, order, edges, queue, stuck, work):
    """Triangulate the points in ``order``, from left to right, not all on one line.

    Args:
        mesh: an empty mesh, with room for two cells for each point.
        order: (n,) the points.
        edges: an empty table of edges for no vertices: edges are not looked after.
        queue: scratch, see ``repair``.
        stuck: scratch, see ``repair``.
        work: (WORK,) zeros; becomes what has been done.

    Returns:
        DONE, or LOST if the queue was too short.
    """
    k = 2
    while orient2d(mesh.points, order[0], order[1], order[k]) == 0:
        k += 1
    _first_fan(mesh, order, k)
    for c in range(mesh.counts[TOP]):
        put_cell(mesh, queue, work, c)
    limit = np.int64(1) << 62
    status = repair(mesh, edges, queue, stuck, work, limit)
    for m in range(k + 1, order.size):
        if status != DONE:
            break
        number = _join_to_hull(mesh, order[m - 1], order[m], queue, work)
        _flip_opposite(mesh, edges, order[m], number, queue, work)
        status = repair(mesh, edges, queue, stuck, work, limit)
    return status

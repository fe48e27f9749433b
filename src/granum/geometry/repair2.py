"""Repair in the plane: flip illegal edges until none is left (Algorithm 1, Lawson's flips).

As in `granum.geometry.repair3`, an edge is illegal if the vertex on its other side conflicts with
the cell, or if one of its cells is not positive, and a flip is made only if all finite cells that
come are positive. So flips may heal cells that a motion has turned over, and can turn none.

In the plane, flips never get stuck on positive cells. Let edge ij of the cells dij and eji be
illegal. If the quadrilateral is convex, 2-2 it is. If not, one of i and j, say i, lies in the
triangle dej and, the edge being illegal, above it in the lifted space: i is hidden, and dej is its
witness. It can be taken out at once: the other flips of its edges, legal or not, lead to a vertex
of three cells (or four, if it lies on the line between two neighbours), since the polygon around it
has an ear that does not contain it.
"""

from __future__ import annotations

import numpy as np

from granum.compile import inner_kernel, kernel
from granum.geometry.check2 import is_witnessed
from granum.geometry.facet_queue import FLIPS, note_hull, put, put_cell
from granum.geometry.flips2 import (
    degree_of,
    flip22,
    flip31,
    flip42,
    is_edge,
    next_about,
)
from granum.geometry.flips3 import opposite
from granum.geometry.predicates import orient2d
from granum.geometry.tetrahedra import INFINITE, LIVE
from granum.geometry.triangles import (
    BEFORE,
    NEXT,
    in_conflict,
    is_infinite,
    orient_cell,
    orient_with,
    place_of,
    vertices_of,
)

ANY = 2  # sign of a cell with the infinite vertex: nothing to be wrong
SMALLEST = 4  # cells of a single triangle: nothing can be taken out of it


@inner_kernel
def sign_with(mesh, c, k, e):
    """Return the orientation of cell c with e in place k, ANY with the infinite vertex."""
    corner = vertices_of(mesh.V, c)
    if e < 0 or corner[NEXT[k]] < 0 or corner[BEFORE[k]] < 0:
        return ANY
    return orient_with(mesh.points, corner, k, e)


@inner_kernel
def _casts_shadow(mesh, c, f):
    """Tell whether vertex f of cell c falls between the other two on their line; rounded."""
    p = mesh.points
    d, i, j = mesh.V[c, f], mesh.V[c, NEXT[f]], mesh.V[c, BEFORE[f]]
    x, y = p[j, 0] - p[i, 0], p[j, 1] - p[i, 1]
    from_i = (p[d, 0] - p[i, 0]) * x + (p[d, 1] - p[i, 1]) * y
    from_j = (p[d, 0] - p[j, 0]) * x + (p[d, 1] - p[j, 1]) * y
    return from_i > 0.0 > from_j


@inner_kernel
def try22(mesh, edges, c, f, queue, work):
    """Exchange edge f of cell c if the other diagonal is not there yet; tell whether it was."""
    g = np.int64(mesh.N[c, f]) & 3
    if is_edge(mesh, edges, np.int64(mesh.V[c, f]), opposite(mesh, c, f)):
        return False
    b = flip22(mesh, edges, c, f)
    put_cell(mesh, queue, work, c)
    note_hull(mesh, work, b)
    put(queue, work, 4 * b + g)
    put(queue, work, 4 * b + BEFORE[g])
    return True


@inner_kernel
def _is_hidden_by(mesh, x, a, b, c):
    """Tell whether triangle abc hides vertex x, which has positive cells only; note it."""
    if c < 0 or mesh.counts[LIVE] <= SMALLEST:
        return False
    mesh.witness[x, 0], mesh.witness[x, 1], mesh.witness[x, 2] = a, b, c
    if not is_witnessed(mesh, x):
        return False
    first = np.int64(mesh.home[x])
    c = first
    while True:
        if not is_infinite(mesh.V, c) and orient_cell(mesh.points, mesh.V, c) <= 0:
            return False
        c = next_about(mesh, c, x)
        if c == first:
            return True


@inner_kernel
def _hidden_at(mesh, c, f, first):
    """Return the vertex that must be hidden at an illegal edge that is no diagonal; its witness.

    Args:
        mesh: the cells.
        c: a cell, infinite if both at the edge are.
        f: the edge.
        first: whether it is the first vertex of the edge that lies between its neighbours.
    """
    d, i, j = np.int64(mesh.V[c, f]), np.int64(mesh.V[c, NEXT[f]]), np.int64(mesh.V[c, BEFORE[f]])
    e = opposite(mesh, c, f)
    if i >= 0 and j >= 0:
        return (i, d, e, j) if first else (j, d, i, e)
    # On the line of the hull: any vertex on its inner side makes a witness with d and e.
    z = opposite(mesh, c, place_of(mesh.V, c, INFINITE))
    return (j, d, e, z) if i < 0 else (i, e, d, z)


@inner_kernel
def _loosen(mesh, edges, x, queue, work):
    """Flip one edge of vertex x that can be, legal or not; tell whether there was one."""
    first = np.int64(mesh.home[x])
    c = first
    while True:
        f = NEXT[place_of(mesh.V, c, x)]
        y, e = np.int64(mesh.V[c, f]), opposite(mesh, c, f)
        if (y >= 0 and e >= 0 and mesh.V[c, NEXT[f]] >= 0
                and sign_with(mesh, c, BEFORE[f], e) > 0 and sign_with(mesh, c, NEXT[f], e) > 0
                and try22(mesh, edges, c, f, queue, work)):
            work[FLIPS] += 1
            return True
        c = next_about(mesh, c, x)
        if c == first:
            return False


@inner_kernel
def _take_out3(mesh, edges, x, queue, work):
    """Hide vertex x, which has three positive cells; not if one is infinite. Tell whether."""
    c = np.int64(mesh.home[x])
    k = place_of(mesh.V, c, x)
    if is_infinite(mesh.V, c) or opposite(mesh, c, NEXT[k]) < 0:
        return False
    flip31(mesh, edges, c, k)
    put_cell(mesh, queue, work, c)
    return True


@inner_kernel
def _take_out4(mesh, edges, x, queue, work):
    """Hide vertex x, which has four positive cells, in the edge it lies on, if any; tell whether.

    Two positive cells that make a straight angle at x together are a positive one without it.
    """
    c = np.int64(mesh.home[x])
    for _ in range(4):
        k = place_of(mesh.V, c, x)
        low, across = np.int64(mesh.V[c, NEXT[k]]), opposite(mesh, c, NEXT[k])
        if (low >= 0 and across >= 0 and not is_edge(mesh, edges, low, across)
                and orient2d(mesh.points, low, across, x) == 0):
            b = flip42(mesh, edges, c, k)
            put_cell(mesh, queue, work, c)
            put_cell(mesh, queue, work, b)
            return True
        c = next_about(mesh, c, x)
    return False


@inner_kernel
def _take_out(mesh, edges, x, queue, work):
    """Flip the edges of a vertex with positive cells until it can be hidden; tell whether."""
    degree = degree_of(mesh, x)
    while degree > 3 and _loosen(mesh, edges, x, queue, work):
        degree -= 1
    if degree == 3:
        return _take_out3(mesh, edges, x, queue, work)
    return degree == 4 and _take_out4(mesh, edges, x, queue, work)


@kernel
def try_flips(mesh, edges, c, f, queue, work):
    """Make the flips that an illegal edge allows, if any; tell whether one was made."""
    e = opposite(mesh, c, f)
    if mesh.V[c, f] == e:
        return False
    first = False
    if e == INFINITE:
        if not _casts_shadow(mesh, c, f):
            return False
        is_diagonal = True
    else:
        first = sign_with(mesh, c, BEFORE[f], e) <= 0
        is_diagonal = not first and sign_with(mesh, c, NEXT[f], e) > 0
    if is_diagonal:
        return try22(mesh, edges, c, f, queue, work)
    x, a, b, z = _hidden_at(mesh, c, f, first)
    done = _is_hidden_by(mesh, x, a, b, z) and _take_out(mesh, edges, x, queue, work)
    if done:
        mesh.witness[x, 0], mesh.witness[x, 1], mesh.witness[x, 2] = a, b, z
    return done


@kernel
def is_illegal(mesh, c, f):
    """Tell whether edge f of cell c, finite if one of the two cells is, must go."""
    if not is_infinite(mesh.V, c):
        b = np.int64(mesh.N[c, f]) >> 2
        if orient_cell(mesh.points, mesh.V, c) <= 0:
            return True
        if is_infinite(mesh.V, b):
            return False
        if orient_cell(mesh.points, mesh.V, b) <= 0:
            return True
    return in_conflict(mesh.points, mesh.weights, mesh.V, c, opposite(mesh, c, f))

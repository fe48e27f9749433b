"""The elementary changes of a triangulation of the plane.

- 2-2: the diagonal of a convex quadrilateral is exchanged for the other.
- 3-1: a vertex with three cells is hidden in the triangle around it.
- 4-2: a vertex with four cells, exactly on the line between two of its neighbours, is hidden in
  the edge between them (3-1 would leave a flat cell). One of the other two may be infinite.

The infinite vertex takes part like any other. Edges follow, unless the table has no vertices.
"""

from __future__ import annotations

import numpy as np

from granum.compile import inner_kernel
from granum.geometry.edges import add_edge, drop_edge, find_edge
from granum.geometry.flips3 import join
from granum.geometry.tetrahedra import LAST, drop_cell, hide
from granum.geometry.triangles import BEFORE, NEXT, place_of, vertices_of


@inner_kernel
def _settle(mesh, c, k, v):
    """Put vertex v into place k of a cell and make the cell the home of all its vertices."""
    V = mesh.V
    V[c, k] = v
    for i in range(3):
        if V[c, i] >= 0:
            mesh.home[V[c, i]] = c
    mesh.counts[LAST] = c


@inner_kernel
def _gain_edge(edges, i, j):
    """Add the edge between two vertices, if both are finite."""
    if min(i, j) >= 0 and edges.head.size > 0:
        add_edge(edges, i, j)


@inner_kernel
def _lose_edge(edges, i, j):
    """Drop the edge between two vertices, if both are finite."""
    if min(i, j) >= 0 and edges.head.size > 0:
        drop_edge(edges, find_edge(edges, i, j))


@inner_kernel
def flip22(mesh, edges, c, f):
    """Exchange edge f of cell c, between i and j, for the one between d and e; returns e's cell.

    Cell c = (d, i, j) becomes (d, i, e); the cell on the other side, (e, j, i), becomes (e, j, d).
    """
    N = mesh.N
    mate = np.int64(N[c, f])
    b, g = mate >> 2, mate & 3
    d, i, j = np.int64(mesh.V[c, f]), np.int64(mesh.V[c, NEXT[f]]), np.int64(mesh.V[c, BEFORE[f]])
    e = np.int64(mesh.V[b, g])
    from_c, from_b = np.int64(N[c, NEXT[f]]), np.int64(N[b, NEXT[g]])
    _settle(mesh, b, BEFORE[g], d)
    _settle(mesh, c, BEFORE[f], e)
    join(mesh, 4 * c + f, from_b)
    join(mesh, 4 * b + g, from_c)
    join(mesh, 4 * c + NEXT[f], 4 * b + NEXT[g])
    _lose_edge(edges, i, j)
    _gain_edge(edges, d, e)
    return b


@inner_kernel
def flip31(mesh, edges, c, k):
    """Hide vertex k of cell c, which has three cells."""
    x, y, z = (np.int64(mesh.V[c, k]), np.int64(mesh.V[c, NEXT[k]]), np.int64(mesh.V[c, BEFORE[k]]))
    s, t = np.int64(mesh.N[c, NEXT[k]]), np.int64(mesh.N[c, BEFORE[k]])
    u = np.int64(mesh.V[s >> 2, s & 3])
    s, t = s >> 2, t >> 2
    beyond_s = np.int64(mesh.N[s, place_of(mesh.V, s, x)])
    beyond_t = np.int64(mesh.N[t, place_of(mesh.V, t, x)])
    for v in (y, z, u):
        _lose_edge(edges, x, v)
    drop_cell(mesh, s)
    drop_cell(mesh, t)
    _settle(mesh, c, k, u)
    join(mesh, 4 * c + NEXT[k], beyond_s)
    join(mesh, 4 * c + BEFORE[k], beyond_t)
    hide(mesh, x, c)


@inner_kernel
def flip42(mesh, edges, c, k):
    """Hide vertex k of cell c, which has four cells, in the edge from its next neighbour on.

    Around x = V[c, k] stand l0 = V[c, k + 1], l1, l2, l3, counter-clockwise, with x on the segment
    from l0 to l2. Cell c becomes (l2, l0, l1); the one opposite, returned, (l0, l2, l3).
    """
    N = mesh.N
    x, l0, l1 = (np.int64(mesh.V[c, k]), np.int64(mesh.V[c, NEXT[k]]),
                 np.int64(mesh.V[c, BEFORE[k]]))
    q1 = np.int64(N[c, NEXT[k]]) >> 2
    k1 = place_of(mesh.V, q1, x)
    l2 = np.int64(mesh.V[q1, BEFORE[k1]])
    q2 = np.int64(N[q1, NEXT[k1]]) >> 2
    k2 = place_of(mesh.V, q2, x)
    l3 = np.int64(mesh.V[q2, BEFORE[k2]])
    q3 = np.int64(N[q2, NEXT[k2]]) >> 2
    beyond1, beyond3 = np.int64(N[q1, k1]), np.int64(N[q3, place_of(mesh.V, q3, x)])
    for v in (l0, l1, l2, l3):
        _lose_edge(edges, x, v)
    drop_cell(mesh, q1)
    drop_cell(mesh, q3)
    _settle(mesh, c, k, l2)
    _settle(mesh, q2, k2, l0)
    join(mesh, 4 * c + NEXT[k], beyond1)
    join(mesh, 4 * q2 + NEXT[k2], beyond3)
    join(mesh, 4 * c + BEFORE[k], 4 * q2 + BEFORE[k2])
    _gain_edge(edges, l0, l2)
    hide(mesh, x, c)
    return q2


@inner_kernel
def next_about(mesh, c, v):
    """Return the cell that follows c counter-clockwise about vertex v."""
    return np.int64(mesh.N[c, NEXT[place_of(mesh.V, c, v)]]) >> 2


@inner_kernel
def degree_of(mesh, v):
    """Return how many cells a vertex has."""
    first = np.int64(mesh.home[v])
    c, number = next_about(mesh, first, v), 1
    while c != first:
        c = next_about(mesh, c, v)
        number += 1
    return number


@inner_kernel
def is_edge(mesh, edges, d, e):
    """Tell whether two vertices, d finite, are joined by an edge."""
    if e >= 0:
        return edges.head.size > 0 and find_edge(edges, d, e) >= 0
    first = np.int64(mesh.home[d])
    c = first
    while True:
        a, b, x = vertices_of(mesh.V, c)
        if (a | b | x) < 0:
            return True
        c = next_about(mesh, c, d)
        if c == first:
            return False

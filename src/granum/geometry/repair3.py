"""Repair after a small motion: flip illegal facets until none is left (Algorithm 1).

See J.-A. Ferrez, Dynamic triangulations for efficient 3D simulation of granular materials, EPFL
thesis 2432 (2001), chapters 2 and 4. A facet is illegal if the vertex on its other side conflicts
with the cell, or if one of its cells is not positive. A flip is made only if all finite cells that
come are positive: it may heal cells that the motion has turned over, and can turn none.

At the hull a turned cell has no fifth vertex to tell how it turned. There the shadow of the
vertex on the facet, in ordinary arithmetic, chooses the flip. A bad choice costs time, not
correctness: the repair (`granum.geometry.repair`) is done only when exact tests find all facets
legal and all cells positive.
"""

from __future__ import annotations

import numpy as np

from granum.compile import inner_kernel, kernel
from granum.geometry.check3 import is_witnessed, orient_cell
from granum.geometry.edges import find_edge
from granum.geometry.estimates import (
    ORIENT_3D,
    estimate_orient3d,
    estimate_sides,
    quick_conflict3d,
    vertex_row,
)
from granum.geometry.facet_queue import put_cell
from granum.geometry.flips3 import (
    flip23,
    flip32,
    flip41,
    is_four_star,
    opposite,
    other_place,
    third_cell,
)
from granum.geometry.tetrahedra import (
    INFINITE,
    LIVE,
    in_conflict,
    is_infinite,
    next_stamp,
    orient_with,
    place_of,
    vertices_of,
)

ANY = 2  # sign of a cell with the infinite vertex: nothing to be wrong

@inner_kernel
def _sign_with(mesh, c, k, e):
    """Return the orientation of cell c with e in place k, ANY with the infinite vertex."""
    corner = vertices_of(mesh.V, c)
    for i in range(4):
        if i != k and corner[i] < 0:
            return ANY
    return ANY if e < 0 else orient_with(mesh.points, corner, k, e)


@inner_kernel
def _shadow(mesh, c, f, k):
    """Return on which side of the edge without k the vertex f falls on facet f of cell c.

    1 if on the side of vertex k, else -1; rounded.
    """
    p = mesh.points
    corner = vertices_of(mesh.V, c)
    d, x = corner[f], corner[k]
    a, b = corner[other_place(f, k, 0)], corner[other_place(f, k, 1)]
    bx, by, bz = p[b, 0] - p[a, 0], p[b, 1] - p[a, 1], p[b, 2] - p[a, 2]
    xx, xy, xz = p[x, 0] - p[a, 0], p[x, 1] - p[a, 1], p[x, 2] - p[a, 2]
    dx, dy, dz = p[d, 0] - p[a, 0], p[d, 1] - p[a, 1], p[d, 2] - p[a, 2]
    nx, ny, nz = by * xz - bz * xy, bz * xx - bx * xz, bx * xy - by * xx
    mx, my, mz = by * dz - bz * dy, bz * dx - bx * dz, bx * dy - by * dx
    return 1 if nx * mx + ny * my + nz * mz > 0.0 else -1


@inner_kernel
def _is_at_hull(mesh, v):
    """Tell whether a vertex has an infinite cell."""
    stamp = 2 * next_stamp(mesh)
    mesh.old[0] = mesh.home[v]
    mesh.mark[mesh.old[0]] = stamp
    cells = 1
    k = 0
    while k < cells:
        c = mesh.old[k]
        k += 1
        if is_infinite(mesh.V, c):
            return True
        for f in range(4):
            b = mesh.N[c, f] >> 2
            if mesh.V[c, f] != v and mesh.mark[b] != stamp:
                mesh.mark[b] = stamp
                mesh.old[cells] = b
                cells += 1
    return False


@inner_kernel
def _is_edge(mesh, edges, d, e):
    """Tell whether two vertices, d finite, are joined by an edge."""
    if e == INFINITE:
        return _is_at_hull(mesh, d)
    return find_edge(edges, d, e) >= 0


@inner_kernel
def try23(mesh, edges, c, f, queue, work):
    """Flip the facet for an edge if that edge is not there yet; tell whether it was done."""
    d, e = np.int64(mesh.V[c, f]), opposite(mesh, c, f)
    if e == INFINITE:
        for k in range(4):
            if k != f and is_infinite(mesh.V, mesh.N[c, k] >> 2):
                return False
    if _is_edge(mesh, edges, d, e):
        return False
    for cell in flip23(mesh, edges, c, f):
        put_cell(mesh, queue, work, cell)
    return True


@inner_kernel
def _is_facet(mesh, t, u, d, e, x):
    """Tell whether d, e, x are the vertices of a facet: turn about edge de from t, away from u.

    Flips keep the cells a simplicial sphere, whatever the geometry, as long as they make no edge
    and no facet twice.
    """
    c, v = t, u
    while True:
        f = place_of(mesh.V, c, v)
        y = opposite(mesh, c, f)
        w = mesh.V[c, 0] + mesh.V[c, 1] + mesh.V[c, 2] + mesh.V[c, 3] - v - d - e
        c = np.int64(mesh.N[c, f]) >> 2
        v = w
        if c == t:
            return False
        if y == x:
            return True


@inner_kernel
def try32(mesh, edges, c, f, k, queue, work):
    """Remove the edge of facet f without place k if it has three cells; tell whether it was."""
    t = third_cell(mesh, c, f, k)
    i, j = other_place(f, k, 0), other_place(f, k, 1)
    if t < 0 or _is_facet(mesh, t, np.int64(mesh.V[c, i]), np.int64(mesh.V[c, f]),
                          opposite(mesh, c, f), np.int64(mesh.V[c, k])):
        return False
    if opposite(mesh, c, f) == INFINITE and (
        is_infinite(mesh.V, mesh.N[c, i] >> 2) or is_infinite(mesh.V, mesh.N[c, j] >> 2)
    ):
        return False
    b = flip32(mesh, edges, c, f, k)
    put_cell(mesh, queue, work, c)
    put_cell(mesh, queue, work, b)
    return True


@inner_kernel
def fourth_cell(mesh, c, f, k):
    """Return the cell opposite that of facet f about its edge without place k, or -1.

    It exists if the edge has four cells; it is one of two on the far side of facets f and k.
    """
    N, V = mesh.N, mesh.V
    b, s = N[c, f] >> 2, N[c, k] >> 2
    y = opposite(mesh, c, k)
    place = place_of(V, b, V[c, k])
    t = N[b, place] >> 2
    if y == V[c, k] or opposite(mesh, b, place) != y:
        return -1
    return t if N[s, place_of(V, s, V[c, f])] >> 2 == t else -1


@inner_kernel
def exchange44(mesh, edges, c, f, k, queue, work):
    """Exchange the edge without place k for de in their common plane; tell whether it was done."""
    if _is_edge(mesh, edges, np.int64(mesh.V[c, f]), opposite(mesh, c, f)):
        return False
    cells = flip23(mesh, edges, c, f)
    flat = cells[(k - f - 1) & 3]
    for cell in cells:
        if cell != flat:
            put_cell(mesh, queue, work, cell)
    # In the flat cell e stands in place k: its facet k leads to y, and d at f is the third vertex.
    other = flip32(mesh, edges, flat, k, f)
    put_cell(mesh, queue, work, flat)
    put_cell(mesh, queue, work, other)
    return True


@inner_kernel
def _try44(mesh, edges, c, f, k, queue, work):
    """Exchange the edge without place k for de if the cells on the far side come out positive."""
    V, e = mesh.V, opposite(mesh, c, f)
    if fourth_cell(mesh, c, f, k) < 0:
        return False
    s = mesh.N[c, k] >> 2
    i, j = other_place(f, k, 0), other_place(f, k, 1)
    if (_sign_with(mesh, s, place_of(V, s, V[c, i]), e) <= 0
            or _sign_with(mesh, s, place_of(V, s, V[c, j]), e) <= 0):
        return False
    return exchange44(mesh, edges, c, f, k, queue, work)


@inner_kernel
def _try41(mesh, edges, c, f, k, queue, work):
    """Hide vertex k if it has four cells and the cell of the others covers it exactly."""
    e = opposite(mesh, c, f)
    if is_infinite(mesh.V, c) or e == INFINITE or mesh.counts[LIVE] < 9:
        return False
    if not is_four_star(mesh, c, f, k):
        return False
    corner = vertices_of(mesh.V, c)
    x = corner[k]
    for i in range(4):
        mesh.witness[x, i] = corner[i] if i != k else e
    if not is_witnessed(mesh, x):
        return False
    flip41(mesh, edges, c, f, k)
    put_cell(mesh, queue, work, c)
    return True


@kernel
def try_flips(mesh, edges, c, f, queue, work):
    """Make the flip that an illegal facet allows, if any; tell whether one was made."""
    e = opposite(mesh, c, f)
    if mesh.V[c, f] == e:
        return False
    i, j, k = (f + 1) & 3, (f + 2) & 3, (f + 3) & 3
    if e == INFINITE:
        si, sj, sk = _shadow(mesh, c, f, i), _shadow(mesh, c, f, j), _shadow(mesh, c, f, k)
    else:
        si, sj, sk = _sign_with(mesh, c, i, e), _sign_with(mesh, c, j, e), _sign_with(mesh, c, k, e)
    if si > 0 and sj > 0 and sk > 0 and try23(mesh, edges, c, f, queue, work):
        return True
    at_hull = e == INFINITE
    if sj > 0 and sk > 0 and (not at_hull or si < 0) and try32(mesh, edges, c, f, i, queue, work):
        return True
    if si > 0 and sk > 0 and (not at_hull or sj < 0) and try32(mesh, edges, c, f, j, queue, work):
        return True
    if si > 0 and sj > 0 and (not at_hull or sk < 0) and try32(mesh, edges, c, f, k, queue, work):
        return True
    if si == 0 and sj > 0 and sk > 0:
        return _try44(mesh, edges, c, f, i, queue, work)
    if sj == 0 and si > 0 and sk > 0:
        return _try44(mesh, edges, c, f, j, queue, work)
    if sk == 0 and si > 0 and sj > 0:
        return _try44(mesh, edges, c, f, k, queue, work)
    return (
        (si > 0 and _try41(mesh, edges, c, f, i, queue, work))
        or (sj > 0 and _try41(mesh, edges, c, f, j, queue, work))
        or (sk > 0 and _try41(mesh, edges, c, f, k, queue, work))
    )


@inner_kernel
def _is_surely_legal(p, w, corner, f, e):
    """Tell whether a facet is legal for certain, in doubles: two finite cells of five vertices.

    The cells are the ``corner`` and the one with e in place f, turned over.
    """
    A, B = vertex_row(p, w, corner[0]), vertex_row(p, w, corner[1])
    C, D = vertex_row(p, w, corner[2]), vertex_row(p, w, corner[3])
    E = vertex_row(p, w, e)
    t, m = quick_conflict3d(A, B, C, D, E)
    s0, s1, s2, s3, n = estimate_sides(A, B, C, D, E)
    side = s0 if f == 0 else s1 if f == 1 else s2 if f == 2 else s3
    volume, k = estimate_orient3d(A, B, C, D)
    return (t < 0.0 and t * t > m and side < -ORIENT_3D * n and -volume > ORIENT_3D * k)


@kernel
def is_illegal(mesh, c, f):
    """Tell whether facet f of cell c, finite if one of the two cells is, must go."""
    p, w, V, N = mesh.points, mesh.weights, mesh.V, mesh.N
    b = np.int64(N[c, f]) >> 2
    e = np.int64(V[b, N[c, f] & 3])
    if is_infinite(V, c):
        return in_conflict(p, w, V, c, e)
    if e >= 0 and _is_surely_legal(p, w, vertices_of(V, c), f, e):
        return False
    if orient_cell(p, V, c) <= 0:
        return True
    return e >= 0 and (orient_cell(p, V, b) <= 0 or in_conflict(p, w, V, c, e))

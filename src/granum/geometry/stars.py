"""The cells around vertices, found from one of them: for what concerns a few vertices only."""

from __future__ import annotations

import numpy as np

from granum.compile import inner_kernel, kernel
from granum.geometry import check3, triangles
from granum.geometry.doubled import LANES
from granum.geometry.either import either
from granum.geometry.facet_queue import put
from granum.geometry.planes import FAR, MARGIN, ROWS, find_margins
from granum.geometry.tetrahedra import is_finite, is_infinite, next_stamp

MANY = 64  # edges of a vertex: four times as many as most have


@inner_kernel
def _list_star(mesh, v):
    """List the cells of vertex v in ``old`` and return their number: 0 if it has none."""
    if mesh.home[v] < 0:
        return 0
    V, N = mesh.V, mesh.N
    stamp = 2 * next_stamp(mesh)
    mesh.old[0] = mesh.home[v]
    mesh.mark[mesh.old[0]] = stamp
    cells = 1
    k = 0
    while k < cells:
        c = mesh.old[k]
        k += 1
        for f in range(len(mesh.places)):
            b = N[c, f] >> 2
            if V[c, f] != v and mesh.mark[b] != stamp:
                mesh.mark[b] = stamp
                mesh.old[cells] = b
                cells += 1
    return cells


@inner_kernel
def _orient_triangle(mesh, c):
    return triangles.orient_cell(mesh.points, mesh.V, c)


@inner_kernel
def _orient_tetrahedron(mesh, c):
    return check3.orient_cell(mesh.points, mesh.V, c)


_orient = either(_orient_triangle, _orient_tetrahedron)


@kernel
def find_blocking(mesh, edges, vertices, blocking):
    """Write which of the vertices, where they are now, may keep flips from going on.

    They have a cell at the hull, or one that has turned over. A vertex of many edges is not blamed,
    for it would take longer to remove than to build anew. Returns whether one is at the hull.
    """
    stays_at_hull = False
    for k in range(vertices.size):
        at_hull = turned = False
        for i in range(_list_star(mesh, vertices[k])):
            c = np.int64(mesh.old[i])
            if not is_finite(mesh, c):
                at_hull = True
            elif not (at_hull or turned):
                turned = _orient(mesh, c) <= 0
        blocking[k] = (at_hull or turned) and edges.degree[vertices[k]] <= MANY
        stays_at_hull = stays_at_hull or (at_hull and not blocking[k])
    return stays_at_hull


@inner_kernel
def _put_all(mesh, vertices, queue, work):
    """Put the facets of the vertices' cells into the queue, those between two of them once."""
    for v in vertices:
        for i in range(_list_star(mesh, v)):
            c = np.int64(mesh.old[i])
            for f in range(len(mesh.places)):
                if mesh.V[c, f] == v or mesh.N[c, f] > 4 * c + f:
                    put(queue, work, 4 * c + f)


@inner_kernel
def _gather(p, w, s, slot, lane, v):
    """Write the coordinates of a vertex, or INFINITE, to a slot of a lane."""
    k = 4 * LANES * slot + lane
    if v < 0:
        s[k], s[k + LANES], s[k + 2 * LANES], s[k + 3 * LANES] = 0.0, 0.0, 0.0, FAR
    else:
        s[k], s[k + LANES], s[k + 2 * LANES] = p[v, 0], p[v, 1], p[v, 2]
        s[k + 3 * LANES] = w[v]


@inner_kernel
def _put_cells(p, w, V, N, star, number, s, queue, work):
    """Put the facets of the cells in ``star`` into the queue, but not where doubles are certain."""
    cells = np.empty(LANES, dtype=np.int64)
    lanes = 0
    for i in range(number):
        c = np.int64(star[i])
        cells[lanes] = c
        if is_infinite(V, c):
            for f in range(4):
                put(queue, work, 4 * c + f)
        else:
            for f in range(4):
                _gather(p, w, s, f, lanes, np.int64(V[c, f]))
                _gather(p, w, s, 4 + f, lanes, np.int64(V[N[c, f] >> 2, N[c, f] & 3]))
            lanes += 1
        if lanes == LANES or i == number - 1:
            find_margins(s)
            for k in range(lanes):
                if not s[MARGIN + k] > 0.0:
                    for f in range(4):
                        put(queue, work, 4 * cells[k] + f)
            lanes = 0


@inner_kernel
def _put_doubtful(mesh, vertices, queue, work):
    """Put the facets of the vertices' cells into the queue, but not where doubles are certain.

    A large grain has thousands of cells: many are looked at at once, see `granum.geometry.planes`.
    """
    p, w, V, N, star = mesh.points, mesh.weights, mesh.V, mesh.N, mesh.old
    s = np.zeros(ROWS * LANES)
    for v in vertices:
        _put_cells(p, w, V, N, star, _list_star(mesh, v), s, queue, work)


_put_stars = either(_put_all, _put_doubtful)


@kernel
def put_stars(mesh, vertices, queue, work):
    """Put into the queue all facets of the vertices' cells that may be illegal."""
    _put_stars(mesh, vertices, queue, work)

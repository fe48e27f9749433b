"""The cells around vertices, found from one of them: for what concerns a few vertices only."""

from __future__ import annotations

import numpy as np

from granum.compile import inner_kernel, kernel
from granum.geometry.doubled import LANES
from granum.geometry.either import either
from granum.geometry.facet_queue import put
from granum.geometry.planes import FAR, MARGIN, ROWS, find_margins
from granum.geometry.tetrahedra import is_finite, is_infinite, next_stamp


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


@kernel
def find_hull(mesh, vertices, at_hull):
    """Write which of the vertices have an infinite cell."""
    for k in range(vertices.size):
        at_hull[k] = False
        for i in range(_list_star(mesh, vertices[k])):
            at_hull[k] = at_hull[k] or not is_finite(mesh, np.int64(mesh.old[i]))


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

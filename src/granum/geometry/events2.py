"""Which flip an event in the plane needs: Algorithm 2, see `granum.geometry.events`.

Edge ij of the cells dij and eji is due. It follows from the four vertices at that very moment:
where neither of the cells that would come, dej and die, is turned, 2-2; where one is, the vertex
that only the other has not, i or j, is hidden: it has three cells, or four if it lies on the line
between d and e just then.

At the hull three of the four lie on one line then. Where e is infinite, d falls between i and j,
2-2, or beyond one of them, which is hidden in the hull. Where i or j is, the other one leaves the
hull between d and e, 2-2.
"""

from __future__ import annotations

import numpy as np

from granum.compile import inner_kernel, kernel
from granum.geometry.facet_queue import put, put_cell
from granum.geometry.flips2 import degree_of, flip31, flip42, is_edge
from granum.geometry.flips3 import opposite
from granum.geometry.repair2 import SMALLEST, try22
from granum.geometry.tetrahedra import INFINITE, LIVE
from granum.geometry.triangles import BEFORE, NEXT, place_of

FLAT_SHARE = 1e-9  # of the square of its size: the area of a triangle that counts as flat


@inner_kernel
def _place(motion, v, t):
    """Return where a vertex is at time t."""
    x, u = motion.x, motion.v
    return x[v, 0] + t * u[v, 0], x[v, 1] + t * u[v, 1]


@inner_kernel
def _sign_of(a, b, c):
    """Return the orientation of three places, 0 if nearly flat."""
    bx, by, cx, cy = b[0] - a[0], b[1] - a[1], c[0] - a[0], c[1] - a[1]
    area = bx * cy - by * cx
    L = max(abs(bx), abs(by), abs(cx), abs(cy))
    return int(area > FLAT_SHARE * L * L) - int(area < -FLAT_SHARE * L * L)


@inner_kernel
def _is_ahead(a, b, c):
    """Return 1 if c lies on the side of b from a, else -1."""
    dot = (b[0] - a[0]) * (c[0] - a[0]) + (b[1] - a[1]) * (c[1] - a[1])
    return 1 if dot > 0.0 else -1


@inner_kernel
def _signs_at(motion, d, i, j, e, t):
    """Return the signs of the cells that come, dej and die; one that is flat and grows is 1."""
    if e < 0:
        D, A, B = _place(motion, d, t), _place(motion, i, t), _place(motion, j, t)
        return _is_ahead(B, A, D), _is_ahead(A, B, D)
    D, E, M = _place(motion, d, t), _place(motion, e, t), _place(motion, max(i, j), t)
    if min(i, j) < 0:
        between = min(_is_ahead(D, E, M), _is_ahead(E, D, M))
        return (1, between) if i < 0 else (between, 1)
    return (_sign_of(D, E, _place(motion, j, t)), _sign_of(D, _place(motion, i, t), E))


@inner_kernel
def _hide3(mesh, edges, c, k, queue, work):
    """Hide vertex k of cell c, which has three cells; at the hull a vertex inside is a witness."""
    x = np.int64(mesh.V[c, k])
    flip31(mesh, edges, c, k)
    put_cell(mesh, queue, work, c)
    for i in range(len(mesh.places)):
        if mesh.V[c, i] == INFINITE:
            mesh.witness[x, i] = opposite(mesh, c, i)
            mesh.witness[x, NEXT[i]] = mesh.V[c, BEFORE[i]]
            mesh.witness[x, BEFORE[i]] = mesh.V[c, NEXT[i]]


@inner_kernel
def _hide(mesh, edges, c, f, k, on_line, queue, work):
    """Hide vertex k at edge f of cell c if it has three cells, or four and lies on the line de."""
    x = np.int64(mesh.V[c, k])
    if x < 0 or mesh.counts[LIVE] <= SMALLEST:
        return False
    degree = degree_of(mesh, x)
    if degree == 3:
        _hide3(mesh, edges, c, k, queue, work)
        return True
    d, e = np.int64(mesh.V[c, f]), opposite(mesh, c, f)
    if degree > 4 or not on_line or e < 0 or is_edge(mesh, edges, d, e):
        return False
    # The two neighbours on the line are d and e: begin at the cell where the next one is either.
    b = c if k == BEFORE[f] else np.int64(mesh.N[c, f]) >> 2
    other = flip42(mesh, edges, b, place_of(mesh.V, b, x))
    put_cell(mesh, queue, work, b)
    put_cell(mesh, queue, work, other)
    return True


@kernel
def flip_at(mesh, edges, motion, c, f, t, queue, work):
    """Make the flip that an edge needs at time t; tell whether it was possible."""
    d, i, j = np.int64(mesh.V[c, f]), np.int64(mesh.V[c, NEXT[f]]), np.int64(mesh.V[c, BEFORE[f]])
    e = opposite(mesh, c, f)
    if d == e:
        return False
    first, second = _signs_at(motion, d, i, j, e, t)
    if first > 0 and second > 0:
        mate = np.int64(mesh.N[c, f])
        done = try22(mesh, edges, c, f, queue, work)
        if done:
            put(queue, work, 4 * (mate >> 2) + NEXT[mate & 3])  # the new edge, from both sides
        return done
    if first > 0:
        return _hide(mesh, edges, c, f, NEXT[f], second == 0, queue, work)
    if second > 0:
        return _hide(mesh, edges, c, f, BEFORE[f], first == 0, queue, work)
    return False

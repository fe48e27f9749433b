"""Which flip an event in space needs: Algorithm 2, see `granum.geometry.events`.

It follows from the five vertices at that very moment: where none of the cells that would come is
turned, 2-3; with one that is, 3-2; with two, 4-1: the vertex is hidden from then on. Where four of
the five lie in one plane just then, four cells are exchanged at once, 4-4. The infinite vertex
stands beyond its hull facet for this question.
"""

from __future__ import annotations

import numpy as np

from granum.compile import inner_kernel, kernel
from granum.geometry.facet_queue import put_cell
from granum.geometry.flips3 import flip41, is_four_star, opposite
from granum.geometry.repair3 import exchange44, fourth_cell, try23, try32
from granum.geometry.tetrahedra import INFINITE, LIVE, is_infinite, vertices_of

FLAT_SHARE = 1e-9  # of the cube of its size: the volume of a tetrahedron that counts as flat


@inner_kernel
def _place(motion, v, t):
    """Return where a vertex is at time t."""
    x, u = motion.x, motion.v
    return x[v, 0] + t * u[v, 0], x[v, 1] + t * u[v, 1], x[v, 2] + t * u[v, 2]


@inner_kernel
def _volume(a, b, c, d):
    """Return the volume of a tetrahedron, and the cube of its size."""
    bx, by, bz = b[0] - a[0], b[1] - a[1], b[2] - a[2]
    cx, cy, cz = c[0] - a[0], c[1] - a[1], c[2] - a[2]
    dx, dy, dz = d[0] - a[0], d[1] - a[1], d[2] - a[2]
    volume = (bx * (cy * dz - cz * dy) + by * (cz * dx - cx * dz) + bz * (cx * dy - cy * dx))
    L = max(abs(bx), abs(by), abs(bz), abs(cx), abs(cy), abs(cz), abs(dx), abs(dy), abs(dz))
    return volume, L * L * L


@inner_kernel
def _beyond(a, b, c):
    """Return a point off the plane of abc, about as far from a as b is."""
    bx, by, bz = b[0] - a[0], b[1] - a[1], b[2] - a[2]
    cx, cy, cz = c[0] - a[0], c[1] - a[1], c[2] - a[2]
    nx, ny, nz = by * cz - bz * cy, bz * cx - bx * cz, bx * cy - by * cx
    scale = np.sqrt((bx * bx + by * by + bz * bz) / max(nx * nx + ny * ny + nz * nz, 1e-300))
    return (a[0] + scale * nx, a[1] + scale * ny, a[2] + scale * nz)


@inner_kernel
def _replaced(P, k, e):
    """Return four places with e instead of the one at k."""
    return (e if k == 0 else P[0], e if k == 1 else P[1],
            e if k == 2 else P[2], e if k == 3 else P[3])


@inner_kernel
def _sign_of(P, k, e):
    """Return the orientation of four places with e at k, 0 if nearly flat."""
    a, b, c, d = _replaced(P, k, e)
    volume, cube = _volume(a, b, c, d)
    return int(volume > FLAT_SHARE * cube) - int(volume < -FLAT_SHARE * cube)


@inner_kernel
def _stand_in(P, k, positive):
    """Return a place for the infinite vertex at k, beyond the others, so that they turn so."""
    q = _beyond(P[(k + 1) & 3], P[(k + 2) & 3], P[(k + 3) & 3])
    if (_sign_of(P, k, q) > 0) == positive:
        return q
    a = P[(k + 1) & 3]
    return (2.0 * a[0] - q[0], 2.0 * a[1] - q[1], 2.0 * a[2] - q[2])


@inner_kernel
def _infinite_place(corner):
    """Return the place of the infinite vertex among four, or -1."""
    a, b, c, d = corner
    return 0 if a < 0 else 1 if b < 0 else 2 if c < 0 else 3 if d < 0 else -1


@inner_kernel
def _signs_at(motion, corner, f, e, t):
    """Return the signs of the three cells that come, with e at places f + 1, f + 2, f + 3."""
    P = (_place(motion, max(corner[0], 0), t), _place(motion, max(corner[1], 0), t),
         _place(motion, max(corner[2], 0), t), _place(motion, max(corner[3], 0), t))
    E = _stand_in(P, f, False) if e < 0 else _place(motion, e, t)
    flat = _infinite_place(corner)  # the cell without the infinite vertex is flat now and grows
    Q = _replaced(P, flat, _stand_in(P, flat, True)) if flat >= 0 else P
    one, two, three = (f + 1) & 3, (f + 2) & 3, (f + 3) & 3
    return (1 if flat == one else _sign_of(Q, one, E), 1 if flat == two else _sign_of(Q, two, E),
            1 if flat == three else _sign_of(Q, three, E))


@inner_kernel
def _hide(mesh, edges, c, f, k, queue, work):
    """Hide vertex k if it has only four cells; tell whether it was done."""
    if (is_infinite(mesh.V, c) or opposite(mesh, c, f) == INFINITE or mesh.counts[LIVE] < 9
            or not is_four_star(mesh, c, f, k)):
        return False
    flip41(mesh, edges, c, f, k)
    put_cell(mesh, queue, work, c)
    return True


@kernel
def flip_at(mesh, edges, motion, c, f, t, queue, work):
    """Make the flip that a facet needs at time t; tell whether it was possible."""
    e = opposite(mesh, c, f)
    if e == mesh.V[c, f]:
        return False
    signs = _signs_at(motion, vertices_of(mesh.V, c), f, e, t)
    positive = int(signs[0] > 0) + int(signs[1] > 0) + int(signs[2] > 0)
    if positive == 3:
        return try23(mesh, edges, c, f, queue, work)
    for i in range(3):
        k = (f + 1 + i) & 3
        if positive == 2 and signs[i] < 0:
            return try32(mesh, edges, c, f, k, queue, work)
        if positive == 2 and signs[i] == 0:
            if fourth_cell(mesh, c, f, k) >= 0:
                return exchange44(mesh, edges, c, f, k, queue, work)
            return try32(mesh, edges, c, f, k, queue, work)
        if positive == 1 and signs[i] > 0:
            return _hide(mesh, edges, c, f, k, queue, work)
    return False

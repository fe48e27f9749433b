"""Is this still the regular triangulation of the plane? Cell by cell, exact, on all threads.

What has to hold is said in `granum.geometry.check3`. In the plane the hull is a polygon; where it
turns one way everywhere, it winds as often as it has lowest vertices (in the order of x, then y):
comparisons of coordinates tell, and no arithmetic is needed.

With a as origin, rows B and C for the other vertices and heights h = |x|^2 - w + w_a,

    area = det(B, C),   e in conflict  <=>  h_e area + e_x (b_y h_c - c_y h_b)
                                                     + e_y (c_x h_b - b_x h_c) < 0.

With coordinate differences up to L in the cell and M to e, and heights up to H and K (weights
included), rounding contributes at most 32 u (2 L^2 K + 4 M L H) to that value and 16 u 2 L^2 to
the area, u = 2^-53; whatever is not larger is decided by the exact predicates.
"""

from __future__ import annotations

import numba
import numpy as np

from granum.compile import inner_kernel, kernel, parallel_kernel
from granum.geometry.check3 import BLOCK, TURNED, asks, touch_cells
from granum.geometry.estimates import U
from granum.geometry.predicates import conflict2d, orient2d
from granum.geometry.tetrahedra import INFINITE, TOP, UNUSED
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


@inner_kernel
def _finite_flags(p, w, V, N, touched, cell):
    """Return the flags of a finite cell; see the same function in space."""
    a, b, c = np.uint64(V[cell, 0]), np.uint64(V[cell, 1]), np.uint64(V[cell, 2])
    ax, ay, wa = p[a, 0], p[a, 1], w[a]
    bx, by = p[b, 0] - ax, p[b, 1] - ay
    cx, cy = p[c, 0] - ax, p[c, 1] - ay
    area = bx * cy - by * cx
    L = max(abs(bx), abs(by), abs(cx), abs(cy))
    if area <= 32.0 * U * L * L and orient_cell(p, V, cell) <= 0:
        return TURNED
    hb = bx * bx + by * by + (wa - w[b])
    hc = cx * cx + cy * cy + (wa - w[c])
    gx, gy = by * hc - cy * hb, cx * hb - bx * hc
    H = 2.0 * L * L + abs(wa) + max(abs(w[b]), abs(w[c]))
    flags = 0
    for f in range(3):
        mate = np.uint64(N[cell, f])
        other = V[mate >> np.uint64(2), mate & np.uint64(3)]
        if other == INFINITE:
            continue
        e = np.uint64(other)
        ex, ey = p[e, 0] - ax, p[e, 1] - ay
        M = max(abs(ex), abs(ey))
        K = 2.0 * M * M + abs(wa) + abs(w[e])
        he = ex * ex + ey * ey + (wa - w[e])
        value = he * area + (gx * ex + gy * ey)
        bound = 64.0 * U * L * (L * K + 2.0 * M * H)
        if value <= bound and asks(touched, cell, N[cell, f] >> 2) and (
            value < -bound or in_conflict(p, w, V, cell, np.int64(other))
        ):
            flags |= 1 << f
    return flags


@inner_kernel
def _infinite_flags(p, w, V, N, touched, cell):
    """Return the flags of an infinite cell: hull vertices that are not convex."""
    flags = 0
    for f in range(3):
        mate = N[cell, f]
        if V[cell, f] != INFINITE and asks(touched, cell, mate >> 2) and in_conflict(
            p, w, V, cell, np.int64(V[mate >> 2, mate & 3])
        ):
            flags |= 1 << f
    return flags


@parallel_kernel
def flag_cells(mesh, moved, flags):
    """Write the flags of every cell: 16 if it is not positive, 1 << f if edge f is illegal.

    See the same function in space.
    """
    top = mesh.counts[TOP]
    touched = np.empty(top, dtype=np.bool_)
    touch_cells(mesh, moved, touched)
    p, w, V, N = mesh.points, mesh.weights, mesh.V, mesh.N
    bad = 0
    for block in numba.prange((top + BLOCK - 1) // BLOCK):
        flagged = 0
        for cell in range(block * BLOCK, min((block + 1) * BLOCK, top)):
            if not touched[cell] or V[cell, 0] == UNUSED:
                flags[cell] = 0
            elif (V[cell, 0] | V[cell, 1] | V[cell, 2]) < 0:
                flags[cell] = _infinite_flags(p, w, V, N, touched, cell)
            else:
                flags[cell] = _finite_flags(p, w, V, N, touched, cell)
            if flags[cell] != 0:
                flagged += 1
        bad += flagged
    return bad


@kernel
def is_witnessed(mesh, v):
    """Tell whether the witness of a hidden vertex still hides it: around it and below it."""
    p = mesh.points
    corner = vertices_of(mesh.witness, v)
    a, b, c = corner
    if orient2d(p, a, b, c) <= 0:
        return False
    for k in range(3):
        if orient_with(p, corner, k, v) < 0:
            return False
    return conflict2d(p, mesh.weights, a, b, c, v) < 0


@kernel
def is_same_facet(mesh, c, f, b, g):
    """Tell whether edge g of cell b is edge f of cell c seen from the other side."""
    V = mesh.V
    return V[b, NEXT[g]] == V[c, BEFORE[f]] and V[b, BEFORE[g]] == V[c, NEXT[f]]


@inner_kernel
def _is_left(p, a, b):
    """Tell whether a stands before b in the order of x, then y."""
    return p[a, 0] < p[b, 0] or (p[a, 0] == p[b, 0] and p[a, 1] < p[b, 1])


@kernel
def winding(mesh):
    """Return how often a hull that is convex everywhere winds about its inside: 1 if all is well.

    0 if it turns back on itself somewhere.
    """
    p, V, N = mesh.points, mesh.V, mesh.N
    lowest = 0
    for cell in range(mesh.counts[TOP]):
        if V[cell, 0] == UNUSED or not is_infinite(V, cell):
            continue
        f = place_of(V, cell, INFINITE)
        mate = N[cell, NEXT[f]]  # across the edge from y to infinity, to the hull edge from y on
        x, y = np.int64(V[cell, NEXT[f]]), np.int64(V[cell, BEFORE[f]])
        z = np.int64(V[mate >> 2, mate & 3])
        first, last = _is_left(p, y, x), _is_left(p, y, z)
        if first and last:
            lowest += 1
        if first == last and orient2d(p, x, y, z) == 0:
            return 0
    return lowest

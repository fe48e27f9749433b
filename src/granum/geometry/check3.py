"""Is this still the regular triangulation? Cell by cell, exact, on all threads.

If every finite cell is positive, every facet is locally regular (the vertex on its other side is
not in conflict with the cell), the hull is locally convex *and does not wind twice*, then the
lifted surface is convex: the triangulation is the regular one. Locally convex alone would not do
(K. Mehlhorn et al., Checking geometric programs or verification of geometric structures, Comput.
Geom. 12 (1999) 85): cells that were flipped wrongly can cover a region twice, like a staircase.
Positive cells cover every point as often as the hull winds about it; the hull winds once if all
its facets turn the same side to a point inside and one ray from there meets one facet only.

Orientation and the lifted normal are computed once for a
cell and decide its four facets. With a as origin, rows B, C, D for the other vertices and heights
h = |x|^2 - w + w_a,

    volume = det(B, C, D),   G = h_b C x D + h_c D x B + h_d B x C,
    e in conflict  <=>  h_e volume - G . E < 0.

With coordinate differences up to L in the cell and M to e, and heights up to H and K (weights
included), rounding contributes at most 32 u (6 L^3 K + 18 M L^2 H) to that value and 16 u 6 L^3 to
the volume, u = 2^-53; whatever is not larger is decided by the exact predicates.
"""

from __future__ import annotations

import numba
import numpy as np

from granum.compile import kernel, parallel_kernel
from granum.geometry.predicates import conflict3d
from granum.geometry.tetrahedra import (
    HIDDEN,
    INFINITE,
    TOP,
    UNUSED,
    in_conflict,
    is_infinite,
    orient_with,
    vertices_of,
)

TURNED = 16  # flag of a cell that is not positive; flags 1, 2, 4, 8 are its illegal facets
ROUND = 2.0**-53
BLOCK = 1024  # cells that one task of a thread looks at


@kernel
def orient_cell(p, V, cell):
    """Return the orientation of a finite cell: 1 unless a motion has turned it over."""
    corner = vertices_of(V, cell)
    return orient_with(p, corner, 0, corner[0])


@kernel
def _finite_flags(p, w, V, N, cell):
    """Return the flags of a finite cell.

    The filter looks at all four facets, also those that the neighbour looks at as well: a branch
    that cannot be foreseen costs more. Unsigned indices spare the test for negative ones.
    """
    a, b = np.uint64(V[cell, 0]), np.uint64(V[cell, 1])
    c, d = np.uint64(V[cell, 2]), np.uint64(V[cell, 3])
    ax, ay, az, wa = p[a, 0], p[a, 1], p[a, 2], w[a]
    bx, by, bz = p[b, 0] - ax, p[b, 1] - ay, p[b, 2] - az
    cx, cy, cz = p[c, 0] - ax, p[c, 1] - ay, p[c, 2] - az
    dx, dy, dz = p[d, 0] - ax, p[d, 1] - ay, p[d, 2] - az
    ux, uy, uz = cy * dz - cz * dy, cz * dx - cx * dz, cx * dy - cy * dx
    volume = bx * ux + by * uy + bz * uz
    L = max(abs(bx), abs(by), abs(bz), abs(cx), abs(cy), abs(cz), abs(dx), abs(dy), abs(dz))
    if volume <= 96.0 * ROUND * L * L * L and orient_cell(p, V, cell) <= 0:
        return TURNED
    vx, vy, vz = dy * bz - dz * by, dz * bx - dx * bz, dx * by - dy * bx
    tx, ty, tz = by * cz - bz * cy, bz * cx - bx * cz, bx * cy - by * cx
    hb = bx * bx + by * by + bz * bz + (wa - w[b])
    hc = cx * cx + cy * cy + cz * cz + (wa - w[c])
    hd = dx * dx + dy * dy + dz * dz + (wa - w[d])
    gx, gy = hb * ux + hc * vx + hd * tx, hb * uy + hc * vy + hd * ty
    gz = hb * uz + hc * vz + hd * tz
    H = 3.0 * L * L + abs(wa) + max(abs(w[b]), abs(w[c]), abs(w[d]))
    flags = 0
    for f in range(4):
        mate = np.uint64(N[cell, f])
        other = V[mate >> np.uint64(2), mate & np.uint64(3)]
        if other == INFINITE:
            continue
        e = np.uint64(other)
        ex, ey, ez = p[e, 0] - ax, p[e, 1] - ay, p[e, 2] - az
        M = max(abs(ex), abs(ey), abs(ez))
        K = 3.0 * M * M + abs(wa) + abs(w[e])
        he = ex * ex + ey * ey + ez * ez + (wa - w[e])
        value = he * volume - (gx * ex + gy * ey + gz * ez)
        bound = 192.0 * ROUND * L * L * (L * K + 3.0 * M * H)
        if value <= bound and N[cell, f] >> 2 > cell and (
            value < -bound or in_conflict(p, w, V, cell, np.int64(other))
        ):
            flags |= 1 << f
    return flags


@kernel
def _infinite_flags(p, w, V, N, cell):
    """Return the flags of an infinite cell: hull edges that are not convex."""
    flags = 0
    for f in range(4):
        mate = N[cell, f]
        if V[cell, f] != INFINITE and mate >> 2 > cell and in_conflict(
            p, w, V, cell, np.int64(V[mate >> 2, mate & 3])
        ):
            flags |= 1 << f
    return flags


@parallel_kernel
def flag_cells(mesh, flags):
    """Write the flags of every cell: 16 if it is not positive, 1 << f if facet f is illegal.

    A facet is looked at from the cell with the lower number; returns how many cells are flagged.
    """
    top = mesh.counts[TOP]
    p, w, V, N = mesh.points, mesh.weights, mesh.V, mesh.N
    bad = 0
    for block in numba.prange((top + BLOCK - 1) // BLOCK):
        flagged = 0
        for cell in range(block * BLOCK, min((block + 1) * BLOCK, top)):
            if V[cell, 0] == UNUSED:
                flags[cell] = 0
            elif (V[cell, 0] | V[cell, 1] | V[cell, 2] | V[cell, 3]) < 0:
                flags[cell] = _infinite_flags(p, w, V, N, cell)
            else:
                flags[cell] = _finite_flags(p, w, V, N, cell)
            if flags[cell] != 0:
                flagged += 1
        bad += flagged
    return bad


@kernel
def is_witnessed(mesh, v):
    """Tell whether the witness of a hidden vertex still hides it: around it and below it."""
    p = mesh.points
    corner = vertices_of(mesh.witness, v)
    a, b, c, d = corner
    if orient_with(p, corner, 0, a) <= 0:
        return False
    for k in range(4):
        if orient_with(p, corner, k, v) < 0:
            return False
    return conflict3d(p, mesh.weights, a, b, c, d, v) < 0


@kernel
def count_uncovered(mesh):
    """Return how many hidden vertices are not hidden by their witness any more."""
    uncovered = 0
    for k in range(mesh.counts[HIDDEN]):
        if not is_witnessed(mesh, np.int64(mesh.hidden[k])):
            uncovered += 1
    return uncovered


@kernel
def count_broken_links(mesh):
    """Return how many facets disagree with their mates, and vertices with their homes.

    The three vertices of a facet must be those of its mate, in the opposite sense of rotation.
    """
    V, N = mesh.V, mesh.N
    broken = 0
    for c in range(mesh.counts[TOP]):
        if V[c, 0] != UNUSED:
            for f in range(4):
                b, g = N[c, f] >> 2, N[c, f] & 3
                good = b >= 0 and V[b, 0] != UNUSED and N[b, g] == 4 * c + f
                if not good or not _same_facet(V, c, f, b, g):
                    broken += 1
    for v in range(mesh.home.size):
        c = mesh.home[v]
        if c >= 0 and V[c, 0] != v and V[c, 1] != v and V[c, 2] != v and V[c, 3] != v:
            broken += 1
    return broken


@kernel
def _same_facet(V, c, f, b, g):
    """Tell whether facet g of cell b is facet f of cell c seen from the other side."""
    i, j, k = (f + 1) & 3, (f + 2) & 3, (f + 3) & 3
    if (f + g) & 1 == 0:  # places f + 1, f + 2, f + 3 turn one way for even f, the other for odd f
        i, j = j, i
    x, y, z = V[b, (g + 1) & 3], V[b, (g + 2) & 3], V[b, (g + 3) & 3]
    return (V[c, i], V[c, j], V[c, k]) in ((x, y, z), (y, z, x), (z, x, y))


@kernel
def _inner_point(mesh, o):
    """Put the middle of a finite cell into row o of the points; tells whether it lies inside."""
    p = mesh.points
    for cell in range(mesh.counts[TOP]):
        if mesh.V[cell, 0] == UNUSED:
            continue
        a, b, c, d = vertices_of(mesh.V, cell)
        if (a | b | c | d) >= 0:
            for k in range(3):
                p[o, k] = 0.25 * ((p[a, k] + p[b, k]) + (p[c, k] + p[d, k]))
            inside = 0
            for k in range(4):
                inside += orient_with(p, (a, b, c, d), k, o)
            if inside == 4:
                return True
    return False


@kernel
def _hull_facet(mesh, cell):
    """Return the hull facet of an infinite cell, turned so that the inside is positive."""
    a, b, c, d = vertices_of(mesh.V, cell)
    if a < 0:
        return b, c, d
    if b < 0:
        return a, d, c
    if c < 0:
        return a, b, d
    return a, c, b


@kernel
def winding(mesh, o, q):
    """Return how often the hull winds about a point inside: 1 if all is well.

    0 if it does not turn the same side to the point everywhere; -1 if doubles have no point inside
    a cell, or on a facet, because all points lie in one plane but for rounding.

    Args:
        mesh: the cells.
        o: a spare row of the points; it becomes the point inside.
        q: another; the ray leads through the middle of a facet, or a little beside it.
    """
    p = mesh.points
    if not _inner_point(mesh, o):
        return -1
    aimed = False
    for cell in range(mesh.counts[TOP]):
        if mesh.V[cell, 0] != UNUSED and is_infinite(mesh.V, cell):
            a, b, c = _hull_facet(mesh, cell)
            if orient_with(p, (a, b, c, o), 3, o) <= 0:
                return 0
            if not aimed:
                for k in range(3):
                    p[q, k] = 0.34375 * p[a, k] + 0.34375 * p[b, k] + 0.3125 * p[c, k]
                aimed = _is_met(p, o, q, a, b, c)
    if not aimed:
        return -1
    met = 0
    for cell in range(mesh.counts[TOP]):
        if mesh.V[cell, 0] != UNUSED and is_infinite(mesh.V, cell):
            a, b, c = _hull_facet(mesh, cell)
            if _is_met(p, o, q, a, b, c):
                met += 1
    return met


@kernel
def _is_met(p, o, q, a, b, c):
    """Tell whether the ray from o through q meets facet abc, which has o on its positive side."""
    inside = 0
    for k in range(3):
        inside += orient_with(p, (a, b, c, o), k, q)
    return inside == 3

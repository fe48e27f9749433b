"""Is this still the regular triangulation? Cell by cell, exact, on all threads.

If every finite cell is positive, every facet is locally regular (the vertex on its other side is
not in conflict with the cell), the hull is locally convex *and does not wind twice*, then the
lifted surface is convex: the triangulation is the regular one. Locally convex alone would not do
(K. Mehlhorn et al., Checking geometric programs or verification of geometric structures, Comput.
Geom. 12 (1999) 85): cells that were flipped wrongly can cover a region twice, like a staircase.
Positive cells cover every point as often as the hull winds about it; the hull winds once if all
its facets turn the same side to a point inside and one ray from there meets one facet only.

All finite cells are looked at in doubles first, with a bound of their errors (see
`granum.geometry.planes`); those in doubt are decided by the exact predicates.
"""

from __future__ import annotations

import numba
import numpy as np

from granum.compile import inner_kernel, kernel, parallel_kernel
from granum.geometry.doubled import LANES
from granum.geometry.doubts import settle_facets
from granum.geometry.planes import (
    FACETS,
    MARGIN,
    ROWS,
    VOLUME,
    find_margins,
    gather,
    pack_rows,
)
from granum.geometry.predicates import conflict3d
from granum.geometry.tetrahedra import (
    INFINITE,
    TOP,
    UNUSED,
    in_conflict,
    is_infinite,
    orient_with,
    vertices_of,
)

TURNED = 16  # flag of a cell that is not positive; flags 1, 2, 4, 8 are its illegal facets
BLOCK = 1024  # cells that one task of a thread looks at


@inner_kernel
def touch_cells(mesh, moved, touched):
    """Write which cells have a vertex that has moved.

    ``moved`` begins with two entries that are False, for unused cells and for infinity.
    """
    V, corners = mesh.V, len(mesh.places)
    for cell in range(touched.size):
        found = False
        for f in range(corners):
            found |= moved[V[cell, f] + 2]
        touched[cell] = found


@kernel
def asks(touched, cell, mate):
    """Tell whether a touched cell looks at the facet to its mate, and not the other way round."""
    return mate > cell or not touched[mate]


@inner_kernel
def orient_cell(p, V, cell):
    """Return the orientation of a finite cell: 1 unless a motion has turned it over."""
    corner = vertices_of(V, cell)
    return orient_with(p, corner, 0, corner[0])


@inner_kernel
def _infinite_flags(p, w, V, N, touched, cell):
    """Return the flags of an infinite cell: hull edges that are not convex; 0 if unused."""
    flags = 0
    if V[cell, 0] == UNUSED:
        return flags
    for f in range(4):
        mate = N[cell, f]
        if V[cell, f] != INFINITE and asks(touched, cell, mate >> 2) and in_conflict(
            p, w, V, cell, np.int64(V[mate >> 2, mate & 3])
        ):
            flags |= 1 << f
    return flags


@inner_kernel
def _list_doubtful(p, V, s, behind, cells, lanes, which, todo, number, flags):
    """Flag the gathered cells that have turned over, and list the facets of others in doubt.

    Which cells and facets these are is hard to foresee: they are listed without a branch. Returns
    how many facets are in the list.
    """
    find_margins(s)
    doubtful = 0
    for k in range(lanes):
        flags[cells[k]] = 0
        which[doubtful] = k
        doubtful += int(not s[MARGIN + k] > 0.0)
    for m in range(doubtful):
        k = which[m]
        if not s[VOLUME + k] > 0.0 and orient_cell(p, V, cells[k]) <= 0:
            flags[cells[k]] = TURNED
            continue
        for f in range(4):
            e = behind[4 * k + f]
            todo[number, 0], todo[number, 1] = 4 * cells[k] + f, e
            number += int(not s[FACETS + f * LANES + k] > 0.0) & int(e >= 0)
    return number


@inner_kernel
def _flag_block(p, w, V, N, touched, rows, first, last, flags):
    """Write the flags of the cells from ``first`` to ``last``; returns how many are not 0.

    Where a cell does not ask about a facet, the vertex behind it is none.
    """
    s, which = np.zeros(ROWS * LANES), np.empty(LANES, dtype=np.int64)
    cells, behind = np.empty(LANES, dtype=np.int64), np.empty(4 * LANES, dtype=np.int64)
    todo = np.empty((4 * (last - first) + 1, 2), dtype=np.int64)
    lanes = number = 0
    for cell in range(first, last):
        if not touched[cell]:
            flags[cell] = 0
        elif (V[cell, 0] | V[cell, 1] | V[cell, 2] | V[cell, 3]) >= 0:
            cells[lanes] = cell
            for f in range(4):
                mate = np.uint64(N[cell, f])
                b = mate >> np.uint64(2)
                is_asked = asks(touched, cell, np.int64(b))
                e = np.int64(V[b, mate & np.uint64(3)]) if is_asked else INFINITE
                behind[4 * lanes + f] = e
                gather(rows, s, f, lanes, V[cell, f])
                gather(rows, s, 4 + f, lanes, e)
            lanes += 1
        else:
            flags[cell] = _infinite_flags(p, w, V, N, touched, cell)
        if lanes == LANES or cell == last - 1:
            number = _list_doubtful(p, V, s, behind, cells, lanes, which, todo, number, flags)
            lanes = 0
    settle_facets(V, rows, todo, number, flags)
    return np.count_nonzero(flags[first:last])


@parallel_kernel
def flag_cells(mesh, moved, flags):
    """Write the flags of every cell: 16 if it is not positive, 1 << f if facet f is illegal.

    All that vertices at rest make up is taken to be right. Returns how many cells are flagged.

    Args:
        mesh: with the vertices where they are now.
        moved: (vertices + 2,) which have moved since all was right, as `touch_cells` needs it.
        flags: written.
    """
    top = mesh.counts[TOP]
    touched = np.empty(top, dtype=np.bool_)
    touch_cells(mesh, moved, touched)
    p, w, V, N = mesh.points, mesh.weights, mesh.V, mesh.N
    rows = np.empty((w.size + 1, 4))
    pack_rows(p, w, rows)
    bad = 0
    for block in numba.prange((top + BLOCK - 1) // BLOCK):
        last = min((block + 1) * BLOCK, top)
        bad += _flag_block(p, w, V, N, touched, rows, block * BLOCK, last, flags)
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
def is_same_facet(mesh, c, f, b, g):
    """Tell whether facet g of cell b is facet f of cell c seen from the other side."""
    V = mesh.V
    i, j, k = (f + 1) & 3, (f + 2) & 3, (f + 3) & 3
    if (f + g) & 1 == 0:  # places f + 1, f + 2, f + 3 turn one way for even f, the other for odd f
        i, j = j, i
    x, y, z = V[b, (g + 1) & 3], V[b, (g + 2) & 3], V[b, (g + 3) & 3]
    return (V[c, i], V[c, j], V[c, k]) in ((x, y, z), (y, z, x), (z, x, y))


@inner_kernel
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


@inner_kernel
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
def winding(mesh):
    """Return how often the hull winds about a point inside: 1 if all is well.

    0 if it does not turn the same side to the point everywhere; -1 if doubles have no point inside
    a cell, or on a facet, because all points lie in one plane but for rounding.

    The last two rows of the points are spare: o becomes the point inside, and the ray from there
    leads through q, in the middle of a facet or a little beside it.
    """
    p = mesh.points
    o, q = p.shape[0] - 2, p.shape[0] - 1
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


@inner_kernel
def _is_met(p, o, q, a, b, c):
    """Tell whether the ray from o through q meets facet abc, which has o on its positive side."""
    corner = (a, b, c, o)
    return (orient_with(p, corner, 0, q) > 0 and orient_with(p, corner, 1, q) > 0
            and orient_with(p, corner, 2, q) > 0)

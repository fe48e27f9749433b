"""Removal: the hole that a vertex leaves is filled from its own boundary.

The cells of the regular triangulation without the vertex that fill its star have all their
vertices on the link. Each is found from a facet of the hole: among the link's vertices on the inner
side of the facet, the one whose sphere through it has none of the others in conflict (gift
wrapping; ties fall as everywhere by the perturbation of the weights, so the filling is consistent
and unique). Where no vertex lies on the inner side, the facet belongs to the hull and the cell is
infinite. Every infinite cell has a finite facet, so filling from finite facets reaches them all.

In the plane, facets are edges and spheres circles.
"""

from __future__ import annotations

import numpy as np

from granum.compile import inner_kernel, kernel
from granum.geometry import remove2, remove3
from granum.geometry.either import either
from granum.geometry.tetrahedra import (
    ABSENT,
    DONE,
    FLAT,
    LAST,
    LIVE,
    LOST,
    NEW,
    NO_ROOM,
    OLD,
    is_finite,
    take_cell,
)

ROOM = 64  # cells that must be free besides twice the star's; a hole that needs more is LOST

_list_star = either(remove2.list_star, remove3.list_star)
_open_hole = either(remove2.open_hole, remove3.open_hole)
_apex = either(remove2.apex, remove3.apex)
_join = either(remove2.join, remove3.join)


@inner_kernel
def _is_finite_facet(mesh, hole, k):
    """Tell whether the facet in row k of the hole has finite vertices only."""
    lowest = hole[k, 0]
    for i in range(1, len(mesh.places) - 1):
        lowest = min(lowest, hole[k, i])
    return lowest >= 0


@inner_kernel
def _fill(mesh, link, vertices, hole, number):
    """Fill the hole; the cells are listed in ``new``. Returns whether it could be closed."""
    top = len(mesh.places) - 1
    room = min(mesh.V.shape[0] - mesh.counts[LIVE], mesh.new.size)
    cells = 0
    while number > 0:
        k = number - 1
        while k >= 0 and not _is_finite_facet(mesh, hole, k):
            k -= 1
        if k < 0 or cells == room:
            return False
        cell = np.int64(take_cell(mesh.N, mesh.counts))
        mesh.new[cells] = cell
        cells += 1
        for i in range(top):
            mesh.V[cell, i] = hole[k, i]
            mesh.home[hole[k, i]] = cell
        x = _apex(mesh, cell, link, vertices)
        mesh.V[cell, top] = x
        if x >= 0:
            mesh.home[x] = cell
        mesh.counts[LAST] = cell
        for f in range(top, -1, -1):
            number = _join(mesh, cell, f, hole, number)
            if number > hole.shape[0]:
                return False
    mesh.counts[NEW] = cells
    return True


@inner_kernel
def _has_finite(mesh):
    """Tell whether a finite cell is left among the new ones and their neighbours."""
    for k in range(mesh.counts[NEW]):
        c = mesh.new[k]
        if is_finite(mesh, c):
            return True
        for f in range(len(mesh.places)):
            if is_finite(mesh, mesh.N[c, f] >> 2):
                return True
    return False


@kernel
def unlink(mesh, v, link, hole):
    """Remove the visible vertex v, but leave its cells in the list ``old``.

    Args:
        mesh: the triangulation.
        v: the vertex.
        link: (n,) scratch.
        hole: (k,4) scratch for the facets of a hole; in the plane three columns are used.

    Returns:
        DONE; NO_ROOM with nothing changed; FLAT or LOST: the mesh must be built anew.
    """
    mesh.counts[NEW] = 0
    _list_star(mesh, v)
    cells = mesh.counts[OLD]
    if mesh.counts[LIVE] + 2 * cells + ROOM > mesh.V.shape[0] or 4 * cells + ROOM > hole.shape[0]:
        mesh.counts[OLD] = 0
        return NO_ROOM
    vertices = _open_hole(mesh, v, link, hole)
    mesh.home[v] = ABSENT
    if not _fill(mesh, link, vertices, hole, cells):
        return LOST
    return DONE if _has_finite(mesh) else FLAT


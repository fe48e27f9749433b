"""Is this still a triangulation, and what is hidden hidden? What is the same in plane and space.

Whether it is the regular one is asked by `granum.geometry.check2` and `granum.geometry.check3`.
"""

from __future__ import annotations

import numpy as np

from granum.compile import kernel
from granum.geometry import check2, check3
from granum.geometry.either import either
from granum.geometry.tetrahedra import HIDDEN, TOP, UNUSED

flag_cells = either(check2.flag_cells, check3.flag_cells)
winding = either(check2.winding, check3.winding)
is_witnessed = either(check2.is_witnessed, check3.is_witnessed)
_is_same_facet = either(check2.is_same_facet, check3.is_same_facet)


@kernel
def find_moved(points, weights, now, weights_now, moved):
    """Write which vertices have another position or weight than before."""
    for v in range(points.shape[0]):
        differs = weights[v] != weights_now[v]
        for k in range(points.shape[1]):
            differs |= points[v, k] != now[v, k]
        moved[v] = differs


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

    The vertices of a facet must be those of its mate, in the opposite sense of rotation.
    """
    V, N, corners = mesh.V, mesh.N, len(mesh.places)
    broken = 0
    for c in range(mesh.counts[TOP]):
        if V[c, 0] != UNUSED:
            for f in range(corners):
                b, g = N[c, f] >> 2, N[c, f] & 3
                good = b >= 0 and V[b, 0] != UNUSED and N[b, g] == 4 * c + f
                if not good or not _is_same_facet(mesh, c, f, b, g):
                    broken += 1
    for v in range(mesh.home.size):
        found = mesh.home[v] < 0
        for i in range(corners):
            found |= V[max(mesh.home[v], 0), i] == v
        broken += int(not found)
    return broken

"""The first cells of a triangulation, and the way to a cell, in the plane and in space alike."""

from __future__ import annotations

from granum.compile import inner_kernel, kernel
from granum.geometry import build2, build3, tetrahedra, triangles
from granum.geometry.either import either
from granum.geometry.predicates import orient2d, orient3d
from granum.geometry.tetrahedra import FREE, HIDDEN, INFINITE, LAST, LIVE, TOP

insert_all = either(build2.insert_all, build3.insert_all)


@kernel
def _area(mesh):
    """Return the orientation of cell 0."""
    a, b, c = triangles.vertices_of(mesh.V, 0)
    return orient2d(mesh.points, a, b, c)


@kernel
def _volume(mesh):
    """Return the same in space."""
    a, b, c, d = tetrahedra.vertices_of(mesh.V, 0)
    return orient3d(mesh.points, a, b, c, d)


_orient_first = either(_area, _volume)


@inner_kernel
def _place_in(mesh, c, v):
    """Return the place of vertex v in cell c."""
    place = 0
    for i in range(1, len(mesh.places)):
        place = i if mesh.V[c, i] == v else place
    return place


@kernel
def begin(mesh, base):
    """Make the first cells from vertices (d+1,) that span it: theirs, and one beyond each facet."""
    V, N, corners = mesh.V, mesh.N, len(mesh.places)
    for i in range(corners):
        V[0, i] = base[i]
        mesh.home[base[i]] = 0
    if _orient_first(mesh) < 0:
        V[0, 0], V[0, 1] = base[1], base[0]
    for f in range(corners):  # an infinite cell beyond facet f: two vertices swapped, f at infinity
        i, j = (f + 1) % corners, (f + 2) % corners
        for k in range(corners):
            V[f + 1, k] = V[0, k]
        V[f + 1, i], V[f + 1, j] = V[0, j], V[0, i]
        V[f + 1, f] = INFINITE
        N[0, f] = 4 * (f + 1) + f
        N[f + 1, f] = f
    for f in range(corners):
        for k in range(corners):  # the facet without vertex k, k != f, leads to the cell beyond k
            if k != f:
                i = _place_in(mesh, f + 1, V[0, k])
                N[f + 1, i] = 4 * (k + 1) + _place_in(mesh, k + 1, V[0, f])
    mesh.counts[TOP] = corners + 1
    mesh.counts[FREE] = -1
    mesh.counts[LIVE] = corners + 1
    mesh.counts[LAST] = 0
    mesh.counts[HIDDEN] = 0


@kernel
def _locate2(mesh, v):
    """Walk to the cell around vertex v; see ``build2.locate``."""
    return build2.locate(mesh.points, mesh.V, mesh.N, mesh.counts[LAST], v, mesh.V.shape[0])


@kernel
def _locate3(mesh, v):
    """Walk to the cell around vertex v; see ``build3.locate``."""
    return build3.locate(mesh.points, mesh.V, mesh.N, mesh.counts[LAST], v, mesh.V.shape[0])


locate = either(_locate2, _locate3)

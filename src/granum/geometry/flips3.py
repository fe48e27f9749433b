"""The elementary changes of a triangulation: flips on five vertices.

Around facet f of cell c stand five vertices: d = V[c, f], the three of the facet, at places i, j, k
of the cell, and e on the other side. They have two triangulations; a flip changes one into the
other. Write T_k for cell c with e in place k:

- 2-3: the facet goes, edge de comes. Cells T_i, T_j, T_k.
- 3-2: edge ij, which has only three cells, goes. Cells T_i, T_j.
- 4-1: vertex k, which has only four cells, is hidden. Cell T_k.
- 4-4: where i, j, d, e lie in one plane, and with them two more cells on the other side of ij: 2-3
  and 3-2 at once, since T_k between them would be flat. With one of the two other vertices
  infinite this exchanges the diagonal of a quadrilateral in the hull.

The infinite vertex takes part like any other.
"""

from __future__ import annotations

import numpy as np

from granum.compile import inner_kernel, kernel
from granum.geometry.edges import add_edge, drop_edge, find_edge
from granum.geometry.tetrahedra import (
    LAST,
    drop_cell,
    hide,
    place_of,
    take_cell,
    vertices_of,
)


@inner_kernel
def opposite(mesh, c, f):
    """Return the vertex on the other side of facet f of cell c."""
    mate = mesh.N[c, f]
    return np.int64(mesh.V[mate >> 2, mate & 3])


@kernel
def join(mesh, facet, mate):
    """Make two facets, each 4 * cell + facet, mates."""
    mesh.N[facet >> 2, facet & 3] = mate
    mesh.N[mate >> 2, mate & 3] = facet


@inner_kernel
def _settle(mesh, c, a, b, x, y):
    """Write the vertices of a cell and make it their home."""
    V = mesh.V
    V[c, 0], V[c, 1], V[c, 2], V[c, 3] = a, b, x, y
    for i in range(4):
        if V[c, i] >= 0:
            mesh.home[V[c, i]] = c
    mesh.counts[LAST] = c


@inner_kernel
def _settle_with(mesh, c, corner, k, e):
    """Write a cell that has the vertices ``corner``, but e in place k."""
    _settle(mesh, c, e if k == 0 else corner[0], e if k == 1 else corner[1],
            e if k == 2 else corner[2], e if k == 3 else corner[3])


@inner_kernel
def third_cell(mesh, c, f, k):
    """Return the third cell about the edge of facet f that does not meet place k, or -1.

    It exists if the edge has three cells: the two of the facet and this one.
    """
    e = opposite(mesh, c, f)
    b = mesh.N[c, f] >> 2
    t = mesh.N[c, k] >> 2
    if opposite(mesh, c, k) != e or mesh.N[b, place_of(mesh.V, b, mesh.V[c, k])] >> 2 != t:
        return -1
    return t


@inner_kernel
def flip23(mesh, edges, c, f):
    """Replace the two cells at facet f of c by three: T at place f + 1 in c, f + 2, f + 3.

    Returns the cells, in that order.
    """
    N = mesh.N
    mate = np.int64(N[c, f])
    b = mate >> 2
    corner = vertices_of(mesh.V, c)
    d, e = corner[f], np.int64(mesh.V[b, mate & 3])
    i, j, k = (f + 1) & 3, (f + 2) & 3, (f + 3) & 3
    ci, cj, ck = np.int64(N[c, i]), np.int64(N[c, j]), np.int64(N[c, k])
    bi = np.int64(N[b, place_of(mesh.V, b, corner[i])])
    bj = np.int64(N[b, place_of(mesh.V, b, corner[j])])
    bk = np.int64(N[b, place_of(mesh.V, b, corner[k])])
    t = take_cell(mesh.N, mesh.counts)
    _settle_with(mesh, c, corner, i, e)
    _settle_with(mesh, b, corner, j, e)
    _settle_with(mesh, t, corner, k, e)
    join(mesh, 4 * c + i, ci)
    join(mesh, 4 * b + j, cj)
    join(mesh, 4 * t + k, ck)
    join(mesh, 4 * c + f, bi)
    join(mesh, 4 * b + f, bj)
    join(mesh, 4 * t + f, bk)
    join(mesh, 4 * c + j, 4 * b + i)
    join(mesh, 4 * b + k, 4 * t + j)
    join(mesh, 4 * t + i, 4 * c + k)
    if min(d, e) >= 0:
        add_edge(edges, d, e)
    return c, b, t


@inner_kernel
def flip32(mesh, edges, c, f, k):
    """Remove the edge of facet f of c that does not meet place k; ``third_cell`` must exist.

    Of the other two places, the first one's T stands in c afterwards, the second one's in the cell
    that is returned.
    """
    N = mesh.N
    mate = np.int64(N[c, f])
    b = mate >> 2
    t = np.int64(N[c, k]) >> 2
    corner = vertices_of(mesh.V, c)
    e = np.int64(mesh.V[b, mate & 3])
    i = other_place(f, k, 0)
    j = other_place(f, k, 1)
    ci, cj = np.int64(N[c, i]), np.int64(N[c, j])
    bi = np.int64(N[b, place_of(mesh.V, b, corner[i])])
    bj = np.int64(N[b, place_of(mesh.V, b, corner[j])])
    ti = np.int64(N[t, place_of(mesh.V, t, corner[i])])
    tj = np.int64(N[t, place_of(mesh.V, t, corner[j])])
    if min(corner[i], corner[j]) >= 0:
        drop_edge(edges, find_edge(edges, corner[i], corner[j]))
    drop_cell(mesh, t)
    _settle_with(mesh, c, corner, i, e)
    _settle_with(mesh, b, corner, j, e)
    join(mesh, 4 * c + i, ci)  # the facet without e
    join(mesh, 4 * c + f, bi)  # without d
    join(mesh, 4 * c + k, ti)  # without the third vertex of the facet
    join(mesh, 4 * b + j, cj)
    join(mesh, 4 * b + f, bj)
    join(mesh, 4 * b + k, tj)
    join(mesh, 4 * c + j, 4 * b + i)
    return b


@inner_kernel
def other_place(f, k, which):
    """Return the lower (0) or the higher (1) of the two places that are neither f nor k."""
    found = 0
    for i in range(4):
        if i not in (f, k):
            if found == which:
                return i
            found += 1
    return -1


@inner_kernel
def is_four_star(mesh, c, f, k):
    """Tell whether vertex k of cell c has only four cells, all on the vertices around facet f."""
    N, V = mesh.N, mesh.V
    e = opposite(mesh, c, f)
    i, j = other_place(f, k, 0), other_place(f, k, 1)
    if opposite(mesh, c, i) != e or opposite(mesh, c, j) != e:
        return False
    b, s, t = N[c, f] >> 2, N[c, i] >> 2, N[c, j] >> 2
    return (
        N[b, place_of(V, b, V[c, i])] >> 2 == s and N[b, place_of(V, b, V[c, j])] >> 2 == t
        and N[s, place_of(V, s, V[c, j])] >> 2 == t
    )


@inner_kernel
def flip41(mesh, edges, c, f, k):
    """Hide vertex k of cell c, which has four cells on the vertices around facet f; T_k in c."""
    N = mesh.N
    mate = np.int64(N[c, f])
    b = mate >> 2
    corner = vertices_of(mesh.V, c)
    x, e = corner[k], np.int64(mesh.V[b, mate & 3])
    i, j = other_place(f, k, 0), other_place(f, k, 1)
    s, t = np.int64(N[c, i]) >> 2, np.int64(N[c, j]) >> 2
    bx = np.int64(N[b, place_of(mesh.V, b, x)])
    sx = np.int64(N[s, place_of(mesh.V, s, x)])
    tx = np.int64(N[t, place_of(mesh.V, t, x)])
    for v in (corner[i], corner[j], corner[f], e):
        drop_edge(edges, find_edge(edges, x, v))
    drop_cell(mesh, b)
    drop_cell(mesh, s)
    drop_cell(mesh, t)
    _settle_with(mesh, c, corner, k, e)
    join(mesh, 4 * c + f, bx)
    join(mesh, 4 * c + i, sx)
    join(mesh, 4 * c + j, tx)
    hide(mesh, x, c)

"""Tetrahedra as arrays: who the vertices are, who the neighbours are.

The convex hull is closed by one symbolic vertex, INFINITE, so that every facet has two sides and
the cells form a topological sphere. Conventions:

- ``V[c]`` holds the four vertices of cell c, positively oriented; where one of them is INFINITE,
  the cell would be positive with a point beyond its hull facet in that place;
- facet f of cell c lies opposite ``V[c, f]``; its mate, the same facet seen from the other side,
  is ``N[c, f] = 4 * cell + facet``, so ``V.flat[N[c, f]]`` is the vertex on the other side;
- an unused cell has ``V[c, 0] == UNUSED`` and is chained to the next one by ``N[c, 0]``;
- ``home[v]`` is a cell of vertex v, ABSENT, or ``-2 - k`` for a vertex hidden at place k of
  ``hidden``. A vertex is hidden when it has no cell of its own in the power diagram; its
  ``witness``, four points that were present when it was hidden, contains it and lies below it in
  the lifted space. As long as these four are present (visible or themselves hidden) and stay where
  they are, the vertex remains hidden, whatever else comes or goes.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from granum.compile import inner_kernel, kernel, uncounted
from granum.geometry.estimates import vertex_row
from granum.geometry.predicates import conflict2d_in_plane, conflict3d, orient3d
from granum.geometry.settle import settle3d

INFINITE = -1
UNUSED = -2
ABSENT = -1

# Places in ``counts``.
TOP = 0  # cells ever used; those above are untouched
FREE = 1  # first unused cell below TOP, or -1
LIVE = 2  # cells in use
HIDDEN = 3  # hidden vertices
LAST = 4  # a cell in use, where the next walk begins
STAMP = 5  # current value of marks
OLD = 6  # cells listed in ``old``
NEW = 7  # cells listed in ``new``
COUNTS = 8

LARGEST_STAMP = 1 << 29

# What a kernel returns.
DONE = 0
NO_ROOM = 1  # nothing has changed: grow the arrays and call again
LOST = 2  # the cells are no triangulation of these points: build anew
FLAT = 3  # all remaining points lie in one plane: build anew
BLOCKED = 4  # facets are left that cannot be flipped


class Mesh(NamedTuple):
    """The arrays of a triangulation; m is the room for cells, n for vertices."""

    points: NDArray[np.float64]  # (n,3), or (n,2): then cells are triangles, three columns below
    weights: NDArray[np.float64]  # (n,)
    V: NDArray[np.int32]  # (m,4) vertices
    N: NDArray[np.int32]  # (m,4) mates
    mark: NDArray[np.int32]  # (m,) scratch: what was found about a cell, valid for one stamp
    old: NDArray[np.int32]  # (m,) scratch: cells that go
    new: NDArray[np.int32]  # (2 m + 8,) scratch: facets around them, then cells that come
    home: NDArray[np.int32]  # (n,) a cell of each vertex
    vertex_mark: NDArray[np.int32]  # (n,) scratch, like mark
    hidden: NDArray[np.int32]  # (n,) hidden vertices, in the first counts[HIDDEN] places
    witness: NDArray[np.int32]  # (n,4) what hides a vertex
    counts: NDArray[np.int64]  # (COUNTS,)
    places: tuple[int, ...]  # 0 to 3, or to 2: their number is known when a kernel is compiled


def make_mesh(points: NDArray[np.float64], weights: NDArray[np.float64], cells: int) -> Mesh:
    """Return a mesh without cells for ``points`` (n,3) or (n,2), with room for so many ``cells``.

    The arrays of points and weights are used as they are, not copied.
    """
    n, corners = len(points), points.shape[1] + 1
    count = np.zeros(COUNTS, dtype=np.int64)
    count[FREE] = -1
    return Mesh(
        points, weights,
        np.full((cells, corners), UNUSED, dtype=np.int32),
        np.full((cells, corners), -1, dtype=np.int32),
        np.zeros(cells, dtype=np.int32), np.empty(cells, dtype=np.int32),
        np.empty(2 * cells + 8, dtype=np.int32), np.full(n, ABSENT, dtype=np.int32),
        np.zeros(n, dtype=np.int32), np.empty(n, dtype=np.int32),
        np.full((n, corners), ABSENT, dtype=np.int32), count, tuple(range(corners)),
    )


def with_room(mesh: Mesh, cells: int) -> Mesh:
    """Return the same mesh with room for so many ``cells``."""
    top = int(mesh.counts[TOP])
    other = make_mesh(mesh.points, mesh.weights, cells)
    other.V[:top], other.N[:top] = mesh.V[:top], mesh.N[:top]
    other.mark[:top] = mesh.mark[:top]
    return other._replace(home=mesh.home, vertex_mark=mesh.vertex_mark, hidden=mesh.hidden,
                          witness=mesh.witness, counts=mesh.counts)


@inner_kernel
def take_cell(N, count):
    """Return an unused cell; the caller has made sure that there is room."""
    c = count[FREE]
    if c >= 0:
        count[FREE] = N[c, 0]
    else:
        c = count[TOP]
        count[TOP] += 1
    count[LIVE] += 1
    return c


@inner_kernel
def drop_cell(mesh, c):
    """Give a cell back."""
    mesh.V[c, 0] = UNUSED
    mesh.N[c, 0] = mesh.counts[FREE]
    mesh.counts[FREE] = c
    mesh.counts[LIVE] -= 1


@inner_kernel
def drop_old(mesh):
    """Give back all cells of the list ``old``."""
    for k in range(mesh.counts[OLD]):
        drop_cell(mesh, mesh.old[k])
    mesh.counts[OLD] = 0


@inner_kernel
def next_stamp(mesh):
    """Return a stamp that no mark carries yet: all that was marked before is forgotten."""
    if mesh.counts[STAMP] >= LARGEST_STAMP:
        mesh.mark[:] = 0
        mesh.vertex_mark[:] = 0
        mesh.counts[STAMP] = 0
    mesh.counts[STAMP] += 1
    return np.int32(mesh.counts[STAMP])


@inner_kernel
def is_infinite(V, c):
    """Tell whether a cell has the infinite vertex."""
    return (V[c, 0] | V[c, 1] | V[c, 2] | V[c, 3]) < 0


@inner_kernel
def is_finite(mesh, c):
    """Tell whether a cell, of the plane or of space, is in use and not infinite."""
    lowest = mesh.V[c, 0]
    for i in range(1, len(mesh.places)):
        lowest = min(lowest, mesh.V[c, i])
    return lowest >= 0


@inner_kernel
def finite_side(mesh, c, f):
    """Return a facet, cell and facet, as seen from the finite one of its two cells, if any."""
    if is_finite(mesh, c):
        return c, f
    mate = np.int64(mesh.N[c, f])
    return (mate >> 2, mate & 3) if is_finite(mesh, mate >> 2) else (c, f)


@inner_kernel
def place_of(V, c, v):
    """Return the place of vertex v in cell c."""
    return 0 if V[c, 0] == v else 1 if V[c, 1] == v else 2 if V[c, 2] == v else 3


@inner_kernel
def vertices_of(V, c):
    """Return the four vertices of a cell, as the one type of integer that predicates see.

    Numba compiles a function anew for every combination of types, and exact predicates are long.
    """
    return np.int64(V[c, 0]), np.int64(V[c, 1]), np.int64(V[c, 2]), np.int64(V[c, 3])


@inner_kernel
def orient_with(p, corner, k, e):
    """Return the orientation of four vertices with e in place k.

    All that asks on which side of a facet a vertex lies asks here: one place where the exact
    predicate is compiled in.
    """
    a = e if k == 0 else corner[0]
    b = e if k == 1 else corner[1]
    c = e if k == 2 else corner[2]
    d = e if k == 3 else corner[3]
    return orient3d(p, a, b, c, d)


@inner_kernel
def infinite_conflict(p, w, corner, e):
    """Tell whether e conflicts with an infinite cell: beyond its facet, or inside its circle."""
    a, b, c, d = corner
    k = 0 if a < 0 else 1 if b < 0 else 2 if c < 0 else 3
    side = orient_with(p, corner, k, e)
    if side != 0:
        return side > 0
    a = d if k == 0 else a
    b = d if k == 1 else b
    c = d if k == 2 else c
    return conflict2d_in_plane(p, w, a, b, c, e) > 0


@inner_kernel
def in_conflict(p, w, V, cell, e):
    """Tell whether vertex e, not one of the cell's, lies below the cell in the lifted space."""
    corner = vertices_of(V, cell)
    a, b, c, d = corner
    if (a | b | c | d) >= 0:
        return conflict3d(p, w, a, b, c, d, e) > 0
    return infinite_conflict(p, w, corner, e)


@uncounted
def doubtful_conflict(p, w, V, cell, e):
    """Return the same where doubles have left it in doubt, as they do on lattices."""
    corner = vertices_of(V, cell)
    a, b, c, d = corner
    if (a | b | c | d) < 0:
        return infinite_conflict(p, w, corner, e)
    return settle3d(vertex_row(p, w, a), vertex_row(p, w, b), vertex_row(p, w, c),
                    vertex_row(p, w, d), vertex_row(p, w, e), a, b, c, d, e)[0] > 0


@kernel
def hide(mesh, v, cell):
    """List vertex v as hidden, with the vertices of the finite cell around it as witness."""
    k = mesh.counts[HIDDEN]
    mesh.hidden[k] = v
    mesh.home[v] = -2 - k
    for i in range(len(mesh.places)):
        mesh.witness[v, i] = mesh.V[cell, i]
    mesh.counts[HIDDEN] = k + 1


@inner_kernel
def unhide(mesh, v):
    """Take vertex v off the list of hidden ones; it is absent then."""
    k = -2 - mesh.home[v]
    last = mesh.hidden[mesh.counts[HIDDEN] - 1]
    mesh.hidden[k] = last
    mesh.home[last] = -2 - k
    mesh.home[v] = ABSENT
    mesh.counts[HIDDEN] -= 1

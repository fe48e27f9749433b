"""Triangles as arrays: the mesh of `granum.geometry.tetrahedra` with one vertex fewer in a cell.

The conventions are the same: ``V[c]`` holds the three vertices of cell c, counter-clockwise; edge f
lies opposite ``V[c, f]`` and its mate is ``N[c, f] = 4 * cell + edge`` (four, not three, so that a
mate is taken apart by a shift). The hull is closed by the vertex INFINITE; a cell that has it would
be counter-clockwise with a point beyond its hull edge in that place. The witness of a hidden vertex
is a triangle.
"""

from __future__ import annotations

import numpy as np

from granum.compile import inner_kernel
from granum.geometry.predicates import conflict1d, conflict2d, orient2d

NEXT = (1, 2, 0)  # places of a triangle, counter-clockwise
BEFORE = (2, 0, 1)


@inner_kernel
def is_infinite(V, c):
    """Tell whether a cell has the infinite vertex."""
    return (V[c, 0] | V[c, 1] | V[c, 2]) < 0


@inner_kernel
def place_of(V, c, v):
    """Return the place of vertex v in cell c."""
    return 0 if V[c, 0] == v else 1 if V[c, 1] == v else 2


@inner_kernel
def vertices_of(V, c):
    """Return the three vertices of a cell, as the one type of integer that predicates see."""
    return np.int64(V[c, 0]), np.int64(V[c, 1]), np.int64(V[c, 2])


@inner_kernel
def orient_with(p, corner, k, e):
    """Return the orientation of three vertices with e in place k."""
    a = e if k == 0 else corner[0]
    b = e if k == 1 else corner[1]
    c = e if k == 2 else corner[2]
    return orient2d(p, a, b, c)


@inner_kernel
def orient_cell(p, V, cell):
    """Return the orientation of a finite cell: 1 unless a motion has turned it over."""
    a, b, c = vertices_of(V, cell)
    return orient2d(p, a, b, c)


@inner_kernel
def infinite_conflict(p, w, corner, e):
    """Tell whether e conflicts with an infinite cell: beyond its edge, or inside on its line."""
    a, b, c = corner
    k = 0 if a < 0 else 1 if b < 0 else 2
    x = b if k == 0 else c if k == 1 else a
    y = c if k == 0 else a if k == 1 else b
    side = orient2d(p, x, y, e)
    if side != 0:
        return side > 0
    return conflict1d(p, w, x, y, e) > 0


@inner_kernel
def in_conflict(p, w, V, cell, e):
    """Tell whether vertex e, not one of the cell's, lies below the cell in the lifted space."""
    corner = vertices_of(V, cell)
    a, b, c = corner
    if (a | b | c) >= 0:
        return conflict2d(p, w, a, b, c, e) > 0
    return infinite_conflict(p, w, corner, e)

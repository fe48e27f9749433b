"""The hole that a vertex leaves in the plane: its edges, and what stands on them; see remove."""

from __future__ import annotations

import numpy as np

from granum.compile import kernel
from granum.geometry.flips2 import next_about
from granum.geometry.predicates import conflict2d, orient2d
from granum.geometry.tetrahedra import INFINITE, OLD
from granum.geometry.triangles import BEFORE, NEXT, place_of


@kernel
def open_hole(mesh, v, link, hole):
    """List the finite vertices around v, and the edges around it as rows of ``hole``.

    A row is two vertices, the hole on their left, and the mate. Returns the number of vertices.
    """
    vertices = 0
    for k in range(mesh.counts[OLD]):
        c = np.int64(mesh.old[k])
        f = place_of(mesh.V, c, v)
        hole[k, 0], hole[k, 1] = mesh.V[c, NEXT[f]], mesh.V[c, BEFORE[f]]
        hole[k, 2] = mesh.N[c, f]
        if mesh.V[c, NEXT[f]] >= 0:
            link[vertices] = mesh.V[c, NEXT[f]]
            vertices += 1
    return vertices


@kernel
def list_star(mesh, v):
    """List the cells of vertex v in ``old``."""
    first = np.int64(mesh.home[v])
    c, number = first, 0
    while number == 0 or c != first:
        mesh.old[number] = c
        number += 1
        c = next_about(mesh, c, v)
    mesh.counts[OLD] = number


@kernel
def apex(mesh, cell, link, number):
    """Return the vertex that makes a regular cell with the first two of ``cell``, or INFINITE."""
    p, w = mesh.points, mesh.weights
    a, b = np.int64(mesh.V[cell, 0]), np.int64(mesh.V[cell, 1])
    best = np.int64(INFINITE)
    for k in range(number):
        x = np.int64(link[k])
        if x not in (a, b) and orient2d(p, a, b, x) > 0 and (
            best == INFINITE or conflict2d(p, w, a, b, best, x) > 0
        ):
            best = x
    return best


@kernel
def join(mesh, cell, f, hole, number):
    """Join edge f of a new cell with its mate among the open edges, or open it.

    Returns the number of open edges.
    """
    x, y = mesh.V[cell, NEXT[f]], mesh.V[cell, BEFORE[f]]
    for k in range(number - 1, -1, -1):
        if hole[k, 0] == x and hole[k, 1] == y:
            mate = hole[k, 2]
            mesh.N[cell, f] = mate
            mesh.N[mate >> 2, mate & 3] = 4 * cell + f
            for i in range(3):
                hole[k, i] = hole[number - 1, i]
            return number - 1
    if number < hole.shape[0]:
        hole[number, 0], hole[number, 1], hole[number, 2] = y, x, 4 * cell + f
    return number + 1

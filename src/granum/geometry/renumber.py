"""Cells in the order of their vertices in space: what is near is near in memory."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from granum.compile import inner_kernel, kernel
from granum.geometry.tetrahedra import FREE, LAST, LIVE, TOP, UNUSED, Mesh


@kernel
def _sort_cells(mesh, rank, start, place):
    """Write the new number of every cell: by its first vertex in ``rank``, then as before."""
    V = mesh.V
    for c in range(mesh.counts[TOP]):
        if V[c, 0] != UNUSED:
            start[_first(mesh, c, rank) + 1] += 1
    for k in range(start.size - 1):
        start[k + 1] += start[k]
    for c in range(mesh.counts[TOP]):
        if V[c, 0] != UNUSED:
            first = _first(mesh, c, rank)
            place[c] = start[first]
            start[first] += 1


@inner_kernel
def _first(mesh, c, rank):
    """Return the lowest rank of a cell's finite vertices."""
    V, first = mesh.V, rank.size
    for i in range(len(mesh.places)):
        if V[c, i] >= 0:
            first = min(first, rank[V[c, i]])
    return first


@kernel
def _move_cells(mesh, place, V, N):
    """Copy cells to their new places and translate what refers to them."""
    for c in range(mesh.counts[TOP]):
        if mesh.V[c, 0] != UNUSED:
            for i in range(len(mesh.places)):
                V[place[c], i] = mesh.V[c, i]
                N[place[c], i] = 4 * place[mesh.N[c, i] >> 2] + (mesh.N[c, i] & 3)
    for v in range(mesh.home.size):
        if mesh.home[v] >= 0:
            mesh.home[v] = place[mesh.home[v]]


def renumbered(mesh: Mesh, rank: NDArray[np.int32]) -> Mesh:
    """Return the mesh with its cells sorted by the lowest ``rank`` (n,) of their vertices.

    Nothing else changes; no cell is unused between others afterwards.
    """
    place = np.empty(len(mesh.V), dtype=np.int32)
    start = np.zeros(len(rank) + 2, dtype=np.int32)
    V, N = np.full_like(mesh.V, UNUSED), np.full_like(mesh.N, -1)
    _sort_cells(mesh, rank, start, place)
    _move_cells(mesh, place, V, N)
    count = mesh.counts
    count[TOP] = count[LIVE]
    count[FREE] = -1
    count[LAST] = 0
    return mesh._replace(V=V, N=N)

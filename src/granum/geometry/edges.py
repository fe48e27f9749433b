"""Edges in slots that they keep for as long as they live.

A slot names an edge, so that others can keep what belongs to the pair (a contact's history) beside
it. Edges of a vertex are chained in both directions: they are found from the end with fewer edges
and taken out at once, also from a grain with thousands of neighbours. A link is
``2 * slot + side``, where side is the end of the edge that the chain belongs to.

A triangulation of n finite vertices into m cells (infinite ones included) has fewer than n + m
edges (Euler), so room for n + m edges is room enough.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from granum.compile import inner_kernel, kernel
from granum.geometry.tetrahedra import NEW, OLD, TOP, UNUSED, Mesh, next_stamp

# Places in ``counts``.
EDGE_TOP = 0  # slots ever used
EDGE_FREE = 1  # first unused slot below, or -1
EDGE_LIVE = 2  # edges
EDGE_STAMP = 3  # current value of marks


class Edges(NamedTuple):
    """The table of edges; m is the room for edges, n for vertices (without auxiliary ones)."""

    ends: NDArray[np.int32]  # (m,2) the two vertices, the lower first; -1 in an unused slot
    next: NDArray[np.int32]  # (m,2) link to the next edge of either end, or -1
    previous: NDArray[np.int32]  # (m,2) link to the one before, or -1
    mark: NDArray[np.int64]  # (m,) scratch
    head: NDArray[np.int32]  # (n,) link to the first edge of a vertex, or -1
    degree: NDArray[np.int32]  # (n,) edges of a vertex
    counts: NDArray[np.int64]  # (4,)


def make_edges(vertices: int, room: int) -> Edges:
    """Return an empty table for so many ``vertices`` with ``room`` for so many edges."""
    count = np.zeros(4, dtype=np.int64)
    count[EDGE_FREE] = -1
    ends = np.full((room, 2), -1, dtype=np.int32)
    return Edges(ends, ends.copy(), ends.copy(), np.zeros(room, dtype=np.int64),
                 np.full(vertices, -1, dtype=np.int32), np.zeros(vertices, dtype=np.int32), count)


def with_edge_room(edges: Edges, vertices: int, room: int) -> Edges:
    """Return the same table, slots unchanged, for more vertices and with more room."""
    other = make_edges(vertices, room)
    top, n = int(edges.counts[EDGE_TOP]), len(edges.head)
    other.ends[:top], other.next[:top] = edges.ends[:top], edges.next[:top]
    other.previous[:top], other.mark[:top] = edges.previous[:top], edges.mark[:top]
    other.head[:n], other.degree[:n], other.counts[:] = edges.head, edges.degree, edges.counts
    return other


@inner_kernel
def find_edge(edges, i, j):
    """Return the slot of the edge between two vertices, or -1."""
    if edges.degree[j] < edges.degree[i]:
        i, j = j, i
    link = edges.head[i]
    while link >= 0:
        slot, side = link >> 1, link & 1
        if edges.ends[slot, 1 - side] == j:
            return slot
        link = edges.next[slot, side]
    return -1


@inner_kernel
def _chain(edges, v, slot, side):
    """Put one end of an edge at the head of its vertex's chain."""
    first = edges.head[v]
    edges.next[slot, side] = first
    edges.previous[slot, side] = -1
    if first >= 0:
        edges.previous[first >> 1, first & 1] = 2 * slot + side
    edges.head[v] = 2 * slot + side
    edges.degree[v] += 1


@inner_kernel
def _put_edge(edges, slot, low, high):
    """Let an edge live in a slot."""
    edges.ends[slot, 0] = low
    edges.ends[slot, 1] = high
    _chain(edges, low, slot, np.int64(0))
    _chain(edges, high, slot, np.int64(1))


@inner_kernel
def add_edge(edges, i, j):
    """Give the new edge between two vertices a slot and return it."""
    count = edges.counts
    slot = count[EDGE_FREE]
    if slot >= 0:
        count[EDGE_FREE] = edges.next[slot, 0]
    else:
        slot = count[EDGE_TOP]
        count[EDGE_TOP] += 1
    count[EDGE_LIVE] += 1
    _put_edge(edges, slot, min(i, j), max(i, j))
    return slot


@inner_kernel
def _unchain(edges, slot):
    """Take an edge out of the chains of its ends."""
    for side in range(2):
        v = np.int64(edges.ends[slot, side])
        after, before = edges.next[slot, side], edges.previous[slot, side]
        if after >= 0:
            edges.previous[after >> 1, after & 1] = before
        if before >= 0:
            edges.next[before >> 1, before & 1] = after
        else:
            edges.head[v] = after
        edges.degree[v] -= 1
        edges.ends[slot, side] = -1


@inner_kernel
def drop_edge(edges, slot):
    """Take an edge out and free its slot."""
    _unchain(edges, slot)
    edges.next[slot, 0] = edges.counts[EDGE_FREE]
    edges.counts[EDGE_FREE] = slot
    edges.counts[EDGE_LIVE] -= 1


@kernel
def restore_slots(edges, before, top):
    """Bring edges back to the slots they had before, where they went and came again since.

    Args:
        edges: the table.
        before: (m,2) ends of the edges before.
        top: slots in use then.
    """
    moved = False
    for slot in range(top):
        i, j = np.int64(before[slot, 0]), np.int64(before[slot, 1])
        if i < 0 or (edges.ends[slot, 0] == i and edges.ends[slot, 1] == j):
            continue
        other = find_edge(edges, i, j)
        if other < 0:
            continue
        moved = True
        low, high = np.int64(edges.ends[slot, 0]), np.int64(edges.ends[slot, 1])
        _unchain(edges, other)
        if low >= 0:
            _unchain(edges, slot)
            _put_edge(edges, other, low, high)
        _put_edge(edges, slot, i, j)
    if moved:
        edges.counts[EDGE_FREE] = -1
        for slot in range(edges.counts[EDGE_TOP] - 1, -1, -1):
            if edges.ends[slot, 0] < 0:
                edges.next[slot, 0] = edges.counts[EDGE_FREE]
                edges.counts[EDGE_FREE] = slot


@inner_kernel
def exchange_edges(mesh, edges):
    """Follow an exchange of cells: from those listed in ``old`` to those listed in ``new``."""
    V, n, corners = mesh.V, edges.head.size, len(mesh.places)
    edges.counts[EDGE_STAMP] += 1
    stamp = edges.counts[EDGE_STAMP]
    for k in range(mesh.counts[NEW]):
        c = mesh.new[k]
        for a in range(corners - 1):
            for b in range(a + 1, corners):
                i, j = np.int64(V[c, a]), np.int64(V[c, b])
                if min(i, j) >= 0 and max(i, j) < n:
                    slot = find_edge(edges, i, j)
                    if slot < 0:
                        slot = add_edge(edges, i, j)
                    edges.mark[slot] = stamp
    for k in range(mesh.counts[OLD]):
        c = mesh.old[k]
        for a in range(corners - 1):
            for b in range(a + 1, corners):
                i, j = np.int64(V[c, a]), np.int64(V[c, b])
                if min(i, j) >= 0 and max(i, j) < n:
                    slot = find_edge(edges, i, j)
                    if slot >= 0 and edges.mark[slot] != stamp:
                        drop_edge(edges, slot)


@kernel
def _count_upper(mesh, n, start):
    """Count, for every vertex, the edges to higher vertices, once for each cell; then sum up."""
    V, corners = mesh.V, len(mesh.places)
    for c in range(mesh.counts[TOP]):
        if V[c, 0] != UNUSED:
            for a in range(corners - 1):
                for b in range(a + 1, corners):
                    i, j = min(V[c, a], V[c, b]), max(V[c, a], V[c, b])
                    if i >= 0 and j < n:
                        start[i + 1] += 1
    for i in range(n):
        start[i + 1] += start[i]


@kernel
def _list_upper(mesh, n, start, upper):
    """List the higher ends of every vertex's edges, with repetition; ``start`` moves to the end."""
    V, corners = mesh.V, len(mesh.places)
    for c in range(mesh.counts[TOP]):
        if V[c, 0] != UNUSED:
            for a in range(corners - 1):
                for b in range(a + 1, corners):
                    i, j = min(V[c, a], V[c, b]), max(V[c, a], V[c, b])
                    if i >= 0 and j < n:
                        upper[start[i]] = j
                        start[i] += 1


@kernel
def _match(mesh, edges, start, upper):
    """Drop edges that are not listed, add those that are new; the others keep their slots."""
    mark = mesh.vertex_mark
    begin = 0
    for i in range(edges.head.size):
        listed, kept = next_stamp(mesh), next_stamp(mesh)
        for k in range(begin, start[i]):
            mark[upper[k]] = listed
        link = edges.head[i]
        while link >= 0:
            slot = link >> 1
            link = edges.next[slot, link & 1]
            if edges.ends[slot, 0] == i:
                j = edges.ends[slot, 1]
                if mark[j] == listed:
                    mark[j] = kept
                else:
                    drop_edge(edges, slot)
        for k in range(begin, start[i]):
            j = np.int64(upper[k])
            if mark[j] != kept:
                mark[j] = kept
                add_edge(edges, i, j)
        begin = start[i]


def match_edges(mesh: Mesh, edges: Edges) -> None:
    """Make the table hold the edges of the mesh, those that were there before in their slots."""
    n = len(edges.head)
    start = np.zeros(n + 1, dtype=np.int64)
    _count_upper(mesh, n, start)
    upper = np.empty(int(start[n]), dtype=np.int32)
    _list_upper(mesh, n, start, upper)
    _match(mesh, edges, start, upper)


@kernel
def list_edges(edges, v, slots):
    """Write the slots of the edges of vertex v."""
    link = edges.head[v]
    for k in range(slots.size):
        slots[k] = link >> 1
        link = edges.next[link >> 1, link & 1]

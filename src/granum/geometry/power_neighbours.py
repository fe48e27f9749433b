"""The neighbours of each vertex, nearest first, from the edges of a triangulation."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from granum.checks import FloatArray, IntArray
from granum.compile import inner_kernel, kernel


class Neighbours(NamedTuple):
    """The neighbours of each vertex, those of vertex i from ``start[i]`` to ``start[i + 1]``."""

    start: IntArray  # (n+1,)
    vertex: IntArray  # (k,)
    offset: FloatArray  # (k,dim) what to add to its position; (0,dim) if nothing


@inner_kernel
def _sort_by_distance(index, place, distance, first, last):
    """Sort a vertex's neighbours, nearest first (Shell's sort: a large grain has thousands)."""
    gap = 1
    while 3 * gap < last - first:
        gap = 3 * gap + 1
    while gap > 0:
        for k in range(first + gap, last):
            m = k
            while m - gap >= first and distance[m] < distance[m - gap]:
                distance[m], distance[m - gap] = distance[m - gap], distance[m]
                index[m], index[m - gap] = index[m - gap], index[m]
                if place.size > 0:
                    for a in range(place.shape[1]):
                        place[m, a], place[m - gap, a] = place[m - gap, a], place[m, a]
                m -= gap
        gap //= 3


@kernel
def _list(edges, offset, points, start, index, place, distance):
    """List each vertex's neighbours, nearest first; ``start`` holds zeros before.

    Early cuts by near neighbours keep the cell small for the later ones. An edge of a vertex with
    its own image is left out: half a period on either side bounds the cell there.
    """
    n = start.size - 1
    dim = points.shape[1]
    for e in range(edges.shape[0]):
        i, j = edges[e, 0], edges[e, 1]
        if i != j:
            start[i + 1] += 1
            start[j + 1] += 1
    for i in range(n):
        start[i + 1] += start[i]
    for side in range(2):
        for e in range(edges.shape[0]):
            i, j = edges[e, side], edges[e, 1 - side]
            if i == j:
                continue
            k = start[i]
            start[i] += 1
            index[k] = j
            for a in range(dim):
                d = points[j, a] - points[i, a]
                if offset.size > 0:
                    place[k, a] = offset[e, a] if side == 0 else -offset[e, a]
                    d += place[k, a]
                distance[k] += d * d
    for i in range(n, 0, -1):
        start[i] = start[i - 1]
    start[0] = 0
    for i in range(n):
        _sort_by_distance(index, place, distance, start[i], start[i + 1])


def list_neighbours(edges: IntArray, offset: FloatArray, points: FloatArray) -> Neighbours:
    """Return the neighbours of each vertex from the edges, each of which is listed once."""
    n, dim = points.shape
    start = np.zeros(n + 1, dtype=np.int64)
    index = np.empty(2 * len(edges), dtype=np.int64)
    distance = np.zeros(2 * len(edges))
    place = np.empty((2 * len(edges) if len(offset) else 0, dim))
    _list(edges, offset, points, start, index, place, distance)
    return Neighbours(start, index[: start[n]], place[: start[n]])

"""How close two surfaces of triangles come, or one comes to itself.

Two triangles are closest at a corner of one or where sides pass each other, unless a side of one
goes through the other.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from granum.checks import FloatArray, IntArray
from granum.shapes.apart import near_boxes, pierced, points_to_triangles, segments_to_segments

Found = tuple[float, int]  # distance [m], and the number of a vertex near which it is


class Surface(NamedTuple):
    """Triangles with their sides."""

    points: FloatArray  # (n,3) [m]
    sides: IntArray  # (s,2)
    faces: IntArray  # (m,3)


def surface_of(points: FloatArray, faces: IntArray) -> Surface:
    """Return triangles with each of their sides once."""
    both = np.stack([faces, np.roll(faces, -1, axis=1)], axis=-1).reshape(-1, 2)
    return Surface(points, np.unique(np.sort(both, axis=1), axis=0), faces)


def closest(one: Surface, other: Surface, reach: float) -> Found:
    """Return how close two surfaces come, infinity if not within reach [m], and where.

    A vertex is told by its number in the surface to which it belongs. Of the same surface given
    twice, only what has no vertex in common is compared.
    """
    is_same = one is other
    found = [_side_to_side(one, other, reach, is_same)]
    for a, b in ((one, other),) if is_same else ((one, other), (other, one)):
        found += [_point_to_face(a, b, reach, is_same), _side_through_face(a, b, is_same)]
    return min(found)


def _pairs(one: FloatArray, other: FloatArray, reach: float) -> tuple[IntArray, IntArray]:
    """Return pairs of corners (n,k,3) and (m,j,3) of things that may come within reach."""
    return near_boxes(one.min(axis=1), one.max(axis=1), other.min(axis=1), other.max(axis=1), reach)


def _apart(i: IntArray, j: IntArray, one: IntArray, other: IntArray, is_same: bool
           ) -> tuple[IntArray, IntArray]:
    """Return pairs without those that have a vertex in common."""
    if not is_same:
        return i, j
    free = ~(one[i][:, :, None] == other[j][:, None]).any(axis=(1, 2))
    return i[free], j[free]


def _least(distance: FloatArray, vertex: IntArray, reach: float) -> Found:
    if not len(distance) or distance.min() > reach:
        return np.inf, 0
    k = int(distance.argmin())
    return float(distance[k]), int(vertex[k])


def _point_to_face(one: Surface, other: Surface, reach: float, is_same: bool) -> Found:
    corner = other.points[other.faces]
    i, j = _pairs(one.points[:, None], corner, reach)
    i, j = _apart(i, j, np.arange(len(one.points))[:, None], other.faces, is_same)
    return _least(points_to_triangles(one.points[i], corner[j]), i, reach)


def _side_to_side(one: Surface, other: Surface, reach: float, is_same: bool) -> Found:
    mine, theirs = one.points[one.sides], other.points[other.sides]
    i, j = _apart(*_pairs(mine, theirs, reach), one.sides, other.sides, is_same)
    distance, share, _ = segments_to_segments(mine[i, 0], mine[i, 1], theirs[j, 0], theirs[j, 1])
    return _least(distance, one.sides[i, (share > 0.5).astype(np.int64)], reach)


def _side_through_face(one: Surface, other: Surface, is_same: bool) -> Found:
    side, corner = one.points[one.sides], other.points[other.faces]
    i, j = _apart(*_pairs(side, corner, 0.0), one.sides, other.faces, is_same)
    through = pierced(side[i, 0], side[i, 1], corner[j])
    i, j = i[through], j[through]
    ends = [points_to_triangles(side[i, k], corner[j]) for k in (0, 1)]
    return _least(np.zeros(len(i)), one.sides[i, (ends[1] < ends[0]).astype(np.int64)], 0.0)

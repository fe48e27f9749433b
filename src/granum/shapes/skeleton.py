"""Skeletons: points, segments and triangles that a ball is swept over.

The particle Π(S, r) is all points no further than r from the skeleton S (L. Pournin, thesis 3378,
EPFL 2005, section 2.1); where triangles close a surface, what they hold is part of the body. What
cannot be felt is not kept: points inside a convex body, points on a straight line between two
others, and segments that end nowhere new.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import ConvexHull, QhullError

from granum.checks import FloatArray, IntArray
from granum.errors import InputError

FLAT = 1e-7  # distance from a plane or a line, as a share of the size, that is none
FINER = (FLAT, 1e-9, 1e-11)  # the same, where the first joins what does not belong together


class Skeleton(NamedTuple):
    """What a ball is swept over."""

    points: FloatArray  # (n,3) [m]
    edges: IntArray  # (e,2) segments that can be felt
    seams: IntArray  # (s,2) sides of triangles along which two of them lie in one plane
    faces: IntArray  # (m,3) triangles
    closed: NDArray[np.bool_]  # (m,) which triangles bound a solid, seen from outside
    is_convex: bool


def hull(points: FloatArray) -> Skeleton:
    """Return the skeleton of the smallest convex body that holds the points (n,3).

    It is a polyhedron, a flat polygon, a segment or a point.
    """
    middle = points.mean(axis=0)
    size = float(np.linalg.norm(np.ptp(points, axis=0)))
    _, _, axes = np.linalg.svd(points - middle, full_matrices=True)
    extent = np.ptp((points - middle) @ axes.T, axis=0)
    rank = int((extent > FLAT * size).sum()) if size > 0.0 else 0
    if rank == 0:
        return _skeleton(points[:1], [], [])
    if rank == 1:
        along = (points - middle) @ axes[0]
        return _skeleton(points[[int(along.argmin()), int(along.argmax())]], [(0, 1)], [])
    if rank == 2:
        corners = _corners(points, (points - middle) @ axes[:2].T, size)
        return _skeleton(corners, _around(len(corners)), [tuple(range(len(corners)))])
    for tolerance in FINER:
        facets = _facets(points, tolerance * size)
        if facets is not None:
            used = sorted({k for facet in facets for k in facet})
            number = {k: i for i, k in enumerate(used)}
            loops = [tuple(number[k] for k in facet) for facet in facets]
            edges = sorted({(min(a, b), max(a, b)) for loop in loops for a, b in _sides(loop)})
            return _skeleton(points[used], edges, loops, is_closed=True)
    message = "the convex hull of these points has facets too thin to tell apart"
    raise InputError(message)


def _skeleton(points: FloatArray, edges: list, loops: list, is_closed: bool = False) -> Skeleton:
    """Return a convex skeleton; polygons are cut into triangles from their first corner."""
    faces = [(loop[0], loop[k], loop[k + 1]) for loop in loops for k in range(1, len(loop) - 1)]
    seams = [(min(loop[0], loop[k]), max(loop[0], loop[k]))
             for loop in loops for k in range(2, len(loop) - 1)]
    return Skeleton(points + 0.0, pairs(edges), pairs(seams),
                    np.array(faces, dtype=np.int64).reshape(-1, 3),
                    np.full(len(faces), is_closed), True)


def volume_of(x: FloatArray, faces: IntArray) -> float:
    """Return the volume that triangles hold; negative if they are seen from inside."""
    a, b, c = ((x - x.mean(axis=0))[faces[:, k]] for k in range(3))
    return float((a * np.cross(b, c)).sum()) / 6.0


def pairs(rows: list) -> IntArray:
    """Return pairs of numbers as an array, (n,2) also if there are none."""
    return np.array(rows, dtype=np.int64).reshape(-1, 2)


def _sides(loop: tuple[int, ...]) -> list[tuple[int, int]]:
    return list(zip(loop, (*loop[1:], loop[0]), strict=True))


def _around(count: int) -> list[tuple[int, int]]:
    return [(k, k + 1) for k in range(count - 1)] + [(0, count - 1)]


def _corners(points: FloatArray, plane: FloatArray, size: float) -> FloatArray:
    """Return the corners of a flat convex hull, in turn; ``plane`` (n,2): points seen in it."""
    order = ConvexHull(plane).vertices
    return points[order[~straight(plane[order], FLAT * size)]]


def straight(loop: FloatArray, tolerance: float) -> NDArray[np.bool_]:
    """Tell which corners of a closed loop (n,2 or 3) lie on the segment between their neighbours.

    Of several on one segment each is seen against the corners that are left, so a finely cut arc
    is not taken for a line.
    """
    gone = np.zeros(len(loop), dtype=np.bool_)
    for k in range(len(loop)):
        left = np.flatnonzero(~gone)
        place = int(np.searchsorted(left, k))
        a, b = loop[left[place - 1]], loop[left[(place + 1) % len(left)]]
        gone[k] = len(left) > 3 and distance_to_segment(loop[k], a, b) <= tolerance
    return gone


def distance_to_segment(p: FloatArray, a: FloatArray, b: FloatArray) -> float:
    """Return the distance from p to the segment from a to b."""
    way = b - a
    share = np.clip((p - a) @ way / max(float(way @ way), np.finfo(float).tiny), 0.0, 1.0)
    return float(np.linalg.norm(p - a - share * way))


def _facets(points: FloatArray, tolerance: float) -> list[tuple[int, ...]] | None:
    """Return the corners of each facet of the hull, counter-clockwise from outside.

    The corners of a facet are those in its plane, around their middle, so it does not matter how
    the hull was cut into triangles. None: planes that are nearly the same have not all the same
    corners, so that facets do not fit together.
    """
    try:
        found = ConvexHull(points)
    except QhullError as error:
        message = "the convex hull of these points cannot be found: they are nearly flat"
        raise InputError(message) from error
    corner = np.sort(found.vertices)
    height = points[corner] @ found.equations[:, :3].T + found.equations[:, 3]
    planes: dict[tuple[int, ...], FloatArray] = {}
    for k, equation in enumerate(found.equations):
        planes.setdefault(tuple(corner[np.abs(height[:, k]) <= tolerance].tolist()), equation[:3])
    uses = np.bincount([k for plane in planes for k in plane], minlength=len(points))
    facets = [_in_turn(points, [k for k in plane if uses[k] > 2], normal)
              for plane, normal in planes.items()]
    sides = [side for facet in facets for side in _sides(facet)]
    fit = (len(set(sides)) == len(sides) and {(b, a) for a, b in sides} == set(sides)
           and min(map(len, facets)) > 2)
    return facets if fit else None


def _in_turn(points: FloatArray, plane: list[int], normal: FloatArray) -> tuple[int, ...]:
    """Return the corners of a convex polygon counter-clockwise about its normal."""
    middle = points[plane].mean(axis=0)
    across = np.cross(normal, np.eye(3)[int(np.abs(normal).argmin())])
    arms = points[plane] - middle
    angle = np.arctan2(arms @ np.cross(normal, across), arms @ across)
    turn = [plane[k] for k in np.argsort(angle, kind="stable")]
    first = turn.index(min(turn))
    return tuple(turn[first:] + turn[:first])

"""The first edge that goes through a face, among many grains: kernels of `piercing`.

Corners of grains are told as seen from their centres. Edges that are not near the other grain, and
parts of walls that are not near a grain, are left out by boxes around their corners.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from granum.checks import FloatArray, IntArray
from granum.compile import kernel
from granum.geometry.crossings import through_edge, through_triangle
from granum.geometry.simplices import Vector
from granum.shapes import RigidShape
from granum.walls.trees import STACK

BoolArray = NDArray[np.bool_]
NONE = (-1, 0, 0, 0.0)  # nothing goes through anything


class Joined(NamedTuple):
    """What joins the corners of all shapes: of shape s the rows from begin[s] to begin[s + 1]."""

    edges: IntArray  # (e,2)
    edge_begin: IntArray
    faces: IntArray  # (f,3); in the plane the edges once more, their second end twice
    face_begin: IntArray


def joined(shapes: Sequence[RigidShape], dimension: int) -> Joined:
    """Return edges and faces of all shapes."""
    edges = [np.array(shape.edges, dtype=np.int64).reshape(-1, 2) for shape in shapes]
    faces = [edge[:, [0, 1, 1]] for edge in edges] if dimension == 2 else [
        np.array(shape.faces, dtype=np.int64).reshape(-1, 3) for shape in shapes]
    begins = (np.cumsum([0, *map(len, parts)], dtype=np.int64) for parts in (edges, faces))
    edge_begin, face_begin = begins
    return Joined(np.concatenate(edges), edge_begin, np.concatenate(faces), face_begin)


@kernel
def first_pair(i: IntArray, j: IntArray, way: FloatArray, corner: FloatArray, begin: IntArray,
               shape: IntArray, edges: IntArray, edge_begin: IntArray, faces: IntArray,
               face_begin: IntArray, is_flat: bool) -> tuple[int, int, int, float]:
    """Return the first pair that goes through each other: number, edge, face, and share of it.

    If an edge of the second grain goes through the first, the number is that of the pair and all
    pairs more.

    Args:
        i: (m,) first grains.
        j: (m,) second grains.
        way: (m,3) from the centre of the first to that of the second [m].
        corner: (v,3) seen from the centre of its grain [m].
        begin: (n + 1,) of the corners of each grain.
        shape: (n,) of each grain.
        edges: as are the rest: see `Joined`.
        edge_begin: the next.
        faces: the next.
        face_begin: the last.
        is_flat: whether faces are edges of the plane.
    """
    count = i.size
    for m in range(count):
        for side in range(2):
            one, two, sign = (i[m], j[m], 1.0) if side == 0 else (j[m], i[m], -1.0)
            shift = sign * way[m, 0], sign * way[m, 1], sign * way[m, 2]
            low, high = box_around(corner, begin[two], begin[two + 1], shift)
            for e in range(edge_begin[shape[one]], edge_begin[shape[one] + 1]):
                a = at(corner, begin[one] + edges[e, 0])
                b = at(corner, begin[one] + edges[e, 1])
                if not meets(a, b, low, high):
                    continue
                for f in range(face_begin[shape[two]], face_begin[shape[two] + 1]):
                    x = shifted(corner, begin[two] + faces[f, 0], shift)
                    y = shifted(corner, begin[two] + faces[f, 1], shift)
                    if is_flat:
                        t = through_edge(a, b, x, y)
                    else:
                        z = shifted(corner, begin[two] + faces[f, 2], shift)
                        t = through_triangle(a, b, x, y, z)
                    if t >= 0.0:
                        return (m + side * count, e - edge_begin[shape[one]],
                                f - face_begin[shape[two]], t)
    return NONE


@kernel
def first_at_wall(corner: FloatArray, begin: IntArray, shape: IntArray, parts: IntArray,
                  part_begin: IntArray, root: int, box: FloatArray, child: IntArray,
                  is_leaf: BoolArray, piece: IntArray, counts: BoolArray, data: FloatArray,
                  is_rim: bool) -> tuple[int, int, int, float]:
    """Return the first grain that goes through a wall: its place, edge, face, and share of it.

    Of one grain, it is the lowest edge and then the lowest face; one of them is a piece of the
    wall.

    Args:
        corner: (v,3) where corners are in the frame of the wall [m].
        begin: (n + 1,) of the corners of each grain.
        shape: (n,) of each grain.
        parts: (p,2) edges of the shapes, or (p,3) faces: see `Joined`.
        part_begin: of each shape.
        root: number of the box around the wall.
        box: as are the next three: see `Trees`.
        child: the next.
        is_leaf: the next.
        piece: the last.
        counts: (w,) which pieces are asked.
        data: (w,9) corners of triangles, or ends of rims.
        is_rim: whether pieces are rims, which may go through faces of grains.
    """
    waiting = np.empty(STACK, dtype=np.int64)
    for g in range(begin.size - 1):
        low, high = box_around(corner, begin[g], begin[g + 1], (0.0, 0.0, 0.0))
        best = NONE
        waiting[0] = root
        count = 1
        while count > 0:
            count -= 1
            k = waiting[count]
            if not meets((box[k, 0], box[k, 1], box[k, 2]), (box[k, 3], box[k, 4], box[k, 5]),
                          low, high):
                continue
            for c in range(child[k, 0], child[k, 1]):
                if not is_leaf[k]:
                    waiting[count] = c
                    count += 1
                    continue
                w = piece[c]
                if not counts[w]:
                    continue
                for p in range(part_begin[shape[g]], part_begin[shape[g] + 1]):
                    a = at(corner, begin[g] + parts[p, 0])
                    b = at(corner, begin[g] + parts[p, 1])
                    x, y = _point(data, w, 0), _point(data, w, 3)
                    if is_rim:
                        t = through_triangle(x, y, a, b, at(corner, begin[g] + parts[p, -1]))
                        edge, face = w, p
                    else:
                        t = through_triangle(a, b, x, y, _point(data, w, 6))
                        edge, face = p, w
                    if t >= 0.0 and (best[0] < 0 or (edge, face) < (best[1], best[2])):
                        best = g, edge, face, t
        if best[0] >= 0:
            return best
    return NONE


@kernel
def at(corner: FloatArray, k: int) -> Vector:
    """Return where corner k is."""
    return corner[k, 0], corner[k, 1], corner[k, 2]


@kernel
def shifted(corner: FloatArray, k: int, shift: Vector) -> Vector:
    """Return where corner k is, seen from another grain."""
    return corner[k, 0] + shift[0], corner[k, 1] + shift[1], corner[k, 2] + shift[2]


@kernel
def _point(data: FloatArray, w: int, c: int) -> Vector:
    return data[w, c], data[w, c + 1], data[w, c + 2]


@kernel
def box_around(corner: FloatArray, first: int, end: int, shift: Vector) -> tuple[Vector, Vector]:
    """Return the low and the high corner of the box around corners."""
    low = high = shifted(corner, first, shift)
    for k in range(first + 1, end):
        x, y, z = shifted(corner, k, shift)
        low = min(low[0], x), min(low[1], y), min(low[2], z)
        high = max(high[0], x), max(high[1], y), max(high[2], z)
    return low, high


@kernel
def meets(a: Vector, b: Vector, low: Vector, high: Vector) -> bool:
    """Tell whether the box with the corners a and b meets another one."""
    return (max(a[0], b[0]) >= low[0] and min(a[0], b[0]) <= high[0]
            and max(a[1], b[1]) >= low[1] and min(a[1], b[1]) <= high[1]
            and max(a[2], b[2]) >= low[2] and min(a[2], b[2]) <= high[2])

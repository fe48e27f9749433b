"""What is next to what in a skeleton of points, segments and triangles, as flat arrays.

A simplex s counts c(s) times, so that any convex patch of a skeleton counts once in all (Euler):

    c(s) = 1 - Σ c(t)   over the simplices t that contain s and are not s

A simplex that is in no other one counts 1; of a closed surface each face counts 1, each edge -1,
each vertex 1; of the outline of a polygon each edge 1, each vertex -1; of a free segment the ends
count 0. See `features` for the use of it.
"""

from __future__ import annotations

from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from granum.checks import FloatArray, IntArray
from granum.geometry.simplices import FIRST, SECOND, THIRD
from granum.shapes.rigid import RigidShape

CORNERS = (FIRST, SECOND, THIRD)

Lists = dict[int, list[tuple[int, int]]]


class Skeleton(NamedTuple):
    """A skeleton's simplices and who is next to whom; vertices as in the shape.

    The vertices of an edge and of a face are in the order of their numbers: an edge and the faces
    that have it as a side then find the closest point on it by the same arithmetic.

    Neighbours of vertex v are at places ``start[v]`` to ``start[v + 1]`` of a list. A part is what
    `granum.geometry.simplices` calls the sub-simplex, seen from the one that contains it.
    """

    vertex_count: FloatArray  # (v,) how often each vertex counts, c
    edge: IntArray  # (e,2) vertices, of the shape's edges and then of its seams
    edge_count: FloatArray  # (e,) c
    crosses: NDArray[np.bool_]  # (e,) whether another edge may lie across: no seam, not hollow
    face: IntArray  # (f,3) vertices; each counts once
    edge_start: IntArray  # (e+1,) faces at an edge
    edge_face: IntArray
    edge_part: IntArray  # which side of that face the edge is: 3, 5 or 6
    corner_start: IntArray  # (v+1,) edges at a vertex
    corner_edge: IntArray
    corner_part: IntArray  # which end of that edge the vertex is: 1 or 2
    tip_start: IntArray  # (v+1,) faces at a vertex
    tip_face: IntArray
    tip_part: IntArray  # which corner of that face the vertex is: 1, 2 or 4


def skeleton_of(shape: RigidShape, dimension: int) -> Skeleton:
    """Return the skeleton of a shape; in a 2D world no edge crosses another."""
    points = np.array(shape.points)
    edge = np.array(shape.sides, dtype=np.int64).reshape(-1, 2)
    turned = np.array(shape.faces, dtype=np.int64).reshape(-1, 3)
    face = np.sort(turned, axis=1)
    number = {frozenset(ends): k for k, ends in enumerate(edge.tolist())}
    at_edge: Lists = {k: [] for k in range(len(edge))}
    at_corner: Lists = {k: [] for k in range(len(points))}
    at_tip: Lists = {k: [] for k in range(len(points))}
    for k, corners in enumerate(face.tolist()):
        for (v, bit), (w, other) in combinations(zip(corners, CORNERS, strict=True), 2):
            at_edge[number[frozenset((v, w))]].append((k, bit + other))
        for v, bit in zip(corners, CORNERS, strict=True):
            at_tip[v].append((k, bit))
    for k, (v, w) in enumerate(edge.tolist()):
        at_corner[v].append((k, FIRST))
        at_corner[w].append((k, SECOND))
    edge_count = np.array([1.0 - len(faces) for faces in at_edge.values()])
    vertex_count = np.array([
        1.0 - len(at_tip[v]) - sum(edge_count[k] for k, _ in at_corner[v])
        for v in range(len(points))])
    crosses = ~_is_hollow(points, edge, turned, at_edge)
    crosses[len(shape.edges) if dimension == 3 else 0:] = False
    return Skeleton(vertex_count, edge, edge_count, crosses, face, *_flat(at_edge),
                    *_flat(at_corner), *_flat(at_tip))


def _flat(lists: Lists) -> tuple[IntArray, IntArray, IntArray]:
    """Return where each list starts, and the lists one after the other."""
    start = np.cumsum([0, *(len(one) for one in lists.values())])
    pairs = np.array([pair for one in lists.values() for pair in one], dtype=np.int64)
    pairs = pairs.reshape(-1, 2)
    return start.astype(np.int64), pairs[:, 0].copy(), pairs[:, 1].copy()


def _is_hollow(points: FloatArray, edge: IntArray, face: IntArray,
               at_edge: Lists) -> NDArray[np.bool_]:
    """Tell for each edge of a solid whether its faces rise over each other.

    What would lie across such an edge touches the faces first. Where faces bound no solid, both
    sides of a fold are outside, and none is hollow.
    """
    is_hollow = np.zeros(len(edge), dtype=np.bool_)
    if not all(len(faces) == 2 for faces in at_edge.values()):
        return is_hollow
    for k, ((f, _), (g, _)) in at_edge.items():
        beyond = next(v for v in face[g] if v not in edge[k])
        a, b, c = points[face[f]]
        is_hollow[k] = (points[beyond] - a) @ np.cross(b - a, c - a) > 0.0
    return is_hollow

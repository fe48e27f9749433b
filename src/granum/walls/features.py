"""From a surface of triangles to pieces: faces, edges and corners, each a feature of its own.

A grain touches a surface where the distance from its centre has a local minimum: in a face whose
foot it has, on an edge if the centre is beyond none of the faces there, at a corner if it is beyond
none of the edges there (the normal cones of the features). So

- on a flat surface of many triangles a grain meets one face, wherever it is;
- where two faces meet in an edge that sticks out, it meets face, edge or face, exactly one, with
  distance and normal continuous from one to the next; likewise at corners;
- where two faces meet in an inner edge, it meets both faces, and the edge never.

Features know no more than the numbers by which they part space, and neighbours are given the same
numbers, so that rounding cannot make a centre belong to two of them, or to none. Across edges that
are flat (to `FLAT`) both faces get the same plane, the one that halves their angle, and the edge is
no piece; it is one elsewhere. With a surface that is met from one side, edges that do not stick out
on that side are no pieces, either.

The normal of an edge is the mean of those of its faces; that of a corner is their mean, weighted by
angle. A point is outside a closed surface if it lies on the side of the normal of its closest
feature (J. A. Baerentzen, H. Aanaes, "Signed distance computation using the angle weighted
pseudonormal", IEEE Trans. Vis. Comput. Graph. 11, 2005).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from granum.checks import FloatArray, IntArray
from granum.meshes import Surface
from granum.walls.piece import (
    CORNER,
    CORNER_COUNT,
    CORNER_EDGES,
    CORNER_NORMAL,
    CORNER_ONE_SIDED,
    EDGE,
    EDGE_ALONG,
    EDGE_COUNT,
    EDGE_END,
    EDGE_FACES,
    EDGE_NORMAL,
    ROW,
    TRI_ANCHOR,
    TRI_INWARDS,
    TRI_NORMAL,
    TRI_ONE_SIDED,
    TRIANGLE,
    Piece,
)

FLAT = 1e-6
"""Bend [rad] up to which two faces are one."""

STRAIGHT = 1e-9
"""Bend [rad] up to which two edges are one line, without a corner between them."""


class _Parts(NamedTuple):
    """What features are made of."""

    surface: Surface
    normal: FloatArray  # (m, 3) of faces
    along: FloatArray  # (e, 3) unit direction of edges, from the lower end to the higher
    inwards: FloatArray  # (m, 3, 3) into each face across each of its edges
    by_edge: IntArray  # (3 m,) sides of faces (3 face + k), edge by edge
    begin: IntArray  # (e + 1,) where those of each edge begin
    is_flat: NDArray[np.bool_]  # (e,)
    is_outer: NDArray[np.bool_]  # (e,) it sticks out on the side of the normals


def make_features(surface: Surface, one_sided: bool) -> list[Piece]:
    """Return all pieces of a surface whose vertices are in metres: faces, edges, corners."""
    parts = _take_apart(surface)
    counts = ~parts.is_flat & (parts.is_outer | (not one_sided))
    return [*_faces(parts, one_sided), *_edges(parts, counts),
            *_corners(parts, counts, one_sided)]


def _unit(vectors: FloatArray) -> FloatArray:
    return np.asarray(vectors / np.linalg.norm(vectors, axis=-1, keepdims=True))


def _take_apart(surface: Surface) -> _Parts:
    vertices, faces, edges, face_edge = surface
    corner = vertices[faces]
    normal = _unit(np.cross(corner[:, 1] - corner[:, 0], corner[:, 2] - corner[:, 0]))
    along = _unit(vertices[edges[:, 1]] - vertices[edges[:, 0]])
    runs = np.where(faces < np.roll(faces, -1, axis=1), 1.0, -1.0)
    inwards = _unit(runs[:, :, None] * np.cross(normal[:, None, :], along[face_edge]))
    by_edge = np.argsort(face_edge.ravel(), kind="stable")
    begin = np.concatenate([[0], np.cumsum(surface.uses)])
    is_flat = np.zeros(len(edges), dtype=np.bool_)
    is_outer = np.ones(len(edges), dtype=np.bool_)
    pair = np.flatnonzero(surface.uses == 2)
    one, other = by_edge[begin[pair]], by_edge[begin[pair] + 1]
    sides = inwards.reshape(-1, 3)
    is_flat[pair] = np.linalg.norm(sides[one] + sides[other], axis=1) < FLAT
    is_outer[pair] = np.einsum("ij,ij->i", sides[other], normal[one // 3]) < 0.0
    flat = is_flat[pair]
    between = _unit(sides[one[flat]] - sides[other[flat]])
    sides[one[flat]], sides[other[flat]] = between, -between
    return _Parts(surface, normal, along, inwards, by_edge, begin, is_flat, is_outer)


def _faces(parts: _Parts, one_sided: bool) -> list[Piece]:
    vertices, faces, edges, face_edge = parts.surface
    rows = np.zeros((len(faces), ROW))
    rows[:, :9] = vertices[faces].reshape(-1, 9)
    rows[:, TRI_NORMAL:TRI_NORMAL + 3] = parts.normal
    rows[:, TRI_ONE_SIDED] = one_sided
    # the corner by which an edge is told: its lower end, the same for both faces
    is_first = edges[face_edge, 0] == faces
    rows[:, TRI_ANCHOR:TRI_ANCHOR + 3] = np.where(is_first, [0, 1, 2], [1, 2, 0])
    rows[:, TRI_INWARDS:TRI_INWARDS + 9] = parts.inwards.reshape(-1, 9)
    return [Piece(TRIANGLE, row, f"triangle {k + 1}") for k, row in enumerate(rows)]


def _edges(parts: _Parts, counts: NDArray[np.bool_]) -> list[Piece]:
    vertices, sides = parts.surface.vertices, parts.inwards.reshape(-1, 3)
    made = []
    for k in np.flatnonzero(counts).tolist():
        first, last = vertices[parts.surface.edges[k]]
        mine = parts.by_edge[parts.begin[k]:parts.begin[k + 1]]
        row = np.zeros(max(ROW, EDGE_FACES + 3 * len(mine)))
        row[:3], row[EDGE_END:EDGE_END + 3] = first, last
        row[EDGE_ALONG:EDGE_ALONG + 3] = parts.along[k]
        row[EDGE_NORMAL:EDGE_NORMAL + 3] = _mean_normal(parts.normal[mine // 3])
        row[EDGE_COUNT] = len(mine)
        row[EDGE_FACES:EDGE_FACES + 3 * len(mine)] = sides[mine].ravel()
        made.append(Piece(EDGE, row, f"edge of triangle {mine[0] // 3 + 1}"))
    return made


def _corners(parts: _Parts, counts: NDArray[np.bool_], one_sided: bool) -> list[Piece]:
    vertices, faces, edges, _ = parts.surface
    ends = edges.ravel()  # of edge k at 2 k and 2 k + 1
    away = np.stack([parts.along, -parts.along], axis=1).reshape(-1, 3)
    by_vertex = np.argsort(ends, kind="stable")
    begin = np.searchsorted(ends[by_vertex], np.arange(len(vertices) + 1))
    normal = _corner_normals(parts)
    first_face = np.full(len(vertices), -1, dtype=np.int64)
    first_face[faces[::-1].ravel()] = np.repeat(np.arange(len(faces))[::-1], 3)
    made = []
    for v in range(len(vertices)):
        mine = by_vertex[begin[v]:begin[v + 1]]
        sharp = away[mine[counts[mine // 2]]]
        if not len(sharp) or (len(sharp) == 2
                              and np.linalg.norm(sharp[0] + sharp[1]) < STRAIGHT):
            continue
        row = np.zeros(max(ROW, CORNER_EDGES + 3 * len(mine)))
        row[:3], row[CORNER_NORMAL:CORNER_NORMAL + 3] = vertices[v], normal[v]
        row[CORNER_ONE_SIDED], row[CORNER_COUNT] = one_sided, len(mine)
        row[CORNER_EDGES:CORNER_EDGES + 3 * len(mine)] = away[mine].ravel()
        made.append(Piece(CORNER, row, f"corner of triangle {first_face[v] + 1}"))
    return made


def _mean_normal(normals: FloatArray) -> FloatArray:
    """Return the unit mean of normals; any of them where they cancel, as on a folded sheet."""
    total = normals.sum(axis=0)
    length = float(np.linalg.norm(total))
    return np.asarray(total / length if length > FLAT else normals[0])


def _corner_normals(parts: _Parts) -> FloatArray:
    """Return the unit mean of the normals at each vertex, weighted by the angles of faces there."""
    vertices, faces, _, _ = parts.surface
    corner = vertices[faces]
    onwards = _unit(np.roll(corner, -1, axis=1) - corner)
    back = -np.roll(onwards, 1, axis=1)
    angle = np.arccos(np.clip(np.einsum("ijk,ijk->ij", onwards, back), -1.0, 1.0))
    total = np.zeros((len(vertices), 3))
    np.add.at(total, faces.ravel(), (angle[:, :, None] * parts.normal[:, None, :]).reshape(-1, 3))
    length = np.linalg.norm(total, axis=1, keepdims=True)
    some = np.zeros((len(vertices), 3))
    some[faces.ravel()] = np.repeat(parts.normal, 3, axis=0)
    return np.asarray(np.where(length > FLAT, total / np.maximum(length, FLAT), some))

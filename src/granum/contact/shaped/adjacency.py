"""What hangs together in a skeleton: where its sides and faces are, and which meet in a vertex.

All shapes of a world stand in one set of tables, each in the frame and the units of its shape (see
`granum.shapes.rigid`), so that one table serves all grains of a shape, however they lie and however
large they are. Ends and corners stand in the order of their numbers.

Each vertex, edge and face has a weight c, such that a point beside the skeleton feels it once,
wherever it is (see `meeting`):

    c(s) = 1 - sum of c(t) over all t that s bounds

so a face counts 1, an edge 1 less the number of its faces, and so on: the numbers of Euler's
formula. Sides of triangles that are no edges of the shape, because the faces beside them lie in one
plane, count as edges here.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from granum.checks import FloatArray
from granum.shapes import RigidShape

RIM = ((0, 1), (1, 2), (0, 2))  # the sides of a face, by its corners


class Adjacency(NamedTuple):
    """Tables of all shapes; the last is a single point, which stands for spheres."""

    vertex: NDArray[np.int64]  # (shapes + 2,) a shape's first vertex
    edge: NDArray[np.int64]  # (shapes + 2,) a shape's first side: its edges, then flat ones
    sharp: NDArray[np.int64]  # (shapes + 1,) how many of its sides are edges
    face: NDArray[np.int64]  # (shapes + 2,) a shape's first face
    ends: NDArray[np.int64]  # (sides, 2) the vertices of a side, as numbers in the shape
    corners: NDArray[np.int64]  # (faces, 3) the vertices of a face
    side: NDArray[np.float64]  # (sides, 8) first end, way to the second, its square, 1 / square
    plane: NDArray[np.float64]  # (faces, 16) normal, and its product with a corner; the same for
                                # the directions in the face away from its three sides
    rim: NDArray[np.uint32]  # (faces, 3) the sides of a face: see `RIM`
    weight: NDArray[np.float64]  # (vertices,) c of a vertex
    spoke_begin: NDArray[np.int64]  # (vertices + 1,) first of the sides that a vertex ends
    spoke: NDArray[np.uint32]  # (ends, 2) the side; which part of it the vertex is
    spoke_weight: NDArray[np.float64]  # (ends,) c of the side
    fan_begin: NDArray[np.int64]  # (vertices + 1,) first of the faces at a vertex
    fan: NDArray[np.uint32]  # (fans, 2) the face; which part of it the vertex is
    wing_begin: NDArray[np.int64]  # (sides + 1,) first of the faces at a side
    wing: NDArray[np.uint32]  # (wings, 2) the face; which part of it the side is
                              # (parts as in `granum.geometry.simplices`)


class Graph(NamedTuple):
    """The same tables for the edges alone, as if there were no faces: what bare rods are."""

    sharp: NDArray[np.bool_]  # (sides,) whether a side is an edge
    weight: NDArray[np.float64]  # (vertices,) 1 less the number of edges at a vertex
    spoke_weight: NDArray[np.float64]  # (ends,) 1 for an edge, 0 for other sides
    fan_begin: NDArray[np.int64]  # (vertices + 1,) no faces at any vertex
    wing_begin: NDArray[np.int64]  # (sides + 1,) nor at any side


POINT = RigidShape(((0.0, 0.0, 0.0),), (1.0,), 1.0, (1.0, 1.0, 1.0))


def make_adjacency(shapes: Sequence[RigidShape]) -> Adjacency:
    """Return the tables of these shapes."""
    firsts, sharp = [(0, 0, 0)], []
    ends: list[tuple[int, ...]] = []
    corners: list[tuple[int, ...]] = []
    places: list[list[FloatArray]] = []
    planes: list[FloatArray] = []
    rims: list[tuple[int, ...]] = []
    weight: list[float] = []
    spokes: list[list[tuple[int, ...]]] = []
    spoke_weight: list[float] = []
    fans: list[list[tuple[int, ...]]] = []
    wings: list[list[tuple[int, ...]]] = []
    for shape in (*shapes, POINT):
        points, sides = np.array(shape.points), shape.sides
        faces = [tuple(sorted(face)) for face in shape.faces]
        _, first_side, first_face = firsts[-1]
        beside = {side: [face for face in faces if set(side) <= set(face)] for side in sides}
        for v in range(len(shape)):
            mine = [side for side in sides if v in side]
            fan = [face for face in faces if v in face]
            c = [1.0 - len(beside[side]) for side in mine]
            weight.append(1.0 - len(fan) - sum(c))
            spoke_weight += c
            spokes.append([(first_side + sides.index(side), _part((v,), side)) for side in mine])
            fans.append([(first_face + faces.index(face), _part((v,), face)) for face in fan])
        wings += [[(first_face + faces.index(face), _part(side, face)) for face in beside[side]]
                  for side in sides]
        places += [[points[a], points[b]] for a, b in sides]
        planes += [_plane(points[list(face)]) for face in faces]
        rims += [tuple(first_side + sides.index((face[a], face[b])) for a, b in RIM)
                 for face in faces]
        ends += sides
        corners += faces
        sharp.append(len(shape.edges))
        firsts.append((len(weight), len(ends), len(corners)))
    vertex, edge, face = np.array(firsts, dtype=np.int64).T.copy()
    return Adjacency(
        vertex, edge, np.array(sharp, dtype=np.int64), face,
        np.array(ends, dtype=np.int64).reshape(-1, 2),
        np.array(corners, dtype=np.int64).reshape(-1, 3), _sides(places),
        np.array(planes).reshape(-1, 16), np.array(rims, dtype=np.uint32).reshape(-1, 3),
        np.array(weight), _begins(spokes), _table(spokes), np.array(spoke_weight),
        _begins(fans), _table(fans), _begins(wings), _table(wings),
    )


def make_graph(parts: Adjacency) -> Graph:
    """Return the tables of the edges of these shapes."""
    sharp = np.zeros(len(parts.ends), dtype=np.bool_)
    weight = np.ones(len(parts.weight))
    for s, count in enumerate(parts.sharp.tolist()):
        edges = slice(parts.edge[s], parts.edge[s] + count)
        sharp[edges] = True
        np.subtract.at(weight, parts.vertex[s] + parts.ends[edges].ravel(), 1.0)
    return Graph(sharp, weight, sharp[parts.spoke[:, 0]].astype(np.float64),
                 np.zeros_like(parts.fan_begin), np.zeros_like(parts.wing_begin))


def _part(few: Sequence[int], face: Sequence[int]) -> int:
    """Return which part of a side or face some of its vertices are."""
    return sum(1 << face.index(v) for v in few)


def _sides(places: Sequence[Sequence[FloatArray]]) -> FloatArray:
    """Return the rows of `Adjacency.side` for the ends of all sides."""
    first, second = np.array(places).reshape(-1, 2, 3).transpose(1, 0, 2)
    way = second - first
    square = (way * way).sum(axis=1)
    return np.column_stack((first, way, square, 1.0 / np.where(square > 0.0, square, 1.0)))


def _plane(corner: FloatArray) -> FloatArray:
    """Return the row of `Adjacency.plane` for the corners (3,3) of a face.

    A face without area has every point beyond all of its sides, and far off.
    """
    normal = np.cross(corner[1] - corner[0], corner[2] - corner[0])
    double = float(np.linalg.norm(normal))
    if not double > 0.0:
        return np.array([0.0, 0.0, 0.0, np.inf] + 3 * [0.0, 0.0, 0.0, 1.0])
    normal /= double
    rows = [(*normal, normal @ corner[0])]
    for a, b in RIM:
        away = np.cross(normal, corner[b] - corner[a])
        away *= np.sign(away @ (corner[3 - a - b] - corner[a])) / np.linalg.norm(away)
        rows.append((*away, away @ corner[a]))
    return np.array(rows).ravel()


def _begins(rows: Sequence[Sequence[object]]) -> NDArray[np.int64]:
    return np.cumsum([0, *(len(row) for row in rows)], dtype=np.int64)


def _table(rows: Sequence[Sequence[tuple[int, ...]]]) -> NDArray[np.uint32]:
    return np.array([row for some in rows for row in some], dtype=np.uint32).reshape(-1, 2)

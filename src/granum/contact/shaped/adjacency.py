"""What hangs together in a skeleton: which edges and faces meet in a vertex or an edge.

All shapes of a world stand in one set of tables. Vertices are told by how far their row is from
that of the vertex or edge that is spoken of, so that one table serves all grains of a shape. Ends
and corners always stand in the order of their numbers, so that whoever asks where a side or face is
closest to a point gets the same answer.

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

from granum.shapes import RigidShape


class Adjacency(NamedTuple):
    """Tables of all shapes; the last is a single point, which stands for spheres."""

    vertex: NDArray[np.int64]  # (shapes + 2,) a shape's first vertex
    edge: NDArray[np.int64]  # (shapes + 2,) a shape's first side: its edges, then flat ones
    sharp: NDArray[np.int64]  # (shapes + 1,) how many of its sides are edges
    face: NDArray[np.int64]  # (shapes + 2,) a shape's first face
    ends: NDArray[np.int64]  # (edges, 2) the vertices of a side, as numbers in the shape
    corners: NDArray[np.int64]  # (faces, 3) the vertices of a face
    weight: NDArray[np.float64]  # (vertices,) c of a vertex
    side_begin: NDArray[np.int64]  # (vertices + 1,) first of the sides that a vertex ends
    side_way: NDArray[np.int64]  # (ends, 3) rows from the vertex to both ends; which part it is
    side_weight: NDArray[np.float64]  # (ends,) c of the side
    fan_begin: NDArray[np.int64]  # (vertices + 1,) first of the faces at a vertex
    fan_way: NDArray[np.int64]  # (fans, 4) rows from the vertex to all corners; which part it is
    wing_begin: NDArray[np.int64]  # (edges + 1,) first of the faces at a side
    wing_way: NDArray[np.int64]  # (wings, 4) rows from the side's first end to all corners; which
                                 # part it is (parts as in `granum.geometry.simplices`)


class Graph(NamedTuple):
    """The same tables for the edges alone, as if there were no faces: what bare rods are."""

    sharp: NDArray[np.bool_]  # (edges,) whether a side is an edge
    weight: NDArray[np.float64]  # (vertices,) 1 less the number of edges at a vertex
    side_weight: NDArray[np.float64]  # (ends,) 1 for an edge, 0 for other sides
    fan_begin: NDArray[np.int64]  # (vertices + 1,) no faces at any vertex


POINT = RigidShape(((0.0, 0.0, 0.0),), (1.0,), 1.0, (1.0, 1.0, 1.0))


def make_adjacency(shapes: Sequence[RigidShape]) -> Adjacency:
    """Return the tables of these shapes."""
    firsts, sharp = [(0, 0, 0)], []
    ends: list[tuple[int, ...]] = []
    corners: list[tuple[int, ...]] = []
    weight: list[float] = []
    at_vertex: list[list[tuple[int, ...]]] = []
    side_weight: list[float] = []
    fans: list[list[tuple[int, ...]]] = []
    wings: list[list[tuple[int, ...]]] = []
    for shape in (*shapes, POINT):
        sides = shape.sides
        faces = [tuple(sorted(face)) for face in shape.faces]
        beside = {side: [face for face in faces if set(side) <= set(face)] for side in sides}
        for v in range(len(shape)):
            mine = [side for side in sides if v in side]
            fan = [face for face in faces if v in face]
            c = [1.0 - len(beside[side]) for side in mine]
            weight.append(1.0 - len(fan) - sum(c))
            side_weight += c
            at_vertex.append([(*_ways(v, side), 1 << side.index(v)) for side in mine])
            fans.append([(*_ways(v, face), 1 << face.index(v)) for face in fan])
        wings += [[(*_ways(side[0], face), _part(side, face)) for face in beside[side]]
                  for side in sides]
        ends += sides
        corners += faces
        sharp.append(len(shape.edges))
        firsts.append((len(weight), len(ends), len(corners)))
    vertex, edge, face = np.array(firsts, dtype=np.int64).T.copy()
    return Adjacency(
        vertex, edge, np.array(sharp, dtype=np.int64), face, _table([ends], 2),
        _table([corners], 3), np.array(weight), _begins(at_vertex), _table(at_vertex, 3),
        np.array(side_weight), _begins(fans), _table(fans, 4), _begins(wings), _table(wings, 4),
    )


def make_graph(parts: Adjacency) -> Graph:
    """Return the tables of the edges of these shapes."""
    sharp = np.zeros(len(parts.ends), dtype=np.bool_)
    weight, side_weight = np.ones(len(parts.weight)), np.zeros(len(parts.side_weight))
    for s, count in enumerate(parts.sharp.tolist()):
        edges = slice(parts.edge[s], parts.edge[s] + count)
        sharp[edges] = True
        ends = parts.vertex[s] + parts.ends[edges].ravel()
        np.subtract.at(weight, ends, 1.0)
        for v in np.unique(ends).tolist():  # edges stand before the other sides of a vertex
            first = parts.side_begin[v]
            side_weight[first:first + np.count_nonzero(ends == v)] = 1.0
    return Graph(sharp, weight, side_weight, np.zeros(len(parts.fan_begin), dtype=np.int64))


def _ways(start: int, others: Sequence[int]) -> tuple[int, ...]:
    return tuple(other - start for other in others)


def _part(side: Sequence[int], face: Sequence[int]) -> int:
    return sum(1 << face.index(end) for end in side)


def _begins(rows: Sequence[Sequence[object]]) -> NDArray[np.int64]:
    return np.cumsum([0, *(len(row) for row in rows)], dtype=np.int64)


def _table(rows: Sequence[Sequence[Sequence[int]]], columns: int) -> NDArray[np.int64]:
    return np.array([row for some in rows for row in some], dtype=np.int64).reshape(-1, columns)

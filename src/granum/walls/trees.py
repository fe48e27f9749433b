"""Trees over the pieces of meshes: who may be near a point, without asking every triangle.

The pieces of a mesh are sorted along a curve that fills space (Morton's), and every `FAN` that
follow each other get a box around them, every `FAN` boxes again one, up to the root. A tree stands
in the frame in which its wall was described, so it serves a wall that moves as well as one at rest.

What a tree leaves out is farther away than asked; what it finds is measured as if there were none.
So no result depends on it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba.extending import register_jitable
from numpy.typing import NDArray

from granum.checks import FloatArray, IntArray
from granum.walls.piece import CORNER, EDGE, TRIANGLE

FAN = 6  # children of a box
STACK = 160  # boxes that wait, at most: FAN - 1 for each level and more pieces than memory holds
BITS = 16  # of each coordinate along the curve


class Trees(NamedTuple):
    """All trees of a table of walls, and the pieces that are in none."""

    plain: IntArray  # (p,) pieces that are asked one by one
    root: IntArray  # (trees, 2) the box around all of a mesh, and its first piece
    box: FloatArray  # (boxes, 6) low and high corner [m]
    child: IntArray  # (boxes, 2) first and end of its boxes, or of its pieces in ``piece``
    is_leaf: NDArray[np.bool_]  # (boxes,) whether it holds pieces
    piece: IntArray  # (t,) numbers of pieces


def make_trees(kind: IntArray, data: FloatArray, owner: IntArray) -> Trees:
    """Return a tree for each wall of triangles; arguments as in `WallTable`."""
    in_tree = kind >= TRIANGLE
    roots: list[tuple[int, int]] = []
    boxes, children = np.zeros((0, 6)), np.zeros((0, 2), dtype=np.int64)
    is_leaf, pieces = np.zeros(0, dtype=np.bool_), np.zeros(0, dtype=np.int64)
    for wall in np.unique(owner[in_tree]).tolist():
        mine = np.flatnonzero(in_tree & (owner == wall))
        low, high = _ends(kind[mine], data[mine, :9])
        order = np.argsort(_along_curve(0.5 * (low + high)), kind="stable")
        box, child, leaf = _stacked(np.hstack([low, high])[order], len(pieces), len(boxes))
        boxes, children = np.concatenate([boxes, box]), np.concatenate([children, child])
        is_leaf = np.concatenate([is_leaf, leaf])
        pieces = np.concatenate([pieces, mine[order]])
        roots.append((len(boxes) - 1, int(mine[0])))
    return Trees(np.flatnonzero(~in_tree), np.array(roots, dtype=np.int64).reshape(-1, 2), boxes,
                 children, is_leaf, pieces)


def _ends(kind: IntArray, rows: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the corners of the box around each piece [m], (m, 3) each."""
    numbers = rows.reshape(-1, 3, 3)
    for of_kind, count in ((EDGE, 2), (CORNER, 1)):  # the rest of their rows are no points
        some = kind == of_kind
        numbers[some, count:] = numbers[some, :1]
    return numbers.min(axis=1), numbers.max(axis=1)


def _along_curve(points: FloatArray) -> IntArray:
    """Return where points are along Morton's curve."""
    low = points.min(axis=0)
    size = float((points - low).max()) or 1.0
    cell = ((points - low) / size * (2**BITS - 1)).astype(np.int64)
    place = np.zeros(len(points), dtype=np.int64)
    for bit in range(BITS):
        for axis in range(3):
            place |= ((cell[:, axis] >> bit) & 1) << (3 * bit + axis)
    return place


def _stacked(ends: FloatArray, held: int, boxes: int
             ) -> tuple[FloatArray, IntArray, NDArray[np.bool_]]:
    """Return boxes over pieces with these ends (m, 6), level by level; the root is the last.

    ``held`` pieces and ``boxes`` boxes are there already.
    """
    found, children, leaves = [], [], []
    below, is_leaf = held, True
    while True:
        first = np.arange(0, len(ends), FAN)
        box = np.hstack([np.minimum.reduceat(ends[:, :3], first),
                         np.maximum.reduceat(ends[:, 3:], first)])
        found.append(box)
        children.append(below + np.column_stack([first, np.minimum(first + FAN, len(ends))]))
        leaves.append(np.full(len(first), is_leaf))
        if len(box) == 1:
            return np.concatenate(found), np.concatenate(children), np.concatenate(leaves)
        below = boxes + sum(map(len, found[:-1]))
        ends, is_leaf = box, False


@register_jitable
def box_distance2(box: FloatArray, k: int, x: float, y: float, z: float) -> float:
    """Return the square of the distance from a point to box k [m2]."""
    dx = max(box[k, 0] - x, x - box[k, 3], 0.0)
    dy = max(box[k, 1] - y, y - box[k, 4], 0.0)
    dz = max(box[k, 2] - z, z - box[k, 5], 0.0)
    return dx * dx + dy * dy + dz * dz

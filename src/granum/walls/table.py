"""All walls of a world as arrays, the only form in which kernels see them.

Row w of ``data`` describes one primitive piece; `granum.walls.piece` lays the columns out.
``owner`` tells which wall a piece belongs to, so forces can be summed by wall.

The pieces of meshes are too many to be asked one by one: they stand in trees
(`granum.walls.trees`).

Rows never hold anything that depends on a motion: a wall that moves is measured in the frame in
which it was described (`granum.walls.moving`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from granum import checks
from granum.checks import FloatArray, IntArray
from granum.compile import kernel
from granum.errors import InputError
from granum.walls.closest import closest
from granum.walls.piece import (
    CORNER_NORMAL,
    EDGE,
    EDGE_NORMAL,
    ROW,
    TRI_NORMAL,
    TRIANGLE,
    Piece,
)
from granum.walls.trees import STACK, Trees, box_distance2, make_trees
from granum.walls.wall import BoolArray, Wall


@dataclass(frozen=True, eq=False)
class WallTable:
    """The pieces of all walls, packed.

    Attributes:
        kind: kinds of the pieces, (w,).
        data: rows of the pieces, (w, ROW) or wider.
        names: what to call each piece in a message, such as ``"box: floor"``, w of them.
        owner: index of the wall each piece belongs to, (w,).
        trees: which pieces may be near a point.
    """

    kind: IntArray
    data: FloatArray
    names: tuple[str, ...]
    owner: IntArray
    trees: Trees

    @property
    def leader(self) -> IntArray:
        """The piece that tells how far each piece has come, (w,): of a mesh the first.

        Pieces of a mesh move as one, so that its first piece speaks for all.
        """
        number = np.arange(len(self.kind))
        first = np.searchsorted(self.owner, self.owner)
        return np.where(self.kind >= TRIANGLE, first, number)

    @property
    def surface(self) -> IntArray:
        """The surface over which contacts with each piece are handed on, (w,): its wall, or -1.

        Empty where there is none, and all contacts begin anew on every piece.
        """
        if not len(self.trees.root):
            return np.zeros(0, dtype=np.int64)
        return np.where(self.kind >= TRIANGLE, self.owner, -1)


def make_table(walls: Sequence[Wall], names: Sequence[str] | None = None) -> WallTable:
    """Pack ``walls`` into a table.

    Args:
        walls: the walls, in the order that ``owner`` counts.
        names: one name for each wall; by default its class, numbered if there are several.
    """
    titles = default_names(walls) if names is None else list(names)
    if len(titles) != len(walls):
        message = f"names must be one for each of the {len(walls)} walls, got {len(titles)}"
        raise InputError(message)
    return _packed(tuple(walls), tuple(titles))


@lru_cache(maxsize=16)  # walls are asked for at every sample, and meshes are long to pack
def _packed(walls: tuple[Wall, ...], titles: tuple[str, ...]) -> WallTable:
    pieces = [(index, title, piece) for index, (wall, title) in enumerate(
        zip(walls, titles, strict=True)) for piece in wall.pieces()]
    return _table([piece for _, _, piece in pieces],
                  [f"{title}: {piece.name}" if piece.name else title for _, title, piece in pieces],
                  [index for index, _, _ in pieces])


def table_of(pieces: Sequence[Piece]) -> WallTable:
    """Pack the pieces of one wall."""
    return _table(pieces, [piece.name for piece in pieces], [0] * len(pieces))


def _table(pieces: Sequence[Piece], names: Sequence[str], owner: Sequence[int]) -> WallTable:
    data = np.zeros((len(pieces), max([ROW, *(len(piece.data) for piece in pieces)])))
    for k, piece in enumerate(pieces):
        data[k, :len(piece.data)] = piece.data
    kinds = np.array([piece.kind for piece in pieces], dtype=np.int64)
    owners = np.array(owner, dtype=np.int64)
    return WallTable(kinds, data, tuple(names), owners, make_trees(kinds, data, owners))


def default_names(walls: Sequence[Wall]) -> list[str]:
    """Return lower-case class names; the second of a class is ``"plane 2"``."""
    seen: Counter[str] = Counter()
    names = []
    for wall in walls:
        title = type(wall).__name__.lower()
        seen[title] += 1
        names.append(title if seen[title] == 1 else f"{title} {seen[title]}")
    return names


@kernel
def _nearest(kind: IntArray, data: FloatArray, root: IntArray, box: FloatArray, child: IntArray,
             is_leaf: BoolArray, piece: IntArray, time: float, x: float, y: float, z: float,
             least: float, waiting: IntArray) -> tuple[float, int]:
    """Return the distance to the nearest piece in the trees if it is below ``least``, and which."""
    nearest = -1
    for tree in range(root.shape[0]):
        waiting[0] = root[tree, 0]
        count = 1
        while count > 0:
            count -= 1
            k = waiting[count]
            if least < 0.0 or box_distance2(box, k, x, y, z) > least * least:
                continue
            for c in range(child[k, 0], child[k, 1]):
                if not is_leaf[k]:
                    waiting[count] = c
                    count += 1
                    continue
                distance = closest(kind, data, piece[c], time, x, y, z)[0]
                if distance < least:
                    least, nearest = distance, piece[c]
    return least, nearest


@kernel
def _least_distance(kind: IntArray, data: FloatArray, plain: IntArray, root: IntArray,
                    box: FloatArray, child: IntArray, is_leaf: BoolArray, piece: IntArray,
                    time: float, points: FloatArray, result: FloatArray) -> None:
    waiting = np.empty(STACK, dtype=np.int64)
    for i in range(points.shape[0]):
        x, y, z = points[i, 0], points[i, 1], points[i, 2]
        least = np.inf
        for w in plain:
            least = min(least, closest(kind, data, w, time, x, y, z)[0])
        result[i], _ = _nearest(kind, data, root, box, child, is_leaf, piece, time, x, y, z, least,
                                waiting)


@kernel
def _find_sides(kind: IntArray, data: FloatArray, root: IntArray, box: FloatArray,
                child: IntArray, is_leaf: BoolArray, piece: IntArray, points: FloatArray,
                result: BoolArray) -> None:
    waiting = np.empty(STACK, dtype=np.int64)
    for i in range(points.shape[0]):
        x, y, z = points[i, 0], points[i, 1], points[i, 2]
        _, w = _nearest(kind, data, root, box, child, is_leaf, piece, 0.0, x, y, z, np.inf, waiting)
        _, nx, ny, nz = closest(kind, data, w, 0.0, x, y, z)
        n = CORNER_NORMAL
        if kind[w] == TRIANGLE:
            n = TRI_NORMAL
        elif kind[w] == EDGE:
            n = EDGE_NORMAL
        result[i] = nx * data[w, n] + ny * data[w, n + 1] + nz * data[w, n + 2] <= 0.0


def in_front(table: WallTable, points: FloatArray) -> BoolArray:
    """Tell which points [m], (n, 3), are where the normals of a closed mesh point to, (n,).

    The mesh, the only wall of the table, must be one that is met from both sides.
    """
    result = np.ones(len(points), dtype=np.bool_)
    _find_sides(table.kind, table.data, *table.trees[1:], points, result)
    return result


def clearance(table: WallTable, points: FloatArray, radii: FloatArray | float,
              time: float = 0.0) -> FloatArray:
    """Return how far spheres are from touching any wall [m], (n,); negative where they overlap.

    A sphere whose centre is behind a one-sided infinite plane has a negative clearance as well;
    other walls are shells, and whether a centre is on their right side is for `Wall.contains`.

    Args:
        table: the walls.
        points: centres [m], (n, 3).
        radii: radius of each sphere [m], (n,), or one for all.
        time: simulated time [s].
    """
    centres = checks.array("points", points, (None, 3))
    if np.ndim(radii) == 0:
        radii = np.full(len(centres), radii)
    radius = checks.array("radii", radii, (len(centres),))
    result = np.empty(len(centres))
    _least_distance(table.kind, table.data, *table.trees, checks.number("time", time), centres,
                    result)
    return result - radius

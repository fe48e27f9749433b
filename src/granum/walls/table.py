"""All walls of a world as arrays, the only form in which kernels see them.

Row w of ``data`` describes one primitive piece; `granum.walls.piece` lays the columns out.
``owner`` tells which wall a piece belongs to, so forces can be summed by wall.

Rows never hold anything that depends on a motion: a wall that moves is measured in the frame in
which it was described (`granum.walls.moving`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from granum import checks
from granum.checks import FloatArray, IntArray
from granum.compile import kernel
from granum.errors import InputError
from granum.walls.closest import closest
from granum.walls.piece import ROW
from granum.walls.wall import Wall


@dataclass(frozen=True, eq=False)
class WallTable:
    """The pieces of all walls, packed.

    Attributes:
        kind: kinds of the pieces, (w,).
        data: rows of the pieces, (w, ROW).
        names: what to call each piece in a message, such as ``"box: floor"``, w of them.
        owner: index of the wall each piece belongs to, (w,).
    """

    kind: IntArray
    data: FloatArray
    names: tuple[str, ...]
    owner: IntArray


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
    kind: list[int] = []
    rows: list[FloatArray] = []
    labels: list[str] = []
    owner: list[int] = []
    for index, (wall, title) in enumerate(zip(walls, titles, strict=True)):
        for piece in wall.pieces():
            kind.append(piece.kind)
            rows.append(piece.data)
            labels.append(f"{title}: {piece.name}" if piece.name else title)
            owner.append(index)
    data = np.array(rows, dtype=np.float64).reshape(len(rows), ROW)
    return WallTable(np.array(kind, dtype=np.int64), data, tuple(labels),
                     np.array(owner, dtype=np.int64))


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
def _least_distance(kind: IntArray, data: FloatArray, time: float, points: FloatArray,
                    result: FloatArray) -> None:
    for i in range(points.shape[0]):
        least = np.inf
        for w in range(kind.shape[0]):
            found = closest(kind, data, w, time, points[i, 0], points[i, 1], points[i, 2])
            least = min(least, found[0])
        result[i] = least


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
    _least_distance(table.kind, table.data, checks.number("time", time), centres, result)
    return result - radius

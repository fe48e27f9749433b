"""Strain of the grains, from the affine motion that fits theirs best; and of the room at a wall.

At the first look the grains in the region are marked, at X_i. Later they are at x_i. The matrix F
and the vector c with the least Σ |x_i - F X_i - c|² are the affine motion, and

    ε = (F + Fᵀ) / 2 - 1,    volume_strain = det F - 1

(least squares as in Falk and Langer, Phys. Rev. E 57 (1998) 7192, from the first look on).
Stretching is positive. Marked grains that have left do not count. Too few grains, or grains in one
plane, have no affine motion: nan. In a periodic world a grain may go less than half the cell
between two looks.

The strain at a wall is its displacement u along a direction over the length L of the room before:

    ε = u·e / L
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from granum.checks import FloatArray, direction, positive
from granum.checks import nearest as nearest_name
from granum.errors import InputError
from granum.measures.measure import Look, Measure, Memory, Values
from granum.measures.region import Region
from granum.measures.stress import nearest
from granum.measures.wall_forces import displacement
from granum.quantity import Direction, Length
from granum.world import World


def affine(before: FloatArray, after: FloatArray, dimension: int = 3) -> FloatArray:
    """Return the matrix (3,3) of the affine motion that fits best; nan if none does.

    Args:
        before: places (n,3) [m].
        after: places (n,3) of the same grains later [m].
        dimension: 2 if all are in the plane z = 0.
    """
    F = np.eye(3)
    F[:dimension, :dimension] = np.nan
    if len(before) > dimension:
        X = (before - before.mean(axis=0))[:, :dimension]
        x = (after - after.mean(axis=0))[:, :dimension]
        fit, _, rank, _ = np.linalg.lstsq(X, x, rcond=1e-9)
        if rank == dimension:
            F[:dimension, :dimension] = fit.T
    return F


@dataclass(frozen=True)
class Strain(Measure):
    """The strain of the grains since the first look; stretching is positive.

    Args:
        region: which grains are followed, by their centres at the first look; all unless given.
    """

    type_name: ClassVar[str] = "strain"
    region: Region | None = None

    def quantities(self, world: World) -> tuple[str, ...]:
        """Return the columns."""
        return (*(f"strain_{axes}" for axes in ("xx", "yy", "zz", "xy", "yz", "zx")),
                "volume_strain")

    def recall(self, look: Look, memory: Memory) -> tuple[Values, Memory]:
        """Follow the marked grains, and fit their motion."""
        grains = look.grains
        if not memory:
            marked = look.inside(self.region)
            place = grains.position[marked]
            memory = {"id": grains.id[marked], "first": place, "place": place.copy(),
                      "way": np.zeros_like(place)}
        else:
            there = np.isin(memory["id"], grains.id)
            memory = {name: array[there] for name, array in memory.items()}
            place = grains.position[np.searchsorted(grains.id, memory["id"])]
            memory["way"] = memory["way"] + nearest(look.world, place - memory["place"])
            memory["place"] = place
        F = affine(memory["first"], memory["first"] + memory["way"], look.world.dimension)
        e = 0.5 * (F + F.T) - np.eye(3)
        volume = float(np.linalg.det(F)) - 1.0 if np.isfinite(F).all() else float("nan")
        return (e[0, 0], e[1, 1], e[2, 2], e[0, 1], e[1, 2], e[2, 0], volume), memory


@dataclass(frozen=True)
class WallStrain(Measure):
    """The strain of the room that a wall with a name closes; stretching is positive.

    Args:
        wall: name of the wall that moves.
        length: of the room before, along the direction [m].
        along: direction in which the room grows as the wall moves.
    """

    type_name: ClassVar[str] = "wall_strain"
    wall: str
    length: Length
    along: Direction = (0.0, 0.0, 1.0)

    def __post_init__(self) -> None:
        """Refuse values without a meaning."""
        super().__post_init__()
        positive("length", self.length)
        direction("along", self.along)

    def quantities(self, world: World) -> tuple[str, ...]:
        """Return the column."""
        return (f"{self.wall}_strain",)

    def refuse(self, world: World) -> None:
        """Refuse a wall that is not there, or does not move."""
        names = [body.name for body in world.bodies]
        if self.wall not in names:
            message = (f"wall {self.wall!r} is no wall that moves{nearest_name(self.wall, names)}; "
                       f"walls with a name that move: {', '.join(filter(None, names)) or 'none'}")
            raise InputError(message)

    def read(self, look: Look) -> Values:
        """Return the strain."""
        way = displacement(look.world, self.wall, look.time)
        return (float(way @ direction("along", self.along)) / self.length,)

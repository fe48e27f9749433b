"""A hollow or solid ball as a wall."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, get_args

import numpy as np

from granum import checks
from granum.checks import FloatArray
from granum.quantity import Length, Point
from granum.walls import fields
from granum.walls.frame import circle
from granum.walls.piece import Piece, sphere_piece
from granum.walls.wall import BoolArray, Bounds, Side


@dataclass(frozen=True)
class SphereWall:
    """A spherical shell.

    Attributes:
        centre: centre [m].
        radius: radius [m].
        side: where grains live; both sides of the shell are met in any case.
    """

    centre: Point
    radius: Length
    side: Side = "inside"

    def __post_init__(self) -> None:
        """Refuse wrong values by the name of their field."""
        fields.settle(self, centre=fields.point(self, "centre"),
                      radius=fields.positive(self, "radius"),
                      side=fields.choice(self, "side", get_args(Side)))

    def pieces(self) -> list[Piece]:
        """See `Wall.pieces`."""
        return [sphere_piece(self.centre, self.radius, inside=self.side != "outside")]

    def contains(self, points: Any) -> BoolArray:
        """See `Wall.contains`."""
        offset = checks.array("points", points, (None, 3)) - self.centre
        distance = np.linalg.norm(offset, axis=1)
        if self.side == "both":
            return np.ones(len(distance), dtype=np.bool_)
        inside = self.side == "inside"
        return np.asarray(distance <= self.radius if inside else distance >= self.radius)

    def bounds(self) -> Bounds:
        """See `Wall.bounds`."""
        return np.asarray(self.centre) - self.radius, np.asarray(self.centre) + self.radius

    def outline(self) -> list[FloatArray]:
        """See `Wall.outline`; three great circles."""
        return [circle(self.centre, axis, self.radius) for axis in np.eye(3)]

    def describe(self) -> str:
        """See `Wall.describe`."""
        where = "on both sides" if self.side == "both" else self.side
        return (f"spherical wall, radius {self.radius:g} m, "
                f"centre {fields.text_of(self.centre)} m, grains {where}")

"""A disc with a hole that opens: the floor of a silo."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from granum import checks
from granum.checks import FloatArray
from granum.errors import InputError
from granum.quantity import Direction, Length, Point, Time
from granum.walls import fields
from granum.walls.frame import circle, circle_reach
from granum.walls.piece import Piece, revolution_piece
from granum.walls.wall import BoolArray, Bounds


@dataclass(frozen=True)
class Plate:
    """A thin disc, met from both sides, with a concentric hole that is shut until ``opens``.

    Attributes:
        centre: centre of the disc [m].
        normal: direction of its axis, of any length.
        radius: radius of the disc [m].
        hole: radius of the hole [m]; 0 for none.
        opens: time from which the hole is open [s]; never if None.
    """

    centre: Point
    normal: Direction
    radius: Length
    hole: Length = 0.0
    opens: Time | None = 0.0

    def __post_init__(self) -> None:
        """Refuse wrong values by the name of their field."""
        fields.settle(self, centre=fields.point(self, "centre"),
                      normal=fields.direction(self, "normal"),
                      radius=fields.positive(self, "radius"),
                      hole=fields.not_negative(self, "hole"))
        if self.opens is not None:
            fields.settle(self, opens=fields.not_negative(self, "opens"))
        if self.hole >= self.radius:
            message = (f"Plate hole must be smaller than Plate radius ({self.radius:g} m), "
                       f"got {self.hole:g} m; both are radii, not diameters")
            raise InputError(message)

    def pieces(self) -> list[Piece]:
        """See `Wall.pieces`."""
        opens = math.inf if self.opens is None else self.opens
        return [revolution_piece(self.centre, self.normal, (0.0, 0.0), (self.radius, 0.0),
                                 hole=self.hole, opens=opens)]

    def contains(self, points: Any) -> BoolArray:
        """See `Wall.contains`; a plate has no opinion."""
        return np.ones(len(checks.array("points", points, (None, 3))), dtype=np.bool_)

    def bounds(self) -> Bounds:
        """See `Wall.bounds`."""
        reach = circle_reach(self.normal, self.radius)
        return np.asarray(self.centre) - reach, np.asarray(self.centre) + reach

    def outline(self) -> list[FloatArray]:
        """See `Wall.outline`; the rim and the rim of the hole."""
        radii = (self.radius, self.hole) if self.hole > 0.0 else (self.radius,)
        return [circle(self.centre, self.normal, radius) for radius in radii]

    def describe(self) -> str:
        """See `Wall.describe`."""
        hole = "no hole"
        if self.hole > 0.0:
            hole = f"hole of radius {self.hole:g} m"
            if self.opens is None:
                hole += " that is shut"
            elif self.opens > 0.0:
                hole += f" that opens at {self.opens:g} s"
        return (f"plate, radius {self.radius:g} m, {hole}, centre {fields.text_of(self.centre)} m, "
                f"normal {fields.text_of(self.normal)}")

"""A rectangular box along the coordinate axes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from granum import checks
from granum.checks import FloatArray
from granum.errors import InputError
from granum.quantity import Point
from granum.walls import fields
from granum.walls.frame import closed
from granum.walls.piece import Piece, plane_piece
from granum.walls.wall import BoolArray, Bounds

NAMES = (("low x", "high x"), ("low y", "high y"), ("floor", "lid"))


@dataclass(frozen=True)
class Box:
    """Six one-sided infinite planes around a box, so nothing is ever lost through an edge.

    A flat box, with low z = high z = 0, serves two-dimensional worlds: only the four planes across
    x and y exist, and up is y.

    Attributes:
        low: corner of the smallest coordinates [m].
        high: corner of the largest coordinates [m].
        open_top: whether the upper plane (high z; high y if flat) is left out.
    """

    low: Point
    high: Point
    open_top: bool = False

    def __post_init__(self) -> None:
        """Refuse wrong values by the name of their field."""
        fields.settle(self, low=fields.point(self, "low"), high=fields.point(self, "high"),
                      open_top=fields.flag(self, "open_top"))
        for k in range(2 if self.is_flat else 3):
            if self.low[k] >= self.high[k]:
                hint = " (a flat box for a 2D world has z = 0 in both)" if k == 2 else ""
                message = (f"Box high must be greater than Box low along {'xyz'[k]}, "
                           f"got low {self.low[k]:g} m and high {self.high[k]:g} m{hint}")
                raise InputError(message)

    @property
    def is_flat(self) -> bool:
        """Whether this is a box of a two-dimensional world."""
        return self.low[2] == self.high[2] == 0.0

    def _sides(self) -> list[tuple[int, bool]]:
        """Return the planes that exist: (axis, whether it is the high one)."""
        axes = 2 if self.is_flat else 3
        sides = [(k, is_high) for k in range(axes) for is_high in (False, True)]
        return sides[:-1] if self.open_top else sides

    def pieces(self) -> list[Piece]:
        """See `Wall.pieces`."""
        made = []
        for k, is_high in self._sides():
            normal = np.zeros(3)
            normal[k] = -1.0 if is_high else 1.0
            corner = self.high if is_high else self.low
            made.append(plane_piece(corner, normal, name=NAMES[k][is_high]))
        return made

    def contains(self, points: Any) -> BoolArray:
        """See `Wall.contains`."""
        centres = checks.array("points", points, (None, 3))
        held = np.ones(len(centres), dtype=np.bool_)
        for k, is_high in self._sides():
            held &= centres[:, k] <= self.high[k] if is_high else centres[:, k] >= self.low[k]
        return held

    def bounds(self) -> Bounds:
        """See `Wall.bounds`; infinite only above an open top."""
        low, high = np.array(self.low), np.array(self.high)
        if self.open_top:
            high[1 if self.is_flat else 2] = np.inf
        return low, high

    def outline(self) -> list[FloatArray]:
        """See `Wall.outline`; the 12 edges, or the 4 of a flat box."""
        (x0, y0, z0), (x1, y1, z1) = self.low, self.high
        floor = np.array([[x0, y0, z0], [x1, y0, z0], [x1, y1, z0], [x0, y1, z0]])
        if self.is_flat:
            return [closed(floor)]
        lid = floor + np.array([0.0, 0.0, z1 - z0])
        return [closed(floor), closed(lid), *np.stack([floor, lid], axis=1)]

    def describe(self) -> str:
        """See `Wall.describe`."""
        kind = "flat box" if self.is_flat else "box"
        top = ", open at the top" if self.open_top else ""
        return f"{kind} from {fields.text_of(self.low)} m to {fields.text_of(self.high)} m{top}"

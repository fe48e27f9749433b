"""An hourglass: two pyramids or cones, tip to tip, cut open at the neck."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from granum import checks
from granum.checks import FloatArray
from granum.errors import InputError
from granum.quantity import Length, Point
from granum.walls import fields
from granum.walls.frame import circle, closed
from granum.walls.piece import NO_GUARD, Piece, plane_piece, quad_piece, revolution_piece
from granum.walls.wall import BoolArray, Bounds

UP = np.array([0.0, 0.0, 1.0])
SQUARE_CORNERS = np.array([[1.0, 1.0, 0.0], [-1.0, 1.0, 0.0], [-1.0, -1.0, 0.0], [1.0, -1.0, 0.0]])
FACES = (("+x", (1.0, 0.0)), ("+y", (0.0, 1.0)), ("-x", (-1.0, 0.0)), ("-y", (0.0, -1.0)))


@dataclass(frozen=True)
class Hourglass:
    """A vertical (z) double pyramid or double cone, closed by a floor and a lid.

    Floor and lid are one-sided infinite planes, the slopes one-sided faces: on a flat slope, close
    to the slot, the back of the other slope is within reach and must not push. Seen from inside,
    the edges of the slot stick out and count once, as part of the upper half; all other edges are
    hollow: a grain touches the faces beside them, never the edge, so they do not count.

    Attributes:
        width: side (diameter) of floor and lid [m].
        height: total height [m].
        slot: side (diameter) of the neck at mid height [m].
        section: "square" for pyramids with sides along x and y, "round" for cones.
        centre: centre of the neck [m].
    """

    width: Length = 0.1
    height: Length = 0.1
    slot: Length = 0.02
    section: Literal["square", "round"] = "square"
    centre: Point = (0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        """Refuse wrong values by the name of their field."""
        fields.settle(self, width=fields.positive(self, "width"),
                      height=fields.positive(self, "height"), slot=fields.positive(self, "slot"),
                      section=fields.choice(self, "section", ("square", "round")),
                      centre=fields.point(self, "centre"))
        if self.slot >= self.width:
            message = (f"Hourglass slot must be narrower than Hourglass width ({self.width:g} m), "
                       f"got {self.slot:g} m; for straight walls use Box, or Cylinder with planes")
            raise InputError(message)

    def pieces(self) -> list[Piece]:
        """See `Wall.pieces`."""
        half = 0.5 * self.height * UP
        made = [plane_piece(np.asarray(self.centre) - half, UP, name="floor"),
                plane_piece(np.asarray(self.centre) + half, -UP, name="lid")]
        if self.section == "round":
            return made + self._cones()
        for name, towards in FACES:
            made += self._slopes(name, towards)
        return made

    def _downwards(self) -> tuple[float, float]:
        """Return the unit direction (outwards, up) in which a lower slope leaves the slot."""
        run, fall = 0.5 * (self.width - self.slot), 0.5 * self.height
        length = math.hypot(run, fall)
        return run / length, -fall / length

    def _cones(self) -> list[Piece]:
        neck = (0.5 * self.slot, 0.0)
        top, bottom = (0.5 * self.width, 0.5 * self.height), (0.5 * self.width, -0.5 * self.height)
        return [
            revolution_piece(self.centre, UP, neck, top, one_sided=True,
                             count=(True, False), guards=(self._downwards(), NO_GUARD),
                             name="upper cone"),
            revolution_piece(self.centre, UP, bottom, neck, one_sided=True,
                             count=(False, False), name="lower cone"),
        ]

    def _slopes(self, name: str, towards: tuple[float, float]) -> list[Piece]:
        """Return the upper and the lower face on one side; edge 0 of each is the slot's."""
        out = np.array([*towards, 0.0])
        left = np.cross(UP, out)
        a, b, half = 0.5 * self.slot, 0.5 * self.width, 0.5 * self.height * UP
        neck = np.array([a * (out + left), a * (out - left)])
        rim = np.array([b * (out - left), b * (out + left)])
        guards = np.zeros((4, 3))
        run, rise = self._downwards()
        guards[0] = run * out + rise * UP
        upper = np.concatenate([neck, rim + half]) + self.centre
        lower = np.concatenate([neck[::-1], rim[::-1] - half]) + self.centre
        return [quad_piece(upper, one_sided=True, count=(True, False, False, False),
                           guards=guards, name=f"upper {name}"),
                quad_piece(lower, one_sided=True, count=(False, False, False, False),
                           name=f"lower {name}")]

    def contains(self, points: Any) -> BoolArray:
        """See `Wall.contains`."""
        offset = checks.array("points", points, (None, 3)) - self.centre
        z = np.abs(offset[:, 2])
        reach = 0.5 * self.slot + (self.width - self.slot) * (z / self.height)
        across = np.abs(offset[:, :2])
        out = np.hypot(*across.T) if self.section == "round" else across.max(axis=1)
        return np.asarray((z <= 0.5 * self.height) & (out <= reach))

    def bounds(self) -> Bounds:
        """See `Wall.bounds`."""
        half = 0.5 * np.array([self.width, self.width, self.height])
        return np.asarray(self.centre) - half, np.asarray(self.centre) + half

    def outline(self) -> list[FloatArray]:
        """See `Wall.outline`; the three levels and the four lines that join them."""
        half = 0.5 * self.height * UP
        levels = [(0.5 * self.width, -half), (0.5 * self.slot, 0.0 * UP), (0.5 * self.width, half)]
        centre = np.asarray(self.centre)
        if self.section == "round":
            rims = [circle(centre + level, UP, reach) for reach, level in levels]
            corners = np.array([rim[:-1:(len(rim) - 1) // 4] for rim in rims])
        else:
            corners = np.array([centre + level + reach * SQUARE_CORNERS for reach, level in levels])
            rims = [closed(rim) for rim in corners]
        return [*rims, *corners.transpose(1, 0, 2)]

    def describe(self) -> str:
        """See `Wall.describe`."""
        return (f"{self.section} hourglass, width {self.width:g} m, height {self.height:g} m, "
                f"slot {self.slot:g} m, centre {fields.text_of(self.centre)} m")

"""A flat wall, endless or rectangular."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from granum import checks
from granum.checks import FloatArray
from granum.errors import InputError
from granum.quantity import Direction, Length, Point
from granum.walls import fields
from granum.walls.frame import closed, make_frame
from granum.walls.piece import Piece, plane_piece, quad_piece
from granum.walls.wall import BoolArray, Bounds

SQUARE = 1e-6
"""Largest cosine [-] between ``along`` and the normal that still counts as a right angle."""


@dataclass(frozen=True)
class Plane:
    """An infinite plane or, with ``extent``, a finite rectangle.

    One-sided, an infinite plane holds grains on the side its normal points to, however deep they
    push; a rectangle is a shell that ignores grains behind its face, but its rim counts from all
    round. Two rectangles that share an edge both count it: build closed containers from `Box` or
    infinite planes.

    Attributes:
        point: a point of the plane; the centre of a rectangle [m].
        normal: direction towards the grains, of any length.
        two_sided: whether grains on both sides are met.
        extent: full side lengths of a rectangle [m]; None for an infinite plane.
        along: direction of the rectangle's first side, across the normal; any if None.
    """

    point: Point
    normal: Direction
    two_sided: bool = False
    extent: tuple[Length, Length] | None = None
    along: Direction | None = None

    def __post_init__(self) -> None:
        """Refuse wrong values by the name of their field."""
        fields.settle(self, point=fields.point(self, "point"),
                      normal=fields.direction(self, "normal"),
                      two_sided=fields.flag(self, "two_sided"))
        if self.extent is not None:
            a, b = checks.array("Plane extent", self.extent, (2,)).tolist()
            fields.settle(self, extent=(checks.positive("Plane extent (first side)", a),
                                        checks.positive("Plane extent (second side)", b)))
        if self.along is not None:
            fields.settle(self, along=fields.direction(self, "along"))
            self._check_along()

    def _check_along(self) -> None:
        if self.extent is None:
            message = ("Plane along says how a rectangle lies, but Plane extent is missing: "
                       "give both, or neither for an infinite plane")
            raise InputError(message)
        cosine = float(checks.direction("along", self.along)
                       @ checks.direction("normal", self.normal))
        if abs(cosine) > SQUARE:
            angle = math.degrees(math.acos(min(abs(cosine), 1.0)))
            message = (f"Plane along must be at a right angle to Plane normal, "
                       f"got {self.along} at {angle:.6g} degrees from {self.normal}")
            raise InputError(message)

    def _corners(self, extent: tuple[float, float]) -> FloatArray:
        """Return the corners of the rectangle [m], (4, 3), counter-clockwise about the normal."""
        first, second, _ = make_frame(self.normal, self.along)
        a, b = 0.5 * extent[0] * first, 0.5 * extent[1] * second
        return np.asarray(self.point + np.array([-a - b, a - b, a + b, b - a]))

    def pieces(self) -> list[Piece]:
        """See `Wall.pieces`."""
        if self.extent is None:
            return [plane_piece(self.point, self.normal, two_sided=self.two_sided)]
        return [quad_piece(self._corners(self.extent), one_sided=not self.two_sided)]

    def contains(self, points: Any) -> BoolArray:
        """See `Wall.contains`; only a one-sided infinite plane has an opinion."""
        centres = checks.array("points", points, (None, 3))
        if self.two_sided or self.extent is not None:
            return np.ones(len(centres), dtype=np.bool_)
        signed = (centres - self.point) @ checks.direction("normal", self.normal)
        return np.asarray(signed >= 0.0)

    def bounds(self) -> Bounds:
        """See `Wall.bounds`; a half space has an end only across an axis-aligned plane."""
        if self.extent is not None:
            corners = self._corners(self.extent)
            return corners.min(axis=0), corners.max(axis=0)
        low, high = np.full(3, -np.inf), np.full(3, np.inf)
        axes = np.flatnonzero(self.normal)
        if len(axes) == 1 and not self.two_sided:
            k = int(axes[0])
            (low if self.normal[k] > 0.0 else high)[k] = self.point[k]
        return low, high

    def outline(self) -> list[FloatArray]:
        """See `Wall.outline`; the rim of a rectangle."""
        return [] if self.extent is None else [closed(self._corners(self.extent))]

    def describe(self) -> str:
        """See `Wall.describe`."""
        sides = "two-sided" if self.two_sided else "one-sided"
        where = f"{fields.text_of(self.point)} m, normal {fields.text_of(self.normal)}"
        if self.extent is None:
            return f"{sides} infinite plane through {where}"
        return f"{sides} rectangle of {self.extent[0]:g} m by {self.extent[1]:g} m at {where}"

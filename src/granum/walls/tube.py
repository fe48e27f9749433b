"""Walls about an axis: the cylinder and the cone. They have no lids; add a `Plate` or `Plane`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, get_args

import numpy as np

from granum.checks import FloatArray, direction
from granum.errors import InputError
from granum.quantity import Direction, Length, Point
from granum.walls import fields
from granum.walls.frame import circle, circle_reach, cylindrical, make_frame
from granum.walls.piece import Pair, Piece, revolution_piece
from granum.walls.wall import BoolArray, Bounds, Side

SIDES: tuple[str, ...] = get_args(Side)
GENERATORS = 4
"""Straight lines drawn between the two end circles."""


@dataclass(frozen=True)
class Cylinder:
    """The mantle of a round cylinder, without floor or lid.

    Attributes:
        base: centre of the lower end circle [m].
        axis: direction from the lower end to the upper, of any length.
        radius: radius [m].
        height: distance of the end circles [m]; None for endless both ways.
        side: where grains live; both sides of the shell are met in any case.
    """

    base: Point
    axis: Direction
    radius: Length
    height: Length | None = None
    side: Side = "inside"

    def __post_init__(self) -> None:
        """Refuse wrong values by the name of their field."""
        fields.settle(self, base=fields.point(self, "base"), axis=fields.direction(self, "axis"),
                      radius=fields.positive(self, "radius"),
                      side=fields.choice(self, "side", SIDES))
        if self.height is not None:
            fields.settle(self, height=fields.positive(self, "height"))

    def pieces(self) -> list[Piece]:
        """See `Wall.pieces`."""
        height = 1.0 if self.height is None else self.height
        start, end = _ordered((self.radius, 0.0), (self.radius, height), self.side)
        return [revolution_piece(self.base, self.axis, start, end, infinite=self.height is None)]

    def contains(self, points: Any) -> BoolArray:
        """See `Wall.contains`; no opinion beyond the ends."""
        rho, z = cylindrical(points, self.base, self.axis)
        within = np.ones(len(z), dtype=np.bool_)
        if self.height is not None:
            within = (z >= 0.0) & (z <= self.height)
        return _on_side(rho, np.full(len(rho), self.radius), within, self.side)

    def bounds(self) -> Bounds:
        """See `Wall.bounds`."""
        if self.height is not None:
            return _tube_bounds(self.base, self.axis, self.radius, self.radius, self.height)
        reach = circle_reach(self.axis, self.radius)
        reach[np.flatnonzero(self.axis)] = np.inf
        return np.asarray(self.base) - reach, np.asarray(self.base) + reach

    def outline(self) -> list[FloatArray]:
        """See `Wall.outline`; end circles and a few straight lines."""
        if self.height is None:
            return []
        return _tube_outline(self.base, self.axis, self.radius, self.radius, self.height)

    def describe(self) -> str:
        """See `Wall.describe`."""
        length = "infinite" if self.height is None else f"height {self.height:g} m"
        base, axis = fields.text_of(self.base), fields.text_of(self.axis)
        return (f"cylinder, radius {self.radius:g} m, {length}, base {base} m, axis {axis}, "
                f"grains {_where(self.side)}")


@dataclass(frozen=True)
class Cone:
    """The mantle of a frustum, without floor or lid; one of its radii may be zero.

    Attributes:
        base: centre of the base circle [m].
        axis: direction from the base to the top, of any length.
        base_radius: radius at the base [m].
        top_radius: radius at the top [m].
        height: distance from base to top [m].
        side: where grains live; both sides of the shell are met in any case.
    """

    base: Point
    axis: Direction
    base_radius: Length
    top_radius: Length
    height: Length
    side: Side = "inside"

    def __post_init__(self) -> None:
        """Refuse wrong values by the name of their field."""
        fields.settle(self, base=fields.point(self, "base"), axis=fields.direction(self, "axis"),
                      base_radius=fields.not_negative(self, "base_radius"),
                      top_radius=fields.not_negative(self, "top_radius"),
                      height=fields.positive(self, "height"),
                      side=fields.choice(self, "side", SIDES))
        if self.base_radius == self.top_radius == 0.0:
            message = "Cone base_radius and Cone top_radius must not both be 0"
            raise InputError(message)

    def pieces(self) -> list[Piece]:
        """See `Wall.pieces`."""
        start, end = _ordered((self.base_radius, 0.0), (self.top_radius, self.height), self.side)
        return [revolution_piece(self.base, self.axis, start, end)]

    def contains(self, points: Any) -> BoolArray:
        """See `Wall.contains`; no opinion below the base and above the top."""
        rho, z = cylindrical(points, self.base, self.axis)
        radius = self.base_radius + (self.top_radius - self.base_radius) * (z / self.height)
        return _on_side(rho, radius, (z >= 0.0) & (z <= self.height), self.side)

    def bounds(self) -> Bounds:
        """See `Wall.bounds`."""
        return _tube_bounds(self.base, self.axis, self.base_radius, self.top_radius, self.height)

    def outline(self) -> list[FloatArray]:
        """See `Wall.outline`; end circles and a few straight lines."""
        return _tube_outline(self.base, self.axis, self.base_radius, self.top_radius, self.height)

    def describe(self) -> str:
        """See `Wall.describe`."""
        return (f"cone, radius {self.base_radius:g} m to {self.top_radius:g} m, "
                f"height {self.height:g} m, base {fields.text_of(self.base)} m, "
                f"axis {fields.text_of(self.axis)}, grains {_where(self.side)}")


def _ordered(low: Pair, high: Pair, side: Side) -> tuple[Pair, Pair]:
    """Return the ends of a segment so that grains live to its left."""
    return (high, low) if side == "outside" else (low, high)


def _on_side(rho: FloatArray, radius: FloatArray, within: BoolArray, side: Side) -> BoolArray:
    """Tell where ``rho`` is on the right side of ``radius``, or the wall has no opinion."""
    if side == "both":
        return np.ones(len(rho), dtype=np.bool_)
    fits = rho <= radius if side == "inside" else rho >= radius
    return np.asarray(fits | ~within)


def _where(side: Side) -> str:
    return "on both sides" if side == "both" else side


def _tube_bounds(base: Point, axis: Direction, base_radius: float, top_radius: float,
                 height: float) -> Bounds:
    """Return the box around the two end circles [m]: the mantle lies between them."""
    low_centre = np.asarray(base)
    high_centre = low_centre + height * direction("axis", axis)
    low_reach, high_reach = circle_reach(axis, base_radius), circle_reach(axis, top_radius)
    return (np.minimum(low_centre - low_reach, high_centre - high_reach),
            np.maximum(low_centre + low_reach, high_centre + high_reach))


def _tube_outline(base: Point, axis: Direction, base_radius: float, top_radius: float,
                  height: float) -> list[FloatArray]:
    """Return both end circles, where they are more than a point, and lines between them."""
    first, second, third = make_frame(axis)
    low_centre = np.asarray(base)
    high_centre = low_centre + height * third
    lines = []
    for quarter in range(GENERATORS):
        angle = 2.0 * np.pi * quarter / GENERATORS
        across = np.cos(angle) * first + np.sin(angle) * second
        lines.append(np.array([low_centre + base_radius * across,
                               high_centre + top_radius * across]))
    ends = ((low_centre, base_radius), (high_centre, top_radius))
    return [circle(centre, axis, radius) for centre, radius in ends if radius > 0.0] + lines

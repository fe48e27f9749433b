"""Spherosimplices: a segment, a triangle or a tetrahedron with equal sides, swept by a ball.

With those of any sides they are the simplest cases of `SpheroPolyhedron`, which takes vertices.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from granum.checks import positive_field, settle
from granum.quantity import Ball, Length
from granum.shapes.skeleton import Skeleton, hull
from granum.shapes.swept import Swept


@dataclass(frozen=True)
class _Regular(Swept):
    """A regular simplex about the origin, all sides of one length."""

    length: Length
    radius: Length
    cover: tuple[Ball, ...] = ()

    def __post_init__(self) -> None:
        """Check all lengths."""
        settle(self, length=positive_field(self, "length"), radius=positive_field(self, "radius"),
               cover=self._checked_cover())


@dataclass(frozen=True)
class Spherocylinder(_Regular):
    """A segment swept by a ball: a cylinder with round ends; in a 2D world a grain of rice.

    It lies along x, about the origin.

    Args:
        length: of the segment, from one centre of curvature to the other [m]; with its ends the
            body is ``length`` + 2 ``radius`` long.
        radius: of the ball [m].
        cover: spheres that hold it, for neighbours by triangulation, each as x, y, z and radius
            [m]; found by granum unless given.
    """

    def fits(self, dimension: int) -> bool:
        """Tell whether a world of this dimension can have grains of this shape."""
        return dimension in (2, 3)

    def skeleton(self) -> Skeleton:
        """Return the segment."""
        return hull(0.5 * self.length * np.array([(-1.0, 0.0, 0.0), (1.0, 0.0, 0.0)]))


@dataclass(frozen=True)
class Spherotriangle(_Regular):
    """A triangle with equal sides swept by a ball: a rounded plate.

    It lies in the plane z = 0 about the origin, one corner on the x axis.

    Args:
        length: of the sides of the triangle [m].
        radius: of the ball [m]; the plate is twice as thick.
        cover: spheres that hold it, for neighbours by triangulation, each as x, y, z and radius
            [m]; found by granum unless given.
    """

    def skeleton(self) -> Skeleton:
        """Return the triangle."""
        angle = 2.0 * np.pi * np.arange(3) / 3.0
        corners = np.column_stack((np.cos(angle), np.sin(angle), np.zeros(3)))
        return hull(self.length / math.sqrt(3.0) * corners)


@dataclass(frozen=True)
class Spherotetrahedron(_Regular):
    """A tetrahedron with equal sides swept by a ball.

    Its corners are four of those of a cube about the origin with its sides along the axes. They are
    ``length`` √(3/8) away from the origin.

    Args:
        length: of the sides of the tetrahedron [m].
        radius: of the ball [m].
        cover: spheres that hold it, for neighbours by triangulation, each as x, y, z and radius
            [m]; found by granum unless given.
    """

    def skeleton(self) -> Skeleton:
        """Return the tetrahedron."""
        corners = np.array([(1.0, 1.0, 1.0), (1.0, -1.0, -1.0), (-1.0, 1.0, -1.0),
                            (-1.0, -1.0, 1.0)])
        return hull(self.length / math.sqrt(8.0) * corners)

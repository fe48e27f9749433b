"""Spheropolygons: outlines in the plane, convex or not, swept by a disc."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from granum import checks
from granum.checks import FloatArray
from granum.errors import InputError
from granum.quantity import Ball, Length
from granum.shapes.cow import COW, LENGTH
from granum.shapes.erosion import eroded_outline
from granum.shapes.outline import outline_skeleton, refuse_bad_outline
from granum.shapes.skeleton import Skeleton
from granum.shapes.swept import Swept

MOST = 1000  # points of an outline


@dataclass(frozen=True)
class SpheroPolygon(Swept):
    """An outline swept by a disc, for 2D worlds; convex or not.

    One point is a disc, two are a grain of rice, more are a pebble, or whatever the outline is of.
    Points that lie straight between others are left out.

    Args:
        points: of the outline, in turn, (x, y) in a frame of its own [m].
        radius: of the disc [m].
        closed: whether the outline closes, and what it holds is part of the shape; if not, it is a
            bent rod.
        cover: discs that hold it, for neighbours by triangulation, each as x, y, z = 0 and radius
            [m]; found by granum unless given.
    """

    points: tuple[tuple[Length, Length], ...]
    radius: Length
    closed: bool = True
    cover: tuple[Ball, ...] = ()

    dimension: ClassVar[int] = 2

    def __post_init__(self) -> None:
        """Check every number, and the outline."""
        checks.settle(self, radius=checks.positive_field(self, "radius"),
                      cover=self._checked_cover())
        points = plane_points("SpheroPolygon points", self.points)
        refuse_bad_outline("SpheroPolygon points", points, self.closed)
        checks.settle(self, points=tuple(map(tuple, points.tolist())))

    @classmethod
    def rounded(cls, points: Any, radius: float) -> SpheroPolygon:
        """Return a closed outline with rounded corners that keeps its outer size.

        The outline is moved inwards by the radius of the disc, which is then swept over it. Inner
        corners stay sharp.

        Args:
            points: of the outline, in turn, (x, y) [m].
            radius: of the disc [m]; it must be able to roll around inside the whole outline.
        """
        name = "SpheroPolygon"
        moved = eroded_outline(name, plane_points(f"{name} points", points),
                               checks.positive(f"{name} radius", radius))
        return cls(tuple((x, y) for x, y in moved.tolist()), radius)

    @classmethod
    def cow(cls, length: float, radius: float) -> SpheroPolygon:
        """Return a cow seen from the side: legs, tail and horns, in 62 points.

        Args:
            length: of its outline, from the nose to the tail [m].
            radius: of the disc [m].
        """
        scale = checks.positive("cow length", length) / LENGTH
        return cls(tuple((scale * x, scale * y) for x, y in COW), radius)

    def skeleton(self) -> Skeleton:
        """Return the outline as a skeleton, counter-clockwise."""
        return outline_skeleton(np.array(self.points), self.closed)


def plane_points(name: str, given: Any) -> FloatArray:
    """Return points of the plane, (n,2) [m]; a third coordinate must be 0."""
    count = len(given) if isinstance(given, Sequence | np.ndarray) else 0
    if not 1 <= count <= MOST:
        message = f"{name} must be 1 to {MOST}, got {count}"
        raise InputError(message)
    points = checks.measured(name, given, (None, None))
    if points.shape[1] == 3 and points[:, 2].any():
        worst = int(np.flatnonzero(points[:, 2])[0])
        message = (f"{name} {worst} has z = {points[worst, 2]:g} m, but a spheropolygon lies in "
                   "the plane z = 0")
        raise InputError(message)
    if points.shape[1] not in (2, 3):
        message = f"{name} must have two coordinates each, got {points.shape[1]}"
        raise InputError(message)
    return points[:, :2]

"""What all shapes have in common that are a skeleton swept by a ball."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np

from granum import checks
from granum.checks import FloatArray
from granum.errors import InputError
from granum.quantity import Ball, Length
from granum.shapes.columns import swept_union
from granum.shapes.covers import given_cover
from granum.shapes.settled import Settled, inertia_of, settle_shape
from granum.shapes.skeleton import Skeleton
from granum.shapes.steiner import swept_hull, swept_polygon
from granum.shapes.turning import turned_back
from granum.shapes.union import Solid

MOST = 2000  # spheres of a cover


class Worked(NamedTuple):
    """A swept shape, worked out in the frame in which it was given."""

    skeleton: Skeleton
    solid: Solid
    error: float


class Swept(ABC):
    """A skeleton of points, segments and triangles, swept by a ball of ``radius``.

    Mass properties are exact (but for rounding) where the shape is convex. Elsewhere they are found
    by quadrature, and ``error`` tells how well.
    """

    radius: Length
    cover: tuple[Ball, ...]
    dimension: ClassVar[int] = 3
    """Of the worlds that ``volume``, ``inertia`` and so on are about."""

    @abstractmethod
    def skeleton(self) -> Skeleton:
        """Return what the ball is swept over, nothing in it that cannot be felt."""

    def fits(self, dimension: int) -> bool:
        """Tell whether a world of this dimension can have grains of this shape."""
        return dimension == self.dimension

    @property
    def volume(self) -> float:
        """Its volume [m3]; of a shape in the plane its area times the unit thickness."""
        return _worked(self, self.dimension).solid.volume

    @property
    def centre(self) -> FloatArray:
        """Its centre of mass in the frame in which it is given, (3,) [m]."""
        return _worked(self, self.dimension).solid.centre.copy()

    @property
    def center(self) -> FloatArray:
        """The same as ``centre``, in American spelling."""
        return self.centre

    @property
    def inertia(self) -> FloatArray:
        """Its tensor of inertia about the centre for density 1 kg/m3, (3,3) [kg m2].

        It is seen in the frame in which the shape is given. Of a shape in the plane, which turns
        about z only, [2, 2] is the moment that counts.
        """
        return inertia_of(_worked(self, self.dimension).solid)

    @property
    def bounding_radius(self) -> float:
        """Radius of the sphere about its centre of mass that holds it [m]."""
        return self.settled(self.dimension).shape.radius

    @property
    def error(self) -> float:
        """Estimate of the relative error of ``volume``; 0: in closed form."""
        return _worked(self, self.dimension).error

    def covered(self, points: Any, radii: Any) -> Self:
        """Return this shape with a cover of your own, for neighbours by triangulation.

        The cover grows with the grain. That it holds the shape is checked here, by proof; that it
        suits the other shapes of a world, at the start of the simulation.

        Args:
            points: (k,3) centres of the spheres, in the frame in which the shape is given [m];
                (k,2) for a shape in the plane.
            radii: one for all, or (k,) [m].
        """
        name = type(self).__name__
        at = checks.measured(f"{name} cover", points, (None, None))
        at = np.column_stack((at, np.zeros((len(at), max(0, 3 - at.shape[1])))))
        sizes = np.full(len(at), radii) if np.ndim(radii) == 0 else checks.array(
            f"{name} radii of the cover", radii, (len(at),))
        found: Self = replace(  # type: ignore[type-var]
            self, cover=np.column_stack((at, sizes)))
        found.settled(found.dimension)
        return found

    def _checked_cover(self) -> tuple[Ball, ...]:
        """Return the spheres that the user has chosen, as numbers."""
        name = type(self).__name__
        if isinstance(self.cover, Sequence) and not self.cover:
            return ()
        rows = checks.measured(f"{name} cover", self.cover, (None, 4))
        if len(rows) > MOST:
            message = f"{name} cover must have {MOST} spheres at most, got {len(rows)}"
            raise InputError(message)
        return tuple((x, y, z, checks.positive(f"{name} radius of sphere {k} in the cover", r))
                     for k, (x, y, z, r) in enumerate(rows.tolist()))

    def settled(self, dimension: int) -> Settled:
        """Return the shape worked out: its mass properties, and its skeleton seen from them."""
        if not self.fits(dimension):
            name = type(self).__name__
            message = (f"{name} is a shape of a {self.dimension}D world, but this world is "
                       f"{dimension}D: " + (
                           "give a SpheroPolygon or a Spherocylinder" if dimension == 2 else
                           "give a SpheroPolyhedron; without faces it is the hull of its vertices"))
            raise InputError(message)
        return _settled(self, dimension)


@cache
def _worked(shape: Swept, dimension: int) -> Worked:
    skeleton = shape.skeleton()
    if not skeleton.is_convex:
        return Worked(skeleton, *swept_union(skeleton, shape.radius, dimension))
    if dimension == 2:
        return Worked(skeleton, swept_polygon(skeleton.points[:, :2], shape.radius), 0.0)
    return Worked(skeleton, swept_hull(skeleton, shape.radius), 0.0)


@cache
def _settled(shape: Swept, dimension: int) -> Settled:
    skeleton, solid, _ = _worked(shape, dimension)
    radii = np.full(len(skeleton.points), shape.radius)
    settled = settle_shape(solid, skeleton.points, radii, dimension, edges=skeleton.edges,
                           seams=skeleton.seams, faces=skeleton.faces)
    return _with_cover(settled, shape, dimension) if shape.cover else settled


def _with_cover(settled: Settled, shape: Swept, dimension: int) -> Settled:
    """Return the same with the cover that the user has chosen.

    It is checked in the frame in which the shape was given: messages speak of that.
    """
    points = _worked(shape, dimension).skeleton.points
    given, rows = replace(settled.shape, points=tuple(map(tuple, points.tolist()))), shape.cover
    found = given_cover(given, [row[:3] for row in rows], [row[3] for row in rows], dimension,
                        f"this {type(shape).__name__}")
    seen = turned_back(settled.axes, found.points - settled.centre)
    numbers = np.column_stack((seen, found.radii, found.depths)).tolist()
    return settled._replace(shape=replace(settled.shape, cover=tuple(map(tuple, numbers)),
                                          skin=found.skin))

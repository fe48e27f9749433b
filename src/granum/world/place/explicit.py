"""Grains at given points."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from granum import checks
from granum.checks import FloatArray, IntArray
from granum.errors import InputError
from granum.quantity import Length, Number, Point, Velocity
from granum.shapes import AnySwept, Clump
from granum.shapes.turning import product, turned
from granum.world.place.fields import Shaped, settle, triple
from granum.world.place.overlap import overlapping_pairs
from granum.world.place.space import Placed, Space, slack, wrap

Orientation = tuple[Number, Number, Number, Number]
UNIT = 1e-6  # by which the length of an orientation may differ from 1


@dataclass(frozen=True)
class Explicit(Shaped):
    """Grains where the user says.

    Args:
        points: the centres [m]; in a 2D world with z = 0.
        radius: one radius [m] for all, or one for each point.
        velocity: one velocity [m/s] for all, or one for each point.
        clump: what the grains are, if not spheres; turned as it is given, and so large that the
            sphere about its centre of mass that holds it has the ``radius``. These spheres may not
            overlap.
        shape: the same for a skeleton swept by a ball, in place of a clump.
        orientation: how clumps and swept shapes are turned: a unit quaternion (w, x, y, z), one for
            all or one for each point. With it they may be so close that the spheres which hold them
            overlap; whether they do themselves is seen when the simulation begins.
    """

    points: tuple[Point, ...]
    radius: Length | tuple[Length, ...]
    velocity: Velocity | tuple[Velocity, ...] = (0.0, 0.0, 0.0)
    clump: Clump | None = None
    shape: AnySwept | None = None
    orientation: Orientation | tuple[Orientation, ...] | None = None

    def __post_init__(self) -> None:
        """Check every number and the number of radii and velocities."""
        self.settle_body()
        if len(self.points) == 0:
            message = "Explicit points must hold at least one point, got none"
            raise InputError(message)
        points = tuple(triple(f"Explicit points[{k}]", one) for k, one in enumerate(self.points))
        settle(
            self,
            points=points,
            radius=self._checked_radius(self.radius),
            velocity=self._checked_velocity(self.velocity),
            orientation=self._checked_orientation(self.orientation),
        )

    def place(self, space: Space, rng: np.random.Generator) -> Placed:
        """Return the grains; refuse any that overlaps another grain or a wall.

        ``rng`` is not used; every way of placing is called alike.
        """
        given = checks.measured("points", self.points, (None, 3))
        if space.dimension == 2 and given[:, 2].any():
            worst = int(np.flatnonzero(given[:, 2])[0])
            message = (
                f"Explicit points[{worst}] has z = {given[worst, 2]:g} m, but a 2D world lies in "
                f"the plane z = 0: set z to 0"
            )
            raise InputError(message)
        points = wrap(given, space.periodic)
        radii = np.broadcast_to(np.asarray(self.radius), len(points)).astype(np.float64)
        velocities = np.broadcast_to(np.asarray(self.velocity), points.shape).astype(np.float64)
        if self.orientation is None:
            self._refuse_walls(points, radii, np.arange(len(points)), space)
            self._refuse_overlaps(points, radii, space)
            return Placed(points, radii, velocities)
        turns = np.broadcast_to(np.asarray(self.orientation), (len(points), 4)).astype(np.float64)
        self._refuse_walls(*self._balls(points, radii, turns, space.dimension), space)
        return Placed(points, radii, velocities, turns)

    def _balls(self, points: FloatArray, radii: FloatArray, turns: FloatArray, dimension: int
               ) -> tuple[FloatArray, FloatArray, IntArray]:
        """Return the balls of all grains: centres (m,3) [m], radii (m,) [m], whose each is (m,)."""
        assert self.body is not None
        shape, _, axes = self.body.settled(dimension)
        scale = radii / shape.radius
        arms = turned(product(turns, axes)[:, None], np.array(shape.points)) * scale[:, None, None]
        return ((points[:, None] + arms).reshape(-1, 3), np.outer(scale, shape.radii).ravel(),
                np.repeat(np.arange(len(points)), len(shape)))

    def _checked_radius(self, radius: Any) -> float | tuple[float, ...]:
        if not _is_list(radius):
            return checks.positive("Explicit radius", radius)
        self._check_length("radius", len(radius))
        return tuple(checks.positive(f"Explicit radius[{k}]", one) for k, one in enumerate(radius))

    def _checked_velocity(self, velocity: Any) -> Any:
        if not (_is_list(velocity) and len(velocity) and _is_list(velocity[0])):
            return triple("Explicit velocity", velocity)
        self._check_length("velocity", len(velocity))
        return tuple(triple(f"Explicit velocity[{k}]", one) for k, one in enumerate(velocity))

    def _checked_orientation(self, orientation: Any) -> Any:
        if orientation is None:
            return None
        if self.body is None:
            message = "Explicit orientation is for a clump or a shape: spheres look alike all round"
            raise InputError(message)
        if not (_is_list(orientation) and len(orientation) and _is_list(orientation[0])):
            return _quaternion("Explicit orientation", orientation)
        self._check_length("orientation", len(orientation))
        return tuple(_quaternion(f"Explicit orientation[{k}]", one)
                     for k, one in enumerate(orientation))

    def _check_length(self, name: str, length: int) -> None:
        if length != len(self.points):
            message = (
                f"Explicit {name} must be one for all grains or one for each of the "
                f"{len(self.points)} points, got {length}"
            )
            raise InputError(message)

    def _refuse_walls(self, balls: FloatArray, radii: FloatArray, owner: IntArray, space: Space
                      ) -> None:
        # Touching a wall is allowed, whatever the rounding.
        bare = np.maximum(radii - slack(balls, radii, space.periodic), 0.0)
        refused = np.unique(owner[~space.fits(balls, bare)])
        if refused.size:
            worst = int(refused[0])
            size = np.broadcast_to(np.asarray(self.radius), len(self.points))[worst]
            message = (
                f"Explicit points[{worst}] = {self.points[worst]} m with radius {size:g} m "
                f"does not fit inside the walls ({refused.size} of {len(self.points)} points do "
                f"not): move it or make it smaller"
            )
            raise InputError(message)

    def _refuse_overlaps(self, points: FloatArray, radii: FloatArray, space: Space) -> None:
        earlier = len(space.radii)
        i, j, depth = overlapping_pairs(
            np.concatenate([space.points, points]),
            np.concatenate([space.radii, radii]),
            space.periodic,
        )
        new = j >= earlier  # pairs of earlier grains alone are not ours to judge
        i, j, depth = i[new], j[new], depth[new]
        if depth.size:
            worst = int(depth.argmax())
            other = (
                f"grain {space.names[i[worst]]}, which was placed before it" if i[worst] < earlier
                else "its own periodic image" if i[worst] == j[worst]
                else f"points[{i[worst] - earlier}]"
            )
            message = (
                f"Explicit points[{j[worst] - earlier}] overlaps {other} by {depth[worst]:g} m "
                f"({depth.size} overlapping pairs, this is the deepest): move them apart or make "
                f"them smaller"
            )
            raise InputError(message)


def _quaternion(name: str, value: Any) -> Orientation:
    """Return ``value`` as a tuple of four floats that is a unit quaternion."""
    w, x, y, z = checks.array(name, value, (4,)).tolist()
    length = math.hypot(w, x, y, z)
    if abs(length - 1.0) > UNIT:
        message = f"{name} must be a unit quaternion (w, x, y, z), got one of length {length:g}"
        raise InputError(message)
    return w, x, y, z


def _is_list(value: Any) -> bool:
    """Tell whether ``value`` holds several numbers."""
    return isinstance(value, (Sequence, np.ndarray)) and not isinstance(value, str)

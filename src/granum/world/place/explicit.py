"""Grains at given points."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from granum import checks
from granum.checks import FloatArray
from granum.errors import InputError
from granum.quantity import Length, Point, Velocity
from granum.shapes import AnySwept, Clump
from granum.world.place.fields import Shaped, settle, triple
from granum.world.place.overlap import overlapping_pairs
from granum.world.place.space import Placed, Space, slack, wrap


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
    """

    points: tuple[Point, ...]
    radius: Length | tuple[Length, ...]
    velocity: Velocity | tuple[Velocity, ...] = (0.0, 0.0, 0.0)
    clump: Clump | None = None
    shape: AnySwept | None = None

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
        self._refuse_walls(points, radii, space)
        self._refuse_overlaps(points, radii, space)
        velocities = np.broadcast_to(np.asarray(self.velocity), points.shape).astype(np.float64)
        return Placed(points, radii, velocities)

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

    def _check_length(self, name: str, length: int) -> None:
        if length != len(self.points):
            message = (
                f"Explicit {name} must be one for all grains or one for each of the "
                f"{len(self.points)} points, got {length}"
            )
            raise InputError(message)

    def _refuse_walls(self, points: FloatArray, radii: FloatArray, space: Space) -> None:
        # Touching a wall is allowed, whatever the rounding.
        bare = np.maximum(radii - slack(points, radii, space.periodic), 0.0)
        refused = np.flatnonzero(~space.fits(points, bare))
        if refused.size:
            worst = int(refused[0])
            message = (
                f"Explicit points[{worst}] = {self.points[worst]} m with radius {radii[worst]:g} m "
                f"does not fit inside the walls ({refused.size} of {len(points)} points do not): "
                f"move it or make it smaller"
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


def _is_list(value: Any) -> bool:
    """Tell whether ``value`` holds several numbers."""
    return isinstance(value, (Sequence, np.ndarray)) and not isinstance(value, str)

"""Clumps: spheres that are stuck to each other for good and move as one body.

Where they overlap, matter counts once: volume, centre of mass and moments of inertia are those of
the union (see `union`). A ball that lies inside another one is left out: it could touch nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from granum import checks
from granum.checks import FloatArray
from granum.errors import InputError
from granum.quantity import Length, Point
from granum.shapes.settled import Settled, settle_shape
from granum.shapes.union import union_of_balls, union_of_discs

TOUCH = 1e-9  # gap, as a share of the radii, across which two spheres still count as stuck
MOST = 2000  # spheres in a clump


@dataclass(frozen=True)
class Clump:
    """Spheres (in a 2D world discs) held together, moving as one rigid body.

    Args:
        points: their centres, in a frame of the clump's own [m]; they may overlap in any way, but
            must hang together.
        radii: one radius for all spheres, or one for each [m].
    """

    points: tuple[Point, ...]
    radii: Length | tuple[Length, ...]

    def __post_init__(self) -> None:
        """Check every number, and that the spheres hang together."""
        points = self._checked_points()
        radii = self._checked_radii(len(points))
        checks.settle(self, points=tuple(map(tuple, points.tolist())), radii=tuple(radii.tolist()))
        self._refuse_parts(points, radii)

    def _checked_points(self) -> FloatArray:
        count = len(self.points) if isinstance(self.points, Sequence | np.ndarray) else 1
        if not 1 <= count <= MOST:
            message = f"Clump points must be 1 to {MOST}, got {count}"
            raise InputError(message)
        given = checks.array("Clump points", self.points, (None, None))
        if given.shape[1] == 2:
            given = np.column_stack((given, np.zeros(len(given))))
        return checks.measured("Clump points", given, (None, 3))

    def _checked_radii(self, count: int) -> FloatArray:
        given: Any = self.radii
        if not isinstance(given, Sequence | np.ndarray):
            return np.full(count, checks.positive("Clump radii", given))
        if len(given) != count:
            message = (f"Clump radii must be one for all, or one for each of the {count} points, "
                       f"got {len(given)}")
            raise InputError(message)
        return np.array([checks.positive(f"Clump radii[{k}]", one) for k, one in enumerate(given)])

    def _refuse_parts(self, points: FloatArray, radii: FloatArray) -> None:
        """Refuse a clump that is in several pieces."""
        reached, waiting = np.zeros(len(radii), dtype=np.bool_), [0]
        reached[0] = True
        while waiting:
            k = waiting.pop()
            near = np.linalg.norm(points - points[k], axis=1) <= (radii + radii[k]) * (1.0 + TOUCH)
            waiting += np.flatnonzero(near & ~reached).tolist()
            reached |= near
        if not reached.all():
            apart = int(np.argmin(reached))
            message = (f"Clump points must hang together, but sphere {apart} at "
                       f"{tuple(points[apart].tolist())} touches none of those that hold on to "
                       f"sphere 0: move the spheres together, or enlarge them")
            raise InputError(message)

    def __len__(self) -> int:
        """Return the number of spheres."""
        return len(self.points)

    def settled(self, dimension: int) -> Settled:
        """Return the clump worked out: its mass properties, and its spheres seen from them."""
        return _settled(self, dimension)


@cache
def _settled(clump: Clump, dimension: int) -> Settled:
    points, radii = np.array(clump.points), np.array(clump.radii)
    if dimension == 2 and points[:, 2].any():
        worst = int(np.flatnonzero(points[:, 2])[0])
        message = (f"Clump points[{worst}] has z = {points[worst, 2]:g} m, but a 2D world lies in "
                   "the plane z = 0: set z to 0")
        raise InputError(message)
    kept = _outermost(points, radii)
    points, radii = points[kept], radii[kept]
    solid = union_of_discs(points, radii) if dimension == 2 else union_of_balls(points, radii)
    if len(radii) == 1:
        solid = solid._replace(centre=points[0])
    return settle_shape(solid, points, radii, dimension)


def _outermost(points: FloatArray, radii: FloatArray) -> list[int]:
    """Return the spheres that do not lie inside another one; the first of several alike."""
    kept: list[int] = []
    for k in np.argsort(-radii, kind="stable"):
        inside = np.linalg.norm(points[kept] - points[k], axis=1) + radii[k] <= radii[kept]
        if not inside.any():
            kept.append(int(k))
    return sorted(kept)

"""Whole clusters: at given places, at random, or on a lattice."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np

from granum import checks
from granum.checks import FloatArray
from granum.clusters import AnyCluster, Layout
from granum.errors import InputError
from granum.quantity import Length, Number, Point, Velocity
from granum.shapes.turning import random_turns, turned
from granum.world.place.fields import settle, settle_box, triple, whole
from granum.world.place.grid import Grid, grid_of
from granum.world.place.region import region
from granum.world.place.space import ROUNDING, Space, wrap

ROUND = 32  # poses tried between two calls of the walls
MOST = 1_000_000  # clusters
LOOSE = 1.01  # distance of neighbours on a lattice, over what they need


class Poses(NamedTuple):
    """Where whole clusters are."""

    centres: FloatArray  # (n,3) centres of mass [m]
    orientations: FloatArray  # (n,4) unit quaternions


@dataclass(frozen=True)
class Clusters:
    """Copies of one cluster, without overlap.

    Args:
        cluster: what is placed.
        count: how many; leave it out if ``at`` says where.
        at: where their centres of mass are [m], instead of ``count``.
        arrangement: ``"random"`` places, or a cubic ``"lattice"`` from the bottom up.
        orientation: ``"random"``, or the same unit quaternion (w, x, y, z) for all.
        spacing: distance of neighbours on the lattice [m]; what the clusters need, and 1 % more,
            unless given.
        low: lower corner of the region [m]; default: the container's bounding box.
        high: upper corner [m]. The region holds whole clusters.
        velocity: of all [m/s].
        attempts: how many places may be tried for a cluster, on average over all.
    """

    cluster: AnyCluster
    count: int | None = None
    at: tuple[Point, ...] = ()
    arrangement: Literal["random", "lattice"] = "random"
    orientation: Literal["random"] | tuple[Number, Number, Number, Number] = "random"
    spacing: Length | None = None
    low: Point | None = None
    high: Point | None = None
    velocity: Velocity = (0.0, 0.0, 0.0)
    attempts: int = 1000

    def __post_init__(self) -> None:
        """Check every field."""
        if not isinstance(self.cluster, AnyCluster):
            message = (f"Clusters cluster must be a Cluster, GluedRod, GluedTetrahedron or "
                       f"GluedCylinder, got {self.cluster!r}")
            raise InputError(message)
        if (self.count is None) == (len(self.at) == 0):
            message = "Clusters count must be given, or at, but not both"
            raise InputError(message)
        if self.arrangement not in ("random", "lattice"):
            message = (f"Clusters arrangement must be 'random' or 'lattice', "
                       f"got {self.arrangement!r}")
            raise InputError(message)
        settle_box(self)
        settle(self, at=tuple(triple(f"Clusters at[{k}]", p) for k, p in enumerate(self.at)),
               velocity=triple("Clusters velocity", self.velocity),
               attempts=whole(self, "attempts"), orientation=_settled_turn(self.orientation))
        if self.count is not None:
            settle(self, count=whole(self, "count"))
        if self.spacing is not None:
            settle(self, spacing=checks.positive("Clusters spacing", self.spacing))

    def arrange(self, space: Space, rng: np.random.Generator) -> Poses:
        """Return centres and orientations.

        Raises:
            InputError: there is no room for all.
        """
        if self.at:
            return Poses(np.array(self.at), self._turns(rng, len(self.at), space.dimension))
        assert self.count is not None
        if self.count > MOST:
            message = f"Clusters count = {float(self.count):.2g} is too many: at most {MOST:g}"
            raise InputError(message)
        layout = self.cluster.layout()
        if self.arrangement == "lattice":
            return self._on_lattice(space, rng, layout)
        return self._at_random(space, rng, layout)

    def _turns(self, rng: np.random.Generator, count: int, dimension: int) -> FloatArray:
        if self.orientation == "random":
            return random_turns(rng, count, dimension)
        return np.tile(np.asarray(self.orientation, dtype=np.float64), (count, 1))

    def _at_random(self, space: Space, rng: np.random.Generator, layout: Layout) -> Poses:
        """Try random poses, one cluster after another (random sequential addition)."""
        assert self.count is not None
        box = region("Clusters", space, self.low, self.high)
        needed = self._extent(layout)
        low, high = box.low - needed[0], box.high - needed[1]
        for axis in range(space.dimension):
            if box.wraps[axis]:
                low[axis], high[axis] = box.low[axis], box.high[axis]
        low[space.dimension :] = high[space.dimension :] = 0.0
        self._refuse_thin(low, high, space.dimension)
        grid = grid_of(space.points, space.radii, np.tile(layout.radii, self.count), space.periodic)
        found: list[tuple[FloatArray, FloatArray]] = []
        tried = 0
        while len(found) < self.count:
            if tried >= self.attempts * self.count:
                message = (
                    f"Clusters count = {self.count}, but after {tried} attempts only {len(found)} "
                    "have found a place without overlap: lower count, enlarge the region or raise "
                    "attempts; a lattice, or one orientation for all, holds more")
                raise InputError(message)
            tried += ROUND
            centres = low + rng.random((ROUND, 3)) * (high - low)
            turns = self._turns(rng, ROUND, space.dimension)
            wanted = self.count - len(found)
            found += [(centres[pose], turns[pose])
                      for pose in self._free(layout, centres, turns, space, grid, wanted)]
        return Poses(*(np.array(part) for part in zip(*found, strict=True)))

    @staticmethod
    def _free(layout: Layout, centres: FloatArray, turns: FloatArray, space: Space, grid: Grid,
              wanted: int) -> list[int]:
        """Add those clusters to the grid, in turn, that touch neither walls nor each other.

        The grid has room for no more than are ``wanted``.
        """
        arms = turned(turns[:, None], layout.points)
        spheres = wrap(centres[:, None] + arms, space.periodic)
        radii = np.tile(layout.radii, len(centres))
        fits = space.fits(spheres.reshape(-1, 3), radii).reshape(len(centres), -1).all(axis=1)
        found: list[int] = []
        for pose in np.flatnonzero(fits):
            if len(found) < wanted and grid.free(spheres[pose], layout.radii).all():
                grid.add(spheres[pose], layout.radii)
                found.append(int(pose))
        return found

    def _on_lattice(self, space: Space, rng: np.random.Generator, layout: Layout) -> Poses:
        """Fill a cubic lattice, layer by layer from the bottom."""
        assert self.count is not None
        need = self._extent(layout)
        size = np.asarray(need[1] - need[0])
        pitch = LOOSE * size if self.spacing is None else np.full(3, self.spacing)
        if (pitch < size * (1.0 - ROUNDING)).any():
            message = (f"Clusters spacing must be at least {size.max():g} m, so that neighbours do "
                       f"not overlap, got {self.spacing:g} m")
            raise InputError(message)
        up = space.dimension - 1
        box = region("Clusters", space, self.low, self.high, top=self.count * float(pitch[up]))
        room = box.high - box.low
        self._refuse_thin(box.low - need[0], box.high - need[1], space.dimension)
        number = np.floor((room - size) / pitch * (1.0 + ROUNDING)).astype(np.int64) + 1
        if space.dimension == 2:
            number[2] = 1
        if number.prod() < self.count:
            places = " x ".join(map(str, number))
            message = (f"Clusters count = {self.count}, but this lattice has {number.prod()} "
                       f"places ({places}): lower count or spacing, enlarge the region, or use one "
                       "orientation for all")
            raise InputError(message)
        left = np.arange(self.count)
        order = [0, 2, 1] if space.dimension == 2 else [0, 1, 2]
        step = np.empty((self.count, 3))
        for axis in order:
            step[:, axis] = left % number[axis]
            left = left // number[axis]
        start = box.low - need[0] + 0.5 * (room - size - (number - 1) * pitch)
        start[up] = box.low[up] - need[0][up]
        if space.dimension == 2:
            start[2] = 0.0
        centres = start + step * pitch
        turns = self._turns(rng, self.count, space.dimension)
        return self._checked(Poses(centres, turns), layout, space)

    def _checked(self, poses: Poses, layout: Layout, space: Space) -> Poses:
        """Refuse places of the lattice that walls or earlier grains do not leave free."""
        grid = grid_of(space.points, space.radii, np.tile(layout.radii, len(poses.centres)),
                       space.periodic)
        found = self._free(layout, *poses, space, grid, len(poses.centres))
        if len(found) < len(poses.centres):
            k = int(np.setdiff1d(np.arange(len(poses.centres)), found)[0])
            place = ", ".join(f"{x:.4g}" for x in poses.centres[k])
            message = (f"Clusters: {len(poses.centres) - len(found)} of {self.count} places of the "
                       f"lattice are not free of walls and earlier grains, the first at ({place}) "
                       "m: give the region (low, high), or use a random arrangement")
            raise InputError(message)
        return poses

    def _extent(self, layout: Layout) -> tuple[FloatArray, FloatArray]:
        """Return how far a cluster reaches from its centre, down and up each axis [m]."""
        if self.orientation == "random":
            return np.full(3, -layout.reach), np.full(3, layout.reach)
        arms, r = turned(np.array(self.orientation), layout.points), layout.radii[:, None]
        return (arms - r).min(axis=0), (arms + r).max(axis=0)

    def _refuse_thin(self, first: FloatArray, last: FloatArray, dimension: int) -> None:
        for axis in range(dimension):
            if last[axis] < first[axis] - ROUNDING * abs(first[axis]):
                message = (f"Clusters: the region is too thin in {'xyz'[axis]} for this cluster, "
                           f"by {first[axis] - last[axis]:g} m: enlarge it (low, high), or make "
                           "the cluster smaller")
                raise InputError(message)


def _settled_turn(orientation: Any) -> Any:
    """Return ``"random"`` or a unit quaternion as a tuple."""
    if isinstance(orientation, str):
        if orientation != "random":
            message = (f"Clusters orientation must be 'random' or a unit quaternion (w, x, y, z), "
                       f"got {orientation!r}")
            raise InputError(message)
        return orientation
    turn = checks.array("Clusters orientation", orientation, (4,))
    length = math.sqrt(float(turn @ turn))
    if abs(length - 1.0) > 1e-6:
        message = f"Clusters orientation must be a unit quaternion (w, x, y, z), got {orientation}"
        raise InputError(message)
    return tuple((turn / length).tolist())

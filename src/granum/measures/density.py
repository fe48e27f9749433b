"""Density: how much of a region is filled by grains.

    φ = Σ v_i / V

v_i is the volume of grain i inside the region, exactly, also where the region cuts it, and V the
volume of the region (Ferrez 2001, 4.3, with everything between floor and surface as the region). In
2D volumes are areas. Where two grains overlap, their overlap counts twice; it is a small share in a
soft contact. A clump that the region cuts counts with the share of its balls' volumes that is
inside, times its own volume. A rod, a cube or any other swept shape counts with the share of some
thousand points that fill it (`granum.shapes.stuffing`), unless the balls at its vertices are
all inside: regions are convex, and then so is it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from granum.checks import FloatArray
from granum.measures.measure import Look, Measure, Values
from granum.measures.region import ContainerRegion, Region, Settled, balls_near, images_near
from granum.shapes.stuffing import stuffing
from granum.shapes.turning import turned
from granum.world import World
from granum.world.place.space import wrap

WHOLE = ContainerRegion()
ALL = 1.0 - 1e-9  # share of its vertices inside from which on a grain is inside


def density(world: World, region: Region = WHOLE, time: float = 0.0) -> float:
    """Return the share of a region that grains fill; nan up to the surface of no grains.

    Args:
        world: with the grains.
        region: where; the container up to the surface of the grains unless given.
        time: at which walls that move are where they are [s]; only a container minds.

    Raises:
        InputError: the region shall be the container, which is no box and no upright cylinder.
    """
    settled = region.settled(world, time)
    if settled is None:
        return float("nan")
    return float(filled_volumes(world, settled).sum()) / settled.volume(world.dimension)


def filled_volumes(world: World, region: Settled) -> FloatArray:
    """Return the volume of each grain inside a region, (n,) [m3]; in 2D the area [m2]."""
    points, radii, grain = balls_near(world, region)
    filled = region.filled(points, radii, world.dimension)
    inside: FloatArray = np.bincount(grain, filled, len(world)).astype(np.float64)
    if not world.shapes:
        return inside
    balls = world.balls()
    share = inside / np.bincount(balls.grain, _whole(balls.arm[:, 3], world.dimension), len(world))
    cut = _are_cut(world, region, share)
    if cut.any():
        share[cut] = _stuffed_shares(world, region, cut)[cut]
    return np.asarray(share * world.volumes())


def _whole(radii: FloatArray, dimension: int) -> FloatArray:
    """Return the volumes of balls [m3], in 2D the areas of discs [m2]."""
    return np.asarray(np.pi * radii**2 if dimension == 2 else 4.0 / 3.0 * np.pi * radii**3)


def _are_cut(world: World, region: Settled, share: FloatArray) -> NDArray[np.bool_]:
    """Tell which swept grains a region may cut, (n,); ``share`` is that of their vertices inside.

    In a periodic cell vertices on either side of a border may be inside while what is between them
    is not, so there all that reach over it are asked.
    """
    grains = world.grains
    is_swept = np.array([*(bool(shape.edges) for shape in world.shapes), False])[grains.shape]
    is_near = np.zeros(len(world), dtype=np.bool_)
    is_near[images_near(world, region, grains.position, grains.radius)[2]] = True
    is_whole = share > ALL
    for axis, length in enumerate(world.periodic):
        if length is not None:
            place = wrap(grains.position, world.periodic)[:, axis]
            is_whole &= (place > grains.radius) & (place < length - grains.radius)
    return np.asarray(is_swept & is_near & ~is_whole)


def _stuffed_shares(world: World, region: Settled, chosen: NDArray[np.bool_]) -> FloatArray:
    """Return the share of chosen grains inside a region by the points that fill them, (n,)."""
    grains, share = world.grains, np.zeros(len(world))
    for number, shape in enumerate(world.shapes):
        mine = np.flatnonzero(chosen & (grains.shape == number))
        if not len(mine):
            continue
        table, weight = stuffing(shape, world.dimension)
        axes = turned(grains.orientation[mine, None], np.eye(3))  # where those of the shape point
        axes *= (grains.radius[mine] / shape.radius)[:, None, None]
        places = grains.position[mine, None] + sum(
            table[:, k, None] * axes[:, None, k] for k in range(3))
        points, _, which = images_near(world, region, places.reshape(-1, 3),
                                       np.zeros(len(mine) * len(table)))
        which = which[region.contains(points, world.dimension)]
        share += np.bincount(mine[which // len(table)], weight[which % len(table)], len(world))
    return share


@dataclass(frozen=True)
class Density(Measure):
    """The share of a region that grains fill.

    Args:
        region: where; the container up to the surface of the grains unless given.
    """

    type_name: ClassVar[str] = "density"
    counts_parts: ClassVar[bool] = True
    region: Region = WHOLE

    def quantities(self, world: World) -> tuple[str, ...]:
        """Return the column."""
        return ("density",)

    def read(self, look: Look) -> Values:
        """Return the density."""
        return (density(look.world, self.region, look.time),)

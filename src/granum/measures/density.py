"""Density: how much of a region is filled by grains.

    φ = Σ v_i / V

v_i is the volume of grain i inside the region, exactly, also where the region cuts it, and V the
volume of the region (Ferrez 2001, 4.3, with everything between floor and surface as the region). In
2D volumes are areas. Where two grains overlap, their overlap counts twice; it is a small share in a
soft contact. A clump that the region cuts counts with the share of its balls' volumes that is
inside, times its own volume.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from granum.checks import FloatArray
from granum.measures.measure import Look, Measure, Values
from granum.measures.region import ContainerRegion, Region, Settled, balls_near
from granum.world import World

WHOLE = ContainerRegion()


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
    balls, volumes = world.balls(), world.volumes()
    r = balls.arm[:, 3]
    every = np.pi * r**2 if world.dimension == 2 else 4.0 / 3.0 * np.pi * r**3
    return np.asarray(inside / np.bincount(balls.grain, every, len(world)) * volumes)


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

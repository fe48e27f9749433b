"""Heights of the grains above the origin of coordinates, along z (in 2D y) [m].

top              max (z_i + r_i)
mean_height      Σ z_i / n
centre_of_mass   Σ m_i z_i / Σ m_i
surface_height   mean top of columns two diameters wide (see `surface`)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from granum.measures.measure import Look, Measure, Values, mean
from granum.measures.region import Region
from granum.measures.surface import surface_height
from granum.world import World


class Height(NamedTuple):
    """Heights at one moment [m]; nan without grains."""

    top: float
    mean: float
    centre_of_mass: float
    surface: float


def heights(world: World, among: NDArray[np.bool_] | None = None) -> Height:
    """Return how high the grains are; ``among`` (n,) tells which ones count, all unless given."""
    grains, balls, up = world.grains, world.balls(), world.dimension - 1
    chosen = np.ones(len(grains), dtype=np.bool_) if among is None else among
    if not chosen.any():
        return Height(*[float("nan")] * 4)
    z, mass = grains.position[chosen, up], grains.mass[chosen]
    tops = (world.ball_positions(balls)[:, up] + balls.arm[:, 3])[chosen[balls.grain]]
    return Height(float(tops.max()), mean(z), float((mass * z).sum() / mass.sum()),
                  surface_height(world, chosen))


@dataclass(frozen=True)
class Heights(Measure):
    """How high the grains are: the top of the highest, their mean, their centre, their surface.

    Args:
        region: which grains count, by their centres; all unless given.
    """

    type_name: ClassVar[str] = "heights"
    region: Region | None = None

    def quantities(self, world: World) -> tuple[str, ...]:
        """Return the columns."""
        return "top [m]", "mean_height [m]", "centre_of_mass [m]", "surface_height [m]"

    def read(self, look: Look) -> Values:
        """Return the heights."""
        return heights(look.world, look.inside(self.region))

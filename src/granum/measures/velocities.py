"""Velocities of the grains: mean, root of the mean square, granular temperature.

    mean          ū = Σ v_i / n                  [m/s]
    rms           √(Σ |v_i|² / n)                [m/s]
    temperature   T = Σ |v_i - ū|² / (n D)       [m²/s²], D = 3, in 2D 2

(Goldhirsch, Annu. Rev. Fluid Mech. 35 (2003) 267, section 2.) Every grain counts the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from granum.checks import FloatArray
from granum.measures.measure import Look, Measure, Values
from granum.measures.region import Region
from granum.world import World


class Velocity(NamedTuple):
    """Velocities at one moment; nan without grains."""

    mean: FloatArray  # (3,) [m/s]
    rms: float  # [m/s]
    temperature: float  # [m2/s2]


def velocities(world: World, among: NDArray[np.bool_] | None = None) -> Velocity:
    """Return how the grains move; ``among`` (n,) tells which ones count, all unless given."""
    v = world.grains.velocity if among is None else world.grains.velocity[among]
    if not len(v):
        return Velocity(np.full(3, np.nan), float("nan"), float("nan"))
    mean = v.mean(axis=0)
    own = v - mean
    return Velocity(mean, float(np.sqrt((v * v).sum(axis=1).mean())),
                    float((own * own).sum(axis=1).mean() / world.dimension))


@dataclass(frozen=True)
class Velocities(Measure):
    """Mean velocity, root mean square of the velocity, and granular temperature.

    Args:
        region: which grains count, by their centres; all unless given.
    """

    type_name: ClassVar[str] = "velocities"
    region: Region | None = None

    def quantities(self, world: World) -> tuple[str, ...]:
        """Return the columns."""
        return ("mean_velocity_x [m/s]", "mean_velocity_y [m/s]", "mean_velocity_z [m/s]",
                "rms_velocity [m/s]", "temperature [m2/s2]")

    def read(self, look: Look) -> Values:
        """Return the velocities."""
        found = velocities(look.world, look.inside(self.region))
        return *found.mean.tolist(), found.rms, found.temperature

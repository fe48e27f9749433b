"""Elastic grains without friction: a linear spring, and nothing is lost.

    F_n = k δ,   energy k δ² / 2

δ overlap [m], k stiffness of a contact [N/m]. The energy of a run only changes by errors of the
time step. The stiffness does not depend on the grains' sizes, unlike that of the laws with a
contact time: a pair of effective mass m collides for t_c = π √(m / k).

Valid for small overlaps and any speed; grains that shall come to rest need another law.
Source: F. Alonso-Marroquín and Y. Wang, Granular Matter 11 (2009) 317, equations 8 and 11 (with the
sign that repels, and δ² in the energy); J.-A. Ferrez, EPFL thesis 2432 (2001), figure 3.5.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numba.extending import register_jitable

from granum.checks import FloatArray, positive
from granum.errors import InputError
from granum.laws.law import TimeSteps
from granum.quantity import Stiffness


@dataclass(frozen=True)
class Elastic:
    """A linear spring without any loss.

    Args:
        stiffness: of the contact of two grains of this material, k [N/m].
    """

    stiffness: Stiffness

    def __post_init__(self) -> None:
        """Refuse values without a meaning."""
        positive("stiffness", self.stiffness)

    def coefficients(self) -> FloatArray:
        """Return k [N/m]."""
        return np.array([self.stiffness])

    def mixed(self, other: Elastic) -> Elastic:
        """Return the law between two materials: half of either spring, in series."""
        return Elastic(2.0 / (1.0 / self.stiffness + 1.0 / other.stiffness))

    def time_steps(self, radius: FloatArray, mass: FloatArray) -> TimeSteps:
        """Return a fiftieth of the shortest contact time, and a tenth.

        The shortest is that of two of the lightest grains, of the effective mass m/2.
        """
        if len(mass) == 0:
            message = "an elastic law needs grains to find its time step, but there are none"
            raise InputError(message)
        t_c = math.pi * math.sqrt(0.5 * float(np.min(mass)) / self.stiffness)
        return TimeSteps(t_c / 50.0, t_c / 10.0)

    remembers: ClassVar[int] = 0
    range: ClassVar[float] = 0.0
    kernel = staticmethod(lambda: force)
    potential = staticmethod(lambda: potential)


@register_jitable(inline="always")
def force(p, touch, state):
    """Return normal force [N], tangential force on grain i [N], spring [m] and state."""
    return p[0] * touch.overlap, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), state


@register_jitable(inline="always")
def potential(p, touch, state):
    """Return the energy in the spring [J]; there is none in the contact plane."""
    return 0.5 * p[0] * touch.overlap * touch.overlap, 0.0

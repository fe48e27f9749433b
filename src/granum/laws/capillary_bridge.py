"""Liquid bridges between wet grains (the pendular state).

    F_n = -F_0                              while the grains touch,  F_0 = 4 π R γ cos θ
    F_n = -F_0 (1 - g / √(g² + V / (π R)))  across a gap g, until the bridge ruptures

γ surface tension [N/m], θ contact angle, V volume of the bridge [m3], R = 1 / (1/r_i + 1/r_j) the
effective radius. The force is that of Rabinovich, Esayanur & Moudgil (Langmuir 21 (2005) 10992), in
the form of Lambert et al. (Langmuir 24 (2008) 3157), with Derjaguin's radius 2 R for grains of two
sizes and for walls. A bridge forms where grains touch, and ruptures at the gap of
Lian, Thornton & Adams (J. Colloid Interface Sci. 161 (1993) 138),

    g_r = (1 + θ/2) ∛V                      θ in radians
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numba.extending import register_jitable

from granum.checks import FloatArray, number, positive
from granum.laws.cohesion import holds, steps_of_pull
from granum.laws.law import TimeSteps
from granum.quantity import Angle, SurfaceTension, Volume


@dataclass(frozen=True)
class CapillaryBridge:
    """A liquid bridge wherever grains have touched, until they are too far apart.

    Args:
        surface_tension: of the liquid, γ [N/m]; that of water is 0.072.
        volume: of the liquid in each bridge, V [m3].
        contact_angle: between liquid and grain, θ [rad], below a right angle.
    """

    surface_tension: SurfaceTension
    volume: Volume
    contact_angle: Angle = 0.0

    signs: ClassVar[tuple[float, ...]] = (1.0,)  # whether there is a bridge
    reaches: ClassVar[bool] = True

    def __post_init__(self) -> None:
        """Refuse values without a meaning."""
        number("surface_tension", self.surface_tension, at_least=0.0)
        positive("volume", self.volume)
        number("contact_angle", self.contact_angle, at_least=0.0, below=0.5 * math.pi)

    @property
    def range(self) -> float:
        """The gap at which a bridge ruptures [m]."""
        return float((1.0 + 0.5 * self.contact_angle) * self.volume ** (1.0 / 3.0))

    def coefficients(self) -> FloatArray:
        """Return F_0/R [N/m], V/π [m3] and the gap at rupture [m]."""
        return np.array([self._pull, self.volume / math.pi, self.range])

    @property
    def _pull(self) -> float:
        return 4.0 * math.pi * self.surface_tension * math.cos(self.contact_angle)

    def mixed(self, other: CapillaryBridge) -> CapillaryBridge:
        """Return what holds between two materials: the mean of each number."""
        return CapillaryBridge(
            surface_tension=0.5 * (self.surface_tension + other.surface_tension),
            volume=0.5 * (self.volume + other.volume),
            contact_angle=0.5 * (self.contact_angle + other.contact_angle),
        )

    def time_steps(self, radius: FloatArray, mass: FloatArray) -> TimeSteps:
        """Return what the pull allows: it may not carry a grain over the gap in ten steps."""
        return steps_of_pull(np.full(len(mass), self.range), mass, self._pull * radius)

    kernel = staticmethod(lambda: pull)
    couple = staticmethod(lambda: None)
    potential = staticmethod(lambda: potential)


@register_jitable(inline="always")
def pull(p, touch, state):
    """Return the normal force [N], and whether there is a bridge."""
    gap = max(-touch.overlap, 0.0)
    held = holds(touch, state[0], p[2])
    f = p[0] * touch.radius * (1.0 - gap / np.sqrt(gap * gap + p[1] / touch.radius))
    return -f if held else 0.0, (1.0 if held else 0.0,)


@register_jitable(inline="always")
def potential(p, touch, state):
    """Return the energy of the pull, zero where the bridge has ruptured, and nothing [J]."""
    gap = max(-touch.overlap, 0.0)
    far2, gap2 = p[2] * p[2] + p[1] / touch.radius, gap * gap + p[1] / touch.radius
    way = p[2] - gap - (np.sqrt(far2) - np.sqrt(gap2)) + max(touch.overlap, 0.0)
    held = holds(touch, state[0], p[2])
    return -p[0] * touch.radius * way if held else 0.0, 0.0

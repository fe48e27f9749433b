"""Closed forms that the engine is held against: the damped oscillator of one contact, and friction.

A lone contact of the linear law is δ'' + 2 β δ' + (β² + ω²) δ = 0 with ω = π / t_c and
β = -ln e / t_c. Nothing here imports the engine.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq


@dataclass(frozen=True)
class Oscillator:
    """One contact that starts at overlap ``start`` [m] with the approach speed ``speed`` [m/s]."""

    restitution: float
    contact_time: float
    speed: float = 1.0
    start: float = 0.0
    pull: float = 0.0  # steady acceleration into the contact [m/s2]

    @property
    def omega(self) -> float:
        return math.pi / self.contact_time

    @property
    def beta(self) -> float:
        return abs(math.log(self.restitution)) / self.contact_time

    @property
    def stiffness(self) -> float:
        """Stiffness for each unit of effective mass [1/s2]."""
        return self.omega**2 + self.beta**2

    @property
    def _sag(self) -> float:
        return self.pull / self.stiffness

    def overlap(self, t: float) -> float:
        a = self.start - self._sag
        b = (self.speed + self.beta * a) / self.omega
        swing = a * math.cos(self.omega * t) + b * math.sin(self.omega * t)
        return self._sag + math.exp(-self.beta * t) * swing

    def rate(self, t: float) -> float:
        a = self.start - self._sag
        b = (self.speed + self.beta * a) / self.omega
        c, s = math.cos(self.omega * t), math.sin(self.omega * t)
        return math.exp(-self.beta * t) * (
            (b * self.omega - self.beta * a) * c - (a * self.omega + self.beta * b) * s
        )

    def acceleration(self, t: float) -> float:
        return self.pull - 2.0 * self.beta * self.rate(t) - self.stiffness * self.overlap(t)

    def end(self) -> float:
        """When the overlap is zero again [s]; ``contact_time`` where nothing pulls."""
        return float(brentq(self.overlap, 0.5 * self.contact_time, 1.9 * self.contact_time,
                            xtol=1e-12 * self.contact_time))

    def slack(self) -> float:
        """When the force turns attractive [s], tan ω t = 2 β ω / (β² - ω²), if start = pull = 0."""
        return math.atan2(2 * self.beta * self.omega, self.beta**2 - self.omega**2) / self.omega

    def push(self) -> float:
        """Impulse of the repulsive part over effective mass and approach speed; 1 + e for e = 1.

        Friction is bounded by this part alone: a contact that pulls does not rub.
        """
        return 1.0 - self.rate(self.slack()) / self.speed


def unit(*vector: float) -> np.ndarray:
    return np.array(vector) / np.linalg.norm(vector)


def sphere_mass(radius: float, density: float) -> float:
    return 4.0 / 3.0 * math.pi * radius**3 * density


def observed_order(errors: list[float], refinement: float) -> list[float]:
    """Orders of convergence between neighbouring steps, each ``refinement`` times shorter."""
    return [math.log(a / b) / math.log(refinement)
            for a, b in itertools.pairwise(errors)]

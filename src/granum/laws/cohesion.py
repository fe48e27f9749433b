"""Cohesion: grains in contact that pull each other, with a force of their own or by adhesion.

    Cohesion    F_n = -F_c                       while the grains touch
    Adhesion    F_n = -F_c                       while they touch, F_c = 3/2 π w R
                F_n = -F_c (1 - 4/9 g / g_t)     then across a gap g, until it is g_t

R = 1 / (1/r_i + 1/r_j) is the effective radius. `Adhesion` has the pull-off force of Johnson,
Kendall & Roberts (Proc. R. Soc. Lond. A 324 (1971) 301), the gap at which their neck tears if that
is given, and their force at that moment, 5/9 F_c; in between it is a straight line, and in contact
it leaves the elastic part to the law. Nothing pulls before the first touch: closing and opening
differ by the work that tearing takes, 7/9 F_c g_t, which is lost.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numba.extending import register_jitable

from granum.checks import FloatArray, number, positive
from granum.laws.law import TimeSteps
from granum.quantity import Force, Length, SurfaceEnergy

TEARING = 5.0 / 9.0  # of the pull-off force that is left when a neck tears


def steps_of_pull(distance: FloatArray, mass: FloatArray, force: FloatArray) -> TimeSteps:
    """Return a fiftieth and a tenth of the time in which a pull moves a grain by a distance [s].

    That is the shortest of √(m s / F); a longer step would carry grains through the range of the
    pull before they could feel it.
    """
    pulled = force > 0.0
    if not pulled.any():
        return TimeSteps(math.inf, math.inf)
    shortest = float(np.sqrt(mass[pulled] * distance[pulled] / force[pulled]).min())
    return TimeSteps(shortest / 50.0, shortest / 10.0)


@dataclass(frozen=True)
class Cohesion:
    """A steady pull between grains that touch.

    Args:
        force: the pull, F_c [N].
    """

    force: Force

    signs: ClassVar[tuple[float, ...]] = ()
    reaches: ClassVar[bool] = False
    range: ClassVar[float] = 0.0

    def __post_init__(self) -> None:
        """Refuse a force without a meaning."""
        number("force", self.force, at_least=0.0)

    def coefficients(self) -> FloatArray:
        """Return F_c [N]."""
        return np.array([float(self.force)])

    def mixed(self, other: Cohesion) -> Cohesion:
        """Return what holds between two materials: the geometric mean."""
        return Cohesion(math.sqrt(self.force * other.force))

    def time_steps(self, radius: FloatArray, mass: FloatArray) -> TimeSteps:
        """Return what the pull allows: it may not draw a grain in by its radius in ten steps."""
        return steps_of_pull(radius, 0.5 * mass, np.full(len(mass), float(self.force)))

    kernel = staticmethod(lambda: steady_pull)
    couple = staticmethod(lambda: None)
    potential = staticmethod(lambda: steady_potential)


@register_jitable(inline="always")
def steady_pull(p, touch, state):
    """Return the normal force [N] and the state."""
    return -p[0] if touch.overlap > 0.0 else 0.0, state


@register_jitable(inline="always")
def steady_potential(p, touch, _state):
    """Return the energy of the pull, zero where the grains just touch, and nothing [J]."""
    return -p[0] * max(touch.overlap, 0.0), 0.0


@dataclass(frozen=True)
class Adhesion:
    """Surfaces that stick: a pull-off force, and a neck that holds across a small gap.

    Args:
        work: of adhesion, w [J/m2]: what it takes to part a unit area of the two surfaces, the
            surface energies of both less that of the interface.
        neck: gap at which the neck tears, g_t [m]; for elastic grains it is
            3/4 (π² w² R / E²)^(1/3), with E the effective modulus.
    """

    work: SurfaceEnergy
    neck: Length

    signs: ClassVar[tuple[float, ...]] = (1.0,)  # whether the surfaces stick
    reaches: ClassVar[bool] = True

    def __post_init__(self) -> None:
        """Refuse values without a meaning."""
        number("work", self.work, at_least=0.0)
        positive("neck", self.neck)

    @property
    def range(self) -> float:
        """The gap at which the neck tears [m]."""
        return self.neck

    def coefficients(self) -> FloatArray:
        """Return F_c/R [N/m] and the gap at which the neck tears [m]."""
        return np.array([1.5 * math.pi * self.work, self.neck])

    def mixed(self, other: Adhesion) -> Adhesion:
        """Return what holds between two materials: geometric mean of work, mean of the necks."""
        return Adhesion(math.sqrt(self.work * other.work), 0.5 * (self.neck + other.neck))

    def time_steps(self, radius: FloatArray, mass: FloatArray) -> TimeSteps:
        """Return what the pull allows: it may not carry a grain over the gap in ten steps."""
        pull = 1.5 * math.pi * self.work * radius
        return steps_of_pull(np.full(len(mass), self.neck), mass, pull)

    kernel = staticmethod(lambda: sticky_pull)
    couple = staticmethod(lambda: None)
    potential = staticmethod(lambda: sticky_potential)


@register_jitable(inline="always")
def holds(touch, formed, reach):
    """Tell whether grains are held together: they touch, or did and are not too far apart yet."""
    return touch.overlap > 0.0 or (formed > 0.0 and touch.overlap > -reach)


@register_jitable(inline="always")
def sticky_pull(p, touch, state):
    """Return the normal force [N], and whether the surfaces stick."""
    f_c, tears = p[0] * touch.radius, p[1]
    gap = max(-touch.overlap, 0.0)
    held = holds(touch, state[0], tears)
    pull = f_c * (1.0 - (1.0 - TEARING) * gap / tears)
    return -pull if held else 0.0, (1.0 if held else 0.0,)


@register_jitable(inline="always")
def sticky_potential(p, touch, state):
    """Return the energy of the pull, zero where the neck is torn, and nothing [J]."""
    f_c, tears = p[0] * touch.radius, p[1]
    left = tears - max(-touch.overlap, 0.0)  # of the way until it tears
    work = f_c * left * (TEARING + 0.5 * (1.0 - TEARING) * left / tears)
    held = holds(touch, state[0], tears)
    return -work - f_c * max(touch.overlap, 0.0) if held else 0.0, 0.0

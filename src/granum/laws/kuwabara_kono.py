"""Viscoelastic spheres after Kuwabara & Kono: slow collisions return more than fast ones.

    F_n = max(k (δ + 3/2 A δ'), 0),   k = 4/3 E* √(R δ)
    F_t = -k_t (s + A u),   k_t = 8 G* √(R δ),   |F_t| <= μ F_n

δ overlap [m], δ' its rate [m/s], A viscous time [s], E* and G* moduli of the pair [Pa] and the
spring s [m] as in `hertz`, u slip velocity [m/s], R effective radius [m], μ friction.

To first order in A this is Hertz's force at the overlap of a time A later: each point of a grain is
a spring and a dashpot (G. Kuwabara and K. Kono, Jpn. J. Appl. Phys. 26 (1987) 1230; N. V.
Brilliantov et al., Phys. Rev. E 53 (1996) 5382, who get A from the viscosities of the material).
The restitution falls with the speed v, for weak damping as

    1 - e = 6/5 B(3/5, 3/2) (5/4)^(3/5) A κ^(2/5) v^(1/5),   κ = 4/3 E* √R / m

with Euler's beta function B and the effective mass m [kg]; one measured pair (v, e) so gives A. In
the contact plane the same delay A is a choice of this program.

Valid as `hertz_mindlin`, and while A is short compared with a collision.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numba.extending import register_jitable

from granum.checks import FloatArray, number
from granum.laws import hertz
from granum.laws.hertz import circle, sheared, stored
from granum.laws.law import TimeSteps
from granum.quantity import Number, Pressure, Time


@dataclass(frozen=True)
class KuwabaraKono:
    """Elastic spheres by their moduli, with a viscosity inside; they never attract.

    Args:
        young: Young's modulus of the grains, E [Pa].
        poisson: Poisson's ratio, ν; above -1, at most 0.5.
        viscous_time: how far the force is ahead of the overlap, A [s].
        friction: Coulomb's coefficient μ.
    """

    young: Pressure
    poisson: Number
    viscous_time: Time
    friction: Number = 0.0

    def __post_init__(self) -> None:
        """Refuse values without a meaning."""
        hertz.check(self.young, self.poisson, self.friction)
        number("viscous_time", self.viscous_time, at_least=0.0)

    def coefficients(self) -> FloatArray:
        """Return 4/3 E* [Pa], A [s], 8 G* [Pa] and μ, as the kernel takes them."""
        pair = hertz.moduli(self.young, self.poisson)
        return np.array([4.0 / 3.0 * pair.normal, self.viscous_time, 8.0 * pair.shear,
                         self.friction])

    def mixed(self, other: KuwabaraKono) -> KuwabaraKono:
        """Return the law between two materials: E* and G* exactly, friction by geometric mean.

        Either grain takes its share of the overlap, as 1/E*, and is late by its own A: the pair has
        the mean of both with these weights.
        """
        one = hertz.moduli(self.young, self.poisson)
        two = hertz.moduli(other.young, other.poisson)
        young, poisson = hertz.mixed(one, two)
        delay = ((self.viscous_time * two.normal + other.viscous_time * one.normal)
                 / (one.normal + two.normal))
        return KuwabaraKono(young, poisson, delay, math.sqrt(self.friction * other.friction))

    def time_steps(self, radius: FloatArray, mass: FloatArray) -> TimeSteps:
        """Return shares of the Rayleigh time of the grain that has the shortest."""
        rayleigh = hertz.rayleigh_time(self.young, self.poisson, radius, mass)
        return hertz.time_steps(rayleigh, self.viscous_time / rayleigh)

    remembers: ClassVar[int] = 1  # k_t
    range: ClassVar[float] = 0.0
    kernel = staticmethod(lambda: force)
    potential = staticmethod(lambda: potential)


@register_jitable(inline="always")
def force(p, touch, state):
    """Return normal force [N], tangential force on grain i [N], spring [m] and state."""
    e_star, delay, g_star, mu = p  # moduli with their factors 4/3 and 8
    a = circle(touch)
    f_n = max(e_star * a * (touch.overlap + 1.5 * delay * touch.rate), 0.0)
    k_t = g_star * a
    pull, spring, state = sheared(mu * f_n, k_t, delay * k_t, touch, state)
    return f_n, pull, spring, state


@register_jitable(inline="always")
def potential(p, touch, state):
    """Return the energy of the normal force and of the tangential spring [J]."""
    return stored(p[0] * circle(touch), touch, state)

"""Hertz's force with a constant restitution, and Mindlin's tangential spring.

    F_n = max(k δ + γ √(m k) δ', 0),   k = 4/3 E* √(R δ)
    F_t = -(k_t s + c_t u),   k_t = 8 G* √(R δ),   c_t = 2 ζ √(m_t k_t),   |F_t| <= μ F_n

δ overlap [m], δ' its rate [m/s], E* and G* moduli of the pair [Pa] and the spring s [m] as in
`hertz`, u slip velocity [m/s], R effective radius [m], m and m_t effective masses of approach and
of slip [kg], μ friction.

The dashpot grows as δ^(1/4) (Tsuji, Tanaka & Ishida, Powder Technol. 71 (1992) 239). Then the
restitution does not depend on the speed, and its relation to γ is exact: in z = δ^(5/4) the motion
is that of a linear spring and dashpot,

    v dv/dz = -4/5 (κ z + γ √κ v),   κ = k δ^(-1/2) / m,   ζ = γ / √5

(D. Antypov and J. A. Elliott, EPL 94 (2011) 50004), and the force is zero where that of the linear
one is. So ζ is that of `damping` for a contact that never pulls, and no fit is needed: the one of
Thornton, Cummins & Cleary (Powder Technol. 233 (2013) 30) agrees to 3e-4 in e up to e = 0.9, and is
off by 0.015 towards 1. In the contact plane the dashpot has the same damping ratio ζ, which is a
choice of this program: no theory tells.

Valid for smooth spheres, overlaps of a few per cent of the radius, and speeds far below that of
sound in the grain; no slip inside the circle of contact before all of it slides. Discs in 2D are
taken for spheres of their radius, which real discs are not.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numba.extending import register_jitable

from granum.checks import FloatArray, number
from granum.laws import hertz
from granum.laws.damping import without_attraction
from granum.laws.hertz import circle, sheared, stored
from granum.laws.law import TimeSteps
from granum.quantity import Number, Pressure


@dataclass(frozen=True)
class HertzMindlin:
    """Elastic spheres by their moduli, with a constant restitution; they never attract.

    Args:
        young: Young's modulus of the grains, E [Pa].
        poisson: Poisson's ratio, ν; above -1, at most 0.5.
        restitution: share of the approach speed that a head-on collision returns, e_n.
        friction: Coulomb's coefficient μ.
    """

    young: Pressure
    poisson: Number
    restitution: Number
    friction: Number = 0.0

    def __post_init__(self) -> None:
        """Refuse values without a meaning."""
        hertz.check(self.young, self.poisson, self.friction)
        number("restitution", self.restitution, above=0.0, at_most=1.0)

    def coefficients(self) -> FloatArray:
        """Return 4/3 E* [Pa], γ, 8 G* [Pa], 2 ζ and μ, as the kernel takes them."""
        pair = hertz.moduli(self.young, self.poisson)
        ratio = without_attraction(self.restitution).ratio
        return np.array([4.0 / 3.0 * pair.normal, math.sqrt(5.0) * ratio, 8.0 * pair.shear,
                         2.0 * ratio, self.friction])

    def mixed(self, other: HertzMindlin) -> HertzMindlin:
        """Return the law between two materials: E* and G* exactly, geometric means of the rest."""
        young, poisson = hertz.mixed(hertz.moduli(self.young, self.poisson),
                                     hertz.moduli(other.young, other.poisson))
        return HertzMindlin(young, poisson,
                            restitution=math.sqrt(self.restitution * other.restitution),
                            friction=math.sqrt(self.friction * other.friction))

    def time_steps(self, radius: FloatArray, mass: FloatArray) -> TimeSteps:
        """Return shares of the Rayleigh time of the grain that has the shortest."""
        rayleigh = hertz.rayleigh_time(self.young, self.poisson, radius, mass)
        return hertz.time_steps(rayleigh, without_attraction(self.restitution).ratio)

    remembers: ClassVar[int] = 1  # k_t
    range: ClassVar[float] = 0.0
    kernel = staticmethod(lambda: force)
    potential = staticmethod(lambda: potential)


@register_jitable(inline="always")
def force(p, touch, state):
    """Return normal force [N], tangential force on grain i [N], spring [m] and state."""
    e_star, gamma, g_star, twice_zeta, mu = p  # with their factors 4/3 and 8
    a = circle(touch)
    k = e_star * a
    f_n = max(k * touch.overlap + gamma * np.sqrt(touch.mass * k) * touch.rate, 0.0)
    k_t = g_star * a
    c_t = twice_zeta * np.sqrt(touch.slip_mass * k_t)
    pull, spring, state = sheared(mu * f_n, k_t, c_t, touch, state)
    return f_n, pull, spring, state


@register_jitable(inline="always")
def potential(p, touch, state):
    """Return the energy of the normal force and of the tangential spring [J]."""
    return stored(p[0] * circle(touch), touch, state)

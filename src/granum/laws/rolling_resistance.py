"""Resistance to rolling and twisting: a spring and a dashpot with a bound, for each of the two.

    M_r = k_r θ + c_r ω_r,  |M_r| <= μ_r R F_n      against rolling, in the contact plane
    M_t = k_r φ + c_r ω_t,  |M_t| <= μ_t R F_n      against twisting, about the normal

θ and φ are the angles by which j has rolled and twisted on i since they met, as far as the springs
hold them [rad]; ω_r and ω_t the two parts of ω_j - ω_i [rad/s]; R = 1 / (1/r_i + 1/r_j) the
effective radius; F_n the repulsive normal force of the law. This is the elastic-plastic
spring-dashpot of Iwashita & Oda (J. Eng. Mech. 124 (1998) 285), model C of Ai, Chen, Rotter & Ooi
(Powder Technol. 206 (2011) 269), in the vector form of Luding (Granular Matter 10 (2008) 235);
spring and dashpot together are bounded, so that rolling on meets the moment μ_r R F_n exactly.

Stiffness and damping follow from a contact time and a restitution, as those of springs do,

    k_r = J (π² + ln² e) / t²,   c_r = -2 J ln e / t,   J = R² / (r_i²/I_i + r_j²/I_j)

J is the grain's moment of inertia against a wall, and never more than I_i I_j / (I_i + I_j), so no
contact swings faster than t says.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
from numba.extending import register_jitable

from granum.checks import FloatArray, number, positive
from granum.contact.batch import turn
from granum.laws.friction import bounded
from granum.laws.law import TimeSteps
from granum.quantity import Number, Time


@dataclass(frozen=True)
class RollingResistance:
    """A couple against rolling and twisting, up to a share of the normal force.

    Args:
        coefficient: of rolling, μ_r: a grain rolls down a slope from tan(angle) = μ_r on.
        contact_time: half a swing of the rolling spring [s]; that of the law is a good choice.
        twisting: the same coefficient for twisting about the normal, μ_t; none unless given.
        restitution: share of its speed that half a free swing of the spring returns.
    """

    coefficient: Number
    contact_time: Time
    twisting: Number = 0.0
    restitution: Number = 0.3

    signs: ClassVar[tuple[float, ...]] = (-1.0, -1.0, -1.0, 1.0)  # rolled, twisted
    reaches: ClassVar[bool] = False
    range: ClassVar[float] = 0.0

    def __post_init__(self) -> None:
        """Refuse values without a meaning."""
        number("coefficient", self.coefficient, at_least=0.0)
        positive("contact_time", self.contact_time)
        number("twisting", self.twisting, at_least=0.0)
        number("restitution", self.restitution, above=0.0, at_most=1.0)

    def coefficients(self) -> FloatArray:
        """Return μ_r, μ_t, k_r/J [1/s2] and c_r/J [1/s]."""
        t, log = self.contact_time, math.log(self.restitution)
        return np.array([self.coefficient, self.twisting, (math.pi**2 + log**2) / t**2,
                         -2.0 * log / t])

    def mixed(self, other: RollingResistance) -> RollingResistance:
        """Return what holds between two materials: springs in series, means of the rest."""
        return RollingResistance(
            coefficient=math.sqrt(self.coefficient * other.coefficient),
            contact_time=math.sqrt((self.contact_time**2 + other.contact_time**2) / 2.0),
            twisting=math.sqrt(self.twisting * other.twisting),
            restitution=math.sqrt(self.restitution * other.restitution),
        )

    def time_steps(self, radius: FloatArray, mass: FloatArray) -> TimeSteps:
        """Return a fiftieth of the contact time, and a tenth."""
        return TimeSteps(self.contact_time / 50.0, self.contact_time / 10.0)

    kernel = staticmethod(lambda: None)
    couple = staticmethod(lambda: couple)
    potential = staticmethod(lambda: potential)


class Spring(NamedTuple):
    """A spring and how fast it is stretched, for `bounded`."""

    sx: float
    sy: float
    sz: float
    ux: float
    uy: float
    uz: float


@register_jitable(inline="always")
def inertia(touch):
    """Return J = R² / (r_i²/I_i + r_j²/I_j) [kg m2]."""
    return touch.radius * touch.radius / (1.0 / touch.slip_mass - 1.0 / touch.mass)


@register_jitable(inline="always")
def couple(p, touch, turning, f_n, state):
    """Return the couple on i [N m] and the two springs to remember [rad]."""
    mu_r, mu_t, k, c = p
    nx, ny, nz, wx, wy, wz, twist, past, ahead = turning
    J = inertia(touch)
    load = touch.radius * max(f_n, 0.0)
    along = wx * nx + wy * ny + wz * nz
    ux, uy, uz = wx - along * nx, wy - along * ny, wz - along * nz
    sx, sy, sz = turn(state[0], state[1], state[2], nx, ny, nz, (past + ahead) * twist)
    rolled = Spring(sx + past * ux, sy + past * uy, sz + past * uz, ux, uy, uz)
    (mx, my, mz), (sx, sy, sz) = bounded(mu_r * load, J * k, J * c, rolled)
    limit = mu_t * load
    farthest = limit / (J * k)
    phi = min(max(state[3] + past * along, -farthest), farthest)
    m = min(max(J * (k * phi + c * along), -limit), limit)
    springs = sx + ahead * ux, sy + ahead * uy, sz + ahead * uz, phi + ahead * along
    return (mx + m * nx, my + m * ny, mz + m * nz), springs


@register_jitable(inline="always")
def potential(p, touch, state):
    """Return nothing for the normal force, and the energy in the springs [J]."""
    s2 = state[0] ** 2 + state[1] ** 2 + state[2] ** 2 + state[3] ** 2
    return 0.0, 0.5 * inertia(touch) * p[2] * s2

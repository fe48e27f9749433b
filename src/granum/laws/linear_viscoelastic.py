"""The linear viscoelastic law of Cundall & Strack (Géotechnique 29 (1979) 47).

A spring and a dashpot along the normal, another pair in the contact plane, the latter bounded by
Coulomb friction:

    F_n = k_n δ + c_n δ'                     (Ferrez 3.11)
    F_t = -(k_t s + c_t u),  |F_t| <= μ F_n  (Ferrez 3.12, 3.10)

δ overlap [m], δ' its rate [m/s], s tangential spring [m], u slip velocity [m/s]. Stiffness and
damping follow from what people measure (Ferrez 3.13, 3.14; Pournin 2.21 with its factor 2):

    k_n = m (π² + ln² e_n) / t_c²,   c_n = -2 m ln e_n / t_c

with the effective mass m = 1 / (1/m_i + 1/m_j); k_t and c_t alike from e_s with the effective mass
of slip, 1 / (1/m_i + 1/m_j + r_i²/I_i + r_j²/I_j). A lone contact that lasts until its overlap is
zero then takes exactly t_c and returns e_n of the approach speed; over its last part the dashpot
outweighs the spring and the grains attract each other a little, as the law has it.

Where the contact slips, `friction` cuts force and spring.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import ClassVar, Self

import numpy as np
from numba.extending import register_jitable

from granum.checks import FloatArray, number, positive
from granum.laws.friction import bounded
from granum.laws.law import TimeSteps
from granum.quantity import Number, Time


@dataclass(frozen=True)
class LinearViscoelastic:
    """Springs and dashpots from restitution, contact time and friction.

    Args:
        restitution: share of the approach speed that a head-on collision returns, e_n.
        contact_time: how long a collision lasts, t_c [s].
        friction: Coulomb's coefficient μ.
        tangential_restitution: the same for slip, e_s; that of the normal unless given.
    """

    restitution: Number
    contact_time: Time
    friction: Number = 0.0
    tangential_restitution: Number | None = None

    def __post_init__(self) -> None:
        """Refuse values without a meaning."""
        number("restitution", self.restitution, above=0.0, at_most=1.0)
        positive("contact_time", self.contact_time)
        number("friction", self.friction, at_least=0.0)
        if self.tangential_restitution is not None:
            number("tangential_restitution", self.tangential_restitution, above=0.0, at_most=1.0)

    def coefficients(self) -> FloatArray:
        """Return k_n/m [1/s2], c_n/m [1/s], k_t/m_t, c_t/m_t and μ, as the kernel takes them."""
        k_n, c_n = spring_and_dashpot(self.restitution, self.contact_time)
        k_t, c_t = spring_and_dashpot(self.slip_restitution, self.contact_time)
        return np.array([k_n, c_n, k_t, c_t, self.friction])

    def mixed(self, other: Self) -> Self:
        """Return the law between two materials: springs in series, means of the rest.

        Two half springs in series have the mean compliance, so the squares of the contact times are
        averaged; restitutions and frictions get their geometric mean. Slip follows the normal
        where it does for both.
        """
        follows = self.tangential_restitution is None and other.tangential_restitution is None
        return replace(
            self,
            restitution=math.sqrt(self.restitution * other.restitution),
            contact_time=math.sqrt((self.contact_time**2 + other.contact_time**2) / 2.0),
            friction=math.sqrt(self.friction * other.friction),
            tangential_restitution=None if follows else math.sqrt(
                self.slip_restitution * other.slip_restitution),
        )

    @property
    def slip_restitution(self) -> float:
        """What is given for slip, else what is given for the normal."""
        e_s = self.tangential_restitution
        return self.restitution if e_s is None else e_s

    def time_steps(self, radius: FloatArray, mass: FloatArray) -> TimeSteps:
        """Return a fiftieth of the contact time, and a tenth.

        A fiftieth meets restitution to about a thousandth; at a tenth, twelve contacts at once are
        still stable.
        """
        return TimeSteps(self.contact_time / 50.0, self.contact_time / 10.0)

    remembers: ClassVar[int] = 0
    range: ClassVar[float] = 0.0
    kernel = staticmethod(lambda: force)
    potential = staticmethod(lambda: potential)


def spring_and_dashpot(e: float, t_c: float) -> tuple[float, float]:
    """Return stiffness [1/s2] and damping [1/s] for each unit of effective mass."""
    return (math.pi**2 + math.log(e) ** 2) / t_c**2, -2.0 * math.log(e) / t_c


@register_jitable(inline="always")
def force(p, touch, state):
    """Return normal force [N], tangential force on grain i [N], spring [m] and state."""
    k_n, c_n, k_t, c_t, mu = p
    f_n = touch.mass * (k_n * touch.overlap + c_n * touch.rate)
    pull, spring = bounded(mu * max(f_n, 0.0), touch.slip_mass * k_t, touch.slip_mass * c_t, touch)
    return f_n, pull, spring, state


@register_jitable(inline="always")
def potential(p, touch, state):
    """Return the energy in the normal spring and in the tangential one [J]."""
    s2 = touch.sx * touch.sx + touch.sy * touch.sy + touch.sz * touch.sz
    stored = 0.5 * touch.mass * p[0] * touch.overlap * touch.overlap
    return stored, 0.5 * touch.slip_mass * p[2] * s2

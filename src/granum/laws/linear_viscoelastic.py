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

Where the contact slips, the force is cut back to μ F_n, and the spring to what it can hold,
|s| <= μ F_n / k_t: the dashpot's share is never stored, so slipping gives no energy back.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numba.extending import register_jitable
from numpy.typing import NDArray

from granum.checks import number, positive
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

    def coefficients(self) -> NDArray[np.float64]:
        """Return k_n/m [1/s2], c_n/m [1/s], k_t/m_t, c_t/m_t and μ, as the kernel takes them."""
        e_s = self.tangential_restitution
        k_n, c_n = _spring(self.restitution, self.contact_time)
        k_t, c_t = _spring(self.restitution if e_s is None else e_s, self.contact_time)
        return np.array([k_n, c_n, k_t, c_t, self.friction])

    @property
    def recommended_time_step(self) -> float:
        """A fiftieth of the contact time [s]: restitution is met to about a thousandth."""
        return self.contact_time / 50.0

    @property
    def longest_time_step(self) -> float:
        """A tenth of the contact time [s]: twelve contacts at once are still stable."""
        return self.contact_time / 10.0

    @property
    def elastic(self) -> tuple[float, float]:
        """Stiffness for each unit of effective mass, normal and tangential [1/s2]."""
        coefficients = self.coefficients()
        return float(coefficients[0]), float(coefficients[2])

    kernel = staticmethod(lambda: force)


def _spring(e: float, t_c: float) -> tuple[float, float]:
    """Return stiffness [1/s2] and damping [1/s] for each unit of effective mass."""
    return (math.pi**2 + math.log(e) ** 2) / t_c**2, -2.0 * math.log(e) / t_c


@register_jitable(inline="always")
def force(p, delta, rate, m_n, m_t, sx, sy, sz, ux, uy, uz):
    """Return normal force [N], tangential force on grain i [N] and the bounded spring [m].

    Legend: p coefficients, m_n and m_t effective masses [kg], s spring in the contact plane [m],
    u velocity of j relative to i in the contact plane [m/s]; the spring pulls i after j.
    """
    f_n = m_n * (p[0] * delta + p[1] * rate)
    k_t = m_t * p[2]
    c_t = m_t * p[3]
    tx = k_t * sx + c_t * ux
    ty = k_t * sy + c_t * uy
    tz = k_t * sz + c_t * uz
    limit = p[4] * max(f_n, 0.0)
    # both cuts with one division: limit / |t| and limit / |k_t s|, where they are too long
    limit2 = limit * limit
    t2 = tx * tx + ty * ty + tz * tz
    s2 = k_t * k_t * (sx * sx + sy * sy + sz * sz)
    t = np.sqrt(t2 if t2 > limit2 else 1.0)
    s = np.sqrt(s2 if s2 > limit2 else 1.0)
    share = limit / (t * s)
    cut_t = share * s if t2 > limit2 else 1.0
    cut_s = share * t if s2 > limit2 else 1.0
    return f_n, cut_t * tx, cut_t * ty, cut_t * tz, cut_s * sx, cut_s * sy, cut_s * sz

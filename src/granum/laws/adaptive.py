"""A law that takes energy again at every reloading, after the idea of Pournin, Liebling & Mocellin.

In a dense medium, contacts last: they are pressed, released a little and pressed again, and each
reloading should cost energy. A dashpot takes too little where motion is slow; the plastic law of
Walton & Braun takes nothing at all below its largest overlap. Ferrez (3.3.2, figs 3.4 and 3.5)
tells what the adaptive law does about it: every unloading has a slope of its own, chosen for the
energy that the loading before it shall lose, and the deformation is not plastic, for the way back
ends at zero overlap. The theses tell no formulas; those here are derived for these aims.

    F_n = k_1 δ - c                                       c: what plasticity has taken [N]
    loading, dδ > 0:    c stays                           (slope k_1)
    unloading, dδ < 0:  c grows by (k_u - k_1) |dδ|       (slope k_u)
    at all times        c <= (k_1 - k_0) δ                (F_n >= k_0 δ: the return line)

The slope k_u is k_2 in the first unloading of a contact and k_r in all later ones:

    k_0 = κ k_1,  κ = e² / 2
    k_2 = k_1 (1 - 2 κ + κ e²) / (e² - κ)                 so that a lone collision returns e
    k_r = k_1 / e_r²
    k_1 = m (S / t_c)²                                    so that it lasts t_c
    S = π/2 + arccos(κ x) / sqrt(k_2/k_1) + arctan(sqrt(κ) x / sqrt(e² - κ x²)) / sqrt(κ)

with x = (1 - e²) / (1 - κ), the share of the largest overlap where a lone collision comes upon the
return line; S adds the phases of loading, unloading and return, each an arc of an oscillation.

A reloading from F_a to F_b brings the work (F_b² - F_a²) / 2 k_1, and gives (F_b² - F_a²) / 2 k_r
on the way back to F_a: the share e_r², as long as the return line is not met. A grain that swings
about any standing load thus loses 1 - e_r² of its energy in each swing, as if it bounced. After n
equal reloadings the contact has lost 1 - e² of the first work and n (1 - e_r²) of the later ones.

The price of a loss is depth: each swing moves the contact deeper by (F_b - F_a) (1/k_1 - 1/k_r).
The return line bounds this (F_n >= k_0 δ), and all of it is undone when the load goes.

Energy: unloading along k_u and then the return line gives back

    U = k_0 δ_x² / 2 + (F_n² - F_x²) / 2 k_u,  δ_x = (k_u δ - F_n) / (k_u - k_0),  F_x = k_0 δ_x

and loading loses (1 - k_1 / k_u) (F_n - F_x) dδ >= 0, so nothing is ever gained.

In the contact plane, a spring and a dashpot bounded by Coulomb friction, as in
`linear_viscoelastic`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numba.extending import register_jitable

from granum.checks import FloatArray, number, positive
from granum.laws.friction import bounded
from granum.laws.law import TimeSteps
from granum.quantity import Number, Time


@dataclass(frozen=True)
class Adaptive:
    """Dissipation under control, collision by collision and reloading by reloading.

    Args:
        restitution: share of the approach speed that a head-on collision returns, e.
        contact_time: how long a collision lasts, t_c [s].
        friction: Coulomb's coefficient μ.
        reloading_restitution: the same for each reloading of a contact that lasts, e_r: the square
            is the share of its work that it returns; that of a collision unless given.
        tangential_restitution: the same for slip, e_s; that of a collision unless given.
    """

    restitution: Number
    contact_time: Time
    friction: Number = 0.0
    reloading_restitution: Number | None = None
    tangential_restitution: Number | None = None

    def __post_init__(self) -> None:
        """Refuse values without a meaning."""
        number("restitution", self.restitution, above=0.0, at_most=1.0)
        positive("contact_time", self.contact_time)
        number("friction", self.friction, at_least=0.0)
        for name in ("reloading_restitution", "tangential_restitution"):
            if getattr(self, name) is not None:
                number(name, getattr(self, name), above=0.0, at_most=1.0)

    def coefficients(self) -> FloatArray:
        """Return k_1, k_2, k_r, k_0 [1/s2] per mass, k_t, c_t per slip mass, and μ."""
        loading, first, again, back = self._slopes()
        log_e = math.log(self._or_e(self.tangential_restitution))
        t_c = self.contact_time
        k_t, c_t = (math.pi**2 + log_e**2) / t_c**2, -2.0 * log_e / t_c
        return np.array([loading, first, again, back, k_t, c_t, self.friction])

    def _slopes(self) -> tuple[float, float, float, float]:
        """Return k_1, k_2, k_r and k_0 for each unit of effective mass [1/s2]."""
        e2 = self.restitution**2
        back = 0.5 * e2
        first = (1.0 - 2.0 * back + back * e2) / (e2 - back)
        again = 1.0 / self._or_e(self.reloading_restitution) ** 2
        x = (1.0 - e2) / (1.0 - back)
        phases = (
            0.5 * math.pi
            + math.acos(back * x) / math.sqrt(first)
            + math.atan(math.sqrt(back / (e2 - back * x**2)) * x) / math.sqrt(back)
        )
        k_1 = (phases / self.contact_time) ** 2
        return k_1, k_1 * first, k_1 * again, k_1 * back

    def _or_e(self, special: float | None) -> float:
        return self.restitution if special is None else special

    def mixed(self, other: Adaptive) -> Adaptive:
        """Return the law between two materials: springs in series, means of the rest.

        The squares of the contact times are averaged, as compliances are; restitutions and
        frictions get their geometric mean.
        """
        again = self._or_e(self.reloading_restitution) * other._or_e(other.reloading_restitution)
        slip = self._or_e(self.tangential_restitution) * other._or_e(other.tangential_restitution)
        return Adaptive(
            restitution=math.sqrt(self.restitution * other.restitution),
            contact_time=math.sqrt((self.contact_time**2 + other.contact_time**2) / 2.0),
            friction=math.sqrt(self.friction * other.friction),
            reloading_restitution=math.sqrt(again),
            tangential_restitution=math.sqrt(slip),
        )

    def time_steps(self, radius: FloatArray, mass: FloatArray) -> TimeSteps:
        """Return a fiftieth and a tenth of the half period of the stiffest slope.

        So the steep part of the way back has about 25 steps.
        """
        _, first, again, _ = self._slopes()
        half_period = min(math.pi / math.sqrt(max(first, again)), self.contact_time)
        return TimeSteps(half_period / 50.0, half_period / 10.0)

    remembers: ClassVar[int] = 3  # overlap a step ago [m]; c [N]; phase: 0, 1 unloaded, 2 reloaded
    range: ClassVar[float] = 0.0
    kernel = staticmethod(lambda: force)
    potential = staticmethod(lambda: potential)


@register_jitable(inline="always")
def force(p, touch, state):
    """Return normal force [N], tangential force on grain i [N], spring [m] and state."""
    k_1, k_2, k_r, k_0, k_t, c_t, mu = p
    before, taken, phase = state
    moved = touch.overlap - before
    if moved < 0.0:
        phase = max(phase, 1.0)
        taken -= touch.mass * ((k_r if phase > 1.0 else k_2) - k_1) * moved
    elif moved > 0.0 and phase > 0.0:
        phase = 2.0
    taken = min(taken, max(touch.mass * (k_1 - k_0) * touch.overlap, 0.0))
    f_n = touch.mass * k_1 * touch.overlap - taken
    pull, spring = bounded(mu * max(f_n, 0.0), touch.slip_mass * k_t, touch.slip_mass * c_t, touch)
    return f_n, pull, spring, (touch.overlap, taken, phase)


@register_jitable(inline="always")
def potential(p, touch, state):
    """Return the energy that the way back can return, and that of the tangential spring [J].

    Before the first reloading, a way back with k_r is still possible, should it be the softer one.
    """
    k_1, k_2, k_r, k_0 = touch.mass * p[0], touch.mass * p[1], touch.mass * p[2], touch.mass * p[3]
    k_u = k_r if state[2] > 1.0 else min(k_2, k_r)
    f_n = k_1 * touch.overlap - state[1]
    x = (k_u * touch.overlap - f_n) / (k_u - k_0)
    s2 = touch.sx**2 + touch.sy**2 + touch.sz**2
    normal = 0.5 * (k_0 * x**2 + (f_n**2 - (k_0 * x) ** 2) / k_u)
    return normal, 0.5 * touch.slip_mass * p[4] * s2

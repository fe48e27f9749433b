"""A law that takes energy again at every reloading, after the idea of Pournin, Liebling & Mocellin.

In a dense medium, contacts last: they are pressed, released a little and pressed again, and each
reloading should cost energy. A dashpot loses sight of slow motion; the plastic law of Walton &
Braun takes nothing at all below its largest overlap. Ferrez (3.3.2, figs 3.4 and 3.5) tells what
the adaptive law does about it: every unloading has a slope of its own, chosen for the energy that
the loading before it shall lose, and the way back is not plastic, which bounds the deformation. The
theses tell no formulas; those here are derived for these aims. All phases are straight lines:

    loading      slope k_1, from where it began, m = (δ_m, F_m)
    unloading    slope k_u, down to the return line
    return       along the return line
    return line  F = k_0 δ for a contact that was loaded once,
                 F = F_m + k_b (δ - δ_m) above the point m where it was last reloaded

Below m, the reloading is forgotten: steep again, down to F = k_0 δ. The first unloading of a
contact has k_u = k_2, later ones have k_u = k_r:

    κ = e² / 2,  k_0 = κ k_1,  k_2 = k_1 (1 - 2 κ + κ e²) / (e² - κ)    a lone collision returns e
    k_b = k_1 / 2,  k_r = k_1 (1 + 1 / e_r²) / 2                        a swing returns e_r
    k_1 = m (S / t_c)²                                                  a lone collision lasts t_c
    S = π/2 + arccos(κ x) / sqrt(k_2 / k_1) + arctan(sqrt(κ) x / sqrt(e² - κ x²)) / sqrt(κ)

with x = (1 - e²) / (1 - κ), the share of the largest overlap where a lone collision comes upon the
return line; S adds loading, unloading and return, each an arc of an oscillation. The loss of a
collision is the triangle between loading, unloading and return line, (1 - κ) (k_2 - k_1) /
(k_2 - k_0) of the work done, which is 1 - e².

Reloading from F_a to F_b and back to F_a is a closed loop, that loses (1 - e_r²) (F_b - F_a)² / 4
k_1 whatever F_a is. All such loops have one shape, so a grain that swings about any standing load
comes back through the middle with e_r times its speed, swing after swing: from a turn at F - A, it
reaches F + A, comes upon the return line at F - d A with d = 1 / (2 k_r / k_1 - 1) = e_r², and
turns at F - A', A'² = d² A² + (k_b / k_r) (1 - d²) A² = e_r² A². No swing moves the contact deeper.
After a first loading and n swings, the share e² e_r^2n of the energy is left.

Energy: what the way back from here to δ = 0 would return, U, is stored. Loading loses
(1 - k_1 / k_u) (F - F_x) dδ >= 0 of the work, F_x where that way comes upon the return line; a
reloading from above its return line forgets that line, and leaves a way back that lies lower. So
nothing is ever gained.

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
        reloading_restitution: share of its speed that a swing about a standing load returns in a
            contact that lasts, e_r; that of a collision unless given.
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
        again = 0.5 + 0.5 / self._or_e(self.reloading_restitution) ** 2
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

    remembers: ClassVar[int] = 5  # δ, F_n a step ago; δ_m, F_m (zero: none); phase as below
    range: ClassVar[float] = 0.0
    kernel = staticmethod(lambda: force)
    potential = staticmethod(lambda: potential)


# Phases of a contact: 0 first loading, 1 first unloading, 2 reloading, 3 a later unloading.
LOADING, UNLOADING, RELOADING, LATER = 0.0, 1.0, 2.0, 3.0


@register_jitable(inline="always")
def force(p, touch, state):
    """Return normal force [N], tangential force on grain i [N], spring [m] and state."""
    state = _followed(p, touch, state)
    k_t, c_t = touch.slip_mass * p[4], touch.slip_mass * p[5]
    pull, spring = bounded(p[6] * state[1], k_t, c_t, touch)
    return state[1], pull, spring, state


@register_jitable
def _followed(p, touch, state):
    """Return the state after this step: overlap, force, start of the reloading, phase."""
    d, m = touch.overlap, touch.mass
    before, f_n, d_m, f_m, phase = state
    k_1, k_0, k_b = m * p[0], m * p[3], 0.5 * m * p[0]
    if d > before:
        if phase == UNLOADING or (phase == LATER and (d_m == 0.0 or f_n > _line(state, k_b))):
            d_m, f_m = before, f_n
        phase = LOADING if phase == LOADING else RELOADING
        f_n = min(f_n + k_1 * (d - before), k_1 * d)
    elif d < before:
        phase = UNLOADING if phase <= UNLOADING else LATER
        k_u = m * (p[1] if phase == UNLOADING else p[2])
        if d_m > 0.0 and d >= d_m:
            f_n = max(f_n - k_u * (before - d), f_m + k_b * (d - d_m))
        elif d_m > 0.0:  # back at the start of the reloading, and below it
            f_n = f_m - k_u * (d_m - d)
            d_m, f_m = 0.0, 0.0
        else:
            f_n = f_n - k_u * (before - d)
    return d, max(f_n, k_0 * d, 0.0), d_m, f_m, phase


@register_jitable
def _line(state, k_b):
    """Return the force on the return line of the last reloading [N]."""
    return state[3] + k_b * (state[0] - state[2])


@register_jitable(inline="always")
def potential(p, touch, state):
    """Return the energy that the way back can return, and that of the tangential spring [J].

    Before the first reloading, a way back with k_r is still possible, should it be the softer one.
    """
    k_b, k_0, k_r = 0.5 * touch.mass * p[0], touch.mass * p[3], touch.mass * p[2]
    k_u = min(touch.mass * p[1], k_r) if state[4] <= UNLOADING else k_r
    d, f_n, d_m, f_m, _ = state
    normal = 0.0
    if d_m > 0.0:
        normal = _way_back(d - d_m, f_n - f_m, k_u, k_b) + f_m * (d - d_m)
        d, f_n = d_m, f_m
    normal += _way_back(d, f_n, k_u, k_0)
    s2 = touch.sx * touch.sx + touch.sy * touch.sy + touch.sz * touch.sz
    return normal, 0.5 * touch.slip_mass * p[4] * s2


@register_jitable
def _way_back(d, f, k_u, k):
    """Return the area below the slope k_u from (d, f) to the line F = k δ, and below the latter."""
    x = (k_u * d - f) / (k_u - k)
    return 0.5 * (k * x * x + (f * f - k * k * x * x) / k_u)

"""The elastoplastic law of Walton & Braun (J. Rheol. 30 (1986) 949).

Normal force: soft while the contact is pressed deeper than ever, stiff on the way back and on the
way in again, never attractive (Pournin 2.13):

    F_n = k_1 δ                              where δ is the largest overlap so far, δ_max
    F_n = max(k_2 (δ - δ_0), 0)              below it, with δ_0 = (1 - e²) δ_max
    k_1 = m (π (1 + e) / (2 t_c))²,  k_2 = k_1 / e²            (Pournin 2.23)

δ overlap [m], m = 1 / (1/m_i + 1/m_j) effective mass [kg], e restitution, t_c contact time [s].
A lone collision returns exactly e; it has a force for exactly t_c, after which the grains part
freely while their overlap falls from δ_0 to zero. The mark δ_max is forgotten when they part.

Tangential force: a spring that softens as friction is used up, counted from the turning point T*,
the force when the slip last turned back:

    dT/ds = k_t ((μ F_n - T) / (μ F_n - T*))^(1/3),  k_t = ratio k_1

that is k_t (1 - (T - T*) / (μ F_n - T*))^(1/3) (Walton & Braun). T* keeps its share of μ F_n when
F_n changes, as in the paper. From rest, at constant F_n, this integrates to Mindlin's curve
T = μ F_n (1 - (1 - 2 k_t s / (3 μ F_n))^(3/2)); every step takes the integral, not its tangent.

Two things are decided here.

Energy: where T shrinks, it does so with k_t itself. The paper softens that way too, and so gives
more energy than it took: a force that was raised in small steps back and forth (stiff, since each
is a turning point) gives more when released in one go. With k_t, the energy in the contact is
T² / 2 k_t, whatever the path, and every loss has the right sign.

Space: T is a vector, k_t times the spring that is remembered. The spring is stretched elastically,
then shortened along itself so that its length grows as T above. T* is known by its length and by
the angle φ through which T has turned since, so that it counts as T* cos φ: a force that passes
through zero (φ = π) leaves its turning point behind, one that swings to the side forgets it bit by
bit. The slip turns back where it brings T nearer to T*.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numba.extending import register_jitable

from granum.checks import FloatArray, number, positive
from granum.laws.law import TimeSteps
from granum.quantity import Number, Time


@dataclass(frozen=True)
class WaltonBraun:
    """Plastic grains from restitution, contact time and friction.

    Args:
        restitution: share of the approach speed that a head-on collision returns, e.
        contact_time: how long a collision has a force, t_c [s].
        friction: Coulomb's coefficient μ.
        stiffness_ratio: tangential stiffness k_t over the first normal one k_1; 2 (1 - ν) / (2 - ν)
            for elastic spheres with Poisson's ratio ν (Mindlin), so between 2/3 and 1.
    """

    restitution: Number
    contact_time: Time
    friction: Number = 0.0
    stiffness_ratio: Number = 0.8

    def __post_init__(self) -> None:
        """Refuse values without a meaning."""
        number("restitution", self.restitution, above=0.0, at_most=1.0)
        positive("contact_time", self.contact_time)
        number("friction", self.friction, at_least=0.0)
        number("stiffness_ratio", self.stiffness_ratio, above=0.0, at_most=1.0)

    def coefficients(self) -> FloatArray:
        """Return k_1/m [1/s2], k_2/m, 1 - e², k_t/m and μ, as the kernel takes them."""
        k_1 = (math.pi * (1.0 + self.restitution) / (2.0 * self.contact_time)) ** 2
        e2 = self.restitution**2
        return np.array([k_1, k_1 / e2, 1.0 - e2, self.stiffness_ratio * k_1, self.friction])

    def mixed(self, other: WaltonBraun) -> WaltonBraun:
        """Return the law between two materials: springs in series, means of the rest.

        The squares of the contact times are averaged, as compliances are; restitutions, frictions
        and ratios get their geometric mean.
        """
        return WaltonBraun(
            restitution=math.sqrt(self.restitution * other.restitution),
            contact_time=math.sqrt((self.contact_time**2 + other.contact_time**2) / 2.0),
            friction=math.sqrt(self.friction * other.friction),
            stiffness_ratio=math.sqrt(self.stiffness_ratio * other.stiffness_ratio),
        )

    def time_steps(self, radius: FloatArray, mass: FloatArray) -> TimeSteps:
        """Return a fiftieth and a tenth of the half period of the stiffest spring.

        That is k_2, or k_t where it turns spheres, whose mass of slip is 2/7 of that of approach.
        So the way back of a collision has at least 25 steps.
        """
        _, k_2, _, k_t, _ = self.coefficients().tolist()
        half_period = math.pi / math.sqrt(max(k_2, 3.5 * k_t))
        return TimeSteps(half_period / 50.0, half_period / 10.0)

    remembers: ClassVar[int] = 4  # δ_max [m]; |s| [m]; T* / (μ F_n); cos φ
    range: ClassVar[float] = 0.0
    kernel = staticmethod(lambda: force)
    potential = staticmethod(lambda: potential)


@register_jitable(inline="always")
def force(p, touch, state):
    """Return normal force [N], tangential force on grain i [N], spring [m] and state."""
    k_1, k_2, lost, ratio_k_1, mu = p
    deepest = max(state[0], touch.overlap)
    back = k_2 * (touch.overlap - lost * deepest)
    f_n = touch.mass * max(min(k_1 * touch.overlap, back), 0.0)
    k_t = touch.mass * ratio_k_1
    spring, length, share, cosine = softening(mu * f_n, k_t, touch, state[1], state[2], state[3])
    pull = (k_t * spring[0], k_t * spring[1], k_t * spring[2])
    return f_n, pull, spring, (deepest, length, share, cosine)


@register_jitable(inline="always")
def potential(p, touch, state):
    """Return the energy that the way back returns, and that of the tangential spring [J]."""
    back = max(touch.overlap - p[2] * max(state[0], touch.overlap), 0.0)
    s2 = touch.sx * touch.sx + touch.sy * touch.sy + touch.sz * touch.sz
    return 0.5 * touch.mass * p[1] * back * back, 0.5 * touch.mass * p[3] * s2


@register_jitable
def softening(limit, k_t, touch, length, share, cosine):
    """Return the spring to remember, its length [m], the share T* / limit, and cos φ.

    Args:
        limit: the largest tangential force, not negative [N].
        k_t: stiffness of small slips [N/m].
        touch: the contact; its spring already has this step's slip.
        length: of the spring a step ago [m].
        share: T* as a share of the limit.
        cosine: of the angle φ between T* and the spring a step ago.
    """
    cut = 0.0
    reach = limit / k_t  # of the spring, where the contact slides
    s = math.sqrt(touch.sx * touch.sx + touch.sy * touch.sy + touch.sz * touch.sz)
    if reach > 0.0 and s > 0.0:
        start, share, cosine = _turned(reach, s, touch, length, share, cosine)
        grown = _grown(start / reach, s / reach, share * cosine)
        cut = min(reach * grown / s, 1.0)
        length = cut * s
    else:
        length = 0.0
        share = share if reach > 0.0 else 0.0
    return (cut * touch.sx, cut * touch.sy, cut * touch.sz), length, share, cosine


@register_jitable
def _turned(reach, s, touch, length, share, cosine):
    """Return the shortest spring within this step [m], and T* / limit and cos φ after it."""
    dx, dy, dz = touch.ux * touch.step, touch.uy * touch.step, touch.uz * touch.step
    ox, oy, oz = touch.sx - dx, touch.sy - dy, touch.sz - dz  # the spring a step ago
    o = math.sqrt(ox * ox + oy * oy + oz * oz)
    start = length
    turn = -1.0  # cosine of the angle between the springs of both steps; from zero: straight on
    if o > 0.0:
        along = (dx * ox + dy * oy + dz * oz) / o
        slip2 = dx * dx + dy * dy + dz * dz
        across = math.sqrt(max(slip2 - along * along, 0.0))
        sine = math.sqrt(max(1.0 - cosine * cosine, 0.0))
        if (length - reach * share * cosine) * along + reach * share * sine * across < 0.0:
            share = min(length / reach, 1.0)
            cosine = 1.0
        if -slip2 < along * o < 0.0:  # it shrank first, then grew
            start = min(length, across * o / math.sqrt(slip2))
        turn = min(max((ox * touch.sx + oy * touch.sy + oz * touch.sz) / (o * s), -1.0), 1.0)
    sine = math.sqrt(max(1.0 - cosine * cosine, 0.0))
    side = math.sqrt(1.0 - turn * turn)
    beyond = sine * turn + cosine * side < 0.0  # φ would pass π
    cosine = -1.0 if beyond else cosine * turn - sine * side
    return start, share, cosine


@register_jitable
def _grown(start, end, turning):
    """Return T / limit after a slip that alone would stretch the spring from start to end.

    All in units of the limit: dτ = ((1 - τ) / (1 - τ*))^(1/3) dx has the integral
    (1 - τ)^(2/3) = (1 - τ_0)^(2/3) - 2/3 (1 - τ*)^(-1/3) x.
    """
    result = min(end, 1.0)
    if end > start:
        result = 1.0
        left = 1.0 - start
        if left > 0.0:
            root = cube_root(left)
            soft = 1.5 * cube_root(1.0 - min(turning, start))
            rest = root * root - (end - start) / soft
            result = 1.0 - rest * math.sqrt(rest) if rest > 0.0 else 1.0
    return result


@register_jitable
def cube_root(x):
    """Return the cube root of a positive number.

    By sums, products and quotients only, so that it has the same bits on every processor, compiled
    or not; libraries of functions differ in the last one. A parabola tells the root of a number
    between 1/8 and 1 to 4 %, and Halley's iteration cubes that error each time:
    r' = r (r³ + 2 x) / (2 r³ + x).
    """
    x, exponent = math.frexp(x)
    third = -(-exponent // 3)
    x = math.ldexp(x, exponent - 3 * third)
    r = 0.4008 + x * (0.9912 - 0.4073 * x)
    for _ in range(3):
        r3 = r * r * r
        r *= (r3 + 2.0 * x) / (2.0 * r3 + x)
    return math.ldexp(r, third)

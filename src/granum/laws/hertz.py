"""What laws for elastic spheres share: moduli, mixing, time step, and Mindlin's tangential spring.

Two spheres touch in a circle of the radius a = √(R δ). The contact sees two moduli, of both bodies
together (K. L. Johnson, Contact Mechanics, 1985, sections 4.2 and 7.2):

    1/E* = (1 - ν_1²)/E_1 + (1 - ν_2²)/E_2,   F_el = 4/3 E* a δ       (Hertz)
    1/G* = (2 - ν_1)/G_1 + (2 - ν_2)/G_2,     dT = k_t ds, k_t = 8 G* a   (Mindlin, no slip)

δ overlap [m], R effective radius [m], G = E / (2 (1 + ν)), T tangential force [N], s slip [m].

The tangential stiffness changes with the overlap. A force k_t s of the whole slip gains energy
whenever k_t grows, and one that only adds increments gains energy when it falls: shear deep,
unload, shear back (D. Elata and J. G. Berryman, Mech. Mater. 24 (1996) 229). `sheared` does
neither:

    k_t grows: the force is kept, the spring shortens, s -> s k_old / k_new
    k_t falls: the spring is kept, the force falls with k_t

so the energy k_t s² / 2 never grows but by the work of slip (Thornton, Cummins & Cleary, Powder
Technol. 233 (2013) 30, for the second). For that a contact remembers its k_t.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numba.extending import register_jitable

from granum.checks import FloatArray, number, positive
from granum.errors import InputError
from granum.laws.friction import bounded
from granum.laws.law import TimeSteps, Touch


class Moduli(NamedTuple):
    """Of a contact of two grains [Pa]."""

    normal: float  # E*
    shear: float  # G*


def check(young: float, poisson: float, friction: float) -> None:
    """Refuse values without a meaning."""
    positive("young", young)
    number("poisson", poisson, above=-1.0, at_most=0.5)
    number("friction", friction, at_least=0.0)


def moduli(young: float, poisson: float) -> Moduli:
    """Return E* and G* of two grains of one material [Pa]."""
    return Moduli(young / (2.0 * (1.0 - poisson**2)),
                  young / (4.0 * (1.0 + poisson) * (2.0 - poisson)))


def mixed(one: Moduli, other: Moduli) -> tuple[float, float]:
    """Return Young's modulus [Pa] and Poisson's ratio of a material that stands for two.

    Two grains of it have the E* and G* of the pair, exactly. With q = G*/E* of the pair,
    ν = (1 - 4 q) / (1 - 2 q) and E = 2 (1 - ν²) E*; ν lies between those of the two.
    """
    normal = 2.0 / (1.0 / one.normal + 1.0 / other.normal)
    shear = 2.0 / (1.0 / one.shear + 1.0 / other.shear)
    q = shear / normal
    poisson = min((1.0 - 4.0 * q) / (1.0 - 2.0 * q), 0.5)  # rounding must not pass the limit
    return 2.0 * (1.0 - poisson**2) * normal, poisson


def rayleigh_time(young: float, poisson: float, radius: FloatArray, mass: FloatArray) -> float:
    """Return how long a surface wave takes over half a grain, of the grain where it is fastest [s].

    T_R = π r √(ρ/G) / (0.1631 ν + 0.8766), ρ = 3 m / (4 π r³).
    """
    if len(radius) == 0:
        message = "a law for elastic spheres needs grains to find its time step; there are none"
        raise InputError(message)
    shear = young / (2.0 * (1.0 + poisson))
    slowness = math.sqrt(float(np.min(mass / radius)) * 3.0 / (4.0 * math.pi * shear))
    return math.pi * slowness / (0.1631 * poisson + 0.8766)


def time_steps(rayleigh: float, ratio: float) -> TimeSteps:
    """Return T_R / 20, and T_R / 5 for undamped contacts; less where dashpots are strong.

    A collision lasts 2 to 10 T_R: longer, the slower and the stiffer the grains. A dashpot of the
    damping ratio ζ needs steps shorter by 1 + 2 ζ to be stable with many contacts at once.

    Args:
        rayleigh: time T_R [s].
        ratio: damping ratio ζ, about.
    """
    longest = rayleigh / (5.0 * (1.0 + 2.0 * ratio))
    return TimeSteps(min(rayleigh / 20.0, 0.5 * longest), longest)


@register_jitable(inline="always")
def circle(touch):
    """Return the radius of the circle of contact, a [m]."""
    return np.sqrt(touch.radius * max(touch.overlap, 0.0))


@register_jitable(inline="always")
def sheared(limit, k_t, c_t, touch, state):
    """Return tangential force on grain i [N], spring [m] and state (the stiffness k_t).

    Args:
        limit: the largest tangential force, not negative [N].
        k_t: stiffness now [N/m].
        c_t: damping [N s/m].
        touch: the contact.
        state: the stiffness of a step ago [N/m].
    """
    held = min(state[0], k_t) if touch.lasting > 0.0 else k_t
    share = held / k_t if k_t > 0.0 else 1.0
    # the slip of this step has met the mean of both stiffnesses
    ahead = 0.5 * (1.0 - share) * touch.step
    now = Touch(
        touch.overlap, touch.rate, touch.mass, touch.slip_mass, touch.radius,
        share * touch.sx + ahead * touch.ux, share * touch.sy + ahead * touch.uy,
        share * touch.sz + ahead * touch.uz, touch.ux, touch.uy, touch.uz, touch.lasting,
        touch.step,
    )
    pull, spring = bounded(limit, k_t, c_t, now)
    return pull, spring, (k_t,)


@register_jitable(inline="always")
def stored(k, touch, state):
    """Return the energy of Hertz's force and of the tangential spring [J].

    Args:
        k: secant stiffness F_el / δ [N/m].
        touch: the contact.
        state: the stiffness that belongs to the spring [N/m].
    """
    s2 = touch.sx * touch.sx + touch.sy * touch.sy + touch.sz * touch.sz
    return 0.4 * k * touch.overlap * touch.overlap, 0.5 * state[0] * s2

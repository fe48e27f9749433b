"""Glue: the force between two spheres of a cluster, in place of the contact law.

It acts along the line of the centres, pulls where the two are apart and pushes where they are near.
With d the distance of the centres, ℓ that at rest and F positive where it pulls:

power (Ferrez 3.25)          F = A sgn(x) |x|^α,  x = d - ℓ
cohesion potential (3.26)    V = A d^-α + B d^-β,  B = -(α / β) A ℓ^(β - α)

The second is at rest at ℓ (3.28), and with (3.29) its force (3.27), dV/dd, is

    F = -α A ℓ^(-α-1) (u^(α+1) - u^(β+1)),  u = ℓ / d

so that the stiffness at rest is V'' = α (α - β) A ℓ^(-α-2): rest is where V is least only if
A (α - β) > 0. (The thesis says that deriving V yields F. It does with F as pull, the sign of 3.25;
a force that pushes would be -dV/dd.) The thesis writes r_i + r_j for ℓ. Here ℓ is the distance at
which the two were glued: the same for spheres that touch, and a cluster whose spheres do so only
nearly has no stress in it, either.

Where α < 1 the stiffness of the power law is infinite at rest: no time step would be short enough.
So within the core, |x| < s, the force is the straight line A s^(α-1) x, and the time step is made
for its stiffness. Where α > 1 the stiffness grows with x.

Damping adds c d' to F, with c = 2 ζ sqrt(k m): ζ is the ratio to critical damping of two spheres
with the effective mass m. k is the stiffness at rest, and for a power law with α ≠ 1 the slope of
the line from rest to the end of the core. The thesis' glue has none.

A bond breaks when F without damping would exceed its strength, or d - ℓ its stretch, but not before
the spheres have parted: so the contact law that rules them from then on begins at nothing, and no
energy appears or is lost but what the bond has stored.

A bond longer or shorter than ℓ by more than half the smaller radius counts as trouble: glue is for
grains, which deform a little.

Units: A in N/m^α and in J m^α; F in N, V in J. Source: J.-A. Ferrez, EPFL thesis (2001), 3.5.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numba.extending import register_jitable

from granum import checks
from granum.checks import FloatArray, IntArray
from granum.errors import InputError
from granum.quantity import Force, Number, Stiffness

LINEAR, POWER, POTENTIAL = 0.0, 1.0, 2.0
# The numbers of a bond, as kernels take them.
KIND, REST, SCALE, FIRST, SECOND, CORE, SLOPE, DAMPER, BREAKS, SHORTEST, LONGEST = range(11)
NUMBERS = 11
FARTHEST = 0.5  # of the smaller radius: a bond that much longer or shorter is trouble
MEANT = 0.05  # of its length by which a bond is meant to deform: the time step is made for that
MOST_DAMPING = 2.0


class Glue(Protocol):
    """What the engine asks of a glue; all arrays have one entry for each bond."""

    @property
    def damping(self) -> float:
        """Share of the critical damping of one bond."""
        ...

    @property
    def stretch(self) -> float | None:
        """By which a bond breaks, as a share of its length."""
        ...

    def coefficients(self, rest: FloatArray) -> FloatArray:
        """Return kind, scale, two exponents, core [m] and reference stiffness [N/m], (b,6)."""
        ...

    def stiffness_within(self, rest: FloatArray, strain: float) -> FloatArray:
        """Return the largest stiffness while d differs from rest by up to a share of it [N/m]."""
        ...

    def break_distance(self, rest: FloatArray) -> FloatArray:
        """Return the distance at which the pull reaches the strength [m]; inf if it has none."""
        ...


def bond_numbers(glues: Sequence[Glue], glue: IntArray, rest: FloatArray, smaller: FloatArray,
                 touching: FloatArray) -> FloatArray:
    """Return the numbers of all bonds as kernels take them, (b, NUMBERS).

    Args:
        glues: all glues.
        glue: (b,) number of each bond's glue.
        rest: (b,) length at rest [m].
        smaller: (b,) smaller radius of the two [m].
        touching: (b,) sum of the radii [m].
    """
    rows = np.zeros((len(rest), NUMBERS))
    for number, one in enumerate(glues):
        mine = glue == number
        length = rest[mine]
        kind, scale, first, second, core, slope = one.coefficients(length).T
        stretched = np.inf if one.stretch is None else length * (1.0 + one.stretch)
        ends = np.minimum(one.break_distance(length), stretched)
        rows[mine] = np.column_stack([
            kind, length, scale, first, second, core, slope,
            2.0 * one.damping * np.sqrt(slope), np.maximum(ends, touching[mine]),
            length - FARTHEST * smaller[mine], length + FARTHEST * smaller[mine],
        ])
    return rows


def _settle_common(glue: PowerGlue | PotentialGlue) -> None:
    """Check what all glues have."""
    name = checks.name_of
    ratio = checks.number(name(glue, "damping"), glue.damping, at_least=0.0, at_most=MOST_DAMPING)
    checks.settle(glue, damping=ratio)
    for field in ("strength", "stretch"):
        if getattr(glue, field) is not None:
            checks.settle(glue, **{field: checks.positive_field(glue, field)})


@dataclass(frozen=True)
class PowerGlue:
    """Glue whose pull is a power of the stretch, F = A x^α (Ferrez 3.25).

    Args:
        stiffness: A; [N/m] for an exponent of 1, else a plain number in N/m^α.
        exponent: α; 1 is a spring.
        damping: share of the critical damping of one bond, 0 to 2.
        strength: pull at which a bond breaks [N]; it never does unless given.
        stretch: by which a bond breaks, as a share of its length; never unless given.
        core: for an exponent below 1: share of the bond's length within which the force is a
            straight line, which keeps the stiffness finite.
    """

    stiffness: Stiffness
    exponent: Number = 1.0
    damping: Number = 0.0
    strength: Force | None = None
    stretch: Number | None = None
    core: Number = 1e-3

    def __post_init__(self) -> None:
        """Refuse values without a meaning."""
        name = checks.name_of
        checks.settle(
            self, stiffness=checks.positive_field(self, "stiffness"),
            exponent=checks.number(name(self, "exponent"), self.exponent, above=0.0, at_most=10.0),
            core=checks.number(name(self, "core"), self.core, above=0.0, at_most=0.1),
        )
        _settle_common(self)

    def coefficients(self, rest: FloatArray) -> FloatArray:
        """Return kind, scale, two exponents, core [m] and reference stiffness [N/m], (b,6)."""
        edge = self.core * rest
        slope = self.stiffness * edge ** (self.exponent - 1.0)
        core = edge if self.exponent < 1.0 else np.zeros_like(edge)
        kind = LINEAR if self.exponent == 1.0 else POWER
        same = np.ones_like(edge)
        return np.column_stack([kind * same, self.stiffness * same, self.exponent * same,
                                0.0 * same, core, slope])

    def stiffness_within(self, rest: FloatArray, strain: float) -> FloatArray:
        """Return the largest stiffness while d differs from rest by up to a share of it [N/m]."""
        if self.exponent < 1.0:
            return self.coefficients(rest)[:, 5]
        return self.exponent * self.stiffness * (strain * rest) ** (self.exponent - 1.0)

    def break_distance(self, rest: FloatArray) -> FloatArray:
        """Return the distance at which the pull reaches the strength [m]; inf if it has none."""
        if self.strength is None:
            return np.full(len(rest), np.inf)
        beyond = (self.strength / self.stiffness) ** (1.0 / self.exponent)
        core, slope = self.coefficients(rest)[:, 4:6].T
        return rest + np.where(beyond < core, self.strength / slope, beyond)


@dataclass(frozen=True)
class PotentialGlue:
    """Glue with a cohesion potential, V = A d^-α + B d^-β, at rest where glued (Ferrez 3.26-3.29).

    Args:
        coefficient: A [J m^α], a plain number; negative if beta is greater than alpha.
        alpha: exponent α.
        beta: exponent β; with a negative coefficient the greater of the two, and the greater, the
            harder the material.
        damping: share of the critical damping of one bond, 0 to 2.
        strength: pull at which a bond breaks [N]; it never does unless given.
        stretch: by which a bond breaks, as a share of its length; never unless given.
    """

    coefficient: Number
    alpha: Number
    beta: Number
    damping: Number = 0.0
    strength: Force | None = None
    stretch: Number | None = None

    def __post_init__(self) -> None:
        """Refuse values without a meaning, and a potential without a least value."""
        name = checks.name_of
        for field in ("alpha", "beta"):
            value = checks.number(name(self, field), getattr(self, field), above=0.0, at_most=50.0)
            checks.settle(self, **{field: value})
        checks.settle(self, coefficient=checks.number(name(self, "coefficient"), self.coefficient))
        if not self.coefficient * (self.alpha - self.beta) > 0.0:
            sign = "negative" if self.beta > self.alpha else "positive"
            message = (
                f"PotentialGlue coefficient must be {sign} for alpha = {self.alpha:g} and beta = "
                f"{self.beta:g}, so that the potential is least at rest, got {self.coefficient:g}"
            ) if self.alpha != self.beta else (
                f"PotentialGlue beta must differ from alpha, or no force is left, got "
                f"{self.beta:g} for both")
            raise InputError(message)
        _settle_common(self)

    def coefficients(self, rest: FloatArray) -> FloatArray:
        """Return kind, scale, two exponents, core [m] and reference stiffness [N/m], (b,6)."""
        scale = -self.alpha * self.coefficient * rest ** (-self.alpha - 1.0)
        same = np.ones_like(rest)
        return np.column_stack([
            POTENTIAL * same, scale, (self.alpha + 1.0) * same, (self.beta + 1.0) * same,
            0.0 * same, scale * (self.beta - self.alpha) / rest])

    def stiffness_within(self, rest: FloatArray, strain: float) -> FloatArray:
        """Return the largest stiffness while d differs from rest by up to a share of it [N/m].

        F'(d) = (scale / ℓ) ((β + 1) u^(β+2) - (α + 1) u^(α+2)) falls with d around rest.
        """
        scale, p, q = self.coefficients(rest)[:, 1:4].T
        u = 1.0 / (1.0 - strain)
        return np.asarray(scale / rest * (q * u ** (q + 1.0) - p * u ** (p + 1.0)))

    def break_distance(self, rest: FloatArray) -> FloatArray:
        """Return the distance at which the pull reaches the strength [m]; inf if it has none.

        The pull grows from rest to u^(β-α) = (α + 1) / (β + 1) and falls beyond.
        """
        if self.strength is None or not len(rest):
            return np.full(len(rest), np.inf)
        scale, p, q = self.coefficients(rest)[:, 1:4].T
        peak = (p[0] / q[0]) ** (1.0 / (q[0] - p[0]))
        most = scale * (peak ** p - peak ** q)
        if (most < self.strength).any():
            message = (f"PotentialGlue strength = {self.strength:g} N is more than this glue ever "
                       f"pulls, {most.min():g} N at most: lower strength, or give a stretch")
            raise InputError(message)
        low, high = np.full(len(rest), peak), np.ones(len(rest))  # u, with the strength between
        for _ in range(100):
            middle = 0.5 * (low + high)
            pulls_more = scale * (middle ** p - middle ** q) > self.strength
            low, high = np.where(pulls_more, middle, low), np.where(pulls_more, high, middle)
        return np.asarray(rest / (0.5 * (low + high)))


# ---- what kernels call -------------------------------------------------------------------------


@register_jitable
def pull_of(numbers, k, d):
    """Return the pull of bond k at distance d, without damping [N]."""
    kind, rest, scale = numbers[k, KIND], numbers[k, REST], numbers[k, SCALE]
    x = d - rest
    if kind == LINEAR:
        return scale * x
    if kind == POWER:
        size = abs(x)
        if size <= numbers[k, CORE]:
            return numbers[k, SLOPE] * x
        pull = scale * size ** numbers[k, FIRST]
        return pull if x > 0.0 else -pull
    u = rest / d
    return scale * (u ** numbers[k, FIRST] - u ** numbers[k, SECOND])


@register_jitable
def energy_of(numbers, k, d):
    """Return the energy that bond k at distance d can give back, 0 at rest [J]."""
    kind, rest, scale = numbers[k, KIND], numbers[k, REST], numbers[k, SCALE]
    x = d - rest
    if kind == LINEAR:
        return 0.5 * scale * x * x
    if kind == POWER:
        size, core, n = abs(x), numbers[k, CORE], numbers[k, FIRST] + 1.0
        if size <= core:
            return 0.5 * numbers[k, SLOPE] * x * x
        return 0.5 * numbers[k, SLOPE] * core * core + scale * (size**n - core**n) / n
    u = rest / d
    alpha, beta = numbers[k, FIRST] - 1.0, numbers[k, SECOND] - 1.0
    return scale * rest * ((1.0 - u**alpha) / alpha - (1.0 - u**beta) / beta)

"""How strong a dashpot must be for a contact without attraction to return a restitution.

A spring and a dashpot, δ'' + 2 ζ ω δ' + ω² δ = 0 with δ(0) = 0 and δ'(0) = v, where the contact
ends as soon as its force would pull: at the first δ'' = 0. With ζ = cos θ the path is

    δ = v exp(-ζ ω t) sin(ω t sin θ) / (ω sin θ)

so δ'' is v ω exp(-ζ ω t) sin(ω t sin θ - 2 θ) / sin θ. It is zero when ω t sin θ = 2 θ, and there
δ' = -v exp(-ζ ω t). Hence restitution and duration of the contact are

    e = exp(-2 θ cot θ),   ω t_c = 2 θ / sin θ,   ζ ω t_c = -ln e.

This is Schwager & Pöschel's result (Granular Matter 9 (2007) 465) in one branch. Beyond critical
damping, e < exp(-2) = 0.135, θ is imaginary: e = exp(-2 η coth η), ω t_c = 2 η / sinh η and
ζ = cosh η. Every restitution above 0 has exactly one ζ.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from scipy.optimize import brentq

FLAT = 1e-4  # |θ²| below which two terms of a series are exact to rounding
BEYOND = 2.6  # a little more than (π/2)²: the root lies below


class Damping(NamedTuple):
    """The oscillator of a contact that ends at zero force."""

    ratio: float  # ζ, share of critical damping
    phase: float  # ω t_c [rad]


def without_attraction(restitution: float) -> Damping:
    """Return the damping with which a contact that never pulls returns ``restitution``."""
    if restitution == 1.0:
        return Damping(0.0, math.pi)
    half = -0.5 * math.log(restitution)
    square = brentq(lambda u: _cotangent(u) - half, -half * half, BEYOND, xtol=1e-15, rtol=1e-14)
    phase = 2.0 * _cosecant(square)
    return Damping(2.0 * half / phase, phase)


def _cotangent(u: float) -> float:
    """Return θ cot θ for u = θ², which may be negative."""
    if abs(u) < FLAT:
        return 1.0 - u / 3.0 - u * u / 45.0
    root = math.sqrt(abs(u))
    return root / math.tan(root) if u > 0.0 else root / math.tanh(root)


def _cosecant(u: float) -> float:
    """Return θ / sin θ for u = θ², which may be negative."""
    if abs(u) < FLAT:
        return 1.0 + u / 6.0 + 7.0 * u * u / 360.0
    root = math.sqrt(abs(u))
    return root / math.sin(root) if u > 0.0 else root / math.sinh(root)

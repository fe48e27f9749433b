"""What the medium around the grains does to each of them: damping and drag.

    m dv/dt = F - C v - 6 π η r (v - u)        (Ferrez 3.23; Stokes)
    I dω/dt = T - C* ω - 8 π η r³ ω            (Ferrez 3.24, where ω stands in place of its rate)

v velocity [m/s], ω spin [rad/s], F and T force and torque of all else; C [N s/m] and C* [N m s] the
damping that Cundall & Strack (Géotechnique 29 (1979) 47) give every grain, whatever its size; η
viscosity [Pa s] and u velocity [m/s] of a fluid. Stokes' law holds for a lone sphere in a slow
flow, 2 ρ r |v - u| / η below about 0.1 with the density ρ of the fluid; nothing acts back on the
fluid. (G. G. Stokes, Trans. Cambridge Philos. Soc. 9 (1851) 8; for the torque G. Kirchhoff,
Vorlesungen über mathematische Physik: Mechanik (1876), lecture 26.)

A body that is no sphere is dragged as the ellipsoid with its mass and its principal moments of
inertia, a_i² = 5/2 (I_j + I_k - I_i) / m. Along and about its principal axes it meets

    16 π η / (χ + α_i a_i²),   16 π η (a_j² + a_k²) / (3 (α_j a_j² + α_k a_k²))

with χ = ∫ dλ / Δ = 2 R_F and α_i = ∫ dλ / (Δ (a_i² + λ)) = 2/3 R_D over λ > 0, Δ² = Π (a_i² + λ),
and Carlson's integrals R_F, R_D (A. Oberbeck, J. reine angew. Math. 81 (1876) 62; D. Edwardes,
Quart. J. Math. 26 (1892) 70). These are exact for ellipsoids, and Stokes' law for a sphere.

Both are linear in v and ω, so all that a law has of them is one row of seven numbers, ``medium``:
C, 6 π η, C*, 8 π η and u.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from scipy.special import elliprd, elliprf

from granum.checks import FloatArray, number, settle, vector
from granum.errors import InputError
from granum.laws.law import TimeSteps
from granum.quantity import Damping as DampingOfVelocity
from granum.quantity import DampingOfSpin, Velocity, Viscosity

FLATTEST = 1e-12  # square of the least axis of an ellipsoid, in those of the longest


class _OfGrains:
    """What all that acts on single grains have in common: it does not depend on materials."""

    def mixed(self, other: Any) -> Self:
        """Return the same, for it acts on grains and not between materials."""
        if self != other:
            message = (f"{type(self).__name__} acts on each grain, not between two materials: it "
                       f"must be the same for all, got {self} and {other}")
            raise InputError(message)
        return self

    def medium(self) -> FloatArray:
        """Return C, 6 π η, C*, 8 π η and u, (7,)."""
        raise NotImplementedError

    def time_steps(self, radius: FloatArray, mass: FloatArray) -> TimeSteps:
        """Return a fiftieth and a tenth of the time in which the fastest grain loses its motion.

        That is the shortest of m / C and I / C*, with the moment of inertia of a sphere, which is
        less than that of a disc. A step longer than the whole of it is not stable.
        """
        c, d, c_spin, d_spin = self.medium()[:4]
        going, turning = c + d * radius, c_spin + d_spin * radius**3
        rate = max(float((going / mass).max(initial=0.0)),
                   float((turning / (0.4 * mass * radius**2)).max(initial=0.0)))
        return TimeSteps(0.02 / rate, 0.1 / rate) if rate else TimeSteps(math.inf, math.inf)


@dataclass(frozen=True)
class Damping(_OfGrains):
    """A force against every motion and a torque against every spin, the same for all sizes.

    Args:
        translational: force against a velocity, C [N s/m].
        rotational: torque against a spin, C* [N m s].
    """

    translational: DampingOfVelocity = 0.0
    rotational: DampingOfSpin = 0.0

    def __post_init__(self) -> None:
        """Refuse values without a meaning."""
        number("translational", self.translational, at_least=0.0)
        number("rotational", self.rotational, at_least=0.0)

    def medium(self) -> FloatArray:
        """Return C and C* at their places."""
        return np.array([self.translational, 0.0, self.rotational, 0.0, 0.0, 0.0, 0.0])


@dataclass(frozen=True)
class Drag(_OfGrains):
    """A viscous fluid around the grains: Stokes' drag on each of them, as if it were alone.

    Args:
        viscosity: of the fluid, η [Pa s]; 1.8e-5 for air, 1e-3 for water.
        velocity: of the fluid, u [m/s].
    """

    viscosity: Viscosity
    velocity: Velocity = (0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        """Refuse values without a meaning."""
        number("viscosity", self.viscosity, at_least=0.0)
        settle(self, velocity=tuple(vector("velocity", self.velocity).tolist()))

    def medium(self) -> FloatArray:
        """Return 6 π η, 8 π η and u at their places."""
        eta = math.pi * self.viscosity
        return np.array([0.0, 6.0 * eta, 0.0, 8.0 * eta, *self.velocity])


def drag_radii(mass: FloatArray, inertia: FloatArray) -> FloatArray:
    """Return radii [m] of spheres with the same drag along each principal axis, (n,6).

    The last three are for turning about the axes, and cubed [m3].

    Args:
        mass: (n,) [kg].
        inertia: principal moments, (n,3) [kg m2].
    """
    square = 2.5 * (inertia.sum(axis=1, keepdims=True) - 2.0 * inertia) / mass[:, None]
    a, b, c = np.maximum(square, FLATTEST * square.max(axis=1, keepdims=True)).T
    shares = np.array([elliprd(b, c, a) * a, elliprd(c, a, b) * b, elliprd(a, b, c) * c]) / 1.5
    going = 16.0 / (2.0 * elliprf(a, b, c) + shares) / 6.0
    turning = [16.0 * (p + q) / (3.0 * (shares[j] + shares[k])) / 8.0
               for p, q, j, k in ((b, c, 1, 2), (c, a, 2, 0), (a, b, 0, 1))]
    return np.column_stack((*going, *turning))


def medium_of(law: Any, dimension: int) -> FloatArray:
    """Return all that a law has of damping and drag, (7,), or (0,) if it has nothing of the kind.

    Two fluids are one of the sum of viscosities and of the mean velocity, weighed by them.
    """
    inner = getattr(law, "law", law)
    parts = [part for part in getattr(law, "addons", getattr(inner, "addons", ()))
             if isinstance(part, _OfGrains)]
    if not parts:
        return np.zeros(0)
    if dimension == 2 and any(isinstance(part, Drag) for part in parts):
        message = ("Drag is Stokes' drag on a sphere, and there is none like it for discs (a slow "
                   "flow past a cylinder has no steady drag): use Damping in a 2D world")
        raise InputError(message)
    rows = np.array([part.medium() for part in parts])
    every = rows.sum(axis=0)
    fluid = rows[:, 1] / every[1] if every[1] > 0.0 else np.zeros(len(rows))
    every[4:] = fluid @ rows[:, 4:]
    return every

"""Round grains: the sphere, and the disc of a 2D world (unit thickness, turning about z)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from granum.checks import FloatArray, wild
from granum.errors import InputError


@dataclass(frozen=True, eq=False)
class Sphere:
    """Solid spheres.

    Args:
        radius: one radius for all grains, or one for each [m].
    """

    radius: Any

    def radii(self, count: int) -> FloatArray:
        """Return the radius of each of ``count`` grains, (count,) [m]."""
        radius = np.asarray(self.radius, dtype=np.float64)
        if radius.ndim == 0:
            radius = np.full(count, float(radius))
        name = type(self).__name__
        if radius.shape != (count,):
            message = (
                f"{name} has {radius.size} radii for {count} points: "
                "give one radius, or one for each point"
            )
            raise InputError(message)
        bad = ~(np.isfinite(radius) & (radius > 0.0))
        if bad.any():
            k = int(np.flatnonzero(bad)[0])
            message = f"{name}: the radius of grain {k} must be greater than 0, got {radius[k]:g}"
            raise InputError(message)
        for k in (int(radius.argmin()), int(radius.argmax())) if count else ():
            how = wild(float(radius[k]))
            if how:
                message = (f"{name}: the radius of grain {k}, {radius[k]:g} m, is too {how} to be "
                           "meant")
                raise InputError(message)
        return radius.copy()

    @staticmethod
    def volume(radius: FloatArray) -> FloatArray:
        """Return 4/3 π r³ [m3]."""
        return np.asarray(4.0 / 3.0 * np.pi * radius**3)

    @staticmethod
    def inertia(radius: FloatArray, mass: FloatArray) -> FloatArray:
        """Return the principal moments, (n,3): 2/5 m r² about every axis [kg m2]."""
        return np.repeat((0.4 * mass * radius**2)[:, None], 3, axis=1)


@dataclass(frozen=True, eq=False)
class Disc(Sphere):
    """Solid discs of unit thickness, for a 2D world."""

    @staticmethod
    def volume(radius: FloatArray) -> FloatArray:
        """Return π r² times the unit thickness [m3]."""
        return np.asarray(np.pi * radius**2)

    @staticmethod
    def inertia(radius: FloatArray, mass: FloatArray) -> FloatArray:
        """Return the moments 1/2 m r² about z, the only axis a disc turns about [kg m2]."""
        return np.repeat((0.5 * mass * radius**2)[:, None], 3, axis=1)

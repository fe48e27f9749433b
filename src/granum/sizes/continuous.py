"""Distributions of sizes between two limits: uniform, normal, log-normal.

Each says how many grains are smaller than a radius r, by number. The normal ones are truncated: cut
off at their limits and made whole again,

    share(r) = (F(r) - F(low)) / (F(high) - F(low)),

with F the normal distribution function of r (Normal) or of ln r (LogNormal).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr, ndtri

from granum.checks import FloatArray, name_of, positive_field, settle
from granum.errors import InputError
from granum.quantity import Length, Number
from granum.sizes.independent import Independent

LEAST = 1e-3  # share of a distribution that must lie within the limits


class _Limited(Independent):
    """Radii between two limits, which are fields of what is derived."""

    low: Length
    high: Length

    @property
    def smallest(self) -> float:
        """No grain is smaller [m]."""
        return self.low

    @property
    def largest(self) -> float:
        """No grain is larger [m]."""
        return self.high


@dataclass(frozen=True)
class Uniform(_Limited):
    """Radii of which each between two limits is as likely as any other.

    Args:
        low: smallest radius [m].
        high: largest radius [m].
    """

    low: Length
    high: Length

    def __post_init__(self) -> None:
        """Check both limits."""
        _settle_limits(self)

    def quantile(self, share: FloatArray) -> FloatArray:
        """Return the radius [m] that this share of all grains is smaller than."""
        return np.asarray(self.low + share * (self.high - self.low))


@dataclass(frozen=True)
class Normal(_Limited):
    """Radii with a normal distribution, cut off at two limits.

    Args:
        mean: mean radius before it is cut off [m].
        deviation: standard deviation before it is cut off [m].
        low: smallest radius [m].
        high: largest radius [m].
    """

    mean: Length
    deviation: Length
    low: Length
    high: Length

    def __post_init__(self) -> None:
        """Check every field, and that the limits hold enough."""
        settle(self, mean=positive_field(self, "mean"),
               deviation=positive_field(self, "deviation"))
        _settle_limits(self)
        _refuse_empty(self, *self._ends())

    def quantile(self, share: FloatArray) -> FloatArray:
        """Return the radius [m] that this share of all grains is smaller than."""
        radius = self.mean + self.deviation * _between(share, *self._ends())
        return np.clip(radius, self.low, self.high)  # beyond by rounding only

    def _ends(self) -> tuple[float, float]:
        """Return the limits in standard deviations from the mean."""
        return (self.low - self.mean) / self.deviation, (self.high - self.mean) / self.deviation


@dataclass(frozen=True)
class LogNormal(_Limited):
    """Radii whose logarithm has a normal distribution, cut off at two limits.

    Args:
        median: radius that half of the grains are smaller than, before it is cut off [m].
        deviation: standard deviation of the natural logarithm of the radius, before it is cut off.
        low: smallest radius [m].
        high: largest radius [m].
    """

    median: Length
    deviation: Number
    low: Length
    high: Length

    def __post_init__(self) -> None:
        """Check every field, and that the limits hold enough."""
        settle(self, median=positive_field(self, "median"),
               deviation=positive_field(self, "deviation"))
        _settle_limits(self)
        _refuse_empty(self, *self._ends())

    def quantile(self, share: FloatArray) -> FloatArray:
        """Return the radius [m] that this share of all grains is smaller than."""
        radius = self.median * np.exp(self.deviation * _between(share, *self._ends()))
        return np.clip(radius, self.low, self.high)  # beyond by rounding only

    def _ends(self) -> tuple[float, float]:
        """Return the limits in standard deviations of the logarithm from the median."""
        return (float(np.log(self.low / self.median) / self.deviation),
                float(np.log(self.high / self.median) / self.deviation))


def _between(share: FloatArray, low: float, high: float) -> FloatArray:
    """Return the quantile of the standard normal distribution that is cut off at two ends.

    It is worked out in the lower tail, where a number near 0 keeps its digits.
    """
    if low > 0.0:
        return np.asarray(-_between(1.0 - share, -high, -low))
    first, last = ndtr(low), ndtr(high)
    return np.asarray(ndtri(first + share * (last - first)))


def _settle_limits(sizes: Uniform | Normal | LogNormal) -> None:
    settle(sizes, low=positive_field(sizes, "low"), high=positive_field(sizes, "high"))
    if sizes.low >= sizes.high:
        message = (f"{name_of(sizes, 'high')} must be greater than low = {sizes.low:g} m, got "
                   f"{sizes.high:g} m")
        raise InputError(message)


def _refuse_empty(sizes: Normal | LogNormal, low: float, high: float) -> None:
    share = float(ndtr(high) - ndtr(low)) if low < 0.0 else float(ndtr(-low) - ndtr(-high))
    if share < LEAST:
        message = (f"{type(sizes).__name__}: only {100.0 * share:.2g} % of this distribution lies "
                   f"between low = {sizes.low:g} m and high = {sizes.high:g} m, so it would not "
                   f"look like one: move the limits or the middle")
        raise InputError(message)

"""A radius, and how far sizes spread about it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from granum.checks import FloatArray, IntArray
from granum.sizes.independent import Independent
from granum.sizes.protocol import spread_out


@dataclass(frozen=True)
class Plain(Independent):
    """Radii that are uniform within ``radius`` (1 ± ``spread``); all alike if it is 0.

    This is what the fields ``radius`` and ``spread`` of a placing say.
    """

    radius: float
    spread: float = 0.0

    @property
    def smallest(self) -> float:
        """No grain is smaller [m]."""
        return self.radius * (1.0 - self.spread)

    @property
    def largest(self) -> float:
        """No grain is larger [m]."""
        return self.radius * (1.0 + self.spread)

    def radii(self, count: int, dimension: int, rng: np.random.Generator) -> FloatArray:
        """Return ``count`` radii [m]; no chance is used up if all are alike."""
        if self.spread == 0.0:
            return np.full(count, self.radius)
        return self.quantile(rng.random(count))

    def numbered(self, numbers: IntArray, count: int, dimension: int) -> FloatArray:
        """Return the radii of the grains of these numbers [m]."""
        return self.quantile(spread_out(numbers))

    def quantile(self, share: FloatArray) -> FloatArray:
        """Return the radius [m] that this share of all grains is smaller than."""
        return np.asarray(self.radius * (1.0 + self.spread * (2.0 * share - 1.0)))

"""What every distribution of sizes can tell."""

from __future__ import annotations

import math
from typing import Protocol

import numpy as np

from granum.checks import FloatArray, IntArray

GOLDEN = (math.sqrt(5.0) - 1.0) / 2.0


class Sizes(Protocol):
    """Radii of grains.

    Masses go as radius^D in D dimensions, so what is said of masses depends on the dimension.
    """

    @property
    def smallest(self) -> float:
        """No grain is smaller [m]."""
        ...

    @property
    def largest(self) -> float:
        """No grain is larger [m]."""
        ...

    def radii(self, count: int, dimension: int, rng: np.random.Generator) -> FloatArray:
        """Return the radii of ``count`` grains in an order without meaning, (count,) [m]."""
        ...

    def numbered(self, numbers: IntArray, count: int, dimension: int) -> FloatArray:
        """Return the radii of some of the ``count`` grains of a stream by their numbers [m].

        They follow from the numbers alone, and grains that follow each other are a fair sample.
        """
        ...

    def filling(self, total: float, dimension: int, rng: np.random.Generator) -> FloatArray:
        """Return radii [m] whose powers radius^dimension add up to ``total`` as nearly as can be.

        At least one grain is returned.
        """
        ...


def spread_out(numbers: IntArray) -> FloatArray:
    """Return numbers in [0, 1) that are evenly spread, however many one takes in turn.

    These are the multiples of the golden ratio without their whole parts.
    """
    return np.asarray(np.mod(numbers * GOLDEN, 1.0))

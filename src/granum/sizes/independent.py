"""Grains of independent sizes: each is drawn for itself, from a quantile function."""

from __future__ import annotations

import numpy as np

from granum.checks import FloatArray, IntArray
from granum.sizes.protocol import spread_out

MORE = 1.05  # times the expected number of grains is drawn at once
SOME = 64


class Independent:
    """What distributions share whose grains are drawn one by one.

    A size is the quantile of a number in [0, 1). Nothing is drawn outside the limits of a
    distribution and nothing is moved onto them: the quantile is that of the truncated one.
    """

    def quantile(self, share: FloatArray) -> FloatArray:
        """Return the radius [m] that this share of all grains is smaller than."""
        raise NotImplementedError

    def radii(self, count: int, dimension: int, rng: np.random.Generator) -> FloatArray:
        """Return ``count`` independent radii [m]."""
        return self.quantile(rng.random(count))

    def numbered(self, numbers: IntArray, count: int, dimension: int) -> FloatArray:
        """Return the radii of the grains of these numbers [m]."""
        return self.quantile(spread_out(numbers))

    def filling(self, total: float, dimension: int, rng: np.random.Generator) -> FloatArray:
        """Return radii [m], drawn until their powers add up to ``total`` as nearly as can be."""
        found, reached = [np.zeros(0)], 0.0
        typical = float(np.mean(self.quantile((np.arange(SOME) + 0.5) / SOME) ** dimension))
        while reached <= total:
            more = int(MORE * (total - reached) / typical) + SOME
            found.append(self.radii(more, dimension, rng))
            reached += float((found[-1] ** dimension).sum())
        radii = np.concatenate(found)
        sums = np.cumsum(radii**dimension)
        after = int(np.searchsorted(sums, total))
        nearest = after if after and total - sums[after - 1] < sums[after] - total else after + 1
        return np.asarray(radii[:nearest])

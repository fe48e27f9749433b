"""Telling, once, that grains overlap more deeply than the triangulation's condition allows."""

from __future__ import annotations

import logging

import numpy as np
from numpy.typing import NDArray

LOGGER = logging.getLogger("granum")


def warn_of_deep_overlap(
    X: NDArray[np.float64], pairs: NDArray[np.int32], ids: NDArray[np.int64],
    period: NDArray[np.float64],
) -> None:
    """Log a warning with the pair that is deepest, measured by the smaller radius.

    Args:
        X: (n,4) positions and radii [m].
        pairs: (m,2) rows of X, m > 0.
        ids: (n,) of the grains.
        period: (3,) of the world, 0 where there is none [m].
    """
    i, j = pairs[:, 0], pairs[:, 1]
    apart = X[j, :3] - X[i, :3]
    apart -= period * np.rint(apart / np.where(period > 0.0, period, np.inf))
    smaller = np.minimum(X[i, 3], X[j, 3])
    depth = (X[i, 3] + X[j, 3] - np.linalg.norm(apart, axis=1)) / smaller
    k = int(depth.argmax())
    first, second = sorted((int(ids[i[k]]), int(ids[j[k]])))
    LOGGER.warning(
        "grains %d and %d overlap by %.2g of the smaller radius, so deeply that grains near them "
        "need not be joined by edges of the triangulation. They are compared with all others "
        "instead: no contact is missed, but that takes longer. Grains this soft are rarely meant: "
        "consider a shorter contact_time. (Said once; deep_pairs in summary.json counts the pairs "
        "found like this.)", first, second, depth[k],
    )

"""Images: copies of grains beyond the faces of a periodic cell, where they may meet others.

A pair across a face is met if one of the two has an image beside the other. It is enough to copy
the larger one: a grain of reach R (radius and skin) meets no smaller one farther away than 2 R, so
it needs images only where their centres are within 2 R of the cell.

A copy is named by the grain and the period it is in, counted along the grain's way since the start.
So when a grain leaves the cell by one face and enters by the other, no copy jumps: what was an
image is the grain now, and what was the grain is an image.
"""

from __future__ import annotations

from itertools import product

import numpy as np
from numpy.typing import NDArray

from granum.compile import kernel

PERIODS = 8  # numbers that name a period: more than the three in which a grain has copies


class Images:
    """The copies of grains in a periodic cell.

    Args:
        period: (3,) period of the world, 0 where there is none [m].
    """

    def __init__(self, period: NDArray[np.float64]) -> None:
        self._period = period
        self._shifts = np.array(
            list(product(*[(0, 1, -1) if L > 0.0 else (0,) for L in period])), dtype=np.int64
        )  # the first is no shift
        self._ids = np.zeros(0, dtype=np.int64)
        self._position = np.zeros((0, 3))
        self._turns = np.zeros((0, 3), dtype=np.int64)

    def extend(
        self, X: NDArray[np.float64], ids: NDArray[np.int64], skin: float
    ) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.int64]]:
        """Return the grains and their images.

        Args:
            X: (n,4) position in the cell, and radius [m].
            ids: (n,) which grains they are.
            skin: added to each radius [m].

        Returns:
            (m,4) the grains, and behind them their images; (m,) the row of X that each is a copy
            of; (m,) a name for each that stays with it.
        """
        if not self._period.any():
            return X, np.arange(len(X)), ids
        turns = self._count_turns(X, ids)
        m = len(X) + _number(X, self._period, self._shifts, skin)
        spheres = np.empty((m, 4))
        source, names = np.empty((2, m), dtype=np.int64)
        _write(X, ids, turns, self._period, self._shifts, skin, spheres, source, names)
        return spheres, source, names

    def _count_turns(
        self, X: NDArray[np.float64], ids: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """Return (n,3) how often each grain has gone round since it was first seen."""
        if np.array_equal(ids, self._ids):
            known = where = np.arange(len(ids))
        else:
            order = np.argsort(self._ids)
            known = np.flatnonzero(np.isin(ids, self._ids))
            where = order[np.searchsorted(self._ids[order], ids[known])]
        turns = np.zeros((len(X), 3), dtype=np.int64)
        way = X[known, :3] - self._position[where]
        period = np.where(self._period > 0.0, self._period, np.inf)
        turns[known] = self._turns[where] - np.rint(way / period).astype(np.int64)
        self._ids, self._position, self._turns = ids.copy(), X[:, :3].copy(), turns
        return turns


@kernel
def _is_near(X, i, L, shifts, k, skin):
    """Tell whether a grain that is shifted by periods is within twice its reach of the cell."""
    near = 2.0 * (X[i, 3] + skin)
    found = True
    for a in range(3):
        x = X[i, a] + shifts[k, a] * L[a]
        found = found and (L[a] == 0.0 or (x > -near and x < L[a] + near))
    return found


@kernel
def _number(X, L, shifts, skin):
    """Return how many images there are."""
    number = 0
    for k in range(1, shifts.shape[0]):
        for i in range(X.shape[0]):
            number += int(_is_near(X, i, L, shifts, k, skin))
    return number


@kernel
def _write(X, ids, turns, L, shifts, skin, spheres, source, names):
    """Write the grains, then their images, shift by shift."""
    m = 0
    for k in range(shifts.shape[0]):
        for i in range(X.shape[0]):
            if k > 0 and not _is_near(X, i, L, shifts, k, skin):
                continue
            name = ids[i]
            for a in range(3):
                spheres[m, a] = X[i, a] + shifts[k, a] * L[a]
                name = name * PERIODS + (shifts[k, a] - turns[i, a]) % PERIODS
            spheres[m, 3], source[m], names[m] = X[i, 3], i, name
            m += 1

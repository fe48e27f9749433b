"""Damping and drag on each grain, at the velocity that is predicted for the end of the step.

So they are met to second order, as the dashpots of contacts are. The formulas stand in
`granum.laws.medium`, and so does the row of numbers, ``medium``; empty space has none. Legend as in
`sweep`, torques are over radius.
"""

from __future__ import annotations

import numba
import numpy as np
from numpy.typing import NDArray

from granum.checks import FloatArray
from granum.compile import kernel, parallel_kernel
from granum.world import Grains


@kernel
def _resist(first, last, rows, F, medium):
    """Add the forces of the medium on grains first to last."""
    X, V, W = rows.X, rows.V, rows.W
    for i in range(first, last):
        r = X[i, 3]
        c, d = medium[0], medium[1] * r
        turning = (medium[2] + medium[3] * r * r * r) / r
        for a in range(3):
            F[i, a] += d * (medium[4 + a] - V[i, a]) - c * V[i, a]
            F[i, 4 + a] -= turning * W[i, a]


@parallel_kernel
def resist_all(block, rows, F, medium):
    """Add the forces of the medium on all grains, block by block."""
    for b in numba.prange(block.size - 1):
        _resist(block[b], block[b + 1], rows, F, medium)


def resist_newcomers(grains: Grains, new: NDArray[np.bool_], medium: FloatArray) -> None:
    """Add what the medium does to the rates of grains that have just come."""
    c, d, c_spin, d_spin = medium[:4]
    r, m = grains.radius[new, None], grains.mass[new, None]
    v, w = grains.velocity[new], grains.spin[new]
    grains.acceleration[new] += (d * r * (medium[4:] - v) - c * v) / m
    grains.spin_rate[new] -= (c_spin + d_spin * r**3) / grains.inertia[new] * w

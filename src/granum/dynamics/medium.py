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
from granum.shapes.turning import turned, turned_back
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


@kernel
def _resist_bodies(first, last, bodies, F, medium):
    """Add the forces of the medium on bodies first to last, at their centres of mass.

    They are laid on the first ball of each: force f and torque t there are f and t - lever × f.
    """
    V, W, begin, arm, lever = bodies.V, bodies.W, bodies.begin, bodies.arm, bodies.lever
    for i in range(first, last):
        k = begin[i]
        r, c, turning = arm[k, 3], medium[0], medium[2] / arm[k, 3]
        fx, fy, fz = -c * V[i, 0], -c * V[i, 1], -c * V[i, 2]
        lx, ly, lz = lever[k, 0], lever[k, 1], lever[k, 2]
        F[k, 0], F[k, 1], F[k, 2] = F[k, 0] + fx, F[k, 1] + fy, F[k, 2] + fz
        F[k, 4] -= turning * W[i, 0] + (ly * fz - lz * fy) / r
        F[k, 5] -= turning * W[i, 1] + (lz * fx - lx * fz) / r
        F[k, 6] -= turning * W[i, 2] + (lx * fy - ly * fx) / r


@parallel_kernel
def resist_bodies(bodies, F, medium):
    """Add the forces of the medium on all bodies, block by block."""
    for b in numba.prange(bodies.block.size - 1):
        _resist_bodies(bodies.block[b], bodies.block[b + 1], bodies, F, medium)


@parallel_kernel
def resist_swept(bodies, F, medium):
    """Add the forces of the medium on all bodies to their own rows, which come after all balls'."""
    block, V, W, first = bodies.block, bodies.V, bodies.W, bodies.arm.shape[0]
    for b in numba.prange(block.size - 1):
        for i in range(block[b], block[b + 1]):
            for a in range(3):
                F[first + i, a] -= medium[0] * V[i, a]
                F[first + i, 4 + a] -= medium[2] * W[i, a]


def resist_newcomers(grains: Grains, new: NDArray[np.bool_], medium: FloatArray) -> None:
    """Add what the medium does to the rates of grains that have just come."""
    c, d, c_spin, d_spin = medium[:4]
    r, m = grains.radius[new, None], grains.mass[new, None]
    v, w = grains.velocity[new], grains.spin[new]
    grains.acceleration[new] += (d * r * (medium[4:] - v) - c * v) / m
    turn = grains.orientation[new]
    grains.spin_rate[new] -= turned(turn, (c_spin + d_spin * r**3) / grains.inertia[new]
                                    * turned_back(turn, w))

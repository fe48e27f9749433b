"""Damping and drag on each grain, at the velocity that is predicted for the end of the step.

So they are met to second order, as the dashpots of contacts are. The formulas stand in
`granum.laws.medium`, and so does the row of numbers, ``medium``; empty space has none. Legend as in
`sweep`, torques are over radius.
"""

from __future__ import annotations

from contextlib import suppress

import numba
import numpy as np
from numba.extending import register_jitable
from numpy.typing import NDArray

from granum.checks import FloatArray
from granum.compile import kernel, parallel_kernel
from granum.dynamics.rigid import ROUND, axes_of, to_body, to_lab
from granum.errors import InputError
from granum.laws import Law, TimeSteps, medium_of
from granum.laws.medium import drag_radii
from granum.shapes.turning import turned, turned_back
from granum.world import Grains, World


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


@register_jitable
def push_on_body(R, drag, medium, v, w):
    """Return force and torque of the medium on a body with the axes R that is no sphere."""
    x, y, z = to_body(R, medium[4] - v[0], medium[5] - v[1], medium[6] - v[2])
    c, d, e = medium[0], medium[1], medium[3]
    fx, fy, fz = to_lab(R, d * drag[0] * x, d * drag[1] * y, d * drag[2] * z)
    x, y, z = to_body(R, w[0], w[1], w[2])
    torque = to_lab(R, -(medium[2] + e * drag[3]) * x, -(medium[2] + e * drag[4]) * y,
                    -(medium[2] + e * drag[5]) * z)
    return (fx - c * v[0], fy - c * v[1], fz - c * v[2]), torque


@register_jitable
def push_on_one(i, bodies, medium):
    """Return force and torque of the medium on body i."""
    V, W, Q = bodies.V, bodies.W, bodies.Q
    R = axes_of((Q[i, 0], Q[i, 1], Q[i, 2], Q[i, 3]))
    return push_on_body(R, bodies.drag[i], medium, (V[i, 0], V[i, 1], V[i, 2]),
                        (W[i, 0], W[i, 1], W[i, 2]))


@kernel
def _resist_bodies(first, last, bodies, F, medium):
    """Add the forces of the medium on bodies first to last, at their centres of mass.

    They are laid on the first ball of each: force f and torque t there are f and t - lever × f.
    Spheres go through the arithmetic of `_resist`.
    """
    V, W, begin, arm, lever = bodies.V, bodies.W, bodies.begin, bodies.arm, bodies.lever
    for i in range(first, last):
        k = begin[i]
        r = arm[k, 3]
        if bodies.inertia[i, 3] == ROUND:
            c, d, turning = medium[0], medium[1] * r, (medium[2] + medium[3] * r * r * r) / r
            for a in range(3):
                F[k, a] += d * (medium[4 + a] - V[i, a]) - c * V[i, a]
                F[k, 4 + a] -= turning * W[i, a]
            continue
        force, torque = push_on_one(i, bodies, medium)
        fx, fy, fz = force
        lx, ly, lz = lever[k, 0], lever[k, 1], lever[k, 2]
        F[k, 0], F[k, 1], F[k, 2] = F[k, 0] + fx, F[k, 1] + fy, F[k, 2] + fz
        F[k, 4] += (torque[0] - (ly * fz - lz * fy)) / r
        F[k, 5] += (torque[1] - (lz * fx - lx * fz)) / r
        F[k, 6] += (torque[2] - (lx * fy - ly * fx)) / r


@parallel_kernel
def resist_bodies(bodies, F, medium):
    """Add the forces of the medium on all bodies, block by block."""
    for b in numba.prange(bodies.block.size - 1):
        _resist_bodies(bodies.block[b], bodies.block[b + 1], bodies, F, medium)


@parallel_kernel
def resist_swept(bodies, F, medium):
    """Add the forces of the medium on all bodies to their own rows, which come after all balls'."""
    block, first = bodies.block, bodies.arm.shape[0]
    for b in numba.prange(block.size - 1):
        for i in range(block[b], block[b + 1]):
            force, torque = push_on_one(i, bodies, medium)
            for a in range(3):
                F[first + i, a] += force[a]
                F[first + i, 4 + a] += torque[a]


def resist_newcomers(grains: Grains, new: NDArray[np.bool_], medium: FloatArray) -> None:
    """Add what the medium does to the rates of grains that have just come."""
    c, d, c_spin, d_spin = medium[:4]
    r, m = grains.radius[new, None], grains.mass[new, None]
    v, w = grains.velocity[new], grains.spin[new]
    turn, shaped = grains.orientation[new], grains.shape[new] >= 0
    going, cubed = d * r * (medium[4:] - v), np.repeat(r**3, 3, axis=1)
    if shaped.any():
        radii = drag_radii(grains.mass[new][shaped], grains.inertia[new][shaped])
        past = turned_back(turn[shaped], medium[4:] - v[shaped])
        going[shaped], cubed[shaped] = turned(turn[shaped], d * radii[:, :3] * past), radii[:, 3:]
    grains.acceleration[new] += (going - c * v) / m
    grains.spin_rate[new] -= turned(turn, (c_spin + d_spin * cubed) / grains.inertia[new]
                                    * turned_back(turn, w))


def drag_steps(law: Law, world: World) -> TimeSteps:
    """Return a fiftieth and a tenth of the time in which a body that is no sphere loses its motion.

    Those that are to be poured in are counted, too. A medium that is refused has no say here.
    """
    grains = world.grains
    shaped = grains.shape >= 0
    masses, moments = [grains.mass[shaped]], [grains.inertia[shaped]]
    for stream in world.streams:
        if stream.pour.body is not None:
            shape, r = stream.pour.body.settled(world.dimension).shape, stream.pour.sizes.smallest
            one = world.unit_mass(stream) * r**world.dimension
            masses.append(np.array([one]))
            moments.append(one * (r / shape.radius) ** 2 * np.array([shape.gyration]))
    mass, inertia, medium = np.concatenate(masses), np.concatenate(moments), np.zeros(0)
    if len(mass):
        with suppress(InputError):
            medium = medium_of(law, world.dimension)
    if not len(medium):
        return TimeSteps(np.inf, np.inf)
    radii = drag_radii(mass, inertia)
    rate = max(float(((medium[0] + medium[1] * radii[:, :3]) / mass[:, None]).max()),
               float(((medium[2] + medium[3] * radii[:, 3:]) / inertia).max()))
    return TimeSteps(0.02 / rate, 0.1 / rate) if rate else TimeSteps(np.inf, np.inf)

"""The grains as the engine works on them: packed rows, in an order that keeps neighbours close.

Rows are 64-byte aligned and hold what one contact needs side by side. They are scratch: the world
is the state, loaded before a run and stored after it, without changing a bit.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from granum.checks import FloatArray, IntArray
from granum.compile import aligned
from granum.world import Grains


class Rows(NamedTuple):
    """Packed state, in storage order."""

    X: FloatArray  # (n,4) position, radius
    V: FloatArray  # (n,8) velocity, 1/m, spin, r²/I
    A: FloatArray  # (n,8) acceleration, -, spin rate, -
    Q: FloatArray  # (n,4) orientation


def make_rows(count: int) -> Rows:
    """Return blank rows for ``count`` grains."""
    return Rows(aligned(count, 4), aligned(count, 8), aligned(count, 8), aligned(count, 4))


def load(rows: Rows, grains: Grains, order: IntArray) -> None:
    """Copy the state of the grains into rows; ``order[k]`` is the grain stored in row k."""
    rows.X[:, :3] = grains.position[order]
    rows.X[:, 3] = grains.radius[order]
    rows.V[:, 0:3] = grains.velocity[order]
    rows.V[:, 3] = 1.0 / grains.mass[order]
    rows.V[:, 4:7] = grains.spin[order]
    rows.V[:, 7] = grains.radius[order] ** 2 / grains.inertia[order, 0]
    rows.A[:, 0:3] = grains.acceleration[order]
    rows.A[:, 4:7] = grains.spin_rate[order]
    rows.Q[:] = grains.orientation[order]


def store(rows: Rows, grains: Grains, order: IntArray) -> None:
    """Copy rows back into the grains' own order."""
    grains.position[order] = rows.X[:, :3]
    grains.velocity[order] = rows.V[:, 0:3]
    grains.spin[order] = rows.V[:, 4:7]
    grains.acceleration[order] = rows.A[:, 0:3]
    grains.spin_rate[order] = rows.A[:, 4:7]
    grains.orientation[order] = rows.Q


def spatial_order(position: FloatArray, radius: FloatArray) -> IntArray:
    """Return the grains along a Morton curve with cells of a mean diameter.

    A pure function of position and size, ties in the order of ids: the same for every run that
    reaches the same state.
    """
    width = 2.0 * float(radius.mean())
    span = position - position.min(axis=0)
    width = max(width, float(span.max()) / (2**20 - 1))
    cell = (span / width).astype(np.uint64)
    key = np.zeros(len(position), dtype=np.uint64)
    for axis in range(3):
        key |= _spread_bits(cell[:, axis]) << np.uint64(axis)
    return np.argsort(key, kind="stable")


def _spread_bits(x: np.ndarray) -> np.ndarray:
    """Return 21-bit numbers with two zero bits put after each bit."""
    for shift, mask in ((32, 0x1F00000000FFFF), (16, 0x1F0000FF0000FF), (8, 0x100F00F00F00F00F),
                        (4, 0x10C30C30C30C30C3), (2, 0x1249249249249249)):
        x = (x | (x << np.uint64(shift))) & np.uint64(mask)
    return x

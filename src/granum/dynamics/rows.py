"""The grains as the engine works on them: packed rows, in an order that keeps neighbours close.

Rows are aligned and four numbers wide, so that one instruction moves a row. They are scratch: the
world is the state, loaded before a run and stored after it, without changing a bit.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from granum.checks import FloatArray, IntArray
from granum.compile import aligned
from granum.world import Grains


class Rows(NamedTuple):
    """Packed state, in storage order."""

    X: FloatArray  # (n,4) position, radius
    V: FloatArray  # (n,4) velocity, 1/m
    W: FloatArray  # (n,4) spin, r/I
    A: FloatArray  # (n,4) acceleration, 0
    B: FloatArray  # (n,4) spin rate, 0
    Q: FloatArray  # (n,4) orientation
    material: NDArray[np.uint32]  # (n,) number of the material


def make_rows(count: int) -> Rows:
    """Return blank rows for ``count`` grains."""
    room = count + count % 2  # each array begins at a cache line; all in one piece of memory
    memory = aligned(6 * room, 4)
    X, V, W, A, B, Q = (memory[k * room : k * room + count] for k in range(6))
    return Rows(X, V, W, A, B, Q, np.zeros(count, dtype=np.uint32))


def load(rows: Rows, grains: Grains, order: IntArray) -> None:
    """Copy the state of the grains into rows; ``order[k]`` is the grain stored in row k."""
    rows.X[:, :3] = grains.position[order]
    rows.X[:, 3] = grains.radius[order]
    rows.V[:, 0:3] = grains.velocity[order]
    rows.V[:, 3] = 1.0 / grains.mass[order]
    rows.W[:, 0:3] = grains.spin[order]
    rows.W[:, 3] = grains.radius[order] / grains.inertia[order, 0]
    rows.A[:, 0:3] = grains.acceleration[order]
    rows.B[:, 0:3] = grains.spin_rate[order]
    rows.Q[:] = grains.orientation[order]
    rows.material[:] = grains.material[order]


def store(rows: Rows, grains: Grains, order: IntArray) -> None:
    """Copy rows back into the grains' own order."""
    grains.position[order] = rows.X[:, :3]
    grains.velocity[order] = rows.V[:, 0:3]
    grains.spin[order] = rows.W[:, 0:3]
    grains.acceleration[order] = rows.A[:, 0:3]
    grains.spin_rate[order] = rows.B[:, 0:3]
    grains.orientation[order] = rows.Q


def places_apart(one: IntArray, other: IntArray) -> float:
    """Return by how many places a grain stands elsewhere in the other order, in the mean."""
    here, place = np.arange(len(one)), np.empty(len(one), dtype=np.int64)
    place[one] = here
    return float(np.abs(place[other] - here).mean())


def spatial_order(position: FloatArray, radius: FloatArray) -> IntArray:
    """Return the grains slab by slab along the longest side, row by row inside a slab.

    Neighbours of a grain then lie in a few places that move along with it, which the processor
    foresees; measured, this beats curves that fill space (Morton, Hilbert) where the grains do not
    fit the cache. A pure function of position and size, ties in the order of ids: the same for
    every run that reaches the same state.
    """
    low, high = position.min(axis=0), position.max(axis=0)
    width = max(2.0 * float(radius.mean()), float((high - low).max()) / (2**20 - 1))
    cell = ((position - low) / width).astype(np.int64)
    shortest, middle, longest = np.argsort(high - low, kind="stable")
    counts = cell.max(axis=0) + 1
    key = (cell[:, longest] * counts[middle] + cell[:, middle]) * counts[shortest]
    return np.argsort(key + cell[:, shortest], kind="stable")

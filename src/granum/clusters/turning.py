"""Orientations of whole clusters: unit quaternions (w, x, y, z), body to lab."""

from __future__ import annotations

import numpy as np

from granum.checks import FloatArray


def as_matrices(turns: FloatArray) -> FloatArray:
    """Return the rotations of unit quaternions (n,4) as matrices (n,3,3)."""
    w, x, y, z = turns.T
    rows = [
        [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)],
        [2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)],
        [2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)],
    ]
    return np.moveaxis(np.array(rows), 2, 0)


def random_turns(rng: np.random.Generator, count: int, dimension: int) -> FloatArray:
    """Return ``count`` orientations (n,4), all equally likely; in 2D turns about z.

    Four normal numbers point in every direction alike, so their unit vector is such a quaternion.
    """
    drawn = rng.normal(size=(count, 4))
    if dimension == 2:
        drawn[:, 1:3] = 0.0
    return np.asarray(drawn / np.linalg.norm(drawn, axis=1)[:, None])

"""Orientations: unit quaternions (w, x, y, z), body to lab, in the last axis of arrays."""

from __future__ import annotations

import numpy as np

from granum.checks import FloatArray


def turned(q: FloatArray, v: FloatArray) -> FloatArray:
    """Return vectors (..., 3) turned by unit quaternions (..., 4); shapes are spread."""
    w, u = q[..., :1], q[..., 1:]
    across = 2.0 * np.cross(u, v)
    return np.asarray(v + w * across + np.cross(u, across))


def turned_back(q: FloatArray, v: FloatArray) -> FloatArray:
    """Return vectors (..., 3) turned by the inverse of unit quaternions (..., 4)."""
    return turned(q * [1.0, -1.0, -1.0, -1.0], v)


def product(p: FloatArray, q: FloatArray) -> FloatArray:
    """Return the product of quaternions (..., 4): turned by q first, then by p."""
    a, u, b, v = p[..., :1], p[..., 1:], q[..., :1], q[..., 1:]
    return np.concatenate((a * b - (u * v).sum(axis=-1, keepdims=True),
                           a * v + b * u + np.cross(u, v)), axis=-1)


def random_turns(rng: np.random.Generator, count: int, dimension: int) -> FloatArray:
    """Return ``count`` orientations (n,4), all equally likely; in 2D turns about z.

    Four normal numbers point in every direction alike, so their unit vector is such a quaternion.
    """
    drawn = rng.normal(size=(count, 4))
    if dimension == 2:
        drawn[:, 1:3] = 0.0
    return np.asarray(drawn / np.linalg.norm(drawn, axis=1)[:, None])

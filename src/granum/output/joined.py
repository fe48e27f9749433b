"""Balls of a frame that edges join to one grain: what they have in common."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from granum.checks import FloatArray, IntArray
from granum.output.vtkhdf import Frame


def joined_rows(frame: Frame) -> NDArray[np.bool_]:
    """Tell which rows of a frame are ends of edges, (n,)."""
    found = np.zeros(len(frame.points), dtype=np.bool_)
    found[frame.edges.ravel()] = True
    return found


def by_grain(frame: Frame, values: FloatArray) -> FloatArray:
    """Return values (n,) with one for all balls of a grain with edges: their mean.

    Such a grain has one colour. Balls of clumps, and single ones, keep what they have.
    """
    ids = frame.fields.get("id")
    if ids is None or not len(frame.edges):
        return values
    _, owner, balls = np.unique(ids, return_inverse=True, return_counts=True)
    mean = np.bincount(owner, values) / balls
    return np.where(joined_rows(frame), mean[owner], values)


def rows_left(rows: IntArray, good: NDArray[np.bool_]) -> IntArray:
    """Return edges or faces (m, width) after only the ``good`` rows of a frame were kept."""
    number = np.cumsum(good) - 1
    return np.asarray(number[rows[good[rows].all(axis=1)]])

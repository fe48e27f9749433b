"""Who touches whom, found from centres and radii alone.

Frames may be without contacts. Two balls of different grains touch if their overlap
r_i + r_j - |x_i - x_j| is positive; how much they overlap tells how hard they press, whatever the
law. Balls of a clump belong to one grain and do not count. Contacts across a periodic boundary are
not seen.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from granum.checks import FloatArray
from granum.errors import OutputError
from granum.output.vtkhdf import Frame

MOST_PAIRS = 20_000_000
PROBES = 200  # grains whose neighbours are counted to guess how many pairs there are
CLASS = 1.5  # of sizes: largest over smallest radius, so that few pairs are looked at in vain


@dataclass(frozen=True, eq=False)
class Touching:
    """Pairs of balls that touch: rows i and j (c,), and their overlap (c,) [m]."""

    i: NDArray[np.int64]
    j: NDArray[np.int64]
    overlap: FloatArray


def touching(frame: Frame) -> Touching:
    """Return all pairs of balls of different grains that overlap, each once."""
    radius = np.asarray(frame.fields.get("radius", np.zeros(len(frame.points))), dtype=np.float64)
    usable = np.isfinite(frame.points).all(axis=1) & np.isfinite(radius) & (radius > 0.0)
    rows = np.flatnonzero(usable)
    classes = _size_classes(rows, radius)
    trees = [cKDTree(frame.points[members]) for members in classes]
    found = [np.zeros((0, 2), dtype=np.int64)]
    for a, small in enumerate(classes):
        for b in range(a, len(classes)):
            reach = radius[small].max() + radius[classes[b]].max()
            _refuse_too_many(trees[a], trees[b], reach)
            if a == b:
                found.append(small[trees[a].query_pairs(reach, output_type="ndarray")])
            else:
                near = trees[a].sparse_distance_matrix(trees[b], reach, output_type="ndarray")
                found.append(np.column_stack((small[near["i"]], classes[b][near["j"]])))
    i, j = np.concatenate(found).T
    apart = np.linalg.norm(frame.points[i] - frame.points[j], axis=1)
    overlap = radius[i] + radius[j] - apart
    owner = frame.fields.get("id", np.arange(len(radius)))
    real = (overlap > 0.0) & (owner[i] != owner[j])
    return Touching(i[real], j[real], overlap[real])


def contact_counts(frame: Frame) -> NDArray[np.int64]:
    """Return how many balls of other grains each ball touches, (n,)."""
    pairs = touching(frame)
    return np.bincount(np.concatenate([pairs.i, pairs.j]), minlength=len(frame.points))


def _size_classes(rows: NDArray[np.int64], radius: FloatArray) -> list[NDArray[np.int64]]:
    """Return rows by classes of radii, smallest first."""
    if rows.size == 0:
        return []
    level = np.floor(np.log(radius[rows] / radius[rows].min()) / np.log(CLASS)).astype(np.int64)
    return [rows[level == k] for k in np.unique(level)]


def _refuse_too_many(tree: cKDTree, other: cKDTree, reach: float) -> None:
    """Refuse grains so deep in each other that their pairs would fill the memory; by a sample."""
    sample = tree.data[:: max(1, tree.n // PROBES)]
    each = float(np.mean(other.query_ball_point(sample, reach, return_length=True)))
    if each * tree.n > MOST_PAIRS:
        message = ("contacts are not shown: the grains lie so densely on each other that there are "
                   f"more than {MOST_PAIRS} pairs of neighbours")
        raise OutputError(message)

"""Plain twins: all pairs in NumPy, and a box of walls."""

import numpy as np


def all_pairs(points, radii, periodic=(None, None, None)):
    """Return i, j and depth of every pair, by the shorter way round in periodic directions."""
    assert len(radii) <= 3000, "too many for all pairs"
    i, j = np.triu_indices(len(radii), 1)
    square = np.zeros(len(i))
    for axis, length in enumerate(periodic):
        apart = np.abs(points[i, axis] - points[j, axis])
        if length is not None:
            apart = np.mod(apart, length)
            apart = np.minimum(apart, length - apart)
        square += apart * apart
    return i, j, radii[i] + radii[j] - np.sqrt(square)


def deepest(points, radii, periodic=(None, None, None)):
    """Return the largest depth of any pair [m]; negative when no two grains touch."""
    return all_pairs(points, radii, periodic)[2].max(initial=-np.inf)


def box_walls(low, high):
    """Return the answer of a strict box: whole grains between ``low`` and ``high``."""
    low, high = np.asarray(low, dtype=float), np.asarray(high, dtype=float)

    def fits(points, radii):
        return ((points - radii[:, None] >= low) & (points + radii[:, None] <= high)).all(axis=1)

    return fits

"""Which grains overlap: the check before anything moves."""

from __future__ import annotations

import numpy as np

from granum import checks
from granum.checks import FloatArray, IntArray
from granum.errors import InputError
from granum.world.place.grid import grid_of
from granum.world.place.space import OPEN, Periodic, check_periodic, slack


def overlapping_pairs(
    points: FloatArray, radii: FloatArray, periodic: Periodic = OPEN
) -> tuple[IntArray, IntArray, FloatArray]:
    """Return all pairs of grains that overlap, in the order of i and then j.

    The depth is r_i + r_j - distance to the nearest image. Grains that touch do not overlap: a
    depth within the rounding of the coordinates (7e-15 of the largest) is not listed. A grain
    larger than the periodic cell overlaps its own image and is listed with i = j.

    Args:
        points: centres, shape (n, 3) [m].
        radii: shape (n,) [m], all positive.
        periodic: cell lengths [m], None where not periodic.

    Returns:
        i, j with i <= j, and the depth [m], each of shape (pairs,).
    """
    points = checks.array("points", points, (None, 3))
    radii = checks.array("radii", radii, (len(points),))
    check_periodic(periodic)
    if not len(radii):
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64), np.zeros(0)
    if radii.min() <= 0.0:
        worst = int(radii.argmin())
        message = f"radii must be greater than 0, but radii[{worst}] is {radii[worst]:g}"
        raise InputError(message)
    i, j = grid_of(points, radii, radii[:0], periodic).pairs()
    depth = radii[i] + radii[j] - distances(points[i], points[j], periodic)
    own, own_depth = _own_images(radii, periodic)
    i, j = np.concatenate([i, own]), np.concatenate([j, own])
    depth = np.concatenate([depth, own_depth])
    real = depth > slack(points, radii, periodic)
    i, j, depth = i[real], j[real], depth[real]
    order = np.lexsort((j, i))
    return i[order], j[order], depth[order]


def distances(first: FloatArray, second: FloatArray, periodic: Periodic) -> FloatArray:
    """Return the distances [m] of ``first (n, 3)`` to the nearest images of ``second (n, 3)``."""
    difference = first - second
    for axis, length in enumerate(periodic):
        if length is not None:
            difference[:, axis] -= length * np.rint(difference[:, axis] / length)
    return np.asarray(np.sqrt((difference * difference).sum(axis=1)))


def _own_images(radii: FloatArray, periodic: Periodic) -> tuple[IntArray, FloatArray]:
    """Return the grains that reach round the cell to themselves, and how deep [m]."""
    shortest = min((length for length in periodic if length is not None), default=np.inf)
    depth = 2.0 * radii - shortest
    own = np.flatnonzero(depth > 0.0)
    return own, depth[own]

"""The long axis of a shape: the principal axis about which it is easiest to turn.

In space it is one of the axes of the shape's frame, that of the least moment of inertia. In the
plane moments are about z, and the frame is whatever the shape was given in; there the axis is that
of the largest second moment of the area in the plane, found by summing squares of a fine grid: to
some 1e-4 rad. A sphere, a cube and a coin have no long axis: their two least moments are equal.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from granum.checks import FloatArray
from granum.shapes.cover_depth import depths
from granum.shapes.rigid import RigidShape

ALIKE = 1e-6  # relative difference below which two moments count as equal; rounding and more
COARSE = 1e-3  # the same for sums over a grid
SQUARES = 400  # of the grid along each side


def long_axis(shape: RigidShape, dimension: int) -> FloatArray:
    """Return the long axis of a shape in its frame, a unit vector (3,); nan if it has none."""
    if dimension == 2:
        return _in_plane(shape).copy()
    order = np.argsort(shape.gyration, kind="stable")
    least, next_one = (shape.gyration[k] for k in order[:2])
    if next_one - least <= ALIKE * next_one:
        return np.full(3, np.nan)
    return np.eye(3)[order[0]]


@cache
def _in_plane(shape: RigidShape) -> FloatArray:
    """Return the axis in the plane about which the second moment of the area is largest."""
    side = 2.0 * shape.radius / SQUARES
    at = side * (np.arange(SQUARES) + 0.5) - shape.radius
    points = np.stack(np.meshgrid(at, at, [0.0], indexing="ij"), axis=-1).reshape(-1, 3)
    filled = np.clip(0.5 + depths(shape, points, 2) / side, 0.0, 1.0)  # share of each square
    x, y = points[:, 0], points[:, 1]
    xx, yy, xy = ((filled * product).sum() for product in (x * x, y * y, x * y))
    if np.hypot(xx - yy, 2.0 * xy) <= COARSE * (xx + yy):
        return np.full(3, np.nan)
    angle = 0.5 * np.arctan2(2.0 * xy, xx - yy)
    return np.array([np.cos(angle), np.sin(angle), 0.0])

"""The free surface: how high grains reach, place by place.

Seen from above, space is divided into square columns (in 2D strips) about two mean diameters wide.
The height of a column is that of the top of the highest ball whose centre is in it; a column
without grains has none. Up is z, in 2D y.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from granum.checks import FloatArray
from granum.world import World
from granum.world.place.space import wrap

WIDTH = 2.0  # of a column, in mean diameters


class Surface(NamedTuple):
    """The columns that have grains: where each is the highest, and how high."""

    place: FloatArray  # (c,2) of the highest ball, horizontally [m]; in 2D the second is 0
    height: FloatArray  # (c,) top of the highest ball [m]


def surface(world: World, width: float | None = None, among: NDArray[np.bool_] | None = None
            ) -> Surface:
    """Return the height of the grains, column by column.

    Args:
        world: with the grains.
        width: of a column [m]; two mean diameters unless given.
        among: (n,) which grains count; all unless given.
    """
    balls = world.balls()
    points, radii = wrap(world.ball_positions(balls), world.periodic), balls.arm[:, 3]
    if among is not None:
        points, radii = points[among[balls.grain]], radii[among[balls.grain]]
    if not len(points):
        return Surface(np.zeros((0, 2)), np.zeros(0))
    up = world.dimension - 1
    across = points[:, :2] if up == 2 else np.column_stack([points[:, 0], np.zeros(len(points))])
    side = width or WIDTH * 2.0 * float(radii.mean())
    column = np.floor(across / side).astype(np.int64)
    tops = points[:, up] + radii
    order = np.lexsort((-tops, column[:, 1], column[:, 0]))  # the highest of a column first
    _, first = np.unique(column[order], axis=0, return_index=True)
    found = order[first]
    return Surface(across[found], tops[found])


def surface_height(world: World, among: NDArray[np.bool_] | None = None) -> float:
    """Return the mean height of all columns that have grains [m]; nan without grains."""
    height = surface(world, among=among).height
    return float(height.mean()) if len(height) else float("nan")


def highest(world: World) -> float:
    """Return the height of the top of the highest grain [m]; nan without grains."""
    balls = world.balls()
    tops = world.ball_positions(balls)[:, world.dimension - 1] + balls.arm[:, 3]
    return float(tops.max()) if len(tops) else float("nan")

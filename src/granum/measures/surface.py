"""The free surface: how high grains reach, place by place.

Seen from above, space is divided into square columns (in 2D strips) about two mean diameters wide.
The height of a column is that of the top of the highest ball whose centre is in it; a column
without grains has none. Up is z, in 2D y. A swept shape is the ball that sweeps it, at places half
a column apart all over its skeleton: the shaft of a rod that lies over a column counts there.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from granum.checks import FloatArray
from granum.shapes.cover_search import places_on_skeleton
from granum.shapes.turning import turned
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
    side = width or WIDTH * 2.0 * float(radii.mean())
    between, thick = _between_vertices(world, 0.5 * side, among)
    points, radii = np.concatenate((points, between)), np.concatenate((radii, thick))
    across = points[:, :2] if up == 2 else np.column_stack([points[:, 0], np.zeros(len(points))])
    column = np.floor(across / side).astype(np.int64)
    tops = points[:, up] + radii
    order = np.lexsort((-tops, column[:, 1], column[:, 0]))  # the highest of a column first
    _, first = np.unique(column[order], axis=0, return_index=True)
    found = order[first]
    return Surface(across[found], tops[found])


def _between_vertices(world: World, apart: float, among: NDArray[np.bool_] | None
                      ) -> tuple[FloatArray, FloatArray]:
    """Return balls on the edges and faces of swept grains: centres (m,3) and radii (m,) [m].

    They are ``apart`` [m] of each other; a grain that is smaller than that is told by its vertices.
    """
    grains = world.grains
    points, radii = [np.zeros((0, 3))], [np.zeros(0)]
    for number, shape in enumerate(world.shapes):
        mine = (grains.shape == number) & (among if among is not None else True)
        if not (shape.edges and mine.any()):
            continue
        scale = grains.radius[mine] / shape.radius
        places = places_on_skeleton(shape, apart / float(scale.max()))
        arms = turned(grains.orientation[mine, None], scale[:, None, None] * places)
        points.append((grains.position[mine, None] + arms).reshape(-1, 3))
        radii.append(np.repeat(scale * shape.radii[0], len(places)))
    return wrap(np.concatenate(points), world.periodic), np.concatenate(radii)


def surface_height(world: World, among: NDArray[np.bool_] | None = None) -> float:
    """Return the mean height of all columns that have grains [m]; nan without grains."""
    height = surface(world, among=among).height
    return float(height.mean()) if len(height) else float("nan")


def highest(world: World) -> float:
    """Return the height of the top of the highest grain [m]; nan without grains."""
    balls = world.balls()
    tops = world.ball_positions(balls)[:, world.dimension - 1] + balls.arm[:, 3]
    return float(tops.max()) if len(tops) else float("nan")

"""Local density: the share of its own power cell that a grain fills.

    φ_i = v_i / V_i

v_i is the volume of grain i and V_i that of its cell in the power diagram of all grains: where
|x - x_i|² - r_i², the square of the tangent to the grain, is the least. Grains that do not overlap
lie inside their cells, so φ ≤ 1 (π / √18 = 0.7405 in the densest packing of equal spheres,
π / √12 = 0.9069 for discs). The cells fill the container, so Σ φ_i V_i / Σ V_i is its density as a
whole.

Cells end at the box around the walls; where that is open, at the outermost grain; in periodic
directions they go on. The cell of a clump is that of its balls together; of a swept shape, that of
the balls at its vertices, which for long rods is but a guess. Cells at a free surface reach up to
the box, so densities there are low. In 2D volumes are areas. A grain without a cell (its centre
outside of the container, or deep inside a larger grain) has no local density: nan.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, get_args

import numpy as np

from granum.checks import FloatArray
from granum.world import World
from granum.world.place.space import wrap

if TYPE_CHECKING:
    from granum.geometry import PowerDiagram

Field = Literal["local_density"]
"""What frames may hold of each grain beside its state; methods of ``Simulation``."""
FIELDS: tuple[Field, ...] = get_args(Field)


def local_density(world: World, time: float = 0.0) -> FloatArray:
    """Return the local density of each grain, (n,), in the order of ids; nan without a cell.

    Walls that move are where they are at ``time`` [s].
    """
    cells = np.bincount(world.balls().grain, power_cells_of(world, time).volumes, len(world))
    return np.divide(world.volumes(), cells, out=np.full(len(cells), np.nan), where=cells > 0.0)


def power_cells_of(world: World, time: float = 0.0) -> PowerDiagram:
    """Return the power diagram of the balls of all grains in their container (in 2D: a plane)."""
    # Here, because the triangulation's many kernels take a quarter of a second to load.
    from granum.geometry import Triangulation, power_diagram
    from granum.geometry.limits import SMALLEST_COORDINATE

    dim = world.dimension
    balls = world.balls()
    points = wrap(world.ball_positions(balls), world.periodic)[:, :dim]
    points[np.abs(points) < SMALLEST_COORDINATE] = 0.0  # no length that anybody can measure
    low, high = _box(world, time)
    triangulation = Triangulation(points, balls.arm[:, 3] ** 2, periodic=world.periodic[:dim])
    return power_diagram(triangulation, (low[:dim], high[:dim]))


def _box(world: World, time: float) -> tuple[FloatArray, FloatArray]:
    """Return the container's corners (3,); those of the grains where it is open.

    Walls that have no extent in some direction (nothing but a floor) hold no volume: there, the
    grains count as well.
    """
    space, balls = world.space(time), world.balls()
    if len(world) == 0:
        return np.zeros(3), np.ones(3)
    position, r = world.ball_positions(balls), balls.arm[:, 3:]
    lowest, highest = (position - r).min(axis=0), (position + r).max(axis=0)
    low = np.where(np.isfinite(space.low), space.low, lowest)
    high = np.where(np.isfinite(space.high), space.high, highest)
    is_flat = low >= high
    return (np.where(is_flat, np.minimum(low, lowest), low),
            np.where(is_flat, np.maximum(high, highest), high))

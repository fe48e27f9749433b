"""The field of convection: the mean velocity of grains, cell by cell, over time.

    ū = Σ m_i v_i / Σ m_i

over the grains whose centre is in the cell, and over several looks. Cells divide a region across x
and up (z, in 2D y), whatever y, or, in a cylinder, across the distance from the axis and along it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from granum.checks import FloatArray, settle, whole
from granum.errors import InputError
from granum.measures.density import WHOLE
from granum.measures.measure import Found, Look, Measure, Memory, Values
from granum.measures.region import CylinderRegion, Region, Settled, images_in
from granum.walls.frame import make_frame
from granum.world import World


@dataclass(frozen=True)
class Convection(Measure):
    """The mean velocity by cells of a region, averaged over several looks.

    In a box cells are across x and up, in a cylinder across the distance from the axis and along
    it. Rows are those of the looks so far; a run writes them when all looks have been taken, and
    begins anew.

    Args:
        region: where; the container up to the surface of the grains unless given. It should keep
            its place, as one up to a given height does.
        cells: number of cells across and up.
        looks: number of looks that are averaged, one each ``interval``.
    """

    type_name: ClassVar[str] = "convection"
    is_profile: ClassVar[bool] = True
    region: Region = WHOLE
    cells: tuple[int, int] = (10, 10)
    looks: int = 10

    def __post_init__(self) -> None:
        """Refuse values without a meaning."""
        super().__post_init__()
        if len(self.cells) != 2:
            message = f"cells must be two numbers, across and up, got {self.cells!r}"
            raise InputError(message)
        settle(self, cells=tuple(whole("cells", n, at_least=1) for n in self.cells))
        whole("looks", self.looks, at_least=1)

    def quantities(self, world: World) -> tuple[str, ...]:
        """Return the columns."""
        return ("across [m]", "up [m]", "velocity_across [m/s]", "velocity_up [m/s]",
                "grains", "looks")

    def refuse(self, world: World) -> None:
        """Refuse a circle: cells are across and up."""
        super().refuse(world)
        if world.dimension == 2 and isinstance(self.region, CylinderRegion):
            message = "region must be a box in a 2D world, where cells lie across and up"
            raise InputError(message)

    def recall(self, look: Look, memory: Memory) -> tuple[Values, Memory]:
        """Add the moment to the mean."""
        shape = (4, self.cells[0] * self.cells[1])
        if not memory:
            memory = {"sums": np.zeros(shape), "looks": np.zeros(1, dtype=np.int64),
                      "step": np.full(1, -1, dtype=np.int64)}
        settled = look.settled(self.region)
        if look.step != memory["step"][0]:
            begins = memory["looks"][0] == self.looks
            before = np.zeros(shape) if begins else memory["sums"]
            now = np.zeros(shape) if settled is None else self._sums(look.world, settled)
            memory = {"sums": before + now, "step": np.array([look.step]),
                      "looks": np.array([1 if begins else int(memory["looks"][0]) + 1])}
        across, up = self._middles(settled, look.world)
        mass, first, second, count = memory["sums"]
        there = mass > 0.0
        looks = int(memory["looks"][0])
        means = [np.divide(p, mass, out=np.full(len(mass), np.nan), where=there)
                 for p in (first, second)]
        return (across, up, *means, count / looks, np.full(len(mass), looks)), memory

    def is_due(self, found: Found) -> bool:
        """Tell whether all looks have been taken, so that the mean is written."""
        *_, looks = found.values()
        return bool(np.asarray(looks)[0] == self.looks)

    def _ends(self, region: Settled, world: World) -> tuple[FloatArray, FloatArray]:
        """Return the ends of the cells across and up [m]."""
        if isinstance(region, CylinderRegion):
            start, size = np.zeros(2), np.array([region.radius, region.height])
        else:
            low, high = region.bounds(world.dimension)
            pick = [0, world.dimension - 1]
            start, size = low[pick], (high - low)[pick]
        across, up = (start[k] + size[k] * np.arange(n + 1) / n for k, n in enumerate(self.cells))
        return across, up

    def _middles(self, region: Settled | None, world: World) -> tuple[FloatArray, FloatArray]:
        """Return the middles of all cells [m]."""
        n = self.cells[0] * self.cells[1]
        if region is None:
            return np.full(n, np.nan), np.full(n, np.nan)
        across, up = (0.5 * (ends[:-1] + ends[1:]) for ends in self._ends(region, world))
        grid = np.meshgrid(across, up, indexing="ij")
        return grid[0].ravel(), grid[1].ravel()

    def _sums(self, world: World, region: Settled) -> FloatArray:
        """Return mass, momenta across and up, and number of the grains in each cell, (4, cells)."""
        x, grain = images_in(world, region)
        v, mass = world.grains.velocity[grain], world.grains.mass[grain]
        if isinstance(region, CylinderRegion):
            frame = np.stack(make_frame(region.axis))
            y, w = (x - np.array(region.base)) @ frame.T, v @ frame.T
            rho = np.hypot(y[:, 0], y[:, 1])
            out = np.divide((y[:, :2] * w[:, :2]).sum(axis=1), rho, out=np.zeros(len(rho)),
                            where=rho > 0.0)
            places, velocity = np.stack([rho, y[:, 2]]), np.stack([out, w[:, 2]])
        else:
            pick = [0, world.dimension - 1]
            places, velocity = x.T[pick], v.T[pick]
        ends = self._ends(region, world)
        index = [np.clip(np.searchsorted(e, p, side="right") - 1, 0, len(e) - 2)
                 for e, p in zip(ends, places, strict=True)]
        cell = index[0] * self.cells[1] + index[1]
        n = self.cells[0] * self.cells[1]
        weights = (mass, mass * velocity[0], mass * velocity[1], np.ones(len(mass)))
        return np.stack([np.bincount(cell, weight, n) for weight in weights])

"""Two kinds of grains told apart, by material or by size: mixed or segregated?

Lacey's index compares the variance S² of the share p_c of the chosen kind in cells with those of
grains that are fully segregated, S_0², and mixed at random, S_r² (Lacey, J. Appl. Chem. 4 (1954)
257):

    M = (S_0² - S²) / (S_0² - S_r²),    S² = Σ n_c (p_c - p)² / N,
    S_0² = p (1 - p),    S_r² = p (1 - p) K / N

n_c is the number of grains in cell c, N that of all, K that of cells with grains, p the share of
the chosen kind among all. M is 0 where each cell has one kind only, and 1 on average where chance
mixes; a lattice that is more even than chance has a little more. Where p is 0 or 1, and with one
grain a cell, there is no index: nan.

The height ratio is H = h_1 / h_2, the mean height of the chosen grains over that of the others,
above the floor of the container (if it has none, above the lowest grain).

At the wall of a cylinder of radius R are the grains with ρ > R - w, ρ the distance of the centre
from the axis: n_w of all n, and n_1w of the n_1 of the chosen kind. The share of the kind at the
wall is n_1w / n_w, to be compared with p; the part of the kind that is at the wall is n_1w / n_1,
to be compared with that of all grains, n_w / n.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from granum.checks import nearest, positive
from granum.errors import InputError
from granum.measures.density import WHOLE
from granum.measures.measure import Look, Measure, Values, mean
from granum.measures.profiles import cylinder_of
from granum.measures.region import Region, images_in
from granum.quantity import Length
from granum.walls.frame import cylindrical
from granum.world import World
from granum.world.place.space import wrap


def lacey_index(world: World, chosen: NDArray[np.bool_], cell: float,
                among: NDArray[np.bool_] | None = None) -> float:
    """Return Lacey's index of mixing.

    Args:
        world: with the grains.
        chosen: (n,) which grains are of the chosen kind.
        cell: side of the cubic cells [m], counted from the origin of coordinates.
        among: (n,) which grains count; all unless given.
    """
    places = wrap(world.grains.position, world.periodic)
    if among is not None:
        places, chosen = places[among], chosen[among]
    n = len(places)
    if n == 0:
        return float("nan")
    cells = np.floor(places[:, : world.dimension] / cell).astype(np.int64)
    found, number = np.unique(cells, axis=0, return_inverse=True)
    count = np.bincount(number.ravel())
    share = np.bincount(number.ravel(), chosen) / count
    p = float(chosen.mean())
    apart, chance = p * (1.0 - p), p * (1.0 - p) * len(found) / n
    if apart <= chance:
        return float("nan")
    return float((apart - (count * (share - p) ** 2).sum() / n) / (apart - chance))


@dataclass(frozen=True)
class _OfSpecies(Measure):
    """A measure of one kind of grains among others."""

    material: str = ""
    larger_than: Length | None = None
    region: Region | None = None

    def __post_init__(self) -> None:
        """Refuse a kind that is not told, or told twice."""
        super().__post_init__()
        if bool(self.material) == (self.larger_than is not None):
            message = ("material or larger_than must be given, one of them: it tells which grains "
                       "are the chosen kind")
            raise InputError(message)
        if self.larger_than is not None:
            positive("larger_than", self.larger_than)

    def refuse(self, world: World) -> None:
        """Refuse a material that is not there."""
        super().refuse(world)
        names = [material.name for material in world.materials]
        if self.material and self.material not in names:
            message = (f"material {self.material!r} is unknown{nearest(self.material, names)}; "
                       f"known are {', '.join(names) or 'none'}")
            raise InputError(message)

    def chosen(self, world: World) -> NDArray[np.bool_]:
        """Tell which grains are of the chosen kind, (n,)."""
        if self.larger_than is not None:
            return np.asarray(world.grains.radius > self.larger_than)
        names = [material.name for material in world.materials]
        return np.asarray(world.grains.material == names.index(self.material))


@dataclass(frozen=True)
class Mixing(_OfSpecies):
    """Lacey's index: how well one kind of grains is mixed with the others.

    Args:
        material: name of the material of the chosen kind; or give ``larger_than``.
        larger_than: radius above which a grain is of the chosen kind [m].
        region: which grains count, by their centres; all unless given.
        cell: side of the cubic cells in which they are counted [m]; some ten grains should fit.
    """

    type_name: ClassVar[str] = "mixing"
    cell: Length = 0.01

    def __post_init__(self) -> None:
        """Refuse values without a meaning."""
        super().__post_init__()
        positive("cell", self.cell)

    def quantities(self, world: World) -> tuple[str, ...]:
        """Return the column."""
        return ("lacey_index",)

    def read(self, look: Look) -> Values:
        """Return the index."""
        return (lacey_index(look.world, self.chosen(look.world), self.cell,
                            look.inside(self.region)),)


@dataclass(frozen=True)
class Segregation(_OfSpecies):
    """Mean heights of one kind of grains and of the others, and their ratio.

    Args:
        material: name of the material of the chosen kind; or give ``larger_than``.
        larger_than: radius above which a grain is of the chosen kind [m].
        region: which grains count, by their centres; all unless given.
    """

    type_name: ClassVar[str] = "segregation"

    def quantities(self, world: World) -> tuple[str, ...]:
        """Return the columns."""
        return "chosen_height [m]", "others_height [m]", "height_ratio"

    def read(self, look: Look) -> Values:
        """Return the heights and their ratio."""
        grains, inside, chosen = look.grains, look.inside(self.region), self.chosen(look.world)
        floor = float(look.world.container(look.time)[0][look.up])
        z = grains.position[:, look.up]
        if not np.isfinite(floor):
            floor = float((z - grains.radius).min(initial=np.inf))
        first, second = (mean(z[inside & kind]) - floor for kind in (chosen, ~chosen))
        return first, second, first / second if second != 0.0 else float("nan")


@dataclass(frozen=True)
class WallShare(_OfSpecies):
    """How many of one kind of grains are at the wall of a cylinder.

    Args:
        material: name of the material of the chosen kind; or give ``larger_than``.
        larger_than: radius above which a grain is of the chosen kind [m].
        region: the cylinder; the container up to the surface of the grains unless given.
        within: how far from the wall a centre may be to count as at the wall [m].
    """

    type_name: ClassVar[str] = "wall_share"
    within: Length = 0.001

    def __post_init__(self) -> None:
        """Refuse values without a meaning."""
        super().__post_init__()
        positive("within", self.within)

    def quantities(self, world: World) -> tuple[str, ...]:
        """Return the columns."""
        return "wall_share", "wall_part", "wall_part_of_all"

    def refuse(self, world: World) -> None:
        """Refuse a region that is no cylinder, or one that is all wall."""
        super().refuse(world)
        settled = cylinder_of(self._region.settled(world, 0.0))
        if settled is not None and self.within > settled.radius:
            message = (f"within must be at most the radius of the cylinder, {settled.radius:g} m, "
                       f"got {self.within:g} m")
            raise InputError(message)

    @property
    def _region(self) -> Region:
        return WHOLE if self.region is None else self.region

    def read(self, look: Look) -> Values:
        """Return the shares; nan without grains."""
        settled = cylinder_of(self._region.settled(look.world, look.time))
        if settled is None:
            return (float("nan"),) * 3
        place, grain = images_in(look.world, settled)
        away, _ = cylindrical(place, settled.base, settled.axis)
        chosen, is_near = self.chosen(look.world)[grain], away > settled.radius - self.within
        return tuple(mean(some.astype(np.float64))
                     for some in (chosen[is_near], is_near[chosen], is_near))

"""Profiles of the density: by horizontal layers, and by concentric rings.

    φ_k = Σ v_ik / V_k

v_ik is the volume of grain i in layer or ring k, exactly, and V_k that of the layer or ring. A ring
lies between two cylinders about the same axis: what it holds is what the outer one holds less what
the inner one does (Ferrez 2001, 4.4 to 4.7). So profiles, weighted with V_k, add up to the density
of the whole region.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, NamedTuple

import numpy as np

from granum.checks import FloatArray, whole
from granum.errors import InputError
from granum.measures.density import WHOLE, filled_volumes
from granum.measures.measure import Look, Measure, Values
from granum.measures.region import CylinderRegion, Region, Settled
from granum.world import World


class Profile(NamedTuple):
    """A density by layers or rings."""

    low: FloatArray  # (k,) where each begins [m]
    high: FloatArray  # (k,) where each ends [m]
    density: FloatArray  # (k,)


def layer_density(world: World, region: Region = WHOLE, count: int = 20, time: float = 0.0
                  ) -> Profile:
    """Return the density of ``count`` equal layers of a region, from the bottom up.

    Layers lie across z (in 2D y), in a cylinder across its axis.
    """
    settled = region.settled(world, time)
    if settled is None:
        return _nothing(count)
    layers = settled.layers(count, world.dimension)
    filled = np.array([filled_volumes(world, layer).sum() for *_, layer in layers])
    volume = np.array([layer.volume(world.dimension) for *_, layer in layers])
    return Profile(np.array([low for low, *_ in layers]), np.array([high for _, high, _ in layers]),
                   filled / volume)


def ring_density(world: World, region: Region = WHOLE, count: int = 20, time: float = 0.0
                 ) -> Profile:
    """Return the density of ``count`` rings of equal width of a cylinder, from the axis outwards.

    Raises:
        InputError: the region is not a cylinder.
    """
    settled = cylinder_of(region.settled(world, time))
    if settled is None:
        return _nothing(count)
    radii = settled.radius * np.arange(count + 1) / count
    inner = [replace(settled, radius=float(radius)) for radius in radii[1:]]
    filled = np.array([0.0, *(filled_volumes(world, one).sum() for one in inner)])
    volume = np.array([0.0, *(one.volume(world.dimension) for one in inner)])
    return Profile(radii[:-1], radii[1:], np.diff(filled) / np.diff(volume))


def cylinder_of(settled: Settled | None) -> CylinderRegion | None:
    """Return a region that must be a cylinder."""
    if settled is not None and not isinstance(settled, CylinderRegion):
        message = (f"region must be a cylinder, got a {settled.describe()}: give a "
                   "cylinder")
        raise InputError(message)
    return settled


def _nothing(count: int) -> Profile:
    none = np.full(count, np.nan)
    return Profile(none, none, none)


@dataclass(frozen=True)
class _DensityProfile(Measure):
    """The density in parts of a region."""

    is_profile: ClassVar[bool] = True
    counts_parts: ClassVar[bool] = True
    region: Region = WHOLE
    count: int = 20

    def __post_init__(self) -> None:
        """Refuse values without a meaning."""
        super().__post_init__()
        whole("count", self.count, at_least=1)

    def quantities(self, world: World) -> tuple[str, ...]:
        """Return the columns."""
        return "low [m]", "high [m]", "density"


@dataclass(frozen=True)
class LayerDensity(_DensityProfile):
    """The density by horizontal layers.

    Args:
        region: where; the container up to the surface of the grains unless given.
        count: number of layers, of equal height.
    """

    type_name: ClassVar[str] = "layer_density"

    def refuse(self, world: World) -> None:
        """Refuse a region that has no layers."""
        super().refuse(world)
        settled = self.region.settled(world, 0.0)
        if settled is not None:
            settled.layers(1, world.dimension)

    def read(self, look: Look) -> Values:
        """Return the profile."""
        return layer_density(look.world, self.region, self.count, look.time)


@dataclass(frozen=True)
class RingDensity(_DensityProfile):
    """The density by rings about the axis of a cylinder.

    Args:
        region: where, a cylinder; the container up to the surface of the grains unless given.
        count: number of rings, of equal width.
    """

    type_name: ClassVar[str] = "ring_density"

    def refuse(self, world: World) -> None:
        """Refuse a region that has no rings."""
        super().refuse(world)
        cylinder_of(self.region.settled(world, 0.0))

    def read(self, look: Look) -> Values:
        """Return the profile."""
        return ring_density(look.world, self.region, self.count, look.time)

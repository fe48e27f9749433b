"""How long grains lie: their angle to the horizontal, layer by layer, and their nematic order.

Each grain that is longer than it is wide has a long axis n, the principal axis of its least moment
of inertia (`shapes.long_axis`); neither end is the front. Spheres, cubes and coins have none and do
not count.

    α = asin |n_up|                                                angle to the horizontal [rad]
    Q = ⟨3/2 n ⊗ n - 1/2⟩,    in the plane  Q = ⟨2 n ⊗ n - 1⟩

The order is the largest eigenvalue of Q and the director its eigenvector: 1 where all axes are
parallel, 0 where no direction is preferred; for N axes by chance some 1/√N (P. G. de Gennes and
J. Prost, The Physics of Liquid Crystals, 2.1). In the plane it is ⟨cos 2a⟩, a the angle to the
director. The mean angle of axes that point everywhere alike is π/2 - 1 = 0.571, in the plane π/4.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from granum.checks import FloatArray, IntArray, whole
from granum.measures.density import WHOLE
from granum.measures.measure import Look, Measure, Values
from granum.measures.region import Region, centres_in
from granum.shapes.long_axis import long_axis
from granum.shapes.turning import turned
from granum.world import World


def long_axes(world: World) -> FloatArray:
    """Return the long axis of each grain in the lab, (n,3) unit vectors; nan where it has none."""
    axes = np.array([*(long_axis(shape, world.dimension) for shape in world.shapes), [np.nan] * 3])
    return turned(world.grains.orientation, axes[world.grains.shape])


def axis_angles(world: World) -> FloatArray:
    """Return the angle of each long axis to the horizontal, (n,) from 0 to π/2 [rad]; nan: none."""
    return np.asarray(np.arcsin(np.minimum(np.abs(long_axes(world)[:, world.dimension - 1]), 1.0)))


class Order(NamedTuple):
    """The nematic order of long axes; nan without any."""

    order: float
    director: FloatArray  # (3,) unit vector, its largest component positive


def nematic_order(axes: FloatArray, dimension: int = 3) -> Order:
    """Return how much axes (n,3) are alike; those that are nan do not count."""
    n = axes[np.isfinite(axes).all(axis=1), :dimension]
    if not len(n):
        return Order(float("nan"), np.full(3, np.nan))
    factor = 1.5 if dimension == 3 else 2.0
    Q = factor * np.einsum("ka,kb->ab", n, n) / len(n) - (factor - 1.0) * np.eye(dimension)
    values, vectors = np.linalg.eigh(Q)
    director = np.zeros(3)
    director[:dimension] = vectors[:, -1]
    return Order(float(values[-1]), director * np.sign(director[np.abs(director).argmax()]))


@dataclass(frozen=True)
class NematicOrder(Measure):
    """How far the long axes of grains point the same way, and which way.

    Args:
        region: which grains count, by their centres; all unless given.
    """

    type_name: ClassVar[str] = "nematic_order"
    region: Region | None = None

    def quantities(self, world: World) -> tuple[str, ...]:
        """Return the columns."""
        return "nematic_order", "director_x", "director_y", "director_z"

    def read(self, look: Look) -> Values:
        """Return the order and the director."""
        axes = long_axes(look.world)[look.inside(self.region)]
        found = nematic_order(axes, look.world.dimension)
        return found.order, *found.director.tolist()


class Angles(NamedTuple):
    """Angles of long axes to the horizontal, by layers; nan where there are none."""

    low: FloatArray  # (k,) where each layer begins [m]
    high: FloatArray  # (k,) where it ends [m]
    angle: FloatArray  # (k,) mean [rad]
    spread: FloatArray  # (k,) standard deviation [rad]
    grains: IntArray  # (k,) that have a long axis


def layer_angles(world: World, region: Region = WHOLE, count: int = 10, time: float = 0.0
                 ) -> Angles:
    """Return the angles of long axes to the horizontal in equal layers of a region, from below.

    A grain belongs to the layer that has its centre.
    """
    settled = region.settled(world, time)
    if settled is None:
        none = np.full(count, np.nan)
        return Angles(none, none, none, none, np.zeros(count, dtype=np.int64))
    angle = axis_angles(world)
    layers = settled.layers(count, world.dimension)
    found = [_mean_and_spread(angle[centres_in(world, layer)]) for *_, layer in layers]
    return Angles(np.array([low for low, *_ in layers]), np.array([high for _, high, _ in layers]),
                  np.array([mean for mean, *_ in found]), np.array([wide for _, wide, _ in found]),
                  np.array([number for *_, number in found]))


def _mean_and_spread(angle: FloatArray) -> tuple[float, float, int]:
    known = angle[np.isfinite(angle)]
    if not len(known):
        return float("nan"), float("nan"), 0
    return float(known.mean()), float(known.std()), len(known)


@dataclass(frozen=True)
class LayerAngles(Measure):
    """The angle of the grains' long axes to the horizontal, by horizontal layers.

    Args:
        region: where; the container up to the surface of the grains unless given.
        count: number of layers, of equal height.
    """

    type_name: ClassVar[str] = "layer_angles"
    is_profile: ClassVar[bool] = True
    region: Region = WHOLE
    count: int = 10

    def __post_init__(self) -> None:
        """Refuse values without a meaning."""
        super().__post_init__()
        whole("count", self.count, at_least=1)

    def quantities(self, world: World) -> tuple[str, ...]:
        """Return the columns."""
        return "low [m]", "high [m]", "axis_angle [rad]", "axis_angle_spread [rad]", "grains"

    def refuse(self, world: World) -> None:
        """Refuse a region that has no layers."""
        super().refuse(world)
        settled = self.region.settled(world, 0.0)
        if settled is not None:
            settled.layers(1, world.dimension)

    def read(self, look: Look) -> Values:
        """Return the profile."""
        return layer_angles(look.world, self.region, self.count, look.time)

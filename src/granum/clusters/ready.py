"""Ready clusters of equal spheres in close packing: rod, tetrahedron, cylinder.

Layers are triangular lattices of spheres that touch, D = 2 r apart; the next layer lies in hollows
of the one below, D / √3 aside and √(2/3) D higher. Layers A, B, C in turn, each over hollows of the
same kind, are the face-centred cubic packing, along its threefold axis.

Glue acts along the line of the centres alone, so a single row of spheres would bend like a chain.
What is rigid has bonds enough: at least 3 n - 6 for n spheres. That is why the rod has three
spheres in each layer: a pair of layers is an octahedron, and octahedra that share faces are rigid.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from granum import checks
from granum.checks import FloatArray
from granum.clusters.cluster import Layout, lay_out, refuse_no_glue
from granum.clusters.glue import PotentialGlue, PowerGlue
from granum.errors import InputError
from granum.quantity import Length

ROW = math.sqrt(3.0) / 2.0  # distance of rows in a layer, in diameters
HOLLOW = 1.0 / math.sqrt(3.0)  # way from a sphere to the nearest hollow
RISE = math.sqrt(2.0 / 3.0)  # distance of layers
MOST = 1_000_000  # spheres of a cluster
NARROWEST = 7.0  # width of a cylinder in radii: with 6 it has too few bonds to be rigid


@dataclass(frozen=True)
class GluedRod:
    """A short rod: triangles of three spheres, each turned by 60 degrees over the one below.

    Its axis is z.

    Args:
        radius: of the spheres [m].
        glue: the force between spheres that touch.
        layers: number of triangles; 5 make the rod of 15 spheres of Ferrez 6.4.
    """

    radius: Length
    glue: PowerGlue | PotentialGlue
    layers: int = 5

    def __post_init__(self) -> None:
        """Refuse values without a meaning."""
        _settle(self, "layers", 1)

    def layout(self) -> Layout:
        """Return the spheres and the bonds."""
        layer = np.repeat(np.arange(self.layers), 3)
        angle = math.pi / 3.0 * (2 * np.tile(np.arange(3), self.layers) + layer % 2)
        points = np.column_stack([HOLLOW * np.cos(angle), HOLLOW * np.sin(angle), RISE * layer])
        return _equal(self, points)


@dataclass(frozen=True)
class GluedTetrahedron:
    """A tetrahedron of triangular layers, in face-centred cubic packing; its tip points along z.

    Args:
        radius: of the spheres [m].
        glue: the force between spheres that touch.
        side: spheres along an edge; 5 make the tetrahedron of 35 spheres of Ferrez 6.4.
    """

    radius: Length
    glue: PowerGlue | PotentialGlue
    side: int = 5

    def __post_init__(self) -> None:
        """Refuse values without a meaning."""
        _settle(self, "side", 2)

    def layout(self) -> Layout:
        """Return the spheres and the bonds."""
        points = [
            (a + 0.5 * b + 0.5 * c, ROW * b + HOLLOW * c / 2.0, RISE * c)
            for c in range(self.side) for b in range(self.side - c)
            for a in range(self.side - c - b)
        ]
        return _equal(self, np.array(points))


@dataclass(frozen=True)
class GluedCylinder:
    """An upright cylinder of layers, cut out of a face-centred cubic packing; its axis is z.

    Args:
        radius: of the spheres [m].
        glue: the force between spheres that touch.
        width: diameter of the cylinder that holds all spheres [m].
        layers: number of layers.
    """

    radius: Length
    glue: PowerGlue | PotentialGlue
    width: Length
    layers: int

    def __post_init__(self) -> None:
        """Refuse values without a meaning."""
        width = checks.positive_field(self, "width")
        checks.settle(self, width=width)
        _settle(self, "layers", 1)
        if width < NARROWEST * self.radius * (1.0 - 1e-9):
            message = (f"GluedCylinder width must be at least {NARROWEST:g} radii, "
                       f"{NARROWEST * self.radius:g} m, or it would bend freely, got {width:g} m")
            raise InputError(message)
        if self.layers * (width / self.radius) ** 2 > MOST:
            message = (f"GluedCylinder width = {width:g} m for {self.layers} layers of spheres of "
                       f"radius {self.radius:g} m is too many spheres: at most about {MOST:g}")
            raise InputError(message)
        self.layout()

    def layout(self) -> Layout:
        """Return the spheres and the bonds."""
        widest = self.width / 2.0 - self.radius
        reach = widest / (2.0 * self.radius)
        count = math.ceil(reach / ROW) + 2
        a, b = np.meshgrid(np.arange(-2 * count, 2 * count + 1), np.arange(-count, count + 1))
        flat = np.column_stack([(a + 0.5 * b).ravel(), (ROW * b).ravel()])
        layers = []
        for c in range(self.layers):
            # over the hollows in turn: A, B, C lie 0, 1 and 2 hollows aside (3 are a lattice step)
            aside = flat + np.array([0.0, HOLLOW * (c % 3)])
            inside = np.hypot(*aside.T) <= reach * (1.0 + 1e-9)
            layers.append(np.column_stack([aside[inside], np.full(inside.sum(), RISE * c)]))
        return _equal(self, np.concatenate(layers))


def _settle(shape: GluedRod | GluedTetrahedron | GluedCylinder, field: str, at_least: int) -> None:
    """Check what ready clusters have, and their number of layers."""
    number = checks.whole(checks.name_of(shape, field), getattr(shape, field), at_least=at_least)
    if number > 1000:
        message = f"{checks.name_of(shape, field)} = {number} is too many: at most 1000"
        raise InputError(message)
    checks.settle(shape, radius=checks.positive_field(shape, "radius"), **{field: number})
    refuse_no_glue(type(shape).__name__, shape.glue)


def _equal(shape: GluedRod | GluedTetrahedron | GluedCylinder, points: FloatArray) -> Layout:
    """Return the layout of equal spheres at ``points`` (n,3), in diameters."""
    return lay_out(type(shape).__name__, 2.0 * shape.radius * points,
                   np.full(len(points), shape.radius))

"""Covers for all grains of a world: one for each shape and class of sizes, that suit each other.

A cover grows with its grain. In a class of scales from a to b, skin and overlap are counted in the
units of the shape, so the cover is made for the skin s/a of the smallest and for the overlap ξ/b
and the least depth d_0/b of the largest: then (4) of `covers` holds for all of them, since
k² (R² - d²) <= k d (d_0 - 2 ξ) + ξ²/2 for all scales k up to b. Round grains cover themselves.

A shape may have a cover that the user has chosen. What it lacks of the skin is added to its radii.
Nothing was searched so as to fulfil (4), so (3) is tested for all pairs of kinds.

Centres on a line or in a plane would make flat tetrahedra, whose orientation is a matter of
rounding: as grains turn, a triangulation could not follow by flips and would have to be built anew
at every step (measured: always, for rods and plates). So centres are shifted a little, each in a
direction of its own, by no more than ε; radii are larger and depths less by as much.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from granum.checks import FloatArray, IntArray
from granum.shapes.cover_conditions import (
    Spheres,
    largest_overlap,
    refuse_incongruous,
    refuse_overlapping,
)
from granum.shapes.covers import OVERLAP, SKIN, Cover, cover, own_cover
from granum.shapes.rigid import RigidShape

WIDTH = 1.25  # largest over smallest scale of a class
ROUND = -1  # number of the shape of spheres and discs
UNKNOWN = -2  # kind of a grain for which there is no cover
SHIFT = 1e-3  # ε, in the least radius of the shape's balls
SLACK = 1e-12  # relative: scales that are equal but for rounding
LEAST = 0.5  # of the overlap that covers are made for: what one of the user's must allow


class Kind(NamedTuple):
    """Grains of one shape, of about one size."""

    shape: int  # number of the shape
    low: float  # scale of the smallest
    high: float  # scale of the largest
    cover: Cover  # at scale 1


class Kinds:
    """The covers of all grains of a world.

    Args:
        shapes: of the world.
        number: (n,) which shape each grain has; -1 for a sphere or a disc.
        radius: (n,) of the grains [m]; that of the sphere about its centre for other shapes.
        dimension: 2 for a world in the plane z = 0.

    Attributes:
        skin: every cover holds what is within this of its grain [m].
        overlap: no pair can be missed while grains overlap by less than this [m].
        kinds: all but the round grains.
    """

    def __init__(self, shapes: Sequence[RigidShape], number: IntArray, radius: FloatArray,
                 dimension: int) -> None:
        self._sizes = np.array([*(shape.radius for shape in shapes), 1.0])
        scale = radius / self._sizes[number]
        thin = np.array([*(min(shape.radii) for shape in shapes), 1.0])
        self._thinnest = float((scale * thin[number]).min())
        self.skin = SKIN * self._thinnest
        overlap = OVERLAP * self._thinnest
        classes = [(k, low, high) for k in np.unique(number).tolist() if k != ROUND
                   for low, high in _classes(scale[number == k])]
        self._round = radius[number == ROUND]
        is_alone = len(classes) == 1 and not len(self._round) and classes[0][1] == classes[0][2]
        self.kinds = [
            Kind(k, low, high, _shifted(
                _with_skin(own_cover(shapes[k]), self.skin / low)
                if shapes[k].cover else
                cover(shapes[k], dimension, skin=self.skin / low, overlap=overlap / high,
                      smallest=None if is_alone else self._thinnest / high),
                SHIFT * min(shapes[k].radii), dimension, self._name(k)))
            for k, low, high in classes]
        if any(shapes[k].cover for k, _, _ in classes):
            refuse_incongruous(self._spheres(), LEAST * overlap)
        self.overlap = largest_overlap(self._spheres())

    def of(self, number: IntArray, radius: FloatArray) -> IntArray:
        """Return which kind each grain is, (n,); ROUND for spheres, UNKNOWN without a cover."""
        scale = radius / self._sizes[number]
        found = np.full(len(number), UNKNOWN, dtype=np.int64)
        found[(number == ROUND) & (radius >= self._thinnest)] = ROUND
        for k, kind in enumerate(self.kinds):
            is_of = (scale >= kind.low * (1.0 - SLACK)) & (scale <= kind.high * (1.0 + SLACK))
            found[(number == kind.shape) & is_of] = k
        return found

    def scales(self, number: IntArray, radius: FloatArray) -> FloatArray:
        """Return by how much larger each grain is than its shape, (n,)."""
        return np.asarray(radius / self._sizes[number])

    def _name(self, shape: int) -> str:
        return f"shape {shape} with a skin of {self.skin:.3g} m"

    def _spheres(self) -> list[Spheres]:
        """Return the smallest and the largest of each kind: between these, (3) is slacker."""
        found = [Spheres(self._name(kind.shape), scale * kind.cover.radii,
                         scale * kind.cover.depths)
                 for kind in self.kinds for scale in sorted({kind.low, kind.high})]
        if len(self._round):
            ends = np.array([self._round.min(), self._round.max()])
            found.append(Spheres("spheres", ends + self.skin, ends))
        return found


def _with_skin(found: Cover, skin: float) -> Cover:
    """Return a cover with a skin, at least: what is within s of a sphere is in one with R + s."""
    more = max(0.0, skin - found.skin)
    return Cover(found.points, found.radii + more, found.depths, found.skin + more)


def _shifted(found: Cover, by: float, dimension: int, name: str) -> Cover:
    """Return a cover whose centres lie on no line and in no plane; a single sphere as it is.

    The shifts are points of an additive recurrence, evenly spread: multiples of powers of 1/φ with
    the root φ of x^(d+1) = x + 1 in d dimensions.
    """
    if len(found) == 1:
        return found
    root = {2: 1.32471795724474602596, 3: 1.22074408460575947536}[dimension]
    share = np.mod(np.outer(np.arange(1, len(found) + 1), root ** -np.arange(1.0, dimension + 1)),
                   1.0)
    points = found.points.copy()
    points[:, :dimension] += by / math.sqrt(dimension) * (2.0 * share - 1.0)
    shifted = Cover(points, found.radii + by, found.depths - by, found.skin)
    refuse_overlapping(shifted.points, shifted.radii, f"of {name}")
    return shifted


def _classes(scales: FloatArray) -> list[tuple[float, float]]:
    """Return the smallest and the largest scale of classes that are not too wide."""
    low, high = float(scales.min()), float(scales.max())
    if high <= low * (1.0 + SLACK):
        return [(low, low)]
    count = math.ceil(math.log(high / low) / math.log(WIDTH))
    ends = np.geomspace(low, high, count + 1).tolist()
    return list(pairwise(ends))

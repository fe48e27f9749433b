"""Grains on a close-packed lattice, in phases from large to small.

After Ferrez, "Dynamic triangulations for efficient 3D simulation of granular materials" (2001),
section 5.2: a face-centred cubic lattice with distance D between neighbours has rows D apart along
x, sqrt(3)/2 D apart along y, and layers sqrt(2/3) D apart along z. Each place takes a grain with
a given probability, if no grain of an earlier phase is in the way.

Coordinates are counted in whole steps of D/2 (x), a third of the row distance (y) and one layer
distance (z): row b of layer c, with kind k = c mod 3, lies at y = 3 b + k, and its grains at
x = 2 a + (b + k) mod 2. In 2D, row b lies at y = b, and its grains at x = 2 a + b mod 2.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from granum import checks
from granum.checks import FloatArray, IntArray
from granum.errors import InputError
from granum.quantity import Length, Number, Point
from granum.shapes import AnySwept, Clump
from granum.sizes import AnySizes
from granum.world.place.fields import Sized, name_of, positive, settle, settle_box, whole
from granum.world.place.grid import Grid, grid_of
from granum.world.place.region import Region, region
from granum.world.place.space import ROUNDING, Placed, Space, wrap

SLAB = 200_000  # places worked on at once
MOST = 50_000_000  # places; beyond this a length is more likely wrong by its unit


@dataclass(frozen=True)
class Lattice(Sized):
    """Grains on a face-centred cubic lattice; in 2D on a hexagonal one.

    The lattice stands on the bottom of the region and in its middle sideways. In a periodic
    direction that the region spans it is stretched to fit a whole number of times.

    Args:
        radius: mean radius [m], or a distribution of radii. With a distribution, those places
            are used where the largest grain would fit, so that walls favour no size.
        spacing: distance between neighbours [m]; default 2.02 times the largest radius.
        low: lower corner of the region [m]; default: the container's bounding box.
        high: upper corner [m]. The region holds whole grains.
        height: no centre is higher than this above the bottom of the region [m] (along z, in 2D
            along y).
        probability: of a place being used at all.
        spread: radii are uniform within ``radius`` (1 ± ``spread``).
        count: number of grains, from the bottom up; default: as many as there are places.
        clump: what the grains are, if not spheres; turned at random, and so large that the sphere
            about its centre of mass that holds it has the ``radius``. These spheres do not overlap.
        shape: the same for a skeleton swept by a ball, in place of a clump.
    """

    radius: Length | AnySizes
    spacing: Length | None = None
    low: Point | None = None
    high: Point | None = None
    height: Length | None = None
    probability: Number = 1.0
    spread: Number = 0.0
    count: int | None = None
    clump: Clump | None = None
    shape: AnySwept | None = None

    def __post_init__(self) -> None:
        """Check every field; neighbours of the same lattice must not overlap."""
        self.settle_size()
        settle_box(self)
        chance = checks.number(
            name_of(self, "probability"), self.probability, above=0.0, at_most=1.0
        )
        settle(self, probability=chance)
        if self.height is not None:
            settle(self, height=positive(self, "height"))
        if self.count is not None:
            settle(self, count=whole(self, "count"))
        if self.spacing is not None:
            settle(self, spacing=positive(self, "spacing"))
            least = 2.0 * self.sizes.largest
            if self.spacing < least * (1.0 - ROUNDING):
                message = (
                    f"Lattice spacing must be at least twice the largest radius = {least:g} m, so "
                    f"that neighbours do not overlap, got {self.spacing:g} m"
                )
                raise InputError(message)

    def place(self, space: Space, rng: np.random.Generator) -> Placed:
        """Return the grains, layer by layer from the bottom.

        Raises:
            InputError: there is no room, or not enough for ``count``.
        """
        largest = self.sizes.largest
        spacing = 2.02 * largest if self.spacing is None else self.spacing
        top = None if self.height is None else max(self.height, largest) + largest
        box = region("Lattice", space, self.low, self.high, top=top)
        sites = _lay_out(box, largest, spacing, self.height)
        self._check_size(sites, spacing)
        extremes = np.array([self.sizes.smallest, largest])
        grid = grid_of(space.points, space.radii, extremes, space.periodic)
        points, radii, room, total = [np.zeros((0, 3))], [np.zeros(0)], 0, 0
        for slab in sites.slabs():
            found, their_radii, free = self._fill(wrap(slab, space.periodic), space, grid, rng)
            points.append(found)
            radii.append(their_radii)
            room += free
            total += len(found)
            if self.count is not None and total >= self.count:
                break
        self._check_filled(room, total, box)
        stop = total if self.count is None else self.count
        found, their_radii = np.concatenate(points)[:stop], np.concatenate(radii)[:stop]
        if isinstance(self.radius, AnySizes):
            their_radii = self.radius.radii(stop, space.dimension, rng)
        return Placed(found, their_radii)

    def _fill(
        self, points: FloatArray, space: Space, grid: Grid, rng: np.random.Generator
    ) -> tuple[FloatArray, FloatArray, int]:
        """Return the grains at those of ``points`` that are free, and the number of free ones.

        The draws do not depend on what is free: a grain placed earlier changes only its
        neighbourhood. Where sizes have a distribution, all are as large as the largest for now.
        """
        used = rng.random(len(points)) < self.probability
        largest = self.sizes.largest
        radii = (np.full(len(points), largest) if isinstance(self.radius, AnySizes)
                 else self.sizes.radii(len(points), space.dimension, rng))
        # Touching a wall is allowed, whatever the rounding.
        rounding = ROUNDING * max(largest, float(np.abs(points).max(initial=0.0)))
        free = np.array(space.fits(points, np.maximum(radii - rounding, 0.0)), dtype=np.bool_)
        free[free] = grid.free(points[free], radii[free])
        chosen = used & free
        return points[chosen], radii[chosen], int(free.sum())

    def _check_size(self, sites: _Sites, spacing: float) -> None:
        if sites.per_layer > MOST or (self.count is None and sites.total > MOST):
            message = (
                f"Lattice: a spacing of {spacing:g} m gives {float(sites.total):.2g} places in "
                f"this region, more than {MOST:g}: check the units of {self.size_text}, "
                f"spacing, low and high, or give height or count"
            )
            raise InputError(message)

    def _check_filled(self, room: int, total: int, box: Region) -> None:
        where = f"between low = {tuple(box.low.tolist())} and high = {tuple(box.high.tolist())} m"
        if room == 0:
            message = (
                f"Lattice: no place is free for a grain of {self.size_text} {where}: "
                f"walls and earlier grains take them all; enlarge the region or lower radius"
            )
            raise InputError(message)
        if self.count is not None and total < self.count:
            message = (
                f"Lattice count = {self.count} grains of {self.size_text} do not fit on "
                f"the lattice: {total} found a place {where} ({room} places are free, each used "
                f"with probability {self.probability:g}). Lower count, radius or spacing, raise "
                f"height or high, or leave count out to use every place"
            )
            raise InputError(message)


@dataclass(frozen=True, eq=False)
class _Sites:
    """The places of a lattice: whole steps from 0 to ``top`` along each axis.

    ``start`` and ``last`` are the lowest and the highest centre allowed (3,) [m]; ``step`` (3,)
    [m]; ``top`` (3,).
    """

    start: FloatArray
    last: FloatArray
    step: FloatArray
    top: tuple[int, int, int]
    dimension: int

    @property
    def layers(self) -> int:
        return self.top[self.dimension - 1] + 1

    @property
    def per_layer(self) -> int:
        rows = self.top[1] // 3 + 1 if self.dimension == 3 else 1
        return rows * (self.top[0] // 2 + 1)

    @property
    def total(self) -> int:
        return self.layers * self.per_layer

    def slabs(self) -> Iterator[FloatArray]:
        """Yield the centres (n, 3) [m] of a few layers at a time, from the bottom up."""
        thick = max(1, SLAB // self.per_layer)
        for first in range(0, self.layers, thick):
            steps = self._steps(np.arange(first, min(first + thick, self.layers)))
            yield np.minimum(self.start + steps * self.step, self.last)

    def _steps(self, layer: IntArray) -> IntArray:
        """Return the places of the layers in whole steps, ordered by layer, row and column."""
        column = np.arange(self.top[0] // 2 + 1)
        row = np.arange(self.top[1] // 3 + 1 if self.dimension == 3 else 1)
        c, b, a = np.meshgrid(layer, row, column, indexing="ij")
        if self.dimension == 3:
            steps = np.stack([2 * a + (b + c % 3) % 2, 3 * b + c % 3, c], axis=-1)
        else:
            steps = np.stack([2 * a + c % 2, c, b], axis=-1)
        steps = steps.reshape(-1, 3)
        return np.asarray(steps[(steps <= self.top).all(axis=1)])


def _lay_out(box: Region, largest: float, spacing: float, height: float | None) -> _Sites:
    """Fit a lattice of ``spacing`` [m] into the box for grains of radius up to ``largest`` [m]."""
    start, last = box.centres(largest)
    wraps = list(box.wraps)
    up = box.dimension - 1
    if height is not None and box.low[up] + height < box.high[up]:
        if wraps[up]:  # the region ends below the end of the cell: no grain reaches round it
            start[up], last[up] = start[up] + largest, last[up] - largest
            wraps[up] = False
        last[up] = min(last[up], box.low[up] + height)
        if last[up] < start[up]:
            message = (
                f"Lattice height = {height:g} m leaves no room for grains of radius up to "
                f"{largest:g} m, whose centres are at least that high: raise height"
            )
            raise InputError(message)
    # Distances between rows, steps in each, rows after which the lattice repeats.
    plane = (1.0, math.sqrt(3.0) / 2.0, math.sqrt(2.0 / 3.0))
    parts = (2, 1, 1) if box.dimension == 2 else (2, 3, 1)
    step, top = np.zeros(3), [0, 0, 0]
    for axis in range(box.dimension):
        pitch = spacing * plane[axis]
        if wraps[axis]:
            length = float(box.high[axis] - box.low[axis])
            rows = _whole_rows(length, pitch, axis)
            step[axis], top[axis] = length / (rows * parts[axis]), rows * parts[axis] - 1
            last[axis] = np.inf
        else:
            span = float(last[axis] - start[axis])
            reach = float(np.abs([start[axis], last[axis]]).max())
            step[axis], top[axis] = _open_steps(span, pitch, parts[axis], reach)
            if axis != up:
                start[axis] += (span - top[axis] * step[axis]) / 2.0
    return _Sites(start, last, step, (top[0], top[1], top[2]), box.dimension)


def _open_steps(span: float, pitch: float, parts: int, reach: float) -> tuple[float, int]:
    """Return the step [m] and how many fit into ``span`` [m] between the outermost centres.

    The step is opened by the rounding of coordinates as large as ``reach`` [m], so that neighbours
    at contact do not overlap by rounding, unless a region cut to measure leaves no room for it.
    """
    top = math.floor(parts * span / pitch * (1.0 + ROUNDING))
    step = pitch / parts + ROUNDING * (reach + pitch)
    return (min(step, span / top) if top else step), top


def _whole_rows(length: float, pitch: float, axis: int) -> int:
    """Return how many rows fit round a periodic cell, a multiple of the lattice's period."""
    period = axis + 1  # rows along y repeat after 2, layers along z after 3
    rows = math.floor(length / pitch * (1.0 + ROUNDING))
    rows -= rows % period
    if rows == 0:
        message = (
            f"Lattice: the periodic cell is {length:g} m long in {'xyz'[axis]}, but the lattice "
            f"repeats only after {period * pitch:g} m there: lower spacing or radius, "
            f"enlarge the cell, or use Random or Explicit"
        )
        raise InputError(message)
    return rows

"""Where something is measured: a box, a cylinder, or the container as far as it is filled.

A region knows its volume, how much of each ball lies inside (exactly: see `slices`), and which
points do. In a 2D world volumes are areas, a box is a rectangle, and a cylinder a circle. In
periodic directions a region sees the images of grains beyond the ends of the cell, too.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise, product
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from granum import checks
from granum.checks import FloatArray, IntArray, Triple, name_of, settle
from granum.errors import InputError
from granum.measures.slices import (
    balls_below,
    balls_in_boxes,
    balls_in_cylinders,
    discs_in_circles,
    discs_in_rectangles,
)
from granum.measures.surface import highest, surface_height
from granum.quantity import Direction, Length, Point
from granum.walls import Box, Cylinder, Plane, Plate
from granum.walls.frame import circle_reach, cylindrical
from granum.walls.moving import moved
from granum.world import World
from granum.world.body import moved_bounds
from granum.world.place.space import wrap

ALIGNED = 1e-9  # sine of the angle below which an axis counts as vertical


@dataclass(frozen=True)
class BoxRegion:
    """A box along the coordinate axes; in a 2D world a rectangle, whatever its z.

    Args:
        low: corner of the smallest coordinates [m].
        high: corner of the largest coordinates [m].
    """

    type_name: ClassVar[str] = "box"
    low: Point
    high: Point

    def __post_init__(self) -> None:
        """Refuse a box without an extent."""
        settle(self, low=_point(self, "low"), high=_point(self, "high"))
        for axis in range(3):
            flat = axis == 2 and self.low[2] == self.high[2]
            if self.low[axis] >= self.high[axis] and not flat:
                message = (f"high must be greater than low along {'xyz'[axis]}, got low "
                           f"{self.low[axis]:g} m and high {self.high[axis]:g} m")
                raise InputError(message)

    def settled(self, world: World, time: float) -> BoxRegion:
        """Return the box itself."""
        if world.dimension == 3 and self.low[2] == self.high[2]:
            message = (f"high must be greater than low along z in a 3D world, got {self.low[2]:g} "
                       "m for both")
            raise InputError(message)
        return self

    def volume(self, dimension: int) -> float:
        """Return the volume [m3], in 2D the area [m2]."""
        return math.prod(self.high[k] - self.low[k] for k in range(dimension))

    def bounds(self, dimension: int) -> tuple[FloatArray, FloatArray]:
        """Return the corners of the box around it, (3,) each [m]."""
        return np.array(self.low), np.array(self.high)

    def contains(self, points: FloatArray, dimension: int) -> NDArray[np.bool_]:
        """Tell which points (n,3) are inside, (n,); the upper sides are not."""
        inside = (points >= self.low) & (points < self.high)
        return np.asarray(inside[:, :dimension].all(axis=1))

    def filled(self, points: FloatArray, radii: FloatArray, dimension: int) -> FloatArray:
        """Return the volume of balls, in 2D the area of discs, inside the box, (n,)."""
        low, high = self.low - points, self.high - points
        if dimension == 2:
            return discs_in_rectangles(radii, low[:, :2], high[:, :2])
        is_cut = (low > -radii[:, None]) | (high < radii[:, None])  # by the sides across each axis
        volume = 4.0 / 3.0 * np.pi * radii**3
        for axis in range(3):
            alone = is_cut[:, axis] & (is_cut.sum(axis=1) == 1)
            volume[alone] = (balls_below(radii[alone], high[alone, axis])
                             - balls_below(radii[alone], low[alone, axis]))
        many = is_cut.sum(axis=1) > 1
        volume[many] = balls_in_boxes(radii[many], low[many], high[many])
        return volume

    def layers(self, count: int, dimension: int) -> list[tuple[float, float, BoxRegion]]:
        """Return equal layers from the bottom up: their lower and upper ends [m], and regions."""
        up = dimension - 1
        ends = np.linspace(self.low[up], self.high[up], count + 1).tolist()
        return [(a, b, BoxRegion(_with(self.low, up, a), _with(self.high, up, b)))
                for a, b in pairwise(ends)]

    def describe(self) -> str:
        """Return it in a few words, for a person."""
        return f"box from {_text(self.low)} m to {_text(self.high)} m"


@dataclass(frozen=True)
class CylinderRegion:
    """A round cylinder; in a 2D world a circle about the base.

    Args:
        base: centre of the lower end [m].
        radius: radius of the cylinder [m].
        height: distance of the ends [m]; of no meaning in 2D.
        axis: direction from the lower end to the upper, of any length.
    """

    type_name: ClassVar[str] = "cylinder"
    base: Point
    radius: Length
    height: Length = 1.0
    axis: Direction = (0.0, 0.0, 1.0)

    def __post_init__(self) -> None:
        """Refuse a cylinder without an extent."""
        settle(self, base=_point(self, "base"), axis=_point(self, "axis"),
               radius=checks.positive_field(self, "radius"),
               height=checks.positive_field(self, "height"))
        checks.direction(name_of(self, "axis"), self.axis)

    def settled(self, world: World, time: float) -> CylinderRegion:
        """Return the cylinder itself."""
        if world.dimension == 2 and (self.axis[0] or self.axis[1]):
            message = "axis of a region in a 2D world must be (0, 0, 1): the region is a circle"
            raise InputError(message)
        return self

    def volume(self, dimension: int) -> float:
        """Return the volume [m3], in 2D the area [m2]."""
        return math.pi * self.radius**2 * (self.height if dimension == 3 else 1.0)

    def bounds(self, dimension: int) -> tuple[FloatArray, FloatArray]:
        """Return the corners of the box around it, (3,) each [m]."""
        base = np.array(self.base)
        top = base + self.height * checks.direction("axis", self.axis) * (dimension == 3)
        reach = circle_reach(self.axis, self.radius)
        return np.minimum(base, top) - reach, np.maximum(base, top) + reach

    def contains(self, points: FloatArray, dimension: int) -> NDArray[np.bool_]:
        """Tell which points (n,3) are inside, (n,); the upper end is not."""
        d, z = cylindrical(points, self.base, self.axis)
        inside = d < self.radius
        return np.asarray(inside & (z >= 0.0) & (z < self.height) if dimension == 3 else inside)

    def filled(self, points: FloatArray, radii: FloatArray, dimension: int) -> FloatArray:
        """Return the volume of balls, in 2D the area of discs, inside the cylinder, (n,)."""
        d, z = cylindrical(points, self.base, self.axis)
        if dimension == 2:
            return discs_in_circles(radii, np.full(len(radii), self.radius), d)
        low, high = -z, self.height - z
        volume = balls_below(radii, high) - balls_below(radii, low)
        volume[d >= self.radius + radii] = 0.0
        at_mantle = (np.abs(d - self.radius) < radii) | (d < radii - self.radius)
        some = at_mantle & (volume > 0.0)
        volume[some] = balls_in_cylinders(radii[some], d[some], np.full(some.sum(), self.radius),
                                          low[some], high[some])
        return volume

    def layers(self, count: int, dimension: int) -> list[tuple[float, float, CylinderRegion]]:
        """Return equal layers along the axis: their lower and upper ends [m], and regions.

        Ends are those of the coordinate along the axis.
        """
        if dimension == 2:
            message = "a circle has no layers: give a box as the region"
            raise InputError(message)
        axis = checks.direction("axis", self.axis)
        first, thick = float(axis @ np.array(self.base)), self.height / count
        found = []
        for k in range(count):
            base = np.array(self.base) + k * thick * axis
            found.append((first + k * thick, first + (k + 1) * thick,
                          CylinderRegion(_triple(base), self.radius, thick, self.axis)))
        return found

    def describe(self) -> str:
        """Return it in a few words, for a person."""
        return (f"cylinder of radius {self.radius:g} m and height {self.height:g} m, base "
                f"{_text(self.base)} m, axis {_text(self.axis)}")


@dataclass(frozen=True)
class ContainerRegion:
    """The inside of the walls up to some height: a box, or an upright cylinder.

    Args:
        top: height up to which the container counts [m]; ``"surface"``: as far as it is filled on
            average; ``"highest"``: up to the top of the highest grain (Ferrez 2001, 4.3).
    """

    type_name: ClassVar[str] = "container"
    top: Length | Literal["surface", "highest"] = "surface"

    def __post_init__(self) -> None:
        """Refuse a height without a meaning."""
        if self.top not in ("surface", "highest"):
            if isinstance(self.top, str):
                message = f"top must be a height, 'surface' or 'highest', got {self.top!r}"
                raise InputError(message)
            settle(self, top=checks.number("top", self.top))

    def settled(self, world: World, time: float) -> BoxRegion | CylinderRegion | None:
        """Return the box or the cylinder that the walls make at ``time`` [s].

        None if it ends at the surface and there are no grains above the floor.

        Raises:
            InputError: the walls make neither, or the top is below the floor.
        """
        if world.dimension == 3 and (tube := _tube(world, time)) is not None:
            base, radius = tube
            top = self._top(world, base[2])
            return CylinderRegion(_triple(base), radius, top - base[2]) if top > base[2] else None
        low, high = _room(world, time)
        up = world.dimension - 1
        _refuse_open(world, low, high, up)
        high[up] = self._top(world, low[up])
        return BoxRegion(_triple(low), _triple(high)) if high[up] > low[up] else None

    def _top(self, world: World, floor: float) -> float:
        if isinstance(self.top, str):
            return highest(world) if self.top == "highest" else surface_height(world)
        if self.top <= floor:
            message = (f"top must be above the floor of the container at {floor:g} m, got "
                       f"{self.top:g} m")
            raise InputError(message)
        return self.top

    def describe(self) -> str:
        """Return it in a few words, for a person."""
        if isinstance(self.top, str):
            return f"the container up to the {self.top} " + (
                "grain" if self.top == "highest" else "of the grains")
        return f"the container up to {self.top:g} m"


Region = BoxRegion | CylinderRegion | ContainerRegion
Settled = BoxRegion | CylinderRegion


def balls_near(world: World, region: Settled) -> tuple[FloatArray, FloatArray, IntArray]:
    """Return all balls that may reach into a region: centres (m,3), radii, and their grains."""
    balls = world.balls()
    points, radii, which = images_near(world, region, world.ball_positions(balls), balls.arm[:, 3])
    return points, radii, balls.grain[which]


def images_near(world: World, region: Settled, points: FloatArray, radii: FloatArray
                ) -> tuple[FloatArray, FloatArray, IntArray]:
    """Return those of some balls that may reach into a region: centres (m,3), radii, and which.

    In periodic directions each image that reaches into it is there by itself.
    """
    dimension, which = world.dimension, np.arange(len(points))
    points = wrap(points, world.periodic)
    low, high = region.bounds(dimension)
    for axis, length in enumerate(world.periodic[:dimension]):
        if length is None:
            continue
        if high[axis] - low[axis] > length * (1.0 + 1e-9):
            message = (f"the region is {high[axis] - low[axis]:g} m long in {'xyz'[axis]}, longer "
                       f"than the periodic cell, {length:g} m: make it shorter")
            raise InputError(message)
        shift = np.zeros(3)
        shift[axis] = length
        first = math.floor((low[axis] - radii.max(initial=0.0)) / length)
        last = math.floor((high[axis] + radii.max(initial=0.0)) / length)
        points = np.concatenate([points + k * shift for k in range(first, last + 1)])
        radii, which = np.tile(radii, last - first + 1), np.tile(which, last - first + 1)
    gap = np.maximum(low - points, points - high)[:, :dimension].max(axis=1, initial=-np.inf)
    near = gap < radii
    return points[near], radii[near], which[near]


def centres_in(world: World, region: Settled) -> NDArray[np.bool_]:
    """Tell which grains have their centre in a region, (n,); periodic images count."""
    inside = np.zeros(len(world), dtype=np.bool_)
    inside[images_in(world, region)[1]] = True
    return inside


def images_in(world: World, region: Settled) -> tuple[FloatArray, IntArray]:
    """Return where grains, or their periodic images, have their centres in a region, (m,3) [m].

    The second is the place of each grain among all, (m,).
    """
    points = wrap(world.grains.position, world.periodic)
    found = []
    for shift in shifts_to(world, region):
        there = np.flatnonzero(region.contains(points + shift, world.dimension))
        found.append((points[there] + shift, there))
    return (np.concatenate([place for place, _ in found]),
            np.concatenate([grain for _, grain in found]))


def shifts_to(world: World, region: Settled) -> list[FloatArray]:
    """Return the shifts (3,) [m] that take the periodic cell to all its images in a region.

    One cell more on each side, for what begins in one cell and ends in the next.
    """
    low, high = region.bounds(world.dimension)
    counts = [range(math.floor(a / length) - 1, math.floor(b / length) + 2) if length else (0,)
              for a, b, length in zip(low, high, world.periodic, strict=True)]
    return [np.array(cell) * world.periods() for cell in product(*counts)]


def refuse_outside(world: World, region: Settled) -> None:
    """Refuse a region that lies outside of the world as a whole, where no grain can ever be."""
    low, high = region.bounds(world.dimension)
    first, last = world.limits()
    for axis in range(world.dimension):
        if world.periodic[axis] is None and (low[axis] > last[axis] or high[axis] < first[axis]):
            message = (f"the region ({region.describe()}) lies outside of the world, which reaches "
                       f"from {first[axis]:g} m to {last[axis]:g} m in {'xyz'[axis]}")
            raise InputError(message)


def _tube(world: World, time: float) -> tuple[FloatArray, float] | None:
    """Return base (3,) and radius [m] of the one upright cylinder that holds the grains."""
    found = []
    for wall, pose in world.walls_at(time):
        if isinstance(wall, Box | Plane | Plate):
            continue
        if not isinstance(wall, Cylinder) or wall.side != "inside":
            message = ("the container is neither a box nor an upright cylinder, for it has a "
                       f"{wall.describe()}: give a box or a cylinder as the region")
            raise InputError(message)
        ends = np.array([wall.base, np.add(wall.base, checks.direction("axis", wall.axis))])
        base, end = ends if pose is None else moved(pose, ends)
        if math.hypot(*(end - base)[:2]) > ALIGNED:
            message = ("the container is a cylinder that does not stand upright: give a cylinder "
                       "as the region")
            raise InputError(message)
        found.append((base, wall.radius))
    if not found:
        return None
    base, radius = min(found, key=lambda tube: tube[1])
    floor = _room(world, time)[0][2]
    if not math.isfinite(floor):
        message = "the container has no floor: give a box or a cylinder as the region"
        raise InputError(message)
    return np.array([base[0], base[1], floor]), radius


def _room(world: World, time: float) -> tuple[FloatArray, FloatArray]:
    """Return the corners (3,) of the room that the walls enclose [m]; infinite where it is open.

    Boxes and planes without an end hold everything on their side. Where there is none of them, the
    other walls mark the ends by where they are.
    """
    low, high = np.full(3, -np.inf), np.full(3, np.inf)
    first, last = high.copy(), low.copy()
    for wall, pose in world.walls_at(time):
        ends = wall.bounds() if pose is None else moved_bounds(wall.bounds(), pose)
        if isinstance(wall, Box) or (isinstance(wall, Plane) and wall.extent is None):
            low, high = np.maximum(low, ends[0]), np.minimum(high, ends[1])
        elif np.isfinite(ends).all():
            first, last = np.minimum(first, ends[0]), np.maximum(last, ends[1])
    low = np.where(np.isfinite(low) | np.isinf(first), low, first)
    high = np.where(np.isfinite(high) | np.isinf(last), high, last)
    cell = world.periods()
    return np.where(cell > 0.0, 0.0, low), np.where(cell > 0.0, cell, high)


def _refuse_open(world: World, low: FloatArray, high: FloatArray, up: int) -> None:
    """Refuse a container that is open on any side but the top."""
    for axis in range(world.dimension):
        if not math.isfinite(low[axis]) or (axis != up and not math.isfinite(high[axis])):
            message = (f"the container is open in {'xyz'[axis]}, so it has no volume: give a box "
                       "or a cylinder as the region")
            raise InputError(message)


def _point(owner: object, field: str) -> Triple:
    x, y, z = checks.vector(name_of(owner, field), getattr(owner, field)).tolist()
    return x, y, z


def _triple(vector: Any) -> Triple:
    x, y, z = np.asarray(vector, dtype=np.float64).tolist()
    return x, y, z


def _with(corner: Point, axis: int, value: float) -> Triple:
    """Return a corner with one coordinate replaced."""
    changed = [*corner]
    changed[axis] = value
    return changed[0], changed[1], changed[2]


def _text(values: tuple[float, ...]) -> str:
    return "(" + ", ".join(f"{value + 0.0:g}" for value in values) + ")"

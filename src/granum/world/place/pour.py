"""Grains that enter over time."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np

from granum import checks
from granum.checks import FloatArray
from granum.errors import InputError
from granum.quantity import Length, MassRate, Number, Point, Rate, Time, Velocity
from granum.shapes import AnySwept, Clump
from granum.sizes import AnySizes
from granum.world.place.fields import Sized, name_of, positive, settle, settle_box, triple, whole
from granum.world.place.grid import grid_of
from granum.world.place.region import region
from granum.world.place.space import Placed, Space, wrap

TRIES = 200  # places tried for one grain before it waits for the next event
BLOCK = 256  # grains whose places are drawn at once
PROBES = 10_000  # places tried at the start to see whether any grain can enter


@dataclass(frozen=True)
class Pour(Sized):
    """A stream of grains: they appear in a box at a given rate while the simulation runs.

    A wide box high above makes it rain, a narrow one makes a jet.

    Nothing here remembers anything: what enters follows from the time, the number of grains
    already poured, the generator of the event and the grains that are there. So a run that is cut
    and resumed pours the same grains.

    Args:
        radius: mean radius [m], or a distribution of radii.
        count: number of grains in all.
        rate: grains per second [1/s].
        mass_rate: mass per second [kg/s], instead of ``rate``. A grain is due when the mass of the
            stream up to it, its own included, has come.
        low: lower corner of the box in which grains appear [m].
        high: upper corner [m]. The box holds whole grains.
        start: time of the beginning [s]; the first grain is due 1 / rate later (with
            ``mass_rate``: its mass / mass_rate later).
        velocity: of the grains that enter [m/s].
        spread: radii are uniform within ``radius`` (1 ± ``spread``).
        clump: what the grains are, if not spheres; turned at random, and so large that the sphere
            about its centre of mass that holds it has the ``radius``. These spheres do not overlap.
        shape: the same for a skeleton swept by a ball, in place of a clump.
    """

    radius: Length | AnySizes
    count: int
    rate: Rate | None = None
    mass_rate: MassRate | None = None
    low: Point = field(kw_only=True)
    high: Point = field(kw_only=True)
    start: Time = 0.0
    velocity: Velocity = (0.0, 0.0, 0.0)
    spread: Number = 0.0
    clump: Clump | None = None
    shape: AnySwept | None = None

    def __post_init__(self) -> None:
        """Check every field."""
        self.settle_size()
        if (self.rate is None) == (self.mass_rate is None):
            message = "Pour rate must be given, or mass_rate, but not both"
            raise InputError(message)
        for name in ("low", "high"):
            if getattr(self, name) is None:
                message = (
                    f"{name_of(self, name)} must be given: a corner of the box in which grains "
                    f"appear"
                )
                raise InputError(message)
        settle_box(self)
        settle(
            self,
            count=whole(self, "count"),
            **{how: positive(self, how) for how in ("rate", "mass_rate")
               if getattr(self, how) is not None},
            start=checks.number(name_of(self, "start"), self.start),
            velocity=triple(name_of(self, "velocity"), self.velocity),
        )

    def place(self, space: Space, rng: np.random.Generator) -> Placed:
        """Return no grain: they come later. Refuse a box into which none can ever come.

        A grain is let in for a trial, so that kernels are compiled now and not in the midst of a
        run, and that a mixture which so few grains cannot have is refused.
        """
        box = region("Pour", space, self.low, self.high)
        largest = self.sizes.largest
        box.centres(largest)
        radii = np.full(PROBES, largest)
        if not space.fits(wrap(box.draw(rng, radii, 1)[:, 0], space.periodic), radii).any():
            message = (
                f"Pour: no grain of radius {largest:g} m fits between low = {self.low} and high = "
                f"{self.high} m without cutting a wall: move the box inside the container"
            )
            raise InputError(message)
        self.batch(1, 0, rng, space)
        return Placed(np.zeros((0, 3)), np.zeros(0))

    def due(self, time: float, unit_mass: float = math.nan, dimension: int = 3) -> int:
        """Return how many grains should have entered by ``time`` [s].

        With a ``mass_rate`` that depends on their masses: ``unit_mass`` times radius^dimension
        [kg], where ``unit_mass`` [kg/m^dimension] is that of the material and the shape.
        """
        rounding = 4.0 * float(np.finfo(np.float64).eps) * (abs(time) + abs(self.start))
        passed = time - self.start + rounding
        if self.mass_rate is not None:
            come = _powers_up_to(self, dimension)
            return int(np.searchsorted(come, passed * self.mass_rate / unit_mass, side="right"))
        assert self.rate is not None
        return min(max(math.floor(passed * self.rate), 0), self.count)

    def begins(self, unit_mass: float = math.nan, dimension: int = 3) -> float:
        """Return the time [s] at which the first grain is due; arguments as for ``due``."""
        if self.mass_rate is not None:
            first = float(_powers_up_to(self, dimension)[0])
            return self.start + (1.0 + 1e-12) * unit_mass * first / self.mass_rate
        assert self.rate is not None
        return self.start + 1.0 / self.rate

    def radii(self, first: int, wanted: int, dimension: int = 3) -> FloatArray:
        """Return the radii [m] of the grains number ``first`` to ``first + wanted - 1``.

        The size of a grain follows from its number alone, so a grain that has to wait is not
        exchanged for a smaller one.
        """
        return self.sizes.numbered(np.arange(first, first + wanted), self.count, dimension)

    def batch(
        self, wanted: int, first: int, rng: np.random.Generator, occupied: Space
    ) -> tuple[FloatArray, FloatArray]:
        """Return up to ``wanted`` grains that find room in the box, in the order of their numbers.

        The first one without room makes those after it wait too; ask again at the next event with
        ``first`` raised by the number of grains returned.

        Args:
            wanted: how many should enter, normally ``due(time) - first``.
            first: how many grains of this stream have entered before.
            rng: generator of this event, fresh for each event.
            occupied: the container with the grains that are in it now.

        Returns:
            Centres, shape (n, 3) [m], and radii, shape (n,) [m], with n <= ``wanted``.
        """
        wanted = min(wanted, self.count - first)
        if wanted <= 0:
            return np.zeros((0, 3)), np.zeros(0)
        box = region("Pour", occupied, self.low, self.high)
        radii = self.radii(first, wanted, occupied.dimension)
        grid = grid_of(occupied.points, occupied.radii, radii, occupied.periodic)
        found: list[FloatArray] = []
        for begin in range(0, wanted, BLOCK):
            block = radii[begin : begin + BLOCK]
            places = wrap(box.draw(rng, block, TRIES), occupied.periodic)
            allowed = occupied.fits(places.reshape(-1, 3), np.repeat(block, TRIES))
            chosen = grid.add_in_turn(
                places, allowed.reshape(len(block), TRIES), block, in_order=True
            )
            placed = int((chosen >= 0).sum())
            found.append(places[np.arange(placed), chosen[:placed]])
            if placed < len(block):
                break
        points = np.concatenate(found)
        return points, radii[: len(points)]


@lru_cache(maxsize=16)
def _powers_up_to(pour: Pour, dimension: int) -> FloatArray:
    """Return the sums of radius^dimension of all grains of a stream up to each, (count,)."""
    return np.cumsum(pour.radii(0, pour.count, dimension) ** dimension)

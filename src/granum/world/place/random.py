"""Grains at random places, one after another (random sequential addition)."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from granum import checks
from granum.checks import FloatArray
from granum.errors import InputError
from granum.quantity import Length, Number, Point, Speed
from granum.shapes import AnySwept, Clump
from granum.sizes import AnySizes
from granum.world.place.fields import Sized, name_of, settle, settle_box, whole
from granum.world.place.grid import grid_of
from granum.world.place.region import Region, region
from granum.world.place.space import Placed, Space, wrap

# Grains, and places for them, between two calls of the walls: enough to hide the cost of the call.
BLOCK = 512
ROUND = 4096
MOST = 50_000_000  # grains
DENSEST = {2: math.pi / math.sqrt(12.0), 3: math.pi / math.sqrt(18.0)}  # of equal discs, spheres
LATELY = 16  # rounds after which is asked whether free places have become too rare
HOPE = 4.0  # what is to come may be so many times luckier than these rounds
ALIKE = 0.95  # of a radius: grains of about that size find as many places


@dataclass(frozen=True)
class Random(Sized):
    """Grains at independent random places, without overlap.

    Places that are taken are drawn again. This fills at most about 38 % of the volume with equal
    spheres, 55 % of the area with equal discs (the jamming limits of random sequential addition),
    less in narrow containers, and gets slow before that.

    Args:
        radius: mean radius [m], or a distribution of radii.
        count: number of grains.
        low: lower corner of the region [m]; default: the container's bounding box.
        high: upper corner [m]. The region holds whole grains.
        spread: radii are uniform within ``radius`` (1 ± ``spread``).
        attempts: how many places may be tried for a grain, on average over all grains.
        clump: what the grains are, if not spheres; turned at random, and so large that the sphere
            about its centre of mass that holds it has the ``radius``. These spheres do not overlap.
        shape: the same for a skeleton swept by a ball, in place of a clump.
        speed: of every grain at the start, each in a direction of its own, as in a gas [m/s].
    """

    radius: Length | AnySizes
    count: int
    low: Point | None = None
    high: Point | None = None
    spread: Number = 0.0
    attempts: int = 200
    clump: Clump | None = None
    shape: AnySwept | None = None
    speed: Speed = 0.0

    def __post_init__(self) -> None:
        """Check every field."""
        self.settle_size()
        settle_box(self)
        settle(self, speed=checks.number(name_of(self, "speed"), self.speed, at_least=0.0))
        settle(self, count=whole(self, "count"), attempts=whole(self, "attempts"))

    def place(self, space: Space, rng: np.random.Generator) -> Placed:
        """Return ``count`` grains.

        All sizes are drawn before the first place, and the largest grains are placed first: they
        find a place less easily, and must not give way to small ones.

        Raises:
            InputError: the space is too full.
        """
        box = region("Random", space, self.low, self.high)
        box.centres(self.sizes.largest)
        if self.count > MOST:
            message = f"Random count = {float(self.count):.2g} is too many: at most {MOST:g}"
            raise InputError(message)
        radii = self.sizes.radii(self.count, space.dimension, rng)
        self._refuse_impossible(box, radii)
        grid = grid_of(space.points, space.radii, radii, space.periodic)
        points = np.zeros((self.count, 3))
        pending = np.argsort(-radii, kind="stable")
        left = self.attempts * self.count
        refused: list[float] = []
        lately: list[tuple[int, int]] = []  # places tried and taken in each round
        while pending.size:
            block = pending[:BLOCK]
            tries = min(ROUND // block.size, self.attempts, left // block.size)
            if tries == 0 or self._stalls(lately, left, radii[pending]):
                done = np.setdiff1d(np.arange(self.count), pending)
                reached = space.with_grains(Placed(points[done], radii[done]))
                raise InputError(self._too_full(box, reached, done.size, float(np.mean(refused))))
            places = wrap(box.draw(rng, radii[block], tries), space.periodic)
            allowed = space.fits(
                places.reshape(-1, 3), np.repeat(radii[block], tries)
            ).reshape(block.size, tries)
            chosen = grid.add_in_turn(places, allowed, radii[block], in_order=False)
            placed = np.flatnonzero(chosen >= 0)
            points[block[placed]] = places[placed, chosen[placed]]
            tried = int(np.where(chosen >= 0, chosen + 1, tries).sum())
            left -= tried
            lately.append((tried, len(placed)))
            refused.append(1.0 - float(allowed.mean()))
            pending = np.concatenate([block[chosen < 0], pending[BLOCK:]])
        return Placed(points, radii, self._velocities(space.dimension, rng))

    def _velocities(self, dimension: int, rng: np.random.Generator) -> FloatArray:
        """Return velocities of one speed in all directions alike, (count,3) [m/s].

        Normal numbers point in every direction alike. Grains at rest draw none.
        """
        ways = np.zeros((self.count, 3))
        if self.speed == 0.0:
            return ways
        ways[:, :dimension] = rng.normal(size=(self.count, dimension))
        return np.asarray(self.speed * ways / np.linalg.norm(ways, axis=1)[:, None])

    def _refuse_impossible(self, box: Region, radii: FloatArray) -> None:
        """Refuse more than fits in any order, before a single place is tried.

        Boxes fill space, so what fits into one is never denser than the densest packing of all.
        Of unlike sizes, nothing better is known for sure than that they take less than all.
        """
        alike = self.sizes.smallest == self.sizes.largest
        densest = DENSEST[box.dimension] if alike else 1.0
        if box.share(radii) > densest:
            kind = "area" if box.dimension == 2 else "volume"
            message = (
                f"Random count = {self.count} grains of {self.size_text} cannot fit: they "
                f"would take {100.0 * box.share(radii):.3g} % of the {kind} of the region, and no "
                f"packing{' of equal grains' if alike else ''} takes more than "
                f"{100.0 * densest:.3g} %. Lower count or radius, or enlarge the region (low, high)"
            )
            raise InputError(message)

    @staticmethod
    def _stalls(lately: list[tuple[int, int]], left: int, pending: FloatArray) -> bool:
        """Tell whether free places have become so rare that the attempts left cannot be enough.

        Room only gets less for grains of one size. The smaller ones that come later may find
        more, so the word of a round counts for grains of the size of its block.
        """
        if len(lately) < LATELY:
            return False
        tried, taken = np.sum(lately, axis=0)
        lately.clear()
        wanted = int((pending >= ALIKE * pending[:BLOCK].min()).sum())
        return bool(HOPE * left * (taken + 1) < wanted * tried)

    def _too_full(self, box: Region, reached: Space, placed: int, refused: float) -> str:
        kind, limit, lattice = (
            ("an area", 55, 91) if box.dimension == 2 else ("a volume", 38, 74)
        )
        return (
            f"Random count = {self.count} grains of {self.size_text} do not fit at random "
            f"places: {placed} were placed, and the region is filled to {kind} fraction of "
            f"{100.0 * box.fraction(reached):.1f} % (with the grains placed before); walls refused "
            f"{100.0 * refused:.0f} % of the places tried. Random places run out near {limit} %, "
            f"earlier if much of the region is close to walls. Lower count or radius, enlarge the "
            f"region (low, high), raise attempts (now {self.attempts}), or use Sediment or "
            f"Grow, which pack densely, or Lattice, which reaches {lattice} %"
        )

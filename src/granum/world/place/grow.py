"""Dense random packings: small grains that grow while they push each other apart."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from granum import checks
from granum.errors import InputError
from granum.quantity import Length, Number, Point
from granum.shapes import AnySwept, Clump
from granum.sizes import AnySizes
from granum.world.place.fields import Sized, name_of, settle, settle_box
from granum.world.place.growth import Packing
from granum.world.place.random import DENSEST, MOST
from granum.world.place.region import Region, drawn_within, region
from granum.world.place.space import Placed, Space, wrap

LOOSE = {2: 0.3, 3: 0.2}  # here grains are soon pushed apart, wherever they are
NEAR = {2: 0.75, 3: 0.55}  # from here on grains grow by small steps
STRIDE, STROLL = 0.02, 0.003  # growth of the density between two rounds of pushing
GAP = 2e-4  # grains grow by so much more than asked, and what overlap is left is within that
CALM = 1e-3  # overlap up to which a round pushes, in radii
PROBES = 2**17  # places that tell how much of a region is within the walls


@dataclass(frozen=True)
class Grow(Sized):
    """A dense packing in random order, filled to a given density.

    Grains are put at random places while they are small. They grow by small steps; after each,
    those that overlap are pushed apart, until they are as large as asked and overlap no more.
    With equal spheres this reaches about 63 % of the volume in a periodic cell, with discs of two
    sizes 83 % of the area; beside walls less, with sizes more unlike more. Nothing holds such a
    packing together: without a wall or a pressure it is about to flow.

    Args:
        radius: mean radius at the end [m], or a distribution of radii.
        density: share of the volume (in 2D of the area) within the region and its walls that
            grains take, grains that were placed there before included. As many grains are made as
            come nearest to it.
        low: lower corner of the region [m]; default: the container's bounding box.
        high: upper corner [m]. The region holds whole grains.
        spread: radii are uniform within ``radius`` (1 ± ``spread``).
        overlap: largest overlap that may be left, as a share of the smaller radius. A simulation
            refuses to start with more than a millionth unless told otherwise.
        attempts: how many rounds of pushing grains apart may be made in all.
        clump: what the grains are, if not spheres; turned at random, and so large that the sphere
            about its centre of mass that holds it has the ``radius``. These spheres do not overlap.
        shape: the same for a skeleton swept by a ball, in place of a clump.
    """

    radius: Length | AnySizes
    density: Number
    low: Point | None = None
    high: Point | None = None
    spread: Number = 0.0
    overlap: Number = 1e-6
    attempts: int = 200_000
    clump: Clump | None = None
    shape: AnySwept | None = None

    def __post_init__(self) -> None:
        """Check every field."""
        self.settle_size()
        settle_box(self)
        settle(
            self,
            density=checks.number(name_of(self, "density"), self.density, above=0.0, below=1.0),
            overlap=checks.number(name_of(self, "overlap"), self.overlap, at_least=0.0, below=0.1),
            attempts=checks.whole(name_of(self, "attempts"), self.attempts, at_least=1),
        )

    def place(self, space: Space, rng: np.random.Generator) -> Placed:
        """Return the grains.

        Raises:
            InputError: the density cannot be reached.
        """
        box = region("Grow", space, self.low, self.high)
        box.centres(self.sizes.largest)
        room = box.measure() * _share_within(box, space, rng)
        before = box.fraction(space) * box.measure()
        if not self.density * room > before:
            message = (f"Grow density = {self.density:g} must be more than the "
                       f"{before / max(room, before):.4g} that the grains placed before take")
            raise InputError(message)
        unit = np.pi if space.dimension == 2 else 4.0 / 3.0 * np.pi
        self._refuse_impossible((self.density * room - before) / unit, space.dimension)
        radii = self.sizes.filling((self.density * room - before) / unit, space.dimension, rng)
        small = min(1.0, (LOOSE[space.dimension] / self.density) ** (1.0 / space.dimension))
        start = drawn_within(box, space, small * radii, rng)
        packing = Packing(start, radii, space, box.faces())
        reached = self._grow(packing, small, space.dimension)
        if reached < 1.0:
            dense = (before + reached**space.dimension * (self.density * room - before)) / room
            message = (
                f"Grow density = {self.density:g} cannot be reached with grains of "
                f"{self.size_text} in this region: they got stuck at {dense:.4f} (overlaps of "
                f"{self.overlap:g} of the smaller radius allowed, {packing.steps} rounds of "
                f"pushing). Lower density, enlarge a region that is narrow, or take unlike sizes"
            )
            raise InputError(message)
        return Placed(wrap(packing.grown, space.periodic), radii)

    def _refuse_impossible(self, total: float, dimension: int) -> None:
        """Refuse a density that no packing has, and more grains than were meant."""
        alike = self.sizes.smallest == self.sizes.largest
        if alike and self.density > DENSEST[dimension]:
            message = (f"Grow density = {self.density:g} cannot be reached: no packing of equal "
                       f"grains is denser than {DENSEST[dimension]:.4f}")
            raise InputError(message)
        if total / self.sizes.largest**dimension > MOST:
            message = (f"Grow: a density of {self.density:g} takes more than {MOST:g} grains of "
                       f"{self.size_text} in this region: check the units of radius, low and high")
            raise InputError(message)

    def _grow(self, packing: Packing, scale: float, dimension: int) -> float:
        """Let all radii grow from ``scale`` times to once what they shall be.

        Returns:
            The largest scale at which no overlap was larger than allowed: 1, if all went well.
        """
        density = self.density * scale**dimension
        packing.relax(scale, GAP, CALM, self.attempts)
        while scale < 1.0:
            density += STRIDE if density < NEAR[dimension] else STROLL
            scale = min(1.0, (density / self.density) ** (1.0 / dimension))
            if not packing.relax(scale, GAP, CALM, self.attempts):
                return packing.clear_scale()
        return 1.0 if packing.relax(1.0, GAP, self.overlap, self.attempts) else (
            packing.clear_scale())


def _share_within(box: Region, space: Space, rng: np.random.Generator) -> float:
    """Return how much of the region is within the walls, by probing."""
    if not space.barriers.kind.size:
        return 1.0
    points = box.draw(rng, np.zeros(PROBES), 1)[:, 0]
    return float(space.fits(wrap(points, space.periodic), np.zeros(PROBES)).mean())

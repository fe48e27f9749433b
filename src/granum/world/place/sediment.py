"""Dense heaps without dynamics: grains that are lowered one after another."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from granum.checks import FloatArray
from granum.errors import InputError
from granum.quantity import Length, Number, Point
from granum.shapes import AnySwept, Clump
from granum.sizes import AnySizes
from granum.world.place.fields import Sized, settle, settle_box, whole
from granum.world.place.grid import grid_of
from granum.world.place.region import Region, drawn_within, region
from granum.world.place.space import Placed, Space

MOST = 5_000_000  # grains
ROUNDS = 20  # how often grains that found no place are given another start


@dataclass(frozen=True)
class Sediment(Sized):
    """Grains at random places, each lowered as far as it goes.

    From the lowest to the highest, each grain falls from its random place, rolls over those below
    it and over walls without friction, always downhill, and stays where it rests: on three others,
    on walls, or on the floor. This gives a heap that is nearly as dense as one that has settled
    (58 % of the volume with equal spheres), touches without overlap, and is as well mixed as
    chance, with several sizes too, for grains are lowered in no order of size. Very small grains
    trickle through the gaps between large ones, as they do in nature.

    Nothing moves in time here: it takes seconds for 10 000 grains. Let the simulation settle the
    rest, for only a grain at a time has been minded, not the weight of those above.

    Args:
        radius: mean radius [m], or a distribution of radii.
        count: number of grains.
        low: lower corner of the region [m]; default: the container's bounding box. Its bottom
            holds grains as a floor does, its sides as walls do.
        high: upper corner [m]. The region holds whole grains, also while they come down, so leave
            room above the heap.
        spread: radii are uniform within ``radius`` (1 ± ``spread``).
        clump: what the grains are, if not spheres; turned at random, and so large that the sphere
            about its centre of mass that holds it has the ``radius``. These spheres do not overlap.
        shape: the same for a skeleton swept by a ball, in place of a clump.
    """

    radius: Length | AnySizes
    count: int
    low: Point | None = None
    high: Point | None = None
    spread: Number = 0.0
    clump: Clump | None = None
    shape: AnySwept | None = None

    def __post_init__(self) -> None:
        """Check every field."""
        self.settle_size()
        settle_box(self)
        settle(self, count=whole(self, "count"))

    def place(self, space: Space, rng: np.random.Generator) -> Placed:
        """Return ``count`` grains in the order in which they came to rest, from the bottom up.

        Raises:
            InputError: there is no room for all.
        """
        up = space.dimension - 1
        box = region("Sediment", space, self.low, self.high)
        box.centres(self.sizes.largest)
        if self.count > MOST:
            message = f"Sediment count = {float(self.count):.2g} is too many: at most {MOST:g}"
            raise InputError(message)
        self._refuse_upward_cell(space)
        pending = self.sizes.radii(self.count, space.dimension, rng)
        self._refuse_impossible(box, pending)
        grid = grid_of(space.points, space.radii, pending, space.periodic)
        corners = box.faces()
        points, radii = [np.zeros((0, 3))], [np.zeros(0)]
        for _ in range(ROUNDS):
            starts = drawn_within(box, space, pending, rng)
            order = np.argsort(starts[:, up], kind="stable")
            starts, pending = starts[order], pending[order]
            rests = grid.lower_in_turn(starts, pending, corners, space.barriers, up)
            points.append(starts[rests])
            radii.append(pending[rests])
            pending = pending[~rests]
            if not pending.size:
                return Placed(np.concatenate(points), np.concatenate(radii))
        reached = space.with_grains(Placed(np.concatenate(points), np.concatenate(radii)))
        message = (
            f"Sediment count = {self.count} grains of {self.size_text} do not fit: "
            f"{self.count - pending.size} came to rest, and the region from {box.low[up]:g} m to "
            f"{box.high[up]:g} m is filled to {100.0 * box.fraction(reached):.1f} % (with the "
            f"grains placed before). A heap takes about 58 % of the volume, less beside walls: "
            f"lower count or radius, or enlarge the region (low, high)"
        )
        raise InputError(message)

    @staticmethod
    def _refuse_upward_cell(space: Space) -> None:
        """Refuse a cell that is periodic along the vertical: nothing could ever rest in it."""
        if space.periodic[space.dimension - 1] is not None:
            axis = "xyz"[space.dimension - 1]
            message = (f"Sediment: the cell is periodic in {axis}, the direction in which grains "
                       f"are lowered, so there is no bottom: use Grow for such a cell")
            raise InputError(message)

    def _refuse_impossible(self, box: Region, radii: FloatArray) -> None:
        """Refuse more than the region could hold if there were no gaps between the grains."""
        if box.share(radii) > 1.0:
            kind = "area" if box.dimension == 2 else "volume"
            message = (
                f"Sediment count = {self.count} grains of {self.size_text} cannot fit: they would "
                f"take {100.0 * box.share(radii):.3g} % of the {kind} of the region. Lower count "
                f"or radius, or enlarge the region (low, high)"
            )
            raise InputError(message)

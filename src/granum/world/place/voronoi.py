"""A box full of Voronoi grains, each where its cell is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from scipy.spatial import ConvexHull

from granum import checks
from granum.checks import FloatArray
from granum.errors import InputError
from granum.quantity import Length, Point, Velocity
from granum.shapes import SpheroPolygon, SpheroPolyhedron
from granum.shapes.erosion import inner_radius
from granum.shapes.tessellation import centred, voronoi_cells
from granum.world.place.fields import name_of, positive, settle, settle_box, triple, whole
from granum.world.place.region import Region, region
from granum.world.place.space import Space, wrap

Cell = SpheroPolyhedron | SpheroPolygon
MOST = 20_000  # cells
MOST_RELAXATIONS = 100
TOUCHING = 1e-6  # of the ball's radius: what is less deep in a wall is rounding


class Cells(NamedTuple):
    """Grains of different shapes, turned as they are given."""

    shapes: list[Cell]  # n
    centres: FloatArray  # (n,3) centres of mass [m]


@dataclass(frozen=True)
class Voronoi:
    """A box that is full of Voronoi grains, no two alike, as a start for a rock or a rubble.

    Points are drawn at random in the region. The grain of each is what is nearer to it than to the
    others, with rounded edges, and stays where it is: neighbours touch face to face, and the
    grains fill the region but for what is missing at their edges. In a periodic direction that
    the region spans there is no border. Cells end in flat faces at the other sides of the region,
    so it must not be cut by walls.

    Faces that lie on each other touch at all their corners, some 40 times around a grain, which is
    as stiff as all these contacts together. The recommended time step is shorter by that.

    Args:
        count: number of grains.
        radius: of the ball that rounds their edges [m]; less than that of the largest ball inside
            the smallest cell.
        low: lower corner of the region [m]; default: the container's bounding box.
        high: upper corner [m].
        gap: by which neighbours are apart [m]; they touch unless given. Half of it is left at the
            sides of the region.
        relaxations: how often the points are moved to the centres of their cells, before grains
            are made of them (S. P. Lloyd, 1982); a few make the grains more alike and rounder, so
            that there is room for a larger ``radius``.
        velocity: of all [m/s].
    """

    count: int
    radius: Length
    low: Point | None = None
    high: Point | None = None
    gap: Length = 0.0
    relaxations: int = 0
    velocity: Velocity = (0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        """Check every field."""
        settle_box(self)
        settle(self, count=whole(self, "count"), radius=positive(self, "radius"),
               gap=checks.number(name_of(self, "gap"), self.gap, at_least=0.0),
               relaxations=checks.whole(name_of(self, "relaxations"), self.relaxations, at_least=0),
               velocity=triple(name_of(self, "velocity"), self.velocity))
        for name, most in (("count", MOST), ("relaxations", MOST_RELAXATIONS)):
            if getattr(self, name) > most:
                message = f"{name_of(self, name)} must be at most {most}, got {getattr(self, name)}"
                raise InputError(message)

    def divide(self, space: Space, rng: np.random.Generator) -> Cells:
        """Return the grains and where they are.

        Raises:
            InputError: a cell has no room for the ball, or a wall or a grain is in the way.
        """
        box = region("Voronoi", space, self.low, self.high)
        _refuse_flat(box)
        self._refuse_taken(box, space)
        free = space.dimension
        lengths, wraps = (box.high - box.low)[:free], box.wraps[:free]
        points = lengths * rng.random((self.count, free))
        for _ in range(self.relaxations):
            points = centred(points, lengths, wraps)
        around = zip(voronoi_cells(points, lengths, wraps), points, strict=True)
        shapes = self._rounded([cell - point for cell, point in around])
        centres = np.array([shape.centre for shape in shapes])
        centres[:, :free] += points + box.low[:free]
        cells = Cells(shapes, centres)
        self._refuse_walls(cells, space)
        return cells

    def _rounded(self, cells: Sequence[FloatArray]) -> list[Cell]:
        """Return the grains of cells with corners (c,3) or (c,2) [m], the gap taken off."""
        inwards = self.radius + 0.5 * self.gap
        try:
            if cells[0].shape[1] == 3:
                return [replace(SpheroPolyhedron.rounded(cell, inwards), radius=self.radius)
                        for cell in cells]
            return [replace(SpheroPolygon.rounded(cell[ConvexHull(cell).vertices], inwards),
                            radius=self.radius) for cell in cells]
        except InputError:
            room = min(map(inner_radius, cells))
            if inwards < 0.999 * room:
                raise
        beside = f" with half a gap of {self.gap:g} m" if self.gap else ""
        message = (
            f"Voronoi radius = {self.radius:g} m{beside} is too large: the smallest of the "
            f"{self.count} cells holds a ball of radius {room:.4g} m at most. Lower radius or "
            f"count, enlarge the region (low, high), or make the cells more alike by relaxations "
            f"(now {self.relaxations})"
        )
        raise InputError(message)

    def _refuse_taken(self, box: Region, space: Space) -> None:
        """Refuse a region in which the centres of earlier grains are; cells leave no place free."""
        offset = wrap(space.points - box.low, space.periodic)
        within = ((offset > 0.0) & (offset < box.high - box.low))[:, : box.dimension].all(axis=1)
        if within.any():
            k = int(np.flatnonzero(within)[0])
            message = (
                f"Voronoi: grain {space.names[k]} at {tuple(space.points[k].tolist())} m, which "
                f"was placed before, is within the region, which the cells fill ({within.sum()} "
                f"such grains or parts of grains): place Voronoi first, or give it a region of its "
                f"own (low, high)"
            )
            raise InputError(message)

    def _refuse_walls(self, cells: Cells, space: Space) -> None:
        """Refuse cells that a wall cuts, by the balls at their vertices."""
        bare = (1.0 - TOUCHING) * self.radius
        each = zip(cells.shapes, cells.centres, strict=True)
        cut = [k for k, (shape, centre) in enumerate(each)
               if not space.fits(wrap(_vertices(shape) - shape.centre + centre, space.periodic),
                                 np.full(len(_vertices(shape)), bare)).all()]
        if cut:
            message = (
                f"Voronoi: {len(cut)} of {self.count} cells do not fit inside the walls, the first "
                f"at {tuple(cells.centres[cut[0]].tolist())} m: cells fill the whole box from low "
                f"to high, so give corners between which there is no wall"
            )
            raise InputError(message)


def _vertices(shape: Cell) -> FloatArray:
    """Return the centres of the balls at the corners, (v,3) [m], in the frame of the shape."""
    return shape.skeleton().points


def _refuse_flat(box: Region) -> None:
    """Refuse a region without an extent."""
    for axis in range(box.dimension):
        if box.high[axis] <= box.low[axis]:
            message = (
                f"Voronoi: the region has no extent in {'xyz'[axis]}, from {box.low[axis]:g} m to "
                f"{box.high[axis]:g} m: enlarge it (low, high)"
            )
            raise InputError(message)

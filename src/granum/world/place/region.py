"""The box in which grains are placed, worked out from the descriptor and the container."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from granum.checks import FloatArray
from granum.errors import InputError
from granum.world.place.space import ROUNDING, Space, wrap

DRAWS = 200  # places drawn for each grain until one is within the walls


@dataclass(frozen=True, eq=False)
class Region:
    """A box that holds whole grains.

    Args:
        low: lower corner, shape (3,) [m].
        high: upper corner, shape (3,) [m].
        wraps: directions in which the box spans the whole periodic cell; there grains may lie
            across its ends, and only there.
        dimension: 2 or 3; in 2D the box has no extent in z.
        owner: what it is for, as messages call it.
    """

    low: FloatArray
    high: FloatArray
    wraps: tuple[bool, bool, bool]
    dimension: int
    owner: str

    def measure(self) -> float:
        """Return the volume [m3], in 2D the area [m2]."""
        return math.prod((self.high - self.low)[: self.dimension].tolist())

    def centres(self, radius: float) -> tuple[FloatArray, FloatArray]:
        """Return the lowest and the highest centre of a grain, each of shape (3,) [m].

        Raises:
            InputError: the box is too thin for a grain of this ``radius`` [m].
        """
        first, last = self.low.copy(), self.high.copy()
        for axis in range(self.dimension):
            extent = self.high[axis] - self.low[axis]
            if extent < 2.0 * radius - ROUNDING * np.abs([self.low[axis], self.high[axis]]).max():
                message = (
                    f"{self.owner}: the region is {extent:g} m long in {'xyz'[axis]}, too thin "
                    f"for grains of radius up to {radius:g} m, which need {2.0 * radius:g} m: "
                    f"enlarge it (low, high) or make the grains smaller"
                )
                raise InputError(message)
            if not self.wraps[axis]:
                first[axis] += radius
                last[axis] = max(last[axis] - radius, first[axis])
        return first, last

    def faces(self) -> FloatArray:
        """Return the corners, shape (2, 3) [m], infinite in directions that have no faces."""
        corners = np.stack([self.low, self.high])
        for axis in range(3):
            if self.wraps[axis] or axis >= self.dimension:
                corners[:, axis] = -np.inf, np.inf
        return corners

    def draw(self, rng: np.random.Generator, radii: FloatArray, tries: int) -> FloatArray:
        """Draw ``tries`` places for each of the ``radii (n,)``, uniform in the box.

        Returns:
            Centres, shape (n, tries, 3) [m], not yet moved into the periodic cell.
        """
        margin = np.outer(radii, [not wrapping for wrapping in self.wraps])
        margin[:, self.dimension :] = 0.0
        low = (self.low + margin)[:, None, :]
        extent = np.maximum((self.high - self.low) - 2.0 * margin, 0.0)[:, None, :]
        return np.asarray(low + rng.random((len(radii), tries, 3)) * extent)

    def fraction(self, space: Space) -> float:
        """Return the share of the box that the space's grains with their centre in it fill."""
        offset = wrap(space.points - self.low, space.periodic)
        inside = ((offset >= 0.0) & (offset <= self.high - self.low))[:, : self.dimension]
        return self.share(space.radii[inside.all(axis=1)])

    def share(self, radii: FloatArray) -> float:
        """Return the share of the box that grains of these ``radii (n,)`` [m] would fill."""
        filled = np.pi * radii**2 if self.dimension == 2 else 4.0 / 3.0 * np.pi * radii**3
        return float(filled.sum()) / self.measure()


def drawn_within(box: Region, space: Space, radii: FloatArray, rng: np.random.Generator
                 ) -> FloatArray:
    """Draw a place in the box for each of the ``radii (n,)`` [m] where no wall cuts it.

    Returns:
        Centres, shape (n, 3) [m], within the periodic cell; other grains are ignored.

    Raises:
        InputError: no place is found for some.
    """
    places = np.zeros((len(radii), 3))
    left = np.arange(len(radii))
    for _ in range(DRAWS):
        tried = wrap(box.draw(rng, radii[left], 1)[:, 0], space.periodic)
        allowed = space.fits(tried, radii[left])
        places[left[allowed]] = tried[allowed]
        left = left[~allowed]
        if not left.size:
            return places
    message = (
        f"{box.owner}: no grain of radius {radii[left].max():g} m fits between low = "
        f"{tuple(box.low.tolist())} and high = {tuple(box.high.tolist())} m without cutting a "
        f"wall: move the region inside the container, or make the grains smaller"
    )
    raise InputError(message)


def region(
    owner: str,
    space: Space,
    low: tuple[float, float, float] | None,
    high: tuple[float, float, float] | None,
    *,
    top: float | None = None,
) -> Region:
    """Return the box between ``low`` and ``high`` [m]; where they are None, the container's box.

    Args:
        owner: the descriptor's name, for messages.
        space: the container.
        low: lower corner of the descriptor, or None.
        high: upper corner of the descriptor, or None.
        top: extent upwards [m] that stands in where the container is open at the top.

    Raises:
        InputError: the container is open on a side that the descriptor leaves out.
    """
    corners = np.zeros((2, 3))
    wraps = [False, False, False]
    up = space.dimension - 1
    for axis in range(space.dimension):
        length = space.periodic[axis]
        begin = None if length is None else 0.0
        first = _side(space.low[axis], None if low is None else low[axis], begin)
        last = _side(space.high[axis], None if high is None else high[axis], length)
        if last == np.inf and axis == up and top is not None:
            last = first + top
        _check_side(f"{owner} low", "lower", first, axis)
        _check_side(f"{owner} high", "upper", last, axis)
        if length is not None and last - first >= length * (1.0 - ROUNDING):
            last = first + length
            wraps[axis] = True
        corners[:, axis] = first, last
    return Region(corners[0], corners[1], (wraps[0], wraps[1], wraps[2]), space.dimension, owner)


def _side(container: float, given: float | None, cell: float | None) -> float:
    """Return what is given, else the container's side, else the end of the periodic cell [m]."""
    if given is not None:
        return given
    if cell is not None and not math.isfinite(container):
        return cell
    return float(container)


def _check_side(name: str, side: str, value: float, axis: int) -> None:
    """Refuse an open side, naming the corner to give."""
    if not math.isfinite(value):
        message = (
            f"{name} must be given: the container is open on its {side} side in "
            f"{'xyz'[axis]}, so there is no telling how far grains may be placed"
        )
        raise InputError(message)

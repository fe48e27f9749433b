"""What is known of the place before grains are put there, and what comes back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from granum import checks
from granum.checks import FloatArray, IntArray
from granum.errors import InputError
from granum.world.place.barriers import Barriers, no_barriers

Fits = Callable[[FloatArray, FloatArray], NDArray[np.bool_]]
Periodic = tuple[float | None, float | None, float | None]

OPEN: Periodic = (None, None, None)
# Coordinates carry rounding of about one part in 2^52; touching grains may differ by a few of them.
ROUNDING = 32.0 * float(np.finfo(np.float64).eps)


def everywhere(points: FloatArray, radii: FloatArray) -> NDArray[np.bool_]:
    """Allow every grain: the answer of a container without walls."""
    return np.ones(len(radii), dtype=np.bool_)


@dataclass(frozen=True, eq=False)
class Placed:
    """New grains.

    Args:
        points: centres, shape (n, 3) [m]; inside the cell [0, L) in periodic directions.
        radii: shape (n,) [m].
        velocities: shape (n, 3) [m/s]; at rest unless given.
        orientations: unit quaternions, shape (n, 4), if the placing says how grains are turned.
    """

    points: FloatArray
    radii: FloatArray
    velocities: FloatArray = field(default_factory=lambda: np.zeros((0, 3)))
    orientations: FloatArray | None = None

    def __post_init__(self) -> None:
        """Let the grains rest when no velocities are given."""
        if len(self.velocities) != len(self.points):
            object.__setattr__(self, "velocities", np.zeros((len(self.points), 3)))

    def __len__(self) -> int:
        """Return the number of grains."""
        return len(self.radii)


@dataclass(frozen=True, eq=False)
class Space:
    """The container and what is in it.

    Args:
        dimension: 3, or 2 for a world of discs in the plane z = 0.
        low: lower corner of the container's bounding box, shape (3,) [m]; -inf where it is open.
        high: upper corner, shape (3,) [m]; inf where it is open.
        fits: tells for ``points (n, 3)`` and ``radii (n,)`` which grains the walls allow.
        points: centres of the grains already there, shape (m, 3) [m].
        radii: their radii, shape (m,) [m].
        periodic: length of the cell [0, L) in each direction [m]; None where not periodic.
        names: ids of the grains already there, shape (m,), for messages; a clump is there ball by
            ball. Counted from 0 unless given.
        barriers: the walls as kernels see them, for ways of placing that move grains about.
    """

    dimension: int = 3
    low: FloatArray = field(default_factory=lambda: np.full(3, -np.inf))
    high: FloatArray = field(default_factory=lambda: np.full(3, np.inf))
    fits: Fits = everywhere
    points: FloatArray = field(default_factory=lambda: np.zeros((0, 3)))
    radii: FloatArray = field(default_factory=lambda: np.zeros(0))
    periodic: Periodic = OPEN
    names: IntArray = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    barriers: Barriers = field(default_factory=no_barriers)

    def __post_init__(self) -> None:
        """Check shapes, and keep corners and grains as float64 arrays."""
        if self.dimension not in (2, 3):
            message = f"dimension must be 2 or 3, got {self.dimension!r}"
            raise InputError(message)
        for name in ("low", "high"):
            corner = np.array(getattr(self, name), dtype=np.float64)
            if corner.shape != (3,) or np.isnan(corner).any():
                message = f"{name} must be three coordinates, got {corner.tolist()}"
                raise InputError(message)
            object.__setattr__(self, name, corner)
        object.__setattr__(self, "points", checks.array("points", self.points, (None, 3)))
        object.__setattr__(self, "radii", checks.array("radii", self.radii, (len(self.points),)))
        check_periodic(self.periodic)
        if len(self.names) != len(self.points):
            object.__setattr__(self, "names", np.arange(len(self.points)))

    def with_grains(self, placed: Placed) -> Space:
        """Return the same space with the new grains after those already there."""
        return replace(
            self,
            points=np.concatenate([self.points, placed.points]),
            radii=np.concatenate([self.radii, placed.radii]),
        )


def check_periodic(periodic: Periodic) -> None:
    """Refuse anything but three cell lengths [m], each positive or None."""
    if len(periodic) != 3:
        message = f"periodic must have three entries (a length or None), got {periodic!r}"
        raise InputError(message)
    for axis, length in zip("xyz", periodic, strict=True):
        if length is not None:
            checks.positive(f"periodic length in {axis}", length)


def wrap(points: FloatArray, periodic: Periodic) -> FloatArray:
    """Return ``points (..., 3)`` [m] moved into the cell [0, L) in periodic directions."""
    wrapped = points.copy()
    for axis, length in enumerate(periodic):
        if length is not None:
            moved = np.mod(wrapped[..., axis], length)
            wrapped[..., axis] = np.where(moved < length, moved, 0.0)  # mod(-1e-20, L) rounds to L
    return wrapped


def slack(points: FloatArray, radii: FloatArray, periodic: Periodic) -> float:
    """Return the distance [m] below which a gap or an overlap is only rounding of coordinates."""
    lengths = [length for length in periodic if length is not None]
    largest = max(
        float(np.abs(points).max(initial=0.0)), float(radii.max(initial=0.0)), *lengths, 0.0
    )
    return ROUNDING * largest

"""What every wall can tell about itself."""

from __future__ import annotations

from typing import Any, Literal, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from granum.checks import FloatArray
from granum.walls.piece import Piece

BoolArray = NDArray[np.bool_]
Bounds = tuple[FloatArray, FloatArray]
Side = Literal["inside", "outside", "both"]


@runtime_checkable
class Wall(Protocol):
    """A wall as described; whatever has these five methods is one.

    How a wall moves is told apart (`granum.walls.moving`): a motion is applied around the kernels,
    and never changes what these methods say.
    """

    def pieces(self) -> list[Piece]:
        """Return the primitive pieces the kernels meet, no shared edge counted twice."""
        ...

    def contains(self, points: Any) -> BoolArray:
        """Tell for each of ``points`` [m], (n, 3), whether a grain's centre may be there.

        False is the wrong side of a one-sided wall; True also where the wall has no opinion.
        """
        ...

    def bounds(self) -> Bounds:
        """Return the low and high corner [m], (3,) each, infinite where the wall has no end.

        A one-sided infinite plane and a box give the space they hold, every other wall the box
        around its own surface.
        """
        ...

    def outline(self) -> list[FloatArray]:
        """Return polylines [m], (m, 3) each, that draw the wall; none for an infinite wall."""
        ...

    def describe(self) -> str:
        """Return one line for a person, sizes in metres."""
        ...

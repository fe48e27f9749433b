"""Broad phase: who may touch before the next update.

In: packed positions and radii, and how far each grain may go. Out: ``Candidates``, rows of pairs
with a gap below both margins, in an order that depends on the grains alone. So the methods are
interchangeable to the last bit. A new one is one module with a class like ``Cells``.
"""

from __future__ import annotations

from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from granum.neighbours.candidates import Candidates, block_bounds
from granum.neighbours.cells import Cells

Method = Literal["auto", "cells", "triangulation"]
METHODS: tuple[Method, ...] = ("auto", "cells", "triangulation")


class Finder(Protocol):
    """A search for candidates; it may remember what makes the next one cheaper."""

    thickest: float  # longest margin, in smallest radii
    proven: bool  # whether pairs could be missed beyond it

    @property
    def counts(self) -> dict[str, int]:
        """What has been done so far."""

    def find(
        self, X: NDArray[np.float64], margin: NDArray[np.float64], ids: NDArray[np.int64],
        body: NDArray[np.int64] | None = None,
    ) -> Candidates:
        """Find all pairs with a gap below the sum of their margins.

        ``body`` tells for rows that are balls of bodies which body they belong to, (n,); the balls
        of one body are no pairs.
        """


def chosen(method: Method) -> Literal["cells", "triangulation"]:
    """Return the method to use.

    Measured with ``granum bench triangulation``, an update by triangulation is faster as long as
    grains move little or together, two thirds of the time in packings nearly at rest, but slower in
    flows, up to seven times. Lists last long where grains move little, so what counts are flows:
    whole runs are as fast with either at rest, and faster with cells where grains flow.
    """
    return "cells" if method == "auto" else method


def make_finder(
    method: Literal["cells", "triangulation"], period: NDArray[np.float64], dimension: int
) -> Finder:
    """Return a new search for a world with these periods [m], 0 where there is none."""
    if method == "cells":
        return Cells(period)
    # Here, because the triangulation's many kernels take a quarter of a second to load.
    from granum.neighbours.triangulated import Triangulated

    return Triangulated(period, dimension)


__all__ = [
    "METHODS", "Candidates", "Cells", "Finder", "Method", "block_bounds", "chosen",
    "make_finder",
]

"""A multilevel grid of grains: which places are free, which pairs overlap."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from granum.checks import FloatArray, IntArray
from granum.world.place import kernels
from granum.world.place.barriers import Barriers
from granum.world.place.descent import lower_in_turn
from granum.world.place.space import Periodic


class Grid:
    """Scratch memory around the kernels; exact for any mix of sizes, with periodic images."""

    def __init__(
        self, capacity: int, smallest: float, largest: float, periodic: Periodic
    ) -> None:
        """Make an empty grid.

        Args:
            capacity: how many grains it may hold.
            smallest: smallest radius it will hold [m].
            largest: largest radius it will hold [m].
            periodic: cell lengths [m], None where not periodic.
        """
        self._smallest = smallest
        self._n = 0
        self._grains = np.zeros((capacity, 4))
        self._slots = np.zeros((capacity, 6), dtype=np.int64)
        self._head = np.full(1 << (2 * capacity + 15).bit_length(), -1, dtype=np.int64)
        self._length = np.array([length or 0.0 for length in periodic])
        level_count = math.floor(math.log2(largest / smallest)) + 1
        # Four of the smallest radii: between one and two diameters of the grains of the level.
        width = 4.0 * smallest * 2.0 ** np.arange(level_count)
        self._levels = np.column_stack([width, width, width, np.zeros(level_count)])
        self._counts = np.zeros((level_count, 5), dtype=np.int64)
        self._counts[:, 4] = -1
        for axis, length in enumerate(self._length):
            if length > 0.0:
                cells = np.maximum(np.floor(length / width), 1.0)
                self._counts[:, axis] = cells
                self._levels[:, axis] = length / cells

    @property
    def _state(self) -> tuple[FloatArray, IntArray, IntArray, FloatArray, IntArray]:
        return self._grains, self._slots, self._head, self._levels, self._counts

    def add(self, points: FloatArray, radii: FloatArray) -> None:
        """Add grains at ``points (m, 3)`` with ``radii (m,)`` [m], overlapping or not."""
        kernels.insert_all(*self._state, self._smallest, self._n, points, radii)
        self._n += len(radii)

    def free(self, points: FloatArray, radii: FloatArray) -> NDArray[np.bool_]:
        """Tell which balls of ``radii (m,)`` at ``points (m, 3)`` [m] overlap no grain."""
        every_level = np.zeros(len(radii), dtype=np.int64)
        start, _ = self._overlaps(np.column_stack([points, radii]), every_level, every_level - 1, 1)
        return np.diff(start) == 0

    def add_in_turn(
        self, places: FloatArray, allowed: NDArray[np.bool_], radii: FloatArray, *, in_order: bool
    ) -> IntArray:
        """Add each grain at the first of its places that is allowed and free.

        Args:
            places: shape (m, tries, 3) [m].
            allowed: shape (m, tries).
            radii: shape (m,) [m].
            in_order: stop at the first grain that finds no place.

        Returns:
            The number of the place taken by each grain, shape (m,); -1 for none.
        """
        chosen = np.empty(len(radii), dtype=np.int64)
        kernels.insert_in_turn(*self._state, self._length, self._smallest, self._n,
                               places, allowed, radii, in_order, chosen)
        self._n += int((chosen >= 0).sum())
        return chosen

    def lower_in_turn(self, points: FloatArray, radii: FloatArray, box: FloatArray,
                      barriers: Barriers, up: int) -> NDArray[np.bool_]:
        """Lower each grain as far as it goes and add it there.

        Args:
            points: where they start, shape (m, 3) [m]; becomes where they rest.
            radii: shape (m,) [m].
            box: corners of the region, (2, 3) [m], infinite where it has no face.
            barriers: the walls.
            up: the vertical axis.

        Returns:
            Which of them found a place, shape (m,).
        """
        rests = np.zeros(len(radii), dtype=np.bool_)
        self._n = lower_in_turn(*self._state, self._length, self._smallest, self._n, box,
                                *barriers, up, points, radii, rests)
        return rests

    def pairs(self) -> tuple[IntArray, IntArray]:
        """Return all overlapping pairs as two arrays of rows, each pair once, i < j."""
        rows = np.arange(self._n)
        own_level = self._slots[: self._n, 3].copy()
        start, partners = self._overlaps(self._grains[: self._n], own_level, rows, self._n)
        owners = np.repeat(rows, np.diff(start))
        return np.minimum(owners, partners), np.maximum(owners, partners)

    def _overlaps(
        self, balls: FloatArray, lowest: IntArray, after: IntArray, limit: int
    ) -> tuple[IntArray, IntArray]:
        """Return the grains that overlap each ball, row after row, and where the rows begin."""
        start = np.zeros(len(balls) + 1, dtype=np.int64)
        query = (*self._state, self._length, balls, lowest, after, limit, start)
        kernels.list_overlaps(*query, np.zeros(0, dtype=np.int64))
        partners = np.zeros(int(start[-1]), dtype=np.int64)
        if partners.size:
            kernels.list_overlaps(*query, partners)
        return start, partners


def grid_of(
    points: FloatArray, radii: FloatArray, new_radii: FloatArray, periodic: Periodic
) -> Grid:
    """Return a grid with the grains at ``points`` in it and room for those of ``new_radii``."""
    everyone = np.concatenate([radii, new_radii])
    grid = Grid(len(everyone), float(everyone.min()), float(everyone.max()), periodic)
    grid.add(points, radii)
    return grid

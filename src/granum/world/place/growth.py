"""A packing whose grains grow: lists of who may touch, around the kernels of `relax`."""

from __future__ import annotations

import numpy as np

from granum.checks import FloatArray, IntArray
from granum.world.place.grid import grid_of
from granum.world.place.overlap import distances
from granum.world.place.relax import BEGIN, CLEAR, MIX, MOVED, list_barriers, relax
from granum.world.place.space import Space, wrap

SKIN = 0.15  # of its radius, a grain may go before the lists are made anew


class Packing:
    """Grains on their way to their full size, with those that stay where they are.

    Args:
        points: centres of the grains that grow, (n, 3) [m].
        radii: how large they shall be, (n,) [m].
        space: the container, and grains that neither grow nor move.
        box: corners of the region, (2, 3) [m], infinite where it has no face.
    """

    def __init__(self, points: FloatArray, radii: FloatArray, space: Space, box: FloatArray
                 ) -> None:
        self.count = len(radii)
        self.steps = 0
        self._space = space
        self._box = box
        self._full = radii
        self._points = np.concatenate([points, space.points])
        self._radii = np.zeros(len(self._points))
        ease = (float(radii.min()) / radii) ** 2
        self._ease = np.concatenate([ease, np.zeros(len(space.radii))])
        self._length = np.array([length or 0.0 for length in space.periodic])

    @property
    def grown(self) -> FloatArray:
        """Centres of the grains that grow, (n, 3) [m]."""
        return self._points[: self.count]

    def relax(self, scale: float, gap: float, overlap: float, most: int) -> bool:
        """Push grains apart until, at ``scale`` times their size, overlaps are small enough.

        Args:
            scale: size of the grains, of what they shall be.
            gap: they are pushed as if they were larger by this share.
            overlap: largest overlap that may be left, as a share of the smaller radius.
            most: steps that may be made, all calls together.

        Returns:
            Whether it is so.
        """
        self._radii = (1.0 + gap) * np.concatenate([scale * self._full, self._space.radii])
        speed = np.zeros_like(self._points)
        state = np.array([BEGIN, MIX, 0.0])
        while True:
            pairs, at_wall = self._lists()
            how, steps, _ = relax(
                self._points, self._radii, self._ease, 1.0 / (1.0 + gap), overlap, SKIN, pairs,
                at_wall, self._length, self._box, *self._space.barriers, speed, state,
                max(most - self.steps, 0))
            self.steps += steps
            self._points = wrap(self._points, self._space.periodic)
            if how != MOVED:
                return bool(how == CLEAR)

    def clear_scale(self) -> float:
        """Return at which size, of what they shall be, no two grains would overlap as they are."""
        pairs, _ = self._lists()
        i, j = pairs[:, 0], pairs[:, 1]
        apart = distances(self._points[i], self._points[j], self._space.periodic)
        wanted = np.concatenate([self._full, self._space.radii])
        grows = (i < self.count).astype(float), (j < self.count).astype(float)
        growing = grows[0] * wanted[i] + grows[1] * wanted[j]
        fixed = wanted[i] + wanted[j] - growing
        return float(((apart - fixed) / growing).min(initial=1.0))

    def _lists(self) -> tuple[IntArray, IntArray]:
        """Return pairs of grains, and grains with barriers, that may touch soon."""
        wide = (1.0 + 2.0 * SKIN) * self._radii
        i, j = grid_of(self._points, wide, wide[:0], self._space.periodic).pairs()
        alive = (i < self.count) | (j < self.count)
        pairs = np.column_stack([i[alive], j[alive]])
        order = np.lexsort((pairs[:, 1], pairs[:, 0]))
        query = (self.grown, self._radii[: self.count], 2.0 * SKIN, self._box,
                 *self._space.barriers)
        found = list_barriers(*query, np.zeros((0, 2), dtype=np.int64))
        at_wall = np.zeros((found, 2), dtype=np.int64)
        list_barriers(*query, at_wall)
        return np.ascontiguousarray(pairs[order]), at_wall

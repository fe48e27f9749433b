"""Pairs of grains of any shape, by the triangulation of the spheres that cover them.

Each grain is covered with spheres (`granum.shapes.covers`) that hold all that is within the skin s
of it. The pairs that are found are those whose covers meet, and so all with a gap below 2 s: by
Pournin's theorem 5 there is an edge between two such grains, and it joins two spheres that meet.
So the pairs are the same however the triangulation came to be.

The theorem supposes D_ij = |x_i - x_j|² - R_i² - R_j² > 0 for spheres of different grains, which
the covers guarantee up to an overlap ξ. Where grains overlap more deeply, pairs are found, too:

- Let the covers of grains I and J meet, and let (i, j) be their spheres of least D among those that
  meet. If ij is no edge, there is a sphere k of a third grain whose power is less at the point of
  the segment ij where those of i and j are equal, and then the mean of D_ik and D_jk, weighted by
  where that point lies, is less than D_ij and less than 0. So I or J is in a pair with D < 0.
- Pairs with D < 0 that are no edges have, in the same way, one with a lesser D beside them; the
  last of such a chain is an edge. (If a centre lies outside of its own cell, the edge across the
  wall that parts it from there has D < 0, and does not lead to its own grain by the overlapping
  condition; or else the vertex is hidden.)
- So it is enough to start at grains with hidden vertices or with edges to others with D <= 0, to
  compare these with all others, to go on with the partners whose D <= 0, and so forth.

Images beyond the faces of a periodic cell are spheres like others; of one grain, each sphere is put
into the cell by itself.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from granum.compile import kernel
from granum.neighbours.candidates import Candidates, Found, assemble, block_bounds
from granum.neighbours.chains import chained_pairs
from granum.neighbours.following import Following
from granum.neighbours.near import ROUNDING
from granum.shapes import RigidShape
from granum.shapes.cover_kinds import ROUND, UNKNOWN, Kinds
from granum.shapes.covers import SKIN
from granum.shapes.turning import turned

MOST = 1 << 16  # spheres of a grain: a sphere's number is that of its grain times this, and its own

Float = NDArray[np.float64]
Int = NDArray[np.int64]


class Covered:
    """The search for near pairs of grains of any shape.

    Args:
        shapes: of the world; the list may grow.
        period: (3,) period of the world, 0 where there is none [m].
        dimension: 2 for grains in the plane z = 0.
    """

    thickest = 0.999 * SKIN  # longest margin, in radii of the ball that sweeps the thinnest grain
    proven = True  # beyond it, pairs could be missed

    def __init__(self, shapes: Sequence[RigidShape], period: Float, dimension: int) -> None:
        self._shapes = shapes
        self._period = period
        self._dimension = dimension
        self._kinds: Kinds | None = None
        self._following = Following(period, dimension)
        self._deep = 0

    @property
    def skin(self) -> float:
        """No pair with a gap below twice this is missed [m]; known once there was a search."""
        return 0.0 if self._kinds is None else self._kinds.skin

    @property
    def overlap(self) -> float:
        """Up to this overlap of any two grains, edges alone are enough [m]."""
        return 0.0 if self._kinds is None else self._kinds.overlap

    @property
    def counts(self) -> dict[str, int]:
        """What has happened to the triangulation, and pairs that only the search of all found."""
        return self._following.counts | {"deep_pairs": self._deep}

    def find_bodies(self, X: Float, margin: Float, ids: Int, orientation: Float, shape: Int
                    ) -> Candidates:
        """Find all pairs of bodies with a gap below the sum of their margins.

        Args:
            X: (n,4) position, and radius of the sphere about each body, in storage order [m].
            margin: (n,) how far each may go before the next update, at most the skin [m].
            ids: as are the rest: see `find`.
            orientation: the next.
            shape: the last.
        """
        pairs = self.find(X[:, :3], orientation, shape, X[:, 3], ids)
        return assemble(X, margin, self._period, _rows_of(pairs, X[:, 3]))

    def find(self, position: Float, orientation: Float, shape: Int, radius: Float, ids: Int) -> Int:
        """Return all pairs of grains whose covers meet, each once.

        Args:
            position: (n,3) of the grains [m].
            orientation: (n,4) unit quaternions, body to lab.
            shape: (n,) which of the shapes each is; -1 for spheres and discs.
            radius: (n,) of the sphere about each grain [m].
            ids: (n,) which grains they are, as long as they live.

        Returns:
            (m,2) rows of the grains, the lower first, in order.
        """
        if len(ids) < 2:
            return np.zeros((0, 2), dtype=np.int64)
        X, body, names = self._spheres(position, orientation, shape, radius, ids)
        self._following.follow(X, np.arange(len(X)), names, 0.0)
        mesh, row = self._following.mesh, self._following.row
        ends, owner, spheres = mesh.edges, body[row], X[row]
        spheres[:, : self._dimension] = mesh.points
        broken = np.zeros(len(ids), dtype=np.bool_)
        broken[owner[mesh.hidden]] = True
        meets = np.zeros(len(ends), dtype=np.bool_)
        _compare(spheres, owner, ends, meets, broken)
        pairs = owner[ends[meets]]
        if broken.any():
            first = np.searchsorted(body, np.arange(len(ids) + 1))
            more = chained_pairs(X, body, first, self._period, broken)
            known = len(_in_order(pairs, len(ids)))
            pairs = np.concatenate((pairs, more))
            self._deep += len(_in_order(pairs, len(ids))) - known
        return _in_order(pairs, len(ids))

    def _spheres(self, position: Float, orientation: Float, shape: Int, radius: Float, ids: Int
                 ) -> tuple[Float, Int, Int]:
        """Return the covering spheres (k,4) in the cell, the grain of each, and their numbers."""
        kinds = self._kinds
        if kinds is None or (kinds.of(shape, radius) == UNKNOWN).any():
            kinds = self._kinds = Kinds(self._shapes, shape, radius, self._dimension)
        kind, scale = kinds.of(shape, radius), kinds.scales(shape, radius)
        covers = [one.cover for one in kinds.kinds]
        tables = np.concatenate([*(np.column_stack((c.points, c.radii)) for c in covers),
                                 [[0.0, 0.0, 0.0, 1.0]]])
        sizes = np.array([*(len(c) for c in covers), 1], dtype=np.int64)
        first = np.cumsum(sizes) - sizes
        body = np.repeat(np.arange(len(ids)), sizes[kind])
        which = np.arange(len(body)) - np.repeat(np.cumsum(sizes[kind]) - sizes[kind], sizes[kind])
        X = tables[first[kind[body]] + which] * scale[body, None]
        X[:, :3] = position[body] + turned(orientation[body], X[:, :3])
        X[kind[body] == ROUND, 3] += kinds.skin
        cell = np.where(self._period > 0.0, self._period, 1.0)
        inside = np.mod(X[:, :3], cell)
        inside = np.where(inside < cell, inside, 0.0)  # mod(-1e-20, L) rounds to L
        X[:, :3] = np.where(self._period > 0.0, inside, X[:, :3])
        return X, body, ids[body] * MOST + which


def _in_order(pairs: Int, n: int) -> Int:
    """Return pairs (m,2) of numbers below n, each once, the lower first, sorted."""
    low, high = pairs.min(axis=1, initial=n), pairs.max(axis=1, initial=-1)
    keys = np.unique(low[low < high] * n + high[low < high])
    return np.column_stack((keys // n, keys % n))


def _rows_of(pairs: Int, radius: Float) -> Found:
    """Return pairs in rows, as `candidates` wants them: the smaller grain owns, then the lower."""
    i, j = pairs[:, 0], pairs[:, 1]
    swaps = radius[j] < radius[i]
    owner, partner = np.where(swaps, j, i), np.where(swaps, i, j)
    order = np.lexsort((partner, owner))
    owner, partner = owner[order].astype(np.int32), partner[order].astype(np.int32)
    ends = np.searchsorted(owner, np.arange(len(radius) + 1))
    block = block_bounds(len(radius))
    first = ends[block]
    return Found(block, first, np.diff(first), ends[:-1].copy(), ends[1:].copy(), owner, partner)


@kernel
def _compare(X, owner, ends, meets, broken):
    """Mark the edges between grains whose spheres meet, and the grains with some D <= 0."""
    for e in range(ends.shape[0]):
        i, j = ends[e, 0], ends[e, 1]
        if owner[i] == owner[j]:
            continue
        square = 0.0
        for a in range(3):
            square += (X[j, a] - X[i, a]) ** 2
        Ri, Rj = X[i, 3], X[j, 3]
        meets[e] = square < (Ri + Rj) * (Ri + Rj)
        if square <= (Ri * Ri + Rj * Rj) * (1.0 + ROUNDING):
            broken[owner[i]] = True
            broken[owner[j]] = True

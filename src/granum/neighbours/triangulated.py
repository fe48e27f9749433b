"""Neighbours by triangulation: candidates are edges of a regular triangulation that follows.

Each grain is a vertex of weight R² with R = r + s, s being the skin. Let D_ij = d_ij² - R_i² - R_j²
(negative if the two inflated spheres are more than orthogonal). Where all D are positive, every
pair of inflated spheres that meet is an edge (Pournin, theorem 4), so no contact can be missed
until some grain has gone farther than s.

Where overlaps are so deep that some D are not positive, the pairs that are not edges are found too:

- If a pair that meets is no edge, a third sphere k takes the place between them: at the point of
  the segment ij where both powers are equal, k's is less. Then the mean of D_ik and D_jk, weighted
  by where that point lies, is less than D_ij and less than 0. So i or j is in a pair with D < 0.
- The same holds for pairs with D < 0 themselves: each that is no edge shares a grain with one
  whose D is less. The last of such a chain is an edge. (If the point of equal powers lies outside
  the segment, one centre is outside its own cell; the edge across the wall that parts it from
  there has D < 0 as well, or the vertex is hidden.)
- The same holds for images in a periodic cell: they are spheres like others.
- So it is enough to start at the hidden vertices and the ends of edges with D <= 0, to compare
  these grains with all others, to go on with the partners whose D <= 0, and so forth.

The triangulation is that of the grains' *places*, which need not be where the grains are: see
`granum.neighbours.places`. It must follow only when these do, and all it is asked for are the *near
pairs*, whose inflated spheres meet at their places.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from granum.neighbours.candidates import Candidates, assemble
from granum.neighbours.chains import chained_pairs
from granum.neighbours.deep import warn_of_deep_overlap
from granum.neighbours.following import Following
from granum.neighbours.near import DEEP, Near, chosen, find_near, follow_near, sorted_near
from granum.neighbours.places import Places

# In smallest radii. This is the bound of the margins, not what they are: after which displacement
# the triangulation is looked after is chosen anew at every update, as is cheapest (see
# `dynamics.margins`). With this bound D is positive for overlaps below 0.23 of the smallest radius;
# at 0.41 for none.
SKIN = 0.25
THICKEST = 0.24  # less than that, so that the fastest grain leaves room for a map


class Triangulated:
    """The search on the edges of a dynamic triangulation.

    Args:
        period: (3,) period of the world, 0 where there is none [m].
        dimension: 2 for discs in the plane z = 0.
    """

    thickest = THICKEST  # longest margin, in smallest radii
    proven = True  # beyond it, pairs could be missed

    def __init__(self, period: NDArray[np.float64], dimension: int) -> None:
        self.period = period
        self.dimension = dimension
        self._following = Following(period, dimension)
        self._places = Places(period)
        self._near: Near | None = None
        self._given = self._order = self._ids = np.zeros(0, dtype=np.int64)
        self._deep = 0
        self._is_told = False

    @property
    def counts(self) -> dict[str, int]:
        """What has happened to the triangulation, and pairs that only the search of all found."""
        return self._following.counts | {"deep_pairs": self._deep}

    def find(
        self, X: NDArray[np.float64], margin: NDArray[np.float64], ids: NDArray[np.int64],
        body: NDArray[np.int64] | None = None,
    ) -> Candidates:
        """Find all pairs with a gap below the sum of their margins; see ``Cells.find``."""
        self._is_told = self._is_told or body is not None  # balls of one body overlap as they like
        skin = SKIN * float(X[:, 3].min())
        if not np.array_equal(ids, self._given):
            self._learn_order(ids)
        rows = self._places.keep(X, margin, self._order, self._ids, skin)
        if len(rows) and (self._following.follow(self._places.at, rows, self._ids, skin)
                          or self._places.is_new):
            self._near = None
        if len(rows) or self._near is None:
            self._near = self._find_near(rows, skin)
        return assemble(X, margin, self.period, chosen(X, margin, self.period, self._near), body)

    def _learn_order(self, ids: NDArray[np.int64]) -> None:
        """Learn where the grains stand that the triangulation knows, in the order it knows.

        That order stays until grains come or go, however often the engine sorts its rows.
        """
        place = np.full(int(ids.max()) + 1, -1, dtype=np.int64)
        place[ids] = np.arange(len(ids))
        self._given, before = ids.copy(), self._order
        if len(ids) == len(self._ids) and self._ids.max() < len(place):
            self._order = place[self._ids]
            if (self._order >= 0).all():
                if self._near is not None:
                    self._near = sorted_near(self._near, self._places.at[:, 3], before, self._order)
                return
        self._ids, self._order, self._near = self._given, np.arange(len(ids)), None

    def _find_near(self, rows: NDArray[np.int64], skin: float) -> Near:
        """Return all pairs whose spheres meet at their places, after ``rows`` got new ones."""
        mesh, at, row = self._following.mesh, self._places.at, self._following.row
        table = (at, self._order, self.period, skin)
        near = None
        if self._near is not None:
            moved = np.zeros(len(at), dtype=np.bool_)
            moved[rows] = True
            near = follow_near(self._near, *table, mesh.slots, row, moved)
        if near is None:
            near = find_near(*table, mesh.slots, row)
        hidden = mesh.hidden
        if near.deep == 0 and not hidden.any():
            return near
        broken = np.zeros(len(at), dtype=np.bool_)
        broken[row[hidden]] = True
        broken[near.pair[near.kind & DEEP != 0]] = True
        every = self._search_all(at, near.pair[near.pair[:, 0] >= 0], broken, skin)
        near = find_near(*table, every, np.arange(len(at)))
        return near._replace(kind=near.kind[:0])  # not of slots: it cannot be followed

    def _search_all(
        self, X: NDArray[np.float64], edges: NDArray[np.int32], broken: NDArray[np.bool_],
        skin: float,
    ) -> NDArray[np.int32]:
        """Return the edges and the near pairs of broken grains that are none; count these."""
        n = len(X)
        inflated = np.column_stack((X[:, :3], X[:, 3] + skin))
        found = chained_pairs(inflated, np.arange(n), np.arange(n + 1), self.period, broken)
        if not self._is_told and len(found):
            self._is_told = True
            warn_of_deep_overlap(X, found, self._ids, self.period)
        pairs = np.sort(found, axis=1)
        known = np.sort(edges, axis=1).astype(np.int64)
        missing = np.setdiff1d(pairs[:, 0] * n + pairs[:, 1], known[:, 0] * n + known[:, 1])
        self._deep += len(missing)
        more = np.column_stack((missing // n, missing % n)).astype(np.int32)
        return np.concatenate((edges, more))

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
- So it is enough to start at the hidden vertices and the ends of edges with D <= 0, to compare
  these grains with all others, to go on with the partners whose D <= 0, and so forth.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from granum.compile import kernel
from granum.geometry import Triangulation
from granum.neighbours.candidates import Candidates, Found, assemble, block_bounds, owns, sort_row

SKIN = 0.25  # in smallest radii; D is positive for overlaps below 0.23 of the smallest radius then
ROUNDING = 1e-12  # of R²: D below this counts as not positive
RENEWED = 0.3  # share of vertices put in or out above which a new triangulation is cheaper


class Triangulated:
    """The search on the edges of a dynamic triangulation.

    Args:
        period: (3,) period of the world, 0 where there is none [m].
        dimension: 2 for discs in the plane z = 0.
    """

    thickest = SKIN  # longest margin, in smallest radii

    def __init__(self, period: NDArray[np.float64], dimension: int) -> None:
        self.period = period
        self.dimension = dimension
        self._periods = [float(L) or None for L in period[:dimension]]
        self._mesh: Triangulation | None = None
        self._skin = 0.0
        self._earlier: dict[str, int] = {}
        self._deep = 0

    @property
    def counts(self) -> dict[str, int]:
        """What has happened to the triangulation, and pairs that only the search of all found."""
        now = {} if self._mesh is None else self._mesh.stats._asdict()
        return {f"triangulation_{name}": now.get(name, 0) + self._earlier.get(name, 0)
                for name in now | self._earlier} | {"deep_pairs": self._deep}

    def find(
        self, X: NDArray[np.float64], margin: NDArray[np.float64], ids: NDArray[np.int64]
    ) -> Candidates:
        """Find all pairs with a gap below the sum of their margins; see ``Cells.find``."""
        self._follow(X, ids)
        assert self._mesh is not None
        row = np.full(len(self._vertex_id), -1, dtype=np.int32)
        row[self._vertex] = np.arange(len(X), dtype=np.int32)
        hidden = np.flatnonzero(self._mesh.hidden[self._vertex])
        edges = row[self._mesh.edges]
        broken = _mark_broken(X, self.period, self._skin, edges, hidden)
        if len(broken):
            edges = np.concatenate((edges, self._search_all(X, edges, broken)))
        return assemble(X, margin, self.period, _rows(X, margin, self.period, edges))

    def _follow(self, X: NDArray[np.float64], ids: NDArray[np.int64]) -> None:
        """Bring the triangulation to where the grains are; make a new one if most are new."""
        points = np.ascontiguousarray(X[:, : self.dimension])
        skin = SKIN * float(X[:, 3].min())
        known = self._mesh is not None and self._recognise(ids, points, X[:, 3])
        if self._mesh is None or not known:
            if self._mesh is not None:
                for name, number in self._mesh.stats._asdict().items():
                    self._earlier[name] = self._earlier.get(name, 0) + number
            self._skin = skin
            weights = (X[:, 3] + skin) ** 2
            self._mesh = Triangulation(points, weights, periodic=self._periods)
            self._vertex_id = ids.copy()
            self._vertex = np.arange(len(ids))
            return
        self._skin = skin
        moved, weights = self._mesh.points.copy(), self._mesh.weights.copy()
        moved[self._vertex] = points
        weights[self._vertex] = (X[:, 3] + skin) ** 2
        same = np.array_equal(weights, self._mesh.weights)
        self._mesh.move(moved, None if same else weights)

    def _recognise(
        self, ids: NDArray[np.int64], points: NDArray[np.float64], radius: NDArray[np.float64]
    ) -> bool:
        """Find out which vertex each row is, after putting grains in and out; False if too many."""
        assert self._mesh is not None
        if np.array_equal(self._vertex_id[self._vertex], ids):
            return True
        present = np.flatnonzero(self._vertex_id >= 0)
        gone = present[~np.isin(self._vertex_id[present], ids)]
        new = np.flatnonzero(~np.isin(ids, self._vertex_id[present]))
        if len(gone) + len(new) > RENEWED * len(ids):
            return False
        if len(gone):
            self._mesh.remove(gone)
            self._vertex_id[gone] = -1
        if len(new):
            where = np.asarray(self._mesh.insert(points[new], (radius[new] + self._skin) ** 2))
            room = max(len(self._vertex_id), int(where.max()) + 1)
            longer = np.full(room, -1, dtype=np.int64)
            longer[: len(self._vertex_id)] = self._vertex_id
            longer[where] = ids[new]
            self._vertex_id = longer
        by_id = np.argsort(self._vertex_id, kind="stable")
        self._vertex = by_id[np.searchsorted(self._vertex_id[by_id], ids)]
        return True

    def _search_all(
        self, X: NDArray[np.float64], edges: NDArray[np.int32], broken: NDArray[np.int32]
    ) -> NDArray[np.int32]:
        """Return the near pairs of broken grains that are no edges, and count those found."""
        found = _pairs_of(X, self.period, self._skin, broken)
        pairs = np.sort(found, axis=1).astype(np.int64)
        known = np.sort(edges, axis=1).astype(np.int64)
        n = len(X)
        missing = np.setdiff1d(pairs[:, 0] * n + pairs[:, 1], known[:, 0] * n + known[:, 1])
        self._deep += len(missing)
        return np.column_stack((missing // n, missing % n)).astype(np.int32)


@kernel
def _square(X, i, j, L):
    """Return the squared distance of two grains, the nearest image of one [m2]."""
    total = 0.0
    for a in range(3):
        d = X[j, a] - X[i, a]
        if L[a] > 0.0:
            d -= L[a] * np.rint(d / L[a])
        total += d * d
    return total


@kernel
def _power(X, i, j, L, skin):
    """Return D of two inflated spheres, lowered by what rounding may have taken [m2]."""
    Ri, Rj = X[i, 3] + skin, X[j, 3] + skin
    sum_of_squares = Ri * Ri + Rj * Rj
    return _square(X, i, j, L) - sum_of_squares * (1.0 + ROUNDING)


@kernel
def _mark_broken(X, L, skin, edges, hidden):
    """Return the grains with which a search of all pairs has to begin."""
    n = X.shape[0]
    mark = np.zeros(n, dtype=np.bool_)
    number = 0
    for i in hidden:
        mark[i] = True
    for e in range(edges.shape[0]):
        i, j = edges[e, 0], edges[e, 1]
        if i != j and _power(X, i, j, L, skin) <= 0.0:
            mark[i] = True
            mark[j] = True
    for i in range(n):
        number += mark[i]
    result = np.empty(number, dtype=np.int32)
    number = 0
    for i in range(n):
        if mark[i]:
            result[number] = i
            number += 1
    return result


@kernel
def _pairs_of(X, L, skin, broken):
    """Compare grains with all others, then the partners with D <= 0, and so forth.

    Returns:
        (m,2) all pairs met that are nearer than both skins.
    """
    n = X.shape[0]
    queue = np.empty(n, dtype=np.int32)
    seen = np.zeros(n, dtype=np.bool_)
    last = 0
    for i in broken:
        seen[i] = True
        queue[last] = i
        last += 1
    pairs = np.empty((64, 2), dtype=np.int32)
    number = 0
    first = 0
    while first < last:
        i = queue[first]
        first += 1
        for j in range(n):
            reach = X[i, 3] + X[j, 3] + 2.0 * skin
            if j == i or _square(X, i, j, L) >= reach * reach:
                continue
            if number == pairs.shape[0]:
                longer = np.empty((2 * number, 2), dtype=np.int32)
                longer[:number] = pairs
                pairs = longer
            pairs[number, 0], pairs[number, 1] = i, j
            number += 1
            if not seen[j] and _power(X, i, j, L, skin) <= 0.0:
                seen[j] = True
                queue[last] = j
                last += 1
    return pairs[:number]


def _rows(
    X: NDArray[np.float64], margin: NDArray[np.float64], period: NDArray[np.float64],
    edges: NDArray[np.int32],
) -> Found:
    """Sort the edges with a gap below both margins into the rows of their owners."""
    begin, end = np.zeros((2, len(X)), dtype=np.int64)
    kept = np.empty(len(edges), dtype=np.uint8)
    total = _choose(X, margin, period, edges, kept, end)
    owner, partner = np.empty((2, total), dtype=np.int32)
    used = _fill(edges, kept, begin, end, owner, partner)
    block = block_bounds(len(X))
    first = np.append(begin[block[:-1]], used)
    return Found(block, first, np.diff(first), begin, end, owner, partner)


@kernel
def _choose(X, margin, L, edges, kept, number):
    """Mark the edges that are candidates by which end owns them (1, 2); count each owner's."""
    total = 0
    for e in range(edges.shape[0]):
        i, j = edges[e, 0], edges[e, 1]
        kept[e] = 0
        reach = X[i, 3] + margin[i] + X[j, 3] + margin[j]
        if i != j and _square(X, i, j, L) < reach * reach:
            kept[e] = 1 if owns(X[i, 3], i, X[j, 3], j) else 2
            number[i if kept[e] == 1 else j] += 1
            total += 1
    return total


@kernel
def _fill(edges, kept, begin, end, owner, partner):
    """Write the rows, each sorted by partner; return how many slots they take.

    A pair that is joined more than once, by edges to different images, counts once.
    """
    place = 0
    for i in range(begin.size):
        begin[i] = place
        place += end[i]
        end[i] = begin[i]
    for e in range(edges.shape[0]):
        if kept[e] == 0:
            continue
        i, j = edges[e, 0], edges[e, 1]
        if kept[e] == 2:
            i, j = j, i
        owner[end[i]] = i
        partner[end[i]] = j
        end[i] += 1
    place = 0
    for i in range(begin.size):
        sort_row(partner, begin[i], end[i])
        first = place
        for k in range(begin[i], end[i]):
            if place == first or partner[k] != partner[place - 1]:
                owner[place], partner[place] = i, partner[k]
                place += 1
        begin[i], end[i] = first, place
    return place

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

import numba
import numpy as np
from numpy.typing import NDArray

from granum.compile import kernel, parallel_kernel
from granum.geometry import Triangulation
from granum.neighbours.candidates import Candidates, Found, assemble, block_bounds, owns, sort_row
from granum.neighbours.deep import warn_of_deep_overlap
from granum.neighbours.images import Images
from granum.neighbours.places import Places

# In smallest radii. This is the bound of the margins, not what they are: after which displacement
# the triangulation is looked after is chosen anew at every update, as is cheapest (see
# `dynamics.margins`). With this bound D is positive for overlaps below 0.23 of the smallest radius;
# at 0.41 for none.
SKIN = 0.25
ROUNDING = 1e-12  # of R²: D below this counts as not positive
RENEWED = 0.3  # share of vertices put in or out above which a new triangulation is cheaper


class Triangulated:
    """The search on the edges of a dynamic triangulation.

    Args:
        period: (3,) period of the world, 0 where there is none [m].
        dimension: 2 for discs in the plane z = 0.
    """

    thickest = SKIN  # longest margin, in smallest radii
    proven = True  # beyond it, pairs could be missed

    def __init__(self, period: NDArray[np.float64], dimension: int) -> None:
        self.period = period
        self.dimension = dimension
        self._images = Images(period)
        self._mesh: Triangulation | None = None
        self._skin = 0.0
        self._places = Places(period)
        self._near: Found | None = None
        self._near_order = self._ids = np.zeros(0, dtype=np.int64)
        self._earlier: dict[str, int] = {}
        self._deep = 0
        self._is_told = False

    @property
    def counts(self) -> dict[str, int]:
        """What has happened to the triangulation, and pairs that only the search of all found."""
        now = {} if self._mesh is None else self._mesh.stats._asdict()
        return {f"triangulation_{name}": now.get(name, 0) + self._earlier.get(name, 0)
                for name in now | self._earlier} | {"deep_pairs": self._deep}

    def find(
        self, X: NDArray[np.float64], margin: NDArray[np.float64], ids: NDArray[np.int64],
        body: NDArray[np.int64] | None = None,
    ) -> Candidates:
        """Find all pairs with a gap below the sum of their margins; see ``Cells.find``."""
        self._is_told = self._is_told or body is not None  # balls of one body overlap as they like
        skin = SKIN * float(X[:, 3].min())
        order = self._order_of(ids)
        stayed = self._places.keep(X[order], margin[order], self._ids, skin)
        if not stayed or self._near is None or not np.array_equal(order, self._near_order):
            self._near, self._near_order = self._find_near(order, ids, skin), order
        return assemble(X, margin, self.period, _chosen(X, margin, self.period, self._near), body)

    def _order_of(self, ids: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return where the grains stand that the triangulation knows, in the order it knows.

        That order stays until grains come or go, however often the engine sorts its rows.
        """
        place = np.full(int(ids.max()) + 1, -1, dtype=np.int64)
        place[ids] = np.arange(len(ids))
        if len(ids) == len(self._ids) and self._ids.max() < len(place):
            order = place[self._ids]
            if (order >= 0).all():
                return np.asarray(order)
        self._ids = ids.copy()
        return np.arange(len(ids))

    def _find_near(
        self, order: NDArray[np.int64], ids: NDArray[np.int64], skin: float
    ) -> Found:
        """Let the triangulation follow the places; return all pairs whose spheres meet there."""
        spheres, source, names = self._images.extend(self._places.at, self._ids, skin)
        self._follow(spheres, names, skin)
        assert self._mesh is not None
        n = len(ids)
        Y = np.empty((n, 4))
        Y[order] = self._places.at
        source = order[source]
        row = np.full(len(self._name), -1, dtype=np.int32)
        row[self._vertex] = source
        slots = self._mesh.slots
        owned = np.empty(len(slots), dtype=np.uint8)
        number = np.zeros(n, dtype=np.int64)
        broken = np.zeros(n, dtype=np.bool_)
        broken[source[self._mesh.hidden[self._vertex]]] = True
        total = _choose(Y, self.period, skin, slots, row, owned, number, broken)
        if broken.any():
            slots, owned = self._search_all(Y, row[slots[slots[:, 0] >= 0]], broken, ids)
            row = np.arange(n, dtype=np.int32)
            number[:] = 0
            total = _choose(Y, self.period, skin, slots, row, owned, number, broken)
        return _rows(slots, row, owned, number, total)

    def _follow(
        self, spheres: NDArray[np.float64], names: NDArray[np.int64], skin: float
    ) -> None:
        """Bring the triangulation to where the spheres are; make a new one if most are new."""
        points = np.ascontiguousarray(spheres[:, : self.dimension])
        weights = (spheres[:, 3] + skin) ** 2
        if self._mesh is None or not self._recognise(self._mesh, names, points, weights):
            if self._mesh is not None:
                for name, number in self._mesh.stats._asdict().items():
                    self._earlier[name] = self._earlier.get(name, 0) + number
            self._mesh = Triangulation(points, weights)
            self._name = names.copy()
            self._vertex = np.arange(len(names))
        else:
            moved, heavy = self._mesh.points.copy(), self._mesh.weights.copy()
            moved[self._vertex], heavy[self._vertex] = points, weights
            same = np.array_equal(heavy, self._mesh.weights)
            self._mesh.move(moved, None if same else heavy)
        self._skin = skin

    def _recognise(
        self, mesh: Triangulation, names: NDArray[np.int64], points: NDArray[np.float64],
        weights: NDArray[np.float64],
    ) -> bool:
        """Find each sphere's vertex, after putting some in and out; False if these are too many."""
        if np.array_equal(self._name[self._vertex], names):
            return True
        present = np.flatnonzero(self._name >= 0)
        gone = present[~np.isin(self._name[present], names)]
        new = np.flatnonzero(~np.isin(names, self._name[present]))
        if len(gone) + len(new) > RENEWED * len(names):
            return False
        if len(gone):
            mesh.remove(gone)
            self._name[gone] = -1
        if len(new):
            where = np.asarray(mesh.insert(points[new], weights[new]))
            longer = np.full(max(len(self._name), int(where.max()) + 1), -1, dtype=np.int64)
            longer[: len(self._name)] = self._name
            longer[where] = names[new]
            self._name = longer
        order = np.argsort(self._name, kind="stable")
        self._vertex = order[np.searchsorted(self._name[order], names)]
        return True

    def _search_all(
        self, X: NDArray[np.float64], edges: NDArray[np.int32], broken: NDArray[np.bool_],
        ids: NDArray[np.int64],
    ) -> tuple[NDArray[np.int32], NDArray[np.uint8]]:
        """Return the edges and the near pairs of broken grains that are none; count these."""
        found = _pairs_of(X, self.period, self._skin, broken)
        if not self._is_told and len(found):
            self._is_told = True
            warn_of_deep_overlap(X, found, ids, self.period)
        pairs = np.sort(found, axis=1).astype(np.int64)
        known = np.sort(edges, axis=1).astype(np.int64)
        n = len(X)
        missing = np.setdiff1d(pairs[:, 0] * n + pairs[:, 1], known[:, 0] * n + known[:, 1])
        self._deep += len(missing)
        more = np.column_stack((missing // n, missing % n)).astype(np.int32)
        every = np.concatenate((edges, more))
        return every, np.empty(len(every), dtype=np.uint8)


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
def _pairs_of(X, L, skin, broken):
    """Compare grains with all others, then the partners with D <= 0, and so forth.

    Returns:
        (m,2) all pairs met that are nearer than both skins.
    """
    n = X.shape[0]
    queue = np.empty(n, dtype=np.int32)
    seen = np.zeros(n, dtype=np.bool_)
    last = 0
    for i in range(n):
        if broken[i]:
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


@kernel
def _choose(X, L, skin, slots, row, owned, number, broken):
    """Mark the edges whose spheres meet, and the grains whose spheres are more than orthogonal.

    Args:
        X: (n,4) position and radius.
        L: (3,) period.
        skin: added to each radius.
        slots: (k,2) edges between vertices, -1 where there is none.
        row: (vertices,) the row of each vertex.
        owned: (k,) written: which end owns the pair (1, 2), 0 if they do not meet.
        number: (n,) raised by the pairs of each owner.
        broken: (n,) set where D <= 0.

    Returns:
        The number of pairs.
    """
    total = 0
    for e in range(slots.shape[0]):
        owned[e] = 0
        if slots[e, 0] < 0:
            continue
        i, j = row[slots[e, 0]], row[slots[e, 1]]
        if i == j:
            continue  # a grain and its own image
        square = _square(X, i, j, L)
        ri, rj = X[i, 3], X[j, 3]
        if square <= ((ri + skin) * (ri + skin) + (rj + skin) * (rj + skin)) * (1.0 + ROUNDING):
            broken[i] = True
            broken[j] = True
        reach = ri + rj + 2.0 * skin
        if square < reach * reach:
            owned[e] = 1 if owns(ri, i, rj, j) else 2
            number[i if owned[e] == 1 else j] += 1
            total += 1
    return total


def _chosen(
    X: NDArray[np.float64], margin: NDArray[np.float64], period: NDArray[np.float64], near: Found
) -> Found:
    """Return those of the near pairs that have a gap below their margins."""
    begin, end = np.empty((2, len(X)), dtype=np.int64)
    size = np.zeros(len(near.size), dtype=np.int64)
    owner, partner = np.empty((2, len(near.partner)), dtype=np.int32)
    _copy_rows(X, margin, period, near.block, near.first, near.begin, near.end, near.partner,
               begin, end, owner, partner, size)
    return Found(near.block, near.first, size, begin, end, owner, partner)


@parallel_kernel
def _copy_rows(X, margin, L, block, first, near_begin, near_end, near, begin, end, owner, partner,
               size):
    """Copy the pairs with a gap below their margins, row by row, block by block."""
    periodic = L[0] > 0.0 or L[1] > 0.0 or L[2] > 0.0
    for b in numba.prange(size.size):
        place = first[b]
        for i in range(block[b], block[b + 1]):
            x, y, z, reach = X[i, 0], X[i, 1], X[i, 2], X[i, 3] + margin[i]
            begin[i] = place
            for k in range(near_begin[i], near_end[i]):
                j = np.uint64(near[k])
                dx, dy, dz = X[j, 0] - x, X[j, 1] - y, X[j, 2] - z
                square = dx * dx + dy * dy + dz * dz
                if periodic:
                    square = _square(X, i, np.int64(near[k]), L)
                far = reach + X[j, 3] + margin[j]
                if square < far * far:
                    owner[place], partner[place] = i, near[k]
                    place += 1
            end[i] = place
        size[b] = place - first[b]


def _rows(
    slots: NDArray[np.int32], row: NDArray[np.int32], owned: NDArray[np.uint8],
    number: NDArray[np.int64], total: int,
) -> Found:
    """Sort the pairs into the rows of their owners."""
    begin = np.empty(len(number), dtype=np.int64)
    owner, partner = np.empty((2, total), dtype=np.int32)
    used = _fill(slots, row, owned, begin, number, owner, partner)
    block = block_bounds(len(number))
    first = np.append(begin[block[:-1]], used)
    return Found(block, first, np.diff(first), begin, number, owner, partner)


@kernel
def _fill(slots, row, owned, begin, end, owner, partner):
    """Write the rows, each sorted by partner; return how many slots they take.

    A pair that is joined more than once, by edges to different images, counts once. ``end`` holds
    the number in each row before, and where the row ends after.
    """
    place = 0
    for i in range(begin.size):
        begin[i] = place
        place += end[i]
        end[i] = begin[i]
    for e in range(slots.shape[0]):
        if owned[e] == 0:
            continue
        i, j = row[slots[e, 0]], row[slots[e, 1]]
        if owned[e] == 2:
            i, j = j, i
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

"""Places: where the triangulation stands while the grains move on, as long as no pair is missed.

The triangulation need not be where the grains are. It stands at places y, of an earlier time, and
an affine map takes it along, x = B y + t. Let g_i = |x_i - B y_i - t| be how far a grain is from
where its place is taken, m_i its margin, R_i = r_i + s with the skin s, and b the least singular
value of B, so that |B v| >= b |v|. If the inflated spheres at two places do not meet, that is,
|y_i - y_j| >= R_i + R_j, then

    |x_i - x_j|  >=  b |y_i - y_j| - g_i - g_j  >=  b R_i - g_i + b R_j - g_j.

So as long as

    r_i + m_i + g_i <= b R_i    for all grains                                              (1)

(without a map: m_i + g_i <= s), every pair with a gap below m_i + m_j has places whose spheres
meet. These *near pairs* are kept, and all there is to do is to choose from them. That needs no flip
and no exact sign: a crystal, whose facets are all but ties, is no harder than any other packing.

When a grain breaks the rule, another map may still do: the one that fits best, for grains that
fall, turn or are sheared together. If not, that grain and all that have used a good share of their
room get new places, where they are now, and the triangulation must follow. There is a map in the
open only: that of a periodic world would have to keep its periods.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from granum.compile import kernel

USED = 0.5  # share of its room that a grain has used when it gets a new place with others
SPARE = 1e-9  # of the skin: more than distances are rounded by
ROOM = 0.5  # share of the room of the thickest margin that a map must leave
PAYS = 0.5  # a map is taken for the first time if no more than this share of grains are used up
MOST = 0.3  # share of all grains that may be used up before all get new places
FEWEST = 16  # grains for which a map is sought
RIDGE = 1e-9  # holds the map in directions in which the places have no width
IDENTITY = np.eye(3, 4)
NO_ROWS = np.zeros(0, dtype=np.int64)

Float = NDArray[np.float64]
Int = NDArray[np.int64]


class Places:
    """The places of grains.

    Args:
        period: (3,) period of the world, 0 where there is none [m].

    Attributes:
        at: (n,4) the places, and the radii of the grains.
    """

    def __init__(self, period: Float) -> None:
        self.at = np.empty((0, 4))
        self._period = period
        self._ids = NO_ROWS
        self._skin = 0.0
        self._map, self._least = IDENTITY, 1.0

    def keep(self, X: Float, margin: Float, order: Int, ids: Int, skin: float) -> Int:
        """Make sure that (1) holds; return the rows of ``at`` whose places are new.

        Args:
            X: (n,4) position and radius of the grains [m].
            margin: (n,) how far each may go, at most the skin [m].
            order: (n,) where the grains of ``at`` stand in X.
            ids: (n,) which grains they are.
            skin: added to each radius [m].
        """
        if skin != self._skin or len(self.at) == 0:
            self._skin, self._ids = skin, ids.copy()
            return self._put_all(X[order])
        is_sorted = np.array_equal(ids, self._ids)
        if not is_sorted:
            self._sort(X[order], ids)
        late, used = self._state(X, margin, order, self._map, self._least)
        new = self._renew(X, margin, order, used) if late else NO_ROWS
        return new if is_sorted else np.arange(len(ids))

    def _put_all(self, X: Float) -> Int:
        self.at = X.copy()
        self._map, self._least = IDENTITY, 1.0
        return np.arange(len(X))

    def _sort(self, X: Float, ids: Int) -> None:
        """Bring the places into the order of the grains; new ones get theirs where they are."""
        order = np.argsort(self._ids)
        known = np.isin(ids, self._ids)
        at = X.copy()
        at[:, :3] = (X[:, :3] - self._map[:, 3]) @ np.linalg.inv(self._map[:, :3]).T
        at[known] = self.at[order[np.searchsorted(self._ids[order], ids[known])]]
        self._ids, self.at = ids.copy(), at

    def _state(
        self, X: Float, margin: Float, order: Int, to: Float, least: float
    ) -> tuple[bool, int]:
        """Tell whether (1) is broken with a map, and how many grains have used their share."""
        late, used = _count(X, self.at, margin, order, self._period, self._skin, to, least)
        return bool(late), int(used)

    def _renew(self, X: Float, margin: Float, order: Int, used: int) -> Int:
        """Make (1) hold again, by another map or by new places; return the rows of the latter.

        ``used`` is how many grains have used their share with the map so far.
        """
        late = True
        if not self._period.any():
            to, least = self._fitted(X[order])
            room = (least * (X[:, 3] + self._skin) - X[:, 3] - margin).min()
            fits = room > ROOM * (self._skin - margin.max())
            is_late, left = self._state(X, margin, order, to, least) if fits else (True, len(X))
            if self._map is not IDENTITY or left <= PAYS * used:
                if left > MOST * len(X):
                    return self._put_all(X[order])
                late, self._map, self._least = is_late, to, least
        if not late:
            return NO_ROWS
        rows = np.empty(len(X), dtype=np.int64)
        number = _give(X, self.at, margin, order, self._period, self._skin, self._map, self._least,
                       np.linalg.inv(self._map[:, :3]), rows)
        return rows[:number].copy()

    def _fitted(self, X: Float) -> tuple[Float, float]:
        """Return the map (3,4) of least squares from places to grains, and its singular value."""
        if len(X) < FEWEST:
            return IDENTITY, 1.0
        middle, way = self.at[:, :3].mean(axis=0), X[:, :3] - self.at[:, :3]
        drift = way.mean(axis=0)
        y, way = self.at[:, :3] - middle, way - drift
        spread = y.T @ y
        ridge = RIDGE * np.trace(spread) * np.eye(3)
        if not ridge.any():
            return IDENTITY, 1.0
        B = np.eye(3) + np.linalg.solve(spread + ridge, y.T @ way).T
        to = np.column_stack((B, middle + drift - B @ middle))
        return to, float(np.linalg.svd(B, compute_uv=False).min())


@kernel
def _way(X, at, i, row, L, to):
    """Return g: how far a grain is from where its place is taken, by the nearest image [m]."""
    x, y, z = at[row, 0], at[row, 1], at[row, 2]
    total = 0.0
    for a in range(3):
        d = X[i, a] - (to[a, 0] * x + to[a, 1] * y + to[a, 2] * z + to[a, 3])
        if abs(d) > 0.49 * L[a] > 0.0:  # or else it is the nearest image
            d -= L[a] * np.rint(d / L[a])
        total += d * d
    return np.sqrt(total)


@kernel
def _count(X, at, margin, order, L, skin, to, least):
    """Tell whether (1) is broken, and count the grains that have used their share of room."""
    late, used = False, 0
    for row in range(order.size):
        i = order[row]
        g = _way(X, at, i, row, L, to)
        room = least * (X[i, 3] + skin) - (X[i, 3] + margin[i])
        changed = X[i, 3] != at[row, 3]
        late = late or changed or room < 0.0 or (g > 0.0 and g > room - SPARE * skin)
        used += changed or (g > 0.0 and g > USED * (room - SPARE * skin))
    return late, used


@kernel
def _give(X, at, margin, order, L, skin, to, least, back, rows):
    """Give new places to the grains that have used their share of room; list and count them."""
    number = 0
    for row in range(order.size):
        i = order[row]
        room = least * (X[i, 3] + skin) - (X[i, 3] + margin[i])
        if X[i, 3] != at[row, 3] or _way(X, at, i, row, L, to) > USED * (room - SPARE * skin):
            x, y, z = X[i, 0] - to[0, 3], X[i, 1] - to[1, 3], X[i, 2] - to[2, 3]
            for a in range(3):
                at[row, a] = back[a, 0] * x + back[a, 1] * y + back[a, 2] * z
            at[row, 3] = X[i, 3]
            rows[number] = row
            number += 1
    return number

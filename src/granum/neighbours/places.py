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

Float = NDArray[np.float64]


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
        self._ids = np.empty(0, dtype=np.int64)
        self._skin = 0.0
        self._map, self._least = IDENTITY, 1.0

    def keep(self, X: Float, margin: Float, ids: NDArray[np.int64], skin: float) -> bool:
        """Tell whether the places have stayed as they were; if not, they are good again.

        Args:
            X: (n,4) position and radius of the grains [m].
            margin: (n,) how far each may go, at most the skin [m].
            ids: (n,) which grains they are.
            skin: added to each radius [m].
        """
        if skin != self._skin or len(self.at) == 0:
            self._skin, self._ids = skin, ids.copy()
            self._put_all(X)
            return False
        stayed = self._sort(X, ids)
        if self._state(X, margin, self._map, self._least)[0]:
            stayed = not self._renew(X, margin) and stayed
        return stayed

    def _put_all(self, X: Float) -> None:
        self.at = X.copy()
        self._map, self._least = IDENTITY, 1.0

    def _sort(self, X: Float, ids: NDArray[np.int64]) -> bool:
        """Bring the places into the order of the grains; False if that, or the grains, differ."""
        if np.array_equal(ids, self._ids):
            return True
        order = np.argsort(self._ids)
        known = np.isin(ids, self._ids)
        at = X.copy()
        at[:, :3] = (X[:, :3] - self._map[:, 3]) @ np.linalg.inv(self._map[:, :3]).T
        at[known] = self.at[order[np.searchsorted(self._ids[order], ids[known])]]
        self._ids, self.at = ids.copy(), at
        return False

    def _state(self, X: Float, margin: Float, to: Float, least: float) -> tuple[bool, int]:
        """Tell whether (1) is broken with a map, and how many grains have used their share."""
        late, used = _count(X, self.at, margin, self._period, self._skin, to, least)
        return bool(late), int(used)

    def _renew(self, X: Float, margin: Float) -> bool:
        """Make (1) hold again, by another map or by new places; tell whether places are new."""
        to, least = self._fitted(X)
        was_mapped = self._map is not IDENTITY
        room = (least * (X[:, 3] + self._skin) - X[:, 3] - margin).min()
        fits = room > ROOM * (self._skin - margin.max())
        late, used = self._state(X, margin, to, least) if fits else (True, len(X))
        if not was_mapped and used > PAYS * self._state(X, margin, IDENTITY, 1.0)[1]:
            to, least = IDENTITY, 1.0
            late = True
        elif used > MOST * len(X):
            self._put_all(X)
            return True
        self._map, self._least = to, least
        if late:
            back = np.linalg.inv(to[:, :3])
            _give(X, self.at, margin, self._period, self._skin, to, least, back)
        return late

    def _fitted(self, X: Float) -> tuple[Float, float]:
        """Return the map (3,4) of least squares from places to grains, and its singular value."""
        if self._period.any() or len(X) < FEWEST:
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
def _way(X, at, i, L, to):
    """Return g: how far a grain is from where its place is taken, by the nearest image [m]."""
    x, y, z = at[i, 0], at[i, 1], at[i, 2]
    total = 0.0
    for a in range(3):
        d = X[i, a] - (to[a, 0] * x + to[a, 1] * y + to[a, 2] * z + to[a, 3])
        if L[a] > 0.0:
            d -= L[a] * np.rint(d / L[a])
        total += d * d
    return np.sqrt(total)


@kernel
def _count(X, at, margin, L, skin, to, least):
    """Tell whether (1) is broken, and count the grains that have used their share of room."""
    late, used = False, 0
    for i in range(X.shape[0]):
        g = _way(X, at, i, L, to)
        room = least * (X[i, 3] + skin) - (X[i, 3] + margin[i])
        changed = X[i, 3] != at[i, 3]
        late = late or changed or room < 0.0 or (g > 0.0 and g > room - SPARE * skin)
        used += changed or (g > 0.0 and g > USED * (room - SPARE * skin))
    return late, used


@kernel
def _give(X, at, margin, L, skin, to, least, back):
    """Give new places to the grains that have used their share of room."""
    for i in range(X.shape[0]):
        room = least * (X[i, 3] + skin) - (X[i, 3] + margin[i])
        if X[i, 3] != at[i, 3] or _way(X, at, i, L, to) > USED * (room - SPARE * skin):
            x, y, z = X[i, 0] - to[0, 3], X[i, 1] - to[1, 3], X[i, 2] - to[2, 3]
            for a in range(3):
                at[i, a] = back[a, 0] * x + back[a, 1] * y + back[a, 2] * z
            at[i, 3] = X[i, 3]

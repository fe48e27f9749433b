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

When grains break the rule, they and all others that have used a good share of their room get new
places, where they are now, and the triangulation must follow. Where these are many, another map may
still do: the one that fits best, for grains that fall, turn or are sheared together. If not, all
get new places, even those that need none: neighbours that move alike are followed more easily than
grains that jump among others. In a periodic direction the map has to keep the period: it leaves the
unit vector of that direction as it is, B e = e. So periodic worlds may still drift, and be sheared
along a period, by layers across a direction that has none.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from granum.compile import kernel

USED = 0.5  # share of its room that a grain has used when it gets a new place with others
SPARE = 1e-9  # of the skin: more than distances are rounded by
ROOM = 0.5  # share of the room of the thickest margin that a map must leave
FEW = 0.02  # share of all grains up to which those that are used up get new places by themselves
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
        is_new: whether the last call gave all grains new places, or some another size.
    """

    def __init__(self, period: Float) -> None:
        self.at = np.empty((0, 4))
        self.is_new = True
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
        self.is_new = False
        late, used = self._state(X, margin, order, self._map, self._least)
        new = self._renew(X, margin, order, used) if late else NO_ROWS
        return new if is_sorted else np.arange(len(ids))

    def _put_all(self, X: Float) -> Int:
        self.at, self.is_new = X.copy(), True
        self._map, self._least = IDENTITY, 1.0
        return np.arange(len(X))

    def _sort(self, X: Float, ids: Int) -> None:
        """Bring the places into the order of the grains; new ones get theirs where they are."""
        order = np.argsort(self._ids)
        known = np.isin(ids, self._ids)
        at = X.copy()
        at[:, :3] = (X[:, :3] - self._map[:, 3]) @ np.linalg.inv(self._map[:, :3]).T
        for a in np.flatnonzero(self._period):
            at[:, a] -= self._period[a] * np.floor(at[:, a] / self._period[a])
        at[known] = self.at[order[np.searchsorted(self._ids[order], ids[known])]]
        self._ids, self.at = ids.copy(), at

    def _state(
        self, X: Float, margin: Float, order: Int, to: Float, least: float
    ) -> tuple[bool, Int]:
        """Tell whether (1) is broken with a map, and which rows have used their share of room."""
        rows = np.empty(len(order) + 1, dtype=np.int64)
        late, used = _count(X, self.at, margin, order, self._period, self._skin, to, least, rows)
        return bool(late), rows[:used] if used < len(order) else np.arange(len(order))

    def _renew(self, X: Float, margin: Float, order: Int, used: Int) -> Int:
        """Make (1) hold again, by another map or by new places; return the rows of the latter.

        ``used`` are those that have used their share with the map so far.
        """
        late = True
        if len(used) > FEW * len(X):
            used = np.arange(len(X))
            for to, least in self._fitted(X, order) if len(X) >= FEWEST else []:
                room = (least * (X[:, 3] + self._skin) - X[:, 3] - margin).min()
                if room > ROOM * (self._skin - margin.max()):
                    late, used = self._state(X, margin, order, to, least)
                    break
            if len(used) > FEW * len(X):
                return self._put_all(X[order])
            self._map, self._least = to, least
        if not late:
            return NO_ROWS
        self.is_new = bool(_give(X, self.at, order, self._period, self._map,
                                 np.linalg.inv(self._map[:, :3]), used))
        return used

    def _fitted(self, X: Float, order: Int) -> list[tuple[Float, float]]:
        """Return maps (3,4) from places to grains, and the least singular value of each.

        The first is that of least squares. The second only drifts on from the map so far: where it
        is sheared, large grains leave the first no room.
        """
        moments = np.zeros((8, 3))
        _measure(X, self.at, order, self._period, self._map, moments)
        middle, drift, spread, cross = moments[0], moments[1], moments[2:5], moments[5:]
        loose = np.flatnonzero(self._period == 0.0)
        more = np.zeros((3, 3))
        ridge = RIDGE * np.trace(spread) * np.eye(len(loose))
        if ridge.any():
            more[:, loose] = np.linalg.solve(spread[np.ix_(loose, loose)] + ridge,
                                             cross[:, loose].T).T
        to = self._map + np.column_stack((more, drift - more @ middle))
        least = float(np.linalg.svd(to[:, :3], compute_uv=False).min())
        return [(to, least), (self._map + np.column_stack((np.zeros((3, 3)), drift)), self._least)]


@kernel
def _apart(X, at, i, row, L, to):
    """Return a grain's way from where its place is taken, to the nearest image [m]."""
    x, y, z = at[row, 0], at[row, 1], at[row, 2]
    dx = X[i, 0] - (to[0, 0] * x + to[0, 1] * y + to[0, 2] * z + to[0, 3])
    dy = X[i, 1] - (to[1, 0] * x + to[1, 1] * y + to[1, 2] * z + to[1, 3])
    dz = X[i, 2] - (to[2, 0] * x + to[2, 1] * y + to[2, 2] * z + to[2, 3])
    if abs(dx) > 0.49 * L[0] > 0.0:  # or else it is the nearest image
        dx -= L[0] * np.rint(dx / L[0])
    if abs(dy) > 0.49 * L[1] > 0.0:
        dy -= L[1] * np.rint(dy / L[1])
    if abs(dz) > 0.49 * L[2] > 0.0:
        dz -= L[2] * np.rint(dz / L[2])
    return dx, dy, dz


@kernel
def _measure(X, at, order, L, to, moments):
    """Write the means of places y and ways d, and the sums of y y and d y about the former.

    ``moments`` (8,3), zeros: the two means, then the two matrices.
    """
    n = order.size
    for row in range(n):
        for a in range(3):
            moments[0, a] += at[row, a] / n
    for row in range(n):
        d = _apart(X, at, order[row], row, L, to)
        for a in range(3):
            moments[1, a] += d[a] / n
            for b in range(3):
                y = at[row, b] - moments[0, b]
                moments[2 + a, b] += (at[row, a] - moments[0, a]) * y
                moments[5 + a, b] += d[a] * y


@kernel
def _count(X, at, margin, order, L, skin, to, least, rows):
    """Tell whether (1) is broken, list the grains that have used their share of room, and count.

    All have, if the map leaves somebody none: then new places are of no use.
    """
    late, tight, used = False, False, 0
    for row in range(order.size):
        i = order[row]
        dx, dy, dz = _apart(X, at, i, row, L, to)
        square = dx * dx + dy * dy + dz * dz
        room = least * (X[i, 3] + skin) - (X[i, 3] + margin[i])
        spare = max(room - SPARE * skin, 0.0)
        changed = X[i, 3] != at[row, 3]
        tight = tight or room < 0.0
        late = late or changed or square > spare * spare
        rows[used] = row
        used += int(changed or square > USED * spare * (USED * spare))
    return late or tight, order.size if tight else used


@kernel
def _give(X, at, order, L, to, back, rows):
    """Give some grains new places, in the cell; tells whether a size has changed."""
    resized = False
    for row in rows:
        i = order[row]
        x, y, z = X[i, 0] - to[0, 3], X[i, 1] - to[1, 3], X[i, 2] - to[2, 3]
        for a in range(3):
            place = back[a, 0] * x + back[a, 1] * y + back[a, 2] * z
            if L[a] > 0.0:
                place -= L[a] * np.floor(place / L[a])
            at[row, a] = place
        resized = resized or X[i, 3] != at[row, 3]
        at[row, 3] = X[i, 3]
    return resized

"""What lines along y have in common with an outline swept by a disc, in the plane.

A line meets a disc and the strip about an edge in an interval each, and crosses the outline itself
where that is closed. Between the places where borders of discs and strips begin, end or meet, what
it has in common with all of them is an analytic function of x.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from granum.checks import FloatArray, IntArray
from granum.shapes.lines import slab
from granum.shapes.skeleton import Skeleton


class Intervals(NamedTuple):
    """Where lines enter (1) and leave (-1) parts of a body."""

    line: IntArray
    place: FloatArray
    sign: IntArray


def covered(found: list[Intervals], lines: int) -> FloatArray:
    """Return ∫ 1, z, z² dz over the union of the intervals on each line, (lines,3)."""
    line, place, sign = (np.concatenate(column) for column in zip(*found, strict=True))
    order = np.lexsort((place, line))
    line, place, depth = line[order], place[order], np.cumsum(sign[order])
    inside = np.flatnonzero(depth[:-1] > 0)
    low, high, owner = place[inside], place[inside + 1], line[inside]
    powers = (high - low, (high**2 - low**2) / 2.0, (high**3 - low**3) / 3.0)
    return np.column_stack([np.bincount(owner, power, lines) for power in powers])


def _both_ends(line: IntArray, low: FloatArray, high: FloatArray) -> Intervals:
    """Return the ends of intervals; those that end before they begin are none."""
    there = high > low
    line, low, high = line[there], low[there], high[there]
    one = np.ones(len(line), dtype=np.int64)
    return Intervals(np.concatenate([line, line]), np.concatenate([low, high]),
                     np.concatenate([one, -one]))


def _root(square: FloatArray) -> FloatArray:
    """Return the square root; -1 where there is none, which makes an interval empty."""
    return np.where(square > 0.0, np.sqrt(np.maximum(square, 0.0)), -1.0)


class Flat:
    """A body in the plane, met by lines along y."""

    def __init__(self, x: FloatArray, skeleton: Skeleton, r: float) -> None:
        self.x, self.r = x[:, :2], r
        self.missed = 0.0  # along the lines nothing is
        self.a, self.b = self.x[skeleton.edges[:, 0]], self.x[skeleton.edges[:, 1]]
        self.closed = skeleton.closed
        length = np.linalg.norm(self.b - self.a, axis=1)
        self.e, self.length = (self.b - self.a) / length[:, None], length

    def across(self, owner: IntArray, x: FloatArray) -> FloatArray:
        """Return the moments of the lines at x, (k,10)."""
        Y = covered([self._discs(x), self._strips(x), self._inside(x)], len(x))
        zero = np.zeros(len(x))
        return np.column_stack([Y[:, 0], x * Y[:, 0], Y[:, 1], zero, x * x * Y[:, 0], Y[:, 2], zero,
                                x * Y[:, 1], zero, zero])

    def _discs(self, x: FloatArray) -> Intervals:
        line, k = np.nonzero(np.abs(x[:, None] - self.x[:, 0]) < self.r)
        half = _root(self.r**2 - (x[line] - self.x[k, 0]) ** 2)
        return _both_ends(line, self.x[k, 1] - half, self.x[k, 1] + half)

    def _strips(self, x: FloatArray) -> Intervals:
        low = np.minimum(self.a[:, 0], self.b[:, 0]) - self.r
        high = np.maximum(self.a[:, 0], self.b[:, 0]) + self.r
        line, k = np.nonzero((x[:, None] > low) & (x[:, None] < high))
        return _both_ends(line, *strip_interval(x[line], self.a[k], self.e[k], self.length[k],
                                                self.r))

    def _inside(self, x: FloatArray) -> Intervals:
        """Return where lines cross the outline: inside lies to the left of its edges."""
        a, b = self.a[self.closed], self.b[self.closed]
        line, k = np.nonzero((a[:, 0] <= x[:, None]) != (b[:, 0] <= x[:, None]))
        rightwards = b[k, 0] > a[k, 0]
        share = (x[line] - a[k, 0]) / (b[k, 0] - a[k, 0])
        return Intervals(line, a[k, 1] + share * (b[k, 1] - a[k, 1]),
                         np.where(rightwards, 1, -1))


def strip_interval(x: FloatArray, a: FloatArray, e: FloatArray, length: FloatArray, r: float
                   ) -> tuple[FloatArray, FloatArray]:
    """Return where lines along y at x meet the rectangles 2r wide about segments from a along e."""
    away = x - a[:, 0]
    along = slab(away * e[:, 0], e[:, 1], 0.0, length)
    beside = slab(-away * e[:, 1], e[:, 0], -r, r)
    return (a[:, 1] + np.maximum(along[0], beside[0]), a[:, 1] + np.minimum(along[1], beside[1]))


def corners(x: FloatArray, edges: IntArray, r: float) -> FloatArray:
    """Return where along x borders of discs and strips begin, end or meet, (k,)."""
    centre, a, b = x[:, :2], x[edges[:, 0], :2], x[edges[:, 1], :2]
    e = (b - a) / np.linalg.norm(b - a, axis=1)[:, None]
    n = r * np.column_stack((-e[:, 1], e[:, 0]))
    first, last = np.concatenate([a + n, a - n]), np.concatenate([b + n, b - n])
    found = [centre[:, 0] - r, centre[:, 0] + r, first[:, 0], last[:, 0],
             _of_circles(centre, r), _of_sides(first, last), _of_both(centre, r, first, last)]
    return np.concatenate(found)


def _of_circles(centre: FloatArray, r: float) -> FloatArray:
    """Return where circles of one radius meet."""
    i, j = np.triu_indices(len(centre), 1)
    way = centre[j] - centre[i]
    d = np.linalg.norm(way, axis=1)
    near = (d < 2.0 * r) & (d > 0.0)
    way, d, middle = way[near], d[near], 0.5 * (centre[i] + centre[j])[near]
    rise = np.sqrt(r * r - 0.25 * d * d) * way[:, 1] / d
    return np.concatenate([middle[:, 0] - rise, middle[:, 0] + rise])


def _of_sides(first: FloatArray, last: FloatArray) -> FloatArray:
    """Return where segments meet."""
    i, j = np.triu_indices(len(first), 1)
    u, v, w = last[i] - first[i], last[j] - first[j], first[j] - first[i]
    cross = u[:, 0] * v[:, 1] - u[:, 1] * v[:, 0]
    safe = np.where(cross == 0.0, 1.0, cross)
    s = (w[:, 0] * v[:, 1] - w[:, 1] * v[:, 0]) / safe
    t = (w[:, 0] * u[:, 1] - w[:, 1] * u[:, 0]) / safe
    met = (cross != 0.0) & (s >= 0.0) & (s <= 1.0) & (t >= 0.0) & (t <= 1.0)
    return np.asarray((first[i, 0] + s * u[:, 0])[met])


def _of_both(centre: FloatArray, r: float, first: FloatArray, last: FloatArray) -> FloatArray:
    """Return where circles and segments meet."""
    c, k = (number.ravel() for number in np.indices((len(centre), len(first))))
    way = last[k] - first[k]
    length = np.linalg.norm(way, axis=1)
    e = way / length[:, None]
    away = centre[c] - first[k]
    along = (away * e).sum(axis=1)
    rest = r * r - (away[:, 0] * e[:, 1] - away[:, 1] * e[:, 0]) ** 2
    half = np.sqrt(np.maximum(rest, 0.0))
    found = [first[k, 0] + t * e[:, 0] for t in (along - half, along + half)]
    met = [(rest >= 0.0) & (t >= 0.0) & (t <= length) for t in (along - half, along + half)]
    return np.concatenate([place[there] for place, there in zip(found, met, strict=True)])

"""Volume, centre and moments of any swept skeleton, convex or not, to a given error.

Where parts of a body overlap, matter counts once. A straight line meets each part (ball, cylinder,
plate, or the solid that triangles close) in an interval with ends in closed form; what the line has
in common with the body is the union of these intervals, and integrals along it are exact. Across,
they are integrated by adaptive quadrature (see `quadrature`): over one direction in the plane, over
two in space, where the inner integral begins and ends with the shadows of the parts.

The body is turned by a fixed angle that nobody chooses, so that no line runs along a face.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from granum.checks import FloatArray, IntArray
from granum.shapes.quadrature import Panels, integrate
from granum.shapes.skeleton import Skeleton
from granum.shapes.steiner import frame_of
from granum.shapes.union import MOMENTS, Solid, solid_of

ERROR = {2: 1e-13, 3: 1e-7}  # of the whole, by which both rules may differ in a panel
ASKEW = {2: Rotation.from_rotvec((0.0, 0.0, 0.7364)).as_matrix(),
         3: Rotation.from_rotvec((0.4127, 0.7351, -0.5813)).as_matrix()}
AT_ONCE = 2_000_000  # pairs of lines and parts
PARALLEL = 1e-12  # a direction so near to that of the line has no crossing


class Intervals(NamedTuple):
    """Where lines enter (1) and leave (-1) parts of a body."""

    line: IntArray
    place: FloatArray
    sign: IntArray


def swept_union(skeleton: Skeleton, radius: float, dimension: int) -> tuple[Solid, float]:
    """Return the solid that a skeleton and a ball make, and the relative error of its volume.

    In the plane ``skeleton`` is an outline: ``closed`` tells of its edges, not of faces.
    """
    middle, scale = frame_of(skeleton.points, radius)
    askew = ASKEW[dimension]
    x, r = (skeleton.points - middle) @ askew.T / scale, radius / scale
    least = _least_volume(skeleton._replace(points=x), r, dimension)
    close = ERROR[dimension] * least
    body = Flat(x, skeleton, r) if dimension == 2 else Body(x, skeleton, r, 0.1 * close)
    ends = np.unique(np.concatenate([x[:, 0] - r, x[:, 0] + r]))
    panels = Panels(np.zeros(len(ends) - 1, dtype=np.int64), ends[:-1], ends[1:])
    total, differ = integrate(body.across, panels, 1, MOMENTS, close)
    found = solid_of(total[0], np.zeros(3), scale, dimension)
    return Solid(found.volume, middle + askew.T @ found.centre, askew.T @ found.second @ askew
                 ), differ / float(total[0, 0])


def _least_volume(skeleton: Skeleton, r: float, dimension: int) -> float:
    """Return the volume of the largest edge or face, swept: the body has at least that."""
    x = skeleton.points
    length = np.linalg.norm(x[skeleton.edges[:, 1]] - x[skeleton.edges[:, 0]], axis=1).max(
        initial=0.0)
    if dimension == 2:
        return float(2.0 * r * length + np.pi * r * r)
    a, b, c = (x[skeleton.faces[:, k]] for k in range(3))
    area = 0.5 * np.linalg.norm(np.cross(b - a, c - a), axis=1).max(initial=0.0)
    return float(max(np.pi * r * r * length, 2.0 * r * area) + 4.0 / 3.0 * np.pi * r**3)


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


def _slab(at_zero: FloatArray, slope: FloatArray, low: FloatArray | float, high: FloatArray | float
          ) -> tuple[FloatArray, FloatArray]:
    """Return the interval of z in which low ≤ at_zero + slope z ≤ high."""
    slope = np.where(np.abs(slope) < PARALLEL, PARALLEL, slope)
    one, other = (low - at_zero) / slope, (high - at_zero) / slope
    return np.minimum(one, other), np.maximum(one, other)


def _root(square: FloatArray) -> FloatArray:
    """Return the square root; -1 where there is none, which makes an interval empty."""
    return np.where(square > 0.0, np.sqrt(np.maximum(square, 0.0)), -1.0)


class Flat:
    """A body in the plane, met by lines along y."""

    def __init__(self, x: FloatArray, skeleton: Skeleton, r: float) -> None:
        self.x, self.r = x[:, :2], r
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
    along = _slab(away * e[:, 0], e[:, 1], 0.0, length)
    beside = _slab(-away * e[:, 1], e[:, 0], -r, r)
    return (a[:, 1] + np.maximum(along[0], beside[0]), a[:, 1] + np.minimum(along[1], beside[1]))


class Body:
    """A body in space, met by lines along z; ``close``: what the integrals along y may miss."""

    def __init__(self, x: FloatArray, skeleton: Skeleton, r: float, close: float) -> None:
        self.x, self.r, self.close = x, r, close
        self.a, b = x[skeleton.edges[:, 0]], x[skeleton.edges[:, 1]]
        self.length = np.linalg.norm(b - self.a, axis=1)
        self.e = (b - self.a) / self.length[:, None]
        self.corner = x[skeleton.faces]
        side = np.roll(self.corner, -1, axis=1) - self.corner
        cross = np.cross(side[:, 0], side[:, 1])
        self.n = cross / np.linalg.norm(cross, axis=1)[:, None]
        self.inwards = np.cross(self.n[:, None], side)
        self.faces, self.closed = skeleton.faces, skeleton.closed
        flat = np.linalg.norm((b - self.a)[:, :2], axis=1)
        self.shadow = ((b - self.a)[:, :2] / flat[:, None], flat)  # of the edges in the plane
        ends = np.stack([self.a, b], axis=1)
        self.boxes = [(p.min(axis=1)[:, :2] - r, p.max(axis=1)[:, :2] + r)
                      for p in (x[:, None], ends, self.corner)]

    def across(self, owner: IntArray, x: FloatArray) -> FloatArray:
        """Return the moments of the slices at x, (k,10)."""
        parts = len(self.x) + len(self.a) + len(self.corner)
        close = self.close
        total, _ = integrate(lambda line, y: self._lines(x[line], y, max(AT_ONCE // parts, 1)),
                             self._panels(x), len(x), MOMENTS, close)
        return total

    def _panels(self, x: FloatArray) -> Panels:
        """Return the pieces of y between the ends of the shadows of balls and edges."""
        line, k = np.nonzero(np.abs(x[:, None] - self.x[:, 0]) < self.r)
        half = np.sqrt(self.r**2 - (x[line] - self.x[k, 0]) ** 2)
        lines, ends = [line, line], [self.x[k, 1] - half, self.x[k, 1] + half]
        low, high = self.boxes[1]
        line, k = np.nonzero((x[:, None] > low[:, 0]) & (x[:, None] < high[:, 0]))
        e, length = self.shadow
        first, last = strip_interval(x[line], self.a[k], e[k], length[k], self.r)
        there = first < last
        line = np.concatenate([*lines, line[there], line[there]])
        end = np.concatenate([*ends, first[there], last[there]])
        order = np.lexsort((end, line))
        line, end = line[order], end[order]
        kept = np.flatnonzero((line[1:] == line[:-1]) & (np.diff(end) > 1e-13))
        return Panels(line[kept], end[kept], end[kept + 1])

    def _lines(self, x: FloatArray, y: FloatArray, at_once: int) -> FloatArray:
        """Return the moments of lines, (k,10), not too many of them at a time."""
        cuts = range(0, len(x), at_once)
        return np.concatenate([self._some_lines(x[k:k + at_once], y[k:k + at_once]) for k in cuts])

    def _some_lines(self, x: FloatArray, y: FloatArray) -> FloatArray:
        point = np.column_stack((x, y))
        Z = covered([self._balls(point), self._cylinders(point), self._plates(point),
                     self._inside(point)], len(x))
        zero, one, two = Z.T
        return np.column_stack([zero, x * zero, y * zero, one, x * x * zero, y * y * zero, two,
                                x * y * zero, y * one, x * one])

    def _near(self, point: FloatArray, kind: int) -> tuple[IntArray, IntArray]:
        """Return the lines and parts whose shadows' boxes they meet."""
        low, high = self.boxes[kind]
        inside = ((point[:, None] > low) & (point[:, None] < high)).all(axis=2)
        line, k = np.nonzero(inside)
        return line, k

    def _balls(self, point: FloatArray) -> Intervals:
        line, k = self._near(point, 0)
        away = point[line] - self.x[k, :2]
        half = _root(self.r**2 - (away**2).sum(axis=1))
        return _both_ends(line, self.x[k, 2] - half, self.x[k, 2] + half)

    def _cylinders(self, point: FloatArray) -> Intervals:
        """Return where lines meet the cylinders about edges: a quadratic, cut at their ends."""
        line, k = self._near(point, 1)
        e, away = self.e[k], point[line] - self.a[k, :2]
        along = (away * e[:, :2]).sum(axis=1)  # at the height of a; slope e_z
        across = (e[:, :2] ** 2).sum(axis=1)
        apart = (away[:, 0] * e[:, 1] - away[:, 1] * e[:, 0]) ** 2 / across
        half = _root((self.r**2 - apart) / across)
        middle = along * e[:, 2] / across
        low, high = _slab(along, e[:, 2], 0.0, self.length[k])
        height = self.a[k, 2]
        return _both_ends(line, height + np.maximum(low, middle - half),
                          height + np.minimum(high, middle + half))

    def _plates(self, point: FloatArray) -> Intervals:
        """Return where lines meet the prisms 2r thick about faces."""
        line, k = self._near(point, 2)
        n, corner = self.n[k], self.corner[k]
        away = point[line, None] - corner[..., :2]
        low, high = _slab((away[:, 0] * n[:, :2]).sum(axis=1), n[:, 2], -self.r, self.r)
        height = corner[:, 0, 2]
        low, high = height + low, height + high
        for m in range(3):
            inwards = self.inwards[k, m]
            first, last = _slab((away[:, m] * inwards[:, :2]).sum(axis=1), inwards[:, 2], 0.0,
                                np.inf)
            low = np.maximum(low, corner[:, m, 2] + first)
            high = np.minimum(high, corner[:, m, 2] + last)
        return _both_ends(line, low, high)

    def _inside(self, point: FloatArray) -> Intervals:
        """Return where lines cross faces that bound a solid.

        On which side of a side's shadow a line passes is worked out from the lower to the higher
        of its ends, for both faces alike: so a line can never slip through between them.
        """
        closed = np.flatnonzero(self.closed)
        low, high = (box[closed] for box in self.boxes[2])
        inside = ((point[:, None] > low) & (point[:, None] < high)).all(axis=2)
        line, k = np.nonzero(inside)
        k = closed[k]
        left = np.column_stack([self._left(point[line], self.faces[k, m],
                                           self.faces[k, (m + 1) % 3]) for m in range(3)])
        crossed = (left == left[:, :1]).all(axis=1)
        line, k, upwards = line[crossed], k[crossed], left[crossed, 0]
        n, corner = self.n[k], self.corner[k, 0]
        rise = ((point[line] - corner[:, :2]) * n[:, :2]).sum(axis=1) / n[:, 2]
        return Intervals(line, corner[:, 2] - rise, np.where(upwards, -1, 1))

    def _left(self, point: FloatArray, i: IntArray, j: IntArray) -> NDArray[np.bool_]:
        first, last = self.x[np.minimum(i, j), :2], self.x[np.maximum(i, j), :2]
        way, away = last - first, point - first
        return np.asarray((way[:, 0] * away[:, 1] - way[:, 1] * away[:, 0] >= 0.0) == (i < j))

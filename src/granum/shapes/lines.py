"""What lines along z have in common with a skeleton swept by a ball.

A line meets a ball, the cylinder about an edge, and the prism about a face in an interval each, and
crosses the faces that bound a solid. Sorted by height, the ends of all of them tell where the line
is inside. Slices x = const are integrated over lines at all y (see `quadrature`), from one end of
the shadow of a ball or an edge to the next.

Legend: r radius, e direction of an edge, n normal of a face, u inward normals of its sides, low and
high ends of an interval of z.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba.extending import register_jitable

from granum.checks import FloatArray, IntArray
from granum.compile import kernel
from granum.shapes.quadrature import Panels, cut, integrate, panels_between
from granum.shapes.skeleton import Skeleton
from granum.shapes.union import MOMENTS

PARALLEL = 1e-12  # a direction so near to that of the line has no crossing
SLICES = 64  # that are integrated at once
CLOSE = 1e-9  # of the volume, by which both rules may differ in a piece of a slice
ROUNDED = 1e-18  # a difference of the rules that no panel can do without
OVERLOOKED = 1e-7  # of the volume, that may fall between the nodes


class Parts(NamedTuple):
    """What a body is made of, as the kernel sees it."""

    ball: FloatArray  # (n,3) centres
    edge: FloatArray  # (e,7) begin, direction, length
    face: FloatArray  # (m,21) corners, normal, inward normals of the sides
    corner: IntArray  # (m,3) numbers of the corners
    closed: np.ndarray  # (m,) whether the face bounds a solid


class Body:
    """A body in space, met by lines along z; it has at least the volume ``least``.

    Two parts that just begin to overlap do so in a narrow range of y. What is lost where it falls
    between all nodes, those being w apart, is about w⁵/r²; so pieces of y are kept narrow.
    """

    def __init__(self, x: FloatArray, skeleton: Skeleton, r: float, least: float) -> None:
        self.r, self.close = r, max(CLOSE * least, ROUNDED)
        self.widest = 10.0 * (OVERLOOKED * least * r * r) ** 0.2
        self.missed = 0.0  # the most by which the two rules differed in a slice
        a, b = x[skeleton.edges[:, 0]], x[skeleton.edges[:, 1]]
        length = np.linalg.norm(b - a, axis=1)
        corner = x[skeleton.faces]
        side = np.roll(corner, -1, axis=1) - corner
        cross = np.cross(side[:, 0], side[:, 1])
        n = cross / np.linalg.norm(cross, axis=1)[:, None]
        inwards = np.cross(n[:, None], side)
        self.parts = Parts(
            np.ascontiguousarray(x),
            np.column_stack((a, (b - a) / length[:, None], length)),
            np.concatenate([corner.reshape(-1, 9), n, inwards.reshape(-1, 9)], axis=1),
            skeleton.faces, skeleton.closed)
        flat = np.linalg.norm((b - a)[:, :2], axis=1)
        self.shadow = np.column_stack((a[:, :2], (b - a)[:, :2] / flat[:, None], flat))

    def across(self, owner: IntArray, x: FloatArray) -> FloatArray:
        """Return the moments of the slices at x, (k,10)."""
        return np.concatenate([self._slices(x[k:k + SLICES]) for k in range(0, len(x), SLICES)])

    def _slices(self, x: FloatArray) -> FloatArray:
        def lines(line: IntArray, y: FloatArray) -> FloatArray:
            return np.asarray(moments_of_lines(x[line], y, self.r, *self.parts))

        total, differ = integrate(lines, self._panels(x), len(x), MOMENTS, self.close)
        self.missed = max(self.missed, float(differ.max()))
        return total

    def _panels(self, x: FloatArray) -> Panels:
        """Return the pieces of y between the ends of the shadows of balls and edges."""
        ball = self.parts.ball
        line, k = np.nonzero(np.abs(x[:, None] - ball[:, 0]) < self.r)
        half = np.sqrt(self.r**2 - (x[line] - ball[k, 0]) ** 2)
        rod, first, last = _shadows(x, self.shadow, self.r)
        line = np.concatenate([line, line, rod, rod])
        end = np.concatenate([ball[k, 1] - half, ball[k, 1] + half, first, last])
        return cut(panels_between(line, end, 0.5 * self.r), self.widest)


def _shadows(x: FloatArray, shadow: FloatArray, r: float
             ) -> tuple[IntArray, FloatArray, FloatArray]:
    """Return which lines x = const meet the shadows of cylinders, and from where to where."""
    low = np.minimum(shadow[:, 0], shadow[:, 0] + shadow[:, 2] * shadow[:, 4]) - r
    high = np.maximum(shadow[:, 0], shadow[:, 0] + shadow[:, 2] * shadow[:, 4]) + r
    line, k = np.nonzero((x[:, None] > low) & (x[:, None] < high))
    away = x[line] - shadow[k, 0]
    ex, ey, length = shadow[k, 2:].T
    along, beside = slab(away * ex, ey, 0.0, length), slab(-away * ey, ex, -r, r)
    first = shadow[k, 1] + np.maximum(along[0], beside[0])
    last = shadow[k, 1] + np.minimum(along[1], beside[1])
    there = first < last
    return line[there], first[there], last[there]


def slab(at_zero: FloatArray, slope: FloatArray, low: FloatArray | float,
         high: FloatArray | float) -> tuple[FloatArray, FloatArray]:
    """Return the intervals of z in which low ≤ at_zero + slope z ≤ high."""
    slope = np.where(np.abs(slope) < PARALLEL, PARALLEL, slope)
    one, other = (low - at_zero) / slope, (high - at_zero) / slope
    return np.minimum(one, other), np.maximum(one, other)


@register_jitable
def _cut(low, high, height, at_zero, slope, least, most):
    """Return the part of an interval in which least ≤ at_zero + slope (z - height) ≤ most."""
    if abs(slope) < PARALLEL:
        slope = PARALLEL
    one, other = height + (least - at_zero) / slope, height + (most - at_zero) / slope
    return max(low, min(one, other)), min(high, max(one, other))


@register_jitable
def _in_cylinder(x, y, r, edge):
    """Return the interval in the cylinder about an edge: a quadratic, cut at its ends."""
    az, ex, ey, ez, length = edge[2], edge[3], edge[4], edge[5], edge[6]
    dx, dy = x - edge[0], y - edge[1]
    across = ex * ex + ey * ey
    apart = dx * ey - dy * ex
    rest = r * r - apart * apart / across
    if rest <= 0.0:
        return 1.0, 0.0
    along = dx * ex + dy * ey
    middle, half = az + along * ez / across, np.sqrt(rest / across)
    return _cut(middle - half, middle + half, az, along, ez, 0.0, length)


@register_jitable
def _in_prism(x, y, r, face):
    """Return the interval in the prism about a face."""
    ax, ay, az = face[0], face[1], face[2]
    nx, ny, nz = face[9], face[10], face[11]
    low, high = _cut(-np.inf, np.inf, az, (x - ax) * nx + (y - ay) * ny, nz, -r, r)
    for k in range(3):
        cx, cy, cz = face[3 * k], face[3 * k + 1], face[3 * k + 2]
        ux, uy, uz = face[12 + 3 * k], face[13 + 3 * k], face[14 + 3 * k]
        low, high = _cut(low, high, cz, (x - cx) * ux + (y - cy) * uy, uz, 0.0, np.inf)
    return low, high


@register_jitable
def _is_left(x, y, face, corner, k):
    """Tell whether a line passes left of the shadow of side k.

    That is worked out from the end with the lower number to that with the higher one, for both
    faces alike: so a line can never slip through between them.
    """
    m = (k + 1) % 3
    ascends = corner[k] < corner[m]
    i, j = (k, m) if ascends else (m, k)
    px, py = face[3 * i], face[3 * i + 1]
    wx, wy = face[3 * j] - px, face[3 * j + 1] - py
    return (wx * (y - py) - wy * (x - px) >= 0.0) == ascends


@register_jitable
def _note(place, sign, number, low, high):
    """Write down an interval, if it is one; return how many ends there are."""
    if low < high:
        place[number], sign[number] = low, 1
        place[number + 1], sign[number + 1] = high, -1
        return number + 2
    return number


@register_jitable
def _inside(place, sign, number):
    """Return ∫ 1, z, z² dz over the union of intervals with these ends."""
    for k in range(1, number):  # few, and nearly in order: sorted by insertion
        here, way, m = place[k], sign[k], k
        while m > 0 and place[m - 1] > here:
            place[m], sign[m] = place[m - 1], sign[m - 1]
            m -= 1
        place[m], sign[m] = here, way
    zero, one, two, depth = 0.0, 0.0, 0.0, 0
    for k in range(number - 1):
        depth += sign[k]
        if depth > 0:
            low, high = place[k], place[k + 1]
            zero += high - low
            one += 0.5 * (high * high - low * low)
            two += (high * high * high - low * low * low) / 3.0
    return zero, one, two


@register_jitable
def _list_near(x, r, ball, edge, face, near):
    """List the balls, edges and faces that a slice at x may meet; return how many of each."""
    balls, edges, faces = 0, 0, 0
    for k in range(ball.shape[0]):
        if abs(x - ball[k, 0]) < r:
            near[0, balls] = k
            balls += 1
    for k in range(edge.shape[0]):
        a, b = edge[k, 0], edge[k, 0] + edge[k, 3] * edge[k, 6]
        if min(a, b) - r < x < max(a, b) + r:
            near[1, edges] = k
            edges += 1
    for k in range(face.shape[0]):
        a, b, c = face[k, 0], face[k, 3], face[k, 6]
        if min(a, b, c) - r < x < max(a, b, c) + r:
            near[2, faces] = k
            faces += 1
    return balls, edges, faces


@kernel
def moments_of_lines(X, Y, r, ball, edge, face, corner, closed):
    """Return ∫ 1, x, y, z, xx, yy, zz, xy, yz, zx dz along lines at X, Y (k,), (k,10)."""
    result = np.empty((X.size, 10))
    most = ball.shape[0] + edge.shape[0] + 2 * face.shape[0]
    place, sign = np.empty(2 * most), np.empty(2 * most, dtype=np.int64)
    near = np.empty((3, most), dtype=np.int64)
    balls, edges, faces, before = 0, 0, 0, np.nan
    for line in range(X.size):
        x, y = X[line], Y[line]
        if x != before:
            balls, edges, faces = _list_near(x, r, ball, edge, face, near)
            before = x
        number = 0
        for m in range(balls):
            k = near[0, m]
            rest = r * r - (x - ball[k, 0]) ** 2 - (y - ball[k, 1]) ** 2
            if rest > 0.0:
                half = np.sqrt(rest)
                number = _note(place, sign, number, ball[k, 2] - half, ball[k, 2] + half)
        for m in range(edges):
            low, high = _in_cylinder(x, y, r, edge[near[1, m]])
            number = _note(place, sign, number, low, high)
        for m in range(faces):
            k = near[2, m]
            f = face[k]
            if min(f[1], f[4], f[7]) - r < y < max(f[1], f[4], f[7]) + r:
                low, high = _in_prism(x, y, r, f)
                number = _note(place, sign, number, low, high)
                left = _is_left(x, y, f, corner[k], 0)
                if (closed[k] and _is_left(x, y, f, corner[k], 1) == left
                        and _is_left(x, y, f, corner[k], 2) == left):
                    rise = ((x - f[0]) * f[9] + (y - f[1]) * f[10]) / f[11]
                    place[number], sign[number] = f[2] - rise, -1 if left else 1
                    number += 1
        zero, one, two = _inside(place, sign, number)
        row = result[line]
        row[0], row[1], row[2], row[3] = zero, x * zero, y * zero, one
        row[4], row[5], row[6] = x * x * zero, y * y * zero, two
        row[7], row[8], row[9] = x * y * zero, y * one, x * one
    return result

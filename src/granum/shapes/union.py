"""Volume, centre and moments of a union of balls, or of discs: exact, however they overlap.

A slice through balls is a union of discs. Its area and moments are integrals around its border
(Green's theorem), and the border is made of arcs of circles:

    ∫ dA = 1/2 ∮ (x dy - y dx)    ∫ x dA = 1/2 ∮ x² dy    ∫ y dA = -1/2 ∮ y² dx
    ∫ x² dA = 1/3 ∮ x³ dy         ∫ y² dA = -1/3 ∮ y³ dx  ∫ xy dA = 1/2 ∮ x² y dy

all of which are closed forms of the angles at which an arc begins and ends. Along z the slices are
integrated by Gauss-Legendre quadrature between *critical heights*: the ends of a ball, the ends of
the circle in which two balls meet, and the points in which three do. Between two of them the
border keeps its arcs, so the integrand is analytic; at their ends it may go like a square root,
which the substitution z = a + (b - a) t² (3 - 2 t) makes analytic too. Where two rules of
different order still differ by more than rounding, the interval is halved.

A ball that overlaps no other is added in closed form.

Legend: M moments 1, x, y, z, xx, yy, zz, xy, yz, zx; disc (k,3) centre and radius.
"""

from __future__ import annotations

import itertools
from typing import NamedTuple

import numpy as np
from numba.extending import register_jitable

from granum.checks import FloatArray
from granum.compile import kernel

TURN = 2.0 * np.pi
FINE = 3e-15  # difference of the two rules, of the whole, that is rounding
DEEPEST = 40  # halvings of an interval
MOMENTS = 10
ROUGH_RULE, FINE_RULE = (np.polynomial.legendre.leggauss(n) for n in (9, 14))


class Solid(NamedTuple):
    """A body of density 1."""

    volume: float  # [m3]; of discs the area, their thickness being 1 m
    centre: FloatArray  # (3,) centre of mass [m]
    second: FloatArray  # (3,3) ∫ x x^T dV about the centre [m5]


def union_of_balls(points: FloatArray, radii: FloatArray) -> Solid:
    """Return the solid that balls at ``points`` (n,3) with ``radii`` (n,) [m] make together."""
    middle, scale = points.mean(axis=0), float(radii.max())
    p, r = (points - middle) / scale, radii / scale
    meets = _distances(p) < r[:, None] + r[None, :]
    lone = meets.sum(axis=1) == 1
    total = np.zeros(MOMENTS)
    for x, radius in zip(p[lone], r[lone], strict=True):
        total += _of_ball(x, float(radius))
    if not lone.all():
        p, r, meets = p[~lone], r[~lone], meets[np.ix_(~lone, ~lone)]
        near, begin = _neighbours(meets)
        most = 4.0 / 3.0 * np.pi * float((r**3).sum())
        total += _integrate(np.column_stack((p, r)), near, begin, _critical_heights(p, r, meets),
                            *ROUGH_RULE, *FINE_RULE, FINE * most)
    return solid_of(total, middle, scale, 3)


def union_of_discs(points: FloatArray, radii: FloatArray) -> Solid:
    """Return the solid of unit thickness that discs at ``points`` (n,3), z = 0, make together."""
    middle, scale = points.mean(axis=0), float(radii.max())
    p, r = (points - middle) / scale, radii / scale
    near, begin = _neighbours(_distances(p) < r[:, None] + r[None, :])
    area, x, y, xx, yy, xy = _slice(np.column_stack((p[:, :2], r)), near, begin)
    total = np.array([area, x, y, 0.0, xx, yy, 0.0, xy, 0.0, 0.0])
    return solid_of(total, middle, scale, 2)


def solid_of(M: FloatArray, middle: FloatArray, scale: float, dimension: int) -> Solid:
    """Return the solid with moments M, found in lengths of ``scale`` [m] about ``middle``."""
    mean = M[1:4] / M[0]
    xx, yy, zz, xy, yz, zx = M[4:]
    second = np.array([[xx, xy, zx], [xy, yy, yz], [zx, yz, zz]]) - M[0] * np.outer(mean, mean)
    size = scale**dimension
    return Solid(float(M[0]) * size, middle + scale * mean, second * size * scale * scale)


def _of_ball(x: FloatArray, r: float) -> FloatArray:
    """Return the moments of one ball."""
    volume = 4.0 / 3.0 * np.pi * r**3
    own = volume * r * r / 5.0
    return np.array([volume, *(volume * x), *(volume * x * x + own), volume * x[0] * x[1],
                     volume * x[1] * x[2], volume * x[2] * x[0]])


def _distances(p: FloatArray) -> FloatArray:
    return np.asarray(np.linalg.norm(p[:, None, :] - p[None, :, :], axis=2))


def _neighbours(meets: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the numbers of those that each one overlaps, row after row, and where rows begin."""
    others = meets & ~np.eye(len(meets), dtype=np.bool_)
    begin = np.concatenate(([0], np.cumsum(others.sum(axis=1))))
    return np.nonzero(others)[1].astype(np.int64), begin.astype(np.int64)


def _critical_heights(p: FloatArray, r: FloatArray, meets: np.ndarray) -> FloatArray:
    """Return, sorted, all heights at which the border of a slice may change its arcs."""
    found = [*(p[:, 2] - r), *(p[:, 2] + r)]
    for i, j in itertools.combinations(range(len(r)), 2):
        if not meets[i, j]:
            continue
        found += _ends_of_circle(p[i], r[i], p[j], r[j])
        for k in range(j + 1, len(r)):
            if meets[i, k] and meets[j, k]:
                found += _ends_of_triple(p[[i, j, k]], r[[i, j, k]])
    heights = np.unique(found)
    return heights[np.concatenate(([True], np.diff(heights) > 1e-14))]


def _ends_of_circle(a: FloatArray, ra: float, b: FloatArray, rb: float) -> list[float]:
    """Return the lowest and the highest point of the circle in which two balls meet."""
    d = float(np.linalg.norm(b - a))
    if d <= abs(ra - rb):
        return []
    n = (b - a) / d
    along = (d * d + ra * ra - rb * rb) / (2.0 * d)
    h = np.sqrt(max(ra * ra - along * along, 0.0)) * np.hypot(n[0], n[1])
    middle = a[2] + along * n[2]
    return [middle - h, middle + h]


def _ends_of_triple(p: FloatArray, r: FloatArray) -> list[float]:
    """Return the heights of the two points in which three spheres meet, if they do."""
    u, v = p[1] - p[0], p[2] - p[0]
    w = np.cross(u, v)
    w2 = float(w @ w)
    if w2 < 1e-28:
        return []
    a = 0.5 * (u @ u + r[0] ** 2 - r[1] ** 2)
    b = 0.5 * (v @ v + r[0] ** 2 - r[2] ** 2)
    foot = np.cross(a * v - b * u, w) / w2  # u.foot = a and v.foot = b, in the plane of u and v
    rest = float(r[0] ** 2 - foot @ foot)
    if rest < 0.0:
        return []
    rise = np.sqrt(rest / w2) * w[2]
    return [p[0, 2] + foot[2] - rise, p[0, 2] + foot[2] + rise]


@register_jitable
def _powers(c0, s0, c1, s1, angle):
    """Return integrals over an arc: cos^1..4, sin^1..4, cos sin, cos² sin, cos³ sin."""
    ds, dc = s1 - s0, c1 - c0
    c2 = 0.5 * (angle + s1 * c1 - s0 * c0)
    s2 = 0.5 * (angle - s1 * c1 + s0 * c0)
    c3 = ds - (s1 * s1 * s1 - s0 * s0 * s0) / 3.0
    s3 = -dc + (c1 * c1 * c1 - c0 * c0 * c0) / 3.0
    c4 = 0.75 * c2 + 0.25 * (s1 * c1 * c1 * c1 - s0 * c0 * c0 * c0)
    s4 = 0.75 * s2 - 0.25 * (c1 * s1 * s1 * s1 - c0 * s0 * s0 * s0)
    return (ds, c2, c3, c4), (-dc, s2, s3, s4), (
        0.5 * (s1 * s1 - s0 * s0), -(c1**3 - c0**3) / 3.0, -(c1**4 - c0**4) / 4.0)


@register_jitable
def _add_arc(m, x, y, r, start, end):
    """Add to m what an arc of the circle about (x, y) brings to 1, x, y, xx, yy, xy."""
    C, S, T = _powers(np.cos(start), np.sin(start), np.cos(end), np.sin(end), end - start)
    m[0] += 0.5 * r * (x * C[0] + y * S[0] + r * (end - start))
    m[1] += 0.5 * r * (x * x * C[0] + 2.0 * x * r * C[1] + r * r * C[2])
    m[2] += 0.5 * r * (y * y * S[0] + 2.0 * y * r * S[1] + r * r * S[2])
    m[3] += r / 3.0 * (x**3 * C[0] + 3.0 * x * x * r * C[1] + 3.0 * x * r * r * C[2] + r**3 * C[3])
    m[4] += r / 3.0 * (y**3 * S[0] + 3.0 * y * y * r * S[1] + 3.0 * y * r * r * S[2] + r**3 * S[3])
    m[5] += 0.5 * r * (y * (x * x * C[0] + 2.0 * x * r * C[1] + r * r * C[2])
                       + r * (x * x * T[0] + 2.0 * x * r * T[1] + r * r * T[2]))


@register_jitable
def _cover(disc, i, j, covered, number):
    """Write down which part of circle i lies in disc j; return how many parts there are, -1: all.

    Of two discs that are the same, the first has the border.
    """
    x, y = disc[j, 0] - disc[i, 0], disc[j, 1] - disc[i, 1]
    ri, rj = disc[i, 2], disc[j, 2]
    d = np.hypot(x, y)
    if d >= ri + rj or (d + rj <= ri and (d + ri > rj or i < j)):
        return number
    if d + ri <= rj:
        return -1
    height2 = (ri + rj - d) * (ri + rj + d) * (d - ri + rj) * (d + ri - rj)
    half = np.arctan2(np.sqrt(max(height2, 0.0)), d * d + (ri - rj) * (ri + rj))
    start = (np.arctan2(y, x) - half) % TURN
    end = start + 2.0 * half
    covered[number, 0], covered[number, 1] = start, min(end, TURN)
    number += 1
    if end > TURN:
        covered[number, 0], covered[number, 1] = 0.0, end - TURN
        number += 1
    return number


@kernel
def _slice(disc, near, begin):
    """Return the moments 1, x, y, xx, yy, xy of a union of discs (k,3); radius 0: not there."""
    m = np.zeros(6)
    covered = np.empty((2 * disc.shape[0] + 2, 2))
    for i in range(disc.shape[0]):
        if disc[i, 2] <= 0.0:
            continue
        number = 0
        for n in range(begin[i], begin[i + 1]):
            if disc[near[n], 2] > 0.0 and number >= 0:
                number = _cover(disc, i, near[n], covered, number)
        if number < 0:
            continue
        place = 0.0
        for k in np.argsort(covered[:number, 0]):
            if covered[k, 0] > place:
                _add_arc(m, disc[i, 0], disc[i, 1], disc[i, 2], place, covered[k, 0])
            place = max(place, covered[k, 1])
        if place < TURN:
            _add_arc(m, disc[i, 0], disc[i, 1], disc[i, 2], place, TURN)
    return m


@kernel
def _by_rule(ball, near, begin, a, b, first, last, node, weight, disc):
    """Return the moments of the slices between t = first and last of the interval from a to b."""
    M = np.zeros(MOMENTS)
    for n in range(node.size):
        t = first + 0.5 * (last - first) * (1.0 + node[n])
        z = a + (b - a) * t * t * (3.0 - 2.0 * t)
        for i in range(ball.shape[0]):
            h = z - ball[i, 2]
            disc[i, 2] = np.sqrt(max((ball[i, 3] - h) * (ball[i, 3] + h), 0.0))
        m = _slice(disc, near, begin)
        dz = 0.5 * (last - first) * weight[n] * (b - a) * 6.0 * t * (1.0 - t)
        M[0] += dz * m[0]
        M[1] += dz * m[1]
        M[2] += dz * m[2]
        M[3] += dz * z * m[0]
        M[4] += dz * m[3]
        M[5] += dz * m[4]
        M[6] += dz * z * z * m[0]
        M[7] += dz * m[5]
        M[8] += dz * z * m[2]
        M[9] += dz * z * m[1]
    return M


@kernel
def _integrate(ball, near, begin, heights, rough_node, rough_weight, fine_node, fine_weight, close):
    """Return the moments of a union of balls (n,4), interval by interval between the heights."""
    total = np.zeros(MOMENTS)
    disc = np.empty((ball.shape[0], 3))
    disc[:, 0], disc[:, 1] = ball[:, 0], ball[:, 1]
    parts = np.empty((DEEPEST + 2, 2))  # of the interval under way, last in first out
    for k in range(heights.size - 1):
        a, b = heights[k], heights[k + 1]
        waiting = 1
        parts[0, 0], parts[0, 1] = 0.0, 1.0
        while waiting > 0:
            waiting -= 1
            first, last = parts[waiting, 0], parts[waiting, 1]
            rough = _by_rule(ball, near, begin, a, b, first, last, rough_node, rough_weight, disc)
            fine = _by_rule(ball, near, begin, a, b, first, last, fine_node, fine_weight, disc)
            if np.abs(fine - rough).max() <= close or waiting >= DEEPEST or last - first < 1e-9:
                total += fine
            else:
                middle = 0.5 * (first + last)
                parts[waiting, 0], parts[waiting, 1] = middle, last
                parts[waiting + 1, 0], parts[waiting + 1, 1] = first, middle
                waiting += 2
    return total

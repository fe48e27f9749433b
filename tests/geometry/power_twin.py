"""Power cells said slowly: the box cut by the half spaces of all other points."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from scipy.optimize import linprog
from scipy.spatial import ConvexHull, HalfspaceIntersection, QhullError


def half_spaces(points, weights, i, others):
    """Return rows (n, -c): n·x - c <= 0 where the power to point i is less than to the others."""
    normal = 2.0 * (points[others] - points[i])
    height = (points**2).sum(axis=1) - weights
    return np.column_stack((normal, height[i] - height[others]))


def box_spaces(low, high):
    """Return the half spaces of a box."""
    one = np.eye(len(low))
    return np.vstack((np.column_stack((-one, low)), np.column_stack((one, -np.asarray(high)))))


def cell_hull(points, weights, i, low, high):
    """Return the convex hull of a cell by Qhull, or None if it has no interior."""
    others = np.delete(np.arange(len(points)), i)
    rows = np.vstack((half_spaces(points, weights, i, others), box_spaces(low, high)))
    norm = np.linalg.norm(rows[:, :-1], axis=1)
    found = linprog(
        np.r_[np.zeros(points.shape[1]), -1.0], A_ub=np.column_stack((rows[:, :-1], norm)),
        b_ub=-rows[:, -1], bounds=[(None, None)] * points.shape[1] + [(0.0, None)],
    )
    if found.status != 0 or found.x[-1] < 1e-9:
        return None
    try:
        corners = HalfspaceIntersection(rows, found.x[:-1]).intersections
    except QhullError:
        return None
    return ConvexHull(corners)


def exact_area(points, weights, i, low, high):
    """Return the area of a cell in the plane as a fraction."""
    p = [[Fraction(float(x)) for x in point] for point in points]
    h = [sum(x * x for x in point) - Fraction(float(w))
         for point, w in zip(p, weights, strict=True)]
    (x0, y0), (x1, y1) = ([Fraction(float(x)) for x in corner] for corner in (low, high))
    polygon = [(x0, y0), (x1, y0), (x1, y1), (x0, y1)]
    for j in range(len(p)):
        if j != i:
            n = [2 * (b - a) for a, b in zip(p[i], p[j], strict=True)]
            polygon = _clipped(polygon, n, h[j] - h[i])
    return sum(a[0] * b[1] - a[1] * b[0]
               for a, b in zip(polygon, polygon[1:] + polygon[:1], strict=True)) / 2


def _clipped(polygon, n, c):
    """Return the part of a polygon where n·x <= c."""
    result = []
    for a, b in zip(polygon, polygon[1:] + polygon[:1], strict=True):
        f, g = (n[0] * x + n[1] * y - c for x, y in (a, b))
        if f <= 0:
            result.append(a)
        if (f < 0 < g) or (g < 0 < f):
            share = f / (f - g)
            result.append(tuple(u + share * (v - u) for u, v in zip(a, b, strict=True)))
    return result

"""Inner parallel bodies: what the centre of a ball can reach inside a body.

Swept by the same ball, they give the body back with rounded corners: its faces stay where they are,
and so does its outer size.
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import linprog
from scipy.spatial import ConvexHull, HalfspaceIntersection

from granum.checks import FloatArray
from granum.errors import InputError
from granum.shapes.apart import points_to_segments
from granum.shapes.outline import area_of, outline_skeleton, place, refuse_bad_outline
from granum.shapes.skeleton import Skeleton

ROOM = 1e-6  # by which the inscribed ball must be larger than the one that rounds, relative


def eroded_hull(name: str, points: FloatArray, radius: float) -> FloatArray:
    """Return the corners of the convex hull of points with its faces moved in by a radius.

    The points are (n,3), or (n,2) in the plane.
    """
    planes = np.unique(ConvexHull(points).equations, axis=0)
    normal, offset = planes[:, :-1], planes[:, -1]
    middle, inner = _inscribed(normal, offset)
    if radius * (1.0 + ROOM) >= inner:
        message = (f"{name} radius = {radius:g} m is too large to round this body, which holds a "
                   f"ball of radius {inner:.4g} m at most, at {place(middle)}")
        raise InputError(message)
    moved = np.column_stack((normal, offset + radius))
    return np.asarray(HalfspaceIntersection(moved, middle).intersections)


def inner_radius(points: FloatArray) -> float:
    """Return the radius [m] of the largest ball inside the convex hull of points (n,d)."""
    planes = ConvexHull(points).equations
    return _inscribed(planes[:, :-1], planes[:, -1])[1]


def _inscribed(normal: FloatArray, offset: FloatArray) -> tuple[FloatArray, float]:
    """Return centre and radius of the largest ball behind planes with normals (m,d)."""
    free = normal.shape[1]
    target = np.append(np.zeros(free), -1.0)
    found = linprog(target, bounds=[(None, None)] * free + [(0.0, None)],
                    A_ub=np.column_stack((normal, np.ones(len(normal)))), b_ub=-offset).x
    assert found is not None
    return found[:-1], float(found[-1])


def eroded_outline(name: str, points: FloatArray, radius: float) -> FloatArray:
    """Return a closed outline (n,2) with its sides moved inwards by a radius.

    Where two sides meet they are as long as it takes: swept by a disc, inner corners come out sharp
    as they were, and outer ones rounded. Short sides of a convex outline may vanish.
    """
    refuse_bad_outline(f"{name} points", points, is_closed=True)
    skeleton: Skeleton = outline_skeleton(points, is_closed=True)
    x = skeleton.points[:, :2]
    if skeleton.is_convex:
        inner = eroded_hull(name, x, radius)
        return np.asarray(inner[ConvexHull(inner).vertices])
    e = np.roll(x, -1, axis=0) - x
    length = np.linalg.norm(e, axis=1)
    e = e / length[:, None]
    before = np.roll(e, 1, axis=0)
    half = 0.5 * np.arctan2(before[:, 0] * e[:, 1] - before[:, 1] * e[:, 0],
                            (before * e).sum(axis=1))
    short = np.tan(half)  # by which, in radii, both sides get shorter at a corner
    taken = short + np.roll(short, -1)
    room = np.where(taken > 0.0, length / np.maximum(taken, 1e-300), np.inf)
    k = int(room.argmin())
    if radius >= room[k]:
        message = (f"{name} radius = {radius:g} m is too large: the side from {place(x[k])} to "
                   f"{place(x[(k + 1) % len(x)])} would vanish. It must be less than "
                   f"{room[k]:.4g} m, or the side be longer")
        raise InputError(message)
    inwards = np.column_stack((-e[:, 1], e[:, 0]))
    moved = x + radius * (inwards + short[:, None] * e)
    _refuse_narrow(name, x, moved, radius)
    return moved


def _refuse_narrow(name: str, x: FloatArray, moved: FloatArray, radius: float) -> None:
    """Refuse a radius with which the outline would come nearer to another part of itself."""
    k, j = (number.ravel() for number in np.indices((len(moved), len(x))))
    apart = points_to_segments(moved[k], x[j], np.roll(x, -1, axis=0)[j]).reshape(len(moved), -1)
    back = points_to_segments(x[j], moved[k], np.roll(moved, -1, axis=0)[k])
    near = min(float(apart.min()), float(back.min()))
    if near < radius * (1.0 - ROOM) or area_of(moved) <= 0.0:
        worst = int(apart.min(axis=1).argmin())
        message = (f"{name} radius = {radius:g} m is too large: near {place(x[worst])} the outline "
                   "is narrower than twice that. Give a smaller one")
        raise InputError(message)

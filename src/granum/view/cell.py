"""The power cell of one ball, and its edges of the triangulation, found from the frame alone.

The power cell of ball i is where |x - x_i|² - r_i² is least of all balls (Aurenhammer 1987).
Against each other ball j it is bounded by the plane

    2 (x_j - x_i)·x <= |x_j|² - |x_i|² - (r_j² - r_i²),

and i and j are joined by an edge of the weighted Delaunay triangulation where a face of the cell
lies in that plane. One cell needs its neighbourhood only: the plane of a ball at a distance d from
x_i is (d² + r_i² - r_j²) / 2d away from it, so that balls further than

    d = R + sqrt(R² + r_max² - r_i²)

cannot reach a cell whose corners are within R of x_i. The cell ends at the box of the scene; edges
whose faces would lie beyond it are not found. For many cells at once there is
`granum.geometry.power_diagram`.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass

import numpy as np
from scipy.optimize import linprog
from scipy.spatial import ConvexHull, HalfspaceIntersection, cKDTree

from granum.checks import FloatArray, IntArray
from granum.errors import OutputError
from granum.output.vtkhdf import Frame

FIRST = 40  # balls that are looked at first
SAME = 1e-9  # of the scene: how far a corner may be from a plane in which it lies
MOST = 5000  # balls of a neighbourhood


@dataclass(frozen=True, eq=False)
class Cell:
    """The power cell of one ball.

    Attributes:
        faces: polygons (k, 3) [m]; in 2D its sides (2, 3).
        neighbours: rows of the balls whose faces it has, (e,).
        ends: their centres, at the nearest of their periodic images, (e, 3) [m].
        volume: [m3]; in 2D its area [m2].
    """

    faces: list[FloatArray]
    neighbours: IntArray
    ends: FloatArray
    volume: float


def cell_of(frame: Frame, row: int, low: FloatArray, high: FloatArray, periods: FloatArray,
            dimension: int = 3) -> Cell:
    """Return the power cell of a ball within a box.

    Args:
        frame: the balls.
        row: of the ball.
        low: lower corner of the box, (3,) [m].
        high: upper corner.
        periods: of the periodic cell, 0 where there is none, (3,) [m].
        dimension: 2 for discs in the plane z = 0.

    Raises:
        OutputError: the ball has no cell: others around it leave none.
    """
    points, rows = _with_images(frame.points, periods)
    radius = np.asarray(frame.fields["radius"], dtype=np.float64)
    centre, own = frame.points[row, :dimension], radius[row]
    size = float(np.linalg.norm(high - low))
    walls = _box_planes(low[:dimension], high[:dimension])
    others = np.flatnonzero(np.isfinite(points).all(axis=1))
    tree = cKDTree(points[others, :dimension])
    count = FIRST
    while True:
        distance, near = tree.query(centre, min(count, len(others)))
        near = others[np.atleast_1d(near)[np.atleast_1d(distance) > 0.0]]
        planes = np.vstack([walls, _planes(points[near, :dimension], radius[rows[near]], centre,
                                           own)])
        corners = _corners(planes, centre)
        reach = float(np.linalg.norm(corners - centre, axis=1).max())
        needed = reach + math.sqrt(max(0.0, reach**2 + radius.max() ** 2 - own**2))
        if count >= len(others) or np.max(distance) >= needed or count > MOST:
            break
        count *= 2
    faces, bounding = _faces(planes, corners, SAME * size, dimension)
    mine = [number - len(walls) for number in bounding if number >= len(walls)]
    return Cell(faces, rows[near[mine]], points[near[mine]], float(ConvexHull(corners).volume))


def _with_images(points: FloatArray, periods: FloatArray) -> tuple[FloatArray, IntArray]:
    """Return all centres with their nearest periodic images, and the row of each."""
    ways = [(-length, 0.0, length) if length > 0.0 else (0.0,) for length in periods.tolist()]
    shifts = sorted(itertools.product(*ways), key=lambda shift: sum(map(abs, shift)))
    return (np.concatenate([points + shift for shift in shifts]),
            np.tile(np.arange(len(points)), len(shifts)))


def _planes(others: FloatArray, radii: FloatArray, centre: FloatArray, own: float) -> FloatArray:
    """Return what bounds the cell against other balls: rows (a, b) with a·x + b <= 0, |a| = 1."""
    way = others - centre
    distance = np.linalg.norm(way, axis=1)
    normal = way / distance[:, None]
    place = (distance**2 + own**2 - radii**2) / (2.0 * distance)
    return np.column_stack([normal, -(normal @ centre) - place])


def _box_planes(low: FloatArray, high: FloatArray) -> FloatArray:
    unit = np.eye(len(low))
    return np.vstack([np.column_stack([unit, -high]), np.column_stack([-unit, low])])


def _corners(planes: FloatArray, centre: FloatArray) -> FloatArray:
    """Return the corners of what planes leave; the point inside is the one furthest from them."""
    inside = centre
    if (planes[:, :-1] @ centre + planes[:, -1] >= -SAME * np.abs(planes[:, -1]).max()).any():
        found = linprog(np.append(np.zeros(len(centre)), -1.0),
                        A_ub=np.column_stack([planes[:, :-1], np.ones(len(planes))]),
                        b_ub=-planes[:, -1], bounds=[(None, None)] * len(centre) + [(0.0, None)])
        if found.x is None or found.x[-1] <= 0.0:
            message = "this grain has no power cell: those around it leave none"
            raise OutputError(message)
        inside = found.x[:-1]
    return np.asarray(HalfspaceIntersection(planes, inside).intersections)


def _faces(planes: FloatArray, corners: FloatArray, same: float, dimension: int
           ) -> tuple[list[FloatArray], list[int]]:
    """Return the faces as polygons in order, (k, 3), and the numbers of their planes."""
    faces, bounding = [], []
    for number, plane in enumerate(planes):
        on = corners[np.abs(corners @ plane[:-1] + plane[-1]) <= same]
        on = on[np.unique(np.round(on / (10.0 * same)), axis=0, return_index=True)[1]]
        if len(on) < dimension:
            continue
        if dimension == 3:
            way = on - on.mean(axis=0)
            first = way[0] / np.linalg.norm(way[0])
            on = on[np.argsort(np.arctan2(way @ np.cross(plane[:3], first), way @ first))]
        faces.append(np.pad(on, ((0, 0), (0, 3 - dimension))))
        bounding.append(number)
    return faces, bounding

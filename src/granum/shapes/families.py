"""Families of shapes: no two alike, all of one kind, the same for the same seed.

``angular`` grains are hulls of disturbed points on an ellipsoid (in 2D an ellipse), ``voronoi``
grains the cells into which random points divide a periodic box.
"""

from __future__ import annotations

from typing import Literal, overload

import numpy as np
from scipy.spatial import ConvexHull

from granum import checks
from granum.checks import FloatArray
from granum.errors import InputError
from granum.shapes.polygon import SpheroPolygon
from granum.shapes.polyhedron import SpheroPolyhedron
from granum.shapes.tessellation import voronoi_cells

GOLDEN_ANGLE = np.pi * (3.0 - np.sqrt(5.0))
DEEPEST = 0.6  # share of its distance by which a point of the most angular grains may move in


@overload
def angular(count: int, length: float, radius: float, *, dimension: Literal[3] = 3,
            vertices: int = 24, angularity: float = 0.5, elongation: float = 1.0,
            flatness: float = 1.0, seed: int = 0) -> list[SpheroPolyhedron]: ...
@overload
def angular(count: int, length: float, radius: float, *, dimension: Literal[2],
            vertices: int = 24, angularity: float = 0.5, elongation: float = 1.0,
            flatness: float = 1.0, seed: int = 0) -> list[SpheroPolygon]: ...
def angular(count: int, length: float, radius: float, *, dimension: int = 3,
            vertices: int = 24, angularity: float = 0.5, elongation: float = 1.0,
            flatness: float = 1.0, seed: int = 0) -> list[SpheroPolyhedron] | list[SpheroPolygon]:
    """Return convex grains from smooth pebbles to crushed stone.

    Points are spread evenly over an ellipsoid with axes 1, ``elongation`` and ``elongation``
    ``flatness`` (T. Zingg, 1935), turned at random, moved inwards at random, and enclosed by their
    convex hull.

    Args:
        count: how many shapes.
        length: of the longest axis of the ellipsoid [m]; the ball is swept over what is inside.
        radius: of the ball [m].
        dimension: 2 for outlines of a 2D world.
        vertices: points on the ellipsoid; those that end inside the hull of the others are lost.
        angularity: 0 leaves points on the ellipsoid; with 1 they move in by up to 60 %.
        elongation: middle over longest axis, from 0 (excluded) to 1.
        flatness: shortest over middle axis, the same; of no effect in 2D.
        seed: the same seed gives the same shapes.
    """
    _checked(count, length, radius, dimension, seed)
    checks.whole("vertices", vertices, at_least=2 * dimension)
    angularity = checks.number("angularity", angularity, at_least=0.0, at_most=1.0)
    for name, value in (("elongation", elongation), ("flatness", flatness)):
        checks.number(name, value, above=0.0, at_most=1.0)
    axes = 0.5 * length * np.array([1.0, elongation, elongation * flatness])
    rng = np.random.default_rng(seed)
    clouds = [_disturbed(rng, vertices, angularity, dimension) * axes[:dimension]
              for _ in range(count)]
    if dimension == 2:
        return [SpheroPolygon(tuple((x, y) for x, y in cloud[ConvexHull(cloud).vertices].tolist()),
                              radius) for cloud in clouds]
    return [SpheroPolyhedron(tuple((x, y, z) for x, y, z in cloud.tolist()), radius=radius)
            for cloud in clouds]


@overload
def voronoi(count: int, length: float, radius: float, *, dimension: Literal[3] = 3, seed: int = 0
            ) -> list[SpheroPolyhedron]: ...
@overload
def voronoi(count: int, length: float, radius: float, *, dimension: Literal[2], seed: int = 0
            ) -> list[SpheroPolygon]: ...
def voronoi(count: int, length: float, radius: float, *, dimension: int = 3, seed: int = 0
            ) -> list[SpheroPolyhedron] | list[SpheroPolygon]:
    """Return the cells of a random division of a box, with rounded edges.

    The box is periodic, so that there is no border. Cells stay where they are: added at their
    ``centre`` they fill the box without gaps but at their rounded edges.

    Args:
        count: how many cells.
        length: of the sides of the box [m].
        radius: of the ball that rounds them [m]; cells keep their outer size.
        dimension: 2 for outlines of a 2D world.
        seed: the same seed gives the same shapes.
    """
    _checked(count, length, radius, dimension, seed)
    points = length * np.random.default_rng(seed).random((count, dimension))
    cells = voronoi_cells(points, np.full(dimension, length), [True] * dimension)
    if dimension == 2:
        return [SpheroPolygon.rounded(cell[ConvexHull(cell).vertices], radius)
                for cell in cells]
    return [SpheroPolyhedron.rounded(cell, radius) for cell in cells]


def _checked(count: int, length: float, radius: float, dimension: int, seed: int) -> None:
    if dimension not in (2, 3):
        message = f"dimension must be 2 or 3, got {dimension!r}"
        raise InputError(message)
    checks.whole("count", count, at_least=1)
    checks.whole("seed", seed, at_least=0)
    checks.positive("length", length)
    checks.positive("radius", radius)


def _disturbed(rng: np.random.Generator, vertices: int, angularity: float, dimension: int
               ) -> FloatArray:
    """Return points (n,dimension) evenly around the unit circle or sphere, moved inwards."""
    k = np.arange(vertices)
    if dimension == 2:
        angle = 2.0 * np.pi * (k + rng.random()) / vertices
        points = np.column_stack((np.cos(angle), np.sin(angle)))
    else:  # along a spiral: each turns by the golden angle from the one before
        z = 1.0 - (2.0 * k + 1.0) / vertices
        across = np.sqrt(1.0 - z * z)
        points = np.column_stack((across * np.cos(GOLDEN_ANGLE * k),
                                  across * np.sin(GOLDEN_ANGLE * k), z))
        turn, _ = np.linalg.qr(rng.normal(size=(3, 3)))
        points = points @ turn
    return np.asarray(points * (1.0 - DEEPEST * angularity * rng.random(vertices))[:, None])

"""The edges of the weighted Delaunay triangulation of a frame.

It is the lower part of the convex hull of the balls lifted by one dimension, to the height
|x|² - r² (Aurenhammer 1987, "Power diagrams: properties, algorithms and applications"). Qhull finds
it in doubles and without a kernel to compile, which is good enough to be looked at; the exact one
that follows grains is `granum.geometry.Triangulation`. Edges across a periodic boundary are not
seen.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np
from scipy.spatial import ConvexHull

from granum.checks import FloatArray, IntArray
from granum.errors import OutputError
from granum.output.vtkhdf import Frame

MOST = 200_000  # balls: about ten seconds


def edges_of(frame: Frame, dimension: int = 3) -> IntArray:
    """Return the edges as pairs of rows, the lower one first, (e, 2).

    Args:
        frame: the balls; those without a place are left out.
        dimension: 2 for discs in the plane z = 0.

    Raises:
        OutputError: there are too many balls.
        QhullError: they lie in one plane, or are too few.
    """
    points = np.asarray(frame.points, dtype=np.float64)
    radius = np.asarray(frame.fields.get("radius", np.zeros(len(points))), dtype=np.float64)
    rows = np.flatnonzero(np.isfinite(points).all(axis=1) & np.isfinite(radius))
    if len(rows) > MOST:
        message = f"the triangulation is drawn for at most {MOST} balls, here are {len(rows)}"
        raise OutputError(message)
    hull = ConvexHull(_lifted(points[rows, :dimension], radius[rows]))
    lower = hull.simplices[hull.equations[:, dimension] < 0.0]
    pairs = np.concatenate([lower[:, two] for two in combinations(range(dimension + 1), 2)])
    found: IntArray = np.unique(np.sort(rows[pairs], axis=1), axis=0)
    return found


def _lifted(points: FloatArray, radius: FloatArray) -> FloatArray:
    """Return balls one dimension higher, (n, d + 1), in units of their spread."""
    middle = points - points.mean(axis=0)
    scale = max(float(np.abs(middle).max(initial=0.0)), 1e-300)
    near, size = middle / scale, radius / scale
    return np.column_stack([near, (near**2).sum(axis=1) - size**2])

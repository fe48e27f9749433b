"""The power diagram of points in a box that repeats itself in some directions.

Images of the points around the cell turn it into an ordinary diagram. Which images are needed is
known afterwards: a point q of weight w cuts off a corner x of the cell of p only if
|x - q|² - w < |x - p|² - w_p, so no point further from p than

    R + √(R² - w_p + w_max),    R the largest |x - p| over the corners of the cell,

takes part; and a cell found with too few images is too large, never too small, so its R will do.
Half a period to either side bounds every cell (the vertex's own images are equally heavy), so the
images within a whole period around a vertex are always enough.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import numpy as np
from numpy.typing import NDArray

from granum.checks import FloatArray, IntArray
from granum.geometry.power import Box, PowerDiagram, measured, power_cells
from granum.geometry.power_neighbours import Neighbours
from granum.geometry.triangulation3 import Triangulation3

FIRST_MARGIN = 3.0  # in mean distances of points: enough for packings


def periodic_power_diagram(
    points: FloatArray, weights: FloatArray, box: Box, periods: Sequence[float] | FloatArray
) -> PowerDiagram:
    """Return the power diagram of points that repeat themselves in some directions.

    Cells are unwrapped around their vertices: they extend over the faces of the periodic cell.

    Args:
        points: (n,dim) positions, dim = 2 or 3, anywhere.
        weights: (n,) weights, squares of the radii.
        box: low and high corner, (dim,) each, of what is not periodic.
        periods: (dim,) period in each direction, 0 where there is none.
    """
    none = np.empty((0, 2), dtype=np.int64)
    empty = power_cells(points, weights, none, box, periods=periods,
                        is_visible=np.zeros(len(points), dtype=np.bool_))
    points, weights, corners, period = empty.points, empty.weights, empty.box, empty.periods
    if len(points) == 0:
        return empty
    extent = np.where(period > 0.0, period, corners[1] - corners[0])
    margin = FIRST_MARGIN * float((extent.prod() / len(points)) ** (1.0 / len(extent)))
    move = -np.floor(points / np.where(period > 0.0, period, np.inf)) * period  # into one cell
    while True:
        source, offset = _images(points + move, period, margin)
        neighbours, is_visible = _neighbours(points, weights, source, offset + move[source], move)
        diagram = measured(points, weights, neighbours, corners, period, is_visible)
        needed = _needed_margin(diagram)
        if margin >= min(needed, period.max(initial=0.0)):
            return diagram
        margin = min(needed, 2.0 * margin)


def _needed_margin(diagram: PowerDiagram) -> float:
    """Return how far from its vertex there can be a point that cuts off a corner of its cell."""
    R2 = diagram.reach[diagram.is_visible] ** 2
    w = diagram.weights[diagram.is_visible]
    # A little more, for R has been rounded.
    return 1.001 * float((np.sqrt(R2) + np.sqrt(R2 + (diagram.weights.max() - w))).max(initial=0.0))


def _images(points: FloatArray, period: FloatArray, margin: float) -> tuple[IntArray, FloatArray]:
    """Return which points (k,) have an image in the margin around all, moved by what (k,dim).

    The points themselves come first.
    """
    low, high = points.min(axis=0), points.max(axis=0)
    reach = np.minimum(margin, period)
    most = np.ceil((high - low + reach) / np.where(period > 0.0, period, np.inf)).astype(int)
    source, offset = [np.arange(len(points))], [np.zeros_like(points)]
    for shift in product(*(range(-m, m + 1) for m in most)):
        if any(shift):
            moved = points + np.array(shift) * period
            near = np.flatnonzero(((moved >= low - reach) & (moved <= high + reach)
                                   | (period == 0.0)).all(axis=1))
            source.append(near)
            offset.append(np.tile(np.array(shift) * period, (len(near), 1)))
    return np.concatenate(source), np.concatenate(offset)


def _neighbours(
    points: FloatArray, weights: FloatArray, source: IntArray, offset: FloatArray, move: FloatArray
) -> tuple[Neighbours, NDArray[np.bool_]]:
    """Return the neighbours of the points among all images, and which points are not hidden.

    The first n images are the points themselves, moved by ``move`` (n,dim).
    """
    n, dim = points.shape
    everywhere = np.zeros((len(source), 3))
    everywhere[:, :dim] = points[source] + offset
    triangulation = Triangulation3(everywhere, weights[source])
    edges = triangulation.edges.astype(np.int64)
    both = np.concatenate((edges, edges[:, ::-1]))
    both = both[(both[:, 0] < n) & (source[both[:, 1]] != both[:, 0])]
    distance = ((everywhere[both[:, 1]] - everywhere[both[:, 0]]) ** 2).sum(axis=1)
    both = both[np.lexsort((distance, both[:, 0]))]
    start = np.searchsorted(both[:, 0], np.arange(n + 1))
    return (Neighbours(start, source[both[:, 1]], offset[both[:, 1]] - move[both[:, 0]]),
            ~triangulation.is_hidden[:n])

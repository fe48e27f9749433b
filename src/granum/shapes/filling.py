"""An outline in the plane, filled with discs: the same body as a clump.

Discs as large as the one that is swept stand along the outline, so that the clump reaches as far as
the swept shape does, and on a square grid inside it. How wide the grid is follows from how many
discs there shall be.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from granum.checks import FloatArray
from granum.errors import InputError
from granum.shapes.clump import Clump
from granum.shapes.polygon import SpheroPolygon

NEAR, TRIES = 0.15, 301  # how far from the estimate grids are tried, as a share, and how many


def filled_with_discs(outline: SpheroPolygon, count: int) -> Clump:
    """Return a clump of ``count`` discs, or of as near to it as a square grid comes.

    Args:
        outline: closed.
        count: of discs; so many that neighbours overlap.

    Raises:
        InputError: the outline is not closed, or there are too few discs to hang together.
    """
    points = np.array(outline.points)
    if not outline.closed or len(points) < 3:
        message = "only a closed outline, of three points or more, can be filled with discs"
        raise InputError(message)
    estimate = _step(_area(points), float(_sides(points).sum()), count)
    steps = estimate * np.linspace(1.0 + NEAR, 1.0 - NEAR, TRIES)
    centres = _filling(points, steps[0])
    for step in steps[1:]:
        if len(centres) == count:
            break
        other = _filling(points, step)
        if abs(len(other) - count) < abs(len(centres) - count):
            centres = other
    return Clump(tuple((float(x), float(y), 0.0) for x, y in centres), outline.radius)


def _filling(outline: FloatArray, step: float) -> FloatArray:
    """Return points on a grid inside an outline, and along it, about ``step`` apart, (n,2) [m]."""
    x, y = (np.arange(a + 0.5 * step, b, step)
            for a, b in zip(outline.min(axis=0), outline.max(axis=0), strict=True))
    grid = np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 2)
    count = np.ceil(_sides(outline) / step).astype(np.int64)
    share = np.concatenate([np.arange(n) / n for n in count])[:, None]
    start = np.repeat(outline, count, axis=0)
    end = np.repeat(np.roll(outline, -1, axis=0), count, axis=0)
    return np.concatenate([grid[is_inside(grid, outline)], start + share * (end - start)])


def _step(area: float, length: float, count: int) -> float:
    """Return the grid on which ``count`` discs fill an area and its outline [m]."""
    return (length + math.sqrt(length * length + 4.0 * count * area)) / (2.0 * count)


def _sides(outline: FloatArray) -> FloatArray:
    return np.asarray(np.linalg.norm(np.roll(outline, -1, axis=0) - outline, axis=1))


def _area(outline: FloatArray) -> float:
    x, y = outline.T
    return abs(float((x * np.roll(y, -1) - y * np.roll(x, -1)).sum())) / 2.0


def is_inside(points: FloatArray, outline: FloatArray) -> NDArray[np.bool_]:
    """Tell which points lie inside: a ray to the right crosses the outline an odd number of times.

    Args:
        points: (n,2) [m].
        outline: (k,2) [m], in turn.
    """
    ends = np.roll(outline, -1, axis=0)
    x, y = points.T
    inside = np.zeros(len(points), dtype=np.bool_)
    for (ax, ay), (bx, by) in zip(outline, ends, strict=True):
        if ay != by:
            crosses = (y >= min(ay, by)) & (y < max(ay, by))
            inside ^= crosses & (x < ax + (y - ay) * (bx - ax) / (by - ay))
    return inside

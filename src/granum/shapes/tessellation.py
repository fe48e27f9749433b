"""Voronoi cells of points in a box: all places that are nearer to one point than to the others.

In directions in which the box is periodic, images of the points on both sides see to it that the
cells have no border. In others mirror images do: a point and its image behind a side of the box are
equally far from that side, so cells end there and nowhere else.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np
from scipy.spatial import ConvexHull, Voronoi

from granum.checks import FloatArray

FEW = 40  # points, of which some may have neighbours further away than the box is long


def voronoi_cells(points: FloatArray, lengths: FloatArray, wraps: Sequence[bool]
                  ) -> list[FloatArray]:
    """Return the corners of the cell of each point, (c,d) [m]; those of the hull, in no order.

    Args:
        points: (n,d) within the box [0, length) [m].
        lengths: of the sides of the box, (d,) [m].
        wraps: in which directions the box is periodic; cells may stand beyond it there.
    """
    points = points / lengths.max()  # numbers of order 1, for Qhull's tolerances
    around = [_images(points[:, axis], length, wrapping) for axis, (length, wrapping)
              in enumerate(zip(lengths / lengths.max(), wraps, strict=True))]
    images = [np.column_stack(columns) for columns in itertools.product(*around)]
    found = Voronoi(np.concatenate(images))
    return [lengths.max() * found.vertices[found.regions[found.point_region[k]]]
            for k in range(len(points))]


def centred(points: FloatArray, lengths: FloatArray, wraps: Sequence[bool]) -> FloatArray:
    """Return the centres of the points' cells, (n,d) [m], moved into the box where it is periodic.

    Their own cells are more alike and rounder (S. P. Lloyd, IEEE Trans. Inf. Theory 28 (1982) 129).
    """
    middles = np.array([_centre(cell) for cell in voronoi_cells(points, lengths, wraps)])
    return np.where(np.array(wraps), np.mod(middles, lengths), middles)


def _images(x: FloatArray, length: float, is_periodic: bool) -> list[FloatArray]:
    """Return coordinates (n,), and those of their images below and above."""
    if not is_periodic:
        return [x, -x, 2.0 * length - x]
    far = 2 if len(x) < FEW else 1
    return [x, *(x + sign * k * length for k in range(1, far + 1) for sign in (-1, 1))]


def _centre(corners: FloatArray) -> FloatArray:
    """Return the centre of mass of the hull of corners (c,d)."""
    hull = ConvexHull(corners)
    middle = corners[hull.vertices].mean(axis=0)
    sides = corners[hull.simplices]  # (s,d,d): with the middle, each makes a simplex
    volume = np.abs(np.linalg.det(sides - middle))
    centres = (sides.sum(axis=1) + middle) / (corners.shape[1] + 1)
    return np.asarray(volume @ centres / volume.sum())

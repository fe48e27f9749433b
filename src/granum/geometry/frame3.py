"""What a set of points spans, and what must be added for it to span space.

Points in one plane, on one line or in one place have no tetrahedra. With one, two or three
auxiliary points off their plane, line or place, every tetrahedron is the join of a triangle,
segment or vertex of *their own* regular triangulation with the auxiliary points, wherever these
are and whatever their weights (without an auxiliary point the rest spans no space, so each cell
has them all). The edges among the given points are therefore exactly those of the regular
triangulation in the plane or on the line, and a layer of grains is ordinary input.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from granum.compile import kernel
from granum.geometry.predicates import orient2d, orient3d

AUXILIARY = 3  # most points that are ever added


@kernel
def _find_base(p, yz, zx, xy, order, base):
    """Write up to four points that span a simplex, the first such in ``order``, into ``base``.

    Returns how many there are.
    """
    found = 0
    for k in range(order.size):
        v = order[k]
        a, b, c = base[0], base[1], base[2]
        if found == 0:
            spans = True
        elif found == 1:
            spans = p[v, 0] != p[a, 0] or p[v, 1] != p[a, 1] or p[v, 2] != p[a, 2]
        elif found == 2:
            spans = (orient2d(xy, a, b, v) != 0 or orient2d(yz, a, b, v) != 0
                     or orient2d(zx, a, b, v) != 0)
        else:
            spans = orient3d(p, a, b, c, v) != 0
        if spans:
            base[found] = v
            found += 1
            if found == 4:
                break
    return found


def find_base(points: NDArray[np.float64], order: NDArray[np.int64]) -> list[int]:
    """Return up to four of the points in ``order`` that span as much as all of them do.

    Args:
        points: (n,3) coordinates.
        order: (k,) the points that count, tried one after the other.

    Returns:
        Four indices if the points span space, three for a plane, two for a line, one for a place.
    """
    yz, zx, xy = (np.ascontiguousarray(points[:, list(axes)]) for axes in ((1, 2), (2, 0), (0, 1)))
    base = np.zeros(4, dtype=np.int64)
    found = _find_base(points, yz, zx, xy, order, base)
    return [int(v) for v in base[:found]]


def auxiliary_points(points: NDArray[np.float64], base: list[int]) -> NDArray[np.float64]:
    """Return the points (k,3) that complete ``base`` to one that spans space.

    Given points in the plane, they are (k,2) and the base spans the plane with them.

    They differ from the first base point along one axis each, so that the determinant of the
    simplex is a product of these shifts and of a minor of the base that is not zero.
    """
    corner = points[base[0]]
    span = points[base] - corner
    shift = max(float(np.abs(span).max()), 1e-3 * float(np.abs(corner).max())) or 1.0
    axes = _free_axes(span)
    result = np.repeat(corner[None], len(axes), axis=0)
    for row, axis in zip(result, axes, strict=True):
        row[axis] += shift
    return result


def _free_axes(span: NDArray[np.float64]) -> list[int]:
    """Return the axes that complete the span of a base, given as rows from its first point."""
    dimension = span.shape[1]
    if len(span) == 1:
        return list(range(dimension))
    if len(span) == 2:
        axis = int(np.argmax(np.abs(span[1])))
        return [(axis + k) % dimension for k in range(1, dimension)]
    normal = np.cross(span[1], span[2])
    return [int(np.argmax(np.abs(normal)))]

"""Which shapes are convex: two of them have one closest point, and may touch in one contact alone.

A shape is convex if nothing of it sticks out beyond what bounds it: a point, a segment, a flat
polygon, a polyhedron, in the plane an outline. Balls that nothing joins are none, and neither is a
frame of edges without faces, nor a polyhedron with rods.
"""

from __future__ import annotations

from collections import Counter

import numpy as np

from granum.checks import FloatArray
from granum.shapes.rigid import RigidShape
from granum.shapes.skeleton import FLAT


def is_convex(shape: RigidShape, dimension: int) -> bool:
    """Tell whether the skeleton of a shape, with what its faces hold, is convex."""
    points, sides = np.array(shape.points), np.array(shape.sides, dtype=np.int64).reshape(-1, 2)
    spare = FLAT * float(np.linalg.norm(np.ptp(points, axis=0)))
    if len(points) < 3:
        return len(points) == 1 or len(sides) == 1
    if not shape.faces:
        up = np.array([0.0, 0.0, 1.0])
        return dimension == 2 and len(sides) == len(points) and all(
            _bounds(points, points[a], np.cross(points[b] - points[a], up), spare)
            for a, b in sides)
    beside = Counter(frozenset(pair) for face in shape.faces
                     for pair in zip(face, (*face[1:], face[0]), strict=True))
    if len(beside) < len(sides):
        return False
    normals = [np.cross(points[b] - points[a], points[c] - points[a]) for a, b, c in shape.faces]
    if not all(_bounds(points, points[face[0]], normal, spare)
               for face, normal in zip(shape.faces, normals, strict=True)):
        return False
    border = [tuple(pair) for pair, count in beside.items() if count < 2]
    return all(_bounds(points, points[a], np.cross(points[b] - points[a], normals[0]), spare)
               for a, b in border)


def _bounds(points: FloatArray, through: FloatArray, normal: FloatArray, spare: float) -> bool:
    """Tell whether all points (n,3) are on one side of a plane, but for ``spare``."""
    height = (points - through) @ normal
    spare *= float(np.linalg.norm(normal))
    return bool((height <= spare).all() or (height >= -spare).all())

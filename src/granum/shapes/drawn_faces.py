"""Triangles that fill closed outlines of the plane, for pictures.

An outline in the plane is told by its edges alone; that it holds what is inside is known to its
mass properties. Who draws it needs its inside as triangles.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from granum.shapes.rigid import RigidShape
from granum.shapes.triangulate import ears

Faces = tuple[tuple[int, int, int], ...]


@cache
def drawn_faces(shape: RigidShape, dimension: int) -> Faces:
    """Return the triangles of a shape as they are drawn, by numbers of its balls.

    Those are its faces; of a shape in the plane whose edges close, triangles that fill it.
    """
    if dimension == 3 or shape.faces:
        return shape.faces
    loop = outline_of(shape)
    found = ears(np.array(shape.points)[loop]) if loop else None
    return tuple((loop[a], loop[b], loop[c]) for a, b, c in found or ())


def outline_of(shape: RigidShape) -> list[int]:
    """Return the balls around the outline that the edges make, in turn; none if it is not one."""
    beside: dict[int, list[int]] = {}
    for a, b in shape.edges:
        beside.setdefault(a, []).append(b)
        beside.setdefault(b, []).append(a)
    if len(shape.edges) < 3 or any(len(others) != 2 for others in beside.values()):
        return []
    first = shape.edges[0][0]
    loop, before, at = [first], first, beside[first][0]
    while at != first:
        loop.append(at)
        a, b = beside[at]
        before, at = at, b if a == before else a
    return loop if len(loop) == len(shape.edges) else []

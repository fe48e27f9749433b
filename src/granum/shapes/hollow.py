"""What a closed skeleton encloses: the inside of a solid's faces, of an outline in the plane."""

from __future__ import annotations

from collections import Counter
from functools import cache

import numpy as np
from numpy.typing import NDArray

from granum.checks import FloatArray
from granum.shapes.apart import is_inside as is_in_solid
from granum.shapes.drawn_faces import outline_of
from granum.shapes.filling import is_inside as is_in_outline
from granum.shapes.rigid import RigidShape

MOST = 1_000_000  # points times parts of a shape that are asked at a time: some 100 MB


def encloses(shape: RigidShape, points: FloatArray, dimension: int) -> NDArray[np.bool_]:
    """Tell which points (k,3) a skeleton encloses, (k,); none if it is not closed."""
    at, seen = np.array(shape.points)[:, :dimension], points[:, :dimension]
    inside = ((seen >= at.min(axis=0)) & (seen <= at.max(axis=0))).all(axis=1)
    near = np.flatnonzero(inside)  # few, of those that lie beside it
    for some in np.array_split(near, 1 + len(near) * shape.parts // MOST):
        inside[some] = _encloses(shape, points[some], dimension)
    return inside


def _encloses(shape: RigidShape, points: FloatArray, dimension: int) -> NDArray[np.bool_]:
    at = np.array(shape.points)
    if dimension == 2:
        loop = outline_of(shape)
        return (is_in_outline(points[:, :2], at[loop, :2]) if loop
                else np.zeros(len(points), dtype=np.bool_))
    closed = _closed_faces(shape)
    return (is_in_solid(points, at[closed]) if len(closed)
            else np.zeros(len(points), dtype=np.bool_))


@cache
def _closed_faces(shape: RigidShape) -> NDArray[np.int64]:
    """Return the faces that bound solids, (f,3): each side of them is that of another one, too."""
    faces = [tuple(face) for face in shape.faces]
    while True:
        sides = Counter(side for face in faces for side in _sides(face))
        kept = [face for face in faces if all(sides[side] == 2 for side in _sides(face))]
        if len(kept) == len(faces):
            return np.array(faces, dtype=np.int64).reshape(-1, 3)
        faces = kept


def _sides(face: tuple[int, ...]) -> list[frozenset[int]]:
    return [frozenset((face[k], face[k - 1])) for k in range(3)]

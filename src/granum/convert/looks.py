"""How types of particles look, in the words of the shapes of GSD (https://gsd.readthedocs.io)."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.spatial import ConvexHull, QhullError

from granum.convert.swept_mesh import swept_mesh
from granum.shapes import RigidShape
from granum.shapes.drawn_faces import drawn_faces, outline_of

DETAIL = 3  # of meshes
DIGITS = 9  # of coordinates, which are float32 in the schema's other arrays


def shape_of(shape: RigidShape, scale: float, dimension: int) -> dict[str, Any]:
    """Return the table of a swept shape: a polygon, a convex polyhedron, or a mesh."""
    points, radius = scale * np.array(shape.points), scale * shape.radii[0]
    outline = outline_of(shape) if dimension == 2 else []
    if outline:
        return {"type": "Polygon", "rounding_radius": _short(radius),
                "vertices": _short(points[_counter_clockwise(points, outline), :2])}
    if dimension == 3 and _is_convex(shape):
        return {"type": "ConvexPolyhedron", "rounding_radius": _short(radius),
                "vertices": _short(points)}
    edges, faces = (np.array(rows, dtype=np.int64).reshape(-1, width) for rows, width in (
        (shape.edges, 2), (drawn_faces(shape, dimension), 3)))
    mesh = swept_mesh(points, radius, edges, faces, DETAIL)
    return {"type": "Mesh", "vertices": _short(mesh.vertices), "indices": mesh.triangles.tolist()}


def _short(values: Any) -> Any:
    """Return numbers as lists, with as many digits as count."""
    rounded = np.array([float(f"{x:.{DIGITS}g}") for x in np.ravel(values).tolist()])
    return rounded.reshape(np.shape(values)).tolist()


def _counter_clockwise(points: Any, outline: list[int]) -> list[int]:
    x, y = points[outline, 0], points[outline, 1]
    area = (x * np.roll(y, -1) - y * np.roll(x, -1)).sum()
    return outline if area > 0.0 else outline[::-1]


def _is_convex(shape: RigidShape) -> bool:
    """Tell whether a shape is the solid that its vertices span."""
    points = np.array(shape.points)
    if len(shape.faces) < 4:
        return False
    try:
        hull = ConvexHull(points)
    except QhullError:
        return False
    a, b, c = (points[np.array(shape.faces)[:, k]] for k in range(3))
    held = float((a * np.cross(b, c)).sum()) / 6.0
    return len(hull.vertices) == len(points) and bool(np.isclose(held, hull.volume, rtol=1e-9))

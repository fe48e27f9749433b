"""How far points are from a shape, and how deep inside: what covering spheres are judged by.

The *gap* of a point x is its distance from the swept skeleton, negative inside:

    g(x) = min over points, segments and triangles σ of |x - σ| - r_σ   [m]

It changes by no more than x moves. The *depth* is the radius of the largest ball about x that lies
in the grain, or a bound from below: -g where the grain is a skeleton swept by a ball, and r more
than the distance from the surface inside a *solid*, whose skeleton is closed and convex: a surface
of triangles, in the plane an outline of segments. (In a solid that is not convex a point counts as
on the skeleton it is nearest to: its depth is a bound.)
"""

from __future__ import annotations

from collections import Counter

import numpy as np

from granum.checks import FloatArray, IntArray
from granum.compile import kernel
from granum.geometry.simplices import dot, less, on_segment, on_triangle
from granum.shapes.rigid import RigidShape

FLAT = 1e-9  # of the shape's size: how far beyond a face a point of a convex solid may be


def gaps(shape: RigidShape, points: FloatArray) -> FloatArray:
    """Return the gap between points (m,3) and a shape, (m,) [m]."""
    found = np.empty(len(points))
    _write_gaps(np.ascontiguousarray(points), shape.arms, *maximal(shape), found)
    return found


def depths(shape: RigidShape, points: FloatArray, dimension: int) -> FloatArray:
    """Return how deep in a grain points (m,3) are at least, (m,) [m]; negative outside."""
    found = -gaps(shape, points)
    sides = half_spaces(shape, dimension)
    if sides is not None:
        normals, offsets = sides
        within = (offsets - points @ normals.T).min(axis=1)
        found = np.where(within > 0.0, shape.radii[0] + within, found)
    return found


def half_spaces(shape: RigidShape, dimension: int) -> tuple[FloatArray, FloatArray] | None:
    """Return normals (f,3) and offsets (f,) [m] with n·x <= b inside a solid; None if it is none.

    A solid's skeleton is closed (each edge has two faces, in the plane each point two edges) and
    convex.
    """
    at = np.array(shape.points)
    if dimension == 2:
        ends = np.array(shape.edges, dtype=np.int64).reshape(-1, 2)
        if len(ends) < 3 or set(Counter(ends.ravel().tolist()).values()) != {2}:
            return None
        along = at[ends[:, 1]] - at[ends[:, 0]]
        normals = np.column_stack((along[:, 1], -along[:, 0], np.zeros(len(along))))
        on = at[ends[:, 0]]
        middle = at[np.unique(ends)].mean(axis=0)
        normals *= np.where(((on - middle) * normals).sum(axis=1) < 0.0, -1.0, 1.0)[:, None]
    else:
        faces = np.array(shape.faces, dtype=np.int64).reshape(-1, 3)
        sides = np.sort(np.concatenate((faces[:, :2], faces[:, 1:], faces[:, ::2])), axis=1)
        if len(faces) < 4 or set(Counter(map(tuple, sides.tolist())).values()) != {2}:
            return None
        a, b, c = at[faces].transpose(1, 0, 2)
        normals, on = np.cross(b - a, c - a), a
    length = np.linalg.norm(normals, axis=1)
    if not length.all():
        return None
    normals = normals / length[:, None]
    offsets = (normals * on).sum(axis=1)
    beyond = (at @ normals.T - offsets).max()
    thick = (offsets - (at @ normals.T).min(axis=0)).min()
    size = float(np.ptp(at, axis=0).max())
    return (normals, offsets) if beyond <= FLAT * size < thick else None


def maximal(shape: RigidShape) -> tuple[IntArray, IntArray, IntArray]:
    """Return the faces (f,3), the edges (e,2) of no face, and the balls (b,) of no edge."""
    faces = np.array(shape.faces, dtype=np.int64).reshape(-1, 3)
    known = {tuple(sorted((face[i], face[j])))
             for face in faces.tolist() for i, j in ((0, 1), (1, 2), (0, 2))}
    free = [edge for edge in shape.edges if tuple(sorted(edge)) not in known]
    edges = np.array(free, dtype=np.int64).reshape(-1, 2)
    used = {*faces.ravel().tolist(), *edges.ravel().tolist()}
    return faces, edges, np.array([k for k in range(len(shape)) if k not in used], dtype=np.int64)


@kernel
def _write_gaps(points, arms, faces, edges, balls, found):
    """Write the gap of each point: the least of all features."""
    for m in range(points.shape[0]):
        x = points[m, 0], points[m, 1], points[m, 2]
        least = np.inf
        for k in range(balls.size):
            away = less(x, _centre(arms, balls[k]))
            least = min(least, np.sqrt(dot(away, away)) - arms[balls[k], 3])
        for k in range(edges.shape[0]):
            i, j = edges[k, 0], edges[k, 1]
            _, square, _ = on_segment(x, _centre(arms, i), _centre(arms, j))
            least = min(least, np.sqrt(square) - arms[i, 3])
        for k in range(faces.shape[0]):
            a, b, c = faces[k, 0], faces[k, 1], faces[k, 2]
            found_on = on_triangle(x, _centre(arms, a), _centre(arms, b), _centre(arms, c))
            least = min(least, np.sqrt(found_on[3]) - arms[a, 3])
        found[m] = least


@kernel
def _centre(arms, i):
    """Return the centre of a ball."""
    return arms[i, 0], arms[i, 1], arms[i, 2]

"""Skeletons for tests: convex and hollow, closed and open, in space and in the plane."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from scipy.spatial import ConvexHull

from granum.contact.skeleton import skeleton_of
from granum.shapes import RigidShape


class Body:
    """A skeleton that can be put anywhere."""

    def __init__(self, points, edges=(), faces=(), radius=0.1, dimension=3):
        points = np.asarray(points, dtype=float)
        if points.shape[1] == 2:
            points = np.column_stack((points, np.zeros(len(points))))
        edges = {tuple(sorted(pair)) for face in faces for pair in combinations(face, 2)} | {
            tuple(sorted(pair)) for pair in edges}
        seams = {pair for pair in edges if is_flat(points, [f for f in faces if set(pair) <= {*f}])}
        self.points, self.radius, self.dimension = points, radius, dimension
        self.edges = [*sorted(edges - seams), *sorted(seams)]
        self.faces = [tuple(map(int, face)) for face in faces]
        self.shape = RigidShape(
            tuple(map(tuple, points)), (radius,) * len(points), 1.0, (1.0, 1.0, 1.0),
            tuple(sorted(edges - seams)), tuple(self.faces), tuple(sorted(seams)))
        self.skeleton = skeleton_of(self.shape, dimension)
        self.crossing = self.skeleton.edge[self.skeleton.crosses].tolist()


def is_flat(points, faces):
    """Tell whether two faces lie in one plane."""
    if len(faces) != 2:
        return False
    one, two = (np.cross(points[b] - points[a], points[c] - points[a]) for a, b, c in faces)
    return np.linalg.norm(np.cross(one, two)) < 1e-9


def hull(points, radius=0.1):
    """Return the convex hull of points, its faces turned outwards."""
    found = ConvexHull(points)
    corners = {v: k for k, v in enumerate(found.vertices)}
    faces = []
    for face, plane in zip(found.simplices, found.equations, strict=True):
        a, b, c = points[face]
        turn = 1 if np.cross(b - a, c - a) @ plane[:3] > 0.0 else -1
        faces.append([corners[v] for v in face[::turn]])
    return Body(points[found.vertices], faces=faces, radius=radius)


def cube(radius=0.1):
    """Return a cube of side 1, each side two triangles."""
    return hull(np.array([(x, y, z) for x in (-0.5, 0.5) for y in (-0.5, 0.5)
                          for z in (-0.5, 0.5)]), radius)


def random_hull(rng, count=10, radius=0.1):
    """Return the hull of points on a sphere."""
    points = rng.normal(size=(count, 3))
    return hull(0.6 * points / np.linalg.norm(points, axis=1)[:, None], radius)


def dented(rng, count=14):
    """Return a closed surface with hollow edges: the corners of a hull, some drawn inwards."""
    body = random_hull(rng, count)
    return Body(body.points * rng.uniform(0.5, 1.2, (len(body.points), 1)), faces=body.faces)


def sheet():
    """Return three triangles around a corner, folded, with a segment hanging on: no solid."""
    return Body([(0, 0, 0), (0.7, 0, 0.1), (0.2, 0.6, -0.1), (-0.6, 0.3, 0.2), (0, -0.6, 0.3)],
                edges=[(0, 4)], faces=[(0, 1, 2), (0, 2, 3), (0, 3, 1)])


def rod():
    """Return a segment."""
    return Body([(-0.6, 0, 0), (0.6, 0, 0)], edges=[(0, 1)])


def ball(dimension=3):
    """Return a point."""
    return Body([(0.0, 0.0, 0.0)], radius=0.3, dimension=dimension)


def polygon(points, radius=0.1):
    """Return an outline in the plane."""
    count = len(points)
    return Body(points, [(k, (k + 1) % count) for k in range(count)], (), radius, dimension=2)


def random_polygon(rng, count=6):
    """Return a star-shaped outline, hollow as it comes."""
    angle = np.sort(rng.uniform(0.0, 2.0 * np.pi, count))
    radius = rng.uniform(0.3, 0.7, count)
    return polygon(np.column_stack((radius * np.cos(angle), radius * np.sin(angle))))


def round_polygon(rng, count=16):
    """Return an outline that is nearly a circle, with sides much shorter than the ball."""
    angle = 2.0 * np.pi / count * (np.arange(count) + rng.uniform(-0.4, 0.4, count))
    return polygon(0.4 * np.column_stack((np.cos(angle), np.sin(angle))), radius=0.6)


def square():
    """Return a square of side 1."""
    return polygon([(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)])


def polyline():
    """Return a bent line in the plane."""
    return Body([(-0.6, 0.0), (0.0, 0.2), (0.5, -0.1)], edges=[(0, 1), (1, 2)], dimension=2)


def rotation(vector):
    """Return the matrix of the rotation about a vector by its length."""
    angle = np.linalg.norm(vector)
    if angle == 0.0:
        return np.eye(3)
    x, y, z = np.asarray(vector) / angle
    K = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + np.sin(angle) * K + (1.0 - np.cos(angle)) * K @ K

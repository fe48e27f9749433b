"""Skeletons swept by balls, made by hand, and a plain twin of the distance of two of them."""

from itertools import combinations, product

import numpy as np
from scipy.spatial import ConvexHull

from granum.shapes import RigidShape
from granum.shapes.turning import random_turns, turned


def skeleton(points, radius, edges=(), faces=()):
    """Return a shape as the engine takes it; its mass properties do not matter here."""
    points = np.array(points, dtype=float)
    return RigidShape(tuple(map(tuple, points.tolist())), (radius,) * len(points), 1.0,
                      (1.0, 1.0, 1.0), tuple(edges), tuple(faces))


def solid(points, radius):
    """Return the convex hull of points, its surface cut into triangles."""
    points = np.array(points, dtype=float)
    hull = ConvexHull(points)
    faces = []
    for corners, plane in zip(hull.simplices.tolist(), hull.equations, strict=True):
        a, b, c = points[corners]
        outward = np.cross(b - a, c - a) @ plane[:3] > 0.0
        faces.append(tuple(corners if outward else corners[::-1]))
    edges = sorted({tuple(sorted(pair)) for face in faces for pair in combinations(face, 2)})
    return skeleton(points, radius, edges, faces)


def rod(length, radius=1.0):
    return skeleton([(-0.5 * length, 0, 0), (0.5 * length, 0, 0)], radius, [(0, 1)])


def triangle(size, radius=1.0):
    """Return a regular triangle whose corners are ``size`` from its centre."""
    angle = 2.0 * np.pi * np.arange(3) / 3.0
    corners = size * np.column_stack((np.cos(angle), np.sin(angle), 0.0 * angle))
    return skeleton(corners, radius, [(0, 1), (1, 2), (0, 2)], [(0, 1, 2)])


def tetrahedron(size, radius=1.0):
    corners = np.array([(1, 1, 1), (1, -1, -1), (-1, 1, -1), (-1, -1, 1)])
    return solid(size / np.sqrt(3.0) * corners, radius)


def box(sides, radius=1.0):
    return solid(0.5 * np.array(sides) * list(product((-1, 1), repeat=3)), radius)


def polygon(points, radius):
    """Return the outline of a polygon in the plane."""
    points = np.column_stack((np.array(points, dtype=float), np.zeros(len(points))))
    return skeleton(points, radius, [(k, (k + 1) % len(points)) for k in range(len(points))])


def parts(shape, is_convex):
    """Return the corners of convex parts whose union is the skeleton, with what is inside."""
    at = np.array(shape.points)
    if is_convex:
        return [at]
    if shape.faces:
        return [at[list(face)] for face in shape.faces]
    return [at[list(edge)] for edge in shape.edges] or [at[[k]] for k in range(len(at))]


def distance(a, b):
    """Return the distance of the convex hulls of points a (m,3) and b (n,3): 0 if they meet.

    Of all pairs of faces, of whatever dimension, the points are found where the flats that they
    span are nearest. The nearest of those that lie in their faces is the nearest of all.
    """
    best = np.inf
    for i, j in product(range(1, min(len(a), 4) + 1), range(1, min(len(b), 4) + 1)):
        if i + j > 5:
            continue  # flats of more than three directions in all: they meet, as some with less do
        of_a, of_b = list(combinations(range(len(a)), i)), list(combinations(range(len(b)), j))
        pairs = list(product(of_a, of_b))
        p = a[[list(pair[0]) for pair in pairs]]
        q = b[[list(pair[1]) for pair in pairs]]
        ways = np.concatenate((p[:, 1:] - p[:, :1], q[:, :1] - q[:, 1:]), axis=1)
        apart = q[:, 0] - p[:, 0]
        share = np.zeros((len(pairs), i + j - 2))
        if i + j > 2:
            inverse = np.linalg.pinv(ways.transpose(0, 2, 1), rcond=1e-10)
            share = np.einsum("kab,kb->ka", inverse, apart)
        left = apart - np.einsum("kab,ka->kb", ways, share)
        s, t = share[:, : i - 1], share[:, i - 1:]
        inside = ((s >= -1e-12).all(axis=1) & (s.sum(axis=1) <= 1.0 + 1e-12)
                  & (t >= -1e-12).all(axis=1) & (t.sum(axis=1) <= 1.0 + 1e-12))
        if inside.any():
            best = min(best, np.linalg.norm(left[inside], axis=1).min())
    return best


def gap(first, second):
    """Return the gap of two bodies, each (parts in the lab, radius) [m]."""
    return min(distance(p, q) for p in first[0] for q in second[0]) - first[1] - second[1]


def heap(shapes, count, dimension, closest, farthest, seed):
    """Return bodies in a dense heap, gaps of neighbours between two bounds.

    A body comes from far away towards the middle, in an orientation by chance, until its gap to the
    nearest is a number drawn between the bounds.

    Args:
        shapes: (shape, whether it is convex as a whole) for each kind.
        count: of bodies.
        dimension: 2 for bodies in the plane z = 0.
        closest: least gap [m]; negative for overlaps.
        farthest: largest gap of a body to its nearest when it is put in [m].
        seed: of chance.

    Returns:
        kinds (n,), positions (n,3), orientations (n,4), and gaps (n,n).
    """
    rng = np.random.default_rng(seed)
    kinds = rng.integers(len(shapes), size=count)
    turns = random_turns(rng, count, dimension)
    size = np.array([shape.radius for shape, _ in shapes])[kinds]
    position = np.zeros((count, 3))
    bodies = []
    gaps = np.full((count, count), np.inf)

    def body(k):
        shape, is_convex = shapes[kinds[k]]
        lab = [position[k] + turned(turns[k], part) for part in parts(shape, is_convex)]
        return lab, shape.radii[0]

    def gaps_of(k):
        """Return the gaps to all before; of those far away a bound."""
        mine = body(k)
        bound = np.linalg.norm(position[:k] - position[k], axis=1) - size[:k] - size[k]
        return np.array([b if b > farthest else gap(mine, bodies[i])
                         for i, b in enumerate(bound)])

    for k in range(count):
        if k:
            way = rng.normal(size=3)
            way[dimension:] = 0.0
            way /= np.linalg.norm(way)
            goal = rng.uniform(closest, farthest)
            position[k] = (np.abs(position[:k]).max() + 2.0 * size.max()) * way
            found = gaps_of(k)
            while found.min() > goal + 1e-3 * size.max():
                position[k] -= (found.min() - goal) * way
                found = gaps_of(k)
            gaps[k, :k] = gaps[:k, k] = found
        bodies.append(body(k))
    return kinds, position, turns, gaps

"""Solids with their faces moved in by a radius, convex or not.

Faces in one plane make a facet. Each vertex moves by r p, where p solves n·p = -1 for the normals n
of all facets that meet there: with three of them that is one point; with two, or one, which leave p
open along an edge or a face, the shortest p. Then facets stay flat and edges keep their direction.
Swept by a ball of the radius, inner edges come out sharp as they were, and outer ones rounded.

More than three facets meet in one point again only by chance, as at the tip of a regular pyramid,
and not on a scanned stone. There p is the shortest with n·p <= -1 for all of them (least distance
programming: C. L. Lawson and R. J. Hanson, Solving Least Squares Problems, 1974, chapter 23). So
nothing comes out of the body, and some facets go in deeper than the radius at this vertex: a few
hundredths of it on a blunt stone. They are triangles then.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.optimize import nnls
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from scipy.spatial import cKDTree

from granum.checks import FloatArray, IntArray
from granum.errors import InputError
from granum.shapes.assembly import Loops, assemble
from granum.shapes.closest import Surface, closest, surface_of
from granum.shapes.erosion import ROOM, eroded_hull
from granum.shapes.outline import place
from granum.shapes.skeleton import FLAT, Skeleton, hull, pairs
from granum.shapes.triangulate import ears, normal_of

SAME = 1e-6  # distance between unit normals of facets that lie in one plane
OPEN = 1e-7  # singular value of normals, as a share of the largest, that leaves a direction open
MEET = 1e-6  # by which planes may miss a point, in radii
FARTHEST = 1e9  # square of a way, in radii, that is no way at all
UPWARDS = np.array([0.0, 0.0, 0.0, 1.0])


def eroded_solid(name: str, points: FloatArray, loops: Loops, radius: float
                 ) -> tuple[FloatArray, IntArray | None]:
    """Return the solid that faces close with all of them moved in by a radius [m].

    Convex ones are given by their corners alone, without faces; short edges of theirs may vanish.
    """
    lone = sorted(set(range(len(points))) - {k for row in loops for k in row})
    if loops and lone:
        message = (f"{name} vertex {lone[0]} at {place(points[lone[0]])} belongs to no face: leave "
                   "it out to round the solid")
        raise InputError(message)
    skeleton = assemble(name, points, loops, (), radius) if loops else hull(points[:1])
    if not len(skeleton.faces) or not skeleton.closed.all():
        message = f"{name} faces must close a solid to be rounded, but they are plates, or none"
        raise InputError(message)
    if skeleton.is_convex:
        return eroded_hull(name, skeleton.points, radius), None
    number = np.asarray(cKDTree(points).query(skeleton.points)[1], dtype=np.int64)
    return eroded_mesh(name, skeleton, radius, number)


def eroded_mesh(name: str, skeleton: Skeleton, radius: float, number: IntArray
                ) -> tuple[FloatArray, IntArray]:
    """Return points (n,3) [m] and triangles (m,3) of a solid, all faces moved in by a radius.

    Args:
        name: of the shape, for messages.
        skeleton: closed; best without vertices in the midst of straight edges, parts of which
            may vanish where the whole does not.
        radius: by which all faces move [m].
        number: what messages call the points of the skeleton.
    """
    facet, normal = _facets(skeleton)
    x, faces = skeleton.points, skeleton.faces
    pull = np.zeros_like(x)
    for k in range(len(x)):
        planes = _distinct(normal[np.unique(facet[(faces == k).any(axis=1)])])
        pull[k] = np.linalg.lstsq(planes, np.full(len(planes), -1.0), rcond=OPEN)[0]
        if np.abs(planes @ pull[k] + 1.0).max() > MEET:
            found = shortest_in(planes)
            if found is None:
                message = (f"{name} vertex {number[k]} at {place(x[k])} cannot be moved in: of its "
                           f"faces in {len(planes)} planes some look in opposite directions. Round "
                           "convex parts of the body one by one, or leave the faces out to have "
                           "the convex hull")
                raise InputError(message)
            pull[k] = found
    _refuse_vanishing(name, skeleton, pull, radius)
    moved = x + radius * pull
    _refuse_narrow(name, skeleton, Surface(moved, skeleton.edges, faces[:0]), radius)
    cut = _cut(name, skeleton, moved, facet, normal, radius)
    _refuse_narrow(name, skeleton, surface_of(moved, cut), radius)
    return moved, cut


def shortest_in(normals: FloatArray) -> FloatArray | None:
    """Return the shortest p with n·p <= -1 for all these normals, None if there is no such p.

    With r the way from (0, 0, 0, 1) to the closest sum of rows (-n, 1), each any number of times
    but less than none, p = -r[:3] / r[3] and p² + 1 = -1 / r[3]; there is none if r = 0.
    """
    rows = np.column_stack((-normals, np.ones(len(normals))))
    r = nnls(rows.T, UPWARDS)[0] @ rows - UPWARDS
    return None if -r[3] * FARTHEST < 1.0 else np.asarray(-r[:3] / r[3])


def _facets(skeleton: Skeleton) -> tuple[IntArray, FloatArray]:
    """Return the facet of each triangle (m,), and the unit normals of facets (f,3)."""
    x, faces = skeleton.points, skeleton.faces
    owners: dict[tuple[int, int], list[int]] = {}
    for k, face in enumerate(faces.tolist()):
        for a, b in _around(face):
            owners.setdefault((min(a, b), max(a, b)), []).append(k)
    links = pairs([owners[a, b] for a, b in skeleton.seams.tolist()])
    graph = coo_array((np.ones(len(links)), (links[:, 0], links[:, 1])),
                      shape=(len(faces), len(faces)))
    count, facet = connected_components(graph, directed=False)
    first, second, third = (x[faces[:, k]] for k in range(3))
    normal = np.zeros((count, 3))
    np.add.at(normal, facet, np.cross(second - first, third - first))
    return facet.astype(np.int64), normal / np.linalg.norm(normal, axis=1)[:, None]


def _around(loop: Sequence[int]) -> list[tuple[int, int]]:
    return list(zip(loop, [*loop[1:], loop[0]], strict=True))


def _distinct(normals: FloatArray) -> FloatArray:
    """Return normals of facets at one vertex, those of one plane once."""
    kept: list[FloatArray] = []
    for n in normals:
        if all(np.linalg.norm(n - m) > SAME for m in kept):
            kept.append(n)
    return np.array(kept)


def _refuse_vanishing(name: str, skeleton: Skeleton, pull: FloatArray, radius: float) -> None:
    """Refuse a radius with which an edge would vanish or turn over."""
    x, (a, b) = skeleton.points, skeleton.edges.T
    e = x[b] - x[a]
    taken = ((pull[a] - pull[b]) * e).sum(axis=1) / (e * e).sum(axis=1)  # of its length, per radius
    room = np.where(taken > 0.0, 1.0 / np.maximum(taken, 1e-300), np.inf)
    k = int(room.argmin())
    if radius * (1.0 + ROOM) >= room[k]:
        message = (f"{name} radius = {radius:g} m is too large: the edge from {place(x[a[k]])} to "
                   f"{place(x[b[k]])} would vanish. It must be less than {room[k]:.4g} m, or the "
                   "edge be longer")
        raise InputError(message)


def _cut(name: str, skeleton: Skeleton, moved: FloatArray, facet: IntArray, normal: FloatArray,
         radius: float) -> IntArray:
    """Return triangles of the moved facets, cut anew: old ones may turn over as corners move.

    Facets with holes keep theirs, and are refused if one of them turns over.
    """
    cut: list[tuple[int, ...]] = []
    for k, n in enumerate(normal):
        for loop in _outlines(skeleton.faces[facet == k]):
            triangles = ears(moved[loop])
            if triangles is None or normal_of(moved[loop]) @ n <= 0.0:
                where = place(skeleton.points[loop].mean(axis=0))
                message = (f"{name} radius = {radius:g} m is too large: the face about {where} "
                           "would turn over. Give a smaller one, or cut the face otherwise")
                raise InputError(message)
            cut += [(loop[a], loop[b], loop[c]) for a, b, c in triangles]
    return np.array(cut, dtype=np.int64)


def _outlines(faces: IntArray) -> list[list[int]]:
    """Return the outline of a facet, or its triangles if there is more to it than one line.

    That is a hole, a vertex in its midst, or one where it meets itself.
    """
    triangles: list[list[int]] = faces.tolist()
    sides = {side for face in triangles for side in _around(face)}
    border = [(a, b) for a, b in sides if (b, a) not in sides]
    after = dict(border)
    if len(after) < len(border):
        return triangles
    loop = [min(after)]
    while after[loop[-1]] != loop[0]:
        loop.append(after[loop[-1]])
    return [loop] if len(loop) == len(np.unique(faces)) else triangles


def _refuse_narrow(name: str, skeleton: Skeleton, moved: Surface, radius: float) -> None:
    """Refuse a radius with which what is moved meets itself, or the ball reaches outside.

    Edges are tried before faces are cut, which they must not cross.
    """
    x = skeleton.points
    size = float(np.linalg.norm(np.ptp(x, axis=0)))
    old = surface_of(x, skeleton.faces)
    for near, k in (closest(old, moved, radius * (1.0 - ROOM)), closest(moved, moved, FLAT * size)):
        if near < np.inf:
            message = (f"{name} radius = {radius:g} m is too large: near {place(x[k])} the body is "
                       "too narrow for it. Give a smaller one")
            raise InputError(message)

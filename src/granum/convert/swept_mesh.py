"""Surfaces of swept shapes as triangles, for programs that know meshes only.

Of a convex solid the surface is known piece by piece: each face moved outwards by the radius, a
part of a cylinder along each edge from the normal of one face to that of the other, and a part of a
sphere around each vertex between the normals of its faces. The pieces share their rims, so that
the mesh is closed. Any other shape is put together from closed capsules along its edges, both sides
of its plates and balls, which reach into each other; inner corners of solids need nothing.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from granum.checks import FloatArray, IntArray

FLAT = 1e-9  # sine of the angle between two faces that lie in one plane


class Mesh(NamedTuple):
    """Vertices (v,3) [m], outward normals (v,3), and triangles (t,3), seen from outside."""

    vertices: FloatArray
    normals: FloatArray
    triangles: IntArray


def swept_mesh(points: FloatArray, radius: float, edges: IntArray, faces: IntArray, detail: int
               ) -> Mesh:
    """Return the surface of a skeleton swept by a ball.

    Args:
        points: vertices of the skeleton, (n,3) [m].
        radius: of the ball [m].
        edges: pairs of vertices, (e,2).
        faces: triples of vertices, (f,3); where they close, counter-clockwise from outside.
        detail: steps by which a quarter of a circle is divided, or any smaller arc.
    """
    sides = _sides(faces)
    is_closed = len(faces) > 0 and all((b, a) in sides for a, b in sides)
    normals = _normals(points, faces)
    tops = [(points[face] + sign * radius * normal, sign * normal)
            for face, normal in zip(faces, normals, strict=True)
            for sign in ((1.0,) if is_closed else (1.0, -1.0))]
    pieces = [_flat(corners, normal) for corners, normal in tops]
    free = [(a, b) for a, b in edges.tolist() if not (
        is_closed and ((a, b) in sides or (b, a) in sides))]
    pieces += [_capsule(points[a], points[b], radius, detail) for a, b in free]
    bare = set(range(len(points))) - {k for pair in free for k in pair}
    if is_closed:
        pieces += [_bend(points[a], points[b], normals[f], normals[sides[b, a]], radius, detail)
                   for (a, b), f in sides.items() if a < b and _is_convex(
                       normals[f], normals[sides[b, a]], points[b] - points[a])]
        is_solid = ((points[faces[:, :1]] - points[None]) * normals[:, None]).sum(
            axis=2).min() >= -1e-9 * np.ptp(points)
        around = _around(faces)
        pieces += [_cap(points[k], normals[around[k]], radius, detail) if is_solid and k in around
                   else _capsule(points[k], points[k], radius, detail) for k in sorted(bare)]
    else:
        pieces += [_capsule(points[k], points[k], radius, detail) for k in sorted(bare)]
    return joined(pieces)


def joined(pieces: Iterable[Mesh]) -> Mesh:
    """Return several meshes as one."""
    parts = list(pieces)
    first = np.cumsum([0, *(len(part.vertices) for part in parts)])
    return Mesh(np.concatenate([part.vertices for part in parts]),
                np.concatenate([part.normals for part in parts]),
                np.concatenate([part.triangles + k
                                for part, k in zip(parts, first.tolist(), strict=False)]))


def _sides(faces: IntArray) -> dict[tuple[int, int], int]:
    """Return for each side of a face, in its direction, which face that is."""
    return {(face[k], face[(k + 1) % 3]): f for f, face in enumerate(faces.tolist())
            for k in range(3)}


def _normals(points: FloatArray, faces: IntArray) -> FloatArray:
    a, b, c = (points[faces[:, k]] for k in range(3))
    normal = np.cross(b - a, c - a)
    return np.asarray(normal / np.linalg.norm(normal, axis=1, keepdims=True))


def _is_convex(one: FloatArray, other: FloatArray, way: FloatArray) -> bool:
    """Tell whether two faces bend away from each other at a side that the first one goes along."""
    return float(np.cross(one, other) @ way) > FLAT * float(np.linalg.norm(way))


def _flat(corners: FloatArray, normal: FloatArray) -> Mesh:
    a, b, c = corners
    turn = [0, 1, 2] if np.cross(b - a, c - a) @ normal > 0.0 else [0, 2, 1]
    return Mesh(corners, np.tile(normal, (3, 1)), np.array([turn]))


def _arc(one: FloatArray, other: FloatArray, detail: int) -> FloatArray:
    """Return unit vectors from one to another, both included, (detail + 1, 3)."""
    angle = np.arctan2(np.linalg.norm(np.cross(one, other)), one @ other)
    share = np.linspace(0.0, 1.0, detail + 1)[:, None]
    if angle < FLAT:
        return np.tile(one, (detail + 1, 1))
    return np.asarray((np.sin((1.0 - share) * angle) * one + np.sin(share * angle) * other)
                      / np.sin(angle))


def _bend(a: FloatArray, b: FloatArray, one: FloatArray, other: FloatArray, radius: float,
          detail: int) -> Mesh:
    """Return the part of a cylinder along a side, from the normal of one face to the other's.

    The first face goes from a to b.
    """
    normals = _arc(one, other, detail)
    n = len(normals)
    k = np.arange(n - 1)
    return Mesh(np.concatenate([a + radius * normals, b + radius * normals]),
                np.tile(normals, (2, 1)),
                np.concatenate([np.stack([k, k + 1, k + n], axis=1),
                                np.stack([k + 1, k + 1 + n, k + n], axis=1)]))


def _cap(point: FloatArray, corners: FloatArray, radius: float, detail: int) -> Mesh:
    """Return the part of a sphere between normals (k,3), counter-clockwise from outside."""
    rim = np.concatenate([_arc(one, other, detail)[:-1] for one, other in zip(
        corners, np.roll(corners, -1, axis=0), strict=True)])
    middle = corners.sum(axis=0) / np.linalg.norm(corners.sum(axis=0))
    share = (np.arange(1, detail + 1) / detail)[:, None, None]
    rings = (1.0 - share) * middle + share * rim
    rings = rings / np.linalg.norm(rings, axis=2, keepdims=True)
    n = len(rim)
    a = np.arange(n)
    b = (a + 1) % n
    triangles = [np.stack([np.zeros(n, dtype=np.int64), 1 + a, 1 + b], axis=1)]
    for ring in range(detail - 1):
        low, high = 1 + ring * n, 1 + (ring + 1) * n
        triangles += [np.stack([low + a, high + a, low + b], axis=1),
                      np.stack([low + b, high + a, high + b], axis=1)]
    normals = np.concatenate([middle[None], rings.reshape(-1, 3)])
    return Mesh(point + radius * normals, normals, np.concatenate(triangles))


def _around(faces: IntArray) -> dict[int, IntArray]:
    """Return the faces around each vertex, counter-clockwise from outside."""
    found: dict[int, IntArray] = {}
    after: dict[int, dict[int, tuple[int, int]]] = {}
    for f, face in enumerate(faces.tolist()):
        for k in range(3):
            corner, onwards, back = face[k], face[(k + 1) % 3], face[(k + 2) % 3]
            after.setdefault(corner, {})[onwards] = (back, f)
    for corner, steps in after.items():
        first = at = next(iter(steps))
        turn: list[int] = []
        while at in steps and len(turn) < len(steps):
            at, f = steps[at]
            turn.append(f)
            if at == first:
                break
        if at == first and len(turn) == len(steps):
            found[corner] = np.array(turn)
    return found


def _capsule(a: FloatArray, b: FloatArray, radius: float, detail: int) -> Mesh:
    """Return the surface of a segment swept by a ball; of a ball if both ends are one."""
    way, length = b - a, float(np.linalg.norm(b - a))
    axis = way / length if length > 0.0 else np.array([0.0, 0.0, 1.0])
    across = np.cross(axis, np.eye(3)[int(np.abs(axis).argmin())])
    across /= np.linalg.norm(across)
    angle = np.arange(4 * detail) * (0.5 * np.pi / detail)
    around = np.cos(angle)[:, None] * across + np.sin(angle)[:, None] * np.cross(axis, across)
    rise = np.linspace(-0.5 * np.pi, 0.5 * np.pi, 2 * detail + 1)
    n = len(around)
    rings = [(end, np.cos(t) * around + np.sin(t) * axis) for end, part in (
        (a, rise[1:detail + 1]), (b, rise[detail:-1])) for t in part]
    normals = np.concatenate([-axis[None], *(ring for _, ring in rings), axis[None]])
    centres = np.concatenate([a[None], *(np.tile(end, (n, 1)) for end, _ in rings), b[None]])
    k = np.arange(n)
    m = (k + 1) % n
    last = 1 + len(rings) * n
    triangles = [np.stack([np.zeros(n, dtype=np.int64), 1 + m, 1 + k], axis=1),
                 np.stack([np.full(n, last), last - n + k, last - n + m], axis=1)]
    for ring in range(len(rings) - 1):
        low, high = 1 + ring * n, 1 + (ring + 1) * n
        triangles += [np.stack([low + k, low + m, high + k], axis=1),
                      np.stack([low + m, high + m, high + k], axis=1)]
    return Mesh(centres + radius * normals, normals, np.concatenate(triangles))

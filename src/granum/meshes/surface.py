"""Triangles joined to a surface: shared corners, edges, holes, inside and outside.

Files such as STL give every triangle its own corners. Corners closer than `WELD` of the mesh's size
are one; so triangles that meet in space share an edge, and contacts can be handed from one to the
next. What cannot be a surface is refused: triangles without an area, or there twice.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from scipy.spatial import cKDTree

from granum.checks import FloatArray, IntArray
from granum.errors import InputError
from granum.meshes.raw import RawMesh, refuse

WELD = 1e-7
"""Corners that are closer, relative to the diagonal of the mesh, are one."""

SLIVER = 1e-9
"""Least height of a triangle, relative to its longest side."""


class Surface(NamedTuple):
    """A triangle mesh whose triangles know their neighbours."""

    vertices: FloatArray  # (n, 3)
    faces: IntArray  # (m, 3) corners, in the order of the file
    edges: IntArray  # (e, 2) ends, the lower number first
    face_edge: IntArray  # (m, 3) number of the edge from corner k to corner k + 1

    @property
    def uses(self) -> IntArray:
        """How many triangles each edge belongs to, (e,)."""
        return np.bincount(self.face_edge.ravel(), minlength=len(self.edges))

    @property
    def is_closed(self) -> bool:
        """Whether every edge belongs to exactly two triangles."""
        return bool((self.uses == 2).all())


def make_surface(raw: RawMesh, name: str) -> Surface:
    """Join the triangles of a file; ``name`` stands for it in messages."""
    if not len(raw.faces):
        refuse(name, "", "there are no triangles in it")
    _refuse_indices(raw, name)
    vertices, number = _welded(raw.vertices)
    faces = number[raw.faces]
    _refuse_slivers(vertices, faces, raw, name)
    _refuse_twice(faces, raw, name)
    return joined(vertices, faces)


def _refuse_indices(raw: RawMesh, name: str) -> None:
    wrong = ((raw.faces < 0) | (raw.faces >= len(raw.vertices))).any(axis=1)
    if wrong.any():
        k = int(np.argmax(wrong))
        refuse(name, raw.where(k), f"its corners are {raw.faces[k].tolist()}, but there are "
                                   f"{len(raw.vertices)} vertices, counted from 0")


def _welded(points: FloatArray) -> tuple[FloatArray, IntArray]:
    """Return the points that are left, in the order of first use, and the number of each (n,)."""
    distinct, first, number = np.unique(points + 0.0, axis=0, return_index=True,
                                        return_inverse=True)
    number = number.ravel()
    size = float(np.linalg.norm(np.ptp(distinct, axis=0)))
    near = cKDTree(distinct).query_pairs(WELD * size, output_type="ndarray")
    if len(near):
        graph = coo_array((np.ones(len(near)), (near[:, 0], near[:, 1])),
                          shape=(len(distinct), len(distinct)))
        part = connected_components(graph, directed=False)[1].astype(np.int64)
        number = part[number]
        _, first = np.unique(number, return_index=True)
    rank = np.empty(len(first), dtype=np.int64)
    rank[np.argsort(first)] = np.arange(len(first))
    return points[np.sort(first)] + 0.0, rank[number]


def _refuse_slivers(vertices: FloatArray, faces: IntArray, raw: RawMesh, name: str) -> None:
    corner = vertices[faces]
    side = np.roll(corner, -1, axis=1) - corner
    longest = (side**2).sum(axis=2).max(axis=1)
    area = np.linalg.norm(np.cross(side[:, 0], side[:, 1]), axis=1)
    flat = area <= SLIVER * longest
    if flat.any():
        k = int(np.argmax(flat))
        refuse(name, raw.where(k), f"its corners {raw.vertices[raw.faces[k]].tolist()} lie on one "
                                   f"line or point, so it has no area ({int(flat.sum())} of "
                                   f"{len(faces)} triangles are so): repair the mesh")


def _refuse_twice(faces: IntArray, raw: RawMesh, name: str) -> None:
    _, first, count = np.unique(np.sort(faces, axis=1), axis=0, return_index=True,
                                return_counts=True)
    if (count > 1).any():
        k = int(first[np.argmax(count > 1)])
        refuse(name, raw.where(k), "this triangle is there twice, so that grains would be pushed "
                                   "twice: repair the mesh")


def refuse_open(surface: Surface, name: str, why: str) -> None:
    """Refuse a mesh that must be closed and is not, and tell where its hole is."""
    uses = surface.uses
    if surface.is_closed:
        return
    single = np.flatnonzero(uses == 1)
    if not len(single):
        k = int(np.argmax(uses > 2))
        ends = surface.vertices[surface.edges[k]]
        message = (f"{name}: {why}, so each edge must belong to two triangles, but the one from "
                   f"{_text(ends[0])} to {_text(ends[1])} belongs to {uses[k]}: repair the mesh")
        raise InputError(message)
    border = surface.edges[single]
    n = len(surface.vertices)
    graph = coo_array((np.ones(len(border)), (border[:, 0], border[:, 1])), shape=(n, n))
    part = connected_components(graph, directed=False)[1][border[:, 0]]
    holes = len(np.unique(part))
    rim = border[part == part[0]]
    points = surface.vertices[np.unique(rim)]
    message = (f"{name}: {why}, so it must be closed, but it has {holes} "
               f"{'hole' if holes == 1 else 'holes'}: the first is bounded by {len(rim)} edges "
               f"around {_text(points.mean(axis=0))}, from {_text(points.min(axis=0))} to "
               f"{_text(points.max(axis=0))} (in the unit of the file): close it")
    raise InputError(message)


def facing_out(surface: Surface, name: str) -> Surface:
    """Return a closed surface with all corners counter-clockwise as seen from outside.

    From one triangle of each connected part to the next, those that run the other way are turned;
    then all are, if the volume that they hold is negative.
    """
    faces = surface.faces
    by_edge = np.argsort(surface.face_edge.ravel(), kind="stable").reshape(-1, 2)
    runs = (faces < np.roll(faces, -1, axis=1)).ravel()  # from the lower number to the higher
    is_alike = runs[by_edge[:, 0]] != runs[by_edge[:, 1]]
    partner = np.empty(faces.size, dtype=np.int64)  # across each side of each triangle
    partner[by_edge[:, 0]], partner[by_edge[:, 1]] = by_edge[:, 1] // 3, by_edge[:, 0] // 3
    turns = np.empty(faces.size, dtype=np.bool_)
    turns[by_edge[:, 0]] = turns[by_edge[:, 1]] = ~is_alike
    flip = _spread(partner.reshape(-1, 3), turns.reshape(-1, 3))
    if (flip[by_edge[:, 0] // 3] ^ flip[by_edge[:, 1] // 3] ^ ~is_alike).any():
        message = f"{name}: the surface has only one side, as a Klein bottle has: repair the mesh"
        raise InputError(message)
    turned = faces.copy()
    turned[flip] = turned[flip][:, [0, 2, 1]]
    if volume(surface.vertices, turned) < 0.0:
        turned = turned[:, [0, 2, 1]]
    return joined(surface.vertices, turned)


def _spread(partner: IntArray, turns: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return which triangles run against the first of their connected part, (m,)."""
    flip = np.zeros(len(partner), dtype=np.bool_)
    is_known = np.zeros(len(partner), dtype=np.bool_)
    for first in range(len(partner)):
        waiting = [] if is_known[first] else [first]
        is_known[first] = True
        while waiting:
            k = waiting.pop()
            for other, turn in zip(partner[k].tolist(), turns[k].tolist(), strict=True):
                if not is_known[other]:
                    is_known[other], flip[other] = True, flip[k] ^ turn
                    waiting.append(other)
    return flip


def joined(vertices: FloatArray, faces: IntArray) -> Surface:
    """Return the surface of triangles that share their corners already."""
    ends = np.stack([faces, np.roll(faces, -1, axis=1)], axis=-1).reshape(-1, 2)
    edges, face_edge = np.unique(np.sort(ends, axis=1), axis=0, return_inverse=True)
    return Surface(vertices, faces, edges, face_edge.reshape(-1, 3))


def volume(vertices: FloatArray, faces: IntArray) -> float:
    """Return the volume that a closed surface holds; negative if it is inside out."""
    corner = vertices[faces] - vertices.mean(axis=0)
    return float(np.einsum("ij,ij->i", corner[:, 0], np.cross(corner[:, 1], corner[:, 2])).sum()
                 ) / 6.0


def _text(point: FloatArray) -> str:
    return "(" + ", ".join(f"{x + 0.0:.4g}" for x in point) + ")"

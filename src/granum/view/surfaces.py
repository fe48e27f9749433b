"""Walls as triangles and lines, made from the pieces that the kernels meet.

Every wall but a mesh is made of planes, quadrilaterals, surfaces of revolution and spheres
(`granum.walls`), so a new kind of wall can be seen without a word here. What is endless is cut off
at a box: that of the wall where it has one, else that of the scene.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from granum.checks import FloatArray, IntArray
from granum.walls import Mesh, Wall
from granum.walls.frame import CIRCLE_CORNERS, make_frame
from granum.walls.piece import (
    PLANE,
    QUAD,
    REV_ALONG,
    REV_HIGH,
    REV_LOW,
    REV_OPENS,
    REV_SHUT,
    REV_START,
    REVOLUTION,
    SPHERE,
    SPHERE_RADIUS,
    Piece,
)

SPHERE_RINGS = 24
GLIMPSE = 1e-6  # share of its size by which a face is left to ask what its wall holds there
HALVINGS = 24
Box = tuple[FloatArray, FloatArray]
Triangles = tuple[FloatArray, IntArray]


@dataclass(frozen=True, eq=False)
class Surface:
    """A part of a wall.

    Attributes:
        vertices: (v, 3) [m], as described, before any motion.
        triangles: (t, 3) numbers of vertices.
        until: time at which it goes away [s]; infinite for all but the lid of a hole that opens.
    """

    vertices: FloatArray
    triangles: IntArray
    until: float = np.inf


def surfaces_of(wall: Wall, scene: Box) -> list[Surface]:
    """Return the surface of each piece of a wall, endless ones cut off at ``scene`` [m]."""
    if isinstance(wall, Mesh):
        return [Surface(wall.surface.vertices, wall.surface.faces)]
    own = wall.bounds()
    box = (np.where(np.isfinite(own[0]), own[0], scene[0]),
           np.where(np.isfinite(own[1]), own[1], scene[1]))
    return [surface for piece in wall.pieces() for surface in _surfaces(wall, piece, box)]


def _surfaces(wall: Wall, piece: Piece, box: Box) -> list[Surface]:
    row = piece.data
    if piece.kind == PLANE:
        return [Surface(*_plane(wall, row, box))]
    if piece.kind == QUAD:
        return [Surface(row[:12].reshape(4, 3).copy(), np.array([[0, 1, 2], [0, 2, 3]]))]
    if piece.kind == REVOLUTION:
        low, high = row[REV_LOW], row[REV_HIGH]
        if not np.isfinite([low, high]).all():
            low, high = _reach_along(row, box)
        made = [Surface(*_lathe(row, low, high))]
        if 0.0 < row[REV_OPENS] < np.inf and row[REV_SHUT] < row[REV_LOW]:
            made.append(Surface(*_lathe(row, row[REV_SHUT], row[REV_LOW]), row[REV_OPENS]))
        return made
    if piece.kind == SPHERE:
        return [Surface(*_sphere(row))]
    return []


def _corners(box: Box) -> FloatArray:
    """Return the eight corners of a box, (8, 3)."""
    return np.stack(np.meshgrid(*zip(*box, strict=True), indexing="ij"), axis=-1).reshape(-1, 3)


def _plane(wall: Wall, row: FloatArray, box: Box) -> Triangles:
    """Return the part of a plane onto which the box throws its shadow, and that the wall holds."""
    first, second, third = make_frame(row[3:6])
    offset = _corners(box) - row[:3]
    (u0, u1), (v0, v1) = ((float((offset @ way).min()), float((offset @ way).max()))
                          for way in (first, second))
    ends = np.array([[u0, v0], [u1, v0], [u1, v1], [u0, v1]])
    corners = row[:3] + ends @ np.array([first, second])
    middle = corners.mean(axis=0)
    lift = GLIMPSE * np.linalg.norm(corners[2] - corners[0]) * third
    if not wall.contains(middle[None] + lift)[0]:
        lift = -lift  # a wall that is met from both sides, or holds nothing on this one
    inwards = corners + GLIMPSE * (middle - corners) + lift
    if wall.contains(inwards).all() or not wall.contains(middle[None] + lift)[0]:
        return corners, np.array([[0, 1, 2], [0, 2, 3]])
    rim = _held(wall, middle + lift, _around(corners)) - lift
    fan = np.arange(len(rim))
    return (np.concatenate([rim, middle[None]]),
            np.stack([fan, (fan + 1) % len(rim), np.full(len(rim), len(rim))], axis=1))


def _around(corners: FloatArray) -> FloatArray:
    """Return points all round a rectangle, (n, 3)."""
    share = np.arange(CIRCLE_CORNERS // 4)[:, None] / (CIRCLE_CORNERS // 4)
    sides = zip(corners, np.roll(corners, -1, axis=0), strict=True)
    return np.concatenate([a + share * (b - a) for a, b in sides])


def _held(wall: Wall, middle: FloatArray, rim: FloatArray) -> FloatArray:
    """Return how far from ``middle`` towards each point of ``rim`` a wall holds grains, (n, 3)."""
    low, high = np.zeros(len(rim)), np.ones(len(rim))
    for _ in range(HALVINGS):
        half = 0.5 * (low + high)
        held = wall.contains(middle + half[:, None] * (rim - middle))
        low, high = np.where(held, half, low), np.where(held, high, half)
    return np.asarray(middle + high[:, None] * (rim - middle))


def _reach_along(row: FloatArray, box: Box) -> tuple[float, float]:
    """Return between which arc lengths an endless cylinder lies beside the box."""
    height = (_corners(box) - row[:3]) @ row[9:12]
    ends = (height - row[REV_START + 1]) / row[REV_ALONG + 1]
    return float(ends.min()), float(ends.max())


def _lathe(row: FloatArray, low: float, high: float) -> Triangles:
    """Return the part of a surface of revolution between two arc lengths."""
    base, across, up, axis = row[:3], row[3:6], row[6:9], row[9:12]
    start, along = row[REV_START:REV_START + 2], row[REV_ALONG:REV_ALONG + 2]
    angle = np.arange(CIRCLE_CORNERS) * (2.0 * np.pi / CIRCLE_CORNERS)
    around = np.cos(angle)[:, None] * across + np.sin(angle)[:, None] * up
    ends = (start + low * along, start + high * along)
    rings = [base + rho * around + z * axis for rho, z in ends]
    return np.concatenate(rings), _strip(CIRCLE_CORNERS)


def _sphere(row: FloatArray) -> Triangles:
    """Return a sphere as rings from pole to pole."""
    polar = np.linspace(0.0, np.pi, SPHERE_RINGS + 1)
    angle = np.arange(CIRCLE_CORNERS) * (2.0 * np.pi / CIRCLE_CORNERS)
    unit = np.stack([np.sin(polar)[:, None] * np.cos(angle), np.sin(polar)[:, None] * np.sin(angle),
                     np.repeat(np.cos(polar)[:, None], CIRCLE_CORNERS, axis=1)], axis=-1)
    bands = [_strip(CIRCLE_CORNERS) + k * CIRCLE_CORNERS for k in range(SPHERE_RINGS)]
    return row[:3] + row[SPHERE_RADIUS] * unit.reshape(-1, 3), np.concatenate(bands)


def _strip(count: int) -> IntArray:
    """Return the triangles between two rings of ``count`` vertices each."""
    a = np.arange(count)
    b = (a + 1) % count
    return np.concatenate([np.stack([a, b, a + count], axis=1),
                           np.stack([b, b + count, a + count], axis=1)])

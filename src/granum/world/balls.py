"""Grains as balls: what contacts see of them.

A sphere is one ball, a clump several that keep their places in it. A ball has a number of its own,
given when its grain is added and never used twice; in a world of spheres it is the grain's id.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from granum.checks import FloatArray, IntArray
from granum.shapes import RigidShape
from granum.shapes.drawn_faces import drawn_faces
from granum.shapes.turning import turned
from granum.world.grains import Grains

ROUND = -1  # number of the shape of spheres and discs


class Balls(NamedTuple):
    """All balls of some grains, in the order of the grains."""

    number: IntArray  # (m,) stable number of the ball
    grain: IntArray  # (m,) place of its grain among the grains
    arm: FloatArray  # (m,4) place in the frame of its grain, and radius [m]


def ball_counts(grains: Grains, shapes: Sequence[RigidShape]) -> IntArray:
    """Return how many balls each grain has, (n,)."""
    return np.array([*(len(shape) for shape in shapes), 1], dtype=np.int64)[grains.shape]


def balls_of(grains: Grains, shapes: Sequence[RigidShape]) -> Balls:
    """Return the balls of all grains; ``shapes`` are those that the grains' numbers speak of."""
    if not shapes:
        return Balls(grains.ball, np.arange(len(grains)),
                     np.column_stack((np.zeros((len(grains), 3)), grains.radius)))
    counts = ball_counts(grains, shapes)
    grain = np.repeat(np.arange(len(grains)), counts)
    which = np.arange(len(grain)) - np.repeat(np.cumsum(counts) - counts, counts)
    tables = np.concatenate([*(shape.arms for shape in shapes), [[0.0, 0.0, 0.0, 1.0]]])
    first = np.cumsum([0, *(len(shape) for shape in shapes)])
    sizes = np.array([*(shape.radius for shape in shapes), 1.0])
    kind = grains.shape[grain]  # a sphere is the last entry, -1
    scale = grains.radius[grain] / sizes[kind]
    return Balls(grains.ball[grain] + which, grain, tables[first[kind] + which] * scale[:, None])


def lab_arms(balls: Balls, grains: Grains) -> FloatArray:
    """Return where balls are, seen from the centres of their grains, (m,3) [m]."""
    return turned(grains.orientation[balls.grain], balls.arm[:, :3])


class Joints(NamedTuple):
    """What joins balls, by their places among all balls."""

    edges: IntArray  # (e,2) ends of swept segments
    faces: IntArray  # (f,3) corners of swept triangles, or of those that fill an outline


def joints_of(grains: Grains, shapes: Sequence[RigidShape], dimension: int) -> Joints:
    """Return the edges and faces of all grains, as they are drawn."""
    edges, faces = [np.zeros((0, 2), dtype=np.int64)], [np.zeros((0, 3), dtype=np.int64)]
    counts = ball_counts(grains, shapes)
    first = np.cumsum(counts) - counts
    for k, shape in enumerate(shapes):
        mine = first[grains.shape == k][:, None, None]
        for found, rows in ((edges, shape.edges), (faces, drawn_faces(shape, dimension))):
            if rows:
                table = np.array(rows, dtype=np.int64)
                found.append((mine + table).reshape(-1, table.shape[1]))
    return Joints(np.concatenate(edges), np.concatenate(faces))

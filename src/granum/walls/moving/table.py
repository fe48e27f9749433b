"""The motions of all bodies of walls as arrays, the only form in which kernels see them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from granum.checks import FloatArray, IntArray
from granum.walls.moving.driven import DRIVE, STEPS, Drive, FreeBody, Piston, Servo
from granum.walls.moving.prescribed import (
    END,
    FIRST,
    MOTION,
    TURNS,
    Motion,
    Path,
    Rotation,
)
from granum.walls.piece import PLANE, REVOLUTION, SPHERE, Piece
from granum.walls.wall import Wall

POSE = 22
"""Numbers of a pose: a turn R (3 by 3) and a shift t, so that a point x of the wall at rest is at
R x + t; velocity v [m/s] and spin w [rad/s] about a point c [m], so that it moves at
v + w x (R x + t - c); and whether R is more than the identity."""
TURN, SHIFT, VELOCITY, SPIN, CENTRE, TURNED = 0, 9, 12, 15, 18, 21

STATE = 11
"""Numbers of a body's state: shift [m], velocity [m/s] and acceleration [m/s2] of one that is
driven; power [W] and work [J] that the walls of any body do on the grains."""
POWER, WORK = 9, 10

SYMMETRIC = 1e-12
"""How far, in direction or relative to its size, the axis of a surface of revolution may be off the
axis of a rotation that then leaves it where it is."""


class MotionTable(NamedTuple):
    """How all bodies move."""

    first: IntArray  # (b + 1,) a body's first motion
    motion: FloatArray  # (m, MOTION)
    knots: FloatArray  # (k, 7) time, displacement and velocity of paths
    drive: FloatArray  # (b, DRIVE)
    force: FloatArray  # (s, 4) time from which a force acts, and the force


def make_motion_table(bodies: Sequence[tuple[Sequence[Wall], Drive | tuple[Motion, ...]]]
                      ) -> MotionTable:
    """Pack the motions of ``bodies``, each given as its walls and what moves them."""
    first, motions = [0], np.zeros((0, MOTION))
    knots, force = np.zeros((0, 7)), np.zeros((0, 4))
    drives = np.zeros((len(bodies), DRIVE))
    for b, (walls, moving) in enumerate(bodies):
        if isinstance(moving, Piston | FreeBody | Servo):
            drives[b] = moving.row()
            drives[b, STEPS] = len(force)
            force = np.concatenate([force, moving.forces()])
            drives[b, STEPS + 1] = len(force)
        else:
            rows, knots = _prescribed(walls, moving, knots)
            motions = np.concatenate([motions, rows])
        first.append(len(motions))
    return MotionTable(np.array(first, dtype=np.int64), motions, knots, drives, force)


def _prescribed(walls: Sequence[Wall], motions: tuple[Motion, ...], knots: FloatArray
                ) -> tuple[FloatArray, FloatArray]:
    """Return the rows of the motions of some walls, and the knots with theirs added."""
    rows = np.array([motion.row() for motion in motions]).reshape(-1, MOTION)
    rotations = [motion for motion in motions if isinstance(motion, Rotation)]
    for row, motion in zip(rows, motions, strict=True):
        if isinstance(motion, Path):
            row[FIRST] = len(knots)
            knots = np.concatenate([knots, motion.knots()])
            row[END] = len(knots)
        if isinstance(motion, Rotation) and rotations == [motion]:
            row[TURNS] = 0.0 if all(keeps(motion, wall) for wall in walls) else 1.0
    return rows, knots


def keeps(rotation: Rotation, wall: Wall) -> bool:
    """Tell whether a rotation leaves the surface of a wall where it is, as a drum's own does."""
    return all(_keeps_piece(rotation, piece) for piece in wall.pieces())


def _keeps_piece(rotation: Rotation, piece: Piece) -> bool:
    axis = np.array(rotation.axis) / np.linalg.norm(rotation.axis)
    if piece.kind == PLANE:
        return bool(np.linalg.norm(np.cross(piece.data[3:6], axis)) < SYMMETRIC)
    if piece.kind not in (REVOLUTION, SPHERE):
        return False
    offset = piece.data[0:3] - np.array(rotation.point)
    size = max(1.0, float(np.abs(offset).max()))
    on_axis = np.linalg.norm(np.cross(offset, axis)) < SYMMETRIC * size
    parallel = piece.kind == SPHERE or (
        np.linalg.norm(np.cross(piece.data[9:12], axis)) < SYMMETRIC)
    return bool(on_axis and parallel)

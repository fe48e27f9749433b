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
    first, motions, knots, drives, forces = [0], [], [], [], []
    for walls, moving in bodies:
        drive = np.zeros(DRIVE)
        if isinstance(moving, Piston | FreeBody | Servo):
            drive = moving.row()
            drive[STEPS] = sum(map(len, forces))
            forces.append(moving.forces())
            drive[STEPS + 1] = sum(map(len, forces))
            moving = ()
        for motion in moving:
            row = motion.row()
            if isinstance(motion, Path):
                row[FIRST] = sum(map(len, knots))
                knots.append(motion.knots())
                row[END] = sum(map(len, knots))
            motions.append(row)
        rotations = [motion for motion in moving if isinstance(motion, Rotation)]
        if len(rotations) == 1 and all(keeps(rotations[0], wall) for wall in walls):
            k = list(moving).index(rotations[0])
            motions[first[-1] + k][TURNS] = 0.0
        first.append(len(motions))
        drives.append(drive)
    return MotionTable(
        np.array(first, dtype=np.int64), np.array(motions).reshape(-1, MOTION),
        np.concatenate([*knots, np.zeros((0, 7))]), np.array(drives).reshape(-1, DRIVE),
        np.concatenate([*forces, np.zeros((0, 4))]),
    )


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

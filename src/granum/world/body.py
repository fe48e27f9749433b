"""Bodies: walls that move as one."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from granum.checks import FloatArray
from granum.errors import InputError
from granum.walls import Wall
from granum.walls.moving import (
    POSE,
    STATE,
    Drive,
    Linear,
    Motion,
    MotionTable,
    Path,
    Rotation,
    Sine,
    Tap,
    make_motion_table,
    moved,
    set_poses,
)
from granum.walls.moving.driven import FreeBody, Piston, Servo
from granum.walls.moving.table import SHIFT, TURNED, keeps
from granum.walls.wall import Bounds

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*")


@dataclass(eq=False)
class Body:
    """Walls that move as one.

    Attributes:
        name: by which walls belong together; may be empty for a single wall.
        walls: what moves.
        moving: a drive, or prescribed motions that add up.
        state: (STATE,) shift [m], velocity [m/s] and acceleration [m/s2] if driven; power [W] and
            work [J] on the grains.
    """

    name: str
    walls: list[Wall]
    moving: Drive | tuple[Motion, ...]
    state: FloatArray = field(default_factory=lambda: np.zeros(STATE))

    @property
    def is_driven(self) -> bool:
        """Whether forces move it, so that its place is part of the state."""
        return isinstance(self.moving, Piston | FreeBody | Servo)

    @property
    def motions(self) -> tuple[Motion | Drive, ...]:
        """All that moves it, one by one."""
        return self.moving if isinstance(self.moving, tuple) else (self.moving,)

    @property
    def pivot(self) -> FloatArray:
        """The point (3,) [m] about which torques on it are told: on its axis, or the origin."""
        points = [m.point for m in self.motions if isinstance(m, Rotation)]
        return np.array(points[0] if points else (0.0, 0.0, 0.0))

    def describe(self) -> str:
        """Return how it moves, for a person."""
        return " and ".join(motion.describe() for motion in self.motions)


def motions_of(moving: Any) -> Drive | tuple[Motion, ...]:
    """Return what the user gave as one drive, or as a tuple of prescribed motions."""
    if isinstance(moving, Piston | FreeBody | Servo):
        return moving
    given = tuple(moving) if isinstance(moving, list | tuple) else (moving,)
    for motion in given:
        if isinstance(motion, Piston | FreeBody | Servo):
            message = (f"a {type(motion).__name__} is driven by forces and cannot be combined with "
                       "other motions: give it alone")
            raise InputError(message)
        if not isinstance(motion, Linear | Sine | Tap | Rotation | Path):
            message = (f"moving must be a motion such as gr.Sine(...) or gr.Piston(...), or a list "
                       f"of motions, got {motion!r}")
            raise InputError(message)
    if not given:
        message = "moving is an empty list: give a motion, or leave it out for a wall that is still"
        raise InputError(message)
    return given


def check_name(name: str) -> str:
    """Return the name of a wall, which must do for columns of a table."""
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        message = (f"the name of a wall must be letters, digits and underscores, a letter first, "
                   f"got {name!r}")
        raise InputError(message)
    return name


def refuse_impossible(body: Body, dimension: int, is_periodic: bool) -> None:
    """Refuse motions that the world has no room for."""
    for motion in body.motions:
        kind = type(motion).__name__
        if dimension == 2 and any(way[2] for way in motion.directions):
            message = f"{kind} goes along z, but this world is 2D: give a direction in the plane"
            raise InputError(message)
        if not isinstance(motion, Rotation):
            continue
        if dimension == 2 and (motion.axis[0] or motion.axis[1]):
            message = "Rotation in a 2D world is possible about z only: give axis = (0, 0, 1)"
            raise InputError(message)
        if is_periodic and not all(keeps(motion, wall) for wall in body.walls):
            message = ("Rotation of a wall in a periodic world would tear it from its images; only "
                       "a wall that turns on its own spot can do so there")
            raise InputError(message)
    if body.is_driven and not body.name:
        message = (f"a {type(body.moving).__name__} needs a name for its wall, by which its place "
                   "and the force on it are told: give name, as in name = \"lid\"")
        raise InputError(message)


def motion_table(bodies: Sequence[Body]) -> MotionTable:
    """Return the motions of all bodies as the arrays that kernels see."""
    return make_motion_table([(body.walls, body.moving) for body in bodies])


def poses_at(bodies: Sequence[Body], time: float) -> FloatArray:
    """Return where all bodies are at ``time`` [s], (b, POSE); driven ones are where they are."""
    pose = np.zeros((len(bodies), POSE))
    if bodies:
        state = np.array([body.state for body in bodies])
        table = motion_table(bodies)
        set_poses(table.first, table.motion, table.knots, table.drive, state, time, pose)
    return pose


def moved_bounds(bounds: Bounds, pose: FloatArray) -> Bounds:
    """Return the bounds of a wall in a pose; endless ones that turn have none."""
    low, high = bounds
    if pose[TURNED] == 0.0:
        return low + pose[SHIFT:SHIFT + 3], high + pose[SHIFT:SHIFT + 3]
    if not (np.isfinite(low).all() and np.isfinite(high).all()):
        return np.full(3, -np.inf), np.full(3, np.inf)
    corners = np.stack(np.meshgrid(*zip(low, high, strict=True)), axis=-1).reshape(-1, 3)
    corners = moved(pose, corners)
    return corners.min(axis=0), corners.max(axis=0)


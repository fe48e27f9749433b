"""What grains do to walls: force, torque, and where walls are that move.

    F = -Σ f_i,    T = -Σ ((p_i - a) × f_i + c_i)

over the contacts of the grains with a wall: f_i the force on the grain at the contact point p_i,
c_i the couple that a law against rolling adds. The torque is about the wall's own point a: that of
its rotation, or else the origin of coordinates, carried along by its displacement.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

import numpy as np

from granum.checks import FloatArray
from granum.contact.table import Contacts
from granum.walls.moving.table import CENTRE, SHIFT, SPIN, VELOCITY, WORK
from granum.world import World

OF_ALL = ("force_x", "force_y", "force_z", "torque_x", "torque_y", "torque_z")
OF_MOVING = ("x", "y", "z", "work")


class WallForce(NamedTuple):
    """What the grains do to a wall, and how it moves."""

    force: FloatArray  # (3,) of the grains on the wall [N]
    torque: FloatArray  # (3,) of the grains on the wall, about its own point [N m]
    displacement: FloatArray  # (3,) of its own point from where it was described [m]
    velocity: FloatArray  # (3,) of its own point [m/s]
    spin: FloatArray  # (3,) [rad/s]
    work: float  # of the wall on the grains so far [J]


def wall_forces(world: World, contacts: Contacts, time: float) -> dict[str, WallForce]:
    """Return the forces on all walls, by name; walls of one name are one.

    Args:
        world: with the walls.
        contacts: of the moment; points need not lie in the periodic cell.
        time: [s].
    """
    table, titles, found = world.wall_table(), world.wall_titles(), {}
    poses = world.poses(time)
    at_wall = contacts.wall >= 0
    owner = table.owner[contacts.wall[at_wall]]
    point, force = contacts.point[at_wall], contacts.force[at_wall]
    couple = contacts.couple[at_wall]
    bodies = {wall: b for b, body in enumerate(world.bodies) for wall in body.walls}
    for title in dict.fromkeys(titles):
        walls = [k for k, other in enumerate(titles) if other == title]
        mine = np.isin(owner, walls)
        b = bodies.get(world.walls[walls[0]], -1)
        pivot = np.zeros(3) if b < 0 else world.bodies[b].pivot
        displacement, velocity, spin, work = np.zeros(3), np.zeros(3), np.zeros(3), 0.0
        if b >= 0:
            pose = poses[b]
            place = _placed(pose, pivot)
            spin = pose[SPIN:SPIN + 3].copy()
            velocity = pose[VELOCITY:VELOCITY + 3] + np.cross(spin, place - pose[CENTRE:CENTRE + 3])
            displacement, pivot, work = place - pivot, place, float(world.bodies[b].state[WORK])
        torque = np.cross(point[mine] - pivot, force[mine]) + couple[mine]
        found[title] = WallForce(0.0 - force[mine].sum(axis=0), 0.0 - torque.sum(axis=0),
                                 displacement, velocity, spin, work)
    return found


def displacement(world: World, name: str, time: float) -> FloatArray:
    """Return how far a wall that moves is from where it was described, (3,) [m], by its name."""
    numbers = [b for b, body in enumerate(world.bodies) if body.name == name]
    pivot = world.bodies[numbers[0]].pivot
    return np.asarray(_placed(world.poses(time)[numbers[0]], pivot) - pivot)


def _placed(pose: FloatArray, point: FloatArray) -> FloatArray:
    """Return where a point of a body is in a pose, (3,) [m]."""
    return np.asarray(pose[:9].reshape(3, 3) @ point + pose[SHIFT:SHIFT + 3])


def wall_columns(world: World, moved_later: Collection[str] = ()) -> list[str]:
    """Return the columns of the series for all walls that have a name."""
    moving = {*(body.name for body in world.bodies), *moved_later}
    return [f"{name}_{what}" for name in _names(world)
            for what in (*OF_ALL, *(OF_MOVING if name in moving else ()))]


def _names(world: World) -> list[str]:
    """Return the names of walls, each once."""
    return list(dict.fromkeys(world.names[wall] for wall in world.walls if wall in world.names))


def wall_row(world: World, contacts: Contacts, time: float) -> dict[str, float]:
    """Return the numbers of those columns."""
    columns = wall_columns(world)
    if not columns:
        return {}
    numbers = []
    moving = {body.name for body in world.bodies}
    found = wall_forces(world, contacts, time)
    for name in _names(world):
        wall = found[name]
        numbers += [*wall.force, *wall.torque]
        numbers += [*wall.displacement, wall.work] if name in moving else []
    return {column: float(x) for column, x in zip(columns, numbers, strict=True)}

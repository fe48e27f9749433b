"""What grains with edges and faces cannot do yet, refused before anything runs."""

from __future__ import annotations

import numpy as np

from granum.checks import FloatArray
from granum.contact.table import Contacts
from granum.errors import InputError
from granum.world import World

ROOM = 4.0  # largest radii that a period must have room for: then the nearest image is one


def refuse_with_skeletons(world: World) -> None:
    """Refuse what edges and faces are not served by, rather than miss their contacts."""
    if len(world.bonds):
        message = ("glue is a spring between the centres of two spheres, and this world has grains "
                   "with edges, whose surfaces it would have to join: leave one of them out, or "
                   "glue spheres into the form that is wanted (gr.Cluster)")
        raise InputError(message)
    period, largest = world.periods(), float(world.grains.radius.max(initial=0.0))
    if ((period > 0.0) & (period < ROOM * largest)).any():
        message = (f"a period of {period[period > 0.0].min():g} m is too short for grains with "
                   f"edges of radius {largest:g} m: at least {ROOM:g} times the radius")
        raise InputError(message)


def refuse_overlap(world: World, contacts: Contacts, overlap: float) -> None:
    """Refuse grains whose edges or faces overlap at the start by more than a share of a radius."""
    depth = contacts.overlap / contacts.radius.min(axis=1, initial=np.inf)
    if (depth > overlap).any():
        k = int(np.argmax(depth))
        i, j, point = int(contacts.i[k]), int(contacts.j[k]), contacts.point[k]
        partner = f"grains {i} and {j} overlap" if j >= 0 else f"grain {i} overlaps a wall"
        near = ", ".join(_nearest_vertex(world, grain, point) for grain in (i, j) if grain >= 0)
        x, y, z = point
        message = (f"{partner} by {contacts.overlap[k]:.3g} m at the start (at ({x:.4g}, {y:.4g}, "
                   f"{z:.4g}) m, {near}): place them further apart, or let Lattice or Random place "
                   "them")
        raise InputError(message)


def _nearest_vertex(world: World, grain: int, point: FloatArray) -> str:
    """Return which vertex of a grain, by its id, is nearest to a point, in words."""
    k, balls = int(np.flatnonzero(world.grains.id == grain)[0]), world.balls()
    number = world.grains.shape[k]
    if number < 0:
        return f"the sphere {grain}"
    way = world.ball_positions(balls)[balls.grain == k] - point
    period = world.periods()
    way -= np.where(period > 0.0, period * np.rint(way / np.where(period > 0.0, period, 1.0)), 0.0)
    return (f"near vertex {int(np.argmin((way**2).sum(axis=1)))} of grain {grain}, shape {number}")

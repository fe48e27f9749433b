"""What grains with edges and faces cannot do yet, refused before anything runs."""

from __future__ import annotations

import numpy as np

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


def refuse_overlap(contacts: Contacts, overlap: float) -> None:
    """Refuse grains whose edges or faces overlap at the start by more than a share of a radius."""
    depth = contacts.overlap / contacts.radius.min(axis=1, initial=np.inf)
    if (depth > overlap).any():
        k = int(np.argmax(depth))
        i, j = int(contacts.i[k]), int(contacts.j[k])
        partner = f"grains {i} and {j} overlap" if j >= 0 else f"grain {i} overlaps a wall"
        x, y, z = contacts.point[k]
        message = (f"{partner} by {contacts.overlap[k]:.3g} m at the start (at ({x:.4g}, {y:.4g}, "
                   f"{z:.4g}) m): place them further apart, or let Lattice or Random place them")
        raise InputError(message)

"""The row of numbers that a run writes at each sample.

time [s], step, grains, contacts (pairs), wall_contacts, coordination (contacts a grain, walls
included), kinetic, rotational, gravitational, elastic [J], fastest [m/s], deepest (largest
overlap as a share of the smaller radius), height (of the centre of mass against gravity) [m];
then, where there are clusters, bonds (that hold) and broken_bonds (so far), and two columns for
each flow.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from granum.checks import FloatArray
from granum.contact.table import Contacts
from granum.measures.energy import Energy
from granum.measures.flow import Flow
from granum.world import Grains, World

COLUMNS = ["time", "step", "grains", "contacts", "wall_contacts", "coordination", "kinetic",
           "rotational", "gravitational", "elastic", "fastest", "deepest", "height"]
BOND_COLUMNS = ["bonds", "broken_bonds"]


def columns_of(world: World, flows: Sequence[Flow]) -> list[str]:
    """Return the names of all columns of a run in this world."""
    of_flows = [name for flow in flows for name in flow.columns()]
    return COLUMNS + (BOND_COLUMNS if world.clusters else []) + of_flows


def sample(
    time: float, step: int, world: World, gravity: FloatArray, contacts: Contacts,
    energies: Energy, flows: Sequence[Flow],
) -> dict[str, float | int]:
    """Return one row of the series, by column."""
    grains = world.grains
    n = len(grains)
    pairs = int((contacts.j >= 0).sum())
    at_walls = len(contacts) - pairs
    speed2 = np.einsum("ij,ij->i", grains.velocity, grains.velocity)
    row: dict[str, float | int] = {
        "time": time,
        "step": step,
        "grains": n,
        "contacts": pairs,
        "wall_contacts": at_walls,
        "coordination": (2 * pairs + at_walls) / n if n else 0.0,
        **{name: getattr(energies, name) for name in Energy._fields},
        "fastest": float(np.sqrt(speed2.max(initial=0.0))),
        "deepest": deepest(grains, contacts),
        "height": _height(grains, gravity),
    }
    if world.clusters:
        row.update(zip(BOND_COLUMNS, (len(world.bonds), world.broken_bonds), strict=True))
    for flow in flows:
        row.update(zip(flow.columns(), flow.measure(grains), strict=True))
    return row


def deepest(grains: Grains, contacts: Contacts) -> float:
    """Return the largest overlap as a share of the smaller radius."""
    if not len(contacts):
        return 0.0
    first = grains.radius[np.searchsorted(grains.id, contacts.i)]
    other = grains.radius[np.searchsorted(grains.id, np.maximum(contacts.j, 0)) % len(grains)]
    smaller = np.where(contacts.j >= 0, np.minimum(first, other), first)
    return float((contacts.overlap / smaller).max())


def _height(grains: Grains, gravity: FloatArray) -> float:
    """Return the height of the centre of mass against gravity [m]."""
    pull = float(np.linalg.norm(gravity))
    if pull == 0.0 or not len(grains):
        return 0.0
    return float((grains.mass * (grains.position @ (-gravity / pull))).sum() / grains.mass.sum())

"""The row of numbers that a run writes at each sample.

time [s], step, grains, contacts (pairs), wall_contacts, coordination (contacts a grain, walls
included), kinetic, rotational, gravitational, elastic [J], fastest [m/s], deepest (largest
overlap as a share of the smaller radius), height (of the centre of mass against gravity) [m];
then those of measures, some for each wall that has a name (see `wall_forces`), two for
clusters (see `bonds`), and those of the budget where one is kept.
"""

from __future__ import annotations

import numpy as np

from granum.checks import FloatArray
from granum.contact.table import Contacts
from granum.measures.budget import Budget
from granum.measures.energy import Energy
from granum.world import Grains

COLUMNS = ["time", "step", "grains", "contacts", "wall_contacts", "coordination", "kinetic",
           "rotational", "gravitational", "elastic", "fastest", "deepest", "height"]


def sample(
    time: float, step: int, grains: Grains, gravity: FloatArray, contacts: Contacts,
    energies: Energy, budget: Budget | None = None,
) -> dict[str, float | int]:
    """Return one row of the series, by column."""
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
        "deepest": deepest(contacts),
        "height": _height(grains, gravity),
    }
    if budget is not None:
        row.update(budget.columns())
    return row


def deepest(contacts: Contacts) -> float:
    """Return the largest overlap as a share of the smaller radius."""
    if not len(contacts):
        return 0.0
    return float((contacts.overlap / contacts.radius.min(axis=1)).max())


def _height(grains: Grains, gravity: FloatArray) -> float:
    """Return the height of the centre of mass against gravity [m]."""
    pull = float(np.linalg.norm(gravity))
    if pull == 0.0 or not len(grains):
        return 0.0
    return float((grains.mass * (grains.position @ (-gravity / pull))).sum() / grains.mass.sum())

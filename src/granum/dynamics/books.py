"""The books of a simulation that keeps a budget of its energy.

The work of all forces is counted while the steps are compiled (`work`). Energy also comes and goes
with grains that are put in, taken out or changed by hand between two steps; that is booked here,
from what grains and contacts hold before and after.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from granum.checks import FloatArray, IntArray
from granum.dynamics.rows import Rows, load, make_rows
from granum.dynamics.work import CHANNELS
from granum.world import Grains


class Holdings(NamedTuple):
    """What grains, contacts and bonds hold at a moment [J]."""

    moving: float  # kinetic and rotational
    gravitational: float
    stored: FloatArray  # (4,) in normal forces, tangential forces, couples; in glue

    @property
    def total(self) -> float:
        """The sum of all [J]."""
        return self.moving + self.gravitational + float(self.stored.sum())


def holdings(rows: Rows, inertia: FloatArray, spin: FloatArray, gravity: FloatArray,
             contacts: FloatArray, glue: float) -> Holdings:
    """Return what grains hold, contacts and bonds included.

    Args:
        rows: of the grains.
        inertia: (n,3) or (n,1) principal moments [kg m2].
        spin: (n,3) in the frame of the principal axes [rad/s].
        gravity: (3,) of the moment [m/s2].
        contacts: (c,3) energies of the contacts [J].
        glue: what bonds have stored [J].
    """
    mass = 1.0 / rows.V[:, 3]
    moving = mass @ (rows.V[:, :3] ** 2).sum(axis=1) + (inertia * spin**2).sum()
    return Holdings(0.5 * float(moving), -float(mass @ (rows.X[:, :3] @ gravity)),
                    np.array([*contacts.sum(axis=0), glue]))


def are_other(rows: Rows, grains: Grains, order: IntArray) -> bool:
    """Tell whether grains are not any more as they stand in the rows of the engine."""
    here = make_rows(len(grains))
    load(here, grains, order)
    return not all(np.array_equal(mine, theirs)
                   for mine, theirs in zip(rows[:3], here[:3], strict=True))


NOTHING = Holdings(0.0, 0.0, np.zeros(4))


class Books(NamedTuple):
    """All numbers that a budget is made of; the arrays are written to [J]."""

    work: FloatArray  # (2, CHANNELS) see `work.Work`
    sums: FloatArray  # (3,) at the start; come with grains since; gravitational share of both

    def begin(self, held: Holdings) -> None:
        """Note what there is at the start."""
        self.sums[:] = held.total, 0.0, held.gravitational
        self.work[0, :4] = held.stored

    def exchange(self, before: Holdings, after: Holdings) -> None:
        """Note what has come or gone with grains; what was stored in them has not been lost."""
        self.sums[1] += after.total - before.total
        self.sums[2] += after.gravitational - before.gravitational
        self.work[0, :4] += after.stored - before.stored


def blank_books() -> Books:
    """Return books without an entry."""
    return Books(np.zeros((2, CHANNELS)), np.zeros(3))

"""Contact numbers: how many contacts a grain has on average, with and without rattlers.

    Z = Σ z_i / n

z_i is the number of contacts of grain i with grains and walls. A rattler carries nothing: it has
fewer contacts than can hold it, D + 1 in D dimensions without friction. Its contacts are taken away
from its partners as well, again and again until no rattler is left (O'Hern et al., Phys. Rev. E 68
(2003) 011306); the rest are the carriers, and their number counts contacts among themselves and
with walls. Clumps may touch each other at several points, each of which counts.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from granum.checks import FloatArray, whole
from granum.contact.table import Contacts
from granum.measures.measure import Look, Measure, Values, mean
from granum.measures.region import Region
from granum.world import World


class ContactCount(NamedTuple):
    """Contacts of the grains at one moment."""

    all: FloatArray  # (n,) contacts of each grain
    carried: FloatArray  # (n,) contacts of each with carriers and walls; 0 for a rattler
    is_rattler: NDArray[np.bool_]  # (n,)


def contact_counts(world: World, contacts: Contacts, least: int | None = None) -> ContactCount:
    """Return the contacts of each grain, in the order of ids.

    Args:
        world: with the grains.
        contacts: of the moment.
        least: contacts that a grain needs to carry; one more than dimensions unless given.
    """
    n = len(world)
    need = world.dimension + 1 if least is None else least
    i = np.searchsorted(world.grains.id, contacts.i)
    j = np.where(contacts.j >= 0, np.searchsorted(world.grains.id, contacts.j), n)
    every = _counted(i, j, n)
    holds = np.ones(n + 1, dtype=np.bool_)  # the last stands for walls
    count = every
    while (falls := holds[:n] & (count < need)).any():
        holds[:n] &= ~falls
        among = holds[i] & holds[j]
        count = _counted(i[among], j[among], n)
    return ContactCount(every, count, ~holds[:n])


def _counted(i: NDArray[np.int64], j: NDArray[np.int64], n: int) -> FloatArray:
    """Return how often each number stands among both."""
    return (np.bincount(i, minlength=n) + np.bincount(j, minlength=n + 1)[:n]).astype(np.float64)


@dataclass(frozen=True)
class ContactNumber(Measure):
    """Contacts of a grain on average, of all grains and without rattlers.

    Args:
        region: which grains count, by their centres; all unless given.
        least: contacts that a grain needs not to be a rattler; 4 unless given, in 2D 3.
    """

    type_name: ClassVar[str] = "contact_number"
    region: Region | None = None
    least: int | None = None

    def __post_init__(self) -> None:
        """Refuse values without a meaning."""
        super().__post_init__()
        if self.least is not None:
            whole("least", self.least, at_least=1)

    def quantities(self, world: World) -> tuple[str, ...]:
        """Return the columns."""
        return "contact_number", "carrier_contact_number", "rattler_share"

    def read(self, look: Look) -> Values:
        """Return the contact numbers and the share of rattlers."""
        found, inside = contact_counts(look.world, look.contacts, self.least), look.inside(
            self.region)
        carriers = inside & ~found.is_rattler
        return (mean(found.all[inside]), mean(found.carried[carriers]),
                mean(found.is_rattler[inside].astype(np.float64)))

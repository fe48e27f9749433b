"""Contact forces: how they are distributed, and the network that they make.

The normal force of a contact, positive where grains push each other, is

    N = -f·n

with the force f on grain i and the normal n from i to j. The distribution is that of N over its
mean ⟨N⟩, as a probability density (Mueth, Jaeger and Nagel, Phys. Rev. E 57 (1998) 3164): the
share of contacts in a bin over its width. So it integrates to 1, less what lies beyond the last
bin or, with cohesion, below 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from granum.checks import FloatArray, IntArray, positive, whole
from granum.contact.table import Contacts
from granum.measures.measure import Look, Measure, Values
from granum.measures.region import Region, Settled, shifts_to
from granum.world import World


class Distribution(NamedTuple):
    """How normal forces are distributed."""

    low: FloatArray  # (k,) where each bin begins, in mean forces
    high: FloatArray  # (k,) where each ends
    probability: FloatArray  # (k,) density; nan without contacts
    contacts: IntArray  # (k,) their number in each bin


def normal_forces(contacts: Contacts) -> FloatArray:
    """Return the normal force of each contact, (c,) [N]; positive where grains push."""
    return -np.einsum("ij,ij->i", contacts.force, contacts.normal)


def force_distribution(contacts: Contacts, bins: int = 40, most: float = 8.0) -> Distribution:
    """Return how the normal forces of contacts are distributed.

    Args:
        contacts: those that count.
        bins: number of bins of equal width.
        most: upper end of the last bin, in mean forces.
    """
    ends = most * np.arange(bins + 1) / bins
    force = normal_forces(contacts)
    mean = float(force.mean()) if len(force) else 0.0
    if mean <= 0.0:
        return Distribution(ends[:-1], ends[1:], np.full(bins, np.nan), np.zeros(bins, np.int64))
    count = np.histogram(force / mean, ends)[0].astype(np.int64)
    return Distribution(ends[:-1], ends[1:], count / (len(force) * np.diff(ends)), count)


def contacts_in(world: World, contacts: Contacts, region: Settled) -> NDArray[np.bool_]:
    """Tell which contacts have their point in a region, (c,)."""
    inside = np.zeros(len(contacts), dtype=np.bool_)
    for shift in shifts_to(world, region):
        inside |= region.contains(contacts.point + shift, world.dimension)
    return inside


def chosen_contacts(look: Look, region: Region | None, walls: bool) -> Contacts:
    """Return the contacts with their point in a region, with or without those at walls."""
    found = look.contacts
    keep = np.ones(len(found), dtype=np.bool_) if walls else found.j >= 0
    if region is not None:
        settled = look.settled(region)
        keep = keep & (settled is not None and contacts_in(look.world, found, settled))
    return Contacts(*(getattr(found, name)[keep] for name in Contacts.__dataclass_fields__))


@dataclass(frozen=True)
class ForceDistribution(Measure):
    """The distribution of normal forces over their mean.

    Args:
        region: which contacts count, by their points; all unless given.
        bins: number of bins of equal width.
        most: upper end of the last bin, in mean forces.
        walls: whether contacts with walls count, too.
    """

    type_name: ClassVar[str] = "force_distribution"
    counts_parts: ClassVar[bool] = True
    is_profile: ClassVar[bool] = True
    region: Region | None = None
    bins: int = 40
    most: float = 8.0
    walls: bool = False

    def __post_init__(self) -> None:
        """Refuse values without a meaning."""
        super().__post_init__()
        whole("bins", self.bins, at_least=1)
        positive("most", self.most)

    def quantities(self, world: World) -> tuple[str, ...]:
        """Return the columns."""
        return "low", "high", "probability", "contacts"

    def read(self, look: Look) -> Values:
        """Return the distribution."""
        return force_distribution(chosen_contacts(look, self.region, self.walls), self.bins,
                                  self.most)


@dataclass(frozen=True)
class ForceNetwork(Measure):
    """All contacts, one row each: who, where, and with what force.

    Args:
        region: which contacts count, by their points; all unless given.
        walls: whether contacts with walls count, too.
    """

    type_name: ClassVar[str] = "force_network"
    counts_parts: ClassVar[bool] = True
    is_profile: ClassVar[bool] = True
    region: Region | None = None
    walls: bool = True

    def quantities(self, world: World) -> tuple[str, ...]:
        """Return the columns."""
        return ("i", "j", "wall", "x [m]", "y [m]", "z [m]", "normal_x", "normal_y", "normal_z",
                "overlap [m]", "force_x [N]", "force_y [N]", "force_z [N]", "normal_force [N]",
                "tangential_force [N]")

    def read(self, look: Look) -> Values:
        """Return the contacts."""
        found = chosen_contacts(look, self.region, self.walls)
        along = normal_forces(found)
        across = np.linalg.norm(found.force + along[:, None] * found.normal, axis=1)
        return (found.i, found.j, found.wall, *found.point.T, *found.normal.T, found.overlap,
                *found.force.T, along, across)

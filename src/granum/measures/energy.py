"""Energies of the grains and of their contacts.

    kinetic        Σ m v² / 2
    rotational     Σ I ω² / 2, over the principal axes of clumps
    gravitational  -Σ m g·x, with the gravity of the moment; zero at the origin
    elastic        what contacts and the bonds of clusters can give back, as law and glue have it

All in joules.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from granum.checks import FloatArray
from granum.contact.table import Contacts
from granum.shapes.turning import turned_back
from granum.world import Grains


class Energy(NamedTuple):
    """Energies at one moment [J]."""

    kinetic: float
    rotational: float
    gravitational: float
    elastic: float

    @property
    def total(self) -> float:
        """The sum of all [J]."""
        return self.kinetic + self.rotational + self.gravitational + self.elastic


def energy(grains: Grains, gravity: FloatArray, contacts: Contacts, in_bonds: float = 0.0
           ) -> Energy:
    """Return the energies of the moment; ``in_bonds`` is what bonds have stored [J]."""
    return Energy(
        kinetic=kinetic(grains),
        rotational=rotational(grains),
        gravitational=-float((grains.mass * (grains.position @ gravity)).sum()),
        elastic=float(contacts.energy.sum()) + in_bonds,
    )


def rotational(grains: Grains) -> float:
    """Return the kinetic energy of rotation [J]."""
    spin = grains.spin
    if (grains.shape >= 0).any():
        spin = np.where((grains.shape >= 0)[:, None], turned_back(grains.orientation, spin), spin)
    return float(0.5 * (grains.inertia * spin**2).sum())


def kinetic(grains: Grains) -> float:
    """Return the kinetic energy of translation [J]."""
    speed2 = np.einsum("ij,ij->i", grains.velocity, grains.velocity)
    return float(0.5 * (grains.mass * speed2).sum())

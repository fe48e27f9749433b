"""Energies of the grains and of their contacts.

    kinetic        Σ m v² / 2
    rotational     Σ I ω² / 2
    gravitational  -Σ m g·x, with the gravity of the moment; zero at the origin
    elastic        Σ m_n K_n δ² / 2 + m_t K_t s² / 2 over contacts (linear springs)

All in joules.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from granum.checks import FloatArray
from granum.contact.table import Contacts
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


def energy(
    grains: Grains, gravity: FloatArray, contacts: Contacts, elastic: tuple[float, float]
) -> Energy:
    """Return the energies; ``elastic`` is stiffness for each unit of effective mass [1/s2]."""
    spring2 = (contacts.spring**2).sum(axis=1)
    return Energy(
        kinetic=kinetic(grains),
        rotational=float(0.5 * (grains.inertia * grains.spin**2).sum()),
        gravitational=-float((grains.mass * (grains.position @ gravity)).sum()),
        elastic=float(
            0.5 * (elastic[0] * contacts.mass[:, 0] * contacts.overlap**2).sum()
            + 0.5 * (elastic[1] * contacts.mass[:, 1] * spring2).sum()
        ),
    )


def kinetic(grains: Grains) -> float:
    """Return the kinetic energy of translation [J]."""
    speed2 = np.einsum("ij,ij->i", grains.velocity, grains.velocity)
    return float(0.5 * (grains.mass * speed2).sum())

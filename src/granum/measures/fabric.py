"""The fabric tensor: how contacts are directed.

    F = (1/C) Σ_c n ⊗ n,    a = √(D / (D - 1) F':F')

over C contacts with normals n in D dimensions; F' is F less its isotropic part, 1/D on the
diagonal. The trace of F is 1. The anisotropy a is 0 where no direction is preferred and 1 where all
contacts are parallel (Satake 1982; Oda, Soils and Foundations 22 (1982) 96, who calls F the second
fabric tensor of contact normals).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from granum.checks import FloatArray
from granum.contact.table import Contacts
from granum.measures.forces import chosen_contacts
from granum.measures.measure import Look, Measure, Values
from granum.measures.region import Region
from granum.world import World


def fabric(contacts: Contacts) -> FloatArray:
    """Return the fabric tensor of contacts, (3,3); nan without any."""
    if not len(contacts):
        return np.full((3, 3), np.nan)
    return np.asarray(np.einsum("ca,cb->ab", contacts.normal, contacts.normal) / len(contacts))


def anisotropy(tensor: FloatArray, dimension: int = 3) -> float:
    """Return how much a fabric tensor (3,3) prefers a direction, from 0 to 1."""
    part = tensor[:dimension, :dimension] - np.eye(dimension) / dimension
    return math.sqrt(dimension / (dimension - 1) * float((part * part).sum()))


@dataclass(frozen=True)
class Fabric(Measure):
    """The fabric tensor of contacts between grains, and its anisotropy.

    Args:
        region: which contacts count, by their points; all unless given.
        walls: whether contacts with walls count, too.
    """

    type_name: ClassVar[str] = "fabric"
    counts_parts: ClassVar[bool] = True
    region: Region | None = None
    walls: bool = False

    def quantities(self, world: World) -> tuple[str, ...]:
        """Return the columns."""
        return (*(f"fabric_{axes}" for axes in ("xx", "yy", "zz", "xy", "yz", "zx")),
                "anisotropy")

    def read(self, look: Look) -> Values:
        """Return the fabric tensor and its anisotropy."""
        F = fabric(chosen_contacts(look, self.region, self.walls))
        return (F[0, 0], F[1, 1], F[2, 2], F[0, 1], F[1, 2], F[2, 0],
                anisotropy(F, look.world.dimension))

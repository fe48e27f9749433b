"""Contacts as rods: how thick they are drawn, and in which colour.

Their cross-section is in proportion to the force, or to the overlap where forces are not known
(`granum.view.network`); blue between grains, red at walls (Ferrez 2001, section 6.5).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from granum.output.rods import AT_WALLS, BETWEEN_GRAINS, Rods, rods
from granum.view.network import rods_of
from granum.view.record import Record, radius_of

THICKEST, THINNEST = 0.30, 0.02  # radius of a rod, in radii of a typical ball
SAMPLES = 8  # frames that are looked at for the strongest contact


@dataclass(frozen=True)
class RodLook:
    """How contacts of a run are drawn, the same in all its frames.

    Attributes:
        ball: radius of a typical ball [m].
        strongest: what the thickest rods stand for; stronger ones are not thicker.
    """

    ball: float
    strongest: float

    @classmethod
    def of(cls, record: Record) -> RodLook:
        """Look at a few frames of a run."""
        last = len(record.times()) - 1
        chosen = np.unique(np.linspace(0, last, SAMPLES).round().astype(int)).tolist()
        strong = [rods_of(record.frame(k), record.contacts(k)).strong for k in chosen]
        radius = radius_of(record.frame(last))
        known = radius[radius > 0.0]
        return cls(float(np.median(known)) if len(known) else 1.0, max(strong))

    def rods(self, record: Record, number: int) -> Rods:
        """Return the rods of a frame."""
        found = rods_of(record.frame(number), record.contacts(number))
        share = np.sqrt(np.clip(found.strength / (self.strongest or 1.0), 0.0, 1.0))
        thick = self.ball * np.maximum(THICKEST * share, THINNEST)
        colour = np.where(found.at_wall[:, None], AT_WALLS, BETWEEN_GRAINS)
        return rods(found.ends[:, :3], found.ends[:, 3:], thick, colour)

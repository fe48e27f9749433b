"""The derivatives that Gear's predictor-corrector carries: part of the state, unlike other rows.

A grain that comes has none but acceleration and rate of spin, which is exact in free fall.
"""

from __future__ import annotations

import numpy as np

from granum.checks import FloatArray, IntArray
from granum.compile import aligned
from granum.dynamics.gear import GONE
from granum.errors import InputError
from granum.shapes.turning import turned, turned_back
from granum.world import Grains

COLUMNS = [*range(3), *range(4, 7), *range(8, 11), *range(12, 15), *range(16, 19), GONE]


class Derivatives:
    """The higher derivatives of all grains, in the order of ids and as rows of the engine.

    Args:
        ids: of the grains whose derivatives are known, in ascending order.
        values: (n,15) x''', x'''', ω', ω'' and ω''' of these.
    """

    def __init__(self, ids: IntArray, values: FloatArray) -> None:
        self.ids, self.values = ids, np.column_stack((values, np.zeros(len(ids))))
        self.rows = aligned(0, 24)

    def load(self, grains: Grains, order: IntArray) -> None:
        """Make rows for grains in this order; those that are new have no derivatives yet."""
        if not np.array_equal(self.ids, grains.id):
            values = np.zeros((len(grains), 16))
            values[:, 6:9] = rates_of_spin(grains)
            known = np.isin(grains.id, self.ids)
            values[known] = self.values[np.searchsorted(self.ids, grains.id[known])]
            self.ids, self.values = grains.id.copy(), values
        self.rows = aligned(len(order), 24)
        self.rows[:, COLUMNS] = self.values[order]

    def store(self, order: IntArray) -> None:
        """Take the derivatives back from the rows."""
        self.values[order] = self.rows[:, COLUMNS]


def refuse_gear_with_budget(integrator: str, budget: bool) -> None:
    """Refuse a budget of energy with this integrator."""
    if budget and integrator == "gear":
        message = ("the budget of energy counts the work of kicks that change velocities, and "
                   "Gear's predictor-corrector moves grains without any: leave the budget out, or "
                   'take integrator = "verlet"')
        raise InputError(message)


def rates_of_spin(grains: Grains) -> FloatArray:
    """Return ω' of all grains: what torques make of it, and the turning of the body itself."""
    spin = turned_back(grains.orientation, grains.spin)
    own = -np.cross(spin, grains.inertia * spin) / grains.inertia
    return grains.spin_rate + turned(grains.orientation, own)

"""Features that rest, and simulations in which none ever does."""

from __future__ import annotations

import numpy as np

from granum.contact.shaped.slots import make_slots
from granum.dynamics import pairing


def asleep(sim):
    """Return how many features of a simulation are not looked at for the moment."""
    slots, count = sim._engine._pairs, 0
    for i, j, begin, end in slots.pair.astype(int):
        count += int((slots.gone[i] + slots.gone[j] < slots.wake[begin:end]).sum())
    return count


def wake_all(slots):
    """Have all features looked at in the next step."""
    slots.wake[:] = slots.pair_wake[:] = 0.0
    slots.limit[:] = -np.inf


def step_awake(sim, steps, monkeypatch):
    """Advance with all features looked at in each step, those of new lists, too."""

    def make_awake(*given):
        slots = make_slots(*given)
        wake_all(slots)
        return slots

    with monkeypatch.context() as patch:
        patch.setattr(pairing, "make_slots", make_awake)
        for _ in range(steps):
            wake_all(sim._engine._pairs)
            sim.step(1)

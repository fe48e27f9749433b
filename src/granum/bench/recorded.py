"""What a real run asks a search for neighbours: the grains at each update of its lists.

A settled packing on a floor, periodic sideways, goes on in one of three ways: left alone, tapped
(all grains thrown up by a fiftieth of a small radius), or tilted until it just slides. Both
searches then find the neighbours at the same updates, in turn.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from granum.bench.packing import RADIUS, settled_packing
from granum.checks import FloatArray, IntArray
from granum.neighbours import Candidates, Cells, Finder
from granum.neighbours.triangulated import Triangulated
from granum.simulation import Simulation

UPDATES = 24  # of a motion
PATIENCE = 400  # steps for each, at most, on average
STEPS = 100  # between looks at how many there were
RISE = 0.02  # of a tap, in small radii
TILT = math.radians(18.0)  # friction alone would hold up to 16.7
MOTIONS = ("settled", "tapped", "tilted")


class Asked(NamedTuple):
    """What a search is given."""

    X: FloatArray
    margin: FloatArray
    ids: IntArray


class Listening:
    """The search by cells, with the margins of the triangulation, that keeps what it is asked."""

    thickest, proven = Triangulated.thickest, Triangulated.proven

    def __init__(self, period: FloatArray) -> None:
        self.asked: list[Asked] = []
        self._cells = Cells(period)
        self.counts: dict[str, int] = {}

    def find(
        self, X: FloatArray, margin: FloatArray, ids: IntArray, body: IntArray | None = None
    ) -> Candidates:
        """Find all pairs with a gap below the sum of their margins; see ``Cells.find``."""
        self.asked.append(Asked(X.copy(), margin.copy(), ids.copy()))
        return self._cells.find(X, margin, ids, body)


def recorded(sim: Simulation, motion: str) -> list[Asked]:
    """Return what a packing asks at the updates of its lists, while it moves, and at both ends."""
    world, engine = sim.world, sim._engine
    g = math.hypot(*world.gravity)
    if motion == "tapped":
        world.velocity[:, 2] += math.sqrt(2.0 * g * RISE * RADIUS)
    if motion == "tilted":
        world.gravity = np.array((g * math.sin(TILT), 0.0, -g * math.cos(TILT)))
    listening = Listening(np.array(world.periods()))
    engine.neighbours, engine._finders = "triangulation", {("triangulation", False): listening}
    engine._renew()
    for _ in range(UPDATES * PATIENCE // STEPS):
        if len(listening.asked) > UPDATES:
            break
        sim.step(STEPS)
    engine._renew()
    return listening.asked


def time_recorded(asked: list[Asked], period: FloatArray) -> dict[str, Any]:
    """Return the mean cost of both searches at the updates of a run, but for the first [ns].

    All is done twice, for kernels are compiled or loaded when they are first called.
    """
    _time_once(asked, period)
    return _time_once(asked, period)


def _time_once(asked: list[Asked], period: FloatArray) -> dict[str, Any]:
    finders: dict[str, Finder] = {"refresh": Triangulated(period, 3), "cells": Cells(period)}
    spent = dict.fromkeys(finders, 0.0)
    before: dict[str, int] = {}
    for k, rows in enumerate(asked):
        for name, finder in finders.items():
            began = time.thread_time()
            finder.find(*rows)
            spent[name] += (time.thread_time() - began) * (k > 0)
        before = before or dict(finders["refresh"].counts)
    updates = len(asked) - 1
    costs = {name: total / updates / len(asked[0].X) * 1e9 for name, total in spent.items()}
    counts = {name.removeprefix("triangulation_"): number - before[name]
              for name, number in finders["refresh"].counts.items() if number > before[name]}
    return {**costs, "refresh_to_cells": costs["refresh"] / costs["cells"], "updates": updates,
            "counts": counts}


def bench_recorded(
    grains: int, ratio: float, threads: int, say: Callable[[str], None]
) -> dict[str, Any]:
    """Return the costs of both searches for each motion of a settled packing."""
    sim = settled_packing(grains, ratio, threads, say)
    state = sim.state()
    result = {}
    for motion in MOTIONS:
        say(f"a packing of 1:{ratio:g}, {motion} ...")
        sim = Simulation.from_state(*state, threads=threads)
        result[motion] = time_recorded(recorded(sim, motion), np.array(sim.world.periods()))
    return result

"""``granum bench spheres``: a settled dense packing with friction and history."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from granum.bench.lammps_peer import PeerPacking, run_lammps
from granum.bench.packing import DENSITY, RADIUS, settled_packing
from granum.compile import threading_layer
from granum.dynamics.phases import make_phases
from granum.errors import MissingExtraError
from granum.simulation import Simulation

TIMED = 1.0  # seconds that one timing should take
REPEATS = 7


def bench_spheres(
    grains: int, ratio: float, threads: int, peer: bool, say: Callable[[str], None]
) -> dict[str, Any]:
    """Return grains times steps a second of granum, and of LAMMPS on the same packing.

    Speeds are the best of seven timings; beside wall time, the processor time of the calling
    thread is given, which is the fairer one on a machine that others use too. The ratio is the
    median over the turns: each pair of timings meets the same moment of the machine.
    """
    sim = settled_packing(grains, ratio, threads, say)
    say(f"timing {len(sim.world)} grains on {threads} threads ...")
    steps = _steps_for(sim)
    before = dict(sim.counts)
    result: dict[str, Any] = {
        "bench": "spheres",
        "grains": len(sim.world),
        "ratio": ratio,
        "threads": threads,
        "steps": steps,
        "contacts_per_grain": 2 * int((sim.contacts().j >= 0).sum()) / len(sim.world),
    }
    own, others = _time_in_turns(sim, steps, peer, say)
    result.update(own)
    result["list_updates"] = sim.counts["list_updates"] - before["list_updates"]
    result["threading_layer"] = threading_layer()
    result["memory_per_grain"] = sim.memory_size / len(sim.world)
    if peer:
        result["lammps"] = others
    say("timing the phases ...")
    result["phases_ns_per_grain_step"] = time_phases(sim)
    return result


def _steps_for(sim: Simulation) -> int:
    """Return how many steps take about the wanted time, a few hundred at least."""
    sim.step(20)
    began = time.perf_counter()
    sim.step(50)
    return max(100, int(50 * TIMED / (time.perf_counter() - began)))


def _time_in_turns(
    sim: Simulation, steps: int, peer: bool, say: Callable[[str], None]
) -> tuple[dict[str, float], dict[str, Any]]:
    """Time granum and LAMMPS in turns, so that a busy moment of the machine meets both."""
    work = len(sim.world) * steps
    walls, processors, others = [], [], []
    missing = ""
    for turn in range(REPEATS):
        wall, processor = time.perf_counter(), time.thread_time()
        sim.step(steps)
        walls.append(time.perf_counter() - wall)
        processors.append(time.thread_time() - processor)
        if peer and not missing:
            say(f"timing LAMMPS on the same packing ({turn + 1} of {REPEATS}) ...")
            try:
                others.append(run_lammps(_peer_packing(sim), steps))
            except MissingExtraError as error:
                missing = str(error)
    own = {"speed": work / min(walls), "cpu_speed": work / min(processors)}
    if missing:
        return own, {"missing": missing}
    if not others:
        return own, {}
    best = max(others, key=lambda result: result.cpu_speed)
    if sim.threads == 1:
        own["ratio_to_lammps"] = statistics.median(
            work / mine / other.cpu_speed for mine, other in zip(processors, others, strict=True)
        )
    return own, {
        "version": best.version,
        "speed": max(result.speed for result in others),
        "cpu_speed": best.cpu_speed,
        "contacts_per_grain": best.contacts_per_grain,
        "list_builds": best.list_builds,
    }


def _peer_packing(sim: Simulation) -> PeerPacking:
    """Return the packing as LAMMPS takes it: stiffness and damping of two small grains."""
    world = sim.world
    k_n, c_n, k_t, c_t, friction = (float(c) for c in sim.law.coefficients())
    mass = DENSITY * 4.0 / 3.0 * np.pi * float(world.radius.min()) ** 3 / 2.0
    slip = mass * 2.0 / 7.0
    cell = world.periods()
    top = float((world.position[:, 2] + world.radius).max())
    return PeerPacking(
        positions=world.position, radii=world.radius, density=DENSITY,
        low=np.zeros(3), high=np.array([cell[0], cell[1], top + 10 * RADIUS]),
        periodic=(True, True, False), normal_stiffness=mass * k_n, tangential_stiffness=slip * k_t,
        normal_damping=mass * c_n, tangential_damping=slip * c_t, friction=friction,
        time_step=sim.time_step, gravity=world.gravity, floor=True, velocities=world.velocity,
    )


def time_phases(sim: Simulation, repeats: int = 60) -> dict[str, float]:
    """Return the least processor time of each phase of a step, and of a list update [ns a grain].

    The phases run on a copy of the state that does not move on (no time passes in them).
    """
    engine = Simulation.from_state(*sim.state(), threads=sim.threads)._engine
    phases = make_phases(engine._model, True)
    rows, pairs, history = engine._rows, engine._pairs, engine._history
    calls: dict[str, Callable[[int], Any]] = {
        "begin": lambda k: phases["begin"](rows, pairs, 0.0, engine._cell, engine._share),
        "sweep": lambda k: phases["sweep"](rows, engine._forces, pairs, history, k + 1,
                                           engine._numbers, engine._period,
                                           engine._scratch),
        "finish": lambda k: phases["finish"](rows, engine._forces, pairs),
        "list_update": lambda k: engine._renew(),
    }
    result = {}
    for name, call in calls.items():
        call(0)
        times = []
        for k in range(1, repeats if name != "list_update" else 6):
            began = time.thread_time()
            call(k)
            times.append(time.thread_time() - began)
        result[name] = min(times) / len(sim.world) * 1e9
    return result

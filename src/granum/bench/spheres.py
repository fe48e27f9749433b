"""``granum bench spheres``: a settled dense packing with friction and history."""

from __future__ import annotations

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

TIMED = 2.0  # seconds that one timing should take
REPEATS = 3
BENCHES = ("spheres",)


def bench_spheres(
    grains: int, ratio: float, threads: int, peer: bool, say: Callable[[str], None]
) -> dict[str, Any]:
    """Return grains times steps a second of granum, and of LAMMPS on the same packing.

    Speeds are the best of three timings; beside wall time, the processor time of the calling
    thread is given, which is the fairer one on a machine that others use too.
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
        **_time(sim, steps),
        "list_updates": sim.counts["list_updates"] - before["list_updates"],
        "threading_layer": threading_layer(),
    }
    result["memory_per_grain"] = sim.memory_size / len(sim.world)
    say("timing the phases ...")
    result["phases_ns_per_grain_step"] = time_phases(sim)
    if peer:
        result["lammps"] = _time_peer(sim, steps, say)
        if "speed" in result["lammps"] and threads == 1:
            result["ratio_to_lammps"] = result["cpu_speed"] / result["lammps"]["cpu_speed"]
    return result


def _steps_for(sim: Simulation) -> int:
    """Return how many steps take about the wanted time, a few hundred at least."""
    sim.step(20)
    began = time.perf_counter()
    sim.step(50)
    return max(100, int(50 * TIMED / (time.perf_counter() - began)))


def _time(sim: Simulation, steps: int) -> dict[str, float]:
    walls, processors = [], []
    for _ in range(REPEATS):
        wall, processor = time.perf_counter(), time.thread_time()
        sim.step(steps)
        walls.append(time.perf_counter() - wall)
        processors.append(time.thread_time() - processor)
    work = len(sim.world) * steps
    return {"speed": work / min(walls), "cpu_speed": work / min(processors)}


def _time_peer(sim: Simulation, steps: int, say: Callable[[str], None]) -> dict[str, Any]:
    say("timing LAMMPS on the same packing ...")
    try:
        results = [run_lammps(_peer_packing(sim), steps) for _ in range(REPEATS)]
    except MissingExtraError as error:
        return {"missing": str(error)}
    best = max(results, key=lambda result: result.cpu_speed)
    return {
        "version": best.version,
        "speed": max(result.speed for result in results),
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
    """Return the processor time of each phase of a step, and of a list update [ns a grain].

    The phases run on a copy of the state that does not move on (no time passes in them).
    """
    engine = Simulation.from_state(*sim.state(), threads=sim.threads)._engine
    phases = make_phases(sim.law.kernel(), True)
    rows, pairs, history = engine._rows, engine._pairs, engine._history
    calls: dict[str, Callable[[int], Any]] = {
        "begin": lambda k: phases["begin"](rows, pairs, 0.0, engine._cell),
        "sweep": lambda k: phases["sweep"](rows, engine._forces, pairs, history, k + 1,
                                           engine._coefficients, engine._period,
                                           engine._scratch),
        "finish": lambda k: phases["finish"](rows, engine._forces, pairs),
        "list_update": lambda k: engine._renew(engine._memory()),
    }
    result = {}
    for name, call in calls.items():
        call(0)
        times = []
        for k in range(1, repeats if name != "list_update" else 6):
            began = time.thread_time()
            call(k)
            times.append(time.thread_time() - began)
        result[name] = float(np.median(times)) / len(sim.world) * 1e9
    return result

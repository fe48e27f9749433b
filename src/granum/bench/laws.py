"""``granum bench laws``: what each contact law costs, and a user's law beside the built-in one.

All run on the same settled packing, in turns, so that a busy moment of the machine meets all of
them. ``user`` is the linear viscoelastic law once more, written as a user would write it.

On one thread the time is that of the processor, so that others on the machine do not count; several
threads have no such clock in common, and are timed by the wall.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from granum.bench.packing import law_for, settled_packing
from granum.laws import (
    Adaptive,
    HertzMindlin,
    KuwabaraKono,
    LinearRepulsive,
    WaltonBraun,
    bounded,
    law,
)
from granum.simulation import Simulation

TURNS = 7
TIMED = 0.5  # seconds that one turn should take
SOFT = 2e6  # Young's modulus that is as soft as the other laws are here [Pa]


@law(parameters=("c_n", "c_t", "friction", "k_n", "k_t"))
def linear(p, touch, state):
    """Return what the built-in law does: springs and dashpots by the unit of effective mass."""
    normal = touch.mass * (p.k_n * touch.overlap + p.c_n * touch.rate)
    pull, spring = bounded(p.friction * max(normal, 0.0), touch.slip_mass * p.k_t,
                           touch.slip_mass * p.c_t, touch)
    return normal, pull, spring, state


def bench_laws(grains: int, threads: int, say: Callable[[str], None]) -> dict[str, Any]:
    """Return grains times steps a second for each law, and the ratio of the user's to its twin."""
    packing = settled_packing(grains, 1.0, threads, say)
    sims = {}
    for name, one in _laws().items():
        say(f"compiling {name} ...")
        sims[name] = _with_law(packing, one, threads)
        sims[name].step(50)
    steps = _steps_for(next(iter(sims.values())))
    best = dict.fromkeys(sims, float("inf"))
    clock = time.thread_time if threads == 1 else time.perf_counter
    for turn in range(TURNS):
        say(f"timing, turn {turn + 1} of {TURNS} ...")
        for name, sim in sims.items():
            began = clock()
            sim.step(steps)
            best[name] = min(best[name], clock() - began)
    speeds = {name: len(packing.world) * steps / taken for name, taken in best.items()}
    return {
        "bench": "laws", "grains": len(packing.world), "threads": threads, "steps": steps,
        "contacts_per_grain": 2 * int((packing.contacts().j >= 0).sum()) / len(packing.world),
        "cpu_speed": speeds, "user_to_built_in": speeds["user"] / speeds["linear_viscoelastic"],
    }


def _laws() -> dict[str, Any]:
    base = law_for(1.0)
    e, t_c, mu = base.restitution, base.contact_time, base.friction
    k_n, c_n, k_t, c_t, _ = (float(c) for c in base.coefficients())
    return {
        "linear_viscoelastic": base,
        "user": linear(k_n=k_n, c_n=c_n, k_t=k_t, c_t=c_t, friction=mu),
        "linear_repulsive": LinearRepulsive(e, t_c, friction=mu),
        "hertz_mindlin": HertzMindlin(SOFT, 0.3, e, friction=mu),
        "kuwabara_kono": KuwabaraKono(SOFT, 0.3, 1e-5, friction=mu),
        "walton_braun": WaltonBraun(e, t_c, friction=mu),
        "adaptive": Adaptive(e, t_c, friction=mu),
    }


def _with_law(packing: Simulation, one: Any, threads: int) -> Simulation:
    """Return the same packing under another law, at the same time step, without its history."""
    copy = Simulation.from_state(*packing.state(), threads=threads).world
    return Simulation(copy, one, time_step=1e-6, threads=threads, initial_overlap=0.3)


def _steps_for(sim: Simulation) -> int:
    began = time.perf_counter()
    sim.step(50)
    return max(20, int(50 * TIMED / (time.perf_counter() - began)))

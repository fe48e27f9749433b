"""``granum bench shapes``: what grains of other shapes cost, beside spheres and a cow of discs.

Each kind is let fall and come to rest on a floor, periodic sideways; then steps are timed, in
turns, so that a busy moment of the machine meets all kinds. All fit into spheres of one size. The
clump is the cow once more, filled with discs (F. Alonso-Marroquín and Y. Wang, Granular Matter 11
(2009) 317, section 5, compare a cow of 62 points with one of 726 discs).
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import Any

from granum.laws import LinearViscoelastic
from granum.shapes import (
    AnySwept,
    Clump,
    Spherocylinder,
    SpheroPolygon,
    SpheroPolyhedron,
    Spherotetrahedron,
    filled_with_discs,
)
from granum.simulation import Simulation
from granum.walls import Plane
from granum.world import Lattice, World

LAW = LinearViscoelastic(restitution=0.2, contact_time=2e-4, friction=0.3)
RADIUS = 1e-3  # of the sphere around a grain [m]
DENSITY = 2500.0
SETTLING = 0.15  # simulated time from a loose lattice to rest [s]
BRAKES = 10  # times at the end that all motion is stopped
DISCS = 726  # of the cow that is filled with discs
TURNS = 5
TIMED = 0.3  # seconds that one turn should take


def bench_shapes(grains: int, threads: int, say: Callable[[str], None]) -> dict[str, Any]:
    """Return grains times steps a second for each kind of grain."""
    sims = {}
    for name, shape in kinds().items():
        say(f"settling {name} ...")
        sims[name] = settled(shape, grains if name != "cow of discs" else max(grains // 10, 20),
                             threads)
    steps = {name: _steps_for(sim) for name, sim in sims.items()}
    best = dict.fromkeys(sims, float("inf"))
    clock = time.thread_time if threads == 1 else time.perf_counter
    for turn in range(TURNS):
        say(f"timing, turn {turn + 1} of {TURNS} ...")
        for name, sim in sims.items():
            began = clock()
            sim.step(steps[name])
            best[name] = min(best[name], clock() - began)
    cases = {name: {
        "grains": len(sim.world),
        "balls": len(sim.world.balls().arm) / len(sim.world),
        "contacts_per_grain": 2 * int((sim.contacts().j >= 0).sum()) / len(sim.world),
        "cpu_speed": len(sim.world) * steps[name] / best[name],
    } for name, sim in sims.items()}
    speed = {name: case["cpu_speed"] for name, case in cases.items()}
    return {"bench": "shapes", "threads": threads, "cases": cases,
            "rods_to_spheres": speed["spherocylinders"] / speed["spheres"],
            "cow_to_discs": speed["cows"] / speed["cow of discs"]}


def kinds() -> dict[str, AnySwept | Clump | None]:
    """Return the shapes that are measured; None for spheres."""
    cow = SpheroPolygon.cow(2.0, 0.05)
    stone = ((1.0, 0.0), (0.6, 0.7), (-0.3, 0.8), (-1.0, 0.2), (-0.7, -0.6), (0.3, -0.7))
    return {
        "spheres": None,
        "spherocylinders": Spherocylinder(2.0, 0.5),
        "tetrahedra": Spherotetrahedron(1.0, 0.2),
        "cubes": SpheroPolyhedron.box((1.0, 1.0, 1.0), 0.1),
        "pebbles": SpheroPolygon(stone, 0.2),
        "cows": cow,
        "cow of discs": filled_with_discs(cow, DISCS),
    }


def settled(shape: AnySwept | Clump | None, grains: int, threads: int) -> Simulation:
    """Return grains of one shape at rest on a floor."""
    flat = isinstance(shape, SpheroPolygon | Clump)
    dimension = 2 if flat else 3
    side = 2.2 * RADIUS * max(4, round(math.sqrt(grains) if flat else 0.7 * grains ** (1 / 3)))
    world = World(dimension=dimension, seed=1,
                  periodic=(side, None, None) if flat else (side, side, None))
    down = (0.0, 1.0, 0.0) if flat else (0.0, 0.0, 1.0)
    world.add(Plane((0.0, 0.0, 0.0), down))
    room = 4.0 * grains * (2.2 * RADIUS) ** dimension / side ** (dimension - 1) + 10.0 * RADIUS
    high = (side, room, 0.0) if flat else (side, side, room)
    placing = Lattice(radius=RADIUS, spacing=2.1 * RADIUS, count=grains, low=(0.0, 0.0, 0.0),
                      high=high, clump=shape if isinstance(shape, Clump) else None,
                      shape=None if isinstance(shape, Clump) else shape)
    world.add(placing, density=DENSITY)
    sim = Simulation(world, LAW, threads=threads)
    sim.run(SETTLING)
    for _ in range(BRAKES):
        world.velocity = 0.0
        world.spin = 0.0
        sim.step(100)
    return sim


def _steps_for(sim: Simulation) -> int:
    began = time.perf_counter()
    sim.step(20)
    return max(20, int(20 * TIMED / (time.perf_counter() - began)))

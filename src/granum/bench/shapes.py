"""``granum bench shapes``: what grains of other shapes cost, beside spheres, discs and LAMMPS.

Each kind is let fall and come to rest on a floor, periodic sideways; then steps are timed, in
turns, so that a busy moment of the machine meets all kinds. All fit into spheres of one size. A few
hundred grains are let fall; a larger heap is this one repeated sideways, so that heaps of all sizes
are alike. The clump is the cow once more, filled with discs (F. Alonso-Marroquín and Y. Wang,
Granular Matter 11 (2009) 317, section 5, compare a cow of 62 points with one of 726 discs). LAMMPS
gets a heap of the same cubes.
"""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from granum.bench.lammps_bodies import PeerBodies, run_bodies
from granum.errors import GranumError
from granum.laws import LinearViscoelastic
from granum.shapes import (
    AnySwept,
    Clump,
    RigidShape,
    Spherocylinder,
    SpheroPolygon,
    SpheroPolyhedron,
    Spherotetrahedron,
    filled_with_discs,
)
from granum.shapes.turning import turned
from granum.simulation import Simulation
from granum.walls import Plane
from granum.world import Lattice, World

LAW = LinearViscoelastic(restitution=0.2, contact_time=2e-4, friction=0.3)
RADIUS = 1e-3  # of the sphere around a grain [m]
DENSITY = 2500.0
FALLING = 250  # grains that are let fall at most; the rest are copies
SETTLING = 0.15  # simulated time from a loose lattice to rest [s]
BRAKES = 10  # times at the end that all motion is stopped
DISCS = 726  # of the cow that is filled with discs
TURNS = 5
TIMED = 1.0  # seconds that one turn should take
PEER_STEPS = 50  # that LAMMPS does in a turn


@dataclass(frozen=True)
class Heap:
    """Grains of one shape at rest.

    Args:
        sim: the simulation.
        falling: how many grains were let fall; the first so many are the first copy.
        side: of the cell of one copy [m].
    """

    sim: Simulation
    falling: int
    side: float


def bench_shapes(grains: int, threads: int, peer: bool, say: Callable[[str], None]
                 ) -> dict[str, Any]:
    """Return grains times steps a second for each kind of grain, and of LAMMPS for cubes.

    Speeds are the best of all turns; ratios are the median over the turns.
    """
    heaps = {}
    for name, shape in kinds().items():
        say(f"settling {name} ...")
        count = min(grains, FALLING) if name == "cow of discs" else grains  # one costs many others
        heaps[name] = settled(shape, count, threads)
    sims = {name: heap.sim for name, heap in heaps.items()}
    speed, lammps = _time_in_turns(sims, threads, peer_bodies(heaps["cubes"]) if peer else None,
                                   say)
    cases = {name: {
        "grains": len(sim.world),
        "balls": len(sim.world.balls().arm) / len(sim.world),
        "contacts_per_grain": 2 * int((sim.contacts().j >= 0).sum()) / len(sim.world),
        "cpu_speed": max(speed[name]),
        "to_spheres": _ratio(speed[name], speed["spheres"]),
    } for name, sim in sims.items()}
    result: dict[str, Any] = {
        "bench": "shapes", "threads": threads, "cases": cases,
        "rods_to_spheres": cases["spherocylinders"]["to_spheres"],
        "cow_to_discs": _ratio(speed["cows"], speed["cow of discs"])}
    if peer:
        result["lammps"] = lammps
    if speed["lammps"]:
        result["cubes_to_lammps"] = _ratio(speed["cubes"], speed["lammps"])
    return result


def _time_in_turns(sims: dict[str, Simulation], threads: int, bodies: PeerBodies | None,
                   say: Callable[[str], None]) -> tuple[dict[str, list[float]], dict[str, Any]]:
    """Return grains times steps a second of each kind in each turn, and what LAMMPS says."""
    steps = {name: _steps_for(sim) for name, sim in sims.items()}
    speed: dict[str, list[float]] = {name: [] for name in (*sims, "lammps")}
    lammps: dict[str, Any] = {}
    clock = time.thread_time if threads == 1 else time.perf_counter
    for turn in range(TURNS):
        say(f"timing, turn {turn + 1} of {TURNS} ...")
        for name, sim in sims.items():
            began = clock()
            sim.step(steps[name])
            speed[name].append(len(sim.world) * steps[name] / (clock() - began))
        if bodies is None or "missing" in lammps:
            continue
        try:
            found = run_bodies(bodies, PEER_STEPS)
        except GranumError as error:
            lammps = {"missing": str(error)}
        else:
            speed["lammps"].append(found.cpu_speed)
            lammps = asdict(found) | {"cpu_speed": max(speed["lammps"])}
    return speed, lammps


def _ratio(one: list[float], two: list[float]) -> float:
    """Return the median over the turns of the ratio of two speeds."""
    return statistics.median(a / b for a, b in zip(one, two, strict=True))


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


def settled(shape: AnySwept | Clump | None, grains: int, threads: int) -> Heap:
    """Return about so many grains of one shape at rest on a floor."""
    flat = isinstance(shape, SpheroPolygon | Clump)
    copies = max(1, round(grains / FALLING))
    count = round(grains / copies)
    side = 2.2 * RADIUS * max(4, round(math.sqrt(count) if flat else 0.7 * count ** (1 / 3)))
    sim = Simulation(_on_lattice(shape, count, (side, side)), LAW, threads=threads)
    sim.run(SETTLING)
    _brake(sim)
    if copies == 1:
        return Heap(sim, count, side)
    across = 1 if flat else max(k for k in range(1, math.isqrt(copies) + 1) if copies % k == 0)
    along = copies // across
    world = _on_lattice(shape, count * copies, (side * along, side * across))
    shifts = np.array([(x * side, y * side, 0.0) for x in range(along) for y in range(across)])
    world.position = (shifts[:, None] + sim.world.position).reshape(-1, 3)
    world.orientation = np.tile(sim.world.orientation, (copies, 1))
    sim = Simulation(world, LAW, threads=threads, initial_overlap=0.5)
    _brake(sim)
    return Heap(sim, count, side)


def _on_lattice(shape: AnySwept | Clump | None, grains: int, side: tuple[float, float]) -> World:
    """Return grains on a loose lattice above a floor, in a cell with these sides [m]."""
    flat = isinstance(shape, SpheroPolygon | Clump)
    world = World(dimension=2 if flat else 3, seed=1,
                  periodic=(side[0], None, None) if flat else (*side, None))
    world.add(Plane((0.0, 0.0, 0.0), (0.0, 1.0, 0.0) if flat else (0.0, 0.0, 1.0)))
    columns = [int(length / (2.1 * RADIUS)) for length in (side[:1] if flat else side)]
    room = 2.2 * RADIUS * (grains / math.prod(columns) + 5.0)
    high = (side[0], room, 0.0) if flat else (*side, room)
    world.add(Lattice(radius=RADIUS, spacing=2.1 * RADIUS, count=grains, low=(0.0, 0.0, 0.0),
                      high=high, clump=shape if isinstance(shape, Clump) else None,
                      shape=None if isinstance(shape, Clump) else shape), density=DENSITY)
    return world


def _brake(sim: Simulation) -> None:
    """Stop all motion several times."""
    for _ in range(BRAKES):
        sim.world.velocity = 0.0
        sim.world.spin = 0.0
        sim.step(100)


def _steps_for(sim: Simulation) -> int:
    began = time.perf_counter()
    sim.step(20)
    return max(20, int(20 * TIMED / (time.perf_counter() - began)))


def peer_bodies(heap: Heap) -> PeerBodies:
    """Return one copy of a heap of cubes as LAMMPS takes it."""
    world, sim = heap.sim.world, heap.sim
    shape, first = world.shapes[0], slice(0, heap.falling)
    size = RADIUS / shape.radius
    position = world.position[first].copy()
    position[:, :2] %= heap.side
    mass = float(world.mass[0])
    k_n, c_n, _, _, friction = (float(c) for c in sim.law.coefficients())
    return PeerBodies(
        positions=position,
        vertices=size * turned(world.orientation[first][:, None], np.array(shape.points)),
        edges=shape.edges, faces=quads(shape), rounding=size * shape.radii[0], radius=RADIUS,
        mass=mass, inertia=float(world.grains.inertia[0, 0]), side=(heap.side, heap.side),
        height=float(position[:, 2].max()) + 10.0 * RADIUS, stiffness=0.5 * mass * k_n,
        damping=0.5 * mass * c_n, friction=friction, time_step=sim.time_step,
        gravity=float(np.linalg.norm(world.gravity)))


def quads(shape: RigidShape) -> tuple[tuple[int, ...], ...]:
    """Return the faces of a solid whose faces are pairs of triangles, as loops of four vertices."""
    points, loops = np.array(shape.points), []
    for a, b in shape.seams:
        c, d = (next(v for v in face if v not in (a, b))
                for face in shape.faces if {a, b} <= set(face))
        outwards = np.cross(points[c] - points[a], points[b] - points[a]) @ points[a]
        loops.append((a, c, b, d) if outwards > 0.0 else (a, d, b, c))
    return tuple(loops)

"""Cows, and how fast they are simulated (Alonso-Marroquín & Wang 2009, section 5).

A cow is an outline of 62 points, swept by a disc; 3 m long, the disc 10 cm in radius, as published.
(The outline is granum's own.) Cows fall into a pen and heap up. Then the heap is timed: the cows;
the same heap with each cow replaced by a clump of 726 discs that fills it; and discs of the area of
a cow, as many, at rest in the same pen. The measure is the Cundall number, grains times steps for
each second of one processor.

The paper does not tell what its grains did while they were timed. Law, density and the pen were
chosen: restitution 0.2, contact time 3 ms, friction 0.3, 1000 kg/m3, about as many cows in a row as
there are rows.

What it must show: a number that hardly depends on how many grains there are, from 100 to 1000, and
cows that are much faster than their clumps. (Published: 40 times; 2000 against 50, and 100 000 for
discs, on a processor of 2004.)
"""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from granum.laws import Law
from granum.portrait import draw_run
from granum.run import newest_simulation
from granum.shapes import Clump, SpheroPolygon, filled_with_discs
from granum.shapes.turning import turned
from granum.simulation import Simulation
from granum.studies.origin import read_origin
from granum.studies.planar import SOURCE, outline_table
from granum.studies.study import Published
from granum.walls import Box
from granum.world import Lattice, World

COW = SpheroPolygon.cow(3.0, 0.1)  # [m]
DISCS = 726
DENSITY = 1000.0  # [kg/m3]
GRAVITY = [0.0, -9.81, 0.0]
SPACING = 1.02  # of the lattice, in diameters of the circle around a cow
LAW = {"type": "linear_viscoelastic", "restitution": 0.2, "contact_time": 3e-3, "friction": 0.3}
TURNS = 5  # of which the fastest counts
TIMED = 0.3  # seconds that one turn should take
RELAXING = 200  # steps in which clumps find their place before they are timed
OVERLAP = 0.5  # that they may have before, as a share of a radius


@dataclass(frozen=True)
class Herd:
    """How many cows, and how long they fall and come to rest [s]."""

    count: int
    duration: float

    @property
    def row(self) -> int:
        """Cows in the lowest row at the start."""
        return math.ceil(math.sqrt(self.count))

    @property
    def pen(self) -> Box:
        """The box, open above."""
        pitch = 2.0 * SPACING * COW.bounding_radius
        high = (self.row + 0.5) * pitch
        return Box((0.0, 0.0, 0.0), (high, 1.2 * high, 0.0), open_top=True)


HERDS = {"100": Herd(100, 4.0), "300": Herd(300, 5.0), "1000": Herd(1000, 6.0)}
QUICK = Herd(16, 1.2)
PUBLISHED = (
    Published("discs [grains x steps / s]", "about 100 000", "disc_speed", source="figure 10"),
    Published("cows [grains x steps / s]", "about 2000", "cow_speed", source="figure 10"),
    Published("cows as clumps [grains x steps / s]", "about 50", "clump_speed",
              source="figure 10"),
    Published("cows over clumps", "40", "cow_to_clump", source="section 6"),
)


class CowStudy:
    """The Minkowski cow of Alonso-Marroquín & Wang 5."""

    name = "cow"
    title = "A heap of cows"
    source = f"{SOURCE}, section 5"
    shows = ("a speed that hardly depends on how many grains there are, and cows that are much "
             "faster than clumps of 726 discs")
    variants: Mapping[str, str] = {
        "100": "100 cows of 62 points", "300": "300 cows", "1000": "1000 cows"}
    published: Mapping[str, tuple[Published, ...]] = dict.fromkeys(HERDS, PUBLISHED)

    def scenario(self, variant: str, quick: bool) -> dict[str, Any]:
        """Return the tables of a variant; ``quick`` has 16 cows."""
        herd = QUICK if quick else HERDS[variant]
        pen = herd.pen
        radius = COW.bounding_radius
        return {
            "title": "Cows (quick)" if quick else f"Cows: {self.variants[variant]}",
            "seed": 1,
            "world": {"dimension": 2, "gravity": GRAVITY},
            "materials": {"beef": {"density": DENSITY}},
            "law": dict(LAW),
            "walls": [{"type": "box", "low": list(pen.low), "high": list(pen.high),
                       "open_top": True, "name": "pen"}],
            "grains": [{"type": "lattice", "radius": radius, "spacing": 2.0 * SPACING * radius,
                        "count": herd.count, "low": list(pen.low),
                        "high": [pen.high[0], 2.0 * pen.high[1], 0.0],
                        "shape": outline_table(COW)}],
            "run": {"duration": herd.duration},
            "output": {"series": herd.duration / 100, "frames": herd.duration / 40},
        }

    def conclude(self, folder: Path, world: World) -> dict[str, Any]:
        """Draw the heap; time it, with cows, with clumps, and with discs."""
        origin = read_origin(folder / "scenario.toml")
        quick = origin is not None and origin.quick
        herd = QUICK if quick else HERDS[origin.variant if origin else "100"]
        cows = newest_simulation(folder, threads=1)
        clump = filled_with_discs(COW, DISCS)
        speeds = {
            "cow_speed": speed(cows),
            "clump_speed": speed(as_clumps(world, clump, cows.law)),
            "disc_speed": speed(discs(herd, cows.law)),
        }
        return {
            "grains": len(world), **speeds,
            "cow_to_clump": speeds["cow_speed"] / speeds["clump_speed"],
            "disc_to_cow": speeds["disc_speed"] / speeds["cow_speed"],
            "points": len(COW.points), "discs_in_a_clump": len(clump),
            "picture": str(draw_run(folder, world, dimension=2, moments=2)),
        }


def speed(sim: Simulation) -> float:
    """Return grains times steps for each second of one processor: of several turns the fastest."""
    steps = _steps_for(sim)
    best = math.inf
    for _ in range(TURNS):
        began = time.thread_time()
        sim.step(steps)
        best = min(best, time.thread_time() - began)
    return len(sim.world) * steps / best


def _steps_for(sim: Simulation) -> int:
    """Return how many steps a turn takes."""
    began = time.thread_time()
    sim.step(10)
    return max(10, int(10 * TIMED / (time.thread_time() - began)))


def as_clumps(world: World, clump: Clump, law: Law) -> Simulation:
    """Return the heap of a world of cows with each cow replaced by its clump, nearly at rest.

    A clump has its centre of mass elsewhere, by a little.
    """
    shift = clump.settled(2).centre - COW.centre
    other = World(GRAVITY, dimension=2)
    for wall in world.walls:
        other.add(wall)
    other.add(clump, at=world.position + turned(world.orientation, shift), density=DENSITY,
              orientation=world.orientation)
    sim = Simulation(other, law, threads=1, initial_overlap=OVERLAP)
    sim.step(RELAXING)
    return sim


def discs(herd: Herd, law: Law) -> Simulation:
    """Return as many discs of the area of a cow, at rest in the same pen."""
    radius = math.sqrt(COW.volume / math.pi)
    world, pen = World(GRAVITY, dimension=2), herd.pen
    world.add(pen)
    world.add(Lattice(radius=radius, spacing=2.0 * SPACING * radius, count=herd.count,
                      low=pen.low, high=pen.high), density=DENSITY)
    sim = Simulation(world, law, threads=1)
    sim.run(0.5 * herd.duration)
    return sim

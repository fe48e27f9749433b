"""How the work grows with the number of grains of several shapes (Pournin 2005, section 4.4).

1000 grains are poured into a cylinder of 20 mm: 250 of each kind of spherosimplex; 500 spheres and
500 spherotetrahedra; or 1000 spherocylinders, whose shafts are 6 or 12 times as long as their
radius (l / r = 3 or 6, l being half of the shaft). All have the volume of a sphere of 2 mm. The
thesis finds grains that are near each other by the weighted Delaunay triangulation of spheres that
cover them: one for each simplex that is blunt enough (l / r at most 0.325, of tetrahedra 0.616), 5
and 9 for its rods. It counts edges and takes the time against the number of grains poured.

Here the run itself finds neighbours by cells. At its end covers are made for an overlap of 50 µm as
in the thesis, and the triangulation of the first grains that were poured, of more, and of all is
counted; and 400 steps of each are timed, on one thread. Friction is not told; here 0.2.

What it must show: time grows in proportion to the grains, the more slowly the blunter they are; the
triangulation has about 7 edges for each covering sphere, whatever the shape.
"""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from granum.checks import FloatArray
from granum.errors import MissingExtraError
from granum.geometry import Triangulation
from granum.output.plot import Curve, Panel, plot_panels
from granum.portrait import draw_run
from granum.run import newest_simulation
from granum.shapes.covers import Cover, cover
from granum.shapes.turning import turned
from granum.simulation import Simulation
from granum.studies.origin import read_origin
from granum.studies.shaken import DENSITY, TIME_STEP, floor, law, tube
from granum.studies.sharpness import ROD, TETRAHEDRON, TRIANGLE, simplex, table
from granum.studies.study import Published
from granum.world import World

RADIUS = 1e-3  # of a sphere with the volume of every grain [m]
RESTITUTION, FRICTION = 0.4, 0.2
OVERLAP = 5e-5  # for which covers are made [m]
SPEED = 0.3  # with which grains enter [m/s]
REST = 0.3  # time that they get to settle after the last has entered [s]
PARTS = 5  # equal steps in which the number of grains grows when it is counted
WARM = {True: 20, False: 5000}  # steps until a heap whose top was taken off is at rest again
STEPS = {True: 50, False: 400}  # that are timed
PLOT = "complexity.png"


@dataclass(frozen=True)
class Filling:
    """What is poured into the cylinder.

    Args:
        kinds: shapes and their sharpness, all as often; a sphere has none.
        rate: grains of all kinds in a second [1/s], as many as find room.
        count: of all grains.
        width: diameter of the cylinder [m].
    """

    kinds: tuple[tuple[str, float], ...]
    rate: float
    count: int = 1000
    width: float = 0.02

    @property
    def level(self) -> float:
        """Height above which grains enter, clear of the heap [m]."""
        heap = 4.0 / 3.0 * math.pi * RADIUS**3 * self.count / (0.25 * math.pi * self.width**2)
        return heap / 0.45 + self.reach

    @property
    def reach(self) -> float:
        """Radius of the sphere that holds the largest grain [m]."""
        return max(float(size(kind)["radius"]) for kind in self.kinds)

    @property
    def duration(self) -> float:
        """Time that pouring and settling take, with some to spare [s]."""
        return 1.2 * self.count / self.rate + REST


def size(kind: tuple[str, float]) -> dict[str, Any]:
    """Return the keys of a placing of one kind of grains: radius [m] and shape."""
    if kind == SPHERE:
        return {"radius": RADIUS}
    return table(simplex(*kind, RADIUS))


SPHERE = ("sphere", 0.0)
POINTED = (TETRAHEDRON, 0.616)  # l / r that one sphere covers: of tetrahedra, and of others
FILLINGS = {
    "simplices": Filling((SPHERE, (ROD, 0.325), (TRIANGLE, 0.325), POINTED), 1000.0),
    "tetrahedra": Filling((SPHERE, POINTED), 1000.0),
    "rods-3": Filling(((ROD, 3.0),), 250.0),
    "rods-6": Filling(((ROD, 6.0),), 100.0),
}
QUICK_COUNT, QUICK_WIDTH, QUICK_SLOWER = 40, 0.01, 0.3  # number, [m], share of the rate
EDGES = Published("edges of the triangulation for each covering sphere", 7.0, "edges_per_sphere",
                  spread=0.5, source="figure 4.4")
LINEAR = Published("computing time grows as the number of grains to the power of", 1.0,
                   "time_exponent", spread=0.1, source="figure 4.4")


def _published(spheres: float) -> tuple[Published, ...]:
    return (Published("covering spheres of a grain", spheres, "spheres_per_grain", spread=1.0,
                      source="section 4.4"), EDGES, LINEAR)


class ComplexityStudy:
    """The experimental complexity analysis of Pournin 4.4."""

    name = "complexity"
    title = "What shapes cost"
    source = "Pournin 2005, section 4.4"
    shows = "time in proportion to the grains, about 7 edges for each sphere that covers them"
    variants: Mapping[str, str] = {
        "simplices": "250 spheres, 250 rods, 250 triangles and 250 tetrahedra, all blunt",
        "tetrahedra": "500 spheres and 500 tetrahedra",
        "rods-3": "1000 rods with shafts of 6 radii",
        "rods-6": "1000 rods with shafts of 12 radii",
    }
    published: Mapping[str, tuple[Published, ...]] = {
        "simplices": _published(1.0), "tetrahedra": _published(1.0), "rods-3": _published(5.0),
        "rods-6": _published(9.0)}

    def scenario(self, variant: str, quick: bool) -> dict[str, Any]:
        """Return the tables of a variant; ``quick`` pours 40 grains into a narrower cylinder."""
        filling = FILLINGS[variant]
        if quick:
            filling = Filling(filling.kinds, QUICK_SLOWER * filling.rate, QUICK_COUNT, QUICK_WIDTH)
        half, low = 0.5 * filling.width, filling.level
        high = low + max(0.02, 4.0 * filling.reach)
        title = f"{self.title}: {self.variants[variant]}" + (" (quick)" if quick else "")
        return {
            "title": title,
            "seed": 1,
            "materials": {"plastic": {"density": DENSITY}},
            "law": law(RESTITUTION, FRICTION),
            "walls": [floor(), tube(filling.width, high)],
            "grains": [_stream(filling, kind, (-half, -half, low), (half, half, high))
                       for kind in filling.kinds],
            "run": {"time_step": TIME_STEP, "duration": filling.duration},
            "output": {"series": filling.duration / 200, "frames": filling.duration / 40},
        }

    def conclude(self, folder: Path, world: World) -> dict[str, Any]:
        """Count edges and take the time for more and more grains; draw both."""
        origin = read_origin(folder / "scenario.toml")
        quick = origin is not None and origin.quick
        numbers = np.linspace(0, len(world), PARTS + 1).round().astype(int)[1:]
        spheres, edges = np.array([counted(world, number) for number in numbers]).T
        seconds = step_times(newest_simulation(folder, threads=1), numbers, quick)
        found: dict[str, Any] = {
            "grains": numbers.tolist(), "covering_spheres": spheres.tolist(),
            "edges": edges.tolist(), "microseconds_per_step": (1e6 * seconds).tolist(),
            "spheres_per_grain": float(spheres[-1] / numbers[-1]),
            "edges_per_sphere": float(np.polyfit(spheres, edges, 1)[0]),
            "time_exponent": float(np.polyfit(np.log(numbers), np.log(seconds), 1)[0]),
            "microseconds_per_grain_and_step": float(1e6 * seconds[-1] / numbers[-1]),
            "picture": str(draw_run(folder, world)),
        }
        try:
            found["plot"] = str(_plot(folder, numbers, seconds, spheres, edges))
        except MissingExtraError as error:
            found["plot"] = str(error)
        return found


def _stream(filling: Filling, kind: tuple[str, float], low: tuple[float, ...],
            high: tuple[float, ...]) -> dict[str, Any]:
    """Return the stream of one kind of grains that enter between two corners [m]."""
    share = len(filling.kinds)
    return {"type": "pour", **size(kind), "count": filling.count // share,
            "rate": filling.rate / share, "low": list(low), "high": list(high),
            "velocity": [0.0, 0.0, -SPEED]}


def counted(world: World, number: int) -> tuple[int, int]:
    """Return how many spheres cover the first grains, and how many edges join these spheres."""
    points, radii = covering_spheres(world, number)
    return len(radii), len(Triangulation(points, radii**2).edges)


def covering_spheres(world: World, number: int) -> tuple[FloatArray, FloatArray]:
    """Return the spheres that cover the first grains: centres (k,3) [m] and radii (k,) [m]."""
    grains = world.grains.chosen(np.arange(len(world)) < number)
    is_round = grains.shape < 0
    points, radii = [grains.position[is_round]], [grains.radius[is_round]]
    for k, (found, size) in enumerate(zip(_covers(world), (known.radius for known in world.shapes),
                                          strict=True)):
        mine = grains.shape == k
        scale = grains.radius[mine] / size
        arms = turned(grains.orientation[mine, None], found.points) * scale[:, None, None]
        points.append((grains.position[mine, None] + arms).reshape(-1, 3))
        radii.append(np.outer(scale, found.radii).ravel())
    return np.concatenate(points), np.concatenate(radii)


def _covers(world: World) -> list[Cover]:
    """Return a cover of each shape, such that they suit each other and the round grains.

    How large a sphere may be depends on the least deep centre of all: that of the covers that would
    do for each shape by itself.
    """
    alone = [cover(shape, overlap=OVERLAP) for shape in world.shapes]
    balls = world.grains.radius[world.grains.shape < 0]
    if len(alone) == 1 and not len(balls):
        return alone
    least = min([*(float(found.depths.min()) for found in alone), *balls])
    return [cover(shape, overlap=OVERLAP, smallest=least) for shape in world.shapes]


def step_times(sim: Simulation, numbers: FloatArray, quick: bool) -> FloatArray:
    """Return the processor's time of a step [s] with so many of the grains, (k,).

    The rest is taken out.
    """
    times = np.zeros(len(numbers))
    for k in reversed(range(len(numbers))):
        sim.world.remove(sim.world.id[int(numbers[k]):])
        sim.step(WARM[quick])
        start = time.process_time()
        sim.step(STEPS[quick])
        times[k] = (time.process_time() - start) / STEPS[quick]
    return times


def _plot(folder: Path, numbers: FloatArray, seconds: FloatArray, spheres: FloatArray,
          edges: FloatArray) -> Path:
    """Draw time over grains, and edges over spheres."""
    path = folder / PLOT
    plot_panels(path, [
        Panel([Curve("time", numbers, 1e6 * seconds)], "grains", "time of a step [µs]", "Time"),
        Panel([Curve("counted", spheres, edges), Curve("7 for each", spheres, 7.0 * spheres, 1, 1)],
              "covering spheres", "edges", "Edges of the triangulation")], columns=2)
    return path

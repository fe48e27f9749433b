"""Which kernels a scenario needs, and compiling them before the run instead of in its midst."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import numpy as np
from rich.console import Console

from granum.cli.progress import say
from granum.compile import is_compiled
from granum.measures import Field
from granum.neighbours import make_finder
from granum.scenario.problems import Document
from granum.simulation import Simulation

DYNAMICS, GEOMETRY, PLACE = "dynamics/advance", "geometry/build", "world/place/kernels"
SHAPED = "contact/shaped/slots"  # compiled with the step of swept shapes, and for no other
WAYS = {"sediment": "world/place/descent", "grow": "world/place/relax"}  # with kernels of their own
JITTER = 0.05  # of the smallest radius: enough for some flips


def needs_geometry(document: Document) -> bool:
    """Tell whether a scenario, which may still be wrong, asks for the triangulation."""
    run, output = (document.data.get(name) for name in ("run", "output"))
    is_chosen = isinstance(run, dict) and run.get("neighbours") == "triangulation"
    return is_chosen or (isinstance(output, dict) and bool(output.get("fields")))


def placing_kernels(document: Document) -> tuple[str, ...]:
    """Return the modules whose kernels place the grains of a scenario, which may be wrong."""
    grains = document.data.get("grains")
    entries = grains if isinstance(grains, list) else []
    types = {entry.get("type") for entry in entries if isinstance(entry, dict)}
    return (PLACE, *(module for way, module in WAYS.items() if way in types))


def kernels_for(document: Document) -> tuple[str, ...]:
    """Return the modules whose kernels a run of the scenario needs."""
    needed = (DYNAMICS, *placing_kernels(document))
    if _has_shapes(document):
        needed = (*needed, SHAPED)
    return (*needed, GEOMETRY) if needs_geometry(document) else needed


def _has_shapes(document: Document) -> bool:
    """Tell whether a scenario, which may still be wrong, has grains of swept shapes."""
    grains = document.data.get("grains")
    return isinstance(grains, list) and any(
        isinstance(entry, dict) and ("shape" in entry or entry.get("type") == "voronoi")
        for entry in grains)


@contextmanager
def compiling(console: Console, *parts: str) -> Iterator[list[str]]:
    """Say that kernels of these modules of granum are compiled, the first time on a machine.

    Gives the modules of which none has been compiled before.
    """
    new = [part for part in parts if not is_compiled(part)]
    if not new:
        yield new
        return
    is_long = GEOMETRY in new or (SHAPED in parts and {SHAPED, DYNAMICS} & set(new))
    how_long = "two minutes" if is_long else "half a minute"
    message = f"Compiling kernels for this machine, once ({how_long} or so) ..."
    if console.is_terminal:
        with console.status(message):
            yield new
    else:
        say(console, message)
        yield new


def compile_step(sim: Simulation) -> None:
    """Compile the step of a world into which all grains are yet to be poured.

    A copy of the world gets its first grains; without them, nothing is worked out at the start, and
    the run would seem to hang when they come.
    """
    if len(sim.world) or not sim.world.streams:
        return
    world = copy.deepcopy(sim.world)
    world.pour(max(s.pour.begins(world.unit_mass(s), world.dimension) for s in world.streams), 0)
    if len(world):
        Simulation(world, sim.law, time_step=sim.time_step, integrator=sim.integrator,
                   neighbours=sim.neighbours, contacts=sim.touching, threads=sim.threads,
                   budget=sim.keeps_budget)


def compile_geometry(sim: Simulation, fields: Sequence[Field]) -> None:
    """Let a triangulation of the grains follow a small motion; the grains stay where they are.

    The ``fields`` that frames shall hold are worked out once, too.

    Without this, the kernels would be compiled at the first list update and the run seem to hang.
    """
    grains = sim.world.grains
    if not len(grains):
        return
    finder = make_finder("triangulation", sim.world.periods(), sim.world.dimension)
    balls = sim.world.balls()
    X = np.column_stack((sim.world.ball_positions(balls), balls.arm[:, 3]))
    smallest = float(X[:, 3].min())
    margin = np.full(len(X), finder.thickest * smallest)
    finder.find(X, margin, balls.number)
    way = JITTER * smallest * np.random.default_rng(0).uniform(-1.0, 1.0, (len(X), 3))
    X[:, : sim.world.dimension] += way[:, : sim.world.dimension]
    finder.find(X, margin, balls.number)
    if sim.world.streams or sim.world.leaving == "remove":  # grains come and go
        some = np.arange(len(X)) % 10 > 0
        finder.find(X[some], margin[some], balls.number[some])
        finder.find(X, margin, balls.number)
    for name in fields:
        getattr(sim, name)()

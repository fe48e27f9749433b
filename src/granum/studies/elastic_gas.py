"""A gas of elastic grains in a box (Alonso-Marroquín & Wang 2009, section 3.2).

400 discs, grains of rice, peanuts or pebbles fill 18.6 % of a box with four walls. All start at one
speed, without spin; stiffness 1, density 1, time step 0.05. Nothing is lost in a collision, so what
the total energy does is the error of the time step.

The published speed is 1 as well, which cannot be: two discs of radius r that meet head-on at speed
1 bring the energy π r², and a contact of stiffness 1 holds 2 r² at most, when their centres meet.
They would pass through each other, whatever their size. Here the speed is 0.02, at which discs
overlap by 5 % of their radius, and the potential energy is negligible, as in the paper. How long
its run was is in a drawing alone; here a grain has some fifty collisions.

After the run the last state is taken on by time steps of 0.1 to 0.0125. Collisions begin and end
somewhere in a step, which changes the energy by (ω dt)² (s' (1 - s') - s (1 - s)) of that of the
approach, s and s' being the shares of a step that are left when the contact begins, and gone when
it ends. That is as often a gain as a loss: the energy wanders. How far it wanders, the root of the
sum of squares of all its changes, falls with the square of the time step.

What it must show: energy within 0.01 % for all four shapes, an error that falls with the square of
the time step or faster; and that rotation gets a third of the energy, but none for discs.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from granum.checks import FloatArray
from granum.errors import MissingExtraError
from granum.output import plot_series, read_series
from granum.output.plot import Curve, Panel, plot_panels
from granum.portrait import draw_run
from granum.run import checkpoints
from granum.simulation import Simulation
from granum.studies.origin import read_origin
from granum.studies.planar import (
    AREA,
    DENSITY,
    SHAPES,
    SOURCE,
    STIFFNESS,
    TIME_STEP,
    random_grains,
)
from granum.studies.study import Published
from granum.world import World

FRACTION = 0.186  # of the box that grains fill
SPEED = 0.02  # at the start [m/s]
KEPT = 1e-4  # share of the energy within which it was kept
LADDER = (0.1, 0.05, 0.025, 0.0125)  # time steps [s]
LATE = 0.5  # share of the run after which the energy of rotation is read
OVERLAP = 0.5  # that contacts of the last state may have, as a share of a radius
PLOT, ORDER_PLOT = "energy.png", "order.png"


@dataclass(frozen=True)
class Gas:
    """Grains in a box.

    Args:
        count: of grains.
        duration: of the run [s].
        span: for which the last state is taken on by each time step [s].
    """

    count: int
    duration: float
    span: float

    @property
    def side(self) -> float:
        """Of the box [m]."""
        return math.sqrt(self.count * AREA / FRACTION)


GASES = {False: Gas(400, 3000.0, 250.0), True: Gas(64, 1500.0, 150.0)}
PUBLISHED = (
    Published("largest error of the total energy, as a share", "lower than 1e-4", "largest_error",
              source="section 3.2, figure 6"),
    Published("energy kept within 0.01 %", True, "is_kept", source="section 3.2, figure 6"),
    Published("potential energy, share of the total", "negligible", "potential_share", unit="%",
              source="section 3.2"),
)


class ElasticGasStudy:
    """The energy of elastic grains of Alonso-Marroquín & Wang 3.2."""

    name = "elastic-gas"
    title = "A gas of elastic grains"
    source = f"{SOURCE}, section 3.2"
    shows = ("energy within 0.01 % for all four shapes, and an error that falls with the square of "
             "the time step")
    variants: Mapping[str, str] = {
        "discs": "400 discs: a point and a disc",
        "rice": "400 grains of rice: a segment and a disc",
        "peanuts": "400 peanuts: a bent line and a disc",
        "pebbles": "400 pebbles: a triangle and a disc",
    }
    published: Mapping[str, tuple[Published, ...]] = dict.fromkeys(SHAPES, PUBLISHED)

    def scenario(self, variant: str, quick: bool) -> dict[str, Any]:
        """Return the tables of a variant; ``quick`` has 64 grains and less time."""
        gas = GASES[quick]
        side = gas.side
        return {
            "title": f"Elastic gas, {variant}" + (
                " (quick)" if quick else f": {self.variants[variant]}"),
            "seed": 1,
            "world": {"dimension": 2, "gravity": [0, 0, 0]},
            "materials": {"grain": {"density": DENSITY}},
            "law": {"type": "elastic", "stiffness": STIFFNESS},
            "walls": [{"type": "box", "low": [0, 0, 0], "high": [side, side, 0], "name": "box"}],
            "grains": [random_grains(variant, gas.count, (0, 0), (side, side), SPEED)],
            "run": {"duration": gas.duration, "time_step": TIME_STEP},
            "output": {"series": 100 * TIME_STEP, "frames": gas.duration / 50},
        }

    def conclude(self, folder: Path, world: World) -> dict[str, Any]:
        """Draw energies and grains; return how well the energy was kept, and the order."""
        origin = read_origin(folder / "scenario.toml")
        gas = GASES[origin is not None and origin.quick]
        series = read_series(folder / "series.csv")
        time, kinetic, rotational, elastic = (np.asarray(series[name], dtype=np.float64)
                                              for name in ("time", "kinetic", "rotational",
                                                           "elastic"))
        found = energy_facts(time, kinetic, rotational, elastic)
        far = [wandering(checkpoints(folder)[-1], step, gas.span) for step in LADDER]
        found |= {"time_steps": list(LADDER), "wandering": far, "order": order(LADDER, far)}
        found["picture"] = str(draw_run(folder, world, dimension=2, moments=2))
        try:
            error = 100.0 * errors(kinetic + rotational + elastic)
            plot_series(folder / PLOT, time, [("total energy", error)], "time [s]",
                        "change of the total energy [%]", "Total energy of elastic grains")
            plot_order(folder / ORDER_PLOT, LADDER, far)
            found["plot"], found["order_plot"] = str(folder / PLOT), str(folder / ORDER_PLOT)
        except MissingExtraError as missing:
            found["plot"] = str(missing)
        return found


def errors(total: FloatArray) -> FloatArray:
    """Return by which share of the energy at the start the total has changed, (s,)."""
    return np.asarray(total / total[0] - 1.0)


def energy_facts(time: FloatArray, kinetic: FloatArray, rotational: FloatArray,
                 elastic: FloatArray) -> dict[str, Any]:
    """Return what energies over time say, all (s,): [s] and [J].

    ``rotational_share`` is that of the whole kinetic energy, in the later half.
    """
    change = errors(kinetic + rotational + elastic)
    late = time >= time[0] + LATE * (time[-1] - time[0])
    moving = kinetic[late] + rotational[late]
    largest = float(np.abs(change).max())
    return {
        "largest_error": largest,
        "is_kept": largest < KEPT,
        "error_at_last": float(change[-1]),
        "rotational_share": float(rotational[late].sum() / moving.sum()),
        "potential_share": float(elastic.mean() / (kinetic[0] + rotational[0] + elastic[0])),
    }


def wandering(checkpoint: Path, step: float, span: float) -> float:
    """Return how far the energy of a state wanders when it is taken on, as a share of it.

    Args:
        checkpoint: of the state.
        step: time step [s].
        span: for how long [s].
    """
    saved = Simulation.load(checkpoint, threads=1)
    sim = Simulation(saved.world, saved.law, time_step=step, threads=1, initial_overlap=OVERLAP)
    looks = round(span / (100 * TIME_STEP))
    total = [sim.energy().total]
    for _ in range(looks):
        sim.step(round(100 * TIME_STEP / step))
        total.append(sim.energy().total)
    return float(np.sqrt((np.diff(total) ** 2).sum()) / total[0])


def order(steps: Sequence[float], far: Sequence[float]) -> float:
    """Return the power of the time step by which an error grows: the slope of logarithms."""
    return float(np.polyfit(np.log(steps), np.log(far), 1)[0])


def plot_order(path: Path, steps: Sequence[float], far: Sequence[float]) -> None:
    """Draw the errors over the time step, with a line for its square."""
    square = far[-1] * (np.array(steps) / steps[-1]) ** 2
    curves = [Curve("energy", steps, far), Curve("square of the time step", steps, square, 1, 1)]
    plot_panels(path, [Panel(curves, "time step [s]", "how far the energy wanders (share of it)",
                             "Error of the energy")], log="xy")

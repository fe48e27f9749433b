"""Grains in an hourglass (Ferrez 2001, section 6.3).

The glass is a double cone, 10 cm wide and 10 cm high; the thesis gives no size of the slot, so it
is a parameter here, 20 mm across. That fits what was published: a half then has 162 cm³ and 2969
lattice places for grains of 4 mm, 7295 for 3 mm, little more than the 2790 and 7236 that were used;
and at a density of 60 % it takes 97 cm³ of grains, more than A (93 cm³) and C (83 cm³) but less
than B (102 cm³), whose flow ended with the slot blocked. Steel, restitution 0.3, friction 0.1,
contact time 1 ms. Tall is 6 cm wide, flat 6 cm high, with fewer grains of the mixture where all
find no room. Turning the glass over is gravity that turns; the thesis does not give the size of the
71 grains, here 8 mm.

What it must show: A flows steadily, whatever is left above; B has more grains than the lower half
can take, so its flow ends with the slot blocked; C, with fewer grains, runs through; mixed flows
irregularly; flat is slower and may jam; grains turned over fast fall heavily, slowly they slide
along the wall.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from granum.checks import FloatArray
from granum.errors import MissingExtraError
from granum.measures.flow import is_jammed
from granum.output import plot_series, read_series
from granum.portrait import draw_run
from granum.studies.study import Published
from granum.world import World

RATE_WINDOW = 0.1  # over which the flow rate is taken [s]
PLOT = "flow.png"


@dataclass(frozen=True)
class Filling:
    """Grains of one size: number and diameter [m]."""

    count: int
    diameter: float
    probability: float = 1.0


@dataclass(frozen=True)
class Glass:
    """One variant: the glass, its grains, how long, and when it is turned over."""

    fillings: tuple[Filling, ...]
    duration: float
    width: float = 0.10
    height: float = 0.10
    slot: float = 0.020
    contact_time: float = 1e-3  # [s]; less where heavy grains fall on light ones
    turn: float | None = None  # how long turning over takes [s]
    turns: tuple[float, ...] = ()


MIXED = (Filling(273, 6e-3, 0.6), Filling(4582, 2e-3))
TALL = (Filling(145, 6e-3, 0.62), Filling(2400, 2e-3))
FEW = (Filling(71, 8e-3),)
SHORT = 2.5e-4  # a grain of 6 mm would press one of 2 mm by half its radius at 1 ms
GLASSES = {
    "A": Glass((Filling(2790, 4e-3),), 2.8),
    "B": Glass((Filling(7236, 3e-3),), 4.0),
    "C": Glass((Filling(5898, 3e-3),), 4.0),
    "mixed": Glass(MIXED, 3.0, contact_time=SHORT),
    "tall": Glass(TALL, 2.5, width=0.06, contact_time=SHORT),
    "flat": Glass((Filling(200, 6e-3, 0.75), Filling(3350, 2e-3)), 4.0, height=0.06,
                  contact_time=SHORT),
    "turn-fast": Glass(FEW, 20.0, width=0.06, turn=0.1, turns=(4.0, 8.0, 12.0, 16.0)),
    "turn-slow": Glass(FEW, 20.0, width=0.06, turn=1.0, turns=(4.0, 8.0, 12.0, 16.0)),
    "turn-tall": Glass(TALL, 5.0, width=0.06, contact_time=SHORT, turn=0.5, turns=(2.5,)),
}
QUICK = {
    "A": Glass((Filling(340, 8e-3),), 1.2, slot=0.036),
    "B": Glass((Filling(260, 8e-3),), 1.2, slot=0.020),
    "C": Glass((Filling(250, 8e-3),), 1.2, slot=0.036),
    "mixed": Glass((Filling(30, 10e-3, 0.5), Filling(500, 5e-3)), 1.2, slot=0.032),
    "tall": Glass((Filling(15, 9e-3, 0.5), Filling(200, 5e-3)), 1.0, width=0.06, slot=0.028),
    "flat": Glass((Filling(12, 10e-3, 0.4), Filling(300, 5e-3)), 1.2, height=0.06, slot=0.032),
    "turn-fast": Glass(FEW, 2.5, width=0.06, slot=0.028, turn=0.1, turns=(1.0,)),
    "turn-slow": Glass(FEW, 3.0, width=0.06, slot=0.028, turn=1.0, turns=(1.0,)),
    "turn-tall": Glass((Filling(15, 9e-3, 0.5), Filling(200, 5e-3)), 2.5, width=0.06, slot=0.028,
                       turn=0.5, turns=(1.0,)),
}
SIMPLE, MIXTURE, SHAPES = "section 6.3.1", "section 6.3.2", "section 6.3.3"
PUBLISHED: dict[str, tuple[Published, ...]] = {
    "A": (Published("slot blocked", False, "jammed", source=SIMPLE),
          Published("flow, deviation over mean", "regular", "unsteadiness", source=SIMPLE)),
    "B": (Published("slot blocked", True, "jammed", source=SIMPLE),),
    "C": (Published("end of the flow [s]", "earlier than B", "end", source=SIMPLE),),
    "mixed": (Published("flow, deviation over mean", "much more chaotic", "unsteadiness",
                        source=MIXTURE),),
    "tall": (Published("mean flow [kg/s]", "very fast", "mean_rate", source=SHAPES),),
    "flat": (Published("mean flow [kg/s]", "much slower", "mean_rate", source=SHAPES),
             Published("slot blocked", True, "jammed", source=SHAPES)),
}


class HourglassStudy:
    """The hourglass of Ferrez 6.3 in all its variants."""

    name = "hourglass"
    title = "Grains in an hourglass"
    source = "Ferrez 2001, section 6.3"
    shows = "a steady flow (A), a blocked slot (B), irregular and slower flows, turning over"
    variants: Mapping[str, str] = {
        "A": "2790 grains of 4 mm: a steady flow",
        "B": "7236 grains of 3 mm: more than the lower half takes",
        "C": "5898 grains of 3 mm: the flow ends earlier",
        "mixed": "273 grains of 6 mm and 4582 of 2 mm: an irregular flow",
        "tall": "the mixture in a glass 6 cm wide: a fast flow",
        "flat": "the mixture in a glass 6 cm high: a slow flow that may jam",
        "turn-fast": "71 grains of 8 mm, turned over in 0.1 s, four times",
        "turn-slow": "71 grains of 8 mm, turned over in 1 s, four times",
        "turn-tall": "the tall glass, turned over in 0.5 s",
    }
    published: Mapping[str, tuple[Published, ...]] = PUBLISHED

    def scenario(self, variant: str, quick: bool) -> dict[str, Any]:
        """Return the tables of a variant; ``quick`` has larger and fewer grains."""
        glass = (QUICK if quick else GLASSES)[variant]
        world: dict[str, Any] = {}
        if glass.turn is not None:
            world["turns"] = [{"start": start, "duration": glass.turn} for start in glass.turns]
        return {
            "title": f"Hourglass, {variant}" + (
                " (quick)" if quick else f": {self.variants[variant]}"),
            "seed": 1,
            "world": world,
            "materials": {"steel": {"density": "7.78 g/cm3"}},
            "law": {"type": "linear_viscoelastic", "restitution": 0.3,
                    "contact_time": f"{glass.contact_time * 1e3:g} ms", "friction": 0.1},
            "walls": [{"type": "hourglass", "width": glass.width, "height": glass.height,
                       "slot": glass.slot, "section": "round"}],
            "grains": [self._lattice(glass, filling) for filling in glass.fillings],
            "run": {"duration": glass.duration},
            "output": {"series": "10 ms", "frames": glass.duration / 60,
                       "flows": [{"name": "slot", "point": [0, 0, 0], "normal": [0, 0, -1]}]},
        }

    @staticmethod
    def _lattice(glass: Glass, filling: Filling) -> dict[str, Any]:
        """Return the upper half filled with a lattice, from the slot up."""
        half, radius = glass.width / 2, filling.diameter / 2
        return {
            "type": "lattice", "radius": radius, "spacing": 1.002 * filling.diameter,
            "low": [-half, -half, 0.0], "high": [half, half, glass.height / 2],
            "probability": filling.probability, "count": filling.count,
        }

    def conclude(self, folder: Path, world: World) -> dict[str, Any]:
        """Draw the grains and the flow; return rate, end and how steady the flow was."""
        series = read_series(folder / "series.csv")
        time, mass = (np.asarray(series[name], dtype=float) for name in ("time", "slot_mass"))
        found = fall_facts(time, mass, float(world.mass.sum()), [t.start for t in world.turns])
        found["picture"] = str(draw_run(folder, world, until=found["end"] or None))
        try:
            found["plot"] = str(_plot(folder, series))
        except MissingExtraError as error:
            found["plot"] = str(error)
        return found


def fall_facts(
    time: FloatArray, mass: FloatArray, total: float, turns: Sequence[float]
) -> dict[str, Any]:
    """Return what the first fall says, and for a glass that is turned over, what each left above.

    ``mass`` counts what has passed the slot in the glass' own direction; after every turn grains
    fall the other way. ``left_above_shares`` has one number for each fall, the first included.
    """
    ends = [start for start in turns if time[0] < start < time[-1]] + [np.inf]
    first = time < ends[0]
    found = flow_facts(time[first], mass[first], total)
    if len(ends) > 1:
        passed = [float(mass[time < end][-1]) / total for end in ends]
        found["left_above_shares"] = [
            share if k % 2 else 1.0 - share for k, share in enumerate(passed)]
    return found


def flow_facts(time: FloatArray, mass: FloatArray, total: float) -> dict[str, Any]:
    """Return what the flow of ``mass`` [kg] over ``time`` [s] says.

    ``mean_rate`` and ``unsteadiness`` (standard deviation over mean, in windows) are taken between
    the passing of 20 and of 80 % of what passes in all; ``jammed`` tells that the flow has ended
    with more than 2 % of the mass still above.
    """
    passed = mass - mass[0]
    most = float(passed.max())
    moving = np.flatnonzero(passed < most * (1.0 - 1e-9))
    end = float(time[moving[-1] + 1]) if moving.size and moving[-1] + 1 < len(time) else 0.0
    steady = (passed >= 0.2 * most) & (passed <= 0.8 * most)
    rates = rate(time, passed)[steady] if most > 0 else np.zeros(0)
    mean = float(rates.mean()) if rates.size else 0.0
    left = 1.0 - float(mass[-1]) / total
    return {
        "passed_share": most / total,
        "mean_rate": mean,
        "unsteadiness": float(rates.std() / mean) if mean > 0 else 0.0,
        "end": end,
        "jammed": is_jammed(float(time[-1]) - end, left),
        "left_above_share": left,
    }


def rate(time: FloatArray, passed: FloatArray) -> FloatArray:
    """Return the flow rate [kg/s] as the difference quotient over a window."""
    half = RATE_WINDOW / 2
    early, late = np.maximum(time - half, time[0]), np.minimum(time + half, time[-1])
    gain = np.interp(late, time, passed) - np.interp(early, time, passed)
    return np.divide(gain, late - early, out=np.zeros_like(gain), where=late > early)


def _plot(folder: Path, series: Mapping[str, Any]) -> Path:
    path = folder / PLOT
    passed = series["slot_mass"] - series["slot_mass"][0]
    curves = [("through the slot", rate(series["time"], passed))]
    plot_series(path, series["time"], curves, "time [s]", "mass flow [kg/s]",
                "Flow through the slot")
    return path

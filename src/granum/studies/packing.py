"""What the studies of packings share: grains in a cylinder that is tapped, and their density.

Ferrez 2001, section 5.2: a vertical cylinder, closed below and open above; restitution 0.3,
friction 0.1, contact time 1 ms; grains on lattices in phases, large ones first; the cylinder is
lifted and dropped, as by an eccentric plate that turns (figure 5.1, 4 Hz and 3 mm).

The drawing of the wave is not in the text. Here the cylinder is lifted during half of the period,
let down in 4 % of it, and rests: at 2 Hz that is 20 ms for 2 mm, as long as free fall takes, so at
every frequency the grains drop freely and land on the floor.

Where large grains press or fall on much smaller ones, the contact time is 0.25 ms: the overlap that
a weight brings about grows with its square, and at 1 ms a large grain would sink into small ones by
more than half their radius.

Density (formula 5.5) is the volume of all grains over that of the cylinder up to the top of the
highest one. So it jumps about while grains fly, and says something when they have come to rest, or
as a mean over the last second of taps. The density up to the surface of the grains, their mean
height, is told beside it: higher, and less a matter of one grain.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from granum.checks import FloatArray
from granum.errors import MissingExtraError
from granum.output import plot_series, read_series
from granum.portrait import Colour, draw_run
from granum.studies.origin import read_origin
from granum.studies.study import Published
from granum.walls import Cylinder
from granum.world import World

CUP = "cup"  # the name of cylinder and floor, which move together
STEEL = "7.78 g/cm3"
HARD = 2.5e-4  # contact time where large grains rest on small ones [s]
FALL = 0.04  # of a tap, as a share of its period
GOLDEN_ANGLE = math.pi * (3.0 - math.sqrt(5.0))
FRAMES, QUICK_FRAMES = 60, 20
DENSITY, TO_SURFACE = "density", "surface_density"  # columns of the series, and keys of findings
TAPPED = "tapped_density"  # mean over the last second of taps
OFTEN = 10  # samples of a tap, at least
PLOT = "density.png"

Grains = Mapping[str, Any]  # one [[grains]] table


@dataclass(frozen=True)
class Taps:
    """How the cylinder is tapped.

    Args:
        frequency: taps a second [1/s].
        until: when they end [s].
        amplitude: their height [m].
        rise: share of the period that the lift takes.
    """

    frequency: float
    until: float
    amplitude: float = 3e-3
    rise: float = 0.5


@dataclass(frozen=True)
class Packing:
    """Grains in a cylinder, for a while.

    Args:
        width: diameter of the cylinder [m].
        grains: in phases, the first first.
        duration: [s].
        taps: none unless given.
        height: of the cylinder [m].
        contact_time: [s].
        moments: names and times at which the density is told, beside the end [s].
    """

    width: float
    grains: tuple[Grains, ...]
    duration: float
    taps: Taps | None = None
    height: float = 0.1
    contact_time: float = 1e-3
    moments: Mapping[str, float] = field(default_factory=dict)


def lattice(count: int, diameter: float, spacing: float, probability: float = 1.0,
            spread: float = 0.0) -> Grains:
    """Return a phase on a lattice, ``spacing`` in diameters, filled from the floor up."""
    return {"type": "lattice", "radius": diameter / 2, "spacing": spacing * diameter,
            "count": count, "probability": probability, "spread": spread}


def helix(count: int, diameter: float, width: float, base: float = 0.0, spacing: float = 1.02
          ) -> Grains:
    """Return grains one above the other, each near the wall and turned by the golden angle.

    A lattice of grains almost as wide as the cylinder would be a tower that stands for ever.
    """
    arm = 0.45 * (width - diameter)
    points = [[arm * math.cos(k * GOLDEN_ANGLE), arm * math.sin(k * GOLDEN_ANGLE),
               base + diameter * (0.5 + k * spacing)] for k in range(count)]
    return {"type": "explicit", "points": points, "radius": diameter / 2}


def tables(packing: Packing, title: str, frames: int = FRAMES) -> dict[str, Any]:
    """Return the scenario of a packing, with so many frames and at least four times the samples."""
    walls: list[dict[str, Any]] = [
        {"type": "plate", "centre": [0, 0, 0], "normal": [0, 0, 1], "radius": packing.width / 2,
         "name": CUP},
        {"type": "cylinder", "base": [0, 0, 0], "axis": [0, 0, 1], "radius": packing.width / 2,
         "height": packing.height, "name": CUP},
    ]
    taps, samples = packing.taps, packing.duration / (4 * frames)
    if taps is not None:
        samples = min(samples, 1.0 / (OFTEN * taps.frequency))
        walls[0]["motion"] = {"type": "tap", "frequency": taps.frequency, "rise": taps.rise,
                              "fall": FALL, "amplitude": taps.amplitude, "stops": taps.until}
    return {
        "title": title,
        "seed": 1,
        "materials": {"steel": {"density": STEEL}},
        "law": {"type": "linear_viscoelastic", "restitution": 0.3, "friction": 0.1,
                "contact_time": packing.contact_time},
        "walls": walls,
        "grains": [dict(grains) for grains in packing.grains],
        "measures": [
            {"type": "density", "region": {"type": "container", "top": "highest"}},
            {"type": "density", "name": "surface", "region": {"type": "container"}},
        ],
        "run": {"duration": packing.duration},
        "output": {"series": samples, "frames": packing.duration / frames},
    }


@dataclass(eq=False)
class PackingStudy:
    """A study of packings: its packings in both sizes, and what was published of each.

    ``also`` may add to what was found, from the world at the end.
    """

    name: str
    title: str
    source: str
    shows: str
    variants: Mapping[str, str]
    published: Mapping[str, tuple[Published, ...]]
    packings: Mapping[str, Packing]
    quick: Mapping[str, Packing]
    colour: Colour = "size"
    also: Callable[[World], Mapping[str, Any]] = lambda world: {}

    def scenario(self, variant: str, quick: bool) -> dict[str, Any]:
        """Return the tables of a variant; ``quick`` has fewer grains and less time."""
        title = f"{self.title}, {variant}" + (
            " (quick)" if quick else f": {self.variants[variant]}")
        if quick:
            return tables(self.quick[variant], title, QUICK_FRAMES)
        return tables(self.packings[variant], title)

    def conclude(self, folder: Path, world: World) -> dict[str, Any]:
        """Draw the grains and their density over time; return the density at the end."""
        series = read_series(folder / "series.csv")
        origin = read_origin(folder / "scenario.toml")
        variant = origin.variant if origin else ""
        is_whole = origin is None or not origin.quick
        packing = (self.packings if is_whole else self.quick).get(variant)
        time = np.asarray(series["time"], dtype=np.float64)
        density = {name: np.asarray(series[name], dtype=np.float64)
                   for name in (DENSITY, TO_SURFACE) if name in series}
        found: dict[str, Any] = {name: float(values[-1]) for name, values in density.items()}
        if packing is not None and DENSITY in density:
            found |= told_of(packing, time, density[DENSITY])
        found |= {name: float(series[name][-1]) for name in ("deepest", "fastest")}
        found |= {**self.also(world),
                  "picture": str(draw_run(folder, world, colour=self.colour))}
        published = self.published.get(variant, ()) if is_whole else ()
        try:
            found["plot"] = str(plot_density(folder, time, density, published))
        except MissingExtraError as error:
            found["plot"] = str(error)
        return found


def width_of(world: World) -> float:
    """Return the diameter of the cylinder that holds the grains [m]."""
    return next(2.0 * wall.radius for wall in world.walls if isinstance(wall, Cylinder))


def told_of(packing: Packing, time: FloatArray, density: FloatArray) -> dict[str, float]:
    """Return the density at the moments of a packing, and its mean over the last second of taps."""
    told = {name: at(time, density, when) for name, when in packing.moments.items()}
    if packing.taps is not None:
        told[TAPPED] = mean_before(time, density, packing.taps.until)
    return told


def at(time: FloatArray, values: FloatArray, when: float) -> float:
    """Return the value at the sample nearest to a time [s]."""
    return float(values[np.abs(time - when).argmin()])


def mean_before(time: FloatArray, values: FloatArray, when: float) -> float:
    """Return the mean over the second before a time [s], or before the end if that is sooner."""
    last = min(when, float(time[-1]))
    return float(values[(time > last - 1.0 + 1e-9) & (time <= last + 1e-9)].mean())


def plot_density(folder: Path, time: FloatArray, density: Mapping[str, FloatArray],
                 published: Sequence[Published]) -> Path:
    """Draw the densities over time, with a line for each published one."""
    names = {DENSITY: "up to the highest grain", TO_SURFACE: "up to the surface"}
    curves: list[tuple[str, Any]] = [(names[name], 100.0 * values)
                                     for name, values in density.items()]
    curves += [(f"{figure.name}: {figure.value:g} %", np.full(len(time), figure.value))
               for figure in published if figure.unit == "%"]
    path = folder / PLOT
    plot_series(path, time, curves, "time [s]", "density [%]", "Density of the packing")
    return path

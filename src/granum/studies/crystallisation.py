"""Rods that stand up when their container is tapped (Pournin 2005, chapter 6).

Spherocylinders, with shafts of four or 2.83 diameters, are scattered in a cylinder of 8 mm and
settle; then its floor shakes at 30 Hz. Table 6.1 has seven experiments, an3 to an9, with other
restitutions, accelerations and lengths. Measured are the share of the space that rods fill, and the
mean angle of their shafts to the floor, as a whole and in four layers of 4 mm.

The thesis gives neither friction nor density of the rods. The density does not matter, since the
stiffness of the law goes with the mass; friction is that of its chapter 7, 0.2. Its contact model
is a single contact for each pair; granum's counts every contact of two rods once, so rods that lie
side by side have two. How many taps each experiment had is not told either; the last picture is
after 4134. Its contact time is 0.6 ms; here it is half of that, and so is the time step. With 0.6
ms the heap that falls back onto the floor presses rods deeper into each other than half a radius,
after some thirty taps, and there granum stops. So it does at the second tap of an3, whose dashpots
are the strongest, with a time step of a thirtieth of the contact time: there it is an eightieth.

What it must show: shafts turn upright, the more the longer, with the logarithm of the taps; the
density reaches 0.75 after some 2000 taps, for the densest.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from granum.checks import FloatArray
from granum.errors import MissingExtraError
from granum.output import read_series
from granum.output.plot import Curve, Panel, plot_panels
from granum.run.folder import TABLES
from granum.studies.scattered import scattered
from granum.studies.shaken import (
    CONTACT_TIME,
    DENSITY,
    PERIOD,
    TIME_STEP,
    at_last,
    at_tap,
    began,
    columns,
    floor,
    law,
    smoothed,
    stages,
    taps_at,
    tube,
)
from granum.studies.shaken_picture import by_angle, draw_shaken
from granum.studies.study import Published
from granum.world import World

DIAMETER = 0.523e-3  # of the rods [m]
FRICTION = 0.2
HARDER = 0.5  # contact time and time step in those of the thesis, but for the quick size
LOOSE = 0.2  # share of the volume that rods fill when they are let go
LAYER, LAYERS = 4e-3, 4  # height of a layer [m], and how many there are
MIDDLE = slice(1, 3)  # layers that are neither the lowest nor the highest
MOMENTS = (1.0, 10.0, 30.0, 100.0, 300.0, 1000.0, 2000.0)  # taps at which figures are told
FIRST, SATURATED = 10.0, 1000.0  # taps between which the angle grows with their logarithm
LATE = 100.0  # taps after which it does so at the latest
STRAIGHT = 0.95  # of the variance that a straight line must tell, to be one
WHOLE, PLOT = "whole", "rods.png"


@dataclass(frozen=True)
class Rods:
    """One experiment of table 6.1.

    Args:
        count: of the rods.
        elongation: length of the shaft, ends excluded, over the diameter.
        restitution: of a head-on collision.
        gamma: highest acceleration of the floor, in that of free fall.
        width: diameter of the cylinder [m].
        taps: how often the floor goes up and down.
        finer: how much shorter the time step is than that of the thesis. Rods of a heap that lands
            touch at 16 points at once; where each of them damps much, all together need it.
    """

    count: int = 1000
    elongation: float = 4.0
    restitution: float = 0.4
    gamma: float = 2.0
    width: float = 8e-3
    taps: float = 4134.0
    finer: float = 1.0

    @property
    def length(self) -> float:
        """Length of the shaft [m]."""
        return self.elongation * DIAMETER

    @property
    def volume(self) -> float:
        """Volume of all rods [m3]."""
        return self.count * math.pi / 4.0 * DIAMETER**2 * (self.length + 2.0 / 3.0 * DIAMETER)


RODS = {
    "an6": Rods(),
    "an3": Rods(restitution=0.1, finer=8.0 / 3.0),
    "an4": Rods(restitution=0.2),
    "an5": Rods(gamma=1.5),
    "an7": Rods(gamma=2.5),
    "an8": Rods(restitution=0.8),
    "an9": Rods(count=1414, elongation=2.83),
}
QUICK_COUNT, QUICK_WIDTH, QUICK_TAPS = 50, 4e-3, 10.0
ANGLE = "shafts in the middle layers at the end [degree]"
UPRIGHT = Published(ANGLE, 85.0, "middle_angle", spread=5.0, source="section 6.2, figure 6.5")
LEANING = Published(ANGLE, 70.0, "middle_angle", spread=10.0, source="section 6.2, figure 6.5")
DENSE = Published("density at the end", "up to 75, after some 2000 taps", "density", unit="%",
                  source="section 6.2, figure 6.3")
GROWS, STAYS = (Published("the angle grows with the logarithm of the taps", is_so,
                          "is_logarithmic", source="section 6.2, figure 6.4")
                for is_so in (True, False))
PUBLISHED: dict[str, tuple[Published, ...]] = {
    "an6": (DENSE, UPRIGHT, GROWS),
    "an3": (DENSE, UPRIGHT, STAYS),
    "an4": (DENSE, UPRIGHT, GROWS),
    "an5": (DENSE, LEANING, STAYS),
    "an7": (DENSE, LEANING, GROWS),
    "an8": (DENSE, UPRIGHT, GROWS),
    "an9": (DENSE, LEANING, GROWS),
}


class CrystallisationStudy:
    """The crystallisation of spherocylinders of Pournin 6."""

    name = "crystallisation"
    title = "Rods that stand up"
    source = "Pournin 2005, chapter 6"
    shows = "rods in a tapped cylinder turn upright, with the logarithm of the taps, and get denser"
    variants: Mapping[str, str] = {
        "an6": "1000 rods, shaft 4 diameters, restitution 0.4, Γ = 2: the main experiment",
        "an3": "the same with restitution 0.1",
        "an4": "the same with restitution 0.2",
        "an5": "the same with Γ = 1.5",
        "an7": "the same with Γ = 2.5",
        "an8": "the same with restitution 0.8",
        "an9": "1414 shorter rods, shaft 2.83 diameters",
    }
    published: Mapping[str, tuple[Published, ...]] = PUBLISHED

    def scenario(self, variant: str, quick: bool) -> dict[str, Any]:
        """Return the tables of a variant; ``quick`` has 50 rods, half the width, 10 taps."""
        rods = RODS[variant]
        if quick:
            rods = replace(rods, count=QUICK_COUNT, width=QUICK_WIDTH, taps=QUICK_TAPS)
        radius, softness = 0.5 * DIAMETER, 1.0 if quick else HARDER
        points, turns = scattered(rods.count, rods.length, radius, rods.width, LOOSE)
        top = float(points[:, 2].max()) + rods.length
        title = f"{self.title}, {variant}" + (
            " (quick)" if quick else f": {self.variants[variant]}")
        return {
            "title": title,
            "seed": 1,
            "materials": {"plastic": {"density": DENSITY}},
            "law": law(rods.restitution, FRICTION, softness * CONTACT_TIME),
            "walls": [floor(), tube(rods.width, top)],
            "grains": [{"type": "explicit", "points": points.tolist(),
                        "orientation": turns.tolist(), "radius": 0.5 * rods.length + radius,
                        "shape": {"type": "spherocylinder", "length": rods.length,
                                  "radius": radius}}],
            "stages": stages(rods.gamma, rods.taps, 10 if quick else 60),
            "measures": [
                {"type": "density"},
                {"type": "nematic_order"},
                {"type": "layer_angles", "interval": PERIOD, "count": LAYERS,
                 "region": _part(rods, LAYERS * LAYER)},
                {"type": "layer_angles", "interval": PERIOD, "count": 1, "name": WHOLE,
                 "region": _part(rods, top)},
            ],
            "run": {"time_step": softness * TIME_STEP / rods.finer},
            "output": {"series": "5 ms", "frames": "50 ms", "checkpoints": "0.5 s"},
        }

    def conclude(self, folder: Path, world: World) -> dict[str, Any]:
        """Draw the rods, their angles and their density; return what they came to."""
        start = began(folder)
        series = read_series(folder / "series.csv")
        time, density, order = columns(series, "time", "density", "nematic_order")
        taps = taps_at(time, start)
        looks, shafts = columns(read_series(folder / TABLES / f"{WHOLE}.csv"), "time",
                                f"{WHOLE}_axis_angle")
        tap, angle = taps_at(looks, start), np.degrees(shafts)
        layers, grains = by_layers(read_series(folder / TABLES / "layer_angles.csv"), LAYERS)
        found: dict[str, Any] = {
            "rods": len(world), "taps": float(max(taps[-1], 0.0)),
            "density_at_first": at_tap(taps, density, 0.0), "density": at_last(taps, density),
            "angle_at_first": at_tap(tap, angle, 0.0), "angle": at_last(tap, angle),
            "nematic_order": at_last(taps, order),
            "moments": [moment for moment in MOMENTS if moment <= taps[-1]],
            "densities": [at_tap(taps, density, moment) for moment in MOMENTS
                          if moment <= taps[-1]],
            "angles": [at_tap(tap, angle, moment) for moment in MOMENTS if moment <= tap[-1]],
            "layer_angles": [at_last(tap, layers[:, k]) for k in range(LAYERS)],
            "middle_angle": at_last(tap, middle(layers, grains)),
            **growth(tap, angle),
            "picture": str(draw_shaken(folder, world, start, by_angle)),
        }
        try:
            found["plot"] = str(_plot(folder, (tap, angle, layers), (taps, density)))
        except MissingExtraError as error:
            found["plot"] = str(error)
        return found


def _part(rods: Rods, height: float) -> dict[str, Any]:
    """Return the inside of the cylinder up to a height [m], as a region."""
    return {"type": "cylinder", "base": [0, 0, 0], "radius": 0.5 * rods.width, "height": height}


def by_layers(table: Mapping[str, Any], count: int) -> tuple[FloatArray, FloatArray]:
    """Return the mean angle in each layer [degree] and its rods, look by look, (k,count) each."""
    angle, grains = columns(table, "axis_angle", "grains")
    return np.degrees(angle.reshape(-1, count)), grains.reshape(-1, count)


def middle(layers: FloatArray, grains: FloatArray) -> FloatArray:
    """Return the mean angle of all rods in the middle layers, (k,) [degree]; nan without any."""
    number = grains[:, MIDDLE]
    total = np.where(number > 0, layers[:, MIDDLE] * number, 0.0).sum(axis=1)
    some = number.sum(axis=1)
    return np.where(some > 0, total / np.maximum(some, 1.0), np.nan)


def growth(taps: FloatArray, angle: FloatArray) -> dict[str, Any]:
    """Return how the angle [degree] grows with the logarithm of the taps, (k,) each.

    A straight line is fitted from the tenth tap to the thousandth, and one from the hundredth: the
    slopes for each decade, the shares of the variance that they tell, and whether the first grows
    and tells enough to be one. None where there were too few taps.
    """
    slope, told = line_over_decades(taps, angle, FIRST)
    late_slope, late_told = line_over_decades(taps, angle, LATE)
    is_straight = None if slope is None or told is None else slope > 0.0 and told >= STRAIGHT
    return {"angle_per_decade": slope, "told_by_logarithm": told, "is_logarithmic": is_straight,
            "late_angle_per_decade": late_slope, "late_told_by_logarithm": late_told}


def line_over_decades(taps: FloatArray, angle: FloatArray, first: float
                      ) -> tuple[float, float] | tuple[None, None]:
    """Return slope and told variance of a line over the logarithm of the taps, from ``first`` on.

    It ends at the thousandth tap. None if there are fewer than ten values, or none beyond three
    times the first tap.
    """
    chosen = (taps >= first) & (taps <= SATURATED) & np.isfinite(angle)
    if chosen.sum() < 10 or taps[chosen][-1] < 3.0 * first:
        return None, None
    decade, height = np.log10(taps[chosen] + 1.0), angle[chosen]
    slope, base = np.polyfit(decade, height, 1)
    spread = float(height.var())
    told = 1.0 - float((height - base - slope * decade).var()) / spread if spread > 0.0 else 0.0
    return float(slope), told


def _plot(folder: Path, shafts: tuple[FloatArray, FloatArray, FloatArray],
          filled: tuple[FloatArray, FloatArray]) -> Path:
    """Draw angles and density over the number of taps, on a logarithmic scale."""
    tap, angle, layers = shafts
    taps, density = filled
    since, shaken = tap >= 0.0, taps >= 0.0
    mean = smoothed(taps[shaken], density[shaken])
    names = [f"{LAYER * k * 1e3:g} to {LAYER * (k + 1) * 1e3:g} mm" for k in range(LAYERS)]
    curves = [Curve("all rods", tap[since] + 1.0, angle[since])]
    curves += [Curve(name, tap[since] + 1.0, layers[since, k], k + 1, 1)
               for k, name in enumerate(names)]
    path = folder / PLOT
    plot_panels(path, [
        Panel(curves, "taps + 1", "angle to the floor [degree]", "Shafts"),
        Panel([Curve("density", mean[0] + 1.0, 100.0 * mean[1])], "taps + 1", "density [%]",
              "Density, averaged over a tap")], log="x", columns=2)
    return path

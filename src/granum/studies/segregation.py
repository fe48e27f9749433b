"""Spheres and tetrahedra of one volume, shaken together (Pournin 2005, chapter 7).

250 spheres of 1 mm and 250 regular spherotetrahedra of the same volume and density, whose corners
are 0.616 of their radius away from the centre, in a cylinder of 8 mm or in a periodic cell with the
same base. The spheres begin on top of the tetrahedra, below them, or mixed with them; the floor
shakes at 30 Hz with Γ = 2 or 3. Measured are the ratio R of the mean heights, tetrahedra over
spheres, and the share P of spheres among the grains whose centres are within l + r of the wall.

The thesis pours the grains; here they are let go from random places, in layers or all over, which
is sooner done. It does not say how long it shook them; here for 10 s, twice as long as it takes to
mix them at Γ = 3 in the cylinder. Heights are measured from the floor.

What it must show: at Γ = 3 all beginnings come to the same mixed state, with R slightly below 1, in
the cylinder within 5 s; at Γ = 2 in the periodic cell nothing moves; in the cylinder at Γ = 2
layers mix in part and spheres gather at the wall, up to 0.8 of the grains there.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from granum.checks import FloatArray
from granum.errors import MissingExtraError
from granum.output import read_series
from granum.output.plot import Curve, Panel, plot_panels
from granum.studies.shaken import (
    DENSITY,
    FREQUENCY,
    TIME_STEP,
    at_last,
    at_tap,
    began,
    columns,
    floor,
    law,
    stages,
    taps_at,
    tube,
)
from granum.studies.shaken_picture import by_material, draw_shaken
from granum.studies.sharpness import TETRAHEDRON, Simplex, simplex, table
from granum.studies.study import Published
from granum.world import World

DIAMETER = 1e-3  # of the spheres [m]
SHARPNESS = 0.616  # l / r: from the centre to a corner of the skeleton, over the radius
RESTITUTION, FRICTION = 0.4, 0.2
LOOSE = 0.2  # share of the volume that the spheres about all grains fill when they are let go
SPHERES, TETRAHEDRA = "spheres", "tetrahedra"
STARTS = {"spheres-top": (TETRAHEDRA, SPHERES), "spheres-below": (SPHERES, TETRAHEDRA),
          "mixed": ()}
ROOMS = ("periodic", "cylinder")
PLOT = "segregation.png"


@dataclass(frozen=True)
class Mixture:
    """One experiment of table 7.1.

    Args:
        start: how the grains begin: one of `STARTS`.
        room: what is around them: one of `ROOMS`.
        gamma: highest acceleration of the floor, in that of free fall.
        count: of the spheres, and of the tetrahedra.
        width: diameter of the cylinder [m].
        taps: how often the floor goes up and down.
    """

    start: str
    room: str
    gamma: float
    count: int = 250
    width: float = 8e-3
    taps: float = 10.0 * FREQUENCY

    @property
    def period(self) -> float:
        """Side of the periodic cell, whose base is as large as that of the cylinder [m]."""
        return 0.5 * math.sqrt(math.pi) * self.width

    @property
    def depth(self) -> float:
        """Height of the space in which grains of one kind begin [m]."""
        balls = 4.0 / 3.0 * math.pi * tetrahedron().bounding_radius**3 * self.count
        return balls / (LOOSE * self.period**2)


def tetrahedron() -> Simplex:
    """Return the tetrahedron that has the volume of the spheres."""
    return simplex(TETRAHEDRON, SHARPNESS, 0.5 * DIAMETER)


MIXTURES = {f"{room}-{gamma:g}-{start}": Mixture(start, room, gamma)
            for gamma in (3.0, 2.0) for room in reversed(ROOMS) for start in STARTS}
QUICK_COUNT, QUICK_WIDTH, QUICK_TAPS = 20, 4e-3, 10.0
RATIO = "height of the tetrahedra over that of the spheres, at the end"
MIXED = Published(RATIO, "slightly below 1, whatever the beginning", "height_ratio",
                  source="figures 7.5 and 7.6")
PUBLISHED: dict[str, tuple[Published, ...]] = {
    name: (MIXED,) if mixture.gamma == 3.0 else (
        Published(RATIO, "as it began", "height_ratio", source="figure 7.4"),
        Published("it is as it began", True, "stays", source="figure 7.4"),
    ) if mixture.room == "periodic" else (
        Published(RATIO, "as it began" if mixture.start == "mixed" else "nearer to 1",
                  "height_ratio", source="figure 7.2"),
        Published("share of spheres at the wall, at the end", 80.0, "wall_share", unit="%",
                  source="figure 7.3"),
    ) for name, mixture in MIXTURES.items()}


class SegregationStudy:
    """The mixtures of spheres and tetrahedra of Pournin 7."""

    name = "segregation"
    title = "Spheres and tetrahedra, shaken"
    source = "Pournin 2005, chapter 7"
    shows = "both mix at Γ = 3, however they begin; at Γ = 2 spheres gather at the wall"
    variants: Mapping[str, str] = {
        name: f"{mixture.start.replace('-', ' ')}, {mixture.room}, Γ = {mixture.gamma:g}"
        for name, mixture in MIXTURES.items()}
    published: Mapping[str, tuple[Published, ...]] = PUBLISHED

    def scenario(self, variant: str, quick: bool) -> dict[str, Any]:
        """Return the tables of a variant; ``quick`` has 20 grains of each kind and 10 taps."""
        mixture = MIXTURES[variant]
        if quick:
            mixture = replace(mixture, count=QUICK_COUNT, width=QUICK_WIDTH, taps=QUICK_TAPS)
        is_periodic = mixture.room == "periodic"
        shape = tetrahedron()
        walls = [floor()] if is_periodic else [
            floor(), tube(mixture.width, 2.0 * mixture.depth + shape.bounding_radius)]
        measures: list[dict[str, Any]] = [{"type": "segregation", "material": TETRAHEDRA}]
        if not is_periodic:
            measures.append({"type": "wall_share", "material": SPHERES,
                             "within": shape.bounding_radius})
        cell = {"periodic": {"x": mixture.period, "y": mixture.period}} if is_periodic else {}
        title = f"{self.title}: {self.variants[variant]}" + (" (quick)" if quick else "")
        return {
            "title": title,
            "seed": 1,
            "world": cell,
            "materials": {SPHERES: {"density": DENSITY}, TETRAHEDRA: {"density": DENSITY}},
            "law": law(RESTITUTION, FRICTION),
            "walls": walls,
            "grains": [_grains(mixture, kind, shape) for kind in (SPHERES, TETRAHEDRA)],
            "stages": stages(mixture.gamma, mixture.taps, 10 if quick else 60),
            "measures": measures,
            "run": {"time_step": TIME_STEP},
            "output": {"series": "5 ms", "frames": "50 ms", "checkpoints": "0.5 s"},
        }

    def conclude(self, folder: Path, world: World) -> dict[str, Any]:
        """Draw the grains and how they mix; return heights and shares at the end."""
        series = read_series(folder / "series.csv")
        time, ratio = columns(series, "time", "height_ratio")
        start = began(folder)
        taps = taps_at(time, start)
        found: dict[str, Any] = {
            "grains": len(world), "taps": float(max(taps[-1], 0.0)),
            **ratio_facts(taps, ratio),
        }
        wall = columns(series, "wall_share")[0] if "wall_share" in series else None
        if wall is not None:
            found |= {"wall_share_at_first": at_tap(taps, wall, 0.0),
                      "wall_share": at_last(taps, wall)}
        found["picture"] = str(draw_shaken(folder, world, start, by_material))
        try:
            found["plot"] = str(_plot(folder, taps / FREQUENCY, ratio, wall))
        except MissingExtraError as error:
            found["plot"] = str(error)
        return found


def _grains(mixture: Mixture, kind: str, shape: Simplex) -> dict[str, Any]:
    """Return the grains of one kind, at random places in their layer, or all over."""
    order = STARTS[mixture.start]
    low, high = 0.0, 2.0 * mixture.depth
    if order:
        low, high = (mixture.depth * (order.index(kind) + share) for share in (0, 1))
    side = mixture.period if mixture.room == "periodic" else 0.5 * mixture.width
    first = 0.0 if mixture.room == "periodic" else -side
    size = table(shape) if kind == TETRAHEDRA else {"radius": 0.5 * DIAMETER}
    return {"type": "random", "material": kind, "count": mixture.count, **size,
            "low": [first, first, low], "high": [side, side, high]}


def ratio_facts(taps: FloatArray, ratio: FloatArray) -> dict[str, Any]:
    """Return what the ratio of heights was at first and at last, and whether it stayed.

    It stays if it has gone less than a tenth of the way to 1, or less than 0.02 if it began there.
    """
    first, last = at_tap(taps, ratio, 0.0), at_last(taps, ratio)
    stays = None
    if first is not None and last is not None:
        stays = abs(last - first) < max(0.1 * abs(first - 1.0), 0.02)
    return {"height_ratio_at_first": first, "height_ratio": last, "stays": stays}


def _plot(folder: Path, time: FloatArray, ratio: FloatArray, wall: FloatArray | None) -> Path:
    """Draw the ratio of heights over time, and the share at the wall if there is one."""
    since = time >= 0.0
    panels = [Panel([Curve("ratio", time[since], ratio[since])], "time of shaking [s]",
                    "height of tetrahedra over spheres", "Mean heights")]
    if wall is not None:
        panels.append(Panel([Curve("share", time[since], 100.0 * wall[since])],
                            "time of shaking [s]", "spheres at the wall [%]",
                            "Spheres among the grains at the wall"))
    path = folder / PLOT
    plot_panels(path, panels, columns=2)
    return path

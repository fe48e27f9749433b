"""Biaxial tests of grains in the plane (Alonso-Marroquín & Wang 2009, section 4).

Loose grains are packed without friction by walls that press with p0 = 0.001 k_n. Then friction is
0.5, the upper and lower walls approach each other steadily, and the side walls press with p0. Told
are the axial stress over the lateral one and the void ratio v = (A - A_p) / A_p, A being the area
of the sample and A_p that of its grains, over the axial strain.

Stiffness k_n = 1, k_t = 0.1 k_n, density 1, time step 0.05, as published. The law has these from a
contact time and restitutions, so that they hold for a pair of mean grains; they go with the mass,
±10 %. The strong damping that k_t asks for (restitution 0.007) lets the sample come to rest. The
number of grains is not told for this section: 400, as before. Walls are smooth: with friction they
would hold the sample together, so that its strength would be that of the walls as much as its own.
One of each two walls rests: left while right presses, the upper one while the lower one comes up,
which is the same in a slow test between smooth walls. Strain goes at 4e-5 a second, where inertia
plays hardly a part (γ' sqrt(m / p0) = 0.002).

What it must show: packing fractions of 0.80 (discs), 0.87 (peanuts) and 0.88 (rice, pebbles); a
stress that peaks and then stays; a void ratio that falls, grows and stays; and grains that are not
round are much stronger than discs at last.
"""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from granum.checks import FloatArray
from granum.errors import MissingExtraError
from granum.output import read_series
from granum.output.atomic import replace_bytes
from granum.output.plot import Curve, Panel, plot_panels
from granum.portrait import draw_run
from granum.studies.origin import read_origin
from granum.studies.planar import (
    AREA,
    DENSITY,
    SHAPES,
    SOURCE,
    STIFFNESS,
    TIME_STEP,
    radius_of,
    random_grains,
)
from granum.studies.study import Published
from granum.world import World

PRESSURE = 1e-3 * STIFFNESS  # p0 [Pa]
FRICTION = 0.5
SLIP_RESTITUTION = 0.5
TANGENTIAL = 0.1  # k_t / k_n
LOOSE = 0.4  # share of the area that circles around the grains take at the start
FASTEST = 0.02  # of the walls that pack [m/s]
FRACTIONS = {"discs": 0.80, "rice": 0.88, "peanuts": 0.87, "pebbles": 0.88}  # published
FORCES = 100  # steps by which the lateral force follows the height
BINS = 100  # of strain
LATE = 2.0 / 3.0  # share of the strain after which the critical state is read
SOFTENED = 0.95  # share of the peak below which the stress must fall
PACK, SHEAR = "pack", "shear"
GRAIN, PLATEN = "grain", "platen"
PLOT = "biaxial.png"


@dataclass(frozen=True)
class Sample:
    """How large and how fast a test is.

    Args:
        count: of grains.
        rest: how long the sample may come to rest under the pressure [s].
        rate: of the strain [1/s].
        strain: at the end.
    """

    count: int
    rest: float
    rate: float
    strain: float

    def start(self, kind: str) -> float:
        """Return the side of the loose sample [m]."""
        return math.sqrt(self.count * math.pi / LOOSE) * radius_of(kind)

    def side(self, kind: str) -> float:
        """Return the side of the packed one, if it is as dense as the published one [m]."""
        return math.sqrt(self.count * AREA / FRACTIONS[kind])

    def packing_time(self, kind: str) -> float:
        """Return how long walls may take until the sample is packed [s]."""
        return 1.2 * (self.start(kind) - self.side(kind)) / FASTEST + self.rest


TESTS = {False: Sample(400, 1500.0, 4e-5, 0.24), True: Sample(64, 600.0, 1e-4, 0.12)}


def _published(kind: str) -> tuple[Published, ...]:
    """Return the figures of a kind."""
    last = ("axial over lateral stress at last",
            "lowest of all" if kind == "discs" else "much larger than that of discs")
    return (
        Published("packing fraction", FRACTIONS[kind], "packing_fraction", spread=0.02,
                  source="section 4, figure 7"),
        Published("stress peaks, then stays", True, "softens", source="section 4, figure 8"),
        Published("void ratio falls, then grows", True, "dilates", source="section 4, figure 8"),
        Published(*last, "critical_ratio", source="section 4, figure 8"),
    )


class BiaxialStudy:
    """The biaxial tests of Alonso-Marroquín & Wang 4."""

    name = "biaxial"
    title = "Biaxial tests of round and other grains"
    source = f"{SOURCE}, section 4"
    shows = ("how densely four shapes pack, a stress that peaks and then stays, and that discs are "
             "the weakest")
    variants: Mapping[str, str] = {
        "discs": "400 discs",
        "rice": "400 grains of rice",
        "peanuts": "400 peanuts, which are not convex",
        "pebbles": "400 pebbles",
    }
    published: Mapping[str, tuple[Published, ...]] = {kind: _published(kind) for kind in SHAPES}

    def scenario(self, variant: str, quick: bool) -> dict[str, Any]:
        """Return the tables of a variant; ``quick`` has 64 grains and a faster, shorter test."""
        test = TESTS[quick]
        start, side = test.start(variant), test.side(variant)
        duration = test.strain / test.rate
        return {
            "title": f"Biaxial test, {variant}" + (
                " (quick)" if quick else f": {self.variants[variant]}"),
            "seed": 1,
            "world": {"dimension": 2, "gravity": [0, 0, 0]},
            "materials": {GRAIN: {"density": DENSITY}, PLATEN: {"density": DENSITY}},
            "law": {"type": "linear_viscoelastic", "friction": 0.0, **springs(),
                    "pairs": [_on_walls()]},
            "walls": _walls(test, start, side),
            "grains": [{**random_grains(variant, test.count, (0, 0), (start, start)),
                        "material": GRAIN}],
            "run": {"time_step": TIME_STEP},
            "stages": [
                {"name": PACK, "for": test.packing_time(variant)},
                {"name": SHEAR, "for": duration, "law": {"friction": FRICTION},
                 "motions": {"top": "stop",
                             "bottom": {"type": "linear", "velocity": [0, side * test.rate, 0]},
                             "right": _pressing(test, side)}},
            ],
            "output": {"series": 200 * TIME_STEP, "frames": duration / 30},
        }

    def conclude(self, folder: Path, world: World) -> dict[str, Any]:
        """Draw stress and void ratio over strain; return packing, peak and critical state."""
        origin = read_origin(folder / "scenario.toml")
        variant = origin.variant if origin and origin.variant else "discs"
        test = TESTS[origin is not None and origin.quick]
        stages = json.loads((folder / "summary.json").read_text())["stages"]
        began = next(row["began"] for row in stages if row["name"] == SHEAR)
        curve = response(read_series(folder / "series.csv"), test.start(variant),
                         float(world.volumes().sum()), began)
        binned = means(curve, test.strain)
        path = folder / f"{variant}.csv"  # so that plots of several tests tell them apart
        replace_bytes(path, table(binned).encode())
        found = {**shear_facts(binned), "packing_fraction": 1.0 / (1.0 + float(curve.void[0])),
                 "table": str(path),
                 "picture": str(draw_run(folder, world, dimension=2, moments=3))}
        try:
            plot_response(folder / PLOT, {variant: binned})
            found["plot"] = str(folder / PLOT)
        except MissingExtraError as error:
            found["plot"] = str(error)
        return found


# ---- the scenario ----------------------------------------------------------------------------


def springs() -> dict[str, float]:
    """Return restitutions and contact time that have the published stiffnesses.

    k_n = m (π² + ln² e_n) / t_c² with m half the mass of a mean grain, and k_t alike with the mass
    of slip, which is m / 3 for discs and counts as that for all grains in the plane. So
    k_t / k_n = (π² + ln² e_s) / (3 (π² + ln² e_n)).
    """
    of_slip = math.pi**2 + math.log(SLIP_RESTITUTION) ** 2
    of_normal = of_slip / (3.0 * TANGENTIAL)
    restitution = math.exp(-math.sqrt(of_normal - math.pi**2))
    contact_time = math.sqrt(0.5 * DENSITY * AREA * of_normal / STIFFNESS)
    return {"restitution": restitution, "tangential_restitution": SLIP_RESTITUTION,
            "contact_time": contact_time}


def _on_walls() -> dict[str, Any]:
    """Return the law on walls: smooth, and for the whole mass of a grain as stiff as a pair."""
    return {"between": [GRAIN, PLATEN], "friction": 0.0,
            "contact_time": math.sqrt(2.0) * springs()["contact_time"]}


def _walls(test: Sample, start: float, side: float) -> list[dict[str, Any]]:
    """Return two walls at rest and two that press, braked so that they come slowly."""
    force = PRESSURE * side
    motion = {"type": "piston", "mass": _mass(test), "force": force, "gravity": False,
              "damping": force / FASTEST}
    places: dict[str, tuple[list[float], list[float]]] = {  # a point of each, and its normal
        "left": ([0, 0, 0], [1, 0, 0]), "bottom": ([0, 0, 0], [0, 1, 0]),
        "right": ([start, 0, 0], [-1, 0, 0]), "top": ([0, start, 0], [0, -1, 0])}
    walls: list[dict[str, Any]] = [
        {"type": "plane", "point": point, "normal": normal, "name": name, "material": PLATEN}
        for name, (point, normal) in places.items()]
    for wall in walls[2:]:
        wall["motion"] = {**motion, "direction": wall["normal"]}
    return walls


def _pressing(test: Sample, side: float) -> dict[str, Any]:
    """Return the drive of the side wall: the pressure times the height, which falls steadily."""
    duration = test.strain / test.rate
    times = duration * np.arange(1, FORCES) / FORCES
    steps = [[float(t), PRESSURE * side * (1.0 - test.rate * float(t))] for t in times]
    return {"type": "piston", "mass": _mass(test), "direction": [-1, 0, 0], "gravity": False,
            "force": PRESSURE * side, "steps": steps}


def _mass(test: Sample) -> float:
    """Return the mass of a wall: that of a row of grains [kg]."""
    return DENSITY * AREA * math.sqrt(test.count)


# ---- what is found ---------------------------------------------------------------------------


class Response(NamedTuple):
    """What a test says, all (s,)."""

    strain: FloatArray  # axial
    axial: FloatArray  # stress [Pa]
    lateral: FloatArray  # [Pa]
    void: FloatArray  # ratio


def response(series: Mapping[str, Any], start: float, area: float, began: float) -> Response:
    """Return stresses and void ratio from when the test began.

    Args:
        series: with forces and places of the walls.
        start: side of the box at the very beginning [m].
        area: of all grains [m2].
        began: when the walls began to approach each other [s].
    """
    columns = {name: np.asarray(series[name], dtype=np.float64) for name in
               ("time", "top_y", "bottom_y", "right_x", "top_force_y", "right_force_x")}
    shown = columns["time"] >= began * (1.0 - 1e-9)
    c = {name: values[shown] for name, values in columns.items()}
    height, width = start + c["top_y"] - c["bottom_y"], start + c["right_x"]
    return Response(1.0 - height / height[0], c["top_force_y"] / width,
                    c["right_force_x"] / height, height * width / area - 1.0)


def means(curve: Response, strain: float) -> Response:
    """Return the means over bins of strain; stresses shake as walls and grains do."""
    number = np.clip((BINS * curve.strain / strain).astype(np.int64), 0, BINS - 1)
    count = np.bincount(number, minlength=BINS)
    filled = count > 0
    return Response(*(np.bincount(number, values, BINS)[filled] / count[filled]
                      for values in curve))


def shear_facts(curve: Response) -> dict[str, Any]:
    """Return peak, critical state and dilation; the curve is of means over bins.

    ``critical_spread`` is by how much the stress shakes at last, as a share of its mean.
    """
    ratio = curve.axial / curve.lateral
    late = curve.strain >= LATE * curve.strain[-1]
    peak, critical = float(ratio.max()), float(ratio[late].mean())
    least = int(curve.void.argmin())
    return {
        "peak_ratio": peak,
        "peak_strain": float(curve.strain[ratio.argmax()]),
        "critical_ratio": critical,
        "critical_spread": float(ratio[late].std() / critical),
        "softens": critical < SOFTENED * peak,
        "first_void": float(curve.void[0]),
        "least_void": float(curve.void[least]),
        "critical_void": float(curve.void[late].mean()),
        "dilates": bool(curve.void[late].mean() > curve.void[least]),
    }


def table(curve: Response) -> str:
    """Return strain, stress ratio and void ratio as text."""
    sheet = io.StringIO()
    writer = csv.writer(sheet, lineterminator="\n")
    writer.writerow(["strain", "stress_ratio", "void_ratio"])
    for row in zip(curve.strain, curve.axial / curve.lateral, curve.void, strict=True):
        writer.writerow([f"{x:.6g}" for x in row])
    return sheet.getvalue()


def plot_response(path: Path, curves: Mapping[str, Response]) -> None:
    """Draw stress ratio and void ratio over strain, one curve for each test by its name."""
    stress = [Curve(name, c.strain, c.axial / c.lateral, k)
              for k, (name, c) in enumerate(curves.items())]
    void = [Curve(name, c.strain, c.void, k) for k, (name, c) in enumerate(curves.items())]
    plot_panels(path, [Panel(stress, "axial strain", "axial over lateral stress", "Stress"),
                       Panel(void, "axial strain", "void ratio", "Void ratio")])

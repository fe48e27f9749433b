"""Pictures of the studies of shaken and poured shapes, from their runs at the published size.

    python docs/shaken_pictures.py runs

reads ``runs/segregation-cylinder-3-mixed``, ``runs/segregation-long-3-mixed`` (periodic, 90 s),
``runs/crystallisation-an6``, ``runs/complexity-rods-3`` and so on, and draws of each study what is
there.
"""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

import numpy as np

from granum.output import read_series
from granum.output.plot import Curve, Panel, plot_panels
from granum.run.folder import TABLES
from granum.studies.complexity import FILLINGS
from granum.studies.crystallisation import RODS, WHOLE
from granum.studies.segregation import STARTS
from granum.studies.shaken import FREQUENCY as TAPS
from granum.studies.shaken import began, columns, smoothed, taps_at

IMAGES = Path(__file__).with_name("images")


def there(runs: Path, names: list[str]) -> dict[str, Path]:
    """Return those of the runs that have ended, by name."""
    return {name: runs / name for name in names if (runs / name / "summary.json").exists()}


def height_ratios(runs: Path, kind: str) -> list[Curve]:
    """Return the ratio of heights over time, of the runs of one kind, from all beginnings."""
    curves = []
    for number, start in enumerate(STARTS):
        for folder in there(runs, [f"segregation-{kind}-{start}"]).values():
            time, ratio = columns(read_series(folder / "series.csv"), "time", "height_ratio")
            since = time >= began(folder)
            taps, mean = smoothed(taps_at(time, began(folder))[since], ratio[since])
            curves.append(Curve(start.replace("-", " "), taps / TAPS, mean, number))
    return curves


def draw_segregation(runs: Path) -> None:
    """Draw the ratio of heights for each room and each Γ, and for the long runs."""
    panels = []
    for room in ("cylinder", "periodic"):
        for gamma in (2, 3):
            curves = height_ratios(runs, f"{room}-{gamma}")
            if curves:
                panels.append(Panel(curves, "time of shaking [s]", "R", f"{room}, Γ = {gamma}"))
    if panels:
        plot_panels(IMAGES / "segregation-course.png", panels, columns=2)
    curves = height_ratios(runs, "long-3")
    if curves:
        plot_panels(IMAGES / "segregation-long.png", [
            Panel(curves, "time of shaking [s]", "R", "periodic, Γ = 3")])


def draw_crystallisation(runs: Path) -> None:
    """Draw angles and densities over the number of taps, of all experiments that are there."""
    angles, densities = [], []
    for number, (name, folder) in enumerate(
            there(runs, [f"crystallisation-{rods}" for rods in RODS]).items()):
        label = name.removeprefix("crystallisation-")
        start = began(folder)
        time, angle = columns(read_series(folder / TABLES / f"{WHOLE}.csv"), "time",
                              f"{WHOLE}_axis_angle")
        tap = taps_at(time, start)
        angles.append(Curve(label, tap[tap >= 0.0] + 1.0, np.degrees(angle[tap >= 0.0]), number))
        time, density = columns(read_series(folder / "series.csv"), "time", "density")
        tap = taps_at(time, start)
        tap, mean = smoothed(tap[tap >= 0.0], density[tap >= 0.0])
        densities.append(Curve(label, tap + 1.0, 100.0 * mean, number))
        shutil.copyfile(folder / "picture.png", IMAGES / f"{name}.png")
    if angles:
        plot_panels(IMAGES / "crystallisation-course.png", [
            Panel(angles, "taps + 1", "angle to the floor [degree]", "Shafts"),
            Panel(densities, "taps + 1", "density [%]", "Density, averaged over a tap")],
            log="x", columns=2)


def draw_complexity(runs: Path) -> None:
    """Draw the time of a step over grains, and edges over covering spheres, of all variants."""
    times, edges = [], []
    for number, (name, folder) in enumerate(
            there(runs, [f"complexity-{kind}" for kind in FILLINGS]).items()):
        found = json.loads((folder / "summary.json").read_text(encoding="utf-8"))["found"]
        label = name.removeprefix("complexity-")
        times.append(Curve(label, found["grains"], found["microseconds_per_step"], number))
        edges.append(Curve(label, found["covering_spheres"], found["edges"], number))
    if times:
        plot_panels(IMAGES / "complexity.png", [
            Panel(times, "grains", "time of a step [µs]", "Time"),
            Panel(edges, "covering spheres", "edges", "Edges of the triangulation")], columns=2)


if __name__ == "__main__":
    for drawn in (draw_segregation, draw_crystallisation, draw_complexity):
        drawn(Path(sys.argv[1]))

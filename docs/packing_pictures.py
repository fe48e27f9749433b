"""Pictures of what packings depend on: the seed, and the width of the cylinder.

    python docs/packing_pictures.py

reads ``docs/data/packing-seeds.csv``, the densities at the end of runs at the published size, and
sets the published ones beside them.
"""

from __future__ import annotations

import csv
from collections import defaultdict
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

from granum.output.plot import CURVE_COLOURS, RESOLUTION, STYLE
from granum.studies import STUDIES
from granum.studies.packing_wall_effect import DIAMETERS, WIDTHS

HERE = Path(__file__).parent
SHOWN = ("packing-frequency", "packing-unimodal", "packing-narrow", "packing-one-large")
HIGHEST, SURFACE, PUBLISHED, OTHERS = CURVE_COLOURS[0], CURVE_COLOURS[5], "#b2332e", "#77808c"

Densities = dict[tuple[str, str], list[tuple[float, float]]]


def measured() -> Densities:
    """Return the densities of each study and variant, seed by seed: highest grain, surface [%]."""
    found: Densities = defaultdict(list)
    with (HERE / "data" / "packing-seeds.csv").open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            found[row["study"], row["variant"]].append(
                (float(row["density"]), float(row["surface_density"])))
    return found


def published(study: str, variant: str) -> list[float]:
    """Return the published densities at the end [%]."""
    return [float(value) for figure in STUDIES[study].published[variant]
            if figure.key in ("density", "surface_density")
            for value in np.atleast_1d(figure.value) if not isinstance(value, str)]


def dots(axes: plt.Axes, at: float, densities: list[tuple[float, float]], number: int) -> None:
    """Draw the densities of all seeds beside each other; ``number`` is 0 for the first in axes."""
    for column, (colour, label) in enumerate(((HIGHEST, "up to the highest grain"),
                                              (SURFACE, "up to the surface"))):
        values = [pair[column] for pair in densities]
        axes.plot(at + 0.2 * (column - 0.5) + np.zeros(len(values)), values, "o", color=colour,
                  markersize=4, alpha=0.8, label=label if number == 0 else None)


def draw_seeds(found: Densities) -> None:
    """Draw all seeds of all variants of packings beside the published densities."""
    with plt.rc_context(STYLE):
        figure, axes = plt.subplots(figsize=(9.0, 3.8), layout="constrained")
        keys = [key for study in SHOWN for key in found if key[0] == study]
        for at, key in enumerate(keys):
            dots(axes, at, found[key], at)
            for value in published(*key):
                axes.plot([at - 0.35, at + 0.35], [value, value], color=PUBLISHED,
                          label="published" if at == 0 else None)
        axes.set_xticks(range(len(keys)), [f"{study.removeprefix('packing-')}\n{variant}"
                                           for study, variant in keys], fontsize=7.5)
        axes.set_ylabel("density [%]")
        axes.set_title("Five seeds of each")
        axes.legend(loc="upper left", ncols=3)
        axes.set_ylim(top=axes.get_ylim()[1] + 2.0)
        figure.savefig(HERE / "images" / "packing-seeds.png", dpi=RESOLUTION)


def voidage(ratio: np.ndarray) -> np.ndarray:
    """Return the share of a tube that spheres leave free, by its width over their diameter.

    F. Benyahia and K. E. O'Neill, Particulate Science and Technology 23 (2005) 169, a fit to
    measurements for ratios of 1.5 to 50.
    """
    return 0.390 + 1.740 / (ratio + 1.140) ** 2


def draw_wall_effect(found: Densities) -> None:
    """Draw densities over the width of the cylinder in diameters of the grains."""
    with plt.rc_context(STYLE):
        figure, axes = plt.subplots(figsize=(6.4, 4.0), layout="constrained")
        ratio = np.geomspace(1.5, 40.0, 200)
        axes.plot(ratio, 100.0 * (1.0 - voidage(ratio)), color=OTHERS,
                  label="a fit to measurements by others")
        study = STUDIES["packing-wall-effect"]
        for number, variant in enumerate(study.variants):
            size, width = variant.split("-")
            at = WIDTHS[width] / DIAMETERS[size]
            axes.plot(at, published(study.name, variant)[0], "x", color=PUBLISHED, markersize=8,
                      label="published, from the laboratory" if number == 0 else None)
            for column, (colour, label) in enumerate(((HIGHEST, "up to the highest grain"),
                                                      (SURFACE, "up to the surface"))):
                values = [pair[column] for pair in found[study.name, variant]]
                axes.plot([at] * len(values), values, "o", color=colour, markersize=4, alpha=0.8,
                          label=label if number == 0 else None)
        axes.set_xscale("log")
        axes.set_xticks([1.5, 2, 3, 5, 10, 20, 40], ["1.5", "2", "3", "5", "10", "20", "40"])
        axes.minorticks_off()
        axes.set_xlabel("width of the cylinder over that of a grain")
        axes.set_ylabel("density [%]")
        axes.set_title("The effect of the wall")
        axes.legend(loc="lower right")
        figure.savefig(HERE / "images" / "packing-wall-ratio.png", dpi=RESOLUTION)


if __name__ == "__main__":
    densities = measured()
    draw_seeds(densities)
    draw_wall_effect(densities)

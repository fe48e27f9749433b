"""The larger the grains, the more the wall counts (Ferrez 2001, section 5.9.1).

Grains of one size, 25, 15, 7, 4 or 1 mm, in cylinders of 30 and 36 mm: the densities of table 5.7
were measured in the laboratory. It does not give the numbers of grains; here they fill about 60 mm,
of 25 mm there are four, of 1 mm as many as in section 5.8.1. These fall some 40 mm as one column of
60 layers, so their contact time is 0.5 ms: at 1 ms those at the bottom are pressed by half their
radius when it lands.

Two of them follow from geometry: grains of 25 mm lie against the wall in turn on either side, each
sqrt(d² - (D - d)²) above the one before. Four of them fill 46.9 % in 30 mm and 34.8 % in 36 mm.

What it must show: densities that grow as grains get smaller, and jump where another number of them
fits across the cylinder.
"""

from __future__ import annotations

import math

from granum.studies.packing import Packing, PackingStudy, Taps, helix, lattice
from granum.studies.study import SPEED, Published

WIDTHS = {"30": 0.030, "36": 0.036}  # of the cylinder [m]
DIAMETERS = {"25mm": 25e-3, "15mm": 15e-3, "7mm": 7e-3, "4mm": 4e-3, "1mm": 1e-3}  # [m]
FIRM = 5e-4  # contact time of the smallest [s]
COUNTS = {  # grains in either cylinder
    "25mm": (4, 4), "15mm": (12, 18), "7mm": (140, 200), "4mm": (730, 1050), "1mm": (26000, 37000),
}
PUBLISHED = {  # table 5.7 [%]
    "25mm": (47.0, 35.0), "15mm": (46.0, 52.0), "7mm": (60.0, 52.0), "4mm": (58.0, 57.0),
    "1mm": (66.0, 64.0),
}
SPREAD = {"7mm-36": 1.7, "4mm-30": 1.2, "4mm-36": 1.1}  # of five seeds [%]; else of the digits
# 12 000 grains of three sizes in a cylinder, 1000 steps in 1498 s on one processor
PACE = Published("grains × steps a second", 12_000 * 1000 / 1498.0, SPEED, unit="1/s",
                 source="table 4.1, Pentium III Xeon")


def zigzag_density(count: int, diameter: float, width: float) -> float:
    """Return the density of grains that lie on either side of a narrow cylinder in turn.

    Args:
        count: of grains.
        diameter: of the grains [m], more than half of the cylinder's.
        width: diameter of the cylinder [m].
    """
    step = math.sqrt(diameter**2 - (width - diameter) ** 2)
    height = diameter + (count - 1) * step
    return count * 2.0 * diameter**3 / (3.0 * width**2 * height)


def _packing(count: int, diameter: float, width: float, until: float) -> Packing:
    """Return grains that are tapped until a time [s]; few across the cylinder start in a helix."""
    few = 3.0 * diameter > width
    grains = helix(count, diameter, width) if few else lattice(count, diameter, 1.06, 0.9)
    high = 0.12 if diameter > 5e-3 else 0.1  # of few large places one in ten is many
    height = 1.03 * (count + 1) * diameter if few else high
    contact_time = FIRM if diameter < 2e-3 else 1e-3
    return Packing(width, (grains,), until + 0.5, Taps(4.0, until), height, contact_time)


def _whole(size: str, name: str, count: int) -> Packing:
    return _packing(count, DIAMETERS[size], WIDTHS[name], 4.0)


def _quick(size: str, name: str, count: int) -> Packing:
    """Return a quarter of the grains, at most 250, in a cylinder that is as much narrower."""
    diameter, number = DIAMETERS[size], min(250, max(4, count // 4))
    fitting = 1.2 * WIDTHS[name] / WIDTHS["30"] * diameter * number ** (1.0 / 3.0)
    return _packing(number, diameter, min(WIDTHS[name], fitting), 0.5)


def _published(size: str, name: str) -> tuple[Published, ...]:
    """Return the density in the laboratory; for the many grains of 1 mm the thesis' speed, too."""
    density = Published("density in the laboratory", PUBLISHED[size][list(WIDTHS).index(name)],
                        "density", unit="%", spread=SPREAD.get(f"{size}-{name}", 0.5),
                        source="table 5.7")
    return (density, PACE) if size == "1mm" else (density,)


VARIANTS = {f"{size}-{name}": (size, name, count) for size, counts in COUNTS.items()
            for name, count in zip(WIDTHS, counts, strict=True)}
STUDY = PackingStudy(
    name="packing-wall-effect",
    title="The effect of the wall",
    source="Ferrez 2001, section 5.9.1",
    shows="densities that grow as grains get smaller beside the cylinder",
    variants={variant: f"{count} grains of {size[:-2]} mm in a cylinder of {name} mm"
              for variant, (size, name, count) in VARIANTS.items()},
    published={variant: _published(size, name) for variant, (size, name, _) in VARIANTS.items()},
    packings={variant: _whole(*which) for variant, which in VARIANTS.items()},
    quick={variant: _quick(*which) for variant, which in VARIANTS.items()},
    colour="layer",
)

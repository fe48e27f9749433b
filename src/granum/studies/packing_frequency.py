"""One size of grains, tapped at various frequencies (Ferrez 2001, section 5.4).

5592 grains of about 2 mm are tapped by 2 mm for 10 s at 2, 4, 5 or 10 Hz, and left to themselves
for 2 s. The thesis does not give the cylinder. Its hint is the density of a face-centred cubic
packing cut to the same cylinder, 63.32 %: in 30 mm, the width of the laboratory's, with a grain on
the axis, that is 63.41 % in a height of 60 mm (64.71 % in an endless one). So 30 mm it is.

The contact time is 0.4 ms, not the thesis' 1 ms: at 1 ms the weight presses the lowest grains into
each other by an eighth of their radius, and all of them end 4 points denser (63.84 % at 10 Hz).

Nor is the wave of the taps in its text. What is: during the taps the density, as a mean over a
second, is 45 to 55 % at 10 Hz, where grains are thrown up, and 55 to 60 % at the others. A lift
within half of the period throws nothing (60 % at 10 Hz); within 0.15, 0.125 and 0.1 of it the mean
is 55, 48 and 41 %. So an eighth it is.

Nor is the share of the lattice's places that are used. What is: at 2 Hz the density depends on how
the grains began, and after seconds of taps the lattice is still clearly seen in several places at 2
and at 5 Hz (figure 5.8). Of 19 places in 20, a quarter of the grains keep it at 2 Hz.

What it must show: grains are less dense at 10 Hz than at 2 to 5 Hz, while they are tapped and in
the end; all of them are less dense than the cut crystal.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from granum.studies.packing import TAPPED, Packing, PackingStudy, Taps, lattice, width_of
from granum.studies.study import Published
from granum.world import World

GRAINS, DIAMETER, WIDTH, CRYSTAL_HEIGHT = 5592, 2e-3, 0.03, 0.06  # the last three in m
FIRM = 4e-4  # contact time [s]
LIFT = 0.125  # share of the period that a lift takes
USED = 0.95  # share of the lattice's places
SPREAD = {"2hz": 0.7, "4hz": 1.1, "5hz": 1.1, "10hz": 0.5}  # of five seeds at the end [%]
PUBLISHED = {"2hz": 60.60, "4hz": 60.61, "5hz": 60.40, "10hz": 59.92}  # table 5.2 [%]
WHILE_TAPPED = {"2hz": (57.5, 2.5), "4hz": (57.5, 2.5), "5hz": (57.5, 2.5),
                "10hz": (50.0, 5.0)}  # middle and half of the range [%]
CRYSTAL = Published("density of an fcc lattice cut to the cylinder", 63.32, "crystal_density",
                    unit="%", spread=0.5, source="section 5.4")


def crystal_density(diameter: float, width: float, height: float) -> float:
    """Return the density of an fcc packing cut to a cylinder, with a grain on the axis.

    Whole grains count. Layers of a triangular lattice, diameter d apart, follow each other at
    d sqrt(2/3); each is shifted against the last by a third of the lattice's period.

    Args:
        diameter: of the grains [m].
        width: of the cylinder [m].
        height: of the cylinder [m].
    """
    reach = math.ceil(width / diameter) + 1
    a, b = np.meshgrid(np.arange(-2 * reach, 2 * reach + 1), np.arange(-2 * reach, 2 * reach + 1))
    largest = ((width - diameter) / 2.0) ** 2 * (1.0 + 1e-12)
    in_layer = []
    for shift in range(3):
        x = diameter * (a + b / 2.0 + shift / 2.0)
        y = diameter * (b * math.sqrt(3.0) / 2.0 + shift * math.sqrt(3.0) / 6.0)
        in_layer.append(int((x**2 + y**2 <= largest).sum()))
    layers = math.floor((height - diameter) / (diameter * math.sqrt(2.0 / 3.0))) + 1
    count = sum(in_layer[k % 3] for k in range(layers))
    return count * math.pi / 6.0 * diameter**3 / (math.pi / 4.0 * width**2 * height)


def _of_crystal(world: World) -> dict[str, Any]:
    return {"crystal_density": crystal_density(DIAMETER, width_of(world), CRYSTAL_HEIGHT)}


def _published(name: str) -> tuple[Published, ...]:
    middle, spread = WHILE_TAPPED[name]
    return (Published("density at the end", PUBLISHED[name], "density", unit="%",
                      spread=SPREAD[name], source="table 5.2"),
            Published("mean density over the last second of taps", middle, TAPPED, unit="%",
                      spread=spread, source="section 5.4, moving average"), CRYSTAL)


def _packing(frequency: float) -> Packing:
    return Packing(WIDTH, (lattice(GRAINS, DIAMETER, 1.05, USED, spread=0.02),), 12.0,
                   Taps(frequency, 10.0, 2e-3, LIFT), contact_time=FIRM)


def _quick(frequency: float) -> Packing:
    return Packing(0.012, (lattice(150, DIAMETER, 1.05, 0.8, spread=0.02),), 1.25,
                   Taps(frequency, 1.0, 2e-3, LIFT), height=0.05)


FREQUENCIES = {"4hz": 4.0, "2hz": 2.0, "5hz": 5.0, "10hz": 10.0}
STUDY = PackingStudy(
    name="packing-frequency",
    title="Packing at a frequency",
    source="Ferrez 2001, section 5.4",
    shows="less density at 10 Hz than at 2 to 5 Hz, while they are tapped and in the end",
    variants={name: f"{GRAINS} grains of 2 mm, tapped at {hertz:g} Hz"
              for name, hertz in FREQUENCIES.items()},
    published={name: _published(name) for name in FREQUENCIES},
    packings={name: _packing(hertz) for name, hertz in FREQUENCIES.items()},
    quick={name: _quick(hertz) for name, hertz in FREQUENCIES.items()},
    colour="layer",
    also=_of_crystal,
)

"""One large grain among medium and small ones (Ferrez 2001, section 5.3).

A grain of 26 mm, grains of 3 mm and of 1 mm, in four mixtures. The cylinder is 35 mm wide and
100 mm high: so wide and high, the published numbers of grains fill 20.16, 15.39, 30.42 and 20.51 %
of it, which are the densities at the start of table 5.1 within 0.1 %. Nothing in the section speaks
of tapping, and its density at 0.5 s hardly differs from that at 3 s, so there is none here. The
large grain stands on the floor, in the middle.

What it must show: a fall, then a slow rise of the density; One2 far below the others, because the
large grain is not covered.
"""

from __future__ import annotations

from granum.studies.packing import HARD, Grains, Packing, PackingStudy, lattice
from granum.studies.study import Published

WIDTH, LARGE, MEDIUM, SMALL = 0.035, 26e-3, 3e-3, 1e-3  # [m]
MIXTURES = {"One1": (715, 161), "One2": (378, 498), "One3": (1406, 355), "One4": (706, 1055)}
PUBLISHED = {  # densities at 0.5 and 3 s [%]
    "One1": (63.5726, 63.5868), "One2": (52.2700, 53.2042), "One3": (62.7705, 64.3458),
    "One4": (65.1489, 68.7132),
}
SPREAD = {"One1": 1.3, "One2": 0.1, "One3": 0.7, "One4": 2.1}  # of five seeds at the end [%]
PLACES = {MEDIUM: 1500, SMALL: 6000}  # on the lattices, about, beside the large grain


def _large(diameter: float) -> Grains:
    return {"type": "explicit", "points": [[0.0, 0.0, diameter / 2]], "radius": diameter / 2}


def _packing(medium: int, small: int) -> Packing:
    grains = (_large(LARGE), lattice(medium, MEDIUM, 1.35, min(1.0, 1.1 * medium / PLACES[MEDIUM])),
              lattice(small, SMALL, 2.0, 1.3 * small / PLACES[SMALL]))
    return Packing(WIDTH, grains, 3.0, contact_time=HARD,
                   moments={"density_at_half_a_second": 0.5})


def _quick(medium: int, small: int) -> Packing:
    grains = (_large(10e-3), lattice(medium // 8, MEDIUM, 1.25, 0.95),
              lattice(small // 8, 1.5e-3, 2.0, 0.5))
    return Packing(0.018, grains, 0.4, height=0.06, contact_time=HARD)


def _figures(name: str) -> tuple[Published, ...]:
    early, late = PUBLISHED[name]
    return (Published("density at 0.5 s", early, "density_at_half_a_second", unit="%",
                      spread=SPREAD[name], source="table 5.1"),
            Published("density at 3 s", late, "density", unit="%", spread=SPREAD[name],
                      source="table 5.1"))


STUDY = PackingStudy(
    name="packing-one-large",
    title="One large grain",
    source="Ferrez 2001, section 5.3",
    shows="how medium and small grains settle around a large one",
    variants={name: f"one grain of 26 mm, {medium} of 3 mm, {small} of 1 mm"
              for name, (medium, small) in MIXTURES.items()},
    published={name: _figures(name) for name in MIXTURES},
    packings={name: _packing(*mixture) for name, mixture in MIXTURES.items()},
    quick={name: _quick(*mixture) for name, mixture in MIXTURES.items()},
)

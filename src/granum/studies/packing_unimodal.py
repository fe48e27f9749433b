"""Many small grains of one size, as in the laboratory (Ferrez 2001, section 5.8.1).

About 13 000 grains of 1 mm in a cylinder of 30 mm, tapped for two seconds: the thesis found 63.8 to
65.1 %, the laboratory, with twice as many grains and more taps, 66 %.

The contact time is 0.5 ms, not 1 ms: the overlap that a column's weight brings about, as a share
of the radius, goes as its height over d² and as the square of the contact time. At 1 ms grains at
the bottom are pressed by up to half their radius when the column lands, and some runs stop there.

The thesis has the height of the highest grain (its formula 4.3), the laboratory reads that of the
surface: of a column of 30 layers one grain on top is 3 %.

What it must show: a density of about 64 %, more than the larger grains of packing-frequency reach,
because fewer of them touch the wall.
"""

from __future__ import annotations

from granum.studies.packing import DENSITY, TO_SURFACE, Packing, PackingStudy, Taps, lattice
from granum.studies.study import Published

FIRM = 5e-4  # contact time [s]
SPREAD = 0.85  # of five seeds; the thesis' own figures are 1.3 apart [%]

STUDY = PackingStudy(
    name="packing-unimodal",
    title="Packing of one size",
    source="Ferrez 2001, section 5.8.1",
    shows="a density of about 64 %, close to the laboratory's",
    variants={"30mm": "13 000 grains of 1 mm in a cylinder of 30 mm"},
    published={"30mm": (
        Published("density at the end, simulated (63.8 to 65.1 %)", 64.45, DENSITY, unit="%",
                  spread=SPREAD, source="section 5.8.1"),
        Published("density in the laboratory", 66.0, TO_SURFACE, unit="%", spread=0.6,
                  source="section 5.8.1"),
    )},
    packings={"30mm": Packing(0.03, (lattice(13000, 1e-3, 1.08, 0.9, spread=0.02),), 2.0,
                              Taps(4.0, 1.5), 0.06, FIRM)},
    quick={"30mm": Packing(0.007, (lattice(250, 1e-3, 1.08, 0.9, spread=0.02),), 0.75,
                           Taps(4.0, 0.5), height=0.04)},
    colour="layer",
)

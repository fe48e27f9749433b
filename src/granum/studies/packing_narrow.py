"""Three sizes that do not differ much (Ferrez 2001, section 5.8.2).

4 grains of 15 mm, 56 of 7 mm and 293 of 4 mm in a cylinder of 30, 36 or 40 mm, tapped for ten
seconds at 4 Hz by 3 mm. The large ones start one above the other near the wall, the others on
lattices around them, so sparse that they reach up equally high, and cover the large ones. In the
laboratory five repetitions in the narrow cylinder always gave the same height within a millimetre,
three in the wider one heights of 44 to 45 mm: half a millimetre is a spread of 0.7 % in density.
The thesis has the height of the highest grain, the laboratory reads that of the surface.

What it must show: densities of about 60 %, already after a second.
"""

from __future__ import annotations

from granum.studies.packing import TO_SURFACE, Packing, PackingStudy, Taps, helix, lattice
from granum.studies.study import Published

WIDTHS = {"30mm": 0.030, "36mm": 0.036, "40mm": 0.040}  # [m]
HEIGHTS = {"30mm": 0.120, "36mm": 0.085, "40mm": 0.070}  # up to which grains start [m]
USED = {"30mm": (0.55, 0.75), "36mm": (0.6, 0.65), "40mm": (0.55, 0.6)}  # places for 7 and 4 mm
SIMULATED = {"30mm": (59.44, 60.78), "36mm": (58.42, 58.84), "40mm": (61.49, 61.73)}  # 1, 10 s [%]
LABORATORY = {"30mm": 61.0, "36mm": 60.0}  # [%]
SPREAD = {"30mm": 1.6, "36mm": 2.0, "40mm": 1.3}  # of five seeds at the end [%]
SURFACE_SPREAD = {"30mm": 1.1, "36mm": 1.2}  # up to the surface [%]


def _packing(name: str) -> Packing:
    width, height, (medium, small) = WIDTHS[name], HEIGHTS[name], USED[name]
    apart = (0.75 * height - 15e-3) / (3 * 15e-3)  # between large grains, in their diameters
    grains = (helix(4, 15e-3, width, spacing=apart), lattice(56, 7e-3, 1.05, medium),
              lattice(293, 4e-3, 1.05, small))
    return Packing(width, grains, 10.0, Taps(4.0, 9.5), height,
                   moments={"density_at_a_second": 1.0})


def _quick(name: str) -> Packing:
    grains = (helix(1, 15e-3, WIDTHS[name]), lattice(14, 7e-3, 1.05, 0.9),
              lattice(73, 4e-3, 1.05, 0.75))
    return Packing(WIDTHS[name], grains, 0.8, Taps(4.0, 0.5), 0.06)


def _figures(name: str) -> tuple[Published, ...]:
    early, late = SIMULATED[name]
    found = [Published("density at 1 s, simulated", early, "density_at_a_second", unit="%",
                       spread=SPREAD[name], source="table 5.6"),
             Published("density at 10 s, simulated", late, "density", unit="%",
                       spread=SPREAD[name], source="table 5.6")]
    if name in LABORATORY:
        found.append(Published("density in the laboratory", LABORATORY[name], TO_SURFACE, unit="%",
                               spread=SURFACE_SPREAD[name], source="table 5.6"))
    return tuple(found)


STUDY = PackingStudy(
    name="packing-narrow",
    title="Packing of a narrow mixture",
    source="Ferrez 2001, section 5.8.2",
    shows="densities of about 60 %, as in the laboratory",
    variants={name: f"4 grains of 15 mm, 56 of 7 mm, 293 of 4 mm in a cylinder of {name[:2]} mm"
              for name in WIDTHS},
    published={name: _figures(name) for name in WIDTHS},
    packings={name: _packing(name) for name in WIDTHS},
    quick={name: _quick(name) for name in WIDTHS},
)

"""Sizes that differ widely, poured (Ferrez 2001, section 5.8.3).

2 grains of 25 mm, 270 of 4 mm and 8900 of 1 mm in a cylinder of 30 mm. The laboratory reached
81 %. The thesis could not, because its lattices put most grains of 4 mm above the large ones. Here
grains are poured, as in the laboratory: a large grain stands on the floor, half of the others are
poured around it, then the second large grain, then the rest; all the while the cylinder is tapped.

What it must show: a density far above that of one size; small grains fill what the others leave.
The laboratory reads the height of the surface, so that is what its figure is compared with.
"""

from __future__ import annotations

from granum.studies.packing import TO_SURFACE, Grains, Packing, PackingStudy, Taps, helix
from granum.studies.study import Published

WIDTH, HEIGHT = 0.03, 0.12  # [m]
LOOSE = 0.62  # density of a heap, at least
HARDER = 5e-5  # contact time [s]: a large grain weighs 15 600 small ones, and falls on them


def _pour(count: int, diameter: float, start: float, during: float, width: float, low: float,
          speed: float) -> Grains:
    """Return a stream that comes in from ``low`` up [m], downwards with a speed [m/s]."""
    half, high = 0.45 * width, low + max(0.5 * width, 1.1 * diameter)
    return {"type": "pour", "radius": diameter / 2, "count": count, "rate": count / during,
            "start": start, "low": [-half, -half, low], "high": [half, half, high],
            "velocity": [0.0, 0.0, -speed]}


def _poured(width: float, height: float, large: float, medium: tuple[int, float],
            small: tuple[int, float], half: float) -> tuple[Grains, ...]:
    """Return what is poured in two halves, each of which takes ``half`` seconds.

    The second large grain comes in just above the heap, so that it does not fall on small ones.
    """
    others = (medium, small)
    streams = [helix(1, large, width)]
    for start in (0.0, 1.4 * half):
        streams += [_pour(count // 2, diameter, start, half, width, height - 0.6 * width, 0.3)
                    for count, diameter in others]
    cubes = large**3 + sum(count // 2 * diameter**3 for count, diameter in others)
    heap = max(large, 2.0 * cubes / (3.0 * LOOSE * width**2))
    return (*streams, _pour(1, large, 1.2 * half, 1e-3, width, heap + Taps.amplitude, 0.0))


STUDY = PackingStudy(
    name="packing-wide",
    title="Packing of a wide mixture",
    source="Ferrez 2001, section 5.8.3",
    shows="poured grains that reach far more than one size does; 81 % in the laboratory",
    variants={"30mm": "2 grains of 25 mm, 270 of 4 mm, 8900 of 1 mm in a cylinder of 30 mm"},
    published={"30mm": (Published("density in the laboratory", 81.0, TO_SURFACE, unit="%",
                                  spread=1.0, source="section 5.8.3"),)},
    packings={"30mm": Packing(WIDTH, _poured(WIDTH, HEIGHT, 25e-3, (270, 4e-3), (8900, 1e-3), 1.0),
                              5.0, Taps(4.0, 4.75), HEIGHT, HARDER)},
    quick={"30mm": Packing(0.015, _poured(0.015, 0.06, 11e-3, (16, 3e-3), (160, 1.5e-3), 0.1),
                           0.75, Taps(4.0, 0.5), 0.06, 5e-4)},
)

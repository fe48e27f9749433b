"""The grains of F. Alonso-Marroquín and Y. Wang (Granular Matter 11 (2009) 317, figure 5).

Discs, rice (a segment and a disc), peanuts (a bent line and a disc) and pebbles (a triangle and a
disc), in the plane. Their areas spread evenly by 10 % to either side; radii that spread by 5 % do
that. The text gives neither their size nor their proportions. Here all have the mean area of a disc
of radius 1, so that the published time step, 0.05 for stiffness 1 and density 1, is an 80th of a
collision of two discs.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from granum.shapes import SpheroPolygon

SOURCE = "Alonso-Marroquín & Wang 2009"
AREA = math.pi  # mean area of a grain [m2]
SPREAD = 0.05  # of radii
DENSITY, STIFFNESS, TIME_STEP = 1.0, 1.0, 0.05  # [kg/m3], [N/m], [s]
SHAPES: Mapping[str, SpheroPolygon | None] = {
    "discs": None,
    "rice": SpheroPolygon(((-1.0, 0.0), (1.0, 0.0)), 1.0, closed=False),
    "peanuts": SpheroPolygon(((-1.2, 0.4), (0.0, 0.0), (1.2, 0.4)), 1.0, closed=False),
    "pebbles": SpheroPolygon(((-1.0, 0.0), (1.0, 0.0), (0.0, math.sqrt(3.0))), 1.0),
}


@cache
def radius_of(kind: str) -> float:
    """Return the radius of the circle that holds a grain of a kind and of the mean area [m]."""
    shape = SHAPES[kind]
    if shape is None:
        return math.sqrt(AREA / math.pi)
    return shape.bounding_radius * math.sqrt(AREA / shape.volume)


def random_grains(kind: str, count: int, low: Sequence[float], high: Sequence[float],
                  speed: float = 0.0) -> dict[str, Any]:
    """Return grains of a kind at random places in a rectangle, as a table of a scenario.

    Args:
        kind: one of `SHAPES`.
        count: of grains.
        low: corner of the smallest coordinates, (2,) [m].
        high: of the largest, (2,) [m].
        speed: of every grain, in a direction of its own [m/s].
    """
    table: dict[str, Any] = {
        "type": "random", "radius": radius_of(kind), "spread": SPREAD, "count": count,
        "low": [*low, 0.0], "high": [*high, 0.0], "speed": speed}
    shape = SHAPES[kind]
    return table if shape is None else {**table, "shape": outline_table(shape)}


def outline_table(shape: SpheroPolygon) -> dict[str, Any]:
    """Return an outline as a table of a scenario."""
    return {"type": "sphero_polygon", "points": [list(point) for point in shape.points],
            "radius": shape.radius, "closed": shape.closed}

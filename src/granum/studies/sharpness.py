"""Regular spherosimplices by their volume and their sharpness l / r (Pournin 2005, section 4.4).

l is the distance from the centre of the skeleton to its corners, half of the shaft of a rod; r is
the radius of the ball. A sphere has sharpness 0.
"""

from __future__ import annotations

import math
from functools import cache

from granum.shapes import Spherocylinder, Spherotetrahedron, Spherotriangle

Simplex = Spherocylinder | Spherotriangle | Spherotetrahedron
ROD, TRIANGLE, TETRAHEDRON = "spherocylinder", "spherotriangle", "spherotetrahedron"
CLASSES: dict[str, tuple[type[Simplex], float]] = {  # and the length of a side, in l
    ROD: (Spherocylinder, 2.0),
    TRIANGLE: (Spherotriangle, math.sqrt(3.0)),
    TETRAHEDRON: (Spherotetrahedron, math.sqrt(8.0 / 3.0)),
}


@cache
def simplex(kind: str, sharpness: float, radius: float) -> Simplex:
    """Return the simplex of a kind that has the volume of a sphere of this radius [m]."""
    shape, side = CLASSES[kind]
    length = side * sharpness
    scale = radius * (4.0 / 3.0 * math.pi / shape(length, 1.0).volume) ** (1.0 / 3.0)
    return shape(scale * length, scale)


def table(shape: Simplex) -> dict[str, object]:
    """Return the keys of a placing of such grains: their size and their shape."""
    kind = next(name for name, (known, _) in CLASSES.items() if isinstance(shape, known))
    return {"radius": shape.bounding_radius,
            "shape": {"type": kind, "length": shape.length, "radius": shape.radius}}

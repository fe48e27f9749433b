"""What holds the grains: walls, as people describe them and as kernels see them.

In come descriptors with lengths in metres (`Plane`, `Cylinder`, `Cone`, `SphereWall`, `Plate`,
`Box`, `Hourglass`, `Mesh`); out goes a `WallTable`, arrays that hold every wall as primitive
pieces, and the kernels `closest` (distance and normal from a grain's centre to a piece) and
`nearest_possible` (a bound for candidate lists). Nothing here knows of forces. How walls move is
told in ``moving``.

To add a wall, write a class with the five methods of `Wall` that builds its pieces with
`plane_piece`, `quad_piece`, `revolution_piece` and `sphere_piece`; no kernel needs to change.
"""

from granum.walls.box import Box
from granum.walls.closest import closest, nearest_possible
from granum.walls.hourglass import Hourglass
from granum.walls.mesh import Mesh
from granum.walls.piece import (
    Piece,
    plane_piece,
    quad_piece,
    revolution_piece,
    sphere_piece,
)
from granum.walls.plane import Plane
from granum.walls.plate import Plate
from granum.walls.sphere import SphereWall
from granum.walls.table import WallTable, clearance, default_names, make_table
from granum.walls.tube import Cone, Cylinder
from granum.walls.wall import Wall

__all__ = [
    "Box",
    "Cone",
    "Cylinder",
    "Hourglass",
    "Mesh",
    "Piece",
    "Plane",
    "Plate",
    "SphereWall",
    "Wall",
    "WallTable",
    "clearance",
    "closest",
    "default_names",
    "make_table",
    "nearest_possible",
    "plane_piece",
    "quad_piece",
    "revolution_piece",
    "sphere_piece",
]

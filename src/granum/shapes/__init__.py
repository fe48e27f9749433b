"""What a grain is: its shape, volume and moments of inertia.

In: the shape's own numbers. Out: volume, principal moments, bounding radius. Shapes know nothing of
simulations. A new round shape is one module here with ``volume`` and ``inertia``. Any other is a
descriptor whose ``settled`` gives a ``RigidShape``, seen from its principal axes: ``Clump`` is made
of balls, a ``Swept`` shape of a skeleton and a ball that is swept over it. ``cover`` finds few
spheres that hold a shape, for the search of neighbours by triangulation.
"""

from granum.shapes import families
from granum.shapes.clump import Clump
from granum.shapes.covers import Cover, cover, given_cover
from granum.shapes.filling import filled_with_discs
from granum.shapes.polygon import SpheroPolygon
from granum.shapes.polyhedron import SpheroPolyhedron
from granum.shapes.rigid import RigidShape
from granum.shapes.simplices import Spherocylinder, Spherotetrahedron, Spherotriangle
from granum.shapes.sphere import Disc, Sphere

AnySwept = Spherocylinder | Spherotriangle | Spherotetrahedron | SpheroPolyhedron | SpheroPolygon
"""All shapes that are a skeleton swept by a ball."""

AnyShape = Clump | AnySwept
"""All shapes that are more than a sphere."""

__all__ = [
    "AnyShape",
    "AnySwept",
    "Clump",
    "Cover",
    "Disc",
    "RigidShape",
    "Sphere",
    "SpheroPolygon",
    "SpheroPolyhedron",
    "Spherocylinder",
    "Spherotetrahedron",
    "Spherotriangle",
    "cover",
    "families",
    "filled_with_discs",
    "given_cover",
]

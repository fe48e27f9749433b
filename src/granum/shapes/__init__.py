"""What a grain is: its shape, volume and moments of inertia.

In: the shape's own numbers. Out: volume, principal moments for unit density, bounding radius.
Shapes know nothing of simulations. A new shape is one module here with ``volume`` and ``inertia``.
"""

from granum.shapes.clump import Clump
from granum.shapes.rigid import RigidShape
from granum.shapes.sphere import Disc, Sphere

__all__ = ["Clump", "Disc", "RigidShape", "Sphere"]

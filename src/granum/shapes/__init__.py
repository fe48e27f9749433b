"""What a grain is: its shape, volume and moments of inertia.

In: the shape's own numbers. Out: volume, principal moments, bounding radius. Shapes know nothing of
simulations. A new round shape is one module here with ``volume`` and ``inertia``; one that is made
of balls, like ``Clump``, is a descriptor whose ``settled`` gives a ``RigidShape``, its balls in the
frame of the principal axes.
"""

from granum.shapes.clump import Clump
from granum.shapes.rigid import RigidShape
from granum.shapes.sphere import Disc, Sphere

__all__ = ["Clump", "Disc", "RigidShape", "Sphere"]

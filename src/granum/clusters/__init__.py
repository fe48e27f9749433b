"""Clusters: grains of other shapes, made of spheres that are glued together.

In: where the spheres of a cluster are, and a glue. Out: ``Layout``, its spheres and the pairs that
are glued; ``Bonds``, the table of all bonds of a world. ``glue`` has the forces. A new glue is a
dataclass there with the members of ``Glue``; a new ready shape is one in ``ready`` with ``layout``.
"""

from granum.clusters.bonds import Bonds, no_bonds
from granum.clusters.cluster import Cluster, Layout
from granum.clusters.glue import Glue, PotentialGlue, PowerGlue, bond_numbers
from granum.clusters.ready import GluedCylinder, GluedRod, GluedTetrahedron
from granum.clusters.turning import as_matrices, random_turns

AnyCluster = Cluster | GluedCylinder | GluedRod | GluedTetrahedron
GLUES: tuple[type, ...] = (PotentialGlue, PowerGlue)

__all__ = ["GLUES", "AnyCluster", "Bonds", "Cluster", "Glue", "GluedCylinder",
           "GluedRod", "GluedTetrahedron", "Layout", "PotentialGlue", "PowerGlue", "as_matrices",
           "bond_numbers", "no_bonds", "random_turns"]

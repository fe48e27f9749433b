"""Clusters: grains of other shapes, made of spheres that are glued together.

In: where the spheres of a cluster are, and a glue. Out: ``Layout``, its spheres and the pairs that
are glued; ``Bonds``, the table of all bonds of a world. ``glue`` has the forces. A new glue is a
dataclass there with the members of ``Glue``; a new ready shape is one in ``ready`` with ``layout``.
"""

from granum.clusters.bonds import Bonds, no_bonds
from granum.clusters.cluster import Cluster, Layout
from granum.clusters.glue import Glue, PotentialGlue, PowerGlue, bond_numbers
from granum.clusters.ready import GluedCylinder, GluedRod, GluedTetrahedron

AnyCluster = Cluster | GluedCylinder | GluedRod | GluedTetrahedron
CLUSTERS: dict[str, type] = {  # by the names that scenario files use
    "cluster": Cluster, "glued_cylinder": GluedCylinder, "glued_rod": GluedRod,
    "glued_tetrahedron": GluedTetrahedron,
}
GLUES: dict[str, type] = {"potential_glue": PotentialGlue, "power_glue": PowerGlue}

__all__ = ["CLUSTERS", "GLUES", "AnyCluster", "Bonds", "Cluster", "Glue", "GluedCylinder",
           "GluedRod", "GluedTetrahedron", "Layout", "PotentialGlue", "PowerGlue",
           "bond_numbers", "no_bonds"]

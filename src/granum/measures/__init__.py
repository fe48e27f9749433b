"""Numbers read from a world: densities, heights, flows, contacts, forces, stress, mixing, energies.

In: the grains, their contacts. Out: plain numbers; reading changes nothing. Each module holds one
quantity: its formula, a function of the world that works it out (``density``, ``stress``), and the
measure of it (``Density``, ``Stress``), a dataclass that says where and how often, for
``sim.measure``, for a run and for scenarios. ``measure`` tells what all measures have in common,
and how to add one; ``notebook`` keeps what they remember; ``series`` is the row that every run
writes at each sample. A quantity that each grain has by itself is a ``Field`` of the frames.
"""

from granum.measures.average import MovingAverage
from granum.measures.bonds import BOND_COLUMNS, bond_columns, bond_row
from granum.measures.budget import BUDGET_COLUMNS, Budget, budget
from granum.measures.contact_number import ContactNumber, contact_counts
from granum.measures.convection import Convection
from granum.measures.density import Density, density, filled_volumes
from granum.measures.emptiness import Holding, empty_at_start, empty_to_the_end
from granum.measures.energy import Energy, energy
from granum.measures.fabric import Fabric, anisotropy, fabric
from granum.measures.flow import Flow
from granum.measures.forces import (
    ForceDistribution,
    ForceNetwork,
    force_distribution,
    normal_forces,
)
from granum.measures.heights import Heights, heights
from granum.measures.local_density import FIELDS, Field, local_density
from granum.measures.measure import Found, Look, Measure
from granum.measures.notebook import Notebook, restored
from granum.measures.orientation import (
    LayerAngles,
    NematicOrder,
    axis_angles,
    layer_angles,
    long_axes,
    nematic_order,
)
from granum.measures.profiles import LayerDensity, RingDensity, layer_density, ring_density
from granum.measures.region import BoxRegion, ContainerRegion, CylinderRegion, Region
from granum.measures.repose import ReposeAngle, repose_angle
from granum.measures.series import COLUMNS, sample
from granum.measures.species import Mixing, Segregation, WallShare, lacey_index
from granum.measures.strain import Strain, WallStrain, affine
from granum.measures.stress import Stress, stress
from granum.measures.surface import surface, surface_height
from granum.measures.user import UserMeasure, measure
from granum.measures.velocities import Velocities, velocities
from granum.measures.wall_forces import WallForce, wall_columns, wall_forces, wall_row

MEASURES: dict[str, type[Measure]] = {
    cls.type_name: cls
    for cls in (Density, LayerDensity, RingDensity, Heights, Velocities, Flow, ContactNumber,
                ForceDistribution, ForceNetwork, Stress, Strain, WallStrain, Fabric, Mixing,
                Segregation, WallShare, NematicOrder, LayerAngles, ReposeAngle, Convection,
                MovingAverage)
}
REGIONS = {cls.type_name: cls for cls in (BoxRegion, CylinderRegion, ContainerRegion)}

__all__ = ["BOND_COLUMNS", "BUDGET_COLUMNS", "COLUMNS", "FIELDS", "MEASURES", "REGIONS",
           "BoxRegion", "Budget", "ContactNumber", "ContainerRegion", "Convection",
           "CylinderRegion", "Density", "Energy", "Fabric", "Field", "Flow", "ForceDistribution",
           "ForceNetwork", "Found", "Heights", "Holding", "LayerAngles", "LayerDensity", "Look",
           "Measure", "Mixing", "MovingAverage", "NematicOrder", "Notebook", "Region",
           "ReposeAngle", "RingDensity", "Segregation", "Strain", "Stress", "UserMeasure",
           "Velocities", "WallForce", "WallShare", "WallStrain", "affine", "anisotropy",
           "axis_angles", "bond_columns", "bond_row", "budget", "contact_counts", "density",
           "empty_at_start", "empty_to_the_end", "energy", "fabric",
           "filled_volumes", "force_distribution", "heights", "lacey_index", "layer_angles",
           "layer_density", "local_density", "long_axes", "measure", "nematic_order",
           "normal_forces", "repose_angle", "restored", "ring_density", "sample", "stress",
           "surface", "surface_height", "velocities", "wall_columns", "wall_forces", "wall_row"]

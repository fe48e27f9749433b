"""granum: granular dynamics, every grain on its own, at compiled speed.

import granum as gr

world = gr.World()
world.add(gr.Box((0, 0, 0), (0.02, 0.02, 0.1), open_top=True))
world.add(gr.Random(radius=0.5e-3, count=1000, low=(0, 0, 0), high=(0.02, 0.02, 0.04)),
density=2500)
law = gr.LinearViscoelastic(restitution=0.5, contact_time=5e-4, friction=0.3)
sim = gr.Simulation(world, law)
sim.run(0.1)
world.position
"""

from granum import sizes
from granum.branches import branch
from granum.clusters import (
    Cluster,
    GluedCylinder,
    GluedRod,
    GluedTetrahedron,
    PotentialGlue,
    PowerGlue,
)
from granum.display import show
from granum.errors import CheckpointError, GranumError, InputError, NumericalError, StageError
from granum.laws import (
    Adaptive,
    Adhesion,
    CapillaryBridge,
    Cohesion,
    Damping,
    Drag,
    Elastic,
    HertzMindlin,
    KuwabaraKono,
    LinearRepulsive,
    LinearViscoelastic,
    Pairs,
    RollingResistance,
    WaltonBraun,
    With,
    bounded,
    law,
)
from granum.measures import (
    BoxRegion,
    ContactNumber,
    ContainerRegion,
    Convection,
    CylinderRegion,
    Density,
    Fabric,
    Flow,
    ForceDistribution,
    ForceNetwork,
    Heights,
    LayerAngles,
    LayerDensity,
    Mixing,
    MovingAverage,
    NematicOrder,
    ReposeAngle,
    RingDensity,
    Segregation,
    Strain,
    Stress,
    Velocities,
    WallShare,
    WallStrain,
    measure,
)
from granum.shapes import (
    Clump,
    Disc,
    Sphere,
    Spherocylinder,
    SpheroPolygon,
    SpheroPolyhedron,
    Spherotetrahedron,
    Spherotriangle,
    families,
)
from granum.simulation import Simulation
from granum.stages import AtRest, Compare, Empty, Intervals, Jammed, Stage, Steady
from granum.walls import Box, Cone, Cylinder, Hourglass, Mesh, Plane, Plate, SphereWall
from granum.walls.moving import FreeBody, Linear, Path, Piston, Rotation, Servo, Sine, Tap
from granum.world import (
    Clusters,
    Explicit,
    Grow,
    Lattice,
    Material,
    Pour,
    Random,
    Sediment,
    Turn,
    Voronoi,
    World,
)

__version__ = "0.1.0"

__all__ = [
    "Adaptive", "Adhesion", "AtRest", "Box", "BoxRegion", "CapillaryBridge", "CheckpointError",
    "Clump", "Cluster", "Clusters", "Cohesion", "Compare", "Cone", "ContactNumber",
    "ContainerRegion", "Convection", "Cylinder", "CylinderRegion", "Damping", "Density", "Disc",
    "Drag", "Elastic", "Empty", "Explicit", "Fabric", "Flow", "ForceDistribution", "ForceNetwork",
    "FreeBody", "GluedCylinder", "GluedRod", "GluedTetrahedron", "GranumError", "Grow", "Heights",
    "HertzMindlin", "Hourglass", "InputError", "Intervals", "Jammed", "KuwabaraKono", "Lattice",
    "LayerAngles", "LayerDensity", "Linear", "LinearRepulsive", "LinearViscoelastic", "Material",
    "Mesh", "Mixing", "MovingAverage", "NematicOrder", "NumericalError", "Pairs", "Path", "Piston",
    "Plane", "Plate", "PotentialGlue", "Pour", "PowerGlue", "Random", "ReposeAngle", "RingDensity",
    "RollingResistance", "Rotation", "Sediment", "Segregation", "Servo", "Simulation", "Sine",
    "Sphere", "SphereWall", "SpheroPolygon", "SpheroPolyhedron", "Spherocylinder",
    "Spherotetrahedron", "Spherotriangle", "Stage", "StageError", "Steady", "Strain", "Stress",
    "Tap", "Turn", "Velocities", "Voronoi", "WallShare", "WallStrain", "WaltonBraun", "With",
    "World", "__version__", "bounded", "branch", "families", "law", "measure", "show", "sizes",
]

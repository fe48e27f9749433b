"""Numbers read from a world: energies, their budget, contacts, flow, local density.

In: the grains, their contacts. Out: plain numbers; reading changes nothing. ``energy``,
``budget``, ``flow`` and ``local_density`` hold one quantity each; ``series`` is the row that a run
writes at each sample. A new measure is one module here with its formula, and its columns in
``series`` or, if it has a value for each grain, its name in ``Field``.
"""

from granum.measures.bonds import BOND_COLUMNS, bond_columns, bond_row
from granum.measures.budget import BUDGET_COLUMNS, Budget, budget
from granum.measures.density import density, filled_volumes
from granum.measures.energy import Energy, energy
from granum.measures.flow import Flow
from granum.measures.local_density import FIELDS, Field, local_density
from granum.measures.region import BoxRegion, ContainerRegion, CylinderRegion, Region
from granum.measures.series import COLUMNS, sample
from granum.measures.wall_forces import WallForce, wall_columns, wall_forces, wall_row

__all__ = ["BOND_COLUMNS", "BUDGET_COLUMNS", "COLUMNS", "FIELDS", "BoxRegion", "Budget",
           "ContainerRegion", "CylinderRegion", "Energy", "Field", "Flow", "Region", "WallForce",
           "bond_columns", "bond_row", "budget", "density", "energy", "filled_volumes",
           "local_density", "sample", "wall_columns", "wall_forces", "wall_row"]

"""The state of a simulation: grains, walls, materials, the periodic cell and gravity.

In: shapes, walls and ways of placing grains. Out: a ``World`` whose arrays are the state.
``refuse_bad_world`` says what is wrong with it before anything runs. A new way of placing grains
is one module in ``place``.
"""

from granum.world.body import Body
from granum.world.checking import (
    refuse_bad_world,
    refuse_unresolved,
    refuse_walls_in_grains,
)
from granum.world.grains import Grains
from granum.world.gravity import Turn, gravity_at
from granum.world.material import Material
from granum.world.place import Clusters, Explicit, Grow, Lattice, Pour, Random, Sediment, Voronoi
from granum.world.world import Stream, World

__all__ = ["Body", "Clusters", "Explicit", "Grains", "Grow", "Lattice", "Material", "Pour",
           "Random", "Sediment", "Stream", "Turn", "Voronoi", "World", "gravity_at",
           "refuse_bad_world", "refuse_unresolved", "refuse_walls_in_grains"]

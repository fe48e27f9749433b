"""Where grains start.

In: a descriptor (``Lattice``, ``Random``, ``Explicit``, ``Pour``) and a ``Space``: the container's
bounding box, what its walls allow, the periodic cell and the grains that are already there.
Out: ``Placed``, the centres, radii and velocities of the new grains. No new grain overlaps another
grain, the container's walls, or an image of a grain across a periodic boundary.

Descriptors are placed one after another, each into ``space.with_grains(placed)`` of the one before.
``Pour`` places nothing at the start; it is asked again while the simulation runs.

A new way of placing is a frozen dataclass whose fields are plain numbers, checked in
``__post_init__``, with ``place(space, rng) -> Placed``; ``Grid`` answers what is still free.
``Clusters`` places whole clusters: it returns ``Poses``, their centres and orientations.
``Voronoi`` fills a box with grains of which no two are alike: it returns ``Cells``, their shapes
and centres.
"""

from granum.world.place.clusters import Clusters
from granum.world.place.explicit import Explicit
from granum.world.place.grow import Grow
from granum.world.place.lattice import Lattice
from granum.world.place.overlap import overlapping_pairs
from granum.world.place.pour import Pour
from granum.world.place.random import Random
from granum.world.place.sediment import Sediment
from granum.world.place.space import Placed, Space
from granum.world.place.voronoi import Voronoi

__all__ = ["Clusters", "Explicit", "Grow", "Lattice", "Placed", "Pour", "Random", "Sediment",
           "Space", "Voronoi", "overlapping_pairs"]

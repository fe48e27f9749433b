"""A cluster: spheres at given places, glued where they touch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from scipy.spatial import cKDTree

from granum import checks
from granum.checks import FloatArray, IntArray
from granum.clusters.glue import PotentialGlue, PowerGlue
from granum.errors import InputError
from granum.quantity import Length, Number, Point

TOUCHING = 0.01  # of the smaller radius: a gap or an overlap up to that is a touch


@dataclass(frozen=True, eq=False)
class Layout:
    """The spheres of one cluster and its bonds.

    Attributes:
        points: (n,3) centres [m]; the centre of mass of spheres of one density is the origin.
        radii: (n,) [m].
        centre: (3,) where that centre was in the points as given [m].
        i: (b,) number of a sphere.
        j: (b,) number of the sphere that it is glued to, i < j.
        rest: (b,) distance of the two [m].
    """

    points: FloatArray
    radii: FloatArray
    centre: FloatArray
    i: IntArray
    j: IntArray
    rest: FloatArray

    @property
    def reach(self) -> float:
        """Radius of the ball about the centre that holds the cluster [m]."""
        return float((np.linalg.norm(self.points, axis=1) + self.radii).max())


@dataclass(frozen=True)
class Cluster:
    """Spheres that are glued together where they touch.

    Args:
        points: the centres [m]; they may be anywhere, since a cluster is placed by its centre.
        radii: one radius [m] for all, or one for each point.
        glue: the force between spheres that touch.
        tolerance: gap or overlap, as a share of the smaller radius, up to which two spheres touch;
            no two may overlap by more, and all must hang together.
    """

    points: tuple[Point, ...]
    radii: Length | tuple[Length, ...]
    glue: PowerGlue | PotentialGlue
    tolerance: Number = TOUCHING

    def __post_init__(self) -> None:
        """Refuse spheres that are not glued into one piece, and values without a meaning."""
        points = checks.measured("Cluster points", self.points, (None, 3))
        radii: Any = self.radii
        if np.ndim(radii):
            if len(radii) != len(points):
                message = (f"Cluster radii must be one for all spheres or one for each of the "
                           f"{len(points)} points, got {len(radii)}")
                raise InputError(message)
            radii = tuple(checks.positive(f"Cluster radii[{k}]", r) for k, r in enumerate(radii))
        else:
            radii = checks.positive("Cluster radii", radii)
        tolerance = checks.number("Cluster tolerance", self.tolerance, at_least=0.0, at_most=0.2)
        refuse_no_glue("Cluster", self.glue)
        checks.settle(self, points=tuple(map(tuple, points.tolist())), radii=radii,
                      tolerance=tolerance)
        self.layout()

    def layout(self) -> Layout:
        """Return the spheres and the bonds."""
        points = np.array(self.points)
        radii = np.broadcast_to(np.asarray(self.radii, dtype=np.float64), len(points)).copy()
        return lay_out("Cluster", points, radii, self.tolerance)


def refuse_no_glue(owner: str, glue: Any) -> None:
    """Refuse anything but a glue."""
    if not isinstance(glue, PowerGlue | PotentialGlue):
        message = (f"{owner} glue must be a PowerGlue or a PotentialGlue, as in "
                   f"glue=gr.PowerGlue(stiffness=1e5), got {glue!r}")
        raise InputError(message)


def lay_out(owner: str, points: FloatArray, radii: FloatArray, tolerance: float = TOUCHING
            ) -> Layout:
    """Find the pairs that touch; refuse overlaps, and spheres that do not hang together.

    Args:
        owner: the descriptor's name, for messages.
        points: (n,3) centres [m].
        radii: (n,) [m].
        tolerance: gap or overlap that counts as touching, as a share of the smaller radius.
    """
    if len(points) < 2:
        message = f"{owner} needs at least two spheres to glue, got {len(points)}"
        raise InputError(message)
    volume = radii**3
    centre = volume @ points / volume.sum()
    centred = points - centre
    tree = cKDTree(centred)
    near = tree.query_pairs(float(2.0 * radii.max() * (1.0 + tolerance)), output_type="ndarray")
    i, j = np.sort(near, axis=1).T
    order = np.lexsort((j, i))
    i, j = i[order].astype(np.int64), j[order].astype(np.int64)
    rest = np.linalg.norm(centred[j] - centred[i], axis=1)
    slack = tolerance * np.minimum(radii[i], radii[j])
    gap = rest - radii[i] - radii[j]
    if (gap < -slack).any():
        k = int(np.argmin(gap + slack))
        message = (f"{owner} points[{i[k]}] and points[{j[k]}] overlap by {-gap[k]:g} m, more than "
                   f"glued spheres may, {slack[k]:g} m here: move them apart, or raise tolerance")
        raise InputError(message)
    glued = gap <= slack
    i, j, rest = i[glued], j[glued], rest[glued]
    _refuse_pieces(owner, len(points), i, j)
    return Layout(centred, radii, centre, i, j, rest)


def _refuse_pieces(owner: str, count: int, i: IntArray, j: IntArray) -> None:
    """Refuse spheres that are not all connected by bonds."""
    graph = coo_array((np.ones(len(i)), (i, j)), shape=(count, count))
    pieces, label = connected_components(graph, directed=False)
    if pieces > 1:
        apart = int(np.flatnonzero(label != label[0])[0])
        message = (f"{owner} does not hang together: it is in {pieces} pieces, and points[{apart}] "
                   "touches no sphere of that of points[0]. Move the spheres together until they "
                   "touch, raise tolerance, or make several clusters")
        raise InputError(message)

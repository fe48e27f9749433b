"""Few spheres that cover a shape: chosen greedily, proven by bisection.

Candidates are spheres of one radius about many places, all at least as deep in the grain: on the
skeleton, or on a solid's inset, the points that are some distance and more inside all its sides. Of
these, the one that covers most of the points that are not covered yet is taken, again and again.
The points are, to begin with, samples of the surface of the shape and its skin; then `cover_reach`
tells cubes that are still bare, and spheres for these are added, until it proves that there are
none. In the end spheres that cover nothing by themselves are taken out.

Spheres of one radius with different centres always fulfil the overlapping condition.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog
from scipy.spatial import ConvexHull, HalfspaceIntersection

from granum.checks import FloatArray
from granum.shapes.cover_depth import gaps, maximal
from granum.shapes.cover_reach import bare_cubes
from granum.shapes.rigid import RigidShape

MOST_PLACES = 600  # of the skeleton about which the surface is sampled
SPARE = 0.01  # of the radius: half the diagonal of the smallest cubes of the proof
MOST_BARE = 300  # points that are covered next
DIRECTIONS = 60  # in which the surface is sampled about a point of the skeleton
ROUNDS = 60  # of adding spheres to bare points


def searched(shape: RigidShape, places: FloatArray, radius: float, skin: float, dimension: int,
             fewer_than: int) -> FloatArray | None:
    """Return centres (k,3) among ``places`` of spheres that cover a shape with its skin [m].

    None if these places are not enough, or if ``fewer_than`` spheres are.
    """
    fine = SPARE * min(shape.radii)
    covers = _covering(places, _surface(shape, skin, dimension), radius - fine)
    chosen: list[int] = []
    for _ in range(ROUNDS):
        if not _choose(covers, chosen) or len(chosen) >= 1.3 * fewer_than:
            return None
        bare, h = _bare(shape, places[chosen], radius, skin, dimension)
        if not len(bare):
            chosen = _needed(covers, chosen)
            bare, h = _bare(shape, places[chosen], radius, skin, dimension)
            if not len(bare):
                return places[chosen] if len(chosen) < fewer_than else None
        covers = np.concatenate((covers, _covering(places, bare, radius - min(h, fine))))
    return None


def _bare(shape: RigidShape, centres: FloatArray, radius: float, skin: float, dimension: int
          ) -> tuple[FloatArray, float]:
    """Return some points (m,3) about which cubes are not covered, and half their diagonal [m]."""
    cubes, h = bare_cubes(shape, centres, np.full(len(centres), radius), dimension, skin,
                          SPARE * min(shape.radii))
    return cubes[:: len(cubes) // MOST_BARE + 1], h


def _choose(covers: NDArray[np.bool_], chosen: list[int]) -> bool:
    """Add places to those chosen until all targets are covered; False if some cannot be."""
    bare = ~covers[:, chosen].any(axis=1)
    gain = covers[bare].sum(axis=0)
    while bare.any():
        best = int(gain.argmax())
        if gain[best] == 0:
            return False
        chosen.append(best)
        new = bare & covers[:, best]
        gain -= covers[new].sum(axis=0)
        bare &= ~new
    return True


def _needed(covers: NDArray[np.bool_], chosen: list[int]) -> list[int]:
    """Return the places without those all of whose targets others cover, too."""
    kept = list(chosen)
    for place in chosen:
        others = [k for k in kept if k != place]
        if others and covers[:, others].any(axis=1).all():
            kept = others
    return kept


def _covering(places: FloatArray, targets: FloatArray, radius: float) -> NDArray[np.bool_]:
    """Tell which spheres about places (k,3) cover which targets (m,3), (m,k)."""
    square = ((targets**2).sum(axis=1)[:, None] + (places**2).sum(axis=1)
              - 2.0 * targets @ places.T)
    return np.asarray(square <= radius**2)


# ---- where spheres may be, and what they must cover ---------------------------------------------


def places_on_skeleton(shape: RigidShape, fineness: float) -> FloatArray:
    """Return points of the skeleton (k,3), some ``fineness`` apart [m]."""
    faces, edges, balls = maximal(shape)
    at = np.array(shape.points)
    parts = [at[balls]]
    parts += [_on_segment(at[edge], fineness) for edge in edges]
    parts += [_on_triangle(at[face], fineness) for face in faces]
    return _distinct(np.concatenate(parts))


class Inset:
    """The points of a solid that are some distance and more inside all its sides.

    Args:
        sides: normals (f,3) and offsets (f,) of its half-spaces [m].
        dimension: 2 for a polygon in the plane z = 0.

    Attributes:
        centre: (3,) of the largest ball inside [m].
        deepest: radius of that [m].
    """

    def __init__(self, sides: tuple[FloatArray, FloatArray], dimension: int) -> None:
        self._normals, self._offsets = sides[0][:, :dimension], sides[1]
        self._dimension = dimension
        middle, self.deepest = _deepest(self._normals, self._offsets)
        self.centre = np.append(middle, np.zeros(3 - dimension))

    def corners(self, depth: float) -> FloatArray:
        """Return the corners of the inset at a depth below ``deepest``, (k,3) [m]."""
        rows = np.column_stack((self._normals, depth - self._offsets))
        found = HalfspaceIntersection(rows, self.centre[: self._dimension]).intersections
        return _distinct(np.column_stack((found, np.zeros((len(found), 3 - self._dimension)))))

    def places(self, depth: float, fineness: float) -> FloatArray:
        """Return points on the border of the inset, some ``fineness`` apart, (k,3) [m]."""
        corners = self.corners(depth)
        hull = ConvexHull(corners[:, : self._dimension], qhull_options="QJ")
        cut = _on_triangle if self._dimension == 3 else _on_segment
        return _distinct(np.concatenate([cut(corners[facet], fineness)
                                         for facet in hull.simplices]))


def _deepest(normals: FloatArray, offsets: FloatArray) -> tuple[FloatArray, float]:
    """Return the centre (d,) and the radius of the largest ball within half-spaces [m]."""
    size = float(np.abs(offsets).max())
    d = normals.shape[1]
    best = linprog(np.append(np.zeros(d), -1.0), np.column_stack((normals, np.ones(len(normals)))),
                   offsets / size, bounds=[(None, None)] * (d + 1))
    assert best.x is not None
    return best.x[:d] * size, float(best.x[d]) * size


def _on_segment(ends: FloatArray, fineness: float) -> FloatArray:
    a, b = ends
    count = max(1, int(np.ceil(np.linalg.norm(b - a) / fineness)))
    t = np.linspace(0.0, 1.0, count + 1)[:, None]
    return np.asarray(a + t * (b - a))


def _on_triangle(corners: FloatArray, fineness: float) -> FloatArray:
    a, b, c = corners
    longest = max(np.linalg.norm(b - a), np.linalg.norm(c - b), np.linalg.norm(a - c))
    count = max(1, int(np.ceil(longest / fineness)))
    i, j = (k.ravel() for k in np.meshgrid(np.arange(count + 1), np.arange(count + 1)))
    u, v = (k[i + j <= count, None] / count for k in (i, j))
    return np.vstack((a + u * (b - a) + v * (c - a), corners.mean(axis=0)))


def _distinct(points: FloatArray) -> FloatArray:
    """Return points without those that lie in one place, to rounding."""
    size = float(np.abs(points).max()) or 1.0
    _, first = np.unique(np.round(points / size, 9), axis=0, return_index=True)
    return points[np.sort(first)]


def _surface(shape: RigidShape, skin: float, dimension: int) -> FloatArray:
    """Return samples (m,3) of the surface of a shape and its skin."""
    arms = shape.arms
    directions = _directions(dimension)
    if shape.edges:
        reach_of = min(shape.radii) + skin
        places = _thinned(shape, 0.3 * min(shape.radii))
        samples = (places[:, None] + reach_of * directions).reshape(-1, 3)
    else:
        samples = (arms[:, None, :3] + (arms[:, None, 3:] + skin) * directions).reshape(-1, 3)
    on_surface = gaps(shape, samples) >= skin - 1e-9 * min(shape.radii)
    return samples[on_surface]


def _thinned(shape: RigidShape, fineness: float) -> FloatArray:
    """Return points of the skeleton so far apart that there are not too many samples."""
    places = places_on_skeleton(shape, fineness)
    while len(places) > MOST_PLACES:
        fineness *= 1.5
        places = places_on_skeleton(shape, fineness)
    return places


def _directions(dimension: int) -> FloatArray:
    """Return unit vectors that are spread evenly, (DIRECTIONS,3)."""
    k = np.arange(DIRECTIONS)
    if dimension == 2:
        angle = 2.0 * np.pi * k / DIRECTIONS
        return np.column_stack((np.cos(angle), np.sin(angle), np.zeros(DIRECTIONS)))
    z = 1.0 - (2.0 * k + 1.0) / DIRECTIONS
    angle = np.pi * (3.0 - np.sqrt(5.0)) * k
    across = np.sqrt(1.0 - z * z)
    return np.column_stack((across * np.cos(angle), across * np.sin(angle), z))

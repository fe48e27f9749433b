"""Covers: few spheres that hold a grain of any shape, so that a triangulation finds its neighbours.

A triangulation of spheres finds who is near whom for long and flat grains, too, if each is covered
with spheres (L. Pournin, thesis 3012 of EPFL (2005), chapter 3). By his theorem 5, the weighted
Delaunay triangulation of all covering spheres has an edge between any two grains whose covers
meet, provided that

    |x_i - x_j|² > |R_i² - R_j²|    within a grain (overlapping condition, 1.5)              (1)
    |x_i - x_j|² > R_i² + R_j²      between grains (congruous covers, 1.6)                   (2)

A centre that is d deep in its grain keeps, if grains overlap by no more than ξ, the distance
d_i + d_j - ξ from those of others. So (2) holds in any arrangement of grains if

    (d_i + d_j - ξ)² > R_i² + R_j²                                                            (3)

and (3) holds for all grains whose centres are no less deep than d_0 if

    R² < d² + d (d_0 - 2 ξ) + ξ²/2                                                            (4)

since (d_i + d_j) d_0 <= 2 d_i d_j, so that the sum of two such R² is less than (d_i + d_j - ξ)².
For centres on a skeleton, d = d_0 = r, this is Pournin's R = √2 r - ξ/√2.

A cover has a *skin* s: it holds all that is within s of the grain. Then the covers of two grains
meet before their gap is 2 s. It is cheaper to cover the thicker shape than to add s to the radii.

What need not be covered is the inside of a solid beyond the skin of its surface. A grain that had
come through the surface of another, deeper than both their balls, would touch nothing anyway:
contacts are between skeletons.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from scipy.optimize import brentq

from granum import checks
from granum.checks import FloatArray
from granum.errors import InputError
from granum.shapes.cover_conditions import refuse_overlapping
from granum.shapes.cover_depth import depths, half_spaces
from granum.shapes.cover_reach import reach
from granum.shapes.cover_search import Inset, places_on_skeleton, searched
from granum.shapes.rigid import RigidShape

ROUNDING = 1e-9  # of the radius: a point no deeper in the grain may be bare
STRICT = 1.0 - 1e-9  # of R²: (4) holds with a less, not an equal sign
LEVELS = (1.0, 0.7, 0.4, 0.0)  # of the deepest inset of a solid that does: which ones are tried
SPARSE = 0.5  # distance of places that are tried, in radii of what a sphere covers of a skeleton
MOST_PLACES = 10_000  # on a skeleton: a search among more takes minutes
PLACES_OF_ONE = 40  # that a sphere of a cover stands for, about
SKIN, OVERLAP = 0.15, 0.1  # of the ball that sweeps the thinnest grain: what covers are made for


@dataclass(frozen=True, eq=False)
class Cover:
    """Spheres that cover a shape, in its frame.

    Attributes:
        points: (k,3) centres [m].
        radii: (k,) [m].
        depths: (k,) of the largest ball about each centre that lies in the grain, at least [m].
        skin: all that is within this of the grain is covered [m]; of a cover of one's own, that
            far it is proven.
    """

    points: FloatArray
    radii: FloatArray
    depths: FloatArray
    skin: float

    def __len__(self) -> int:
        """Return the number of spheres."""
        return len(self.radii)


def cover(shape: RigidShape, dimension: int = 3, *, skin: float = 0.0, overlap: float = 0.0,
          smallest: float | None = None) -> Cover:
    """Return a cover of few spheres that fulfils (1) and (4).

    Args:
        shape: what is covered; without edges and faces, a clump.
        dimension: 2 for shapes in the plane z = 0.
        skin: all that is within this of the grain is covered, too [m].
        overlap: grains may overlap by so much [m].
        smallest: depth d_0 of the least deep centre among all grains [m]; that of this cover unless
            given: for grains of this one shape and size.
    """
    checks.number("skin", skin, at_least=0.0)
    checks.number("overlap", overlap, at_least=0.0)
    if smallest is not None:
        checks.positive("smallest", smallest)
    return _cover(shape, dimension, skin, overlap, smallest)


@cache
def _cover(shape: RigidShape, dimension: int, skin: float, overlap: float, smallest: float | None
           ) -> Cover:
    at, radii = np.array(shape.points), np.array(shape.radii)
    if len(shape) == 1 or len(set(shape.radii)) > 1:
        found = _by_balls(shape, dimension, skin)
        refuse_overlapping(found.points, found.radii, "of this clump")
        _refuse_large(found, overlap, smallest)
        return found
    limit = _limit(shape.radii[0], overlap, smallest)
    if limit <= shape.radii[0] + skin:
        raise InputError(_too_thick(shape.radii[0], skin, overlap, smallest))
    if len(shape) == 2 and len(shape.edges) == 1:
        centres, radius = chain(at[0], at[1], shape.radii[0] + skin, limit)
        return Cover(centres, np.full(len(centres), radius), np.full(len(centres), radii[0]), skin)
    sides = half_spaces(shape, dimension)
    inset = None if sides is None else Inset(sides, dimension)
    single = _single(shape, inset, dimension, skin, overlap, smallest)
    return single or _several(shape, inset, dimension, skin, overlap, smallest)


def chain(a: FloatArray, b: FloatArray, thickness: float, limit: float
          ) -> tuple[FloatArray, float]:
    """Return the fewest spheres about points of a segment that cover it, swept by a ball.

    n spheres of radius R cover the length 2 (R - ρ) + 2 (n - 1) √(R² - ρ²): the two at the ends
    reach R - ρ beyond their centres, and where two meet, a circle of the radius ρ lies in both.
    Of so many spheres, the least are taken that do.

    Args:
        a: (3,) one end of the segment [m].
        b: (3,) the other end [m].
        thickness: ρ, radius of the ball [m].
        limit: largest radius of the spheres [m].

    Returns:
        (n,3) their centres, and their radius [m].
    """
    length = float(np.linalg.norm(b - a))
    step = 2.0 * math.sqrt(limit**2 - thickness**2)
    n = max(0, math.ceil((length - 2.0 * (limit - thickness)) / step)) + 1

    def spare(radius: float) -> float:
        return (2.0 * (radius - thickness)
                + 2.0 * (n - 1) * math.sqrt(max(radius**2 - thickness**2, 0.0)) - length)

    radius = limit
    if spare(limit) > 0.0:
        radius = min(limit, brentq(spare, thickness, limit, xtol=1e-15 * limit) * (1.0 + 1e-12))
    share = np.array([0.5]) if n == 1 else np.linspace(
        (radius - thickness) / length, 1.0 - (radius - thickness) / length, n)
    return np.asarray(a + share[:, None] * (b - a)), radius


def given_cover(shape: RigidShape, points: Any, radii: Any, dimension: int = 3,
                name: str = "shape") -> Cover:
    """Return a cover of your own, checked: it must hold the shape and fulfil (1).

    Whether it fulfils (3) depends on all shapes in the world: see `cover_kinds`. Shapes take one
    along with `Swept.covered`.

    Args:
        shape: what is covered.
        points: (k,3) centres of the spheres, in the frame of the shape [m].
        radii: (k,) [m].
        dimension: 2 for shapes in the plane z = 0.
        name: how messages call the shape.
    """
    centres = checks.measured(f"centres of the cover of {name}", points, (None, 3))
    sizes = np.array([checks.positive(f"radius of sphere {k} in the cover of {name}", radius)
                      for k, radius in enumerate(radii)])
    if not 0 < len(sizes) == len(centres):
        message = (f"the cover of {name} must have as many radii as centres, and one at least; got "
                   f"{len(sizes)} and {len(centres)}")
        raise InputError(message)
    if dimension == 2 and centres[:, 2].any():
        message = f"the cover of {name} has centres with z, but a 2D world lies in z = 0"
        raise InputError(message)
    refuse_overlapping(centres, sizes, f"of {name}")
    inside = depths(shape, centres, dimension)
    if inside.min() <= 0.0:
        k = int(inside.argmin())
        message = (f"sphere {k} in the cover of {name} has its centre outside of the grain, by "
                   f"{-inside[k]:.3g} m: centres must be inside, best on the skeleton")
        raise InputError(message)
    found = reach(shape, centres, sizes, dimension)
    if found.least < -ROUNDING * min(shape.radii):
        x, y, z = found.bare
        message = (f"the cover of {name} does not hold it: ({x:.4g}, {y:.4g}, {z:.4g}) m is in the "
                   "grain, but in no sphere: enlarge spheres, or add some")
        raise InputError(message)
    return Cover(centres, sizes, inside, found.skin)


def own_cover(shape: RigidShape) -> Cover:
    """Return the cover that a shape brings along, which was checked by `given_cover`."""
    rows = np.array(shape.cover)
    return Cover(rows[:, :3].copy(), rows[:, 3].copy(), rows[:, 4].copy(), shape.skin)


def _limit(depth: float, overlap: float, smallest: float | None) -> float:
    """Return the largest radius about a centre that deep that (4) allows [m]."""
    square = depth**2 + depth * ((depth if smallest is None else smallest) - 2.0 * overlap)
    return math.sqrt(max(square + 0.5 * overlap**2, 0.0) * STRICT)


def _by_balls(shape: RigidShape, dimension: int, skin: float) -> Cover:
    """Return the cover of a clump by its own balls, each thicker by the skin."""
    at, radii = np.array(shape.points), np.array(shape.radii)
    return Cover(at, radii + skin, depths(shape, at, dimension), skin)


def _single(shape: RigidShape, inset: Inset | None, dimension: int, skin: float, overlap: float,
            smallest: float | None) -> Cover | None:
    """Return a cover of one sphere; None if (4) does not allow one that large."""
    at = np.array(shape.points)
    tried = np.vstack((_middle(at), at.mean(axis=0), *([] if inset is None else [inset.centre])))
    radii = (np.linalg.norm(tried[:, None] - at, axis=2).max(axis=1) + shape.radii[0] + skin)
    inside = depths(shape, tried, dimension)
    room = np.array([_limit(d, overlap, smallest) if d > 0.0 and d >= (smallest or d) else 0.0
                     for d in inside]) - radii
    k = int(room.argmax())
    if room[k] < 0.0:
        return None
    return Cover(tried[k:k + 1], radii[k:k + 1], inside[k:k + 1], skin)


def _several(shape: RigidShape, inset: Inset | None, dimension: int, skin: float, overlap: float,
             smallest: float | None) -> Cover:
    """Return the smallest cover found with centres on the skeleton, or on an inset of a solid."""
    best: Cover | None = None
    r = shape.radii[0]
    _refuse_many(shape, SPARSE * math.sqrt(_limit(r, overlap, smallest) ** 2 - (r + skin) ** 2))
    lowest = 0.0 if inset is None else _deepest_level(shape, inset, skin, overlap, smallest)
    for depth in (lowest * level for level in LEVELS if level * lowest > 0.0 or level == 0.0):
        limit = _limit(r + depth, overlap, smallest)
        if limit <= r + skin + depth or r + depth < (smallest or 0.0):
            continue
        fine = SPARSE * math.sqrt(limit**2 - (r + skin + depth) ** 2)
        places = (places_on_skeleton(shape, fine) if inset is None or depth == 0.0
                  else inset.places(depth, fine))
        centres = searched(shape, places, limit, skin, dimension,
                           10**6 if best is None else len(best))
        if centres is not None:
            best = Cover(centres, np.full(len(centres), limit), np.full(len(centres), r + depth),
                         skin)
    if best is None:
        raise InputError(_too_thick(r, skin, overlap, smallest))
    return best


def _refuse_many(shape: RigidShape, fine: float) -> None:
    """Refuse a shape that is too large for the ball that sweeps it: a sphere must not be larger."""
    number = len(places_on_skeleton(shape, fine))
    if number > MOST_PLACES:
        message = (f"a shape of {len(shape)} vertices that reaches {shape.radius:.3g} m from its "
                   f"centre and is swept by a ball of {shape.radii[0]:.3g} m would need some "
                   f"{number // PLACES_OF_ONE} covering spheres, too many for the triangulation: "
                   'use neighbours = "cells", or a larger ball')
        raise InputError(message)


def _deepest_level(shape: RigidShape, inset: Inset, skin: float, overlap: float,
                   smallest: float | None) -> float:
    """Return how deep an inset may be so that spheres about it still hold all corners [m]."""
    at, r = np.array(shape.points), shape.radii[0]

    def holds(depth: float) -> bool:
        away = np.linalg.norm(at[:, None] - inset.corners(depth), axis=2).min(axis=1).max()
        return bool(away + r + skin < _limit(r + depth, overlap, smallest))

    low, high = 0.0, 0.99 * inset.deepest
    if holds(high):
        return high
    for _ in range(20):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low


def _middle(points: FloatArray) -> FloatArray:
    """Return the centre (3,) of a ball about points that is all but the smallest [m].

    M. Badoiu and K. L. Clarkson, SODA 2003: go towards the farthest point, less and less.
    """
    centre = points.mean(axis=0)
    for k in range(1, 2000):
        far = points[np.linalg.norm(points - centre, axis=1).argmax()]
        centre = centre + (far - centre) / (k + 1)
    return centre


def _refuse_large(found: Cover, overlap: float, smallest: float | None) -> None:
    least = float(found.depths.min()) if smallest is None else smallest
    for k, (radius, depth) in enumerate(zip(found.radii, found.depths, strict=True)):
        if radius > _limit(depth, overlap, least):
            message = (f"ball {k} of this clump cannot have a skin of {found.skin:g} m where the "
                       f"smallest is {least:g} m and grains may overlap by {overlap:g} m: give a "
                       "thinner skin or a smaller overlap")
            raise InputError(message)


def _too_thick(radius: float, skin: float, overlap: float, smallest: float | None) -> str:
    least = radius if smallest is None else smallest
    return (f"a skeleton swept by a ball of {radius:g} m cannot be covered with a skin of {skin:g} "
            f"m where the thinnest grain has {least:g} m and grains may overlap by {overlap:g} m: "
            f"give a thinner skin or a smaller overlap (together below 0.4 of the thinnest)")

"""How far about a shape spheres cover everything: proven by bisection of space.

The *skin* of a cover is the least gap of any point that no sphere covers: everything nearer to the
skeleton swept by its ball is covered. Space is cut into cubes (in the plane squares). With the
centre g of a cube and half its diagonal h,

- a cube in one sphere, |g - x_i| + h <= R_i, is covered, and done with;
- a centre that no sphere covers tells that the skin is no more than its gap;
- a cube whose gap is at least gap(g) - h, no less than the skin known so far, cannot lower it.

What is left is cut again. The gap changes by no more than the way, so when nothing is left the skin
is proven to the fineness.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from scipy.spatial import KDTree

from granum.checks import FloatArray
from granum.shapes.cover_depth import gaps
from granum.shapes.rigid import RigidShape

ENOUGH = 30  # bare cubes that tell where more spheres are needed
MOST_CUBES = 100_000  # that are cut again
FINENESS = 1e-3  # of the smallest radius of the shape's balls


class Reach(NamedTuple):
    """What is covered about a shape."""

    skin: float  # everything with a smaller gap is covered; negative: not even the shape [m]
    bare: FloatArray  # (3,) the point of least gap that was found not covered; nan if none [m]
    least: float  # gap of that, no less than the skin [m]


def reach(shape: RigidShape, centres: FloatArray, radii: FloatArray, dimension: int) -> Reach:
    """Return the skin that spheres about a shape are proven to have.

    The skin is within FINENESS of the largest one there is; less fine where spheres follow the
    shape so closely that there are too many cubes.

    Args:
        shape: what is covered.
        centres: (k,3) of the spheres, in the frame of the shape [m].
        radii: (k,) of the spheres [m].
        dimension: 2 for discs in the plane z = 0.
    """
    fine = FINENESS * min(shape.radii)
    known, bare = float(radii.max()), np.full(3, np.nan)
    cubes, half = _first(shape, known, dimension)
    while True:
        h = half * math.sqrt(dimension)
        beyond = _beyond(cubes, centres, radii)
        cubes, beyond = cubes[beyond > -h], beyond[beyond > -h]
        gap = gaps(shape, cubes)
        if (gap[beyond > 0.0] < known).any():
            k = int(np.where(beyond > 0.0, gap, np.inf).argmin())
            known, bare = float(gap[k]), cubes[k]
        open_yet = gap - h < known - fine
        if not open_yet.any() or open_yet.sum() > MOST_CUBES:
            return Reach(float((gap[open_yet] - h).min(initial=known - fine)), bare, known)
        half *= 0.5
        cubes = _parts(cubes[open_yet], half, dimension)


def bare_cubes(shape: RigidShape, centres: FloatArray, radii: FloatArray, dimension: int,
               skin: float, smallest: float) -> tuple[FloatArray, float]:
    """Return cubes about a shape and its skin that spheres have not been proven to cover.

    Args:
        shape: what is covered.
        centres: (k,3) of the spheres [m].
        radii: (k,) of the spheres [m].
        dimension: 2 for discs in the plane z = 0.
        skin: what is to be covered about the shape [m].
        smallest: half the diagonal below which cubes are not cut any more [m].

    Returns:
        (m,3) their centres, and half their diagonal; none if everything is covered.
    """
    cubes, half = _first(shape, skin, dimension)
    while True:
        h = half * math.sqrt(dimension)
        beyond = _beyond(cubes, centres, radii)
        cubes, beyond = cubes[beyond > -h], beyond[beyond > -h]
        gap = gaps(shape, cubes)
        is_near = gap - h < skin
        is_bare = (beyond > 0.0) & (gap < skin)
        if is_bare.sum() >= ENOUGH:
            return cubes[is_bare], h
        if h <= smallest or not is_near.any():
            return cubes[is_near], h
        half *= 0.5
        cubes = _parts(cubes[is_near], half, dimension)


def _first(shape: RigidShape, skin: float, dimension: int) -> tuple[FloatArray, float]:
    """Return the centres (m,3) of cubes that fill the box around a shape, and half their side."""
    arms = shape.arms
    low = (arms[:, :3] - arms[:, 3:]).min(axis=0) - skin
    high = (arms[:, :3] + arms[:, 3:]).max(axis=0) + skin
    return _cubes(low, high, dimension, 0.5 * min(shape.radii))


def _cubes(low: FloatArray, high: FloatArray, dimension: int, half: float
           ) -> tuple[FloatArray, float]:
    """Return the centres (m,3) of cubes that fill a box, and half their side [m]."""
    sides = []
    for axis in range(3):
        if axis >= dimension:
            sides.append(np.zeros(1))
            continue
        count = math.ceil((high[axis] - low[axis]) / (2.0 * half))
        first = 0.5 * (low[axis] + high[axis]) - (count - 1) * half
        sides.append(first + 2.0 * half * np.arange(count))
    return np.stack(np.meshgrid(*sides, indexing="ij"), axis=-1).reshape(-1, 3), half


def _parts(cubes: FloatArray, half: float, dimension: int) -> FloatArray:
    """Return the centres of the cubes of half a side ``half`` into which larger ones are cut."""
    ends = [(-half, half)] * dimension + [(0.0,)] * (3 - dimension)
    corners = np.stack(np.meshgrid(*ends, indexing="ij"), axis=-1).reshape(-1, 3)
    return np.asarray((cubes[:, None] + corners).reshape(-1, 3))


def _beyond(points: FloatArray, centres: FloatArray, radii: FloatArray) -> FloatArray:
    """Return how far points (m,3) are beyond the nearest sphere, (m,) [m]; negative inside."""
    found = np.full(len(points), np.inf)
    for radius in np.unique(radii):
        away, _ = KDTree(centres[radii == radius]).query(points)
        found = np.minimum(found, away - radius)
    return found

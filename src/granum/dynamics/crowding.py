"""At how many points grains with edges touch as they were placed, which asks for shorter steps.

A time step is recommended for one contact. Faces that lie on each other touch at all of their
corners: a grain that is held at n points is up to n times as stiff, and as much damped, as one
contact is. The step is stable up to a time that falls as 1/n where damping is strong, and as
1/sqrt(n) where there is none (see `bonding`). Up to `FEW` points the recommended step is short
enough; beyond, it has to be shorter by n / FEW.

Points are corners within reach of another grain, of which each counts half where they lie on
corners, and places where edges cross within reach. So two faces that lie on each other touch at the
corners of what they have in common. What a point weighs for a grain goes with the mass of the
other, as the stiffness of a contact goes with the mass of both: m m' / (m + m') over m / 2.
"""

from __future__ import annotations

import numpy as np

from granum.checks import FloatArray, IntArray
from granum.compile import kernel
from granum.dynamics.crossing import at, box_around, joined, meets, shifted
from granum.dynamics.piercing import corners_of, nearest
from granum.geometry.simplices import (
    SEGMENT,
    THIRD,
    Vector,
    of_lines,
    on_segment,
    on_triangle,
)
from granum.world import World
from granum.world.place import overlapping_pairs

FEW = 10  # points that the step for one contact is short enough for
TOUCHING = 1e-6  # of two radii, by which touching grains may be apart
INSIDE = 1e-9  # of an edge, by which a crossing is off its ends


def most_points(world: World) -> int:
    """Return at how many points the grain is held that is held at most, as if masses were equal."""
    grains = world.grains
    edged = [k for k, shape in enumerate(world.shapes) if shape.edges]
    if not edged:
        return 0
    i, j, _ = overlapping_pairs(grains.position, grains.radius, world.periodic)
    both = np.isin(grains.shape[i], edged) & np.isin(grains.shape[j], edged)
    i, j = i[both], j[both]
    if not len(i):
        return 0
    rows, place = np.unique(np.concatenate((i, j)), return_inverse=True)
    corners, parts = corners_of(world, rows), joined(world.shapes, 3)
    points = np.zeros(len(rows))
    count_points(place[:len(i)], place[len(i):], nearest(world, grains.position[j]
                 - grains.position[i]), corners.at, corners.begin, corners.radius,
                 grains.shape[rows], *parts, grains.mass[rows], points)
    return int(np.ceil(points.max()))


@kernel
def count_points(i: IntArray, j: IntArray, way: FloatArray, corner: FloatArray, begin: IntArray,
                 radius: FloatArray, shape: IntArray, edges: IntArray, edge_begin: IntArray,
                 faces: IntArray, face_begin: IntArray, mass: FloatArray,
                 points: FloatArray) -> None:
    """Count at how many points grains touch, pair by pair.

    Args:
        i: as are all others but two: see `granum.dynamics.crossing.first_pair`.
        j: the next.
        way: the next.
        corner: the next.
        begin: the last of these.
        radius: (v,) of the balls at the corners [m].
        shape: as above.
        edges: see `granum.dynamics.crossing.Joined`.
        edge_begin: the next.
        faces: the next.
        face_begin: the last.
        mass: (n,) of each grain [kg].
        points: (n,) to which those of each grain are added.
    """
    for m in range(i.size):
        count = 0.0
        for side in range(2):
            one, two, sign = (i[m], j[m], 1.0) if side == 0 else (j[m], i[m], -1.0)
            shift = sign * way[m, 0], sign * way[m, 1], sign * way[m, 2]
            low, high = box_around(corner, begin[two], begin[two + 1], shift)
            for v in range(begin[one], begin[one + 1]):
                reach, p = (1.0 + TOUCHING) * (radius[v] + radius[begin[two]]), at(corner, v)
                near = _around(p, p, reach)
                if meets(near[0], near[1], low, high):
                    count += _touch(p, reach * reach, shift, corner, begin[two], edges,
                                    edge_begin[shape[two]], edge_begin[shape[two] + 1], faces,
                                    face_begin[shape[two]], face_begin[shape[two] + 1])
            if side == 0:
                count += _crossings(corner, begin[one], begin[two], shift, edges,
                                    edge_begin[shape[one]], edge_begin[shape[one] + 1],
                                    edge_begin[shape[two]], edge_begin[shape[two] + 1],
                                    radius[begin[one]] + radius[begin[two]], low, high)
        both = mass[i[m]] + mass[j[m]]
        points[i[m]] += 2.0 * mass[j[m]] / both * count
        points[j[m]] += 2.0 * mass[i[m]] / both * count


@kernel
def _around(a: Vector, b: Vector, reach: float) -> tuple[Vector, Vector]:
    """Return the corners of the box around a segment and what is within reach of it."""
    return ((min(a[0], b[0]) - reach, min(a[1], b[1]) - reach, min(a[2], b[2]) - reach),
            (max(a[0], b[0]) + reach, max(a[1], b[1]) + reach, max(a[2], b[2]) + reach))


@kernel
def _crossings(corner: FloatArray, begin: int, other: int, shift: Vector, edges: IntArray,
               first: int, end: int, first_other: int, end_other: int, radii: float, low: Vector,
               high: Vector) -> int:
    """Return how many edges of a grain cross edges of another within reach."""
    count, reach = 0, (1.0 + TOUCHING) * radii
    for e in range(first, end):
        a, b = at(corner, begin + edges[e, 0]), at(corner, begin + edges[e, 1])
        near = _around(a, b, reach)
        if not meets(near[0], near[1], low, high):
            continue
        for f in range(first_other, end_other):
            c = shifted(corner, other + edges[f, 0], shift)
            d = shifted(corner, other + edges[f, 1], shift)
            if not meets(c, d, near[0], near[1]):
                continue
            s, t, d2, sine2 = of_lines(a, b, c, d)
            if (sine2 > 0.0 and d2 <= reach * reach and INSIDE < s < 1.0 - INSIDE
                    and INSIDE < t < 1.0 - INSIDE):
                count += 1
    return count


@kernel
def _touch(p: Vector, reach2: float, shift: Vector, corner: FloatArray, begin: int,
           edges: IntArray, first_edge: int, end_edge: int, faces: IntArray, first_face: int,
           end_face: int) -> float:
    """Return how much the touch of a corner with a grain counts: 0, or half on a corner, or 1."""
    best, share = reach2, 0.0
    for e in range(first_edge, end_edge):
        a, b = shifted(corner, begin + edges[e, 0], shift), shifted(corner, begin + edges[e, 1],
                                                                    shift)
        _, d2, part = on_segment(p, a, b)
        if d2 <= best:
            best, share = d2, 1.0 if part == SEGMENT else 0.5
    for f in range(first_face, end_face):
        a = shifted(corner, begin + faces[f, 0], shift)
        b = shifted(corner, begin + faces[f, 1], shift)
        c = shifted(corner, begin + faces[f, 2], shift)
        _, _, _, d2, part = on_triangle(p, a, b, c)
        if d2 <= best:
            best, share = d2, 1.0 if part == SEGMENT or part > THIRD else 0.5
    return share

"""Two bodies by themselves: every pair of features, without neighbours, history or friction.

Slow and plain: what the engine must agree with, and enough to look at one contact. The law is that
of a spring, φ = k δ²/2 (see `features` for the symbols). Two models:

- `pair_energy_and_force`: all contacts, each counted once; conservative, for any two skeletons.
- `single_contact`: one contact for two convex bodies, where the skeletons are closest (L. Pournin,
  EPFL thesis 3378, 2005). Where features are parallel many points are as close, and a contact that
  jumps between them would make the torque jump; a barycentre of them is taken. Which points are
  as close, then? Any fixed tolerance would make the contact jump when a point passes it. So each
  point that overlaps takes part in proportion to its own overlap: the contact is the centre of the
  forces of the first model. It moves continuously, needs no tolerance, and is the closest point as
  soon as that is alone in overlapping.
"""

from __future__ import annotations

import math

import numpy as np
from numba.extending import register_jitable

from granum.checks import FloatArray
from granum.compile import kernel
from granum.contact.features import (
    Others,
    corner_share,
    crossing,
    crossing_shares,
    crowd_share,
    edge_share,
    energy_share,
    place,
)
from granum.contact.skeleton import Skeleton
from granum.geometry.simplices import (
    SEGMENT,
    TRIANGLE,
    Vector,
    cross,
    dot,
    less,
    of_lines,
    on_segment,
    on_triangle,
)

LINEAR = 2.0  # power of the overlap in the potential

# rows of the sums over contacts, each times its share; δ overlap, n normal from A to B, x point
FORCE, TORQUE_A, TORQUE_B, POINT, NUMBERS = range(5)  # Σ δn, its moments on A and on B, Σ δx, and
ENERGY, WEIGHT = range(2)  # Σ δ²/2, Σ δ


@register_jitable
def _mixed(a: Vector, b: Vector, t: float) -> Vector:
    """Return (1 - t) a + t b."""
    s = 1.0 - t
    return s * a[0] + t * b[0], s * a[1] + t * b[1], s * a[2] + t * b[2]


@register_jitable
def _inside(a: Vector, b: Vector, c: Vector, x: float, y: float, z: float) -> Vector:
    """Return x a + y b + z c."""
    return (x * a[0] + y * b[0] + z * c[0], x * a[1] + y * b[1] + z * c[1],
            x * a[2] + y * b[2] + z * c[2])


@register_jitable
def _add(sums: FloatArray, share: float, p: Vector, q: Vector, body: FloatArray) -> None:
    """Add the contact of p on the skeleton of A with q on that of B, counted ``share`` times."""
    n = less(q, p)
    d = math.sqrt(dot(n, n))
    delta = body[0, 3] + body[1, 3] - d
    if delta <= 0.0 or share == 0.0:
        return
    per = 1.0 / d if d > 0.0 else 0.0
    n = (n[0] * per, n[1] * per, n[2] * per)
    f = share * delta
    on_a, on_b = cross(less(p, place(body, 0)), n), cross(less(q, place(body, 1)), n)
    arm = d * (body[0, 3] / (body[0, 3] + body[1, 3]))
    for k in range(3):
        sums[FORCE, k] += f * n[k]
        sums[TORQUE_A, k] -= f * on_a[k]
        sums[TORQUE_B, k] += f * on_b[k]
        sums[POINT, k] += f * (p[k] + arm * n[k])
    sums[NUMBERS, ENERGY] += 0.5 * f * delta
    sums[NUMBERS, WEIGHT] += f


@register_jitable
def _add_from(sums: FloatArray, share: float, p: Vector, q: Vector, body: FloatArray,
              is_first: bool) -> None:
    """Add a contact of which p is on A if ``is_first``, else on B."""
    if is_first:
        _add(sums, share, p, q, body)
    else:
        _add(sums, share, q, p, body)


@register_jitable
def _add_vertices(sums: FloatArray, XA: FloatArray, XB: FloatArray, B: Skeleton, body: FloatArray,
                  is_first: bool) -> None:
    """Add the contacts of vertices with the insides of edges and faces."""
    reach = body[0, 3] + body[1, 3]
    for v in range(len(XA)):
        p = place(XA, v)
        for f in range(len(B.face)):
            a, b, c = (place(XB, B.face[f, 0]), place(XB, B.face[f, 1]), place(XB, B.face[f, 2]))
            x, y, z, _, part = on_triangle(p, a, b, c)
            if part == TRIANGLE:
                _add_from(sums, 1.0, p, _inside(a, b, c, x, y, z), body, is_first)
        for e in range(len(B.edge)):
            a, b = place(XB, B.edge[e, 0]), place(XB, B.edge[e, 1])
            t, d2, part = on_segment(p, a, b)
            if part == SEGMENT and d2 < reach * reach:
                _add_from(sums, edge_share(p, XB, 0, B, e), p, _mixed(a, b, t), body, is_first)


@register_jitable
def _others(X: FloatArray, S: Skeleton, v: int, m: int) -> Others:
    """Return how many other vertices the m-th edge or face at vertex v has, and the ways there."""
    p, edges = place(X, v), S.corner_start[v + 1] - S.corner_start[v]
    if m < edges:
        e = S.corner_edge[S.corner_start[v] + m]
        way = less(place(X, S.edge[e, 0] + S.edge[e, 1] - v), p)
        return 1, way, way
    f = S.tip_face[S.tip_start[v] + m - edges]
    a, b, c = S.face[f, 0], S.face[f, 1], S.face[f, 2]
    one, two = b if a == v else a, b if c == v else c
    return 2, less(place(X, one), p), less(place(X, two), p)


@register_jitable
def _count_others(S: Skeleton, v: int) -> int:
    """Return how many edges and faces are at vertex v."""
    return (S.corner_start[v + 1] - S.corner_start[v]) + (S.tip_start[v + 1] - S.tip_start[v])


@register_jitable
def _crowd(XA: FloatArray, A: Skeleton, v: int, XB: FloatArray, B: Skeleton, w: int,
           reach: float) -> float:
    """Return how often the contact of vertices v and w counts because others touch as well."""
    d, share = less(place(XB, w), place(XA, v)), 0.0
    for m in range(_count_others(A, v)):
        for n in range(_count_others(B, w)):
            share += crowd_share(d, reach, _others(XA, A, v, m), _others(XB, B, w, n))
    return share


@register_jitable
def _add_corners(sums: FloatArray, XA: FloatArray, A: Skeleton, XB: FloatArray, B: Skeleton,
                 body: FloatArray) -> None:
    """Add the contacts of vertices with vertices."""
    reach = body[0, 3] + body[1, 3]
    for v in range(len(XA)):
        for w in range(len(XB)):
            p, q = place(XA, v), place(XB, w)
            r = less(q, p)
            if dot(r, r) < reach * reach:
                share = corner_share(p, XB, 0, B, w) + corner_share(q, XA, 0, A, v) - 1.0
                _add(sums, share + _crowd(XA, A, v, XB, B, w, reach), p, q, body)


@register_jitable
def _add_crossing(sums: FloatArray, a: Vector, b: Vector, c: Vector, d: Vector,
                  body: FloatArray) -> None:
    """Add what edges that cross have: the contact of the lines, less those of ends with lines."""
    reach = body[0, 3] + body[1, 3]
    is_crossing, s, t, h, D, foot = crossing(a, b, c, d, reach)
    if not is_crossing:
        return
    whole, share, of_ends = crossing_shares(
        1.0 - energy_share(D[0], h, reach, LINEAR), 1.0 - energy_share(D[1], h, reach, LINEAR),
        1.0 - energy_share(D[2], h, reach, LINEAR), 1.0 - energy_share(D[3], h, reach, LINEAR))
    before = sums[NUMBERS, ENERGY]
    _add(sums, share, _mixed(a, b, s), _mixed(c, d, t), body)
    _add(sums, of_ends[0], a, _mixed(c, d, foot[0]), body)
    _add(sums, of_ends[1], b, _mixed(c, d, foot[1]), body)
    _add(sums, of_ends[2], _mixed(a, b, foot[2]), c, body)
    _add(sums, of_ends[3], _mixed(a, b, foot[3]), d, body)
    sums[NUMBERS, ENERGY] = before + whole * 0.5 * (reach - h) ** 2


@kernel
def _add_all(XA, A, XB, B, body, sums):
    """Add all contacts of two bodies; body (2,4): centre and radius of the ball of A and of B."""
    _add_vertices(sums, XA, XB, B, body, True)
    _add_vertices(sums, XB, XA, A, body, False)
    _add_corners(sums, XA, A, XB, B, body)
    for e in range(len(A.edge)):
        for g in range(len(B.edge)):
            if A.crosses[e] and B.crosses[g]:
                _add_crossing(sums, place(XA, A.edge[e, 0]), place(XA, A.edge[e, 1]),
                              place(XB, B.edge[g, 0]), place(XB, B.edge[g, 1]), body)


def pair_energy_and_force(
    XA: FloatArray, A: Skeleton, XB: FloatArray, B: Skeleton, body: FloatArray, stiffness: float
) -> tuple[float, FloatArray, FloatArray, FloatArray]:
    """Return energy [J], force on A [N], and torques on A and on B [N m] of all contacts.

    The force on B is the opposite one.

    Args:
        XA: vertices of A in the lab, (a,3) [m].
        A: its skeleton.
        XB: vertices of B, (b,3) [m].
        B: its skeleton.
        body: centre of mass and radius of the sweeping ball of A and of B, (2,4) [m].
        stiffness: of one contact, k [N/m].
    """
    sums = np.zeros((5, 3))
    _add_all(XA, A, XB, B, body, sums)
    return (float(stiffness * sums[NUMBERS, ENERGY]), -stiffness * sums[FORCE],
            stiffness * sums[TORQUE_A], stiffness * sums[TORQUE_B])


@register_jitable
def _nearest_of_vertices(best: float, p: Vector, q: Vector, XA: FloatArray, XB: FloatArray,
                         B: Skeleton) -> tuple[float, Vector, Vector]:
    """Return d² and closest points, p on A and q on B, if vertices of A are closer than that."""
    for v in range(len(XA)):
        o = place(XA, v)
        for w in range(len(XB)):
            a = place(XB, w)
            r = less(a, o)
            d2 = dot(r, r)
            if d2 < best:
                best, p, q = d2, o, a
        for e in range(len(B.edge)):
            a, b = place(XB, B.edge[e, 0]), place(XB, B.edge[e, 1])
            t, d2, part = on_segment(o, a, b)
            if part == SEGMENT and d2 < best:
                best, p, q = d2, o, _mixed(a, b, t)
        for f in range(len(B.face)):
            a, b, c = (place(XB, B.face[f, 0]), place(XB, B.face[f, 1]), place(XB, B.face[f, 2]))
            x, y, z, d2, part = on_triangle(o, a, b, c)
            if part == TRIANGLE and d2 < best:
                best, p, q = d2, o, _inside(a, b, c, x, y, z)
    return best, p, q


@kernel
def closest_points(XA, A, XB, B):
    """Return distance [m] and closest points (tuples) of two skeletons that do not cross.

    Args:
        XA: vertices of A in the lab, (a,3) [m].
        A: its `Skeleton`.
        XB: vertices of B, (b,3) [m].
        B: its `Skeleton`.
    """
    p, q = place(XA, 0), place(XB, 0)
    best, p, q = _nearest_of_vertices(math.inf, p, q, XA, XB, B)
    best, q, p = _nearest_of_vertices(best, q, p, XB, XA, A)
    for e in range(len(A.edge)):
        for g in range(len(B.edge)):
            a, b = place(XA, A.edge[e, 0]), place(XA, A.edge[e, 1])
            c, d = place(XB, B.edge[g, 0]), place(XB, B.edge[g, 1])
            s, t, d2, sine2 = of_lines(a, b, c, d)
            if sine2 > 0.0 and d2 < best and 0.0 < s < 1.0 and 0.0 < t < 1.0:
                best, p, q = d2, _mixed(a, b, s), _mixed(c, d, t)
    return math.sqrt(best), p, q


def single_contact(
    XA: FloatArray, A: Skeleton, XB: FloatArray, B: Skeleton, body: FloatArray
) -> tuple[float, FloatArray, FloatArray]:
    """Return overlap [m], normal from A to B (3,), and point (3,) [m] of one contact.

    For two convex bodies whose skeletons are apart; arguments as for `pair_energy_and_force`. Where
    they do not touch the overlap is negative. The point divides the way between the skeletons in
    proportion to the radii.
    """
    distance, p, q = closest_points(XA, A, XB, B)
    normal = (np.array(q) - p) / distance
    overlap = float(body[0, 3] + body[1, 3] - distance)
    nearest = p + distance * body[0, 3] / (body[0, 3] + body[1, 3]) * normal
    if overlap <= 0.0:
        return overlap, normal, nearest
    sums = np.zeros((5, 3))
    _add_all(XA, A, XB, B, body, sums)
    missing = max(0.0, overlap - float(sums[NUMBERS, WEIGHT]))  # where sides are very short
    return overlap, normal, (sums[POINT] + missing * nearest) / (sums[NUMBERS, WEIGHT] + missing)

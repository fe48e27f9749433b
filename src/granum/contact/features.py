"""Which features of two swept skeletons touch, and how often each touch counts.

Legend: A, B two bodies; V, E, F a vertex, edge, face; R the sum of the two sweeping radii (the
reach); d a distance of skeletons, δ = R - d the overlap, φ(δ) the potential of the law, φ(0) = 0.

The raw sum over all vertex-face and edge-edge pairs (F. Alonso-Marroquín and Y. Wang, Granular
Matter 11 (2009) 317) counts one contact many times where features share it: 15 times for two
corners of cubes, 56 times instead of 4 for two faces that are aligned. Here each counts once:

    U = Σ_V Φ(V, B) + Σ_V' Φ(V', A) - Σ_VV' φ(|VV'|) + Σ_EE' X(E, E') + Σ_ss' ±Y(s, s')
    Φ(V, B) = Σ_s c(s) φ(d(V, s))        over the simplices s of B, c as in `skeleton`

Distances of a point to a simplex are C¹ off the simplex, so Φ is C¹; where B is convex, it is
φ(d(V, B)). Most terms are equal and opposite: every simplex has one closest point, which lies
inside one of its parts. Collecting by parts gives every pair (V, part) a small number:

    V, F    1 if the closest point of F is inside F
    V, E    c(E) + number of faces at E whose closest point is inside E, if that of E is; else 0
    V, V'   c(V') + Σ c(E) + Σ c(F) over the edges and faces at V' whose closest point is V'

the last from either side, less 1. Each simplex decides once, by the same arithmetic whoever asks,
so nothing is lost or counted twice where rounding decides.

**Crossing edges** (3D). The edges E = ab and E' = cd cross if the closest points of their lines are
inside both. Let h be the distance of the lines, and D_i that of each of the four ends to the line
of the other edge, D_i >= h:

    X = φ(h) Π_i (1 - ρ_i),   ρ_i = φ(D_i) / φ(h)

Far from the ends that is one contact, φ(h). If one end is within reach, X = φ(h) - φ(D_i): the
crossing takes the place of that end's own contact in Φ, so that an edge sliding over a rim feels
no bump as its end passes the rim. X vanishes with its gradient where an end is at the crossing
(D_i = h) and, like the eighth power of the angle, where edges become parallel: no window has to be
chosen. As it depends on five distances only, its forces are five contacts,

    of the lines      K φ'(h),      K   = Π_i (1 - ρ_i) + Σ_i ρ_i Π_{j≠i} (1 - ρ_j)
    of end and line   K_i φ'(D_i),  K_i = - Π_{j≠i} (1 - ρ_j)

with 0 <= K <= 1 and -1 <= K_i <= 0; every one acts along its own closest points, so momentum and
angular momentum are kept.

**Crowds.** Where sides are shorter than √(2 R δ), several vertices of A touch several of B, each
with each. Of n and m vertices all about as far apart, Φ counts n + m, and φ(|VV'|) takes off n m:
more than there is. Pieces of skeletons without holes have n - edges + faces = 1 (Euler), so that

    n + m - n m + (edges - faces) (edges' - faces') = 1

and what is missing are the pairs of edges and faces of which all vertices touch each other:

    Y(s, s') = (mean of φ_k^-2)^(-1/2)     over all pairs k of a vertex of s and one of s'

for s, s' edges or faces, plus if both are of one kind, else minus. Y is φ where all are the same,
no less than the least of them and at most √(number of pairs) times that, and 0 with its slope where
one parts. So U > 0 for two chains of sides that touch along one stretch. Write all φ_k into a
table, a row for each vertex of A and a column for each of B. Of the entries above any energy, the
number less that of the squares of four is rows + columns - 1 (Euler, for a table filled in one
piece), and Φ has counted each of these rows and columns. Y is homogeneous in the φ_k, so its forces
are those of the vertices, each counted (1/pairs) (Y / φ_k)³ times.
"""

from __future__ import annotations

import math

from numba.extending import register_jitable

from granum.checks import FloatArray, IntArray
from granum.contact.skeleton import Skeleton
from granum.geometry.simplices import Vector, of_lines, on_line, on_segment, on_triangle

Four = tuple[float, float, float, float]
Crossing = tuple[bool, float, float, float, Four, Four]

Others = tuple[int, Vector, Vector]

NO_CROSSING: Crossing = (False, 0.0, 0.0, 0.0, (0.0, 0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 0.0))


@register_jitable
def place(X: FloatArray, k: int) -> Vector:
    """Return the position in row k of an array."""
    return X[k, 0], X[k, 1], X[k, 2]


@register_jitable
def face_part(p: Vector, X: FloatArray, base: int, face: IntArray, f: int) -> int:
    """Return the part of face f that is closest to p."""
    return on_triangle(p, place(X, base + face[f, 0]), place(X, base + face[f, 1]),
                       place(X, base + face[f, 2]))[4]


@register_jitable
def edge_share(p: Vector, X: FloatArray, base: int, B: Skeleton, e: int) -> float:
    """Return how often the contact of a point with the inside of edge e counts.

    Args:
        p: the point, a vertex of the other body, whose closest point of e is inside e [m].
        X: positions of vertices, (n, 3 or more) [m].
        base: the row of the body's first vertex.
        B: the body's skeleton.
        e: the edge.
    """
    share = B.edge_count[e]
    for m in range(B.edge_start[e], B.edge_start[e + 1]):
        if face_part(p, X, base, B.face, B.edge_face[m]) == B.edge_part[m]:
            share += 1.0
    return share


@register_jitable
def corner_share(p: Vector, X: FloatArray, base: int, B: Skeleton, v: int) -> float:
    """Return how often the contact of a point with vertex v counts, seen from the vertex's side.

    Arguments as for `edge_share`. Of two vertices the shares of both sides, less 1, count.
    """
    share = B.vertex_count[v]
    for m in range(B.corner_start[v], B.corner_start[v + 1]):
        e = B.corner_edge[m]
        part = on_segment(p, place(X, base + B.edge[e, 0]), place(X, base + B.edge[e, 1]))[2]
        if part == B.corner_part[m]:
            share += B.edge_count[e]
    for m in range(B.tip_start[v], B.tip_start[v + 1]):
        if face_part(p, X, base, B.face, B.tip_face[m]) == B.tip_part[m]:
            share += 1.0
    return share


@register_jitable
def crossing(a: Vector, b: Vector, c: Vector, d: Vector, reach: float) -> Crossing:
    """Return ``(is_crossing, s, t, h, D, foot)`` of the edges ab and cd.

    The closest points of the lines are (1 - s) a + s b and (1 - t) c + t d, h apart [m]. D are the
    distances of a, b to the line cd and of c, d to the line ab [m], foot where on those lines.
    """
    s, t, h2, sine2 = of_lines(a, b, c, d)
    if not (sine2 > 0.0 and h2 < reach * reach and 0.0 < s < 1.0 and 0.0 < t < 1.0):
        return NO_CROSSING
    t_a, a2 = on_line(a, c, d)
    t_b, b2 = on_line(b, c, d)
    s_c, c2 = on_line(c, a, b)
    s_d, d2 = on_line(d, a, b)
    return (True, s, t, math.sqrt(h2), (math.sqrt(a2), math.sqrt(b2), math.sqrt(c2), math.sqrt(d2)),
            (t_a, t_b, s_c, s_d))


@register_jitable
def energy_share(D: float, h: float, reach: float, power: float) -> float:
    """Return ρ = φ(D) / φ(h), for a potential that grows like overlap to the ``power``.

    2 for the linear law, 5/2 for Hertz. D < h is rounding: the end is at the crossing.
    """
    if reach <= D:
        return 0.0
    return min(1.0, ((reach - D) / (reach - h)) ** power)


@register_jitable
def crossing_shares(w: float, x: float, y: float, z: float) -> tuple[float, float, Four]:
    """Return ``(Π, K, K_i)`` for the four 1 - ρ_i.

    X is Π times the energy of the crossing, K the share of its force, K_i the shares of the
    contacts of the ends a, b, c, d with the other line, which are not positive.
    """
    k = (x * y * z, w * y * z, w * x * z, w * x * y)
    whole = w * k[0]
    share = whole + (1.0 - w) * k[0] + (1.0 - x) * k[1] + (1.0 - y) * k[2] + (1.0 - z) * k[3]
    return whole, share, (-k[0], -k[1], -k[2], -k[3])


@register_jitable
def crowd_share(d: Vector, reach: float, ones: Others, others: Others) -> float:
    """Return how often Y counts the contact of two vertices; 0 unless all vertices touch.

    φ is taken as δ²/2 whatever the law. For laws with another potential, energy is kept but for
    the change of the shares in crowds.

    Args:
        d: way from the first vertex to the second [m].
        reach: the distance below which vertices touch [m].
        ones: of an edge or face at the first vertex: how many other vertices it has, and the ways
            from the first to them; an edge has one, and its way stands twice.
        others: the same at the second vertex.
    """
    overlap = reach - math.sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2])
    total = 0.0
    for m in range(ones[0] + 1):
        for n in range(others[0] + 1):
            x, y, z = d
            if m > 0:
                a = ones[1] if m == 1 else ones[2]
                x, y, z = x - a[0], y - a[1], z - a[2]
            if n > 0:
                a = others[1] if n == 1 else others[2]
                x, y, z = x + a[0], y + a[1], z + a[2]
            room = reach - math.sqrt(x * x + y * y + z * z)
            if not room > 0.0:
                return 0.0
            total += (overlap / room) ** 4
    pairs = (ones[0] + 1) * (others[0] + 1)
    share = 1.0 / (pairs * (total / pairs) ** 1.5)
    return share if ones[0] == others[0] else -share

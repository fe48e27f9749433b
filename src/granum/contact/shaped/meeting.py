"""Where two features meet, and how much that counts.

Of all pairs of features of two bodies, those count whose closest points lie inside both: vertex and
vertex, vertex and edge, vertex and face, edge and edge. With φ(d) the energy of a contact at
distance d, the energy of two bodies A and B is

    sum over vertices V of A   Φ(V, B)   and over those of B   Φ(V', A)
    - sum over V, V'           φ(V, V')                       (which both sums have counted)
    + sum over edges E, E'     X(E, E')                       (where they cross: see `crossing`)
    + sum over edges and faces                                (where sides are short: see `crowd`)

    Φ(V, B) = sum over vertices, edges, faces s of B   c(s) φ(distance of V and s)

with the weights c of `adjacency`. A point is nearest to one part of a convex body, and then Φ = φ
of the distance to the body: the other terms cancel. Here they are gathered by the place of the
closest point: the weight of (V, E) is the sum of c over E and the faces at E whose point closest to
V lies on E, and so on. Each part is asked by the same arithmetic where its closest point is,
whoever asks, so nothing is counted twice or lost where two answers are within rounding of each
other. Distances of a point from a segment or a triangle have continuous derivatives, hence so has
Φ, and forces are those of a potential. For polygons in the plane it is the sum over vertices and
edges of F. Alonso-Marroquín and Y. Wang (Granular Matter 11 (2009) 317), freed of what that counts
several times where vertices meet.

A vertex is brought into the frame of the body it meets, where sides and faces are numbers of a
table: products of a few vectors tell where it is. In the plane of a triangle the points that are
closest to a side are those beyond it and between the normals at its ends; closest to a corner are
those beyond the normals of both of its sides.

Functions that take arrays do not count references to them, which would take longer than the
geometry. Legend: p a point in the frame and the
units of a shape; side, plane, rim, weight, spoke, fan, wing tables of `adjacency`; axes, arm as in
`granum.dynamics.bodies`; ``shift`` the way from the centre of the first body to that of the second.
"""

from __future__ import annotations

import numpy as np

from granum.compile import uncounted
from granum.contact.sweep import nearest_image
from granum.geometry.simplices import FIRST, SECOND, THIRD, TRIANGLE
from granum.vector_rows import ONE

VERTICES, ON_EDGE, ON_FACE, EDGES, SINGLE = 0, 1, 2, 3, 4  # kinds of slots
ONES, OTHERS, KIND, MARK = 4, 5, 6, 7  # columns of slots, after the vertices
SIZE, PER_SIZE, SPAN = 3, 7, 11  # columns of axes, each after those of an axis
NOTHING = (0.0, 0.0, 0.0, 0.0)


@uncounted
def pair_of(k, row):
    """Return the pair of slot k, and 1 if the second body of it has the first feature, else 0."""
    mark = np.uintp(row[k, MARK])
    return mark >> ONE, mark & ONE


@uncounted
def bodies_of(k, who):
    """Return the bodies of the first and of the second feature of slot k."""
    return who[k, 0], who[k, 1]


@uncounted
def centre_shift(X, i, j, L, half):
    """Return the way from the centre of body i to the nearest image of that of body j [m]."""
    return (nearest_image(X[j, 0] - X[i, 0], L[0], half[0]),
            nearest_image(X[j, 1] - X[i, 1], L[1], half[1]),
            nearest_image(X[j, 2] - X[i, 2], L[2], half[2]))


@uncounted
def to_lab(axes, i, x, y, z):
    """Return a vector of the frame of body i as seen in the lab."""
    return (axes[i, 0] * x + axes[i, 4] * y + axes[i, 8] * z,
            axes[i, 1] * x + axes[i, 5] * y + axes[i, 9] * z,
            axes[i, 2] * x + axes[i, 6] * y + axes[i, 10] * z)


@uncounted
def lever_of(axes, i, arm, row):
    """Return the way from the centre of body i to its vertex in this row, in the lab [m]."""
    return to_lab(axes, i, arm[row, 0], arm[row, 1], arm[row, 2])


@uncounted
def in_shape(axes, j, x, y, z):
    """Return a way from the centre of body j in the frame and the units of its shape."""
    k = axes[j, PER_SIZE]
    return (k * (axes[j, 0] * x + axes[j, 1] * y + axes[j, 2] * z),
            k * (axes[j, 4] * x + axes[j, 5] * y + axes[j, 6] * z),
            k * (axes[j, 8] * x + axes[j, 9] * y + axes[j, 10] * z))


@uncounted
def along_side(p, e, side):
    """Return how far p is along side e, times the length of that."""
    return ((p[0] - side[e, 0]) * side[e, 3] + (p[1] - side[e, 1]) * side[e, 4]
            + (p[2] - side[e, 2]) * side[e, 5])


@uncounted
def above(p, f, q, plane):
    """Return how far p is above the plane that stands from column q of row f on."""
    return (plane[f, q] * p[0] + plane[f, q + 1] * p[1] + plane[f, q + 2] * p[2]
            - plane[f, q + 3])


@uncounted
def part_of_face(p, f, side, plane, rim):
    """Return the part of face f that is closest to p.

    Where rounding lets all parts refuse, p is over a corner, and inside will do.
    """
    x, y, z = above(p, f, 4, plane), above(p, f, 8, plane), above(p, f, 12, plane)
    if x > 0.0 and y > 0.0 and z > 0.0:
        return TRIANGLE
    a, b, c = rim[f, 0], rim[f, 1], rim[f, 2]
    s, t, u = along_side(p, a, side), along_side(p, b, side), along_side(p, c, side)
    if s <= 0.0 and u <= 0.0:
        return FIRST
    if s >= side[a, 6] and t <= 0.0:
        return SECOND
    if t >= side[b, 6] and u >= side[c, 6]:
        return THIRD
    if x <= 0.0 and 0.0 < s < side[a, 6]:
        return FIRST + SECOND
    if y <= 0.0 and 0.0 < t < side[b, 6]:
        return SECOND + THIRD
    if z <= 0.0 and 0.0 < u < side[c, 6]:
        return FIRST + THIRD
    return TRIANGLE


@uncounted
def weight_at_vertex(p, limb, side, plane, rim, weight, spoke_begin, spoke, spoke_weight,
                     fan_begin, fan):
    """Return the sum of c over the parts at a vertex whose point closest to p is this vertex.

    At which end of a side the vertex is, and whether p is beyond it, no processor can guess: both
    are chosen without a branch.
    """
    total = weight[limb]
    for k in range(spoke_begin[limb], spoke_begin[limb + 1]):
        e = spoke[k, 0]
        s = along_side(p, e, side)
        before = s if spoke[k, 1] == FIRST else side[e, 6] - s
        total += spoke_weight[k] if before <= 0.0 else 0.0
    for k in range(fan_begin[limb], fan_begin[limb + 1]):
        if part_of_face(p, fan[k, 0], side, plane, rim) == fan[k, 1]:
            total += 1.0
    return total


@uncounted
def meet_side(p, e, near, side, plane, rim, wing_begin, wing):
    """Return the way from p to its foot inside side e, and how much that counts: 0 if not at all.

    ``near`` is the square of the reach in units of the shape.
    """
    x, y, z = p[0] - side[e, 0], p[1] - side[e, 1], p[2] - side[e, 2]
    s = x * side[e, 3] + y * side[e, 4] + z * side[e, 5]
    if not 0.0 < s < side[e, 6]:
        return NOTHING
    s *= side[e, 7]
    x, y, z = s * side[e, 3] - x, s * side[e, 4] - y, s * side[e, 5] - z
    if not x * x + y * y + z * z < near:
        return NOTHING
    first, last = wing_begin[e], wing_begin[e + 1]
    total = 1.0 - (last - first)
    for k in range(first, last):
        if part_of_face(p, wing[k, 0], side, plane, rim) == wing[k, 1]:
            total += 1.0
    return x, y, z, total


@uncounted
def meet_face(p, f, near, side, plane, rim):
    """Return the way from p to its foot inside face f, and how much that counts."""
    h = above(p, f, 0, plane)
    if not h * h < near or part_of_face(p, f, side, plane, rim) != TRIANGLE:
        return NOTHING
    return -h * plane[f, 0], -h * plane[f, 1], -h * plane[f, 2], 1.0

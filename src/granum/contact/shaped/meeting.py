"""Where two features meet, and how much that counts.

Of all pairs of features of two bodies, those count whose closest points lie inside both: vertex and
vertex, vertex and edge, vertex and face, edge and edge. With φ(d) the energy of a contact at
distance d, the energy of two bodies A and B is

    sum over vertices V of A   Φ(V, B)   and over those of B   Φ(V', A)
    - sum over V, V'           φ(V, V')                       (which both sums have counted)
    + sum over edges E, E'     X(E, E')                       (where they cross: see `crossing`)

    Φ(V, B) = sum over vertices, edges, faces s of B   c(s) φ(distance of V and s)

with the weights c of `adjacency`. A point is nearest to one part of a convex body, and then Φ = φ
of the distance to the body: the other terms cancel. Here they are gathered by the place of the
closest point: the weight of (V, E) is the sum of c over E and the faces at E whose point closest to
V lies on E, and so on. Each part is asked once where its closest point is, so nothing is counted
twice or lost where two answers are within rounding of each other. Distances of a point from a
segment or a triangle have continuous derivatives, hence so has Φ, and forces are those of a
potential. For polygons in the plane it is the sum over vertices and edges of F. Alonso-Marroquín
and Y. Wang (Granular Matter 11 (2009) 317), freed of what that counts several times where vertices
meet.

All is found in a frame at the centre of the first body, with the nearest image of the other.

Functions that take arrays take each of them by itself: a tuple of arrays would have its references
counted at every call, which costs more than the geometry. Legend: ``row`` a vertex row, ``limb`` a
vertex or side in the tables of `adjacency`, ``shift`` the centre of the body in this frame.
"""

from __future__ import annotations

from numba.extending import register_jitable

from granum.contact.sweep import nearest_image
from granum.geometry.simplices import on_segment, on_triangle

VERTICES, ON_EDGE, ON_FACE, EDGES = 0, 1, 2, 3  # kinds of slots
HERE = (0.0, 0.0, 0.0)


@register_jitable
def centre_shift(X, i, j, L, half):
    """Return the way from the centre of body i to the nearest image of that of body j [m]."""
    return (nearest_image(X[j, 0] - X[i, 0], L[0], half[0]),
            nearest_image(X[j, 1] - X[i, 1], L[1], half[1]),
            nearest_image(X[j, 2] - X[i, 2], L[2], half[2]))


@register_jitable
def place_of(lever, row, shift):
    """Return where a vertex is, in the frame at the centre of the first body [m]."""
    return shift[0] + lever[row, 0], shift[1] + lever[row, 1], shift[2] + lever[row, 2]


@register_jitable
def on_face(p, row, way, k, lever, shift):
    """Return the part of a face that is closest to p.

    Its corners are those of row k of a table of ways, seen from ``row``.
    """
    return on_triangle(p, place_of(lever, row + way[k, 0], shift),
                       place_of(lever, row + way[k, 1], shift),
                       place_of(lever, row + way[k, 2], shift))[4]


@register_jitable
def weight_at_vertex(p, row, limb, lever, shift, weight, side_begin, side_way, side_weight,
                     fan_begin, fan_way):
    """Return the sum of c over the parts at a vertex whose point closest to p is this vertex."""
    total = weight[limb]
    for k in range(side_begin[limb], side_begin[limb + 1]):
        part = on_segment(p, place_of(lever, row + side_way[k, 0], shift),
                          place_of(lever, row + side_way[k, 1], shift))[2]
        if part == side_way[k, 2]:
            total += side_weight[k]
    for k in range(fan_begin[limb], fan_begin[limb + 1]):
        if on_face(p, row, fan_way, k, lever, shift) == fan_way[k, 3]:
            total += 1.0
    return total


@register_jitable
def weight_on_edge(p, row, limb, lever, shift, wing_begin, wing_way):
    """Return the sum of c over an edge and the faces whose point closest to p lies on it."""
    first, last = wing_begin[limb], wing_begin[limb + 1]
    total = 1.0 - (last - first)
    for k in range(first, last):
        if on_face(p, row, wing_way, k, lever, shift) == wing_way[k, 3]:
            total += 1.0
    return total

"""Where two features meet, and how much that counts.

Of all pairs of features of two bodies, those count whose closest points lie inside both: vertex and
vertex, vertex and edge, vertex and face, edge and edge. With φ(d) the energy of a contact at
distance d, the energy of two bodies A and B is

    sum over vertices V of A   Φ(V, B)   and over those of B   Φ(V', A)
    - sum over V, V'           φ(V, V')                       (which both sums have counted)
    + sum over edges E, E'     W φ(distance of the lines)     (where they cross)

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

Two edges touch in the point where they cross; near their ends the vertices take over, and where
they are parallel, two ends do. So W = w(σ) w(τ) g(sin²θ): w rises from 0 at the ends of an edge to
1 within a length l, smoothly; g = x (2 - x) with x = sin²θ / s², up to 1; σ and τ are the places of
the crossing on the edges, θ the angle between them. l is a quarter of the sum of the two radii, or
half the edge if that is less, and s the sine of the angle under which two edges that cross in the
middle are apart by l at the end of the shorter one. What W changes while the bodies move is a force
too: -φ grad W.

All is found in a frame at the centre of the first body, with the nearest image of the other.
"""

from __future__ import annotations

import numpy as np
from numba.extending import register_jitable

VERTICES, ON_EDGE, ON_FACE, EDGES = 0, 1, 2, 3  # kinds of slots
INSIDE = 3  # place of a closest point on a triangle, or on a segment; else the number of its end
RAMP = 0.25  # of the sum of the radii, over which an edge's weight rises from its ends
STEEPEST = 0.5  # largest sine up to which edges count as nearly parallel


@register_jitable
def less(a, b):
    """Return a - b."""
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


@register_jitable
def dot(a, b):
    """Return the scalar product."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@register_jitable
def on_segment(p, a, b):
    """Return where the point of a segment that is closest to p lies, and its share of b.

    The place is 0 or 1 for the ends, INSIDE between them.
    """
    e = less(b, a)
    to_b = dot(less(p, a), e)
    if to_b <= 0.0:
        return 0, 0.0
    to_a = -dot(less(p, b), e)
    if to_a <= 0.0:
        return 1, 1.0
    return INSIDE, to_b / (to_a + to_b)


@register_jitable
def beyond_side(p, a, b, c):
    """Tell how far p lies inside of the side a b of the triangle a b c, times some length."""
    e, m, d = less(b, a), less(c, a), less(p, a)
    return dot(d, m) * dot(e, e) - dot(d, e) * dot(m, e)


@register_jitable
def on_triangle(p, a, b, c):
    """Return where the point of a triangle that is closest to p lies, and the shares of b and c.

    The place is the number of a corner, 4 + the number of the corner opposite a side, or INSIDE.
    """
    ab, at_ab = on_segment(p, a, b)
    ac, at_ac = on_segment(p, a, c)
    if ab == 0 and ac == 0:
        return 0, 0.0, 0.0
    bc, at_bc = on_segment(p, b, c)
    if ab == 1 and bc == 0:
        return 1, 1.0, 0.0
    if ac == 1 and bc == 1:
        return 2, 0.0, 1.0
    in_ab, in_ac, in_bc = (beyond_side(p, a, b, c), beyond_side(p, a, c, b),
                           beyond_side(p, b, c, a))
    if ab == INSIDE and in_ab <= 0.0:
        return 6, at_ab, 0.0
    if ac == INSIDE and in_ac <= 0.0:
        return 5, 0.0, at_ac
    if bc == INSIDE and in_bc <= 0.0:
        return 4, 1.0 - at_bc, at_bc
    e, m, d = less(b, a), less(c, a), less(p, a)
    ee, mm, em = dot(e, e), dot(m, m), dot(e, m)
    de, dm = dot(d, e), dot(d, m)
    area = ee * mm - em * em
    if not area > 0.0:
        return 6, at_ab, 0.0
    return INSIDE, (de * mm - dm * em) / area, (dm * ee - de * em) / area


@register_jitable
def smooth_step(x):
    """Return x² (3 - 2 x) and its slope, for x cut to 0 to 1."""
    if x <= 0.0:
        return 0.0, 0.0
    if x >= 1.0:
        return 1.0, 0.0
    return x * x * (3.0 - 2.0 * x), 6.0 * x * (1.0 - x)


@register_jitable
def window(at, length, ramp):
    """Return the weight of a place on an edge, and its slope [1/m]."""
    if at + at <= length:
        w, slope = smooth_step(at / ramp)
        return w, slope / ramp
    w, slope = smooth_step((length - at) / ramp)
    return w, -slope / ramp


@register_jitable
def crossing(a, b, c, d, reach):
    """Return weight, shares of b and d, and the slopes of the weight, where edges a b, c d cross.

    The slopes are those along σ, τ and sin²θ, as W_σ, W_τ [1/m] and W_D; the weight is 0 where the
    edges do not cross.
    """
    e, f, r = less(b, a), less(d, c), less(a, c)
    L, M = np.sqrt(dot(e, e)), np.sqrt(dot(f, f))
    cosine = dot(e, f) / (L * M)
    D = 1.0 - cosine * cosine
    if not D > 1e-12:
        return 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    along, across = dot(e, r) / L, dot(f, r) / M
    at, on = (cosine * across - along) / D, (across - cosine * along) / D
    if not (0.0 < at < L and 0.0 < on < M):
        return 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    shorter = min(L, M)
    ramp = min(RAMP * reach, 0.5 * shorter)
    steep = min(2.0 * ramp / shorter, STEEPEST)
    u, du = window(at, L, ramp)
    v, dv = window(on, M, ramp)
    x = D / (steep * steep)
    g, dg = (1.0, 0.0) if x >= 1.0 else (x * (2.0 - x), 2.0 * (1.0 - x) / (steep * steep))
    return u * v * g, at / L, on / M, du * v * g, u * dv * g, u * v * dg


@register_jitable
def slopes(a, b, c, d, W_s, W_t, W_D):
    """Return the gradients of W with respect to a, b, c and d, for edges a b and c d [1/m]."""
    e, f, r = less(b, a), less(d, c), less(a, c)
    L, M = np.sqrt(dot(e, e)), np.sqrt(dot(f, f))
    e, f = (e[0] / L, e[1] / L, e[2] / L), (f[0] / M, f[1] / M, f[2] / M)
    k, p, q = dot(e, f), dot(e, r), dot(f, r)
    D = 1.0 - k * k
    s, t = (k * q - p) / D, (q - k * p) / D
    alpha = (W_s * q - W_t * p) / D - 2.0 * k * (W_D - (W_s * s + W_t * t) / D)
    beta, gamma = -(W_s + k * W_t) / D, (k * W_s + W_t) / D
    ga = (beta * e[0] + gamma * f[0], beta * e[1] + gamma * f[1], beta * e[2] + gamma * f[2])
    gb = ((alpha * f[0] + beta * r[0]) / L, (alpha * f[1] + beta * r[1]) / L,
          (alpha * f[2] + beta * r[2]) / L)
    gd = ((alpha * e[0] + gamma * r[0]) / M, (alpha * e[1] + gamma * r[1]) / M,
          (alpha * e[2] + gamma * r[2]) / M)
    return less(ga, gb), gb, (-ga[0] - gd[0], -ga[1] - gd[1], -ga[2] - gd[2]), gd


@register_jitable
def place_of(lever, row, shift):
    """Return where a vertex is, in the frame at the centre of the first body [m]."""
    return shift[0] + lever[row, 0], shift[1] + lever[row, 1], shift[2] + lever[row, 2]


@register_jitable
def on_face(p, row, way, k, lever, shift):
    """Return where a face is closest to p, and the shares of its second and third corner.

    Its corners are those of row k of a table of ways, seen from ``row``.
    """
    return on_triangle(p, place_of(lever, row + way[k, 0], shift),
                       place_of(lever, row + way[k, 1], shift),
                       place_of(lever, row + way[k, 2], shift))


@register_jitable
def weight_at_vertex(p, row, limb, lever, shift, parts):
    """Return the sum of c over the parts at a vertex whose point closest to p is this vertex."""
    total = parts.weight[limb]
    for k in range(parts.side_begin[limb], parts.side_begin[limb + 1]):
        way = parts.side_way
        place = on_segment(p, place_of(lever, row + way[k, 0], shift),
                           place_of(lever, row + way[k, 1], shift))[0]
        if place == way[k, 2]:
            total += parts.side_weight[k]
    for k in range(parts.fan_begin[limb], parts.fan_begin[limb + 1]):
        if on_face(p, row, parts.fan_way, k, lever, shift)[0] == parts.fan_way[k, 3]:
            total += 1.0
    return total


@register_jitable
def weight_on_edge(p, row, limb, lever, shift, parts):
    """Return the sum of c over an edge and the faces whose point closest to p lies on it."""
    first, last = parts.wing_begin[limb], parts.wing_begin[limb + 1]
    total = 1.0 - (last - first)
    for k in range(first, last):
        if on_face(p, row, parts.wing_way, k, lever, shift)[0] == 4 + parts.wing_way[k, 3]:
            total += 1.0
    return total

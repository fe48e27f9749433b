"""How far two bodies may go before features that do not meet can meet.

In a heap hardly anything moves, and most features of two grains that are near each other do not
touch. Once that is found, they need not be looked at until the bodies have gone some way: each body
adds up how far any of its vertices may have gone (see `dynamics.swept`), and a slot sleeps as long
as the sum of both ways is below the number kept for it.

Whether a vertex p meets a side or a face, and with which weight, is told by the signs of some
distances from planes in the frame of the other body (see `meeting`). While p goes less than its
distance from a plane, the sign stays. So a slot rests as long as one sign that alone forbids the
contact stays, or if there is none, as long as all stay on which the weight 0 depends.

Seen from a body, what goes the way s in the lab goes s + (turn of the body) times its distance from
the centre. The way of a body counts its turns with the distance ρ of its farthest vertex, so a
point that stays within r of the centre goes no farther, seen from the body, than max(1, r / ρ)
times the sum of both ways.

Two edges ab and cd do not cross as long as they are closest at an end, say a, of which y is the
closest point of cd: (b - a)·(a - y) > 0. With D = |a - y|, and a and b moved by s at most, y stays
as close (y is a projection, so a - y changes by no more than s), and with u = (b - a) / |b - a|

    change of u·(a - y)  <=  s + 2 s D / |b - a|
"""

from __future__ import annotations

import numpy as np

from granum.compile import inner_kernel
from granum.contact.shaped.crossing import corners_of
from granum.contact.shaped.crowd import room_of_crowd
from granum.contact.shaped.meeting import (
    EDGES,
    KIND,
    ON_EDGE,
    ON_FACE,
    ONES,
    OTHERS,
    PER_SIZE,
    SIZE,
    SPAN,
    above,
    along_side,
    bodies_of,
    centre_shift,
    in_shape,
    lever_of,
)
from granum.contact.sweep import half_period
from granum.geometry.simplices import dot, less, of_segments, on_segment

ROUNDING = 1e-6  # of the size of two bodies, far more than rounding does in the life of a list
LEAST = 1e-3  # of the reach: slots that could rest for less are not asked again before that way


@inner_kernel
def _room_of_face(p, f, pairs):
    """Return the distance of p from the nearest plane that tells which part of f is closest."""
    plane, side = pairs.plane, pairs.side
    room = min(abs(above(p, f, 4, plane)), abs(above(p, f, 8, plane)), abs(above(p, f, 12, plane)))
    for n in range(3):
        e = pairs.rim[f, n]
        s = along_side(p, e, side)
        room = min(room, min(abs(s), abs(s - side[e, 6])) * np.sqrt(side[e, 7]))
    return room


@inner_kernel
def _room_of_side(p, e, reach, pairs):
    """Return how far p may go before it meets side e: on its way along it, to it, or off faces."""
    side = pairs.side
    x, y, z = p[0] - side[e, 0], p[1] - side[e, 1], p[2] - side[e, 2]
    s = x * side[e, 3] + y * side[e, 4] + z * side[e, 5]
    beyond = max(-s, s - side[e, 6]) * np.sqrt(side[e, 7])
    s *= side[e, 7]
    x, y, z = s * side[e, 3] - x, s * side[e, 4] - y, s * side[e, 5] - z
    room = max(beyond, np.sqrt(x * x + y * y + z * z) - reach)
    if room > 0.0:
        return room
    room = np.inf
    for n in range(pairs.wing_begin[e], pairs.wing_begin[e + 1]):
        room = min(room, _room_of_face(p, pairs.wing[n, 0], pairs))
    return room


@inner_kernel
def _room_of_vertex(p, v, pairs):
    """Return how far p may go before the weight with which it meets vertex v can change."""
    room, side = np.inf, pairs.side
    for n in range(pairs.spoke_begin[v], pairs.spoke_begin[v + 1]):
        e = pairs.spoke[n, 0]
        s = along_side(p, e, side)
        s = s if pairs.spoke[n, 1] == 1 else s - side[e, 6]
        room = min(room, abs(s) * np.sqrt(side[e, 7]))
    for n in range(pairs.fan_begin[v], pairs.fan_begin[v + 1]):
        room = min(room, _room_of_face(p, pairs.fan[n, 0], pairs))
    return room


@inner_kernel
def _in_ways(room, distance, j, axes):
    """Return the way of both bodies for ``room`` as seen from body j [m]."""
    farthest, span = distance + room, axes[j, SPAN]
    return room if farthest <= span or room == np.inf else room * span / farthest


@inner_kernel
def _room_at(p, j, kind, other, reach, pairs):
    """Return the way of both bodies before a point p, seen from the centre of j, meets its part."""
    size, per_size = pairs.axes[j, SIZE], pairs.axes[j, PER_SIZE]
    q = in_shape(pairs.axes, j, p[0], p[1], p[2])
    if kind == ON_EDGE:
        room = _room_of_side(q, other, reach * per_size, pairs)
    elif kind == ON_FACE:
        plane = pairs.plane
        room = max(abs(above(q, other, 0, plane)) - reach * per_size, -above(q, other, 4, plane),
                   -above(q, other, 8, plane), -above(q, other, 12, plane))
    else:
        room = _room_of_vertex(q, other, pairs)
    return _in_ways(size * room, np.sqrt(dot(p, p)), j, pairs.axes)


@inner_kernel
def _room_at_end(a, b, c, d, far, j, axes):
    """Return the way of both bodies before an edge ab is no longer closest to cd at its end a."""
    t = on_segment(a, c, d)[0]
    away = (a[0] - c[0] - t * (d[0] - c[0]), a[1] - c[1] - t * (d[1] - c[1]),
            a[2] - c[2] - t * (d[2] - c[2]))
    u = less(b, a)
    length = np.sqrt(dot(u, u))
    if not length > 0.0:
        return 0.0
    room = dot(u, away) / (length + 2.0 * np.sqrt(dot(away, away)))
    return _in_ways(max(room, 0.0), far, j, axes)


@inner_kernel
def _room_of_edges(x, i, j, shift, reach, axes):
    """Return the way of both bodies before edges with these four ends can cross within reach."""
    a, b, c, d = x
    room = np.sqrt(of_segments(a, b, c, d)[2]) - reach
    to_i, to_j = np.sqrt(max(dot(c, c), dot(d, d))), 0.0
    for end in (a, b):
        from_j = less(end, shift)
        to_j = max(to_j, np.sqrt(dot(from_j, from_j)))
    return max(room, _room_at_end(a, b, c, d, to_j, j, axes),
               _room_at_end(b, a, c, d, to_j, j, axes), _room_at_end(c, d, a, b, to_i, i, axes),
               _room_at_end(d, c, a, b, to_i, i, axes))


@inner_kernel
def _room_of_crowds(d, reach, one, i, two, j, pairs):
    """Return how far two bodies may go before vertices beside these, d apart, touch as well."""
    axes, side, begin, spoke = pairs.axes, pairs.side, pairs.spoke_begin, pairs.spoke
    back = -d[0], -d[1], -d[2]
    return max(room_of_crowd(d, reach, one, i, axes, side, begin, spoke),
               room_of_crowd(back, reach, two, j, axes, side, begin, spoke))


@inner_kernel
def room_of(k, i, j, shift, reach, pairs):
    """Return the way that bodies i and j may go together before slot k can touch [m].

    Args:
        k: a slot that does not touch now.
        i: body of its first feature.
        j: body of its second feature.
        shift: the way from the centre of i to that of j.
        reach: the distance below which features touch [m].
        pairs: all slots.
    """
    row, axes, arm = pairs.row, pairs.axes, pairs.arm
    kind = row[k, KIND]
    if kind == EDGES:
        return _room_of_edges(corners_of(k, i, j, shift, row, axes, arm), i, j, shift, reach, axes)
    here = less(lever_of(axes, i, arm, row[k, 0]), shift)
    if kind in (ON_EDGE, ON_FACE):
        return _room_at(here, j, kind, row[k, OTHERS], reach, pairs)
    there = lever_of(axes, j, arm, row[k, 3])
    d = less(there, here)
    room = np.sqrt(dot(d, d)) - reach
    if room > 0.0:
        return room
    there = there[0] + shift[0], there[1] + shift[1], there[2] + shift[2]
    return min(_room_at(here, j, kind, row[k, OTHERS], reach, pairs),
               _room_at(there, i, kind, row[k, ONES], reach, pairs),
               _room_of_crowds(d, reach, row[k, ONES], i, row[k, OTHERS], j, pairs))


@inner_kernel
def lie_down(k, pairs, way, gap, L):
    """Return what `Slots.wake` is to be for slot k, which does not touch, after this way."""
    i, j = bodies_of(k, pairs.who)
    half = half_period(L[0]), half_period(L[1]), half_period(L[2])
    shift = centre_shift(pairs.X, i, j, L, half)
    reach = pairs.arm[pairs.row[k, 0], 3] + pairs.arm[pairs.row[k, 3], 3] + gap
    room = room_of(k, i, j, shift, reach, pairs)
    room -= ROUNDING * (pairs.axes[i, SPAN] + pairs.axes[j, SPAN] + reach)
    return way + room if room > LEAST * reach else -(way + LEAST * reach)

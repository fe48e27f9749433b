"""Vertices that crowd: where sides are so short that several of either body touch each other.

Why these count more than once, and how much, is told in `granum.contact.features`. Here edges and
faces at a vertex are found in the tables of its shape. Most sides are far too long for a crowd, and
the squares of their lengths say so.

Legend as in `meeting`; ``limb`` is a vertex in the tables of shapes, i its body.
"""

from __future__ import annotations

import numpy as np
from numba.extending import register_jitable

from granum.compile import uncounted
from granum.contact.features import crowd_share
from granum.contact.shaped.meeting import PER_SIZE, SIZE, to_lab
from granum.geometry.simplices import FIRST, SECOND, dot, less


@uncounted
def _along(axes, i, side, e, sign):
    """Return the way along side e of body i, forth or back, in the lab [m]."""
    f = sign * axes[i, SIZE]
    return to_lab(axes, i, f * side[e, 3], f * side[e, 4], f * side[e, 5])


@uncounted
def _to_other_end(axes, i, side, spoke, k):
    """Return the way from a vertex along its side in row k of ``spoke``."""
    return _along(axes, i, side, spoke[k, 0], 1.0 if spoke[k, 1] == FIRST else -1.0)


@uncounted
def _others(m, limb, i, axes, side, rim, spoke_begin, spoke, fan_begin, fan):
    """Return how many other vertices the m-th side or face at a vertex has, and the ways there."""
    k = spoke_begin[limb] + m
    if k < spoke_begin[limb + 1]:
        way = _to_other_end(axes, i, side, spoke, k)
        return 1, way, way
    k += fan_begin[limb] - spoke_begin[limb + 1]
    f = fan[k, 0]
    if fan[k, 1] == FIRST:
        return 2, _along(axes, i, side, rim[f, 0], 1.0), _along(axes, i, side, rim[f, 2], 1.0)
    if fan[k, 1] == SECOND:
        return 2, _along(axes, i, side, rim[f, 0], -1.0), _along(axes, i, side, rim[f, 1], 1.0)
    return 2, _along(axes, i, side, rim[f, 1], -1.0), _along(axes, i, side, rim[f, 2], -1.0)


@uncounted
def room_of_crowd(d, reach, limb, i, axes, side, spoke_begin, spoke):
    """Return how far away the nearest other end of the sides at a vertex is from touching [m].

    ``d`` is the way from the vertex to that of the other body, which touch; 0 if an end does, too.
    """
    room, longest = np.inf, 2.0 * reach * axes[i, PER_SIZE]
    for k in range(spoke_begin[limb], spoke_begin[limb + 1]):
        e = spoke[k, 0]
        if side[e, 6] < longest * longest:
            way = less(d, _to_other_end(axes, i, side, spoke, k))
            room = min(room, max(0.0, np.sqrt(dot(way, way)) - reach))
        else:
            room = min(room, np.sqrt(side[e, 6]) * axes[i, SIZE] - 2.0 * reach)
    return room


@uncounted
def is_crowded(d, reach, limb, i, axes, side, spoke_begin, spoke):
    """Tell whether the other end of a side at a vertex touches as well: see `room_of_crowd`."""
    longest = 2.0 * reach * axes[i, PER_SIZE]
    for k in range(spoke_begin[limb], spoke_begin[limb + 1]):
        if side[spoke[k, 0], 6] < longest * longest:
            way = less(d, _to_other_end(axes, i, side, spoke, k))
            if dot(way, way) < reach * reach:
                return True
    return False


@uncounted
def crowd_weight(d, reach, one, i, two, j, axes, side, rim, spoke_begin, spoke, fan_begin, fan):
    """Return the weight that the contact of vertices ``one`` and ``two`` has from their crowds.

    ``d`` is the way from the first, of body i, to the second, of body j: they touch.
    """
    back = -d[0], -d[1], -d[2]
    if not (is_crowded(d, reach, one, i, axes, side, spoke_begin, spoke)
            and is_crowded(back, reach, two, j, axes, side, spoke_begin, spoke)):
        return 0.0
    total = 0.0
    for m in range(_count(one, spoke_begin, fan_begin)):
        ones = _others(m, one, i, axes, side, rim, spoke_begin, spoke, fan_begin, fan)
        for n in range(_count(two, spoke_begin, fan_begin)):
            total += crowd_share(d, reach, ones, _others(n, two, j, axes, side, rim, spoke_begin,
                                                         spoke, fan_begin, fan))
    return total


@register_jitable
def _count(limb, spoke_begin, fan_begin):
    """Return how many sides and faces are at a vertex."""
    return (spoke_begin[limb + 1] - spoke_begin[limb]) + (fan_begin[limb + 1] - fan_begin[limb])

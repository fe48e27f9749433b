"""Where the features of a slot touch, each kind by its own geometry (`meeting`, `crossing`).

Legend as in `meeting`; ``pairs`` are all slots, ``reach`` is the distance below which features
touch; c, w and share as in `granum.contact.batch` and `levers`.
"""

from __future__ import annotations

from granum.compile import uncounted
from granum.contact.batch import LARGE, SMALL
from granum.contact.shaped.crossing import corners_of, meet_edges
from granum.contact.shaped.crowd import crowd_weight
from granum.contact.shaped.levers import ENDS, HEAVY, HERE, THERE
from granum.contact.shaped.meeting import (
    EDGES,
    KIND,
    ON_EDGE,
    ON_FACE,
    ONES,
    OTHERS,
    PER_SIZE,
    SIZE,
    in_shape,
    lever_of,
    meet_face,
    meet_side,
    to_lab,
    weight_at_vertex,
)
from granum.geometry.simplices import dot, less
from granum.vector_rows import FOUR, write_row


@uncounted
def meet_vertices(k, i, j, shift, reach, pairs):
    """Return where the two vertices of slot k meet: see `meet_features`."""
    row, axes, arm, side, plane, rim = (pairs.row, pairs.axes, pairs.arm, pairs.side, pairs.plane,
                                        pairs.rim)
    weight, spoke_begin, spoke, spoke_weight, fan_begin, fan = (
        pairs.weight, pairs.spoke_begin, pairs.spoke, pairs.spoke_weight, pairs.fan_begin,
        pairs.fan)
    here = lever_of(axes, i, arm, row[k, 0])
    q = less(here, shift)
    there = lever_of(axes, j, arm, row[k, 3])
    d = less(there, q)
    if not dot(d, d) < reach * reach:
        return d, here, 0.0, 0.0
    one = weight_at_vertex(in_shape(axes, j, q[0], q[1], q[2]), row[k, OTHERS], side, plane,
                           rim, weight, spoke_begin, spoke, spoke_weight, fan_begin, fan)
    two = weight_at_vertex(
        in_shape(axes, i, there[0] + shift[0], there[1] + shift[1], there[2] + shift[2]),
        row[k, ONES], side, plane, rim, weight, spoke_begin, spoke, spoke_weight, fan_begin, fan)
    crowd = crowd_weight(d, reach, row[k, ONES], i, row[k, OTHERS], j, axes, side, rim, spoke_begin,
                         spoke, fan_begin, fan)
    return d, here, one + two - 1.0 + crowd, 0.0


@uncounted
def _in_frame(k, i, j, shift, reach, pairs):
    """Return the vertex of slot k seen from i, and in the shape of j; there also reach squared."""
    axes = pairs.axes
    here = lever_of(axes, i, pairs.arm, pairs.row[k, 0])
    p = in_shape(axes, j, here[0] - shift[0], here[1] - shift[1], here[2] - shift[2])
    near = reach * axes[j, PER_SIZE]
    return here, p, near * near


@uncounted
def _out_of_frame(j, way, here, axes):
    """Return what `meet_features` does, of the way that `meet_side` or `meet_face` has found."""
    size = axes[j, SIZE]
    return to_lab(axes, j, size * way[0], size * way[1], size * way[2]), here, way[3], 0.0


@uncounted
def meet_on_edge(k, i, j, shift, reach, pairs):
    """Return where the vertex and the edge of slot k meet: see `meet_features`."""
    here, p, near = _in_frame(k, i, j, shift, reach, pairs)
    way = meet_side(p, pairs.row[k, OTHERS], near, pairs.side, pairs.plane, pairs.rim,
                    pairs.wing_begin, pairs.wing)
    return _out_of_frame(j, way, here, pairs.axes)


@uncounted
def meet_on_face(k, i, j, shift, reach, pairs):
    """Return where the vertex and the face of slot k meet: see `meet_features`."""
    here, p, near = _in_frame(k, i, j, shift, reach, pairs)
    way = meet_face(p, pairs.row[k, OTHERS], near, pairs.side, pairs.plane, pairs.rim)
    return _out_of_frame(j, way, here, pairs.axes)


@uncounted
def meet_crossing(k, i, j, shift, reach, pairs):
    """Return where the two edges of slot k meet: see `meet_features`."""
    return meet_edges(corners_of(k, i, j, shift, pairs.row, pairs.axes, pairs.arm), reach)


@uncounted
def meet_features(k, i, j, shift, reach, pairs):
    """Return where the features of slot k meet: bodies i and j, ``shift`` apart.

    That is (way from the first to the second, way from the centre of i to the first, weight, 1 if
    they are edges of which an end is near). The weight is 0 if they do not meet.
    """
    kind = pairs.row[k, KIND]
    if kind == EDGES:
        return meet_crossing(k, i, j, shift, reach, pairs)
    if kind == ON_EDGE:
        return meet_on_edge(k, i, j, shift, reach, pairs)
    if kind == ON_FACE:
        return meet_on_face(k, i, j, shift, reach, pairs)
    return meet_vertices(k, i, j, shift, reach, pairs)


@uncounted
def write_lane(m, d, here, heavy, ends, shift, ri, rj, c, w, share):
    """Write into lane m where a contact is, seen from both centres, and its weight."""
    q = FOUR * m
    write_row(w, q, d[0], d[1], d[2], ri + rj)
    w[SMALL + m], w[LARGE + m] = ri, rj
    c[HEAVY + m], c[ENDS + m] = heavy, ends
    write_row(share, HERE + q, here[0], here[1], here[2], ri)
    write_row(share, THERE + q, here[0] + d[0] - shift[0], here[1] + d[1] - shift[1],
              here[2] + d[2] - shift[2], rj)

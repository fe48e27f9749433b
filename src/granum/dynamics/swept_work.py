"""The work of forces between grains with edges and faces, as `work` counts that of balls.

A force that acts on two bodies at one point does the work F·v there, v being how the second moves
against the first, V + W × lever of each; what a kick makes of v is A + B × lever. Contacts of
features count as often as their weights say. Where edges cross near their ends, the forces that the
ends have moved (`crossing`) do work of their own, each where it acts.

Legend as in `work`; V, W, A, B are those of bodies, and levers are seen from their centres.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numba.extending import register_jitable

from granum.compile import kernel
from granum.contact.batch import MOVED, WEIGHT
from granum.contact.shaped.crossing import corners_of, ends_of_crossing
from granum.contact.shaped.levers import velocity_of
from granum.contact.shaped.meeting import bodies_of, centre_shift
from granum.contact.shaped.rim_sweep import ENDS, PLACE, ends_at, force_of_end, meet_rim, motion_at
from granum.contact.shaped.slots import slots_of_block
from granum.contact.sweep import half_period
from granum.dynamics.work import (
    NORMAL,
    WALLS,
    count_grains,
    count_walls,
    enter,
    enter_contact,
)
from granum.geometry.simplices import between, dot, less


@register_jitable
def scaled(force, g, more):
    """Return normal force, tangential force and couple of a contact that counts g times.

    ``more`` is added to the normal force: what ends have moved is missing there.
    """
    return (g * force[0] + more, g * force[1], g * force[2], g * force[3], g * force[4],
            g * force[5], g * force[6])


@register_jitable
def between_bodies(V, W, i, j, shift, x):
    """Return V of j less that of i at the point x, seen from the centre of i."""
    u = velocity_of(V, W, i, x[0], x[1], x[2])
    v = velocity_of(V, W, j, x[0] - shift[0], x[1] - shift[1], x[2] - shift[2])
    return less(v, u)


@register_jitable
def difference(W, i, j):
    """Return the vector in row j less that in row i."""
    return W[j, 0] - W[i, 0], W[j, 1] - W[i, 1], W[j, 2] - W[i, 2]


@register_jitable
def unit(way):
    """Return the direction of a way."""
    d = np.sqrt(dot(way, way))
    return way[0] / d, way[1] / d, way[2] / d


@register_jitable
def enter_push(sums, f, way, x, i, j, shift, V, W, A, B, early, late):
    """Add the work of a push f between two bodies along a way, at the point x."""
    n = unit(way)
    enter(sums, NORMAL, -f * dot(between_bodies(V, W, i, j, shift, x), n),
          -f * dot(between_bodies(A, B, i, j, shift, x), n), early, late)


@register_jitable
def enter_ends(sums, moved, x, i, j, shift, V, W, A, B, early, late):
    """Add the work of what four ends x of two edges have moved to where they are."""
    at = ends_of_crossing(x[0], x[1], x[2], x[3])
    for v in range(4):
        if moved[MOVED + v] == 0.0:
            continue
        if v < 2:
            here, there = x[v], between(x[2], x[3], at[v][0])
        else:
            here, there = between(x[0], x[1], at[v][0]), x[v]
        enter_push(sums, -moved[MOVED + v], less(there, here), here, i, j, shift, V, W, A, B, early,
                   late)


@register_jitable
def total_moved(kept):
    """Return all that the ends of two edges have moved away from where their lines are closest."""
    return kept[MOVED] + kept[MOVED + 1] + kept[MOVED + 2] + kept[MOVED + 3]


@kernel
def _count_rims(block, sums, bodies, rims, spring, now, kept, gap, lane, early, late):
    """Count the work done on a block's contacts with rims of walls, and what these bring in."""
    X, V, W, A, B, pose, carrier = (bodies.X, bodies.V, bodies.W, bodies.A, bodies.B, rims.pose,
                                    rims.carrier)
    for k in range(rims.first[block], rims.first[block + 1]):
        if spring[k, 3] != now:
            continue
        way, heavy = meet_rim(k, rims, gap, lane, 0)
        q, r, f = rims.body[rims.row[k, 0]], rims.arm[rims.row[k, 0], 3], rims.rim[k]
        n, near = unit(way), lane[0, ENDS] != 0.0
        x = lane[0, PLACE], lane[0, PLACE + 1], lane[0, PLACE + 2]
        x = x[0] + r * n[0], x[1] + r * n[1], x[2] + r * n[2]
        u, o = motion_at(f, carrier, pose, X[q, 0] + x[0], X[q, 1] + x[1], X[q, 2] + x[2])
        a, w, b = velocity_of(A, B, q, x[0], x[1], x[2]), (W[q, 0], W[q, 1], W[q, 2]), (
            B[q, 0], B[q, 1], B[q, 2])
        more = 0.0
        if near:
            heavy, more = kept[k, WEIGHT], total_moved(kept[k])
        force = scaled(kept[k], heavy, more)
        enter_contact(sums, force, n, less(u, velocity_of(V, W, q, x[0], x[1], x[2])),
                      (-a[0], -a[1], -a[2]), less(o, w), (-b[0], -b[1], -b[2]), early, late)
        on = force[1] - force[0] * n[0], force[2] - force[0] * n[1], force[3] - force[0] * n[2]
        enter(sums, WALLS, dot(on, u) + dot((force[4], force[5], force[6]), o), 0.0, early, late)
        if not near:
            continue
        ends = ends_at(k, rims)
        at = ends_of_crossing(ends[0], ends[1], ends[2], ends[3])
        for v in range(4):
            if kept[k, MOVED + v] == 0.0:
                continue
            on, x = force_of_end(v, -kept[k, MOVED + v], ends, at[v][0])
            u, _ = motion_at(f, carrier, pose, X[q, 0] + x[0], X[q, 1] + x[1], X[q, 2] + x[2])
            enter(sums, NORMAL, dot(on, less(u, velocity_of(V, W, q, x[0], x[1], x[2]))),
                  -dot(on, velocity_of(A, B, q, x[0], x[1], x[2])), early, late)
            enter(sums, WALLS, dot(on, u), 0.0, early, late)


# No kernels: a closure over a compiled function is never found in the cache again, nor is one over
# a closure that calls it.


@register_jitable
def count_at_rims(b, sums, bodies, rims, history, now, scratch, gap, early, late):
    """Count the work at rims in block b."""
    _count_rims(b, sums, bodies, rims, history.spring, now, scratch.kept_rims, gap,
                scratch.share[b], early, late)


@register_jitable
def count_others(b, sums, bodies, rows, walls, spring, now, scratch, time, g, medium, early, late):
    """Count the work at walls, and of gravity and the medium, in block b."""
    count_walls(b, sums, rows, walls, spring, now, scratch.kept_walls, time, early, late)
    count_grains(bodies.block[b], bodies.block[b + 1], sums, bodies, bodies.drag, g, medium, early,
                 late)


def make_count_swept(meet_slot: Callable[..., Any], rimmed: bool) -> Callable[..., Any]:
    """Return the function that counts all work of a step in one block of swept shapes.

    ``meet_slot`` tells where a slot meets, ``rimmed`` whether walls have edges that are touched.
    """

    @register_jitable
    def count_features(block, sums, bodies, pairs, spring, now, kept, gap, L, early, late):
        """Count the work done on the contacts of a block's features."""
        X, V, W, A, B, axes, arm = (bodies.X, bodies.V, bodies.W, bodies.A, bodies.B, pairs.axes,
                                    pairs.arm)
        half = half_period(L[0]), half_period(L[1]), half_period(L[2])
        row, who = pairs.row, pairs.who
        begin, end = slots_of_block(block, pairs)
        for k in range(begin, end):
            if spring[k, 3] != now:
                continue
            i, j = bodies_of(k, who)
            ri, rj = arm[row[k, 0], 3], arm[row[k, 3], 3]
            shift = centre_shift(X, i, j, L, half)
            way, here, g, near = meet_slot(k, i, j, shift, ri + rj + gap, pairs)
            part = ri / (ri + rj)
            x = here[0] + part * way[0], here[1] + part * way[1], here[2] + part * way[2]
            more = 0.0
            if near != 0.0:
                g, more = kept[k, WEIGHT], total_moved(kept[k])
                enter_ends(sums, kept[k], corners_of(k, i, j, shift, row, axes, arm), i, j,
                           shift, V, W, A, B, early, late)
            enter_contact(sums, scaled(kept[k], g, more), unit(way),
                          between_bodies(V, W, i, j, shift, x),
                          between_bodies(A, B, i, j, shift, x), difference(W, i, j),
                          difference(B, i, j), early, late)

    @register_jitable
    def count_swept(b, bodies, rows, pairs, spring, walls, wall_spring, rims, rim_history, now,
                    scratch, gap, L, time, g, medium, early, late, sums):
        """Count the work of block b, whose velocities have just become final."""
        count_features(b, sums, bodies, pairs, spring, now, scratch.kept, gap, L, early, late)
        if rimmed:
            count_at_rims(b, sums, bodies, rims, rim_history, now, scratch, gap, early, late)
        count_others(b, sums, bodies, rows, walls, wall_spring, now, scratch, time, g, medium,
                     early, late)

    return count_swept

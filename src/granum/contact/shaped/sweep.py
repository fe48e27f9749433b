"""The sweep over pairs of features, block by block, as `granum.contact.sweep` is for balls.

Two closest points with the radii of their bodies are two balls that touch, so the arithmetic of a
batch serves unchanged. A rigid body's velocity is linear in space: at a closest point it is the
mean of those of the feature's vertices, weighted with the shares by which the point lies between
them. The force goes to the vertices in the same shares, which makes the same force and torque. What
counts more or less than once has its force multiplied by its weight (see `meeting`).

Legend as in `granum.contact.sweep`; vertices are the rows.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numba.extending import register_jitable

from granum.contact.batch import (
    COUPLE,
    DEEPEST,
    FORCE,
    FULL,
    GOING,
    LANES,
    LARGE,
    M_N,
    M_T,
    OVERLAP,
    ROLLING,
    SMALL,
    SPRING,
    TORQUE,
    TURNING,
    ZERO,
    make_keep,
    make_push,
    meet,
    part,
    resist,
    turn_and_stretch,
)
from granum.contact.model import Model, make_reader, make_unpack
from granum.contact.shaped.crossing import between, crossing, ends_of_crossing, make_push_ends
from granum.contact.shaped.meeting import (
    EDGES,
    HERE,
    ON_EDGE,
    ON_FACE,
    VERTICES,
    centre_shift,
    place_of,
    weight_at_vertex,
    weight_on_edge,
)
from granum.contact.shaped.memory import row_signs
from granum.contact.sweep import half_period
from granum.geometry.simplices import SEGMENT, dot, in_triangle, less, on_segment
from granum.vector_rows import FOUR, ONE, THREE, flat, read_row, write_row

# what a lane of features has beside that of balls: shares of the four vertices, weight, whether an
# end of a crossing is within reach
WEIGHT, ENDS = 4, 5
WIDTH = 8


@register_jitable(inline="always")
def write_shares(share, m, a, b, c, d, weight):
    """Write shares and weight of lane m."""
    share[m, 0], share[m, 1], share[m, 2], share[m, 3], share[m, WEIGHT] = a, b, c, d, weight


@register_jitable
def meet_vertices(a, b, shift, reach, la, lb, lever, weight, side_begin, side_way, side_weight,
                  fan_begin, fan_way):
    """Return the way from vertex a to vertex b, and their weight; 0 if they do not touch."""
    x, y = place_of(lever, a, HERE), place_of(lever, b, shift)
    d = less(y, x)
    if not dot(d, d) < reach * reach:
        return d, 0.0
    here = weight_at_vertex(x, b, lb, lever, shift, weight, side_begin, side_way, side_weight,
                            fan_begin, fan_way)
    there = weight_at_vertex(y, a, la, lever, HERE, weight, side_begin, side_way, side_weight,
                             fan_begin, fan_way)
    return d, here + there - 1.0


@register_jitable
def meet_edge(a, b, c, shift, reach, limb, lever, wing_begin, wing_way):
    """Return the same for vertex a and the edge from b to c, and where on it they meet."""
    x, y, z = place_of(lever, a, HERE), place_of(lever, b, shift), place_of(lever, c, shift)
    t, d2, part = on_segment(x, y, z)
    if part != SEGMENT or not d2 < reach * reach:
        return HERE, 0.0, t
    weight = weight_on_edge(x, b, limb, lever, shift, wing_begin, wing_way)
    return less(between(y, z, t), x), weight, t


@register_jitable
def meet_face(a, b, c, e, shift, reach, lever):
    """Return the same for vertex a and the face with the corners b, c and e, and their shares."""
    p, x = place_of(lever, a, HERE), place_of(lever, b, shift)
    y, z = place_of(lever, c, shift), place_of(lever, e, shift)
    u, v, w, d2, is_inside = in_triangle(p, x, y, z)
    if not (is_inside and d2 < reach * reach):
        return HERE, 0.0, u, v, w
    return (u * x[0] + v * y[0] + w * z[0] - p[0], u * x[1] + v * y[1] + w * z[1] - p[1],
            u * x[2] + v * y[2] + w * z[2] - p[2]), 1.0, u, v, w


@register_jitable
def meet_edges(a, b, c, e, shift, reach, lever):
    """Return the same for the edges from a to b and from c to e, where they meet, if ends do."""
    x, y = place_of(lever, a, HERE), place_of(lever, b, HERE)
    z, q = place_of(lever, c, shift), place_of(lever, e, shift)
    touch, s, t = crossing(x, y, z, q, reach)
    if not touch:
        return HERE, 0.0, s, t, 0.0
    nearest = np.inf
    for _, d2 in ends_of_crossing(x, y, z, q):
        nearest = min(nearest, d2)
    return (less(between(z, q, t), between(x, y, s)), 1.0, s, t,
            1.0 if nearest < reach * reach else 0.0)


@register_jitable(inline="always")
def meet_features(k, kinds, row, limb, X, lever, radius, body, tables, L, half, gap, share, m):
    """Return the way from the first feature of slot k to the second, their radii, and the weight.

    Shares and weight are written into lane m. ``tables`` are those of weights, from `Slots`.
    """
    a, b = np.int64(row[k, 0]), np.int64(row[k, 1])
    c, e = np.int64(row[k, 2]), np.int64(row[k, 3])
    ri, rj = radius[a], radius[e]
    reach = ri + rj + gap
    shift = centre_shift(X, body[a], body[e], L, half)
    kind = kinds[k]
    d, heavy, ends = HERE, 0.0, 0.0
    if kind == ON_FACE:
        d, heavy, u, v, w = meet_face(a, b, c, e, shift, reach, lever)
        write_shares(share, m, 1.0, u, v, w, heavy)
    elif kind == ON_EDGE:
        d, heavy, t = meet_edge(a, b, c, shift, reach, limb[k, 1], lever, tables[6], tables[7])
        write_shares(share, m, 1.0, 1.0 - t, t, 0.0, heavy)
    elif kind == EDGES:
        d, heavy, s, t, ends = meet_edges(a, b, c, e, shift, reach, lever)
        write_shares(share, m, 1.0 - s, s, 1.0 - t, t, heavy)
    else:
        d, heavy = meet_vertices(a, c, shift, reach, limb[k, 0], limb[k, 1], lever, tables[0],
                                 tables[1], tables[2], tables[3], tables[4], tables[5])
        write_shares(share, m, 1.0, 0.0, 1.0, 0.0, heavy)
    share[m, ENDS] = ends
    return d, ri, rj, heavy


@register_jitable
def weight_tables(pairs):
    """Return the tables of weights, which `meet_features` takes."""
    return (pairs.weight, pairs.side_begin, pairs.side_way, pairs.side_weight, pairs.fan_begin,
            pairs.fan_way, pairs.wing_begin, pairs.wing_way)


@register_jitable
def mixed_velocity(M, row, k, share, m, first, last):
    """Return the velocity of a closest point: the mean of its feature's vertices."""
    x, y, z = 0.0, 0.0, 0.0
    for q in range(first, last):
        s, i = share[m, q], row[k, q]
        x, y, z = x + s * M[i, 0], y + s * M[i, 1], z + s * M[i, 2]
    return x, y, z


@register_jitable
def split(kind):
    """Return how many of the four rows of a slot are of the first feature."""
    return 2 if kind in (EDGES, VERTICES) else 1


def _make_gather(model: Model) -> Callable[..., Any]:
    """Return the function that brings what the features in lane m need into the batch."""
    width, count = np.uintp(model.width), len(model.signs)
    mixed, coefficients = model.mixed, np.uintp(model.coefficients)

    @register_jitable
    def gather(k, m, ri, rj, share, a, state, kind, V, W, material, kinds, row, spring, materials):
        i, j = row[k, 0], row[k, 3]
        middle = split(kinds[k])
        ux, uy, uz = mixed_velocity(V, row, k, share, m, 0, middle)
        vx, vy, vz = mixed_velocity(V, row, k, share, m, middle, 4)
        q = FOUR * m
        write_row(a, GOING + q, vx - ux, vy - uy, vz - uz, V[i, 3] + V[j, 3])
        write_row(a, TURNING + q, ri * W[i, 0] + rj * W[j, 0], ri * W[i, 1] + rj * W[j, 1],
                  ri * W[i, 2] + rj * W[j, 2], ri * W[i, 3] + rj * W[j, 3])
        write_row(a, ROLLING + q, W[j, 0] - W[i, 0], W[j, 1] - W[i, 1], W[j, 2] - W[i, 2], 0.0)
        if mixed:
            kind[m] = coefficients * (material[i] * materials + material[j])
        x, y, z, stamp = read_row(spring, width * np.uintp(k))
        write_row(a, SPRING + q, x, y, z, stamp)
        for s in range(count):
            state[np.uintp(s * LANES) + m] = spring[width * np.uintp(k) + np.uintp(4 + s)]

    return gather


def _make_scatter(model: Model) -> Callable[..., Any]:
    """Return the function that shares forces out to the vertices, and keeps the history."""
    width, count = np.uintp(model.width), len(model.signs)
    on_partner = COUPLE if model.couple is not None else TORQUE

    @register_jitable
    def scatter(a, state, lanes, F, kinds, target, slot, share, spring):
        for m in range(lanes):
            k, q = slot[m], FOUR * m
            x, y, z, stamp = read_row(a, SPRING + q)
            write_row(spring, width * k, x, y, z, stamp)
            for s in range(count):
                spring[width * k + np.uintp(4 + s)] = state[np.uintp(s * LANES) + m]
            fx, fy, fz, _ = read_row(a, FORCE + q)
            tx, ty, tz, _ = read_row(a, TORQUE + q)
            ux, uy, uz, _ = read_row(a, on_partner + q)
            middle = split(kinds[k])
            for v in range(4):
                row, s = target[k, v], share[m, v] * share[m, WEIGHT]
                if s == 0.0:
                    continue
                if v < middle:
                    F[row, 0], F[row, 1], F[row, 2] = (F[row, 0] + s * fx, F[row, 1] + s * fy,
                                                       F[row, 2] + s * fz)
                    F[row, 4], F[row, 5], F[row, 6] = (F[row, 4] + s * tx, F[row, 5] + s * ty,
                                                       F[row, 6] + s * tz)
                else:
                    F[row, 0], F[row, 1], F[row, 2] = (F[row, 0] - s * fx, F[row, 1] - s * fy,
                                                       F[row, 2] - s * fz)
                    F[row, 4], F[row, 5], F[row, 6] = (F[row, 4] + s * ux, F[row, 5] + s * uy,
                                                       F[row, 6] + s * uz)

    return scatter


def make_shaped_sweep(model: Model, hand_over: Callable[..., Any]) -> Callable[..., Any]:
    """Return the sweep over one block's slots, with the law compiled in.

    ``hand_over`` gives a contact that begins the memory of one that has ended.
    """
    width, signs = np.uintp(model.width), row_signs(model)
    push, gather, scatter = make_push(model), _make_gather(model), _make_scatter(model)
    rolls, far, counted, keep = model.couple is not None, model.far, model.counted, make_keep(model)
    coefficients_of, mixed, push_ends = make_unpack(model), model.mixed, make_push_ends(model)
    coefficients_at = make_reader(model.coefficients, 1)
    state_at = make_reader(len(model.signs), LANES)

    @register_jitable
    def weigh_crossings(lanes, slot, c, w, state, kind, p, share, F, row, target, X, lever, body, L,
                        half):
        """Weigh crossings whose ends are within reach, and add the forces of the ends."""
        for m in range(lanes):
            if share[m, ENDS] == 0.0:
                continue
            numbers = coefficients_at(p, kind[m]) if mixed else p
            radius = w[SMALL + m] / (1.0 + w[SMALL + m] / w[LARGE + m])
            share[m, WEIGHT] = push_ends(
                slot[m], c[OVERLAP + m], w[SMALL + m] + w[LARGE + m], numbers, state_at(state, m),
                (c[M_N + m], c[M_T + m], radius), F, row, target, X, lever, body, L, half)

    @register_jitable
    def sweep(b, rows, F, pairs, history, now, law, past, ahead, L, scratch):
        """Find the touching features of block b and add their forces."""
        spring = flat(history.spring)
        a = flat(scratch.table[b])
        c, state, kind = scratch.columns[b], scratch.state[b], scratch.kind[b]
        w, slot, share = scratch.waiting[b, 0], scratch.slot[b, 0], scratch.share[b]
        half = half_period(L[0]), half_period(L[1]), half_period(L[2])
        p = coefficients_of(law.p)
        kinds, row, limb, target = pairs.kind, pairs.row, pairs.limb, pairs.target
        X, lever, radius, body = pairs.X, pairs.lever, pairs.radius, pairs.body
        V, W, material, tables = rows.V, rows.W, rows.material, weight_tables(pairs)
        k, end = pairs.first[b], pairs.last[b]
        while k < end:
            m = ZERO
            while k < end and m < FULL:
                d, ri, rj, heavy = meet_features(k, kinds, row, limb, X, lever, radius, body,
                                                 tables, L, half, law.gap, share, m)
                if heavy != 0.0:
                    if spring[width * np.uintp(k) + THREE] != now - 1.0:
                        hand_over(k, pairs, history.spring, signs, now - 1.0, law.gap, L,
                                  scratch.ends[b])
                    slot[m] = k
                    write_row(w, FOUR * m, d[0], d[1], d[2], ri + rj)
                    w[SMALL + m], w[LARGE + m] = ri, rj
                    gather(k, m, ri, rj, share, a, state, kind, V, W, material, kinds, row, spring,
                           law.materials)
                    if ri + rj - np.sqrt(dot(d, d)) > DEEPEST * min(ri, rj):
                        scratch.deep[b, 0] = row[k, 0]
                        scratch.deep[b, 1] = row[k, 3]
                    m += ONE
                k += 1
            meet(a, c, w, m)
            turn_and_stretch(a, c, m, past, ahead, now - 1.0)
            push(a, c, w, state, kind, m, p, now - 1.0, law.step, past, ahead)
            part(a, c, m, ahead, now, far)
            if rolls:
                resist(a, c, w, m)
            if counted:
                keep(c, m, slot, scratch.kept)
            weigh_crossings(m, slot, c, w, state, kind, p, share, F, row, target, X, lever, body, L,
                            half)
            scatter(a, state, m, F, kinds, target, slot, share, spring)

    return sweep

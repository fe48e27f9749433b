"""The sweep over grains with edges at the rims of walls, block by block.

Where a feature of a grain and a tip or ridge of a wall are closest, a ball of the grain's sweeping
radius touches a wall there: the arithmetic is that of `granum.contact.walls`, with the velocity of
the closest point and with the force shared out to the vertices of the feature, as in `sweep`. What
counts more or less than once has its force multiplied by its weight (see `rims`).

The walls' forces are summed with those of the balls. Legend as in `granum.contact.walls`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numba.extending import register_jitable

from granum.contact.batch import (
    ARM,
    DEEPEST,
    F_N,
    FORCE,
    FULL,
    LANES,
    LARGE,
    M_N,
    M_T,
    NX,
    NY,
    NZ,
    OVERLAP,
    RATE,
    ROLLING,
    SMALL,
    SPRING,
    TORQUE,
    TWIST,
    UX,
    UY,
    UZ,
    ZERO,
    keep_ends,
    make_keep,
    make_push,
    part,
    resist,
    turn_and_stretch,
)
from granum.contact.model import Model, make_reader, make_unpack
from granum.contact.shaped.crossing import are_apart, ends_of_crossing, make_weigh, meet_edges
from granum.contact.shaped.meeting import (
    EDGES,
    ON_EDGE,
    ON_FACE,
    PER_SIZE,
    SIZE,
    along_side,
    in_shape,
    meet_face,
    meet_side,
    to_lab,
    weight_at_vertex,
)
from granum.contact.shaped.memory import row_signs
from granum.contact.shaped.rims import end_of
from granum.geometry.simplices import between, dot, in_triangle, less
from granum.vector_rows import FOUR, ONE, THREE, flat, read_row, write_row
from granum.walls.moving.pose import velocity_at
from granum.walls.moving.table import CENTRE, SPIN

# what a lane has beside that of balls: shares of the three vertices, weight, whether an end of a
# crossing is within reach, and where the point of the grain is, seen from its centre
WEIGHT, ENDS, PLACE = 3, 4, 5
STILL = (0.0, 0.0, 0.0)


@register_jitable
def place_in(lever, row):
    """Return where a vertex is, seen from the centre of its body [m]."""
    return lever[row, 0], lever[row, 1], lever[row, 2]


@register_jitable
def meet_tip(p, k, i, a, b, c, near, rims):
    """Return the way from a feature of grain i to a tip p, its weight, and shares of its vertices.

    ``near`` is the square of the reach in units of the shape; a, b, c are the vertices. A tip that
    faces do not feel meets the edges alone.
    """
    kind, limb, axes, lever = rims.kind[k], rims.limb[k], rims.axes, rims.lever
    weight, spoke_weight = rims.weight, rims.spoke_weight
    fan_begin, wing_begin = rims.fan_begin, rims.wing_begin
    if not rims.faced[rims.rim[k]]:
        weight, spoke_weight = rims.bare_weight, rims.bare_spoke_weight
        fan_begin, wing_begin = rims.bare_fan_begin, rims.bare_wing_begin
    q = in_shape(axes, i, p[0], p[1], p[2])
    if kind not in (ON_EDGE, ON_FACE):
        d, size = less(p, place_in(lever, a)), axes[i, SIZE]
        if not dot(d, d) < near * (size * size):
            return d, 0.0, 1.0, 0.0, 0.0
        heavy = weight_at_vertex(q, limb, rims.side, rims.plane, rims.border, weight,
                                 rims.spoke_begin, rims.spoke, spoke_weight, fan_begin, rims.fan)
        return d, heavy - 1.0, 1.0, 0.0, 0.0
    u, v, w = 1.0, 0.0, 0.0
    if kind == ON_EDGE:
        x, y, z, heavy = meet_side(q, limb, near, rims.side, rims.plane, rims.border, wing_begin,
                                   rims.wing)
        v = along_side(q, limb, rims.side) * rims.side[limb, 7]
        u = 1.0 - v
    else:
        x, y, z, heavy = meet_face(q, limb, near, rims.side, rims.plane, rims.border)
        u, v, w, _, _ = in_triangle(p, place_in(lever, a), place_in(lever, b), place_in(lever, c))
    size = -axes[i, SIZE]
    return to_lab(axes, i, size * x, size * y, size * z), heavy, u, v, w


@register_jitable
def meet_rim(k, rims, gap, share, m):
    """Return the way from a grain's feature to the tip or ridge of slot k, and the weight.

    Shares, weight and the place of the grain's point are written into lane m.
    """
    row, lever = rims.row, rims.lever
    a, b, c = np.int64(row[k, 0]), np.int64(row[k, 1]), np.int64(row[k, 2])
    i, reach, ends = rims.body[a], rims.arm[a, 3] + gap, 0.0
    if rims.kind[k] == EDGES:
        x = ends_at(k, rims)
        d, here, heavy, ends = x[0], x[0], 0.0, 0.0
        if not are_apart(x[0], x[1], x[2], x[3], reach):
            d, here, heavy, ends = meet_edges(x, reach)
        e = less(x[1], x[0])
        v = dot(less(here, x[0]), e) / dot(e, e)
        u, w = 1.0 - v, 0.0
    else:
        p = end_of(rims.data, rims.rim[k], 0, rims.carrier, rims.pose,
                   (rims.X[i, 0], rims.X[i, 1], rims.X[i, 2]))
        near = reach * rims.axes[i, PER_SIZE]
        d, heavy, u, v, w = meet_tip(p, k, i, a, b, c, near * near, rims)
    share[m, 0], share[m, 1], share[m, 2], share[m, WEIGHT], share[m, ENDS] = u, v, w, heavy, ends
    for q in range(3):
        share[m, PLACE + q] = u * lever[a, q] + v * lever[b, q] + w * lever[c, q]
    return d, heavy


@register_jitable
def mixed(M, row, k, share, m):
    """Return the velocity of a grain's point: the mean of its feature's vertices."""
    x, y, z = 0.0, 0.0, 0.0
    for q in range(3):
        s, i = share[m, q], row[k, q]
        x, y, z = x + s * M[i, 0], y + s * M[i, 1], z + s * M[i, 2]
    return x, y, z


@register_jitable
def motion_at(f, carrier, pose, x, y, z):
    """Return velocity of a tip or ridge at a point, and its spin."""
    b = carrier[f]
    if b < 0:
        return STILL, STILL
    return (velocity_at(pose, b, x, y, z),
            (pose[b, SPIN], pose[b, SPIN + 1], pose[b, SPIN + 2]))


@register_jitable
def _meet(m, i, r, d, n, g, v, o, V, W, a, c, w):
    """Write into lane m how a grain meets a wall.

    r the grain's sweeping radius, d the distance, n the normal, g the velocity of the grain's
    point, v and o velocity and spin of the wall; i any of the vertices.
    """
    wx, wy, wz = r * W[i, 0], r * W[i, 1], r * W[i, 2]
    nx, ny, nz = n
    vx = ny * wz - nz * wy - (g[0] - v[0])
    vy = nz * wx - nx * wz - (g[1] - v[1])
    vz = nx * wy - ny * wx - (g[2] - v[2])
    along = vx * nx + vy * ny + vz * nz
    c[NX + m], c[NY + m], c[NZ + m] = nx, ny, nz
    c[OVERLAP + m] = r - d
    c[RATE + m] = -along
    c[UX + m] = vx - along * nx
    c[UY + m] = vy - along * ny
    c[UZ + m] = vz - along * nz
    c[M_N + m] = 1.0 / V[i, 3]
    c[M_T + m] = 1.0 / (V[i, 3] + r * W[i, 3])
    c[TWIST + m] = o[0] * nx + o[1] * ny + o[2] * nz
    c[ARM + m] = 1.0  # in radii, as the torques
    w[SMALL + m], w[LARGE + m] = r, np.inf
    write_row(a, ROLLING + FOUR * m, o[0] - W[i, 0], o[1] - W[i, 1], o[2] - W[i, 2], 0.0)


@register_jitable
def _push_wall(push, b, pose, x, y, z, fx, fy, fz):
    """Add to force and torque on a body of walls what a force on a grain at a point makes."""
    x, y, z = x - pose[b, CENTRE], y - pose[b, CENTRE + 1], z - pose[b, CENTRE + 2]
    push[b, 0] -= fx
    push[b, 1] -= fy
    push[b, 2] -= fz
    push[b, 3] -= y * fz - z * fy
    push[b, 4] -= z * fx - x * fz
    push[b, 5] -= x * fy - y * fx


@register_jitable
def force_of_end(v, f, x, at):
    """Return force on the grain, and its place, that end v of a crossing makes with the size f.

    ``x`` are the ends: two of the grain's edge, two of the ridge. ``at`` is where on the other line
    end v is closest. The force acts on the end, or against it where the end is the wall's.
    """
    e = 2 if v < 2 else 0
    foot = between(x[e], x[e + 1], at)
    n = less(foot, x[v])
    f = (f if v >= 2 else -f) / np.sqrt(dot(n, n))
    return (f * n[0], f * n[1], f * n[2]), (x[v] if v < 2 else foot)


@register_jitable
def ends_at(k, rims):
    """Return the four ends of the edge and the ridge of slot k, seen from the grain's centre."""
    a, b, f = np.int64(rims.row[k, 0]), np.int64(rims.row[k, 1]), rims.rim[k]
    X, i = rims.X, rims.body[a]
    centre = X[i, 0], X[i, 1], X[i, 2]
    return (place_in(rims.lever, a), place_in(rims.lever, b),
            end_of(rims.data, f, 0, rims.carrier, rims.pose, centre),
            end_of(rims.data, f, 1, rims.carrier, rims.pose, centre))


def make_rim_ends(model: Model) -> Callable[..., Any]:
    """Return the function that tells weight and forces of a crossing whose ends are in reach."""
    weigh = make_weigh(model)

    @register_jitable
    def rim_ends(x, overlap, acting, r, p, state, masses, forces):
        """Return Π and k of `crossing`, and what each end moves away from where lines are closest.

        ``forces`` (4, 7) gets force on the grain, the place where it acts, and where on the line of
        the grain's edge that is; ``acting`` is the normal force of the law.
        """
        at = ends_of_crossing(x[0], x[1], x[2], x[3])
        whole, weight, moved = weigh(overlap, acting, r, p, state, masses, at)
        for v in range(4):
            for d in range(7):
                forces[v, d] = 0.0
            if moved[v] == 0.0:
                continue
            push, place = force_of_end(v, -moved[v], x, at[v][0])
            for d in range(3):
                forces[v, d], forces[v, 3 + d] = push[d], place[d]
            forces[v, 6] = at[v][0] if v >= 2 else float(v)
        return whole, weight, moved

    return rim_ends


def _make_gather(model: Model) -> Callable[..., Any]:
    """Return the function that brings coefficients and history of slot k into lane m."""
    width, coefficients = np.uintp(model.width), np.uintp(model.coefficients)
    mixes, count = model.mixed, len(model.signs)

    @register_jitable
    def gather(k, m, i, f, a, state, kind, material, wall_material, spring, materials):
        if mixes:
            mine = np.int64(material[i])
            other = wall_material[f]
            other = mine if other < 0 else other
            kind[m] = coefficients * np.uintp(mine * np.int64(materials) + other)
        place = width * np.uintp(k)
        x, y, z, stamp = read_row(spring, place)
        write_row(a, SPRING + FOUR * m, x, y, z, stamp)
        for s in range(count):
            state[np.uintp(s * LANES) + m] = spring[place + np.uintp(4 + s)]

    return gather


def _make_scatter(model: Model) -> Callable[..., Any]:
    """Return the function that shares forces out to vertices and walls, and keeps the history."""
    width, count = np.uintp(model.width), len(model.signs)

    @register_jitable
    def scatter(a, state, lanes, F, row, rim, slot, share, spring, X, body, w, carrier, pose, push):
        for m in range(lanes):
            k, q = slot[m], FOUR * m
            x, y, z, stamp = read_row(a, SPRING + q)
            write_row(spring, width * k, x, y, z, stamp)
            for s in range(count):
                spring[width * k + np.uintp(4 + s)] = state[np.uintp(s * LANES) + m]
            fx, fy, fz, _ = read_row(a, FORCE + q)
            tx, ty, tz, _ = read_row(a, TORQUE + q)
            for v in range(3):
                j, s = row[k, v], share[m, v] * share[m, WEIGHT]
                if s == 0.0:
                    continue
                F[j, 0], F[j, 1], F[j, 2] = F[j, 0] + s * fx, F[j, 1] + s * fy, F[j, 2] + s * fz
                F[j, 4], F[j, 5], F[j, 6] = F[j, 4] + s * tx, F[j, 5] + s * ty, F[j, 6] + s * tz
            b = carrier[rim[k]]
            if b >= 0:
                i, g, r = body[row[k, 0]], share[m, WEIGHT], w[SMALL + m]
                _push_wall(push, b, pose, X[i, 0] + share[m, PLACE], X[i, 1] + share[m, PLACE + 1],
                           X[i, 2] + share[m, PLACE + 2], g * fx, g * fy, g * fz)
                push[b, 3] -= g * r * tx
                push[b, 4] -= g * r * ty
                push[b, 5] -= g * r * tz

    return scatter


def make_rim_sweep(model: Model, hand_over: Callable[..., Any]) -> Callable[..., Any]:
    """Return the sweep over one block's slots at rims, with the law compiled in.

    ``hand_over`` gives a contact that begins the memory of one that has ended.
    """
    width, signs = np.uintp(model.width), row_signs(model)
    push, gather, scatter = make_push(model), _make_gather(model), _make_scatter(model)
    rolls, far, mixes = model.couple is not None, model.far, model.mixed
    counted, keep = model.counted, make_keep(model)
    coefficients_of, rim_ends = make_unpack(model), make_rim_ends(model)
    coefficients_at = make_reader(model.coefficients, 1)
    state_at = make_reader(len(model.signs), LANES)

    @register_jitable
    def weigh_crossings(lanes, slot, c, w, state, kind, p, share, F, rims, push_on, forces, kept):
        """Weigh crossings whose ends are within reach, and add the forces of the ends."""
        for m in range(lanes):
            if share[m, ENDS] == 0.0:
                continue
            k, r = slot[m], w[SMALL + m]
            row, X, pose = rims.row, rims.X, rims.pose
            x = ends_at(k, rims)
            numbers = coefficients_at(p, kind[m]) if mixes else p
            _, share[m, WEIGHT], moved = rim_ends(
                x, c[OVERLAP + m], c[F_N + m], r, numbers, state_at(state, m),
                (c[M_N + m], c[M_T + m], r), forces)
            if counted:
                keep_ends(kept, k, share[m, WEIGHT], moved)
            f = moved[0] + moved[1] + moved[2] + moved[3]
            i, b = rims.body[row[k, 0]], rims.carrier[rims.rim[k]]
            n = c[NX + m], c[NY + m], c[NZ + m]
            for d in range(3):
                F[row[k, 0], d] -= share[m, 0] * f * n[d]
                F[row[k, 1], d] -= share[m, 1] * f * n[d]
            if b >= 0:
                _push_wall(push_on, b, pose, X[i, 0] + share[m, PLACE], X[i, 1]
                           + share[m, PLACE + 1], X[i, 2] + share[m, PLACE + 2], -f * n[0],
                           -f * n[1], -f * n[2])
            for v in range(4):
                t = forces[v, 6]
                for d in range(3):
                    F[row[k, 0], d] += (1.0 - t) * forces[v, d]
                    F[row[k, 1], d] += t * forces[v, d]
                if b >= 0:
                    _push_wall(push_on, b, pose, X[i, 0] + forces[v, 3], X[i, 1] + forces[v, 4],
                               X[i, 2] + forces[v, 5], forces[v, 0], forces[v, 1], forces[v, 2])

    @register_jitable
    def sweep(b, rows, F, rims, history, now, law, past, ahead, time, scratch):
        """Find the features of block b that touch tips and ridges, and add their forces."""
        spring = flat(history.spring)
        a = flat(scratch.table[b])
        c, state, kind = scratch.columns[b], scratch.state[b], scratch.kind[b]
        w, slot, share = scratch.waiting[b, 0], scratch.slot[b, 0], scratch.share[b]
        forces, p = scratch.ends[b], coefficients_of(law.p)
        row, rim, X, body = rims.row, rims.rim, rims.X, rims.body
        carrier, pose, since = rims.carrier, rims.pose, rims.since
        V, W, material = rows.V, rows.W, rows.material
        k, end = rims.first[b], rims.first[b + 1]
        while k < end:
            m = ZERO
            while k < end and m < FULL:
                way, heavy = meet_rim(k, rims, law.gap, share, m)
                if heavy != 0.0 and time >= since[rim[k]]:
                    if spring[width * np.uintp(k) + THREE] != now - 1.0:
                        hand_over(k, rims, history.spring, signs, now - 1.0, law.gap, forces)
                    i, f = np.int64(row[k, 0]), rim[k]
                    r, d = rims.arm[i, 3], np.sqrt(dot(way, way))
                    n = way[0] / d, way[1] / d, way[2] / d
                    q = body[i]
                    v, o = motion_at(f, carrier, pose, X[q, 0] + share[m, PLACE] + r * n[0],
                                     X[q, 1] + share[m, PLACE + 1] + r * n[1],
                                     X[q, 2] + share[m, PLACE + 2] + r * n[2])
                    _meet(m, i, r, d, n, mixed(V, row, k, share, m), v, o, V, W, a, c, w)
                    gather(k, m, i, f, a, state, kind, material, rims.material, spring,
                           law.materials)
                    slot[m] = k
                    if r - d > DEEPEST * r:
                        scratch.deep[b, 0] = i
                        scratch.deep[b, 1] = -2 - rims.piece[f]
                    m += ONE
                k += 1
            turn_and_stretch(a, c, m, past, ahead, now - 1.0)
            push(a, c, w, state, kind, m, p, now - 1.0, law.step, past, ahead)
            part(a, c, m, ahead, now, far)
            if rolls:
                resist(a, c, w, m)
            if counted:
                keep(c, m, slot, scratch.kept_rims)
            weigh_crossings(m, slot, c, w, state, kind, p, share, F, rims, scratch.push[b], forces,
                            scratch.kept_rims)
            scatter(a, state, m, F, row, rim, slot, share, spring, X, body, w, carrier, pose,
                    scratch.push[b])

    return sweep

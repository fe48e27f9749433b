"""Contacts of grains with walls: the same law, a wall being a grain without end.

A wall piece has infinite mass and radius, so the effective mass is that of the grain and the arm is
its radius (Ferrez 3.3.3). Candidates are pairs (grain, piece) that may touch before the next
update, sorted by grain, then piece; each owns its slot of history like a pair of grains does. On a
mesh the contact goes over from piece to piece, and its memory with it (`hand_over`).

A wall may move: pieces belong to bodies with a pose (see `granum.walls.moving`). The velocity of
the wall at the contact point, r n from the grain's centre, counts like that of a grain, and the
spring turns with the wall about the normal. What the grains do to a body is summed, block by block,
as force and as torque about the body's centre c:

    F = -sum f_i,   T = -sum ((x_i - c) x f_i + t_i)

with the forces f_i and torques t_i on the grains.

Legend as in `sweep`; n points from the grain to the wall, u is the velocity of the wall there and o
its spin.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numba
import numpy as np
from numba.extending import register_jitable
from numpy.typing import NDArray

from granum.compile import kernel, parallel_kernel
from granum.contact.batch import (
    ARM,
    DEEPEST,
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
    make_keep,
    make_push,
    part,
    resist,
    turn_and_stretch,
)
from granum.contact.hand_over import hand_over
from granum.contact.model import Model, make_unpack
from granum.vector_rows import EIGHT, FOUR, ONE, THREE, add_to_row, flat, read_row, write_row
from granum.walls import WallTable
from granum.walls.moving.pose import closest_moved, inwards, nearest_moved, velocity_at
from granum.walls.moving.table import CENTRE, SPIN
from granum.walls.piece import TRIANGLE
from granum.walls.trees import STACK, box_distance2

STILL = (0.0, 0.0, 0.0)
HANDED = 0.12  # smallest radii by which a piece that was left in the last step may be out of reach


class WallCandidates(NamedTuple):
    """Grains that may touch a wall piece soon, block by block."""

    begin: NDArray[np.int64]  # (blocks + 1,) a block's first slot
    grain: NDArray[np.int64]  # (slots,) grain, in storage order
    piece: NDArray[np.int64]  # (slots,) wall piece
    kind: NDArray[np.int64]  # (pieces,) what the piece is
    data: NDArray[np.float64]  # (pieces, p) where it is
    material: NDArray[np.int64]  # (pieces,) number of its material; -1: that of whoever touches it
    body: NDArray[np.int64]  # (pieces,) number of the body it moves with; -1: it is still
    pose: NDArray[np.float64]  # (bodies, POSE) where the bodies are
    surface: NDArray[np.int64]  # (pieces,) surface of meshes over which contacts go; empty: none


def find_wall_candidates(
    X: NDArray[np.float64], block: NDArray[np.uint64], walls: WallTable,
    material: NDArray[np.int64], margin: NDArray[np.float64], body: NDArray[np.int64],
    pose: NDArray[np.float64], allowance: NDArray[np.float64],
) -> WallCandidates:
    """Find all grains with a gap below their margin (n,) [m] to a wall piece, at any time.

    ``allowance`` (pieces,) [m] comes on top: how far a piece that moves may come before the
    candidates are found anew. Pieces of meshes that a grain has just left are found, too, for they
    hand their memory over: it has gone on by half the smallest radius at most (see `look`), so
    sqrt(1 + 0.5²) - 1 of that is enough.
    """
    count = np.zeros(len(block) - 1, dtype=np.int64)
    empty = np.zeros(0, dtype=np.int64)
    begin = np.zeros(len(block), dtype=np.int64)
    if len(walls.trees.root):
        spare = HANDED * X[:, 3].min(initial=np.inf)
        allowance = allowance + np.where(walls.kind >= TRIANGLE, spare, 0.0)
    place = (X, block, walls.kind, walls.data, *walls.trees, margin, body, pose, allowance)
    _search_walls(*place, False, begin, count, empty, empty)
    np.cumsum(count, out=begin[1:])
    grain = np.empty(begin[-1], dtype=np.int64)
    piece = np.empty(begin[-1], dtype=np.int64)
    _search_walls(*place, True, begin, count, grain, piece)
    return WallCandidates(begin, grain, piece, walls.kind, walls.data, material, body, pose,
                          walls.surface)


@kernel
def _search_tree(root, first, kind, data, box, child, is_leaf, tree_piece, body, pose, i, x, y, z,
                 near, waiting, write, at, grain, piece):
    """Count the pieces of a mesh that are nearer than ``near``, or write them down from ``at`` on.

    They come in no order. ``root`` is the box around them, and ``first`` any of them.
    """
    found = 0
    rx, ry, rz = x, y, z
    if body[first] >= 0:
        rx, ry, rz = inwards(pose, body[first], x, y, z)
    waiting[0] = root
    count = 1
    while count > 0:
        count -= 1
        k = waiting[count]
        if box_distance2(box, k, rx, ry, rz) > near * near:
            continue
        for c in range(child[k, 0], child[k, 1]):
            if not is_leaf[k]:
                waiting[count] = c
                count += 1
            elif nearest_moved(kind, data, tree_piece[c], body, pose, x, y, z) < near:
                if write:
                    grain[at + found] = i
                    piece[at + found] = tree_piece[c]
                found += 1
    return found


@kernel
def _sort(piece, begin, end):
    """Sort a few numbers where they are."""
    for k in range(begin + 1, end):
        w = piece[k]
        j = k
        while j > begin and piece[j - 1] > w:
            piece[j] = piece[j - 1]
            j -= 1
        piece[j] = w


@parallel_kernel
def _search_walls(X, block, kind, data, plain, root, box, child, is_leaf, tree_piece, margin, body,
                  pose, allowance, write, begin, count, grain, piece):
    """Count the candidates of each block, or write them down from ``begin`` on."""
    for b in numba.prange(block.size - 1):
        found = 0
        waiting = np.empty(STACK, dtype=np.int64)
        for i in range(block[b], block[b + 1]):
            first = begin[b] + found
            for w in plain:
                near = X[i, 3] + margin[i] + allowance[w]
                if nearest_moved(kind, data, w, body, pose, X[i, 0], X[i, 1], X[i, 2]) < near:
                    if write:
                        grain[begin[b] + found] = i
                        piece[begin[b] + found] = w
                    found += 1
            for t in range(root.shape[0]):
                near = X[i, 3] + margin[i] + allowance[root[t, 1]]
                found += _search_tree(root[t, 0], root[t, 1], kind, data, box, child, is_leaf,
                                      tree_piece, body, pose, i, X[i, 0], X[i, 1], X[i, 2], near,
                                      waiting, write, begin[b] + found, grain, piece)
            if write and root.size > 0:
                _sort(piece, first, begin[b] + found)
        count[b] = found


@register_jitable
def motion_of_wall(walls, w, x, y, z):
    """Return velocity of a wall piece at a point, and its spin."""
    b = walls.body[w]
    if b < 0:
        return STILL, STILL
    o = walls.pose[b, SPIN], walls.pose[b, SPIN + 1], walls.pose[b, SPIN + 2]
    return velocity_at(walls.pose, b, x, y, z), o


@register_jitable
def _meet_wall(i, m, d, nx, ny, nz, rows, a, c, w):
    """Write into lane m where grain i touches a wall and how it moves there, the wall at rest."""
    X, V, W = rows.X, rows.V, rows.W
    r = X[i, 3]
    wx, wy, wz = r * W[i, 0], r * W[i, 1], r * W[i, 2]
    vx = ny * wz - nz * wy - V[i, 0]
    vy = nz * wx - nx * wz - V[i, 1]
    vz = nx * wy - ny * wx - V[i, 2]
    along = vx * nx + vy * ny + vz * nz
    c[NX + m], c[NY + m], c[NZ + m] = nx, ny, nz
    c[OVERLAP + m] = r - d
    c[RATE + m] = -along
    c[UX + m] = vx - along * nx
    c[UY + m] = vy - along * ny
    c[UZ + m] = vz - along * nz
    c[M_N + m] = 1.0 / V[i, 3]
    c[M_T + m] = 1.0 / (V[i, 3] + r * W[i, 3])
    c[TWIST + m] = 0.0
    c[ARM + m] = 1.0  # in radii, as the torques
    w[SMALL + m], w[LARGE + m] = r, np.inf
    write_row(a, ROLLING + FOUR * m, -W[i, 0], -W[i, 1], -W[i, 2], 0.0)


@register_jitable
def _ride(m, nx, ny, nz, u, o, a, c):
    """Add the velocity u and the spin o of a wall to how lane m moves."""
    along = u[0] * nx + u[1] * ny + u[2] * nz
    c[RATE + m] -= along
    c[UX + m] += u[0] - along * nx
    c[UY + m] += u[1] - along * ny
    c[UZ + m] += u[2] - along * nz
    c[TWIST + m] = o[0] * nx + o[1] * ny + o[2] * nz
    add_to_row(a, ROLLING + FOUR * m, o[0], o[1], o[2], 0.0)


@register_jitable
def _push_back(a, lanes, X, walls, slot, push):
    """Add force and torque of the batch to those on the bodies, (bodies, 6)."""
    for m in range(lanes):
        k = slot[m]
        b = walls.body[walls.piece[k]]
        if b < 0:
            continue
        i = walls.grain[k]
        q = FOUR * m
        fx, fy, fz, _ = read_row(a, FORCE + q)
        tx, ty, tz, _ = read_row(a, TORQUE + q)
        x = X[i, 0] - walls.pose[b, CENTRE]
        y = X[i, 1] - walls.pose[b, CENTRE + 1]
        z = X[i, 2] - walls.pose[b, CENTRE + 2]
        r = X[i, 3]
        push[b, 0] -= fx
        push[b, 1] -= fy
        push[b, 2] -= fz
        push[b, 3] -= y * fz - z * fy + r * tx
        push[b, 4] -= z * fx - x * fz + r * ty
        push[b, 5] -= x * fy - y * fx + r * tz


def _make_wall_gather(model: Model) -> Callable[..., Any]:
    """Return the function that brings coefficients and history of wall slot k into lane m."""
    width, coefficients = np.uintp(model.width), np.uintp(model.coefficients)
    mixed, count = model.mixed, len(model.signs)

    @register_jitable
    def gather(k, m, a, state, kind, material, walls, spring, materials):
        if mixed:
            mine = np.int64(material[walls.grain[k]])
            other = walls.material[walls.piece[k]]
            other = mine if other < 0 else other
            kind[m] = coefficients * np.uintp(mine * np.int64(materials) + other)
        place = width * np.uintp(k)
        sx, sy, sz, stamp = read_row(spring, place)
        write_row(a, SPRING + FOUR * m, sx, sy, sz, stamp)
        for s in range(count):
            state[np.uintp(s * LANES) + m] = spring[place + np.uintp(4 + s)]

    return gather


def _make_wall_scatter(model: Model) -> Callable[..., Any]:
    """Return the function that adds forces and torques to the grains, and keeps the history."""
    width, count = np.uintp(model.width), len(model.signs)

    @register_jitable
    def scatter(a, state, lanes, F, walls, slot, spring):
        for m in range(lanes):
            k = slot[m]
            i = EIGHT * np.uintp(walls.grain[k])
            q = FOUR * m
            x, y, z, stamp = read_row(a, SPRING + q)
            write_row(spring, width * k, x, y, z, stamp)
            for s in range(count):
                spring[width * k + np.uintp(4 + s)] = state[np.uintp(s * LANES) + m]
            x, y, z, f0 = read_row(a, FORCE + q)
            add_to_row(F, i, x, y, z, f0)
            x, y, z, t0 = read_row(a, TORQUE + q)
            add_to_row(F, i + FOUR, x, y, z, t0)

    return scatter


def make_wall_sweep(model: Model) -> Callable[..., Any]:
    """Return the sweep over one block's wall candidates, with the law compiled in."""
    push, gather, scatter = make_push(model), _make_wall_gather(model), _make_wall_scatter(model)
    rolls, far, counted, keep = model.couple is not None, model.far, model.counted, make_keep(model)
    coefficients_of, width = make_unpack(model), np.uintp(model.width)

    @register_jitable
    def sweep_walls(b, rows, F, walls, history, now, law, past, ahead, time, scratch):
        """Find the grains of block b that touch a wall and add their forces."""
        X, material = rows.X, rows.material
        spring, flat_F = flat(history.spring), flat(F)
        a = flat(scratch.table[b])
        c, state, kind = scratch.columns[b], scratch.state[b], scratch.kind[b]
        lane, slot = scratch.waiting[b, 0], scratch.slot[b, 0]
        p = coefficients_of(law.p)
        moving = walls.pose.shape[0] > 0
        hands_over = walls.surface.size > 0
        k, end = walls.begin[b], walls.begin[b + 1]
        while k < end:
            m = ZERO
            while k < end and m < FULL:
                i = walls.grain[k]
                w = walls.piece[k]
                d, nx, ny, nz = closest_moved(walls.kind, walls.data, w, time, walls.body,
                                              walls.pose, X[i, 0], X[i, 1], X[i, 2])
                if d < X[i, 3] + law.gap:
                    if hands_over and walls.surface[w] >= 0 and spring[width * np.uintp(k)
                                                                       + THREE] != now - 1.0:
                        hand_over(k, walls, history.spring, X, now - 1.0, law.gap, time)
                    _meet_wall(i, m, d, nx, ny, nz, rows, a, c, lane)
                    if walls.body[w] >= 0:
                        r = X[i, 3]
                        u, o = motion_of_wall(walls, w, X[i, 0] + r * nx, X[i, 1] + r * ny,
                                              X[i, 2] + r * nz)
                        _ride(m, nx, ny, nz, u, o, a, c)
                    gather(k, m, a, state, kind, material, walls, spring, law.materials)
                    slot[m] = k
                    m += ONE
                    if X[i, 3] - d > DEEPEST * X[i, 3]:
                        scratch.deep[b, 0] = i
                        scratch.deep[b, 1] = -2 - w
                k += 1
            turn_and_stretch(a, c, m, past, ahead, now - 1.0)
            push(a, c, lane, state, kind, m, p, now - 1.0, law.step, past, ahead)
            part(a, c, m, ahead, now, far)
            if rolls:
                resist(a, c, lane, m)
            if counted:
                keep(c, m, slot, scratch.kept_walls)
            scatter(a, state, m, flat_F, walls, slot, spring)
            if moving:
                _push_back(a, m, X, walls, slot, scratch.push[b])

    return sweep_walls

"""Contacts of grains with walls: the same law, a wall being a grain without end.

A wall piece has infinite mass and radius, so the effective mass is that of the grain and the arm is
its radius (Ferrez 3.3.3). Candidates are pairs (grain, piece) that may touch before the next
update, sorted by grain, then piece; each owns its slot of history like a pair of grains does.

Legend as in `sweep`; n points from the grain to the wall.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numba
import numpy as np
from numba.extending import register_jitable
from numpy.typing import NDArray

from granum.compile import parallel_kernel
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
    make_push,
    part,
    resist,
    turn_and_stretch,
)
from granum.contact.model import Model, make_unpack
from granum.vector_rows import EIGHT, FOUR, ONE, add_to_row, flat, read_row, write_row
from granum.walls import WallTable
from granum.walls.closest import closest, nearest_possible


class WallCandidates(NamedTuple):
    """Grains that may touch a wall piece soon, block by block."""

    begin: NDArray[np.int64]  # (blocks + 1,) a block's first slot
    grain: NDArray[np.int64]  # (slots,) grain, in storage order
    piece: NDArray[np.int64]  # (slots,) wall piece
    kind: NDArray[np.int64]  # (pieces,) what the piece is
    data: NDArray[np.float64]  # (pieces, p) where it is
    material: NDArray[np.int64]  # (pieces,) number of its material; -1: that of whoever touches it


def find_wall_candidates(
    X: NDArray[np.float64], block: NDArray[np.uint64], walls: WallTable,
    material: NDArray[np.int64], margin: NDArray[np.float64],
) -> WallCandidates:
    """Find all grains with a gap below their margin (n,) [m] to a wall piece, at any time."""
    count = np.zeros(len(block) - 1, dtype=np.int64)
    empty = np.zeros(0, dtype=np.int64)
    begin = np.zeros(len(block), dtype=np.int64)
    _search_walls(X, block, walls.kind, walls.data, margin, False, begin, count, empty, empty)
    np.cumsum(count, out=begin[1:])
    grain = np.empty(begin[-1], dtype=np.int64)
    piece = np.empty(begin[-1], dtype=np.int64)
    _search_walls(X, block, walls.kind, walls.data, margin, True, begin, count, grain, piece)
    return WallCandidates(begin, grain, piece, walls.kind, walls.data, material)


@parallel_kernel
def _search_walls(X, block, kind, data, margin, write, begin, count, grain, piece):
    """Count the candidates of each block, or write them down from ``begin`` on."""
    for b in numba.prange(block.size - 1):
        found = 0
        for i in range(block[b], block[b + 1]):
            for w in range(kind.size):
                near = X[i, 3] + margin[i]
                if nearest_possible(kind, data, w, X[i, 0], X[i, 1], X[i, 2]) < near:
                    if write:
                        grain[begin[b] + found] = i
                        piece[begin[b] + found] = w
                    found += 1
        count[b] = found


@register_jitable
def _meet_wall(i, m, d, nx, ny, nz, rows, a, c, w):
    """Write into lane m where grain i touches a wall and how it moves there."""
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
    rolls, far = model.couple is not None, model.far
    coefficients_of = make_unpack(model)

    @register_jitable
    def sweep_walls(b, rows, F, walls, history, now, law, past, ahead, time, scratch):
        """Find the grains of block b that touch a wall and add their forces."""
        X, material = rows.X, rows.material
        spring, flat_F = flat(history.spring), flat(F)
        a = flat(scratch.table[b])
        c, state, kind = scratch.columns[b], scratch.state[b], scratch.kind[b]
        lane, slot = scratch.waiting[b, 0], scratch.slot[b, 0]
        p = coefficients_of(law.p)
        k, end = walls.begin[b], walls.begin[b + 1]
        while k < end:
            m = ZERO
            while k < end and m < FULL:
                i = walls.grain[k]
                w = walls.piece[k]
                d, nx, ny, nz = closest(walls.kind, walls.data, w, time, X[i, 0], X[i, 1], X[i, 2])
                if d < X[i, 3] + law.gap:
                    _meet_wall(i, m, d, nx, ny, nz, rows, a, c, lane)
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
            scatter(a, state, m, flat_F, walls, slot, spring)

    return sweep_walls

"""Contacts to look at: where they are and what they carry, without changing anything.

Reading never writes: the law is evaluated on copies, with no time passing (dt = 0).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from granum.checks import FloatArray, IntArray
from granum.compile import kernel, source_of
from granum.contact.history import touching_pairs
from granum.contact.single import make_pair_force
from granum.contact.sweep import History, half_period, nearest_image
from granum.contact.walls import WallCandidates
from granum.neighbours import Candidates
from granum.walls import closest

COLUMNS = 15


@dataclass(frozen=True, eq=False)
class Contacts:
    """All contacts of a moment, one row each, in the order of their grains' ids.

    Attributes:
        i: (c,) id of a grain.
        j: (c,) id of its partner, i < j; -1 for a wall.
        wall: (c,) number of the wall piece; -1 for a grain.
        point: (c,3) contact point, where force and counter-force meet (see `sweep`) [m].
        normal: (c,3) unit vector from i to j.
        overlap: (c,) [m].
        force: (c,3) force on i [N].
        spring: (c,3) tangential spring seen from i [m].
        mass: (c,2) effective masses of approach and of slip [kg].
    """

    i: IntArray
    j: IntArray
    wall: IntArray
    point: FloatArray
    normal: FloatArray
    overlap: FloatArray
    force: FloatArray
    spring: FloatArray
    mass: FloatArray

    def __len__(self) -> int:
        """Return the number of contacts."""
        return len(self.i)


@cache
def make_table(force: Callable[..., Any]) -> Callable[..., Any]:
    """Return the kernel that lists pair contacts, with the law ``force`` compiled in."""
    pair_force = make_pair_force(force)
    law_source = source_of(force)

    @kernel
    def table(owner, slot, partner, X, V, W, spring, p, dt, L, out):
        law_source  # noqa: B018  (part of the cache key)
        for c in range(owner.size):
            i = owner[c]
            j = partner[slot[c]]
            dx = nearest_image(X[j, 0] - X[i, 0], L[0], half_period(L[0]))
            dy = nearest_image(X[j, 1] - X[i, 1], L[1], half_period(L[1]))
            dz = nearest_image(X[j, 2] - X[i, 2], L[2], half_period(L[2]))
            d = np.sqrt(dx * dx + dy * dy + dz * dz)
            nx, ny, nz = dx / d, dy / d, dz / d
            delta = X[i, 3] + X[j, 3] - d
            share = d / (X[i, 3] + X[j, 3])
            ri, rj = X[i, 3], X[j, 3]
            ai = share * ri
            wx = share * (ri * W[i, 0] + rj * W[j, 0])
            wy = share * (ri * W[i, 1] + rj * W[j, 1])
            wz = share * (ri * W[i, 2] + rj * W[j, 2])
            im = V[i, 3] + V[j, 3]
            ia = im + ri * W[i, 3] + rj * W[j, 3]
            k = slot[c]
            fx, fy, fz, _, _, _, sx, sy, sz = pair_force(
                p, -0.5 * dt, 0.0, delta, nx, ny, nz,
                V[j, 0] - V[i, 0] + ny * wz - nz * wy,
                V[j, 1] - V[i, 1] + nz * wx - nx * wz,
                V[j, 2] - V[i, 2] + nx * wy - ny * wx,
                1.0 / im, 1.0 / ia, spring[k, 0], spring[k, 1], spring[k, 2],
            )
            _write(out, c, X[i, 0] + ai * nx, X[i, 1] + ai * ny, X[i, 2] + ai * nz, nx, ny, nz,
                   delta, fx, fy, fz, sx, sy, sz, 1.0 / im, 1.0 / ia)

    return table


@cache
def make_wall_table(force: Callable[..., Any]) -> Callable[..., Any]:
    """Return the kernel that lists wall contacts, with the law ``force`` compiled in."""
    pair_force = make_pair_force(force)
    law_source = source_of(force)

    @kernel
    def table(slot, grain, piece, kind, data, time, X, V, W, spring, p, dt, out):
        law_source  # noqa: B018  (part of the cache key)
        for c in range(slot.size):
            k = slot[c]
            i = grain[k]
            d, nx, ny, nz = closest(kind, data, piece[k], time, X[i, 0], X[i, 1], X[i, 2])
            delta = X[i, 3] - d
            arm = X[i, 3]
            wx, wy, wz = arm * W[i, 0], arm * W[i, 1], arm * W[i, 2]
            im, ia = V[i, 3], V[i, 3] + arm * W[i, 3]
            fx, fy, fz, _, _, _, sx, sy, sz = pair_force(
                p, -0.5 * dt, 0.0, delta, nx, ny, nz,
                ny * wz - nz * wy - V[i, 0],
                nz * wx - nx * wz - V[i, 1],
                nx * wy - ny * wx - V[i, 2],
                1.0 / im, 1.0 / ia, spring[k, 0], spring[k, 1], spring[k, 2],
            )
            _write(out, c, X[i, 0] + arm * nx, X[i, 1] + arm * ny, X[i, 2] + arm * nz, nx, ny, nz,
                   delta, fx, fy, fz, sx, sy, sz, 1.0 / im, 1.0 / ia)

    return table


@kernel
def _write(out, c, px, py, pz, nx, ny, nz, delta, fx, fy, fz, sx, sy, sz, m_n, m_t):
    """Write one row of the table."""
    out[c, 0], out[c, 1], out[c, 2] = px, py, pz
    out[c, 3], out[c, 4], out[c, 5] = nx, ny, nz
    out[c, 6] = delta
    out[c, 7], out[c, 8], out[c, 9] = fx, fy, fz
    out[c, 10], out[c, 11], out[c, 12] = sx, sy, sz
    out[c, 13], out[c, 14] = m_n, m_t


def list_contacts(
    force: Callable[..., Any], p: tuple[float, ...], ids: IntArray, X: FloatArray, V: FloatArray,
    W: FloatArray, L: FloatArray, pairs: Candidates, history: History, walls: WallCandidates,
    wall_history: History, now: int, time: float, dt: float,
) -> Contacts:
    """Return all contacts of sweep ``now``, sorted by ids; arguments as in the sweep."""
    owner, slot = touching_pairs(pairs, history, now)
    found = np.zeros((len(owner), COLUMNS))
    make_table(force)(owner, slot, pairs.partner, X, V, W, history.spring, p, dt, L, found)
    i, j = ids[owner], ids[pairs.partner[slot]]
    turned = i > j
    for column in (3, 7, 10):  # seen from the other grain: normal, force, spring
        found[turned, column : column + 3] *= -1.0
    at_wall = np.flatnonzero(wall_history.spring[:, 3] == now)
    against = np.zeros((len(at_wall), COLUMNS))
    make_wall_table(force)(at_wall, walls.grain, walls.piece, walls.kind, walls.data, time, X, V, W,
                           wall_history.spring, p, dt, against)
    rows = np.concatenate([found, against]) + 0.0
    first = np.concatenate([np.minimum(i, j), ids[walls.grain[at_wall]]])
    second = np.concatenate([np.maximum(i, j), np.full(len(at_wall), -1)])
    piece = np.concatenate([np.full(len(i), -1), walls.piece[at_wall]])
    order = np.lexsort((piece, second, first))
    rows = rows[order]
    return Contacts(first[order], second[order], piece[order], rows[:, 0:3], rows[:, 3:6],
                    rows[:, 6], rows[:, 7:10], rows[:, 10:13], rows[:, 13:15])


def no_contacts() -> Contacts:
    """Return an empty table."""
    none, vectors = np.zeros(0, dtype=np.int64), np.zeros((0, 3))
    return Contacts(none, none, none, vectors, vectors, np.zeros(0), vectors, vectors,
                    np.zeros((0, 2)))

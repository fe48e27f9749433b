"""Contacts to look at: where they are and what they carry, without changing anything.

Reading never writes: the law is evaluated once more on copies, at the velocities of the moment and
with no time passing. The engine asked it at velocities that were predicted, and before friction cut
the spring: without dashpots the force is the one that acted, up to the second order of the step;
with them it may be off by what they do beside a spring that was just cut.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from granum.checks import FloatArray, IntArray
from granum.compile import kernel
from granum.contact.batch import ZERO
from granum.contact.history import touching_pairs
from granum.contact.model import Model, make_reader
from granum.contact.single import make_pair_force
from granum.contact.sweep import History, Numbers, half_period, nearest_image
from granum.contact.walls import WallCandidates, motion_of_wall
from granum.neighbours import Candidates
from granum.walls.moving import closest_moved

COLUMNS = 21  # point, normal, overlap, force, spring, couple, masses, energies


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
        energy: (c,3) energy that normal force, tangential force and couple can give back [J].
        couple: (c,3) couple on i against rolling and twisting [N m]; 0 for most laws.
        radius: (c,2) radii of the two balls that touch, of i and of j [m]; inf for a wall.
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
    energy: FloatArray
    couple: FloatArray
    radius: FloatArray

    def __len__(self) -> int:
        """Return the number of contacts."""
        return len(self.i)

    def chosen(self, keep: NDArray[np.bool_]) -> Contacts:
        """Return the contacts where ``keep`` is true."""
        return Contacts(**{field.name: getattr(self, field.name)[keep] for field in fields(self)})


@cache
def make_table(model: Model) -> Callable[..., Any]:
    """Return the kernel that lists pair contacts, with the law compiled in."""
    pair_force = make_pair_force(model)
    sources = model.sources
    state_at, coefficients_at = make_reader(len(model.signs), 1), make_reader(model.coefficients, 1)
    mixed, count = model.mixed, np.uintp(model.coefficients)

    @kernel
    def table(owner, slot, partner, rows, spring, law, L, out):
        sources  # noqa: B018  (part of the cache key)
        X, V, W = rows.X, rows.V, rows.W
        for c in range(owner.size):
            i = owner[c]
            j = partner[slot[c]]
            dx = nearest_image(X[j, 0] - X[i, 0], L[0], half_period(L[0]))
            dy = nearest_image(X[j, 1] - X[i, 1], L[1], half_period(L[1]))
            dz = nearest_image(X[j, 2] - X[i, 2], L[2], half_period(L[2]))
            d = np.sqrt(dx * dx + dy * dy + dz * dz)
            nx, ny, nz = dx / d, dy / d, dz / d
            ri, rj = X[i, 3], X[j, 3]
            share = d / (ri + rj)
            ai = share * ri
            wx = share * (ri * W[i, 0] + rj * W[j, 0])
            wy = share * (ri * W[i, 1] + rj * W[j, 1])
            wz = share * (ri * W[i, 2] + rj * W[j, 2])
            im = V[i, 3] + V[j, 3]
            ia = im + ri * W[i, 3] + rj * W[j, 3]
            row = spring[slot[c]]
            kind = np.uintp(rows.material[i] * law.materials + rows.material[j]) if mixed else ZERO
            p = coefficients_at(law.p, count * kind)
            force, moment, s, energies = pair_force(
                p, law.step, ri + rj - d, nx, ny, nz,
                V[j, 0] - V[i, 0] + ny * wz - nz * wy,
                V[j, 1] - V[i, 1] + nz * wx - nx * wz,
                V[j, 2] - V[i, 2] + nx * wy - ny * wx,
                (W[j, 0] - W[i, 0], W[j, 1] - W[i, 1], W[j, 2] - W[i, 2]),
                1.0 / im, 1.0 / ia, ri / (1.0 + ri / rj), row, state_at(row, np.uintp(4)),
            )
            write_contact(out, c, (X[i, 0] + ai * nx, X[i, 1] + ai * ny, X[i, 2] + ai * nz),
                          (nx, ny, nz), ri + rj - d, force, s, moment, (1.0 / im, 1.0 / ia),
                          energies)

    return table


@cache
def make_wall_table(model: Model) -> Callable[..., Any]:
    """Return the kernel that lists wall contacts, with the law compiled in."""
    pair_force = make_pair_force(model)
    sources = model.sources
    state_at, coefficients_at = make_reader(len(model.signs), 1), make_reader(model.coefficients, 1)
    mixed, count = model.mixed, np.uintp(model.coefficients)

    @kernel
    def table(slot, walls, time, rows, spring, law, out):
        sources  # noqa: B018  (part of the cache key)
        X, V, W = rows.X, rows.V, rows.W
        for c in range(slot.size):
            k = slot[c]
            i = walls.grain[k]
            d, nx, ny, nz = closest_moved(walls.kind, walls.data, walls.piece[k], time, walls.body,
                                          walls.pose, X[i, 0], X[i, 1], X[i, 2])
            r = X[i, 3]
            u, o = motion_of_wall(walls, walls.piece[k], X[i, 0] + r * nx, X[i, 1] + r * ny,
                                  X[i, 2] + r * nz)
            wx, wy, wz = r * W[i, 0], r * W[i, 1], r * W[i, 2]
            mine = np.int64(rows.material[i])
            other = walls.material[walls.piece[k]]
            other = mine if other < 0 else other
            kind = np.uintp(mine * np.int64(law.materials) + other) if mixed else ZERO
            p = coefficients_at(law.p, count * kind)
            m_n, m_t = 1.0 / V[i, 3], 1.0 / (V[i, 3] + r * W[i, 3])
            force, moment, s, energies = pair_force(
                p, law.step, r - d, nx, ny, nz,
                ny * wz - nz * wy - (V[i, 0] - u[0]),
                nz * wx - nx * wz - (V[i, 1] - u[1]),
                nx * wy - ny * wx - (V[i, 2] - u[2]),
                (-(W[i, 0] - o[0]), -(W[i, 1] - o[1]), -(W[i, 2] - o[2])),
                m_n, m_t, r, spring[k], state_at(spring[k], np.uintp(4)),
            )
            write_contact(out, c, (X[i, 0] + r * nx, X[i, 1] + r * ny, X[i, 2] + r * nz),
                          (nx, ny, nz), r - d, force, s, moment, (m_n, m_t), energies)

    return table


@kernel
def write_contact(out, c, point, normal, delta, force, spring, couple, masses, energies):
    """Write one row of the table."""
    for a in range(3):
        out[c, a], out[c, 3 + a] = point[a], normal[a]
        out[c, 7 + a], out[c, 10 + a], out[c, 13 + a] = force[a], spring[a], couple[a]
        out[c, 18 + a] = energies[a]
    out[c, 6] = delta
    out[c, 16], out[c, 17] = masses


def list_pairs(
    model: Model, law: Numbers, rows: Any, L: FloatArray, pairs: Candidates, history: History,
    now: int,
) -> tuple[IntArray, IntArray, FloatArray]:
    """Return the rows of both grains of all contacts of sweep ``now``, and their columns."""
    owner, slot = touching_pairs(pairs, history, now)
    found = np.zeros((len(owner), COLUMNS))
    make_table(model)(owner, slot, pairs.partner, rows, history.spring, law, L, found)
    return owner, pairs.partner[slot].astype(np.int64), found


def list_contacts(
    model: Model, law: Numbers, ids: IntArray, rows: Any,
    pairs: tuple[IntArray, IntArray, FloatArray], walls: WallCandidates, wall_history: History,
    now: int, time: float, rims: tuple[IntArray, IntArray, FloatArray] | None = None,
) -> Contacts:
    """Return all contacts of sweep ``now``, sorted by ids: those of ``pairs``, and with walls.

    Contacts of pairs are told by the rows of the partners and their columns, those with rims of
    walls by rows and pieces; the rest of the arguments is as in the sweep.
    """
    owner, partner, found = pairs
    i, j = ids[owner], ids[partner]
    turned = i > j
    for column in (3, 7, 10, 13):  # seen from the other grain: normal, force, spring, couple
        found[turned, column : column + 3] *= -1.0
    at_wall = np.flatnonzero(wall_history.spring[:, 3] == now)
    against = np.zeros((len(at_wall), COLUMNS))
    make_wall_table(model)(at_wall, walls, time, rows, wall_history.spring, law, against)
    grain, touched = walls.grain[at_wall], walls.piece[at_wall]
    if rims is not None:
        grain, touched, against = (np.concatenate(both) for both in zip(
            (grain, touched, against), rims, strict=True))
    of_pairs = rows.X[np.column_stack((owner, partner)), 3]
    of_pairs = np.where(turned[:, None], of_pairs[:, ::-1], of_pairs)
    of_walls = np.column_stack((rows.X[grain, 3], np.full(len(grain), np.inf)))
    radius = np.concatenate([of_pairs, of_walls])
    rows = np.concatenate([found, against]) + 0.0
    first = np.concatenate([np.minimum(i, j), ids[grain]])
    second = np.concatenate([np.maximum(i, j), np.full(len(grain), -1)])
    piece = np.concatenate([np.full(len(i), -1), touched])
    order = np.lexsort((piece, second, first))
    rows = rows[order]
    return Contacts(first[order], second[order], piece[order], rows[:, 0:3], rows[:, 3:6],
                    rows[:, 6], rows[:, 7:10], rows[:, 10:13], rows[:, 16:18],
                    rows[:, 18:21], rows[:, 13:16], radius[order])


def no_contacts() -> Contacts:
    """Return an empty table."""
    none, vectors = np.zeros(0, dtype=np.int64), np.zeros((0, 3))
    return Contacts(none, none, none, vectors, vectors, np.zeros(0), vectors, vectors,
                    np.zeros((0, 2)), vectors, vectors, np.zeros((0, 2)))

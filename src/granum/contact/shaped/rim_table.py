"""Contacts of features with rims to look at, as `granum.contact.table` lists those of balls."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from granum.checks import FloatArray, IntArray
from granum.compile import kernel
from granum.contact.batch import ZERO
from granum.contact.model import Model, make_reader
from granum.contact.shaped.rim_sweep import (
    ENDS,
    PLACE,
    ends_at,
    make_rim_ends,
    meet_rim,
    mixed,
    motion_at,
)
from granum.contact.shaped.rims import RimSlots
from granum.contact.single import make_pair_force
from granum.contact.sweep import History, Numbers
from granum.contact.table import COLUMNS, write_contact


@cache
def make_rim_table(model: Model) -> Callable[..., Any]:
    """Return the kernel that lists contacts at rims, with the law compiled in."""
    pair_force, rim_ends = make_pair_force(model), make_rim_ends(model)
    sources = model.sources
    state_at, coefficients_at = make_reader(len(model.signs), 1), make_reader(model.coefficients, 1)
    mixes, count = model.mixed, np.uintp(model.coefficients)

    @kernel
    def table(slot, rims, rows, spring, law, out):
        sources  # noqa: B018  (part of the cache key)
        V, W, X, pose, carrier = rows.V, rows.W, rims.X, rims.pose, rims.carrier
        lane, forces = np.zeros((1, 8)), np.zeros((4, 8))
        for c in range(slot.size):
            k = slot[c]
            way, heavy = meet_rim(k, rims, law.gap, lane, 0)
            if heavy == 0.0:  # it has parted since the forces were found
                continue
            i, f = np.int64(rims.row[k, 0]), rims.rim[k]
            body, r = rims.body[i], rims.arm[i, 3]
            d = np.sqrt(way[0] * way[0] + way[1] * way[1] + way[2] * way[2])
            nx, ny, nz = way[0] / d, way[1] / d, way[2] / d
            x, y, z = (X[body, 0] + lane[0, PLACE] + r * nx, X[body, 1] + lane[0, PLACE + 1]
                       + r * ny, X[body, 2] + lane[0, PLACE + 2] + r * nz)
            g = mixed(V, rims.row, k, lane, 0)
            u, o = motion_at(f, carrier, pose, x, y, z)
            wx, wy, wz = r * W[i, 0], r * W[i, 1], r * W[i, 2]
            mine = np.int64(rows.material[i])
            other = rims.material[f]
            other = mine if other < 0 else other
            kind = np.uintp(mine * np.int64(law.materials) + other) if mixes else ZERO
            p = coefficients_at(law.p, count * kind)
            state = state_at(spring[k], np.uintp(4))
            masses = 1.0 / V[i, 3], 1.0 / (V[i, 3] + r * W[i, 3]), r
            force, moment, s, energies = pair_force(
                p, law.step, r - d, nx, ny, nz, ny * wz - nz * wy - (g[0] - u[0]),
                nz * wx - nx * wz - (g[1] - u[1]), nx * wy - ny * wx - (g[2] - u[2]),
                (-(W[i, 0] - o[0]), -(W[i, 1] - o[1]), -(W[i, 2] - o[2])),
                masses[0], masses[1], masses[2], spring[k], state)
            stored, moved = heavy, 0.0
            forces[:] = 0.0
            if lane[0, ENDS] != 0.0:
                acting = -(force[0] * nx + force[1] * ny + force[2] * nz)
                stored, heavy, ends = rim_ends(ends_at(k, rims), r - d, acting, r, p, state,
                                               masses, forces)
                moved = ends[0] + ends[1] + ends[2] + ends[3]
            on = (heavy * force[0] - moved * nx + forces[:, 0].sum(),
                  heavy * force[1] - moved * ny + forces[:, 1].sum(),
                  heavy * force[2] - moved * nz + forces[:, 2].sum())
            write_contact(out, c, (x, y, z), (nx, ny, nz), r - d, on, s,
                          (heavy * moment[0], heavy * moment[1], heavy * moment[2]), masses[:2],
                          (stored * energies[0], heavy * energies[1], heavy * energies[2]))

    return table


def list_rims(model: Model, law: Numbers, rows: Any, rims: RimSlots, history: History, now: int
              ) -> tuple[IntArray, IntArray, FloatArray]:
    """Return the first rows of the features of all contacts at rims, the wall pieces, the columns.

    Forces are those that count, with those of the ends of edges that cross: their sum is what the
    wall carries.
    """
    slot = np.flatnonzero(history.spring[:, 3] == now)
    found = np.zeros((len(slot), COLUMNS))
    make_rim_table(model)(slot, rims, rows, history.spring, law, found)
    return rims.row[slot, 0].astype(np.int64), rims.piece[rims.rim[slot]], found

"""Contacts of features to look at, as `granum.contact.table` lists those of balls."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from granum.checks import FloatArray, IntArray
from granum.compile import kernel
from granum.contact.batch import ZERO
from granum.contact.model import Model, make_reader
from granum.contact.shaped.crossing import corners_of, ends_of_crossing, make_weigh
from granum.contact.shaped.meeting import HERE, place_of
from granum.contact.shaped.slots import Slots
from granum.contact.shaped.sweep import (
    ENDS,
    WEIGHT,
    WIDTH,
    meet_features,
    mixed_velocity,
    split,
    weight_tables,
)
from granum.contact.single import make_pair_force
from granum.contact.sweep import History, Numbers, half_period
from granum.contact.table import COLUMNS, write_contact


@cache
def make_shaped_table(model: Model) -> Callable[..., Any]:
    """Return the kernel that lists contacts of features, with the law compiled in."""
    pair_force, weigh = make_pair_force(model), make_weigh(model)
    sources = model.sources
    state_at, coefficients_at = make_reader(len(model.signs), 1), make_reader(model.coefficients, 1)
    mixed, count = model.mixed, np.uintp(model.coefficients)

    @kernel
    def table(slot, pairs, rows, spring, law, L, out):
        sources  # noqa: B018  (part of the cache key)
        V, W = rows.V, rows.W
        half = half_period(L[0]), half_period(L[1]), half_period(L[2])
        lane, tables = np.zeros((1, WIDTH)), weight_tables(pairs)
        for c in range(slot.size):
            k = slot[c]
            way, ri, rj, _ = meet_features(
                k, pairs.kind, pairs.row, pairs.limb, pairs.X, pairs.lever, pairs.radius,
                pairs.body, tables, L, half, law.gap, lane, 0)
            d = np.sqrt(way[0] * way[0] + way[1] * way[1] + way[2] * way[2])
            nx, ny, nz = way[0] / d, way[1] / d, way[2] / d
            i, j, middle = pairs.row[k, 0], pairs.row[k, 3], split(pairs.kind[k])
            u = mixed_velocity(V, pairs.row, k, lane, 0, 0, middle)
            w = mixed_velocity(V, pairs.row, k, lane, 0, middle, 4)
            share = d / (ri + rj)
            wx = share * (ri * W[i, 0] + rj * W[j, 0])
            wy = share * (ri * W[i, 1] + rj * W[j, 1])
            wz = share * (ri * W[i, 2] + rj * W[j, 2])
            im = V[i, 3] + V[j, 3]
            ia = im + ri * W[i, 3] + rj * W[j, 3]
            kind = np.uintp(rows.material[i] * law.materials + rows.material[j]) if mixed else ZERO
            p = coefficients_at(law.p, count * kind)
            state = state_at(spring[k], np.uintp(4))
            masses = 1.0 / im, 1.0 / ia, ri / (1.0 + ri / rj)
            force, moment, s, energies = pair_force(
                p, law.step, ri + rj - d, nx, ny, nz,
                w[0] - u[0] + ny * wz - nz * wy, w[1] - u[1] + nz * wx - nx * wz,
                w[2] - u[2] + nx * wy - ny * wx,
                (W[j, 0] - W[i, 0], W[j, 1] - W[i, 1], W[j, 2] - W[i, 2]),
                masses[0], masses[1], masses[2], spring[k], state,
            )
            x, y, z = 0.0, 0.0, 0.0
            for q in range(middle):
                at = place_of(pairs.lever, np.int64(pairs.row[k, q]), HERE)
                x, y, z = (x + lane[0, q] * at[0], y + lane[0, q] * at[1],
                           z + lane[0, q] * at[2])
            body, g, a = pairs.body[i], lane[0, WEIGHT], share * ri
            stored = g
            if lane[0, ENDS] != 0.0:
                v = corners_of(k, pairs.row, pairs.X, pairs.lever, pairs.body, L, half)
                ends = ends_of_crossing(v[0], v[1], v[2], v[3])
                stored, g, _ = weigh(ri + rj - d, ri + rj, p, state, masses, ends)
            write_contact(
                out, c, (pairs.X[body, 0] + x + a * nx, pairs.X[body, 1] + y + a * ny,
                         pairs.X[body, 2] + z + a * nz), (nx, ny, nz), ri + rj - d,
                (g * force[0], g * force[1], g * force[2]), s,
                (g * moment[0], g * moment[1], g * moment[2]), masses[:2],
                (stored * energies[0], g * energies[1], g * energies[2]))

    return table


def list_features(
    model: Model, law: Numbers, rows: Any, L: FloatArray, pairs: Slots, history: History, now: int,
) -> tuple[IntArray, IntArray, FloatArray]:
    """Return the first rows of both features of all contacts of sweep ``now``, and their columns.

    Forces, couples and energies are those that count: the law's, times the weight of the contact.
    Those of ends of edges that cross are small and not told.
    """
    slot = np.flatnonzero(history.spring[:, 3] == now)
    found = np.zeros((len(slot), COLUMNS))
    make_shaped_table(model)(slot, pairs, rows, history.spring, law, L, found)
    row = pairs.row[slot].astype(np.int64)
    return row[:, 0], row[:, 3], found

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
from granum.contact.shaped.levers import velocity_of
from granum.contact.shaped.meeting import bodies_of, centre_shift
from granum.contact.shaped.slots import Slots
from granum.contact.single import make_pair_force
from granum.contact.sweep import History, Numbers, half_period
from granum.contact.table import COLUMNS, write_contact


@cache
def make_shaped_table(model: Model, meet_slot: Callable[..., Any]) -> Callable[..., Any]:
    """Return the kernel that lists contacts of features, with the law compiled in.

    ``meet_slot`` tells where a slot meets, as `meet_features` does.
    """
    pair_force, weigh = make_pair_force(model), make_weigh(model)
    sources = model.sources
    state_at, coefficients_at = make_reader(len(model.signs), 1), make_reader(model.coefficients, 1)
    mixed, count = model.mixed, np.uintp(model.coefficients)

    @kernel
    def table(slot, pairs, spring, law, L, out):
        sources  # noqa: B018  (part of the cache key)
        X, V, W, axes, arm = pairs.X, pairs.V, pairs.W, pairs.axes, pairs.arm
        half = half_period(L[0]), half_period(L[1]), half_period(L[2])
        for c in range(slot.size):
            k = np.uintp(slot[c])
            i, j = bodies_of(k, pairs.who)
            ri, rj = arm[pairs.row[k, 0], 3], arm[pairs.row[k, 3], 3]
            shift = centre_shift(X, i, j, L, half)
            way, here, g, near_ends = meet_slot(k, i, j, shift, ri + rj + law.gap, pairs)
            if g == 0.0:  # they have parted since the forces were found
                continue
            d = np.sqrt(way[0] * way[0] + way[1] * way[1] + way[2] * way[2])
            nx, ny, nz = way[0] / d, way[1] / d, way[2] / d
            u = velocity_of(V, W, i, here[0], here[1], here[2])
            w = velocity_of(V, W, j, here[0] + way[0] - shift[0], here[1] + way[1] - shift[1],
                            here[2] + way[2] - shift[2])
            share = d / (ri + rj)
            wx = share * (ri * W[i, 0] + rj * W[j, 0])
            wy = share * (ri * W[i, 1] + rj * W[j, 1])
            wz = share * (ri * W[i, 2] + rj * W[j, 2])
            im = V[i, 3] + V[j, 3]
            ia = im + (W[i, 3] + W[j, 3])
            kind = (np.uintp(pairs.material[i] * law.materials + pairs.material[j]) if mixed
                    else ZERO)
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
            stored, a, push = g, share * ri, 0.0
            if near_ends != 0.0:
                v = corners_of(k, i, j, shift, pairs.row, axes, arm)
                acting = -(force[0] * nx + force[1] * ny + force[2] * nz)
                stored, g, moved = weigh(ri + rj - d, acting, ri + rj, p, state, masses,
                                         ends_of_crossing(v[0], v[1], v[2], v[3]))
                push = moved[0] + moved[1] + moved[2] + moved[3]
            write_contact(
                out, c, (X[i, 0] + here[0] + a * nx, X[i, 1] + here[1] + a * ny,
                         X[i, 2] + here[2] + a * nz), (nx, ny, nz), ri + rj - d,
                (g * force[0] - push * nx, g * force[1] - push * ny, g * force[2] - push * nz), s,
                (g * moment[0], g * moment[1], g * moment[2]), masses[:2],
                (stored * energies[0], g * energies[1], g * energies[2]))

    return table


def list_features(
    model: Model, law: Numbers, L: FloatArray, pairs: Slots, history: History, now: int,
    meet_slot: Callable[..., Any],
) -> tuple[IntArray, IntArray, FloatArray]:
    """Return the first rows of both features of all contacts of sweep ``now``, and their columns.

    Forces, couples and energies are those that count: the law's, times the weight of the contact.
    Those of ends of edges that cross are small and not told.
    """
    slot = np.flatnonzero(history.spring[:, 3] == now)
    found = np.zeros((len(slot), COLUMNS))
    make_shaped_table(model, meet_slot)(slot, pairs, history.spring, law, L, found)
    row = pairs.row[slot].astype(np.int64)
    first, second = pairs.who[slot, 0], pairs.who[slot, 1]
    return row[:, 0] + pairs.ahead[first], row[:, 3] + pairs.ahead[second], found

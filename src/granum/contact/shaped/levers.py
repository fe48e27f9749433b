"""What rigid bodies add to a batch of contacts: velocities at levers, and torques by them.

The arithmetic of a batch (`contact.batch`) is that of two balls. Two bodies that touch off their
centres go there with V + W × lever, and a force f there turns them by lever × f. Both are found for
all lanes at once, in loops that become vector instructions; what is gathered before and scattered
after is whole rows.

Legend: a, c, w as in `contact.batch`; share the rows of features, flat:

    HERE    way from the centre of the first body to the contact, weight
    THERE   way from the centre of the second, 1 if the ends of a crossing are within reach
    FIRST   spin of the first body
    SECOND  spin of the second
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numba.extending import register_jitable

from granum.compile import uncounted
from granum.contact.batch import (
    ARM,
    COUPLE,
    CX,
    CY,
    CZ,
    DEEPEST,
    F_N,
    FORCE,
    GOING,
    LANES,
    LARGE,
    MASK,
    NX,
    NY,
    NZ,
    OVERLAP,
    ROLLING,
    SMALL,
    SPRING,
    SX,
    SY,
    SZ,
    TORQUE,
    TURNING,
    TX,
    TY,
    TZ,
    UX,
    UY,
    UZ,
)
from granum.contact.model import Model
from granum.vector_rows import FOUR, ONE, THREE, TWO, filled, read_row, write_row

HERE, THERE, FIRST, SECOND = (np.uintp(4 * k * LANES) for k in range(4))
WEIGHT, ENDS = HERE + THREE, THERE + THREE


@uncounted
def velocity_of(V, W, i, x, y, z):
    """Return the velocity of body i at a point, seen from its centre."""
    return (V[i, 0] + (W[i, 1] * z - W[i, 2] * y), V[i, 1] + (W[i, 2] * x - W[i, 0] * z),
            V[i, 2] + (W[i, 0] * y - W[i, 1] * x))


def make_ride(model: Model) -> Callable[..., Any]:
    """Return the loop that adds to the velocities what the spins make of them at the levers."""
    rolls = model.couple is not None

    @register_jitable
    def ride(a, w, share, lanes):
        for m in range(filled(lanes) & MASK):
            q = m * FOUR
            x, y, z = share[HERE + q], share[HERE + q + ONE], share[HERE + q + TWO]
            px, py, pz = share[FIRST + q], share[FIRST + q + ONE], share[FIRST + q + TWO]
            ux, uy, uz = py * z - pz * y, pz * x - px * z, px * y - py * x
            x, y, z = share[THERE + q], share[THERE + q + ONE], share[THERE + q + TWO]
            qx, qy, qz = share[SECOND + q], share[SECOND + q + ONE], share[SECOND + q + TWO]
            i, j = w[SMALL + m], w[LARGE + m]
            vx, vy, vz, per_mass = read_row(a, GOING + q)
            write_row(a, GOING + q, vx + (qy * z - qz * y - ux), vy + (qz * x - qx * z - uy),
                      vz + (qx * y - qy * x - uz), per_mass)
            write_row(a, TURNING + q, i * px + j * qx, i * py + j * qy, i * pz + j * qz,
                      a[TURNING + q + THREE])
            if rolls:
                write_row(a, ROLLING + q, qx - px, qy - py, qz - pz, 0.0)

    return ride


def make_part_bodies(model: Model) -> Callable[..., Any]:
    """Return what `contact.batch.part` and `resist` are for balls: forces, torques and springs."""
    rolls, far = model.couple is not None, model.far

    @register_jitable
    def part_bodies(a, c, w, share, lanes, ahead, now):
        """Write the weighed force on the first body, the torques on both, and the springs.

        Return how many are too deep in each other.
        """
        too_deep = 0
        for m in range(filled(lanes) & MASK):
            q = m * FOUR
            too_deep += 1 if c[OVERLAP + m] > DEEPEST * min(w[SMALL + m], w[LARGE + m]) else 0
            nx, ny, nz = c[NX + m], c[NY + m], c[NZ + m]
            tx, ty, tz = c[TX + m], c[TY + m], c[TZ + m]
            f_n, arm, g = c[F_N + m], c[ARM + m], share[WEIGHT + q]
            touches = not far or c[OVERLAP + m] > 0.0 or f_n != 0.0
            write_row(a, SPRING + q, c[SX + m] + ahead * c[UX + m], c[SY + m] + ahead * c[UY + m],
                      c[SZ + m] + ahead * c[UZ + m], now if touches else -1.0)
            fx, fy, fz = g * (tx - f_n * nx), g * (ty - f_n * ny), g * (tz - f_n * nz)
            write_row(a, FORCE + q, fx, fy, fz, 0.0)
            i, j = g * (arm * w[SMALL + m]), g * (arm * w[LARGE + m])
            tx, ty, tz = ny * tz - nz * ty, nz * tx - nx * tz, nx * ty - ny * tx
            cx, cy, cz = ((g * c[CX + m], g * c[CY + m], g * c[CZ + m]) if rolls
                          else (0.0, 0.0, 0.0))
            x, y, z = share[HERE + q], share[HERE + q + ONE], share[HERE + q + TWO]
            write_row(a, TORQUE + q, y * fz - z * fy + (i * tx + cx),
                      z * fx - x * fz + (i * ty + cy), x * fy - y * fx + (i * tz + cz), 0.0)
            x, y, z = share[THERE + q], share[THERE + q + ONE], share[THERE + q + TWO]
            write_row(a, COUPLE + q, z * fy - y * fz + (j * tx - cx),
                      x * fz - z * fx + (j * ty - cy), y * fx - x * fy + (j * tz - cz), 0.0)
        return too_deep

    return part_bodies

"""What rigid bodies add to a batch of contacts: velocities at levers, and torques by them.

The arithmetic of a batch (`contact.batch`) is that of two balls. Two bodies that touch off their
centres go there with V + W × lever, and a force f there turns them by lever × f. Both are found for
all lanes at once, in loops that become vector instructions; what is gathered before and scattered
after is whole rows. A loop that reads three numbers of a row and leaves one does its last vector
lane by lane, for fear of reading beyond the table; so a row has four that its readers use.

Legend: a, c, w as in `contact.batch`; share the rows of features, flat:

    HERE    way from the centre of the first body to its point, radius of the ball that sweeps it
    THERE   the same of the second
    FIRST   spin of the first body, its r²/I
    SECOND  the same of the second

and two more columns of c:

    HEAVY   how often the contact counts
    ENDS    1 if the ends of a crossing are within reach
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
    MASK,
    MORE,
    NX,
    NY,
    NZ,
    OVERLAP,
    ROLLING,
    SPRING,
    SX,
    SY,
    SZ,
    TORQUE,
    TX,
    TY,
    TZ,
    UX,
    UY,
    UZ,
    meet_lane,
)
from granum.contact.model import Model
from granum.vector_rows import FOUR, filled, read_row, write_row

HERE, THERE, FIRST, SECOND = (np.uintp(4 * k * LANES) for k in range(4))
HEAVY, ENDS = np.uintp(MORE * LANES), np.uintp((MORE + 1) * LANES)


@uncounted
def velocity_of(V, W, i, x, y, z):
    """Return the velocity of body i at a point, seen from its centre."""
    return (V[i, 0] + (W[i, 1] * z - W[i, 2] * y), V[i, 1] + (W[i, 2] * x - W[i, 0] * z),
            V[i, 2] + (W[i, 0] * y - W[i, 1] * x))


def make_meet_bodies(model: Model) -> Callable[..., Any]:
    """Return what `contact.batch.meet` is for balls, with the velocities at the levers."""
    rolls = model.couple is not None

    @register_jitable
    def meet_bodies(a, c, w, share, lanes):
        """Find where bodies touch; return how many are too deep in each other."""
        too_deep = 0
        for m in range(filled(lanes) & MASK):
            q = m * FOUR
            x, y, z, i = read_row(share, HERE + q)
            px, py, pz, one = read_row(share, FIRST + q)
            ux, uy, uz = py * z - pz * y, pz * x - px * z, px * y - py * x
            x, y, z, j = read_row(share, THERE + q)
            qx, qy, qz, two = read_row(share, SECOND + q)
            vx, vy, vz, per_mass = read_row(a, GOING + q)
            going = (vx + (qy * z - qz * y - ux), vy + (qz * x - qx * z - uy),
                     vz + (qx * y - qy * x - uz))
            dx, dy, dz, reach = read_row(w, q)
            overlap = meet_lane(c, m, (dx, dy, dz), reach, going, per_mass,
                                (i * px + j * qx, i * py + j * qy, i * pz + j * qz), one + two)
            too_deep += 1 if overlap > DEEPEST * min(i, j) else 0
            if rolls:
                write_row(a, ROLLING + q, qx - px, qy - py, qz - pz, 0.0)
        return too_deep

    return meet_bodies


def make_part_bodies(model: Model) -> Callable[..., Any]:
    """Return what `contact.batch.part` and `resist` are for balls: forces, torques and springs."""
    rolls, far = model.couple is not None, model.far

    @register_jitable
    def part_bodies(a, c, share, lanes, ahead, now):
        """Write the weighed force on the first body, the torques on both, and the springs."""
        for m in range(filled(lanes) & MASK):
            q = m * FOUR
            x, y, z, i = read_row(share, HERE + q)
            xx, yy, zz, j = read_row(share, THERE + q)
            nx, ny, nz = c[NX + m], c[NY + m], c[NZ + m]
            tx, ty, tz = c[TX + m], c[TY + m], c[TZ + m]
            f_n, arm, g = c[F_N + m], c[ARM + m], c[HEAVY + m]
            touches = not far or c[OVERLAP + m] > 0.0 or f_n != 0.0
            write_row(a, SPRING + q, c[SX + m] + ahead * c[UX + m], c[SY + m] + ahead * c[UY + m],
                      c[SZ + m] + ahead * c[UZ + m], now if touches else -1.0)
            fx, fy, fz = g * (tx - f_n * nx), g * (ty - f_n * ny), g * (tz - f_n * nz)
            write_row(a, FORCE + q, fx, fy, fz, 0.0)
            i, j = g * (arm * i), g * (arm * j)
            tx, ty, tz = ny * tz - nz * ty, nz * tx - nx * tz, nx * ty - ny * tx
            cx, cy, cz = ((g * c[CX + m], g * c[CY + m], g * c[CZ + m]) if rolls
                          else (0.0, 0.0, 0.0))
            write_row(a, TORQUE + q, y * fz - z * fy + (i * tx + cx),
                      z * fx - x * fz + (i * ty + cy), x * fy - y * fx + (i * tz + cz), 0.0)
            write_row(a, COUPLE + q, zz * fy - yy * fz + (j * tx - cx),
                      xx * fz - zz * fx + (j * ty - cy), yy * fx - xx * fy + (j * tz - cz), 0.0)

    return part_bodies

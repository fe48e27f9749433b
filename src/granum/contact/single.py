"""The arithmetic of one contact at a time, for the table of contacts.

It is what a `batch` does in four loops, written out for one pair.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numba.extending import register_jitable

from granum.contact.batch import turn


def make_pair_force(force: Callable[..., Any]) -> Callable[..., Any]:
    """Return the arithmetic of one contact, with the law ``force`` compiled in."""

    @register_jitable
    def pair_force(p, past, ahead, delta, nx, ny, nz, vx, vy, vz, m_n, m_t, sx, sy, sz):
        """Return force on i, torque for each metre of arm, and the new spring.

        v is the velocity of j relative to i at the contact point, m_n and m_t the effective masses
        of approach and of slip. The spring is remembered half a step ahead: it is stretched by
        ``past`` [s] of slip before the law sees it and by ``ahead`` [s] after, so that slip, like
        approach, is met to second order.
        """
        along = vx * nx + vy * ny + vz * nz
        ux = vx - along * nx
        uy = vy - along * ny
        uz = vz - along * nz
        sx, sy, sz = turn(sx, sy, sz, nx, ny, nz)
        f, tx, ty, tz, sx, sy, sz = force(
            p, delta, -along, m_n, m_t, sx + past * ux, sy + past * uy, sz + past * uz, ux, uy, uz
        )
        return (
            tx - f * nx, ty - f * ny, tz - f * nz,
            ny * tz - nz * ty, nz * tx - nx * tz, nx * ty - ny * tx,
            sx + ahead * ux, sy + ahead * uy, sz + ahead * uz,
        )

    return pair_force

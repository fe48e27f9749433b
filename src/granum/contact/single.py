"""The arithmetic of one contact at a time, for the table of contacts.

It is what a `batch` does in four loops, written out for one pair.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numba.extending import register_jitable

from granum.contact.batch import turn
from granum.contact.model import Model, Touch, Turning


def make_pair_force(model: Model) -> Callable[..., Any]:
    """Return the arithmetic of one contact, with the law compiled in."""
    force, couple, potential = model.force, model.couple, model.potential

    @register_jitable
    def pair_force(p, dt, delta, nx, ny, nz, vx, vy, vz, spin, m_n, m_t, radius, spring, state):
        """Return force and couple on i, the spring, and three energies.

        These are what normal force, tangential force and couple can give back [J].

        v is the velocity of j relative to i at the contact point, spin that of j less that of i,
        m_n and m_t the effective masses of approach and of slip. Springs are remembered half a step
        ahead, so that slip, like approach, is met to second order; they are taken back here, and
        no time passes.
        """
        along = vx * nx + vy * ny + vz * nz
        ux, uy, uz = vx - along * nx, vy - along * ny, vz - along * nz
        sx, sy, sz = turn(spring[0], spring[1], spring[2], nx, ny, nz)
        half = 0.5 * dt
        touch = Touch(delta, -along, m_n, m_t, radius, sx - half * ux, sy - half * uy,
                      sz - half * uz, ux, uy, uz, 1.0, 0.0)
        f, pull, s, after = force(p, touch, state)
        moment, e_c = (0.0, 0.0, 0.0), 0.0
        if couple is not None:
            turning = Turning(nx, ny, nz, spin[0], spin[1], spin[2], 0.0, -half, 0.0)
            moment, state = couple(p, touch, turning, f, after)
            slack = Touch(delta, -along, m_n, m_t, radius, 0.0, 0.0, 0.0, ux, uy, uz, 1.0, 0.0)
            e_c = potential(p, slack, state)[1]  # without the tangential spring
        held = Touch(delta, -along, m_n, m_t, radius, s[0], s[1], s[2], ux, uy, uz, 1.0, 0.0)
        e_n, e_t = potential(p, held, state)
        on_i = (pull[0] - f * nx, pull[1] - f * ny, pull[2] - f * nz)
        return on_i, moment, s, (e_n, e_t - e_c, e_c)

    return pair_force

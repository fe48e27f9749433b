"""Steps of many bodies at once, in a loop that becomes vector instructions.

A free turn is a chain of five small turns, each waiting for the one before; for one body after the
other most of the time would be spent waiting. So bodies are taken in batches, as contacts are (see
`contact.batch`): every number has a column of its own, and indices are unsigned and bounded.

The equations, and what the numbers are, stand in `rigid`. Spheres turn by the arithmetic of
`integrate`; both are found, and the right one is taken.
"""

from __future__ import annotations

import numpy as np
from numba.extending import register_jitable

from granum.dynamics.rigid import axes_of, spin_for, turned_body, turned_sphere
from granum.vector_rows import filled

LANES = 32
MASK = np.uintp(2 * LANES - 1)
# orientation; velocity, 1/m; spin, r/I of a sphere; their rates; principal moments, 1 for a sphere;
# span ρ, one over each moment; centre, radius; force; torque; how far a vertex goes at most, and
# how far from where the drift would bring it; the axes
(QW, QX, QY, QZ, VX, VY, VZ, LIGHT, WX, WY, WZ, EASE, AX, AY, AZ, BX, BY, BZ, MX, MY, MZ, ROUND,
 FARTHEST, PX, PY, PZ, CX, CY, CZ, RADIUS, FX, FY, FZ, TX, TY, TZ, GONE, STRAYED, XX, XY, XZ, YX,
 YY, YZ, ZX, ZY, ZZ) = (np.uintp(k * LANES) for k in range(47))
COLUMNS = 47 * LANES


@register_jitable(inline="always")
def bound_on_way(step2, turn2, span):
    """Return the way that no vertex is beyond.

    ``step2`` is the square of the way of the centre, ``turn2`` that of the change of the
    quaternion, ``span`` the distance ρ of the farthest vertex.
    """
    return np.sqrt(step2) + 2.0 * span * np.sqrt(turn2)


@register_jitable(inline="always")
def settle_all(c, lanes, g, correction):
    """Give all bodies of a batch the rates of their forces and torques, and correct them."""
    for m in range(filled(lanes) & MASK):
        t, ease = (c[TX + m], c[TY + m], c[TZ + m]), c[EASE + m] / c[RADIUS + m]
        b = spin_for(axes_of((c[QW + m], c[QX + m], c[QY + m], c[QZ + m])),
                     (c[PX + m], c[PY + m], c[PZ + m]), t)
        is_round, light = c[ROUND + m] == 1.0, c[LIGHT + m]
        bx, by, bz = (ease * t[0] if is_round else b[0], ease * t[1] if is_round else b[1],
                      ease * t[2] if is_round else b[2])
        ax, ay, az = (c[FX + m] * light + g[0], c[FY + m] * light + g[1],
                      c[FZ + m] * light + g[2])
        c[VX + m] += correction * (ax - c[AX + m])
        c[VY + m] += correction * (ay - c[AY + m])
        c[VZ + m] += correction * (az - c[AZ + m])
        c[WX + m] += correction * (bx - c[BX + m])
        c[WY + m] += correction * (by - c[BY + m])
        c[WZ + m] += correction * (bz - c[BZ + m])
        c[AX + m], c[AY + m], c[AZ + m] = ax, ay, az
        c[BX + m], c[BY + m], c[BZ + m] = bx, by, bz


@register_jitable(inline="always")
def turn_all(c, lanes, dt, drift):
    """Move all bodies of a batch by one step, and bound the ways of their vertices.

    ``drift`` is the way that all bodies have in common.
    """
    h = 0.5 * dt
    for m in range(filled(lanes) & MASK):
        q = c[QW + m], c[QX + m], c[QY + m], c[QZ + m]
        w, b = (c[WX + m], c[WY + m], c[WZ + m]), (c[BX + m], c[BY + m], c[BZ + m])
        ahead = w[0] + dt * b[0], w[1] + dt * b[1], w[2] + dt * b[2]
        rolled = turned_sphere(q, ahead, b, dt)
        turned, spin, rate, R = turned_body(q, (c[MX + m], c[MY + m], c[MZ + m]),
                                            (c[PX + m], c[PY + m], c[PZ + m]), w, b, axes_of(q), dt)
        is_round = c[ROUND + m] == 1.0
        w0, w1, w2, w3 = (rolled[0] if is_round else turned[0],
                          rolled[1] if is_round else turned[1],
                          rolled[2] if is_round else turned[2],
                          rolled[3] if is_round else turned[3])
        d0, d1, d2, d3 = w0 - q[0], w1 - q[1], w2 - q[2], w3 - q[3]
        ax, ay, az = c[AX + m], c[AY + m], c[AZ + m]
        vx, vy, vz = c[VX + m], c[VY + m], c[VZ + m]
        sx, sy, sz = dt * (vx + h * ax), dt * (vy + h * ay), dt * (vz + h * az)
        c[CX + m] += sx
        c[CY + m] += sy
        c[CZ + m] += sz
        c[VX + m], c[VY + m], c[VZ + m] = vx + dt * ax, vy + dt * ay, vz + dt * az
        turn2 = d0 * d0 + d1 * d1 + d2 * d2 + d3 * d3
        c[GONE + m] = bound_on_way(sx * sx + sy * sy + sz * sz, turn2, c[FARTHEST + m])
        sx, sy, sz = sx - drift[0], sy - drift[1], sz - drift[2]
        c[STRAYED + m] = bound_on_way(sx * sx + sy * sy + sz * sz, turn2, c[FARTHEST + m])
        c[QW + m], c[QX + m], c[QY + m], c[QZ + m] = w0, w1, w2, w3
        c[WX + m] = ahead[0] if is_round else spin[0]
        c[WY + m] = ahead[1] if is_round else spin[1]
        c[WZ + m] = ahead[2] if is_round else spin[2]
        c[BX + m] = b[0] if is_round else rate[0]
        c[BY + m] = b[1] if is_round else rate[1]
        c[BZ + m] = b[2] if is_round else rate[2]
        c[XX + m], c[XY + m], c[XZ + m] = R[0]
        c[YX + m], c[YY + m], c[YZ + m] = R[1]
        c[ZX + m], c[ZY + m], c[ZZ + m] = R[2]

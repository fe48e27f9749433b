"""Steps of many bodies at once, in a loop that becomes vector instructions.

A free turn is a chain of five small turns, each waiting for the one before; for one body after the
other most of the time would be spent waiting. So bodies are taken in batches, as contacts are (see
`contact.batch`): every number has a column of its own, and indices are unsigned and bounded.

The equations, and what the numbers are, stand in `rigid`. Bodies of each kind turn by their own
formula, which all lanes of the batch go through if there is one of the kind; others keep what they
have. So what a body does depends on nothing but itself.
"""

from __future__ import annotations

import numpy as np
from numba.extending import register_jitable

from granum.compile import inner_kernel
from granum.dynamics.rigid import (
    ANY,
    ROUND,
    TOP,
    axes_of,
    spin_for,
    turned_body,
    turned_sphere,
    turned_top,
)
from granum.vector_rows import filled

LANES = 32
MASK = np.uintp(2 * LANES - 1)
# rows of bodies: orientation; velocity, 1/m; spin, of no meaning; their rates, likewise; principal
# moments, kind; centre, radius. Then one over each moment; force; torque; span ρ; how far a vertex
# goes at most, and how far from where the drift would bring it; the axes; orientation, spin and its
# rate after the step
(QW, QX, QY, QZ, VX, VY, VZ, LIGHT, WX, WY, WZ, _, AX, AY, AZ, _, BX, BY, BZ, _, MX, MY, MZ, KIND,
 CX, CY, CZ, _, PX, PY, PZ, FX, FY, FZ, TX, TY, TZ, SPAN, GONE, STRAYED, XX, XY, XZ, YX, YY, YZ, ZX,
 ZY, ZZ, NEXT_QW, NEXT_QX, NEXT_QY, NEXT_QZ, NEXT_WX, NEXT_WY, NEXT_WZ, NEXT_BX, NEXT_BY,
 NEXT_BZ) = (np.uintp(k * LANES) for k in range(59))
COLUMNS = 59 * LANES


@register_jitable(inline="always")
def bound_on_way(step2, turn2, span):
    """Return the way that no vertex is beyond.

    ``step2`` is the square of the way of the centre, ``turn2`` that of the change of the
    quaternion, ``span`` the distance ρ of the farthest vertex.
    """
    return np.sqrt(step2) + 2.0 * span * np.sqrt(turn2)


@inner_kernel
def weigh_all(c, lanes):
    """Find one over each moment of all bodies of a batch."""
    for m in range(filled(lanes) & MASK):
        c[PX + m], c[PY + m], c[PZ + m] = 1.0 / c[MX + m], 1.0 / c[MY + m], 1.0 / c[MZ + m]


@inner_kernel
def settle_all(c, lanes, g, correction):
    """Give all bodies of a batch the rates of their forces and torques, and correct them."""
    for m in range(filled(lanes) & MASK):
        t, per = (c[TX + m], c[TY + m], c[TZ + m]), (c[PX + m], c[PY + m], c[PZ + m])
        b = spin_for(axes_of((c[QW + m], c[QX + m], c[QY + m], c[QZ + m])), per, t)
        is_round, light = c[KIND + m] == ROUND, c[LIGHT + m]
        bx, by, bz = (per[0] * t[0] if is_round else b[0], per[0] * t[1] if is_round else b[1],
                      per[0] * t[2] if is_round else b[2])
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
def keep_turn(c, m, mine, q, w, b):
    """Keep what a body has after its turn, if it is of the kind that has turned."""
    c[NEXT_QW + m] = q[0] if mine else c[NEXT_QW + m]
    c[NEXT_QX + m] = q[1] if mine else c[NEXT_QX + m]
    c[NEXT_QY + m] = q[2] if mine else c[NEXT_QY + m]
    c[NEXT_QZ + m] = q[3] if mine else c[NEXT_QZ + m]
    c[NEXT_WX + m] = w[0] if mine else c[NEXT_WX + m]
    c[NEXT_WY + m] = w[1] if mine else c[NEXT_WY + m]
    c[NEXT_WZ + m] = w[2] if mine else c[NEXT_WZ + m]
    c[NEXT_BX + m] = b[0] if mine else c[NEXT_BX + m]
    c[NEXT_BY + m] = b[1] if mine else c[NEXT_BY + m]
    c[NEXT_BZ + m] = b[2] if mine else c[NEXT_BZ + m]


@register_jitable(inline="always")
def turning(c, m):
    """Return orientation, spin and its rate, moments and one over each of the body in a lane."""
    return ((c[QW + m], c[QX + m], c[QY + m], c[QZ + m]), (c[WX + m], c[WY + m], c[WZ + m]),
            (c[BX + m], c[BY + m], c[BZ + m]), (c[MX + m], c[MY + m], c[MZ + m]),
            (c[PX + m], c[PY + m], c[PZ + m]))


@inner_kernel
def turn_spheres(c, lanes, dt):
    """Turn the spheres of a batch."""
    for m in range(filled(lanes) & MASK):
        q, w, b, _, _ = turning(c, m)
        w = w[0] + dt * b[0], w[1] + dt * b[1], w[2] + dt * b[2]
        keep_turn(c, m, c[KIND + m] == ROUND, turned_sphere(q, w, b, dt), w, b)


@inner_kernel
def turn_tops(c, lanes, dt):
    """Turn the bodies of a batch whose second and third moments are equal."""
    for m in range(filled(lanes) & MASK):
        q, w, b, moments, per = turning(c, m)
        q, w, b, _ = turned_top(q, moments, per, w, b, dt)
        keep_turn(c, m, c[KIND + m] == TOP, q, w, b)


@inner_kernel
def turn_others(c, lanes, dt):
    """Turn all other bodies of a batch."""
    for m in range(filled(lanes) & MASK):
        q, w, b, moments, per = turning(c, m)
        q, w, b, _ = turned_body(q, moments, per, w, b, axes_of(q), dt)
        keep_turn(c, m, c[KIND + m] == ANY, q, w, b)


@inner_kernel
def go_all(c, lanes, dt, drift):
    """Move all bodies of a batch, which have turned, and bound the ways of their vertices."""
    h = 0.5 * dt
    for m in range(filled(lanes) & MASK):
        w, x, y, z = (c[NEXT_QW + m], c[NEXT_QX + m], c[NEXT_QY + m], c[NEXT_QZ + m])
        dw, dx, dy, dz = w - c[QW + m], x - c[QX + m], y - c[QY + m], z - c[QZ + m]
        ax, ay, az = c[AX + m], c[AY + m], c[AZ + m]
        vx, vy, vz = c[VX + m], c[VY + m], c[VZ + m]
        sx, sy, sz = dt * (vx + h * ax), dt * (vy + h * ay), dt * (vz + h * az)
        c[CX + m] += sx
        c[CY + m] += sy
        c[CZ + m] += sz
        c[VX + m], c[VY + m], c[VZ + m] = vx + dt * ax, vy + dt * ay, vz + dt * az
        turn2 = dw * dw + dx * dx + dy * dy + dz * dz
        c[GONE + m] = bound_on_way(sx * sx + sy * sy + sz * sz, turn2, c[SPAN + m])
        sx, sy, sz = sx - drift[0], sy - drift[1], sz - drift[2]
        c[STRAYED + m] = bound_on_way(sx * sx + sy * sy + sz * sz, turn2, c[SPAN + m])
        c[QW + m], c[QX + m], c[QY + m], c[QZ + m] = w, x, y, z
        c[WX + m], c[WY + m], c[WZ + m] = c[NEXT_WX + m], c[NEXT_WY + m], c[NEXT_WZ + m]
        c[BX + m], c[BY + m], c[BZ + m] = c[NEXT_BX + m], c[NEXT_BY + m], c[NEXT_BZ + m]
        R = axes_of((w, x, y, z))
        c[XX + m], c[XY + m], c[XZ + m] = R[0]
        c[YX + m], c[YY + m], c[YZ + m] = R[1]
        c[ZX + m], c[ZY + m], c[ZZ + m] = R[2]


@inner_kernel
def turn_all(c, lanes, dt, drift):
    """Move all bodies of a batch by one step, and bound the ways of their vertices.

    ``drift`` is the way that all bodies have in common.
    """
    spheres = tops = 0
    for m in range(lanes):
        spheres += 1 if c[KIND + m] == ROUND else 0
        tops += 1 if c[KIND + m] == TOP else 0
    if spheres > 0:
        turn_spheres(c, lanes, dt)
    if tops > 0:
        turn_tops(c, lanes, dt)
    if spheres + tops < lanes:
        turn_others(c, lanes, dt)
    go_all(c, lanes, dt, drift)

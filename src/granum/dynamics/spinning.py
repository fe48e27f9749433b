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

from granum.dynamics.rigid import axes_of, turned_body, turned_sphere

LANES = 32
MASK = np.uintp(2 * LANES - 1)
# orientation, spin, its rate, principal moments, 1 for a sphere; how far the centre goes, span ρ;
# one over each moment; how far a vertex goes at most, and how far from where the drift would bring
# it; the axes
(QW, QX, QY, QZ, WX, WY, WZ, BX, BY, BZ, MX, MY, MZ, ROUND, SX, SY, SZ, FARTHEST, PX, PY, PZ, GONE,
 STRAYED, XX, XY, XZ, YX, YY, YZ, ZX, ZY, ZZ) = (np.uintp(k * LANES) for k in range(32))
COLUMNS = 32 * LANES


@register_jitable(inline="always")
def bound_on_way(step2, turn2, span):
    """Return the way that no vertex is beyond.

    ``step2`` is the square of the way of the centre, ``turn2`` that of the change of the
    quaternion, ``span`` the distance ρ of the farthest vertex.
    """
    return np.sqrt(step2) + 2.0 * span * np.sqrt(turn2)


@register_jitable(inline="always")
def turn_all(c, lanes, dt, drift):
    """Turn all bodies of a batch by one step, and bound the ways of their vertices.

    ``drift`` is the way that all bodies have in common.
    """
    for m in range(lanes & MASK):
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
        sx, sy, sz = c[SX + m], c[SY + m], c[SZ + m]
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

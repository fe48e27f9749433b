"""When a certificate fails along a straight motion in the plane.

Vertex a moves as x_a + t v_a, its weight as w_a + t u_a, with t from 0 to 1. As in
`granum.geometry.motion3`, relative to vertex e, with one coordinate and one degree fewer,

    [AB]                             has degree 2: the area of a triangle,
    h_a [BC] - h_b [AC] + h_c [AB]   has degree 4: a conflict, positive if there is.
"""

from __future__ import annotations

from granum.compile import inner_kernel, kernel
from granum.geometry.estimates import CONFLICT_2D, ORIENT_2D
from granum.geometry.flips3 import opposite
from granum.geometry.motion import NEVER, first_rise, minor
from granum.geometry.tetrahedra import INFINITE
from granum.geometry.triangles import is_infinite, vertices_of


@inner_kernel
def _row(motion, a, e):
    """Return the position of a relative to e, two linear functions, its lift, and their sizes."""
    x, v = motion.x, motion.v
    ax, ay = x[a, 0] - x[e, 0], x[a, 1] - x[e, 1]
    bx, by = v[a, 0] - v[e, 0], v[a, 1] - v[e, 1]
    w, u = motion.w[a] - motion.w[e], motion.u[a] - motion.u[e]
    sx, sy = abs(ax) + abs(bx), abs(ay) + abs(by)
    h = (ax * ax + ay * ay - w, 2.0 * (ax * bx + ay * by) - u, bx * bx + by * by)
    return (ax, bx), (ay, by), h, (sx, sy, sx * sx + sy * sy + abs(w) + abs(u))


@kernel
def area_in_time(motion, a, b, c):
    """Return the coefficients of twice the area of abc, three of them, and an error bound."""
    ax, ay, _, s = _row(motion, a, c)
    bx, by, _, r = _row(motion, b, c)
    return minor(ax, ay, bx, by), ORIENT_2D * (max(s[0], r[0]) * max(s[1], r[1]))


@kernel
def conflict_in_time(motion, a, b, c, e):
    """Return the five coefficients of e's conflict with the positive abc, and an error bound."""
    ax, ay, g, s = _row(motion, a, e)
    bx, by, h, r = _row(motion, b, e)
    cx, cy, k, q = _row(motion, c, e)
    A, B, C = minor(bx, by, cx, cy), minor(ax, ay, cx, cy), minor(ax, ay, bx, by)
    m = max(s[0], r[0], q[0]) * max(s[1], r[1], q[1]) * max(s[2], r[2], q[2])
    return (
        g[0] * A[0] - h[0] * B[0] + k[0] * C[0],
        (g[0] * A[1] - h[0] * B[1] + k[0] * C[1]) + (g[1] * A[0] - h[1] * B[0] + k[1] * C[0]),
        (g[0] * A[2] - h[0] * B[2] + k[0] * C[2]) + (g[1] * A[1] - h[1] * B[1] + k[1] * C[1])
        + (g[2] * A[0] - h[2] * B[0] + k[2] * C[0]),
        (g[1] * A[2] - h[1] * B[2] + k[1] * C[2]) + (g[2] * A[1] - h[2] * B[1] + k[2] * C[1]),
        g[2] * A[2] - h[2] * B[2] + k[2] * C[2],
    ), CONFLICT_2D * m


@kernel
def due_time(mesh, motion, c, f, now, b):
    """Return when edge f of cell c, finite if one of the two is, becomes illegal, or NEVER.

    It is as in space: a conflict, or at the hull an area.
    """
    corner, e = vertices_of(mesh.V, c), opposite(mesh, c, f)
    if e == corner[f]:
        return NEVER
    p, q, r = corner
    if min(p, q, r) >= 0 and e != INFINITE:
        a, noise = conflict_in_time(motion, p, q, r, e)
        return first_rise(a, noise, now, b)
    if e == INFINITE:
        p, q = q, p
    else:
        p, q, r = e if p < 0 else p, e if q < 0 else q, e if r < 0 else r
    area, noise = area_in_time(motion, p, q, r)
    return first_rise(area, noise, now, b)


@kernel
def flat_time(mesh, motion, c, b):
    """Return when a cell becomes flat: at once if turned, never if infinite."""
    if is_infinite(mesh.V, c):
        return NEVER
    p, q, r = vertices_of(mesh.V, c)
    a, noise = area_in_time(motion, q, p, r)
    return first_rise(a, noise, 0.0, b)

"""When a certificate fails along a straight motion in space: polynomials in time.

Vertex a moves as x_a + t v_a, its weight as w_a + t u_a, with t from 0 to 1. Relative to vertex e,
coordinates are linear in t and lifts h = |x|^2 - w quadratic, so that (L. Pournin, EPFL thesis 3378
(2005), equations 4.1 to 4.3)

    [ABC]                                      has degree 3: the volume of a tetrahedron,
    h_a [BCD] - h_b [ACD] + h_c [ABD] - h_d [ABC]   has degree 5: a conflict, positive if there is.

Weights that change linearly do not raise the degree. A linear function is a tuple (value, slope),
a polynomial a tuple of its coefficients, lowest first; see `granum.geometry.motion` for its roots.
"""

from __future__ import annotations

from granum.compile import inner_kernel, kernel
from granum.geometry.estimates import CONFLICT_3D, ORIENT_3D
from granum.geometry.flips3 import opposite
from granum.geometry.motion import NEVER, first_rise, minor
from granum.geometry.tetrahedra import INFINITE, is_infinite, vertices_of


@inner_kernel
def _row(motion, a, e):
    """Return the position of a relative to e, three linear functions, its lift, and their sizes."""
    x, v = motion.x, motion.v
    ax, ay, az = x[a, 0] - x[e, 0], x[a, 1] - x[e, 1], x[a, 2] - x[e, 2]
    bx, by, bz = v[a, 0] - v[e, 0], v[a, 1] - v[e, 1], v[a, 2] - v[e, 2]
    w, u = motion.w[a] - motion.w[e], motion.u[a] - motion.u[e]
    sx, sy, sz = abs(ax) + abs(bx), abs(ay) + abs(by), abs(az) + abs(bz)
    h = (ax * ax + ay * ay + az * az - w, 2.0 * (ax * bx + ay * by + az * bz) - u,
         bx * bx + by * by + bz * bz)
    return (ax, bx), (ay, by), (az, bz), h, (sx, sy, sz, sx * sx + sy * sy + sz * sz
                                            + abs(w) + abs(u))


@inner_kernel
def _triple(bc, ac, ab, a, b, c):
    """Return a bc - b ac + c ab: three linear functions times their minors."""
    return (a[0] * bc[0] - b[0] * ac[0] + c[0] * ab[0],
            (a[0] * bc[1] + a[1] * bc[0]) - (b[0] * ac[1] + b[1] * ac[0])
            + (c[0] * ab[1] + c[1] * ab[0]),
            (a[0] * bc[2] + a[1] * bc[1]) - (b[0] * ac[2] + b[1] * ac[1])
            + (c[0] * ab[2] + c[1] * ab[1]),
            a[1] * bc[2] - b[1] * ac[2] + c[1] * ab[2])


@kernel
def volume_in_time(motion, a, b, c, d):
    """Return the coefficients of six times the volume of abcd, four of them, and an error bound."""
    ax, ay, az, _, s = _row(motion, a, d)
    bx, by, bz, _, r = _row(motion, b, d)
    cx, cy, cz, _, q = _row(motion, c, d)
    t = _triple(minor(bx, by, cx, cy), minor(ax, ay, cx, cy), minor(ax, ay, bx, by), az, bz, cz)
    m = max(s[0], r[0], q[0]) * max(s[1], r[1], q[1]) * max(s[2], r[2], q[2])
    return (-t[0], -t[1], -t[2], -t[3]), ORIENT_3D * m


@kernel
def conflict_in_time(motion, a, b, c, d, e):
    """Return the six coefficients of e's conflict with the positive abcd, and an error bound."""
    ax, ay, az, g, s = _row(motion, a, e)
    bx, by, bz, h, r = _row(motion, b, e)
    cx, cy, cz, k, q = _row(motion, c, e)
    dx, dy, dz, n, o = _row(motion, d, e)
    ab, ac, ad = minor(ax, ay, bx, by), minor(ax, ay, cx, cy), minor(ax, ay, dx, dy)
    bc, bd, cd = minor(bx, by, cx, cy), minor(bx, by, dx, dy), minor(cx, cy, dx, dy)
    A, B = _triple(cd, bd, bc, bz, cz, dz), _triple(cd, ad, ac, az, cz, dz)
    C, D = _triple(bd, ad, ab, az, bz, dz), _triple(bc, ac, ab, az, bz, cz)
    m = (max(s[0], r[0], q[0], o[0]) * max(s[1], r[1], q[1], o[1])
         * max(s[2], r[2], q[2], o[2]) * max(s[3], r[3], q[3], o[3]))
    return (
        (g[0] * A[0] - h[0] * B[0]) + (k[0] * C[0] - n[0] * D[0]),
        (g[0] * A[1] - h[0] * B[1]) + (k[0] * C[1] - n[0] * D[1])
        + (g[1] * A[0] - h[1] * B[0]) + (k[1] * C[0] - n[1] * D[0]),
        (g[0] * A[2] - h[0] * B[2]) + (k[0] * C[2] - n[0] * D[2])
        + (g[1] * A[1] - h[1] * B[1]) + (k[1] * C[1] - n[1] * D[1])
        + (g[2] * A[0] - h[2] * B[0]) + (k[2] * C[0] - n[2] * D[0]),
        (g[0] * A[3] - h[0] * B[3]) + (k[0] * C[3] - n[0] * D[3])
        + (g[1] * A[2] - h[1] * B[2]) + (k[1] * C[2] - n[1] * D[2])
        + (g[2] * A[1] - h[2] * B[1]) + (k[2] * C[1] - n[2] * D[1]),
        (g[1] * A[3] - h[1] * B[3]) + (k[1] * C[3] - n[1] * D[3])
        + (g[2] * A[2] - h[2] * B[2]) + (k[2] * C[2] - n[2] * D[2]),
        (g[2] * A[3] - h[2] * B[3]) + (k[2] * C[3] - n[2] * D[3]),
    ), CONFLICT_3D * m


@kernel
def due_time(mesh, motion, c, f, now, b):
    """Return when facet f of cell c, finite if one of the two is, becomes illegal, or NEVER.

    At the hull that is when the finite cell flattens, or when two hull facets stop being convex:
    the infinite vertex is one with an infinite lift, whose cofactor in the determinant is a volume.
    """
    corner, e = vertices_of(mesh.V, c), opposite(mesh, c, f)
    if e == corner[f]:
        return NEVER
    p, q, r, s = corner
    if min(p, q, r, s) >= 0 and e != INFINITE:
        a, noise = conflict_in_time(motion, p, q, r, s, e)
        return first_rise(a, noise, now, b)
    if e == INFINITE:
        p, q = q, p
    else:
        p, q = e if p < 0 else p, e if q < 0 else q
        r, s = e if r < 0 else r, e if s < 0 else s
    volume, noise = volume_in_time(motion, p, q, r, s)
    return first_rise(volume, noise, now, b)


@kernel
def flat_time(mesh, motion, c, b):
    """Return when a cell becomes flat: at once if turned, never if infinite."""
    if is_infinite(mesh.V, c):
        return NEVER
    p, q, r, s = vertices_of(mesh.V, c)
    a, noise = volume_in_time(motion, q, p, r, s)
    return first_rise(a, noise, 0.0, b)

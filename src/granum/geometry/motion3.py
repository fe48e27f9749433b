"""When a certificate fails along a straight motion: polynomials in time and their first root.

Vertex a moves as x_a + t v_a, its weight as w_a + t u_a, with t from 0 to 1. Relative to vertex e,
coordinates are linear in t and lifts h = |x|^2 - w quadratic, so that (L. Pournin, EPFL thesis 3378
(2005), equations 4.1 to 4.3)

    [ABC]                                      has degree 3: the volume of a tetrahedron,
    h_a [BCD] - h_b [ACD] + h_c [ABD] - h_d [ABC]   has degree 5: a conflict, positive if there is.

Weights that change linearly do not raise the degree. A linear function is a tuple (value, slope),
a polynomial a tuple of its coefficients, lowest first.

Roots are isolated in the Bernstein basis, whose coefficients enclose the polynomial: where none is
positive there is no root, where they change sign once there is one. All this is rounded: what comes
of it is checked exactly in the end (`granum.geometry.check3`). Values below the rounding errors of
the coefficients count as zero, so that ties and points that stay in one plane are no events.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from granum.compile import kernel
from granum.geometry.estimates import CONFLICT_3D, ORIENT_3D
from granum.geometry.tetrahedra import INFINITE, TOP, UNUSED, is_infinite, vertices_of

NEVER = 2.0  # a time after the end of the motion
DEPTH = 24  # halvings of the time that is left until a sign change is found, or not
SHORTEST = 2.0**-DEPTH
BISECTIONS = 45
LOW, LENGTH = 6, 7  # places of an interval's beginning and length, behind its coefficients


class Motion(NamedTuple):
    """A straight motion of n vertices, from time 0 to time 1."""

    x: NDArray[np.float64]  # (n,3) positions at the start
    v: NDArray[np.float64]  # (n,3) displacements
    w: NDArray[np.float64]  # (n,) weights at the start
    u: NDArray[np.float64]  # (n,) what is added to them


@kernel
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


@kernel
def _minor(a, b, c, d):
    """Return a d - b c of four linear functions."""
    return (a[0] * d[0] - b[0] * c[0],
            a[0] * d[1] + a[1] * d[0] - (b[0] * c[1] + b[1] * c[0]),
            a[1] * d[1] - b[1] * c[1])


@kernel
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
    """Return the coefficients of the volume of abcd, six of them, and a bound of their errors."""
    ax, ay, az, _, s = _row(motion, a, d)
    bx, by, bz, _, r = _row(motion, b, d)
    cx, cy, cz, _, q = _row(motion, c, d)
    t = _triple(_minor(bx, by, cx, cy), _minor(ax, ay, cx, cy), _minor(ax, ay, bx, by), az, bz, cz)
    m = max(s[0], r[0], q[0]) * max(s[1], r[1], q[1]) * max(s[2], r[2], q[2])
    return (-t[0], -t[1], -t[2], -t[3], 0.0, 0.0), ORIENT_3D * m


@kernel
def conflict_in_time(motion, a, b, c, d, e):
    """Return the coefficients of e's conflict with the positive abcd, and an error bound."""
    ax, ay, az, g, s = _row(motion, a, e)
    bx, by, bz, h, r = _row(motion, b, e)
    cx, cy, cz, k, q = _row(motion, c, e)
    dx, dy, dz, n, o = _row(motion, d, e)
    ab, ac, ad = _minor(ax, ay, bx, by), _minor(ax, ay, cx, cy), _minor(ax, ay, dx, dy)
    bc, bd, cd = _minor(bx, by, cx, cy), _minor(bx, by, dx, dy), _minor(cx, cy, dx, dy)
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
def _bernstein(a, start, local, b):
    """Write the polynomial of the time that is left, s in [0, 1]: its powers, its Bernstein form.

    The Bernstein coefficients of degree n are sums over C(i, k) a_k / C(n, k).
    """
    for k in range(6):
        local[k] = a[k]
    scale = 1.0
    for i in range(5):
        for j in range(4, i - 1, -1):
            local[j] += start * local[j + 1]
    for k in range(6):
        local[k] *= scale
        scale *= 1.0 - start
    b[0], b[1], b[2] = local[0], local[1] / 5.0, local[2] / 10.0
    b[3], b[4], b[5] = local[3] / 10.0, local[4] / 5.0, local[5]
    for j in range(4, -1, -1):
        for i in range(j, 5):
            b[i + 1] += b[i]


@kernel
def _bisect(local, low, high):
    """Return where a polynomial that is not positive at ``low`` and positive at ``high`` rises."""
    for _ in range(BISECTIONS):
        s = 0.5 * (low + high)
        value = local[5]
        for k in range(4, -1, -1):
            value = value * s + local[k]
        if value > 0.0:
            high = s
        else:
            low = s
    return high


@kernel
def _halve(b, row):
    """Cut the interval in a row in two (de Casteljau): its first half goes to the row above."""
    b[row, LENGTH] *= 0.5
    b[row + 1, LENGTH] = b[row, LENGTH]
    b[row + 1, LOW] = b[row, LOW]
    b[row, LOW] += b[row, LENGTH]
    for k in range(6):
        b[row + 1, k] = b[row, 0]
        for i in range(5 - k):
            b[row, i] = 0.5 * (b[row, i] + b[row, i + 1])


@kernel
def _signs(b, row, noise):
    """Return how often the coefficients rise above the noise and how often they fall back."""
    rises, falls = 0, 0
    for k in range(5):
        rises += int(b[row, k] <= noise < b[row, k + 1])
        falls += int(b[row, k + 1] <= noise < b[row, k])
    return rises, falls


@kernel
def first_rise(a, noise, start, b):
    """Return when a polynomial first becomes positive after ``start``, or NEVER.

    What is zero at the start, but for rounding, is looked at just after: what falls is well, what
    rises is due at once.

    Args:
        a: its six coefficients.
        noise: a bound of their rounding errors.
        start: the time now, in [0, 1].
        b: (DEPTH + 3, 8) scratch: a stack of intervals, the earliest on top.
    """
    if start >= 1.0:
        return NEVER
    local = b[DEPTH + 2]
    _bernstein(a, start, local, b[0])
    for k in range(6):
        if abs(b[0, k]) > noise:
            if b[0, k] > 0.0:
                return start
            break
    b[0, LOW], b[0, LENGTH] = 0.0, 1.0
    row = 0
    while row >= 0:
        rises, falls = _signs(b, row, noise)
        if rises == 1 and falls == 0:
            low = b[row, LOW]
            return start + (1.0 - start) * _bisect(local, low, low + b[row, LENGTH])
        if rises > 0 and b[row, LENGTH] > SHORTEST:
            _halve(b, row)
            row += 1
        else:
            row -= 1
    return NEVER


@kernel
def due_time(motion, V, N, c, f, now, b):
    """Return when facet f of cell c becomes illegal after ``now``, or NEVER.

    At the hull that is when the finite cell flattens, or when two hull facets stop being convex:
    the infinite vertex is one with an infinite lift, whose cofactor in the determinant is a volume.
    """
    if is_infinite(V, c):
        mate = np.int64(N[c, f])
        if not is_infinite(V, mate >> 2):
            c, f = mate >> 2, mate & 3
    corner = vertices_of(V, c)
    e = np.int64(V[N[c, f] >> 2, N[c, f] & 3])
    if e == corner[f]:
        return NEVER
    p, q, r, s = corner
    if min(p, q, r, s) < 0:
        p, q = e if p < 0 else p, e if q < 0 else q
        r, s = e if r < 0 else r, e if s < 0 else s
        a, noise = volume_in_time(motion, p, q, r, s)
    elif e == INFINITE:
        a, noise = volume_in_time(motion, q, p, r, s)
    else:
        a, noise = conflict_in_time(motion, p, q, r, s, e)
    return first_rise(a, noise, now, b)


@kernel
def due_times(motion, mesh, time):
    """Write when the facets become illegal, (m,4), each for its cell of the lower number."""
    V, N = mesh.V, mesh.N
    b = np.empty((DEPTH + 3, 8))
    for c in range(mesh.counts[TOP]):
        for f in range(4):
            time[c, f] = NEVER
            if V[c, 0] != UNUSED and N[c, f] >> 2 > c:
                time[c, f] = due_time(motion, V, N, c, f, 0.0, b)


@kernel
def flat_times(motion, mesh, time):
    """Write when the cells become flat, (m,): at once if turned, never if infinite or unused."""
    V = mesh.V
    b = np.empty((DEPTH + 3, 8))
    for c in range(mesh.counts[TOP]):
        time[c] = NEVER
        p, q, r, s = vertices_of(V, c)
        if V[c, 0] != UNUSED and min(p, q, r, s) >= 0:
            a, noise = volume_in_time(motion, q, p, r, s)
            time[c] = first_rise(a, noise, 0.0, b)

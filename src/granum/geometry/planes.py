"""Conflicts cell by cell: the lifted hyperplane once, then a dot product for each vertex tested.

Checking a whole triangulation asks each cell about its neighbours' vertices. Relative to vertex a,
the lifted points of a cell with the rows B = p_b - p_a, C, D lie on o h = n . x, where

    o = [BCD],   n = h_b C x D + h_c D x B + h_d B x C,

and a vertex at X = p_e - p_a is in conflict if t = n . X - o h_e > 0: the determinant of
`granum.geometry.predicates.conflict3d` from another vertex. In 2D, o = [BC] and n =
(h_b C_y - h_c B_y, h_c B_x - h_b C_x).

The bound follows `granum.geometry.estimates`, u = 2^-53. 3D: a component of n meets 13 roundings
(lift 6, minor 4, product 1, sums 2), in t another 5 (X 1, product 1, sums 3): 18; o h_e meets 8 + 6
+ 1 + 1 = 16. With x, y, z, h the largest entries of the cell's columns, o is a sum of 6 terms of at
most x y z, n_x one of 6 terms of at most y z h, and so on. So |t - exact| <= 19 * 6 u
(x y z H_e + y z h |X| + z x h |Y| + x y h |Z|), H_e = |X|^2 + |w_e - w_a|: 19 for 18 covers the 16
roundings in the bound itself and all of second order. 2D: 8 + 4 = 12 and 2 terms, 13 * 2 u.

A plane is a tuple: o, n, and the four (2D: three) factors of H_e, |X|, |Y|, |Z| in the bound. The
first of these also bounds the error of o: a cell is positive for certain if o is above it.
"""

from __future__ import annotations

from granum.checks import FloatArray
from granum.compile import kernel
from granum.geometry.estimates import U

Plane2D = tuple[float, float, float, float, float, float]
Plane3D = tuple[float, float, float, float, float, float, float, float]

PLANE_2D = 13 * 2 * U
PLANE_3D = 19 * 6 * U


@kernel
def plane2d(p: FloatArray, w: FloatArray, a: int, b: int, c: int) -> Plane2D:
    """Return o, n_x, n_y and three error factors of triangle abc; points (n, 2)."""
    bx, by, bw = p[b, 0] - p[a, 0], p[b, 1] - p[a, 1], w[b] - w[a]
    cx, cy, cw = p[c, 0] - p[a, 0], p[c, 1] - p[a, 1], w[c] - w[a]
    b2, c2 = bx * bx + by * by, cx * cx + cy * cy
    hb, hc = b2 - bw, c2 - cw
    x, y = max(abs(bx), abs(cx)), max(abs(by), abs(cy))
    h = PLANE_2D * max(b2 + abs(bw), c2 + abs(cw))
    return (bx * cy - by * cx, hb * cy - hc * by, hc * bx - hb * cx,
            PLANE_2D * (x * y), y * h, x * h)


@kernel
def plane3d(p: FloatArray, w: FloatArray, a: int, b: int, c: int, d: int) -> Plane3D:
    """Return o, n_x, n_y, n_z and four error factors of tetrahedron abcd; points (n, 3)."""
    bx, by, bz = p[b, 0] - p[a, 0], p[b, 1] - p[a, 1], p[b, 2] - p[a, 2]
    cx, cy, cz = p[c, 0] - p[a, 0], p[c, 1] - p[a, 1], p[c, 2] - p[a, 2]
    dx, dy, dz = p[d, 0] - p[a, 0], p[d, 1] - p[a, 1], p[d, 2] - p[a, 2]
    bw, cw, dw = w[b] - w[a], w[c] - w[a], w[d] - w[a]
    b2, c2 = bx * bx + by * by + bz * bz, cx * cx + cy * cy + cz * cz
    d2 = dx * dx + dy * dy + dz * dz
    hb, hc, hd = b2 - bw, c2 - cw, d2 - dw
    cdx, cdy, cdz = cy * dz - cz * dy, cz * dx - cx * dz, cx * dy - cy * dx
    dbx, dby, dbz = dy * bz - dz * by, dz * bx - dx * bz, dx * by - dy * bx
    bcx, bcy, bcz = by * cz - bz * cy, bz * cx - bx * cz, bx * cy - by * cx
    x = max(abs(bx), abs(cx), abs(dx))
    y = max(abs(by), abs(cy), abs(dy))
    z = max(abs(bz), abs(cz), abs(dz))
    h = PLANE_3D * max(b2 + abs(bw), c2 + abs(cw), d2 + abs(dw))
    return (bx * cdx + by * cdy + bz * cdz,
            hb * cdx + hc * dbx + hd * bcx,
            hb * cdy + hc * dby + hd * bcy,
            hb * cdz + hc * dbz + hd * bcz,
            PLANE_3D * (x * y * z), y * z * h, z * x * h, x * y * h)


@kernel
def beneath2d(p: FloatArray, w: FloatArray, plane: Plane2D, a: int, e: int) -> int:
    """Return `conflict2d` of e and the positive triangle abc of this plane, or 0 if in doubt."""
    x, y, v = p[e, 0] - p[a, 0], p[e, 1] - p[a, 1], w[e] - w[a]
    square = x * x + y * y
    o, nx, ny, f_h, f_x, f_y = plane
    t = (nx * x + ny * y) - o * (square - v)
    bound = f_h * (square + abs(v)) + (f_x * abs(x) + f_y * abs(y))
    return int(t > bound) - int(t < -bound)


@kernel
def beneath3d(p: FloatArray, w: FloatArray, plane: Plane3D, a: int, e: int) -> int:
    """Return `conflict3d` of e and the positive cell abcd of this plane, or 0 if in doubt."""
    x, y, z = p[e, 0] - p[a, 0], p[e, 1] - p[a, 1], p[e, 2] - p[a, 2]
    v = w[e] - w[a]
    square = x * x + y * y + z * z
    o, nx, ny, nz, f_h, f_x, f_y, f_z = plane
    t = (nx * x + ny * y + nz * z) - o * (square - v)
    bound = f_h * (square + abs(v)) + (f_x * abs(x) + f_y * abs(y) + f_z * abs(z))
    return int(t > bound) - int(t < -bound)

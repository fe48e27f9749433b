"""Which cells may be wrong? Many at a time, in doubles: the lifted hyperplane of each once.

Checking a whole triangulation asks each cell about its neighbours' vertices. Relative to vertex a,
the lifted points of a cell with the rows B = p_b - p_a, C, D lie on o h = n . x, where

    o = [BCD],   n = h_b C x D + h_c D x B + h_d B x C,

and a vertex at X = p_e - p_a is in conflict if t = n . X - o h_e > 0: the determinant of
`granum.geometry.predicates.conflict3d` from another vertex.

The bound follows `granum.geometry.estimates`, u = 2^-53. A component of n meets 13 roundings
(lift 6, minor 4, product 1, sums 2), in t another 5 (X 1, product 1, sums 3): 18; o h_e meets 8 + 6
+ 1 + 1 = 16. With x, y, z, h the largest entries of the cell's columns, o is a sum of 6 terms of at
most x y z, n_x one of 6 terms of at most y z h, and so on. So |t - exact| <= 19 * 6 u
(x y z H_e + y z h |X| + z x h |Y| + x y h |Z|), H_e = |X|^2 + |w_e - w_a|: 19 for 18 covers the 16
roundings in the bound itself and all of second order. Its first factor also bounds the error of o:
a cell is positive for certain if o is above it.

The arithmetic has no branches and works on LANES cells at once, so that it becomes vector
instructions. The vertices are gathered into rows of a scratch array first, from points and weights
side by side (n + 1, 4), shifted by one row: row 0, the one of INFINITE = -1, is never in conflict.
"""

from __future__ import annotations

import numpy as np

from granum.compile import inner_kernel, kernel
from granum.geometry.doubled import LANES
from granum.geometry.estimates import U

ROWS = 38  # four coordinates of four vertices and of four neighbours; then the margins
MARGIN = 32 * LANES  # where the margins of the cells begin, the least of five:
VOLUME = 33 * LANES  # that it is positive,
FACETS = 34 * LANES  # that each facet is legal
PLANE_3D = 19 * 6 * U
FAR = -1e200  # weight of a vertex that is never in conflict


@kernel
def pack_rows(p, w, rows):
    """Write points and weights side by side into rows (n + 1, 4), that of INFINITE first."""
    rows[0, 0], rows[0, 1], rows[0, 2], rows[0, 3] = 0.0, 0.0, 0.0, FAR
    for i in range(p.shape[0]):
        for k in range(3):
            rows[i + 1, k] = p[i, k]
        rows[i + 1, 3] = w[i]


@kernel
def gather(rows, s, slot, lane, v):
    """Write the coordinates of a vertex, or INFINITE, to a slot of a lane."""
    row = np.uint64(v + 1)  # unsigned indices spare the test for negative ones
    for i in range(4):
        s[(4 * slot + i) * LANES + lane] = rows[row, i]


@inner_kernel
def _largest(a, b, c):
    """Return the largest of three sizes; written so that it becomes a vector instruction."""
    m = a if a > b else b
    return m if m > c else c


@inner_kernel
def _beneath(ox, oy, oz, ow, plane, ex, ey, ez, ew):
    """Return how much a neighbour is above the plane of a cell, less the bound of its error."""
    o, nx, ny, nz, f_h, f_x, f_y, f_z = plane
    x, y, z, v = ex - ox, ey - oy, ez - oz, ew - ow
    square = x * x + y * y + z * z
    t = o * (square - v) - (nx * x + ny * y + nz * z)
    return t - (f_h * (square + abs(v)) + (f_x * abs(x) + f_y * abs(y) + f_z * abs(z)))


@kernel
def find_margins(s):
    """Write by how much each lane's cell and facets are right; what is not above 0 is in doubt.

    Args:
        s: (ROWS * LANES,) the vertices' coordinates, row after row.
    """
    for k in range(LANES):
        ox, oy, oz, ow = s[k], s[LANES + k], s[2 * LANES + k], s[3 * LANES + k]
        bx, by, bz = s[4 * LANES + k] - ox, s[5 * LANES + k] - oy, s[6 * LANES + k] - oz
        cx, cy, cz = s[8 * LANES + k] - ox, s[9 * LANES + k] - oy, s[10 * LANES + k] - oz
        dx, dy, dz = s[12 * LANES + k] - ox, s[13 * LANES + k] - oy, s[14 * LANES + k] - oz
        bw, cw, dw = s[7 * LANES + k] - ow, s[11 * LANES + k] - ow, s[15 * LANES + k] - ow
        b2, c2 = bx * bx + by * by + bz * bz, cx * cx + cy * cy + cz * cz
        d2 = dx * dx + dy * dy + dz * dz
        hb, hc, hd = b2 - bw, c2 - cw, d2 - dw
        cdx, cdy, cdz = cy * dz - cz * dy, cz * dx - cx * dz, cx * dy - cy * dx
        dbx, dby, dbz = dy * bz - dz * by, dz * bx - dx * bz, dx * by - dy * bx
        bcx, bcy, bcz = by * cz - bz * cy, bz * cx - bx * cz, bx * cy - by * cx
        x = _largest(abs(bx), abs(cx), abs(dx))
        y = _largest(abs(by), abs(cy), abs(dy))
        z = _largest(abs(bz), abs(cz), abs(dz))
        h = PLANE_3D * _largest(b2 + abs(bw), c2 + abs(cw), d2 + abs(dw))
        o = bx * cdx + by * cdy + bz * cdz
        plane = (o, hb * cdx + hc * dbx + hd * bcx, hb * cdy + hc * dby + hd * bcy,
                 hb * cdz + hc * dbz + hd * bcz, PLANE_3D * (x * y * z), y * z * h, z * x * h,
                 x * y * h)
        v = o - plane[4]
        m0 = _beneath(ox, oy, oz, ow, plane, s[16 * LANES + k], s[17 * LANES + k],
                      s[18 * LANES + k], s[19 * LANES + k])
        m1 = _beneath(ox, oy, oz, ow, plane, s[20 * LANES + k], s[21 * LANES + k],
                      s[22 * LANES + k], s[23 * LANES + k])
        m2 = _beneath(ox, oy, oz, ow, plane, s[24 * LANES + k], s[25 * LANES + k],
                      s[26 * LANES + k], s[27 * LANES + k])
        m3 = _beneath(ox, oy, oz, ow, plane, s[28 * LANES + k], s[29 * LANES + k],
                      s[30 * LANES + k], s[31 * LANES + k])
        s[VOLUME + k] = v
        s[FACETS + k], s[FACETS + LANES + k] = m0, m1
        s[FACETS + 2 * LANES + k], s[FACETS + 3 * LANES + k] = m2, m3
        m0, m2 = m1 if m1 < m0 else m0, m3 if m3 < m2 else m2
        m0 = m2 if m2 < m0 else m0
        s[MARGIN + k] = m0 if m0 < v else v

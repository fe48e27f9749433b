"""Where the features of two rods meet, many slots at a time, in a loop that becomes vectors.

Spherocylinders are the commonest of all grains that are not round, and a rod has few features: two
ends and the segment between them. With c the way from the centre of the first to that of the
second, u and v the directions of the two, a point at s of the first and one at t of the second are

    d = c + t v - s u

apart. An end has s = ±h, half of the segment; of a point at s, the foot on the line of the other is
at t = s u·v - c·v, and the two lines are closest at s = (c × v)·n / n², n = u × v. So three kinds
of slots are one formula, and what counts how much follows from where s, t and the feet are:

    end and end           1 for each of the two that is beyond the other's end, less 1
    end and segment       1 if the foot is between the ends of the segment
    segment and segment   1 if they are closest between the ends of both

which is what `meeting` and `crossing` say of a vertex with one edge. Beyond the end and before it
are told by the same numbers, bit by bit, whichever slot asks. A sphere is a rod of no length.

Rods lie along the first axis of their bodies, which is u; their arms say s.
"""

from __future__ import annotations

import numpy as np
from numba.extending import register_jitable

from granum.compile import uncounted
from granum.contact.batch import GOING, LANES, LARGE, MASK, SMALL, SPRING, TURNING, ZERO
from granum.contact.shaped.levers import ENDS, HEAVY, HERE, THERE
from granum.contact.shaped.meeting import EDGES, KIND, VERTICES
from granum.contact.shaped.slots import keep_queue
from granum.contact.sweep import nearest_image
from granum.shapes.rigid import RigidShape
from granum.shapes.skeleton import FLAT
from granum.vector_rows import FOUR, ONE, THREE, TWO, filled, read_row, write_row

# rows of a batch that is not gathered yet: way between the centres, and the kind of
# the slot; u, and s of a vertex; v, and t
BETWEEN, MINE, OTHERS = GOING, TURNING, SPRING
RADIUS, OTHER_RADIUS = np.uintp(0), np.uintp(LANES)  # columns: of the balls that sweep
TWELVE = np.uintp(12)
CROSSED, CROWDED = 1.0, 2.0  # ends of a crossing are within reach; other ends of both touch as well


def is_rod(shape: RigidShape) -> bool:
    """Tell whether a shape is a segment along the first axis, its centre in the middle."""
    if len(shape.points) != 2 or len(shape.edges) != 1:
        return False
    one, two = np.array(shape.points)
    return bool(max(np.abs(one[1:]).max(), np.abs(one + two).max()) <= FLAT * abs(one[0]))


@uncounted
def line_up(b, first, last, pairs):
    """Line up the slots of block b from first to last that are awake, from the first place on.

    Each is asked, not only those of pairs that are awake: no branch for the processor to guess.
    """
    who, wake, gone, queue = pairs.who, pairs.wake, pairs.gone, pairs.queue
    n, least = first, np.inf
    for k in range(first, last):
        queue[n] = k
        way = wake[k] - (gone[who[k, 0]] + gone[who[k, 1]])
        n += ZERO if way > 0.0 else ONE
        least = min(least, way if way > 0.0 else np.inf)
    keep_queue(b, n, least, pairs)


@uncounted
def bring_rods(m, k, i, j, row, X, axes, arm, a, c):
    """Bring slot k, of bodies i and j, into lane m of a batch; X, axes and arm are flat."""
    q, u, v = FOUR * m, TWELVE * np.uintp(i), TWELVE * np.uintp(j)
    x, y, z, _ = read_row(X, FOUR * np.uintp(i))
    xx, yy, zz, _ = read_row(X, FOUR * np.uintp(j))
    r, s = FOUR * np.uintp(row[k, 0]), FOUR * np.uintp(row[k, 3])
    write_row(a, BETWEEN + q, xx - x, yy - y, zz - z, np.float64(row[k, KIND]))
    write_row(a, MINE + q, axes[u], axes[u + ONE], axes[u + TWO], arm[r])
    write_row(a, OTHERS + q, axes[v], axes[v + ONE], axes[v + TWO], arm[s])
    c[RADIUS + m], c[OTHER_RADIUS + m] = arm[r + THREE], arm[s + THREE]


@register_jitable
def beyond(foot, end):
    """Tell whether a foot is beyond this end of a rod; beside a rod of no length it always is."""
    return ((foot if end >= 0.0 else -foot) >= abs(end)) | (end == 0.0)


@register_jitable
def square(x, y, z):
    """Return the square of a length."""
    return x * x + y * y + z * z


@register_jitable
def meet_rods(a, c, w, share, lanes, gap, L, half):
    """Find where the slots of a batch meet; what does not meet has the weight 0.

    L and half are the periods and half of them. Conditions are joined by & and |, which have no
    branches. Returns how many are crowded and how many have ends near, or more, as lanes that fill
    the last vector are counted as well.
    """
    crowded, crossed = 0, 0
    for m in range(filled(lanes) & MASK):
        q = m * FOUR
        kind = a[BETWEEN + q + THREE]
        x = nearest_image(a[BETWEEN + q], L[0], half[0])
        y = nearest_image(a[BETWEEN + q + ONE], L[1], half[1])
        z = nearest_image(a[BETWEEN + q + TWO], L[2], half[2])
        ux, uy, uz, one = a[MINE + q], a[MINE + q + ONE], a[MINE + q + TWO], a[MINE + q + THREE]
        vx, vy, vz, two = (a[OTHERS + q], a[OTHERS + q + ONE], a[OTHERS + q + TWO],
                           a[OTHERS + q + THREE])
        are_ends, are_edges = kind == VERTICES, kind == EDGES
        nx, ny, nz = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
        sine2 = square(nx, ny, nz)
        s = ((y * vz - z * vy) * nx + (z * vx - x * vz) * ny + (x * vy - y * vx) * nz) / (
            sine2 if sine2 > 0.0 else 1.0)
        s = s if are_edges else one
        cosine = ux * vx + uy * vy + uz * vz
        foot = s * cosine - (vx * x + vy * y + vz * z)
        t = two if are_ends else foot
        back = t * cosine + (ux * x + uy * y + uz * z)
        px, py, pz = s * ux, s * uy, s * uz
        qx, qy, qz = t * vx, t * vy, t * vz
        dx, dy, dz = x + qx - px, y + qy - py, z + qz - pz
        radius, other = c[RADIUS + m], c[OTHER_RADIUS + m]
        reach = radius + other + gap
        room = reach * reach - square(dx, dy, dz)
        touch = square(dx, dy, dz) < reach * reach
        of_ends = (1.0 if beyond(foot, two) else 0.0) + (1.0 if beyond(back, one) else 0.0) - 1.0
        inside = 1.0 if abs(foot) < abs(two) else 0.0
        crossing = inside if (abs(s) < abs(one)) & (sine2 > 0.0) else 0.0
        weight = of_ends if are_ends else (crossing if are_edges else inside)
        to_end = min(abs(one) - abs(s), abs(two) - abs(t))
        near = CROSSED if are_edges & (to_end * to_end * sine2 < room) else 0.0
        crowd = (are_ends & touch & (one != 0.0) & (two != 0.0)
                 & (square(dx + 2.0 * px, dy + 2.0 * py, dz + 2.0 * pz) < reach * reach)
                 & (square(dx - 2.0 * qx, dy - 2.0 * qy, dz - 2.0 * qz) < reach * reach))
        write_row(w, q, dx, dy, dz, radius + other)
        write_row(share, HERE + q, px, py, pz, radius)
        write_row(share, THERE + q, qx, qy, qz, other)
        c[HEAVY + m] = weight if touch else 0.0
        c[ENDS + m] = CROWDED if crowd else near
        crowded += 1 if crowd else 0
        crossed += 1 if near > 0.0 else 0
    return crowded, crossed


@uncounted
def move_up(m, n, c, w, share):
    """Move the contact in lane n of a batch to lane m, which is none after it."""
    p, q = FOUR * m, FOUR * n
    write_row(w, p, *read_row(w, q))
    write_row(share, HERE + p, *read_row(share, HERE + q))
    write_row(share, THERE + p, *read_row(share, THERE + q))
    w[SMALL + m], w[LARGE + m] = c[RADIUS + n], c[OTHER_RADIUS + n]
    c[HEAVY + m], c[ENDS + m] = c[HEAVY + n], c[ENDS + n]

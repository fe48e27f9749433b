"""Facets that doubles have left in doubt, many at a time.

In a crystal they are every third. Where its coordinates have few bits, one at a time is fast enough
(`granum.geometry.short`); where they are rounded, pairs of doubles decide most of them, and do so
in half the time if they work on many facets at once. Facets wait for that in a batch.
"""

from __future__ import annotations

from granum.compile import inner_kernel, uncounted
from granum.geometry.doubled import LANES, doubled_lanes
from granum.geometry.integers import UNFIT
from granum.geometry.settle import settle_left3d
from granum.geometry.short import short_conflict3d
from granum.geometry.tetrahedra import vertices_of

BATCH = 21 * LANES  # numbers, as `doubled_lanes` wants them
WAITING = 0  # entry of ``work``: how many facets wait
FLAGGED = 1  # how many cells have been flagged


@uncounted
def lane_vertex(s, slot, lane):
    """Return a vertex as a tuple from where it has been gathered."""
    k = 4 * LANES * slot + lane
    return s[k], s[k + LANES], s[k + 2 * LANES], s[k + 3 * LANES]


@uncounted
def flag(flags, work, cell, f):
    """Flag a facet of a cell, and count the cell if it is the first."""
    work[FLAGGED] += int(flags[cell] == 0)
    flags[cell] |= 1 << f


@uncounted
def doubt(V, s, lane, cell, f, e, batch, which, flags, work):
    """Settle whether vertex e, behind facet f of a gathered cell, conflicts, or let it wait."""
    A, B = lane_vertex(s, 0, lane), lane_vertex(s, 1, lane)
    C, D = lane_vertex(s, 2, lane), lane_vertex(s, 3, lane)
    E = lane_vertex(s, 4 + f, lane)
    a, b, c, d = vertices_of(V, cell)
    found = short_conflict3d(A, B, C, D, E, a, b, c, d, e)
    if found == UNFIT:
        k = work[WAITING]
        for i in range(4):
            batch[i * LANES + k], batch[(4 + i) * LANES + k] = A[i], B[i]
            batch[(8 + i) * LANES + k], batch[(12 + i) * LANES + k] = C[i], D[i]
            batch[(16 + i) * LANES + k] = E[i]
        which[k, 0], which[k, 1], which[k, 2] = cell, f, e
        work[WAITING] = k + 1
    elif found > 0:
        flag(flags, work, cell, f)


@inner_kernel
def settle_batch(V, batch, which, flags, work):
    """Settle the facets that wait."""
    doubled_lanes(batch)
    for k in range(work[WAITING]):
        cell, f, e = which[k, 0], which[k, 1], which[k, 2]
        t = batch[20 * LANES + k]
        if t == 0.0:
            a, b, c, d = vertices_of(V, cell)
            t = float(settle_left3d(
                lane_vertex(batch, 0, k), lane_vertex(batch, 1, k), lane_vertex(batch, 2, k),
                lane_vertex(batch, 3, k), lane_vertex(batch, 4, k), a, b, c, d, e)[0])
        if t > 0.0:
            flag(flags, work, cell, f)
    work[WAITING] = 0

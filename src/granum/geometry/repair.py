"""Repair after a small motion: flip illegal facets until none is left (Algorithm 1).

Which flips there are is told in `granum.geometry.repair2` and `granum.geometry.repair3`. Facets
that cannot be flipped are tried again as long as there are flips elsewhere.
"""

from __future__ import annotations

import numpy as np

from granum.compile import kernel
from granum.geometry import repair2, repair3
from granum.geometry.either import either
from granum.geometry.facet_queue import FIRST, FLIPS, LAST, STUCK, TRIED, put
from granum.geometry.tetrahedra import BLOCKED, DONE, LIVE, LOST, NO_ROOM, UNUSED, finite_side

_is_illegal = either(repair2.is_illegal, repair3.is_illegal)
_try_flips = either(repair2.try_flips, repair3.try_flips)


@kernel
def repair(mesh, edges, queue, stuck, work, limit):
    """Flip until the queue is empty and nothing is stuck.

    Args:
        mesh: the cells.
        edges: their edges.
        queue: (k,) scratch, filled by ``fill_queue``.
        stuck: (k,) scratch.
        work: (WORK,) where it stands.
        limit: flips allowed.

    Returns:
        DONE; NO_ROOM: grow the mesh and call again; BLOCKED: the facets listed in ``stuck`` cannot
        be flipped; LOST: too much to do.
    """
    while True:
        while work[FIRST] < work[LAST]:
            # A queue that overran, when a vertex of many edges was hidden, is found out here.
            if work[LAST] - work[FIRST] + 20 > queue.size or work[FLIPS] > limit:
                return LOST
            if mesh.counts[LIVE] + 1 > mesh.V.shape[0]:
                return NO_ROOM
            facet = np.int64(queue[work[FIRST] % queue.size])
            work[FIRST] += 1
            if mesh.V[facet >> 2, 0] == UNUSED:
                continue
            c, f = finite_side(mesh, facet >> 2, facet & 3)
            if not _is_illegal(mesh, c, f):
                continue
            if _try_flips(mesh, edges, c, f, queue, work):
                work[FLIPS] += 1
            elif work[STUCK] < stuck.size:
                stuck[work[STUCK]] = 4 * c + f
                work[STUCK] += 1
            else:
                return LOST
        if work[STUCK] == 0:
            return DONE
        if work[FLIPS] == work[TRIED]:
            return BLOCKED
        work[TRIED] = work[FLIPS]
        for k in range(work[STUCK]):
            put(queue, work, stuck[k])
        work[STUCK] = 0

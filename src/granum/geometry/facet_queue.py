"""Facets that may be illegal, in a ring; and what else a repair keeps account of."""

from __future__ import annotations

from granum.compile import inner_kernel, kernel
from granum.geometry.check3 import TURNED
from granum.geometry.tetrahedra import TOP, is_finite

# Places in ``work``.
FIRST = 0  # facets taken from the queue so far
LAST = 1  # facets put there so far
FLIPS = 2  # flips made
STUCK = 3  # facets that could not be flipped
TRIED = 4  # flips when the stuck ones were last tried again
HULL = 5  # whether a flip has made cells at the hull
WORK = 6


@kernel
def put(queue, work, facet):
    """Put a facet, 4 * cell + facet, at the end of the queue; it may overrun, see ``repair``."""
    queue[work[LAST] % queue.size] = facet
    work[LAST] += 1


@kernel
def fill_queue(mesh, flags, queue, work):
    """Put into the queue the flagged facets, and all facets of turned cells."""
    for c in range(mesh.counts[TOP]):
        if flags[c] != 0:
            for f in range(len(mesh.places)):
                if flags[c] & (TURNED | 1 << f):
                    put(queue, work, 4 * c + f)


@inner_kernel
def note_hull(mesh, work, c):
    """Keep in mind if a cell that a flip has made is at the hull."""
    work[HULL] |= int(not is_finite(mesh, c))


@inner_kernel
def put_cell(mesh, queue, work, c):
    """Put all facets of a cell that a flip has made into the queue."""
    note_hull(mesh, work, c)
    for f in range(len(mesh.places)):
        put(queue, work, 4 * c + f)

"""Contacts that go over from one piece of a surface to the next take their memory along.

A mesh is many pieces: faces, edges and corners (`granum.walls.features`). A grain that rolls over
it leaves one piece and meets the next in the same step; for the grain it is the same contact, whose
spring must not be lost. So a contact that begins takes the memory of one that has ended just now:
of the same grain with the same surface, touching in the step before and not any more, and in the
same direction from the grain. Where several have ended, the first is taken; each is taken once.
"""

from __future__ import annotations

from numba.extending import register_jitable

from granum.compile import kernel
from granum.walls.closest import closest_of_whole
from granum.walls.moving.pose import closest_moved, inwards

ALIKE = 0.5  # least cosine between the directions to the pieces: no grain rolls on by 60° in a step


@kernel
def _is_alike(walls, w, other, x, y, z):
    """Tell whether two pieces of one wall lie in the same direction from a point."""
    if walls.body[w] >= 0:
        x, y, z = inwards(walls.pose, walls.body[w], x, y, z)
    _, ax, ay, az = closest_of_whole(walls.kind, walls.data, w, x, y, z)
    _, bx, by, bz = closest_of_whole(walls.kind, walls.data, other, x, y, z)
    return ax * bx + ay * by + az * bz > ALIKE


@kernel
def _hand_over(k, walls, spring, X, last, gap, time):
    """Do what `hand_over` says."""
    i, w = walls.grain[k], walls.piece[k]
    x, y, z, reach = X[i, 0], X[i, 1], X[i, 2], X[i, 3] + gap
    j = k
    while j > 0 and walls.grain[j - 1] == i:
        j -= 1
    while j < walls.grain.size and walls.grain[j] == i:
        other = walls.piece[j]
        if spring[j, 3] == last and j != k and walls.surface[other] == walls.surface[w]:
            d = closest_moved(walls.kind, walls.data, other, time, walls.body, walls.pose,
                              x, y, z)[0]
            if not d < reach and _is_alike(walls, w, other, x, y, z):
                for a in range(spring.shape[1]):
                    spring[k, a] = spring[j, a]
                spring[j, 3] = -1.0
                return
        j += 1


@register_jitable  # no kernel: a closure over a compiled function is never found in the cache again
def hand_over(k, walls, spring, X, last, gap, time):
    """Give slot k, whose contact begins, the memory of a contact that has ended since sweep last.

    Args:
        k: slot of the contact that begins.
        walls: all candidates, those of a grain one after the other.
        spring: (slots, width) history; the row that is taken is blank afterwards.
        X: (n,4) positions and radii of the grains.
        last: number of the sweep before.
        gap: how far from a wall a grain feels it [m].
        time: [s].
    """
    _hand_over(k, walls, spring, X, last, gap, time)

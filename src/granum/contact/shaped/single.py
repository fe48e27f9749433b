"""One contact for two convex bodies, where their skeletons are closest.

L. Pournin (EPFL thesis 3378, 2005) lets two convex bodies touch once: the law acts with the overlap
δ = R - d of the shortest way between the skeletons, and along it. Of all features that meet, that
is the closest pair. Where features are parallel many points are as close; the force acts at the
barycentre of all that overlap, each in proportion to its overlap and to how often it counts:

    x = Σ w_k δ_k x_k / Σ w_k δ_k,   x_k = p_k + r_i / (r_i + r_j) (q_k - p_k)

with the closest points p and q of features k, and the weights w of `meeting` and `crossing`, there
with the potential of a spring whatever the law: the place of a contact is geometry alone. So it is
the centre of the forces of all contacts, and moves continuously as bodies tilt and slide. A law
that acts across a gap has R longer by that gap here, so that there is a centre before they touch.

The sum of weights is never less than that of the closest pair alone, but for skeletons with sides
so short that more than two vertices of either touch all of the other; what is missing then is given
to the closest pair.

The history of the pair stands in a slot of its own, before the slots of its features (`slots`).
Legend as in `meeting`.
"""

from __future__ import annotations

import numpy as np
from numba.extending import register_jitable

from granum.compile import uncounted
from granum.contact.features import crossing_shares, energy_share
from granum.contact.pairs import LINEAR
from granum.contact.shaped.crossing import corners_of, ends_of_crossing
from granum.contact.shaped.meeting import KIND, ONES, SINGLE, pair_of
from granum.contact.shaped.touching import meet_features
from granum.geometry.simplices import between, dot, less
from granum.vector_rows import ONE


@register_jitable
def _add(sums, weight, way, here, part, reach):
    """Add a contact to (Σ w δ, Σ w δ x); ``part`` of its way lies on the first body's side."""
    f = weight * (reach - np.sqrt(dot(way, way)))
    return (sums[0] + f, sums[1] + f * (here[0] + part * way[0]),
            sums[2] + f * (here[1] + part * way[1]), sums[3] + f * (here[2] + part * way[2]))


@register_jitable
def _free(d2, h, reach):
    """Return 1 - ρ for an end of an edge, from the square of its distance to the other line."""
    return 1.0 - energy_share(np.sqrt(d2), h, reach, LINEAR)


@register_jitable
def _add_ends(sums, at, x, h, part, reach):
    """Add what ends take over from a crossing at the distance h; return its weight, too.

    ``x`` are the four ends and ``at`` what `ends_of_crossing` returns.
    """
    _, weight, taken = crossing_shares(_free(at[0][1], h, reach), _free(at[1][1], h, reach),
                                       _free(at[2][1], h, reach), _free(at[3][1], h, reach))
    for v in range(4):
        if at[v][1] < reach * reach:
            if v < 2:
                here, there = x[v], between(x[2], x[3], at[v][0])
            else:
                here, there = between(x[0], x[1], at[v][0]), x[v]
            sums = _add(sums, taken[v], less(there, here), here, part, reach)
    return sums, weight


@uncounted
def meet_slot(k, i, j, shift, reach, pairs):
    """Return what `meet_features` returns of slot k, which may be a single contact."""
    row, arm = pairs.row, pairs.arm
    part = arm[row[k, 0], 3] / (arm[row[k, 0], 3] + arm[row[k, 3], 3])
    is_single = row[k, KIND] == SINGLE
    c, end = k, k + ONE
    if is_single:
        c, end = end, end + np.uintp(row[k, ONES])
    best, closest, place = reach * reach, shift, shift
    sums = 0.0, 0.0, 0.0, 0.0
    while c < end:
        a, b, there = i, j, shift
        is_turned = is_single and pair_of(c, row)[1] == ONE
        if is_turned:
            a, b, there = j, i, (-shift[0], -shift[1], -shift[2])
        way, here, heavy, ends = meet_features(c, a, b, there, reach, pairs)
        if not is_single:
            return way, here, heavy, ends
        if heavy != 0.0:
            if is_turned:
                here = (shift[0] + here[0] + way[0], shift[1] + here[1] + way[1],
                        shift[2] + here[2] + way[2])
                way = -way[0], -way[1], -way[2]
            d2 = dot(way, way)
            if heavy > 0.0 and d2 < best:
                best, closest, place = d2, way, here
            if ends != 0.0:
                x = corners_of(c, i, j, shift, row, pairs.axes, pairs.arm)
                at = ends_of_crossing(x[0], x[1], x[2], x[3])
                sums, heavy = _add_ends(sums, at, x, np.sqrt(d2), part, reach)
            sums = _add(sums, heavy, way, here, part, reach)
        c += ONE
    missing = max(0.0, reach - np.sqrt(best) - sums[0])
    total = sums[0] + missing
    if not total > 0.0:
        return closest, place, 0.0, 0.0
    sums = (total, sums[1] + missing * (place[0] + part * closest[0]),
            sums[2] + missing * (place[1] + part * closest[1]),
            sums[3] + missing * (place[2] + part * closest[2]))
    return (closest, (sums[1] / total - part * closest[0], sums[2] / total - part * closest[1],
                      sums[3] / total - part * closest[2]), 1.0, 0.0)

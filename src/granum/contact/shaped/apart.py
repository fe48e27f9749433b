"""Features that stay apart until the next update, however their bodies move within their margins.

A vertex touches an edge or a face only where its foot is inside (see `meeting`), so slots are left
out whose foot cannot come there. Seen from the body of the edge or face, a vertex goes no farther
than s (1 + a ρ), with s the sum of both margins, ρ its distance and a s the largest angle by which
the body can turn: relative to each other its vertices move by no more than 2 s, which turns an edge
of length L by π s / L, and a face of least height h, in any direction, by 4.5 s / h.

For edges that cross the same holds of the point of one that crosses the other: they are left out
where both ends of one have their feet beyond the same end of the other.
"""

from __future__ import annotations

import numpy as np

from granum.compile import uncounted
from granum.contact.sweep import half_period, nearest_image
from granum.geometry.simplices import cross, dot, less, of_segments

TURN_OF_EDGE, TURN_OF_FACE = np.pi, 4.5
HERE = (0.0, 0.0, 0.0)
CLEAR = 1.0 + 1e-9  # by which a square is larger whatever rounding did


@uncounted
def place_of(lever, row, shift):
    """Return where a vertex is, seen from the centre of the first body [m]."""
    return shift[0] + lever[row, 0], shift[1] + lever[row, 1], shift[2] + lever[row, 2]


@uncounted
def distance2(a, b):
    """Return the square of the distance of two points."""
    d = less(a, b)
    return dot(d, d)


@uncounted
def farther_than(a, b, reach):
    """Tell whether two points are farther apart than ``reach``."""
    return distance2(a, b) >= reach * reach


@uncounted
def foot_stays_off_edge(p, a, b, reach, spare):
    """Tell whether a vertex cannot have its foot inside an edge before the next update."""
    e, d = less(b, a), less(p, a)
    length = np.sqrt(dot(e, e))
    slack = spare * (length + TURN_OF_EDGE * reach)  # times the length
    along = dot(d, e)
    return along < -slack or along > length * length + slack


@uncounted
def _is_off_side(p, a, b, n, slack):
    """Tell whether a point lies farther outside a side than ``slack``, n being the face's normal.

    The face is on the left of the way from a to b, as seen from the tip of n.
    """
    inwards = cross(n, less(b, a))
    return dot(less(p, a), inwards) < -slack * np.sqrt(dot(inwards, inwards))


@uncounted
def foot_stays_off_face(p, a, b, c, reach, spare):
    """Tell whether a vertex cannot have its foot inside a face before the next update."""
    ab, ac, bc = less(b, a), less(c, a), less(c, b)
    n = cross(ab, ac)
    longest = np.sqrt(max(dot(ab, ab), dot(ac, ac), dot(bc, bc)))
    double = np.sqrt(dot(n, n))
    if not double > 0.0:
        return False
    slack = spare * (1.0 + TURN_OF_FACE * reach * longest / double)
    return (_is_off_side(p, a, b, n, slack) or _is_off_side(p, b, c, n, slack)
            or _is_off_side(p, c, a, n, slack))


@uncounted
def stays_beyond_edge(p, q, a, b, reach, spare):
    """Tell whether an edge from p to q cannot cross that from a to b before the next update."""
    e = less(b, a)
    length = np.sqrt(dot(e, e))
    slack = spare * (length + TURN_OF_EDGE * reach)
    one, two = dot(less(p, a), e), dot(less(q, a), e)
    return max(one, two) < -slack or min(one, two) > length * length + slack


@uncounted
def are_rods_apart(i, j, L, X, begin, lever, arm, spare):
    """Tell of two bodies with two vertices each whether the segments between them stay apart.

    Of the spheres around long rods that touch, most are around rods that do not, and this takes
    much less time than to look at all their features. Two segments are apart if they are along one
    direction; first the way between their middles is tried, then the normal of both.
    """
    a, b = begin[i], begin[j]
    if begin[i + 1] - a != 2 or begin[j + 1] - b != 2:
        return False
    shift = (nearest_image(X[j, 0] - X[i, 0], L[0], half_period(L[0])),
             nearest_image(X[j, 1] - X[i, 1], L[1], half_period(L[1])),
             nearest_image(X[j, 2] - X[i, 2], L[2], half_period(L[2])))
    reach = max(arm[a, 3], arm[a + 1, 3]) + max(arm[b, 3], arm[b + 1, 3]) + spare
    p, q = place_of(lever, a, HERE), place_of(lever, a + 1, HERE)
    x, y = place_of(lever, b, shift), place_of(lever, b + 1, shift)
    u, v, d = less(q, p), less(y, x), (x[0] + y[0] - p[0] - q[0], x[1] + y[1] - p[1] - q[1],
                                       x[2] + y[2] - p[2] - q[2])  # twice that of the middles
    dd = dot(d, d)
    between = dd - abs(dot(u, d)) - abs(dot(v, d))
    if between > 0.0 and between * between > 4.0 * CLEAR * reach * reach * dd:
        return True
    n = cross(u, v)
    along = dot(n, d)
    if along * along > 4.0 * CLEAR * reach * reach * dot(n, n):
        return True
    return of_segments(p, q, x, y)[2] >= reach * reach

"""Slots: the features of two bodies that may touch before the next update.

Pairs of bodies come from the broad phase on the spheres around them; of their features, those make
slots whose distance is below the sum of radii and margins. A point of a feature moves no farther
than the farthest of its vertices, so the margin of a feature is the largest of theirs, and as long
as no vertex has used up its own no contact can be missed.

A vertex touches an edge or a face only where its foot is inside (see `meeting`), so slots are left
out whose foot cannot come there. Seen from the body of the edge or face, a vertex goes no farther
than s (1 + a ρ), with s the sum of both margins, ρ its distance and a s the largest angle by which
the body can turn: relative to each other its vertices move by no more than 2 s, which turns an edge
of length L by π s / L, and a face of least height h, in any direction, by 4.5 s / h.

For edges that cross the same holds of the point of one that crosses the other: they are left out
where both ends of one have their feet beyond the same end of the other.

Most features of two bodies are far from the other body. Those that are out of reach of the sphere
around it are sorted out first, so that a body of many vertices costs what its near ones cost.

Slots stand in the order of the bodies that own them, then of their partners, then of kinds and
features: that order depends on the grains alone, as that of `neighbours.candidates`. Blocks are
of whole bodies. Each of the two bodies of a pair has a force row: its own if it belongs to the
block, else one of the block's halo.

Most slots do not touch, and cannot for a while: a slot sleeps until its two bodies together have
gone a way that `rest` tells, and a pair as long as all of its slots.

Where two bodies have a single contact (`single`), a slot of its own stands before those of their
features and owns the history; theirs tell where the bodies may touch. It never sleeps.
"""

from __future__ import annotations

from typing import NamedTuple

import numba
import numpy as np
from numpy.typing import NDArray

from granum.compile import inner_kernel, parallel_kernel, uncounted
from granum.contact.shaped.adjacency import Adjacency
from granum.contact.shaped.meeting import (
    EDGES,
    KIND,
    MARK,
    ON_EDGE,
    ON_FACE,
    ONES,
    OTHERS,
    SINGLE,
    VERTICES,
)
from granum.contact.sweep import half_period, nearest_image
from granum.geometry.simplices import cross, dot, less, of_segments, on_segment, on_triangle
from granum.neighbours import Candidates
from granum.neighbours.candidates import halo_rows

TURN_OF_EDGE, TURN_OF_FACE = np.pi, 4.5
TARGET, BEGIN, END = 2, 4, 5  # columns of pair, after the two bodies
HERE = (0.0, 0.0, 0.0)


class Frame(NamedTuple):
    """Bodies in storage order, and what their features are."""

    X: NDArray[np.float64]  # (n,4) centres, and radius of the sphere around the body [m]
    V: NDArray[np.float64]  # (n,4) velocities, 1/m
    W: NDArray[np.float64]  # (n,4) spins, anything
    material: NDArray[np.uint32]  # (n,) number of the material
    axes: NDArray[np.float64]  # (n,16) axes, scale of the shape and more: see `dynamics.bodies`
    arm: NDArray[np.float64]  # (m,4) from the centres to the vertices, in the frames of the bodies,
                              # and radius of the ball that sweeps [m]
    lever: NDArray[np.float64]  # (m,4) from the centres to the vertices, in the lab [m]
    begin: NDArray[np.int64]  # (n + 1,) a body's first vertex
    shape: NDArray[np.int64]  # (n,) its shape in the tables
    first: NDArray[np.int64]  # (n + 1,) number of its first feature
    body: NDArray[np.int64]  # (m,) the body of a vertex
    gone: NDArray[np.float64]  # (n,) way that no vertex of a body has gone beyond, in all [m]


class Slots(NamedTuple):
    """Pairs of features; slot k owns one place of history."""

    block: NDArray[np.uint64]  # (blocks + 1,) a block's first vertex row
    begin: NDArray[np.int64]  # (n,) a body's first slot
    end: NDArray[np.int64]  # (n,) one past its last
    first: NDArray[np.int64]  # (blocks,) a block's first pair
    last: NDArray[np.int64]  # (blocks,) one past its last
    pair: NDArray[np.uint32]  # (pairs, 6) two bodies; their force rows; first slot, one past last
    row: NDArray[np.uint32]  # (slots, 8) vertex rows: of the first feature, then of the second;
                             # the two in the tables of vertices, sides, faces, but for a single
                             # contact how many slots of features follow; kind of slot;
                             # twice the pair, and 1 more if its second body has the first feature
    feature: NDArray[np.int64]  # (slots, 2) numbers of the two features
    wake: NDArray[np.float64]  # (slots,) the way of both bodies up to which the slot is asleep [m];
                               # negative if it is awake, and up to which that is not asked again
    pair_wake: NDArray[np.float64]  # (pairs,) the same for all slots of a pair
    halo_begin: NDArray[np.uint32]  # (n + 1,) a body's first entry in halo_row
    halo_row: NDArray[np.uint32]  # (halos,) force rows to add to the body, in order of blocks
    X: NDArray[np.float64]  # the rest as in `Frame` and in `Adjacency`
    V: NDArray[np.float64]
    W: NDArray[np.float64]
    material: NDArray[np.uint32]
    axes: NDArray[np.float64]
    arm: NDArray[np.float64]
    side: NDArray[np.float64]
    plane: NDArray[np.float64]
    rim: NDArray[np.uint32]
    weight: NDArray[np.float64]
    spoke_begin: NDArray[np.int64]
    spoke: NDArray[np.uint32]
    spoke_weight: NDArray[np.float64]
    fan_begin: NDArray[np.int64]
    fan: NDArray[np.uint32]
    wing_begin: NDArray[np.int64]
    wing: NDArray[np.uint32]
    gone: NDArray[np.float64]

    @property
    def places(self) -> int:
        """How many places of history there are."""
        return len(self.row)


@inner_kernel
def place_of(lever, row, shift):
    """Return where a vertex is, seen from the centre of the first body [m]."""
    return shift[0] + lever[row, 0], shift[1] + lever[row, 1], shift[2] + lever[row, 2]


@inner_kernel
def farther_than(a, b, reach):
    """Tell whether two points are farther apart than ``reach``."""
    d = less(a, b)
    return dot(d, d) >= reach * reach


@inner_kernel
def _foot_stays_off_edge(p, a, b, reach, spare):
    """Tell whether a vertex cannot have its foot inside an edge before the next update."""
    e, d = less(b, a), less(p, a)
    length = np.sqrt(dot(e, e))
    slack = spare * (length + TURN_OF_EDGE * reach)  # times the length
    along = dot(d, e)
    return along < -slack or along > length * length + slack


@inner_kernel
def _is_off_side(p, a, b, n, slack):
    """Tell whether a point lies farther outside a side than ``slack``, n being the face's normal.

    The face is on the left of the way from a to b, as seen from the tip of n.
    """
    inwards = cross(n, less(b, a))
    return dot(less(p, a), inwards) < -slack * np.sqrt(dot(inwards, inwards))


@inner_kernel
def _foot_stays_off_face(p, a, b, c, reach, spare):
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


@inner_kernel
def _stays_beyond_edge(p, q, a, b, reach, spare):
    """Tell whether an edge from p to q cannot cross that from a to b before the next update."""
    e = less(b, a)
    length = np.sqrt(dot(e, e))
    slack = spare * (length + TURN_OF_EDGE * reach)
    one, two = dot(less(p, a), e), dot(less(q, a), e)
    return max(one, two) < -slack or min(one, two) > length * length + slack


@inner_kernel
def _write(k, kind, mark, rows, limbs, features, row, feature):
    """Write one slot."""
    for q in range(4):
        row[k, q] = rows[q]
    row[k, ONES], row[k, OTHERS] = limbs
    row[k, KIND], row[k, MARK] = kind, mark
    feature[k, 0], feature[k, 1] = features


@inner_kernel
def _write_single(k, last, i, j, mark, frame, row, feature):
    """Write the slot of a single contact before those of features, which end before ``last``.

    It has the numbers of the bodies' first features, and they have none any more.
    """
    a, b = frame.begin[i], frame.begin[j]
    for c in range(k + 1, last):
        feature[c, 0], feature[c, 1] = -1, -1
    _write(k, SINGLE, mark, (a, a, b, b), (last - k - 1, 0), (frame.first[i], frame.first[j]),
           row, feature)


@inner_kernel
def _near_vertices(i, shift, other, other_radius, spare, frame, near):
    """List the vertices of body i within reach of the sphere around another one; return how many.

    ``shift`` is where the centre of i is, ``other`` that of the other body.
    """
    count = 0
    for a in range(frame.begin[i], frame.begin[i + 1]):
        if not farther_than(place_of(frame.lever, a, shift), other,
                            frame.arm[a, 3] + other_radius + spare):
            near[count] = a
            count += 1
    return count


@inner_kernel
def _near_sides(i, shift, other, other_radius, spare, frame, parts, near):
    """List the sides of body i that are near another one, in the same way."""
    count, start, s = 0, frame.begin[i], frame.shape[i]
    reach = frame.arm[start, 3] + other_radius + spare
    for e in range(parts.edge[s], parts.edge[s + 1]):
        a = place_of(frame.lever, start + parts.ends[e, 0], shift)
        b = place_of(frame.lever, start + parts.ends[e, 1], shift)
        if on_segment(other, a, b)[1] < reach * reach:
            near[count] = e
            count += 1
    return count


@inner_kernel
def _near_faces(i, shift, other, other_radius, spare, frame, parts, near):
    """List the faces of body i that are near another one, in the same way."""
    count, start, s = 0, frame.begin[i], frame.shape[i]
    reach = frame.arm[start, 3] + other_radius + spare
    for f in range(parts.face[s], parts.face[s + 1]):
        a = place_of(frame.lever, start + parts.corners[f, 0], shift)
        b = place_of(frame.lever, start + parts.corners[f, 1], shift)
        c = place_of(frame.lever, start + parts.corners[f, 2], shift)
        if on_triangle(other, a, b, c)[3] < reach * reach:
            near[count] = f
            count += 1
    return count


@inner_kernel
def _list_vertices(i, j, shift, near, many, frame, parts, spare, write, mark, k, row, feature):
    """Write the slots of two bodies' vertices with each other, from k on; return the next."""
    lever, arm = frame.lever, frame.arm
    for n in range(many[0]):
        a = near[0, n]
        x = place_of(lever, a, (0.0, 0.0, 0.0))
        for m in range(many[3]):
            b = near[3, m]
            if farther_than(x, place_of(lever, b, shift), arm[a, 3] + arm[b, 3] + spare):
                continue
            if write:
                u, v = a - frame.begin[i], b - frame.begin[j]
                _write(k, VERTICES, mark, (a, a, b, b),
                       (parts.vertex[frame.shape[i]] + u, parts.vertex[frame.shape[j]] + v),
                       (frame.first[i] + u, frame.first[j] + v), row, feature)
            k += 1
    return k


@inner_kernel
def _list_on_parts(i, j, shift, vertices, sides, faces, many, frame, parts, spare, write, mark, k,
                   row, feature):
    """Write the slots of i's vertices with j's edges and faces, from k on; return the next.

    ``shift`` is where j's centre is, seen from i's; ``many`` are the numbers of near features.
    """
    lever, arm = frame.lever, frame.arm
    u, start = frame.shape[j], frame.begin[j]
    first_side = frame.first[j] + frame.begin[j + 1] - start - parts.edge[u]
    first_face = first_side + parts.edge[u + 1] - parts.face[u]
    for n in range(many[0]):
        a = vertices[n]
        x = place_of(lever, a, (0.0, 0.0, 0.0))
        reach = arm[a, 3] + arm[start, 3] + spare
        m = a - frame.begin[i]
        mine = parts.vertex[frame.shape[i]] + m
        for q in range(many[1]):
            e = sides[q]
            b, c = start + parts.ends[e, 0], start + parts.ends[e, 1]
            y, z = place_of(lever, b, shift), place_of(lever, c, shift)
            if (_foot_stays_off_edge(x, y, z, reach, spare)
                    or on_segment(x, y, z)[1] >= reach * reach):
                continue
            if write:
                _write(k, ON_EDGE, mark, (a, b, c, c), (mine, e),
                       (frame.first[i] + m, first_side + e), row, feature)
            k += 1
        for q in range(many[2]):
            f = faces[q]
            b, c, d = (start + parts.corners[f, 0], start + parts.corners[f, 1],
                       start + parts.corners[f, 2])
            y, z, w = (place_of(lever, b, shift), place_of(lever, c, shift),
                       place_of(lever, d, shift))
            if (_foot_stays_off_face(x, y, z, w, reach, spare)
                    or on_triangle(x, y, z, w)[3] >= reach * reach):
                continue
            if write:
                _write(k, ON_FACE, mark, (a, b, c, d), (mine, f),
                       (frame.first[i] + m, first_face + f), row, feature)
            k += 1
    return k


@inner_kernel
def _list_edges(i, j, shift, near, many, frame, parts, spare, write, mark, k, row, feature):
    """Write the slots of two bodies' edges with each other, from k on; return the next."""
    lever, arm = frame.lever, frame.arm
    s, u, start, there = frame.shape[i], frame.shape[j], frame.begin[i], frame.begin[j]
    reach = arm[start, 3] + arm[there, 3] + spare
    mine = frame.first[i] + frame.begin[i + 1] - start - parts.edge[s]
    other = frame.first[j] + frame.begin[j + 1] - there - parts.edge[u]
    for n in range(many[1]):
        e = near[1, n]
        if e >= parts.edge[s] + parts.sharp[s]:
            break
        a, b = start + parts.ends[e, 0], start + parts.ends[e, 1]
        x, y = place_of(lever, a, (0.0, 0.0, 0.0)), place_of(lever, b, (0.0, 0.0, 0.0))
        for m in range(many[4]):
            f = near[4, m]
            if f >= parts.edge[u] + parts.sharp[u]:
                break
            c, d = there + parts.ends[f, 0], there + parts.ends[f, 1]
            z, w = place_of(lever, c, shift), place_of(lever, d, shift)
            if (_stays_beyond_edge(z, w, x, y, reach, spare)
                    or _stays_beyond_edge(x, y, z, w, reach, spare)
                    or of_segments(x, y, z, w)[2] >= reach * reach):
                continue
            if write:
                _write(k, EDGES, mark, (a, b, c, d), (e, f), (mine + e, other + f), row, feature)
            k += 1
    return k


@inner_kernel
def _list_pair(i, j, L, frame, parts, spare, crossing, near, many, write, mark, k, row, feature):
    """Write all slots of two bodies from k on; return the next.

    ``near`` has room for the near vertices, sides and faces of i, then those of j.
    """
    X, here = frame.X, (0.0, 0.0, 0.0)
    shift = (nearest_image(X[j, 0] - X[i, 0], L[0], half_period(L[0])),
             nearest_image(X[j, 1] - X[i, 1], L[1], half_period(L[1])),
             nearest_image(X[j, 2] - X[i, 2], L[2], half_period(L[2])))
    back = (-shift[0], -shift[1], -shift[2])
    many[0] = _near_vertices(i, here, shift, X[j, 3], spare, frame, near[0])
    many[3] = _near_vertices(j, shift, here, X[i, 3], spare, frame, near[3])
    many[1] = _near_sides(i, here, shift, X[j, 3], spare, frame, parts, near[1])
    many[4] = _near_sides(j, shift, here, X[i, 3], spare, frame, parts, near[4])
    many[2] = _near_faces(i, here, shift, X[j, 3], spare, frame, parts, near[2])
    many[5] = _near_faces(j, shift, here, X[i, 3], spare, frame, parts, near[5])
    k = _list_vertices(i, j, shift, near, many, frame, parts, spare, write, mark, k, row, feature)
    k = _list_on_parts(i, j, shift, near[0], near[4], near[5], (many[0], many[4], many[5]), frame,
                       parts, spare, write, mark, k, row, feature)
    k = _list_on_parts(j, i, back, near[3], near[1], near[2], (many[3], many[1], many[2]), frame,
                       parts, spare, write, mark + 1, k, row, feature)
    if crossing:
        k = _list_edges(i, j, shift, near, many, frame, parts, spare, write, mark, k, row, feature)
    return k


@uncounted
def _are_apart(i, j, L, X, begin, lever, arm, spare):
    """Tell of two bodies with two vertices each whether the segments between them stay apart.

    Of the spheres around long rods that touch, most are around rods that do not, and this takes
    much less time than to look at all their features.
    """
    a, b = begin[i], begin[j]
    if begin[i + 1] - a != 2 or begin[j + 1] - b != 2:
        return False
    shift = (nearest_image(X[j, 0] - X[i, 0], L[0], half_period(L[0])),
             nearest_image(X[j, 1] - X[i, 1], L[1], half_period(L[1])),
             nearest_image(X[j, 2] - X[i, 2], L[2], half_period(L[2])))
    reach = max(arm[a, 3], arm[a + 1, 3]) + max(arm[b, 3], arm[b + 1, 3]) + spare
    return of_segments(place_of(lever, a, HERE), place_of(lever, a + 1, HERE),
                       place_of(lever, b, shift), place_of(lever, b + 1, shift)
                       )[2] >= reach * reach


@parallel_kernel
def _list_all(block, begin, end, partner, L, frame, parts, margin, crossing, most, alone, write,
              first, size, slot_begin, slot_end, pair, row, feature):
    """Count the pairs and slots of each block, or write them down from its first on.

    ``first`` and ``size`` (2, blocks) are of pairs and of slots. ``most`` is the number of
    vertices, sides or faces that a body has at most, ``alone`` tells of which shapes two have a
    single contact.
    """
    for b in numba.prange(block.size - 1):
        near, many = np.empty((6, most), dtype=np.int64), np.empty(6, dtype=np.int64)
        p, k = first[0, b], first[1, b]
        for i in range(block[b], block[b + 1]):
            slot_begin[i] = k
            for c in range(begin[i], end[i]):
                j, start = np.int64(partner[c]), k
                if _are_apart(i, j, L, frame.X, frame.begin, frame.lever, frame.arm,
                              margin[i] + margin[j]):
                    continue
                head = 1 if alone[frame.shape[i]] and alone[frame.shape[j]] else 0
                last = _list_pair(i, j, L, frame, parts, margin[i] + margin[j], crossing, near,
                                  many, write, 2 * p, k + head, row, feature)
                if last == k + head:
                    continue
                k = last
                if write:
                    pair[p, 0], pair[p, 1], pair[p, BEGIN], pair[p, END] = i, j, start, k
                    if head == 1:
                        _write_single(start, k, i, j, 2 * p, frame, row, feature)
                p += 1
            slot_end[i] = k
        size[0, b], size[1, b] = p - first[0, b], k - first[1, b]


def make_slots(pairs: Candidates, frame: Frame, parts: Adjacency, margin: NDArray[np.float64],
               period: NDArray[np.float64], dimension: int, alone: NDArray[np.bool_]) -> Slots:
    """Return the slots of all pairs of bodies.

    Args:
        pairs: pairs of bodies whose spheres may touch.
        frame: the bodies as they are now.
        parts: what hangs together in their shapes.
        margin: (n,) how far any vertex of a body may go before the next update, and half of the gap
            across which the law acts [m].
        period: (3,) [m], 0 where there is none.
        dimension: in the plane edges do not cross.
        alone: (shapes + 1,) of which two have a single contact.
    """
    block = pairs.block.astype(np.int64)
    blocks, n, m = len(block) - 1, len(frame.X), len(frame.lever)
    first, size = np.zeros((2, blocks + 1), dtype=np.int64), np.zeros((2, blocks), dtype=np.int64)
    begin, end = np.zeros((2, n), dtype=np.int64)
    most = max(int(np.diff(table).max()) for table in (parts.vertex, parts.edge, parts.face))
    place = (block, pairs.begin.astype(np.int64), pairs.end.astype(np.int64), pairs.partner, period,
             frame, parts, margin, dimension == 3, most, alone)
    _list_all(*place, False, first, size, begin, end, *_arrays(0, 0))
    first[:, 1:] = np.cumsum(size, axis=1)
    pair, row, feature = arrays = _arrays(*(int(count) for count in first[:, -1]))
    _list_all(*place, True, first, size, begin, end, *arrays)
    target, halo_begin, halo_row = halo_rows(block, 2 * first[0], 2 * size[0],
                                             pair[:, :2].astype(np.int32).reshape(-1), n)
    pair[:, TARGET:BEGIN] = target.reshape(-1, 2) + np.uint32(m)
    vertex = frame.begin[block].astype(np.uint64)
    return Slots(vertex, begin, end, first[0, :-1].copy(), first[0, 1:].copy(), pair, row, feature,
                 np.zeros(len(row)), np.zeros(len(pair)), halo_begin, halo_row + np.uint32(m),
                 frame.X, frame.V, frame.W, frame.material, frame.axes, frame.arm, *parts[6:],
                 frame.gone)


def _arrays(pairs: int, slots: int) -> tuple[NDArray[np.uint32], NDArray[np.uint32],
                                             NDArray[np.int64]]:
    return (np.zeros((pairs, 6), dtype=np.uint32), np.zeros((slots, 8), dtype=np.uint32),
            np.zeros((slots, 2), dtype=np.int64))

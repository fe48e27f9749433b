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

Slots stand in the order of the bodies that own them, then of their partners, then of kinds and
features: that order depends on the grains alone, as that of `neighbours.candidates`. Blocks are
of whole bodies. Each of the up to four vertices of a slot has a force row: its own if it belongs to
the block, else one of the block's halo.
"""

from __future__ import annotations

from typing import NamedTuple

import numba
import numpy as np
from numpy.typing import NDArray

from granum.compile import kernel, parallel_kernel
from granum.contact.shaped.adjacency import Adjacency
from granum.contact.shaped.meeting import EDGES, ON_EDGE, ON_FACE, VERTICES, place_of
from granum.contact.sweep import half_period, nearest_image
from granum.geometry.simplices import cross, dot, less, of_segments, on_segment, on_triangle
from granum.neighbours import Candidates
from granum.neighbours.candidates import halo_rows

TURN_OF_EDGE, TURN_OF_FACE = np.pi, 4.5


class Frame(NamedTuple):
    """Bodies in storage order, and what their features are."""

    X: NDArray[np.float64]  # (n,4) centres, and radius of the sphere around the body [m]
    lever: NDArray[np.float64]  # (m,4) from the centres to the vertices [m]
    radius: NDArray[np.float64]  # (m,) radius of the ball that sweeps [m]
    body: NDArray[np.int64]  # (m,) the body of a vertex
    begin: NDArray[np.int64]  # (n + 1,) a body's first vertex
    shape: NDArray[np.int64]  # (n,) its shape in the tables
    first: NDArray[np.int64]  # (n + 1,) number of its first feature


class Slots(NamedTuple):
    """Pairs of features; slot k owns one place of history."""

    block: NDArray[np.uint64]  # (blocks + 1,) a block's first vertex row
    begin: NDArray[np.int64]  # (n,) a body's first slot
    end: NDArray[np.int64]  # (n,) one past its last
    first: NDArray[np.int64]  # (blocks,) a block's first slot
    last: NDArray[np.int64]  # (blocks,) one past its last
    kind: NDArray[np.uint8]  # (slots,) vertices, vertex on edge, vertex on face, edges
    row: NDArray[np.uint32]  # (slots, 4) vertex rows: those of the first feature, then the second
    target: NDArray[np.uint32]  # (slots, 4) force rows of these
    limb: NDArray[np.int64]  # (slots, 2) the two features in the tables of vertices and edges
    feature: NDArray[np.int64]  # (slots, 2) numbers of the two features
    halo_begin: NDArray[np.uint32]  # (m + 1,) a vertex' first entry in halo_row
    halo_row: NDArray[np.uint32]  # (halos,) force rows to add to the vertex, in order of blocks
    X: NDArray[np.float64]  # the rest as in `Frame` and in `Adjacency`
    lever: NDArray[np.float64]
    radius: NDArray[np.float64]
    body: NDArray[np.int64]
    weight: NDArray[np.float64]
    side_begin: NDArray[np.int64]
    side_way: NDArray[np.int64]
    side_weight: NDArray[np.float64]
    fan_begin: NDArray[np.int64]
    fan_way: NDArray[np.int64]
    wing_begin: NDArray[np.int64]
    wing_way: NDArray[np.int64]


@kernel
def farther_than(a, b, reach):
    """Tell whether two points are farther apart than ``reach``."""
    d = less(a, b)
    return dot(d, d) >= reach * reach


@kernel
def _foot_stays_off_edge(p, a, b, reach, spare):
    """Tell whether a vertex cannot have its foot inside an edge before the next update."""
    e, d = less(b, a), less(p, a)
    length = np.sqrt(dot(e, e))
    slack = spare * (length + TURN_OF_EDGE * reach)  # times the length
    along = dot(d, e)
    return along < -slack or along > length * length + slack


@kernel
def _is_off_side(p, a, b, n, slack):
    """Tell whether a point lies farther outside a side than ``slack``, n being the face's normal.

    The face is on the left of the way from a to b, as seen from the tip of n.
    """
    inwards = cross(n, less(b, a))
    return dot(less(p, a), inwards) < -slack * np.sqrt(dot(inwards, inwards))


@kernel
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


@kernel
def _write(k, kind, rows, limbs, features, slot_kind, row, limb, feature):
    """Write one slot."""
    slot_kind[k] = kind
    for q in range(4):
        row[k, q] = rows[q]
    limb[k, 0], limb[k, 1] = limbs
    feature[k, 0], feature[k, 1] = features


@kernel
def _is_near(x, body_x, body_r, r):
    """Tell whether a ball touches the sphere around a body."""
    return not farther_than(x, body_x, r + body_r)


@kernel
def _list_vertices(i, j, shift, frame, parts, spare, write, k, kind, row, limb, feature):
    """Write the slots of two bodies' vertices with each other, from k on; return the next."""
    lever, radius = frame.lever, frame.radius
    here = (0.0, 0.0, 0.0)
    for a in range(frame.begin[i], frame.begin[i + 1]):
        x = place_of(lever, a, here)
        for b in range(frame.begin[j], frame.begin[j + 1]):
            if farther_than(x, place_of(lever, b, shift), radius[a] + radius[b] + spare):
                continue
            if write:
                m, n = a - frame.begin[i], b - frame.begin[j]
                _write(k, VERTICES, (a, a, b, b),
                       (parts.vertex[frame.shape[i]] + m, parts.vertex[frame.shape[j]] + n),
                       (frame.first[i] + m, frame.first[j] + n), kind, row, limb, feature)
            k += 1
    return k


@kernel
def _list_on_parts(i, j, shift, there, frame, parts, spare, write, k, kind, row, limb, feature):
    """Write the slots of i's vertices with j's edges and faces, from k on; return the next.

    ``shift`` is where j's centre is, seen from i's.
    """
    lever, radius = frame.lever, frame.radius
    u, start = frame.shape[j], frame.begin[j]
    sides = parts.edge[u + 1] - parts.edge[u]
    for a in range(frame.begin[i], frame.begin[i + 1]):
        x = place_of(lever, a, (0.0, 0.0, 0.0))
        reach = radius[a] + radius[start] + spare
        if not _is_near(x, shift, there, radius[a] + spare):
            continue
        m = a - frame.begin[i]
        mine = parts.vertex[frame.shape[i]] + m
        for e in range(parts.edge[u], parts.edge[u + 1]):
            b, c = start + parts.ends[e, 0], start + parts.ends[e, 1]
            y, z = place_of(lever, b, shift), place_of(lever, c, shift)
            if (on_segment(x, y, z)[1] >= reach * reach
                    or _foot_stays_off_edge(x, y, z, reach, spare)):
                continue
            if write:
                part = frame.begin[j + 1] - frame.begin[j]
                _write(k, ON_EDGE, (a, b, c, c), (mine, e),
                       (frame.first[i] + m, frame.first[j] + part + e - parts.edge[u]),
                       kind, row, limb, feature)
            k += 1
        for f in range(parts.face[u], parts.face[u + 1]):
            b, c, d = (start + parts.corners[f, 0], start + parts.corners[f, 1],
                       start + parts.corners[f, 2])
            y, z, q = (place_of(lever, b, shift), place_of(lever, c, shift),
                       place_of(lever, d, shift))
            if (_foot_stays_off_face(x, y, z, q, reach, spare)
                    or on_triangle(x, y, z, q)[3] >= reach * reach):
                continue
            if write:
                part = frame.begin[j + 1] - frame.begin[j] + sides
                _write(k, ON_FACE, (a, b, c, d), (mine, f),
                       (frame.first[i] + m, frame.first[j] + part + f - parts.face[u]),
                       kind, row, limb, feature)
            k += 1
    return k


@kernel
def _list_edges(i, j, shift, there, frame, parts, spare, write, k, kind, row, limb, feature):
    """Write the slots of two bodies' edges with each other, from k on; return the next."""
    lever, radius = frame.lever, frame.radius
    s, u = frame.shape[i], frame.shape[j]
    reach = radius[frame.begin[i]] + radius[frame.begin[j]] + spare
    vertices, others = (frame.begin[i + 1] - frame.begin[i], frame.begin[j + 1] - frame.begin[j])
    here = (0.0, 0.0, 0.0)
    for e in range(parts.edge[s], parts.edge[s] + parts.sharp[s]):
        a, b = frame.begin[i] + parts.ends[e, 0], frame.begin[i] + parts.ends[e, 1]
        x, y = place_of(lever, a, here), place_of(lever, b, here)
        near = radius[a] + spare + there
        if on_segment(shift, x, y)[1] >= near * near:
            continue
        for f in range(parts.edge[u], parts.edge[u] + parts.sharp[u]):
            c, d = frame.begin[j] + parts.ends[f, 0], frame.begin[j] + parts.ends[f, 1]
            if of_segments(x, y, place_of(lever, c, shift),
                           place_of(lever, d, shift))[2] >= reach * reach:
                continue
            if write:
                _write(k, EDGES, (a, b, c, d), (e, f),
                       (frame.first[i] + vertices + e - parts.edge[s],
                        frame.first[j] + others + f - parts.edge[u]), kind, row, limb, feature)
            k += 1
    return k


@kernel
def _list_pair(i, j, L, frame, parts, spare, crossing, write, k, kind, row, limb, feature):
    """Write all slots of two bodies from k on; return the next."""
    X = frame.X
    shift = (nearest_image(X[j, 0] - X[i, 0], L[0], half_period(L[0])),
             nearest_image(X[j, 1] - X[i, 1], L[1], half_period(L[1])),
             nearest_image(X[j, 2] - X[i, 2], L[2], half_period(L[2])))
    back = (-shift[0], -shift[1], -shift[2])
    k = _list_vertices(i, j, shift, frame, parts, spare, write, k, kind, row, limb, feature)
    k = _list_on_parts(i, j, shift, X[j, 3], frame, parts, spare, write, k, kind, row, limb,
                       feature)
    k = _list_on_parts(j, i, back, X[i, 3], frame, parts, spare, write, k, kind, row, limb, feature)
    if crossing:
        k = _list_edges(i, j, shift, X[j, 3], frame, parts, spare, write, k, kind, row, limb,
                        feature)
    return k


@parallel_kernel
def _list_all(block, begin, end, partner, L, frame, parts, margin, crossing, write, first, size,
              slot_begin, slot_end, kind, row, limb, feature):
    """Count the slots of each block, or write them down from its first on."""
    for b in numba.prange(block.size - 1):
        k = first[b]
        for i in range(block[b], block[b + 1]):
            slot_begin[i] = k
            for c in range(begin[i], end[i]):
                j = np.int64(partner[c])
                k = _list_pair(i, j, L, frame, parts, margin[i] + margin[j], crossing, write, k,
                               kind, row, limb, feature)
            slot_end[i] = k
        size[b] = k - first[b]


def make_slots(pairs: Candidates, frame: Frame, parts: Adjacency, margin: NDArray[np.float64],
               period: NDArray[np.float64], dimension: int) -> Slots:
    """Return the slots of all pairs of bodies.

    Args:
        pairs: pairs of bodies whose spheres may touch.
        frame: the bodies as they are now.
        parts: what hangs together in their shapes.
        margin: (n,) how far any vertex of a body may go before the next update, and half of the gap
            across which the law acts [m].
        period: (3,) [m], 0 where there is none.
        dimension: in the plane edges do not cross.
    """
    block = pairs.block.astype(np.int64)
    blocks, n = len(block) - 1, len(frame.X)
    first, size = np.zeros(blocks + 1, dtype=np.int64), np.zeros(blocks, dtype=np.int64)
    begin, end = np.zeros((2, n), dtype=np.int64)
    place = (block, pairs.begin.astype(np.int64), pairs.end.astype(np.int64), pairs.partner, period,
             frame, parts, margin, dimension == 3)
    empty = _arrays(0)
    _list_all(*place, False, first, size, begin, end, *empty)
    first[1:] = np.cumsum(size)
    kind, row, limb, feature = arrays = _arrays(int(first[-1]))
    _list_all(*place, True, first, size, begin, end, *arrays)
    rows = frame.begin[block]
    target, halo_begin, halo_row = halo_rows(rows, 4 * first, 4 * size,
                                             row.reshape(-1).view(np.int32), len(frame.lever))
    return Slots(rows.astype(np.uint64), begin, end, first[:-1].copy(), first[:-1] + size, kind,
                 row, target.reshape(-1, 4), limb, feature, halo_begin, halo_row, frame.X,
                 frame.lever, frame.radius, frame.body, *parts[6:])


def _arrays(count: int) -> tuple[NDArray[np.uint8], NDArray[np.uint32], NDArray[np.int64],
                                 NDArray[np.int64]]:
    return (np.zeros(count, dtype=np.uint8), np.zeros((count, 4), dtype=np.uint32),
            np.zeros((count, 2), dtype=np.int64), np.zeros((count, 2), dtype=np.int64))

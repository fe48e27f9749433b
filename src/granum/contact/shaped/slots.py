"""Slots: the features of two bodies that may touch before the next update.

Pairs of bodies come from the broad phase on the spheres around them; of their features, those make
slots whose distance is below the sum of radii and margins. A point of a feature moves no farther
than the farthest of its vertices, so the margin of a feature is the largest of theirs, and as long
as no vertex has used up its own no contact can be missed.

Slots are left out of which a vertex cannot have its foot on the edge or face, or of which edges
cannot cross, before the next update (see `apart`).

Most features of two bodies are far from the other body. Those that are out of reach of the sphere
around it are sorted out first, so that a body of many vertices costs what its near ones cost.

Slots stand in the order of the bodies that own them, then of their partners, then of kinds and
features: that order depends on the grains alone, as that of `neighbours.candidates`. Blocks are
of whole bodies. Each of the two bodies of a pair has a force row: its own if it belongs to the
block, else one of the block's halo.

Most slots do not touch, and cannot for a while: a slot sleeps until its two bodies together have
gone a way that `rest` tells, and a pair as long as all of its slots. Features that are apart sleep
from the beginning, until the bodies have gone as far as they are apart. Each block has a queue of
those that are awake. It serves until one of the others might wake, or one of it has lain down.

Where two bodies have a single contact (`single`), a slot of its own stands before those of their
features and owns the history; theirs tell where the bodies may touch. Once awake it does not sleep
again.
"""

from __future__ import annotations

from typing import NamedTuple

import numba
import numpy as np
from numpy.typing import NDArray

from granum.compile import parallel_kernel, uncounted
from granum.contact.shaped.adjacency import Adjacency
from granum.contact.shaped.apart import (
    HERE,
    are_rods_apart,
    distance2,
    farther_than,
    foot_stays_off_edge,
    foot_stays_off_face,
    place_of,
    stays_beyond_edge,
)
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
from granum.contact.shaped.rest import LEAST, ROUNDING
from granum.contact.sweep import half_period, nearest_image
from granum.geometry.simplices import of_segments, on_segment, on_triangle
from granum.neighbours import Candidates
from granum.neighbours.candidates import halo_rows

BEGIN, END = 2, 3  # columns of pair, after the two bodies
SPARE = 16  # places set aside for each block, at least


class Frame(NamedTuple):
    """Bodies in storage order, and what their features are."""

    X: NDArray[np.float64]  # (n,4) centres, and radius of the sphere around the body [m]
    V: NDArray[np.float64]  # (n,4) velocities, 1/m
    W: NDArray[np.float64]  # (n,4) spins, anything
    material: NDArray[np.uint32]  # (n,) number of the material
    axes: NDArray[np.float64]  # (n,12) axes, scale of the shape and more: see `dynamics.bodies`
    arm: NDArray[np.float64]  # (m,4) from the centres to the vertices, in the frames of the bodies,
                              # and radius of the ball that sweeps [m]
    alike: NDArray[np.float64]  # (s,4) the same, but once for all bodies of one shape and size
    ahead: NDArray[np.int64]  # (n,) how much farther on a body's vertices are in arm than in alike
    lever: NDArray[np.float64]  # (m,4) from the centres to the vertices, in the lab [m]
    begin: NDArray[np.int64]  # (n + 1,) a body's first vertex
    shape: NDArray[np.int64]  # (n,) its shape in the tables
    first: NDArray[np.int64]  # (n + 1,) number of its first feature
    body: NDArray[np.int64]  # (m,) the body of a vertex
    gone: NDArray[np.float64]  # (n,) way that no vertex of a body has gone beyond, in all and but
                               # for what all bodies have in common [m]


class Slots(NamedTuple):
    """Pairs of features; slot k owns one place of history."""

    block: NDArray[np.uint64]  # (blocks + 1,) a block's first vertex row
    begin: NDArray[np.int64]  # (n,) a body's first slot
    end: NDArray[np.int64]  # (n,) one past its last
    first: NDArray[np.int64]  # (blocks,) a block's first pair
    last: NDArray[np.int64]  # (blocks,) one past its last
    pair: NDArray[np.uint32]  # (pairs, 4) two bodies; first slot, one past last
    row: NDArray[np.uint32]  # (slots, 8) vertices, as rows of arm: of the first feature, then of
                             # the second; the two in the tables of vertices, sides, faces, but for
                             # a single contact how many slots of features follow; kind of slot;
                             # twice the pair, and 1 more if its second body has the first feature
    who: NDArray[np.uint32]  # (slots, 4) bodies of the first and of the second feature; their force
                             # rows
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
    arm: NDArray[np.float64]  # there it is called alike
    ahead: NDArray[np.int64]
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
    queue: NDArray[np.uint32]  # (slots,) from a block's first slot on, those that are awake
    lined: NDArray[np.uint64]  # (blocks,) one past the last in the queue of a block
    limit: NDArray[np.float64]  # (blocks,) up to which ``far`` the queue serves [m]
    far: NDArray[np.float64]  # (1,) way that no body has gone beyond so far, as ``gone`` [m]

    @property
    def places(self) -> int:
        """How many places of history there are."""
        return len(self.row)


@uncounted
def slots_of_block(b, pairs):
    """Return the first slot of block b, and one past its last."""
    first, last = pairs.first[b], pairs.last[b]
    if first == last:
        return np.uintp(0), np.uintp(0)
    return np.uintp(pairs.pair[first, BEGIN]), np.uintp(pairs.pair[last - 1, END])


@uncounted
def keep_queue(b, end, least, pairs):
    """Keep the queue of block b, which ends there, until a body has gone half the least way.

    That is the way that two bodies together can go before one of those that sleep wakes.
    """
    pairs.lined[b], pairs.limit[b] = end, pairs.far[0] + 0.5 * least


@uncounted
def is_queue_good(b, pairs):
    """Tell whether the queue of block b still has all slots that are awake."""
    return pairs.far[0] < pairs.limit[b]


class Written(NamedTuple):
    """Where slots are written, up to a block's last place; from there on they are counted only."""

    row: NDArray[np.uint32]
    feature: NDArray[np.int64]
    wake: NDArray[np.float64]


@uncounted
def _write(k, kind, mark, rows, limbs, features, out, wake):
    """Write one slot."""
    for q in range(4):
        out.row[k, q] = rows[q]
    out.row[k, ONES], out.row[k, OTHERS] = limbs
    out.row[k, KIND], out.row[k, MARK] = kind, mark
    out.feature[k, 0], out.feature[k, 1] = features
    out.wake[k] = wake


@uncounted
def _wake_at(d2, reach, way):
    """Return what `Slots.wake` is to be of features at the square of their distance.

    They touch when they are closer than ``reach``; ``way`` is what both bodies have gone so far.
    """
    room = np.sqrt(d2) - reach
    return way + room if room > LEAST * reach else 0.0


@uncounted
def _first_wake(first, last, wake):
    """Return how long all of some slots sleep."""
    least = np.inf
    for k in range(first, last):
        least = min(least, wake[k])
    return least


@uncounted
def _write_single(k, last, i, j, mark, frame, out):
    """Write the slot of a single contact before those of features, which end before ``last``.

    It has the numbers of the bodies' first features, and they have none any more.
    """
    a, b = frame.begin[i] - frame.ahead[i], frame.begin[j] - frame.ahead[j]
    for c in range(k + 1, last):
        out.feature[c, 0], out.feature[c, 1] = -1, -1
    _write(k, SINGLE, mark, (a, a, b, b), (last - k - 1, 0), (frame.first[i], frame.first[j]),
           out, _first_wake(k + 1, last, out.wake))


@uncounted
def _near_vertices(i, shift, other, other_radius, spare, frame, near, at):
    """List the vertices of body i within reach of the sphere around another one; return how many.

    ``shift`` is where the centre of i is, ``other`` that of the other body, ``at`` the row of
    ``near`` that gets them.
    """
    count = 0
    for a in range(frame.begin[i], frame.begin[i + 1]):
        if not farther_than(place_of(frame.lever, a, shift), other,
                            frame.arm[a, 3] + other_radius + spare):
            near[at, count] = a
            count += 1
    return count


@uncounted
def _near_sides(i, shift, other, other_radius, spare, frame, parts, near, at):
    """List the sides of body i that are near another one, in the same way."""
    count, start, s = 0, frame.begin[i], frame.shape[i]
    reach = frame.arm[start, 3] + other_radius + spare
    for e in range(parts.edge[s], parts.edge[s + 1]):
        a = place_of(frame.lever, start + parts.ends[e, 0], shift)
        b = place_of(frame.lever, start + parts.ends[e, 1], shift)
        if on_segment(other, a, b)[1] < reach * reach:
            near[at, count] = e
            count += 1
    return count


@uncounted
def _near_faces(i, shift, other, other_radius, spare, frame, parts, near, at):
    """List the faces of body i that are near another one, in the same way."""
    count, start, s = 0, frame.begin[i], frame.shape[i]
    reach = frame.arm[start, 3] + other_radius + spare
    for f in range(parts.face[s], parts.face[s + 1]):
        a = place_of(frame.lever, start + parts.corners[f, 0], shift)
        b = place_of(frame.lever, start + parts.corners[f, 1], shift)
        c = place_of(frame.lever, start + parts.corners[f, 2], shift)
        if on_triangle(other, a, b, c)[3] < reach * reach:
            near[at, count] = f
            count += 1
    return count


@uncounted
def _list_vertices(i, j, shift, near, many, frame, parts, scope, mark, k, stop, out):
    """Write the slots of two bodies' vertices with each other, from k on; return the next."""
    lever, arm = frame.lever, frame.arm
    spare, slack, way = scope
    for n in range(many[0]):
        a = near[0, n]
        x = place_of(lever, a, HERE)
        for m in range(many[3]):
            b = near[3, m]
            reach, d2 = arm[a, 3] + arm[b, 3] + spare, distance2(x, place_of(lever, b, shift))
            if d2 >= reach * reach:
                continue
            if k < stop:
                u, v = a - frame.begin[i], b - frame.begin[j]
                p, q = a - frame.ahead[i], b - frame.ahead[j]
                _write(k, VERTICES, mark, (p, p, q, q),
                       (parts.vertex[frame.shape[i]] + u, parts.vertex[frame.shape[j]] + v),
                       (frame.first[i] + u, frame.first[j] + v), out,
                       _wake_at(d2, reach - slack, way))
            k += 1
    return k


@uncounted
def _list_on_parts(i, j, shift, near, mine, others, many, frame, parts, scope, mark, k, stop, out):
    """Write the slots of i's vertices with j's edges and faces, from k on; return the next.

    ``shift`` is where j's centre is, seen from i's; ``mine`` and ``others`` are where near features
    of i and of j begin in ``near``, and ``many`` has their numbers.
    """
    lever, arm = frame.lever, frame.arm
    spare, slack, way = scope
    here, there = frame.ahead[i], frame.ahead[j]
    u, start = frame.shape[j], frame.begin[j]
    first_side = frame.first[j] + frame.begin[j + 1] - start - parts.edge[u]
    first_face = first_side + parts.edge[u + 1] - parts.face[u]
    for n in range(many[mine]):
        a = near[mine, n]
        x = place_of(lever, a, HERE)
        reach = arm[a, 3] + arm[start, 3] + spare
        m = a - frame.begin[i]
        vertex = parts.vertex[frame.shape[i]] + m
        for q in range(many[others + 1]):
            e = near[others + 1, q]
            b, c = start + parts.ends[e, 0], start + parts.ends[e, 1]
            y, z = place_of(lever, b, shift), place_of(lever, c, shift)
            if foot_stays_off_edge(x, y, z, reach, spare):
                continue
            d2 = on_segment(x, y, z)[1]
            if d2 >= reach * reach:
                continue
            if k < stop:
                _write(k, ON_EDGE, mark, (a - here, b - there, c - there, c - there), (vertex, e),
                       (frame.first[i] + m, first_side + e), out,
                       _wake_at(d2, reach - slack, way))
            k += 1
        for q in range(many[others + 2]):
            f = near[others + 2, q]
            b, c, d = (start + parts.corners[f, 0], start + parts.corners[f, 1],
                       start + parts.corners[f, 2])
            y, z, w = (place_of(lever, b, shift), place_of(lever, c, shift),
                       place_of(lever, d, shift))
            if foot_stays_off_face(x, y, z, w, reach, spare):
                continue
            d2 = on_triangle(x, y, z, w)[3]
            if d2 >= reach * reach:
                continue
            if k < stop:
                _write(k, ON_FACE, mark, (a - here, b - there, c - there, d - there), (vertex, f),
                       (frame.first[i] + m, first_face + f), out,
                       _wake_at(d2, reach - slack, way))
            k += 1
    return k


@uncounted
def _list_edges(i, j, shift, near, many, frame, parts, scope, mark, k, stop, out):
    """Write the slots of two bodies' edges with each other, from k on; return the next."""
    lever, arm = frame.lever, frame.arm
    spare, slack, way = scope
    s, u, start, there = frame.shape[i], frame.shape[j], frame.begin[i], frame.begin[j]
    reach = arm[start, 3] + arm[there, 3] + spare
    mine = frame.first[i] + frame.begin[i + 1] - start - parts.edge[s]
    other = frame.first[j] + frame.begin[j + 1] - there - parts.edge[u]
    for n in range(many[1]):
        e = near[1, n]
        if e >= parts.edge[s] + parts.sharp[s]:
            break
        a, b = start + parts.ends[e, 0], start + parts.ends[e, 1]
        x, y = place_of(lever, a, HERE), place_of(lever, b, HERE)
        for m in range(many[4]):
            f = near[4, m]
            if f >= parts.edge[u] + parts.sharp[u]:
                break
            c, d = there + parts.ends[f, 0], there + parts.ends[f, 1]
            z, w = place_of(lever, c, shift), place_of(lever, d, shift)
            if (stays_beyond_edge(z, w, x, y, reach, spare)
                    or stays_beyond_edge(x, y, z, w, reach, spare)):
                continue
            d2 = of_segments(x, y, z, w)[2]
            if d2 >= reach * reach:
                continue
            if k < stop:
                p, q = frame.ahead[i], frame.ahead[j]
                _write(k, EDGES, mark, (a - p, b - p, c - q, d - q), (e, f), (mine + e, other + f),
                       out, _wake_at(d2, reach - slack, way))
            k += 1
    return k


@uncounted
def _list_pair(i, j, L, frame, parts, scope, crossing, near, many, mark, k, stop, out):
    """Write all slots of two bodies from k on, up to ``stop``; return the next.

    ``near`` has room for the near vertices, sides and faces of i, then those of j. ``scope`` is the
    distance beyond touch up to which features are listed [m], how much of it is margin, and the way
    that both bodies have gone.
    """
    X, here, spare = frame.X, HERE, scope[0]
    shift = (nearest_image(X[j, 0] - X[i, 0], L[0], half_period(L[0])),
             nearest_image(X[j, 1] - X[i, 1], L[1], half_period(L[1])),
             nearest_image(X[j, 2] - X[i, 2], L[2], half_period(L[2])))
    back = (-shift[0], -shift[1], -shift[2])
    many[0] = _near_vertices(i, here, shift, X[j, 3], spare, frame, near, 0)
    many[3] = _near_vertices(j, shift, here, X[i, 3], spare, frame, near, 3)
    many[1] = _near_sides(i, here, shift, X[j, 3], spare, frame, parts, near, 1)
    many[4] = _near_sides(j, shift, here, X[i, 3], spare, frame, parts, near, 4)
    many[2] = _near_faces(i, here, shift, X[j, 3], spare, frame, parts, near, 2)
    many[5] = _near_faces(j, shift, here, X[i, 3], spare, frame, parts, near, 5)
    k = _list_vertices(i, j, shift, near, many, frame, parts, scope, mark, k, stop, out)
    k = _list_on_parts(i, j, shift, near, 0, 3, many, frame, parts, scope, mark, k, stop, out)
    k = _list_on_parts(j, i, back, near, 3, 0, many, frame, parts, scope, mark + 1, k, stop, out)
    if crossing:
        k = _list_edges(i, j, shift, near, many, frame, parts, scope, mark, k, stop, out)
    return k


@parallel_kernel
def _list_all(block, begin, end, partner, L, frame, parts, margin, gap, crossing, most, alone,
              first, size, slot_begin, slot_end, pair, pair_wake, out):
    """Write the pairs and slots of each block from its first on, as far as there is room.

    ``first`` (2, blocks + 1) and ``size`` (2, blocks), what each block needs, are of pairs and of
    slots. ``most`` is the number of vertices, sides or faces that a body has at most, ``alone``
    tells of which shapes two have a single contact.
    """
    for b in numba.prange(block.size - 1):
        near, many = np.empty((6, most), dtype=np.int64), np.empty(6, dtype=np.int64)
        p, k, full, stop = first[0, b], first[1, b], first[0, b + 1], first[1, b + 1]
        for i in range(block[b], block[b + 1]):
            slot_begin[i] = k
            for c in range(begin[i], end[i]):
                j, start = np.int64(partner[c]), k
                spare = margin[i] + margin[j]
                if are_rods_apart(i, j, L, frame.X, frame.begin, frame.lever, frame.arm, spare):
                    continue
                head = 1 if alone[frame.shape[i]] and alone[frame.shape[j]] else 0
                way = (frame.gone[i] + frame.gone[j]
                       - 2.0 * ROUNDING * (frame.X[i, 3] + frame.X[j, 3]))
                last = _list_pair(i, j, L, frame, parts, (spare, spare - gap, way), crossing, near,
                                  many, 2 * p, k + head, stop, out)
                if last == k + head:
                    continue
                k = last
                if k <= stop and p < full:
                    pair[p, 0], pair[p, 1], pair[p, BEGIN], pair[p, END] = i, j, start, k
                    if head == 1:
                        _write_single(start, k, i, j, 2 * p, frame, out)
                    pair_wake[p] = _first_wake(start, k, out.wake)
                p += 1
            slot_end[i] = k
        size[0, b], size[1, b] = p - first[0, b], k - first[1, b]


@parallel_kernel
def _tell_who(first, size, pair, target, row, who):
    """Write for all slots whose their features are; ``target`` has the force rows of pairs."""
    for b in numba.prange(size.size):
        for p in range(first[b], first[b] + size[b]):
            for k in range(pair[p, BEGIN], pair[p, END]):
                one = row[k, MARK] & 1
                two = 1 - one
                who[k, 0], who[k, 1] = pair[p, one], pair[p, two]
                who[k, 2], who[k, 3] = target[p, one], target[p, two]


def make_slots(pairs: Candidates, frame: Frame, parts: Adjacency, margin: NDArray[np.float64],
               gap: float, period: NDArray[np.float64], dimension: int,
               alone: NDArray[np.bool_], room: NDArray[np.float64]) -> Slots:
    """Return the slots of all pairs of bodies.

    Args:
        pairs: pairs of bodies whose spheres may touch.
        frame: the bodies as they are now.
        parts: what hangs together in their shapes.
        margin: (n,) how far any vertex of a body may go before the next update, and half of the gap
            across which the law acts [m].
        gap: across which the law acts [m].
        period: (3,) [m], 0 where there is none.
        dimension: in the plane edges do not cross.
        alone: (shapes + 1,) of which two have a single contact.
        room: (2,) pairs and slots to set aside for each body; told anew for the next call.
    """
    block = pairs.block.astype(np.int64)
    blocks, n, m = len(block) - 1, len(frame.X), len(frame.lever)
    first, size = np.zeros((2, blocks + 1), dtype=np.int64), np.zeros((2, blocks), dtype=np.int64)
    begin, end = np.zeros((2, n), dtype=np.int64)
    most = max(int(np.diff(table).max()) for table in (parts.vertex, parts.edge, parts.face))
    bodies = np.maximum(np.diff(block), 1)
    places = (bodies * room[:, None]).astype(np.int64) + SPARE
    while True:
        first[:, 1:] = np.cumsum(places, axis=1)
        pair, pair_wake, out = _arrays(*(int(count) for count in first[:, -1]))
        _list_all(block, pairs.begin.astype(np.int64), pairs.end.astype(np.int64), pairs.partner,
                  period, frame, parts, margin, gap, dimension == 3, most, alone, first, size,
                  begin, end, pair, pair_wake, out)
        if (size <= places).all():
            break
        places = np.maximum(places, size)
    room[:] = 1.1 * (size / bodies).max(axis=1)
    target, halo_begin, halo_row = halo_rows(block, 2 * first[0], 2 * size[0],
                                             pair[:, :2].astype(np.int32).reshape(-1), n)
    who = np.empty((len(out.row), 4), dtype=np.uint32)
    _tell_who(first[0], size[0], pair, target.reshape(-1, 2) + np.uint32(m), out.row, who)
    vertex = frame.begin[block].astype(np.uint64)
    return Slots(vertex, begin, end, first[0, :-1].copy(), first[0, :-1] + size[0], pair, out.row,
                 who, out.feature, out.wake, pair_wake, halo_begin, halo_row + np.uint32(m),
                 frame.X, frame.V, frame.W, frame.material, frame.axes, frame.alike, frame.ahead,
                 *parts[6:], frame.gone, np.empty(len(out.row), dtype=np.uint32),
                 np.zeros(blocks, dtype=np.uint64), np.full(blocks, -np.inf), np.zeros(1))


def _arrays(pairs: int, slots: int) -> tuple[NDArray[np.uint32], NDArray[np.float64], Written]:
    return (np.zeros((pairs, 4), dtype=np.uint32), np.empty(pairs),
            Written(np.empty((slots, 8), dtype=np.uint32), np.empty((slots, 2), dtype=np.int64),
                    np.empty(slots)))

"""Slots of grains with edges at the rims of walls: their features, and ridges and tips of walls.

A wall is a skeleton swept by nothing, so a grain meets it as it meets another grain (`meeting`):

    E = sum over vertices V of the grain   Φ(V, wall)
      + sum over tips T of the wall        Φ(T, grain)
      - sum over V, T                      φ(V, T)        (which both sums have counted)
      + sum over edges E and ridges R      X(E, R)        (where they cross: see `crossing`)

The first sum is what `granum.contact.walls` does, for the vertices are balls. The rest is here. Of
Φ(T, grain) those terms count whose closest point is inside a face or an edge, or at a vertex, with
the weights of `meeting`; the vertex' share of it is taken together with - φ(V, T). Tips and ridges
are told in `granum.walls.ridges`: flat parts of a wall have none, so that there only vertices
touch, and a floor of many triangles is a floor. To some tips a grain is its edges alone, without
faces: Φ is that of the bare rods then.

Slots stand in the order of bodies, then of tips and ridges, then of features: they depend on the
grains alone. All vertices of a slot belong to one body, so every block writes its own rows.
"""

from __future__ import annotations

from typing import NamedTuple

import numba
import numpy as np
from numba.extending import register_jitable
from numpy.typing import NDArray

from granum.compile import kernel, parallel_kernel
from granum.contact.history import Memory
from granum.contact.shaped.adjacency import Adjacency, Graph
from granum.contact.shaped.apart import (
    HERE,
    farther_than,
    foot_stays_off_edge,
    foot_stays_off_face,
    place_of,
)
from granum.contact.shaped.meeting import EDGES, ON_EDGE, ON_FACE, VERTICES
from granum.contact.shaped.slots import Frame
from granum.contact.sweep import History
from granum.geometry.simplices import of_segments, on_segment, on_triangle
from granum.walls.moving.pose import inwards, outwards
from granum.walls.piece import CORNER
from granum.walls.ridges import Ridges
from granum.walls.trees import STACK, box_distance2


class RimSlots(NamedTuple):
    """Features of grains that may touch ridges and tips; slot k owns one place of history."""

    begin: NDArray[np.int64]  # (n,) a body's first slot
    end: NDArray[np.int64]  # (n,) one past its last
    first: NDArray[np.int64]  # (blocks + 1,) a block's first slot
    kind: NDArray[np.uint8]  # (slots,) of the pair, see `meeting`
    row: NDArray[np.uint32]  # (slots, 3) vertex rows of the grain's feature
    limb: NDArray[np.int64]  # (slots,) this feature in the tables of vertices, sides, faces
    rim: NDArray[np.int64]  # (slots,) the tip or ridge
    feature: NDArray[np.int64]  # (slots, 2) numbers of both, the rim's after those of all pieces
    X: NDArray[np.float64]  # the grains as in `Frame` and `Adjacency`
    axes: NDArray[np.float64]
    arm: NDArray[np.float64]
    lever: NDArray[np.float64]
    body: NDArray[np.int64]
    side: NDArray[np.float64]
    plane: NDArray[np.float64]
    border: NDArray[np.uint32]  # `Adjacency.rim`
    weight: NDArray[np.float64]
    spoke_begin: NDArray[np.int64]
    spoke: NDArray[np.uint32]
    spoke_weight: NDArray[np.float64]
    fan_begin: NDArray[np.int64]
    fan: NDArray[np.uint32]
    wing_begin: NDArray[np.int64]
    wing: NDArray[np.uint32]
    data: NDArray[np.float64]  # (f, 9) rims as in `Ridges`
    piece: NDArray[np.int64]  # (f,)
    since: NDArray[np.float64]  # (f,)
    faced: NDArray[np.bool_]  # (f,)
    bare_weight: NDArray[np.float64]  # weights of edges alone as in `Graph`
    bare_spoke_weight: NDArray[np.float64]
    bare_fan_begin: NDArray[np.int64]
    bare_wing_begin: NDArray[np.int64]
    material: NDArray[np.int64]  # (f,) number of the material; -1: that of whoever touches it
    carrier: NDArray[np.int64]  # (f,) the body of walls it moves with; -1: it is still
    pose: NDArray[np.float64]  # (bodies of walls, POSE) where they are


class Rims(NamedTuple):
    """The tips and ridges of a world as slots need them, and how they move."""

    ridges: Ridges
    pieces: int  # how many pieces the walls have
    material: NDArray[np.int64]  # (pieces,)
    carrier: NDArray[np.int64]  # (pieces,) their bodies
    pose: NDArray[np.float64]  # (bodies, POSE)
    allowance: NDArray[np.float64]  # (pieces,) how far each may come before the next update [m]


@register_jitable
def end_of(data, f, end, carrier, pose, centre):
    """Return where an end of a ridge, or a tip, is now, as seen from the centre of a grain [m]."""
    x, y, z = data[f, 3 * end], data[f, 3 * end + 1], data[f, 3 * end + 2]
    if carrier[f] >= 0:
        x, y, z = outwards(pose, carrier[f], x, y, z)
    return x - centre[0], y - centre[1], z - centre[2]


@kernel
def _find_near(root, first, box, child, is_leaf, leaf, carrier, pose, x, y, z, near, waiting,
               found, count):
    """Add the tips and ridges of a wall whose box is nearer than ``near``; return how many now."""
    if carrier[first] >= 0:
        x, y, z = inwards(pose, carrier[first], x, y, z)
    waiting[0] = root
    left = 1
    while left > 0:
        left -= 1
        k = waiting[left]
        if box_distance2(box, k, x, y, z) > near * near:
            continue
        for c in range(child[k, 0], child[k, 1]):
            if not is_leaf[k]:
                waiting[left] = c
                left += 1
            else:
                found[count] = leaf[c]
                count += 1
    return count


@kernel
def _write(k, kind, rows, limb, rim, numbers, slot_kind, row, slot_limb, slot_rim, feature):
    """Write one slot."""
    slot_kind[k], slot_limb[k], slot_rim[k] = kind, limb, rim
    row[k, 0], row[k, 1], row[k, 2] = rows
    feature[k, 0], feature[k, 1] = numbers


@kernel
def _list_tip(i, f, p, number, faced, sharp, frame, parts, spare, write, k, kind, row, limb, rim,
              feature):
    """Write the slots of body i at a tip that is at p, from k on; return the next.

    ``faced`` tells whether faces feel it, and ``sharp`` which sides are edges.
    """
    lever, s, start = frame.lever, frame.shape[i], frame.begin[i]
    reach = frame.arm[start, 3] + spare
    vertices = frame.begin[i + 1] - start
    for a in range(start, start + vertices):
        if farther_than(p, place_of(lever, a, HERE), reach):
            continue
        if write:
            m = a - start
            _write(k, VERTICES, (a, a, a), parts.vertex[s] + m, f, (frame.first[i] + m, number),
                   kind, row, limb, rim, feature)
        k += 1
    for e in range(parts.edge[s], parts.edge[s + 1]):
        if not (faced or sharp[e]):
            continue
        a, b = start + parts.ends[e, 0], start + parts.ends[e, 1]
        x, y = place_of(lever, a, HERE), place_of(lever, b, HERE)
        if (on_segment(p, x, y)[1] >= reach * reach
                or foot_stays_off_edge(p, x, y, reach, spare)):
            continue
        if write:
            m = vertices + e - parts.edge[s]
            _write(k, ON_EDGE, (a, b, b), e, f, (frame.first[i] + m, number), kind, row, limb, rim,
                   feature)
        k += 1
    sides = parts.edge[s + 1] - parts.edge[s]
    for e in range(parts.face[s], parts.face[s + 1] if faced else parts.face[s]):
        a, b, c = (start + parts.corners[e, 0], start + parts.corners[e, 1],
                   start + parts.corners[e, 2])
        x, y, z = place_of(lever, a, HERE), place_of(lever, b, HERE), place_of(lever, c, HERE)
        if (foot_stays_off_face(p, x, y, z, reach, spare)
                or on_triangle(p, x, y, z)[3] >= reach * reach):
            continue
        if write:
            m = vertices + sides + e - parts.face[s]
            _write(k, ON_FACE, (a, b, c), e, f, (frame.first[i] + m, number), kind, row, limb, rim,
                   feature)
        k += 1
    return k


@kernel
def _list_ridge(i, f, p, q, number, frame, parts, spare, write, k, kind, row, limb, rim, feature):
    """Write the slots of body i's edges with a ridge from p to q, from k on; return the next."""
    lever, s, start = frame.lever, frame.shape[i], frame.begin[i]
    reach = frame.arm[start, 3] + spare
    vertices = frame.begin[i + 1] - start
    for e in range(parts.edge[s], parts.edge[s] + parts.sharp[s]):
        a, b = start + parts.ends[e, 0], start + parts.ends[e, 1]
        if of_segments(place_of(lever, a, HERE), place_of(lever, b, HERE), p, q)[2] >= reach**2:
            continue
        if write:
            m = vertices + e - parts.edge[s]
            _write(k, EDGES, (a, b, b), e, f, (frame.first[i] + m, number), kind, row, limb, rim,
                   feature)
        k += 1
    return k


@parallel_kernel
def _list_all(block, frame, parts, sharp, margin, rim_kind, faced, data, piece, root, box, child,
              is_leaf, leaf, carrier, pose, allowance, pieces, write, first, size, begin, end, kind,
              row, limb, rim, feature):
    """Count the slots of each block, or write them down from its first on."""
    for b in numba.prange(block.size - 1):
        waiting = np.empty(STACK, dtype=np.int64)
        found = np.empty(rim_kind.size, dtype=np.int64)
        k = first[b]
        for i in range(block[b], block[b + 1]):
            begin[i] = k
            s = frame.shape[i]
            if parts.edge[s + 1] > parts.edge[s]:
                centre = frame.X[i, 0], frame.X[i, 1], frame.X[i, 2]
                count = 0
                for t in range(root.shape[0]):
                    near = frame.X[i, 3] + margin[i] + allowance[piece[root[t, 1]]]
                    count = _find_near(root[t, 0], root[t, 1], box, child, is_leaf, leaf, carrier,
                                       pose, centre[0], centre[1], centre[2], near, waiting, found,
                                       count)
                found[:count].sort()
                for n in range(count):
                    f = found[n]
                    spare = margin[i] + allowance[piece[f]]
                    p = end_of(data, f, 0, carrier, pose, centre)
                    if rim_kind[f] == CORNER:
                        k = _list_tip(i, f, p, pieces + f, faced[f], sharp, frame, parts, spare,
                                      write, k, kind, row, limb, rim, feature)
                    else:
                        q = end_of(data, f, 1, carrier, pose, centre)
                        k = _list_ridge(i, f, p, q, pieces + f, frame, parts, spare, write, k, kind,
                                        row, limb, rim, feature)
            end[i] = k
        size[b] = k - first[b]


def make_rim_slots(block: NDArray[np.int64], frame: Frame, parts: Adjacency, graph: Graph,
                   rims: Rims, margin: NDArray[np.float64]) -> RimSlots:
    """Return the slots of all bodies at all tips and ridges.

    Args:
        block: (blocks + 1,) a block's first body.
        frame: the bodies as they are now.
        parts: what hangs together in their shapes.
        graph: the same of their edges alone.
        rims: tips and ridges, and how they move.
        margin: (n,) how far any vertex of a body may go before the next update, and the gap across
            which the law acts [m].
    """
    ridges, n = rims.ridges, len(frame.X)
    first = np.zeros(len(block), dtype=np.int64)
    size = np.zeros(len(block) - 1, dtype=np.int64)
    begin, end = np.zeros((2, n), dtype=np.int64)
    carrier = rims.carrier[ridges.piece]
    place = (block, frame, parts, graph.sharp, margin, ridges.kind, ridges.faced, ridges.data,
             ridges.piece,
             *ridges.trees[1:], carrier, rims.pose, rims.allowance, rims.pieces)
    _list_all(*place, False, first, size, begin, end, *_arrays(0))
    first[1:] = np.cumsum(size)
    arrays = _arrays(int(first[-1]))
    if first[-1] > 0:
        _list_all(*place, True, first, size, begin, end, *arrays)
    return RimSlots(begin, end, first, *arrays, frame.X, frame.axes, frame.arm, frame.lever,
                    frame.body, parts.side, parts.plane, parts.rim, parts.weight, parts.spoke_begin,
                    parts.spoke, parts.spoke_weight, parts.fan_begin, parts.fan, parts.wing_begin,
                    parts.wing, ridges.data, ridges.piece, ridges.since, ridges.faced, graph.weight,
                    graph.spoke_weight, graph.fan_begin, graph.wing_begin,
                    rims.material[ridges.piece], carrier, rims.pose)


def _arrays(count: int) -> tuple[NDArray[np.uint8], NDArray[np.uint32], NDArray[np.int64],
                                 NDArray[np.int64], NDArray[np.int64]]:
    return (np.zeros(count, dtype=np.uint8), np.zeros((count, 3), dtype=np.uint32),
            np.zeros(count, dtype=np.int64), np.zeros(count, dtype=np.int64),
            np.zeros((count, 2), dtype=np.int64))


def lay_rims(memory: Memory, rims: RimSlots, history: History, owner: NDArray[np.int64]) -> int:
    """Lay memory into the history of rims as of sweep 0; return how much of it is lost.

    ``owner`` (numbers,) tells the body that a feature belongs to, in storage; -1 if it is gone.
    """
    return int(_lay(memory.i, memory.j, memory.spring, rims.begin, rims.end, rims.feature,
                    history.spring, owner))


@kernel
def _lay(mi, mj, ms, begin, end, feature, spring, owner):
    lost = 0
    for c in range(mi.size):
        body = owner[mi[c]]
        if body < 0:
            continue
        k = begin[body]
        while k < end[body] and not (feature[k, 0] == mi[c] and feature[k, 1] == mj[c]):
            k += 1
        if k == end[body]:
            lost += 1
            continue
        for d in range(ms.shape[1]):
            spring[k, d if d < 3 else d + 1] = ms[c, d]
        spring[k, 3] = 0.0
    return lost

"""Ridges and tips: what edges and faces of grains can lie on.

A ball touches a wall where its centre is closest, and `closest` tells where. A grain with edges can
touch a wall without any of its corners being near: a rod lies across the edge of a step, a cube
stands on a post. So walls are told once more, by the part of their skeleton that such grains can
feel: *ridges*, the straight edges that stick out, and *tips*, where these end. Grains meet them as
they meet the edges and vertices of each other (`granum.contact.shaped.rims`).

- Of a mesh: its sharp edges, in one piece however many triangles they bound, and its corners. Flat
  parts have none, whatever their triangles.
- Of a rectangle: its sides.
- Of a surface of revolution: the circles where it ends, as polygons of `FACETS` corners; and where
  grains can be on the hollow side of its axis, straight lines along it, at the same corners. The
  corners lie on the surface, so polygons are off by no more than (1 - cos(π / `FACETS`)) R of a
  circle of radius R, and lines by as much.
- Of a ball that is met from outside: a net of as many meridians, and half as many circles across.

Planes, boxes and what is met from inside, between its ends, have none: only corners touch there.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from granum.checks import FloatArray, IntArray
from granum.walls.piece import (
    CORNER,
    EDGE,
    EDGE_END,
    QUAD,
    QUAD_COUNT,
    REV_ALONG,
    REV_COUNT,
    REV_HIGH,
    REV_LOW,
    REV_ONE_SIDED,
    REV_OPENS,
    REV_START,
    REVOLUTION,
    SPHERE,
    SPHERE_RADIUS,
)
from granum.walls.table import WallTable
from granum.walls.trees import Trees, make_trees
from granum.walls.wall import Wall

FACETS = 64
"""Corners of the polygon that a circle is."""

ENDLESS = 1000.0
"""Radii that the lines along an endless cylinder go, both ways from where it is nearest to 0."""

SAME = 1e-9
"""Distance, relative to the size of a wall, up to which two tips are one."""

ALWAYS = -math.inf


class Ridges(NamedTuple):
    """Tips and ridges of all walls, wall by wall, in the frames in which these were described."""

    kind: IntArray  # (f,) CORNER for a tip, EDGE for a ridge
    data: FloatArray  # (f, 9) the point, or both ends [m]; the rest is 0
    piece: IntArray  # (f,) a piece of the wall to which it belongs
    owner: IntArray  # (f,) the wall
    since: FloatArray  # (f,) from when on it is there [s]
    trees: Trees  # which of them may be near a point

    @property
    def is_there(self) -> bool:
        """Whether there is any."""
        return bool(len(self.kind))


class _Net(NamedTuple):
    """Points, and which of them are joined by ridges; all belong to one piece."""

    points: FloatArray  # (n, 3) [m]
    ends: IntArray  # (m, 2)
    piece: IntArray  # (n + m,) of each point, then of each ridge
    since: float = ALWAYS


@lru_cache(maxsize=16)  # asked for as often as the table, and meshes are long to walk along
def make_ridges(walls: tuple[Wall, ...], table: WallTable) -> Ridges:
    """Return the tips and ridges of walls that stand in a table.

    A tip that several pieces of a wall share is there once.
    """
    kinds, rows, pieces, owners, since = [], [], [], [], []
    for owner, wall in enumerate(walls):
        mine = np.flatnonzero(table.owner == owner)
        nets = _nets(wall, table.kind[mine], table.data[mine], mine)
        size = max([0.0, *(float(np.abs(net.points).max(initial=0.0)) for net in nets)]) or 1.0
        seen: set[tuple[int, ...]] = set()
        for net in nets:
            n, m = len(net.points), len(net.ends)
            row = np.zeros((n + m, 9))
            row[:n, :3] = net.points
            row[n:, :6] = net.points[net.ends].reshape(m, 6)
            kept = np.concatenate([_are_new(net.points, seen, size), np.ones(m, dtype=np.bool_)])
            rows.append(row[kept])
            kinds.append(np.repeat([CORNER, EDGE], [n, m])[kept])
            pieces.append(net.piece[kept])
            owners.append(np.full(int(kept.sum()), owner))
            since.append(np.full(int(kept.sum()), net.since))
    none = np.zeros(0, dtype=np.int64)
    kind, data = np.concatenate([none, *kinds]), np.concatenate([np.zeros((0, 9)), *rows])
    owner_of = np.concatenate([none, *owners])
    return Ridges(kind, data, np.concatenate([none, *pieces]), owner_of,
                  np.concatenate([np.zeros(0), *since]), make_trees(kind, data, owner_of))


def largest_error(walls: Sequence[Wall], table: WallTable) -> float:
    """Return how far the polygons of round walls are off, at most [m]; 0 if there are none."""
    sizes = [0.0]
    for owner, wall in enumerate(walls):
        mine = np.flatnonzero(table.owner == owner)
        for net in _nets(wall, table.kind[mine], table.data[mine], mine):
            row = table.data[net.piece[0]] if len(net.piece) else None
            if row is not None and table.kind[net.piece[0]] == REVOLUTION:
                offset = net.points - row[0:3]
                across = offset - np.outer(offset @ row[9:12], row[9:12])
                sizes.append(float(np.linalg.norm(across, axis=1).max()))
            elif row is not None and table.kind[net.piece[0]] == SPHERE:
                sizes.append(float(row[SPHERE_RADIUS]))
    return (1.0 - math.cos(math.pi / FACETS)) * max(sizes)


def _nets(wall: Wall, kind: IntArray, data: FloatArray, number: IntArray) -> list[_Net]:
    """Return the nets of a wall whose pieces are given by kind, row and number."""
    side = getattr(wall, "side", "both")
    found = [_mesh(kind, data, number)] if (kind == EDGE).any() else []
    for k, row, piece in zip(kind.tolist(), data, number.tolist(), strict=True):
        if k == QUAD:
            found.append(_sides(row, piece))
        elif k == REVOLUTION:
            found += _revolution(row, piece, side)
        elif k == SPHERE and side != "inside":
            found.append(_ball(row, piece))
    return found


def _net(points: FloatArray, ends: Sequence[tuple[int, int]] | IntArray, piece: int,
         since: float = ALWAYS) -> _Net:
    joined = np.array(ends, dtype=np.int64).reshape(-1, 2)
    return _Net(points, joined, np.full(len(points) + len(joined), piece, dtype=np.int64), since)


def _sides(row: FloatArray, piece: int) -> _Net:
    """Return the sides of a quadrilateral that count."""
    count = np.flatnonzero(row[QUAD_COUNT:QUAD_COUNT + 4])
    ends = np.column_stack([count, (count + 1) % 4])
    used = np.unique(ends)
    return _net(row[:12].reshape(4, 3)[used], np.searchsorted(used, ends), piece)


def _revolution(row: FloatArray, piece: int, side: str) -> list[_Net]:
    """Return the end circles of a surface of revolution, and lines along it if it sticks out."""
    start, along = row[REV_START:REV_START + 2], row[REV_ALONG:REV_ALONG + 2]
    is_endless = not math.isfinite(row[REV_LOW])
    sticks_out = along[1] != 0.0 and (along[1] < 0.0 if row[REV_ONE_SIDED] else side != "inside")
    if is_endless:
        return [_along_endless(row, piece)] if sticks_out else []
    rings, nets = [], []
    for end, place in enumerate((row[REV_LOW], row[REV_HIGH])):
        rho, z = start + place * along
        ring = _ring(row, rho, z) if rho > 0.0 else _ring(row, 0.0, z)[:1]
        opens = float(row[REV_OPENS]) if end == 0 else ALWAYS
        if row[REV_COUNT + end] and (rho > 0.0 or sticks_out):
            nets.append(_net(ring, _loop(len(ring)), piece, opens))
        rings.append(ring)
    if sticks_out and nets:
        first, last = rings
        places = np.arange(FACETS)
        lines = np.column_stack([places % len(first), len(first) + places % len(last)])
        both = np.concatenate([_loop(len(first)), len(first) + _loop(len(last)), lines])
        return [_net(np.concatenate(rings), both, piece)]
    return nets


def _along_endless(row: FloatArray, piece: int) -> _Net:
    """Return lines along an endless cylinder, about where it is nearest to the origin."""
    middle, far = -float(row[0:3] @ row[9:12]), ENDLESS * row[REV_START]
    rings = [_ring(row, row[REV_START], middle + way) for way in (-far, far)]
    places = np.arange(FACETS)
    return _net(np.concatenate(rings), np.column_stack([places, FACETS + places]), piece)


def _ring(row: FloatArray, rho: float, z: float) -> FloatArray:
    """Return corners on a circle about the axis of a surface of revolution, (FACETS, 3) [m]."""
    angle = 2.0 * np.pi / FACETS * np.arange(FACETS)[:, None]
    across = np.cos(angle) * row[3:6] + np.sin(angle) * row[6:9]
    return np.asarray(row[0:3] + z * row[9:12] + rho * across)


def _loop(count: int) -> IntArray:
    """Return the sides of a polygon of so many corners; none if that is a point."""
    places = np.arange(count if count > 1 else 0, dtype=np.int64)
    return np.column_stack([places, (places + 1) % max(count, 1)])


def _ball(row: FloatArray, piece: int) -> _Net:
    """Return meridians and circles across them on a sphere; the poles are its top and bottom."""
    radius, rings = row[SPHERE_RADIUS], FACETS // 2
    polar = np.pi / rings * np.arange(1, rings)[:, None]
    angle = 2.0 * np.pi / FACETS * np.arange(FACETS)
    points = np.stack([np.sin(polar) * np.cos(angle), np.sin(polar) * np.sin(angle),
                       np.cos(polar) * np.ones_like(angle)], axis=-1).reshape(-1, 3)
    poles = np.array([(0.0, 0.0, 1.0), (0.0, 0.0, -1.0)])
    place = np.arange(len(points)).reshape(rings - 1, FACETS)
    across = np.column_stack([place.ravel(), np.roll(place, -1, axis=1).ravel()])
    along = np.column_stack([place[:-1].ravel(), place[1:].ravel()])
    caps = np.concatenate([np.column_stack([np.full(FACETS, len(points) + k), place[-k]])
                           for k in (0, 1)])
    return _net(row[0:3] + radius * np.concatenate([points, poles]),
                np.concatenate([across, along, caps]), piece)


def _mesh(kind: IntArray, data: FloatArray, number: IntArray) -> _Net:
    """Return corners and sharp edges of a mesh; edges in one line are one ridge."""
    corner = np.flatnonzero(kind == CORNER)
    tips = {_key(data[k, :3]): n for n, k in enumerate(corner.tolist())}
    edges = np.flatnonzero(kind == EDGE).tolist()
    ends = {k: (_key(data[k, :3]), _key(data[k, EDGE_END:EDGE_END + 3])) for k in edges}
    meeting: dict[bytes, list[int]] = {}
    for k in edges:
        for end in ends[k]:
            meeting.setdefault(end, []).append(k)
    done: set[int] = set()
    ridges, pieces = [], []
    for k in edges:
        if k in done:
            continue
        last = [_follow(k, end, ends, meeting, tips, done) for end in ends[k]]
        ridges.append((tips[last[0]], tips[last[1]]))
        pieces.append(int(number[k]))
    piece = np.concatenate([number[corner], np.array(pieces, dtype=np.int64)])
    return _Net(data[corner, :3], np.array(ridges, dtype=np.int64).reshape(-1, 2), piece)


def _follow(k: int, end: bytes, ends: dict[int, tuple[bytes, bytes]],
            meeting: dict[bytes, list[int]], tips: dict[bytes, int], done: set[int]) -> bytes:
    """Return the tip that is reached from edge k through one of its ends, straight on."""
    done.add(k)
    while end not in tips:
        k = next(other for other in meeting[end] if other != k)
        done.add(k)
        end = ends[k][1] if ends[k][0] == end else ends[k][0]
    return end


def _key(point: FloatArray) -> bytes:
    return (point + 0.0).tobytes()


def _are_new(points: FloatArray, seen: set[tuple[int, ...]], size: float) -> NDArray[np.bool_]:
    """Tell which points are none of those seen before, and add them."""
    keys = [tuple(key) for key in np.rint(points / (SAME * size)).astype(np.int64).tolist()]
    are_new = np.array([key not in seen for key in keys], dtype=np.bool_)
    seen.update(keys)
    return are_new

"""Grains with edges that go through each other or through walls, refused before anything runs.

A contact of features is seen where they are closer than a radius. A long edge may go through the
middle of a large face, or through another outline in the plane, far from all vertices and edges:
nothing would push there, and the grains would hang in each other for ever. So edges are tested
against faces once, at the start and when grains are added: for grains whose outer spheres overlap,
and for walls of triangles and rims near a grain.

Where exactly an edge goes through a face is told in `granum.geometry.crossings`. Skeletons that
meet at all have grains as deep in each other as can be, so an edge through the border of a face
counts; one beside it in its plane does not, for faces of neighbours may well lie in one plane.

A grain that lies as a whole inside what another one encloses would not be felt, either. No edge
goes through a face then, so one point of it tells.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from granum.checks import FloatArray, IntArray
from granum.dynamics.crossing import Joined, first_at_wall, first_pair, joined
from granum.errors import InputError
from granum.geometry.simplices import Vector, between
from granum.shapes.hollow import encloses
from granum.shapes.turning import turned_back
from granum.walls.moving import into_rest
from granum.walls.piece import EDGE, TRIANGLE
from granum.walls.ridges import make_ridges
from granum.walls.trees import Trees
from granum.world import World
from granum.world.balls import balls_of, lab_arms
from granum.world.place import overlapping_pairs


class Corners(NamedTuple):
    """Corners of some grains."""

    grain: IntArray  # (n,) rows of the grains
    at: FloatArray  # (v,3) seen from the centres of their grains [m]
    radius: FloatArray  # (v,) of the balls there [m]
    begin: IntArray  # (n + 1,) of the corners of each


class _Hit(NamedTuple):
    """A grain that goes through a wall."""

    row: int  # of the grain
    wall: int  # number of the wall
    by: str  # what of the grain does
    where: Vector  # in the frame in which the wall was described [m]


def refuse_pierced(world: World, ids: IntArray, time: float) -> None:
    """Refuse grains of these ids whose edges go through others or through walls at a time [s]."""
    grains = world.grains
    edged = [k for k, shape in enumerate(world.shapes) if shape.sides]
    if not edged or not len(ids):
        return
    is_edged, is_new = np.isin(grains.shape, edged), np.isin(grains.id, ids)
    parts = joined(world.shapes, world.dimension)
    if len(parts.faces):
        i, j, _ = overlapping_pairs(grains.position, grains.radius, world.periodic)
        asked = is_new[i] | is_new[j]
        i, j = i[asked], j[asked]
        both = is_edged[i] & is_edged[j]
        _refuse_pairs(world, i[both], j[both], parts)
        _refuse_nested(world, i, j)
    if world.walls:
        _refuse_at_walls(world, np.flatnonzero(is_edged & is_new), parts, time)


def corners_of(world: World, rows: IntArray) -> Corners:
    """Return the corners of the grains in these rows."""
    grains = world.grains.chosen(rows)
    balls = balls_of(grains, world.shapes)
    return Corners(rows, np.ascontiguousarray(lab_arms(balls, grains)), balls.arm[:, 3].copy(),
                   np.searchsorted(balls.grain, np.arange(len(rows) + 1)))


def _refuse_pairs(world: World, i: IntArray, j: IntArray, parts: Joined) -> None:
    """Refuse the first of pairs of rows that go through each other; nearest images count."""
    grains = world.grains
    way = nearest(world, grains.position[j] - grains.position[i])
    rows, place = np.unique(np.concatenate((i, j)), return_inverse=True)
    first, second = place[:len(i)], place[len(i):]
    corners = corners_of(world, rows)
    found, edge, face, share = first_pair(first, second, way, corners.at, corners.begin,
                                          grains.shape[rows], *parts, world.dimension == 2)
    if found < 0:
        return
    k = found % len(i)
    a, b = (i[k], j[k]) if found < len(i) else (j[k], i[k])
    one, other = (world.shapes[grains.shape[row]] for row in (a, b))
    ends = corners.at[corners.begin[np.searchsorted(rows, a)] + np.array(one.edges[edge])]
    at = grains.position[a] + between(*ends, share)
    through = "side" if world.dimension == 2 else "face"
    those = (other.edges if world.dimension == 2 else other.faces)[face]
    message = (f"grains {grains.id[a]} and {grains.id[b]} go through each other at "
               f"{_text(at)} m: the edge from vertex "
               f"{' to '.join(map(str, one.edges[edge]))} of the first, shape {grains.shape[a]}, "
               f"through the {through} with the vertices {', '.join(map(str, those))} of the "
               f"other, shape {grains.shape[b]}; place them further apart, or let Lattice or "
               "Random place them")
    raise InputError(message)


def nearest(world: World, way: FloatArray) -> FloatArray:
    """Return ways (m,3) to the nearest images of where they lead [m]."""
    period = world.periods()
    return np.asarray(way - np.where(
        period > 0.0, period * np.rint(way / np.where(period > 0.0, period, 1.0)), 0.0))


def _refuse_nested(world: World, i: IntArray, j: IntArray) -> None:
    """Refuse pairs of rows, one of which is inside what the other encloses."""
    grains, balls = world.grains, world.balls()
    inner, outer = np.concatenate((i, j)), np.concatenate((j, i))
    first = np.searchsorted(balls.grain, inner)  # a ball of the inner one
    way = nearest(world, world.ball_positions(balls)[first] - grains.position[outer])
    for number, shape in enumerate(world.shapes):
        mine = np.flatnonzero((grains.shape[outer] == number)
                              & (np.linalg.norm(way, axis=1) < grains.radius[outer]))
        size = (shape.radius / grains.radius[outer[mine]])[:, None]
        seen = size * turned_back(grains.orientation[outer[mine]], way[mine])
        within = mine[encloses(shape, seen, world.dimension)]
        if len(within):
            a, b = inner[within[0]], outer[within[0]]
            point = "its centre" if grains.shape[a] < 0 else f"vertex 0 of shape {grains.shape[a]}"
            message = (f"grain {grains.id[a]} lies inside grain {grains.id[b]}, shape {number}: "
                       f"{point} is at {_text(grains.position[b] + way[within[0]])} m; place them "
                       "apart, or let Lattice or Random place them")
            raise InputError(message)


def _refuse_at_walls(world: World, rows: IntArray, parts: Joined, time: float) -> None:
    """Refuse the first of the grains in these rows that goes through triangles or rims of walls."""
    corners = corners_of(world, rows)
    hits = [hit for number, (_, pose) in enumerate(world.walls_at(time))
            for hit in _through_wall(world, number, pose, corners, parts, time)]
    if hits:
        hit = min(hits, key=lambda hit: hit[:2])
        grains, wall = world.grains, world.walls[hit.wall]
        message = (f"grain {grains.id[hit.row]}, shape {grains.shape[hit.row]}, goes through a "
                   f"wall ({wall.describe()}) with {hit.by} at {_text(hit.where)} m, seen in the "
                   "frame in which the wall was described: move the grain or the wall")
        raise InputError(message)


def _through_wall(world: World, number: int, pose: FloatArray | None, corners: Corners,
                  parts: Joined, time: float) -> list[_Hit]:
    """Return the first grain with an edge through a wall, and that with a face, if any."""
    table = world.wall_table()
    ridges = make_ridges(tuple(world.walls), table)
    counts = np.diff(corners.begin)
    at = corners.at + np.repeat(world.grains.position[corners.grain], counts, axis=0)
    at = np.ascontiguousarray(at if pose is None else into_rest(pose, at))
    grains = at, corners.begin, world.grains.shape[corners.grain]
    hits = []
    triangles, rims = table.kind == TRIANGLE, (ridges.kind == EDGE) & (ridges.since <= time)
    for tree in _trees_of(table.trees, table.owner, number):
        g, edge, _, share = first_at_wall(*grains, parts.edges, parts.edge_begin, *tree,
                                          triangles, table.data, False)
        if g >= 0:
            ends = at[corners.begin[g] + parts.edges[edge]]
            hits.append(_Hit(int(corners.grain[g]), number, "an edge", between(*ends, share)))
    for tree in _trees_of(ridges.trees, ridges.owner, number):
        g, rim, _, share = first_at_wall(*grains, parts.faces, parts.face_begin, *tree, rims,
                                         ridges.data, True)
        if g >= 0:
            ends = ridges.data[rim, :6].reshape(2, 3)
            hits.append(_Hit(int(corners.grain[g]), number, "a face", between(*ends, share)))
    return hits


def _trees_of(trees: Trees, owner: IntArray, wall: int) -> list[tuple]:
    """Return the tree of a wall as kernels take it; none if it has no triangles or rims."""
    return [(int(root), *trees[2:]) for root, piece in trees.root if owner[piece] == wall]


def _text(point: Iterable[float]) -> str:
    return "(" + ", ".join(f"{x:.4g}" for x in point) + ")"

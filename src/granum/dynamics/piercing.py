"""Grains with edges that go through each other or through walls, refused before anything runs.

A contact of features is seen where they are closer than a radius. A long edge may go through the
middle of a large face, or through another outline in the plane, far from all vertices and edges:
nothing would push there, and the grains would hang in each other for ever. So edges are tested
against faces once, at the start and when grains are added: for grains whose outer spheres overlap,
and for walls of triangles and rims near a grain.

An edge from a to b goes through the face x, y, z if a and b are on different sides of its plane,
and the line ab passes x, y and z on the same side of all three sides: five signed volumes of
tetrahedra. Touching alone is no crossing.

A grain that lies as a whole inside what another one encloses would not be felt, either. No edge
goes through a face then, so one point of it tells.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from granum.checks import FloatArray, IntArray
from granum.errors import InputError
from granum.shapes import RigidShape
from granum.shapes.hollow import encloses
from granum.shapes.turning import turned, turned_back
from granum.walls.moving import into_rest
from granum.walls.piece import EDGE, TRIANGLE
from granum.walls.ridges import make_ridges
from granum.world import World
from granum.world.place import overlapping_pairs

Found = tuple[int, int, FloatArray]  # edge, face (or edge in the plane), where


def refuse_pierced(world: World, ids: IntArray, time: float) -> None:
    """Refuse grains of these ids whose edges go through others or through walls at a time [s]."""
    grains = world.grains
    edged = [k for k, shape in enumerate(world.shapes) if shape.sides]
    if not edged or not len(ids):
        return
    shaped = np.flatnonzero(np.isin(grains.shape, edged))
    is_new = np.isin(grains.id, ids)
    if world.dimension == 2 or any(shape.faces for shape in world.shapes):
        i, j, _ = overlapping_pairs(grains.position[shaped], grains.radius[shaped], world.periodic)
        i, j = shaped[i], shaped[j]
        asked = is_new[i] | is_new[j]
        for a, b in zip(i[asked].tolist(), j[asked].tolist(), strict=True):
            _refuse_pair(world, a, b)
        _refuse_nested(world, is_new)
    for k in shaped[is_new[shaped]].tolist() if world.walls else []:
        _refuse_at_walls(world, k, time)


def _vertices(world: World, k: int) -> FloatArray:
    """Return the vertices of a grain, as seen from its centre [m]."""
    grains = world.grains
    shape = world.shapes[grains.shape[k]]
    points = grains.radius[k] / shape.radius * np.array(shape.points)
    return np.asarray(turned(np.repeat(grains.orientation[k][None], len(points), axis=0), points))


def _refuse_pair(world: World, i: int, j: int) -> None:
    """Refuse two grains that go through each other; the nearest image of the other counts."""
    grains = world.grains
    places = {k: _vertices(world, k) for k in (i, j)}
    way = grains.position[j] - grains.position[i]
    period = world.periods()
    way = way - np.where(period > 0.0, period * np.rint(way / np.where(period > 0.0, period, 1.0)),
                         0.0)
    for a, b, shift in ((i, j, way), (j, i, -way)):
        one, other = (world.shapes[grains.shape[k]] for k in (a, b))
        if world.dimension == 2:
            found = _crossed(places[a], one.edges, places[b] + shift, other.edges)
        else:
            found = _pierced(places[a], one.edges, places[b] + shift, other.faces)
        if found is None:
            continue
        edge, face, at = found
        through = "side" if world.dimension == 2 else "face"
        corners = (other.edges if world.dimension == 2 else other.faces)[face]
        message = (f"grains {grains.id[a]} and {grains.id[b]} go through each other at "
                   f"{_text(grains.position[a] + at)} m: the edge from vertex {_and(one, edge)} of "
                   f"the first, shape {grains.shape[a]}, through the {through} with the vertices "
                   f"{', '.join(map(str, corners))} of the other, shape {grains.shape[b]}; place "
                   "them further apart, or let Lattice or Random place them")
        raise InputError(message)


def _refuse_nested(world: World, is_new: NDArray[np.bool_]) -> None:
    """Refuse grains inside what others enclose."""
    grains, balls = world.grains, world.balls()
    i, j, _ = overlapping_pairs(grains.position, grains.radius, world.periodic)
    asked = is_new[i] | is_new[j]
    inner, outer = (np.concatenate(pair)[np.tile(asked, 2)] for pair in ((i, j), (j, i)))
    first = np.searchsorted(balls.grain, inner)  # a ball of the inner one
    way = world.ball_positions(balls)[first] - grains.position[outer]
    period = world.periods()
    way -= np.where(period > 0.0, period * np.rint(way / np.where(period > 0.0, period, 1.0)), 0.0)
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


def _refuse_at_walls(world: World, k: int, time: float) -> None:
    """Refuse a grain that goes through triangles or rims of walls."""
    grains, table = world.grains, world.wall_table()
    shape = world.shapes[grains.shape[k]]
    ridges = make_ridges(tuple(world.walls), table)
    for number, (wall, pose) in enumerate(world.walls_at(time)):
        points = _vertices(world, k) + grains.position[k]
        points = points if pose is None else into_rest(pose, points)
        low, high = points.min(axis=0), points.max(axis=0)
        corner = table.data[(table.owner == number) & (table.kind == TRIANGLE), :9]
        mine = (ridges.owner == number) & (ridges.kind == EDGE) & (ridges.since <= time)
        faces = _near(corner.reshape(-1, 3, 3), low, high)
        rims = _near(ridges.data[mine, :6].reshape(-1, 2, 3), low, high)
        through = (_pierced(points, shape.edges, faces.reshape(-1, 3), _numbered(len(faces), 3)),
                   _pierced(rims.reshape(-1, 3), _numbered(len(rims), 2), points, shape.faces))
        for which, found in zip(("an edge", "a face"), through, strict=True):
            if found is not None:
                message = (f"grain {grains.id[k]}, shape {grains.shape[k]}, goes through a wall "
                           f"({wall.describe()}) with {which} at {_text(found[2])} m, seen in the "
                           "frame in which the wall was described: move the grain or the wall")
                raise InputError(message)


def _near(parts: FloatArray, low: FloatArray, high: FloatArray) -> FloatArray:
    """Return those of ``parts`` (m, corners, 3) whose box meets that from low to high."""
    meets = (parts.min(axis=1) <= high).all(axis=1) & (parts.max(axis=1) >= low).all(axis=1)
    return parts[meets]


def _numbered(count: int, corners: int) -> tuple[tuple[int, ...], ...]:
    return tuple(map(tuple, np.arange(corners * count).reshape(-1, corners).tolist()))


def _pierced(X: FloatArray, edges: tuple[tuple[int, ...], ...], Y: FloatArray,
             faces: tuple[tuple[int, ...], ...]) -> Found | None:
    """Return the first edge of X that goes through a face of Y, with that face and where."""
    if not edges or not faces:
        return None
    a, b = X[np.array(edges)].transpose(1, 0, 2)[:, :, None]
    x, y, z = Y[np.array(faces)].transpose(1, 0, 2)[:, None]
    ax, bx = x - a, x - b
    normal = np.cross(y - x, z - x)
    above, below = -(ax * normal).sum(axis=-1), -(bx * normal).sum(axis=-1)
    way = b - a
    sides = [(np.cross(p - a, q - a) * way).sum(axis=-1) for p, q in ((x, y), (y, z), (z, x))]
    same = (np.sign(sides[0]) == np.sign(sides[1])) & (np.sign(sides[1]) == np.sign(sides[2]))
    hit = (above * below < 0.0) & same & (sides[0] != 0.0)
    if not hit.any():
        return None
    edge, face = (int(k) for k in np.argwhere(hit)[0])
    t = above[edge, face] / (above[edge, face] - below[edge, face])
    return edge, face, np.asarray(a[edge, 0] + t * way[edge, 0])


def _crossed(X: FloatArray, edges: tuple[tuple[int, ...], ...], Y: FloatArray,
             others: tuple[tuple[int, ...], ...]) -> Found | None:
    """Return the first edge of X that crosses one of Y in the plane, with that one and where."""
    if not edges or not others:
        return None
    a, b = X[np.array(edges), :2].transpose(1, 0, 2)[:, :, None]
    c, d = Y[np.array(others), :2].transpose(1, 0, 2)[:, None]
    one, two = _turn(d - c, a - c), _turn(d - c, b - c)
    hit = (one * two < 0.0) & (_turn(b - a, c - a) * _turn(b - a, d - a) < 0.0)
    if not hit.any():
        return None
    edge, other = (int(k) for k in np.argwhere(hit)[0])
    t = one[edge, other] / (one[edge, other] - two[edge, other])
    at = a[edge, 0] + t * (b - a)[edge, 0]
    return edge, other, np.array([*at, 0.0])


def _turn(u: FloatArray, v: FloatArray) -> FloatArray:
    return np.asarray(u[..., 0] * v[..., 1] - u[..., 1] * v[..., 0])


def _and(shape: RigidShape, edge: int) -> str:
    return " to ".join(map(str, shape.edges[edge]))


def _text(point: FloatArray) -> str:
    return "(" + ", ".join(f"{x:.4g}" for x in point) + ")"

"""Which grains go through each other or through walls, one pair and one grain after the other.

An edge from a to b goes through the face x, y, z if a and b are on different sides of its plane,
and the line ab passes x, y and z on the same side of all three sides: five signed volumes of
tetrahedra. Where these are zero or nearly so, nothing is promised.
"""

import numpy as np

from granum.shapes.hollow import _encloses
from granum.shapes.turning import turned, turned_back
from granum.walls.moving import into_rest
from granum.walls.piece import EDGE, TRIANGLE
from granum.walls.ridges import make_ridges
from granum.world.place import overlapping_pairs


def found_pair(world, ids):
    """Return the ids of the first two that go through each other, edge, face and where; or None."""
    for i, j in _pairs(world, ids):
        shift = _nearest(world, world.position[j] - world.position[i])
        for a, b, way in ((i, j, shift), (j, i, -shift)):
            one, other = (world.shapes[world.grains.shape[k]] for k in (a, b))
            X, Y = _vertices(world, a), _vertices(world, b) + way
            found = (_crossed(X, one.edges, Y, other.edges) if world.dimension == 2 else
                     _pierced(X, one.edges, Y, other.faces))
            if found is not None:
                edge, face, at = found
                return world.grains.id[a], world.grains.id[b], edge, face, world.position[a] + at
    return None


def found_nested(world, ids):
    """Return pairs of ids, the first of which lies inside the other."""
    grains, found = world.grains, set()
    for i, j in _pairs(world, ids):
        for inner, outer in ((i, j), (j, i)):
            shape = world.shapes[grains.shape[outer]]
            way = _nearest(world, grains.position[inner] + _vertices(world, inner)[0]
                           - grains.position[outer])
            if np.linalg.norm(way) < grains.radius[outer]:
                seen = turned_back(grains.orientation[outer], way) * (
                    shape.radius / grains.radius[outer])
                if _encloses(shape, seen[None], world.dimension)[0]:
                    found.add((grains.id[inner], grains.id[outer]))
    return found


def found_at_walls(world, ids, time):
    """Return the id of the first grain that goes through a wall, which, by what and where."""
    table = world.wall_table()
    ridges = make_ridges(tuple(world.walls), table)
    for k in np.flatnonzero(np.isin(world.grains.id, ids)).tolist():
        shape = world.shapes[world.grains.shape[k]]
        for number, (_, pose) in enumerate(world.walls_at(time)):
            points = _vertices(world, k) + world.position[k]
            points = points if pose is None else into_rest(pose, points)
            faces = table.data[(table.owner == number) & (table.kind == TRIANGLE), :9]
            mine = (ridges.owner == number) & (ridges.kind == EDGE) & (ridges.since <= time)
            rims = ridges.data[mine, :6]
            for by, found in (
                    ("an edge", _pierced(points, shape.edges, faces.reshape(-1, 3),
                                         _numbered(len(faces), 3))),
                    ("a face", _pierced(rims.reshape(-1, 3), _numbered(len(rims), 2), points,
                                        shape.faces))):
                if found is not None:
                    return world.grains.id[k], number, by, found[2]
    return None


def _pairs(world, ids):
    i, j, _ = overlapping_pairs(world.position, world.grains.radius, world.periodic)
    asked = np.isin(world.grains.id, ids)
    return [(a, b) for a, b in zip(i.tolist(), j.tolist(), strict=True) if asked[a] or asked[b]]


def _nearest(world, way):
    period = world.periods()
    return way - period * np.rint(way / np.where(period > 0.0, period, np.inf))


def _vertices(world, k):
    grains = world.grains
    shape = world.shapes[grains.shape[k]]
    points = grains.radius[k] / shape.radius * np.array(shape.points)
    return turned(np.repeat(grains.orientation[k][None], len(points), axis=0), points)


def _numbered(count, corners):
    return tuple(map(tuple, np.arange(corners * count).reshape(-1, corners).tolist()))


def _pierced(X, edges, Y, faces):
    """Return the first edge of X that goes through a face of Y, with that face and where."""
    if not edges or not faces:
        return None
    a, b = X[np.array(edges)].transpose(1, 0, 2)[:, :, None]
    x, y, z = Y[np.array(faces)].transpose(1, 0, 2)[:, None]
    normal = np.cross(y - x, z - x)
    above, below = -((x - a) * normal).sum(axis=-1), -((x - b) * normal).sum(axis=-1)
    way = b - a
    sides = [(np.cross(p - a, q - a) * way).sum(axis=-1) for p, q in ((x, y), (y, z), (z, x))]
    same = (np.sign(sides[0]) == np.sign(sides[1])) & (np.sign(sides[1]) == np.sign(sides[2]))
    hit = (above * below < 0.0) & same & (sides[0] != 0.0)
    if not hit.any():
        return None
    edge, face = (int(k) for k in np.argwhere(hit)[0])
    t = above[edge, face] / (above[edge, face] - below[edge, face])
    return edge, face, a[edge, 0] + t * way[edge, 0]


def _crossed(X, edges, Y, others):
    """Return the first edge of X that crosses one of Y in the plane, with that one and where."""
    a, b = X[np.array(edges), :2].transpose(1, 0, 2)[:, :, None]
    c, d = Y[np.array(others), :2].transpose(1, 0, 2)[:, None]
    one, two = _turn(d - c, a - c), _turn(d - c, b - c)
    hit = (one * two < 0.0) & (_turn(b - a, c - a) * _turn(b - a, d - a) < 0.0)
    if not hit.any():
        return None
    edge, other = (int(k) for k in np.argwhere(hit)[0])
    t = one[edge, other] / (one[edge, other] - two[edge, other])
    return edge, other, np.array([*(a[edge, 0] + t * (b - a)[edge, 0]), 0.0])


def _turn(u, v):
    return u[..., 0] * v[..., 1] - u[..., 1] * v[..., 0]

"""All contacts of a moment by brute force: every grain with every other and every wall piece."""

import numpy as np

from granum.walls import closest

ROUNDING = 1e-12  # of the grains' size: contacts that shallow may be there or not


def all_pairs(world):
    """Return ids i < j, overlap [m] and normal of all pairs, by the nearest of all images."""
    a, b = np.triu_indices(len(world), 1)
    apart = world.position[b] - world.position[a]
    for axis, length in enumerate(world.periodic):
        if length is not None:
            images = np.stack([apart[:, axis] + k * length for k in (-1.0, 0.0, 1.0)])
            apart[:, axis] = images[np.abs(images).argmin(axis=0), np.arange(len(a))]
    distance = np.linalg.norm(apart, axis=1)
    overlap = world.radius[a] + world.radius[b] - distance
    return world.id[a], world.id[b], overlap, apart / distance[:, None]


def all_walls(world, time):
    """Return grain id, wall piece, overlap [m] and normal of every grain with every piece."""
    table = world.wall_table()
    grain, piece = np.divmod(np.arange(len(world) * len(table.kind)), max(len(table.kind), 1))
    found = np.array([closest(table.kind, table.data, w, time, *world.position[g])
                      for g, w in zip(grain, piece, strict=True)]).reshape(-1, 4)
    return world.id[grain], piece, world.radius[grain] - found[:, 0], found[:, 1:]


def compare(found, brute):
    """Compare {pair: (overlap, normal)} with brute force: first, second, overlap, normal."""
    first, second, overlap, normal = brute
    rounding = ROUNDING * 5e-3
    keys = list(zip(first.tolist(), second.tolist(), strict=True))
    must = {key for key, depth in zip(keys, overlap, strict=True) if depth > rounding}
    may = {key for key, depth in zip(keys, overlap, strict=True) if depth > -rounding}
    assert must <= found.keys(), f"missed: {must - found.keys()}"
    assert found.keys() <= may, f"not touching: {found.keys() - may}"
    where = {key: k for k, key in enumerate(keys)}
    for key, (depth, direction) in found.items():
        assert abs(depth - overlap[where[key]]) < rounding
        assert np.abs(direction - normal[where[key]]).max() < 1e-9
    return len(must)


def check_contacts(sim):
    """Compare all contacts of the moment with brute force; return how many pairs and walls."""
    table = sim.contacts()
    assert len(table) == len(set(zip(table.i.tolist(), table.j.tolist(), table.wall.tolist(),
                                     strict=True)))
    rows = list(zip(table.i.tolist(), table.j.tolist(), table.wall.tolist(), table.overlap,
                    table.normal, strict=True))
    pairs = {(i, j): (depth, n) for i, j, wall, depth, n in rows if wall < 0}
    walls = {(i, wall): (depth, n) for i, j, wall, depth, n in rows if wall >= 0}
    assert all(j == -1 for _, j, wall, _, _ in rows if wall >= 0)
    return np.array([compare(pairs, all_pairs(sim.world)),
                     compare(walls, all_walls(sim.world, sim.time))])

"""A world as arrays and plain data, and back: the larger part of a checkpoint."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from granum.clusters import Bonds
from granum.output.describe import all_plain, from_plain, to_plain
from granum.output.mesh_files import mesh_arrays, recall_walls
from granum.world import Body, Grains, World


def world_arrays(world: World) -> dict[str, NDArray]:
    """Return the arrays of a world, by name."""
    arrays = {f"grains/{name}": array.copy() for name, array in world.grains.arrays().items()}
    if world.clusters:
        arrays.update({f"bonds/{name}": array.copy()
                       for name, array in world.bonds.arrays().items()})
    arrays.update(mesh_arrays(world.walls))
    if world.bodies:
        arrays["bodies"] = np.array([body.state for body in world.bodies])
    return arrays


def plain_world(world: World) -> dict[str, Any]:
    """Return all else as plain data."""
    return {
        "gravity": list(world.gravity),
        "dimension": world.dimension,
        "periodic": list(world.periodic),
        "seed": world.seed,
        "domain": None if world.domain is None else [list(c) for c in world.domain],
        "leaving": world.leaving,
        "next_id": world.next_id,
        "next_ball": world.next_ball,
        "shapes": all_plain(world.shapes),
        "placings": world.placings,
        "turns": all_plain(world.turns),
        "walls": all_plain(world.walls),
        "wall_materials": [world.made_of.get(wall, -1) for wall in world.walls],
        "wall_names": [world.names.get(wall, "") for wall in world.walls],
        "bodies": [{"name": body.name, "moving": to_plain(body.moving),
                    "walls": [k for k, wall in enumerate(world.walls)
                              if wall in body.walls]}
                   for body in world.bodies],
        "materials": all_plain(world.materials),
        "streams": all_plain(world.streams),
        "glues": all_plain(world.glues),
        "clusters": world.clusters,
        "broken_bonds": world.broken_bonds,
    }


def restored_world(arrays: Mapping[str, NDArray], meta: Mapping[str, Any]) -> World:
    """Return the world that arrays and plain data tell of."""
    world = World(
        tuple(meta["gravity"]), dimension=meta["dimension"], periodic=tuple(meta["periodic"]),
        turns=from_plain(meta["turns"]), seed=meta["seed"], domain=meta["domain"],
        leaving=meta["leaving"],
    )
    world.walls = recall_walls(meta["walls"], arrays)
    world.materials = list(from_plain(meta["materials"]))
    world.made_of = {wall: number for wall, number in
                     zip(world.walls, meta["wall_materials"], strict=True) if number >= 0}
    world.names = {wall: name for wall, name in
                   zip(world.walls, meta["wall_names"], strict=True) if name}
    world.bodies = [
        Body(body["name"], [world.walls[k] for k in body["walls"]], from_plain(body["moving"]),
             arrays["bodies"][b].copy())
        for b, body in enumerate(meta["bodies"])
    ]
    world.streams = list(from_plain(meta["streams"]))
    world.next_id, world.placings = meta["next_id"], meta["placings"]
    world.next_ball, world.shapes = meta["next_ball"], list(from_plain(meta["shapes"]))
    world.grains = Grains(**{
        name: arrays[f"grains/{name}"].copy() for name in Grains.__dataclass_fields__
    })
    world.glues = list(from_plain(meta["glues"]))
    world.clusters, world.broken_bonds = meta["clusters"], meta["broken_bonds"]
    if world.clusters:
        world.bonds = Bonds(**{name: arrays[f"bonds/{name}"].copy()
                               for name in Bonds.__dataclass_fields__})
    return world

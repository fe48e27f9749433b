"""Descriptors as plain data and back, so that a file can say what a world is made of.

A descriptor is a frozen dataclass of numbers, texts and tuples (a wall, a law, a stream). It is
written as a table with its class name under ``type``; JSON keeps every bit of a float.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields, is_dataclass
from typing import Any, get_args

from granum.clusters import GLUES
from granum.errors import CheckpointError, InputError
from granum.laws import ADDONS, LAWS, Pairs, UserLaw, With
from granum.measures import MEASURES, REGIONS
from granum.output.law_files import recall_law
from granum.shapes import AnyShape, RigidShape
from granum.sizes import SIZES
from granum.stages import CONDITIONS, Intervals, Stage
from granum.walls import Box, Cone, Cylinder, Hourglass, Mesh, Plane, Plate, SphereWall
from granum.walls.moving import MOTIONS
from granum.world import Material, Pour, Stream, Turn

KNOWN = {
    cls.__name__: cls
    for cls in (Box, Cone, Cylinder, Hourglass, Intervals, Material, Mesh, Pairs, Plane,
                Plate, Pour, RigidShape, SphereWall, Stage, Stream, Turn, With, *ADDONS.values(),
                *CONDITIONS.values(), *GLUES.values(), *LAWS.values(), *MEASURES.values(),
                *MOTIONS.values(), *REGIONS.values(), *SIZES.values(), *get_args(AnyShape))
}

ARRAYS = ("vertices", "faces")
"""Fields of a mesh that are kept aside as arrays (see `mesh_files`)."""


def to_plain(thing: Any) -> Any:
    """Return a descriptor as a table; other values as they are."""
    if isinstance(thing, UserLaw):
        return {"type": "UserLaw", "name": thing.name, "written": thing.written,
                "values": [list(pair) for pair in thing.values]}
    if is_dataclass(thing) and not isinstance(thing, type):
        name = type(thing).__name__
        if KNOWN.get(name) is not type(thing):
            message = f"{name} cannot be saved: a checkpoint knows {', '.join(sorted(KNOWN))} only"
            raise InputError(message)
        return {"type": name, **{f.name: to_plain(getattr(thing, f.name)) for f in fields(thing)
                                 if not (name == "Mesh" and f.name in ARRAYS)}}
    if isinstance(thing, tuple | list):
        return [to_plain(item) for item in thing]
    return thing


def from_plain(data: Any) -> Any:
    """Return what ``to_plain`` wrote."""
    if isinstance(data, dict):
        given = {key: from_plain(value) for key, value in data.items()}
        if given.get("type") == "UserLaw":
            return recall_law(given["name"], given["written"], dict(given["values"]))
        if given.get("type") == "Mesh":
            message = "a mesh is kept in arrays, and there are none here"
            raise CheckpointError(message)
        cls = KNOWN.get(str(given.pop("type", None)))
        if cls is None:
            message = f"unknown description {data.get('type')!r}: was it written by a newer granum?"
            raise CheckpointError(message)
        return cls(**given)
    if isinstance(data, list):
        return tuple(from_plain(item) for item in data)
    return data


def all_plain(things: Iterable[Any]) -> list[Any]:
    """Return descriptors as a list of tables."""
    return [to_plain(thing) for thing in things]

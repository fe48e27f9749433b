"""Meshes that outlive their files: in checkpoints, and in run folders.

A checkpoint holds the points and triangles of every mesh, so that a run goes on bitwise whatever
becomes of the file. A run folder holds a copy of the file, and its scenario names that copy and its
fingerprint, so that it can be run again.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import PurePath
from typing import Any

import numpy as np
from numpy.typing import NDArray

from granum.errors import InputError
from granum.meshes import content_of
from granum.output.describe import from_plain
from granum.walls import Mesh, Wall

FOLDER = "meshes"


def mesh_arrays(walls: Sequence[Wall]) -> dict[str, NDArray[Any]]:
    """Return points and triangles of all meshes, by the number of their wall."""
    arrays: dict[str, NDArray[Any]] = {}
    for k, wall in enumerate(walls):
        if isinstance(wall, Mesh):
            arrays[f"meshes/{k}/vertices"] = wall.raw.vertices
            arrays[f"meshes/{k}/faces"] = wall.raw.faces
    return arrays


def recall_walls(plain: Sequence[Mapping[str, Any]], arrays: Mapping[str, NDArray[Any]]
                 ) -> list[Any]:
    """Return all walls from what a checkpoint says and holds of them; no file is read."""
    return [_recall_mesh(k, wall, arrays) if wall.get("type") == "Mesh" else from_plain(wall)
            for k, wall in enumerate(plain)]


def _recall_mesh(k: int, plain: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> Mesh:
    described: dict[str, Any] = {key: tuple(value) if isinstance(value, list) else value
                                 for key, value in plain.items() if key != "type"}
    return Mesh.recalled(np.array(arrays[f"meshes/{k}/vertices"], dtype=np.float64),
                         np.array(arrays[f"meshes/{k}/faces"], dtype=np.int64), **described)


def copies(meshes: Sequence[Mesh]) -> dict[str, bytes]:
    """Return the files of meshes as they were read, by what a run folder calls them.

    Raises:
        InputError: a file has been changed since it was read.
    """
    found: dict[str, bytes] = {}
    for mesh in meshes:
        content = content_of(mesh.file)
        if hashlib.sha256(content).hexdigest() != mesh.sha256:
            message = f"{mesh.file} has been changed since it was read: start again"
            raise InputError(message)
        found[copy_name(mesh)] = content
    return found


def copy_name(mesh: Mesh) -> str:
    """Return what a run folder calls the file of a mesh; the same name means the same content."""
    path = PurePath(mesh.file)
    return f"{FOLDER}/{path.stem}-{mesh.sha256[:8]}{path.suffix}"

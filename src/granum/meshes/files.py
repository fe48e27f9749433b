"""From a file of any known format to triangles."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path

from granum.errors import InputError
from granum.meshes.obj import read_obj
from granum.meshes.ply import read_ply
from granum.meshes.raw import RawMesh
from granum.meshes.stl import read_stl

READERS: dict[str, Callable[[bytes, str], RawMesh]] = {
    ".stl": read_stl, ".obj": read_obj, ".ply": read_ply,
}


def read_mesh(file: str) -> tuple[RawMesh, str]:
    """Return the triangles of a mesh file, and the SHA-256 of its content.

    Raises:
        InputError: there is no such file, its format is unknown, or it is broken; with the line or
            byte where.
    """
    path = Path(file)
    if path.suffix.lower() not in READERS:
        message = (f"{file}: a mesh is a file of the kind {', '.join(READERS)}, "
                   f"got {path.suffix or 'no ending'!r}")
        raise InputError(message)
    content = content_of(file)
    return _read(content, file, path.suffix.lower()), hashlib.sha256(content).hexdigest()


def content_of(file: str, kind: str = "mesh") -> bytes:
    """Return the bytes of the file of a mesh, or of something else that walls have."""
    try:
        return Path(file).read_bytes()
    except (OSError, ValueError) as error:
        reason = "no such file" if isinstance(error, FileNotFoundError) else (
            getattr(error, "strerror", None) or str(error))
        message = f"{file}: the {kind} cannot be read: {reason}"
        raise InputError(message) from error


@lru_cache(maxsize=4)
def _read(content: bytes, file: str, ending: str) -> RawMesh:
    return READERS[ending](content, file)

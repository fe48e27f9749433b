"""Triangle meshes: from files to surfaces.

In comes a file (STL, OBJ or PLY, as text or binary), out goes a `RawMesh`, triangles as the file
has them, with where each stands; `make_surface` joins them to a `Surface` that knows its edges, its
holes and its outside. Nothing here knows of walls.

To add a format, write a module with one function (bytes, name) -> `RawMesh`, and give its ending in
``files``.
"""

from granum.meshes.files import READERS, content_of, read_mesh
from granum.meshes.raw import RawMesh
from granum.meshes.surface import Surface, facing_out, joined, make_surface, refuse_open, volume

__all__ = [
    "READERS",
    "RawMesh",
    "Surface",
    "content_of",
    "facing_out",
    "joined",
    "make_surface",
    "read_mesh",
    "refuse_open",
    "volume",
]

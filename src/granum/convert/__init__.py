"""A run in the formats of other programs: one module for each.

In comes a run folder, read as the page of a run reads it (`granum.view.Record`), and which of its
frames are wanted; out goes one file. To add a format: a module with a function that takes a
`Choice` and the path of the file, and its line in `FORMATS`.

* ``lammps``: text frames for OVITO, LAMMPS and VMD.
* ``gsd``: binary frames for OVITO and HOOMD-blue.
* ``gltf``: one moment as a scene of triangles, for web pages, slides and Blender.
* ``csv`` and ``parquet``: tables of grains, contacts or the series (which: ``tables``).
"""

from granum.convert.choice import Choice, Look
from granum.convert.formats import FORMATS, convert

__all__ = ["FORMATS", "Choice", "Look", "convert"]

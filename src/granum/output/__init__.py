"""What a run writes: checkpoints, frames for ParaView, tables, pictures and plots.

In come plain arrays, numbers and texts; out go files. Nothing here knows a simulation, so each
part can be used on its own:

* ``container``: named arrays in one file, whole and right or refused; for checkpoints.
* ``frames``: the grains over time, as ParaView reads them (format: ``vtkhdf``).
* ``series``: measures over time, as CSV.
* ``picture``: grains and walls as a picture (``bodies``; kernels: ``raster``, ``raster_swept``,
  ``shading``; letters: ``lettering``), ``colours`` from numbers, ``rods`` for forces, ``png`` to
  store it.
* ``plot``: curves, with matplotlib.

Every file is written beside its place and moved there when it is complete (``atomic``). A new kind
of output is a new module that writes through ``atomic.replacing``.
"""

from granum.output.colours import SAND, colour_by
from granum.output.container import read_container, write_container
from granum.output.frames import Frames, FrameWriter, read_frames
from granum.output.picture import draw, panel
from granum.output.plot import plot_series
from granum.output.png import write_png
from granum.output.rods import rods, seen_through
from granum.output.series import SeriesWriter, read_series
from granum.output.vtkhdf import Frame

__all__ = [
    "SAND", "Frame", "FrameWriter", "Frames", "SeriesWriter", "colour_by", "draw", "panel",
    "plot_series", "read_container", "read_frames", "read_series", "rods", "seen_through",
    "write_container", "write_png",
]

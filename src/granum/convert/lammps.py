"""Frames as a LAMMPS text dump, which OVITO, VMD and LAMMPS itself read.

Format: LAMMPS documentation, command ``dump``, style ``custom``, with ``dump_modify time yes units
yes``. Units are SI. Ids and types begin at 1 there: they are granum's ids and numbers of materials
plus one. Balls of a clump have ids of their own, and that of their grain is ``mol``. Swept grains
are one row each: centre of mass, orientation as a quaternion, number of the shape, and the radius
of the sphere that holds them.
"""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from granum.checks import FloatArray
from granum.convert.choice import Choice
from granum.output.atomic import replacing, write_all
from granum.output.vtkhdf import Frame
from granum.view.record import id_of, radius_of

VECTORS = {"velocity": ("vx", "vy", "vz"), "spin": ("omegax", "omegay", "omegaz"),
           "orientation": ("quatw", "quati", "quatj", "quatk")}
DIGITS = "%.10g"
WHOLE = "%d"


def write_lammps(choice: Choice, path: Path) -> str:
    """Write the chosen frames, one after the other; the time step is the number of the frame."""
    low, high, periodic = choice.box()
    bounds = "".join(f"{a!r} {b!r}\n" for a, b in zip(low.tolist(), high.tolist(), strict=True))
    edges = " ".join("pp" if wraps else "ff" for wraps in periodic)
    numbers = choice.numbers()
    with replacing(path) as raw:
        write_all(raw, b"ITEM: UNITS\nsi\n")
        for number in numbers:
            frame = choice.frame(number)
            columns = _columns(frame)
            head = (f"ITEM: TIME\n{frame.time!r}\nITEM: TIMESTEP\n{number}\n"
                    f"ITEM: NUMBER OF ATOMS\n{len(frame.points)}\n"
                    f"ITEM: BOX BOUNDS {edges}\n{bounds}ITEM: ATOMS {' '.join(columns)}\n")
            write_all(raw, head.encode() + _rows(columns))
    return f"{len(numbers)} frames"


def _columns(frame: Frame) -> dict[str, NDArray[Any]]:
    fields = frame.fields
    ids = id_of(frame).astype(np.int64)
    count = len(ids)
    has_clumps = len(np.unique(ids)) < count
    found: dict[str, NDArray[Any]] = {"id": np.arange(count) + 1 if has_clumps else ids + 1}
    if has_clumps:
        found["mol"] = ids + 1
    found["type"] = np.asarray(fields.get("material", np.zeros(count, dtype=np.int64))) + 1
    found |= _split(("x", "y", "z"), frame.points)
    for name, parts in VECTORS.items():
        if name in fields:
            found |= _split(parts, fields[name])
    found["radius"] = radius_of(frame)
    told = {"id", "material", "radius", *VECTORS}
    for name in sorted(fields.keys() - told):
        values = fields[name]
        found |= {name: values} if values.ndim == 1 else _split(
            [f"{name}[{k + 1}]" for k in range(values.shape[1])], values)
    return found


def _split(names: Any, values: FloatArray) -> dict[str, NDArray[Any]]:
    return {name: values[:, k] for k, name in enumerate(names)}


def _rows(columns: dict[str, NDArray[Any]]) -> bytes:
    buffer = io.BytesIO()
    forms = [WHOLE if values.dtype.kind in "iu" else DIGITS for values in columns.values()]
    np.savetxt(buffer, np.column_stack([np.asarray(values, dtype=np.float64)
                                        for values in columns.values()]), fmt=forms)
    return buffer.getvalue()

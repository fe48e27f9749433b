"""The formats by name, and converting a run into one of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from granum.checks import nearest
from granum.convert.choice import Choice
from granum.convert.csv import write_csv
from granum.convert.gltf import write_gltf
from granum.convert.gsd import write_gsd
from granum.convert.lammps import write_lammps
from granum.convert.parquet import write_parquet
from granum.errors import InputError


@dataclass(frozen=True)
class Format:
    """A format: how its files are named and end, what it is for, and what writes it.

    Files without a name of their own are named after the table in them.
    """

    name: str
    suffix: str
    purpose: str
    write: Callable[[Choice, Path], str]


FORMATS = {
    "lammps": Format("frames", ".dump", "text frames, for OVITO, LAMMPS and VMD", write_lammps),
    "gsd": Format("frames", ".gsd", "binary frames, for OVITO and HOOMD-blue", write_gsd),
    "gltf": Format("scene", ".glb", "one moment as triangles, for web pages, slides and Blender",
                   write_gltf),
    "csv": Format("", ".csv", "a table as text", write_csv),
    "parquet": Format("", ".parquet", "a table, for pandas, Polars and DuckDB", write_parquet),
}


def convert(choice: Choice, form: str, path: Path | None = None) -> tuple[Path, str]:
    """Write a run, or a part of it, in the format of another program.

    Args:
        choice: the run, and what of it.
        form: name of the format, one of `FORMATS`.
        path: the file; in the run's folder, named after what it holds, unless given.

    Returns:
        The file, and what is in it, in words.
    """
    if form not in FORMATS:
        message = f"there is no format {form!r}{nearest(form, FORMATS)} ({', '.join(FORMATS)})"
        raise InputError(message)
    suffix = FORMATS[form].suffix
    found = path or choice.record.folder / f"{FORMATS[form].name or choice.table}{suffix}"
    if found.suffix != suffix:
        message = f"a file of format {form} ends in {suffix}, got {found.name}"
        raise InputError(message)
    if found.resolve() == (choice.record.folder / "series.csv").resolve():
        message = (f"the series of a run is the table {found} already; give another --out for a "
                   "copy")
        raise InputError(message)
    return found, FORMATS[form].write(choice, found)

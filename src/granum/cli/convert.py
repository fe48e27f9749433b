"""``granum convert``: a run in the formats of other programs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from granum.convert import FORMATS, Choice, Look, convert
from granum.errors import InputError
from granum.output.frames import WHOLE_NAME
from granum.output.maps import STATIONS
from granum.view import Record

VTKHDF = "vtkhdf"
Form = Literal["lammps", "gsd", "gltf", "csv", "parquet", "vtkhdf"]
Table = Literal["grains", "contacts", "series"]
Colour = Annotated[str, typer.Option(help="Quantity that colours grains; 'none' for no colours.")]
Map = Annotated[str, typer.Option("--map", help=f"Colours: {', '.join(STATIONS)}.")]
Low = Annotated[float | None, typer.Option(
    help="Value of the first colour; that of the whole run unless given.")]
High = Annotated[float | None, typer.Option(help="Value of the last colour.")]
Time = Annotated[float | None, typer.Option(
    help="Only the frame nearest to this time [s]; one moment is the last one unless given.")]


def convert_run(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The run folder.")],
    to: Annotated[Form, typer.Option(help="The format.")],
    out: Annotated[Path | None, typer.Option(
        help="File to write; in the run folder unless given.")] = None,
    table: Annotated[Table, typer.Option(help="Which table (csv, parquet).")] = "grains",
    time: Time = None,
    every: Annotated[int, typer.Option(min=1, help="Only every so many frames.")] = 1,
    colour: Colour = "speed",
    map_name: Map = "lagoon",
    low: Low = None,
    high: High = None,
) -> None:
    """Write a run in the format of another program: OVITO, Blender, pandas and others."""
    record = Record(folder)
    if to == VTKHDF:
        typer.echo(where_frames_are(record))
        return
    choice = Choice(record, time, every, table, Look(colour, map_name, low, high))
    path, content = convert(choice, to, out)
    typer.echo(f"Wrote {path}: {content} ({path.stat().st_size / 1e6:.3g} MB), "
               f"{FORMATS[to].purpose}")


def where_frames_are(record: Record) -> str:
    """Return what to do with the frames as they are; refuse a run without any."""
    frames = record.folder / WHOLE_NAME
    if not frames.is_file():
        message = f"{record.folder} has no {WHOLE_NAME}: the run has written no frame yet"
        raise InputError(message)
    return (f"The frames are VTKHDF already: open {frames} in ParaView 5.12 or newer and show the "
            "points as Point Gaussian, scaled by the array radius")

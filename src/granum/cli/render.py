"""``granum render``: pictures and films of a run."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn

from granum import __version__
from granum.cli.convert import Colour, High, Low, Map
from granum.errors import InputError
from granum.render import Drawing, Style, render_film, render_still
from granum.render.style import VIEWS, size_of
from granum.view import Record

FILM = ".mp4"


def render(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The run folder.")],
    out: Annotated[Path | None, typer.Option(
        help="File to write: .png a picture, .mp4 a film. [default: still.png in the folder]"
    )] = None,
    time: Annotated[list[float] | None, typer.Option(
        help="Moment of the picture [s], the last one unless given; again for more of them."
    )] = None,
    view: Annotated[list[str] | None, typer.Option(
        help=f"{', '.join(VIEWS)}, or azimuth and elevation [degree] as in -60,15; again for more "
             "views side by side.")] = None,
    size: Annotated[str, typer.Option(help="Width and height of a view [pixel].")] = "960x960",
    colour: Colour = "speed",
    map_name: Map = "lagoon",
    low: Low = None,
    high: High = None,
    cut: Annotated[str, typer.Option(
        help="Cut the scene open across x, y or z: in the middle, or at a place [m] as in y=0.01."
    )] = "",
    contacts: Annotated[bool, typer.Option(
        help="Draw contacts as rods inside translucent grains.")] = False,
    walls: Annotated[bool, typer.Option(help="Draw the walls.")] = True,
    legend: Annotated[bool, typer.Option(help="Write time and scale of colours.")] = True,
    rate: Annotated[float, typer.Option(help="Of a film: pictures a second.")] = 25.0,
    every: Annotated[int, typer.Option(min=1, help="Of a film: only every so many frames.")] = 1,
) -> None:
    """Draw a run as a picture or a film, without a screen."""
    record = Record(folder)
    style = Style(tuple(view or ()), size_of(size), colour, map_name, low, high, cut, contacts,
                  walls, legend)
    path = out or folder / "still.png"
    if path.suffix == FILM and time:
        message = "--time is for pictures; a film shows all frames, or with --every some of them"
        raise InputError(message)
    drawing = Drawing(record, style, __version__)
    if path.suffix != FILM:
        typer.echo(f"Wrote {render_still(drawing, path, time or ())}")
        return
    with _bar(Console(stderr=True)) as report:
        count = render_film(drawing, path, rate, every, report)
    typer.echo(f"Wrote {path}: {count} pictures, {count / rate:.1f} s, "
               f"{path.stat().st_size / 1e6:.2g} MB")


@contextmanager
def _bar(console: Console) -> Iterator[Callable[[int, int], None]]:
    """Give what shows how many pictures are done, and how long the rest will take."""
    with Progress(BarColumn(24), MofNCompleteColumn(), TimeRemainingColumn(), console=console,
                  transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task("", total=None)
        yield lambda done, of: bar.update(task, completed=done, total=of)

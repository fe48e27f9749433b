"""``granum plot``: columns of one or several runs as curves."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer
from rich.console import Console
from rich.markup import escape

from granum.cli.progress import say
from granum.figures import plot as draw
from granum.output.plot import FORMS


def plot(
    source: Annotated[Path, typer.Argument(help="A run folder, or a CSV table.")],
    quantities: Annotated[list[str] | None, typer.Argument(
        metavar="[quantity]...", help="Columns of the series; all that change if none is named.",
    )] = None,
    beside: Annotated[list[Path] | None, typer.Option(
        help="Another run to draw beside it; may be given again.")] = None,
    against: Annotated[str | None, typer.Option(help="Column of the x axis.")] = None,
    log: Annotated[Literal["x", "y", "xy"] | None, typer.Option(
        help="Axes that are logarithmic.")] = None,
    title: Annotated[str, typer.Option(help="One line above the plot.")] = "",
    out: Annotated[Path | None, typer.Option(
        help=f"File to write: {', '.join(FORMS)}. [default: plot.png in the folder]")] = None,
) -> None:
    """Plot what a run has measured, for a paper or a talk.

    ``granum plot runs/hourglass`` shows every column that changes; ``granum plot runs/a kinetic
    contacts --beside runs/b --out compared.pdf`` compares two runs.
    """
    folder = source if source.is_dir() else source.parent
    path = out or folder / "plot.png"
    draw(path, [source, *(beside or [])], quantities or (), against, log or "", title)
    say(Console(), escape(str(path)))

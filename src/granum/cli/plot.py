"""``granum plot``: columns of one or several runs as curves, or distributions over their grains."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer
from rich.console import Console
from rich.markup import escape

from granum.cli.progress import say
from granum.distributions import DISTRIBUTIONS, plot_distributions
from granum.errors import InputError
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
    distribution: Annotated[list[str] | None, typer.Option(
        help=f"Distribution over the grains of one moment, of {', '.join(DISTRIBUTIONS)}; may be "
             "given again.")] = None,
    time: Annotated[float | None, typer.Option(
        help="Moment of the distribution [s]; the last frame unless given.")] = None,
    title: Annotated[str, typer.Option(help="One line above the plot.")] = "",
    out: Annotated[Path | None, typer.Option(
        help=f"File to write: {', '.join(FORMS)}. [default: plot.png or distribution.png in the "
             "folder]")] = None,
) -> None:
    """Plot what a run has measured, for a paper or a talk.

    ``granum plot runs/hourglass`` shows every column that changes; ``granum plot runs/a kinetic
    contacts --beside runs/b --out compared.pdf`` compares two runs, and ``granum plot runs/a
    --distribution forces --log y`` shows how forces are distributed.
    """
    folder = source if source.is_dir() else source.parent
    sources = [source, *(beside or [])]
    if distribution:
        if quantities or against:
            message = "columns of the series and distributions do not go into one plot: plot twice"
            raise InputError(message)
        path = out or folder / "distribution.png"
        plot_distributions(path, sources, distribution, time, log or "", title)
    else:
        if time is not None:
            message = "--time is for --distribution; the series is plotted over all times"
            raise InputError(message)
        path = out or folder / "plot.png"
        draw(path, sources, quantities or (), against, log or "", title)
    say(Console(), escape(str(path)))

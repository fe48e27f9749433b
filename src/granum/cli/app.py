"""The command ``granum``: its sub-commands, and errors turned into exit codes."""

from __future__ import annotations

import json
import sys

import typer
from rich.console import Console
from rich.markup import escape

from granum import __version__
from granum.cli import bench, check, convert, info, new, plot, render, report, run, studies, view
from granum.cli.progress import say
from granum.errors import GranumError

app = typer.Typer(
    name="granum",
    help="Granular dynamics: sand, powder, ballast and pills, grain by grain.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
app.command("run")(run.run)
app.command("resume")(run.resume)
app.command("check")(check.check)
app.command("new")(new.new)
app.command("studies")(studies.studies)
app.command("report")(report.report)
app.command("view")(view.view)
app.command("plot")(plot.plot)
app.command("render")(render.render)
app.command("convert")(convert.convert_run)
app.command("bench")(bench.bench)
app.command("info")(info.info)


def _version(show: bool) -> None:
    if show:
        typer.echo(f"granum {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: bool = typer.Option(False, "--version", callback=_version, is_eager=True,
                                 help="Show the version and stop."),
) -> None:
    """Granular dynamics: sand, powder, ballast and pills, grain by grain."""


def main() -> None:
    """Run the command line; a refusal is one message and an exit code, never a traceback."""
    try:
        app()
    except GranumError as error:
        if "--json" in sys.argv:
            typer.echo(json.dumps({"error": type(error).__name__, "message": str(error)}))
        say(Console(stderr=True), f"[bold red]error:[/] {escape(str(error))}")
        raise SystemExit(error.exit_code) from None

"""``granum report``: what a run says, published beside measured."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from granum.cli.progress import say
from granum.cli.run import AsJson
from granum.errors import InputError
from granum.report import Report, write_gallery, write_report
from granum.report.gallery import verdict
from granum.report.sheet import Rows, about_rows, also_rows, figure_rows
from granum.report.write import MARKDOWN, PAGE


def report(
    folder: Annotated[Path | None, typer.Argument(
        help="The run folder; with --all the folder of all runs. [default: runs]")] = None,
    everything: Annotated[bool, typer.Option(
        "--all", help="Report on all runs in a folder, and write a page of all studies.")] = False,
    as_json: AsJson = False,
) -> None:
    """Set what a run has measured beside what was published; write report.md and report.html."""
    if everything:
        _report_all(folder or Path("runs"), as_json)
        return
    if folder is None:
        message = "name the run folder, as in granum report runs/hourglass, or give --all"
        raise InputError(message)
    found = write_report(folder)
    files = {"markdown": str(folder / MARKDOWN), "html": str(folder / PAGE)}
    if as_json:
        typer.echo(json.dumps({**found.data(), "files": files}))
        return
    _show(found, Console())
    for path in files.values():
        typer.echo(path)


def _report_all(folder: Path, as_json: bool) -> None:
    page, reports, problems = write_gallery(folder)
    if as_json:
        typer.echo(json.dumps({"html": str(page), "runs": [found.data() for found in reports],
                               "left_out": problems}))
        return
    for found in reports:
        typer.echo(f"{found.folder.name}: {verdict(found)}")
    for problem in problems:
        typer.echo(f"left out: {problem}")
    typer.echo(str(page))


def _show(found: Report, console: Console) -> None:
    say(console, f"[bold]{escape(found.title)}[/]")
    console.print(_table(about_rows(found), is_headed=False))
    if found.figures:
        console.print(_table(figure_rows(found)))
    if found.caution:
        say(console, escape(found.caution))
    if found.also:
        console.print(_table(also_rows(found)))
    say(console, f"to repeat it:  {escape(found.command)}")


def _table(rows: Rows, is_headed: bool = True) -> Table:
    table = Table(show_header=is_headed, box=None, pad_edge=False)
    for heading in rows[0]:
        table.add_column(escape(heading), overflow="fold")
    for row in rows[1:] if is_headed else rows:
        table.add_row(*map(escape, row))
    return table

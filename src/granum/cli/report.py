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
from granum.report import Report, write_report
from granum.report.sheet import Rows, about_rows, also_rows, figure_rows
from granum.report.write import MARKDOWN, PAGE


def report(
    folder: Annotated[Path, typer.Argument(help="The run folder.")],
    as_json: AsJson = False,
) -> None:
    """Set what a run has measured beside what was published; write report.md and report.html."""
    found = write_report(folder)
    files = {"markdown": str(folder / MARKDOWN), "html": str(folder / PAGE)}
    if as_json:
        typer.echo(json.dumps({**found.data(), "files": files}))
        return
    _show(found, Console())
    for path in files.values():
        typer.echo(path)


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

"""``granum view``: the web page of a run, served to this machine or written as one file."""

from __future__ import annotations

import webbrowser
from pathlib import Path
from typing import Annotated

import typer

from granum.view import Record, export_page, make_server


def view(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The run folder.")],
    port: Annotated[int, typer.Option(
        min=0, max=65535, help="Port of this machine; any that is free unless given.")] = 0,
    browser: Annotated[bool, typer.Option(help="Open the page in the browser.")] = True,
    export: Annotated[Path | None, typer.Option(
        metavar="FILE", help="Write one file (.html) that needs no server, and stop.")] = None,
    size: Annotated[float, typer.Option(help="The most that this file may have [MB].")] = 15.0,
    contacts: Annotated[bool, typer.Option(
        help="Put contacts into this file, as rods; fewer frames fit then.")] = False,
) -> None:
    """Show a run, finished or under way, as a web page on this machine."""
    record = Record(folder)
    if export is not None:
        made = export_page(record, export, size, contacts)
        typer.echo(f"Wrote {export}: {made['frames']} of {made['of']} frames, "
                   f"{made['bytes'] / 1e6:.1f} MB. It opens in any browser, without a network.")
        return
    server = make_server(record, port)
    typer.echo(f"The page of {folder} is at {server.address} (Ctrl-C stops it)")
    if browser:
        webbrowser.open(server.address)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        typer.echo("Stopped.")
    finally:
        server.server_close()

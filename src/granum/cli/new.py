"""``granum new``: a commented scenario to start from."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from granum.errors import InputError
from granum.output.atomic import replace_bytes

STARTER = Path(__file__).with_name("starter.toml")


def new(
    file: Annotated[Path, typer.Argument(help="The scenario file to write.")],
) -> None:
    """Write a commented starter scenario."""
    if file.suffix != ".toml":
        message = f"a scenario file ends in .toml; try: granum new {file.with_suffix('.toml')}"
        raise InputError(message)
    if file.exists():
        message = f"{file} exists already; choose another name"
        raise InputError(message)
    replace_bytes(file, STARTER.read_bytes())
    typer.echo(f"Wrote {file}. Read and change it, then:\n"
               f"  granum check {file}\n  granum run {file}")

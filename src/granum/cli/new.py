"""``granum new``: a commented scenario to start from, or a contact law of one's own."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from granum.errors import InputError
from granum.output.atomic import replace_bytes

STARTERS = {".toml": "starter.toml", ".py": "starter_law.py"}


def new(
    file: Annotated[
        Path, typer.Argument(help="The file to write: a scenario (.toml), or a law (.py).")],
) -> None:
    """Write a commented starter: a scenario, or a contact law of your own."""
    if file.suffix not in STARTERS:
        message = (f"a scenario file ends in .toml, a law in .py; try: "
                   f"granum new {file.with_suffix('.toml')}")
        raise InputError(message)
    if file.exists():
        message = f"{file} exists already; choose another name"
        raise InputError(message)
    text = Path(__file__).with_name(STARTERS[file.suffix]).read_text()
    replace_bytes(file, text.replace("THIS_FILE.py", file.name).encode())
    then = (f"  granum check {file}\n  granum run {file}" if file.suffix == ".toml" else
            f'  pytest {file}\n  [law] type = "{file.name}:hertz" in a scenario beside it')
    typer.echo(f"Wrote {file}. Read and change it, then:\n{then}")

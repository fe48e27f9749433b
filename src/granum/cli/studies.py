"""``granum studies``: the published experiments that can be run by name."""

from __future__ import annotations

import json

import typer
from rich.console import Console

from granum.cli.progress import say
from granum.cli.run import AsJson
from granum.studies import STUDIES


def studies(as_json: AsJson = False) -> None:
    """List the studies, with what each shows."""
    if as_json:
        typer.echo(json.dumps({
            name: {"title": s.title, "source": s.source, "shows": s.shows,
                   "variants": dict(s.variants)}
            for name, s in STUDIES.items()
        }))
        return
    console = Console()
    for name, study in STUDIES.items():
        say(console, f"[bold]{name}[/]  {study.title} ({study.source})")
        say(console, f"  shows {study.shows}")
        for variant, text in study.variants.items():
            say(console, f"    {variant:<10} {text}")
        say(console, f"  granum run {name} --quick      granum run {name} --set variant="
                      f"{list(study.variants)[-1]}")

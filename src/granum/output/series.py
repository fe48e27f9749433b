"""Measures over time as a table: ``series.csv``, one row a sample, readable while the run goes on.

A row goes to the disk in one write, so that a killed run leaves at most one unfinished last line;
it is ignored by :func:`read_series` and cut off when the run is resumed.
"""

from __future__ import annotations

import io
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType

import numpy as np
from numpy.typing import NDArray

from granum.errors import InputError, OutputError
from granum.output.atomic import output_error, replace_bytes, write_all

TIME = "time"


class SeriesWriter:
    """Appends rows to a CSV file; an existing file with the same columns is continued.

    Args:
        path: the file.
        columns: names of the columns; one of them is ``time`` [s].
    """

    def __init__(self, path: Path, columns: Sequence[str]) -> None:
        """Start the table, or repair and continue the one that is there."""
        self.path = Path(path)
        self.columns = tuple(columns)
        self._header = ",".join(self.columns) + "\n"
        self._check_columns()
        if self.path.exists() and self.path.stat().st_size > 0:
            self._repair()
        else:
            replace_bytes(self.path, self._header.encode())
        self._raw = self._open()

    def write(self, row: Mapping[str, float]) -> None:
        """Append one row: a number for each column; floats are written with all their digits.

        Raises:
            InputError: a column is missing or unknown.
            OutputError: the disk is full; the table ends with the row before.
        """
        if row.keys() != set(self.columns):
            differing = sorted(row.keys() ^ set(self.columns))
            message = (f"a row of {self.path.name} must have exactly the columns "
                       f"{', '.join(self.columns)}; wrong: {', '.join(differing)}")
            raise InputError(message)
        self._append(",".join(_text(row[name]) for name in self.columns) + "\n")

    def write_rows(self, time: float, step: int, values: Mapping[str, NDArray]) -> None:
        """Append several rows of one moment: an array of one length for each other column."""
        columns = [np.asarray(values[name]).tolist() for name in self.columns[2:]]
        rows = zip(*columns, strict=True)
        head = f"{_text(time)},{_text(step)},"
        self._append("".join(head + ",".join(map(_text, row)) + "\n" for row in rows))

    def _append(self, text: str) -> None:
        end = self._raw.seek(0, io.SEEK_END)
        try:
            write_all(self._raw, text.encode())
        except OSError as error:
            self._raw.truncate(end)
            raise output_error(self.path, error) from error

    def truncate(self, after_time: float) -> None:
        """Drop all rows later than ``after_time`` [s], before going on from a checkpoint."""
        self.close()
        lines = _lines(self.path)
        times = read_series(self.path)[TIME]
        kept = [line for line, time in zip(lines[1:], times, strict=True) if time <= after_time]
        replace_bytes(self.path, "".join(f"{line}\n" for line in [lines[0], *kept]).encode())
        self._raw = self._open()

    def sync(self) -> None:
        """Make all rows durable; call it before a checkpoint that relies on them."""
        try:
            os.fsync(self._raw.fileno())
        except OSError as error:
            raise output_error(self.path, error) from error

    def close(self) -> None:
        """Close the file, its rows safe on the disk."""
        if not self._raw.closed:
            self.sync()
            self._raw.close()

    def __enter__(self) -> SeriesWriter:
        """Return the writer itself."""
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        """Close the file."""
        self.close()

    def _open(self) -> io.FileIO:
        try:
            return io.FileIO(self.path, "a")
        except OSError as error:
            raise output_error(self.path, error) from error

    def _check_columns(self) -> None:
        if TIME not in self.columns or len(set(self.columns)) != len(self.columns):
            message = f"the columns of a series must be different and contain {TIME!r}: " \
                      f"got {', '.join(self.columns)}"
            raise InputError(message)
        for name in self.columns:
            if not name or name.strip() != name or any(sign in name for sign in ',"\r\n'):
                message = f"{name!r} is no name for a column: no comma, quote, or line break"
                raise InputError(message)

    def _repair(self) -> None:
        """Cut off an unfinished last line, and make sure that the table is the same one."""
        content = self.path.read_bytes()
        whole = content[: content.rfind(b"\n") + 1]
        if not whole and self._header.encode().startswith(content):
            whole = self._header.encode()  # killed while writing the very first line
        found = whole.split(b"\n", 1)[0].decode(errors="replace")
        if found != self._header.rstrip("\n"):
            message = (f"{self.path} has other columns ({found}) than this run "
                       f"({','.join(self.columns)}): give the run a new folder")
            raise OutputError(message)
        if whole != content:
            replace_bytes(self.path, whole)


def read_series(path: Path) -> dict[str, NDArray[np.float64] | NDArray[np.int64]]:
    """Return the columns of a series by name: int64 where all values are integers, else float64.

    Raises:
        OutputError: there is no such file, or it is no series.
    """
    path = Path(path)
    lines = _lines(path)
    names = lines[0].split(",")
    rows = [line.split(",") for line in lines[1:]]
    for number, row in enumerate(rows, start=2):
        if len(row) != len(names):
            message = f"{path}, line {number}: {len(row)} values for {len(names)} columns"
            raise OutputError(message)
    return {name: _column(path, name, [row[k] for row in rows]) for k, name in enumerate(names)}


def _lines(path: Path) -> list[str]:
    """Return all finished lines, the header first."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        message = f"cannot read the series {path}: {error}"
        raise OutputError(message) from error
    lines = text.split("\n")[:-1]  # behind the last line break: nothing, or half a row
    if not lines:
        message = f"cannot read the series {path}: it has no header"
        raise OutputError(message)
    return lines


def _text(value: float) -> str:
    """Return a number as text that reads back to the same bits."""
    if isinstance(value, (int, np.integer)):
        return str(int(value))
    return repr(float(value))


def _column(path: Path, name: str, texts: list[str]) -> NDArray[np.float64] | NDArray[np.int64]:
    try:
        if texts and all(text.lstrip("-").isdigit() for text in texts):
            return np.array([int(text) for text in texts], dtype=np.int64)
        return np.array([float(text) for text in texts], dtype=np.float64)
    except (ValueError, OverflowError) as error:
        message = f"{path}, column {name}: {error}"
        raise OutputError(message) from error

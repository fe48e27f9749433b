"""Series: numbers keep their bits, killed runs lose at most a half-written row."""

from __future__ import annotations

import errno
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from granum.errors import InputError, OutputError
from granum.output import series
from granum.output.series import SeriesWriter, read_series

COLUMNS = ("time", "grains", "energy")


def fill(path: Path, count: int) -> None:
    with SeriesWriter(path, COLUMNS) as writer:
        for k in range(count):
            writer.write({"energy": k / 3, "time": 0.1 * k, "grains": 10 * k})


def test_rows_come_back(tmp_path: Path) -> None:
    path = tmp_path / "series.csv"
    fill(path, 4)
    table = read_series(path)
    assert list(table) == list(COLUMNS)
    assert table["grains"].dtype == np.int64
    assert table["grains"].tolist() == [0, 10, 20, 30]
    assert table["time"].tolist() == [0.1 * k for k in range(4)]
    assert table["energy"].tolist() == [k / 3 for k in range(4)]
    assert path.read_text().splitlines()[:2] == ["time,grains,energy", "0.0,0,0.0"]


def test_rows_are_there_at_once(tmp_path: Path) -> None:
    writer = SeriesWriter(tmp_path / "s.csv", COLUMNS)
    assert len(read_series(tmp_path / "s.csv")["time"]) == 0
    writer.write({"time": 1.0, "grains": 2, "energy": 3.0})
    assert read_series(tmp_path / "s.csv")["time"].tolist() == [1.0]
    writer.close()


NUMBERS = (st.floats() | st.integers(-2**62, 2**62) | st.floats(width=32).map(np.float32)
           | st.integers(-9, 9).map(np.int64))


@settings(max_examples=60, deadline=None,
          suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(values=st.lists(NUMBERS, min_size=1, max_size=5))
def test_any_number_keeps_its_value(tmp_path: Path, values: list[float]) -> None:
    path = tmp_path / "s.csv"
    path.unlink(missing_ok=True)
    with SeriesWriter(path, ("time", "x")) as writer:
        for k, value in enumerate(values):
            writer.write({"time": k, "x": value})
    read = read_series(path)["x"]
    for got, value in zip(read, values, strict=True):
        wanted = float(value) if read.dtype == np.float64 else int(value)
        assert got == wanted or (math.isnan(got) and math.isnan(wanted))


def test_every_half_written_row_is_dropped(tmp_path: Path) -> None:
    path = tmp_path / "s.csv"
    fill(path, 3)
    content = path.read_bytes()
    for length in range(len(content)):
        path.write_bytes(content[:length])
        rows = max(0, content[:length].count(b"\n") - 1)
        if b"\n" in content[:length]:
            assert len(read_series(path)["time"]) == rows
        with SeriesWriter(path, COLUMNS) as writer:
            writer.write({"time": 9.0, "grains": 1, "energy": 0.5})
        table = read_series(path)
        assert table["time"].tolist() == [*(0.1 * k for k in range(rows)), 9.0]


def test_truncating_drops_later_rows(tmp_path: Path) -> None:
    path = tmp_path / "s.csv"
    fill(path, 5)
    writer = SeriesWriter(path, COLUMNS)
    writer.truncate(0.1 * 2)
    writer.write({"time": 0.25, "grains": 7, "energy": 1.0})
    assert read_series(path)["time"].tolist() == [0.0, 0.1, 0.2, 0.25]
    writer.truncate(-1.0)
    assert read_series(path)["time"].tolist() == []
    writer.close()
    assert [entry.name for entry in tmp_path.iterdir()] == ["s.csv"]


def test_resumed_table_equals_the_uninterrupted_one(tmp_path: Path) -> None:
    fill(tmp_path / "straight.csv", 6)
    path = tmp_path / "resumed.csv"
    fill(path, 5)
    path.write_bytes(path.read_bytes() + b"0.5,5")
    with SeriesWriter(path, COLUMNS) as writer:
        writer.truncate(0.1 * 3)
        for k in (4, 5):
            writer.write({"time": 0.1 * k, "grains": 10 * k, "energy": k / 3})
    assert path.read_bytes() == (tmp_path / "straight.csv").read_bytes()


def test_full_disk_leaves_whole_rows_only(tmp_path, monkeypatch) -> None:
    path = tmp_path / "s.csv"
    fill(path, 2)
    content = path.read_bytes()
    writer = SeriesWriter(path, COLUMNS)

    def full(raw, line: bytes) -> None:
        raw.write(line[:5])
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(series, "write_all", full)
        with pytest.raises(OutputError, match="disk is full"):
            writer.write({"time": 9.0, "grains": 1, "energy": 0.5})
    assert path.read_bytes() == content
    writer.write({"time": 9.0, "grains": 1, "energy": 0.5})
    writer.close()
    assert read_series(path)["time"].tolist() == [0.0, 0.1, 9.0]


def test_wrong_rows_and_columns_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "s.csv"
    for columns in (("energy",), ("time", "time"), ("time", "a,b"), ("time", ""), ("time", " x")):
        with pytest.raises(InputError):
            SeriesWriter(path, columns)
    with SeriesWriter(path, COLUMNS) as writer:
        with pytest.raises(InputError, match="speed"):
            writer.write({"time": 0.0, "grains": 1, "energy": 1.0, "speed": 2.0})
        with pytest.raises(InputError, match="energy"):
            writer.write({"time": 0.0, "grains": 1})
    with pytest.raises(OutputError, match="other columns"):
        SeriesWriter(path, ("time", "speed"))


def test_what_is_no_series_is_named(tmp_path: Path) -> None:
    path = tmp_path / "s.csv"
    with pytest.raises(OutputError, match=r"s\.csv"):
        read_series(path)
    path.write_text("")
    with pytest.raises(OutputError, match="no header"):
        read_series(path)
    path.write_text("time,x\n1,2\n1\n")
    with pytest.raises(OutputError, match="line 3: 1 values for 2 columns"):
        read_series(path)
    path.write_text("time,x\n1,two\n")
    with pytest.raises(OutputError, match="column x"):
        read_series(path)
    path.write_bytes(b"\xff\xfe\n")
    with pytest.raises(OutputError):
        read_series(path)

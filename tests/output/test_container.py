"""Containers: every bit comes back, and anything that is not whole and right is refused."""

from __future__ import annotations

import errno
import io
from pathlib import Path

import h5py
import hypothesis.extra.numpy as arrays_of
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from granum.errors import CheckpointError, InputError, OutputError
from granum.output import atomic
from granum.output.container import HEADER_SIZE, read_container, write_container

ARRAYS = {
    "grains/position": np.arange(12.0).reshape(4, 3),
    "grains/id": np.array([3, 1, 2, 0]),
    "touching": np.array([True, False]),
    "none": np.zeros((0, 3)),
    "scalar": np.array(7.5),
}
META = {"time": 0.1, "seed": 12, "law": {"name": "linear", "values": [1e-300, 2]}, "text": "Korn °"}


def same_bits(one: np.ndarray, other: np.ndarray) -> bool:
    return (one.dtype == other.dtype and one.shape == other.shape
            and one.tobytes() == other.tobytes())


def small(path: Path) -> bytes:
    write_container(path, {"x": np.arange(5.0), "i": np.arange(3)}, {"time": 1.5}, "checkpoint")
    return path.read_bytes()


def test_everything_comes_back(tmp_path: Path) -> None:
    path = tmp_path / "state.granum"
    write_container(path, ARRAYS, META, "checkpoint")
    arrays, meta = read_container(path, "checkpoint")
    assert list(arrays) == list(ARRAYS)
    assert all(same_bits(arrays[name], ARRAYS[name]) for name in ARRAYS)
    assert meta == META
    assert [entry.name for entry in tmp_path.iterdir()] == ["state.granum"]


def test_any_hdf5_tool_can_look_inside(tmp_path: Path) -> None:
    write_container(tmp_path / "c", ARRAYS, META, "checkpoint")
    with h5py.File(tmp_path / "c", "r") as file:
        assert np.array_equal(file["arrays/grains/position"], ARRAYS["grains/position"])


def test_same_contents_make_the_same_bytes(tmp_path: Path) -> None:
    write_container(tmp_path / "a", ARRAYS, META, "checkpoint")
    write_container(tmp_path / "b", ARRAYS, META, "checkpoint")
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


DTYPES = st.sampled_from(["?", "i1", "<i8", ">i4", "u2", "f4", "<f8", ">f8", "c16"])


@settings(max_examples=60, deadline=None,
          suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(values=DTYPES.flatmap(lambda dtype: arrays_of.arrays(
    dtype, arrays_of.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=4))))
def test_any_numbers_keep_their_bits(tmp_path: Path, values: np.ndarray) -> None:
    write_container(tmp_path / "c", {"x": values}, {}, "checkpoint")
    assert same_bits(read_container(tmp_path / "c", "checkpoint")[0]["x"], values)


def test_flipped_bytes_are_noticed_everywhere(tmp_path: Path) -> None:
    path = tmp_path / "c"
    content = small(path)
    for place in [*range(0, HEADER_SIZE, 3), *range(HEADER_SIZE, len(content), 17)]:
        broken = bytearray(content)
        broken[place] ^= 0x41 if place % 2 else 0x01
        path.write_bytes(broken)
        with pytest.raises(CheckpointError):
            read_container(path, "checkpoint")


def test_truncation_is_noticed_anywhere(tmp_path: Path) -> None:
    path = tmp_path / "c"
    content = small(path)
    for length in [*range(0, HEADER_SIZE + 1, 3), *range(HEADER_SIZE, len(content), 17)]:
        path.write_bytes(content[:length])
        with pytest.raises(CheckpointError, match=r"truncated|empty|not a file of granum"):
            read_container(path, "checkpoint")


@settings(max_examples=100, deadline=None,
          suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_any_damage_to_a_larger_file_is_noticed(tmp_path: Path, data: st.DataObject) -> None:
    path = tmp_path / "c"
    write_container(path, {"x": np.arange(4000.0)}, META, "checkpoint")
    content = bytearray(path.read_bytes())
    place = data.draw(st.integers(0, len(content) - 1))
    damage = data.draw(st.binary(min_size=1, max_size=64))
    broken = content[:place] + damage + content[place + len(damage):]
    path.write_bytes(broken)
    if broken != content:
        with pytest.raises(CheckpointError):
            read_container(path, "checkpoint")


def test_added_bytes_are_noticed(tmp_path: Path) -> None:
    path = tmp_path / "c"
    path.write_bytes(small(path) + b"\0")
    with pytest.raises(CheckpointError, match="bytes of"):
        read_container(path, "checkpoint")


def test_messages_say_what_is_wrong(tmp_path: Path) -> None:
    path = tmp_path / "c"
    with pytest.raises(CheckpointError, match="no such file"):
        read_container(path, "checkpoint")
    with pytest.raises(CheckpointError, match="cannot be read"):
        read_container(tmp_path, "checkpoint")
    path.write_bytes(b"time,energy\n" * 100)
    with pytest.raises(CheckpointError, match="not a file of granum"):
        read_container(path, "checkpoint")
    with h5py.File(path, "w") as file:
        file["x"] = [1.0]
    with pytest.raises(CheckpointError, match="HDF5 file, but not written by granum"):
        read_container(path, "checkpoint")
    content = small(path)
    with pytest.raises(CheckpointError, match="this is a checkpoint file, not a packing"):
        read_container(path, "packing")
    path.write_bytes(content.replace(b"container 1 ", b"container 9 ", 1))
    with pytest.raises(CheckpointError, match=r"newer granum \(format 9"):
        read_container(path, "checkpoint")
    path.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    with pytest.raises(CheckpointError, match="damaged"):
        read_container(path, "checkpoint")


@pytest.mark.parametrize(("arrays", "meta", "kind"), [
    ({"/x": np.zeros(1)}, {}, "checkpoint"),
    ({"a//b": np.zeros(1)}, {}, "checkpoint"),
    ({"a": np.zeros(1), "a/b": np.zeros(1)}, {}, "checkpoint"),
    ({"a": np.array(["text"])}, {}, "checkpoint"),
    ({"a": np.array([None])}, {}, "checkpoint"),
    ({"a": [1.0]}, {}, "checkpoint"),
    ({}, {"x": float("nan")}, "checkpoint"),
    ({}, {"x": np.arange(3)}, "checkpoint"),
    ({}, {}, "Check Point"),
])
def test_what_cannot_be_stored_is_refused_before_writing(tmp_path, arrays, meta, kind) -> None:
    small(tmp_path / "c")
    with pytest.raises(InputError):
        write_container(tmp_path / "c", arrays, meta, kind)
    assert read_container(tmp_path / "c", "checkpoint")[1] == {"time": 1.5}
    assert len(list(tmp_path.iterdir())) == 1


class FullDisk:
    """Lets so many bytes through, then the disk is full for ever."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, room: int) -> None:
        self.room = room
        self.write_all = atomic.write_all
        monkeypatch.setattr(atomic, "write_all", self.write)
        monkeypatch.setattr("granum.output.container.write_all", self.write)

    def write(self, raw: io.FileIO, content: bytes | memoryview) -> None:
        content = memoryview(content)
        self.write_all(raw, content[: self.room])
        self.room -= len(content)
        if self.room < 0:
            self.room = 0
            raise OSError(errno.ENOSPC, "No space left on device")


@pytest.mark.parametrize("room", [0, 1, 95, 96, 800, 2000, 4000, 20_000, 40_000, 66_000])
def test_full_disk_keeps_the_old_file(tmp_path, monkeypatch, room: int) -> None:
    path = tmp_path / "c"
    old = small(path)
    many = {f"x{k}": np.random.default_rng(k).random(20) for k in range(200)}
    with monkeypatch.context() as patched:
        FullDisk(patched, room)
        with pytest.raises(OutputError, match="disk is full") as caught:
            write_container(path, many, {}, "checkpoint")
    assert str(path) in str(caught.value)
    assert path.read_bytes() == old
    assert len(list(tmp_path.iterdir())) == 1
    write_container(path, many, {}, "checkpoint")
    assert len(read_container(path, "checkpoint")[0]) == 200


def test_disk_full_only_at_sync_keeps_the_old_file(tmp_path, monkeypatch) -> None:
    path = tmp_path / "c"
    old = small(path)

    def fail(descriptor: int) -> None:
        raise OSError(errno.EDQUOT, "Disk quota exceeded")

    with monkeypatch.context() as patched:
        patched.setattr("os.fsync", fail)
        with pytest.raises(OutputError, match="disk is full"):
            write_container(path, ARRAYS, META, "checkpoint")
    assert path.read_bytes() == old
    assert len(list(tmp_path.iterdir())) == 1


def test_other_trouble_is_named(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="No such file or directory"):
        write_container(tmp_path / "nowhere" / "c", {}, {}, "checkpoint")


def test_a_part_left_by_a_killed_process_does_no_harm(tmp_path: Path) -> None:
    path = tmp_path / "c"
    content = small(path)
    (tmp_path / "c.part").write_bytes(content[: len(content) // 2])
    assert read_container(path, "checkpoint")[1] == {"time": 1.5}
    write_container(path, {}, {"time": 2.5}, "checkpoint")
    assert read_container(path, "checkpoint")[1] == {"time": 2.5}
    assert len(list(tmp_path.iterdir())) == 1


def test_interrupting_leaves_the_old_file(tmp_path, monkeypatch) -> None:
    path = tmp_path / "c"
    old = small(path)

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr("granum.output.container._digest", interrupt)
        with pytest.raises(KeyboardInterrupt):
            write_container(path, ARRAYS, META, "checkpoint")
    assert path.read_bytes() == old
    assert len(list(tmp_path.iterdir())) == 1


def test_header_is_one_readable_line(tmp_path: Path) -> None:
    content = small(tmp_path / "c")
    line = content[:HEADER_SIZE].rstrip(b"\0").decode()
    assert line.startswith(f"granum container 1 checkpoint {len(content)} ")
    assert line.endswith("\n")

"""Frames: VTK and granum read the same from both forms, and a kill at any moment does no harm."""

from __future__ import annotations

import errno
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import h5py
import numpy as np
import pytest
from vtkmodules.util.numpy_support import vtk_to_numpy
from vtkmodules.vtkIOHDF import vtkHDFReader

from granum.errors import InputError, OutputError
from granum.output import atomic, vtkhdf
from granum.output.frames import Frames, FrameWriter, read_frames
from granum.output.vtkhdf import Frame

COUNTS = [(5, 0, 7, 3), (0, 0, 4, 0, 0, 9, 2, 0), (0, 0), (6, 6, 6), (1,)]


JOINED = [((0, 0, 0), (6, 3, 2), (4, 0, 0), (9, 5, 0), (0, 0, 0), (7, 1, 4)),
          ((6, 3, 2), (5, 2, 1)), ((4, 0, 0), (4, 1, 0))]
"""Balls, edges and faces of frames whose balls are joined."""


def make(number: int, count: int, edges: int = 0, faces: int = 0) -> Frame:
    rng = np.random.default_rng(number)
    fields = {"radius": rng.random(count), "velocity": rng.random((count, 3)),
              "id": rng.permutation(count), "speed": rng.random(count).astype(np.float32)}
    points = rng.random((count, 3))
    return Frame(0.1 * number, points, fields, rng.integers(0, max(count, 1), (edges, 2)),
                 rng.integers(0, max(count, 1), (faces, 3)))


def fill(folder: Path, counts: tuple[int | tuple[int, ...], ...], start: int = 0) -> list[Frame]:
    writer = FrameWriter(folder)
    frames = [make(number, *np.atleast_1d(count)) for number, count in enumerate(counts, start)]
    for number, frame in enumerate(frames, start):
        writer.write(number, frame.time, frame.points, frame.fields, None, frame.edges, frame.faces)
    return frames


def assert_same(read: Frame, wanted: Frame) -> None:
    assert read.time == wanted.time
    assert np.array_equal(read.points, wanted.points)
    assert np.array_equal(read.edges, wanted.edges)
    assert np.array_equal(read.faces, wanted.faces)
    assert read.fields.keys() == wanted.fields.keys()
    for name, values in wanted.fields.items():
        assert read.fields[name].dtype == values.dtype
        assert np.array_equal(read.fields[name], values)


def assert_all(read: Frames, wanted: list[Frame]) -> None:
    assert len(read) == len(wanted)
    assert read.times.tolist() == [frame.time for frame in wanted]
    for number, frame in enumerate(wanted):
        assert_same(read[number], frame)


def assert_vtk_reads(path: Path, wanted: list[Frame]) -> None:
    """Read every step with VTK itself, in and out of order."""
    reader = vtkHDFReader()
    reader.SetFileName(str(path))
    reader.UpdateInformation()
    assert reader.GetNumberOfSteps() == len(wanted)
    if len(wanted) > 1:
        information = reader.GetOutputInformation(0)
        key = reader.GetExecutive().TIME_STEPS()
        times = [information.Get(key, k) for k in range(information.Length(key))]
        assert times == [frame.time for frame in wanted]
    for number in [*range(len(wanted)), *reversed(range(len(wanted)))]:
        reader.SetStep(number)
        reader.Update()
        output = reader.GetOutput()
        frame = wanted[number]
        count = len(frame.points)
        assert output.GetNumberOfPoints() == count
        assert output.GetNumberOfVerts() == count
        assert output.GetNumberOfCells() == sum(frame.sizes)
        if count == 0:
            continue
        assert np.array_equal(vtk_to_numpy(output.GetPoints().GetData()), frame.points)
        vertices = output.GetVerts()
        assert np.array_equal(vtk_to_numpy(vertices.GetOffsetsArray()), np.arange(count + 1))
        assert np.array_equal(vtk_to_numpy(vertices.GetConnectivityArray()), np.arange(count))
        for cells, rows in ((output.GetLines(), frame.edges), (output.GetPolys(), frame.faces)):
            assert cells.GetNumberOfCells() == len(rows)
            if len(rows):
                found = vtk_to_numpy(cells.GetConnectivityArray()).reshape(rows.shape)
                assert np.array_equal(found, rows)
        for name, values in frame.fields.items():
            assert np.array_equal(vtk_to_numpy(output.GetPointData().GetArray(name)), values)


@pytest.mark.parametrize("counts", [*COUNTS, *JOINED])
def test_both_forms_are_read_alike_by_vtk_and_granum(tmp_path, counts) -> None:
    run = tmp_path / "run"
    run.mkdir()
    frames = fill(run, counts)
    assert_all(read_frames(run), frames)
    assert_vtk_reads(run / "frames.vtkhdf", frames)
    for number, frame in enumerate(frames):
        assert_vtk_reads(run / "frames" / f"frame_{number:06d}.vtkhdf", [frame])
    FrameWriter(run).consolidate()
    assert [entry.name for entry in run.iterdir()] == ["frames.vtkhdf"]
    assert_all(read_frames(run), frames)
    assert_vtk_reads(run / "frames.vtkhdf", frames)


def test_a_moved_folder_is_still_read(tmp_path, monkeypatch) -> None:
    (tmp_path / "run").mkdir()
    frames = fill(tmp_path / "run", (5, 0, 7, 3))
    moved = tmp_path / "elsewhere" / "renamed"
    moved.parent.mkdir()
    shutil.move(tmp_path / "run", moved)
    monkeypatch.chdir(tmp_path)
    assert_vtk_reads(moved / "frames.vtkhdf", frames)
    assert_vtk_reads(Path("elsewhere/renamed/frames.vtkhdf"), frames)
    assert_all(read_frames(moved), frames)


def test_frames_can_be_counted_from_the_end(tmp_path: Path) -> None:
    frames = fill(tmp_path, (2, 3))
    read = read_frames(tmp_path)
    assert_same(read[-1], frames[-1])
    with pytest.raises(IndexError):
        read[2]


@pytest.mark.parametrize("consolidated", [False, True])
@pytest.mark.parametrize("index_damage", ["none", "gone", "stale", "nonsense"])
def test_truncating_drops_later_frames_whatever_the_index_says(
    tmp_path, consolidated: bool, index_damage: str
) -> None:
    frames = fill(tmp_path, (4, 2, 0, 5))
    index = tmp_path / "frames.vtkhdf"
    if consolidated:
        FrameWriter(tmp_path).consolidate()
    elif index_damage == "gone":
        index.unlink()
    elif index_damage == "nonsense":
        index.write_bytes(b"nonsense")
    elif index_damage == "stale":
        (tmp_path / "frames" / "frame_000003.vtkhdf").unlink()
    writer = FrameWriter(tmp_path)
    writer.truncate(frames[1].time)
    assert_all(read_frames(tmp_path), frames[:2])
    assert_vtk_reads(index, frames[:2])
    last = make(9, 3)
    writer.write(2, last.time, last.points, last.fields)
    writer.consolidate()
    assert_all(read_frames(tmp_path), [*frames[:2], last])
    assert_vtk_reads(index, [*frames[:2], last])
    assert [entry.name for entry in tmp_path.iterdir()] == ["frames.vtkhdf"]


@pytest.mark.parametrize("consolidated", [False, True])
def test_truncating_everything_leaves_no_frames(tmp_path, consolidated: bool) -> None:
    fill(tmp_path, (2, 2))
    writer = FrameWriter(tmp_path)
    if consolidated:
        writer.consolidate()
    writer.truncate(-1.0)
    with pytest.raises(OutputError, match="no frames"):
        read_frames(tmp_path)
    other = {"mass": np.ones(1)}
    writer.write(0, 0.0, np.zeros((1, 3)), other)  # other fields: it is a new start
    assert read_frames(tmp_path)[0].fields.keys() == other.keys()


def test_truncating_at_the_end_keeps_the_whole_file(tmp_path: Path) -> None:
    frames = fill(tmp_path, (2, 2))
    FrameWriter(tmp_path).consolidate()
    FrameWriter(tmp_path).truncate(frames[-1].time)
    assert [entry.name for entry in tmp_path.iterdir()] == ["frames.vtkhdf"]


def test_the_last_frame_can_be_written_again(tmp_path: Path) -> None:
    frames = fill(tmp_path, (2, 3))
    writer = FrameWriter(tmp_path)
    writer.write(1, frames[1].time, frames[1].points, frames[1].fields)
    assert_all(read_frames(tmp_path), frames)


def test_a_long_run_has_a_small_lag_and_no_gap(tmp_path, monkeypatch) -> None:
    lag, count = 5, 13
    monkeypatch.setattr("granum.output.frames.INDEX_LAG", lag)
    writer = FrameWriter(tmp_path)
    for number in range(count):
        writer.write(number, number * 0.5, np.full((2, 3), float(number)), {})
        with h5py.File(tmp_path / "frames.vtkhdf") as file:
            indexed = len(file["VTKHDF/Steps/Values"])
        assert number + 1 - indexed <= (number + 1) // lag
    assert len(read_frames(tmp_path)) == count
    writer.consolidate()
    read = read_frames(tmp_path)
    assert read.times.tolist() == [0.5 * number for number in range(count)]
    assert all((read[number].points == number).all() for number in range(count))


def test_booleans_are_shown_as_numbers(tmp_path: Path) -> None:
    FrameWriter(tmp_path).write(0, 0.0, np.zeros((2, 3)), {"stuck": np.array([True, False])})
    assert read_frames(tmp_path)[0].fields["stuck"].tolist() == [1, 0]


@pytest.mark.parametrize(("index", "time", "points", "fields"), [
    (0, 5.0, np.zeros((1, 3)), {"radius": np.ones(1)}),  # an earlier number
    (2, 0.1, np.zeros((1, 3)), {"radius": np.ones(1)}),  # not later
    (2, float("nan"), np.zeros((1, 3)), {"radius": np.ones(1)}),
    (2, 5.0, np.zeros((1, 2)), {"radius": np.ones(1)}),
    (2, 5.0, np.zeros((2, 3)), {"radius": np.ones(1)}),
    (2, 5.0, np.zeros((1, 3)), {}),
    (2, 5.0, np.zeros((1, 3)), {"radius": np.ones(1), "mass": np.ones(1)}),
    (2, 5.0, np.zeros((1, 3)), {"radius": np.ones(1, dtype=np.float32)}),
    (2, 5.0, np.zeros((1, 3)), {"radius": np.ones((1, 2))}),
    (2, 5.0, np.zeros((1, 3)), {"radius": np.array(["wide"])}),
    (2, 5.0, np.zeros((1, 3)), {"radius": np.ones(1), "a/b": np.ones(1)}),
])
def test_what_does_not_fit_is_refused(tmp_path, index, time, points, fields) -> None:
    writer = FrameWriter(tmp_path)
    for number in range(2):
        writer.write(number, 0.1 * number, np.zeros((1, 3)), {"radius": np.ones(1)})
    with pytest.raises(InputError):
        writer.write(index, time, points, fields)
    assert read_frames(tmp_path).times.tolist() == [0.0, 0.1]


@pytest.mark.parametrize("edges", [[(0, 2)], [(-1, 0)], [(0, 1, 1)], [0, 1]])
def test_edges_join_rows_that_are_there(tmp_path, edges) -> None:
    with pytest.raises(InputError, match="lines"):
        FrameWriter(tmp_path).write(0, 0.0, np.zeros((2, 3)), {}, None, np.array(edges))


def test_a_frame_whose_edges_lead_nowhere_is_refused(tmp_path: Path) -> None:
    fill(tmp_path, ((6, 3, 2),))
    path = tmp_path / "frames" / "frame_000000.vtkhdf"
    with h5py.File(path, "r+") as file:
        file["VTKHDF/Lines/Connectivity"][0] = 6
    with pytest.raises(OutputError, match="lines"):
        read_frames(tmp_path)[0]


def test_a_damaged_or_foreign_file_is_named(tmp_path: Path) -> None:
    fill(tmp_path, (2, 2))
    broken = tmp_path / "frames" / "frame_000001.vtkhdf"
    broken.write_bytes(broken.read_bytes()[:100])
    for act in (FrameWriter, read_frames):
        with pytest.raises(OutputError, match="frame_000001"):
            act(tmp_path)
    shutil.rmtree(tmp_path / "frames")
    whole = tmp_path / "frames.vtkhdf"
    whole.write_bytes(b"nonsense")
    for act in (FrameWriter, read_frames):
        with pytest.raises(OutputError, match=r"frames\.vtkhdf"):
            act(tmp_path)
    with h5py.File(whole, "w") as file:
        vtkhdf.write_frame(file, make(0, 2))
    for act in (FrameWriter, read_frames):
        with pytest.raises(OutputError, match="not written by granum"):
            act(tmp_path)


def test_frames_of_two_runs_do_not_mix(tmp_path: Path) -> None:
    fill(tmp_path, (1, 1))
    shutil.copy(tmp_path / "frames" / "frame_000000.vtkhdf",
                tmp_path / "frames" / "frame_000007.vtkhdf")
    with pytest.raises(OutputError, match="out of order"):
        FrameWriter(tmp_path)


def test_other_files_in_the_folder_are_left_alone(tmp_path: Path) -> None:
    fill(tmp_path, (1, 1))
    (tmp_path / "frames" / "notes.txt").write_text("mine")
    FrameWriter(tmp_path).consolidate()
    assert [entry.name for entry in (tmp_path / "frames").iterdir()] == ["notes.txt"]


@pytest.mark.parametrize("step", ["write", "consolidate"])
def test_a_full_disk_leaves_all_frames_readable(tmp_path, monkeypatch, step: str) -> None:
    frames = fill(tmp_path, (50, 40))
    writer = FrameWriter(tmp_path)
    more = make(2, 60)
    act = {"write": lambda: writer.write(2, more.time, more.points, more.fields),
           "consolidate": writer.consolidate}[step]

    def full(raw: object, content: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(atomic, "write_all", full)
        with pytest.raises(OutputError, match="disk is full"):
            act()
    assert not list(tmp_path.rglob("*.part"))
    assert_all(read_frames(tmp_path), frames)
    assert_vtk_reads(tmp_path / "frames.vtkhdf", frames)
    writer.consolidate()
    assert_vtk_reads(tmp_path / "frames.vtkhdf", frames)


@contextmanager
def snapshots(folder: Path, store: Path, states: list) -> Iterator[list[tuple[Path, int]]]:
    """Copy the folder before every change in it: what a kill at that moment would leave.

    With each copy goes the number of states noted until then.
    """
    taken: list[tuple[Path, int]] = []
    seen: list[list] = []

    def guarded(change: Callable) -> Callable:
        def act(path: Path, *arguments: object, **options: object) -> object:
            content = [(file, file.is_file() and file.read_bytes())
                       for file in sorted(folder.rglob("*"))]
            if content not in seen:
                seen.append(content)
                copy = store / str(len(taken))
                shutil.copytree(folder, copy)
                taken.append((copy, len(states)))
            return change(path, *arguments, **options)
        return act

    with pytest.MonkeyPatch.context() as patch:
        for name in ("replace", "unlink", "mkdir", "rmdir"):
            patch.setattr(Path, name, guarded(getattr(Path, name)))
        yield taken


def small(number: int, count: int) -> Frame:
    frame = make(number, count)
    return Frame(frame.time, frame.points, {"radius": frame.fields["radius"]})


LIFE = [small(number, count) for number, count in enumerate((3, 0, 2, 4))]
AGAIN, LAST = small(8, 5), small(9, 2)
KNOWN = {frame.time: frame for frame in [*LIFE, AGAIN]}


def live(folder: Path, states: list[list[Frame]]) -> None:
    """A run, a resume, an end and another resume; note what there is after each step."""
    writer = FrameWriter(folder)
    for number, frame in enumerate(LIFE):
        writer.write(number, frame.time, frame.points, frame.fields)
        states.append(LIFE[: number + 1])
    writer.truncate(LIFE[1].time)
    states.append(LIFE[:2])
    writer.write(2, AGAIN.time, AGAIN.points, AGAIN.fields)
    states.append([*LIFE[:2], AGAIN])
    writer.consolidate()
    states.append(states[-1])
    writer.truncate(LIFE[0].time)
    states.append(LIFE[:1])


def assert_sound(folder: Path, before: list[Frame], after: list[Frame]) -> None:
    """Everything readable is right, and no frame of before and after the step is missing."""
    whole = folder / "frames.vtkhdf"
    assert whole.exists() or not (before and after)
    if whole.exists():
        with h5py.File(whole) as file:
            for step, time in enumerate(file["VTKHDF/Steps/Values"][()]):
                assert_same(vtkhdf.read_frame(file, step), KNOWN[float(time)])
    if not list(folder.rglob("*.vtkhdf")):
        assert not before
        return
    read = read_frames(folder)
    assert_all(read, [KNOWN[float(time)] for time in read.times])
    assert set(read.times) >= {frame.time for frame in before} & {frame.time for frame in after}
    assert set(read.times) <= {frame.time for frame in before} | {frame.time for frame in after}


def assert_resumable(folder: Path) -> None:
    """Going on from an early checkpoint ends as if nothing had happened."""
    writer = FrameWriter(folder)
    writer.truncate(LIFE[0].time)
    writer.write(1, LAST.time, LAST.points, LAST.fields)
    writer.consolidate()
    assert [entry.name for entry in folder.iterdir()] == ["frames.vtkhdf"]
    read = read_frames(folder)
    assert_all(read, [LIFE[0], LAST] if len(read) == 2 else [LAST])


def test_a_kill_at_any_moment_leaves_readable_frames(tmp_path: Path) -> None:
    run, store = tmp_path / "run", tmp_path / "store"
    run.mkdir()
    states: list[list[Frame]] = [[]]
    with snapshots(run, store, states) as taken:
        live(run, states)
    assert len(taken) > 25
    for folder, done in taken:
        assert_sound(folder, states[done - 1], states[done])
        assert_resumable(folder)

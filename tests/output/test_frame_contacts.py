"""Contacts of frames: they come back from both forms, and grains are read as without them."""

from __future__ import annotations

import numpy as np
import pytest

from granum.errors import InputError
from granum.output.frames import FrameWriter, read_frames

COUNTS = (3, 0, 5, 1)


def table(number, count):
    rng = np.random.default_rng(number)
    return {"i": rng.integers(0, 9, count), "j": rng.integers(-1, 9, count),
            "point": rng.random((count, 3)), "force": rng.normal(size=(count, 3))}


def fill(folder, counts=COUNTS):
    writer = FrameWriter(folder)
    for k, count in enumerate(counts):
        contacts = None if count is None else table(k, count)
        writer.write(k, 0.1 * k, np.full((2, 3), k), {"radius": np.ones(2)}, contacts)
    return writer


def assert_same(folder, counts=COUNTS):
    frames = read_frames(folder)
    assert len(frames) == len(counts)
    for k, count in enumerate(counts):
        assert np.array_equal(frames[k].points, np.full((2, 3), k))
        assert list(frames[k].fields) == ["radius"]
        found = frames.contacts(k)
        for name, values in table(k, count or 0).items():
            assert np.array_equal(found[name], values)
            assert found[name].shape == values.shape


@pytest.mark.parametrize("counts", [COUNTS, (0, 0), (7,)])
def test_both_forms(tmp_path, counts):
    writer = fill(tmp_path, counts)
    assert_same(tmp_path, counts)
    writer.consolidate()
    assert_same(tmp_path, counts)


def test_going_on_after_the_end(tmp_path):
    """From one file back to single frames, as when a run is resumed, and together again."""
    fill(tmp_path).consolidate()
    writer = FrameWriter(tmp_path)
    writer.truncate(0.25)
    assert_same(tmp_path, COUNTS[:3])
    writer.write(3, 0.3, np.full((2, 3), 3), {"radius": np.ones(2)}, table(3, COUNTS[3]))
    writer.consolidate()
    assert_same(tmp_path)


def test_frames_without_contacts(tmp_path):
    writer = fill(tmp_path, (None, None))
    assert read_frames(tmp_path).contacts(1) is None
    writer.consolidate()
    assert read_frames(tmp_path).contacts(1) is None


def test_frames_of_both_kinds(tmp_path):
    fill(tmp_path, (None, 4)).consolidate()
    assert_same(tmp_path, (None, 4))


@pytest.mark.parametrize("wrong", [{"j": np.zeros(2)}, {"force": np.zeros((3, 2))},
                                   {"point": np.zeros(3)}])
def test_tables_that_do_not_fit_are_refused(tmp_path, wrong):
    name = next(iter(wrong))
    with pytest.raises(InputError, match=f"column '{name}' of shape"):
        FrameWriter(tmp_path).write(0, 0.0, np.zeros((1, 3)), {}, {**table(0, 3), **wrong})
    assert not any(tmp_path.iterdir())

"""Blocks: what goes in comes out, quantised numbers within half a step."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from granum.view.block import MAGIC, Quantised, pack, quantise, unpack

NUMBERS = st.floats(-1e6, 1e6) | st.just(np.nan) | st.just(np.inf)


@given(values=arrays.arrays(np.float64, st.tuples(st.integers(0, 20), st.integers(1, 3)),
                            elements=NUMBERS), grid=st.sampled_from(["u1", "u2"]))
def test_quantised_numbers_are_within_half_a_step(values, grid):
    found = quantise(values, grid)
    back = found.values()
    finite = np.isfinite(values)
    assert np.array_equal(np.isnan(back), ~finite)
    step = (found.high - found.low) / (np.iinfo(grid).max - 1)
    room = np.broadcast_to(0.5 * step + 1e-9 * (1 + np.abs(found.low)), values.shape)
    assert (np.abs(back - values)[finite] <= room[finite]).all()


def test_given_limits_are_kept():
    """So that what rests does not tremble from frame to frame."""
    one, other = (quantise(np.array([[0.3], [far]]), "u2", [0.0], [1.0]) for far in (0.5, 0.9))
    assert one.stored[0] == other.stored[0]


def test_few_whole_numbers_are_exact():
    numbers = np.arange(255) % 7
    assert np.array_equal(np.rint(quantise(numbers, "u1").values()[:, 0]), numbers)


def test_blocks_come_back():
    rng = np.random.default_rng(1)
    given_arrays = {
        "position": rng.random((7, 3)).astype(np.float32), "id": np.arange(7, dtype=np.uint32),
        "odd": np.arange(5, dtype=np.uint8), "empty": np.zeros(0, dtype=np.float32),
        "</script>": quantise(rng.random(7), "u2"),
    }
    block = pack(given_arrays, time=0.5, poses=[])
    assert block.startswith(MAGIC)
    found, facts = unpack(block)
    assert facts == {"time": 0.5, "poses": []}
    assert found.keys() == given_arrays.keys()
    for name, array in given_arrays.items():
        back = found[name]
        if isinstance(array, Quantised):
            assert np.array_equal(array.values(), back.values())
        else:
            assert back.dtype == array.dtype
            assert np.array_equal(back, array)


def test_arrays_begin_where_a_browser_can_read_them():
    block = pack({"a": np.zeros(3, np.uint8), "b": np.zeros(2, np.float32)}, note="µ")
    header = int.from_bytes(block[4:8], "little")
    assert header % 4 == 0
    assert len(block) == 8 + header + 4 + 8


def test_what_is_no_number_is_no_header():
    with pytest.raises(ValueError, match="JSON"):
        pack({}, time=np.nan)

"""Writing TOML: what is written reads back the same, to the last bit."""

import math
import tomllib

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from granum.errors import InputError
from granum.scenario.writer import to_toml

KEYS = st.one_of(st.sampled_from(["a", "b", "c-d", "e_1", "0", ""]), st.text(max_size=4))
VALUES = st.recursive(
    st.one_of(st.integers(), st.floats(allow_nan=False), st.booleans(), st.text(max_size=8)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(KEYS, inner, max_size=3),
        st.lists(st.dictionaries(KEYS, inner, max_size=3), min_size=1, max_size=3),
    ),
    max_leaves=12,
)


def same(first, second):
    """Compare with types, so that 1, 1.0 and True are different."""
    if type(first) is not type(second):
        return False
    if isinstance(first, dict):
        return first.keys() == second.keys() and all(same(first[key], second[key]) for key in first)
    if isinstance(first, list):
        return len(first) == len(second) and all(map(same, first, second))
    if isinstance(first, float):
        return math.copysign(1.0, first) == math.copysign(1.0, second) and first == second
    return first == second


@settings(deadline=None)
@given(st.dictionaries(KEYS, VALUES, max_size=4))
def test_round_trip(data):
    assert same(tomllib.loads(to_toml(data)), data)


def test_layout():
    data = {
        "title": 'a "bottle"\n',
        "run": {"duration": 2.0, "seed": 7},
        "walls": [
            {"type": "plane", "point": (0, 0.1, 1e-7), "motion": {"type": "still"}},
            {"type": "cone", "holes": [{"at": 1}, {"at": 2}]},
        ],
        "deep": {"deeper": {"on": True, "odd key": [[1], [{"x": 1}], []]}},
        "empty": {},
    }
    assert to_toml(data) == '''\
title = "a \\"bottle\\"\\n"

[run]
duration = 2.0
seed = 7

[[walls]]
type = "plane"
point = [0, 0.1, 1e-07]

[walls.motion]
type = "still"

[[walls]]
type = "cone"

[[walls.holes]]
at = 1

[[walls.holes]]
at = 2

[deep.deeper]
on = true
"odd key" = [[1], [{x = 1}], []]

[empty]
'''
    assert to_toml({}) == ""
    assert to_toml({"a": {"b": 1}}) == "[a]\nb = 1\n"


def test_numbers_of_numpy_are_numbers():
    assert to_toml({"a": np.float64(0.1), "b": np.int64(3), "c": np.float32(0.5)}) == (
        "a = 0.1\nb = 3\nc = 0.5\n")
    assert to_toml({"a": math.inf, "b": math.nan, "c": -0.0}) == "a = inf\nb = nan\nc = -0.0\n"


@pytest.mark.parametrize(("data", "message"), [
    ({"a": {"b": [1, None]}}, "a.b[1]: nothing cannot be written as TOML"),
    ({"a": [{"b": b"x"}]}, "a[0].b: a bytes cannot be written as TOML"),
    ({"a": {1: 2}}, "a: the key 1 is not text"),
    ({1: 2}, "the key 1 is not text"),
    ({"a": [1, {None: 2}]}, "a[1]: the key None is not text"),
    ({"a": "\udcff"}, 'a: "\\udcff" is not valid Unicode text'),
    ({"a": 10**5000}, "a: a whole number of more than 20 digits is too long to be written"),
])
def test_what_toml_cannot_hold_is_refused(data, message):
    with pytest.raises(InputError) as caught:
        to_toml(data)
    assert str(caught.value) == message

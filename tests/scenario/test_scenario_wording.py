"""Near names and descriptions."""

import datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from granum.scenario.wording import either, found, nearest, path_text, plural


@pytest.mark.parametrize(("name", "known", "meant"), [
    ("raduis", ["base", "radius"], "radius"),
    ("Radius", ["base", "radius"], "radius"),
    ("color", ["colour"], "colour"),
    ("stiffness", ["damping", "normal_stiffness"], "normal_stiffness"),
    ("friction_coefficient", ["friction"], "friction"),
    ("rad", ["radius"], "radius"),
    ("contacttime", ["contact_time", "restitution"], "contact_time"),
    ("x", ["y", "z"], None),
    ("", ["a", "bc"], None),
    ("temperature", ["radius", "height"], None),
    ("mn", ["m", "cm", "mm", "in"], "mm"),
    ("ab", ["ba", "ax"], "ax"),  # one mistake each; the first letter decides
])
def test_nearest(name, known, meant):
    assert nearest(name, known) == meant


LETTERS = st.sampled_from("abcdefghijklmnopqrstuvwxyz_0123456789")


@settings(deadline=None)
@given(st.text(LETTERS, min_size=2, max_size=12), LETTERS, st.data())
def test_one_wrong_letter_is_always_near(name, letter, data):
    at = data.draw(st.integers(0, len(name) - 1))
    assert nearest(name[:at] + letter + name[at + 1:], [name]) == name
    assert nearest(name[:at] + letter + name[at:], [name]) == name


@pytest.mark.parametrize(("value", "text"), [
    (None, "nothing"), (True, "true"), (3, "3"), (2.5, "2.5"), ("a\"b\n", '"a\\"b\\n"'),
    ([], "an empty list"), ([1], "a list of 1 value"), ((1, 2), "a list of 2 values"),
    ({}, "a table"), (datetime.date(2024, 1, 2), "the date or time 2024-01-02"),
    (b"x", "a bytes"), ("x" * 100, '"' + "x" * 57 + '..."'), (10**30,
     "a whole number of more than 20 digits"), ("\udcff\x1b", '"\\udcff\\x1b"'),
])
def test_found(value, text):
    assert found(value) == text


def test_small_words():
    assert either(["a"]) == "a"
    assert either(["a", "b", "c"]) == "a, b or c"
    assert [plural(noun) for noun in ("density", "length", "mass")] == [
        "densities", "lengths", "masses"]
    assert path_text(("walls", 0, "a b", 1, "c")) == 'walls[0]."a b"[1].c'

"""Descriptors from tables: values, and every message in full."""

import copy
import datetime
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scenario_samples import (
    WALLS,
    Cylinder,
    Everything,
    Law,
    Material,
    Plane,
    SineMotion,
    Still,
    outcome,
)

from granum.errors import InputError
from granum.quantity import Length
from granum.scenario.overrides import override
from granum.scenario.problems import Collector, Document, Problem, ScenarioError
from granum.scenario.reader import parse_toml
from granum.scenario.schema import build, build_choice


def problems_of(function, *args):
    """Return the lines of the refusal, without its heading."""
    with pytest.raises(ScenarioError) as caught:
        function(*args)
    heading, *lines = str(caught.value).split("\n")
    noun = "problem" if len(lines) == 1 else "problems"
    assert heading == f"scenario: {len(lines)} {noun}"
    return [line.removeprefix("  ") for line in lines]


CYLINDER = {"base": [0, "1 mm", 0.002], "axis": [0, 0, 1], "radius": "4 mm"}


def test_units_defaults_and_nested_descriptors():
    assert build(Cylinder, CYLINDER) == Cylinder((0.0, 0.001, 0.002), (0.0, 0.0, 1.0), 0.004)
    sine = {"type": "sine_motion", "amplitude": "3 mm", "frequency": "30 Hz", "phase": "180 deg"}
    wall = build(Cylinder, CYLINDER | {"height": "2 cm", "side": "outside", "motion": sine})
    assert wall.height == 0.02
    assert wall.side == "outside"
    assert wall.motion == SineMotion(0.003, 30.0, 3.141592653589793)


EVERYTHING = {
    "count": 1e3, "name": "x", "shaken": True, "gravity": [0, 0, "-1 g"],
    "radius": ["1 mm", 2], "corners": [[0, 0, 0], [1, "2 cm", 3]], "steps": [1, 2],
    "pair": ["1 mm", "1 ms"], "grid": [2, 3.0],
    "law": {"restitution": 0.5, "contact_time": "1 ms", "step": "2 us"},
    "walls": [CYLINDER | {"type": "cylinder"},
              {"type": "plane", "point": [0, 0, 0], "normal": [0, 0, 1], "spin": "60 rpm"}],
    "materials": {"glass": {"density": "2.5 g/cm3"}, "odd name": {"copy": True, "_hidden": 3}},
    "level": "high", "limit": False, "extra": {"a": [1]}, "table": {"b": "c"},
    "marks": ["a", "b"], "single": ["1 mm"],
}


def test_every_sort_of_field():
    assert build(Everything, EVERYTHING) == Everything(
        count=1000, name="x", shaken=True, gravity=(0.0, 0.0, -9.80665), radius=(0.001, 2.0),
        corners=((0.0, 0.0, 0.0), (1.0, 0.02, 3.0)), steps=[1, 2], pair=(0.001, 0.001), grid=(2, 3),
        law=Law(0.5, 0.001, step=2e-6),
        walls=(build(Cylinder, CYLINDER),
               Plane((0.0, 0.0, 0.0), (0.0, 0.0, 1.0), 6.283185307179586)),
        materials={"glass": Material(2500.0), "odd name": Material(copy=True, _hidden=3)},
        level="high", limit=False, extra={"a": [1]}, table={"b": "c"},
        marks=("a", "b"), single=(0.001,),
    )
    assert type(build(Everything, EVERYTHING).count) is int
    assert build(Everything, {"count": 2**70, "law": None}) == Everything(2**70)
    assert build(Everything, {"count": "12", "radius": "3 mm", "limit": "none"}).radius == 0.003


@pytest.mark.parametrize(("change", "lines"), [
    ({"raduis": 1}, ["raduis: unknown key; did you mean 'radius'? "
                     "(known: base, axis, radius, height, side, motion)"]),
    ({"weight": 1}, ["weight: unknown key; did you mean 'height'? "
                     "(known: base, axis, radius, height, side, motion)"]),
    ({"paint": 1, "odd key": 2}, [
        "paint: unknown key (known: base, axis, radius, height, side, motion)",
        '"odd key": unknown key (known: base, axis, radius, height, side, motion)']),
    ({"base": [0, 1]}, ["base: a list of 2 values is given, but a list of 3 lengths is wanted "
                        '(for example ["4 mm", "4 mm", "4 mm"])']),
    ({"base": "0, 0, 0"}, ['base: "0, 0, 0" is given, but a list of 3 lengths is wanted '
                           '(for example ["4 mm", "4 mm", "4 mm"])']),
    ({"base": [0, "1 s", True]}, [
        'base[1]: "1 s" is a time, but a length is wanted (for example "4 mm" or 0.004)',
        'base[2]: true is given, but a length is wanted (for example "4 mm" or 0.004)']),
    ({"side": "insde"}, ["side: \"insde\" is given, but 'inside' or 'outside' is wanted; "
                         "did you mean 'inside'?"]),
    ({"side": 3}, ["side: 3 is given, but 'inside' or 'outside' is wanted"]),
    ({"height": []}, ["height: an empty list is given, but a length is wanted "
                      '(for example "4 mm" or 0.004)']),
    ({"height": datetime.date(2024, 1, 2)}, [
        "height: the date or time 2024-01-02 is given, but a length is wanted "
        '(for example "4 mm" or 0.004)']),
    ({"motion": 3}, ["motion: 3 is given, but a table whose type is 'still' or 'sine_motion' "
                     "is wanted"]),
    ({"motion": {}}, ["motion.type: missing; 'still' or 'sine_motion' is wanted"]),
    ({"motion": {"type": "sin_motion", "amplitude": "x"}}, [
        'motion.type: "sin_motion" is unknown; did you mean \'sine_motion\'? '
        "(known: still, sine_motion)"]),
    ({"motion": {"type": "still", "amplitude": 1}}, [
        "motion.amplitude: unknown key (none is known here)"]),
    ({"motion": {"type": "sine_motion", "frequency": "3 Hzz"}}, [
        'motion.amplitude: missing; a length is wanted (for example "4 mm" or 0.004)',
        'motion.frequency: "3 Hzz" has the unknown unit \'Hzz\'; did you mean \'Hz\'? '
        "(a rate may be in 1/s, Hz, kHz or 1/min)"]),
    # What the classes themselves refuse:
    ({"radius": "-4 mm"}, ['radius: must be greater than 0, got -0.004 (written "-4 mm")']),
    ({"radius": -4}, ["radius: must be greater than 0, got -4"]),
    ({"axis": [0, 0, 0]}, ["axis: must not be the zero vector"]),
    ({"height": "1 mm"}, ["height: height and radius do not go together: 0.001 < 0.004 "
                          '(written "1 mm")']),
    ({"motion": {"type": "sine_motion", "amplitude": 0, "frequency": 1}}, [
        "motion.amplitude: must be greater than 0, got 0"]),
])
def test_problems_of_a_table(change, lines):
    assert problems_of(build, Cylinder, CYLINDER | change) == lines


@pytest.mark.parametrize(("data", "lines"), [
    ({}, ["count: missing; a whole number is wanted (for example 100)"]),
    ({"count": 1.5}, ["count: 1.5 is given, but a whole number is wanted (for example 100)"]),
    ({"count": "3 mm"}, ['count: "3 mm" is given, but a whole number is wanted (for example 100)']),
    ({"count": True}, ["count: true is given, but a whole number is wanted (for example 100)"]),
    ({"count": 1, "name": 3}, ['name: 3 is given, but text in quotes is wanted '
                               '(for example "a name")']),
    ({"count": 1, "shaken": 1}, ["shaken: 1 is given, but true or false is wanted"]),
    ({"count": 1, "corners": [[0, 0, 0], [1]]}, [
        "corners[1]: a list of 1 value is given, but a list of 3 lengths is wanted "
        '(for example ["4 mm", "4 mm", "4 mm"])']),
    ({"count": 1, "corners": 3}, ["corners: 3 is given, but a list of lists is wanted "
                                  '(for example [["4 mm", "4 mm", "4 mm"], '
                                  '["4 mm", "4 mm", "4 mm"]])']),
    ({"count": 1, "steps": [1, "x"]}, ['steps[1]: "x" is given, but a whole number is wanted '
                                       "(for example 100)"]),
    ({"count": 1, "pair": [1]}, ["pair: a list of 1 value is given, but a list of 2 values "
                                 '(a length, a time) is wanted (for example ["4 mm", "1 ms"])']),
    ({"count": 1, "grid": 3}, ["grid: 3 is given, but a list of 2 whole numbers is wanted "
                               "(for example [100, 100])"]),
    ({"count": 1, "radius": "big"}, ['radius: "big" is given, but a length or a list of lengths '
                                     'is wanted (for example "4 mm", 0.004 or ["4 mm", "4 mm"])']),
    ({"count": 1, "radius": ["1 mm", "1 s"]}, ['radius[1]: "1 s" is a time, but a length is wanted '
                                               '(for example "4 mm" or 0.004)']),
    ({"count": 1, "level": 3}, ["level: 3 is given, but 1, 2 or 'high' is wanted"]),
    ({"count": 1, "level": True}, ["level: true is given, but 1, 2 or 'high' is wanted"]),
    ({"count": 1, "limit": "nome"}, ["limit: \"nome\" is given, but a length, 'none' or true or "
                                     "false is wanted (for example \"4 mm\" or 0.004); "
                                     "did you mean 'none'?"]),
    ({"count": 1, "limit": "3 s"}, ['limit: "3 s" is a time, but a length is wanted '
                                    '(for example "4 mm" or 0.004)']),
    ({"count": 1, "law": 3}, ["law: 3 is given, but a table with the keys restitution, "
                              "contact_time, friction, step is wanted"]),
    ({"count": 1, "law": {"restitution": 2, "contact_time": 1}}, [
        "law.restitution: must be at most 1, got 2"]),
    ({"count": 1, "law": {"restitution": 1, "contact_time": "-1 s"}}, [
        'law.contact_time: must be greater than 0, got -1 (written "-1 s")']),
    ({"count": 1, "walls": [{"type": "plane", "point": [0, 0, 0]}, {"type": "drum"}, 3]}, [
        "walls[0].normal: missing; a list of 3 numbers is wanted (for example [0.5, 0.5, 0.5])",
        'walls[1].type: "drum" is unknown (known: cylinder, plane)',
        "walls[2]: 3 is given, but a table whose type is 'cylinder' or 'plane' is wanted"]),
    ({"count": 1, "materials": {"glass": {"densty": 1}, "odd one": 3}}, [
        "materials.glass.densty: unknown key; did you mean 'density'? "
        "(known: density, model_config, copy, _hidden)",
        'materials."odd one": 3 is given, but a table with the keys density, model_config, copy, '
        "_hidden is wanted"]),
    ({"count": 1, "materials": [1]}, ["materials: a list of 1 value is given, but a table whose "
                                      "values are tables is wanted"]),
    ({"count": 1, "table": 3}, ["table: 3 is given, but a table is wanted"]),
    ({"count": 1, "marks": "a", "single": [], "name": "x"}, [
        "marks: \"a\" is given, but a list of values, each 'a' or 'b', is wanted",
        "single: an empty list is given, but a list of 1 value (a length) is wanted "
        '(for example ["4 mm"])']),
    ({"count": 1, "inner": 3}, [
        "inner: unknown key (known: count, name, shaken, gravity, radius, corners, steps, pair, "
        "grid, law, walls, materials, level, limit, extra, table, marks, single)"]),
    ({"count": 1, "key_count": 3}, [
        "key_count: unknown key; did you mean 'count'? (known: count, name, shaken, gravity, "
        "radius, corners, steps, pair, grid, law, walls, materials, level, limit, extra, table, "
        "marks, single)"]),
    ([1], ["a list of 1 value is given, but a table with the keys count, name, shaken, gravity, "
           "radius, corners, steps, pair, grid, law, walls, materials, level, limit, extra, table, "
           "marks, single "
           "is wanted"]),
])
def test_problems_of_every_sort(data, lines):
    assert problems_of(build, Everything, data) == lines


@pytest.mark.parametrize(("data", "lines"), [
    (3, ["3 is given, but a table whose type is 'plane' or 'cylinder' is wanted"]),
    ({"radius": 3}, ["type: missing; 'plane' or 'cylinder' is wanted"]),
    ({"tpye": "plane"}, ["tpye: unknown key; did you mean 'type'?"]),
    ({"type": "cilinder"}, ['type: "cilinder" is unknown; did you mean \'cylinder\'? '
                            "(known: plane, cylinder)"]),
    ({"type": ["plane"]}, ["type: a list of 1 value is unknown (known: plane, cylinder)"]),
    (CYLINDER | {"type": "cylinder", "rad": 1}, [
        "rad: unknown key; did you mean 'radius'? "
        "(known: base, axis, radius, height, side, motion)"]),
])
def test_problems_of_a_choice(data, lines):
    assert problems_of(build_choice, WALLS, data) == lines


def test_choice_with_another_tag():
    assert build_choice({"none": Still}, {"kind": "none"}, tag="kind") == Still()
    assert build_choice(WALLS, CYLINDER | {"type": "cylinder"}) == build(Cylinder, CYLINDER)


SCENARIO = '''\
# A bottle.
[law]
restitution = 0.3
contact_time = "3 mm"

[[walls]]
type = "cylinder"
base = [0, 0, 0]
axis = [
  0,
  "1 s",
  1,
]
raduis = "4 mm"

[[walls]]
type = "cylinder"
base = [0, 0, 0]
axis = [0, 0, 1]
'''


def read_sample(document: Document):
    """Build the parts of a document, as the builder of worlds does."""
    collector = Collector(document)
    law = collector.attempt(("law",), build, Law, document.data["law"])
    walls = [collector.attempt(("walls", index), build_choice, WALLS, table)
             for index, table in enumerate(document.data["walls"])]
    collector.finish()
    return law, walls


def test_all_problems_of_a_file_are_told_at_once_with_their_lines():
    with pytest.raises(ScenarioError) as caught:
        read_sample(parse_toml(SCENARIO, "bottle.toml"))
    assert str(caught.value) == '''\
bottle.toml: 4 problems
  line 4, law.contact_time: "3 mm" is a length, but a time is wanted (for example "1 ms" or 0.001)
  line 11, walls[0].axis[1]: "1 s" is a time, but a number is wanted (for example 0.5)
  line 14, walls[0].raduis: unknown key; did you mean 'radius'? \
(known: base, axis, radius, height, side, motion)
  line 16, walls[1].radius: missing; a length is wanted (for example "4 mm" or 0.004)'''
    assert caught.value.problems[0] == Problem(
        ("law", "contact_time"),
        '"3 mm" is a length, but a time is wanted (for example "1 ms" or 0.001)', 4)
    assert caught.value.exit_code == 2
    assert isinstance(caught.value, InputError)


def test_values_from_the_command_line_are_not_blamed_on_a_line():
    document = override(parse_toml(SCENARIO, "bottle.toml"), [
        "law.contact_time=1 ms", "law.frict=1", "walls[0].axis=[1, 2]", "walls[0].motion.x=1"])
    with pytest.raises(ScenarioError) as caught:
        read_sample(document)
    assert str(caught.value) == '''\
bottle.toml: 5 problems
  line 14, walls[0].raduis: unknown key; did you mean 'radius'? \
(known: base, axis, radius, height, side, motion)
  line 16, walls[1].radius: missing; a length is wanted (for example "4 mm" or 0.004)
  --set law.frict: unknown key; did you mean 'friction'? \
(known: restitution, contact_time, friction, step)
  --set walls[0].axis: a list of 2 values is given, but a list of 3 numbers is wanted \
(for example [0.5, 0.5, 0.5])
  --set walls[0].motion.type: missing; 'still' or 'sine_motion' is wanted'''


def test_collector_places_plain_refusals_and_passes_results_through():
    document = parse_toml("[run]\nduration = 1\n", "a.toml")
    collector = Collector(document)
    assert collector.attempt(("run",), int, "7") == 7
    collector.finish()

    def refuse():
        message = "two grains overlap"
        raise InputError(message)

    assert collector.attempt(("run", "duration"), refuse) is None
    collector.add((), "there are no grains")
    with pytest.raises(ScenarioError) as caught:
        collector.finish()
    assert str(caught.value) == (
        "a.toml: 2 problems\n  line 2, run.duration: two grains overlap\n  there are no grains")


@dataclass(frozen=True)
class Square:
    side: Length

    def __post_init__(self) -> None:
        if self.side**40 < 1.0:
            raise ValueError


def test_overflow_and_bare_errors_of_a_class_are_reported():
    assert problems_of(build, Square, {"side": 1e15}) == [
        "cannot be worked out (OverflowError)"]
    assert "too large" in problems_of(build, Square, {"side": 1e200})[0]
    assert problems_of(build, Square, {"side": 0.5}) == ["cannot be worked out (ValueError)"]


@dataclass(frozen=True)
class Alike:
    contact: Length = 0.0
    contact_time: Length = 0.0

    def __post_init__(self) -> None:
        message = "contact time must be longer"
        raise InputError(message)


def test_the_longest_name_that_a_message_begins_with_is_meant():
    assert problems_of(build, Alike, {}) == ["contact_time: must be longer"]


@dataclass(frozen=True)
class Unreadable:
    value: complex


def test_a_class_that_no_file_can_describe_is_a_mistake_of_its_author():
    with pytest.raises(TypeError, match=r"a scenario cannot hold <class 'complex'>"):
        build(Unreadable, {})
    with pytest.raises(TypeError, match="is not a dataclass"):
        build(int, {})


KEYS = st.one_of(
    st.sampled_from([field for cls in (Everything, Cylinder, Plane, Law, Material, SineMotion)
                     for field in (*cls.__dataclass_fields__, "type")]),
    st.text(max_size=4), st.text(st.characters(), max_size=2), st.integers(0, 3), st.none())
LEAVES = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=5), st.dates(),
    st.binary(max_size=2),
    st.sampled_from(["plane", "cylinder", "sine_motion", "still", "auto", "none", "1 mm", "3 s",
                     "1e999 m", "-1 g", "high", "\udcff", [0, 0, 1], [0, 0]]))
GARBAGE = st.recursive(
    LEAVES,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(KEYS, inner, max_size=4)),
    max_leaves=15)
TARGETS: list[Any] = ["choice", Everything, Cylinder, Law, Material]


@settings(max_examples=300, deadline=None)
@given(st.sampled_from(TARGETS), GARBAGE)
def test_garbage_gives_an_instance_or_a_scenario_error(target, data):
    if target == "choice":
        instance, error = outcome(build_choice, WALLS, data)
        target = Plane | Cylinder
    else:
        instance, error = outcome(build, target, data)
    if error is None:
        assert isinstance(instance, target)
        return
    assert isinstance(error, ScenarioError)
    assert error.problems
    for problem in error.problems:
        assert isinstance(problem.path, tuple)
        assert problem.message
        assert str(problem).isprintable()


def places(value, path=()):
    """Return the path of every key and entry."""
    items = value.items() if isinstance(value, dict) else (
        enumerate(value) if isinstance(value, list) else ())
    return [place for key, item in items
            for place in [(*path, key), *places(item, (*path, key))]]


@settings(max_examples=300, deadline=None)
@given(st.sampled_from(places(EVERYTHING)), GARBAGE)
def test_a_wrong_value_is_reported_where_it_stands(place, value):
    data = copy.deepcopy(EVERYTHING)
    table: Any = data
    for key in place[:-1]:
        table = table[key]
    table[place[-1]] = value
    instance, error = outcome(build, Everything, data)
    assert isinstance(instance, Everything) or error.problems
    for problem in error.problems if error else ():
        # At the place, or within; another key beside it only if they do not go together.
        beside = place[:-1]
        assert problem.path[:len(beside)] == beside
        if place[-1] not in ("type", "height", "radius"):
            assert problem.path[:len(place)] == place or problem.path == beside

"""From a scenario to a world: what is built, what is refused where, and nothing else, ever."""

from __future__ import annotations

import copy
import datetime
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import granum as gr
from granum.cli.check import describe
from granum.errors import InputError
from granum.scenario.build import Scenario, plan_of, understand
from granum.scenario.overrides import override
from granum.scenario.problems import Document, ScenarioError
from granum.scenario.reader import parse_toml
from granum.scenario.writer import to_toml
from granum.world import refuse_bad_world

PLAIN: dict[str, Any] = {
    "title": "Beads",
    "seed": 5,
    "world": {
        "dimension": 3, "gravity": [0, 0, -9.81], "periodic": {"x": 0.05}, "leaving": "remove",
        "domain": {"low": [-1, -1, -1], "high": [1, 1, 1]},
        "turns": [{"start": 0.1, "duration": "20 ms", "angle": "90 deg", "axis": [0, 1, 0]}],
    },
    "materials": {"glass": {"density": "2.5 g/cm3"}, "steel": {"density": 7800}},
    "law": {"type": "linear_viscoelastic", "restitution": 0.5, "contact_time": "1 ms",
            "friction": 0.3, "tangential_restitution": 0.4},
    "walls": [
        {"type": "plane", "point": [0, 0, 0], "normal": [0, 0, 1]},
        {"type": "plate", "centre": [0.02, 0, 0.08], "normal": [0, 0, 1], "radius": "5 mm",
         "hole": "2 mm", "opens": 0.05},
        {"type": "sphere", "centre": [0.02, 0, 0.02], "radius": 0.5, "side": "inside"},
    ],
    "grains": [
        {"type": "explicit", "material": "steel", "points": [[0.01, 0, 0.01], [0.02, 0, 0.01]],
         "radius": ["1 mm", 0.002], "velocity": [0, 0, "-10 cm/s"]},
        {"type": "random", "material": "glass", "radius": "1.5 mm", "spread": 0.1, "count": 4,
         "low": [0, -0.01, 0.03], "high": [0.05, 0.01, 0.04]},
        {"type": "lattice", "material": "glass", "radius": 0.002, "count": 6, "probability": 0.5,
         "low": [0, -0.01, 0.045], "high": [0.05, 0.01, 0.06]},
        {"type": "pour", "material": "steel", "radius": 0.001, "count": 3, "rate": 100,
         "low": [0, -0.01, 0.065], "high": [0.05, 0.01, 0.075], "velocity": [0, 0, -0.1]},
    ],
    "run": {"duration": 0.2, "time_step": "20 us", "integrator": "verlet"},
    "output": {"series": "1 ms", "frames": 0.01, "checkpoints": 0.1,
               "flows": [{"name": "floor", "point": [0, 0, 0.01], "normal": [0, 0, -1]}]},
}


def document(data: Any, text: str = "") -> Document:
    return Document(data, text, "beads.toml")


def paths_of(data: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Return the path of everything in a tree of tables and lists."""
    pairs = data.items() if isinstance(data, dict) else (
        enumerate(data) if isinstance(data, list) else ())
    return [found for key, value in pairs
            for found in [(*path, key), *paths_of(value, (*path, key))]]


PATHS = paths_of(PLAIN)
WILD_NUMBERS = st.sampled_from([
    0, -1, 1, 2, 3, -0.0, 0.5, 1e-3, -1e-3, 7.0, 1e9, -1e9, 2**31, 2**63, -2**63, 10**25, 1e300,
    -1e300, 1e-300, 5e-324, float("inf"), float("-inf"), float("nan"),
])
WILD_TEXTS = st.sampled_from([
    "", " ", "4 mm", "-4 mm", "4", "mm", "1e400 m", "nan", "inf s", "0 s", "4 kg", "4 parsec",
    "[red]", "\N{GREEK SMALL LETTER MU}", "glass", "explicit", "hourglass", "stop", "\x00",
]) | st.text(max_size=8)
OTHERS = st.sampled_from([True, False, None, datetime.date(2020, 1, 1), datetime.time(1, 2)])
LEAVES = WILD_NUMBERS | WILD_TEXTS | OTHERS
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=4)
    | st.dictionaries(st.sampled_from(["type", "radius", "count", "x", "low", ""]), inner,
                      max_size=3),
    max_leaves=6,
)
# A wild number of grains would be built faithfully, and take its time.
COUNTS = st.sampled_from([0, -1, 1, 2, 9, 2.5, "3", True, None])


@st.composite
def changes(draw: st.DrawFn) -> tuple[str, tuple[Any, ...], Any]:
    """Draw what to do, where, and with which value."""
    what = draw(st.sampled_from(["drop", "replace", "replace", "replace", "add", "repeat"]))
    path = draw(st.sampled_from(PATHS))
    return what, path, draw(COUNTS if path[-1] in ("count", "attempts") else VALUES)


def changed(data: dict[str, Any], what: str, path: tuple[Any, ...], value: Any) -> None:
    """Make one change, if what was changed before has left something to change."""
    place: Any = data
    for key in path[:-1]:
        if not isinstance(place, dict | list):
            return
        try:
            place = place[key]
        except (KeyError, IndexError, TypeError):
            return
    key = path[-1]
    if not isinstance(place, dict | list) or isinstance(place, list) != isinstance(key, int):
        return
    if isinstance(place, list) and key >= len(place):
        return
    if what == "drop":
        place.pop(key) if isinstance(place, list) else place.pop(key, None)
    elif what == "replace":
        place[key] = value
    elif what == "add" and isinstance(place, dict):
        place[f"{key}s"] = value
    elif what == "repeat" and isinstance(place, list):
        place.append(copy.deepcopy(place[key]))


def outcome(data: dict[str, Any]) -> Scenario | None:
    """Return the scenario, or None if it was refused as a person can understand."""
    try:
        scenario = understand(document(data))
        refuse_bad_world(scenario.world)
    except InputError:
        return None
    assert np.isfinite(scenario.world.position).all()
    assert (scenario.world.mass > 0.0).all()
    return scenario


@settings(max_examples=120, deadline=None, derandomize=True,
          suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(changes(), min_size=1, max_size=3))
def test_any_scenario_is_understood_or_refused(mutations):
    data = copy.deepcopy(PLAIN)
    for mutation in mutations:
        changed(data, *mutation)
    assert outcome(data) is None or data["run"]["duration"]


ANYTHING = [0, -1, 2.5, "4 kg", "", True, None, [], {}, [{}], 10**25, 1e300, -1e300, 5e-324,
            float("inf"), float("nan")]


@pytest.mark.parametrize("value", ANYTHING, ids=repr)
def test_no_value_breaks_anything_anywhere(value):
    """Each value of a sound scenario in turn becomes something else."""
    for path in PATHS:
        data = copy.deepcopy(PLAIN)
        changed(data, "replace", path, value)
        found = outcome(data)
        assert found is None or found.document.data == data


def test_nothing_that_is_missing_breaks_anything():
    refused = set()
    for path in PATHS:
        data = copy.deepcopy(PLAIN)
        changed(data, "drop", path, None)
        if outcome(data) is None:
            refused.add(path)
    needed = {("run",), ("run", "duration"), ("law",), ("law", "type"), ("grains",),
              ("grains", 1, "radius"), ("walls", 0, "normal"), ("materials", "glass", "density")}
    assert needed <= refused
    assert refused.isdisjoint({("title",), ("seed",), ("world",), ("walls",), ("output",),
                               ("law", "friction"), ("world", "gravity"), ("run", "time_step")})


# ---- what is built ---------------------------------------------------------------------------


def test_a_scenario_is_built_as_it_is_written():
    scenario = understand(document(PLAIN))
    world = scenario.world
    refuse_bad_world(world)
    assert (world.dimension, world.seed, world.leaving) == (3, 5, "remove")
    assert world.periodic == (0.05, None, None)
    assert world.turns == (gr.Turn(0.1, 0.02, np.pi / 2, (0.0, 1.0, 0.0)),)
    assert [list(corner) for corner in world.limits()] == [[-1.0] * 3, [1.0] * 3]
    assert world.materials == [gr.Material("steel", 7800.0), gr.Material("glass", 2500.0)]
    assert world.walls == [
        gr.Plane((0.0, 0.0, 0.0), (0.0, 0.0, 1.0)),
        gr.Plate((0.02, 0.0, 0.08), (0.0, 0.0, 1.0), 0.005, hole=0.002, opens=0.05),
        gr.SphereWall((0.02, 0.0, 0.02), 0.5, side="inside"),
    ]
    assert len(world) == 2 + 4 + 6
    assert world.radius[:2].tolist() == [1e-3, 2e-3]
    assert world.velocity[:2].tolist() == [[0.0, 0.0, -0.1]] * 2
    assert (world.radius[2:6] >= 1.35e-3).all()
    assert (world.radius[2:6] <= 1.65e-3).all()
    assert world.material.tolist() == [0] * 2 + [1] * 10
    assert world.mass[1] == pytest.approx(7800.0 * 4 / 3 * np.pi * 2e-3**3)
    assert [stream.pour.count for stream in world.streams] == [3]
    assert scenario.law == gr.LinearViscoelastic(0.5, 1e-3, 0.3, 0.4)
    assert scenario.time_step == 2e-5
    assert scenario.plan.series == 1e-3
    assert scenario.plan.flows == (gr.Flow("floor", (0.0, 0.0, 0.01), (0.0, 0.0, -1.0)),)
    sim = scenario.simulation(1)
    assert (sim.time_step, sim.integrator, sim.threads) == (2e-5, "verlet", 1)


def test_gears_integrator_is_refused_with_a_budget():
    changes = ["run.integrator='gear'", "output.budget=true"]
    with pytest.raises(ScenarioError, match=r"run.integrator: the budget of energy counts"):
        understand(override(parse_toml(to_toml(PLAIN), "beads.toml"), changes))


def test_check_tells_which_shapes_have_a_single_contact():
    bent = {"type": "sphero_polyhedron", "radius": "0.3 mm", "faces": [],
            "vertices": [[0, 0, 0], ["2 mm", 0, 0], [0, "2 mm", 0]], "edges": [[0, 1], [0, 2]]}
    rod = {"type": "spherocylinder", "length": "2 mm", "radius": "1 mm"}
    changes = ["run.contacts='single'", "run.integrator='gear'"]
    plain = {**PLAIN, "grains": [{**PLAIN["grains"][1], "shape": bent},
                                 {**PLAIN["grains"][2], "shape": rod}]}
    facts = describe(understand(override(parse_toml(to_toml(plain), "beads.toml"), changes)))
    assert facts["time_step"].endswith(", fourth order, by Gear")
    said = [line for line in facts["grains"] if "single contact" in line]
    assert said == ["two of them have a single contact, but all contacts with swept skeletons of 3 "
                    "vertices and 2 edges, which are not convex"]


def test_what_is_left_out_gets_a_default():
    data = {name: PLAIN[name] for name in ("materials", "law", "walls")}
    data |= {"run": {"duration": "2 s"}, "grains": PLAIN["grains"][:1]}
    scenario = understand(document(data))
    assert scenario.world.gravity.tolist() == [0.0, 0.0, -9.81]
    assert scenario.world.seed == 0
    assert scenario.time_step == 1e-3 / 50
    plan = scenario.plan
    assert (plan.duration, plan.series, plan.frames, plan.checkpoints) == (2.0, 0.01, 0.04, 0.2)
    assert plan_of(scenario.document) == plan


def test_the_only_material_need_not_be_named():
    data = copy.deepcopy(PLAIN)
    del data["materials"]["steel"]
    for placing in data["grains"]:
        placing.pop("material")
    assert understand(document(data)).world.materials == [gr.Material("glass", 2500.0)]


def test_the_scenario_as_understood_is_the_same_scenario():
    scenario = understand(document(PLAIN))
    data = scenario.as_understood()
    again = understand(parse_toml(to_toml(data)))
    assert again.world.position.tobytes() == scenario.world.position.tobytes()
    assert again.plan == scenario.plan
    assert again.time_step == scenario.time_step
    assert again.as_understood() == data
    assert data["run"]["duration"] == 0.2
    assert PLAIN["run"] == {"duration": 0.2, "time_step": "20 us", "integrator": "verlet"}


def test_the_same_seed_places_the_same_grains():
    text = to_toml(PLAIN)
    first, same, other = (
        understand(override(parse_toml(text), [f"seed={seed}"])).world.position
        for seed in (5, 5, 6)
    )
    assert first.tobytes() == same.tobytes()
    assert (first[2:6] != other[2:6]).any()


# ---- what is refused, and where ----------------------------------------------------------------


@pytest.mark.parametrize(("change", "where", "words"), [
    ("law.type='hertz'", "law.type", "linear_viscoelastic"),
    ("law=3", "law", "table"),
    ("walls=3", "walls", "list"),
    ("grains={}", "grains", "list"),
    ("walls[1].hole=1", "walls[1].hole", "smaller"),
    ("grains[0].material='glas'", "grains[0].material", "did you mean 'glass'"),
    ("grains[1].material=''", "grains[1].material", "several materials"),
    ("grains[2].spread=2", "grains[2].spread", "less than 1"),
    ("grains[3].rate=0", "grains[3].rate", "greater than 0"),
    ("materials.glass.density=0", "materials.glass.density", "greater than 0"),
    ("world.dimension=4", "world.dimension", "2 or 3"),
    ("world.turns[0].duration=0", "world.turns[0].duration", "greater than 0"),
    ("world.leaving='go'", "world.leaving", "stop"),
    ("world.periodic.x=-1", "world.periodic.x", "greater than 0"),
    ("run.integrator='euler'", "run.integrator", "verlet"),
    ("run.contacts='one'", "run.contacts", "single"),
    ("output.frames=0", "output.frames", "greater than 0"),
    ("output.flows[0].normal=[0, 0, 0]", "output.flows[0].normal", "zero vector"),
    ("seed=1.5", "seed", "whole number"),
])
def test_a_refusal_says_where(change, where, words):
    with pytest.raises(ScenarioError) as refusal:
        understand(override(parse_toml(to_toml(PLAIN), "beads.toml"), [change]))
    assert len(refusal.value.problems) == 1
    assert str(refusal.value).startswith("beads.toml: 1 problem\n")
    assert f"--set {where}" in str(refusal.value)
    assert words in str(refusal.value)


@pytest.mark.parametrize(("change", "place", "words"), [
    ("walls[0].point=[0, 0, 0.02]", "grains[0]", "does not fit inside the walls"),
    ("grains[1].count=400", "grains[1]", "do not fit"),
    ("grains[1].count=1000", "grains[1]", "cannot fit"),
    ("grains[2].count=4000", "grains[2]", "4000"),
    ("grains[0].points[1]=[0.011, 0, 0.01]", "grains[0]", "overlaps"),
    ("grains[3].radius=0.02", "grains[3]", "Pour"),
])
def test_grains_that_find_no_room(change, place, words):
    with pytest.raises(ScenarioError, match=words) as refusal:
        understand(override(parse_toml(to_toml(PLAIN), "beads.toml"), [change]))
    problem = refusal.value.problems[0]
    assert f"{place}: " in str(problem)
    assert problem.line is not None or problem.from_command_line


def test_a_cell_too_small_for_its_grains():
    data = {**PLAIN, "world": {"periodic": {"x": 4.2e-3}}, "walls": [], "grains": [
        {"type": "explicit", "material": "glass", "points": [[2e-3, 0, 0]], "radius": 2e-3}]}
    with pytest.raises(InputError, match=r"the periodic cell is .* m long in x"):
        refuse_bad_world(understand(document(data)).world)


def test_all_problems_are_collected_with_their_lines():
    text = to_toml(PLAIN).replace("restitution = 0.5", "restitution = 5").replace(
        'type = "plane"', 'type = "plain"').replace("seed = 5", "seed = -5")
    with pytest.raises(ScenarioError) as refusal:
        understand(parse_toml(text, "beads.toml"))
    lines = [number for number, line in enumerate(text.splitlines(), start=1)
             if line in ("restitution = 5", 'type = "plain"', "seed = -5")]
    assert [problem.line for problem in refusal.value.problems] == lines

"""Laws by material in a scenario: what is understood, what is written back, what is refused."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from test_scenario_build import ANYTHING, changed, document, outcome, paths_of

import granum as gr
from granum.cli.check import describe
from granum.laws import model_of
from granum.scenario.build import understand
from granum.scenario.overrides import override
from granum.scenario.problems import ScenarioError
from granum.scenario.reader import parse_toml
from granum.scenario.writer import to_toml

BEADS: dict[str, Any] = {
    "materials": {"glass": {"density": "2.5 g/cm3"}, "steel": {"density": 7800},
                  "ice": {"density": 917}},
    "law": {"type": "linear_viscoelastic", "restitution": 0.6, "contact_time": "0.5 ms",
            "friction": 0.3,
            "materials": {"steel": {"friction": 0.1, "contact_time": "200 us"}},
            "pairs": [{"between": ["steel", "glass"], "restitution": 0.9}]},
    "walls": [
        {"type": "plane", "point": [0, 0, 0], "normal": [0, 0, 1], "material": "steel"},
        {"type": "plane", "point": [0, 0, 1], "normal": [0, 0, -1]},
    ],
    "grains": [{"type": "explicit", "material": "glass", "points": [[0, 0, 0.01]],
                "radius": "1 mm"}],
    "run": {"duration": 0.2},
}
LAW = gr.LinearViscoelastic(0.6, 5e-4, 0.3)
PAIRS = gr.Pairs(LAW, {"steel": {"friction": 0.1, "contact_time": 2e-4},
                       ("glass", "steel"): {"restitution": 0.9}})
PATHS = [path for path in paths_of(BEADS) if path[:2] != ("run",) and path[0] != "grains"]


def beads(*changes: str) -> Any:
    return understand(override(parse_toml(to_toml(BEADS), "beads.toml"), changes))


# ---- what is understood ------------------------------------------------------------------------


def test_a_law_by_materials_is_built_as_it_is_written():
    scenario = beads()
    assert scenario.law == PAIRS
    world = scenario.world
    assert [material.name for material in world.materials] == ["steel", "glass"]
    assert world.wall_materials(world.wall_table()).tolist() == [0, -1]
    assert type(world.walls[0]) is gr.Plane
    assert scenario.time_step == pytest.approx(2e-4 / 50)
    names = [material.name for material in world.materials]
    assert model_of(scenario.law, names, 1e-6)[0].mixed


def test_a_law_without_such_tables_stays_plain():
    data = copy.deepcopy(BEADS)
    del data["law"]["materials"], data["law"]["pairs"]
    assert understand(document(data)).law == LAW


def test_a_material_may_be_spoken_of_before_anything_is_made_of_it():
    scenario = beads("law.materials.ice.friction=0.02")
    assert scenario.law.between("ice", "ice").friction == 0.02
    assert scenario.world.materials[-1] == gr.Material("ice", 917.0)
    _, numbers = model_of(scenario.law, [m.name for m in scenario.world.materials], 1e-6)
    assert numbers.p.size == 9 * LAW.coefficients().size


def test_the_scenario_as_understood_is_the_same_scenario():
    scenario = beads("law.pairs[0].contact_time=0.3 ms", "law.materials.ice.friction=0.02",
                     "walls[1].material=ice")
    again = understand(parse_toml(to_toml(scenario.as_understood())))
    assert again.law == scenario.law
    assert again.law.between("glass", "steel").contact_time == 3e-4
    assert again.world.made_of == scenario.world.made_of
    assert again.as_understood() == scenario.as_understood()


def test_check_tells_the_law_of_each_pair_that_can_meet():
    assert describe(beads())["law"] == [
        "LinearViscoelastic, by the materials that meet",
        "                restitution  contact_time [s]  friction",
        "glass on glass  0.6          0.0005            0.3",
        "glass on steel  0.9          0.000380789       0.173205",
    ]
    poured = {"type": "pour", "material": "ice", "radius": 1e-3, "count": 3, "rate": 10,
              "low": [0, 0, 0.1], "high": [0.1, 0.1, 0.2]}
    data = {**BEADS, "grains": [*BEADS["grains"], poured]}
    lines = describe(understand(document(data)))["law"]
    assert [line[:14] for line in lines[2:]] == [
        "glass on glass", "glass on ice  ", "glass on steel", "ice on ice    ", "ice on steel  "]
    plain = {"type": "linear_viscoelastic", "restitution": 0.6, "contact_time": 5e-4}
    assert describe(understand(document({**BEADS, "law": plain})))["law"].startswith(
        "LinearViscoelastic(restitution=0.6")


# ---- what is refused, and where ------------------------------------------------------------------


@pytest.mark.parametrize(("change", "where", "words"), [
    ("law.materials.stel.friction=0.1", "law.materials.stel", "did you mean 'steel'"),
    ("law.materials.steel.fricton=0.1", "law.materials.steel.fricton", "did you mean 'friction'"),
    ("law.materials.steel.friction=-1", "law.materials.steel.friction", "at least 0"),
    ("law.materials.steel.contact_time='1 mm'", "law.materials.steel.contact_time", "a length"),
    ("law.materials=3", "law.materials", "table"),
    ("law.materials.steel=3", "law.materials.steel", "table"),
    ("law.material={}", "law.material", "did you mean 'materials'"),
    ("law.pairs={}", "law.pairs", "list of tables"),
    ("law.pairs[0].between[1]='glas'", "law.pairs[0].between[1]", "did you mean 'glass'"),
    ("law.pairs[0].between=['glass']", "law.pairs[0].between", "a list of 2 texts"),
    ("law.pairs[0].betwen=1", "law.pairs[0].betwen", "did you mean 'between'"),
    ("law.pairs[0].restitution=1.5", "law.pairs[0].restitution", "at most 1"),
    ("walls[1].material='stel'", "walls[1].material", "did you mean 'steel'"),
    ("walls[1]={type='plane', point=[0, 0, 0], normal=[0, 0, 1]}", "walls[1]",
     "of another material"),
])
def test_a_refusal_says_where(change, where, words):
    with pytest.raises(ScenarioError) as refusal:
        beads(change)
    assert len(refusal.value.problems) == 1
    assert f"--set {where}: " in str(refusal.value)
    assert words in str(refusal.value)


def test_a_pair_is_given_once_and_the_line_is_told():
    data = copy.deepcopy(BEADS)
    data["law"]["pairs"].append({"between": ["glass", "steel"], "friction": 0.2})
    text = to_toml(data)
    with pytest.raises(ScenarioError, match="glass and steel have a table already") as refusal:
        understand(parse_toml(text))
    line = text.splitlines().index('between = ["glass", "steel"]') + 1
    assert [problem.line for problem in refusal.value.problems] == [line]


@pytest.mark.parametrize("value", ANYTHING, ids=repr)
def test_no_value_breaks_anything_anywhere(value):
    outcomes = []
    for path in PATHS:
        data = copy.deepcopy(BEADS)
        changed(data, "replace", path, value)
        outcomes.append(outcome(data))
    assert None in outcomes, "somewhere it must be refused"


def test_nothing_that_is_missing_breaks_anything():
    outcomes = []
    for path in PATHS:
        data = copy.deepcopy(BEADS)
        changed(data, "drop", path, None)
        outcomes.append(outcome(data))
    assert None in outcomes, "somewhere it must be refused"

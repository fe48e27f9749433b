"""Add-ons in a scenario: ``[[law.add]]``."""

import pytest

import granum as gr
from granum.scenario.build import understand
from granum.scenario.problems import ScenarioError
from granum.scenario.reader import parse_toml
from granum.scenario.writer import to_toml

SCENARIO = """
[law]
type = "linear_viscoelastic"
restitution = 0.5
contact_time = "0.1 ms"

[[law.add]]
type = "rolling_resistance"
coefficient = 0.1
contact_time = "0.2 ms"
twisting = 0.05

[[law.add]]
type = "cohesion"
force = "2 mN"

[[law.add]]
type = "adhesion"
work = "50 mJ/m2"
neck = "1 um"

[[law.add]]
type = "capillary_bridge"
surface_tension = "72 mN/m"
volume = "1 nl"
contact_angle = "30 deg"

[materials.glass]
density = 2500

[[grains]]
type = "explicit"
points = [[0, 0, 0]]
radius = "1 mm"

[run]
duration = "1 ms"
"""


def test_addons_are_read_with_their_units():
    scenario = understand(parse_toml(SCENARIO, "sticky.toml"))
    law = scenario.law
    assert isinstance(law, gr.With)
    assert law.law == gr.LinearViscoelastic(0.5, 1e-4)
    assert law.addons == (
        gr.RollingResistance(0.1, 2e-4, twisting=0.05), gr.Cohesion(2e-3),
        gr.Adhesion(0.05, 1e-6), gr.CapillaryBridge(0.072, 1e-12, contact_angle=scenario_angle()),
    )
    written = to_toml(scenario.as_understood())
    assert understand(parse_toml(written, "again.toml")).law == law


def scenario_angle():
    return 0.5235987755982988


def test_a_law_without_addons_stays_plain():
    text = SCENARIO[:SCENARIO.index("[[law.add]]")] + SCENARIO[SCENARIO.index("[materials"):]
    assert understand(parse_toml(text, "dry.toml")).law == gr.LinearViscoelastic(0.5, 1e-4)


@pytest.mark.parametrize(("old", "new", "said"), [
    ('type = "cohesion"', 'type = "cohesoin"', "cohesion"),
    ('force = "2 mN"', 'force = "2 mm"', "is a length, but"),
    ("coefficient = 0.1", "coefficient = -0.1", "at least 0"),
    ("coefficient = 0.1", "coeficient = 0.1", "coefficient"),
])
def test_what_is_wrong_is_said_where_it_is(old, new, said):
    with pytest.raises(ScenarioError, match=said) as trouble:
        understand(parse_toml(SCENARIO.replace(old, new), "sticky.toml"))
    assert "law.add" in str(trouble.value)


def test_one_table_instead_of_a_list_is_refused():
    with pytest.raises(ScenarioError, match=r"each written \[\[law\.add\]\]"):
        understand(parse_toml(SCENARIO[:SCENARIO.index("[[law.add]]")] + "[law.add]\n"
                              + SCENARIO[SCENARIO.index("[materials"):], "sticky.toml"))

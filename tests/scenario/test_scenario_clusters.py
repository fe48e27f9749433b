"""Clusters in scenario files: read, written back, checked, and refused by line."""

import numpy as np
import pytest

import granum as gr
from granum.cli.check import describe
from granum.scenario.build import understand
from granum.scenario.problems import ScenarioError
from granum.scenario.reader import parse_toml
from granum.scenario.writer import to_toml

TEXT = """
[materials.glass]
density = "2.5 g/cm3"

[law]
type = "linear_viscoelastic"
restitution = 0.5
contact_time = "0.2 ms"

[[walls]]
type = "box"
low = [0, 0, 0]
high = ["3 cm", "3 cm", "6 cm"]

[[grains]]
type = "clusters"
count = 12
arrangement = "lattice"

[grains.cluster]
type = "glued_rod"
radius = "1 mm"
layers = 3
glue = { type = "power_glue", stiffness = "20 kN/m", damping = 0.1, strength = "500 mN" }

[run]
duration = "0.1 s"
"""


def test_what_is_understood():
    scenario = understand(parse_toml(TEXT))
    world = scenario.world
    assert (len(world), world.clusters, len(world.bonds)) == (12 * 9, 12, 12 * 21)
    assert world.glues == [gr.PowerGlue(2e4, damping=0.1, strength=0.5)]
    assert scenario.time_step < 0.2e-3 / 50  # that of the glue
    told = describe(scenario)
    assert "glued into 12 clusters by 252 bonds" in told["grains"]
    assert any("PowerGlue(stiffness=20000.0" in line for line in told["grains"])
    again = understand(parse_toml(to_toml(scenario.as_understood())))
    assert (again.world.position == world.position).all()
    assert again.time_step == scenario.time_step


def test_spheres_of_ones_own_at_given_places():
    text = TEXT.replace('count = 12\narrangement = "lattice"', (
        'at = [["5 mm", "5 mm", "5 mm"], [0.02, 0.02, 0.02]]\norientation = [1, 0, 0, 0]'
    )).replace('type = "glued_rod"\nradius = "1 mm"\nlayers = 3', (
        'type = "cluster"\npoints = [[0, 0, 0], ["2 mm", 0, 0]]\nradii = "1 mm"'))
    world = understand(parse_toml(text)).world
    assert world.position == pytest.approx(np.array([
        (4e-3, 5e-3, 5e-3), (6e-3, 5e-3, 5e-3), (0.019, 0.02, 0.02), (0.021, 0.02, 0.02)]))
    assert world.cluster.tolist() == [0, 0, 1, 1]


@pytest.mark.parametrize(("old", "new", "said"), [
    ('radius = "1 mm"', 'radius = "1 s"', "a length is wanted"),
    ('layers = 3', 'layers = 0', "layers"),
    ('type = "glued_rod"', 'type = "glued_rood"', "did you mean 'glued_rod'"),
    ('type = "power_glue"', 'type = "glue"', "power_glue"),
    ('stiffness = "20 kN/m"', 'stifness = "20 kN/m"', "did you mean 'stiffness'"),
    ('strength = "500 mN"', 'strength = "5 m"', "a force is wanted"),
    ('count = 12', 'count = 12000', "this lattice has"),
    ('count = 12', 'count = 12\nat = [[0, 0, 0]]', "not both"),
    ('duration = "0.1 s"', 'duration = "0.1 s"\ntime_step = "20 us"', "this law, this glue"),
])
def test_what_is_refused(old, new, said):
    with pytest.raises(ScenarioError, match=said):
        understand(parse_toml(TEXT.replace(old, new)))

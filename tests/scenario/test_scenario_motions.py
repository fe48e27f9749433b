"""Motions of walls in a scenario: what is understood and told, what a run writes, refusals."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

import granum as gr
from granum.cli.check import describe
from granum.measures import COLUMNS
from granum.output import read_series
from granum.portrait import draw_run
from granum.run import Run
from granum.scenario.build import understand
from granum.scenario.problems import ScenarioError
from granum.scenario.reader import parse_toml
from granum.scenario.writer import to_toml

SHAKER = """
[materials.glass]
density = "2.5 g/cm3"
[law]
type = "linear_viscoelastic"
restitution = 0.5
contact_time = "1 ms"
friction = 0.3
[[walls]]
type = "box"
low = [0, 0, 0]
high = [0.03, 0.03, 0.08]
open_top = true
name = "cup"
motion = { type = "sine", frequency = "30 Hz", acceleration = "2 g", phase = "-90 deg" }
[[walls]]
type = "plane"
point = [0, 0, 0.03]
normal = [0, 0, -1]
name = "lid"
[walls.motion]
type = "piston"
mass = "5 g"
direction = [0, 0, -1]
force = "100 mN"
steps = [["2 ms", "0.2 N"], [0.004, 0.0]]
[[walls]]
type = "cylinder"
base = [0.015, 0.015, 0.1]
axis = [0, 0, 1]
radius = "1 cm"
height = "2 cm"
[[walls.motion]]
type = "rotation"
rate = "30 rpm"
axis = [0, 0, 1]
point = [0.015, 0.015, 0]
[[walls.motion]]
type = "path"
times = [0, "1 s"]
places = [[0, 0, 0], [0, 0, "1 cm"]]
[[grains]]
type = "random"
radius = "2 mm"
count = 15
low = [0, 0, 0]
high = [0.03, 0.03, 0.03]
[run]
duration = "10 ms"
time_step = "50 us"
[output]
series = "1 ms"
"""


def shaker(*changes: tuple[str, str]):
    text = SHAKER
    for old, new in changes:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    return understand(parse_toml(text, "shaker.toml"))


def test_motions_are_built_as_they_are_written():
    world = shaker().world
    cup, lid, tube = world.bodies
    assert cup.moving == (gr.Sine(30.0, acceleration=2 * 9.80665, phase=-math.pi / 2),)
    assert lid.moving == gr.Piston(5e-3, (0, 0, -1), force=0.1, steps=((2e-3, 0.2), (4e-3, 0.0)))
    assert tube.moving == (gr.Rotation(math.pi, (0, 0, 1), (0.015, 0.015, 0.0)),
                           gr.Path((0.0, 1.0), ((0, 0, 0), (0, 0, 0.01))))
    assert list(world.names.values()) == ["cup", "lid"]
    assert all(type(wall) in (gr.Box, gr.Plane, gr.Cylinder) for wall in world.walls)


def test_a_scenario_written_back_means_the_same():
    scenario = shaker()
    again = understand(parse_toml(to_toml(scenario.as_understood()), "again.toml"))
    assert [b.moving for b in again.world.bodies] == [b.moving for b in scenario.world.bodies]


def test_check_tells_each_motion():
    cup, lid, tube = describe(shaker())["walls"]
    assert cup.startswith("cup: box from")
    assert "shakes at 30 Hz along (0, 0, 1), amplitude 0.000552 m (2 g)" in cup
    assert "piston of 0.005 kg along (0, 0, -1), driven by 0.1 N, then 2 steps" in lid
    assert "turns at 3.14159 rad/s" in tube
    assert "and follows a path through 2 places" in tube


@pytest.mark.parametrize(("old", "new", "says"), [
    ('"sine", frequency', '"sin", frequency', "did you mean 'sine'?"),
    ("frequency =", "frequenzy =", "did you mean 'frequency'?"),
    ('mass = "5 g"\n', "", "walls[1].motion.mass: missing"),
    ('mass = "5 g"', 'mass = "0 g"', "walls[1].motion.mass: must be greater than 0"),
    ('name = "lid"\n', "", "a Piston needs a name"),
    ('times = [0, "1 s"]', 'times = ["2 s", "1 s"]', "must be sorted"),
    ('"30 Hz"', '"2 kHz"', "is too long for a wall that shakes at 2000 Hz"),
    ('"30 rpm"', '"30 Hz"', "an angular speed is wanted"),
    ('[0.004, 0.0]]', '[0.001, 0.0]]', "0.001 s comes after 0.002 s"),
])
def test_wrong_motions_are_refused_by_name(old, new, says):
    with pytest.raises(ScenarioError) as refusal:
        shaker((old, new))
    assert says in str(refusal.value)


def test_a_run_writes_forces_and_places_and_draws_the_walls_where_they_were(tmp_path: Path):
    scenario = shaker()
    sim = scenario.simulation(threads=1)
    Run(sim, scenario.plan, tmp_path).go()
    series = read_series(tmp_path / "series.csv")
    axes = [f"{what}_{axis}" for what in ("force", "torque") for axis in "xyz"]
    own = [f"{name}_{what}" for name in ("cup", "lid") for what in (*axes, "x", "y", "z", "work")]
    assert list(series) == [*COLUMNS, *own]
    walls = sim.wall_forces()
    assert series["lid_z"][-1] == walls["lid"].displacement[2]
    assert series["cup_force_z"][-1] == walls["cup"].force[2]
    amplitude = 2 * 9.80665 / (2 * math.pi * 30.0) ** 2
    np.testing.assert_allclose(
        series["cup_z"], amplitude * (1.0 - np.cos(2 * math.pi * 30.0 * series["time"])),
        atol=1e-15)
    place = np.array([0.0, 0.0, 0.5])
    lines = sim.world.outlines(sim.time, {"lid": place})
    assert len(lines) == len(sim.world.outlines(0.0, {}))
    assert lines[0][0, 2] == pytest.approx(series["cup_z"][-1])
    assert draw_run(tmp_path, sim.world).stat().st_size > 1000

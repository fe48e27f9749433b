"""Clumps in a scenario: what is understood, what is refused where, what is told and written."""

from __future__ import annotations

import numpy as np
import pytest

from granum.cli.check import describe
from granum.output import read_frames
from granum.run import Plan, Run
from granum.scenario.build import understand
from granum.scenario.problems import ScenarioError
from granum.scenario.reader import parse_toml
from granum.scenario.writer import to_toml
from small_scenario import RANDOM, beads

CLUMP = '[grains.clump]\npoints = [[0, 0, 0], ["1 mm", 0, 0]]\nradii = ["1 mm", 0.0005]\n'


def clumps(*changes, clump=CLUMP):
    return beads((RANDOM, RANDOM + clump), *changes)


def test_they_are_placed_as_large_as_the_radius_and_turned_at_random():
    world = understand(parse_toml(clumps())).world
    assert len(world) == 20
    assert world.radius == pytest.approx(np.full(20, 2e-3))
    assert len(np.unique(world.orientation, axis=0)) == 20
    radii = world.balls().arm[:, 3].reshape(20, 2)
    assert radii[:, 0] == pytest.approx(2.0 * radii[:, 1])
    shape = world.shapes[0]
    assert world.mass == pytest.approx(2500.0 * shape.volume * (2e-3 / shape.radius) ** 3)


def test_the_same_seed_places_them_alike_and_the_file_can_be_written_again():
    one = understand(parse_toml(clumps()))
    other = understand(parse_toml(to_toml(one.as_understood())))
    assert one.world.position.tobytes() == other.world.position.tobytes()
    assert one.world.orientation.tobytes() == other.world.orientation.tobytes()


def test_check_tells_of_them():
    told = describe(understand(parse_toml(clumps())))["grains"]
    assert "20 of radius 0.002 m, clumps of 2 spheres" in told
    poured = clumps((RANDOM.splitlines()[0], 'type = "pour"\nrate = 100\nlow = [0, 0, 0]\n'
                     "high = [0.05, 0.05, 0.05]"))
    told = describe(understand(parse_toml(poured)))["grains"]
    assert "20 poured in, 100 a second from 0 s on, clumps of 2 spheres" in told


@pytest.mark.parametrize(("changed", "said"), [
    ("radii = [0.001]\n", r"grains\[0\].clump.radii.*one for each of the 2 points, got 1"),
    ('radii = "1 kg"\n', r"grains\[0\].clump.radii"),
    ("radii = 0.0001\n", r"grains\[0\].clump.points: must hang together, but sphere 1"),
    ("", r"grains\[0\].clump.radii: missing"),
])
def test_what_is_refused_and_where(changed, said):
    text = clumps(clump=CLUMP.replace('radii = ["1 mm", 0.0005]\n', changed))
    with pytest.raises(ScenarioError, match=said):
        understand(parse_toml(text))


def test_frames_hold_every_ball_with_the_id_of_its_grain(tmp_path):
    sim = understand(parse_toml(clumps())).simulation(threads=1)
    Run(sim, Plan(duration=1e-3, series=1e-3, frames=1e-3, checkpoints=1e-3), tmp_path).go()
    world, frame = sim.world, read_frames(tmp_path)[-1]
    balls = world.balls()
    assert frame.fields["id"].tolist() == np.repeat(np.arange(20), 2).tolist()
    assert frame.points == pytest.approx(world.ball_positions(balls), abs=1e-6)
    assert frame.fields["radius"] == pytest.approx(balls.arm[:, 3], rel=1e-6)
    turning = np.cross(world.spin[balls.grain], frame.points - world.position[balls.grain])
    assert frame.fields["velocity"] == pytest.approx(
        world.velocity[balls.grain] + turning, abs=1e-5)

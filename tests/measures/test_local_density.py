"""Local density: known packings, what the cells add up to, and where it is asked for."""

from __future__ import annotations

import numpy as np
import pytest

import granum as gr
from granum.errors import InputError
from granum.measures import FIELDS, local_density
from granum.measures.local_density import power_cells_of
from granum.output import read_frames
from granum.run import Plan, Run
from granum.scenario.build import understand
from granum.scenario.problems import ScenarioError
from granum.scenario.reader import parse_toml
from small_scenario import HIGH, beads

LAW = gr.LinearViscoelastic(restitution=0.5, contact_time=1e-3)
BALL, DISC = 4.0 * np.pi / 3.0, np.pi


def grid(*counts):
    return np.stack(np.meshgrid(*[np.arange(c) for c in counts], indexing="ij"), -1).reshape(
        -1, len(counts)).astype(float)


def sized(count, low, high, seed=3):
    """Return places in a box and radii for grains that may overlap as they like."""
    rng = np.random.default_rng(seed)
    return rng.uniform(low, high, (count, len(low))), rng.uniform(0.001, 0.01, count)


# ---- known packings ---------------------------------------------------------------------------


def test_one_grain_in_a_box():
    world = gr.World()
    world.add(gr.Box((0, 0, 0), (1, 2, 3)))
    world.add(gr.Sphere(0.3), at=[(0.4, 0.5, 0.6)], density=1.0)
    assert local_density(world) == pytest.approx([BALL * 0.3**3 / 6.0], rel=1e-14)


def test_two_grains_share_the_box_by_their_radii():
    """The plane between x = 0.4 and 1.2 lies at 0.8 + (0.3² - 0.1²) / (2 * 0.8)."""
    world = gr.World()
    world.add(gr.Box((0, 0, 0), (2, 1, 1)))
    world.add(gr.Sphere(np.array([0.3, 0.1])), at=[(0.4, 0.5, 0.5), (1.2, 0.5, 0.5)], density=1.0)
    cut = 0.8 + 0.08 / 1.6
    assert local_density(world) == pytest.approx(
        [BALL * 0.027 / cut, BALL * 0.001 / (2.0 - cut)], rel=1e-14)


def test_simple_cubes_between_walls():
    world = gr.World()
    world.add(gr.Box((0, 0, 0), (0.3, 0.4, 0.5)))
    world.add(gr.Sphere(0.05), at=0.1 * grid(3, 4, 5) + 0.05, density=1.0)
    assert local_density(world) == pytest.approx(np.full(60, np.pi / 6.0), rel=1e-12)


def test_the_densest_packing_of_spheres():
    basis = np.array([(0, 0, 0), (1, 1, 0), (1, 0, 1), (0, 1, 1)]) / 2.0
    points = (grid(3, 3, 3)[:, None] + basis).reshape(-1, 3)
    world = gr.World(periodic=(3.0, 3.0, 3.0))
    world.add(gr.Sphere(np.sqrt(0.125)), at=points, density=1.0)
    assert local_density(world) == pytest.approx(np.full(108, np.pi / np.sqrt(18.0)), rel=1e-12)


def test_the_densest_packing_of_discs():
    height = np.sqrt(3.0)
    points = (grid(4, 3)[:, None] + np.array([(0.0, 0.0), (0.5, 0.5)])).reshape(-1, 2)
    world = gr.World(dimension=2, periodic=(4.0, 3.0 * height))
    world.add(gr.Disc(0.5), at=points * (1.0, height), density=1.0)
    assert local_density(world) == pytest.approx(np.full(24, np.pi / np.sqrt(12.0)), rel=1e-12)


# ---- containers -------------------------------------------------------------------------------


@pytest.mark.parametrize("dimension", [2, 3])
@pytest.mark.parametrize("periodic", [(None, None), (0.2, None), (0.2, 0.1)])
def test_weighted_with_their_cells_they_give_the_whole(dimension, periodic):
    size = np.array([0.2, 0.1, 0.3])[:dimension]
    world = gr.World(dimension=dimension, periodic=periodic)
    world.add(gr.Box((0, 0, 0), (0.2, 0.1, 0.3 if dimension == 3 else 0.0)))
    points, radii = sized(60, np.zeros(dimension), size)
    world.add((gr.Disc if dimension == 2 else gr.Sphere)(radii), at=points, density=1.0)
    density, cells = local_density(world), power_cells_of(world).volumes
    there = cells > 0.0
    volumes = DISC * radii**2 if dimension == 2 else BALL * radii**3
    assert cells.sum() == pytest.approx(size.prod(), rel=1e-12)
    assert (density * cells)[there].sum() == pytest.approx(volumes[there].sum(), rel=1e-12)


def test_grains_that_do_not_overlap_lie_in_their_cells():
    world = gr.World(periodic=(0.05, None, None), seed=1)
    world.add(gr.Box((0, 0, 0), (0.05, 0.04, 0.04)))
    world.add(gr.Random(radius=6e-3, count=9), density=2500.0)
    world.add(gr.Random(radius=1e-3, spread=0.4, count=150), density=2500.0)
    density = local_density(world)
    assert 0.0 < density.min() < density.max() <= 1.0


def test_where_there_is_no_wall_cells_end_at_the_outermost_grain():
    world = gr.World()
    world.add(gr.Sphere(0.5), at=[(0, 0, 0)], density=1.0)
    assert local_density(world) == pytest.approx([np.pi / 6.0])
    world.add(gr.Plane((0, 0, -1.5), (0, 0, 1)))
    assert local_density(world) == pytest.approx([np.pi / 12.0])


@pytest.mark.parametrize("floor", [-1.5, 3.0])
def test_a_floor_alone_holds_no_volume(floor):
    world = gr.World()
    world.add(gr.Sphere(0.5), at=[(0, 0, 0)], density=1.0)
    world.add(gr.Plane((0, 0, floor), (0, 0, 1), extent=(1.0, 1.0)))
    reach = max(0.5, floor) - min(-0.5, floor)
    assert local_density(world) == pytest.approx([np.pi / 6.0 / reach])


def test_periodic_grains_count_wherever_their_image_is():
    world = gr.World(periodic=(0.2, 0.1, 0.3))
    points, radii = sized(40, np.zeros(3), np.array([0.2, 0.1, 0.3]))
    world.add(gr.Sphere(radii), at=points, density=1.0)
    before = local_density(world)
    world.position[:] += (0.2, -0.3, 0.6)
    assert local_density(world) == pytest.approx(before, rel=1e-9, nan_ok=True)


def test_a_grain_without_a_cell_has_none():
    world = gr.World()
    world.add(gr.Box((0, 0, 0), (1, 1, 1)))
    world.add(gr.Sphere(0.1), at=[(0.5, 0.5, 0.5), (0.5, 0.5, 0.2)], density=1.0)
    world.position[1] = (0.5, 0.5, -3.0)
    density = local_density(world)
    assert density[0] == pytest.approx(BALL * 0.001)
    assert np.isnan(density[1])
    assert len(local_density(gr.World())) == 0


def test_tiny_coordinates_are_no_trouble():
    world = gr.World()
    world.add(gr.Box((-1, -1, -1), (1, 1, 1)))
    world.add(gr.Sphere(0.1), at=[(0, 1e-60, -1e-300), (0.5, 0.5, 1e-70)], density=1.0)
    assert power_cells_of(world).volumes.sum() == pytest.approx(8.0)


# ---- in a run ---------------------------------------------------------------------------------

SCENARIO = beads((HIGH, "high = [0.02, 0.02, 0.02]"), ('type = "random"', 'type = "lattice"'),
                 more='[output]\nframes = "0.5 ms"\n')


def test_frames_hold_what_the_scenario_asks_for(tmp_path):
    scenario = understand(parse_toml(SCENARIO + 'fields = ["local_density"]\n', "beads.toml"))
    assert scenario.as_understood()["output"]["fields"] == ["local_density"]
    sim = scenario.simulation(threads=1)
    Run(sim, scenario.plan, tmp_path).go()
    last = read_frames(tmp_path)[-1].fields["local_density"]
    assert last.tobytes() == sim.local_density().tobytes()
    assert sim.local_density().tobytes() == local_density(sim.world).tobytes()
    assert len(read_frames(tmp_path)) == 3


def test_frames_are_as_before_if_it_does_not(tmp_path):
    scenario = understand(parse_toml(SCENARIO, "beads.toml"))
    Run(scenario.simulation(threads=1), scenario.plan, tmp_path).go()
    assert not set(FIELDS) & set(read_frames(tmp_path)[0].fields)


def test_an_unknown_field_is_refused_with_the_nearest():
    with pytest.raises(ScenarioError, match="did you mean 'local_density'") as refusal:
        understand(parse_toml(SCENARIO + 'fields = ["local_densty"]\n', "beads.toml"))
    assert "output.fields" in str(refusal.value)
    with pytest.raises(InputError, match="'colour', which is unknown; known are local_density"):
        Plan(1.0, 0.1, 0.1, 0.1, fields=("colour",))


def test_looking_changes_no_bit():
    states = []
    for looks in (False, True):
        world = gr.World()
        world.add(gr.Box((0, 0, 0), (0.05, 0.05, 0.05)))
        world.add(gr.Random(radius=5e-3, count=20), density=2500.0)
        sim = gr.Simulation(world, LAW, threads=1)
        for _ in range(4):
            sim.step(20)
            if looks:
                sim.local_density()
        states.append(sim.fingerprint())
    assert states[0] == states[1]

"""The studies of clusters: every variant can be built, and numbers are measured rightly."""

import math

import numpy as np
import pytest

import granum as gr
from granum.scenario.build import understand
from granum.scenario.reader import parse_toml
from granum.scenario.writer import to_toml
from granum.studies import STUDIES
from granum.studies import cluster_stiffness as stiffness
from granum.studies import clusters as piles
from granum.world import refuse_bad_world


def built(name, variant, quick):
    scenario = understand(parse_toml(to_toml(STUDIES[name].scenario(variant, quick))))
    refuse_bad_world(scenario.world)
    return scenario


# ---- clusters in a box -------------------------------------------------------------------------

PUBLISHED = {"rods": (50, 15), "tetrahedra": (125, 35)}  # clusters, spheres in each (6.4.1)


@pytest.mark.parametrize("quick", [True, False], ids=["quick", "whole"])
@pytest.mark.parametrize("variant", STUDIES["clusters"].variants)
def test_every_pile_can_be_built(variant, quick):
    scenario = built("clusters", variant, quick)
    world = scenario.world
    count, spheres = PUBLISHED[variant]
    if not quick:
        assert world.clusters == count
        assert scenario.plan.duration == 10.0
    assert (np.bincount(world.cluster) == spheres).all()
    (floor,) = world.bodies
    assert floor.motions[0].frequency == 2.5
    assert scenario.time_step < 2e-5


def small_world():
    world = gr.World()
    pair = gr.Cluster([(0, 0, 0), (0.04, 0, 0)], 0.02, gr.PowerGlue(1e4))
    world.add(pair, at=[(0, 0, 0), (0.1, 0, 0), (0.2, 0, 0)], density=1000)
    return world


def test_ways_of_clusters():
    world = small_world()
    times = 0.1 * np.arange(12)
    points = np.tile(world.position, (12, 1, 1))
    points[:, :2, 2] += 0.05 * np.sin(5 * np.pi * times)[:, None]  # with the floor: no way
    points[6:, 2:4, 0] += 0.03  # jumps once, after 0.5 s
    points[:, 4:, 1] += 0.01 * times[:, None]  # creeps
    time, ways = piles.period_ways(times, points, world)
    assert time == pytest.approx(times[4:])
    assert ways == pytest.approx(np.where((time > 0.55) & (time < 0.95), 0.2, 0.0), abs=1e-12)
    assert piles.settled_after(time, ways) == pytest.approx(0.4)
    assert piles.settled_after(time, np.where(time < 0.75, 1.0, 0.1)) == pytest.approx(0.8)
    assert piles.settled_after(time, ways + 1.0) is None


def test_strain_and_height_of_a_pile():
    world = small_world()
    points = np.tile(world.position, (3, 1, 1))
    points[1, 0, 0] -= 0.002  # 5 % of a bond
    assert piles.largest_strain(points, world) == pytest.approx(0.05)
    assert piles.height(points[0] + (0, 0, 0.3), world) == pytest.approx(0.3)


# ---- the glued cylinder ------------------------------------------------------------------------


@pytest.mark.parametrize("quick", [True, False], ids=["quick", "whole"])
def test_the_cylinders_can_be_built(quick):
    scenario = built("cluster-stiffness", "press", quick)
    world, column = scenario.world, stiffness.COLUMNS[quick]
    assert world.clusters == len(world.glues) == len(world.bodies) == 4
    assert [glue.beta for glue in world.glues] == [1.0, 2.0, 4.0, 8.0]
    assert {(glue.coefficient, glue.alpha) for glue in world.glues} == {(-1500.0, 0.2)}
    tops = [world.position[world.cluster == k, 2].max() + 0.4 for k in range(4)]
    assert tops == pytest.approx([column.height] * 4)
    for body in world.bodies:
        (plate,) = body.walls
        assert plate.centre[2] == pytest.approx(1.002 * column.height)
        forces = (body.moving.force, *(force for _, force in body.moving.steps))
        assert forces == pytest.approx(column.forces)
    if not quick:
        assert column.forces == stiffness.FORCES == (10.0, 50.0, 100.0, 500.0, 1000.0)
        layers = np.unique(world.position[world.cluster == 0, 2].round(6), return_counts=True)[1]
        assert len(layers) == 20
        assert set(layers) == {84, 85}


def test_strains_are_read_at_the_end_of_each_force():
    column = stiffness.COLUMNS[True]
    time = np.linspace(0.0, column.ends[-1], 6401)
    number = np.minimum(np.searchsorted(column.ends, time), 4)
    begin = np.append(0.0, column.ends[:-1])[number]
    way = (number + 1.0) * (1.0 - np.exp(-6.0 * (time - begin)))  # comes to rest at 1 to 5 m
    found = stiffness.strains(time, way, column) * column.height
    assert found == pytest.approx([1.0, 2.0, 3.0, 4.0, 5.0], rel=1e-6)


def test_slope_and_linearity():
    forces = np.array(stiffness.FORCES)
    assert stiffness.slope(forces, 0.002 + 3e-6 * forces) == pytest.approx(3e-6)
    assert stiffness.linearity(forces, 0.002 + 3e-6 * forces) == pytest.approx(0.0, abs=1e-12)
    assert stiffness.linearity(forces, np.sqrt(forces)) > 0.05


def test_the_published_table():
    """Slopes of table 6.3 fall as 1 / (β - α), which is what the stiffness of a bond says."""
    slopes = [stiffness.slope(stiffness.FORCES, np.array(stiffness.PUBLISHED[beta]))
              for beta in stiffness.BETAS]
    assert slopes[0] / slopes[1] == pytest.approx(1.8 / 0.8, rel=0.02)
    assert slopes[0] == pytest.approx(2.5882e-5)
    said = stiffness.table({beta: np.array(stiffness.PUBLISHED[beta]) for beta in stiffness.BETAS},
                           stiffness.COLUMNS[False], False).splitlines()
    assert said[0] == "beta,force [N],strain,published"
    assert said[5] == "1,1000,0.031611,0.031611"
    assert len(said) == 21


def test_the_radius_follows_from_the_published_slope():
    """D^1.2 / (35 700 (β - 0.2)), with the factor from the matrix of all bonds: 0.78 m."""
    for beta in (1.0, 2.0):
        slope = stiffness.slope(stiffness.FORCES, np.array(stiffness.PUBLISHED[beta]))
        diameter = math.exp(math.log(slope * 35_700 * (beta - 0.2)) / 1.2)
        assert diameter == pytest.approx(2 * stiffness.RADIUS, rel=0.03)

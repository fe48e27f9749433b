"""The studies in the plane: what was published is set up, and does what physics says."""

from __future__ import annotations

import math

import numpy as np
import pytest
from quick_study import run_quick

import granum as gr
from granum.scenario.build import understand
from granum.scenario.reader import parse_toml
from granum.scenario.writer import to_toml
from granum.shapes import filled_with_discs
from granum.shapes.turning import turned
from granum.studies import STUDIES, biaxial, cow, elastic_gas, planar
from granum.world import refuse_bad_world

KINDS = list(planar.SHAPES)


def built(tables):
    scenario = understand(parse_toml(to_toml(tables)))
    refuse_bad_world(scenario.world)
    return scenario


# ---- the grains ------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_grains_have_the_published_spread_of_areas(kind):
    table = planar.random_grains(kind, 400, (0, 0), (80, 80), 0.5)
    world = built({"world": {"dimension": 2, "gravity": [0, 0, 0]}, "grains": [table],
                   "materials": {"grain": {"density": 1.0}},
                   "law": {"type": "elastic", "stiffness": 1.0}, "run": {"duration": 1.0}}).world
    area = world.volumes() / math.pi
    assert area.mean() == pytest.approx(1.0, abs=0.01)
    assert (area.max() - area.min()) / (area.max() + area.min()) == pytest.approx(0.1, abs=0.003)
    assert np.linalg.norm(world.velocity, axis=1) == pytest.approx(0.5)
    edges = {"discs": 0, "rice": 1, "peanuts": 2, "pebbles": 3}[kind]
    assert (len(world.shapes[0].edges) if world.shapes else 0) == edges


# ---- the gas ---------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_the_published_gas(kind):
    scenario = built(STUDIES["elastic-gas"].scenario(kind, quick=False))
    world = scenario.world
    assert len(world) == 400
    (box,) = world.walls
    assert world.volumes().sum() / (box.high[0] * box.high[1]) == pytest.approx(0.186, abs=0.001)
    assert scenario.law == gr.Elastic(stiffness=1.0)
    assert scenario.time_step == 0.05
    assert not world.spin.any()


def test_a_disc_at_the_published_speed_would_pass_through_another():
    """The energy of a head-on collision at speed 1 is more than the contact can hold."""
    radius = 0.7
    brought = 2 * 0.5 * math.pi * radius**2 * 1.0**2
    held = 0.5 * planar.STIFFNESS * (2 * radius) ** 2
    assert brought > held
    assert brought * elastic_gas.SPEED**2 < 1e-3 * held


def test_energies_are_read_rightly():
    time = np.linspace(0.0, 10.0, 101)
    wave = np.sin(time)
    found = elastic_gas.energy_facts(time, 8.0 + wave, 2.0 - wave, np.full(101, 2e-4 * wave.max()))
    assert found["is_kept"]
    assert found["largest_error"] == pytest.approx(0.0, abs=1e-12)
    found = elastic_gas.energy_facts(time, np.where(time > 5.0, 6.0, 9.0),
                                     np.where(time > 5.0, 3.01, 0.0), np.zeros(101))
    assert not found["is_kept"]
    assert found["largest_error"] == pytest.approx(0.01 / 9.0)
    assert found["rotational_share"] == pytest.approx(3.01 / 9.01, rel=0.03)


def test_the_order_is_the_slope():
    assert elastic_gas.order([0.1, 0.05, 0.025], [4e-3, 1e-3, 2.5e-4]) == pytest.approx(2.0)
    assert elastic_gas.order([0.1, 0.05], [8.0, 1.0]) == pytest.approx(3.0)


def test_a_gas_of_discs_keeps_its_energy(tmp_path):
    folder = tmp_path / "gas"
    found = run_quick(folder, "elastic-gas", variant="discs")["found"]
    assert found["is_kept"]
    assert found["rotational_share"] == 0.0  # nothing turns discs without friction
    assert 1.6 < found["order"] < 2.4
    assert (folder / elastic_gas.PLOT).exists()
    assert (folder / elastic_gas.ORDER_PLOT).exists()


def test_collisions_turn_other_grains_until_a_third_of_the_energy_is_rotation(tmp_path):
    """Three ways to move, each with the same share; the law is a spring as well, and compiled."""
    tables = STUDIES["elastic-gas"].scenario("peanuts", quick=True)
    tables["law"] = {"type": "linear_viscoelastic", "restitution": 1.0, "friction": 0.0,
                     "contact_time": math.pi * math.sqrt(0.5 * planar.AREA)}  # stiffness 1
    sim = built(tables).simulation(threads=1)
    first, totals, shares = sim.energy(), [], []
    for _ in range(20):
        sim.step(1500)
        energy = sim.energy()
        totals.append(energy.total)
        shares.append(energy.rotational / (energy.kinetic + energy.rotational))
    assert first.rotational == 0.0
    # each of some 400 collisions changes the energy of its pair by 0.1 (ω dt)² or so, as often up
    # as down; where a grain is hit off its centre, ω² is up to three times that of a head-on one
    share = 0.1 * 3.0 * (math.pi * sim.time_step / sim.law.contact_time) ** 2
    most = 3.0 * share * math.sqrt(400.0) / len(sim.world)
    assert most < 6e-4
    assert np.abs(np.array(totals) / first.total - 1.0).max() < most
    assert np.mean(shares[10:]) == pytest.approx(1.0 / 3.0, abs=0.08)
    path = tmp_path / "state.h5"
    sim.save(path)
    far = [elastic_gas.wandering(path, step, 250.0) for step in elastic_gas.LADDER[:3]]
    assert elastic_gas.order(elastic_gas.LADDER[:3], far) > 1.5  # 2, but for chance; not 1


# ---- the biaxial test ------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_the_published_biaxial_test(kind):
    scenario = built(STUDIES["biaxial"].scenario(kind, quick=False))
    world, law = scenario.world, scenario.law
    assert len(world) == 400
    assert scenario.time_step == 0.05
    _, shear = scenario.stages
    mass = 0.5 * planar.AREA  # the effective one of two mean grains
    for other, expected in ((law, 0.0), (shear.law, 0.5)):
        rows = other.table(["grain", "platen"])
        k_n, _, k_t, _, friction = rows[0]
        assert mass * k_n == pytest.approx(1.0)
        assert mass / 3.0 * k_t == pytest.approx(0.1)
        assert friction == expected
        on_wall = rows[1]
        assert planar.AREA * on_wall[0] == pytest.approx(1.0)
        assert on_wall[4] == 0.0
    for body in world.bodies:
        side = body.moving.force / (1e-3 * planar.STIFFNESS)
        assert 400 * planar.AREA / side**2 == pytest.approx(biaxial.FRACTIONS[kind])
    last = dict(shear.motions)["right"].steps[-1][1]
    assert last / world.bodies[0].moving.force == pytest.approx(1.0 - 0.24, abs=0.004)


def made_up(strain):
    ratio = 1.0 + 2.0 * strain / 0.03 * np.exp(1.0 - strain / 0.03) + 0.5 * (strain > 0.0)
    void = 0.2 - strain * (strain < 0.01) - 0.01 * (strain >= 0.01) + 0.5 * np.maximum(
        0.0, np.minimum(strain, 0.1) - 0.01)
    return biaxial.Response(strain, 1e-3 * ratio, np.full(len(strain), 1e-3), void)


def test_stress_and_void_ratio_are_those_of_the_box():
    time = np.arange(0.0, 11.0)
    series = {"time": time, "top_y": np.full(11, -2.0), "bottom_y": 0.1 * np.maximum(time - 4, 0),
              "right_x": -1.0 + 0.02 * np.maximum(time - 4, 0), "top_force_y": np.full(11, 9.0),
              "right_force_x": np.full(11, 4.0)}
    curve = biaxial.response(series, 10.0, 50.0, began=4.0)
    assert len(curve.strain) == 7
    assert curve.strain == pytest.approx(0.1 * np.arange(7) / 8.0)
    assert curve.axial[0] == pytest.approx(9.0 / 9.0)
    assert curve.lateral[-1] == pytest.approx(4.0 / 7.4)
    assert curve.void[-1] == pytest.approx(7.4 * 9.12 / 50.0 - 1.0)


def test_peak_and_critical_state_are_found():
    curve = biaxial.means(made_up(np.linspace(0.0, 0.3, 5000)), 0.3)
    assert len(curve.strain) == biaxial.BINS
    found = biaxial.shear_facts(curve)
    assert found["peak_ratio"] == pytest.approx(3.5, abs=0.01)
    assert found["peak_strain"] == pytest.approx(0.03, abs=0.005)
    assert found["softens"]
    assert found["dilates"]
    assert found["least_void"] == pytest.approx(0.19, abs=0.002)
    assert found["critical_void"] == pytest.approx(0.235)
    rows = biaxial.table(curve).splitlines()
    assert rows[0] == "strain,stress_ratio,void_ratio"
    assert len(rows) == 1 + biaxial.BINS
    steady = biaxial.Response(curve.strain, 0 * curve.strain + 1.0, 0 * curve.strain + 1.0,
                              0 * curve.strain + 0.2)
    assert not biaxial.shear_facts(steady)["softens"]
    assert not biaxial.shear_facts(steady)["dilates"]


def places(start, series):
    """Return height and width of a sample over time."""
    return start + series["top_y"] - series["bottom_y"], start + series["right_x"]


def test_discs_are_packed_pressed_and_sheared(tmp_path):
    folder = tmp_path / "discs"
    found = run_quick(folder, "biaxial", variant="discs")["found"]
    test = biaxial.TESTS[True]
    # few grains: walls leave gaps, by some 0.3 radii along them, which is 0.06 of this area
    assert 0.74 < found["packing_fraction"] < 0.86
    series = np.genfromtxt(folder / "series.csv", delimiter=",", names=True)
    height, width = places(test.start("discs"), series)
    axial, lateral = series["top_force_y"] / width, series["right_force_x"] / height
    packed = np.flatnonzero(series["time"] < test.packing_time("discs"))[-20:]
    assert axial[packed].mean() == pytest.approx(biaxial.PRESSURE, rel=0.1)
    assert lateral[packed].mean() == pytest.approx(biaxial.PRESSURE, rel=0.1)
    later = series["time"] > test.packing_time("discs") + 300.0
    assert lateral[later].mean() == pytest.approx(biaxial.PRESSURE, rel=0.1)  # it is held
    assert 1.0 - height[-1] / height[packed[-1]] == pytest.approx(test.strain, rel=0.05)
    # walls are smooth: what presses on one presses on the other
    assert series["left_force_x"][later].mean() == pytest.approx(
        -series["right_force_x"][later].mean(), rel=0.05)
    assert (series["top_force_x"] == 0.0).all()
    # friction makes it stronger than any fluid, and a dense packing has to grow to be sheared
    assert 1.3 < found["critical_ratio"] < found["peak_ratio"]
    assert found["softens"]
    assert found["dilates"]
    assert (folder / "discs.csv").exists()


def test_rice_packs_more_densely_than_discs():
    """Without friction, and so without what walls have of their own."""
    tables = STUDIES["biaxial"].scenario("rice", quick=True)
    tables["law"].pop("pairs")
    sim = built(tables).simulation(threads=1)
    test = biaxial.TESTS[True]
    sim.run(test.packing_time("rice") - 1.0)
    walls = sim.wall_forces()
    height = test.start("rice") + walls["top"].displacement[1]
    width = test.start("rice") + walls["right"].displacement[0]
    assert walls["top"].force[1] / width == pytest.approx(biaxial.PRESSURE, rel=0.1)
    assert walls["right"].force[0] / height == pytest.approx(biaxial.PRESSURE, rel=0.1)
    assert 0.82 < sim.world.volumes().sum() / (height * width) < 0.92


# ---- cows ------------------------------------------------------------------------------------


def test_the_published_cow():
    assert len(cow.COW.points) == 62
    assert np.ptp(np.array(cow.COW.points)[:, 0]) == pytest.approx(3.0)
    assert cow.COW.radius == 0.1
    counts = [built(STUDIES["cow"].scenario(name, False)).world for name in ("100", "1000")]
    assert [len(world) for world in counts] == [100, 1000]


def test_cows_heap_up_and_are_faster_than_their_clumps(tmp_path, monkeypatch):
    monkeypatch.setattr(cow, "TIMED", 0.02)
    found = run_quick(tmp_path / "cows", "cow")["found"]
    assert found["grains"] == 16
    assert found["discs_in_a_clump"] == 726
    assert found["cow_speed"] > found["clump_speed"] > 0.0
    series = np.genfromtxt(tmp_path / "cows" / "series.csv", delimiter=",", names=True)
    weight = 16 * cow.DENSITY * cow.COW.volume * 9.81
    assert series["pen_force_y"][-30:].mean() == pytest.approx(-weight, rel=0.3)
    assert series["coordination"][-1] > 1.5
    assert series["height"][-1] < series["height"][0]


def test_clumps_lie_where_the_cows_lay():
    world = gr.World(cow.GRAVITY, dimension=2)
    world.add(gr.Box((0, 0, 0), (20, 20, 0), open_top=True))
    turns = [(math.cos(a / 2), 0, 0, math.sin(a / 2)) for a in (0.3, 2.0)]
    world.add(cow.COW, at=[(4, 4), (12, 9)], density=cow.DENSITY, orientation=turns)
    clump = filled_with_discs(cow.COW, 300)
    law = gr.LinearViscoelastic(restitution=0.2, contact_time=3e-3, friction=0.3)
    other = cow.as_clumps(world, clump, law).world
    fallen = 0.5 * 9.81 * (cow.RELAXING * 6e-5) ** 2
    found = other.ball_positions(other.balls())[:, :2] + (0.0, fallen)
    for k, q in enumerate(world.orientation):
        place = world.position[k] + turned(
            q, np.array(clump.points) - cow.COW.centre)
        mine = found[k * len(place):(k + 1) * len(place)]
        assert mine == pytest.approx(place[:, :2], abs=1e-6)

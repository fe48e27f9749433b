"""The studies of Pournin: every variant can be built, is measured rightly, and obeys physics."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from quick_study import run_quick

import granum as gr
from granum.output import read_series
from granum.scenario.build import understand
from granum.scenario.reader import parse_toml
from granum.scenario.writer import to_toml
from granum.shapes.turning import turned
from granum.studies import STUDIES, complexity, crystallisation, segregation, shaken
from granum.studies.scattered import scattered, shaft_distances
from granum.studies.sharpness import ROD, TETRAHEDRON, TRIANGLE, simplex
from granum.world import refuse_bad_world

NAMES = ("crystallisation", "segregation", "complexity")


def built(name, variant, quick):
    scenario = understand(parse_toml(to_toml(STUDIES[name].scenario(variant, quick))))
    refuse_bad_world(scenario.world)
    return scenario


@pytest.mark.parametrize("name", NAMES)
def test_every_variant_can_be_built_small(name):
    for variant in STUDIES[name].variants:
        scenario = built(name, variant, quick=True)
        finer = crystallisation.RODS[variant].finer if name == "crystallisation" else 1.0
        assert scenario.time_step == 2e-5 / finer
        assert scenario.law.contact_time == 6e-4


def test_the_published_rods():
    """Table 6.1."""
    rows = {"an3": (0.1, 2.0, 4.0, 1000), "an4": (0.2, 2.0, 4.0, 1000),
            "an5": (0.4, 1.5, 4.0, 1000), "an6": (0.4, 2.0, 4.0, 1000),
            "an7": (0.4, 2.5, 4.0, 1000), "an8": (0.8, 2.0, 4.0, 1000),
            "an9": (0.4, 2.0, 2.83, 1414)}
    assert rows == {name: (rods.restitution, rods.gamma, rods.elongation, rods.count)
                    for name, rods in sorted(crystallisation.RODS.items())}
    scenario = built("crystallisation", "an6", quick=False)
    world = scenario.world
    assert len(world) == 1000
    assert world.volumes().sum() == pytest.approx(crystallisation.RODS["an6"].volume)
    (*_, shake) = scenario.stages
    (motion,) = dict(shake.motions)["floor"]
    assert motion.frequency == 30.0
    assert motion.acceleration == pytest.approx(2.0 * 9.80665)


def test_the_published_mixtures():
    """Table 7.1; the cell has the base of the cylinder, and both kinds of grains one mass."""
    assert len(segregation.MIXTURES) == 12
    for name in ("cylinder-2-spheres-top", "periodic-3-spheres-below"):
        world = built("segregation", name, quick=False).world
        assert np.bincount(world.material).tolist() == [250, 250]
        assert np.ptp(world.mass) < 1e-12 * world.mass.max()
        heights = [world.position[world.material == k, 2] for k in (0, 1)]
        low, high = heights if name.endswith("below") else heights[::-1]
        assert low.max() < high.min() + 0.05e-3
    assert world.periodic[0] == pytest.approx(7.09e-3, abs=5e-6)
    shape = segregation.tetrahedron()
    corner = np.linalg.norm(shape.settled(3).shape.points[0])
    assert corner / shape.radius == pytest.approx(0.616)
    assert shape.volume == pytest.approx(math.pi / 6 * 1e-9)


def test_the_published_fillings():
    for name, filling in complexity.FILLINGS.items():
        tables = STUDIES["complexity"].scenario(name, quick=False)
        assert sum(stream["count"] for stream in tables["grains"]) == 1000
        assert filling.width == 0.02
    assert {stream["count"] for stream in
            STUDIES["complexity"].scenario("simplices", quick=False)["grains"]} == {250}


@pytest.mark.parametrize(("kind", "sides"), [(ROD, 2.0), (TRIANGLE, math.sqrt(3.0)),
                                             (TETRAHEDRON, math.sqrt(8.0 / 3.0))])
def test_simplices_by_volume_and_sharpness(kind, sides):
    shape = simplex(kind, 0.5, 2e-3)
    assert shape.volume == pytest.approx(4 / 3 * math.pi * 8e-9)
    assert shape.length / sides == pytest.approx(0.5 * shape.radius)


# ---- rods by chance ----------------------------------------------------------------------------


def test_distances_of_shafts():
    """Against all pairs of points along both, parallel ones and crossing ones included."""
    rng = np.random.default_rng(1)
    p, u, q, v = rng.normal(size=(4, 6, 3))
    v[:2] = u[:2]
    p[4], q[4] = 0.0, 0.0
    s = np.linspace(-1.0, 1.0, 81)
    one, two = (x[:, None] + s[:, None] * w[:, None] for x, w in ((p, u), (q, v)))
    brute = np.linalg.norm(one[:, None, :, None] - two[None, :, None], axis=-1).min(axis=(2, 3))
    found = shaft_distances(p, u, q, v)
    assert (found <= brute + 1e-12).all()
    step = np.linalg.norm(u, axis=1).max() / 40
    assert (brute - found).max() < step


def test_scattered_rods_touch_nothing():
    length, radius, width = 2e-3, 0.25e-3, 5e-3
    places, turns = scattered(60, length, radius, width, 0.15)
    shaft = 0.5 * length * turned(turns, np.array([1.0, 0.0, 0.0]))
    apart = shaft_distances(places, shaft, places, shaft)
    np.fill_diagonal(apart, np.inf)
    assert apart.min() > 2 * radius
    ends = np.concatenate([places - shaft, places + shaft])
    assert np.hypot(ends[:, 0], ends[:, 1]).max() < width / 2 - radius
    assert ends[:, 2].min() > radius
    share = 60 * np.pi * radius**2 * (length + 4 / 3 * radius) / (
        np.pi * width**2 / 4 * ends[:, 2].max())
    assert 0.05 < share < 0.15
    assert 0.4 < np.arcsin(np.abs(shaft[:, 2]) / np.linalg.norm(shaft, axis=1)).mean() < 0.75


# ---- what is measured --------------------------------------------------------------------------


def test_moments_and_ends_are_read_at_their_taps():
    taps = np.linspace(-5.0, 50.0, 5501)
    values = np.where(taps < 0.0, 99.0, np.floor(taps))
    assert shaken.at_tap(taps, values, 0.0) == pytest.approx(0.0, abs=0.02)
    assert shaken.at_tap(taps, values, 10.0) == pytest.approx(9.5, abs=0.1)  # from 8 to 12
    assert shaken.at_tap(taps, values, 51.0) is None
    mean, wave = shaken.smoothed(taps[::25], np.sin(2 * np.pi * taps[::25]) + taps[::25])
    assert wave == pytest.approx(mean)  # what follows the floor is gone
    assert shaken.at_last(taps, values) == pytest.approx(44.5, abs=0.05)
    assert shaken.at_last(taps[:0], values[:0]) is None
    assert shaken.taps_at(np.array([1.0, 2.0]), 1.0) == pytest.approx([0.0, 30.0])


def test_growth_with_the_logarithm():
    taps = np.arange(400.0)
    found = crystallisation.growth(taps, 30.0 + 12.0 * np.log10(taps + 1.0))
    assert found["angle_per_decade"] == pytest.approx(12.0)
    assert found["is_logarithmic"]
    assert not crystallisation.growth(taps, 40.0 + 0.0 * taps)["is_logarithmic"]
    assert not crystallisation.growth(taps, 40.0 + np.sin(taps))["is_logarithmic"]
    assert crystallisation.growth(taps[:15], taps[:15])["is_logarithmic"] is None


def test_growth_that_begins_late():
    """Nothing for a hundred taps, then with their logarithm: a line from the tenth misses that."""
    taps = np.arange(400.0)
    found = crystallisation.growth(taps, 20.0 + 30.0 * np.log10(np.maximum(taps + 1.0, 101.0)))
    assert found["told_by_logarithm"] < 0.96
    assert found["late_told_by_logarithm"] > 0.999
    assert found["late_angle_per_decade"] == pytest.approx(30.0, rel=1e-3)
    assert found["angle_per_decade"] < 0.9 * found["late_angle_per_decade"]
    assert crystallisation.growth(taps[:250], taps[:250])["late_told_by_logarithm"] is None


def test_angles_by_layers():
    table = {"axis_angle": np.radians([10.0, 20, 40, np.nan, 30, 30, 60, 0]),
             "grains": np.array([5, 1, 3, 0, 2, 0, 4, 1])}
    layers, grains = crystallisation.by_layers(table, 4)
    assert layers[0, :3] == pytest.approx([10.0, 20.0, 40.0])
    assert crystallisation.middle(layers, grains) == pytest.approx([35.0, 60.0])


def test_a_ratio_that_stays_and_one_that_goes():
    taps = np.linspace(0.0, 100.0, 401)
    stays = segregation.ratio_facts(taps, np.full(401, 2.0))
    assert stays == {"height_ratio_at_first": 2.0, "height_ratio": 2.0, "stays": True}
    goes = segregation.ratio_facts(taps, 2.0 - taps / 100)
    assert not goes["stays"]
    assert goes["height_ratio"] == pytest.approx(1.05, abs=0.01)


def test_covering_spheres_hold_their_rods():
    """Ends and sides of each rod lie in its spheres, and a chain of them has an edge each."""
    shape = simplex(ROD, 3.0, 1e-3)
    world = gr.World()
    turn = np.array([0.5, 0.5, -0.5, 0.5])
    world.add(shape, at=[(0, 0, 0), (0.05, 0.01, 0.02)], density=1000.0, orientation=turn)
    world.add(gr.Sphere(1e-3), at=[(0.02, 0.03, 0.01)], density=1000.0)
    points, radii = complexity.covering_spheres(world, 3)
    k = (len(radii) - 1) // 2
    assert k in (4, 5)
    along = turned(turn, np.array([1.0, 0.0, 0.0]))
    across = np.cross(along, (0.3, 0.5, 0.7))
    across /= np.linalg.norm(across)
    for s in np.linspace(-0.5, 0.5, 21):
        skin = s * shape.length * along + shape.radius * across
        assert (np.linalg.norm(points - skin, axis=1) - radii).min() < 1e-12
    tip = (0.5 * shape.length + shape.radius) * along
    assert (np.linalg.norm(points - tip, axis=1) - radii).min() < 1e-12
    spheres, edges = complexity.counted(world, 3)
    assert spheres == len(radii)
    assert edges >= 2 * (k - 1)


# ---- the quick sizes, run once -----------------------------------------------------------------


def ran(tmp_path_factory, study, variant):
    folder = tmp_path_factory.mktemp(study) / "run"
    summary = run_quick(folder, study, variant=variant)
    return folder, summary, summary["found"]


def test_rods_settle_and_follow_the_floor(tmp_path_factory):
    folder, summary, found = ran(tmp_path_factory, "crystallisation", "an6")
    assert summary["grains"] == found["rods"] == 50
    assert found["taps"] == pytest.approx(10.0, abs=0.01)
    series = read_series(folder / "series.csv")
    start = shaken.began(folder)
    rest = series["time"] <= start
    assert series["height"][rest][-1] < 0.6 * series["height"][0]  # they fell
    # thin rods by chance pack loosely, and less so than upright ones; taps shake them up a little
    assert 0.3 < found["density_at_first"] < 0.65
    assert 0.8 * found["density_at_first"] < found["density"] < 0.75
    # at rest the floor carries the weight, but for what the side wall takes over by friction
    weight = 50 * 1910.0 * crystallisation.RODS["an6"].volume / 1000 * 9.81
    carried = -series["floor_force_z"][rest][-1]
    assert 0.3 * weight < carried < 1.02 * weight
    assert 0.0 < found["angle"] < 90.0
    assert all(0.0 <= angle <= 90.0 for angle in found["layer_angles"] if angle is not None)
    assert series["deepest"].max() < 0.5
    assert (folder / "rods.png").exists()


def test_layers_shaken_hard_begin_to_mix(tmp_path_factory):
    folder, summary, found = ran(tmp_path_factory, "segregation", "cylinder-3-spheres-top")
    assert summary["grains"] == 40
    # tetrahedra below: their mean height is about a third of that of the spheres
    assert 0.2 < found["height_ratio_at_first"] < 0.6
    assert found["height_ratio"] > found["height_ratio_at_first"] + 0.01
    series = read_series(folder / "series.csv")
    assert (series["height_ratio"] > 0.0).all()
    shares = series["wall_share"][np.isfinite(series["wall_share"])]
    assert ((shares >= 0.0) & (shares <= 1.0)).all()
    assert (folder / "segregation.png").exists()


def test_edges_grow_with_the_spheres(tmp_path_factory):
    _, summary, found = ran(tmp_path_factory, "complexity", "simplices")
    assert summary["grains"] == 40
    assert found["grains"] == [8, 16, 24, 32, 40]
    assert found["covering_spheres"] == found["grains"]  # one for each blunt simplex
    assert all(a < b for a, b in pairwise(found["edges"]))
    # the hull takes some from few grains; without one there are 6 to 8 in three dimensions
    assert 4.0 < found["edges"][-1] / found["covering_spheres"][-1] < 8.0
    assert 4.5 < found["edges_per_sphere"] < 8.5
    assert min(found["microseconds_per_step"]) > 0.0

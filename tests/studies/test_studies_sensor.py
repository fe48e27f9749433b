"""The anchor in gravel: it can be built, is measured rightly, and stands less near the surface."""

from __future__ import annotations

import matplotlib.image
import numpy as np
import pytest
from quick_study import run_quick

from granum.scenario.build import understand
from granum.scenario.reader import parse_toml
from granum.scenario.writer import to_toml
from granum.studies import STUDIES, sensor
from granum.world import refuse_bad_world

STUDY = STUDIES["sensor"]


def test_the_published_set_up():
    tables = STUDY.scenario("middle", quick=False)
    bed = sensor.BEDS[False]
    assert tables["grains"][0]["count"] == 3909
    assert (min(bed.meshes), max(bed.meshes)) == (2e-3, 32e-3)
    box, anchor = tables["walls"]
    assert np.subtract(box["high"], box["low"])[:2] == pytest.approx([0.2, 0.2])
    motion = anchor["motion"]
    assert motion["mass"] == pytest.approx(0.03921, abs=1e-5)
    since = [t - motion["starts"] for t, _ in motion["steps"]]
    assert since == pytest.approx(0.01 * np.arange(1, 31))
    assert [force for _, force in motion["steps"]] == [[20.0 * k, 0.0, 0.0] for k in range(1, 31)]
    heights = [STUDY.scenario(name, False)["walls"][1]["shift"][2] for name in STUDY.variants]
    assert heights == [0.05, 0.015, 0.085]


@pytest.mark.parametrize("variant", STUDY.variants)
def test_every_variant_can_be_built(variant):
    scenario = understand(parse_toml(to_toml(STUDY.scenario(variant, quick=True))))
    refuse_bad_world(scenario.world)
    assert 0.08 < scenario.world.position[:, 2].max() < 0.14


def test_the_anchor_is_closed_and_as_large_as_its_cylinder():
    vertices, faces = sensor.prism(sensor.LENGTH, sensor.WIDTH, sensor.FACETS)
    corner = vertices[np.array(faces)]
    volume = np.einsum("ij,ij->", corner[:, 0], np.cross(corner[:, 1], corner[:, 2])) / 6.0
    assert volume == pytest.approx(np.pi / 4.0 * sensor.WIDTH**2 * sensor.LENGTH)


def test_the_way_is_read_late_under_each_force():
    bed = sensor.BEDS[True]
    time = np.arange(0.0, bed.held + 3.6 * bed.each, bed.each / 20.0)
    number = np.floor((time - bed.held) / bed.each + 1e-6)
    begun = (time - bed.held) / bed.each - number
    way = np.where(begun < 0.45, 7.0, number)[:, None] * [1.0, 0.0, -2.0]
    force, places = sensor.at_forces(time, way, bed)
    assert force == pytest.approx([0.0, 20.0, 40.0, 60.0])
    assert places[:, 0] == pytest.approx([0.0, 1.0, 2.0, 3.0])
    assert places[:, 2] == pytest.approx([0.0, -2.0, -4.0, -6.0])
    force, places = sensor.at_forces(time[:-6], way[:-6], bed)  # ends early under the last force
    assert force == pytest.approx([0.0, 20.0, 40.0, 60.0])
    assert places[:, 0] == pytest.approx([0.0, 1.0, 2.0, 7.0])
    assert sensor.table(force, places).splitlines()[2] == "20,1000.000000,0.000000,-2000.000000"


def test_what_is_found_of_an_anchor_that_stands():
    force = 20.0 * np.arange(31)
    along = 5e-4 * np.minimum(force / 100.0, 1.0) + 5e-8 * force  # half a millimetre, then firm
    found = sensor.anchor_facts(force, along[:, None] * [1.0, 0.0, 0.0])
    assert found["for_100_more"] == pytest.approx(0.005)
    assert found["is_firm"]
    assert found["first_shift"] == pytest.approx(0.51)
    assert found["held_force"] is found["lost_force"] is None


def test_what_is_found_of_an_anchor_that_gives_way():
    found = sensor.anchor_facts(np.array([0.0, 20.0, 40.0]), np.array(
        [[0.0, 0, 0], [5e-4, 0, 0], [2e-2, 0, 1e-3]]))
    assert found["for_100_more"] is found["first_shift"] is None
    assert not found["is_firm"]
    assert found["held_force"] == pytest.approx(20.0 + 20.0 * 0.5 / 19.5)
    assert found["lost_force"] == pytest.approx(20.0 + 20.0 * 9.5 / 19.5)


@pytest.fixture(scope="module", params=["floor", "surface"])
def pushed(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("sensor") / request.param
    return folder, request.param, run_quick(folder, "sensor", variant=request.param)["found"]


def test_an_anchor_gives_way_to_a_force_of_the_order_of_the_weight(pushed):
    """Nothing but weight holds it: the bed weighs some 20 N, and rubs against walls and itself."""
    folder, height, found = pushed
    rows = np.loadtxt(folder / sensor.TABLE, delimiter=",", skiprows=1)
    assert rows[0, 1:] == pytest.approx([0.0, 0.0, 0.0], abs=0.2)  # it rests, before it is pushed
    assert (np.diff(rows[:, 1]) > 0.0).all()
    # near the surface less lies in its way, and it rises; near the floor it cannot sink away
    low, high = {"floor": (50.0, 150.0), "surface": (15.0, 60.0)}[height]
    assert low < found["lost_force"] < high
    assert found["held_force"] < found["lost_force"]
    if height == "surface":
        assert found["rise"] > 1.0
    image = matplotlib.image.imread(folder / sensor.PICTURE)[:, :, :3]
    dark = (image < 0.35).all(axis=2) & (np.ptp(image, axis=2) < 0.03)
    assert dark.mean() > 0.002  # the anchor

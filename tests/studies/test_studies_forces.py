"""Forces in a packing: they carry its weight, grow downwards, and are drawn as rods."""

from __future__ import annotations

from types import SimpleNamespace

import matplotlib.image
import numpy as np
import pytest
from quick_study import run_quick

from granum.run import newest_simulation
from granum.studies import STUDIES
from granum.studies.force_arches import force_facts, force_rods


@pytest.fixture(scope="module")
def packed(tmp_path_factory):
    folder = tmp_path_factory.mktemp("forces") / "run"
    found = run_quick(folder, "force-arches")["found"]
    sim = newest_simulation(folder, threads=1)
    return SimpleNamespace(folder=folder, sim=sim, contacts=sim.contacts(), found=found)


def test_walls_carry_the_weight(packed):
    """At rest all forces of walls together are the weight, and on each grain they cancel out."""
    world, contacts = packed.sim.world, packed.contacts
    weight = world.mass.sum() * 9.81
    assert len(world) == packed.found["grains"] == 209
    carried = contacts.force[contacts.j < 0].sum(axis=0)
    assert carried == pytest.approx([0.0, 0.0, weight], abs=0.01 * weight)
    total = np.zeros((len(world), 3))
    np.add.at(total, np.searchsorted(world.id, contacts.i), contacts.force)
    pairs = contacts.j >= 0
    np.add.at(total, np.searchsorted(world.id, contacts.j[pairs]), -contacts.force[pairs])
    assert total[:, 2] == pytest.approx(9.81 * world.mass, rel=0.05)


def test_forces_grow_downwards(packed):
    assert packed.found["lower_over_upper"] > 1.5
    assert packed.found["largest_over_mean"] > 2.0
    assert 0.5 < packed.found["floor_share"] < 1.1


def test_there_is_a_rod_for_each_force(packed):
    world, contacts = packed.sim.world, packed.contacts
    points, radii, colours, edges = force_rods(contacts, world)
    bearing = np.linalg.norm(contacts.force, axis=1) > 0
    red = colours[:, 0] > colours[:, 2]
    assert red.any()
    assert (~red).any()
    assert len(edges) == bearing.sum()
    assert 0 < radii.max() <= 0.3 * world.radius.mean() * (1 + 1e-12)
    reach = np.hypot(points[:, 0], points[:, 1])
    assert (reach <= 0.0101).all()  # the wall is at 10 mm


def test_the_picture_holds_rods(packed):
    image = matplotlib.image.imread(packed.folder / "picture.png")[:, :, :3]
    blue = image[..., 2] > image[..., 0] + 0.2
    red = image[..., 0] > image[..., 2] + 0.3
    assert 0.02 < blue.mean() < 0.5
    assert 0.004 < red.mean() < 0.2


def test_no_forces_at_all(packed):
    nothing = SimpleNamespace(force=np.zeros((0, 3)), j=np.zeros(0, dtype=np.int64))
    assert force_facts(nothing, packed.sim.world)["largest_over_mean"] == 0.0


def test_both_sizes_have_the_published_grains():
    for quick in (True, False):
        assert STUDIES["force-arches"].scenario("209", quick)["grains"][0]["count"] == 209

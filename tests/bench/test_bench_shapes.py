"""The bench of shapes measures what it says."""

import numpy as np
import pytest

from granum.bench import shapes


def test_the_cow_of_discs_has_the_form_and_about_the_discs_of_the_published_one():
    kinds = shapes.kinds()
    cow, discs = kinds["cows"], kinds["cow of discs"]
    assert len(discs) == pytest.approx(shapes.DISCS, rel=0.1)
    assert discs.settled(2).shape.volume == pytest.approx(cow.volume, rel=0.1)
    assert discs.settled(2).shape.radius == pytest.approx(cow.bounding_radius, rel=0.05)


def test_grains_come_to_rest_on_the_floor(monkeypatch):
    monkeypatch.setattr(shapes, "SETTLING", 0.03)
    sim = shapes.settled(shapes.kinds()["cubes"], 8, threads=1).sim
    assert len(sim.world) == 8
    assert (sim.contacts().j == -1).any()
    assert np.abs(sim.world.velocity).max() < 0.05

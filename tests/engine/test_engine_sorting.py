"""When grains are sorted in memory: where many have changed places, not for a few."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import granum as gr
from granum.dynamics.rows import places_apart, spatial_order

COUNT, STEPS, TIME_STEP = 100, 1000, 1e-5


@given(st.permutations(range(7)), st.permutations(range(7)))
def test_places_apart(one, other):
    by_hand = sum(abs(one.index(grain) - other.index(grain)) for grain in range(7)) / 7
    assert places_apart(np.array(one), np.array(other)) == pytest.approx(by_hand, abs=1e-14)


def test_all_turned_round_are_half_of_all_places_apart():
    order = np.arange(COUNT)
    assert places_apart(order, order[::-1]) == COUNT / 2
    assert places_apart(order, order) == 0.0


def two_rows(places):
    """Two rows of grains beside each other; those of the second move by so many places."""
    world = gr.World(gravity=(0.0, 0.0, 0.0))
    x = np.arange(COUNT // 2) * 2.5e-3
    world.add(gr.Sphere(1e-3), at=[(a, y, 0.0) for y in (0.0, 0.02) for a in x], density=2500.0)
    velocity = np.zeros((COUNT, 3))
    velocity[COUNT // 2 :, 0] = np.asarray(places) * 2.5e-3 / (STEPS * TIME_STEP)
    world.velocity = velocity
    law = gr.LinearViscoelastic(restitution=0.5, contact_time=1e-3, friction=0.0)
    return gr.Simulation(world, law, time_step=TIME_STEP)


@pytest.mark.parametrize(("places", "sortings"), [
    (0, 0), (30, 1), ([-3] + [0] * 49, 0), ([0] * 20 + [20] * 30, 1),
])
def test_a_few_grains_elsewhere_are_let_be(places, sortings):
    sim = two_rows(places)
    sim.step(STEPS + 1)
    assert sim.counts["sortings"] == sortings
    now = spatial_order(sim.world.position, sim.world.radius)
    apart = places_apart(now, sim._engine.storage())
    assert apart < 1.0
    assert (apart == 0.0) == (sortings == 1 or places == 0)

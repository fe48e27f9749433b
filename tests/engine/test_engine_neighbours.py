"""How grains find each other is no part of the result: cells and triangulation, the same bits."""

import engine_worlds as worlds
import pytest
from engine_worlds import differences, simulation

import granum as gr

FINE = {"law": gr.LinearViscoelastic(restitution=0.6, contact_time=2e-4, friction=0.4),
        "time_step": 1e-5}
MAKERS = [worlds.gas, worlds.mix, worlds.flat, worlds.flat_periodic, worlds.periodic, worlds.layer,
          worlds.pouring, worlds.silo]


@pytest.mark.parametrize("make", MAKERS, ids=lambda make: make.__name__)
def test_cells_and_triangulation_give_the_same_bits(make):
    first = simulation(make(), **FINE, neighbours="cells")
    second = simulation(make(), **FINE, neighbours="triangulation")
    for _ in range(4):
        first.step(100)
        second.step(100)
        assert differences(first, second) == ["neighbours"]
    assert second.counts["triangulation_builds"] > 0
    assert "triangulation_builds" not in first.counts


def test_a_run_goes_on_with_the_other_method_bit_for_bit():
    whole = simulation(worlds.mix(), **FINE, neighbours="cells")
    whole.step(200)
    begun = simulation(worlds.mix(), **FINE, neighbours="triangulation")
    begun.step(100)
    arrays, meta = begun.state()
    rest = gr.Simulation.from_state(arrays, meta | {"neighbours": "cells"}, threads=1)
    rest.step(100)
    assert differences(whole, rest) == []


def test_unknown_method_is_refused():
    with pytest.raises(gr.InputError, match="neighbours = 'octree' is not known"):
        simulation(worlds.gas(), neighbours="octree")

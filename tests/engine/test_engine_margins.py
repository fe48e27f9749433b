"""Margins: wide for fast grains, thin for slow ones, within bounds; lists that last longer."""

import engine_worlds as worlds
import numpy as np
import pytest
from engine_worlds import simulation

from granum.dynamics.margins import BALANCE, SPARE, THINNEST, UPDATE, adapted, make_margins
from granum.neighbours.triangulated import Triangulated

STEP, SMALLEST = 1e-5, 1e-3


def margins(V, A, least=0.02, most=0.4):
    """Return margins in smallest radii."""
    margin, share = np.empty((2, len(V)))
    rows = [np.column_stack((v, np.zeros(len(v)))) for v in (V, A)]
    make_margins(*rows, STEP, SMALLEST, least * SMALLEST, most * SMALLEST, margin, share)
    assert share == pytest.approx(1.0 / margin**2)
    return margin / SMALLEST


def test_margins_are_the_way_that_is_foreseen():
    rng = np.random.default_rng(1)
    V, A = rng.normal(0.0, 0.05, (50, 3)), rng.normal(0.0, 5.0, (50, 3))
    V[:5] *= 8.0
    speed, rate = np.linalg.norm(V, axis=1), np.linalg.norm(A, axis=1)
    time = STEP * np.sqrt(UPDATE / (speed.mean() * STEP / SMALLEST))
    way = SPARE * (speed * time + 0.5 * rate * time**2) / SMALLEST
    assert margins(V, A) == pytest.approx(np.clip(way, 0.02, 0.4))
    assert (way < 0.4).any()
    assert (way > 0.4).any()


def test_grains_at_rest_get_the_least_margin():
    rest = np.zeros((5, 3))
    assert margins(rest, rest) == pytest.approx(np.full(5, 0.02))


def test_one_fast_grain_does_not_widen_the_margins_of_the_others():
    V = np.full((1000, 3), 1e-6)
    V[7] = 1.0
    found = margins(V, np.zeros_like(V))
    assert found[7] == pytest.approx(0.4)
    assert (np.delete(found, 7) == found[0]).all()
    assert found[0] == pytest.approx(0.02)


@pytest.mark.parametrize("lasted", [0, 1, 10, 100, 1000, 10**6])
def test_the_least_margin_goes_to_its_balance_by_half_or_double(lasted):
    least = 0.1 * SMALLEST
    found = adapted(least, lasted, SMALLEST, 0.4)
    assert 0.5 * least <= found <= 2.0 * least
    assert (found > least) == (lasted * 0.1 < BALANCE)
    assert adapted(THINNEST * SMALLEST, 10**6, SMALLEST, 0.4) == THINNEST * SMALLEST
    assert adapted(0.4 * SMALLEST, 1, SMALLEST, 0.4) == pytest.approx(0.4 * SMALLEST)


def mean_margin(speed, neighbours):
    """Return the mean margin, in smallest radii, that a gas of grains this fast comes to."""
    world = worlds.gas(turns=(), gravity=(0.0, 0.0, 0.0))
    worlds.agitate(world, speed)
    sim = simulation(world, neighbours=neighbours)
    sim.step(600)
    return float((sim._engine._share**-0.5).mean()) / world.radius.min()


@pytest.mark.parametrize("neighbours", ["cells", "triangulation"])
def test_the_skin_adapts_to_the_motion(neighbours):
    """Slow grains get thin margins, fast ones wide ones, whoever finds the neighbours."""
    slow, fast = mean_margin(1e-3, neighbours), mean_margin(1.0, neighbours)
    assert slow <= 0.05
    assert fast > 4.0 * slow


def test_the_skin_of_the_triangulation_stays_within_its_proof():
    """Theorem 4 holds while inflated spheres are less than orthogonal: s < (sqrt(2) - 1) r."""
    assert Triangulated.thickest < np.sqrt(2.0) - 1.0
    sim = simulation(worlds.gas(), neighbours="triangulation")
    for _ in range(200):
        sim.step()
        margin = sim._engine._share**-0.5
        assert margin.max() <= Triangulated.thickest * sim.world.radius.min() * (1.0 + 1e-12)


@pytest.mark.parametrize("skin", [0.02, 0.1, 0.5])
def test_no_bit_depends_on_the_skin(skin):
    first, second = (simulation(worlds.gas(), neighbours="triangulation") for _ in range(2))
    worlds.set_skin(second, skin * first.world.radius.min())
    for sim in (first, second):
        sim.step(150)
    assert worlds.differences(first, second) == []


def test_no_grain_goes_farther_than_its_margin_between_updates():
    sim = simulation(worlds.gas())
    engine = sim._engine
    updates = 0
    for _ in range(300):
        sim.step()
        way = np.linalg.norm(engine._rows.X[:, :3] - engine._reference, axis=1)
        assert (way * np.sqrt(engine._share) <= 1.0 + 1e-12).all()
        updates = sim.counts["list_updates"]
    assert updates > 2

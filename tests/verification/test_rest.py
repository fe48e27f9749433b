"""Grains at rest: columns and piles carry their weight, stay, and their forces add up."""

from __future__ import annotations

import numpy as np
import pytest

import granum as gr

G = 9.81


def column(radii, law, overlaps=None, dimension=3):
    """Grains on top of each other on a floor, touching or with the given overlaps below each."""
    up = np.eye(3)[dimension - 1]
    sag = np.zeros(len(radii)) if overlaps is None else overlaps
    steps = np.concatenate([radii[:1], radii[:-1] + radii[1:]]) - sag
    world = gr.World(gravity=tuple(-G * up), dimension=dimension)
    world.add(gr.Plane((0, 0, 0), tuple(up)))
    shape = gr.Disc(radii) if dimension == 2 else gr.Sphere(radii)
    world.add(shape, at=np.cumsum(steps)[:, None] * up, density=2500)
    return gr.Simulation(world, law, threads=1, initial_overlap=0.1), up


def static_overlaps(mass, law):
    """Weight above over stiffness, m_eff K: the floor's effective mass is that of the grain."""
    above = np.cumsum(mass[::-1])[::-1] * G
    effective = np.concatenate([mass[:1], mass[:-1] * mass[1:] / (mass[:-1] + mass[1:])])
    return above / (effective * law.elastic[0])


RADII = np.array([5e-3, 3e-3, 4e-3, 2.5e-3, 5e-3, 3.5e-3])
LAW = gr.LinearViscoelastic(0.2, 1e-4, friction=0.4)


@pytest.mark.parametrize("dimension", [3, 2])
def test_a_column_settles_to_the_weight_of_its_layers(dimension):
    sim, up = column(RADII, LAW, dimension=dimension)
    world = sim.world
    sim.run(800e-4)
    overlap = static_overlaps(world.mass, LAW)
    table = sim.contacts()
    assert len(table) == len(RADII)
    order = np.argsort(table.point @ up)
    np.testing.assert_allclose(table.overlap[order], overlap, rtol=1e-6)
    weight = world.mass.sum() * G
    on_floor = table.force[table.j == -1]
    np.testing.assert_allclose(on_floor, [weight * up], atol=1e-8 * weight)
    np.testing.assert_array_equal(table.wall[table.j == -1], 0)
    heights = np.cumsum(np.concatenate([RADII[:1], RADII[:-1] + RADII[1:]]) - overlap)
    np.testing.assert_allclose(world.position @ up, heights, rtol=1e-12)
    stored = 0.5 * (np.cumsum(world.mass[::-1])[::-1] * G * overlap).sum()
    assert sim.energy().elastic == pytest.approx(stored, rel=1e-6)


def test_a_column_at_rest_stays_at_rest():
    mass = 2500 * 4 / 3 * np.pi * RADII**3
    sim, _ = column(RADII, LAW, static_overlaps(mass, LAW))
    start = sim.world.position.copy()
    sim.run(50e-4)
    np.testing.assert_allclose(sim.world.position, start, atol=1e-13 * RADII.max())
    assert np.abs(sim.world.velocity).max() < 1e-10  # rounding of k δ, for a step
    assert np.abs(sim.world.acceleration).max() < 1e-7 * G


PILE_LAW = gr.LinearViscoelastic(0.3, 5e-4, friction=0.5)
PILE_RADIUS = 5e-3


@pytest.fixture(scope="module")
def pile():
    """Nine, four and one grains in a box that just takes them, dropped and a little off their places.

    Returns the simulation after half a second and the largest kinetic energy on the way.
    """
    rng = np.random.default_rng(11)
    r = PILE_RADIUS
    layers = [((2 * i + k + 1) * r, (2 * j + k + 1) * r, 1.1 * r + 1.8 * r * k)
              for k, n in enumerate((3, 2, 1)) for i in range(n) for j in range(n)]
    points = np.array(layers)
    points[9:, :2] += 0.05 * (points[9:, :2] - 3 * r) + rng.uniform(-0.02 * r, 0.02 * r, (5, 2))
    points[:, 2] += rng.uniform(0.0, 0.1 * r, 14)
    world = gr.World()
    world.add(gr.Box((0, 0, 0), (6 * r, 6 * r, 0.1), open_top=True))
    world.add(gr.Sphere(r), at=points, density=2500)
    sim = gr.Simulation(world, PILE_LAW, threads=1)
    largest = 0.0
    for _ in range(100):
        sim.step(50)
        largest = max(largest, sim.energy().kinetic + sim.energy().rotational)
    return sim, largest


def test_look(pile):
    sim, fastest = pile
    for _ in range(30):
        sim.step(2000)
        print(sim.time, (sim.energy().kinetic+sim.energy().rotational)/fastest, len(sim.contacts()))
    assert 0

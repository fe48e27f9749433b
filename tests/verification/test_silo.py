"""Silos: the weight that the floor carries, Janssen's profile, Beverloo's law of outflow."""

import numpy as np
import pytest

import granum as gr

G, D = 9.81, 2e-3
LAW = gr.LinearViscoelastic(restitution=0.3, contact_time=2e-4, friction=0.5)
DAMPED = gr.With(LAW, gr.Damping(translational=0.2, rotational=1e-7))


def silo(width, count, floor, high):
    """Discs of sizes a little different, dropped at random between two walls."""
    world = gr.World(dimension=2, gravity=(0, -G, 0), seed=5, leaving="remove",
                     domain=((-1, -0.05, -1), (1, 1, 1)))
    world.add(gr.Plane((0, 0, 0), (1, 0, 0)), name="left")
    world.add(gr.Plane((width, 0, 0), (-1, 0, 0)), name="right")
    world.add(floor, name="floor")
    world.add(gr.Random(radius=0.5 * D, spread=0.2, count=count, low=(0, 0, 0),
                        high=(width, high, 0)), density=2500.0)
    return world


@pytest.fixture(scope="module")
def filled():
    """A silo eight times as high as wide, at rest."""
    world = silo(12 * D, 900, gr.Plane((0, 0, 0), (0, 1, 0)), 0.3)
    sim = gr.Simulation(world, DAMPED, threads=1)
    sim.run(0.6)
    for _ in range(40):
        sim.run(0.05)
        if sim.energy().kinetic < 1e-16:
            break
    return sim


def test_floor_and_walls_carry_the_weight_of_all_grains(filled):
    forces = filled.wall_forces()
    carried = sum(force.force[1] for force in forces.values())
    weight = filled.world.mass.sum() * G
    assert -carried == pytest.approx(weight, rel=1e-6)
    assert forces["left"].force[0] < 0 < forces["right"].force[0]


def test_pressure_in_a_silo_follows_janssen(filled):
    """σ(z) = ρ g λ (1 - exp(-z/λ)), z the depth; without walls it would be ρ g z."""
    world = filled.world
    top = gr.measures.heights(world).surface
    depth = np.linspace(0.06, 0.94, 9) * top
    stress = []
    for y in top - depth:
        region = gr.BoxRegion((0, y - 2 * D, -1), (12 * D, y + 2 * D, 1))
        stress.append(filled.measure(gr.Stress(region))["stress_yy"])
    assert np.all(np.diff(stress[:5]) > 0)

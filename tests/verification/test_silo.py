"""Silos: the weight that floor and walls carry, Janssen's profile, Beverloo's law of outflow."""

import numpy as np
import pytest
from scipy.optimize import curve_fit

import granum as gr

G, D = 9.81, 2e-3  # gravity [m/s2], mean diameter of the discs [m]
LAW = gr.LinearViscoelastic(restitution=0.3, contact_time=4e-4, friction=0.5)


def silo(width, count, high, **floor):
    """Discs of slightly different sizes, dropped at random between two walls onto a floor."""
    world = gr.World(dimension=2, gravity=(0, -G, 0), seed=5, leaving="remove",
                     domain=((-1, -0.02, -1), (1, 1, 1)))
    world.add(gr.Plane((0, 0, 0), (1, 0, 0)), name="left")
    world.add(gr.Plane((width, 0, 0), (-1, 0, 0)), name="right")
    world.add(gr.Plate((0.5 * width, 0, 0), (0, 1, 0), radius=width, **floor), name="floor")
    world.add(gr.Random(radius=0.5 * D, spread=0.2, count=count, low=(0, 0, 0),
                        high=(width, high, 0)), density=2500.0)
    return world


@pytest.fixture(scope="module")
def filled():
    """A silo seven times as high as wide, at rest."""
    world = silo(9 * D, 500, 0.19)
    damped = gr.With(LAW, gr.Damping(translational=0.2, rotational=1e-7))
    sim = gr.Simulation(world, damped, threads=1)
    sim.run(0.4)
    while sim.energy().kinetic > 1e-17:
        sim.run(0.05)
    return sim


def test_floor_and_walls_carry_the_weight_of_all_grains(filled):
    forces = filled.wall_forces()
    carried = sum(force.force[1] for force in forces.values())
    assert -carried == pytest.approx(filled.world.mass.sum() * G, rel=1e-6)
    assert forces["left"].force[0] < 0.0 < forces["right"].force[0]


def test_pressure_in_a_silo_follows_janssen(filled):
    """σ(z) = ρ g λ (1 - exp(-z/λ)) at the depth z, H. A. Janssen (1895); ρ g z without walls.

    λ is W / 2 over the share of the pressure that acts along the walls, W the width.
    """
    top = gr.measures.heights(filled.world).surface
    depth = np.linspace(0.08, 0.92, 12) * top
    stress = [filled.measure(gr.Stress(gr.BoxRegion(
        (0, top - z - 3 * D, -1), (9 * D, top - z + 3 * D, 1))))["stress_yy"] for z in depth]
    stress = np.abs(stress)
    density = filled.world.mass.sum() / (9 * D * top)

    def janssen(z, length):
        return density * G * length * (1.0 - np.exp(-z / length))

    (length,), _ = curve_fit(janssen, depth, stress, p0=[top / 2])
    error = stress - janssen(depth, length)
    assert np.sqrt((error**2).mean()) < 0.14 * stress.max()  # a mean over some 50 grains
    assert stress[-1] < 0.7 * density * G * depth[-1]
    forces = filled.wall_forces()
    shear = -(forces["left"].force[1] + forces["right"].force[1]) / (2 * top)
    assert length == pytest.approx(9 * D / 2 * stress.mean() / shear, rel=0.2)


def test_outflow_grows_with_the_power_of_beverloo():
    """W ~ (B - k d)^(3/2) in the plane, k = 1.4, W. A. Beverloo et al. (1961)."""
    widths, flows = np.array([8.0, 12.0, 17.0]), []
    for width in widths:
        world = silo(40 * D, 1300, 0.14, hole=0.5 * width * D, opens=0.12)
        sim = gr.Simulation(world, LAW, threads=1)
        sim.run(0.16)
        before = world.mass.sum()
        sim.run(0.1)
        flows.append((before - world.mass.sum()) / 0.1)
    exponent = np.polyfit(np.log(widths - 1.4), np.log(flows), 1)[0]
    assert exponent == pytest.approx(1.5, abs=0.15)

"""What collisions keep: momentum and angular momentum to rounding, energy without loss."""

from __future__ import annotations

import numpy as np
import pytest

import granum as gr

T_C = 5e-4
STILL = (0.0, 0.0, 0.0)


def cloud(seed, count_along, spacing, **world):
    """A loose lattice of grains of several sizes, shaken off its places, with random motion."""
    rng = np.random.default_rng(seed)
    grid = np.stack(np.meshgrid(*[np.arange(count_along)] * 3), axis=-1).reshape(-1, 3)
    n = len(grid)
    radius = rng.uniform(2e-3, 5e-3, n)
    points = spacing * (grid + 0.5) + rng.uniform(-0.5, 0.5, (n, 3)) * (spacing - 2 * 5e-3)
    made = gr.World(**world)
    made.add(gr.Sphere(radius), at=points, density=2500, velocity=rng.uniform(-1, 1, (n, 3)),
             spin=rng.uniform(-300, 300, (n, 3)))
    return made


def momentum(world):
    return world.mass @ world.velocity


def angular_momentum(world):
    orbital = np.cross(world.position, world.mass[:, None] * world.velocity)
    return (orbital + world.inertia * world.spin).sum(axis=0)


def run_counting(sim, steps, every=20):
    """Run and return how many contacts were seen, looking every few steps."""
    seen = 0
    for _ in range(steps // every):
        sim.step(every)
        seen += len(sim.contacts())
    return seen


def test_free_cloud_keeps_momentum_and_angular_momentum():
    world = cloud(1, 4, 0.012, gravity=STILL)
    world.velocity -= 30.0 * (world.position - world.position.mean(axis=0))  # inwards
    sim = gr.Simulation(world, gr.LinearViscoelastic(0.7, T_C, friction=0.5), threads=1)
    p, big_l, spin = momentum(world), angular_momentum(world), world.spin.copy()
    p_scale = (world.mass * np.linalg.norm(world.velocity, axis=1)).sum()
    l_scale = (world.mass * np.linalg.norm(np.cross(world.position, world.velocity), axis=1)).sum()
    energy = sim.energy().total
    assert run_counting(sim, 4000) > 150  # many collisions
    assert sim.energy().total < 0.8 * energy
    assert np.abs(world.spin - spin).max() > 100.0
    np.testing.assert_allclose(momentum(world), p, atol=1e-12 * p_scale)
    np.testing.assert_allclose(angular_momentum(world), big_l, atol=1e-12 * l_scale)


def test_periodic_cloud_keeps_momentum():
    world = cloud(2, 4, 0.0105, gravity=STILL, periodic=(0.042, 0.042, 0.042))
    sim = gr.Simulation(world, gr.LinearViscoelastic(0.7, T_C, friction=0.5), threads=1)
    p, scale = momentum(world), (world.mass * np.linalg.norm(world.velocity, axis=1)).sum()
    assert run_counting(sim, 4000) > 400
    np.testing.assert_allclose(momentum(world), p, atol=1e-12 * scale)
    assert (world.position >= 0.0).all()
    assert (world.position <= 0.042).all()


def elastic_drift(steps_in_contact):
    """Return the worst departure of the total energy, as a share, over a run of an elastic gas."""
    world = cloud(3, 3, 0.0105, gravity=(0.0, 0.0, -9.81))
    world.add(gr.Box((0, 0, 0), (0.0315, 0.0315, 0.0315)))
    law = gr.LinearViscoelastic(1.0, T_C)
    sim = gr.Simulation(world, law, time_step=T_C / steps_in_contact, threads=1)
    before = sim.energy()
    worst, seen, stored = 0.0, 0, 0.0
    for _ in range(100):
        sim.step(2 * steps_in_contact)
        worst = max(worst, abs(sim.energy().total - before.total))
        stored = max(stored, sim.energy().elastic)
        seen += len(sim.contacts())
    assert seen > 300  # collisions are common,
    assert stored > 0.1 * before.kinetic  # and what they store counts
    np.testing.assert_allclose(sim.energy().rotational, before.rotational, rtol=1e-12)
    return worst / before.kinetic


def test_elastic_grains_without_friction_keep_energy():
    """Kinetic + gravitational + elastic, at any moment; the rest is of second order in the step."""
    coarse, fine = elastic_drift(50), elastic_drift(200)
    assert coarse < 1e-3
    assert fine < coarse / 8


@pytest.mark.parametrize(("restitution", "tangential", "friction"), [
    (0.3, None, 0.0), (0.8, None, 0.0),
    (0.3, 1.0, 0.5), (0.8, 1.0, 0.5),
    (0.3, None, 0.5), (0.8, None, 0.5), (0.8, 0.2, 0.1),
])
def test_energy_never_grows_in_a_lossy_pile(restitution, tangential, friction):
    world = cloud(4, 3, 0.0105, gravity=(0.0, 0.0, -9.81))
    world.add(gr.Box((0, 0, 0), (0.0315, 0.0315, 0.1), open_top=True))
    law = gr.LinearViscoelastic(restitution, 1e-3, friction, tangential)
    sim = gr.Simulation(world, law, threads=1)
    totals, scale = [sim.energy().total], sim.energy().kinetic
    seen = 0
    for _ in range(1500):
        sim.step(5)
        totals.append(sim.energy().total)
        seen += len(sim.contacts())
    assert seen > 3000  # on the way to a pile
    assert totals[-1] < totals[0] - 0.5 * scale
    growth = np.array(totals) - np.minimum.accumulate(totals)
    assert growth.max() < 1e-6 * scale


def test_a_contact_without_friction_stores_nothing_across():
    """One grain that spins on a frictionless floor: its spin is nobody's business."""
    world = gr.World()
    world.add(gr.Plane((0, 0, 0), (0, 0, 1)))
    world.add(gr.Sphere(5e-3), at=[(0, 0, 5e-3 + 1e-5)], density=2500, spin=(0.0, 200.0, 0.0))
    law = gr.LinearViscoelastic(0.3, T_C, friction=0.0)
    sim = gr.Simulation(world, law, threads=1)
    before = sim.energy().total
    for _ in range(400):
        sim.step()
        assert sim.energy().total <= before * (1 + 1e-12)
        np.testing.assert_array_equal(sim.contacts().spring, 0.0)

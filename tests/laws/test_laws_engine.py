"""Every law inside the engine: against the slow twin, on threads, and across a restart."""

from __future__ import annotations

import numpy as np
import pytest
from two_grains import meeting, vec

import granum as gr

LAWS = [
    gr.LinearViscoelastic(0.6, 2e-4, friction=0.3),
    gr.LinearRepulsive(0.6, 2e-4, friction=0.3),
    gr.HertzMindlin(young=5e7, poisson=0.3, restitution=0.6, friction=0.3),
    gr.KuwabaraKono(young=5e7, poisson=0.3, viscous_time=1e-6, friction=0.3),
    gr.Elastic(stiffness=5e3),
    gr.WaltonBraun(0.6, 2e-4, friction=0.3),
    gr.Adaptive(0.6, 2e-4, friction=0.3),
]
NAMES = [type(law).__name__ for law in LAWS]
SIZES = (1e-3, 1.5e-3)
DOWN = vec(0.12, 0.05, -0.2)


@pytest.fixture(params=LAWS, ids=NAMES, scope="module")
def law(request):
    return request.param


def collide(law, step):
    """Return velocities and spins after sphere i has flown down on sphere j, in the engine."""
    world = gr.World(gravity=(0, 0, 0))
    world.add(gr.Sphere(SIZES[0]), at=[(0, 0, SIZES[0])], density=2500, velocity=DOWN)
    world.add(gr.Sphere(SIZES[1]), at=[(0, 0, -SIZES[1])], density=2500)
    before = momenta(world)
    sim = gr.Simulation(world, law, time_step=step, threads=1)
    while sim.steps < 100 or len(sim.contacts()):
        sim.step(100)
        assert sim.steps < 100_000
    np.testing.assert_allclose(momenta(world), before, rtol=0, atol=1e-13 * np.abs(before).max())
    return np.concatenate([world.velocity, SIZES[0] * world.spin])


def momenta(world):
    """Return momentum [kg m/s] and angular momentum [kg m2/s] over the smaller radius."""
    going = world.mass[:, None] * world.velocity
    turning = np.cross(world.position, going) + world.grains.inertia * world.spin
    return np.concatenate([going.sum(axis=0), turning.sum(axis=0) / SIZES[0]])


def test_an_oblique_collision_agrees_with_the_slow_twin(law):
    step = law.time_steps(np.array(SIZES), np.array([1e-5, 3e-5])).recommended / 8.0
    twin = meeting(law, SIZES, DOWN, step)
    twin.run()
    expected = np.array([twin.i.velocity, twin.j.velocity, SIZES[0] * twin.i.spin,
                         SIZES[0] * twin.j.spin])
    np.testing.assert_allclose(collide(law, step), expected, rtol=0, atol=1e-3 * 0.2)


def gas(law, threads):
    """Return a crowd of grains that collide with each other and with a box."""
    world = gr.World(seed=5)
    world.add(gr.Box((0, 0, 0), (0.03, 0.03, 0.02)))
    world.add(gr.Lattice(radius=1e-3, spacing=2.45e-3, spread=0.2, low=(0, 0, 0),
                         high=(0.03, 0.03, 0.02)), density=2500)
    world.velocity = 0.5 * np.random.default_rng(2).normal(size=(len(world), 3))
    return gr.Simulation(world, law, time_step=4e-6, threads=threads)


def test_threads_and_restarts_change_no_bit(law, tmp_path):
    """What a law remembers goes along through list updates, sortings and a checkpoint."""
    sim = gas(law, threads=1)
    assert len(sim.world) >= 1000  # more than one block
    sim.step(700)
    sim.save(tmp_path / "half.h5")
    sim.step(500)
    assert sim.counts["list_updates"] > 1
    remembered = sim._engine.memory()[0].spring
    assert remembered.shape[1] == 3 + law.remembers
    assert law.remembers == 0 or np.abs(remembered[:, 3:]).max() > 0
    later = gr.Simulation.load(tmp_path / "half.h5", threads=2)
    later.step(500)
    assert later.fingerprint() == sim.fingerprint()


def test_looking_gives_the_force_that_acted(law):
    """The table's force is what the acceleration of the grain says, in every step of a collision.

    Exact up to the second order of the step without dashpots. Those are asked at the velocity
    found, not at that foreseen, and beside a spring that friction has cut meanwhile: off by 1.5 %
    of the largest force here. Seen before: a spring that remembers its increments (Walton & Braun)
    was stretched once more by looking at it, 3 % off.
    """
    world = gr.World(gravity=(0, 0, 0))
    world.add(gr.Sphere(SIZES[0]), at=[(0, 0, SIZES[0])], density=2500, velocity=DOWN)
    world.add(gr.Sphere(SIZES[1]), at=[(0, 0, -SIZES[1])], density=2500)
    sim = gr.Simulation(world, law, threads=1)
    acted, told = [], []
    sim.step()
    while len(sim.contacts()):
        acted.append(world.mass[0] * world.grains.acceleration[0])
        told.append(sim.contacts().force[0])
        sim.step()
    acted, told = np.array(acted), np.array(told)
    assert len(acted) > 40
    if not isinstance(law, gr.Elastic):
        assert np.abs(acted[:, 0]).max() > 0.1 * np.abs(acted[:, 2]).max()
    share = 1e-3 if isinstance(law, gr.Elastic | gr.WaltonBraun) else 2e-2
    np.testing.assert_allclose(told, acted, rtol=0, atol=share * np.abs(acted).max())


def test_contacts_give_back_what_the_law_says(law):
    """Energies are not negative, and those of an elastic law make up for what is lost in speed."""
    sim = gas(law, threads=1)
    before = sim.energy()
    sim.step(700)
    after, contacts = sim.energy(), sim.contacts()
    assert (contacts.energy >= 0.0).all()
    assert after.elastic == pytest.approx(contacts.energy.sum())
    lost = before.total - after.total
    assert lost > -1e-4 * before.total if isinstance(law, gr.Elastic) else lost > 0.0
    if isinstance(law, gr.Elastic):
        assert abs(lost) < 1e-4 * before.total


ELASTIC = [gr.LinearViscoelastic(1.0, 2e-4), gr.Elastic(stiffness=5e3),
           gr.HertzMindlin(young=5e7, poisson=0.3, restitution=1.0)]


@pytest.mark.parametrize("law", ELASTIC, ids=[type(law).__name__ for law in ELASTIC])
def test_elastic_grains_keep_their_energy_for_a_hundred_thousand_steps(law):
    """Eight grains squeezed in a box swing against each other: the drift is below 1e-6.

    The step is a hundredth of a collision. What Verlet's step keeps exactly in a linear system is
    the energy less dt²/8 Σ m a²; of what it does not keep here, the swings stay small.
    """
    step = {"LinearViscoelastic": 2e-6, "Elastic": 1e-6, "HertzMindlin": 1e-6}[type(law).__name__]
    radius, squeeze = 1e-3, 1e-5
    side = 4 * radius - 3 * squeeze
    world = gr.World(gravity=(0, 0, 0))
    world.add(gr.Box((0, 0, 0), (side, side, side)))
    places = 0.25 * side + 0.5 * side * np.stack(np.meshgrid(*[[0, 1]] * 3), -1).reshape(-1, 3)
    places += 0.02 * squeeze * np.random.default_rng(3).normal(size=(8, 3))
    world.add(gr.Sphere(radius), at=places, density=2500)
    sim = gr.Simulation(world, law, time_step=step, threads=1, initial_overlap=0.05)

    def kept():
        a2 = (world.grains.acceleration**2).sum(axis=1)
        assert len(sim.contacts()) == 12 + 24  # none opens
        return sim.energy().total - step**2 / 8.0 * (world.mass * a2).sum()

    start, kinetic, found = kept(), 0.0, []
    for _ in range(500):
        sim.step(200)
        kinetic = max(kinetic, sim.energy().kinetic)
        found.append(kept() - start)
    assert kinetic > 1e-5 * start
    assert abs(np.mean(found[-100:]) - np.mean(found[:100])) < 1e-6 * kinetic

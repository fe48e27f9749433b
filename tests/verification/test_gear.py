"""Gear's predictor-corrector: fourth order on smooth motion, energy in collisions, its memory."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.linalg import expm
from scipy.spatial.transform import Rotation
from verification_forms import Oscillator, observed_order

import granum as gr
from granum.errors import InputError
from resting_slots import asleep, step_awake

T_C = 1e-3
RADIUS = 5e-3
LAW = gr.LinearViscoelastic(restitution=1.0, contact_time=T_C, friction=0.0)
BRICK = gr.SpheroPolyhedron.box((8e-3, 4e-3, 2e-3), radius=1e-3)
DUMBBELL = gr.Clump(((-3e-3, 0, 0), (3e-3, 0, 0), (0, 1e-3, 0)), (3e-3, 2e-3, 2e-3))


def test_free_fall_is_exact():
    world = gr.World(gravity=(0.0, 0.0, -9.81))
    world.add(gr.Sphere(RADIUS), at=[(0, 0, 0)], density=2500.0, velocity=(0.1, 0.2, 0.3))
    sim = gr.Simulation(world, LAW, integrator="gear", time_step=1e-5, threads=1)
    sim.step(1000)
    t = sim.time
    assert world.position[0] == pytest.approx([0.1 * t, 0.2 * t, 0.3 * t - 9.81 * t**2 / 2],
                                              rel=1e-12)


def resting(restitution):
    """Return a sphere that swings on a plane and does not leave it."""
    world = gr.World(gravity=(0.0, 0.0, -9.81))
    world.add(gr.Plane((0, 0, 0), (0, 0, 1)))
    sag = 9.81 * (T_C / np.pi) ** 2
    world.add(gr.Sphere(RADIUS), at=[(0, 0, RADIUS - 0.4 * sag)], density=2500.0)
    law = gr.LinearViscoelastic(restitution=restitution, contact_time=T_C, friction=0.0)
    sim = gr.Simulation(world, law, integrator="gear", time_step=T_C / 800, threads=1,
                        initial_overlap=1e-3)
    sim.step(200)  # until all derivatives are known
    return sim


@pytest.mark.parametrize("restitution", [1.0, 0.7])
def test_smooth_motion_converges_at_fourth_order(restitution):
    """From one state, with its derivatives, by three time steps; against the closed form."""
    start = resting(restitution)
    height, speed = start.world.position[0, 2] - RADIUS, start.world.velocity[0, 2]
    free = Oscillator(restitution, T_C)
    matrix = np.array([[0.0, 1.0, 0.0], [-free.stiffness, -2.0 * free.beta, -9.81], [0.0] * 3])
    scale = np.array([free.stiffness, np.sqrt(free.stiffness)]) / 9.81
    errors = []
    for steps in (20, 40, 80):
        sim = gr.branch(start, time_step=T_C / steps)
        sim.run(2.0 * T_C)
        wanted = (expm(matrix * (sim.time - start.time)) @ (height, speed, 1.0))[:2]
        found = sim.world.position[0, 2] - RADIUS, sim.world.velocity[0, 2]
        errors.append(np.linalg.norm((found - wanted) * scale))
    assert errors[0] < 1e-4
    assert observed_order(errors, 2.0) == pytest.approx([4.0, 4.0], abs=0.2)


def test_a_free_top_converges_at_fourth_order():
    """Euler's equations, against another integrator at its best."""
    world = gr.World(gravity=(0, 0, 0))
    world.add(BRICK, at=[(0, 0, 0)], density=2500.0, orientation=(0.5, 0.1, -0.7, 0.5),
              spin=(300.0, 500.0, 200.0))
    start = gr.Simulation(world, LAW, integrator="gear", time_step=2e-6, threads=1)
    start.step(100)
    moments = world.inertia[0]

    def rate(_, y):
        w, R = y[:3], y[3:].reshape(3, 3)
        cross = np.array([[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]])
        return np.concatenate((np.cross(moments * w, w) / moments, (R @ cross).ravel()))

    turn = Rotation.from_quat(world.orientation, scalar_first=True).as_matrix()[0]
    errors = []
    for step in (4e-5, 2e-5, 1e-5):
        sim = gr.branch(start, time_step=step)
        sim.run(0.02)
        wanted = solve_ivp(rate, (0.0, sim.time - start.time), [*(world.spin[0] @ turn),
                                                               *turn.ravel()],
                           method="DOP853", rtol=1e-12, atol=1e-12).y[:, -1]
        R = Rotation.from_quat(sim.world.orientation, scalar_first=True).as_matrix()[0]
        errors.append(np.abs(R - wanted[3:].reshape(3, 3)).max())
        assert sim.world.spin[0] @ R == pytest.approx(wanted[:3], abs=errors[-1] * 2e3)
    assert np.linalg.norm(sim.world.orientation[0]) == pytest.approx(1.0, abs=1e-12)
    assert observed_order(errors, 2.0) == pytest.approx([4.0, 4.0], abs=0.5)


def collision(integrator, steps, shape=BRICK):
    """Return the share of its energy that an elastic collision of two grains has gained."""
    world = gr.World(gravity=(0, 0, 0))
    world.add(shape, at=[(0, 0, 0), (6e-3, 1e-3, 5.5e-3)], density=2500.0,
              orientation=[(1, 0, 0, 0), (0.9, 0.3, 0.3, 0.1)],
              velocity=[(0, 0, 0.1), (0, 0, -0.1)])
    sim = gr.Simulation(world, LAW, integrator=integrator, time_step=T_C / steps, threads=1)
    before, most = sim.energy().total, 0
    for _ in range(20):
        sim.run(0.5 * T_C)
        most = max(most, len(sim.contacts()))
    assert most
    assert not len(sim.contacts())
    assert np.abs(world.spin).max() > 1.0
    return sim.energy().total / before - 1.0


@pytest.mark.parametrize("shape", [BRICK, DUMBBELL], ids=["brick", "clump"])
def test_an_elastic_collision_keeps_energy(shape):
    assert abs(collision("gear", 50, shape)) < 1e-3
    assert abs(collision("gear", 200, shape)) < 1e-4


def gas(threads=1, shape=BRICK):
    rng = np.random.default_rng(3)
    world = gr.World(gravity=(0, 0, -9.81), seed=2)
    world.add(gr.Box((0, 0, 0), (0.04, 0.04, 0.04)))
    places = 0.0065 + 0.0135 * np.stack(np.meshgrid(*[np.arange(3)] * 3), axis=-1).reshape(-1, 3)
    for k, place in enumerate(places):
        world.add(shape if k % 2 else gr.Sphere(RADIUS), at=[place], density=2500.0,
                  velocity=0.3 * rng.normal(size=3), spin=20.0 * rng.normal(size=3))
    law = gr.LinearViscoelastic(restitution=0.8, contact_time=T_C, friction=0.4)
    return gr.Simulation(world, law, integrator="gear", time_step=T_C / 50, threads=threads)


def busy(sim):
    """Run, while a grain leaves and another one comes."""
    sim.step(300)
    sim.world.remove([5])
    sim.world.add(gr.Sphere(1e-3), at=[(0.02, 0.02, 0.0385)], density=2500.0)
    sim.step(300)


@pytest.mark.parametrize("shape", [BRICK, DUMBBELL], ids=["brick", "clump"])
def test_threads_restart_and_lists_change_no_bit(shape, tmp_path):
    runs = []
    for threads, factor in ((1, 1.0), (2, 1.0), (1, 0.3)):
        sim = gas(threads, shape)
        sim._engine.least_margin *= factor
        busy(sim)
        sim.step(200)
        runs.append(sim)
    cut = gas(1, shape)
    busy(cut)
    cut.step(37)
    cut.save(tmp_path / "part.h5")
    cut = gr.Simulation.load(tmp_path / "part.h5")
    assert cut.integrator == "gear"
    cut.step(163)
    runs.append(cut)
    assert len({sim.fingerprint() for sim in runs}) == 1
    assert len({sim.state()[0]["derivatives"].tobytes() for sim in runs}) == 1
    assert len(runs[0].world) == 27


def test_features_that_rest_change_no_bit(monkeypatch):
    """The predictor moves grains, too: their way must count all of it."""
    resting, awake = gas(), gas()
    rested = 0
    step_awake(awake, 800, monkeypatch)
    for _ in range(100):
        resting.step(8)
        rested += asleep(resting)
    assert resting.fingerprint() == awake.fingerprint()
    assert rested > 10


def test_a_budget_is_refused():
    world = gr.World()
    world.add(gr.Sphere(RADIUS), at=[(0, 0, 0)], density=2500.0)
    with pytest.raises(InputError, match=r"budget of energy.*Gear.*integrator = \"verlet\""):
        gr.Simulation(world, LAW, integrator="gear", budget=True)

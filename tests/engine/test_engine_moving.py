"""Walls that move, in the engine: no contact is missed, no bit depends on how it is run."""

import engine_moving as moving
import engine_worlds as worlds
import numpy as np
import pytest
from engine_worlds import LAW, STEP, differences, reloaded, simulation

import granum as gr
from granum.errors import InputError, NumericalError


@pytest.mark.parametrize("name", moving.EVERY)
def test_no_contact_with_a_moving_wall_is_missed(name):
    sim = simulation(moving.EVERY[name]())
    met = 0
    for _ in range(150):
        sim.step()
        met += moving.check_contacts(sim)
    assert met > 80
    assert sim.counts["list_updates"] < 120


@pytest.mark.parametrize("name", moving.EVERY)
def test_no_bit_depends_on_threads_skin_or_cuts(name, tmp_path):
    make = moving.EVERY[name]
    whole, other = simulation(make()), simulation(make(), threads=2)
    whole.step(330)
    other.step(330)
    assert differences(whole, other) == []
    cut = simulation(make())
    worlds.set_skin(cut, 0.3 * cut.world.radius.min())
    cut.step(117)
    cut = reloaded(cut, tmp_path / "cut.h5")
    for steps in (1, 3, 209):
        cut.wall_forces()
        cut.step(steps)
    assert differences(whole, cut) == []


def test_no_bit_depends_on_the_search():
    first, second = (simulation(moving.pressed(), neighbours=how)
                     for how in ("cells", "triangulation"))
    for sim in (first, second):
        sim.step(300)
    assert first.fingerprint() == second.fingerprint()


def test_the_state_of_moving_walls_is_in_the_fingerprint():
    first, second = simulation(moving.pressed()), simulation(moving.pressed())
    assert first.fingerprint() == second.fingerprint()
    second.world.bodies[0].state[0] += 1e-18
    assert first.fingerprint() != second.fingerprint()


def test_a_box_that_travels_with_its_grains_gives_the_same_relative_motion():
    """Galilean invariance, until rounding has grown: the gas is chaotic."""
    speed = np.array([3.0, -1.0, 2.0])
    still, carried = (simulation(worlds.gas(turns=())) for _ in range(2))
    world = worlds.gas(turns=())
    world.walls.clear()
    world.add(gr.Box((0.0, 0.0, 0.0), (0.05, 0.05, 0.05)), moving=gr.Linear(tuple(speed)))
    world.velocity[:] += speed
    carried = simulation(world)
    for _ in range(10):
        still.step(30)
        carried.step(30)
        shift = speed * still.time
        np.testing.assert_allclose(world.position - shift, still.world.position, atol=1e-9)
        np.testing.assert_allclose(world.velocity - speed, still.world.velocity, atol=1e-6)
        np.testing.assert_allclose(world.spin, still.world.spin, atol=1e-4)
    assert (still.contacts().wall >= 0).any()


def test_a_drum_that_turns_on_its_spot_is_one_that_turns():
    """Two rotations, one of them at rest, are carried out; one alone about the axis need not be."""
    def run(extra):
        world = moving.drum()
        for body in world.bodies:
            body.moving = (*body.moving, *extra)
        sim = simulation(world)
        sim.step(200)
        return sim

    spared, turned = run(()), run((gr.Rotation(0.0, (1.0, 0.0, 0.0)),))
    np.testing.assert_allclose(turned.world.position, spared.world.position, atol=1e-10)
    np.testing.assert_allclose(turned.world.spin, spared.world.spin, atol=1e-5)
    assert turned.wall_forces()["drum"].torque == pytest.approx(
        spared.wall_forces()["drum"].torque, rel=1e-6, abs=1e-9)
    assert spared.counts["list_updates"] <= turned.counts["list_updates"]


ELASTIC = gr.LinearViscoelastic(restitution=1.0, contact_time=1e-3, friction=0.0)


@pytest.mark.parametrize("name", ["shaken", "pressed"])
def test_the_forces_on_walls_are_what_moves_the_grains(name):
    """Without damping or friction, forces depend on places alone: m a = m g - F to rounding."""
    sim = simulation(moving.EVERY[name](), law=ELASTIC)
    world, met = sim.world, 0
    for _ in range(20):
        sim.step(10)
        force = sum(wall.force for wall in sim.wall_forces().values())
        pull = (world.mass[:, None] * (world.acceleration - sim.gravity)).sum(axis=0)
        largest = np.abs(sim.contacts().force).max(initial=1e-3)
        np.testing.assert_allclose(pull, -force, atol=1e-9 * largest)
        met += np.abs(force).max() > 0.0
    assert met > 10


@pytest.mark.parametrize("name", ["shaken", "pressed"])
def test_the_work_of_walls_is_the_energy_of_the_grains(name):
    """Without dissipation, as closely as the integrator keeps energy: (π dt / t_c)² / 4 = 1e-3."""
    sim = simulation(moving.EVERY[name](), law=ELASTIC, time_step=2e-5)
    before = sim.energy().total
    sim.step(900)
    work = sum(wall.work for wall in sim.wall_forces().values())
    assert work > 0.05 * before
    assert sim.energy().total - before == pytest.approx(work, rel=1e-3)


def test_a_body_gives_the_momentum_that_it_takes():
    """A loose ball among grains that touch nothing else: the sum stays, to rounding."""
    world = gr.World(gravity=(0.0, 0.0, 0.0), domain=((-1, -1, -1), (1, 1, 1)))
    mass = 2e-3
    world.add(gr.SphereWall((0.0, 0.0, 0.0), 8e-3, side="outside"), name="ball",
              moving=gr.FreeBody(mass))
    points = np.array([(0.0135, 1e-3, 0), (-0.0135, 0, 2e-3), (0, 0.0135, 0), (1e-3, 0, 0.0135)])
    world.add(gr.Sphere(5e-3), at=points, density=2500.0,
              velocity=-60.0 * points + [0.3, 0.0, 0.1])
    sim = simulation(world)
    total = (world.mass[:, None] * world.velocity).sum(axis=0)
    sim.step(400)
    ball = sim.wall_forces()["ball"]
    assert np.abs(ball.velocity).max() > 0.05
    assert sim.counts["list_updates"] >= 1
    now = (world.mass[:, None] * world.velocity).sum(axis=0) + mass * ball.velocity
    np.testing.assert_allclose(now, total, atol=1e-14)


def test_bodies_move_where_there_are_no_grains():
    """A piston falls freely before anything is poured on it, then it carries what has come."""
    world = gr.World()
    world.add(gr.Plane((0, 0, 0), (0, 0, 1)), name="table",
              moving=gr.Piston(0.1, (0, 0, 1), force=0.1, starts=1e-3))
    world.add(gr.Pour(radius=2e-3, count=5, rate=1000.0, start=0.02, low=(0, 0, 0.01),
                      high=(0.01, 0.01, 0.02)), density=2500.0)
    sim = simulation(world)
    sim.step(300)
    t, rate = sim.time - 1e-3, 0.1 / 0.1 - 9.81
    assert world.bodies[0].state[2] == pytest.approx(0.5 * rate * t**2, rel=1e-9)
    assert sim.wall_forces()["table"].velocity[2] == pytest.approx(rate * t, rel=1e-9)
    other = reloaded(simulation(world), None)
    assert other.world.bodies[0].state.tolist() == world.bodies[0].state.tolist()
    sim.step(400)
    assert len(world) == 5
    assert len(sim.contacts()) == 0  # both fall alike, but for the force


def test_a_wall_too_light_for_its_drive_stops_the_run():
    world = gr.World(gravity=(0.0, 0.0, 0.0))
    world.add(gr.Plane((0, 0, 0), (0, 0, 1)), name="feather",
              moving=gr.Piston(1e-6, (0, 0, 1), force=1.0))
    world.add(gr.Sphere(4e-3), at=[(0, 0, 0.01)], density=2500.0)
    sim = simulation(world)
    with pytest.raises(NumericalError, match="wall 'feather' moves by up to"):
        sim.step(100)


def test_a_wall_that_is_put_into_grains_is_refused():
    sim = simulation(worlds.gas())
    sim.step(10)
    wall = gr.Plane((0.0, 0.0, 0.02), (0.0, 0.0, 1.0))
    sim.world.add(wall)
    with pytest.raises(InputError, match=r"the new wall .* cuts into grain"):
        sim.step(1)
    sim.world.walls.remove(wall)
    sim.step(1)


def test_a_new_wall_may_move_at_once():
    """It starts where it is described if its motion starts then."""
    sim = simulation(worlds.gas(turns=(), gravity=(0.0, 0.0, 0.0)))
    sim.step(100)
    sim.world.add(gr.SphereWall((0.025, 0.025, 0.2), 0.01, side="outside"), name="hammer",
                  moving=gr.Linear((0.0, 0.0, -40.0), starts=sim.time))
    sim.step(40)
    assert sim.wall_forces()["hammer"].displacement[2] == pytest.approx(-40.0 * 40 * STEP)
    assert sim.law == LAW

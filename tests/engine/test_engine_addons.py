"""Add-ons in the engine: couples and forces across gaps, against closed forms and to the bit."""

import math

import numpy as np
import pytest
from engine_process import output_of
from engine_worlds import agitate, differences, reloaded, set_skin

import granum as gr
from granum.contact.model import Touch

G = 9.81
T_C = 1e-4
RADIUS = 5e-3
DENSITY = 2500.0


def rolling(mu_r=0.1, *, mu=0.0, twisting=0.0, restitution=0.3, e=0.5):
    return gr.With(gr.LinearViscoelastic(e, T_C, friction=mu),
                   gr.RollingResistance(mu_r, T_C, twisting=twisting, restitution=restitution))


def on_the_floor(law, *, spin=(0.0, 0.0, 0.0), slope=0.0, count=1, dimension=3, steps=20):
    """Grains that lie on the floor as deep as their weight asks; down the slope is +x."""
    pull = G * np.array([math.sin(slope), 0.0, -math.cos(slope)])
    pull = pull[[0, 2, 1]] if dimension == 2 else pull
    up = np.eye(3)[dimension - 1]
    world = gr.World(gravity=tuple(pull), dimension=dimension)
    world.add(gr.Plane((0, 0, 0), tuple(up)))
    sag = G * math.cos(slope) / law.coefficients()[0]
    places = [(RADIUS - sag) * up + 3 * RADIUS * k * np.eye(3)[0] for k in range(count)]
    shape = gr.Disc(RADIUS) if dimension == 2 else gr.Sphere(RADIUS)
    world.add(shape, at=places, density=DENSITY, spin=spin)
    return gr.Simulation(world, law, time_step=T_C / steps, threads=1, initial_overlap=1e-3)


# ---- rolling and twisting --------------------------------------------------------------------


def test_spin_decays_evenly_on_a_smooth_floor():
    """w = w0 - 5/2 μ_r g t / R about a level axis, and the same with μ_t about the upright one."""
    spins = [(3.0, -4.0, 0.0), (0.0, 0.0, -5.0)]
    sim = on_the_floor(rolling(0.1, twisting=0.03), spin=spins, count=2)
    sim.run(0.005)
    rate = 2.5 * G / RADIUS * sim.time
    expected = [(5.0 - 0.1 * rate) * np.array([0.6, -0.8, 0.0]), (0, 0, -5.0 + 0.03 * rate)]
    np.testing.assert_allclose(sim.world.spin, expected, atol=1e-9)
    np.testing.assert_allclose(sim.world.velocity, 0.0, atol=1e-9)
    sim.run(0.1)
    np.testing.assert_allclose(sim.world.spin, 0.0, atol=1e-3)


def test_a_disc_in_the_plane_resists_too():
    """Its moment of inertia is half m R²."""
    sim = on_the_floor(rolling(0.1), spin=(0.0, 0.0, 7.0), dimension=2)
    sim.run(0.01)
    np.testing.assert_allclose(sim.world.spin[0], (0, 0, 7.0 - 2.0 * 0.1 * G / RADIUS * sim.time),
                               atol=1e-9)


def gained(sim, duration=0.05):
    """Let a grain come to roll, then return what speed and spin it gains in a while."""
    sim.run(0.01)
    before = sim.world.velocity[0].copy(), sim.world.spin[0].copy()
    sim.run(duration)
    return sim.world.velocity[0] - before[0], sim.world.spin[0] - before[1]


@pytest.mark.parametrize("mu_r", [0.1, 0.41])
def test_rolling_down_a_slope(mu_r):
    """a = 5/7 g (sin - μ_r cos), and the spin is that of rolling."""
    slope, duration = 0.4, 0.05
    velocity, spin = gained(on_the_floor(rolling(mu_r, mu=0.6), slope=slope), duration)
    speed = 5 / 7 * G * (math.sin(slope) - mu_r * math.cos(slope)) * duration
    np.testing.assert_allclose(velocity, (speed, 0, 0), atol=1e-4 * speed)
    np.testing.assert_allclose(spin, (0, speed / RADIUS, 0), atol=1e-4 * speed / RADIUS)


def test_no_rolling_on_a_slope_below_the_coefficient():
    """tan(0.4) = 0.423, and 0.41 does not hold (above)."""
    sim = on_the_floor(rolling(0.44, mu=0.6), slope=0.4)
    sim.run(0.05)
    assert np.abs(sim.world.velocity).max() < 1e-6
    assert np.abs(sim.world.spin).max() < 1e-4


def test_springs_give_back_what_they_took():
    """Below the bound and undamped, a grain swings: half a turn in the contact time."""
    law = rolling(10.0, twisting=10.0, restitution=1.0, e=1.0)
    sim = on_the_floor(law, spin=[(0.6, 0.0, 0.8)], steps=100)
    before = sim.energy().total
    swing, energy = [], []
    for _ in range(200):
        sim.step()
        swing.append(sim.world.spin[0] @ (0.6, 0.0, 0.8))
        energy.append(sim.energy().total)
    np.testing.assert_allclose(swing, np.cos(math.pi / 100 * np.arange(1, 201)), atol=1e-3)
    np.testing.assert_allclose(energy, before, atol=1e-3 * rotation_of_one())


def rotation_of_one():
    """Rotational energy at a spin of 1 rad/s [J]."""
    return 0.5 * 0.4 * DENSITY * 4 / 3 * math.pi * RADIUS**5


def momenta(world):
    p = (world.mass[:, None] * world.velocity).sum(axis=0)
    spin = world.grains.inertia * world.spin
    return p, (np.cross(world.position, world.mass[:, None] * world.velocity) + spin).sum(axis=0)


@pytest.mark.parametrize("order", [(1.0, 1.7), (1.7, 1.0)])
def test_couples_keep_momentum_and_angular_momentum(order):
    """Two grains of unequal size that roll and twist on each other, at rest and not."""
    law = gr.With(gr.LinearViscoelastic(0.4, T_C, friction=0.3),
                  gr.RollingResistance(0.2, T_C, twisting=0.1))
    n = np.array([2.0, -1.0, 2.0]) / 3.0
    radii = RADIUS * np.array(order)
    world = gr.World(gravity=(0, 0, 0))
    world.add(gr.Sphere(radii), at=[(0, 0, 0), radii.sum() * 1.00001 * n], density=DENSITY,
              velocity=[0.1 * n + (0.02, 0, 0), -0.1 * n], spin=[(30, 10, 0), (0, -20, 50)])
    sim = gr.Simulation(world, law, threads=1)
    before = momenta(world)
    spin = world.spin.copy()
    touched = 0
    for _ in range(80):
        sim.step()
        touched += len(sim.contacts())
        for now, then in zip(momenta(world), before, strict=True):
            np.testing.assert_allclose(now, then, atol=1e-13 * np.abs(before[1]).max() / RADIUS)
    assert touched > 30
    assert np.abs(world.spin @ n - spin @ n).max() > 1e-3, "twisting did nothing"


def test_the_table_lists_the_couples():
    """M = I ω' on a smooth floor, m_r R F_n where it rolls on; seen from the lower id."""
    sim = on_the_floor(rolling(0.1), spin=(0, 50.0, 0))
    sim.step(40)
    inertia = sim.world.grains.inertia[0]
    couple = sim.contacts().couple
    np.testing.assert_allclose(couple[0], inertia * sim.world.grains.spin_rate[0], rtol=1e-6,
                               atol=1e-20)
    assert couple[0, 1] == pytest.approx(-0.1 * RADIUS * sim.world.mass[0] * G, rel=1e-3)
    assert sim.contacts().energy[0, 2] > 0.0
    assert sim.contacts().energy[0, 1] == 0.0


# ---- across gaps -----------------------------------------------------------------------------


def everything(*, work=0.0, neck=1e-6, tension=0.0, volume=1e-12, pull=0.0, mu_r=0.0, e=1.0,
               mu=0.0):
    return gr.With(gr.LinearViscoelastic(e, T_C, friction=mu), gr.Adhesion(work, neck),
                   gr.CapillaryBridge(tension, volume), gr.Cohesion(pull),
                   gr.RollingResistance(mu_r, T_C, twisting=0.5 * mu_r))


SMALL = 1e-3  # radius of the grains that stick [m]


def head_on(law, speed):
    world = gr.World(gravity=(0, 0, 0))
    world.add(gr.Sphere(SMALL), at=[(0, 0, 0), (2 * SMALL + 1e-5, 0, 0)], density=DENSITY,
              velocity=[(0.5 * speed, 0, 0), (-0.5 * speed, 0, 0)])
    return gr.Simulation(world, law, threads=1)


@pytest.mark.parametrize("law", [
    everything(tension=0.07, volume=1e-13), everything(work=3.0, neck=2e-5, volume=1e-18),
    everything(tension=0.07, volume=1e-13, work=3.0, neck=2e-5),
], ids=["bridge", "adhesion", "both"])
def test_parting_takes_the_work_of_what_holds(law):
    """v' = √(v² - 2 W / m): W is what the contact has when the grains just touch."""
    touch = [0.0, 0.0, 1.0, 0.3, 0.5 * SMALL, *[0.0] * 8]
    state = (1.0, 1.0, 0.0, 0.0, 0.0, 0.0)
    work = -sum(law.potential()(tuple(law.coefficients()), Touch(*touch), state))
    mass = 0.5 * DENSITY * 4 / 3 * math.pi * SMALL**3
    parting = math.sqrt(2 * work / mass)
    sim = head_on(law, 1.5 * parting)
    gap = []
    while not gap or len(sim.contacts()):
        sim.step()
        gap += list(-sim.contacts().overlap)
    assert max(gap) == pytest.approx(law.range if work else 0.0, rel=0.05)
    speed = np.ptp(sim.world.velocity[:, 0])
    assert speed == pytest.approx(parting * math.sqrt(1.5**2 - 1), rel=0.01)
    bound = head_on(law, 0.9 * parting)
    bound.run(400 * T_C)
    assert len(bound.contacts()) == 1


def test_nothing_pulls_before_the_first_touch():
    sim = head_on(everything(tension=0.07, volume=1e-12, work=1.0, neck=1e-4), 0.0)
    sim.run(10 * T_C)
    assert len(sim.contacts()) == 0
    assert (sim.world.velocity == 0.0).all()


def test_energy_is_kept_while_grains_are_held():
    """After the first touch, until they part: kinetic and what contacts can give back."""
    sim = head_on(everything(tension=0.07, volume=1e-13, pull=1e-4), 0.01)
    while not len(sim.contacts()):
        sim.step()
    start, total = sim.energy(), []
    for _ in range(300):
        sim.step()
        total.append(sim.energy().total)
    assert len(sim.contacts()) == 1
    np.testing.assert_allclose(total, start.total, atol=0.02 * abs(start.elastic))


def test_small_grains_hang_and_large_ones_fall():
    """The pull grows as the radius, the weight as its cube: 3/2 π w R = m g at R = 1.5 mm."""
    radii = np.array([1.4e-3, 1.6e-3])
    work = DENSITY * 4 / 3 * math.pi * 1.5e-3**3 * G / (1.5 * math.pi * 1.5e-3)
    law = everything(work=work, neck=1e-6, e=0.5)
    world = gr.World(domain=((-1, -1, -1), (1, 1, 1)))
    world.add(gr.Plane((0, 0, 0), (0, 0, -1)))
    world.add(gr.Sphere(radii), at=[(0, 0, -radii[0] + 1e-8), (0.01, 0, -radii[1] + 1e-8)],
              density=DENSITY)
    sim = gr.Simulation(world, law, threads=1, initial_overlap=1e-3)
    sim.run(0.02)
    assert sim.contacts().i.tolist() == [0]
    assert world.velocity[0, 2] == pytest.approx(0.0, abs=1e-6)
    assert world.velocity[1, 2] < -0.01


# ---- to the bit ------------------------------------------------------------------------------

STICKY = everything(work=0.5, neck=1e-5, tension=0.07, volume=1e-12, pull=1e-4, mu_r=0.2, e=0.5,
                    mu=0.4)


def sticky(**options):
    world = gr.World(gravity=(0.0, 3.0, -40.0))
    world.add(gr.Box((0.0, 0.0, 0.0), (0.01, 0.01, 0.01)))
    world.add(gr.Random(radius=SMALL, count=40, spread=0.4), density=DENSITY)
    agitate(world, 0.5, spin=200.0)
    return gr.Simulation(world, STICKY, time_step=4e-6, threads=1, **options)


def test_bits_do_not_depend_on_lists_or_stops(tmp_path):
    plain, other = sticky(neighbours="cells"), sticky(neighbours="cells")
    plain.step(1200)
    assert (plain.contacts().overlap < 0.0).sum() > 3
    assert (plain.contacts().overlap > 0.0).sum() > 3
    other.step(150)
    set_skin(other, 3e-4)
    other.step(250)
    other = reloaded(other, tmp_path / "sticky")
    other.contacts()
    other.step(800)
    assert differences(plain, other) == []
    triangulated = sticky(neighbours="triangulation")
    triangulated.step(1200)
    assert triangulated.fingerprint() == plain.fingerprint()


COMPILED = """
from numba.core import event
recorder = event.RecordingListener()
event.register("numba:compile", recorder)
import test_engine_addons
sim = test_engine_addons.sticky()
sim.step(5)
sim.energy()
for _, found in recorder.buffer:
    if found.is_start:
        print(found.data["dispatcher"].py_func.__qualname__)
"""


def test_a_second_process_compiles_nothing():
    """Composed functions are found in the cache, too."""
    output_of("-c", COMPILED)
    assert output_of("-c", COMPILED).split() == []

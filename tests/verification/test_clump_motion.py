"""Rigid bodies against closed forms: free tops, impacts, what is kept, what stays at rest."""

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation
from scipy.special import ellipk
from verification_forms import observed_order

import granum as gr
from granum.dynamics.rigid import axes_of, per_moments, turned_body, turned_top

T_C = 1e-4
FINE = 2000  # steps in a contact whose end is compared: the dashpot begins up to a step too late
TOP = gr.Clump([(-4e-3, 0, 0), (0, 2e-3, 0), (3e-3, 0, 1e-3)], (2e-3, 3e-3, 2e-3))
DUMBBELL = gr.Clump([(-2e-3, 0, 0), (2e-3, 0, 0)], 2e-3)


def turns_of(world):
    return Rotation.from_quat(world.orientation, scalar_first=True)


def angular_momentum(world):
    """Of all grains about the origin, and of each about its own centre."""
    turn = turns_of(world)
    own = turn.apply(world.inertia * turn.inv().apply(world.spin))
    return (np.cross(world.position, world.velocity) * world.mass[:, None] + own).sum(axis=0), own


def free(clump, spin, dt):
    """One clump that turns freely; ``spin`` along its principal axes [rad/s]."""
    world = gr.World(gravity=(0, 0, 0))
    world.add(clump, at=[(0, 0, 0)], density=2500.0, orientation=(0.5, 0.1, -0.7, 0.5))
    world.spin[:] = turns_of(world).apply([spin])
    law = gr.LinearViscoelastic(0.5, 1e-3, friction=0.3)
    return gr.Simulation(world, law, time_step=dt, threads=1)


# ---- free tops ----------------------------------------------------------------------------------


def test_a_free_top_keeps_its_angular_momentum_to_rounding_and_its_energy_to_second_order():
    errors = []
    for dt in (2e-5, 1e-5, 5e-6):
        sim = free(TOP, (300.0, 500.0, 200.0), dt)
        world = sim.world
        (_, before), energy = angular_momentum(world), sim.energy().rotational
        late, early = 0.0, 0.0
        for k in range(200):
            sim.step(round(8e-4 / dt))
            error = abs(sim.energy().rotational / energy - 1.0)
            early, late = (max(early, error), late) if k < 100 else (early, max(late, error))
        assert late < 1.3 * early  # no drift: eight turns, then eight more
        errors.append(max(early, late))
        turned = np.abs(angular_momentum(world)[1] - before).max() / np.abs(before).max()
        assert turned < 4e-16 * sim.steps  # a rounding or two a step
        assert np.linalg.norm(world.orientation[0]) == pytest.approx(1.0, abs=1e-15)
    assert observed_order(errors, 2.0) == pytest.approx([2.0, 2.0], abs=0.1)


def test_a_free_top_follows_eulers_equations():
    """Spin and orientation after three turns, against another integrator at its best."""
    spin = np.array([300.0, 500.0, 200.0])
    moments = TOP.settled(3).shape.gyration

    def rate(_, y):
        w, R = y[:3], y[3:].reshape(3, 3)
        cross = np.array([[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]])
        return np.concatenate((np.cross(np.multiply(moments, w), w) / moments, (R @ cross).ravel()))

    errors = []
    for dt in (4e-6, 2e-6, 1e-6):
        sim = free(TOP, spin, dt)
        start = turns_of(sim.world).as_matrix()[0]
        sim.step(round(0.03 / dt))
        wanted = solve_ivp(rate, (0.0, sim.time), [*spin, *start.ravel()], method="DOP853",
                           rtol=1e-12, atol=1e-12).y[:, -1]
        R = turns_of(sim.world).as_matrix()[0]
        errors.append(np.abs(R - wanted[3:].reshape(3, 3)).max())
        assert sim.world.spin[0] @ R == pytest.approx(wanted[:3], abs=errors[-1] * 2e3)
    assert errors[-1] < 2e-5
    assert observed_order(errors, 2.0) == pytest.approx([2.0, 2.0], abs=0.1)


def test_a_top_spun_about_its_middle_axis_tumbles_at_the_closed_form_pace():
    """The effect of Dzhanibekov; half a period is 2 K / λ (Landau & Lifshitz, Mechanics, § 37)."""
    shape = TOP.settled(3).shape
    order = np.argsort(shape.gyration)
    A, B, C = np.array(shape.gyration)[order]
    spin = np.zeros(3)
    spin[order] = 3.0, 500.0, 4.0
    sim = free(TOP, spin, 5e-6)
    moments = np.array(shape.gyration)
    squared, double = ((moments * spin) ** 2).sum(), (moments * spin**2).sum()  # L², 2 E
    if squared - double * B < 0.0:
        A, C = C, A
    pace = math.sqrt((C - B) * (squared - double * A) / (A * B * C))
    modulus = (B - A) * (double * C - squared) / ((C - B) * (squared - double * A))
    half = 2.0 * ellipk(modulus) / pace
    middle, times = [], []
    for _ in range(round(3.2 * half / 1e-4)):
        sim.step(20)
        middle.append(turns_of(sim.world).inv().apply(sim.world.spin)[0, order[1]])
        times.append(sim.time)
    sign = np.flatnonzero(np.diff(np.sign(middle)))
    crossings = [np.interp(0.0, sorted(middle[k : k + 2]), times[k : k + 2][:: -1 if
                 middle[k] > middle[k + 1] else 1]) for k in sign]
    assert len(crossings) == 3
    assert np.diff(crossings) == pytest.approx([half, half], rel=1e-3)
    assert min(middle) == pytest.approx(-max(middle), rel=1e-4)


def test_a_symmetric_top_precesses_at_the_closed_form_rate():
    """Its axis goes round the angular momentum at L / I, I across the axis (Landau, § 33)."""
    sim = free(DUMBBELL, (400.0, 300.0, 0.0), 1e-6)
    world = sim.world
    across = world.inertia[0, 1]
    L = angular_momentum(world)[1][0]
    axis = turns_of(world).apply([1.0, 0.0, 0.0])[0]
    sim.step(20_000)
    wanted = Rotation.from_rotvec(L / across * sim.time).apply(axis)
    # 8 rad in all; each step errs by less than (ω dt)³ / 12 or so: 20 000 (5e-4)³ / 12
    assert turns_of(world).apply([1.0, 0.0, 0.0])[0] == pytest.approx(wanted, abs=3e-7)
    assert np.linalg.norm(L) / across * sim.time > 5.0


def test_a_symmetric_top_keeps_its_energy_to_rounding():
    sim = free(DUMBBELL, (400.0, 300.0, 200.0), 1e-5)
    energy = sim.energy().rotational
    sim.step(20_000)
    assert sim.energy().rotational == pytest.approx(energy, rel=1e-13)


def test_two_ways_to_turn_a_symmetric_top_differ_by_the_third_order_of_a_step():
    """The closed form of tops beside the five turns of all bodies, with a torque."""
    rng = np.random.default_rng(4)
    for _ in range(20):
        q = rng.normal(size=4)
        q = tuple(q / np.linalg.norm(q))
        w, b = tuple(rng.normal(size=3)), tuple(rng.normal(size=3))
        one, two = rng.uniform(0.3, 3.0, 2)
        m = one, two, two
        differ = []
        for dt in (0.02, 0.01, 0.005):
            found = turned_top(q, m, per_moments(m), w, b, dt)
            wanted = turned_body(q, m, per_moments(m), w, b, axes_of(q), dt)
            differ.append(max(np.abs(np.subtract(x, y)).max()
                              for x, y in zip(found, wanted, strict=True)))
        assert observed_order(differ, 2.0) == pytest.approx([3.0, 3.0], abs=0.2)


def test_bodies_of_all_kinds_turn_side_by_side_as_each_alone():
    """To the bit: a body is not told who else is in its batch."""
    shapes = [gr.Sphere(1e-3), gr.Spherocylinder(2e-3, 1e-3), gr.SpheroPolyhedron.box(
        (1e-3, 2e-3, 3e-3), 5e-4), gr.SpheroPolyhedron.box((1e-3, 1e-3, 1e-3), 5e-4)]

    def after(kinds):
        world = gr.World(gravity=(0.0, 0.0, -9.81))
        for kind in kinds:
            world.add(shapes[kind], at=[(0.1 * kind, 0.0, 0.0)], density=2500.0,
                      velocity=(0.1, 0.2, 0.3), spin=(100.0, 200.0, 300.0 + kind))
        sim = gr.Simulation(world, gr.LinearViscoelastic(0.5, 1e-3, friction=0.3), threads=1,
                            time_step=1e-5)
        sim.step(300)
        return [np.concatenate((world.position[k], world.orientation[k], world.spin[k])).tobytes()
                for k in range(len(kinds))]

    together = after([0, 1, 2, 3])
    for kind in (1, 2, 3):
        assert after([kind]) == [together[kind]]
    assert after([0, 3]) == [together[0], together[3]]
    assert after([0]) == [together[0]]


# ---- impacts ------------------------------------------------------------------------------------


def dropped(angle, restitution, speed=2e-3):
    """A dumbbell that meets the floor without gravity and friction, tilted by ``angle`` [rad]."""
    world = gr.World(gravity=(0, 0, 0))
    world.add(gr.Plane((0, 0, 0), (0, 0, 1)))
    low = 2e-3 * math.sin(angle) + 2e-3
    world.add(DUMBBELL, at=[(0, 0, low + 1e-9)], density=2500.0, velocity=(0, 0, -speed),
              orientation=Rotation.from_rotvec([0, angle, 0]).as_quat(scalar_first=True))
    sim = gr.Simulation(world, gr.LinearViscoelastic(restitution, T_C), time_step=T_C / FINE,
                        threads=1)
    sim.step(round(2.5 * FINE))
    assert not len(sim.contacts())
    return world


@pytest.mark.parametrize("angle", [0.0, math.pi / 2], ids=["flat", "on its end"])
@pytest.mark.parametrize("restitution", [1.0, 0.6])
def test_an_impact_through_the_centre_returns_the_restitution(angle, restitution):
    """On its end it is the restitution itself; flat, two contacts at once halve the time.

    Two springs and dashpots share the mass: the same oscillator with k and c doubled.
    """
    world = dropped(angle, restitution)
    wanted = effective(restitution, 1.0 if angle else 2.0)
    assert world.velocity[0] == pytest.approx([0, 0, 2e-3 * wanted], abs=2e-3 * 1e-3)
    assert np.abs(world.spin).max() < 1e-6


def effective(restitution, lighter):
    """What a contact made for mass m returns where a mass lighter by this factor meets it."""
    log = math.log(restitution)
    k, c = lighter * (math.pi**2 + log**2), -2.0 * lighter * log
    return math.exp(-0.5 * c * math.pi / math.sqrt(k - 0.25 * c * c))


@pytest.mark.parametrize("angle", [0.3, 0.8, 1.2])
@pytest.mark.parametrize("restitution", [1.0, 0.6])
def test_an_eccentric_impact_without_friction(angle, restitution):
    """J = m (1 + e) v / (1 + m x² / I): the impulse of rigid bodies, in the limit of stiff ones."""
    world = dropped(angle, restitution)
    x = 2e-3 * math.cos(angle)
    m, across = world.mass[0], world.inertia[0, 1]
    lighter = 1.0 + m * x * x / across
    J = m * (1.0 + effective(restitution, lighter)) * 2e-3 / lighter
    assert world.velocity[0] == pytest.approx([0, 0, J / m - 2e-3], abs=2e-3 * 1e-3)
    assert world.spin[0] == pytest.approx([0, -J * x / across, 0], abs=1e-3 * J * x / across)


def test_momentum_and_angular_momentum_are_kept_to_rounding():
    """Clumps and a sphere with friction, spin and several contacts at once."""
    world = gr.World(gravity=(0, 0, 0), seed=7)
    region = {"low": (0, 0, 0), "high": (0.03, 0.03, 0.03)}
    world.add(gr.Random(radius=5e-3, count=6, clump=TOP, spread=0.2, **region), density=2500.0)
    world.add(gr.Random(radius=4e-3, count=6, clump=DUMBBELL, **region), density=2500.0)
    world.add(gr.Random(radius=3e-3, count=4, **region), density=2500.0)
    rng = np.random.default_rng(1)
    world.velocity[:] = (0.015 - world.position) * 60.0 + rng.normal(0, 0.1, (16, 3))
    world.spin[:] = rng.normal(0, 100.0, (16, 3))
    sim = gr.Simulation(world, gr.LinearViscoelastic(0.7, T_C, friction=0.5), threads=1)
    before, whole = (world.velocity * world.mass[:, None]).sum(axis=0), angular_momentum(world)
    size = np.abs(whole[1]).sum() + world.mass.sum() * 0.03
    met = 0
    for _ in range(200):
        sim.step(20)
        met += len(sim.contacts())
    assert met > 40
    after = (world.velocity * world.mass[:, None]).sum(axis=0)
    assert np.abs(after - before).max() < 1e-13 * world.mass.sum()
    assert np.abs(angular_momentum(world)[0] - whole[0]).max() < 1e-12 * size


def test_energy_is_kept_where_nothing_is_lost():
    """A hundred elastic contacts; the error of the step falls with it."""
    def drift(steps_in_contact):
        world = gr.World(gravity=(0, 0, -9.81), seed=3)
        world.add(gr.Box((0, 0, 0), (0.03, 0.03, 0.03)))
        world.add(gr.Random(radius=5e-3, count=8, clump=TOP), density=2500.0)
        world.velocity[:] = np.random.default_rng(2).normal(0, 0.5, (8, 3))
        law = gr.LinearViscoelastic(1.0, T_C)
        sim = gr.Simulation(world, law, time_step=T_C / steps_in_contact, threads=1)
        before = sim.energy().total
        sim.run(0.03)
        return abs(sim.energy().total / before - 1.0)

    assert drift(100) < 2e-3
    assert drift(400) < 2e-4


def test_a_clump_at_rest_on_the_floor_stays():
    """Three feet and a head, standing on the floor where its weight and the springs balance."""
    feet = [(1.6e-3 * math.cos(a), 1.6e-3 * math.sin(a), 0) for a in (0.0, 2.0944, 4.1888)]
    stool = gr.Clump([*feet, (0, 0, 2.5e-3)], 1.5e-3)
    law = gr.LinearViscoelastic(0.4, T_C, friction=0.4)
    k = law.coefficients()[0]
    centre = stool.settled(3).centre[2]
    world = gr.World()
    world.add(gr.Plane((0, 0, 0), (0, 0, 1)))
    world.add(stool, at=[(0, 0, centre + 1.5e-3 - 9.81 / (3.0 * k))], density=2500.0)
    sim = gr.Simulation(world, law, threads=1, initial_overlap=0.01)
    start, turned = world.position.copy(), world.orientation.copy()
    sim.run(0.05)
    assert len(sim.contacts()) == 3
    assert np.abs(world.position - start).max() < 1e-11
    assert np.abs(world.orientation - turned).max() < 1e-9
    assert np.abs(world.velocity).max() < 1e-9
    force = sim.contacts().force.sum(axis=0)
    assert force == pytest.approx([0, 0, world.mass[0] * 9.81], abs=1e-7 * world.mass[0])

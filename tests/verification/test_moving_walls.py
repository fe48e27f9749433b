"""Walls that shake, carry, turn and press: closed forms."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.linalg import eigh

import granum as gr

G = 9.81
R = 2e-3
LAW = gr.LinearViscoelastic(0.5, 1e-3, friction=0.4)
ELASTIC = gr.LinearViscoelastic(1.0, 1e-3, friction=0.0)


def on_floor(moving, *, law=LAW, points=((0.0, 0.0, R),), **options):
    world = gr.World(domain=((-1, -1, -1), (1, 1, 1)))
    world.add(gr.Plane((0, 0, 0), (0, 0, 1)), name="floor", moving=moving)
    world.add(gr.Sphere(R), at=points, density=2500, **options)
    return gr.Simulation(world, law, threads=1, initial_overlap=0.1)


def gap(sim):
    """Return how high the first grain is above the floor [m]."""
    return sim.world.position[0, 2] - R - sim.wall_forces()["floor"].displacement[2]


def test_below_free_fall_a_grain_stays_on_a_shaking_floor():
    """Started gently (phase -90°), its overlap follows m (g + a) / k, at 25 Hz and 1 kHz contacts.

    It lags by the contact's damping and inertia, (f t_c / π)² and less, a percent at most.
    """
    f, strength = 25.0, 0.8
    omega = 2 * math.pi * f
    law = gr.LinearViscoelastic(0.2, 2e-4)
    stiffness = law.coefficients()[0]
    sim = on_floor(gr.Sine(f, acceleration=strength * G, phase=-math.pi / 2), law=law,
                   points=[(0.0, 0.0, R)])
    sim.run(0.04)
    for _ in range(50):
        sim.run(1e-3)
        wanted = G * (1.0 + strength * math.cos(omega * sim.time)) / stiffness
        assert -gap(sim) == pytest.approx(wanted, abs=0.02 * G / stiffness)


def test_above_free_fall_a_grain_takes_off_where_the_floor_falls_faster():
    """It leaves when A ω² sin(ω t) = g and is free then: its own parabola, until it lands again."""
    f, strength = 20.0, 2.0
    omega = 2 * math.pi * f
    law = gr.LinearViscoelastic(0.2, 1e-4)
    sim = on_floor(gr.Sine(f, acceleration=strength * G, phase=-math.pi / 2), law=law)
    # the wave is -A cos: the acceleration is -g where cos(ω t) = -1 / strength, after the start
    leaves = math.acos(-1.0 / strength) / omega
    amplitude = strength * G / omega**2
    sim.run(leaves - 1e-3)
    assert len(sim.contacts()) == 1
    sim.run(2e-3)
    assert len(sim.contacts()) == 0
    z0, v0 = -amplitude * math.cos(omega * leaves), amplitude * omega * math.sin(omega * leaves)
    flown = 0.012
    sim.run(leaves + flown - sim.time)
    assert len(sim.contacts()) == 0
    flown = sim.time - leaves
    free = z0 + amplitude + v0 * flown - 0.5 * G * flown**2
    # what the compressed contact gives back on the way off: some of its overlap, g / (π/t_c)²
    assert sim.world.position[0, 2] - R == pytest.approx(free, abs=2e-3 * amplitude)


def test_a_ball_bounces_on_a_floor_that_travels_as_on_one_at_rest():
    drop = 3e-3
    still = on_floor(None, points=[(0, 0, R + drop)], velocity=(0.2, 0.0, 0.0), spin=(5.0, 50.0, 0))
    speed = np.array([-0.5, 1.0, 0.7])
    carried = on_floor(gr.Linear(tuple(speed)), points=[(0, 0, R + drop)],
                       velocity=np.array([0.2, 0.0, 0.0]) + speed, spin=(5.0, 50.0, 0.0))
    for _ in range(100):
        still.run(1e-3)
        carried.run(1e-3)
        np.testing.assert_allclose(carried.world.position - speed * carried.time,
                                   still.world.position, atol=1e-13)
        np.testing.assert_allclose(carried.world.spin, still.world.spin, atol=1e-8)
    assert np.abs(still.world.spin[0]).max() > 50.0  # it has met the floor


def test_a_belt_carries_a_ball_off_sliding_then_rolling():
    """Sliding for 2 U / (7 μ g) at the rate μ g; then it rolls at 2/7 of the belt's speed U."""
    speed, friction = 0.3, 0.2
    law = gr.LinearViscoelastic(0.3, 1e-4, friction=friction)
    sag = G / law.coefficients()[0]
    sim = on_floor(gr.Linear((speed, 0, 0)), law=law, points=[(0, 0, R - sag)])
    slides = 2.0 * speed / (7.0 * friction * G)
    sim.run(0.5 * slides)
    assert sim.world.velocity[0, 0] == pytest.approx(friction * G * sim.time, rel=1e-3)
    sim.run(1.5 * slides)
    assert sim.world.velocity[0, 0] == pytest.approx(2.0 / 7.0 * speed, rel=1e-3)
    assert sim.world.spin[0, 1] == pytest.approx(-5.0 / 7.0 * speed / R, rel=1e-3)


def test_a_ball_on_a_turntable_rolls_in_circles_at_two_sevenths_of_its_rate():
    """A solid ball that rolls on a plate turning at Ω goes round at 2/7 Ω, wherever it is."""
    rate, r, v = 6.0, 5e-3, 0.12
    law = gr.LinearViscoelastic(0.3, 1e-4, friction=2.0)
    sag = G / law.coefficients()[0]
    start = np.array([0.05, 0.02])
    # rolling: v - r ω_y = -Ω y and r ω_x = Ω x
    world = gr.World()
    world.add(gr.Plane((0, 0, 0), (0, 0, 1)), moving=gr.Rotation(rate, (0, 0, 1)))
    world.add(gr.Sphere(r), at=[(*start, r - sag)], density=2500, velocity=(v, 0, 0),
              spin=(rate * start[0] / r, (v + rate * start[1]) / r, 0.0))
    sim = gr.Simulation(world, law, threads=1, initial_overlap=0.1)
    for _ in range(5):
        sim.run(0.1)
        angle = 2.0 / 7.0 * rate * sim.time
        np.testing.assert_allclose(world.velocity[0, :2],
                                   [v * math.cos(angle), v * math.sin(angle)], atol=2e-3 * v)
    radius = v / (2.0 / 7.0 * rate)
    place = start + radius * np.array([math.sin(angle), 1.0 - math.cos(angle)])
    np.testing.assert_allclose(world.position[0, :2], place, atol=2e-3 * radius)


def test_a_spring_turns_with_the_plate_that_carries_it():
    """A plate that turns carries a heavy grain on its axis: the twisted spring stays in its frame.

    A grain that touches a turning plate and turns with it, pushed aside by a small steady force,
    would see its spring left behind in the lab; carried along, force and spring turn together.
    """
    rate, r = 20.0, 5e-3
    law = gr.LinearViscoelastic(0.3, 1e-3, friction=0.5)
    still, turning = [], []
    for speed, found in ((0.0, still), (rate, turning)):
        world = gr.World(gravity=(0, 0, -G))
        world.add(gr.Plane((0, 0, 0), (0, 0, 1)), moving=gr.Rotation(speed, (0, 0, 1)))
        world.add(gr.Sphere(r), at=[(0, 0, r - G / law.coefficients()[0])], density=2500,
                  velocity=(1e-3, 0, 0), spin=(0, 0, speed))
        sim = gr.Simulation(world, law, threads=1, initial_overlap=0.1)
        for _ in range(20):
            sim.step(5)
            angle = speed * sim.time
            c, s = math.cos(angle), math.sin(angle)
            x, y, _ = sim.contacts().spring[0]
            found.append((c * x + s * y, c * y - s * x))
    # in the turning frame the Coriolis force bends the way by 2 Ω t, 0.02 rad, and no more
    still, turning = np.array(still), np.array(turning)
    assert np.abs(still).max() > 1e-8
    np.testing.assert_allclose(turning, still, atol=0.1 * np.abs(still).max())


def test_a_plate_that_turns_spins_a_grain_up_by_resistance_to_twisting():
    """The couple μ_t r m g acts on both until they turn alike: at 5/2 μ_t g / r."""
    rate, r, twisting = 20.0, 5e-3, 0.2
    base = gr.LinearViscoelastic(0.3, 1e-3, friction=0.5)
    law = gr.With(base, gr.RollingResistance(0.1, 1e-3, twisting=twisting))
    world = gr.World()
    world.add(gr.Plane((0, 0, 0), (0, 0, 1)), name="plate", moving=gr.Rotation(rate, (0, 0, 1)))
    world.add(gr.Sphere(r), at=[(0, 0, r - G / base.coefficients()[0])], density=2500)
    sim = gr.Simulation(world, law, threads=1, initial_overlap=0.1)
    sim.run(0.01)
    # the spring of twisting winds up within its contact time, and gives back what it held
    assert world.spin[0, 2] == pytest.approx(2.5 * twisting * G / r * sim.time, rel=0.05)
    couple = twisting * r * world.mass[0] * G
    np.testing.assert_allclose(sim.wall_forces()["plate"].torque, [0.0, 0.0, -couple],
                               atol=1e-3 * couple)
    sim.run(0.09)
    assert world.spin[0, 2] == pytest.approx(rate, rel=1e-3)
    assert np.abs(sim.wall_forces()["plate"].torque).max() < 0.01 * couple


def pressed(moving, law, *, height=2 * R, gravity=(0.0, 0.0, -G)):
    world = gr.World(gravity=gravity)
    world.add(gr.Plane((0, 0, 0), (0, 0, 1)), name="floor")
    world.add(gr.Plane((0, 0, height), (0, 0, -1)), name="lid", moving=moving)
    world.add(gr.Sphere(R), at=[(0, 0, R)], density=2500)
    return gr.Simulation(world, law, threads=1)


@pytest.mark.parametrize("heavy", [True, False])
def test_a_piston_rests_on_a_grain(heavy):
    mass, push = 1e-3, 0.02
    sim = pressed(gr.Piston(mass, (0, 0, -1), force=push, gravity=heavy, damping=0.5), LAW)
    sim.run(0.2)
    load = push + (mass * G if heavy else 0.0)
    walls = sim.wall_forces()
    assert walls["lid"].force[2] == pytest.approx(load, rel=1e-9)
    assert -walls["floor"].force[2] == pytest.approx(load + sim.world.mass[0] * G, rel=1e-9)
    stiffness = LAW.coefficients()[0] * sim.world.mass[0]
    sag = load / stiffness + (load + sim.world.mass[0] * G) / stiffness
    assert -walls["lid"].displacement[2] == pytest.approx(sag, rel=1e-9)


def test_a_piston_on_a_grain_swings_at_its_natural_frequency():
    """Two masses and two springs: the slow mode of floor, grain and piston."""
    mass, push = 2e-3, 0.02
    sim = pressed(gr.Piston(mass, (0, 0, -1), force=push, gravity=False), ELASTIC,
                  gravity=(0.0, 0.0, 0.0))
    grain = sim.world.mass[0]
    k = ELASTIC.coefficients()[0] * grain
    squares, modes = eigh([[2 * k, -k], [-k, k]], np.diag([grain, mass]))
    omega, mode = math.sqrt(squares[0]), modes[:, 0] / modes[1, 0]
    swing = 0.2 * push / k
    sim.world.position[0, 2] += -push / k + swing * mode[0]
    sim.world.bodies[0].state[2] = -2 * push / k + swing
    sim.step(0)
    crossings, before = [], swing
    while len(crossings) < 5:
        sim.step(2)
        now = sim.world.bodies[0].state[2] + 2 * push / k
        if before > 0.0 >= now:
            crossings.append(sim.time - 2 * sim.time_step * now / (now - before))
        before = now
    found = 2 * math.pi * 4 / (crossings[-1] - crossings[0])
    assert found == pytest.approx(omega, rel=1e-3)
    assert abs(now) <= 1.01 * swing


def test_a_stepped_force_moves_a_free_body_as_newton_says():
    mass = 0.05
    world = gr.World(gravity=(0, 0, -G), domain=((-1, -1, -1), (1, 1, 1)))
    world.add(gr.SphereWall((0, 0, 0), 5e-3, side="outside"), name="anchor", moving=gr.FreeBody(
        mass, force=(0.0, 0.0, mass * G), steps=((0.1, (1.0, 0.0, 0.0)), (0.2, (0.0, 2.0, 0.0)))))
    world.add(gr.Sphere(1e-3), at=[(0, 0, 0.5)], density=2500)
    sim = gr.Simulation(world, LAW, time_step=1e-5, threads=1)
    sim.run(0.3)
    body = sim.wall_forces()["anchor"]
    half = 0.5 * sim.time_step  # a step of the force is met somewhere within a step of time
    np.testing.assert_allclose(body.velocity, [2.0, 4.0, -2 * G * 0.1], atol=40 * half)
    np.testing.assert_allclose(body.displacement, [0.3, 0.2, -0.5 * G * 0.2**2], atol=12 * half)


def test_a_servo_comes_to_its_force_without_going_beyond():
    """On one grain between two walls, with the stiffness that it was told."""
    probe = pressed(None, LAW)
    k = 0.5 * LAW.coefficients()[0] * probe.world.mass[0]
    wanted = 0.05
    servo = gr.Servo((0, 0, -1), mass=5e-4, stiffness=k, limit=0.01, force=wanted)
    sim = pressed(servo, LAW, height=2 * R + 2e-5)
    most, speed = 0.0, 0.0
    for _ in range(400):
        sim.step(10)
        lid = sim.wall_forces()["lid"]
        most, speed = max(most, lid.force[2]), max(speed, abs(lid.velocity[2]))
    assert speed <= 0.01 * (1 + 1e-12)
    assert most <= wanted * 1.001
    assert lid.force[2] == pytest.approx(wanted, rel=1e-6)


def test_a_servo_holds_the_pressure_on_a_packing():
    """Within 0.1 % at all looks of the last 0.2 s, and at no look more than 0.1 % above it."""
    side, pressure = 0.02, 2e3
    world = gr.World(seed=2)
    world.add(gr.Box((0, 0, 0), (side, side, 0.1), open_top=True), name="box")
    world.add(gr.Random(radius=R, count=60, high=(side, side, 0.05), spread=0.2), density=2500)
    law = gr.LinearViscoelastic(0.3, 4e-4, friction=0.3)
    sim = gr.Simulation(world, law, threads=1)
    sim.run(0.1)
    k = 10 * law.coefficients()[0] * float(world.mass.mean())
    top = float((world.position[:, 2] + world.radius).max())
    world.add(gr.Plane((0, 0, top), (0, 0, -1)), name="lid", moving=gr.Servo(
        (0, 0, -1), mass=0.01, stiffness=k, limit=0.3, pressure=pressure, area=side**2))
    looks = []
    while sim.time < 0.7:
        sim.step(50)
        walls = sim.wall_forces()
        looks.append((sim.time, walls["lid"].force[2] / (pressure * side**2)))
    time, share = np.array(looks).T
    assert share.max() <= 1.001
    np.testing.assert_allclose(share[time > 0.5], 1.0, atol=1e-3)
    weight = float(world.mass.sum()) * G
    total = walls["lid"].force[2] + walls["box"].force[2]
    assert total == pytest.approx(-weight, rel=2e-2)


def triaxial(side, pressure, steps):
    """Return a cell of smooth walls and smooth grains, pressed along x, y and z by servos.

    The walls towards the origin rest. ``steps`` are other pressures along z later on.
    """
    law = gr.LinearViscoelastic(0.1, 4e-4, friction=0.0)
    world = gr.World(seed=5, gravity=(0, 0, 0))
    grain = 2500 * 4.0 / 3.0 * math.pi * R**3
    # of the packing: (side / 2R)² rows of side / 2R grains, each as stiff as a contact
    stiffness = law.coefficients()[0] * grain * side / (2 * R)
    for axis, way in enumerate(np.eye(3)):
        servo = gr.Servo(tuple(-way), mass=3e-3, stiffness=stiffness, limit=0.2, pressure=pressure,
                         area=side**2, steps=steps if axis == 2 else ())
        world.add(gr.Plane((0, 0, 0), tuple(way)))
        world.add(gr.Plane(tuple(side * way), tuple(-way)), name="xyz"[axis], moving=servo)
    world.add(gr.Grow(radius=R, density=0.55, low=(0, 0, 0), high=(side,) * 3, spread=0.1),
              density=2500)
    return gr.Simulation(world, law, threads=1)


def test_three_servos_press_a_cell_of_grains_from_all_sides():
    """Each has its force, and the stress of the grains is that force over the true area.

    At rest Σ a ⊗ f over all contacts is Σ x ⊗ f at the walls: without friction there,
    σ_aa = F_a L_a / V to rounding, whatever the grains do. The servos come to 0.1 % of F_a = p A,
    so that is asked of the stress. The nominal area A is 1 % and more off the true one.

    Shear stress is not zero: forces on opposite walls do not meet at one height. With N forces on a
    wall, scattered as an exponential, the difference of the heights is L / sqrt(3 N), and the
    shear stress as large a share of the pressure. Twice that is allowed.
    """
    side, pressure, later = 0.025, 1e3, 0.6
    sim = triaxial(side, pressure, ((later, 1.2 * pressure),))
    assert 200 < len(sim.world) < 300
    for until, wanted in ((later - 0.01, (1.0, 1.0, 1.0)), (1.4, (1.0, 1.0, 1.2))):
        sim.run(until - sim.time)
        walls = [sim.wall_forces()[name] for name in "xyz"]
        force = np.array([wall.force[axis] for axis, wall in enumerate(walls)])
        size = side + np.array([wall.displacement[axis] for axis, wall in enumerate(walls)])
        np.testing.assert_allclose(force, pressure * side**2 * np.array(wanted), rtol=1e-3)
        true_area = size.prod() / size
        assert np.abs(true_area / side**2 - 1.0).max() > 0.01
        found = sim.measure(gr.Stress(gr.BoxRegion((0, 0, 0), tuple(size))))
        stress = np.array([[found[f"stress_{a}{b}"] for b in "xyz"] for a in "xyz"])
        np.testing.assert_allclose(np.diag(stress), pressure * side**2 * np.array(wanted)
                                   / true_area, rtol=1e-3)
        np.testing.assert_allclose(stress, stress.T, atol=1e-3 * pressure)
        touching = int((sim.contacts().j < 0).sum()) / 6
        assert np.abs(stress - np.diag(np.diag(stress))).max() < (
            2.0 * pressure / math.sqrt(3.0 * touching))
        ratio = stress[2, 2] / stress[0, 0]
        assert ratio == pytest.approx(wanted[2] * true_area[0] / true_area[2], rel=2e-3)


def test_the_weight_of_grains_at_rest_is_on_the_floor():
    world = gr.World()
    world.add(gr.Box((0, 0, 0), (0.01, 0.01, 0.05), open_top=True), name="box")
    world.add(gr.Plane((0, 0, 0.02), (0, 0, 1), extent=(1e-3, 1e-3)))  # a small shelf, untouched
    world.add(gr.Lattice(radius=R, spacing=2.05 * R, low=(0, 0, 0), high=(0.01, 0.01, 0.015)),
              density=2500)
    sim = gr.Simulation(world, gr.LinearViscoelastic(0.2, 1e-3, friction=0.5), threads=1)
    sim.run(1.0)
    walls = sim.wall_forces()
    weight = float(world.mass.sum()) * G
    assert walls["box"].force[2] == pytest.approx(-weight, rel=1e-6)
    middle = (world.mass[:, None] * world.position).sum(axis=0)
    np.testing.assert_allclose(walls["box"].torque[:2], [-G * middle[1], G * middle[0]],
                               atol=1e-6 * weight * 0.01)
    assert not walls["plane"].force.any()

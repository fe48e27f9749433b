"""What a stage changes when it begins, against closed forms and against the same done by hand."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest
from stage_worlds import LAW, STEP, lone, silo, simulation

import granum as gr
from granum.errors import InputError, StageError
from granum.stages import LOOKS

G = 9.81
SHORT = 50 * STEP


def through(sim: gr.Simulation, stages: int) -> gr.Simulation:
    """Return the simulation at the beginning of a stage, counted from 0."""
    while sim.course.number < stages:
        sim.step_in_stage(10**6)
    return sim


# ---- gravity and the time step ---------------------------------------------------------------


def test_gravity_changes_at_once():
    """Constant acceleration is exact under the integrator, also in the first step of a stage."""
    sim = simulation(lone(), stages=[gr.Stage("down", SHORT), gr.Stage(
        "aside", SHORT, gravity=(3, 0, 0)), gr.Stage("no", SHORT, gravity=(0, 0, 0))])
    sim.run()
    t = SHORT
    x = 1.5 * t**2 + 3 * t * t
    z = 0.1 - 0.5 * G * t**2 - 2 * G * t * t
    assert sim.world.position[0] == pytest.approx([x, 0, z], rel=1e-12, abs=1e-15)
    assert sim.world.velocity[0] == pytest.approx([3 * t, 0, -G * t], rel=1e-12)


def test_the_time_step_changes_and_time_goes_on():
    stages = [gr.Stage("long", 33 * STEP), gr.Stage("short", 0.01, time_step=0.37 * STEP),
              gr.Stage("long again", 0.01, time_step=STEP)]
    sim = simulation(lone(), stages=stages)
    through(sim, 1)
    assert sim.time == pytest.approx(33 * STEP, rel=1e-15)
    assert 0.95 * 0.37 * STEP < sim.time_step <= 0.37 * STEP
    sim.run()
    assert sim.time_step <= STEP * (1 + 1e-12)
    assert sim.time == pytest.approx(33 * STEP + 0.02, abs=2 * STEP)
    assert sim.time == pytest.approx(sim.course.record[-1]["ended"], rel=1e-15)
    assert sim.world.position[0, 2] == pytest.approx(0.1 - 0.5 * G * sim.time**2, rel=1e-12)
    assert sim.world.velocity[0, 2] == pytest.approx(-G * sim.time, rel=1e-12)


@pytest.mark.parametrize("second", [0.5, 0.23, 1.7])
def test_a_contact_goes_through_a_change_of_the_time_step(second):
    """The damped oscillator v0/ω exp(-γ t) sin(ω t), to the second order of either step."""
    gamma, omega = math.log(2.0) / 1e-3, math.pi / 1e-3

    def motion(t: float) -> tuple[float, float]:
        depth = 0.1 / omega * math.exp(-gamma * t) * math.sin(omega * t)
        return depth, 0.1 * math.exp(-gamma * t) * math.cos(omega * t) - gamma * depth

    world = gr.World((0, 0, 0))
    world.add(gr.Plane((0, 0, 0), (0, 0, 1)))
    depth, rate = motion(1e-4)
    world.add(gr.Sphere(1e-3), at=[(0, 0, 1e-3 - depth)], density=2500, velocity=(0, 0, -rate))
    sim = simulation(world, time_step=0.5 * STEP, initial_overlap=0.1, stages=[
        gr.Stage("in", 0.3e-3), gr.Stage("out", 0.3e-3, time_step=0.5 * second * STEP)])
    sim.run()
    depth, rate = motion(1e-4 + sim.time)
    assert 1e-3 - sim.world.position[0, 2] == pytest.approx(depth, rel=5e-4)
    assert -sim.world.velocity[0, 2] == pytest.approx(rate, abs=5e-5)


# ---- walls -----------------------------------------------------------------------------------


def test_a_floor_that_opens_lets_grains_fall_and_one_that_is_shut_does_not():
    sim = simulation(silo(), stages=[gr.Stage("shut", 0.1, close="floor"),
                                     gr.Stage("open", 0.1, open="floor")])
    through(sim, 1)
    assert (sim.world.position[:, 2] > 0).all()
    assert "hole of radius 0.005 m that opens at 0.1 s" in sim.world.walls[1].describe()
    sim.run()
    assert (sim.world.position[:, 2] < 0).sum() > 3


def test_a_stage_that_would_shut_a_hole_on_a_grain_cannot_begin():
    world = silo(1)
    world.position = [(0, 0, 5e-4)]
    sim = simulation(world, stages=[gr.Stage("fall", 5 * STEP), gr.Stage("shut", 1.0,
                                                                        close="floor")])
    with pytest.raises(StageError, match=r"stage 'shut' cannot begin at t = 0\.0001 s: .* cuts"):
        sim.run()
    assert sim.world.walls[1].opens == 0.0
    with pytest.raises(StageError, match="cannot begin"):
        sim.step(1)


def test_a_wall_is_taken_out_and_others_keep_their_contacts():
    """Grains on the ground remember it, although its number in the table changes."""
    world = gr.World(seed=1)
    world.add(gr.Plate((0, 0, 0.02), (0, 0, 1), radius=0.02), name="shelf")
    world.add(gr.Plane((0, 0, 0), (0, 0, 1)), name="ground")
    at = [(0, 0, 1e-3 - 1e-8), (0.01, 0, 1e-3 - 1e-8), (0, 0, 0.021 - 1e-8)]
    world.add(gr.Sphere(1e-3), at=at, density=2500, velocity=[(0.01, 0, 0)] * 3)
    world.domain = (np.array([-1.0] * 3), np.array([1.0] * 3))
    sim = simulation(world, initial_overlap=0.01,
                     stages=[gr.Stage("slide", 2e-3), gr.Stage("drop", 2e-3, remove="shelf")])
    through(sim, 1)
    _, before = sim._engine.memory()
    sim = gr.Simulation.from_state(*sim.state(), 1)
    assert world.names.keys() == {world.walls[0]}
    springs = {int(i): spring for i, spring in zip(before.i, before.spring, strict=True)}
    assert set(springs) == {0, 1}
    assert before.j.tolist() == [0, 0]
    # one that begins anew is stretched by half a step only, 1e-7 m
    assert all(abs(spring[0]) > 5e-7 for spring in springs.values())
    sim.run()
    assert sim.world.velocity[2, 2] == pytest.approx(-G * 2e-3, abs=1e-5)
    assert sim.sample()["shelf_force_z"] == 0.0
    assert sim.sample()["ground_force_z"] < 0.0


def test_a_wall_goes_on_from_where_it_is():
    """Shaken, stopped, carried along, shaken anew: its way has no jump."""
    world = lone()
    world.add(gr.Plane((0, 0, -1), (0, 0, 1)), name="floor")
    shake = gr.Sine(20, amplitude=1e-3)
    stages = [gr.Stage("still", 0.004), gr.Stage("shake", 0.013, motions={"floor": shake}),
              gr.Stage("stop", 0.005, motions={"floor": "stop"}),
              gr.Stage("carry", 0.01, motions={"floor": gr.Linear((0, 0, 0.1))}),
              gr.Stage("path", 0.01, motions={"floor": gr.Path((0, 0.02), ((0, 0, 0),
                                                                           (0, 0, 1e-3)))}),
              gr.Stage("stop again", 0.004, motions={"floor": "stop"}),
              gr.Stage("shake again", 0.01, motions={"floor": shake})]
    sim = simulation(world, stages=stages)
    way = []
    while not sim.is_finished:
        way.append((sim.time, sim.wall_forces()["floor"].displacement[2]))
        sim.step(5)
    t, z = np.array(way).T
    omega = 2 * math.pi * 20
    shaken = 1e-3 * math.sin(omega * 0.013)
    carried = shaken + 1e-3
    halfway = carried + 0.5e-3  # a path from rest to rest is symmetric
    wanted = np.select(
        [t <= 0.004, t <= 0.017, t <= 0.022, t <= 0.032, t <= 0.042, t <= 0.046],
        [0.0, 1e-3 * np.sin(omega * (t - 0.004)), shaken, shaken + 0.1 * (t - 0.022), np.nan,
         halfway], halfway + 1e-3 * np.sin(omega * (t - 0.046)))
    known = ~np.isnan(wanted)
    assert z[known] == pytest.approx(wanted[known], abs=1e-15)
    assert np.abs(np.diff(z)).max() < 1.05 * 1e-3 * omega * 5 * STEP


def test_a_piston_is_let_go_and_held():
    """Under its own weight it falls as a stone does, from when it is let go."""
    world = lone((0, 0, 5))
    world.add(gr.Plane((0, 0, 1), (0, 0, -1)), name="lid")
    world.position = [(0, 0, -5)]
    piston = gr.Piston(mass=0.01, direction=(0, 0, -1))
    sim = simulation(world, stages=[
        gr.Stage("hold", 0.01), gr.Stage("fall", 0.01, motions={"lid": piston}),
        gr.Stage("held", 0.01, motions={"lid": "stop"})])
    through(sim, 2)
    assert sim.wall_forces()["lid"].displacement[2] == pytest.approx(-0.5 * G * 1e-4, rel=1e-9)
    sim.run()
    assert sim.wall_forces()["lid"].displacement[2] == pytest.approx(-0.5 * G * 1e-4, rel=1e-9)
    assert sim.wall_forces()["lid"].velocity[2] == 0.0


def test_a_wall_that_was_carried_becomes_a_piston_where_it_is():
    world = lone((0, 0, -5))
    world.add(gr.Plane((0, 0, 1), (0, 0, -1)), name="lid", moving=gr.Linear((0, 0, 0.2)))
    sim = simulation(world, stages=[gr.Stage("carry", 0.01), gr.Stage(
        "let go", 0.01, motions={"lid": gr.Piston(mass=0.01, direction=(0, 0, -1))})])
    sim.run()
    wanted = 0.2 * 0.01 - 0.5 * G * 1e-4
    assert sim.wall_forces()["lid"].displacement[2] == pytest.approx(wanted, rel=1e-9)


def test_times_of_motions_count_from_the_stage():
    world = lone()
    world.add(gr.Plane((0, 0, -1), (0, 0, 1)), name="floor")
    late = gr.Linear((0, 0, 0.1), starts=0.004, stops=0.006)
    sim = simulation(world, stages=[gr.Stage("still", 0.01),
                                    gr.Stage("move", 0.01, motions={"floor": late})])
    sim.run(0.0139)
    assert sim.wall_forces()["floor"].displacement[2] == 0.0
    sim.run()
    assert sim.wall_forces()["floor"].displacement[2] == pytest.approx(2e-4, rel=1e-9)


# ---- law, medium, grains ---------------------------------------------------------------------


def sliding(**options) -> gr.Simulation:
    """Return a grain that slides on a floor without spin, kept from rolling by its inertia."""
    world = gr.World()
    world.add(gr.Plane((0, 0, 0), (0, 0, 1)), name="floor")
    world.add(gr.Sphere(1e-3), at=[(0, 0, 1e-3)], density=2500, velocity=(1, 0, 0))
    return simulation(world, **options)


def test_friction_changes():
    """Coulomb's force is its coefficient times the weight; without friction speed is kept."""
    slippery = dataclasses.replace(LAW, friction=0.0)
    sim = sliding(stages=[gr.Stage("rough", 0.02), gr.Stage("smooth", 0.01, law=slippery),
                          gr.Stage("rough again", 0.02, law=LAW)])
    through(sim, 1)
    first = sim.world.velocity[0, 0]
    assert first == pytest.approx(1 - 0.3 * G * 0.02, rel=2e-3)
    through(sim, 2)
    assert sim.world.velocity[0, 0] == pytest.approx(first, abs=1e-9)
    sim.run()
    assert sim.world.velocity[0, 0] == pytest.approx(first - 0.3 * G * 0.02, rel=2e-3)


def test_damping_comes_and_goes():
    mass = 2500 * 4 / 3 * math.pi * 1e-9
    thick = gr.With(LAW, gr.Damping(translational=mass / 0.01))
    sim = simulation(lone(gravity=(0, 0, 0)), stages=[
        gr.Stage("free", 0.01), gr.Stage("thick", 0.01, law=thick),
        gr.Stage("free again", 0.01, law=LAW)])
    sim.world.velocity = [(1, 0, 0)]
    through(sim, 1)
    assert sim.world.velocity[0, 0] == 1.0
    through(sim, 2)
    slow = sim.world.velocity[0, 0]
    assert slow == pytest.approx(math.exp(-1), rel=1e-5)
    sim.run()
    assert sim.world.velocity[0, 0] == pytest.approx(slow, rel=2e-3)  # half a step of damping


def pouring(stages) -> gr.Simulation:
    world = gr.World(seed=3)
    world.add(gr.Box((0, 0, 0), (0.05, 0.05, 0.1), open_top=True))
    world.add(gr.Pour(radius=1e-3, count=100, rate=1000, low=(0, 0, 0.05), high=(0.05, 0.05, 0.09)),
              density=2500)
    return simulation(world, stages=stages)


def test_pouring_goes_off_and_on():
    """What was missed does not come: the stream goes on where it was."""
    sim = pouring([gr.Stage("on", 0.01), gr.Stage("off", 0.02, pour="off"),
                   gr.Stage("on again", 0.01, pour="on")])
    through(sim, 1)
    first = len(sim.world)
    assert 9 <= first <= 10
    through(sim, 2)
    assert len(sim.world) == first
    sim.run()
    assert first + 9 <= len(sim.world) <= first + 10


def test_pouring_that_begins_later():
    sim = pouring([gr.Stage("wait", 0.01, pour="off"), gr.Stage("pour", 0.01, pour="on")])
    through(sim, 1)
    assert len(sim.world) == 0
    sim.run()
    assert 9 <= len(sim.world) <= 10


def test_the_energy_budget_closes_over_changes():
    """What changes by hand is booked: a law that stiffens, gravity, a wall that is taken out."""
    rough = gr.LinearViscoelastic(0.5, 1e-3, 0.3)
    stiff = dataclasses.replace(rough, contact_time=5e-4)
    law, other = (gr.With(one, gr.RollingResistance(0.1, 1e-3), gr.Damping(1e-5))
                  for one in (rough, stiff))
    world = silo(12)
    sim = gr.Simulation(world, law, threads=1, budget=True, stages=[
        gr.Stage("settle", 0.06, close="floor"),
        gr.Stage("stiff", 0.01, law=other, time_step=0.5 * STEP),
        gr.Stage("aside", 0.01, gravity=(2, 0, -9)), gr.Stage("away", 0.02, remove="floor")])
    sim.run()
    budget = sim.budget()
    assert abs(budget.unaccounted) < 1e-4 * (abs(budget.start) + budget.dissipated)
    assert budget.from_gravity != 0.0


# ---- ends ------------------------------------------------------------------------------------


def test_a_condition_is_asked_at_fixed_numbers_of_steps():
    sim = simulation(lone(), stages=[gr.Stage("first", 37 * STEP), gr.Stage(
        "fall", until=gr.Compare("fastest", ">", 0.05))])
    sim.run()
    record = sim.course.record[-1]
    assert (record["ended_step"] - record["began_step"]) % LOOKS == 0
    steps = math.ceil((0.05 / G / STEP - 37) / LOOKS) * LOOKS
    assert record["ended_step"] - record["began_step"] == steps
    assert record["why"] == "fastest is above 0.05 m/s"


def test_a_duration_beside_a_condition_is_the_least_time():
    sim = simulation(lone(), stages=[gr.Stage("fall", 0.01, until=gr.Compare("time", ">", 0.0))])
    sim.run()
    assert sim.time == pytest.approx(0.01)


@pytest.mark.parametrize("otherwise", ["stop", "go on"])
def test_the_guard(otherwise):
    sim = simulation(lone(), stages=[
        gr.Stage("wait", until=gr.Compare("grains", ">", 5), at_most=0.0101, otherwise=otherwise),
        gr.Stage("then", 0.001)])
    if otherwise == "go on":
        sim.run()
        assert sim.course.record[0]["ended"] == pytest.approx(0.0101)
        assert "its 0.0101 s were over" in sim.course.record[0]["why"]
        return
    with pytest.raises(StageError, match=r"stage 'wait' did not end at t = 0\.0101"):
        sim.run()
    again = gr.Simulation.from_state(*sim.state(), 1)
    with pytest.raises(StageError, match="stage 'wait' did not end"):
        again.step(1)


def test_what_ends_everything_ends_it_in_any_stage():
    stop = gr.Compare("height", "<", 0.0995)
    for stages in ([], [gr.Stage("a", 0.002), gr.Stage("b", 1.0), gr.Stage("c", 1.0)]):
        sim = simulation(lone(), stages=stages, stop=stop)
        sim.run()
        assert sim.is_finished
        assert sim.world.position[0, 2] < 0.0995
        assert sim.time < math.sqrt(2 * 0.0005 / G) + 2 * LOOKS * STEP
        with pytest.raises(InputError, match="has come to its end"):
            sim.step(1)


def test_steps_and_times_go_across_stages():
    stages = [gr.Stage("a", 0.01), gr.Stage("b", 0.01, time_step=0.5 * STEP), gr.Stage("c", 1.0)]
    sim = simulation(lone(), stages=stages)
    sim.step(600)
    assert (sim.steps, sim.course.number) == (600, 1)
    sim.run(0.02)
    assert sim.time == pytest.approx(0.031, abs=STEP)
    assert sim.course.number == 2


def test_a_simulation_without_stages_needs_a_duration():
    with pytest.raises(InputError, match="run needs a duration"):
        simulation(lone()).run()

"""When something is wrong: the right error, the grain, the time, and what to do about it."""

import contextlib
import re

import engine_worlds as worlds
import numpy as np
import pytest
from engine_worlds import LAW, STEP, differences, simulation

import granum as gr
from granum.errors import GranumError, InputError, NumericalError

ADVICE = ("contact_time", "time_step", "fiftieth")


def scattered(**world_options):
    """Grains with ids 2, 4, 5, 7, 8 whose order in memory is not that of their ids."""
    world = gr.World(gravity=(0.0, 0.0, 0.0), **world_options)
    points = [(0.09 - 0.01 * k, 0.02 + 0.03 * (k % 2), 0.05) for k in range(9)]
    world.add(gr.Sphere(5e-3), at=points, density=2500.0)
    world.remove([0, 1, 3, 6])
    return world


def fails(sim, steps, *words):
    """Run into trouble; return the error, after a look at what it tells."""
    with pytest.raises(NumericalError) as caught:
        sim.step(steps)
    error = caught.value
    assert isinstance(error.grain, int)
    assert f"grain {error.grain}" in str(error)
    assert f"t = {error.time:.6g} s" in str(error)
    assert error.time == pytest.approx(sim.time)
    assert error.exit_code == 3
    for word in words:
        assert word in str(error), word
    return error


# ---- too deep ---------------------------------------------------------------------------------

def test_grains_that_collide_too_fast_for_their_softness():
    world = scattered()
    world.position[2] = (0.3, 0.02, 0.05)
    world.position[3] = (0.32, 0.02, 0.05)
    world.velocity[2:4, 0] = 15.0, -15.0
    error = fails(simulation(world), 100, *ADVICE, "grain 5", "grain 7", "0.005 m")
    assert error.grain in {5, 7}
    assert 0.0 < error.time < 100 * STEP


def test_a_small_grain_is_deep_by_its_own_radius():
    """Half of the smaller radius counts, however large the other one is; the smaller is named."""
    world = gr.World(gravity=(0.0, 0.0, 0.0))
    world.add(gr.Sphere([0.1, 1e-3]), at=[(0.0, 0.0, 0.0), (0.1011, 0.0, 0.0)], density=2500.0,
              velocity=[(0.0, 0.0, 0.0), (-3.0, 0.0, 0.0)])
    error = fails(simulation(world), 100, *ADVICE, "deep in grain 0", "0.001 m")
    assert error.grain == 1


def test_overlap_just_below_and_just_above_half_a_radius():
    for share, deep in ((0.499, False), (0.501, True)):
        world = gr.World(gravity=(0.0, 0.0, 0.0))
        world.add(gr.Sphere([5e-3, 8e-3]), at=[(0.0, 0.0, 0.0), (13e-3 - share * 5e-3, 0.0, 0.0)],
                  density=2500.0)
        if deep:
            with pytest.raises(NumericalError, match=r"grain 0 is .* deep in grain 1 at t = 0 s"):
                simulation(world, initial_overlap=1.0)
        else:
            sim = simulation(world, initial_overlap=1.0)
            sim.step(1)
            assert sim.contacts().overlap == pytest.approx([share * 5e-3], rel=0.1)


def test_deep_across_the_end_of_a_periodic_cell():
    world = gr.World(gravity=(0.0, 0.0, 0.0), periodic=(0.1, None, None))
    world.add(gr.Sphere(5e-3), at=[(0.003, 0.0, 0.0), (0.09, 0.0, 0.0)], density=2500.0,
              velocity=[(-15.0, 0.0, 0.0), (15.0, 0.0, 0.0)])
    error = fails(simulation(world), 100, *ADVICE)
    depth = float(str(error).split(" is ")[1].split(" m")[0])
    assert 0.5 * 5e-3 < depth < 2 * 5e-3, "the depth is that to the nearest image"


@pytest.mark.parametrize(("direction", "name"), [(-1.0, "box: low x"), (1.0, "box: high x")])
def test_a_wall_is_called_by_its_name(direction, name):
    world = scattered()
    world.add(gr.Box((0.0, 0.0, 0.0), (0.1, 0.1, 0.1)))
    world.velocity[0 if direction > 0.0 else 4] = (direction * 30.0, 0.0, 0.0)
    error = fails(simulation(world), 100, *ADVICE, f"wall {name!r}")
    assert error.grain == (2 if direction > 0.0 else 8)


def test_a_grain_put_into_another_one_by_hand():
    world = scattered()
    sim = simulation(world)
    sim.step(5)
    world.position[1] = world.position[3] + (6e-3, 0.0, 0.0)
    error = fails(sim, 1, *ADVICE)
    assert error.grain in {4, 7}


def test_two_grains_at_the_same_place():
    world = scattered()
    sim = simulation(world)
    sim.step(5)
    world.position[1] = world.position[3]
    assert fails(sim, 1, *ADVICE)


# ---- too fast, not finite ---------------------------------------------------------------------

@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("steps", [0, 1, 100])
def test_velocity_that_is_not_finite(bad, steps):
    world = scattered()
    sim = simulation(world)
    sim.step(steps)
    world.velocity[3, 1] = bad
    error = fails(sim, 10, *ADVICE, "not a finite number")
    assert error.grain == 7
    assert error.time == steps * STEP


@pytest.mark.parametrize("name", ["position", "spin", "orientation"])
def test_any_state_that_is_not_finite(name):
    """A NaN is noticed even if the grain touches nothing and so spoils no force."""
    world = scattered()
    sim = simulation(world)
    sim.step(1)
    getattr(world, name)[3, 1] = np.nan
    error = fails(sim, 10, "not a finite number")
    assert error.grain == 7


@pytest.mark.parametrize("bad", [np.nan, -1e-3, 0.0])
@pytest.mark.parametrize("name", ["radius", "mass"])
def test_sizes_and_masses_without_a_meaning_written_by_hand(name, bad):
    world = scattered()
    sim = simulation(world)
    sim.step(1)
    getattr(world, name)[3] = bad
    with pytest.raises(GranumError, match="grain 7"):
        sim.step(1)


@pytest.mark.parametrize("name", ["position", "velocity", "spin", "orientation"])
def test_a_state_that_is_not_finite_can_be_looked_at(name, tmp_path):
    """Looking at a broken state, or saving it, may be refused, but it must come to an end."""
    world = worlds.gas()
    sim = simulation(world)
    sim.step(100)
    getattr(world, name)[3, 1] = np.nan
    for look in (sim.contacts, sim.fingerprint, sim.sample, sim.state,
                 lambda: sim.save(tmp_path / "checkpoint")):
        with contextlib.suppress(NumericalError):
            look()
    assert fails(sim, 1, "not a finite number").grain == 3
    assert sim.steps == 100
    assert np.isnan(sim.state()[0][f"grains/{name}"][3, 1])


def test_a_grain_too_fast_for_the_time_step():
    world = scattered()
    speed = 0.51 * 5e-3 / STEP
    world.velocity[3] = (0.0, speed, 0.0)
    world.velocity[1] = (0.0, 0.0, 0.1)
    error = fails(simulation(world), 10, *ADVICE, f"{speed:.4g} m/s", "half the smallest radius")
    assert error.grain == 7


def test_a_grain_just_slow_enough():
    world = scattered()
    world.velocity[3] = (0.0, 0.0, 0.49 * 5e-3 / STEP)
    sim = simulation(world)
    sim.step(20)
    assert world.position[3, 2] == pytest.approx(0.05 + 20 * 0.49 * 5e-3)


# ---- lost -------------------------------------------------------------------------------------

def tray(**world_options):
    """Grains in a tube without a floor; two of them are held by a plate beside the hole."""
    world = gr.World(gravity=(0.0, 0.0, -50.0), **world_options)
    world.add(gr.Cylinder((0.0, 0.0, 0.0), (0.0, 0.0, 1.0), radius=0.05, height=0.1))
    world.add(gr.Plate((0.0, 0.0, 0.0), (0.0, 0.0, 1.0), radius=0.05, hole=0.02))
    world.add(gr.Sphere(5e-3), at=[(0.04, 0.0, 0.01), (0.0, 0.0, 0.02), (-0.04, 0.0, 0.01),
                                   (0.0, 0.0, 0.05)], density=2500.0)
    return world


def test_a_lost_grain_stops_the_run():
    world = tray()
    error = fails(simulation(world), 5000, "lost", "domain", 'leaving = "remove"')
    assert error.grain == 1
    low, _ = world.limits()
    assert world.position[1, 2] < low[2]
    assert f"{world.position[1, 2]:.4g}" in str(error)
    assert round(error.time / STEP) % 100 == 0


def test_the_domain_can_be_given():
    world = tray(domain=((-1.0, -1.0, -0.03), (1.0, 1.0, 1.0)))
    error = fails(simulation(world), 5000, "lost")
    assert error.grain == 1
    fall = np.sqrt(2.0 * 0.05 / 50.0)
    assert fall <= error.time <= fall + 101 * STEP


def test_grains_that_leave_are_removed():
    world = tray(leaving="remove")
    sim = simulation(world)
    sim.step(2500)
    assert world.id.tolist() == [0, 2]
    assert np.abs(world.position[:, 2] - 5e-3).max() < 1e-4
    assert set(sim.contacts().i.tolist()) == {0, 2}


def test_the_last_grain_leaves():
    """An empty world goes on in time."""
    world = tray(leaving="remove")
    world.remove([0, 2])
    sim = simulation(world)
    sim.step(3000)
    assert len(world) == 0
    assert sim.steps == 3000
    assert len(sim.contacts()) == 0
    assert sim.sample()["grains"] == 0
    assert differences(worlds.reloaded(sim), sim) == []


# ---- refused before anything runs -------------------------------------------------------------

def refused(make, *words):
    """What ``make`` builds is refused as bad input; return the message, which holds all words."""
    with pytest.raises(InputError) as caught:
        make()
    assert caught.value.exit_code == 2
    for word in words:
        assert word in str(caught.value), word
    return str(caught.value)


def pair(distance, radius=5e-3, **world_options):
    world = gr.World(**world_options)
    world.add(gr.Sphere(radius), at=[(0.05, 0.05, 0.05), (0.05 + distance, 0.05, 0.05)],
              density=2500.0)
    return world


def test_overlapping_grains():
    assert refused(lambda: simulation(pair(9.9e-3)), "grains 0 and 1 overlap by 0.0001 m",
                   "1 pairs")
    assert refused(lambda: simulation(pair(0.092, periodic=(0.1, None, None))),
                   "grains 0 and 1 overlap")
    assert len(simulation(pair(9.9e-3), initial_overlap=0.03).contacts()) == 1
    assert len(simulation(pair(0.01)).contacts()) == 0


def test_grains_outside_the_container():
    world = pair(0.06)
    world.add(gr.Box((0.0, 0.0, 0.0), (0.1, 0.1, 0.1)))
    assert refused(lambda: simulation(world), "grain 1 at (0.11, 0.05, 0.05) m is outside", "box",
                   "1 of 2 grains")


def test_grains_in_a_wall():
    world = pair(0.046)
    world.add(gr.Box((0.0, 0.0, 0.0), (0.1, 0.1, 0.1)))
    assert refused(lambda: simulation(world),
                   "grain 1 at (0.096, 0.05, 0.05) m cuts 0.001 m into a wall")


@pytest.mark.parametrize("radius", [-1e-3, 0.0, np.nan, np.inf])
def test_radius_that_is_not_positive(radius):
    assert refused(lambda: pair(0.1, radius), "radius of grain 0 must be greater than 0")
    assert refused(lambda: pair(0.1, np.array([1e-3, radius])), "radius of grain 1")


@pytest.mark.parametrize("time_step", [1.01e-4, 1.0, 0.0, -1e-5, np.nan])
def test_time_step_too_long_or_without_a_meaning(time_step):
    assert refused(lambda: simulation(pair(0.1), time_step=time_step), "time_step")


def test_time_step_of_a_tenth_of_the_contact_time():
    """The longest step that the message names is one that is taken."""
    for contact_time in (1e-3, 3e-4, 7e-5):
        law = gr.LinearViscoelastic(restitution=0.5, contact_time=contact_time)
        told = law.time_steps(np.zeros(0), np.zeros(0)).longest
        for longest in (told, float(f"{told:g}")):
            assert simulation(pair(0.1), law, time_step=longest).time_step == longest


def test_time_step_is_recommended_in_the_message():
    assert refused(lambda: simulation(pair(0.1), time_step=2e-4), "0.0002 s", "0.0001 s", "2e-05 s")
    assert gr.Simulation(pair(0.1), LAW, threads=1).time_step == pytest.approx(2e-5)


def test_hole_larger_than_its_plate():
    assert refused(lambda: gr.Plate((0.0, 0.0, 0.0), (0.0, 0.0, 1.0), radius=0.05, hole=0.06),
                   "Plate hole", "0.06 m", "0.05 m")


def test_no_grains():
    assert refused(lambda: simulation(gr.World()), "no grains")
    world = worlds.pouring()
    world.remove(world.id)
    simulation(world).step(60)
    assert len(world) > 0


def test_unknown_words():
    assert refused(lambda: simulation(pair(0.1), integrator="euler"), "integrator = 'euler'",
                   "'verlet'", "'constant-acceleration'")
    assert refused(lambda: simulation(pair(0.1), neighbours="octree"), "'octree'", "'cells'")
    assert refused(lambda: gr.World(leaving="explode"), "'explode'", "'stop'", "'remove'")
    assert refused(lambda: gr.World(dimension=4), "dimension", "4")


@pytest.mark.parametrize("threads", [0, -1, 100_000])
def test_threads_out_of_range(threads):
    assert refused(lambda: simulation(pair(0.1), threads=threads), f"threads = {threads}",
                   "between 1 and")


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_periodic_cell_too_short(axis):
    cell = [None, None, None]
    cell[axis] = 0.0205
    world = gr.World(periodic=cell)
    world.add(gr.Sphere(5e-3), at=[(5e-3, 5e-3, 5e-3), (0.015, 0.015, 0.015)], density=2500.0)
    assert refused(lambda: simulation(world), "periodic cell", f"in {'xyz'[axis]}", "0.005 m")


def test_periodic_length_without_a_meaning():
    for length in (0.0, -1.0, np.inf):
        assert refused(lambda length=length: gr.World(periodic=(length, None, None)), "periodic",
                       "in x")


def test_a_2d_world_stays_in_its_plane():
    flat = gr.World(dimension=2)
    for what in ({"at": [(0.0, 0.0, 0.1)]}, {"at": [(0.0, 0.0)], "velocity": (0.0, 0.0, 1.0)},
                 {"at": [(0.0, 0.0)], "spin": (1.0, 0.0, 0.0)}):
        assert refused(lambda what=what: flat.add(gr.Disc(0.01), density=2500.0, **what), "2D")
    assert refused(lambda: flat.add(gr.Sphere(0.01), at=[(0.0, 0.0)], density=1.0), "Disc",
                   "Sphere")


@pytest.mark.parametrize("steps", [-1, 2.5, "3"])
def test_steps_that_are_no_number_of_steps(steps):
    sim = simulation(pair(0.1))
    assert refused(lambda: sim.step(steps), "steps")
    assert sim.steps == 0


@pytest.mark.parametrize("duration", [-1e-3, np.nan, np.inf])
def test_durations_without_a_meaning(duration):
    sim = simulation(pair(0.1))
    assert refused(lambda: sim.run(duration), "duration")
    assert sim.steps == 0


WILD = [
    (lambda: gr.Plane((0, 0, 0), (1e300, 0, 0)), "normal", "too large"),
    (lambda: gr.Plane((0, 0, 0), (1e-300, 0, 0)), "normal", "too small"),
    (lambda: gr.Cylinder((0, 0, 0), (0, 0, 1), radius=1e200), "Cylinder radius", "too large"),
    (lambda: gr.Turn(0.0, 1.0, axis=(0, 0, -1e17)), "axis", "too large"),
    (lambda: pair(0.1, 1e-40), "radius of grain 0", "too small"),
    (lambda: pair(0.1, np.array([1e-3, 1e20])), "radius of grain 1", "too large"),
    (lambda: gr.World(gravity=(0, 0, -1e200)), "gravity", "too large"),
    (lambda: gr.World(periodic=(1e-35, None, None)), "periodic length in x", "too small"),
    (lambda: gr.World(domain=((0, 0, 0), (1, 1, 1e16))), "domain high", "too large"),
    (lambda: gr.World(seed=-1), "seed must be at least 0"),
    (lambda: gr.World(seed=1.5), "seed must be a whole number"),
    (lambda: pair(1e200), "at", "too large"),
    (lambda: gr.World().add(gr.Sphere(1.0), at=[(0, 0, 0)], density=1e20), "density", "too large"),
    (lambda: gr.World().add(gr.Sphere(1.0), at=[(0, 0, 0)], density=1.0, velocity=(0, 0, 1e99)),
     "velocity", "too large"),
    (lambda: gr.World().add(gr.Sphere(1.0), at=[(0, 0, 0)], density=1.0, spin=(0, 0, 1e99)),
     "spin", "too large"),
    (lambda: gr.Explicit(points=[(0, 0, 1e40)], radius=1.0), "points", "too large"),
    (lambda: gr.Random(radius=1e-50, count=3), "Random radius", "too small"),
    (lambda: gr.LinearViscoelastic(restitution=0.5, contact_time=1e-40), "contact", "too small"),
]


@pytest.mark.parametrize("case", WILD, ids=lambda case: " ".join(case[1:]))
def test_wild_numbers_are_refused_as_in_scenario_files(case):
    assert refused(*case)


def test_coordinates_may_be_as_small_as_they_like():
    world = gr.World()
    world.add(gr.Sphere(1.0), at=[(1e-300, 0.0, -5e-324)], density=1.0, velocity=(1e-200, 0.0, 0.0))
    assert world.position.tolist() == [[1e-300, 0.0, -5e-324]]


def test_sizes_of_any_ratio_can_be_simulated():
    """A grain of dust on a planet: no grid, and no triangulation, is made for that, yet both do."""
    for neighbours in ("cells", "triangulation"):
        world = gr.World(gravity=(0.0, 0.0, 0.0))
        world.add(gr.Sphere(np.array([1e3, 1e-6])), at=[(0, 0, 0), (1e3 + 2e-6, 0, 0)],
                  density=1e3, velocity=[(0, 0, 0), (-0.1, 0, 0)])
        sim = simulation(world, neighbours=neighbours, time_step=1e-6,
                         law=gr.LinearViscoelastic(restitution=1.0, contact_time=1e-5))
        sim.step(40)
        assert world.velocity[1, 0] == pytest.approx(0.1, rel=1e-2)


def test_a_refused_world_is_left_as_it_was():
    world = pair(9.9e-3)
    before = {name: array.copy() for name, array in world.grains.arrays().items()}
    assert refused(lambda: simulation(world), "overlap")
    for name, array in world.grains.arrays().items():
        assert np.array_equal(array, before[name]), name


def test_gravity_may_be_an_array():
    assert gr.World(gravity=np.array([0.0, 1.0, -9.0])).gravity.tolist() == [0.0, 1.0, -9.0]


def test_no_gravity_is_no_gravity():
    for nothing in ((0.0, 0.0, 0.0), [0, 0, 0]):
        assert gr.World(gravity=nothing).gravity.tolist() == [0.0, 0.0, 0.0]


def test_a_step_too_long_for_grains_that_touch_at_many_points_says_how_many():
    """A box full of cells: what is recommended for one contact is too long for all together."""
    world = gr.World(gravity=(0.0, 0.0, 0.0), seed=1)
    world.add(gr.Box((0, 0, 0), (0.04, 0.04, 0.04)))
    world.add(gr.Voronoi(count=40, radius=0.3e-3, relaxations=2), density=2600.0)
    law = gr.LinearViscoelastic(restitution=0.2, contact_time=2e-4, friction=0.5)
    error = fails(gr.Simulation(world, law, time_step=4e-6), 1250, "points at once", "contact time")
    points, share = (int(number) for number in re.findall(r"at (\d+) points.*1/(\d+) of the",
                                                          str(error))[0])
    assert points > 20
    assert share == 5 * points

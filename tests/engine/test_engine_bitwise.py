"""The same bits: for any number of threads, however a run is cut, read, saved or listed."""

import engine_worlds as worlds
import numpy as np
import pytest
from engine_process import output_of
from engine_worlds import differences, reloaded, set_skin, simulation
from hypothesis import given, settings
from hypothesis import strategies as st

import granum as gr

FINE = gr.LinearViscoelastic(restitution=0.6, contact_time=1e-4, friction=0.4)
MAKERS = {
    "gas": lambda: simulation(worlds.gas(spread=0.3)),
    "mix": lambda: simulation(worlds.mix(), FINE, time_step=1e-5),
    "flat": lambda: simulation(worlds.flat()),
    "periodic": lambda: simulation(worlds.periodic(), integrator="constant-acceleration"),
    "pouring": lambda: simulation(worlds.pouring()),
    "silo": lambda: simulation(worlds.silo()),
}
BEFORE = 930  # steps: the runs below meet the sorting at 1000 and the looks for lost grains
AFTER = 230


# ---- threads ----------------------------------------------------------------------------------

THREADS = """
import copy
import engine_worlds as worlds
import granum as gr

def many():
    world = gr.World(gravity=(0.0, 0.0, -200.0), periodic=(0.1, None, None))
    world.add(gr.Box((-1.0, 0.0, 0.0), (1.0, 0.06, 0.2)))
    world.add(gr.Lattice(radius=2e-3, spread=0.3, spacing=5.3e-3, low=(0.0, 0.0, 0.0),
                         high=(0.1, 0.06, 0.2), count=2300), density=2500.0)
    worlds.agitate(world, 0.7)
    return world

law = gr.LinearViscoelastic(restitution=0.5, contact_time=3e-4, friction=0.4)
first = worlds.simulation(many(), law, time_step=2e-5)
first.step(960)
for threads in (1, 2, 3, 4):
    sim = gr.Simulation.from_state(*copy.deepcopy(first.state()), threads=threads)
    sim.step(60)
    arrays, _ = sim.state()
    parts = [name + "=" + str(hash(array.tobytes())) for name, array in arrays.items()]
    print(sim.fingerprint(), len(sim._engine._pairs.block) - 1, len(arrays["pairs/i"]),
          sim.counts["sortings"], *parts)
"""


def test_any_number_of_threads():
    """More grains than one block, more threads than this machine may have; sorted on the way."""
    lines = output_of("-c", THREADS, NUMBA_NUM_THREADS="4", PYTHONHASHSEED="0").splitlines()
    assert len(lines) == 4
    assert len(set(lines)) == 1
    blocks, contacts, sortings = map(int, lines[0].split()[1:4])
    assert blocks > 1
    assert contacts > 500
    assert sortings == 1


# ---- runs cut into pieces ---------------------------------------------------------------------

@pytest.fixture(scope="module", params=MAKERS)
def whole(request):
    """A run in one go, and the state it had on the way."""
    never_looked_at = MAKERS[request.param]()
    never_looked_at.step(BEFORE + AFTER)
    sim = MAKERS[request.param]()
    sim.step(BEFORE)
    start = sim.state()
    met = 0
    for _ in range(AFTER // 10):
        sim.step(10)
        met += len(sim.contacts())
    assert met > 10
    assert differences(sim, never_looked_at) == []
    return start, sim


def begun(start):
    """Return a simulation that goes on from a state, which stays as it is."""
    arrays, meta = start
    return gr.Simulation.from_state({k: v.copy() for k, v in arrays.items()}, meta, threads=1)


def read(sim):
    """Look at everything that can be looked at."""
    sim.contacts()
    sim.energy()
    sim.sample([gr.Velocities(), gr.ContactNumber()])
    sim.fingerprint()
    sim.state()
    assert sim.counts
    assert sim.gravity.shape == (3,)


@settings(deadline=None, max_examples=10)
@given(pieces=st.lists(st.tuples(st.integers(0, 120),
                                 st.sampled_from(["go on", "read", "memory", "file", "twice"])),
                       max_size=6))
def test_any_cut(whole, tmp_path_factory, pieces):
    start, wanted = whole
    sim = begun(start)
    path = tmp_path_factory.mktemp("cut") / "checkpoint"
    for steps, what in [*pieces, (AFTER, "go on")]:
        sim.step(min(steps, BEFORE + AFTER - sim.steps))
        if what == "read":
            read(sim)
        elif what != "go on":
            sim = reloaded(sim, None if what == "memory" else path)
        if what == "twice":
            sim = reloaded(sim, path)
    assert differences(sim, wanted) == []


@pytest.mark.parametrize("steps", [1, 50, 100])
def test_cut_and_reloaded_at_every_step_of_a_kind(whole, steps):
    """Single steps, and cuts where grains are poured, looked for or sorted."""
    start, wanted = whole
    sim = begun(start)
    sim.step(-sim.steps % steps)
    while sim.steps < BEFORE + AFTER:
        sim = reloaded(sim)
        sim.step(min(steps, BEFORE + AFTER - sim.steps))
        read(sim)
    assert differences(sim, wanted) == []


def test_reading_twice_tells_the_same(whole):
    _, sim = whole
    first, second = sim.contacts(), sim.contacts()
    assert all(np.array_equal(getattr(first, name), getattr(second, name))
               for name in first.__dataclass_fields__)
    assert sim.energy() == sim.energy()
    assert sim.sample() == sim.sample()


def test_a_reloaded_simulation_tells_the_same(whole, tmp_path):
    _, sim = whole
    back = reloaded(sim, tmp_path / "checkpoint")
    assert differences(back, sim) == []
    first, second = sim.contacts(), back.contacts()
    for name in first.__dataclass_fields__:
        assert getattr(first, name).tobytes() == getattr(second, name).tobytes(), name
    assert back.sample() == sim.sample()
    assert (back.time, back.steps, back.time_step) == (sim.time, sim.steps, sim.time_step)


def test_a_state_can_be_used_again():
    """Two simulations from one state are two simulations, and the state stays what it was."""
    sim = MAKERS["gas"]()
    sim.step(100)
    state = sim.state()
    first = gr.Simulation.from_state(*state, threads=1)
    first.step(50)
    second = gr.Simulation.from_state(*state, threads=1)
    assert second.steps == 100
    assert differences(second, sim) == []
    first.step(50)
    second.step(100)
    assert differences(second, first) == []


def test_a_run_in_seconds_is_a_run_in_steps():
    by_steps, by_time = MAKERS["gas"](), MAKERS["gas"]()
    by_steps.step(100)
    for _ in range(4):
        by_time.run(25 * worlds.STEP)
    assert differences(by_steps, by_time) == []


def test_the_fingerprint_notices_every_part_of_the_state():
    sim = MAKERS["gas"]()
    sim.step(300)
    seen = {sim.fingerprint()}
    for name in ("position", "velocity", "orientation", "spin"):
        array = getattr(sim.world, name)
        array[3, 1] = np.nextafter(array[3, 1], np.inf)
        seen.add(sim.fingerprint())
    arrays, meta = sim.state()
    assert len(arrays["pairs/spring"]) > 0
    arrays["pairs/spring"][0, 0] = np.nextafter(arrays["pairs/spring"][0, 0], 1.0)
    seen.add(gr.Simulation.from_state(arrays, meta, threads=1).fingerprint())
    assert len(seen) == 6


# ---- lists ------------------------------------------------------------------------------------

@pytest.mark.parametrize("share", [0.001, 0.02, 0.11, 0.6, 3.0])
def test_any_skin(whole, share):
    """The list is scratch: thick or thin, renewed every step or never, the bits are the same."""
    start, wanted = whole
    sim = begun(start)
    set_skin(sim, share * sim.world.radius.min())
    sim.step(40)
    set_skin(sim, 1.7 * share * sim.world.radius.min())
    sim.step(BEFORE + AFTER - sim.steps)
    assert differences(sim, wanted) == []


def test_lists_renewed_at_any_time(whole):
    start, wanted = whole
    sim = begun(start)
    rng = np.random.default_rng(3)
    while sim.steps < BEFORE + AFTER:
        sim.step(min(int(rng.integers(1, 30)), BEFORE + AFTER - sim.steps))
        set_skin(sim, rng.uniform(0.02, 0.6) * sim.world.radius.min())
    assert differences(sim, wanted) == []


# ---- grains that come and go ------------------------------------------------------------------

def changed(sim):
    """Take some grains out, also touching ones, and put others in."""
    table = sim.contacts()
    sim.world.remove(np.unique([*table.i[:2], sim.world.id[0], sim.world.id[-1]]))
    sim.world.add(gr.Sphere([3e-3, 1e-3]), at=[(0.0251, 0.025, 0.15), (0.02, 0.02, 0.12)],
                  density=2500.0, velocity=(0.0, 0.0, -2.0), spin=(5.0, 0.0, 0.0))
    return sim


def piled():
    world = gr.World(gravity=(0.0, 0.0, -60.0), turns=[gr.Turn(0.01, 0.02, 1.0)])
    world.add(gr.Box((0.0, 0.0, 0.0), (0.04, 0.04, 0.2), open_top=True))
    world.add(gr.Random(radius=4e-3, count=40, high=(0.04, 0.04, 0.08)), density=2500.0)
    sim = simulation(world, gr.LinearViscoelastic(0.3, 1e-3, friction=0.4))
    sim.step(1210)
    assert (sim.contacts().j >= 0).sum() > 5
    return sim


def test_grains_put_in_and_taken_out_then_saved_after_a_while(tmp_path):
    wanted, sim = changed(piled()), changed(piled())
    wanted.step(500)
    sim.step(30)
    sim = reloaded(sim, tmp_path / "checkpoint")
    sim.step(470)
    assert differences(sim, wanted) == []


@pytest.mark.parametrize("what", ["taken out", "put in", "both"])
def test_grains_put_in_and_taken_out_then_saved_at_once(what, tmp_path):
    """A checkpoint written between a change of the world and the next step."""
    sims = piled(), piled()
    for sim in sims:
        if what != "put in":
            sim.world.remove(sim.contacts().i[:1])
        if what != "taken out":
            sim.world.add(gr.Sphere(3e-3), at=[(0.02, 0.02, 0.15)], density=2500.0)
    wanted, sim = sims
    sim = reloaded(sim, tmp_path / "checkpoint")
    wanted.step(150)
    sim.step(150)
    assert differences(sim, wanted) == []


@pytest.mark.parametrize("way", [5e-5, 5e-4, 1.5e-3, 1e-2])
def test_grains_moved_by_hand_then_saved_at_once(way, tmp_path):
    """Touching grains are taken apart, less or more than the skin is thick."""
    def touching():
        world = gr.World()
        world.add(gr.Plane((0.0, 0.0, 0.0), (0.0, 0.0, 1.0)))
        world.add(gr.Sphere(4e-3), at=[(0.0, 0.0, 4e-3), (0.0, 0.0, 0.012 - 1e-5)], density=2500.0,
                  spin=(100.0, 0.0, 0.0))
        sim = simulation(world, initial_overlap=0.1)
        sim.step(3)
        assert len(sim.contacts()) == 2
        set_skin(sim, 0.5 * 4e-3)
        world.position[1, 2] += way
        return sim

    wanted, sim = touching(), reloaded(touching(), tmp_path / "checkpoint")
    wanted.step(50)
    sim.step(50)
    assert differences(sim, wanted) == []


def test_taking_a_grain_out_takes_its_contacts_along():
    sim = piled()
    gone = int(sim.contacts().i[0])
    sim.world.remove([gone])
    table = sim.contacts()
    assert gone not in table.i
    assert gone not in table.j
    arrays, _ = sim.state()
    assert gone not in np.concatenate([arrays["pairs/i"], arrays["pairs/j"], arrays["walls/i"]])
    assert sim.sample()["grains"] == len(sim.world)


def test_a_world_that_is_emptied_and_filled_again():
    sim = piled()
    sim.world.remove(sim.world.id)
    sim.step(10)
    assert len(sim.contacts()) == 0
    assert sim.sample()["grains"] == 0
    sim = reloaded(sim)
    sim.world.add(gr.Sphere(4e-3), at=[(0.02, 0.02, 0.02)], density=2500.0)
    sim.step(200)
    assert sim.steps == 1420
    assert sim.world.id.tolist() == [40]
    assert sim.world.position[0, 2] < 0.02


def test_poured_grains_are_the_same_however_the_run_is_cut(tmp_path):
    """Cut between two events, at an event, and right after one."""
    wanted = MAKERS["pouring"]()
    wanted.step(400)
    assert len(wanted.world) > 30
    sim = MAKERS["pouring"]()
    for cut in (1, 49, 50, 51, 100, 101, 150, 237, 300, 400):
        sim.step(cut - sim.steps)
        sim = reloaded(sim, tmp_path / "checkpoint")
    assert differences(sim, wanted) == []
    assert [stream.entered for stream in sim.world.streams] == [
        stream.entered for stream in wanted.world.streams]


@pytest.mark.parametrize("cut", [100, 777])
def test_poured_grains_that_leave_are_lost_at_the_same_time(cut):
    """The domain is that of the world, not of the moment when the simulation was set up."""
    def falling():
        world = gr.World(gravity=(0.0, 0.0, -100.0), leaving="remove")
        world.add(gr.Cylinder((0.0, 0.0, 0.0), (0.0, 0.0, 1.0), radius=0.03, height=0.04))
        world.add(gr.Pour(radius=8e-3, count=30, rate=1000.0, low=(-0.03, -0.03, 0.01),
                          high=(0.03, 0.03, 0.04), velocity=(0.0, 0.0, -1.0)), density=2500.0)
        return simulation(world)

    wanted, sim = falling(), falling()
    numbers = []
    sim.step(cut)
    sim = reloaded(sim)
    wanted.step(cut)
    while sim.steps < 1200:
        assert differences(sim, wanted) == []
        wanted.step(50)
        sim.step(50)
        numbers.append(len(wanted.world))
    assert max(numbers) > min(numbers[numbers.index(max(numbers)):]), "no grain left"

"""No contact is missed over whole runs: every few steps, the engine's contacts against all pairs.

The engine looks at candidates only; here every grain is compared with every other one and with
every wall piece.
"""

import engine_worlds as worlds
import numpy as np
import pytest
from engine_brute import check_contacts
from engine_worlds import LAW, STEP
from hypothesis import given, settings
from hypothesis import strategies as st

import granum as gr


def watch(sim, steps, kick=None):
    """Step in pieces of 1 to 4 steps and check after each; return the contacts met, added up."""
    rng = np.random.default_rng(1)
    met = np.zeros(2, dtype=int)
    while sim.steps < steps:
        sim.step(int(rng.integers(1, 5)))
        met += check_contacts(sim)
        if kick and sim.steps % 97 < 4:
            kick(sim.world)
    return met


@pytest.mark.parametrize("make", [worlds.gas, worlds.flat, worlds.layer],
                         ids=lambda make: make.__name__)
def test_fast_grains_in_walls(make):
    sim = worlds.simulation(make())
    pairs, walls = watch(sim, 700)
    assert pairs > 300
    assert walls > 300
    assert sim.counts["list_updates"] > 8


@pytest.mark.parametrize("make", [worlds.periodic, worlds.flat_periodic],
                         ids=lambda make: make.__name__)
def test_fast_grains_in_a_periodic_cell(make):
    sim = worlds.simulation(make())
    pairs, _ = watch(sim, 700)
    assert pairs > 300
    assert sim.counts["list_updates"] > 8


def test_mix_of_sizes():
    law = gr.LinearViscoelastic(restitution=0.6, contact_time=1e-4, friction=0.4)
    sim = worlds.simulation(worlds.mix(), law, time_step=1e-5)
    pairs, walls = watch(sim, 700)
    assert pairs > 300
    assert walls > 300
    assert sim.counts["list_updates"] > 8


def test_kicked_again_and_again():
    """Velocities change between two steps, as in a shaken box: the list must notice at once."""
    rng = np.random.default_rng(8)

    def kick(world):
        world.velocity[:] += rng.normal(0.0, 2.0, world.velocity.shape)
        world.velocity[:] *= min(1.0, 3.0 / np.abs(world.velocity).max())

    sim = worlds.simulation(worlds.gas())
    pairs, walls = watch(sim, 600, kick)
    assert pairs > 300
    assert walls > 300


def test_pouring():
    sim = worlds.simulation(worlds.pouring())
    pairs, walls = watch(sim, 800)
    assert len(sim.world) > 40
    assert pairs > 1000
    assert walls > 1000


def test_silo_that_opens():
    sim = worlds.simulation(worlds.silo())
    pairs, walls = watch(sim, 700)
    assert pairs > 300
    assert walls > 300
    assert len(sim.world) < 35, "nothing fell out"


@pytest.mark.parametrize("section", ["square", "round"])
def test_hourglass(section):
    sim = worlds.simulation(worlds.hourglass(section))
    pairs, walls = watch(sim, 500)
    assert pairs > 100
    assert walls > 300


def test_settled_grains_with_a_thin_skin():
    """A pile at rest, a skin that is as thin as it gets, and then a hit."""
    world = gr.World(gravity=(0.0, 0.0, -10.0))
    world.add(gr.Box((0.0, 0.0, 0.0), (0.03, 0.03, 0.2), open_top=True))
    world.add(gr.Random(radius=4e-3, count=25, high=(0.03, 0.03, 0.08)), density=2500.0)
    sim = worlds.simulation(world, gr.LinearViscoelastic(0.2, 1e-3, friction=0.4))
    sim.step(2500)
    worlds.set_skin(sim, 0.02 * 4e-3)
    world.add(gr.Sphere(4e-3), at=[(0.015, 0.015, world.position[:, 2].max() + 9e-3)],
              density=2500.0, velocity=(0.0, 0.0, -3.0))
    pairs, walls = watch(sim, 2800)
    assert pairs > 1000
    assert walls > 500


@pytest.mark.parametrize("made", ["before", "during"])
def test_positions_written_by_hand(made):
    """A grain put next to another one between two runs touches it, whatever the list says."""
    world = gr.World(gravity=(0.0, 0.0, 0.0))
    world.add(gr.Sphere(5e-3), at=[(0.0, 0.0, 0.0), (0.5, 0.0, 0.0), (0.9, 0.0, 0.0)],
              density=2500.0)
    sim = worlds.simulation(world)
    if made == "during":
        sim.step(3)
    world.position[1] = (9.9e-3, 0.0, 0.0)
    sim.step(1)
    assert check_contacts(sim)[0] == 1


@pytest.mark.parametrize("apart", [9.7e-3, -9.7e-3])
@pytest.mark.parametrize("periods", [-3, -1, 0, 1, 2])
@pytest.mark.parametrize("place", [0.023, 0.093])
def test_positions_written_outside_the_periodic_cell(place, periods, apart):
    """A grain moved by hand beyond the end of the cell is an image of one inside."""
    world = gr.World(gravity=(0.0, 0.0, 0.0), periodic=(0.1, 0.1, 0.1))
    world.add(gr.Sphere(5e-3), at=[(place, 0.05, 0.05), (0.05, 0.05, 0.05)], density=2500.0)
    sim = worlds.simulation(world)
    sim.step(2)
    world.position[1] = (place + apart + periods * 0.1, 0.05, 0.05)
    sim.step(2)
    assert check_contacts(sim)[0] == 1
    assert 0.0 <= world.position[1, 0] < 0.1


@pytest.mark.parametrize("swap", [False, True])
def test_contact_points_lie_inside_the_periodic_cell(swap):
    """Expected: where the grains are. Seen: up to a radius outside, a period away."""
    points = [(0.097, 0.05, 0.001), (0.0067, 0.05, 0.001)]
    world = gr.World(gravity=(0.0, 0.0, 0.0), periodic=(0.1, 0.1, 0.1))
    world.add(gr.Sphere(5e-3), at=points[::-1] if swap else points, density=2500.0)
    sim = worlds.simulation(world, initial_overlap=0.1)
    assert sim.contacts().point == pytest.approx(np.array([[0.00185, 0.05, 0.001]]))
    assert np.abs(sim.contacts().normal[0]).tolist() == pytest.approx([1.0, 0.0, 0.0])
    gas = worlds.simulation(worlds.periodic())
    for _ in range(20):
        gas.step(20)
        point = gas.contacts().point
        assert (point >= 0.0).all()
        assert (point < gas.world.periods()).all()


@pytest.mark.parametrize("gap", [-3e-4, 0.0, 3e-4, 3e-3])
@pytest.mark.parametrize("before", [-1e-4, 1e-4, 1e-2])
def test_contacts_are_those_of_the_moment_after_positions_were_written(before, gap):
    """The table is looked at before the next step: grains put together, or taken apart a little."""
    world = gr.World(gravity=(0.0, 0.0, 0.0))
    world.add(gr.Sphere(5e-3), at=[(0.0, 0.0, 0.0), (0.01 + before, 0.0, 0.0)], density=2500.0)
    sim = worlds.simulation(world, initial_overlap=0.1)
    world.position[1, 0] = 0.01 + gap
    table = sim.contacts()
    assert len(table) == (1 if gap < 0.0 else 0)
    assert (table.overlap > 0.0).all()


def test_a_wall_put_in_between_two_runs():
    """A world may be added to at any time; a wall is met from then on, as after a restart."""
    world = gr.World(gravity=(0.0, 0.0, -10.0))
    world.add(gr.Sphere(5e-3), at=[(0.0, 0.0, 0.0)], density=2500.0, velocity=(0.0, 0.0, -1.0))
    sim = worlds.simulation(world)
    sim.step(20)
    world.add(gr.Plane((0.0, 0.0, -8e-3), (0.0, 0.0, 1.0)))
    wanted = worlds.reloaded(sim)
    for each in (wanted, sim):
        each.step(50)
        assert check_contacts(each)[1] == 1
    assert worlds.differences(sim, wanted) == []


def test_radii_written_by_hand():
    """Grains that grow between two runs touch."""
    world = gr.World(gravity=(0.0, 0.0, 0.0))
    world.add(gr.Sphere(5e-3), at=[(0.0, 0.0, 0.0), (0.02, 0.0, 0.0)], density=2500.0)
    sim = worlds.simulation(world)
    sim.step(3)
    world.radius[:] = 1.01e-2
    sim.step(1)
    assert check_contacts(sim)[0] == 1


# ---- contacts that end in one step ------------------------------------------------------------

def test_grains_that_touch_at_the_start_and_part_faster_than_the_skin():
    world = gr.World(gravity=(0.0, 0.0, 0.0))
    world.add(gr.Sphere(5e-3), at=[(0.0, 0.0, 0.0), (0.01 - 1e-10, 0.0, 0.0)], density=2500.0,
              velocity=[(-20.0, 0.0, 0.0), (20.0, 0.0, 0.0)])
    sim = worlds.simulation(world)
    assert len(sim.contacts()) == 1
    sim.step(5)
    assert check_contacts(sim).sum() == 0
    attraction = -2.0 * np.log(LAW.restitution) / LAW.contact_time  # c_n / m, on half of v
    assert world.velocity[1, 0] == pytest.approx(20.0 * (1.0 - 0.5 * STEP * attraction), rel=1e-3)


@pytest.mark.parametrize("target", ["wall", "grain"])
@pytest.mark.parametrize("gap", [0.03, 0.031, 0.032, 0.033])
def test_large_grain_bounces_faster_than_the_skin_of_a_small_one(target, gap):
    """The skin is a share of the smallest radius; a large grain leaves it behind in one step."""
    law = gr.LinearViscoelastic(restitution=0.9, contact_time=1e-3)
    world = gr.World(gravity=(0.0, 0.0, 0.0))
    world.add(gr.Sphere(np.array([0.1, 0.01])), at=[(0.1 + gap, 0.5, 0.5), (0.8, 0.8, 0.8)],
              density=1000.0)
    world.velocity[0] = (-45.0, 0.0, 0.0)
    if target == "wall":
        world.add(gr.Box((0.0, 0.0, 0.0), (1.0, 1.0, 1.0)))
    else:
        world.add(gr.Sphere(0.1), at=[(-0.1, 0.5, 0.5)], density=1e9)
    sim = worlds.simulation(world, law, time_step=1e-4)
    met = np.zeros(2, dtype=int)
    for _ in range(30):
        sim = worlds.reloaded(sim)  # a fresh simulation has not yet learned to thicken its skin
        sim.step(1)
        met += check_contacts(sim)
    assert met.sum() > 5
    assert sim.world.velocity[0, 0] == pytest.approx(0.9 * 45.0, rel=0.02)


@settings(deadline=None, max_examples=12)
@given(seed=st.integers(0, 2**32), speed=st.floats(0.0, 2.0), skin=st.floats(0.02, 0.6),
       periodic=st.booleans(), spread=st.floats(0.0, 0.5))
def test_any_gas(seed, speed, skin, periodic, spread):
    world = gr.World(gravity=(0.0, 0.0, -50.0), seed=seed,
                     periodic=(0.03, 0.04, 0.04) if periodic else ())
    if not periodic:
        world.add(gr.Box((0.0, 0.0, 0.0), (0.03, 0.04, 0.04)))
    world.add(gr.Random(radius=3e-3, count=20, spread=spread), density=2500.0)
    worlds.agitate(world, speed, seed=seed)
    sim = worlds.simulation(world, gr.LinearViscoelastic(0.8, 2e-4, friction=0.3), time_step=2e-5)
    worlds.set_skin(sim, skin * world.radius.min())
    for _ in range(30):
        sim.step(3)
        assert check_contacts(sim).sum() == len(sim.contacts())

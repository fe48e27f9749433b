"""Clumps in the engine: against a slow twin, all pairs, and themselves, to the last bit."""

import numpy as np
import pytest
from clump_twin import ClumpTwin
from engine_process import output_of
from engine_worlds import LAW, STEP, agitate, differences, reloaded, simulation
from scipy.spatial.transform import Rotation

import granum as gr
from granum.errors import InputError, NumericalError
from granum.laws.medium import drag_radii

BEND = gr.Clump([(-4e-3, 0, 0), (0, 1e-3, 0), (3e-3, 3e-3, 1e-3)], (2.5e-3, 3e-3, 2e-3))
ROD = gr.Clump([(0, 0, -2e-3), (0, 0, 0), (0, 0, 2e-3)], 2e-3)


def boxed(count=12, **options):
    """Clumps of two shapes and several sizes, and spheres, fast in a closed box."""
    world = gr.World(**{"gravity": (0.0, 0.0, -40.0), "seed": 2, **options})
    world.add(gr.Box((0.0, 0.0, 0.0), (0.05, 0.05, 0.05)))
    world.add(gr.Random(radius=6e-3, count=count, clump=BEND, spread=0.2), density=2500.0)
    world.add(gr.Random(radius=4e-3, count=count, clump=ROD), density=4000.0)
    world.add(gr.Random(radius=3e-3, count=count), density=2500.0)
    agitate(world, 1.0)
    return world


def heap_of_spheres():
    world = gr.World(gravity=(0.0, 0.0, -40.0), seed=2)
    world.add(gr.Plane((0.0, 0.0, 0.0), (0.0, 0.0, 1.0)))
    world.add(gr.Random(radius=3e-3, count=20, low=(0, 0, 0), high=(0.03, 0.03, 0.03)),
              density=2500.0)
    agitate(world, 1.0)
    return world


def celled():
    """Clumps and spheres in a cell that is periodic in two directions, with a floor and a lid."""
    world = gr.World(gravity=(5.0, 0.0, -60.0), periodic=(0.04, 0.045, None), seed=4)
    world.add(gr.Plane((0.0, 0.0, 0.0), (0.0, 0.0, 1.0)))
    world.add(gr.Plane((0.0, 0.0, 0.04), (0.0, 0.0, -1.0)))
    region = {"low": (0.0, 0.0, 0.0), "high": (0.04, 0.045, 0.04)}
    world.add(gr.Random(radius=6e-3, count=10, clump=BEND, **region), density=2500.0)
    world.add(gr.Random(radius=3e-3, count=15, **region), density=2500.0)
    agitate(world, 1.0)
    return world


def ball_pairs(world):
    """Return all pairs of balls of different grains that overlap, by the nearest of all images."""
    balls = world.balls()
    x, r = world.ball_positions(balls), balls.arm[:, 3]
    a, b = np.triu_indices(len(r), 1)
    apart = x[b] - x[a]
    for axis, length in enumerate(world.periodic):
        if length is not None:
            apart[:, axis] -= length * np.rint(apart[:, axis] / length)
    depth = r[a] + r[b] - np.linalg.norm(apart, axis=1)
    meets = (depth > 1e-12) & (balls.grain[a] != balls.grain[b])
    return world.id[balls.grain[a[meets]]], world.id[balls.grain[b[meets]]], depth[meets]


# ---- against slow ways ----------------------------------------------------------------------


@pytest.mark.parametrize("make", [boxed, celled], ids=lambda make: make.__name__)
def test_the_twin_goes_the_same_way(make):
    """Positions, velocities, spins, orientations and springs, through hundreds of contacts."""
    world = make() if make is celled else make(6)
    sim = simulation(world)
    balls = world.balls()
    arms = [balls.arm[balls.grain == k] for k in range(len(world))]
    up, size = np.eye(3), (0.05, 0.05, 0.05)
    planes = [plane for a in range(3) for plane in ((np.zeros(3), up[a]), (size, -up[a]))]
    if make is celled:
        planes = [(np.zeros(3), up[2]), (np.array([0, 0, 0.04]), -up[2])]
    numbers = (LAW.restitution, LAW.contact_time, LAW.friction, LAW.restitution)
    pull = np.array(world.gravity)
    twin = ClumpTwin(world.grains.arrays(), arms, planes, world.periodic, lambda _: pull, numbers,
                     STEP)
    seen = 0
    for _ in range(12):
        for _ in range(20):
            twin.step()
            seen += len(twin.springs)
        sim.step(20)
        way = world.position - twin.place
        for axis, length in enumerate(world.periodic):
            if length is not None:
                way[:, axis] -= length * np.rint(way[:, axis] / length)
        assert np.abs(way).max() < 1e-9 * world.radius.max()
        assert np.abs(world.velocity - twin.speed).max() < 1e-9
        assert np.abs(world.spin - twin.spin).max() < 1e-9 * np.abs(twin.spin).max()
        turned = Rotation.from_quat(world.orientation, scalar_first=True).as_matrix()
        assert np.abs(turned - twin.R).max() < 1e-9
        arrays, _ = sim.state()
        number = [int(k) for k in arrays["pairs/i"]], [int(k) for k in arrays["pairs/j"]]
        mine = {(i, j): s for i, j, s in zip(*number, arrays["pairs/spring"], strict=True)}
        theirs = {key: s for key, s in twin.springs.items() if not isinstance(key[1], str)}
        assert mine.keys() == theirs.keys()
        for key, spring in theirs.items():
            assert np.abs(mine[key] - spring).max() < 1e-7 * 1e-5
    assert seen > 200


@pytest.mark.parametrize("make", [boxed, celled], ids=lambda make: make.__name__)
def test_no_contact_is_missed_and_none_is_a_clump_with_itself(make):
    sim = simulation(make())
    for _ in range(40):
        sim.step(11)
        i, j, depth = ball_pairs(sim.world)
        table = sim.contacts()
        pairs = table.j >= 0
        deep = table.overlap[pairs] > 1e-12
        assert sorted(zip(i, j, strict=True)) == sorted(
            zip(table.i[pairs][deep], table.j[pairs][deep], strict=True))
        assert np.sort(depth) == pytest.approx(np.sort(table.overlap[pairs][deep]), abs=1e-14)
        assert (table.i[pairs] < table.j[pairs]).all()
        assert np.isinf(table.radius[~pairs, 1]).all()
    assert sim.counts["list_updates"] > 5


def test_spheres_beside_clumps_have_the_bits_of_spheres_alone():
    def collision(with_clump):
        world = gr.World()
        world.add(gr.Box((0, 0, 0), (0.1, 0.05, 0.05)))
        world.add(gr.Sphere([4e-3, 3e-3]), at=[(0.01, 0.01, 0.02), (0.019, 0.012, 0.02)],
                  density=2500.0, velocity=[(1, 0, 0.3), (-1, 0.2, 0)], spin=(3, 4, 50.0))
        if with_clump:
            world.add(BEND, at=[(0.08, 0.02, 0.02)], density=2500.0, spin=(30, 20, 10))
        sim = simulation(world)
        sim.step(1500)
        return sim

    alone, beside = collision(False), collision(True)
    for name in ("position", "velocity", "spin", "orientation", "acceleration", "spin_rate"):
        assert getattr(alone.world, name).tobytes() == getattr(beside.world, name)[:2].tobytes()
    assert np.abs(alone.world.spin - (3, 4, 50.0)).max() > 1.0  # they have met


# ---- the same bits ----------------------------------------------------------------------------


@pytest.mark.parametrize("make", [boxed, celled], ids=lambda make: make.__name__)
def test_restart_and_method_of_search_change_no_bit(make, tmp_path):
    whole, other = simulation(make()), simulation(make(), neighbours="triangulation")
    whole.step(700)
    other.step(300)
    other = reloaded(other, tmp_path / "half.h5")
    other.step(1)
    other = reloaded(other)
    other.step(399)
    assert other.counts["list_updates"] > 2
    assert set(differences(whole, other)) == {"neighbours"}
    assert len(whole.contacts())


THREADS = """
import copy
import engine_worlds as worlds
import granum as gr

world = gr.World(gravity=(0.0, 0.0, -200.0), periodic=(0.1, None, None))
world.add(gr.Box((-1.0, 0.0, 0.0), (1.0, 0.06, 0.3)))
clump = gr.Clump([(-1e-3, 0, 0), (1e-3, 0, 0), (0, 1e-3, 0)], 1.5e-3)
world.add(gr.Lattice(radius=2e-3, spread=0.3, spacing=5.3e-3, low=(0.0, 0.0, 0.0),
                     high=(0.1, 0.06, 0.3), count=800, clump=clump), density=2500.0)
worlds.agitate(world, 0.7)
law = gr.LinearViscoelastic(restitution=0.5, contact_time=2e-4, friction=0.4)
first = worlds.simulation(world, law, time_step=1e-5)
first.step(970)
for threads in (1, 2, 3, 4):
    sim = gr.Simulation.from_state(*copy.deepcopy(first.state()), threads=threads)
    sim.step(60)
    arrays, _ = sim.state()
    print(sim.fingerprint(), len(sim._engine._pairs.block) - 1, len(arrays["pairs/i"]),
          sim.counts["sortings"])
"""


def test_any_number_of_threads():
    """Blocks that end in the middle of clumps; sorted in space on the way."""
    lines = output_of("-c", THREADS, NUMBA_NUM_THREADS="4").splitlines()
    assert len(lines) == 4
    assert len(set(lines)) == 1
    blocks, contacts, sortings = map(int, lines[0].split()[1:])
    assert blocks > 1
    assert contacts > 100
    assert sortings == 1


# ---- coming and going -------------------------------------------------------------------------


def test_poured_in_taken_out_and_put_in_while_running():
    def make():
        world = gr.World(gravity=(0.0, 0.0, -30.0), seed=3, leaving="remove",
                         domain=((-1, -1, -0.02), (1, 1, 1)))
        world.add(gr.Box((0.0, 0.0, 0.0), (0.04, 0.04, 0.1), open_top=True))
        world.add(gr.Pour(radius=5e-3, count=25, rate=2000.0, low=(0.0, 0.0, 0.03),
                          high=(0.04, 0.04, 0.08), velocity=(0.5, 0.2, -2.0), spread=0.3,
                          clump=BEND), density=2500.0)
        world.add(gr.Sphere(4e-3), at=[(0.02, 0.02, 0.005)], density=2500.0)
        return world

    def run(cut):
        sim = simulation(make())
        sim.step(400)
        sim.world.remove(sim.world.id[1:4])
        sim.world.add(ROD, at=[(0.02, 0.02, 0.09)], density=2500.0)
        sim = reloaded(sim) if cut else sim
        sim.step(300)
        return sim

    sim = run(cut=False)
    assert not differences(sim, run(cut=True))
    assert len(sim.contacts())
    assert len(sim.world) == 1 + 25 - 3 + 1
    assert len(set(sim.world.balls().number)) == 1 + 3 * 23
    length = np.linalg.norm(sim.world.orientation[1:], axis=1)
    assert length == pytest.approx(np.ones(len(length)), abs=1e-15)


def test_a_lost_clump_is_taken_out_whole_or_named():
    def falling(leaving):
        world = gr.World(leaving=leaving, domain=((-1, -1, 0), (1, 1, 1)))
        world.add(gr.Sphere(1e-3), at=[(0, 0, 0.9)], density=2500.0)
        world.add(BEND, at=[(0, 0, 0.01)], density=2500.0, velocity=(0, 0, -2.0))
        return simulation(world)

    sim = falling("remove")
    sim.step(300)
    assert sim.world.id.tolist() == [0]
    with pytest.raises(NumericalError, match="grain 1 is lost"):
        falling("stop").step(300)


def test_a_user_may_turn_and_move_clumps_between_runs():
    """What is changed is as if it had been so from the start."""
    sim = simulation(boxed())
    sim.step(50)
    again = reloaded(sim)
    for one in (sim, again):
        one.world.position[0] += 1e-6
        one.world.orientation[1] = (0.6, 0.0, 0.8, 0.0)
        one.world.spin[2] = (100.0, 0.0, 0.0)
    again = reloaded(again)
    sim.step(1)
    again.step(1)
    assert not differences(sim, again)


# ---- looking, refusing, flat worlds -------------------------------------------------------------


def test_overlap_counts_between_different_clumps_and_with_walls():
    def with_second(at):
        world = gr.World()
        world.add(gr.Plane((0, 0, 0), (0, 0, 1)))
        world.add(BEND, at=[(0, 0, 0.01), at], density=2500.0)
        return world

    gr.Simulation(with_second((0.02, 0, 0.01)), LAW, threads=1)
    with pytest.raises(InputError, match="grains 0 and 1 overlap by"):
        gr.Simulation(with_second((4e-3, 0, 0.01)), LAW)
    with pytest.raises(InputError, match=r"grain 1 at .* cuts .* into a wall"):
        gr.Simulation(with_second((0.02, 0, 0.002)), LAW)
    with pytest.raises(InputError, match=r"grain 1 at .* is outside its container"):
        gr.Simulation(with_second((0.02, 0, -0.5)), LAW)


def test_a_sphere_may_sit_in_the_arms_of_a_clump_but_not_in_a_ball_of_it():
    world = gr.World()
    ring = [(0.01 * np.cos(a), 0.01 * np.sin(a), 0) for a in np.linspace(0, 2 * np.pi, 13)[:-1]]
    world.add(gr.Clump(ring, 3e-3), at=[(0, 0, 0)], density=2500.0)
    world.add(gr.Explicit([(0.0, 0.0, 0.0)], radius=5e-3), density=2500.0)
    with pytest.raises(InputError, match="overlaps grain 0"):
        world.add(gr.Explicit([(0.01, 0.0, 0.0)], radius=1e-3), density=2500.0)


def test_a_wall_that_moves_pushes_clumps_alike_whatever_the_cut():
    def pushed():
        world = gr.World(gravity=(0, 0, 0))
        world.add(gr.Box((0, 0, 0), (0.05, 0.05, 0.05)))
        world.add(gr.Plane((0, 0, 1e-3), (0, 0, 1)), name="lift", moving=gr.Linear((0, 0, 1.0)))
        world.add(BEND, at=[(0.02, 0.02, 0.012)], density=2500.0)
        return simulation(world)

    whole, cut = pushed(), pushed()
    whole.step(300)
    cut.step(123)
    cut = reloaded(cut)
    cut.step(177)
    assert not differences(whole, cut)
    assert whole.world.velocity[0, 2] > 0.5


def test_the_budget_of_clumps_closes_and_changes_nothing():
    """Closed to the second order of the step, which the free turn of a top costs."""
    plain, counted = (gr.Simulation(boxed(6), LAW, time_step=STEP, threads=1, budget=budget)
                      for budget in (False, True))
    for sim in (plain, counted):
        sim.step(600)
    found = counted.budget()
    assert counted.fingerprint() == plain.fingerprint()
    assert found.lost_normal > 0.1 * found.energy.kinetic
    assert found.lost_tangential > 0.0
    assert abs(found.unaccounted) < 1e-4 * found.dissipated


def test_a_clump_sinks_as_the_ellipsoid_of_its_inertia_does():
    """At last its weight is the tensor of drag times its velocity; its spin is gone by then."""
    world = gr.World()
    world.add(BEND, at=[(0, 0, 0)], density=2500.0, orientation=(0.5, 0.1, -0.7, 0.5))
    radii = drag_radii(world.mass, world.inertia)[0, :3]
    turn = Rotation.from_quat(world.orientation, scalar_first=True).as_matrix()[0]
    sim = gr.Simulation(world, gr.With(LAW, gr.Drag(viscosity=2.0)), time_step=STEP / 2,
                        threads=1)
    sim.run(0.1)  # thirty times as long as the fall takes to become steady
    tensor = 6.0 * np.pi * 2.0 * turn @ np.diag(radii) @ turn.T
    wanted = np.linalg.solve(tensor, world.mass[0] * np.array([0.0, 0.0, -9.81]))
    assert world.velocity[0] == pytest.approx(wanted, rel=1e-6)
    assert np.hypot(*wanted[:2]) > 0.02 * abs(wanted[2])


@pytest.mark.parametrize("axis", range(3))
def test_damping_slows_clumps_exponentially_with_second_order(axis):
    """v = v_0 exp(-C t / m), and about a principal axis ω = ω_0 exp(-C* t / I_k)."""
    errors = []
    for parts in (240, 480):
        world = gr.World(gravity=(0, 0, 0))
        world.add(BEND, at=[(0, 0, 0)], density=2500.0, orientation=(0.5, 0.1, -0.7, 0.5),
                  velocity=(0.3, -0.2, 0.1))
        turn = Rotation.from_quat(world.orientation, scalar_first=True)
        world.spin[:] = turn.apply(40.0 * np.eye(3)[[axis]])
        mass, moment, tau = world.mass[0], world.inertia[0, axis], 4e-3
        damped = gr.With(LAW, gr.Damping(mass / tau, moment / tau))
        v, w = world.velocity.copy(), world.spin.copy()
        sim = gr.Simulation(world, damped, time_step=tau / parts, threads=1)
        sim.step(2 * parts)
        errors.append([np.abs(world.velocity / v - np.exp(-2.0)).max(),
                       np.abs(world.spin - np.exp(-2.0) * w).max() / 40.0])
    assert max(errors[1]) < 3e-6
    assert np.log2(np.divide(*errors)) == pytest.approx([2.0, 2.0], abs=0.15)


def test_a_world_of_damped_spheres_has_the_same_bits_beside_a_clump():
    """A clump far away makes all grains bodies; spheres go through the same arithmetic."""
    found = []
    for far in (False, True):
        world = heap_of_spheres()
        if far:
            world.add(BEND, at=[(0.5, 0.5, 0.5)], density=2500.0)
        sim = gr.Simulation(world, gr.With(LAW, gr.Damping(1e-4, 1e-10)), time_step=STEP,
                            threads=1, budget=far)
        sim.step(300)
        found.append([world.position[:20].copy(), world.spin[:20].copy()])
    budget = sim.budget()
    assert budget.lost_medium > 0.0
    assert budget.lost_normal > 0.1 * budget.energy.kinetic
    assert abs(budget.unaccounted) < 1e-4 * budget.dissipated
    for alone, beside in zip(*found, strict=True):
        assert np.array_equal(alone, beside)


def test_glue_beside_clumps():
    """A clump that was added first flies into a glued pair: their bond is theirs alone."""
    world = gr.World(gravity=(0, 0, 0))
    world.add(BEND, at=[(-0.03, 0, 0)], density=2500.0, velocity=(2.0, 0, 0))
    glue = gr.PowerGlue(stiffness=1e5)
    world.add(gr.Cluster(((0.02, 0, 0), (0.03, 0, 0)), (5e-3, 5e-3), glue=glue), density=2500.0)
    sim = gr.Simulation(world, LAW, threads=1)
    before = world.mass @ world.velocity
    sim.run(0.03)
    assert world.velocity[1, 0] > 0.1
    assert sim.bonds().distance == pytest.approx(0.01, rel=0.05)
    assert world.mass @ world.velocity == pytest.approx(before, abs=1e-12)


def test_flat_clumps_stay_flat():
    world = gr.World(dimension=2, gravity=(3.0, -30.0), seed=1)
    world.add(gr.Box((0.0, 0.0, 0.0), (0.08, 0.06, 0.0)))
    world.add(gr.Random(radius=6e-3, count=12, clump=gr.Clump([(0, 0), (2, 0), (2, 1.5)], 1.2)),
              density=2500.0)
    agitate(world, 1.5)
    sim = simulation(world)
    sim.step(500)
    assert not world.position[:, 2].any()
    assert not world.velocity[:, 2].any()
    assert not world.spin[:, :2].any()
    assert not world.orientation[:, 1:3].any()
    assert len(sim.contacts())


def test_local_density_of_a_clump_is_that_of_its_union():
    """Alone in a box, its balls' cells fill the box."""
    world = gr.World()
    world.add(gr.Box((0, 0, 0), (0.02, 0.02, 0.02)))
    world.add(BEND, at=[(0.01, 0.01, 0.01)], density=2500.0)
    sim = gr.Simulation(world, LAW, threads=1)
    assert sim.local_density() == pytest.approx(world.mass / 2500.0 / 8e-6)

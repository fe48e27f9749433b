"""Glued spheres in motion: closed forms, conservation, breaking, and a slow twin."""

import math
from dataclasses import replace

import engine_worlds as worlds
import numpy as np
import pytest
from bond_twin import BondTwin
from engine_process import output_of

import granum as gr

LAW = gr.LinearViscoelastic(restitution=0.6, contact_time=1e-3, friction=0.4)
HARD = gr.LinearViscoelastic(restitution=0.6, contact_time=2e-4, friction=0.4)
R = 1e-3


def pair(glue, speed=0.0, rest_radius=(R, R), gravity=(0.0, 0.0, 0.0), **options):
    """Two glued spheres along x that part with a relative ``speed``, their centre at rest."""
    world = gr.World(gravity=gravity)
    r1, r2 = rest_radius
    world.add(gr.Cluster([(0.0, 0.0, 0.0), (r1 + r2, 0.0, 0.0)], rest_radius, glue), density=2500.0)
    m1, m2 = world.mass
    world.velocity[:, 0] = -speed * m2 / (m1 + m2), speed * m1 / (m1 + m2)
    return gr.Simulation(world, LAW, threads=1, **options)


def effective_mass(sim):
    m1, m2 = sim.world.mass
    return m1 * m2 / (m1 + m2)


def stretch(sim):
    return sim.bonds().distance[0] - sim.bonds().rest[0]


# ---- one bond --------------------------------------------------------------------------------


@pytest.mark.parametrize("glue", [
    gr.PowerGlue(2e3), gr.PotentialGlue(-1e-3, 0.2, 4.0),
], ids=["power", "potential"])
def test_the_frequency_of_two_glued_spheres(glue):
    """ω² = k / m with the stiffness at rest: A, or α (α - β) A ℓ^(-α-2)."""
    sim = pair(glue, speed=1e-5, rest_radius=(R, 1.4 * R))
    k = 2e3 if isinstance(glue, gr.PowerGlue) else 0.2 * 3.8 * 1e-3 * (2.4 * R) ** -2.2
    omega = math.sqrt(k / effective_mass(sim))
    half = math.pi / omega
    assert sim.time_step < 2 * half / 45
    sim.run(20.25 * 2 * half)
    wanted = 1e-5 / omega * math.sin(omega * sim.time)
    assert stretch(sim) == pytest.approx(wanted, abs=2e-2 * 1e-5 / omega)


@pytest.mark.parametrize("ratio", [0.1, 0.5])
def test_damping_is_a_share_of_the_critical(ratio):
    sim = pair(gr.PowerGlue(2e3, damping=ratio), speed=1e-3)
    omega = math.sqrt(2e3 / effective_mass(sim))
    damped = omega * math.sqrt(1.0 - ratio**2)
    for _ in range(5):
        sim.step(17)
        t = sim.time
        wanted = 1e-3 / damped * math.exp(-ratio * omega * t) * math.sin(damped * t)
        assert stretch(sim) == pytest.approx(wanted, abs=5e-3 * 1e-3 / omega)


def test_convergence_is_of_second_order():
    """A power of 1.5: no closed form, so against a step 16 times as short."""
    def end(parts):
        sim = pair(gr.PowerGlue(3e4, 1.5, damping=0.05), speed=0.02, time_step=4e-6 / parts)
        sim.run(8e-4)
        return stretch(sim)

    exact = end(32)
    errors = [abs(end(parts) - exact) for parts in (1, 2, 4)]
    assert 3.3 < errors[0] / errors[1] < 5.0
    assert 3.3 < errors[1] / errors[2] < 5.0


# ---- breaking --------------------------------------------------------------------------------


@pytest.mark.parametrize("share", [0.99, 1.01, 1.5])
def test_a_bond_breaks_at_its_strength(share):
    """Parting at v, the largest pull is v sqrt(k m); what is left after breaking is the rest."""
    k, strength = 2e3, 0.05
    m = effective_mass(pair(gr.PowerGlue(k)))
    speed = share * strength / math.sqrt(k * m)
    period = 2 * math.pi * math.sqrt(m / k)
    sim = pair(gr.PowerGlue(k, strength=strength), speed, time_step=period / 1000)
    sim.run(0.3 * period)
    assert sim.world.broken_bonds == (1 if share > 1.0 else 0)
    assert len(sim.world.bonds) == 1 - sim.world.broken_bonds
    if share > 1.2:
        left = speed**2 - strength**2 / (k * m)
        relative = sim.world.velocity[1, 0] - sim.world.velocity[0, 0]
        assert relative**2 == pytest.approx(left, rel=0.02)  # it breaks between two steps
        assert len(sim.bonds()) == 0
        assert sim.energy().elastic == 0.0


def test_energy_falls_by_what_the_bond_had_stored():
    sim = pair(gr.PowerGlue(2e3, stretch=0.01), speed=0.5)
    before = sim.energy().total
    while not sim.world.broken_bonds:
        stored = sim.energy().elastic
        sim.step(1)
    assert before - sim.energy().total == pytest.approx(0.5 * 2e3 * (0.01 * 2 * R) ** 2, rel=0.1)
    assert sim.energy().elastic == 0.0 < stored
    left = sim.energy().total
    sim.step(50)
    assert sim.energy().total == pytest.approx(left, rel=1e-12)


def test_broken_once_the_contact_law_rules():
    """Pushed together again, the two bounce with the restitution of the law."""
    sim = pair(gr.PowerGlue(2e3, stretch=0.01), speed=0.5)
    sim.step(300)
    assert sim.world.broken_bonds == 1
    world = sim.world
    free = gr.World(gravity=(0.0, 0.0, 0.0))
    free.add(gr.Sphere(R), at=world.position, density=2500.0)
    world.velocity[:, 0] = free.velocity[:, 0] = 0.3, -0.3
    other = gr.Simulation(free, LAW, threads=1, time_step=sim.time_step)
    gap = world.position[1, 0] - world.position[0, 0] - 2 * R
    for one in (sim, other):
        one.run(gap / 0.6 + 2e-3)
    assert world.velocity[1, 0] - world.velocity[0, 0] == pytest.approx(0.6 * 0.6, rel=5e-3)
    assert world.position == pytest.approx(free.position, rel=1e-12)
    assert world.velocity == pytest.approx(free.velocity, rel=1e-9)
    assert len(sim.world.bonds) == 0  # for ever


def test_glued_spheres_do_not_feel_the_contact_law():
    """Pressed by 5 % of a radius the glue alone pushes, and no contact is listed."""
    sim = pair(gr.PowerGlue(2e3))
    sim.world.position[1, 0] -= 0.05 * R
    assert len(sim.contacts()) == 0
    assert sim.energy().elastic == pytest.approx(0.5 * 2e3 * (0.05 * R) ** 2)
    assert sim.bonds().pull == pytest.approx([-2e3 * 0.05 * R])
    sim.step(1)
    assert len(sim.contacts()) == 0
    assert sim.world.velocity[1, 0] > 0.0 > sim.world.velocity[0, 0]


def test_a_bond_stretched_too_far_stops_the_run():
    sim = pair(gr.PowerGlue(2e3), speed=15.0)
    with pytest.raises(gr.NumericalError, match=r"bond between grains 0 and 1 is .* longer"):
        sim.run(1e-2)
    sim = pair(gr.PowerGlue(2e3), speed=-15.0)
    with pytest.raises(gr.NumericalError, match=r"shorter .* strength or a stretch"):
        sim.run(1e-2)


def test_a_time_step_too_long_for_the_glue_is_refused():
    stiff = gr.PowerGlue(1e6)
    sim = pair(stiff)
    period = 2 * math.pi * math.sqrt(effective_mass(sim) / 1e6)
    assert sim.time_step == pytest.approx(period / 50)
    with pytest.raises(gr.InputError, match="this glue and these grains"):
        pair(stiff, time_step=0.2 * period)
    world = gr.World()
    world.add(gr.GluedTetrahedron(R, stiff), at=(0, 0, 0), density=2500.0)
    with pytest.raises(gr.InputError, match="too long"):  # more bonds, more stiffness
        gr.Simulation(world, LAW, time_step=0.15 * period)
    soft = pair(gr.PowerGlue(1e-3))
    assert soft.time_step == pytest.approx(1e-3 / 50)  # that of the law


# ---- whole clusters --------------------------------------------------------------------------


def tumbling(glue, shape=gr.GluedTetrahedron, **options):
    """A cluster in free flight that spins and rings."""
    world = gr.World(gravity=(0.0, 0.0, 0.0), **options)
    world.add(shape(R, glue, 3), at=(0.01, 0.01, 0.01), density=2500.0,
              velocity=(0.3, -0.2, 0.1), spin=(40.0, -25.0, 60.0))
    rng = np.random.default_rng(2)
    world.velocity[:] += rng.normal(0.0, 0.02, (len(world), 3))
    return world


def momenta(world):
    """Momentum, and angular momentum about the origin."""
    p = world.mass[:, None] * world.velocity
    spin = (world.inertia * world.spin).sum(axis=0)
    return p.sum(axis=0), np.cross(world.position, p).sum(axis=0) + spin


@pytest.mark.parametrize("glue", [
    gr.PowerGlue(3e3), gr.PowerGlue(2.0, 0.6, core=5e-3), gr.PotentialGlue(-2e-3, 0.2, 6.0),
], ids=["spring", "root", "potential"])
def test_energy_and_momenta_are_kept(glue):
    world = tumbling(glue)
    sim = gr.Simulation(world, LAW, threads=1)
    energy, (p, spin) = sim.energy(), momenta(world)
    assert energy.elastic == pytest.approx(0.0, abs=1e-12 * energy.kinetic)
    largest = 0.0
    for _ in range(20):
        sim.step(100)
        now = sim.energy()
        largest = max(largest, now.elastic)
        assert now.total == pytest.approx(energy.total, rel=2e-4)
    assert largest > 1e-3 * energy.kinetic  # it does ring
    p_after, spin_after = momenta(world)
    assert p_after == pytest.approx(p, abs=1e-12 * np.abs(p).max())
    assert spin_after == pytest.approx(spin, abs=1e-11 * np.abs(spin).max())


def test_damped_glue_calms_a_cluster_and_leaves_its_flight_alone():
    world = tumbling(gr.PowerGlue(3e3, damping=0.2))
    sim = gr.Simulation(world, LAW, threads=1)
    p, spin = momenta(world)
    sim.step(6000)
    p_after, spin_after = momenta(world)
    assert p_after == pytest.approx(p, abs=1e-11 * np.abs(p).max())
    assert spin_after == pytest.approx(spin, abs=1e-10 * np.abs(spin).max())
    elastic = sim.energy().elastic
    sim.step(500)
    assert sim.energy().elastic == pytest.approx(elastic, rel=0.02)  # what turning stretches


@pytest.mark.parametrize("gravity", [(0.0, 0.0, 0.0), (0.0, 0.0, -9.81)])
def test_a_cluster_in_flight_keeps_its_shape(gravity):
    world = gr.World(gravity=gravity)
    world.add(gr.GluedRod(R, gr.PowerGlue(1e4)), at=(0, 0, 0), density=2500.0,
              velocity=(1.0, 0.0, 2.0))
    before = world.position.copy()
    sim = gr.Simulation(world, LAW, threads=1)
    sim.run(0.01)
    t = sim.time
    way = np.array([1.0, 0.0, 2.0]) * t + 0.5 * t**2 * np.array(gravity)
    assert world.position == pytest.approx(before + way, abs=1e-12)


@pytest.mark.parametrize("periodic", [False, True])
def test_the_slow_twin(periodic):
    """Glues of all kinds, damping, and bonds that break on the way."""
    cell = {"periodic": (0.03, 0.03, 0.03)} if periodic else {}
    world = gr.World(gravity=(0.0, 3.0, -9.81), **cell)
    kinds = [gr.PowerGlue(3e3, damping=0.1, stretch=0.004), gr.PowerGlue(4e4, 1.4, strength=0.02),
             gr.PowerGlue(20.0, 0.6, core=5e-3, damping=0.05, strength=0.02),
             gr.PotentialGlue(-2e-3, 0.2, 6.0, damping=0.02, strength=0.02)]
    rng = np.random.default_rng(8)
    for k, glue in enumerate(kinds):  # rods that ring, and pairs that part, some for ever
        world.add(gr.GluedRod(R, replace(glue, strength=None, stretch=None), 3),
                  at=(1e-3, 7e-3 * k, 0.015), density=2500.0 + 200 * k,
                  velocity=(-0.5, 0.0, 0.0), spin=(10.0, -20.0, 30.0))
        pairs = gr.Cluster([(0.0, 0.0, 0.0), (2.4 * R, 0.0, 0.0)], (R, 1.4 * R), glue)
        ids = world.add(pairs, at=[(6e-3 * n, 7e-3 * k, 5e-3) for n in range(5)], density=2500.0)
        world.velocity[ids[1::2], 0] += rng.uniform(0.05, 0.5, 5)
    world.velocity[world.cluster % 6 == 0] += rng.normal(0.0, 0.05, (36, 3))
    sim = gr.Simulation(world, LAW, threads=1)
    twin = BondTwin(world, sim.time_step)
    every = len(world.bonds)
    for _ in range(4):
        sim.step(50)
        for _ in range(50):
            twin.step()
        way = world.position - twin.x
        if periodic:
            way -= 0.03 * np.rint(way / 0.03)
        assert np.abs(way).max() < 1e-12
        assert world.velocity == pytest.approx(twin.v, abs=1e-9)
        left = list(zip(world.bonds.i, world.bonds.j, strict=True))
        assert left == [(i, j) for i, j, _, _ in twin.bonds]
        assert world.broken_bonds == len(twin.broken)
    assert 5 < world.broken_bonds < 18 < every
    assert len(sim.contacts()) == 0  # or the twin would not know


# ---- the same bits ---------------------------------------------------------------------------


def crushed():
    """Weak rods thrown together in a box; many bonds break, and pieces collide."""
    world = gr.World(gravity=(0.0, 0.0, -60.0), seed=6)
    world.add(gr.Box((0.0, 0.0, 0.0), (0.05, 0.05, 0.05), open_top=True))
    glue = gr.PowerGlue(1e4, damping=0.05, strength=1.0)
    world.add(gr.Clusters(gr.GluedRod(2e-3, glue, 3), count=14, high=(0.05, 0.05, 0.05)),
              density=2500.0)
    speeds = np.random.default_rng(3).normal(0.0, 1.2, (14, 3))
    world.velocity[:] = np.repeat(speeds, 9, axis=0)
    return gr.Simulation(world, HARD, threads=1)


@pytest.fixture(scope="module")
def whole():
    sim = crushed()
    sim.step(1400)
    start, early = sim.state(), sim.world.broken_bonds
    sim.step(400)
    assert 5 < early < sim.world.broken_bonds - 5
    assert len(sim.world.bonds) > 20
    assert (sim.contacts().j >= 0).any()
    return start, sim


def begun(start, **options):
    arrays, meta = start
    return gr.Simulation.from_state({k: v.copy() for k, v in arrays.items()},
                                    {**meta, **options}, threads=1)


def test_restarted_in_the_midst_of_breaking(whole, tmp_path):
    start, wanted = whole
    sim = begun(start)
    for steps in (1, 2, 37, 60, 100, 90, 110):
        sim.step(steps)
        sim = worlds.reloaded(sim, tmp_path / "checkpoint")
    assert worlds.differences(sim, wanted) == []


def test_looked_at_after_every_step(whole):
    start, wanted = whole
    sim = begun(start)
    for _ in range(400):
        sim.step(1)
        sim.sample()
        sim.bonds()
    assert worlds.differences(sim, wanted) == []


def test_any_neighbours_and_lists(whole):
    start, wanted = whole
    sim = begun(start, neighbours="triangulation")
    worlds.set_skin(sim, 1e-4)
    sim.step(400)
    assert worlds.differences(sim, wanted) == ["neighbours"]


def test_the_fingerprint_notices_a_bond(whole):
    start, _ = whole
    sim = begun(start)
    before = sim.fingerprint()
    sim.world.bonds = sim.world.bonds.chosen(np.arange(len(sim.world.bonds)) > 0)
    assert sim.fingerprint() != before


def test_grains_taken_out_and_put_in_on_the_way(whole, tmp_path):
    start, _ = whole

    def changed():
        sim = begun(start)
        sim.world.remove([3, 40])
        sim.world.add(gr.GluedRod(2e-3, gr.PowerGlue(2e4), 2), at=(0.025, 0.025, 0.2),
                      density=2500.0, velocity=(0.0, 0.0, 1.0))
        return sim

    wanted, sim = changed(), changed()
    assert len(wanted.bonds()) == len(wanted.world.bonds)
    wanted.step(150)
    sim.step(1)
    sim = worlds.reloaded(sim, tmp_path / "checkpoint")
    sim.step(149)
    assert worlds.differences(sim, wanted) == []
    new = wanted.world.cluster == 14
    assert new.sum() == 6
    assert np.ptp(wanted.world.velocity[new], axis=0).max() < 1e-9  # falls as one


THREADS = """
import copy
import engine_worlds as worlds
import granum as gr

world = gr.World(gravity=(0.0, 0.0, -80.0), seed=1)
world.add(gr.Box((0.0, 0.0, 0.0), (0.07, 0.07, 0.09)))
glue = gr.PowerGlue(1e4, damping=0.05, strength=0.25)
world.add(gr.Clusters(gr.GluedTetrahedron(1.5e-3, glue, 3), count=210, arrangement="lattice"),
          density=2500.0)
worlds.agitate(world, 0.3, spin=0.0)
law = gr.LinearViscoelastic(restitution=0.6, contact_time=2e-4, friction=0.4)
first = gr.Simulation(world, law, threads=1)
first.step(15)
for threads in (1, 2, 3, 4):
    sim = gr.Simulation.from_state(*copy.deepcopy(first.state()), threads=threads)
    sim.step(60)
    print(sim.fingerprint(), len(sim._engine._pairs.block) - 1, sim.world.broken_bonds,
          sim.world.broken_bonds - first.world.broken_bonds)
"""


def test_any_number_of_threads():
    lines = output_of("-c", THREADS, NUMBA_NUM_THREADS="4").splitlines()
    assert len(lines) == 4
    assert len(set(lines)) == 1
    blocks, broken, lately = map(int, lines[0].split()[1:])
    assert blocks > 1
    assert broken > 20
    assert lately > 0

"""Grains at rest: columns and piles carry their weight, stay, and their forces add up."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import granum as gr

G = 9.81


def column(radii, law, overlaps=None, dimension=3):
    """Grains on top of each other on a floor, touching or with the given overlaps below each."""
    up = np.eye(3)[dimension - 1]
    sag = np.zeros(len(radii)) if overlaps is None else overlaps
    steps = np.concatenate([radii[:1], radii[:-1] + radii[1:]]) - sag
    world = gr.World(gravity=tuple(-G * up), dimension=dimension)
    world.add(gr.Plane((0, 0, 0), tuple(up)))
    shape = gr.Disc(radii) if dimension == 2 else gr.Sphere(radii)
    world.add(shape, at=np.cumsum(steps)[:, None] * up, density=2500)
    return gr.Simulation(world, law, threads=1, initial_overlap=0.1), up


def static_overlaps(mass, law):
    """Weight above over stiffness, m_eff K: the floor's effective mass is that of the grain."""
    above = np.cumsum(mass[::-1])[::-1] * G
    effective = np.concatenate([mass[:1], mass[:-1] * mass[1:] / (mass[:-1] + mass[1:])])
    return above / (effective * law.coefficients()[0])


RADII = np.array([5e-3, 3e-3, 4e-3, 2.5e-3, 5e-3, 3.5e-3])
LAW = gr.LinearViscoelastic(0.2, 1e-4, friction=0.4)


@pytest.mark.parametrize("dimension", [3, 2])
def test_a_column_settles_to_the_weight_of_its_layers(dimension):
    sim, up = column(RADII, LAW, dimension=dimension)
    world = sim.world
    sim.run(800e-4)
    overlap = static_overlaps(world.mass, LAW)
    table = sim.contacts()
    assert len(table) == len(RADII)
    order = np.argsort(table.point @ up)
    np.testing.assert_allclose(table.overlap[order], overlap, rtol=1e-6)
    weight = world.mass.sum() * G
    on_floor = table.force[table.j == -1]
    np.testing.assert_allclose(on_floor, [weight * up], atol=1e-8 * weight)
    np.testing.assert_array_equal(table.wall[table.j == -1], 0)
    heights = np.cumsum(np.concatenate([RADII[:1], RADII[:-1] + RADII[1:]]) - overlap)
    np.testing.assert_allclose(world.position @ up, heights, rtol=1e-12)
    stored = 0.5 * (np.cumsum(world.mass[::-1])[::-1] * G * overlap).sum()
    assert sim.energy().elastic == pytest.approx(stored, rel=1e-6)


def test_a_column_at_rest_stays_at_rest():
    mass = 2500 * 4 / 3 * np.pi * RADII**3
    sim, _ = column(RADII, LAW, static_overlaps(mass, LAW))
    start = sim.world.position.copy()
    sim.run(50e-4)
    np.testing.assert_allclose(sim.world.position, start, atol=1e-13 * RADII.max())
    assert np.abs(sim.world.velocity).max() < 1e-10  # rounding of k δ, for a step
    assert np.abs(sim.world.acceleration).max() < 1e-7 * G


def moving(sim):
    return sim.energy().kinetic + sim.energy().rotational


def pulls(world, table, period=None):
    """Add up contact forces and torques on each grain from the table of contacts, (n,3) each."""
    force, torque = np.zeros((len(world), 3)), np.zeros((len(world), 3))
    for c in range(len(table)):
        for grain, push in ((table.i[c], table.force[c]), (table.j[c], -table.force[c])):
            if grain >= 0:
                arm = table.point[c] - world.position[grain]
                if period is not None:
                    arm -= period * np.rint(arm / period)
                force[grain] += push
                torque[grain] += np.cross(arm, push)
    return force, torque


PILE_LAW = gr.LinearViscoelastic(0.3, 5e-4, friction=0.5)
PILE_RADIUS = 5e-3


@pytest.fixture(scope="module")
def pile():
    """Nine, four and one grains in a box that just takes them, dropped, a little off their places.

    Returns the simulation after 0.35 s and the largest kinetic energy on the way.
    """
    rng = np.random.default_rng(11)
    r = PILE_RADIUS
    layers = [((2 * i + k + 1) * r, (2 * j + k + 1) * r, 1.1 * r + 1.8 * r * k)
              for k, n in enumerate((3, 2, 1)) for i in range(n) for j in range(n)]
    points = np.array(layers)
    points[9:, :2] += 0.05 * (points[9:, :2] - 3 * r) + rng.uniform(-0.02 * r, 0.02 * r, (5, 2))
    points[:, 2] += rng.uniform(0.0, 0.1 * r, 14)
    world = gr.World()
    world.add(gr.Box((0, 0, 0), (6 * r, 6 * r, 0.1), open_top=True))
    world.add(gr.Sphere(r), at=points, density=2500)
    sim = gr.Simulation(world, PILE_LAW, threads=1)
    largest = 0.0
    for _ in range(350):
        sim.step(100)
        largest = max(largest, moving(sim))
    return sim, largest


def test_a_pile_comes_to_rest_and_stays(pile):
    sim, largest = pile
    assert len(sim.contacts()) >= 9 + 4 * 5  # floor, and four below each grain above
    there = sim.world.position.copy()
    for _ in range(20):
        assert moving(sim) < 1e-12 * largest
        sim.step(100)
    np.testing.assert_allclose(sim.world.position, there, atol=1e-9 * PILE_RADIUS)


def test_walls_carry_the_weight_of_a_pile(pile):
    sim, _ = pile
    table = sim.contacts()
    weight = sim.world.mass.sum() * G
    on_walls = table.force[table.j == -1].sum(axis=0)
    np.testing.assert_allclose(on_walls, [0.0, 0.0, weight], atol=1e-6 * weight)
    floor = table.force[table.wall == 4]
    assert len(floor) == 9
    assert (floor[:, 2] > 0.0).all()  # a floor pushes up


def test_forces_on_each_grain_of_a_pile_balance(pile):
    sim, _ = pile
    world = sim.world
    force, torque = pulls(world, sim.contacts())
    weight = world.mass[0] * G
    np.testing.assert_allclose(force, np.tile([0.0, 0.0, weight], (len(world), 1)),
                               atol=1e-6 * weight)
    np.testing.assert_allclose(torque, 0.0, atol=1e-6 * weight * PILE_RADIUS)
    np.testing.assert_allclose(world.acceleration, 0.0, atol=1e-6 * G)


def test_each_force_is_spring_and_friction(pile):
    sim, _ = pile
    table = sim.contacts()
    along = (table.force * table.normal).sum(axis=1)
    across = table.force - along[:, None] * table.normal
    k_n, k_t = (stiffness * mass for stiffness, mass in
                zip(PILE_LAW.coefficients()[[0, 2]], table.mass.T, strict=True))
    scale = along.max(initial=0.0) - along.min(initial=0.0)
    np.testing.assert_allclose(along, -k_n * table.overlap, atol=1e-6 * scale)  # pushes i away
    np.testing.assert_allclose(across, k_t[:, None] * table.spring, atol=1e-6 * scale)
    assert (np.linalg.norm(across, axis=1) <= -PILE_LAW.friction * along + 1e-6 * scale).all()
    assert np.linalg.norm(across, axis=1).max() > 0.01 * scale  # friction has something to do
    m = sim.world.mass[0]
    pairs = table.j >= 0
    np.testing.assert_allclose(table.mass[pairs], np.tile([m / 2, m / 7], (pairs.sum(), 1)),
                               rtol=1e-12)
    np.testing.assert_allclose(table.mass[~pairs], np.tile([m, m * 2 / 7], ((~pairs).sum(), 1)),
                               rtol=1e-12)


@pytest.mark.parametrize(("law", "off"), [
    (gr.LinearViscoelastic(1.0, 5e-4), 1e-9),
    # dashpots: the step used the predicted velocity, the table the corrected one
    (gr.LinearViscoelastic(0.7, 5e-4, friction=0.5), 0.015),
])
def test_forces_of_a_moving_cloud_are_its_accelerations(law, off):
    rng = np.random.default_rng(8)
    cell = 0.036
    grid = np.stack(np.meshgrid(*[np.arange(4)] * 3), axis=-1).reshape(-1, 3)
    world = gr.World(periodic=(cell, cell, None))
    world.add(gr.Sphere(rng.uniform(3e-3, 4.4e-3, 64)), density=2500, at=9e-3 * (grid + 0.5),
              velocity=rng.uniform(-1, 1, (64, 3)), spin=rng.uniform(-200, 200, (64, 3)))
    world.add(gr.Plane((0, 0, 0), (0, 0, 1)))
    sim = gr.Simulation(world, law, time_step=law.contact_time / 200, threads=1)
    seen = crossing = 0
    for _ in range(40):
        sim.step(53)
        table = sim.contacts()
        force, torque = pulls(world, table, np.array([cell, cell, 1e3]))
        acceleration = force / world.mass[:, None] + [0.0, 0.0, -G]
        spin_rate = torque / world.inertia
        scale = np.abs(world.acceleration).max()
        np.testing.assert_allclose(acceleration, world.acceleration, atol=off * scale)
        np.testing.assert_allclose(spin_rate, world.spin_rate,
                                   atol=off * scale / world.radius.min())
        pairs = table.j >= 0
        seen += pairs.sum()
        reach = world.position[table.j[pairs]] - world.position[table.i[pairs]]
        crossing += (np.abs(reach) > cell / 2).any(axis=1).sum()
    assert seen > 100
    assert crossing > 10


def test_looking_changes_nothing():
    def drop(look):
        world = gr.World()
        world.add(gr.Box((0, 0, 0), (0.03, 0.03, 0.1), open_top=True))
        points = 0.005 + 0.0095 * np.stack(np.meshgrid(*[np.arange(3)] * 3), axis=-1).reshape(-1, 3)
        world.add(gr.Sphere(4e-3), at=points, density=2500, velocity=(0.3, 0.1, -0.2))
        sim = gr.Simulation(world, PILE_LAW, threads=1)
        for _ in range(150):
            sim.step(40)
            if look:
                before = sim.fingerprint()
                assert len(sim.contacts()) == sim.sample()["contacts"] + sim.sample()[
                    "wall_contacts"]
                sim.energy()
                sim.state()
                assert sim.fingerprint() == before
        assert len(sim.contacts()) > 15
        return sim.fingerprint()

    assert drop(look=True) == drop(look=False)


def test_layers_of_grains_at_rest_between_smooth_walls_carry_what_is_above_them():
    """In a heap without order, as in a column of single grains: the weight above, over the area.

    Walls without friction carry no weight. Then forces go on from centre to contact to centre, and
    each centre adds its weight: across a level z goes the weight of all grains with their centres
    above z, and in the mean over a layer from a to b, over the area A,

        σ_zz = g / (A (b - a)) Σ_i m_i clip(z_i - a, 0, b - a).

    This is exact at rest. What it may be off by is the sum of the forces that still accelerate
    grains, and that is less than a ten-thousandth of the weight.
    """
    side, radius = 0.02, 2e-3
    world = gr.World(seed=4)
    world.add(gr.Box((0, 0, 0), (side, side, 0.1), open_top=True), name="box")
    world.add(gr.Random(radius=radius, count=100, high=(side, side, 0.09), spread=0.2),
              density=2500)
    sim = gr.Simulation(world, gr.LinearViscoelastic(0.1, 4e-4, friction=0.0), threads=1)
    sim.run(2.0)
    weight, z, table = world.mass * G, world.position[:, 2], sim.contacts()
    left = -weight
    np.add.at(left, table.i, table.force[:, 2])
    np.subtract.at(left, table.j[table.j >= 0], table.force[table.j >= 0, 2])
    within = np.abs(left).sum() + 1e-12 * weight.sum()
    assert within < 1e-4 * weight.sum()
    assert -sim.wall_forces()["box"].force[2] == pytest.approx(weight.sum(), abs=within)
    for low, high in itertools.pairwise(np.linspace(0.0, z.max(), 7)):
        found = sim.measure(gr.Stress(gr.BoxRegion((0, 0, low), (side, side, high))))
        above = (weight * np.clip(z - low, 0.0, high - low)).sum() / (high - low)
        assert found["stress_zz"] == pytest.approx(above / side**2, abs=within / side**2)

"""Grains with edges and faces: forces of a potential, counted once; motion, walls, memory."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import granum as gr
import granum.contact.shaped.slots
import skeleton_energy as twin
from granum.errors import InputError, NumericalError
from granum.shapes.turning import product, turned
from resting_slots import asleep, step_awake

LAW = gr.LinearViscoelastic(restitution=1.0, contact_time=1.0, friction=0.0)
HARD = gr.LinearViscoelastic(restitution=1.0, contact_time=0.05, friction=0.0)
ROUGH = gr.LinearViscoelastic(restitution=0.3, contact_time=1e-3, friction=0.5)


def cube(side=1.0, radius=0.1):
    return gr.SpheroPolyhedron.box((side, side, side), radius)


def dent():
    """Return a block with a notch: a solid that is not convex."""
    outline = [(0, 0), (1, 0), (1, 1), (0.6, 1), (0.5, 0.4), (0.4, 1), (0, 1)]
    n = len(outline)
    points = [(x, y, z) for z in (0.0, 0.7) for x, y in outline]
    sides = [(k, (k + 1) % n, n + (k + 1) % n, n + k) for k in range(n)]
    return gr.SpheroPolyhedron(points, faces=[tuple(range(n - 1, -1, -1)),
                                              tuple(range(n, 2 * n)), *sides], radius=0.15)


@cache
def kinds(dimension):
    if dimension == 2:
        star = [(np.cos(a) * r, np.sin(a) * r) for a, r in
                zip(np.arange(8) * np.pi / 4, [1, 0.5] * 4, strict=True)]
        return (gr.SpheroPolygon(star, 0.15), gr.SpheroPolygon([(0, 0), (1, 0), (0.3, 0.8)], 0.1),
                gr.SpheroPolygon([(-0.5, 0.0), (0.5, 0.0)], 0.2, closed=False), crowded(2))
    rng = np.random.default_rng(5)
    points = rng.normal(size=(9, 3))
    rods = gr.SpheroPolyhedron([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)], faces=(),
                               edges=[(0, 1), (0, 2), (0, 3)], radius=0.12)
    return (cube(), gr.SpheroPolyhedron(points / np.linalg.norm(points, axis=1)[:, None],
                                        radius=0.2), dent(), rods, gr.Spherocylinder(1.5, 0.2),
            crowded(3))


def crowded(dimension):
    """Return a shape with sides so short that several vertices of two of them touch each other."""
    points = np.random.default_rng(6).normal(size=(11, dimension))
    points *= 0.1 / np.linalg.norm(points, axis=1)[:, None]
    if dimension == 3:
        return gr.SpheroPolyhedron(points, radius=1.0)
    return gr.SpheroPolygon(points[np.argsort(np.arctan2(*points.T))], 1.0)


def pair(one, two, at, turns, dimension, law=LAW):
    world = gr.World(gravity=(0, 0, 0), dimension=dimension)
    world.add(one, at=[(0, 0, 0)], density=1.0, orientation=turns[0])
    world.add(two, at=[at], density=1.0, orientation=turns[1])
    return gr.Simulation(world, law, initial_overlap=0.5)


def energy_of(*args):
    return float(pair(*args).contacts().energy.sum())


def turn(vector):
    angle = np.linalg.norm(vector)
    return np.array([np.cos(angle / 2), *(np.sin(angle / 2) / angle * np.asarray(vector))])


def touching(rng, one, two, dimension, depth=0.01):
    """Return a place and turns where two shapes overlap a little, up to ``depth``."""
    flat = np.array([1, 1, dimension - 2.0])
    turns = [turn(rng.normal(size=3) * (flat if dimension == 3 else (0, 0, 1))) for _ in "ab"]
    way = rng.normal(size=3) * flat
    way /= np.linalg.norm(way)
    low, high = 0.0, one.bounding_radius + two.bounding_radius
    for _ in range(9):
        middle = 0.5 * (low + high)
        try:
            apart = energy_of(one, two, middle * way, turns, dimension) == 0.0
        except (InputError, NumericalError):
            apart = False
        low, high = (low, middle) if apart else (middle, high)
    return (low - depth * rng.random()) * way, turns


def cases():
    for dimension in (2, 3):
        for k, one in enumerate(kinds(dimension)):
            for m, two in enumerate(kinds(dimension)[k:], k):
                yield pytest.param(one, two, dimension, id=f"{dimension}D-{k}-{m}")


@pytest.mark.parametrize("seed", [3, 4])
@pytest.mark.parametrize(("one", "two", "dimension"), list(cases()))
def test_forces_are_minus_the_gradient_of_the_full_sum(one, two, dimension, seed):
    """A central difference over ±1e-6 is off by up to 6e-10 of the force: rounding, curvature."""
    rng, is_crowd = np.random.default_rng(seed), one is two is kinds(dimension)[-1]
    at, turns = touching(rng, one, two, dimension, 0.5 if is_crowd else 0.01)
    sim = pair(one, two, at, turns, dimension)
    grains = sim.world.grains
    force = grains.acceleration * grains.mass[:, None]
    torque = np.array([twisted(q, grains.inertia[k], grains.spin_rate[k])
                       for k, q in enumerate(grains.orientation)])
    scale = np.abs(force).max()
    assert scale > 0.0
    assert np.abs(force.sum(axis=0)).max() < 1e-12 * scale
    assert np.abs(torque.sum(axis=0) + np.cross(at, force[1])).max() < 1e-12 * scale
    found = np.concatenate([force[1], torque[1]])
    h = 1e-6
    ways = [(np.eye(3)[a] * h, None) for a in range(dimension)]
    ways += [(np.zeros(3), np.eye(3)[a] * h) for a in range(3 if dimension == 3 else 0)]
    ways += [(np.zeros(3), np.array([0, 0, h]))] if dimension == 2 else []
    place = [*range(dimension), *((3, 4, 5) if dimension == 3 else (5,))]
    for k, (way, spin) in zip(place, ways, strict=True):
        ends = []
        for sign in (1.0, -1.0):
            other = turns[1] if spin is None else product(turn(sign * spin)[None],
                                                          turns[1][None])[0]
            ends.append(energy_of(one, two, at + sign * way, (turns[0], other), dimension))
        assert found[k] == pytest.approx(-(ends[0] - ends[1]) / (2 * h), rel=0, abs=1e-8 * scale)
    stiffness = sim.contacts().energy.sum() / twin_energy(sim, one, two, at, dimension)
    assert stiffness == pytest.approx(expected_stiffness(sim), rel=1e-9)
    if is_crowd:
        assert len(sim.contacts()) > 8


def twisted(q, inertia, rate):
    """Return the torque that makes this rate of spin."""
    inverse = np.array([q[0], *-q[1:]])
    return turned(q[None], inertia * turned(inverse[None], rate[None]))[0]


def expected_stiffness(sim):
    """Return k = m_eff π² / t_c² of the law."""
    return float(sim.contacts().mass[0, 0]) * np.pi**2


def twin_energy(sim, one, two, at, dimension):
    shapes = [s.settled(dimension).shape for s in (one, two)]
    X, Y = (turned(np.repeat(q[None], len(s), axis=0), np.array(s.points)) + x
            for s, q, x in zip(shapes, sim.world.grains.orientation, (np.zeros(3), at),
                               strict=True))
    crossing = [s.edges if dimension == 3 else () for s in shapes]
    return twin.energy(shapes[0], X, shapes[1], Y, crossing)


@pytest.mark.parametrize(("offset", "count"), [
    ((0.0, 0.0), 4.0), ((1e-9, 0.0), 4.0), ((0.02, 0.0), 4.0), ((0.3, 0.2), 4.0)])
def test_a_face_on_a_face_is_as_stiff_wherever_it_lies(offset, count):
    depth = 1e-3
    sim = pair(cube(), cube(), (*offset, 1.2 - depth), [(1, 0, 0, 0)] * 2, 3)
    stiffness = expected_stiffness(sim)
    assert sim.contacts().energy.sum() == pytest.approx(count * stiffness * depth**2 / 2, rel=1e-6)


@pytest.mark.parametrize("at", [(0.0, 0.0, 1.2 - 1e-3), (0.5, 0.5, 1.2 - 1e-3)])
def test_contacts_tell_where_they_are(at):
    sim = pair(cube(), cube(), at, [(1, 0, 0, 0)] * 2, 3)
    contacts = sim.contacts()
    assert np.abs(contacts.point[:, 2] - (0.6 - 0.5e-3)).max() < 1e-12
    assert np.allclose(contacts.normal, (0, 0, 1))


@pytest.mark.parametrize("beyond", [0.01, 0.03, 0.06, 0.3])
def test_friction_is_bounded_near_the_end_of_a_crossing(beyond):
    """Expected: |F_t| <= μ N for each contact and for all. Seen: 2 μ N where an end takes over.

    The crossing and the contact of the end that takes it over each had the friction of the whole.
    """
    rod = gr.SpheroPolyhedron([(-0.5, 0, 0), (0.5, 0, 0)], faces=(), edges=[(0, 1)], radius=0.2)
    world = gr.World(gravity=(0, 0, 0))
    world.add(rod, at=[(0, 0, 0)], density=1.0)
    world.add(rod, at=[(0.5 - beyond, 0, 0.39)], density=1.0, velocity=(0, 300, 0),
              orientation=turn((0, 0, np.pi / 2)))
    law = gr.LinearViscoelastic(restitution=1.0, contact_time=1e-3, friction=0.5)
    sim = gr.Simulation(world, law, initial_overlap=0.5)
    sim.step(5)
    force = world.grains.acceleration[1] * world.grains.mass[1]
    assert -force[1] == pytest.approx(0.5 * force[2], rel=0.01)
    contacts = sim.contacts()
    along = (contacts.force * contacts.normal).sum(axis=1)
    across = np.linalg.norm(contacts.force - along[:, None] * contacts.normal, axis=1)
    assert len(contacts) == (1 if beyond == 0.3 else 2)
    assert (across <= 0.5 * np.abs(along) * (1.0 + 1e-9)).all()


def gas(seed, time_step=None, threads=1, shapes=()):
    rng = np.random.default_rng(seed)
    world = gr.World(gravity=(0, 0, 0))
    world.add(gr.Box((0, 0, 0), (6, 6, 6)))
    places = 1.5 + 3.0 * np.array([(x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, 1)])
    shapes = shapes or [cube(), gr.Spherocylinder(1.2, 0.2), gr.Sphere(0.5), kinds(3)[3]]
    for k, place in enumerate(places):
        world.add(shapes[k % len(shapes)], at=[place], density=1.0, velocity=rng.normal(size=3),
                  spin=rng.normal(size=3), orientation=turn(rng.normal(size=3)))
    return gr.Simulation(world, HARD, time_step=time_step, threads=threads)


@pytest.mark.parametrize("shapes", [(), [crowded(3)]], ids=["any", "crowds"])
def test_a_gas_keeps_its_energy_to_second_order(shapes):
    """A quarter of the step: a sixteenth of the drift, where the first order would have a quarter.

    In the mean of four runs: collisions come at other phases of the steps, so that one alone has
    anything from a five-hundredth to more than a quarter.
    """
    drifts = []
    for seed in (1, 2, 4, 5):
        for step in (1e-3, 2.5e-4):
            sim = gas(seed, step, shapes=shapes)
            start = sim.energy().total
            sim.run(1.5)
            drifts.append(abs(sim.energy().total / start - 1.0))
    coarse, fine = np.reshape(drifts, (4, 2)).T
    assert coarse.max() < 1e-3
    assert fine.mean() < 0.1 * coarse.mean()


def turning(world):
    """Return the angular momentum of each body about its own centre."""
    back = world.orientation * (1.0, -1.0, -1.0, -1.0)
    return turned(world.orientation, world.inertia * turned(back, world.spin))


def test_a_free_brick_keeps_energy_and_angular_momentum_for_a_million_steps():
    """Its axes are unlike and it tumbles: the energy swings by up to 3e-8, and does not drift."""
    world = gr.World(gravity=(0, 0, 0))
    world.add(gr.SpheroPolyhedron.box((1.0, 0.6, 0.3), 0.1), at=[(0, 0, 0)], density=1.0,
              spin=(0.3, 1.0, 0.4))
    sim = gr.Simulation(world, HARD, time_step=1e-3, threads=1)
    before, energy, errors = turning(world)[0], sim.energy().total, []
    for _ in range(500):
        sim.step(2000)
        errors.append(sim.energy().total / energy - 1.0)
    early, late = np.abs(errors[:250]).max(), np.abs(errors[250:]).max()
    assert sim.steps == 10**6
    assert max(early, late) < 1e-7
    assert late < 1.3 * early
    assert abs(np.mean(errors[250:]) - np.mean(errors[:250])) < 0.1 * early
    lost = np.abs(turning(world)[0] - before).max() / np.linalg.norm(before)
    assert lost < 4e-16 * sim.steps  # a rounding or two a step


def test_what_collides_with_friction_keeps_momentum_and_angular_momentum():
    """Solids, hollow and convex, rods and spheres that fly at each other, without walls."""
    rng = np.random.default_rng(7)
    world = gr.World(gravity=(0, 0, 0))
    shapes = [cube(), dent(), gr.Spherocylinder(1.2, 0.2), gr.Sphere(0.5), kinds(3)[3]]
    places = 2.2 * (np.stack(np.meshgrid(*[np.arange(3)] * 3), axis=-1).reshape(-1, 3) - 1.0)
    for k, place in enumerate(places):
        world.add(shapes[k % 5], at=[place], density=1.0, orientation=turn(rng.normal(size=3)),
                  velocity=0.3 * rng.normal(size=3) - 0.4 * place, spin=rng.normal(size=3))
    law = gr.LinearViscoelastic(restitution=0.6, contact_time=0.05, friction=0.5)
    sim = gr.Simulation(world, law, time_step=1e-3, threads=1)

    def kept():
        p = world.mass[:, None] * world.velocity
        return p.sum(axis=0), (np.cross(world.position, p) + turning(world)).sum(axis=0)

    sizes = [(world.mass * np.linalg.norm(x, axis=1)).sum() for x in (
        world.velocity, np.cross(world.position, world.velocity))]
    before, energy, pairs = kept(), sim.energy().total, set()
    for _ in range(200):
        sim.step(10)
        contacts = sim.contacts()
        pairs |= set(zip(contacts.i.tolist(), contacts.j.tolist(), strict=True))
    assert len(pairs) > 30
    assert sim.energy().total < 0.8 * energy
    for found, wanted, size in zip(kept(), before, sizes, strict=True):
        assert np.abs(found - wanted).max() < 1e-13 * size


def test_threads_restart_and_lists_change_no_bit(tmp_path):
    runs = []
    for threads in (1, 2):
        sim = gas(2, 1e-3, threads)
        sim.run(0.6)
        runs.append(sim.fingerprint())
    cut = gas(2, 1e-3)
    cut.run(0.3)
    cut.save(tmp_path / "half.h5")
    cut = gr.Simulation.load(tmp_path / "half.h5")
    cut.run(0.3)
    runs.append(cut.fingerprint())
    for factor in (0.3, 4.0):
        other = gas(2, 1e-3)
        other._engine.least_margin *= factor
        other.run(0.6)
        runs.append(other.fingerprint())
    assert len(set(runs)) == 1


@pytest.mark.parametrize("shapes", [(), [crowded(3)]], ids=["any", "crowds"])
def test_features_that_rest_change_no_bit(shapes, monkeypatch):
    """As many steps with all features looked at in each, and with those left out that rest."""
    resting, awake = gas(2, 1e-3, shapes=shapes), gas(2, 1e-3, shapes=shapes)
    step_awake(awake, 1200, monkeypatch)
    rested = met = 0
    for _ in range(240):
        resting.step(5)
        rested += asleep(resting)
        met += int((resting.contacts().j >= 0).sum())
    assert resting.fingerprint() == awake.fingerprint()
    assert rested > 10
    assert met > 5


def falling_cubes(speed, gravity):
    """Two cubes, one of them slowly coming down on the other, and all of it falling or not."""
    world = gr.World(gravity=(0, 0, -gravity))
    world.add(cube(), at=[(0, 0, 0), (0.1, 0.2, 1.38)], density=1.0,
              velocity=[(0, 0, -speed), (0, 0, -speed - 1.0)])
    return gr.Simulation(world, HARD, time_step=1e-3, threads=1)


def test_what_all_bodies_have_in_common_is_no_way(monkeypatch):
    """Those that fall together rest as those that do not fall; and touch as well."""
    still, falling, awake = (falling_cubes(*how) for how in ((0, 0), (10, 9.81), (10, 9.81)))
    ways = []
    for sim in (still, falling):
        sim.step(200)
        ways.append(float(sim._engine._pairs.gone.max()))
    step_awake(awake, 200, monkeypatch)
    assert len(falling.contacts()) > 0
    assert falling.fingerprint() == awake.fingerprint()
    assert ways[0] > 0.05  # half of the way by which they have come closer
    assert ways[1] < 2.0 * ways[0]  # and all have fallen by more than 2


def test_there_is_room_for_any_number_of_features(monkeypatch):
    """Lists are written in one go; where too little room was set aside they are written again."""
    tight = gas(2, 1e-3)
    assert len(tight._engine._pairs.row) > 0
    monkeypatch.setattr(granum.contact.shaped.slots, "SPARE", 0)
    for _ in range(60):
        tight._engine._pairing.room[:] = 0.0
        tight.step(10)
    wide = gas(2, 1e-3)
    wide.step(600)
    assert tight.fingerprint() == wide.fingerprint()


@pytest.mark.parametrize(("dimension", "shape"), [
    (2, kinds(2)[2]), (3, kinds(3)[3]), (3, kinds(3)[4]), (3, gr.Spherotetrahedron(0.8, 0.5)),
    (3, gr.SpheroPolyhedron.box((0.5, 0.4, 0.3), 0.5))],
    ids=["segments", "rods", "segments in space", "tetrahedra", "bricks"])
def test_covers_on_a_triangulation_find_what_cells_find(dimension, shape):
    """Grains hit each other, across faces of the cell too: the same to the last bit."""
    rng = np.random.default_rng(4)
    ways = [np.arange(3) * 2.3 + 1.1] * dimension + [np.zeros(1)] * (3 - dimension)
    at = np.stack(np.meshgrid(*ways), axis=-1).reshape(-1, 3)
    axis = rng.normal(size=(len(at), 3)) * ((1, 1, 1) if dimension == 3 else (0, 0, 1))
    runs = []
    for neighbours in ("cells", "triangulation"):
        world = gr.World(gravity=(0, 0, 0), dimension=dimension, periodic=(6.9, None, None))
        world.add(shape, at=at, density=1.0, orientation=[turn(a) for a in axis],
                  velocity=np.random.default_rng(1).normal(size=at.shape)
                  * (1, 1, dimension - 2))
        sim = gr.Simulation(world, HARD, time_step=1e-3, neighbours=neighbours)
        sim.run(0.5 if dimension == 3 else 2.0)
        runs.append((sim.fingerprint(), sim.counts["list_updates"]))
    assert runs[0][0] == runs[1][0]
    assert sim.counts["triangulation_checks"] > 10
    assert np.ptp(sim.world.grains.spin[:, 2]) > 0.1  # they did hit


def test_a_solid_that_needs_too_many_covering_spheres_is_refused():
    world = gr.World()
    world.add(cube(2.0, 0.05), at=[(0, 0, 0), (0, 0, 4)], density=1.0)
    with pytest.raises(InputError, match=r"8 vertices.*covering spheres.*use neighbours = \"cells"):
        gr.Simulation(world, LAW, neighbours="triangulation")


def pulled(slope):
    """Return gravity on a floor that slopes down towards x."""
    return 9.81 * np.sin(slope), 0.0, -9.81 * np.cos(slope)


def stack(count, slope=0.0, size=(0.01, 0.01, 0.01), law=ROUGH):
    radius = 0.001
    world = gr.World(gravity=pulled(slope))
    world.add(gr.Plane((0, 0, 0), (0, 0, 1)))
    block = gr.SpheroPolyhedron.box(tuple(s - 2 * radius for s in size), radius)
    world.add(block, at=[(0, 0, (k + 0.5) * size[2]) for k in range(count)], density=2500.0)
    return gr.Simulation(world, law, initial_overlap=1e-6)


def test_a_stack_of_ten_cubes_stands_for_ten_seconds_and_weighs_what_it_weighs():
    sim = stack(10)
    sim.run(10.0)
    grains = sim.world.grains
    assert np.abs(grains.position[:, :2]).max() < 1e-9
    assert np.abs(grains.velocity).max() < 1e-9
    contacts = sim.contacts()
    for k in range(10):
        above = (contacts.i == k) & (contacts.j == -1) if k == 0 else (contacts.i == k - 1) & (
            contacts.j == k)
        weight = grains.mass[k:].sum() * 9.81
        assert abs(contacts.force[above, 2].sum()) == pytest.approx(weight, rel=1e-6)


@pytest.mark.parametrize(("slope", "slides"), [(0.44, False), (0.49, True), (0.6, True)])
def test_a_block_slides_if_the_slope_is_above_friction(slope, slides):
    """Once its springs are stretched, with g (sin a - μ cos a), to rounding."""
    sim = stack(1, slope, (0.02, 0.02, 0.01))
    sim.run(0.05)
    before, since = sim.world.velocity[0, 0], sim.time
    sim.run(0.05)
    if slides:
        rate = 9.81 * (np.sin(slope) - 0.5 * np.cos(slope))
        found = (sim.world.velocity[0, 0] - before) / (sim.time - since)
        assert found == pytest.approx(rate, rel=1e-10)
    else:
        assert sim.world.position[0, 0] < 1e-5
        assert abs(sim.world.velocity[0, 0]) < 1e-9


@pytest.mark.parametrize("slope", [0.2, 0.3])
def test_a_block_that_slides_comes_to_rest_on_a_slope_and_stays(slope):
    """After v² / 2 g (μ cos a - sin a), and half a first step, of which friction knows nothing.

    What is left, 2.4e-7 m at most whatever speed and step, is of the springs, which slide only
    once they are stretched.
    """
    sim = stack(1, slope, (0.02, 0.02, 0.01))
    sim.run(0.05)
    start, speed = sim.world.position[0, 0], 0.3
    sim.world.velocity[0] = (speed, 0.0, 0.0)
    sim.run(0.25)
    way = speed**2 / (2.0 * 9.81 * (0.5 * np.cos(slope) - np.sin(slope)))
    stopped = sim.world.position[0].copy()
    assert stopped[0] - start == pytest.approx(way + 0.5 * speed * sim.time_step,
                                                rel=0, abs=3e-7)
    sim.run(0.5)
    assert np.abs(sim.world.position[0] - stopped).max() < 1e-12
    assert np.abs(sim.world.velocity).max() < 1e-12


@pytest.mark.parametrize(("slope", "tips"), [(0.241, False), (0.2425, True)])
def test_a_block_tips_over_where_its_centre_leaves_its_foot(slope, tips):
    """The foot is what touches: the flat part of the bottom, a quarter of the height.

    The floor is tilted little by little: if all the slope came at once, the block would rock, and
    fall at slopes that are lower by a hundredth.
    """
    law = gr.LinearViscoelastic(restitution=0.1, contact_time=1e-3, friction=1.0)
    sim = stack(1, 0.2, (0.0094, 0.0094, 0.03), law)  # tan a = 0.0074 / 0.03, a = 0.24184
    for part in np.linspace(0.2, slope, 40):
        sim.world.gravity = np.array(pulled(part))
        sim.run(0.01)
    sim.run(0.4)
    lean = 1.0 - abs(turned(sim.world.orientation, np.array([[0.0, 0.0, 1.0]]))[0, 2])
    assert lean > 0.05 if tips else lean < 1e-6


def test_what_edges_cannot_do_is_refused():
    world = gr.World()
    world.add(gr.Spherocylinder(1.0, 0.2), at=[(0, 0, 0)], density=1.0)
    glue = gr.PowerGlue(stiffness=1.0)
    world.add(gr.Cluster(((5, 0, 0), (5.6, 0, 0)), (0.3, 0.3), glue=glue), density=1.0)
    with pytest.raises(InputError, match=r"glue is a spring.*grains with edges.*leave one of them"):
        gr.Simulation(world, LAW, time_step=1e-4)
    crossed = gr.World(gravity=(0, 0, 0))
    crossed.add(gr.Spherocylinder(1.0, 0.2), at=[(0, 0, 0), (0, 0, 0.35)], density=1.0,
                orientation=[(1, 0, 0, 0), turn((0, 0, 1.0))])
    with pytest.raises(InputError, match=r"grains 0 and 1 overlap by 0\.05"):
        gr.Simulation(crossed, LAW)


def test_bodies_alike_share_their_vertices():
    """Each vertex is found among the shared ones where its own row says, whatever the mixture."""
    world = gr.World()
    shapes = [cube(), gr.Sphere(0.5), cube(2.0, 0.2), gr.Spherocylinder(1.2, 0.2)]
    for k in range(12):
        world.add(shapes[k % 4], at=[(4.0 * k, 0, 0)], density=1.0)
    engine = gr.Simulation(world, HARD, threads=1)._engine
    frame = engine._pairing.frame
    row = np.arange(len(frame.arm)) - frame.ahead[frame.body]
    assert len(frame.alike) == 8 + 1 + 8 + 2
    assert (frame.alike[row] == frame.arm).all()

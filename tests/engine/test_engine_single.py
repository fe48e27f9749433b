"""One contact for two convex shapes: where the twin has it, as stiff as one, with one memory.

The compiled step is that of `test_budget_shapes`: a budget is kept, and there is a wall with rims.
"""

from __future__ import annotations

import numpy as np
import pytest

import granum as gr
from granum.contact.pairs import single_contact
from granum.contact.shaped.convex import is_convex
from granum.contact.skeleton import skeleton_of
from granum.errors import InputError
from granum.shapes.turning import turned

ROLLING = gr.RollingResistance(0.2, contact_time=0.05)


def law(restitution=1.0, friction=0.0):
    """Return a law, always of one form."""
    return gr.With(gr.LinearViscoelastic(restitution=restitution, contact_time=0.05,
                                         friction=friction), ROLLING, gr.Damping())


SMOOTH = law()
FAR = gr.Plate((3, 3, -9), (0, 0, 1), radius=0.5)  # a wall with a rim that nothing touches


def turn(vector):
    angle = np.linalg.norm(vector)
    return np.array([np.cos(angle / 2), *(np.sinc(angle / 2 / np.pi) / 2 * np.asarray(vector))])


CUBE = gr.SpheroPolyhedron.box((1.0, 1.0, 1.0), 0.1)
ROD = gr.Spherocylinder(1.2, 0.2)
HEXAPOD = gr.SpheroPolyhedron([(0.6, 0, 0), (-0.6, 0, 0), (0, 0.6, 0), (0, -0.6, 0), (0, 0, 0.6),
                               (0, 0, -0.6)], faces=(), edges=[(0, 1), (2, 3), (4, 5)], radius=0.15)
BALL = gr.Sphere(0.3)
CONVEX = {"cube": CUBE, "rod": ROD, "ball": BALL, "triangle": gr.Spherotriangle(0.8, 0.12),
          "hull": gr.SpheroPolyhedron(np.random.default_rng(2).normal(size=(12, 3)) * 0.4,
                                      radius=0.15)}


def simulation(*grains, law=SMOOTH):
    """Return a simulation of shapes at places with turns and velocities."""
    world = gr.World(gravity=(0, 0, 0), domain=((-99, -99, -99), (99, 99, 99)))
    world.add(FAR)
    for shape, at, turns, velocity in grains:
        world.add(shape, at=[at], density=1.0, orientation=turns, velocity=velocity)
    return gr.Simulation(world, law, initial_overlap=0.5, contacts="single", threads=1,
                         budget=True)


def skeleton(shape, at, turns):
    """Return vertices in the lab, skeleton, and centre with radius, as `single_contact` takes."""
    if isinstance(shape, gr.Sphere):
        point = gr.Clump([(0.0, 0.0, 0.0)], shape.radius).settled(3).shape
        return np.array([at]), skeleton_of(point, 3), (*at, shape.radius)
    solid = shape.settled(3)
    world = gr.World()
    world.add(shape, at=[at], density=1.0, orientation=turns)
    X = turned(np.repeat(world.orientation, len(solid.shape), axis=0),
               np.array(solid.shape.points)) + at
    return X, skeleton_of(solid.shape, 3), (*at, shape.radius)


def expected(*grains):
    (XA, A, a), (XB, B, b) = (skeleton(*grain[:3]) for grain in grains)
    return single_contact(XA, A, XB, B, np.array([a, b]))


def touching(one, two, rng):
    """Return two shapes in any position that overlap by a hundredth."""
    turns, way = [turn(rng.normal(size=3)) for _ in "ab"], rng.normal(size=3)
    way /= np.linalg.norm(way)
    low, high = 0.0, 3.0
    for _ in range(40):
        middle = 0.5 * (low + high)
        both = [(one, np.zeros(3), turns[0], (0, 0, 0)), (two, middle * way, turns[1], (0, 0, 0))]
        with np.errstate(invalid="ignore"):
            overlap = expected(*both)[0]
        low, high = (low, middle) if overlap < 0.01 else (middle, high)
    return both


@pytest.mark.parametrize("other", CONVEX)
@pytest.mark.parametrize("name", [name for name in CONVEX if name != "ball"])
def test_contact_is_that_of_the_twin(name, other):
    both = touching(CONVEX[name], CONVEX[other], np.random.default_rng(7))
    overlap, normal, point = expected(*both)
    sim = simulation(*both)
    contacts = sim.contacts()
    assert len(contacts) == 1
    assert contacts.overlap[0] == pytest.approx(overlap, rel=1e-9)
    assert contacts.normal[0] == pytest.approx(normal, abs=1e-9)
    assert contacts.point[0] == pytest.approx(point, abs=1e-9)
    grains = sim.world.grains
    force = grains.mass[:, None] * grains.acceleration
    stiffness = float(contacts.mass[0, 0]) * (np.pi / 0.05) ** 2
    assert force[1] == pytest.approx(stiffness * overlap * normal, rel=1e-9)
    assert force[0] == pytest.approx(-force[1], rel=1e-12)
    for k in (0, 1):
        torque = turned(grains.orientation[[k]], grains.inertia[k] * turned(
            grains.orientation[[k]] * (1, -1, -1, -1), grains.spin_rate[[k]]))[0]
        assert torque == pytest.approx(np.cross(point - both[k][1], force[k]),
                                       abs=1e-9 * np.abs(force).max())


UP = (1.0, 0.0, 0.0, 0.0)


@pytest.mark.parametrize(("shape", "aside", "depth"), [
    (ROD, (0.0, 0.4 - 1e-3, 0.0), 1e-3), (ROD, (0.7, 0.4 - 1e-3, 0.0), 1e-3),
    (CUBE, (0.0, 0.0, 1.2 - 1e-3), 1e-3), (CUBE, (0.3, 0.2, 1.2 - 1e-3), 1e-3)])
def test_parallel_features_are_as_stiff_as_one_contact(shape, aside, depth):
    """Rods side by side, wherever they lie along each other, and faces on faces."""
    sim = simulation((shape, (0, 0, 0), UP, (0, 0, 0)), (shape, aside, UP, (0, 0, 0)))
    contacts = sim.contacts()
    stiffness = float(contacts.mass[0, 0]) * (np.pi / 0.05) ** 2
    assert contacts.energy.sum() == pytest.approx(0.5 * stiffness * depth**2, rel=1e-6)
    assert contacts.point[0, :2] == pytest.approx(0.5 * np.array(aside[:2]), abs=1e-12)


@pytest.mark.parametrize("shift", [(0.0, 0.0), (0.3, 0.2)])
def test_another_law_acts_once_as_well(shift):
    """Hertz: F = 4/3 E* √R δ^(3/2), with the radii of the balls that sweep; faces on faces."""
    depth, young, poisson = 1e-3, 1e5, 0.25
    world = gr.World(gravity=(0, 0, 0))
    for at in ((0, 0, 0), (*shift, 1.2 - depth)):
        world.add(CUBE, at=[at], density=1.0, orientation=UP)
    sim = gr.Simulation(world, gr.HertzMindlin(young, poisson, restitution=1.0),
                        contacts="single", threads=1, initial_overlap=0.5)
    force = sim.world.grains.mass[1] * sim.world.grains.acceleration[1]
    expected = 4 / 3 * young / (2 * (1 - poisson**2)) * np.sqrt(0.05) * depth**1.5
    assert force == pytest.approx([0, 0, expected], rel=1e-9, abs=1e-9 * expected)
    assert len(sim.contacts()) == 1


def impact(shape, gap, restitution):
    """Return the speed of a grain after it has met another one like it, head-on."""
    far = ROD, (50, 0, 0), UP, (0, 0, 0)  # so that spheres are among shapes, too
    sim = simulation((shape, (0, 0, 0), UP, (0, 0, 0)), (shape, (0, 0, gap), UP, (0, 0, -0.1)), far,
                     law=law(restitution, 0.5))
    sim.world.mass[:] = 1.0
    sim.step(80)
    assert not len(sim.contacts())
    return sim.world.velocity[1, 2] - sim.world.velocity[0, 2]


def test_a_central_impact_returns_the_restitution_exactly():
    """Face on face, as two spheres of the same masses that meet at the same moment do."""
    gap = 1.2 + 1.05e-3  # they meet in the midst of a step
    of_spheres = impact(gr.Sphere(0.6), gap, 0.4)
    assert of_spheres == pytest.approx(0.1 * 0.4, rel=0.05)
    assert impact(CUBE, gap, 0.4) == pytest.approx(of_spheres, rel=1e-9)


def test_what_is_not_convex_keeps_all_contacts():
    sim = simulation((HEXAPOD, (0, 0, 0), UP, (0, 0, 0)), (ROD, (0.97, 0.349, 0), UP, (0, 0, 0)))
    assert len(sim.contacts()) == 2
    shapes = {name: shape.settled(3).shape for name, shape in CONVEX.items() if name != "ball"}
    assert all(is_convex(shape, 3) for shape in shapes.values())
    plate = gr.SpheroPolyhedron([(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)], radius=0.1)
    assert is_convex(plate.settled(3).shape, 3)
    for shape in (HEXAPOD, gr.Clump([(0, 0, 0), (1, 0, 0)], 0.6)):
        assert not is_convex(shape.settled(3).shape, 3)
    l_shape = [(0, 0), (2, 0), (2, 1), (1, 1), (1, 2), (0, 2)]
    assert not is_convex(gr.SpheroPolygon(l_shape, 0.1).settled(2).shape, 2)
    assert is_convex(gr.SpheroPolygon([(0, 0), (2, 0), (2, 1)], 0.1).settled(2).shape, 2)
    assert not is_convex(gr.SpheroPolygon([(0, 0), (2, 0), (2, 1)], 0.1, closed=False)
                         .settled(2).shape, 2)


@pytest.mark.parametrize("side", [0.2, -0.2])
def test_a_contact_keeps_its_spring_from_feature_to_feature(side):
    """Corners slide over the diagonal that cuts a face into triangles: friction grows on."""
    sim = simulation((CUBE, (0, 0, 0), UP, (0, 0, 0)),
                     (CUBE, (0.2 - 0.6e-3, side, 1.195), UP, (0.15, 0, 0)), law=law(1.0, 0.5))
    friction = [0.0]
    for _ in range(8):
        sim.step(1)
        contacts = sim.contacts()
        assert len(contacts) == len(sim._engine.memory()[0].i) == 1
        friction.append(contacts.force[0, 0])
    assert sim.world.position[1, 0] - sim.world.position[0, 0] > 0.2
    assert np.diff(friction).min() > 0.1 * np.diff(friction).max()


def gas(threads=1):
    rng = np.random.default_rng(5)
    world = gr.World(gravity=(0, 0, 0), periodic=(6.0, None, None))
    world.add(gr.Box((0, 0, 0), (6.0, 6.0, 6.0)))
    world.add(FAR)
    shapes = [*CONVEX.values(), HEXAPOD]
    places = 1.0 + 2.0 * np.stack(np.meshgrid(*[np.arange(3)] * 3), axis=-1).reshape(-1, 3)
    for k, place in enumerate(places):
        world.add(shapes[k % 6], at=[place], density=1.0, velocity=rng.normal(size=3),
                  spin=rng.normal(size=3), orientation=turn(rng.normal(size=3)))
    return gr.Simulation(world, law(0.8, 0.4), time_step=1e-3, contacts="single", threads=threads,
                         budget=True)


def test_collisions_with_friction_keep_momentum_and_angular_momentum():
    """Shapes that fly at each other; what rolling resistance takes from one, another gets."""
    rng, shapes = np.random.default_rng(8), [*CONVEX.values(), HEXAPOD]
    places = 1.9 * (np.stack(np.meshgrid(*[np.arange(3)] * 3), axis=-1).reshape(-1, 3) - 1.0)
    sim = simulation(*((shapes[k % 6], place, turn(rng.normal(size=3)),
                        0.3 * rng.normal(size=3) - 0.4 * place)
                       for k, place in enumerate(places)), law=law(0.6, 0.5))
    world = sim.world
    world.spin[:] = rng.normal(size=world.spin.shape)

    def kept():
        p, back = world.mass[:, None] * world.velocity, world.orientation * (1, -1, -1, -1)
        own = turned(world.orientation, world.inertia * turned(back, world.spin))
        return p.sum(axis=0), (np.cross(world.position, p) + own).sum(axis=0)

    sizes = [(world.mass * np.linalg.norm(x, axis=1)).sum() for x in (
        world.velocity, np.cross(world.position, world.velocity))]
    before, energy, pairs = kept(), sim.energy().total, set()
    for _ in range(200):
        sim.step(10)
        contacts = sim.contacts()
        pairs |= set(zip(contacts.i.tolist(), contacts.j.tolist(), strict=True))
    assert len(pairs) > 20
    assert min(j for _, j in pairs) >= 0  # no wall
    assert sim.energy().total < 0.8 * energy
    for found, wanted, size in zip(kept(), before, sizes, strict=True):
        assert np.abs(found - wanted).max() < 1e-13 * size


def test_threads_restart_and_lists_change_no_bit(tmp_path):
    runs = []
    for threads in (1, 2):
        sim = gas(threads)
        sim.run(1.0)
        runs.append(sim.fingerprint())
    cut = gas()
    cut.run(0.5)
    assert len(cut._engine.memory()[0].i)  # in the midst of a contact
    cut.save(tmp_path / "half.h5")
    cut = gr.Simulation.load(tmp_path / "half.h5")
    assert cut.touching == "single"
    cut.run(0.5)
    runs.append(cut.fingerprint())
    for factor in (0.3, 4.0):
        other = gas()
        other._engine.least_margin *= factor
        other.run(1.0)
        runs.append(other.fingerprint())
    assert len(set(runs)) == 1


def test_an_unknown_choice_is_refused():
    world = gr.World()
    world.add(ROD, at=[(0, 0, 0)], density=1.0)
    with pytest.raises(InputError, match="contacts = 'one' is not known; choose 'all' or 'single'"):
        gr.Simulation(world, SMOOTH, contacts="one")

"""Materials in pairs: every contact follows the law of its two materials, bit for bit."""

import itertools

import engine_worlds as worlds
import numpy as np
import pytest
from engine_process import output_of
from engine_worlds import differences, reloaded

import granum as gr

GLASS, STEEL = gr.Material("glass", 2500.0), gr.Material("steel", 7800.0)
LAW = gr.LinearViscoelastic(restitution=0.6, contact_time=1e-3, friction=0.4)
PAIRS = gr.Pairs(LAW, {
    "steel": {"restitution": 0.8, "friction": 0.1, "contact_time": 5e-4},
    ("steel", "glass"): {"restitution": 0.9},
})
STEP = 5e-6
KINDS = list(itertools.combinations_with_replacement((GLASS, STEEL), 2))
NAMES = [f"{a.name}-{b.name}" for a, b in KINDS]


def simulation(world, law=PAIRS, **options):
    return gr.Simulation(world, law, time_step=STEP, **{"threads": 1, **options})


def empty():
    """A world of two materials, without anything in it."""
    world = gr.World(gravity=(0.0, 0.0, 0.0), domain=((-1, -1, -1), (1, 1, 1)))
    world.add(GLASS)
    world.add(STEEL)
    return world


def two_grains(world, k, a, b):
    """Two grains about to collide at an angle; the first one spins."""
    x = 0.1 * k
    world.add(gr.Sphere(4e-3), at=[(x, 0.0, 0.0)], material=a, velocity=(0.5, 0.1, 0.0),
              spin=(10.0, 20.0, 30.0))
    world.add(gr.Sphere(5e-3), at=[(x + 0.00901, 0.0, 5e-4)], material=b, velocity=(-0.5, 0.0, 0.1))


def on_a_wall(world, k, a, b):
    """A grain about to hit a rectangle of material b; of its own if the rectangle has none."""
    x = 0.1 * k
    world.add(gr.Plane((x, 0.5, 0.0), (0.0, 0.0, 1.0), extent=(0.05, 0.05)), material=b)
    world.add(gr.Sphere(4e-3), at=[(x, 0.5, 4.01e-3)], material=a, velocity=(0.2, 0.1, -1.0),
              spin=(10.0, 20.0, 30.0))


SCENES = [*((two_grains, a, b) for a, b in KINDS),
          *((on_a_wall, a, b) for a, b in itertools.product((GLASS, STEEL), (GLASS, STEEL, None)))]


def grains_of(sim, ids=slice(None)):
    grains = sim.world.grains
    return [array[ids].tobytes() for array in (grains.position, grains.velocity, grains.spin)]


def test_each_contact_follows_the_law_of_its_materials():
    """Many collisions in one world; each alone under the plain law of its pair."""
    crowd = empty()
    ids = []
    for k, (scene, a, b) in enumerate(SCENES):
        before = len(crowd)
        scene(crowd, k, a, b)
        ids.append(slice(before, len(crowd)))
    together, alone = simulation(crowd), []
    for k, (scene, a, b) in enumerate(SCENES):
        world = empty()
        scene(world, k, a, b)
        alone.append(simulation(world, PAIRS.between(a.name, (b or a).name)))
    met = np.zeros(len(SCENES))
    for _ in range(30):
        together.step(10)
        table = together.contacts()
        for k, sim in enumerate(alone):
            sim.step(10)
            assert grains_of(together, ids[k]) == grains_of(sim)
            own = sim.contacts()
            mine = (table.i >= ids[k].start) & (table.i < ids[k].stop)
            for column in ("overlap", "force", "spring", "energy"):
                assert getattr(table, column)[mine].tobytes() == getattr(own, column).tobytes()
            met[k] += len(own)
    assert (met > 5).all()
    ended = {grains_of(sim)[1] for sim in alone}
    assert len(ended) == len(KINDS) + 4  # a wall without a material is one of the grain's own


@pytest.mark.parametrize(("kinds", "restitution"),
                         list(zip(KINDS, (0.6, 0.9, 0.8), strict=True)), ids=NAMES)
def test_restitution_is_that_of_the_pair(kinds, restitution):
    world = empty()
    for x, speed, material in zip((0.0, 0.010001), (0.2, -0.2), kinds, strict=True):
        world.add(gr.Sphere(5e-3), at=[(x, 0.0, 0.0)], material=material, velocity=(speed, 0, 0))
    sim = simulation(world)
    sim.step(250)
    assert len(sim.contacts()) == 0
    assert (world.velocity[1, 0] - world.velocity[0, 0]) / 0.4 == pytest.approx(restitution,
                                                                                abs=2e-3)


# ---- many grains ------------------------------------------------------------------------------

def gas(first=GLASS, second=STEEL):
    """Grains of two materials in a closed box of one of them."""
    world = gr.World(gravity=(0.0, 0.0, -40.0))
    world.add(gr.Box((0.0, 0.0, 0.0), (0.05, 0.05, 0.05)), material=second)
    world.add(gr.Random(radius=5e-3, count=20, spread=0.3), material=first)
    world.add(gr.Random(radius=4e-3, count=20, spread=0.3), material=second)
    worlds.agitate(world, 1.0)
    return world


@pytest.fixture(scope="module")
def whole():
    sim = simulation(gas())
    met = 0
    for _ in range(12):
        sim.step(100)
        met += len(sim.contacts())
    assert met > 20
    return sim


def test_cells_and_triangulation_give_the_same_bits(whole):
    sim = simulation(gas(), neighbours="triangulation")
    sim.step(1200)
    assert differences(whole, sim) == ["neighbours"]


def test_a_run_goes_on_from_a_file(whole, tmp_path):
    sim = simulation(gas())
    for cut in (1, 555, 700):
        sim.step(cut - sim.steps)
        sim = reloaded(sim, tmp_path / "checkpoint")
        assert sim.law == PAIRS
        assert sim.world.materials == [STEEL, GLASS]
        assert list(sim.world.made_of.values()) == [0]
    sim.step(1200 - sim.steps)
    assert differences(whole, sim) == []


def test_pairs_that_are_all_alike_are_the_plain_law():
    alike = gr.Pairs(LAW, {"steel": {"friction": LAW.friction},
                           ("glass", "steel"): {"restitution": LAW.restitution}})
    sims = simulation(gas(), LAW), simulation(gas(), alike)
    met = 0
    for _ in range(6):
        for sim in sims:
            sim.step(100)
        met += len(sims[0].contacts())
        assert differences(*sims) == ["law"]
    assert met > 5


def test_the_order_of_the_materials_does_not_matter():
    """Numbers of materials are scratch: the same grains, with the names the other way round."""
    sims = []
    for order in ((GLASS, STEEL), (STEEL, GLASS)):
        world = gr.World(gravity=(0.0, 0.0, -40.0))
        for material in order:
            world.add(material)
        made = gas()
        world.add(made.walls[0], material=STEEL)
        for material in (GLASS, STEEL):
            number = made.materials.index(material)
            chosen = made.material == number
            world.add(gr.Sphere(made.radius[chosen]), at=made.position[chosen], material=material,
                      velocity=made.velocity[chosen], spin=made.spin[chosen])
        sims.append(simulation(world))
        sims[-1].step(600)
    assert grains_of(sims[0]) == grains_of(sims[1])
    assert sims[0].fingerprint() == sims[1].fingerprint()


def test_the_table_of_contacts_has_the_numbers_of_the_pair():
    """Normal force, energy and the bound of friction, worked out contact by contact."""
    sim = simulation(gas())
    names = [material.name for material in sim.world.materials]
    seen = set()
    for _ in range(24):
        sim.step(50)
        table, world = sim.contacts(), sim.world
        for c in range(len(table)):
            i, j = table.i[c], table.j[c]
            mine = names[world.material[i]]
            other = names[world.material[j]] if j >= 0 else "steel"
            law = PAIRS.between(mine, other)
            k_n, c_n = law.coefficients()[:2]
            going = (world.velocity[j] if j >= 0 else 0.0) - world.velocity[i]
            rate = -going @ table.normal[c]
            f_n = table.mass[c, 0] * (k_n * table.overlap[c] + c_n * rate)
            pushed = -table.force[c] @ table.normal[c]
            assert pushed == pytest.approx(f_n, rel=1e-9, abs=1e-9)
            slid = np.linalg.norm(table.force[c] + pushed * table.normal[c])
            assert slid <= law.friction * max(f_n, 0.0) * (1 + 1e-9) + 1e-12
            assert table.energy[c, 0] == pytest.approx(
                0.5 * table.mass[c, 0] * k_n * table.overlap[c] ** 2)
            seen.add((mine, other, j >= 0))
    assert len(seen) >= 5


# ---- materials that come later -----------------------------------------------------------------

def lone(law):
    world = empty()
    world.add(gr.Sphere(4e-3), at=[(0.0, 0.0, 0.0)], material=GLASS, velocity=(0.5, 0.1, 0.0))
    return simulation(world, law)


def test_a_material_that_comes_while_the_run_goes_on():
    """A steel grain, then a steel wall, in the way of a grain of glass."""
    sims = lone(PAIRS), lone(PAIRS.between("glass", "steel"))
    met = 0
    for sim in sims:
        sim.step(50)
        assert len(sim.contacts()) == 0
        x = sim.world.position[0, 0]
        sim.world.add(gr.Sphere(5e-3), at=[(x + 0.00901, 0.0, 0.0)], material=STEEL)
        sim.step(20)
        met += len(sim.contacts())
        sim.step(400)
        sim.world.add(gr.Plane((x - 0.004, 0.0, 0.0), (1.0, 0.0, 0.0)), material=STEEL)
        for _ in range(20):
            sim.step(100)
            met += (sim.contacts().i[sim.contacts().j < 0] == 0).sum()
    assert met > 4
    assert grains_of(sims[0]) == grains_of(sims[1])


def test_from_one_material_to_two_in_the_middle_of_a_contact():
    """The law gets numbers by pair only then; what contacts remember is kept."""
    law = gr.Pairs(LAW, {"glass": {"friction": 0.2}})
    sims = []
    for announced in (False, True):
        world = gr.World(gravity=(0.0, 0.0, 0.0))
        two_grains(world, 0, GLASS, GLASS)
        if announced:
            world.add(STEEL)
        sim = simulation(world, law)
        sim.step(40)
        assert np.abs(sim.contacts().spring).max() > 0.0
        world.add(gr.Sphere(1e-3), at=[(0.1, 0.0, 0.0)], material=STEEL)
        sim.step(100)
        sims.append(sim)
    assert differences(*sims) == []


THREADS = """
import copy
import engine_worlds as worlds
import granum as gr
import test_engine_materials as here

world = gr.World(gravity=(0.0, 0.0, -200.0))
world.add(gr.Box((0.0, 0.0, 0.0), (0.1, 0.06, 0.2)), material=here.STEEL)
for low, high, material in ((0.0, 0.1, here.GLASS), (0.1, 0.2, here.STEEL)):
    world.add(gr.Lattice(radius=2e-3, spread=0.3, spacing=5.3e-3, low=(0.0, 0.0, low),
                         high=(0.1, 0.06, high), count=1200), material=material)
worlds.agitate(world, 0.7)
law = gr.LinearViscoelastic(restitution=0.5, contact_time=3e-4, friction=0.4)
pairs = gr.Pairs(law, {"steel": {"contact_time": 2e-4, "friction": 0.1}})
first = gr.Simulation(world, pairs, time_step=1e-5, threads=1)
first.step(300)
for threads in (1, 2):
    sim = gr.Simulation.from_state(*copy.deepcopy(first.state()), threads=threads)
    sim.step(60)
    print(sim.fingerprint(), len(sim._engine._pairs.block) - 1, len(sim.contacts()))
"""


def test_any_number_of_threads():
    lines = output_of("-c", THREADS, NUMBA_NUM_THREADS="2").splitlines()
    assert len(lines) == 2
    assert len(set(lines)) == 1
    blocks, contacts = map(int, lines[0].split()[1:])
    assert blocks > 1
    assert contacts > 100

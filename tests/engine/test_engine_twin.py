"""The whole engine against a slow twin, and against itself with compilation off."""

import engine_script
import engine_worlds as worlds
import numpy as np
import pytest
from engine_process import HERE, in_other_process, output_of
from engine_twin import Twin
from scipy.spatial.transform import Rotation

import granum as gr
from granum.compile import cache_folder

STEPS = 300
LAW = gr.LinearViscoelastic(restitution=0.6, contact_time=1e-3, friction=0.4,
                            tangential_restitution=0.8)


def box_planes(low, high, axes=(0, 1, 2)):
    """Return the planes of a box, low and high in turn for each axis."""
    unit = np.eye(3)
    return [plane for a in axes
            for plane in ((np.array(low), unit[a]), (np.array(high), -unit[a]))]


def in_a_box():
    """Nineteen spheres in a tight box, gravity that turns about a slanted axis."""
    turn = gr.Turn(start=3e-3, duration=7e-3, angle=2.5, axis=(1.0, 2.0, 2.0))
    world = gr.World(gravity=(2.0, 0.0, -40.0), turns=[turn])
    world.add(gr.Box((0.0, 0.0, 0.0), (0.03, 0.035, 0.04)))
    world.add(gr.Random(radius=4.5e-3, count=19, spread=0.3), density=2500.0)
    worlds.agitate(world, 1.0)

    def gravity(time):
        angle = 2.5 * min(max((time - 3e-3) / 7e-3, 0.0), 1.0)
        return Rotation.from_rotvec(angle * np.array([1.0, 2.0, 2.0]) / 3.0).apply([2.0, 0, -40.0])

    return world, box_planes((0.0, 0.0, 0.0), (0.03, 0.035, 0.04)), gravity


def in_a_plane():
    """Discs, their mass and inertia those of unit thickness."""
    world = gr.World(dimension=2, gravity=(3.0, -30.0))
    world.add(gr.Box((0.0, 0.0, 0.0), (0.05, 0.05, 0.0)))
    world.add(gr.Random(radius=4e-3, count=20, spread=0.3), density=2500.0)
    worlds.agitate(world, 1.0)
    return world, box_planes((0.0, 0.0, 0.0), (0.05, 0.05, 0.0), (0, 1)), (3.0, -30.0, 0.0)


def in_a_cell():
    """Spheres in a periodic cell with a floor and a lid."""
    world = gr.World(gravity=(5.0, 0.0, -60.0), periodic=(0.025, 0.03, None))
    world.add(gr.Plane((0.0, 0.0, 0.0), (0.0, 0.0, 1.0)))
    world.add(gr.Plane((0.0, 0.0, 0.04), (0.0, 0.0, -2.0)))
    world.add(gr.Random(radius=4e-3, count=18, spread=0.3, low=(0.0, 0.0, 0.0),
                        high=(0.025, 0.03, 0.04)), density=2500.0)
    worlds.agitate(world, 1.0)
    planes = [((0.0, 0.0, 0.0), np.array([0.0, 0.0, 1.0])),
              ((0.0, 0.0, 0.04), np.array([0.0, 0.0, -1.0]))]
    return world, planes, (5.0, 0.0, -60.0)


def in_a_small_cell():
    """Spheres in a cell that is periodic in all directions; a mix of 1:3."""
    world = gr.World(gravity=(0.0, 0.0, 0.0), periodic=(0.03, 0.03, 0.03))
    world.add(gr.Random(radius=6e-3, count=4), density=2500.0)
    world.add(gr.Random(radius=2e-3, count=16), density=4000.0)
    worlds.agitate(world, 0.8)
    world.velocity[:4] *= 0.3
    return world, [], (0.0, 0.0, 0.0)


def make_twin(world, planes, gravity, law, time_step, corrected):
    """Return the twin of a world that is about to start."""
    numbers = (law.restitution, law.contact_time, law.friction,
               law.tangential_restitution or law.restitution)
    pull = gravity if callable(gravity) else lambda _: np.array(gravity)
    return Twin(world.grains.arrays(), planes, world.periodic, pull, numbers, time_step, corrected)


def far(value, wanted, scale):
    """Return the largest difference, as a share of ``scale`` (or as it is, if that is zero)."""
    return np.abs(np.asarray(value) - wanted).max(initial=0.0) / (scale or 1.0)


def apart(points, others, periodic):
    """Return the differences of points, by the nearest image."""
    difference = points - others
    for axis, length in enumerate(periodic):
        if length is not None:
            difference[..., axis] -= length * np.round(difference[..., axis] / length)
    return difference


def check_state(sim, twin, share=1e-10):
    """Compare positions, velocities, spins, orientations and accelerations."""
    world = sim.world
    radius, speed = world.radius.max(), np.abs(twin.v).max()
    assert far(apart(world.position, twin.x, world.periodic), 0.0, radius) < share
    assert far(world.velocity, twin.v, speed) < share
    assert far(world.spin, twin.w, np.abs(twin.w).max()) < share
    assert far(world.orientation, twin.q, 1.0) < share
    assert far(world.acceleration, twin.a, np.abs(twin.a).max()) < share * 10
    turning = max(np.abs(twin.b).max(), np.abs(twin.a).max() / radius)
    assert far(world.spin_rate, twin.b, turning) < share * 10


def check_memory(sim, twin, share=1e-10):
    """Compare what contacts remember: partners and springs."""
    arrays, _ = sim.state()
    found = {}
    for place, name in (("pairs", int), ("walls", "plane {}".format)):
        for i, j, spring in zip(*(arrays[f"{place}/{part}"] for part in ("i", "j", "spring")),
                                strict=True):
            found[int(i), name(j)] = spring
    assert found.keys() == twin.springs.keys()
    size = max([np.abs(spring).max() for spring in twin.springs.values()], default=1.0)
    for key, spring in twin.springs.items():
        assert far(found[key], spring, size) < share * 100


def check_table(sim, twin, share=1e-10):
    """Compare the table of contacts: the law at the velocities and springs of the moment."""
    table = sim.contacts()
    found = {(i, j if wall < 0 else f"plane {wall}"): k for k, (i, j, wall) in
             enumerate(zip(table.i.tolist(), table.j.tolist(), table.wall.tolist(), strict=True))}
    wanted = list(twin.contacts())
    assert found.keys() == {(i, j) for i, j, _, _ in wanted}
    for i, j, normal, overlap in wanted:
        k = found[i, j]
        force, arm, _, spring = twin.at_the_moment(i, j, normal, overlap)
        point = apart(table.point[k], twin.x[i] + arm * normal, sim.world.periodic)
        assert far(point, 0.0, twin.r[i]) < share * 10
        assert far(table.normal[k], normal, 1.0) < share * 10
        assert far(table.overlap[k], overlap, twin.r[i]) < share
        assert far(table.force[k], force, np.abs(force).max()) < share * 1000
        assert far(table.spring[k], spring, np.abs(spring).max() + overlap) < share * 1000


@pytest.mark.parametrize("make", [in_a_box, in_a_plane, in_a_cell, in_a_small_cell],
                         ids=lambda make: make.__name__)
@pytest.mark.parametrize("integrator", ["verlet", "constant-acceleration"])
def test_trajectories_are_those_of_the_twin(make, integrator):
    world, planes, gravity = make()
    twin = make_twin(world, planes, gravity, LAW, worlds.STEP, integrator == "verlet")
    sim = worlds.simulation(world, LAW, integrator=integrator)
    check_state(sim, twin)
    met, slid = set(), 0
    rng = np.random.default_rng(2)
    while sim.steps < STEPS:
        piece = int(rng.integers(1, 40))
        sim.step(piece)
        for _ in range(piece):
            twin.step()
            met |= twin.springs.keys()
        check_state(sim, twin)
        check_memory(sim, twin)
        check_table(sim, twin)
        slid += sum(np.abs(spring).max() > 0.0 for spring in twin.springs.values())
    assert len(met) > 10, "too few collisions to tell anything"
    assert slid > 5, "no tangential springs to tell anything"


def test_grains_that_touch_at_the_start():
    """The first accelerations come from contacts that are there before anything has moved."""
    world = gr.World(gravity=(0.0, 0.0, -10.0))
    world.add(gr.Plane((0.0, 0.0, 0.0), (0.0, 0.0, 1.0)))
    world.add(gr.Sphere([5e-3, 4e-3]), at=[(0.0, 0.0, 4.9e-3), (0.0, 8.9e-3, 4.9e-3)],
              density=2500.0, velocity=(1.0, 0.5, 0.0), spin=[(10.0, 0.0, 3.0), (0.0, 20.0, 0.0)])
    twin = make_twin(world, [((0.0, 0.0, 0.0), np.array([0.0, 0.0, 1.0]))], (0.0, 0.0, -10.0),
                     LAW, worlds.STEP, True)
    sim = worlds.simulation(world, LAW, initial_overlap=0.1)
    assert len(sim.contacts()) == 2
    check_state(sim, twin)
    check_memory(sim, twin)
    check_table(sim, twin)
    for _ in range(60):
        sim.step(1)
        twin.step()
        check_state(sim, twin)
        check_memory(sim, twin)
        check_table(sim, twin)


# ---- the same sources, run otherwise ----------------------------------------------------------

def run_script(path, *options, **settings):
    """Run the small simulation in another process with other settings; return its arrays."""
    output_of(HERE / "engine_script.py", path, *options, **settings)
    with np.load(path) as arrays:
        return dict(arrays)


def check_arrays(found, wanted):
    """Compare all arrays to rounding (the order of sums differs); return how many there are."""
    assert found.keys() == wanted.keys()
    for name, values in wanted.items():
        assert found[name].shape == values.shape, name
        scale = np.abs(values).max(initial=0.0) or 1.0
        assert np.abs(found[name] - values).max(initial=0.0) / scale < 1e-11, name
    return len(wanted)


@pytest.fixture(scope="module")
def compiled():
    return engine_script.run()


def test_the_script_meets_contacts_of_all_kinds(compiled):
    for world in ("walls", "flat", "cell"):
        partners = np.concatenate([compiled[f"{world}/{piece}/j"] for piece in range(4)])
        assert (partners >= 0).sum() > 5
        assert world != "walls" or (partners == -1).sum() > 5


def test_compilation_off_gives_the_same(compiled, tmp_path):
    plain = run_script(tmp_path / "plain.npz", NUMBA_DISABLE_JIT="1")
    assert check_arrays(plain, compiled) == len(compiled) > 10


# Kernels that check their bounds are compiled for two tests only: in the periodic form of the step,
# which has all that the other has, and quickly rather than well, which bounds do not depend on.
CHECKED = {"GRANUM_BOUNDSCHECK": "1", "NUMBA_OPT": "1",
           "GRANUM_CACHE_DIR": str(cache_folder() / "checked")}


def test_no_index_is_out_of_bounds(tmp_path):
    compiled = engine_script.run(engine_script.FAR)
    checked = run_script(tmp_path / "checked.npz", "periodic", **CHECKED)
    assert check_arrays(checked, compiled) == len(compiled) > 10


def test_bounds_are_checked_in_the_sweep_too():
    """What the test above is worth: an index beyond the end is noticed where forces are made."""
    script = (
        "import engine_script\n"
        "for array in ('partner', 'target', 'halo_row'):\n"
        "    sim = engine_script.touching()\n"
        "    engine_script.spoil(sim, array)\n"
        "    try:\n"
        "        sim.step(1)\n"
        "    except (IndexError, SystemError) as error:\n"
        "        print(array, isinstance(error.__cause__ or error, IndexError), flush=True)\n"
    )
    done = in_other_process("-c", script, **CHECKED)
    assert done.stdout == "partner True\ntarget True\nhalo_row True\n", (
        f"exit code {done.returncode}, {done.stderr}")

"""A tiny simulation of everything, to be run in this process or in another one.

    python engine_script.py FILE             writes the final state of all worlds
    python engine_script.py FILE periodic    the same, all worlds with a period
"""

import sys

import engine_worlds as worlds
import numpy as np

import granum as gr

STEPS = 40
LAW = gr.LinearViscoelastic(restitution=0.6, contact_time=1e-3, friction=0.4)


def lattice(counts, spacing, first):
    """Return points on a simple lattice."""
    steps = np.stack(np.meshgrid(*[np.arange(c) for c in counts], indexing="ij"), axis=-1)
    return steps.reshape(-1, 3) * spacing + first


def close_in(world):
    """Let the grains fly towards their middle, and turn."""
    worlds.agitate(world, 0.1)
    world.velocity[:] -= 60.0 * (world.position - world.position.mean(axis=0))


FAR = 0.5  # a period that no grain reaches


def run(far=None):
    """Run spheres in walls, discs, and a periodic cell; return all arrays of four moments.

    With ``far`` the first two have that period too: then one form of the step serves all three.
    """
    result = {}
    for prefix, world in (("walls/", in_walls(far)), ("flat/", discs(far)), ("cell/", in_a_cell())):
        sim = worlds.simulation(world, LAW)
        for piece in range(4):
            sim.step(STEPS // 4)
            contacts = sim.contacts()
            arrays = {name: array for name, array in sim.state()[0].items() if name != "storage"}
            arrays["j"], arrays["force"] = contacts.j, contacts.force
            arrays["energies"] = np.array(sim.energy())
            result.update({f"{prefix}{piece}/{name}": array for name, array in arrays.items()})
            sim = worlds.reloaded(sim)
    return result


def in_walls(period):
    """Two sizes in a short silo: cylinder, plate and plane."""
    world = gr.World(gravity=(0.0, 0.0, -100.0), periodic=(None, None, period),
                     turns=[gr.Turn(start=1e-3, duration=2e-3, angle=1.0)])
    world.add(gr.Cylinder((0.0, 0.0, 0.0), (0.0, 0.0, 1.0), radius=0.017, height=0.1))
    world.add(gr.Plate((0.0, 0.0, 0.0), (0.0, 0.0, 1.0), radius=0.017, hole=5e-3, opens=2e-3))
    world.add(gr.Plane((0.0, 0.0, 0.03), (0.0, 0.0, -1.0)))
    points = lattice((2, 2, 2), 0.0102, (-5.1e-3, -5e-3, 5.1e-3))
    world.add(gr.Sphere(np.where(np.arange(8) % 3 == 0, 5e-3, 4e-3)), at=points, density=2500.0)
    world.add(gr.Sphere(1e-3), at=[(0.0, 0.0, 2e-3), (0.0, 0.0, 0.02), (0.014, 0.0, 2e-3)],
              density=2500.0)
    close_in(world)
    world.velocity[:, 2] -= 0.6
    return world


def discs(period):
    world = gr.World(dimension=2, periodic=(period, None))
    world.add(gr.Box((0.0, 0.0, 0.0), (0.032, 0.032, 0.0)))
    world.add(gr.Disc(5e-3), at=lattice((3, 3, 1), 0.0101, (5.3e-3, 5.3e-3, 0.0)), density=2500.0)
    close_in(world)
    return world


def in_a_cell():
    world = gr.World(gravity=(0.0, 0.0, 0.0), periodic=(0.024, 0.024, 0.0225))
    world.add(gr.Sphere(5e-3), at=lattice((2, 2, 2), 0.0101, (1e-3, 2e-3, 3e-3)), density=2500.0)
    close_in(world)
    return world


def touching():
    """Grains of several blocks on a lattice, each touching its neighbours."""
    count = 2100
    points = lattice((15, 14, 10), 0.00999, (0.0, 0.0, 0.0))[:count]
    world = gr.World(gravity=(0.0, 0.0, 0.0), periodic=(FAR, None, None))
    world.add(gr.Sphere(5e-3), at=points, density=2500.0)
    return worlds.simulation(world, LAW, initial_overlap=0.1)


def spoil(sim, name):
    """Put an index beyond the end into the candidates' array ``name``."""
    array = getattr(sim._engine._pairs, name)
    used = 0 if name == "halo_row" else int(sim._engine._pairs.begin[5])
    array[used] = np.iinfo(np.int32).max // 64


if __name__ == "__main__":
    np.savez(sys.argv[1], **run(*[FAR for _ in sys.argv[2:]]))

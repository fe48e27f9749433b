"""Small worlds in which much happens, and how two simulations are compared bit for bit."""

import numpy as np

import granum as gr

LAW = gr.LinearViscoelastic(restitution=0.6, contact_time=1e-3, friction=0.4)
STEP = 5e-5
HASTE = {"law": LAW, "time_step": STEP}


def agitate(world, speed, spin=60.0, seed=5):
    """Give all grains random velocities and spins; in a 2D world they stay in the plane."""
    rng = np.random.default_rng(seed)
    world.velocity[:] = rng.normal(0.0, speed, (len(world), 3))
    world.spin[:] = rng.normal(0.0, spin, (len(world), 3))
    if world.dimension == 2:
        world.velocity[:, 2] = 0.0
        world.spin[:, :2] = 0.0


def gas(count=40, *, size=0.05, spread=0.0, **world_options):
    """Grains of about one size, fast in all directions, in a closed box; gravity turns round."""
    turns = [gr.Turn(start=2e-3, duration=8e-3, angle=4.0, axis=(1.0, 1.0, 0.0))]
    world = gr.World(**{"gravity": (0.0, 0.0, -40.0), "turns": turns, **world_options})
    world.add(gr.Box((0.0, 0.0, 0.0), (size, size, size)))
    world.add(gr.Random(radius=5e-3, count=count, spread=spread), density=2500.0)
    agitate(world, 1.5)
    return world


def mix():
    """Sizes 1:10, the small ones between the large."""
    world = gr.World(gravity=(0.0, 0.0, -10.0))
    world.add(gr.Box((0.0, 0.0, 0.0), (0.022, 0.022, 0.022)))
    world.add(gr.Random(radius=5e-3, count=4), density=2500.0)
    world.add(gr.Random(radius=5e-4, count=100, high=(0.022, 0.022, 0.008)), density=2500.0)
    agitate(world, 0.7, spin=200.0)
    world.velocity[:4] *= 0.05  # or they would crush small ones against a wall
    return world


def flat(**world_options):
    """Discs in a flat box."""
    world = gr.World(dimension=2, gravity=(3.0, -30.0), **world_options)
    world.add(gr.Box((0.0, 0.0, 0.0), (0.08, 0.06, 0.0)))
    world.add(gr.Random(radius=4e-3, count=35, spread=0.3), density=2500.0)
    agitate(world, 1.5)
    return world


def flat_periodic():
    """Discs between two lines, endless sideways."""
    world = gr.World(dimension=2, periodic=(0.05, None))
    world.add(gr.Plane((0.0, 0.0, 0.0), (0.0, 1.0, 0.0)))
    world.add(gr.Plane((0.0, 0.05, 0.0), (0.0, -1.0, 0.0)))
    world.add(gr.Random(radius=4e-3, count=22, spread=0.2, low=(0.0, 0.0, 0.0),
                        high=(0.05, 0.05, 0.0)), density=2500.0)
    agitate(world, 1.5)
    return world


def periodic(lengths=(0.045, 0.025, 0.05), count=40):
    """Grains in a cell without walls, periodic in all directions, short in one."""
    world = gr.World(gravity=(10.0, -30.0, 5.0), periodic=lengths)
    world.add(gr.Random(radius=4e-3, count=count, spread=0.3), density=2500.0)
    agitate(world, 1.5)
    return world


def layer():
    """Grains between two planes, endless in the two other directions."""
    world = gr.World(gravity=(5.0, 0.0, -60.0), periodic=(0.04, 0.04, None))
    world.add(gr.Plane((0.0, 0.0, 0.0), (0.0, 0.0, 1.0)))
    world.add(gr.Plane((0.0, 0.0, 0.06), (0.0, 0.0, -1.0)))
    world.add(gr.Random(radius=4e-3, count=40, low=(0.0, 0.0, 0.0), high=(0.04, 0.04, 0.06)),
              density=2500.0)
    agitate(world, 1.0)
    return world


def pouring(**world_options):
    """Grains of several sizes that are poured fast into an open box."""
    world = gr.World(gravity=(0.0, 0.0, -30.0), seed=3, **world_options)
    world.add(gr.Box((0.0, 0.0, 0.0), (0.04, 0.04, 0.1), open_top=True))
    world.add(gr.Pour(radius=4e-3, count=60, rate=4000.0, low=(0.0, 0.0, 0.02),
                      high=(0.04, 0.04, 0.08), velocity=(0.5, 0.2, -3.0), spread=0.4),
              density=2500.0)
    world.add(gr.Sphere(4e-3), at=[(0.02, 0.02, 0.005)], density=2500.0)
    return world


def silo():
    """A round silo whose hole opens after a while; what falls out is taken away."""
    world = gr.World(gravity=(0.0, 0.0, -100.0), leaving="remove",
                     domain=((-0.1, -0.1, -0.02), (0.1, 0.1, 0.2)))
    world.add(gr.Cylinder((0.0, 0.0, 0.0), (0.0, 0.0, 1.0), radius=0.025, height=0.1))
    world.add(gr.Plate((0.0, 0.0, 0.0), (0.0, 0.0, 1.0), radius=0.025, hole=0.012, opens=0.006))
    world.add(gr.Random(radius=4e-3, count=35, low=(-0.02, -0.02, 0.001), high=(0.02, 0.02, 0.06)),
              density=2500.0)
    agitate(world, 0.5)
    return world


def hourglass(section):
    """Grains in an hourglass: slopes, the edges of its neck, floor and lid."""
    world = gr.World(gravity=(0.0, 0.0, -100.0))
    world.add(gr.Hourglass(width=0.06, height=0.06, slot=0.02, section=section))
    world.add(gr.Random(radius=2.5e-3, count=40, low=(-0.02, -0.02, -0.005),
                        high=(0.02, 0.02, 0.03)), density=2500.0)
    agitate(world, 0.8)
    return world


def simulation(world, law=LAW, time_step=STEP, **options):
    return gr.Simulation(world, law, time_step=time_step, **{"threads": 1, **options})


def reloaded(sim, path=None):
    """Return the simulation as it comes back from a file, or else from its state in memory."""
    if path is None:
        return gr.Simulation.from_state(*sim.state(), threads=sim.threads)
    sim.save(path)
    return gr.Simulation.load(path, threads=sim.threads)


def set_skin(sim, skin):
    """Renew the candidates of a simulation with another skin [m]; no result may depend on it."""
    sim._engine.least_margin = 0.5 * skin
    sim._engine._renew()


def differences(first, second):
    """Return what differs between two simulations, to the last bit: names of arrays and data."""
    (arrays, meta), (others, other_meta) = first.state(), second.state()
    assert arrays.keys() == others.keys()
    found = [name for name in arrays
             if arrays[name].shape != others[name].shape
             or arrays[name].tobytes() != others[name].tobytes()]
    found += [name for name in meta if meta[name] != other_meta[name]]
    if first.fingerprint() != second.fingerprint():
        found.append("fingerprint")
    return found

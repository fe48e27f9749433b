"""Worlds whose walls move in every way, and their contacts by brute force."""

import engine_worlds as worlds
import numpy as np
from engine_brute import all_pairs, compare

import granum as gr
from granum.walls import closest, make_table
from granum.walls.moving import into_rest


def shaken(**world_options):
    """A gas in a box that shakes, travels and turns about a slanted axis."""
    world = gr.World(**{"gravity": (0.0, 0.0, -40.0), **world_options})
    size = 0.05
    world.add(gr.Box((0.0, 0.0, 0.0), (size, size, size)), name="box", moving=[
        gr.Sine(60.0, (1.0, 0.5, 1.0), amplitude=1e-3, phase=0.4),
        gr.Rotation(20.0, (1.0, 1.0, 0.0), (0.025, 0.025, 0.025), starts=2e-3),
        gr.Linear((0.3, 0.0, -0.2), stops=8e-3)])
    world.add(gr.Random(radius=5e-3, count=40), density=2500.0)
    worlds.agitate(world, 1.5)
    return world


def pressed():
    """Grains in a box under a piston of two walls, with a loose ball and a servo at the side."""
    world = gr.World(gravity=(0.0, 0.0, -40.0))
    world.add(gr.Box((0.0, 0.0, 0.0), (0.05, 0.05, 0.12), open_top=True), name="box")
    world.add(gr.Plane((0.0, 0.0, 0.055), (0.0, 0.0, -1.0)), name="lid", moving=gr.Piston(
        0.02, (0.0, 0.0, 1.0), force=-0.5, steps=((5e-3, -3.0), (0.01, -1.0)), damping=0.1))
    world.add(gr.SphereWall((0.0, 0.025, 0.05), 6e-3, side="outside"), name="lid")
    world.add(gr.SphereWall((0.025, 0.025, 0.02), 8e-3, side="outside"), name="ball",
              moving=gr.FreeBody(6e-3, force=(0.1, 0.0, 0.1), starts=2e-3))
    world.add(gr.Plane((0.05, 0.0, 0.0), (-1.0, 0.0, 0.0)), name="side", moving=gr.Servo(
        (-1.0, 0.0, 0.0), mass=0.05, stiffness=2e3, limit=0.3, force=2.0))
    world.add(gr.Random(radius=4e-3, count=45, low=(0.0, 0.0, 0.0), high=(0.05, 0.05, 0.05)),
              density=2500.0)
    worlds.agitate(world, 1.0)
    return world


def drum():
    """Grains of two sizes in a drum with end plates that turns and taps."""
    world = gr.World(gravity=(0.0, 0.0, -100.0))
    turning = [gr.Rotation(15.0, (0.0, 1.0, 0.0), (0.0, 0.0, 0.03)),
               gr.Tap(1e-3, 40.0, fall=0.4)]
    for wall in (gr.Cylinder((0.0, 0.0, 0.03), (0.0, 1.0, 0.0), radius=0.03, height=0.04),
                 gr.Plane((0.0, 0.0, 0.0), (0.0, 1.0, 0.0)),
                 gr.Plane((0.0, 0.04, 0.0), (0.0, -1.0, 0.0))):
        world.add(wall, name="drum", moving=turning)
    world.add(gr.Random(radius=4e-3, count=30, low=(-0.02, 0.0, 0.01), high=(0.02, 0.04, 0.05)),
              density=2500.0)
    worlds.agitate(world, 0.5)
    return world


def moving_layer():
    """Grains between two planes in a periodic cell, the upper one shearing and pressing."""
    world = gr.World(gravity=(5.0, 0.0, -60.0), periodic=(0.04, 0.04, None))
    world.add(gr.Plane((0.0, 0.0, 0.0), (0.0, 0.0, 1.0)), moving=gr.Linear((-2.0, 1.0, 0.0)))
    world.add(gr.Plane((0.0, 0.0, 0.06), (0.0, 0.0, -1.0)), moving=[
        gr.Linear((3.0, 0.0, 0.0)),
        gr.Path((0.0, 0.01, 0.02), ((0, 0, 0), (0, 0, -0.01), (0, 0, 0)))])
    world.add(gr.Random(radius=4e-3, count=40, low=(0.0, 0.0, 0.0), high=(0.04, 0.04, 0.06)),
              density=2500.0)
    worlds.agitate(world, 1.0)
    return world


EVERY = {"shaken": shaken, "pressed": pressed, "drum": drum, "layer": moving_layer}


def all_walls(world, time):
    """Return grain id, wall piece, overlap [m] and normal of every grain with every piece."""
    table, rows, first = world.wall_table(), [], 0
    for wall, pose in world.walls_at(time):
        there = world.position if pose is None else into_rest(pose, world.position)
        turn = np.eye(3) if pose is None else pose[:9].reshape(3, 3)
        alone = make_table([wall])
        for w in range(len(alone.kind)):
            for g, point in enumerate(there):
                d, *n = closest(alone.kind, alone.data, w, time, *point)
                rows.append((world.id[g], first + w, world.radius[g] - d, *(turn @ n)))
        first += len(alone.kind)
    assert first == len(table.kind)
    found = np.array(rows)
    return found[:, 0].astype(int), found[:, 1].astype(int), found[:, 2], found[:, 3:]


def check_contacts(sim):
    """Compare all contacts of the moment with brute force; return how many with walls."""
    table = sim.contacts()
    rows = zip(table.i.tolist(), table.j.tolist(), table.wall.tolist(), table.overlap,
               table.normal, strict=True)
    pairs, walls = {}, {}
    for i, j, wall, depth, n in rows:
        (pairs if wall < 0 else walls)[(i, j if wall < 0 else wall)] = depth, n
    compare(pairs, all_pairs(sim.world))
    return compare(walls, all_walls(sim.world, sim.time))

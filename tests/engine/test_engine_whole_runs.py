"""Whole runs, both ways to find neighbours: contacts are those of all pairs, at every step.

A packing that settles, an hourglass that runs out, a mix of sizes 1:35 that is shaken. Larger ones
are compared wherever the candidates have just been found anew.
"""

import engine_worlds as worlds
import numpy as np
import pytest
from engine_brute import check_contacts
from scipy.spatial import cKDTree

import granum as gr

METHODS = pytest.mark.parametrize("neighbours", ["cells", "triangulation"])


WALLS = 50  # steps between two looks at overlaps, normals and walls, which take longer


def watch_every_step(sim, steps):
    """Step by step; return pairs and walls that touched, added up, and the list updates."""
    world, before = sim.world, sim.counts["list_updates"]
    i, j = np.triu_indices(len(world), 1)
    pairs = walls = 0
    for step in range(steps):
        sim.step()
        apart = world.position[j] - world.position[i]
        touching = (apart**2).sum(axis=1) < (world.radius[i] + world.radius[j]) ** 2
        table = sim.contacts()
        found = np.column_stack((table.i, table.j))[table.j >= 0]
        assert np.array_equal(found, np.column_stack((i, j))[touching]), f"step {step}"
        pairs, walls = pairs + len(found), walls + len(table) - len(found)
        if step % WALLS == 0:
            assert check_contacts(sim).sum() == len(table)
    return pairs, walls, sim.counts["list_updates"] - before


@METHODS
def test_a_packing_settles(neighbours):
    world = gr.World(gravity=(0.0, 0.0, -50.0), seed=4)
    world.add(gr.Box((0.0, 0.0, 0.0), (0.03, 0.03, 0.08), open_top=True))
    world.add(gr.Random(radius=3e-3, count=50, spread=0.3, high=(0.03, 0.03, 0.08)), density=2500.0)
    law = gr.LinearViscoelastic(restitution=0.3, contact_time=5e-4, friction=0.4)
    sim = worlds.simulation(world, law, neighbours=neighbours)
    pairs, walls, updates = watch_every_step(sim, 2500)
    assert min(pairs, walls) > 20_000
    assert updates > 10
    assert sim.energy().kinetic < 1e-3 * world.mass.sum() * 50.0 * 3e-3, "it has not settled"


@METHODS
def test_an_hourglass_runs_out(neighbours):
    world = gr.World(gravity=(0.0, 0.0, -100.0), seed=2)
    world.add(gr.Hourglass(width=0.05, height=0.05, slot=0.02, section="round"))
    world.add(gr.Random(radius=2e-3, count=60, low=(-0.015, -0.015, 0.004),
                        high=(0.015, 0.015, 0.024)), density=2500.0)
    law = gr.LinearViscoelastic(restitution=0.4, contact_time=4e-4, friction=0.2)
    sim = worlds.simulation(world, law, time_step=4e-5, neighbours=neighbours)
    assert (world.position[:, 2] > 0.0).all()
    pairs, walls, updates = watch_every_step(sim, 1500)
    assert (world.position[:, 2] < 0.0).mean() > 0.9, "it does not flow"
    assert min(pairs, walls) > 3000
    assert updates > 10


def shaken_mix():
    """One light grain, and 140 that are 35 times smaller; gravity is thrown about three times."""
    turns = [gr.Turn(start=4e-3 * k, duration=2e-3, angle=np.pi, axis=(1.0, 0.3 * k, 0.0))
             for k in range(1, 4)]
    world = gr.World(gravity=(0.0, 0.0, -300.0), turns=turns, seed=3)
    world.add(gr.Box((0.0, 0.0, 0.0), (0.075, 0.075, 0.075)))
    world.add(gr.Sphere(0.035), at=[(0.0375, 0.0375, 0.0375)], density=2.0)
    world.add(gr.Random(radius=1e-3, count=140, high=(0.02, 0.02, 0.02)), density=2500.0)
    worlds.agitate(world, 0.2)
    world.velocity[0] = world.spin[0] = 0.0
    return world


@METHODS
def test_a_mix_of_one_to_thirty_five_is_shaken(neighbours):
    world = shaken_mix()
    law = gr.LinearViscoelastic(restitution=0.6, contact_time=1e-4, friction=0.3)
    sim = worlds.simulation(world, law, time_step=1e-5, neighbours=neighbours)
    pairs, walls, updates = watch_every_step(sim, 1500)
    assert min(pairs, walls) > 2000
    assert np.abs(world.spin[0]).max() > 0.0, "nobody has touched the large one"
    assert updates > 10


@METHODS
@pytest.mark.parametrize("spread", [0.0, 0.7], ids=["alike", "1:6"])
def test_many_grains_whenever_the_candidates_are_new(neighbours, spread):
    world = gr.World(gravity=(0.0, 0.0, -200.0), seed=1)
    world.add(gr.Box((0.0, 0.0, 0.0), (0.05, 0.05, 0.08), open_top=True))
    world.add(gr.Random(radius=2e-3, count=480, spread=spread, high=(0.05, 0.05, 0.05)),
              density=2500.0)
    law = gr.LinearViscoelastic(restitution=0.5, contact_time=1e-4, friction=0.3)
    sim = worlds.simulation(world, law, time_step=1e-5, neighbours=neighbours)
    sim.step(1500)  # until most have touched
    seen, compared = sim.counts["list_updates"], 0
    while sim.steps < 2500:
        sim.step()
        if sim.counts["list_updates"] == seen:
            continue
        seen = sim.counts["list_updates"]
        near = cKDTree(world.position).query_pairs(2.0 * world.radius.max(), output_type="ndarray")
        apart = np.linalg.norm(np.diff(world.position[near], axis=1)[:, 0], axis=1)
        touching = near[apart < world.radius[near].sum(axis=1)]
        table = sim.contacts()
        found = np.column_stack((table.i, table.j))[table.j >= 0]
        assert set(map(tuple, found.tolist())) == set(map(tuple, world.id[touching].tolist()))
        compared += len(found)
    assert seen > 10
    assert compared > 1000

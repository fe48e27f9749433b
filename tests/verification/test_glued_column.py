"""A glued column under a piston gives way as the matrix of its bonds says (Ferrez 6.4.2, small)."""

import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.sparse.linalg import spsolve

import granum as gr

RADIUS = 0.4
ALPHA, COEFFICIENT = 0.2, -1500.0


def stiffness_over_bond(layout):
    """Stiffness of the column between two plates without friction, over that of one bond.

    Unknown are all displacements but the heights of the bottom spheres, which are 0, and of the top
    spheres, which are one and the same; a thousandth of a millionth of a spring holds it sideways.
    """
    n, bonds = len(layout.points), len(layout.i)
    way = (layout.points[layout.j] - layout.points[layout.i]) / layout.rest[:, None]
    columns = np.concatenate([3 * layout.i[:, None] + np.arange(3),
                              3 * layout.j[:, None] + np.arange(3)], axis=1)
    lengthening = csr_array((np.concatenate([-way, way], axis=1).ravel(),
                             (np.repeat(np.arange(bonds), 6), columns.ravel())), (bonds, 3 * n))
    height = layout.points[:, 2]
    level = {"bottom": height < height.min() + RADIUS, "top": height > height.max() - RADIUS}
    free = np.ones((n, 3), dtype=bool)
    free[level["bottom"] | level["top"], 2] = False
    rows = np.flatnonzero(free.ravel())
    tops = 3 * np.flatnonzero(level["top"]) + 2
    pick = csr_array((np.ones(len(rows) + len(tops)), (
        np.append(rows, tops), np.append(np.arange(len(rows)), np.full(len(tops), len(rows))))),
        (3 * n, len(rows) + 1))
    of_bonds = lengthening @ pick
    matrix = (of_bonds.T @ of_bonds).tolil()
    matrix.setdiag(matrix.diagonal() + 1e-9)
    force = np.zeros(len(rows) + 1)
    force[-1] = 1.0
    return 1.0 / spsolve(matrix.tocsc(), force)[-1]


@pytest.mark.parametrize("beta", [1.0, 8.0])
def test_the_column_gives_way_as_its_bonds_say(beta):
    glue = gr.PotentialGlue(COEFFICIENT, ALPHA, beta, damping=0.1)
    shape = gr.GluedCylinder(RADIUS, glue, width=7 * RADIUS, layers=6)
    layout = shape.layout()
    height = float(np.ptp(layout.points[:, 2]) + 2 * RADIUS)
    bond = ALPHA * (ALPHA - beta) * COEFFICIENT * (2 * RADIUS) ** (-ALPHA - 2)
    column = stiffness_over_bond(layout) * bond
    force = 2e-3 * height * column  # a strain of about 0.2 %
    world = gr.World(gravity=(0.0, 0.0, 0.0))
    world.add(gr.Plane((0.0, 0.0, 0.0), (0.0, 0.0, 1.0)))
    mass = 10.0 * 4.0 / 3.0 * np.pi * RADIUS**3
    damping = np.sqrt(column * mass * len(layout.points))  # swallows waves
    world.add(gr.Plate((0.0, 0.0, height), (0.0, 0.0, 1.0), radius=6 * RADIUS), name="lid",
              moving=gr.Piston(mass=5 * mass, direction=(0.0, 0.0, -1.0), force=force,
                               gravity=False, damping=damping))
    world.add(shape, at=(0.0, 0.0, -layout.points[:, 2].min() + RADIUS), density=10.0)
    law = gr.LinearViscoelastic(restitution=0.5, contact_time=0.4 * np.sqrt(mass / bond))
    sim = gr.Simulation(world, law, threads=1)
    sim.run(60.0 * np.sqrt(mass / bond))
    ways = []
    for _ in range(2):
        sim.run(10.0 * np.sqrt(mass / bond))
        ways.append(-world.bodies[0].state[2])
    assert ways[0] == pytest.approx(ways[1], rel=2e-3)  # at rest
    contact = mass * (np.pi**2 + np.log(0.5) ** 2) / law.contact_time**2
    ends = [np.isclose(layout.points[:, 2], z).sum() for z in
            (layout.points[:, 2].min(), layout.points[:, 2].max())]
    wanted = force / column + force / (contact * ends[0]) + force / (contact * ends[1])
    assert ways[1] == pytest.approx(wanted, rel=0.02)  # the strain stiffens it a little

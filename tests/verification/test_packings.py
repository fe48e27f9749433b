"""How densely equal spheres pack: at random without friction, and as a crystal between walls."""

from __future__ import annotations

import re

import numpy as np
import pytest

import granum as gr
from granum.errors import InputError
from granum.measures import local_density
from granum.world.place import Grow, Space

FCC_DENSITY = np.pi / np.sqrt(18.0)


def test_grains_without_friction_jam_at_random_close_packing():
    """0.64 for endlessly many, with a scatter of 0.16 N^-0.55 (O'Hern et al., 2003): 0.0042 here.

    Grains that grow from random places get stuck there: nothing but repulsion holds them.
    """
    placing = Grow(radius=0.06, density=0.7)
    with pytest.raises(InputError, match="stuck at") as error:
        placing.place(Space(periodic=(1.0, 1.0, 1.0)), np.random.default_rng(1))
    reached = float(re.search(r"stuck at (0\.\d+)", str(error.value))[1])
    assert reached == pytest.approx(0.64, abs=3 * 0.0042)


def test_a_crystal_in_a_box_has_its_density_wherever_no_wall_is_near():
    """Cells of grains whose neighbours are all there are rhombic dodecahedra of the lattice."""
    basis = np.array([(0, 0, 0), (1, 1, 0), (1, 0, 1), (0, 1, 1)]) / 2.0
    cells = np.stack(np.meshgrid(*[np.arange(4)] * 3), axis=-1).reshape(-1, 1, 3)
    points = (cells + basis).reshape(-1, 3)
    radius = np.sqrt(0.125)
    low, high = points.min(axis=0) - radius, points.max(axis=0) + radius
    world = gr.World()
    world.add(gr.Box(tuple(low), tuple(high)))
    world.add(gr.Sphere(radius * (1.0 - 1e-12)), at=points, density=1.0)
    density = local_density(world)
    inner = ((points > low + 1.01) & (points < high - 1.01)).all(axis=1)
    assert inner.sum() > 20
    np.testing.assert_allclose(density[inner], FCC_DENSITY, rtol=1e-10)
    assert density[inner] == pytest.approx(0.74048, abs=5e-6)
    assert density[~inner].min() < 0.7 < density.max() < FCC_DENSITY * (1.0 + 1e-9)

"""Density of regions, by layers and by rings: lattices, parts that add up, containers, refusals."""

from __future__ import annotations

import numpy as np
import pytest
from measure_samples import fcc_world, grid, read

import granum as gr
from granum.errors import InputError
from granum.measures import density, filled_volumes, layer_density, ring_density

FCC_DENSITY = np.pi / np.sqrt(18.0)
BALL = 4.0 / 3.0 * np.pi


def tube(count=400, seed=2):
    """Return grains at random in an upright cylinder with a floor, open at the top."""
    world = gr.World(seed=seed)
    world.add(gr.Cylinder((0.01, 0, 0), (0, 0, 1), 0.02, 0.2))
    world.add(gr.Plane((0, 0, 0), (0, 0, 1)))
    world.add(gr.Random(radius=1.5e-3, spread=0.4, count=count, low=(-0.01, -0.02, 0),
                        high=(0.03, 0.02, 0.05)), density=2500.0)
    return world


# ---- the whole -------------------------------------------------------------------------------


@pytest.mark.parametrize("low", [(0, 0, 0), (0.3, 0.21, -0.13), (-0.45, 1.7, 2.6)])
def test_a_period_of_the_densest_packing_has_its_density_wherever_it_is_cut(low):
    low = np.array(low, dtype=float)
    region = gr.BoxRegion(tuple(low), tuple(low + 1.0))
    assert density(fcc_world(), region) == pytest.approx(FCC_DENSITY, rel=1e-13)


def test_the_densest_packing_of_discs():
    height = np.sqrt(3.0)
    points = (grid(4, 3)[:, None] + np.array([(0.0, 0.0), (0.5, 0.5)])).reshape(-1, 2)
    world = gr.World(dimension=2, periodic=(4.0, 3.0 * height))
    world.add(gr.Disc(0.5), at=points * (1.0, height), density=1.0)
    region = gr.BoxRegion((0.3, 0.2, 0), (2.3, 0.2 + height, 0))
    assert density(world, region) == pytest.approx(np.pi / np.sqrt(12.0), rel=1e-13)
    circle = gr.CylinderRegion((1.0, height, 0), 0.5)
    assert density(world, circle) == pytest.approx(1.0, rel=1e-13)  # a disc of the lattice itself


def test_one_grain_cut_by_each_side_of_a_box():
    world = gr.World()
    world.add(gr.Sphere(0.5), at=[(0, 0, 0)], density=1.0)
    for axis in range(3):
        low, high = np.full(3, -1.0), np.full(3, 1.0)
        low[axis] = 0.0
        assert density(world, gr.BoxRegion(tuple(low), tuple(high))) == pytest.approx(
            BALL / 16.0 / 4.0, rel=1e-14)
    assert density(world, gr.BoxRegion((0, 0, -1), (1, 1, 1))) == pytest.approx(BALL / 32.0 / 2.0)


def test_the_container_up_to_a_height_holds_all():
    world = tube()
    volume = np.pi * 0.02**2 * 0.1
    assert density(world, gr.ContainerRegion(0.1)) == pytest.approx(
        world.volumes().sum() / volume, rel=1e-13)
    top = (world.position[:, 2] + world.radius).max()
    assert density(world, gr.ContainerRegion("highest")) == pytest.approx(
        world.volumes().sum() / (np.pi * 0.02**2 * top), rel=1e-13)


def test_the_surface_of_a_flat_bed():
    """The lattice fills a box up to 0.4; one grain on top does not change the surface much."""
    world = gr.World()
    world.add(gr.Box((0, 0, 0), (1, 1, 2), open_top=True))
    world.add(gr.Sphere(0.05), at=0.1 * grid(10, 10, 4) + 0.05, density=1.0)
    assert density(world) == pytest.approx(np.pi / 6.0, rel=1e-12)
    world.add(gr.Sphere(0.05), at=[(0.5, 0.5, 0.45)], density=1.0)
    region = gr.ContainerRegion().settled(world, 0.0)
    assert region.high[2] == pytest.approx(0.4 + 0.1 / 25.0)  # 25 columns, one of them higher


def test_a_container_that_moves_takes_its_region_along():
    world = gr.World(domain=((-1, -1, -1), (1, 1, 1)))
    shaken = gr.Sine(10.0, amplitude=0.01)
    world.add(gr.Cylinder((0, 0, 0), (0, 0, 1), 0.02, 0.2), name="glass", moving=shaken)
    world.add(gr.Plate((0, 0, 0), (0, 0, 1), 0.02), name="glass")
    world.add(gr.Sphere(0.005), at=[(0, 0, 0.1)], density=1.0)
    region = gr.ContainerRegion(0.15).settled(world, 0.025)
    assert region.base[2] == pytest.approx(0.01, rel=1e-9)
    assert region.height == pytest.approx(0.14, rel=1e-9)


def test_clumps_inside_count_with_their_own_volume():
    world = gr.World()
    clump = gr.Clump(((0, 0, 0), (0.1, 0, 0)), 0.1)
    world.add(clump, at=[(0, 0, 0)], density=1.0)
    region = gr.BoxRegion((-1, -1, -1), (1, 1, 1))
    assert density(world, region) == pytest.approx(world.volumes()[0] / 8.0, rel=1e-13)
    half = gr.BoxRegion((0, -1, -1), (1, 1, 1))
    assert density(world, half) == pytest.approx(world.volumes()[0] / 8.0, rel=1e-9)


def test_a_lid_on_a_box_ends_the_container():
    world = gr.World(domain=((-1, -1, -1), (1, 1, 1)))
    world.add(gr.Box((0, 0, 0), (0.1, 0.1, 0.5), open_top=True))
    world.add(gr.Plane((0, 0, 0.2), (0, 0, -1)), name="lid", moving=gr.Linear(velocity=(0, 0, -1)))
    world.add(gr.Sphere(0.02), at=[(0.05, 0.05, 0.02)], density=1.0)
    region = gr.ContainerRegion("highest").settled(world, 0.05)
    assert region == gr.BoxRegion((0, 0, 0), (0.1, 0.1, 0.04))


# ---- profiles --------------------------------------------------------------------------------


@pytest.mark.parametrize("region", [
    gr.BoxRegion((0, -0.01, 0.004), (0.02, 0.015, 0.041)), gr.ContainerRegion(),
    gr.CylinderRegion((0.005, 0.003, 0.01), 0.011, 0.03, (0.3, -0.2, 1.0))])
def test_layers_add_up_to_the_whole(region):
    world = tube()
    found = layer_density(world, region, 7)
    assert found.density.mean() == pytest.approx(density(world, region), rel=1e-12)
    assert found.density.std() > 0.0
    np.testing.assert_allclose(found.low[1:], found.high[:-1], rtol=1e-12)


@pytest.mark.parametrize("region", [
    gr.ContainerRegion(), gr.ContainerRegion(0.03),
    gr.CylinderRegion((0.005, 0.003, 0.01), 0.011, 0.03, (0.3, -0.2, 1.0))])
def test_rings_add_up_to_the_whole(region):
    world = tube()
    found = ring_density(world, region, 9)
    area = found.high**2 - found.low**2
    assert (found.density * area).sum() / area.sum() == pytest.approx(
        density(world, region), rel=1e-12)


def test_rings_of_a_circle_in_the_plane():
    world = gr.World(dimension=2)
    world.add(gr.Disc(0.5), at=[(0, 0), (2, 0)], density=1.0)
    found = ring_density(world, gr.CylinderRegion((0, 0, 0), 2.0), 4)
    assert found.density[0] == pytest.approx(1.0)
    area = np.pi * (found.high**2 - found.low**2)
    whole = filled_volumes(world, gr.CylinderRegion((0, 0, 0), 2.0)).sum()
    assert (found.density * area).sum() == pytest.approx(whole)


def test_layers_of_a_lattice():
    """Half a lattice cell thick, layers through centres and between them differ; the mean does not.

    In fcc of side 1 a slab of 1/2 holds one plane of centres: all are equal. A quarter thick, they
    alternate between those about the planes and those between.
    """
    world, r = fcc_world(), np.sqrt(0.125)
    whole = gr.BoxRegion((0, 0, 0.25), (3, 3, 2.25))
    assert layer_density(world, whole, 4).density == pytest.approx([FCC_DENSITY] * 4, rel=1e-12)
    found = layer_density(world, gr.BoxRegion((0, 0, 0.125), (3, 3, 2.125)), 8).density
    cap = np.pi / 3.0 * (r - 0.125) ** 2 * (2 * r + 0.125)
    between = 4.0 * cap / 0.25  # two planes with two grains a cell reach in from either side
    assert found[0::2] == pytest.approx([between] * 4, rel=1e-12)
    assert found[1::2] == pytest.approx([2 * FCC_DENSITY - between] * 4, rel=1e-12)


# ---- as measures, and what is refused --------------------------------------------------------


def test_an_empty_container():
    world = gr.World()
    world.add(gr.Box((0, 0, 0), (1, 1, 1)))
    assert np.isnan(density(world))
    assert np.isnan(read(gr.LayerDensity(count=3), world)["density"]).all()
    assert density(world, gr.ContainerRegion(0.5)) == 0.0


def test_names_stand_before_columns():
    world = tube(50)
    assert list(read(gr.Density(), world)) == ["density"]
    assert list(read(gr.Density(name="all"), world)) == ["all_density"]
    rings = read(gr.RingDensity(count=5), world)
    assert list(rings) == ["low", "high", "density"]
    assert len(rings["density"]) == 5


@pytest.mark.parametrize(("walls", "text"), [
    ([gr.Hourglass(width=0.1, height=0.1, slot=0.02)], "neither a box nor an upright cylinder"),
    ([gr.Cylinder((0, 0, 0), (1, 0, 1), 0.1, 0.1)], "does not stand upright"),
    ([gr.Cylinder((0, 0, 0), (0, 0, 1), 0.1)], "has no floor"),
    ([gr.Plane((0, 0, 0), (0, 0, 1))], "open in x"), ([], "open in x")])
def test_containers_without_a_volume_are_refused(walls, text):
    world = gr.World()
    for wall in walls:
        world.add(wall)
    with pytest.raises(InputError, match=text):
        density(world, gr.ContainerRegion(0.05))


def test_regions_without_a_meaning_are_refused():
    with pytest.raises(InputError, match="greater than low along y"):
        gr.BoxRegion((0, 1, 0), (1, 1, 1))
    with pytest.raises(InputError, match="radius"):
        gr.CylinderRegion((0, 0, 0), 0.0)
    with pytest.raises(InputError, match="'surface' or 'highest'"):
        gr.ContainerRegion("middle")
    with pytest.raises(InputError, match="above the floor"):
        density(tube(10), gr.ContainerRegion(-0.1))
    with pytest.raises(InputError, match="along z in a 3D world"):
        density(tube(10), gr.BoxRegion((0, 0, 0), (1, 1, 0)))
    with pytest.raises(InputError, match="region must be a cylinder"):
        ring_density(tube(10), gr.BoxRegion((0, 0, 0), (1, 1, 1)))
    with pytest.raises(InputError, match="longer than the periodic cell"):
        density(fcc_world(), gr.BoxRegion((0, 0, 0), (3.1, 1, 1)))
    world = gr.World()
    world.add(gr.Box((0, 0, 0), (1, 1, 1)))
    with pytest.raises(InputError, match="lies outside of the world"):
        gr.Density(gr.BoxRegion((5, 5, 5), (6, 6, 6))).refuse(world)

"""Measures of grains and contacts against lattices, closed forms and cases worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest
from measure_samples import LAW, fcc_world, grid, look, made, read, touching

import granum as gr
from granum.errors import InputError
from granum.measures import (
    MEASURES,
    affine,
    anisotropy,
    contact_counts,
    density,
    fabric,
    force_distribution,
    heights,
    lacey_index,
    repose_angle,
    stress,
    velocities,
)
from granum.measures.stress import shares


def cubic(n=4, side=0.1):
    """Return a cubic lattice of grains that touch, in a box that it fills."""
    world = gr.World()
    world.add(gr.Box((0, 0, 0), (n * side,) * 3))
    world.add(gr.Sphere(side / 2), at=side * grid(n, n, n) + side / 2, density=1000.0)
    return world


# ---- heights and velocities ------------------------------------------------------------------


def test_heights_of_two_grains():
    world = gr.World()
    world.add(gr.Sphere(np.array([0.1, 0.2])), at=[(0, 0, 0.3), (5, 0, 0.6)], density=1.0)
    found = heights(world)
    assert found == pytest.approx((0.8, 0.45, (0.3 + 8 * 0.6) / 9.0, (0.4 + 0.8) / 2.0))
    some = read(gr.Heights(gr.BoxRegion((-1, -1, 0), (1, 1, 1)), name="left"), world)
    assert some == pytest.approx({"left_top": 0.4, "left_mean_height": 0.3,
                                  "left_centre_of_mass": 0.3, "left_surface_height": 0.4})
    nobody = read(gr.Heights(gr.BoxRegion((-9, -1, 0), (-8, 1, 1))), world)
    assert np.isnan(list(nobody.values())).all()


def test_up_is_y_in_the_plane():
    world = gr.World(dimension=2)
    world.add(gr.Disc(0.1), at=[(0, 0.3), (0, 0.9)], density=1.0)
    assert heights(world)[:3] == pytest.approx((1.0, 0.6, 0.6))


def test_velocities_of_a_gas_that_drifts():
    world = cubic(3)
    rng = np.random.default_rng(4)
    world.velocity = rng.normal(size=(27, 3)) + np.array([0.0, 0.0, 2.0])
    found = velocities(world)
    v = world.velocity
    assert found.mean == pytest.approx(v.mean(axis=0))
    assert found.rms**2 == pytest.approx(3.0 * found.temperature + (found.mean**2).sum())
    assert found.temperature == pytest.approx(v.var(axis=0).sum() / 3.0)
    row = read(gr.Velocities(), world)
    assert row["mean_velocity_z"] == pytest.approx(v[:, 2].mean())
    assert np.isnan(velocities(gr.World()).rms)


# ---- contacts --------------------------------------------------------------------------------


def test_each_grain_of_the_densest_packing_touches_twelve():
    world = fcc_world()
    found = read(gr.ContactNumber(), world)
    assert found == {"contact_number": 12.0, "carrier_contact_number": 12.0, "rattler_share": 0.0}


def test_rattlers_fall_one_after_the_other():
    """A chain of three on a tetrahedron: its end has one contact, then the next one has."""
    world = gr.World()
    base = np.array([(1, 1, 1), (1, -1, -1), (-1, 1, -1), (-1, -1, 1)]) * np.sqrt(0.5)
    points = [*base, base[0] + (0, 0, 2.0), base[0] + (0, 0, 4.0)]
    world.add(gr.Sphere(1.0), at=points, density=1.0)
    contacts = touching(world)
    found = contact_counts(world, contacts, least=3)
    assert found.all.tolist() == [4, 3, 3, 3, 2, 1]
    assert found.is_rattler.tolist() == [False, False, False, False, True, True]
    assert found.carried[:4].tolist() == [3, 3, 3, 3]
    assert contact_counts(world, contacts).is_rattler.all()  # a tetrahedron alone is too loose
    row = read(gr.ContactNumber(least=3), world, contacts)
    assert row["contact_number"] == pytest.approx(16 / 6)
    assert row["carrier_contact_number"] == 3.0
    assert row["rattler_share"] == pytest.approx(1 / 3)


def test_walls_count_as_contacts():
    world = gr.World()
    world.add(gr.Sphere(1.0), at=[(0, 0, 1)], density=1.0)
    contacts = made(world, [(0, -1, (0, 0, 0), (0, 0, -1), 0.1)], [(0, 0, 1.0)])
    assert read(gr.ContactNumber(), world, contacts)["contact_number"] == 1.0


def test_fabric_of_a_cubic_lattice():
    world = cubic()
    F = fabric(touching(world))
    assert pytest.approx(np.eye(3) / 3.0, abs=1e-14) == F
    assert anisotropy(F) == pytest.approx(0.0, abs=1e-14)
    column = gr.World()
    column.add(gr.Sphere(0.05), at=0.1 * grid(1, 1, 5), density=1.0)
    row = read(gr.Fabric(), column)
    assert (row["fabric_zz"], row["anisotropy"]) == pytest.approx((1.0, 1.0))
    assert anisotropy(np.diag([1.0, 0.0, 0.0]), 2) == pytest.approx(1.0)
    empty = read(gr.Fabric(gr.BoxRegion((5, 5, 5), (6, 6, 6))), world)
    assert np.isnan(list(empty.values())).all()


def test_the_distribution_of_forces():
    """Forces 1, 1, 2, 4 N: mean 2 N; half of them below 3/4 of it, a quarter at 1, one at 2."""
    world = gr.World()
    world.add(gr.Sphere(1.0), at=2.0 * grid(5, 1, 1), density=1.0)
    rows = [(k, k + 1, (2 * k + 1, 0, 0), (1, 0, 0), 0.0) for k in range(4)]
    contacts = made(world, rows, [(-f, 3.0, 0) for f in (1, 1, 2, 4)])
    found = force_distribution(contacts, bins=6, most=3.0)
    assert found.contacts.tolist() == [0, 2, 1, 0, 1, 0]
    assert found.probability == pytest.approx([0, 1, 0.5, 0, 0.5, 0])
    assert (found.probability * 0.5).sum() == pytest.approx(1.0)
    table = read(gr.ForceNetwork(), world, contacts)
    assert table["normal_force"] == pytest.approx([1, 1, 2, 4])
    assert table["tangential_force"] == pytest.approx([3.0] * 4)
    assert table["j"].tolist() == [1, 2, 3, 4]
    some = read(gr.ForceNetwork(gr.BoxRegion((0, -1, -1), (4, 1, 1))), world, contacts)
    assert some["i"].tolist() == [0, 1]
    assert np.isnan(read(gr.ForceDistribution(bins=3), gr.World())["probability"]).all()


# ---- stress and strain -----------------------------------------------------------------------


def column(n=5, g=9.81):
    """Return n grains on each other on a floor, each contact with the weight above it."""
    world = gr.World()
    world.add(gr.Sphere(0.05), at=0.1 * grid(1, 1, n) + (0.1, 0.1, 0.05), density=1000.0)
    weight = g * world.mass[0]
    rows = [(k, k + 1, (0.1, 0.1, 0.1 * (k + 1)), (0, 0, 1), 0.0) for k in range(n - 1)]
    forces = [(0, 0, -weight * (n - 1 - k)) for k in range(n - 1)]
    rows.append((0, -1, (0.1, 0.1, 0), (0, 0, -1), 0.0))
    return world, made(world, rows, [*forces, (0, 0, weight * n)]), weight


def test_stress_of_a_column_under_its_weight():
    """Between two centres the column carries the weight of those above, over the region's area."""
    world, contacts, weight = column()
    area = 0.2 * 0.2

    def layer(low, high):
        region = gr.BoxRegion((0, 0, low), (0.2, 0.2, high))
        return stress(world, contacts, region)

    for k in range(4):
        between = layer(0.05 + 0.1 * k, 0.15 + 0.1 * k)
        assert between[2, 2] == pytest.approx((4 - k) * weight / area, rel=1e-12)
        assert np.delete(between.ravel(), 8) == pytest.approx(np.zeros(8))
    assert layer(0.0, 0.05)[2, 2] == pytest.approx(5 * weight / area, rel=1e-12)
    half = layer(0.12, 0.17)  # three fifths below the centre at 0.15 m
    assert half[2, 2] == pytest.approx((0.6 * 4 + 0.4 * 3) * weight / area, rel=1e-12)
    whole = layer(0.0, 0.5)[2, 2]
    assert whole == pytest.approx((0.5 * 5 + 4 + 3 + 2 + 1) * 0.1 * weight / (0.5 * area))
    round_one = stress(world, contacts, gr.CylinderRegion((0.1, 0.1, 0.05), 0.1, 0.1))
    assert round_one[2, 2] == pytest.approx(4 * weight / (np.pi * 0.01), rel=1e-12)
    aside = stress(world, contacts, gr.CylinderRegion((0.3, 0.1, 0.05), 0.1, 0.1))
    assert not aside.any()


def test_stress_of_a_pressed_lattice_is_isotropic_wherever_it_is_taken():
    """Cubic grains of side a that press each other with f: f / a² in each direction."""
    world = gr.World(periodic=(0.4, 0.4, 0.4))
    world.add(gr.Sphere(0.0505), at=0.1 * grid(4, 4, 4), density=1.0)
    contacts = touching(world, stiffness=1e3)
    assert len(contacts) == 3 * 64
    for region in (gr.BoxRegion((0, 0, 0), (0.4, 0.4, 0.4)),
                   gr.BoxRegion((-0.13, 0.07, 0.33), (0.07, 0.17, 0.63))):
        assert stress(world, contacts, region) == pytest.approx(
            np.eye(3) * 1e3 * 1e-3 / 0.01, rel=1e-9, abs=1e-9)
    row = read(gr.Stress(gr.BoxRegion((0, 0, 0), (0.4, 0.4, 0.4))), world, contacts)
    assert row["pressure"] == pytest.approx(100.0)


def test_shares_of_arms_by_a_fine_division():
    rng = np.random.default_rng(0)
    tilted = gr.CylinderRegion((0.1, 0, -0.2), 0.5, 0.9, (1, 2, 3))
    for region in (gr.BoxRegion((-0.4, -0.3, -0.5), (0.2, 0.5, 0.1)), tilted):
        start, way = rng.uniform(-1, 1, (40, 3)), rng.uniform(-1.5, 1.5, (40, 3))
        t = (np.arange(20000) + 0.5) / 20000
        wanted = [region.contains(x + t[:, None] * v, 3).mean()
                  for x, v in zip(start, way, strict=True)]
        assert shares(region, start, way, 3) == pytest.approx(wanted, abs=2e-4)


def test_the_kinetic_part_is_the_pressure_of_a_gas():
    world = cubic(3)
    world.velocity = np.random.default_rng(1).normal(size=(27, 3)) + 5.0
    region = gr.ContainerRegion(0.3)
    nothing = made(world, [], [])
    assert not stress(world, nothing, region).any()
    found = stress(world, nothing, region, kinetic=True)
    density_of_mass = world.mass.sum() / 0.027
    assert np.trace(found) / 3.0 == pytest.approx(
        density_of_mass * velocities(world).temperature, rel=1e-12)


def test_strain_of_an_affine_motion():
    """F = 1 + shear + squeeze, exact for grains that move with it; some leave on the way."""
    world = cubic()
    F = np.array([[1.0, 0.02, 0.0], [0.0, 0.97, 0.01], [0.0, 0.0, 1.05]])
    measure = gr.Strain()
    values, memory = measure.recall(look(world), {})
    assert values == pytest.approx([0.0] * 7, abs=1e-12)
    world.position = world.position @ F.T + (0.3, 0.0, -0.1)
    world.remove([0, 17])
    values, memory = measure.recall(look(world), memory)
    assert values == pytest.approx([0.0, -0.03, 0.05, 0.01, 0.005, 0.0,
                                    np.linalg.det(F) - 1.0], abs=1e-12)
    assert len(memory["id"]) == 62


def test_strain_across_the_ends_of_a_periodic_cell():
    world = gr.World(periodic=(0.4, None, None))
    world.add(gr.Sphere(0.05), at=0.1 * grid(4, 4, 4), density=1.0)
    measure, memory = gr.Strain(), {}
    for k in range(1, 21):  # slides by 0.6 m in all, and shears by 0.02 in y
        _, memory = measure.recall(look(world), memory)
        world.position[:, 0] = np.mod(world.position[:, 0] + 0.03, 0.4)
        world.position[:, 1] *= (1.0 + 0.001 * k) / (1.0 + 0.001 * (k - 1))
    values, _ = measure.recall(look(world), memory)
    assert values[:3] == pytest.approx([0.0, 0.02, 0.0], abs=1e-12)


def test_grains_in_a_plane_have_no_strain_in_space():
    assert np.isnan(affine(grid(3, 3, 1), grid(3, 3, 1))).any()
    flat = affine(grid(3, 3, 1), 1.1 * grid(3, 3, 1), dimension=2)
    assert flat == pytest.approx(np.diag([1.1, 1.1, 1.0]))


def test_strain_at_a_wall():
    world = gr.World(domain=((-1, -1, -1), (1, 1, 1)))
    world.add(gr.Plane((0, 0, 0.2), (0, 0, -1)), name="lid",
              moving=gr.Linear(velocity=(0, 0, -0.01)))
    measure = gr.WallStrain("lid", length=0.2)
    measure.refuse(world)
    values, _ = measure.recall(look(world, made(world, [], []), time=2.0), {})
    assert values == pytest.approx((-0.1,))
    with pytest.raises(InputError, match="did you mean 'lid'"):
        gr.WallStrain("lod", length=0.2).refuse(world)


# ---- mixing ----------------------------------------------------------------------------------


def two_kinds(is_first):
    world, glass = gr.World(), gr.Material("glass", 2500.0)
    points = 0.1 * grid(8, 8, 8) + 0.05
    world.add(gr.Sphere(0.05), at=points[is_first], material=glass)
    world.add(gr.Sphere(0.03), at=points[~is_first], material=gr.Material("steel", 7800.0))
    return world


def test_lacey_of_separated_mixed_and_random_lattices():
    places = grid(8, 8, 8)
    apart = two_kinds(places[:, 0] < 4)
    even = two_kinds(places.sum(axis=1) % 2 == 0)
    measure = gr.Mixing(material="glass", cell=0.2)
    assert read(measure, apart)["lacey_index"] == pytest.approx(0.0, abs=1e-14)
    assert read(measure, even)["lacey_index"] == pytest.approx(8.0 / 7.0)  # more even than chance
    assert read(gr.Mixing(larger_than=0.04, cell=0.2), apart)["lacey_index"] == pytest.approx(0.0)
    rng = np.random.default_rng(5)
    found = [lacey_index(even, rng.permutation(512) < 200, 0.2) for _ in range(200)]
    assert np.mean(found) == pytest.approx(1.0, abs=4.0 * np.std(found) / np.sqrt(200))
    assert np.isnan(lacey_index(even, np.ones(512, dtype=bool), 0.2))
    assert np.isnan(lacey_index(even, rng.permutation(512) < 200, 0.1))  # one grain a cell


def test_heights_of_two_kinds():
    world = two_kinds(grid(8, 8, 8)[:, 2] >= 6)
    world.add(gr.Box((0, 0, -0.05), (0.8, 0.8, 1.0)))
    row = read(gr.Segregation(material="glass"), world)
    assert row["chosen_height"] == pytest.approx(0.75)
    assert row["others_height"] == pytest.approx(0.35)
    assert row["height_ratio"] == pytest.approx(0.75 / 0.35)
    with pytest.raises(InputError, match="did you mean 'glass'"):
        gr.Segregation(material="glas").refuse(world)
    with pytest.raises(InputError, match="one of them"):
        gr.Mixing(cell=0.1)


# ---- the surface -----------------------------------------------------------------------------


@pytest.mark.parametrize("angle", [10.0, 25.0, 40.0])
def test_the_angle_of_an_artificial_heap(angle):
    """Grains on a cone: each column's highest one lies on it, wherever in the column that is."""
    rng = np.random.default_rng(1)
    world, slope = gr.World(), np.tan(np.radians(angle))
    places = rng.uniform(-1.0, 1.0, (8000, 2))
    places = places[np.hypot(*places.T) < 1.0] + (0.3, -0.2)
    height = slope * (1.0 - np.hypot(places[:, 0] - 0.3, places[:, 1] + 0.2))
    depth = rng.uniform(0.0, 1.0, len(places)) ** 4
    depth[::3] = 0.0
    world.add(gr.Sphere(0.01), at=np.column_stack([places, height - depth]), density=1.0)
    found = repose_angle(world, centre=(0.3, -0.2), width=0.15)
    assert np.degrees(found) == pytest.approx(angle, abs=0.5)
    by_mass = read(gr.ReposeAngle(width=0.15), world)["repose_angle"]
    assert np.degrees(by_mass) == pytest.approx(angle, abs=1.0)


def test_the_angle_of_a_slope():
    world = gr.World()
    places = 0.02 * grid(60, 40)
    height = 0.3 * places[:, 0] + 0.4 * places[:, 1]
    world.add(gr.Sphere(0.01), at=np.column_stack([places, height]), density=1.0)
    assert np.tan(repose_angle(world, "slope")) == pytest.approx(0.5, rel=1e-9)
    flat = gr.World(dimension=2)
    flat.add(gr.Disc(0.01), at=[(x, 0.7 * x) for x in np.arange(0, 2, 0.02)], density=1.0)
    assert np.tan(repose_angle(flat, "slope")) == pytest.approx(0.7, rel=1e-9)
    assert np.isnan(repose_angle(gr.World()))


# ---- with a memory ---------------------------------------------------------------------------


def test_convection_of_a_roll():
    """Up in the middle and down at the wall, r-z: the mean of each cell, over the looks."""
    world = gr.World()
    rng = np.random.default_rng(3)
    places = rng.uniform(-1.0, 1.0, (3000, 3)) * (1, 1, 0.5)
    places = places[np.hypot(*places[:, :2].T) < 0.99]
    world.add(gr.Sphere(1e-3), at=places, density=1.0)
    rho = np.hypot(*places[:, :2].T)
    world.velocity = np.column_stack([0.1 * places[:, :2], 1.0 - 2.0 * rho])
    measure = gr.Convection(gr.CylinderRegion((0, 0, -0.5), 1.0, 1.0), cells=(4, 2), looks=2)
    values, memory = measure.recall(look(world), {})
    again, same = measure.recall(look(world), memory)
    assert all(np.array_equal(a, b, equal_nan=True) for a, b in zip(values, again, strict=True))
    assert same["looks"][0] == 1
    world.velocity = 3.0 * world.velocity
    values, memory = measure.recall(look(world, steps=1), memory)
    found = dict(zip(measure.columns(world), values, strict=True))
    cell = np.floor(4 * rho).astype(int) * 2 + (places[:, 2] >= 0.0)
    wanted = [2.0 * (1.0 - 2.0 * rho[cell == k]).mean() for k in range(8)]
    assert found["velocity_up"] == pytest.approx(wanted)
    assert found["velocity_across"] == pytest.approx(
        [2.0 * (0.1 * rho[cell == k]).mean() for k in range(8)])
    assert found["across"][[0, -1]] == pytest.approx([0.125, 0.875])
    assert found["grains"].sum() == len(world)
    assert measure.is_due(found)
    _, memory = measure.recall(look(world, steps=2), memory)
    assert memory["looks"][0] == 1  # it begins anew


def test_convection_over_the_end_of_a_periodic_cell():
    """The region lies across x = 0 = 1: what is at 0.9 is in its first half."""
    world = gr.World(periodic=(1.0, None, None))
    world.add(gr.Sphere(1e-3), at=[(0.9, 0.5, 0.2), (0.1, 0.5, 0.2), (0.5, 0.5, 0.2)], density=1.0)
    world.velocity = [(0, 0, 1), (0, 0, -2), (0, 0, 5)]
    measure = gr.Convection(gr.BoxRegion((-0.2, 0, 0), (0.2, 1, 1)), cells=(2, 1))
    found = read(measure, world)
    assert found["velocity_up"].tolist() == [1.0, -2.0]
    assert found["across"] == pytest.approx([-0.1, 0.1])


def test_a_moving_average():
    world, measure, memory = fcc_world(1), gr.MovingAverage("kinetic", over=0.3), {}
    contacts = touching(world)
    for k in range(8):
        values, memory = measure.recall(look(world, contacts, time=0.1 * k, steps=k), memory)
        assert values[0] == pytest.approx(np.mean(range(max(k - 2, 0), k + 1)))
    again, same = measure.recall(look(world, contacts, time=0.1 * 7, steps=7), memory)
    assert again == values
    assert np.array_equal(same["value"], memory["value"])
    with pytest.raises(InputError, match="did you mean 'kinetic'"):
        gr.MovingAverage("kinetc", over=1.0).refuse_unknown(["time", "kinetic"])
    with pytest.raises(InputError, match="interval must not be given"):
        gr.MovingAverage("kinetic", over=1.0, interval=0.1)


# ---- all of them -----------------------------------------------------------------------------

OF_ALL = [gr.Density(), gr.LayerDensity(count=4), gr.Heights(), gr.Velocities(), gr.Flow(),
          gr.ContactNumber(), gr.ForceDistribution(), gr.ForceNetwork(), gr.Stress(), gr.Strain(),
          gr.Fabric(), gr.Mixing(larger_than=0.04, cell=0.2), gr.Segregation(larger_than=0.04),
          gr.ReposeAngle(), gr.Convection(), gr.MovingAverage("kinetic", over=1.0),
          gr.RingDensity(gr.CylinderRegion((0.2, 0.2, 0), 0.1)), gr.WallStrain("lid", 1.0),
          gr.WallShare(larger_than=0.04, region=gr.CylinderRegion((0.2, 0.2, 0), 0.1)),
          gr.NematicOrder(), gr.LayerAngles(count=4)]


def test_there_is_one_of_each_here():
    assert {type(measure) for measure in OF_ALL} == set(MEASURES.values())


@pytest.mark.parametrize("measure", OF_ALL, ids=lambda measure: measure.type_name)
@pytest.mark.parametrize("dimension", [2, 3])
def test_every_measure_finds_a_value_for_each_column(measure, dimension):
    """In space and in the plane, with grains and without; and nothing is changed."""
    world = gr.World(dimension=dimension, domain=((-9, -9, -9), (9, 9, 9)))
    world.add(gr.Box((0, 0, 0), (1, 1, 1 if dimension == 3 else 0)))
    way, normal = ((0, 0, 1), (0, 0, -1)) if dimension == 3 else ((0, 1, 0), (0, -1, 0))
    world.add(gr.Plane(way, normal), name="lid", moving=gr.Linear(velocity=way))
    for count in (0, 3):
        if count:
            points = 0.1 * grid(*[count] * dimension) + 0.05
            world.add((gr.Disc if dimension == 2 else gr.Sphere)(0.05), at=points, density=1.0)
        before = {name: array.copy() for name, array in world.grains.arrays().items()}
        measure.refuse(world)
        values, memory = measure.recall(look(world), {})
        columns = measure.columns(world)
        assert len(values) == len(columns) == len(set(columns))
        for value in values:
            assert np.ndim(value) == measure.is_profile
        assert all(isinstance(array, np.ndarray) for array in memory.values())
        for name, array in world.grains.arrays().items():
            assert np.array_equal(array, before[name])


def test_the_order_of_grains_does_not_matter():
    """The same grains added in another order give the same numbers, to rounding."""
    places = 0.1 * grid(3, 3, 3) + 0.05
    found = []
    for order in (np.arange(27), np.random.default_rng(0).permutation(27)):
        world = gr.World()
        world.add(gr.Box((0, 0, 0), (1, 1, 1)))
        world.add(gr.Sphere(0.0501), at=places[order], density=1.0)
        contacts = touching(world)
        found.append([density(world), *heights(world), *stress(world, contacts).ravel(),
                      *fabric(contacts).ravel()])
    assert found[0] == pytest.approx(found[1], rel=1e-12, abs=1e-12)


def test_a_simulation_measures_and_keeps_its_fingerprint():
    world = cubic(3)
    sim = gr.Simulation(world, LAW, threads=1)
    before = sim.fingerprint()
    assert sim.measure(gr.Density(gr.ContainerRegion(0.3))) == pytest.approx(
        {"density": np.pi / 6.0})
    assert sim.measure(gr.ForceNetwork())["i"].ndim == 1
    row = sim.sample([gr.Heights(), gr.MovingAverage("top", over=1.0)])
    assert row["top_average"] == row["top"] == pytest.approx(0.3)
    assert sim.fingerprint() == before


@pytest.mark.parametrize(("make", "text"), [
    (lambda: gr.Density(name="a b"), "letters, digits and underscores"),
    (lambda: gr.Density(interval=0.0), "interval must be greater than 0"),
    (lambda: gr.LayerDensity(count=0), "count must be at least 1"),
    (lambda: gr.ForceDistribution(bins=0), "bins must be at least 1"),
    (lambda: gr.ReposeAngle("hill"), "'cone' or 'slope'"),
    (lambda: gr.ReposeAngle(low=0.5, high=0.4), "high must be greater than 0.5"),
    (lambda: gr.Convection(cells=(0, 1)), "cells must be at least 1"),
    (lambda: gr.ContactNumber(least=0), "least must be at least 1"),
    (lambda: gr.Strain(name="1st"), "a letter first"),
    (lambda: gr.WallStrain("lid", 0.0), "length must be greater than 0")])
def test_values_without_a_meaning_are_refused(make, text):
    with pytest.raises(InputError, match=text):
        make()

"""How long grains lie, and who is at the wall: constructed worlds with exact values."""

import math

import numpy as np
import pytest
from measure_samples import look, read

import granum as gr
from granum.errors import InputError
from granum.measures import axis_angles, layer_angles, long_axes, nematic_order
from granum.shapes import RigidShape
from granum.shapes.long_axis import long_axis
from granum.shapes.turning import product, random_turns, turned

ROD = gr.Clump(points=[(0, 0, -1.0), (0, 0, 0), (0, 0, 1.0)], radii=0.8)  # along z, in its frame
OBLIQUE = gr.Clump(points=[(-0.6, 0, -0.8), (0, 0, 0), (0.6, 0, 0.8)], radii=0.7)
COIN = gr.Clump(points=[(math.cos(a), math.sin(a), 0) for a in 2 * np.pi * np.arange(6) / 6],
                radii=0.8)
FLAT_ROD = gr.Clump(points=[(-0.6, -0.8), (0, 0), (0.6, 0.8)], radii=0.5)


def turn(axis, angle):
    """Return the quaternion of a turn about an axis."""
    axis = np.array(axis, dtype=float) / np.linalg.norm(axis)
    return np.append(math.cos(0.5 * angle), math.sin(0.5 * angle) * axis)


def world_of(clump, turns, heights=None, dimension=3):
    world = gr.World(dimension=dimension, domain=((-1e4,) * 3, (1e4,) * 3))
    n = len(turns)
    height = np.zeros(n) if heights is None else np.asarray(heights, dtype=float)
    points = np.column_stack((5.0 * np.arange(n), np.zeros(n), height))
    if dimension == 2:
        points = np.column_stack((5.0 * np.arange(n), height))
    world.add(clump, at=points, density=1.0, orientation=np.array(turns))
    return world


def test_long_axes_are_turned_along():
    """Whatever frame a clump is given in, its axis is where its spheres are."""
    rng = np.random.default_rng(1)
    turns = random_turns(rng, 20, 3)
    for clump, given in ((ROD, (0, 0, 1)), (OBLIQUE, (0.6, 0, 0.8))):
        found = long_axes(world_of(clump, turns))
        wanted = turned(turns, np.array(given, dtype=float))
        assert np.abs((found * wanted).sum(axis=1)) == pytest.approx(1.0, abs=1e-12)
    turns = random_turns(rng, 20, 2)
    found = long_axes(world_of(FLAT_ROD, turns, dimension=2))
    wanted = turned(turns, np.array([0.6, 0.8, 0.0]))
    assert np.abs((found * wanted).sum(axis=1)) == pytest.approx(1.0, abs=1e-7)


def test_spheres_and_coins_have_no_long_axis():
    world = world_of(COIN, [turn((1, 0, 0), 0.3)] * 2)
    world.add(gr.Sphere(1.0), at=[(0, 9, 0)], density=1.0)
    assert np.isnan(long_axes(world)).all()
    assert np.isnan(axis_angles(world)).all()
    assert np.isnan(read(gr.NematicOrder(), world)["nematic_order"])
    ring = gr.Clump(points=[(math.cos(a), math.sin(a)) for a in 2 * np.pi * np.arange(4) / 4],
                    radii=0.8)
    assert np.isnan(long_axes(world_of(ring, [(1, 0, 0, 0)], dimension=2))).all()


def test_the_long_axis_of_a_swept_skeleton_in_the_plane():
    """A segment at 0.3 rad, swept by a disc; moments about z say nothing of it."""
    way = np.array([math.cos(0.3), math.sin(0.3), 0.0])
    shape = RigidShape((tuple(-way), tuple(way)), (0.4, 0.4), 1.0, (1.0, 1.0, 1.0), ((0, 1),))
    assert abs(float(long_axis(shape, 2) @ way)) == pytest.approx(1.0, abs=1e-7)


def test_order_of_constructed_orientations():
    """Parallel 1; half along x, half along y 1/4, in the plane 0; a fan in the plane ⟨cos 2a⟩."""
    along = np.array([(0.0, 0.6, 0.8)] * 3) * [[1], [-1], [1]]  # neither end is the front
    found = nematic_order(along)
    assert found.order == pytest.approx(1.0)
    assert found.director == pytest.approx([0.0, 0.6, 0.8])
    crossed = np.array([(1.0, 0, 0), (0, 1.0, 0)])
    assert nematic_order(crossed).order == pytest.approx(0.25)
    assert nematic_order(crossed, 2).order == pytest.approx(0.0, abs=1e-15)
    planar = np.eye(3)
    assert nematic_order(planar).order == pytest.approx(0.0, abs=1e-15)
    for half in (0.2, 0.5):
        turns = [turn((0, 0, 1), a) for a in (-half, 0.0, half)]
        row = read(gr.NematicOrder(), world_of(FLAT_ROD, turns, dimension=2))
        assert row["nematic_order"] == pytest.approx((1.0 + 2.0 * math.cos(2.0 * half)) / 3.0,
                                                     abs=1e-6)
        assert abs(row["director_x"] * 0.8 - row["director_y"] * 0.6) < 1e-3
        assert row["director_z"] == 0.0


def test_isotropic_limits():
    """Axes by chance: order of the size 1/√N, mean angle π/2 - 1, its variance π - 3."""
    n = 4000
    world = world_of(ROD, random_turns(np.random.default_rng(3), n, 3))
    assert read(gr.NematicOrder(), world)["nematic_order"] < 4.0 / math.sqrt(n)
    spread = math.sqrt(math.pi - 3.0)
    angle = axis_angles(world)
    assert angle.mean() == pytest.approx(0.5 * math.pi - 1.0, abs=4.0 * spread / math.sqrt(n))
    assert angle.std() == pytest.approx(spread, rel=0.05)
    flat = world_of(FLAT_ROD, random_turns(np.random.default_rng(4), n, 2), dimension=2)
    assert read(gr.NematicOrder(), flat)["nematic_order"] < 4.0 / math.sqrt(n)
    spread = 0.5 * math.pi / math.sqrt(12.0)
    assert axis_angles(flat).mean() == pytest.approx(0.25 * math.pi,
                                                     abs=4.0 * spread / math.sqrt(n))


def test_angles_by_layers():
    """Standing below, 30 and 50 degrees above, a sphere that does not count, nothing on top."""
    turns = [turn((0, 1, 0), math.radians(a)) for a in (0.0, 0.0, 60.0, -40.0)]
    world = world_of(ROD, turns, heights=[0.5, 0.7, 1.5, 1.6])
    world.add(gr.Sphere(0.3), at=[(0, 9, 1.5)], density=1.0)
    region = gr.BoxRegion((-50, -50, 0), (50, 50, 3))
    found = read(gr.LayerAngles(region=region, count=3), world)
    assert found["low"].tolist() == [0.0, 1.0, 2.0]
    assert np.degrees(found["axis_angle"][:2]) == pytest.approx([90.0, 40.0], abs=1e-5)
    assert np.degrees(found["axis_angle_spread"][:2]) == pytest.approx([0.0, 10.0], abs=1e-5)
    assert np.isnan(found["axis_angle"][2])
    assert found["grains"].tolist() == [2, 2, 0]
    assert layer_angles(world, region, 1).grains.tolist() == [4]
    for make, text in ((lambda: gr.LayerAngles(count=0), "count must be at least 1"),):
        with pytest.raises(InputError, match=text):
            make()
    with pytest.raises(InputError, match="a circle has no layers"):
        gr.LayerAngles(region=gr.CylinderRegion((0, 0, 0), 1.0)).refuse(
            gr.World(dimension=2, domain=((-9,) * 3, (9,) * 3)))


def test_spherocylinders_are_measured_as_they_were_turned():
    """Swept shapes: standing below, 30 and 50 degrees above, a cube that does not count."""
    rod = gr.Spherocylinder(2.0, 0.4)  # along x
    turns = [turn((0, 1, 0), math.radians(a)) for a in (90.0, -90.0, 30.0, -50.0)]
    world = world_of(rod, turns, heights=[0.5, 0.7, 1.5, 1.6])
    world.add(gr.SpheroPolyhedron.box((1, 1, 1), 0.1), at=[(0, 9, 1.5)], density=1.0)
    found = read(gr.LayerAngles(region=gr.BoxRegion((-50, -50, 0), (50, 50, 3)), count=3), world)
    assert np.degrees(found["axis_angle"][:2]) == pytest.approx([90.0, 40.0], abs=1e-5)
    assert np.degrees(found["axis_angle_spread"][:2]) == pytest.approx([0.0, 10.0], abs=1e-5)
    assert found["grains"].tolist() == [2, 2, 0]
    assert np.isnan(long_axes(world)[4]).all()
    turns = random_turns(np.random.default_rng(7), 20, 3)
    axes = long_axes(world_of(rod, turns))
    wanted = turned(turns, np.array([1.0, 0.0, 0.0]))
    assert np.abs((axes * wanted).sum(axis=1)) == pytest.approx(1.0, abs=1e-12)
    for angle in (0.2, 0.5, 0.7):  # from z, in all directions: (3 cos² - 1) / 2 along z
        fan = [turn((math.sin(a), -math.cos(a), 0), 0.5 * math.pi - angle)
               for a in 2 * np.pi * np.arange(5) / 5]
        about = [turn((0, 0, 1), a) for a in 2 * np.pi * np.arange(5) / 5]
        row = read(gr.NematicOrder(), world_of(rod, product(np.array(fan), np.array(about))))
        assert row["nematic_order"] == pytest.approx(1.5 * math.cos(angle) ** 2 - 0.5, abs=1e-12)
        assert abs(row["director_z"]) == pytest.approx(1.0, abs=1e-12)


def test_spherocylinders_in_the_plane_have_the_order_of_their_fan():
    """⟨cos 2a⟩ of directions a, about the one in the middle."""
    for half in (0.2, 0.5):
        turns = [turn((0, 0, 1), 0.3 + a) for a in (-half, 0.0, half)]
        row = read(gr.NematicOrder(), world_of(gr.Spherocylinder(2.0, 0.4), turns, dimension=2))
        assert row["nematic_order"] == pytest.approx((1.0 + 2.0 * math.cos(2.0 * half)) / 3.0,
                                                     abs=1e-9)
        found = row["director_x"] * math.sin(0.3) - row["director_y"] * math.cos(0.3)
        assert abs(found) < 1e-9


def test_who_is_at_the_wall():
    """Four of glass and two of steel; at the wall are one and two of them."""
    world = gr.World()
    world.add(gr.Cylinder((0, 0, 0), (0, 0, 1), radius=1.0, height=2.0))
    world.add(gr.Plane((0, 0, 0), (0, 0, 1)))
    glass, steel = gr.Material("glass", 2500.0), gr.Material("steel", 7800.0)
    world.add(gr.Sphere(0.1), material=glass,
              at=[(0, 0, 0.2), (0.3, 0.3, 0.2), (-0.5, 0, 0.2), (0, 0.85, 0.2)])
    world.add(gr.Sphere(0.05), material=steel, at=[(0.9, 0, 0.2), (0.65, 0.65, 0.1)])
    measure = gr.WallShare(material="steel", within=0.2)
    measure.refuse(world)
    row = read(measure, world)
    assert list(row.values()) == pytest.approx([2.0 / 3.0, 1.0, 0.5])
    row = read(gr.WallShare(larger_than=0.07, within=0.2), world)
    assert list(row.values()) == pytest.approx([1.0 / 3.0, 0.25, 0.5])
    region = gr.CylinderRegion((0, 0, 0), 1.0, 0.15)
    assert read(gr.WallShare(material="glass", within=0.2, region=region), world)[
        "wall_share"] == 0.0  # of the one grain that low
    assert np.isnan(read(measure, gr_empty())["wall_share"])
    for wrong, text in ((gr.WallShare(material="steel", within=2.0), "at most the radius"),
                        (gr.WallShare(material="steal"), "did you mean 'steel'"),
                        (gr.WallShare(material="steel",
                                      region=gr.BoxRegion((0, 0, 0), (1, 1, 1))), "a cylinder")):
        with pytest.raises(InputError, match=text):
            wrong.refuse(world)
    with pytest.raises(InputError, match="within must be greater than 0"):
        gr.WallShare(material="steel", within=0.0)


def gr_empty():
    """Return the same cylinder without grains."""
    world = gr.World()
    world.add(gr.Cylinder((0, 0, 0), (0, 0, 1), radius=1.0, height=2.0))
    world.add(gr.Plane((0, 0, 0), (0, 0, 1)))
    world.add(gr.Material("steel", 7800.0))
    return world


def test_nothing_is_changed_and_the_order_of_grains_does_not_matter():
    turns = random_turns(np.random.default_rng(5), 12, 3)
    found = []
    for order in (np.arange(12), np.random.default_rng(6).permutation(12)):
        world = world_of(ROD, turns[order])
        before = {name: array.copy() for name, array in world.grains.arrays().items()}
        values, _ = gr.NematicOrder().recall(look(world), {})
        found.append(values)
        for name, array in world.grains.arrays().items():
            assert np.array_equal(array, before[name])
    assert found[0] == pytest.approx(found[1], abs=1e-12)

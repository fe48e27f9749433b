"""Clusters and where they are placed: spheres, bonds, rigidity, poses; and what is refused."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

import granum as gr
from granum.world import refuse_bad_world
from granum.world.place import overlapping_pairs

GLUE = gr.PowerGlue(1e4)
R = 1e-3


def rank(layout):
    """Rank of the matrix of how bonds lengthen when spheres move: 3 n - 6 if nothing can bend."""
    n = len(layout.points)
    matrix = np.zeros((len(layout.i), 3 * n))
    way = (layout.points[layout.j] - layout.points[layout.i]) / layout.rest[:, None]
    for k, (i, j) in enumerate(zip(layout.i, layout.j, strict=True)):
        matrix[k, 3 * i : 3 * i + 3], matrix[k, 3 * j : 3 * j + 3] = -way[k], way[k]
    return np.linalg.matrix_rank(matrix)


def all_pairs(points, radii, tolerance=0.01):
    """Glued pairs by looking at every one."""
    return [(i, j) for i in range(len(points)) for j in range(i + 1, len(points))
            if abs(math.dist(points[i], points[j]) - radii[i] - radii[j])
            <= tolerance * min(radii[i], radii[j])]


@pytest.mark.parametrize(("shape", "spheres", "bonds"), [
    (gr.GluedRod(R, GLUE), 15, 39), (gr.GluedRod(R, GLUE, layers=2), 6, 12),
    (gr.GluedTetrahedron(R, GLUE), 35, 120), (gr.GluedTetrahedron(R, GLUE, side=2), 4, 6),
    (gr.GluedCylinder(R, GLUE, width=7 * R, layers=4), 26, None),
])
def test_ready_shapes(shape, spheres, bonds):
    layout = shape.layout()
    assert len(layout.points) == spheres
    assert bonds is None or len(layout.i) == bonds
    assert list(zip(layout.i, layout.j, strict=True)) == all_pairs(layout.points, layout.radii)
    assert layout.rest == pytest.approx(2 * R)
    assert layout.points.mean(axis=0) == pytest.approx(np.zeros(3), abs=1e-15)
    assert rank(layout) == 3 * spheres - 6  # rigid by central forces alone
    assert overlapping_pairs(layout.points, layout.radii * (1 - 1e-9))[0].size == 0


def test_the_cylinder_of_the_thesis():
    """20 layers of approximately 85 spheres (Ferrez 6.4.2)."""
    layout = gr.GluedCylinder(R, GLUE, width=21.2 * R, layers=20).layout()
    height, count = np.unique(layout.points[:, 2].round(9), return_counts=True)
    assert set(count.tolist()) == {84, 85}
    assert np.diff(height) == pytest.approx(2 * R * math.sqrt(2 / 3), rel=1e-5)
    assert (np.hypot(*layout.points[:, :2].T) + R).max() <= 10.6 * R + 1e-3 * R


def test_touching_spheres_of_several_sizes_are_glued():
    points = np.array([(0, 0, 0), (3e-3, 0, 0), (3e-3, 3.03e-3, 0), (-2.02e-3, 0, 0)]) + 5.0
    radii = (1e-3, 2e-3, 1e-3, 1e-3)
    layout = gr.Cluster(points, radii, GLUE, tolerance=0.03).layout()
    assert list(zip(layout.i, layout.j, strict=True)) == [(0, 1), (0, 3), (1, 2)]
    assert layout.rest == pytest.approx([3e-3, 2.02e-3, 3.03e-3])
    mass = np.array(radii) ** 3
    assert layout.centre == pytest.approx(mass @ points / mass.sum())
    assert mass @ layout.points == pytest.approx(np.zeros(3), abs=1e-22)


@pytest.mark.parametrize(("make", "said"), [
    (lambda: gr.Cluster([(0, 0, 0)], R, GLUE), "at least two spheres"),
    (lambda: gr.Cluster([(0, 0, 0), (3e-3, 0, 0)], R, GLUE), "does not hang together: it is in 2"),
    (lambda: gr.Cluster([(0, 0, 0), (1e-3, 0, 0)], R, GLUE), "overlap by 0.001 m"),
    (lambda: gr.Cluster([(0, 0, 0), (0, 0, 0)], R, GLUE), "overlap by 0.002 m"),
    (lambda: gr.Cluster([(0, 0, 0), (2e-3, 0, 0)], (R, R, R), GLUE), "one for each of the 2"),
    (lambda: gr.Cluster([(0, 0, 0), (2e-3, 0, 0)], -R, GLUE), "radii must be greater than 0"),
    (lambda: gr.Cluster([(0, 0), (2e-3, 0)], R, GLUE), "points must have shape"),
    (lambda: gr.Cluster([(0, 0, 0), (2e-3, 0, 0)], R, 1e4), "glue must be a PowerGlue"),
    (lambda: gr.Cluster([(0, 0, 0), (2e-3, 0, 0)], R, GLUE, tolerance=0.5), "at most 0.2"),
    (lambda: gr.GluedRod(R, GLUE, layers=0), "layers must be at least 1"),
    (lambda: gr.GluedTetrahedron(R, GLUE, side=1), "side must be at least 2"),
    (lambda: gr.GluedTetrahedron(R, None), "GluedTetrahedron glue must be"),
    (lambda: gr.GluedCylinder(R, GLUE, width=3e-3, layers=2), "at least 7 radii"),
    (lambda: gr.GluedCylinder(R, GLUE, width=10.0, layers=2), "too many spheres"),
    (lambda: gr.Clusters(gr.GluedRod(R, GLUE)), "count must be given, or at"),
    (lambda: gr.Clusters(gr.GluedRod(R, GLUE), 3, at=[(0, 0, 0)]), "but not both"),
    (lambda: gr.Clusters(gr.GluedRod(R, GLUE), 3, arrangement="heap"), "'random' or 'lattice'"),
    (lambda: gr.Clusters(gr.GluedRod(R, GLUE), 3, orientation="up"), "unit quaternion"),
    (lambda: gr.Clusters(gr.GluedRod(R, GLUE), 3, orientation=(1, 1, 0, 0)), "unit quaternion"),
    (lambda: gr.Clusters(gr.Sphere(R), 3), "cluster must be a Cluster"),
])
def test_what_is_refused(make, said):
    with pytest.raises(gr.InputError, match=said):
        make()


# ---- in a world ------------------------------------------------------------------------------


def test_a_cluster_is_placed_by_its_centre_turned_and_spun():
    world = gr.World()
    world.add(gr.Sphere(R), at=[(9e-3, 0, 0)], density=2500)
    turn = Rotation.from_rotvec([0.3, -0.8, 0.5])
    x, y, z, w = turn.as_quat()
    spin = np.array([10.0, -4.0, 3.0])
    centres = np.array([(0.1, 0.2, 0.3), (0.4, 0.2, 0.3)])
    shape = gr.GluedRod(R, GLUE)
    ids = world.add(shape, at=centres, orientation=(w, x, y, z), density=2500,
                    velocity=(1.0, 2.0, 3.0), spin=spin)
    assert ids.tolist() == list(range(1, 31))
    assert world.cluster.tolist() == [-1] + [0] * 15 + [1] * 15
    assert world.clusters == 2
    arms = turn.apply(shape.layout().points)
    assert world.position[1:16] == pytest.approx(centres[0] + arms)
    assert world.position[16:] == pytest.approx(centres[1] + arms)
    assert world.velocity[1:16] == pytest.approx(np.add((1.0, 2.0, 3.0), np.cross(spin, arms)))
    assert (world.spin[1:] == spin).all()
    bonds = world.bonds
    assert len(bonds) == 78
    assert (bonds.i < bonds.j).all()
    way = world.position[bonds.j] - world.position[bonds.i]
    assert np.linalg.norm(way, axis=1) == pytest.approx(bonds.rest)
    assert np.lexsort((bonds.j, bonds.i)).tolist() == list(range(78))
    refuse_bad_world(world)


def test_a_cluster_without_a_place_stays_where_it_is():
    world = gr.World()
    points = [(1.0, 2.0, 3.0), (1.0, 2.002, 3.0)]
    world.add(gr.Cluster(points, R, GLUE), density=2500)
    assert world.position == pytest.approx(np.array(points))


def test_removed_grains_take_their_bonds_along():
    world = gr.World()
    world.add(gr.GluedTetrahedron(R, GLUE, side=2), at=[(0, 0, 0), (1, 0, 0)], density=2500)
    world.remove([0, 5])
    assert len(world.bonds) == 6
    assert not np.isin([0, 5], [world.bonds.i, world.bonds.j]).any()
    assert world.broken_bonds == 0


def test_overlap_of_glued_spheres_is_their_own_affair():
    world = gr.World()
    points = [(0, 0, 0), (1.9e-3, 0, 0)]
    world.add(gr.Cluster(points, R, GLUE, tolerance=0.2), density=2500)
    refuse_bad_world(world)
    world.add(gr.Sphere(R), at=[(-1.9e-3, 0, 0)], density=2500)
    with pytest.raises(gr.InputError, match="grains 0 and 2 overlap"):
        refuse_bad_world(world)


def test_flat_clusters_in_a_flat_world():
    world = gr.World(dimension=2)
    pair = gr.Cluster([(0, 0, 0), (2e-3, 0, 0)], R, GLUE)
    world.add(gr.Box((0, 0, 0), (0.05, 0.05, 0)))
    world.add(gr.Clusters(pair, count=30), density=2500)
    assert len(world) == 60
    assert (world.position[:, 2] == 0.0).all()
    refuse_bad_world(world)
    with pytest.raises(gr.InputError, match="is not flat"):
        world.add(gr.GluedRod(R, GLUE), at=(0, 0), density=2500)
    with pytest.raises(gr.InputError, match="out of the plane"):
        world.add(pair, at=(0, 0), orientation=(0, 1, 0, 0), density=2500)


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10**6), arrangement=st.sampled_from(["random", "lattice"]),
       orientation=st.sampled_from(["random", (1.0, 0.0, 0.0, 0.0), (0.6, 0.8, 0.0, 0.0)]))
def test_placed_clusters_are_whole_inside_and_apart(seed, arrangement, orientation):
    world = gr.World(seed=seed)
    world.add(gr.Box((0, 0, 0), (0.06, 0.05, 0.07)))
    shape = gr.GluedRod(2e-3, GLUE)
    world.add(gr.Clusters(shape, count=12, arrangement=arrangement, orientation=orientation),
              density=2500)
    assert (len(world), world.clusters, len(world.bonds)) == (180, 12, 12 * 39)
    refuse_bad_world(world)
    low, high = (world.position - 2e-3).min(axis=0), (world.position + 2e-3).max(axis=0)
    assert (low >= -1e-12).all()
    assert (high <= (0.06 + 1e-12, 0.05 + 1e-12, 0.07 + 1e-12)).all()
    way = world.position[world.bonds.j] - world.position[world.bonds.i]
    assert np.linalg.norm(way, axis=1) == pytest.approx(world.bonds.rest)


def test_clusters_across_a_periodic_face():
    world = gr.World(periodic=(0.03, 0.03, 0.03), seed=4)
    world.add(gr.Clusters(gr.GluedTetrahedron(2e-3, GLUE, side=3), count=6), density=2500)
    refuse_bad_world(world)
    way = world.position[world.bonds.j] - world.position[world.bonds.i]
    assert (np.abs(way) > 0.015).any()  # some reach across
    way -= 0.03 * np.rint(way / 0.03)
    assert np.linalg.norm(way, axis=1) == pytest.approx(world.bonds.rest)


def test_too_many_clusters_are_refused():
    world = gr.World()
    world.add(gr.Box((0, 0, 0), (0.03, 0.03, 0.03)))
    shape = gr.GluedRod(2e-3, GLUE)
    with pytest.raises(gr.InputError, match="have found a place"):
        world.add(gr.Clusters(shape, count=60, attempts=5), density=2500)
    with pytest.raises(gr.InputError, match="this lattice has 1 places"):
        world.add(gr.Clusters(shape, count=60, arrangement="lattice"), density=2500)
    with pytest.raises(gr.InputError, match="too thin in z"):
        world.add(gr.Clusters(shape, count=2, high=(0.03, 0.03, 0.005)), density=2500)
    with pytest.raises(gr.InputError, match="spacing must be at least"):
        world.add(gr.Clusters(shape, count=1, arrangement="lattice", spacing=1e-3), density=2500)

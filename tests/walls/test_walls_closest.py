"""Distances and normals against dense samples of each surface, made without the code under test.

A sample is never closer than the surface, and the returned foot lies on the surface: together
these say that the distance is the least one. Surfaces are sampled in a local frame, then turned
and shifted at random.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial import cKDTree

from granum.walls import (
    Cone,
    Cylinder,
    Plane,
    Plate,
    SphereWall,
    closest,
    make_table,
    nearest_possible,
    plane_piece,
    quad_piece,
    revolution_piece,
    sphere_piece,
)
from granum.walls.piece import ROW

STEPS = 140


@dataclass
class Case:
    """A wall with its own samples (m, 3), their spacing, and how far points are off it."""

    pieces: list
    sample: np.ndarray
    spacing: float
    off: Callable[[np.ndarray], np.ndarray]


def frame(rng):
    """A random rotation (columns: local axes) and shift."""
    q, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    q[:, 2] *= np.sign(np.linalg.det(q))
    return q, rng.normal(size=3)


def turned(profile, q, shift):
    """Turn (rho, z) samples about the local z axis; samples and their greatest distance."""
    angle = np.linspace(0.0, 2 * np.pi, STEPS, endpoint=False)
    rho, z = profile[:, :1], profile[:, 1:]
    local = np.stack([rho * np.cos(angle), rho * np.sin(angle), z + 0.0 * angle], axis=-1)
    along = np.linalg.norm(np.diff(profile, axis=0), axis=1).max()
    around = rho.max() * 2 * np.pi / STEPS
    return local.reshape(-1, 3) @ q.T + shift, 0.5 * math.hypot(along, around)


def profile_case(wall, start, end, q, shift):
    t = np.linspace(0.0, 1.0, STEPS)[:, None]
    sample, spacing = turned((1 - t) * np.array(start) + t * np.array(end), q, shift)

    def off(points):
        local = (points - shift) @ q
        p = np.stack([np.hypot(local[:, 0], local[:, 1]), local[:, 2]], axis=1)
        e = np.subtract(end, start)
        s = np.clip((p - start) @ e / (e @ e), 0.0, 1.0)
        return np.linalg.norm(p - start - s[:, None] * e, axis=1)

    return Case(wall.pieces(), sample, spacing, off)


def flat_case(pieces, corners, q, shift):
    """Bilinear samples of a quadrilateral with local corners (4, 2) in z = 0."""
    u, v = np.meshgrid(np.linspace(0, 1, STEPS), np.linspace(0, 1, STEPS))
    a, b, c, d = (np.append(corner, 0.0) for corner in corners)
    u, v = u.ravel()[:, None], v.ravel()[:, None]
    local = (1 - u) * (1 - v) * a + u * (1 - v) * b + u * v * c + (1 - u) * v * d
    longest = max(np.linalg.norm(b - a), np.linalg.norm(c - d)), max(np.linalg.norm(c - b),
                                                                     np.linalg.norm(d - a))

    def off(points):
        p = (points - shift) @ q
        out = np.abs(p[:, 2])
        for k in range(4):
            e = corners[(k + 1) % 4] - corners[k]
            inward = np.array([-e[1], e[0]]) / np.linalg.norm(e)
            out = np.maximum(out, -((p[:, :2] - corners[k]) @ inward))
        return out

    return Case(pieces, local @ q.T + shift, 0.5 * sum(longest) / (STEPS - 1), off)


def make_rectangle(rng):
    q, shift = frame(rng)
    wall = Plane(shift, q[:, 2], two_sided=True, extent=(1.2, 0.6), along=q[:, 0])
    corners = np.array([[-0.6, -0.3], [0.6, -0.3], [0.6, 0.3], [-0.6, 0.3]])
    return flat_case(wall.pieces(), corners, q, shift)


def make_quadrilateral(rng):
    q, shift = frame(rng)
    corners = np.array([[-0.7, -0.4], [0.8, -0.5], [0.3, 0.6], [-0.1, 0.5]])
    vertices = np.column_stack([corners, np.zeros(4)]) @ q.T + shift
    return flat_case([quad_piece(vertices)], corners, q, shift)


def make_cylinder(rng):
    q, shift = frame(rng)
    side = str(rng.choice(["inside", "outside", "both"]))
    wall = Cylinder(shift, 3.0 * q[:, 2], radius=0.5, height=0.9, side=side)
    return profile_case(wall, (0.5, 0.0), (0.5, 0.9), q, shift)


def make_cone(rng):
    q, shift = frame(rng)
    side = str(rng.choice(["inside", "outside", "both"]))
    wall = Cone(shift, q[:, 2], base_radius=0.7, top_radius=0.2, height=0.6, side=side)
    return profile_case(wall, (0.7, 0.0), (0.2, 0.6), q, shift)


def make_pointed_cone(rng):
    q, shift = frame(rng)
    wall = Cone(shift, q[:, 2], base_radius=0.0, top_radius=0.6, height=0.4)
    return profile_case(wall, (0.0, 0.0), (0.6, 0.4), q, shift)


def make_plate(rng):
    q, shift = frame(rng)
    return profile_case(Plate(shift, q[:, 2], 0.8), (0.0, 0.0), (0.8, 0.0), q, shift)


def make_open_plate(rng):
    q, shift = frame(rng)
    wall = Plate(shift, q[:, 2], 0.8, hole=0.3)
    return profile_case(wall, (0.3, 0.0), (0.8, 0.0), q, shift)


def make_sphere(rng):
    q, shift = frame(rng)
    side = str(rng.choice(["inside", "outside", "both"]))
    angle = np.linspace(0.0, np.pi, STEPS)
    profile = 0.6 * np.stack([np.sin(angle), np.cos(angle)], axis=1)
    sample, spacing = turned(profile, q, shift)
    return Case(SphereWall(shift, 0.6, side=side).pieces(), sample, spacing,
                lambda points: np.abs(np.linalg.norm(points - shift, axis=1) - 0.6))


MAKERS = [make_rectangle, make_quadrilateral, make_cylinder, make_cone, make_pointed_cone,
          make_plate, make_open_plate, make_sphere]


class Stub:
    """Pieces as a wall, enough for `make_table`."""

    def __init__(self, *pieces):
        self._pieces = list(pieces)

    def pieces(self):
        return self._pieces


def table_of(*pieces):
    return make_table([Stub(*pieces)])


def measure(table, points, time=0.0, w=0):
    found = np.array([closest(table.kind, table.data, w, time, *p) for p in np.atleast_2d(points)])
    return found[:, 0], found[:, 1:]


def bound(table, points, w=0):
    return np.array([nearest_possible(table.kind, table.data, w, *p)
                     for p in np.atleast_2d(points)])


@pytest.mark.parametrize("make", MAKERS, ids=lambda make: make.__name__[5:])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_distance_and_normal_agree_with_samples(make, seed):
    rng = np.random.default_rng(seed)
    case = make(rng)
    points = case.sample.mean(axis=0) + rng.uniform(-1.2, 1.2, size=(120, 3))
    distance, normal = measure(table_of(*case.pieces), points)
    sampled, _ = cKDTree(case.sample).query(points)
    assert (distance <= sampled + 1e-12).all()
    assert (sampled <= distance + case.spacing).all()
    np.testing.assert_allclose(np.linalg.norm(normal, axis=1), 1.0, atol=1e-12)
    assert case.off(points + distance[:, None] * normal).max() < 1e-12


@pytest.mark.parametrize("make", MAKERS, ids=lambda make: make.__name__[5:])
def test_points_on_the_surface_have_a_sensible_normal(make):
    """The normal of a point on a surface is that of the points beside it, up to its sign."""
    rng = np.random.default_rng(5)
    case = make(rng)
    table = table_of(*case.pieces)
    points = case.sample[rng.integers(len(case.sample), size=60)]
    distance, normal = measure(table, points)
    assert distance.max() < 1e-12
    np.testing.assert_allclose(np.linalg.norm(normal, axis=1), 1.0, atol=1e-12)
    away, _ = measure(table, points - 1e-3 * normal)
    assert (away > 0.9e-3).mean() > 0.9  # rims aside, it is perpendicular


def test_infinite_planes_have_a_signed_or_plain_distance():
    rng = np.random.default_rng(6)
    n = np.array([2.0, -1.0, 2.0]) / 3.0
    p0 = np.array([0.3, 0.2, -0.5])
    points = rng.normal(size=(50, 3))
    signed = (points - p0) @ n
    one = measure(table_of(plane_piece(p0, 3 * n)), points)
    two = measure(table_of(plane_piece(p0, n, two_sided=True)), points)
    assert signed.min() < -0.1 < 0.1 < signed.max()
    np.testing.assert_allclose(one[0], signed, atol=1e-14)
    np.testing.assert_allclose(one[1], np.tile(-n, (50, 1)), atol=1e-14)
    np.testing.assert_allclose(two[0], np.abs(signed), atol=1e-14)
    np.testing.assert_allclose(two[1], -np.sign(signed)[:, None] * n, atol=1e-14)


def test_an_infinite_cylinder_has_no_ends():
    wall = Cylinder((0.0, 0.0, 0.0), (0.0, 0.0, 1.0), radius=2.0)
    points = np.array([[0.5, 0.0, -1e6], [0.0, 3.0, 1e6], [0.0, 0.0, 7.0]])
    distance, normal = measure(make_table([wall]), points)
    np.testing.assert_array_equal(distance, [1.5, 1.0, 2.0])
    np.testing.assert_array_equal(np.abs(normal), [[1, 0, 0], [0, 1, 0], [1, 0, 0]])
    np.testing.assert_array_equal(normal[:2], [[1, 0, 0], [0, -1, 0]])


def test_a_one_sided_rectangle_ignores_its_back_but_not_its_rim():
    table = make_table([Plane((0.0, 0.0, 0.0), (0.0, 0.0, 1.0), extent=(2.0, 2.0))])
    points = np.array([[0.2, 0.3, 0.5], [0.2, 0.3, -0.5], [1.3, 0.0, -0.4], [1.3, 0.0, 0.4]])
    distance, normal = measure(table, points)
    np.testing.assert_allclose(distance, [0.5, np.inf, 0.5, 0.5])
    np.testing.assert_allclose(normal, [[0, 0, -1], [0, 0, 0], [-0.6, 0, 0.8], [-0.6, 0, -0.8]])
    np.testing.assert_allclose(bound(table, points), 0.5)


def test_a_plate_opens_at_its_time():
    table = make_table([Plate((0, 0, 1), (0, 0, 1), radius=1.0, hole=0.3, opens=2.0)])
    points = np.array([[0.0, 0.0, 1.4], [0.1, 0.0, 1.0], [0.5, 0.0, 1.4], [1.3, 0.0, 1.4]])
    shut, down = measure(table, points, time=np.nextafter(2.0, 0.0))
    np.testing.assert_allclose(shut, [0.4, 0.0, 0.4, 0.5], atol=1e-15)
    np.testing.assert_allclose(down[:2], [[0, 0, -1], [0, 0, -1]])
    opened, normal = measure(table, points, time=2.0)
    np.testing.assert_allclose(opened, [0.5, 0.2, 0.4, 0.5])
    np.testing.assert_allclose(normal[1:], [[1, 0, 0], [0, 0, -1], [-0.6, 0, -0.8]], atol=1e-15)
    np.testing.assert_allclose(normal[0, 2], -0.8)
    np.testing.assert_allclose(bound(table, points), shut, atol=1e-15)


@pytest.mark.parametrize("tilt", [(0.0, 0.0, 1.0), (1.0, 2.0, -3.0), (1.0, 1e-9, 0.0)])
def test_on_the_axis_any_azimuth_will_do_but_never_the_axis_itself(tilt):
    """Rounding must not turn the radial direction into an axial one, however the wall lies."""
    axis = np.array(tilt) / np.linalg.norm(tilt)
    base = np.array([0.1, -0.7, 0.3])
    points = base + np.linspace(-3.0, 3.0, 25)[:, None] * axis
    cylinder = make_table([Cylinder(base, axis, radius=0.5)])
    distance, normal = measure(cylinder, points)
    np.testing.assert_allclose(distance, 0.5, atol=1e-14)
    np.testing.assert_allclose(normal @ axis, 0.0, atol=1e-14)
    np.testing.assert_allclose(np.linalg.norm(normal, axis=1), 1.0, atol=1e-14)
    hole = make_table([Plate(base, axis, 1.0, hole=0.25)])
    distance, normal = measure(hole, points)
    height = (points - base) @ axis
    np.testing.assert_allclose(distance, np.hypot(0.25, height), atol=1e-14)
    np.testing.assert_allclose(normal @ axis, -height / distance, atol=1e-14)
    np.testing.assert_allclose(np.linalg.norm(normal, axis=1), 1.0, atol=1e-14)


def test_a_centre_on_a_wall_is_pushed_to_the_side_where_grains_live():
    """The normal at distance zero points away from the grains."""
    z = (0.0, 0.0, 1.0)
    outward, inward = np.array([1.0, 0.0, 0.0]), np.array([-1.0, 0.0, 0.0])
    on = np.array([2.0, 0.0, 0.5])
    for side, expected in (("inside", outward), ("outside", inward)):
        for wall in (Cylinder((0, 0, 0), z, 2.0, height=1.0, side=side),
                     Cone((0, 0, 0), z, 2.0, 2.0, 1.0, side=side),
                     SphereWall((0, 0, 0.5), 2.0, side=side)):
            distance, normal = measure(make_table([wall]), on)
            assert distance[0] == 0.0
            np.testing.assert_array_equal(normal[0], expected)
    for wall in (Plane((0, 0, 0), outward), Plane((0, 0, 0), outward, extent=(1, 1)),
                 Plate((0, 0, 0), outward, radius=1.0)):
        distance, normal = measure(make_table([wall]), np.zeros(3))
        assert distance[0] == 0.0
        np.testing.assert_array_equal(normal[0], inward)


def test_at_the_centre_of_a_sphere_the_normal_is_a_unit_vector():
    distance, normal = measure(make_table([SphereWall((1, 2, 3), 0.5)]), np.array([1.0, 2.0, 3.0]))
    assert distance[0] == 0.5
    assert np.linalg.norm(normal[0]) == 1.0


def test_edges_and_backs_that_do_not_count_are_not_touched():
    corners = np.array([[0.0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]])
    table = table_of(quad_piece(corners, count=(True, False, True, True)))
    points = np.array([[0.5, 0.5, 0.2], [0.5, -0.3, 0.4], [1.3, 0.5, 0.4], [-0.3, 0.5, 0.4],
                       [1.3, -0.3, 0.0], [-0.3, -0.3, 0.0]])
    far = np.inf
    np.testing.assert_allclose(measure(table, points)[0],
                               [0.2, 0.5, far, 0.5, far, math.sqrt(0.18)])
    np.testing.assert_allclose(bound(table, points),
                               [0.2, 0.5, 0.5, 0.5, math.sqrt(0.18), math.sqrt(0.18)])
    tube = table_of(revolution_piece((0, 0, 0), (0, 0, 1), (1.0, 0.0), (1.0, 2.0),
                                     one_sided=True, count=(False, True)))
    points = np.array([[0.5, 0.0, 1.0], [1.5, 0.0, 1.0], [0.7, 0.0, -0.4], [0.7, 0.0, 2.4],
                       [1.3, 0.0, 2.4]])
    np.testing.assert_allclose(measure(tube, points)[0], [0.5, far, far, 0.5, 0.5])
    np.testing.assert_allclose(bound(tube, points), 0.5)


def test_a_vertex_counts_only_if_both_its_edges_do():
    corners = np.array([[0.0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]])
    beyond = np.array([[-0.3, -0.4, 0], [1.3, -0.4, 0], [1.3, 1.4, 0], [-0.3, 1.4, 0]])
    for missing in range(4):
        table = table_of(quad_piece(corners, count=[k != missing for k in range(4)]))
        expected = np.full(4, 0.5)
        expected[[missing, (missing + 1) % 4]] = np.inf
        np.testing.assert_allclose(measure(table, beyond)[0], expected)


def test_a_hair_beyond_an_edge_the_normal_is_still_a_unit_vector():
    """So close that the square of the distance is zero or has lost its digits."""
    corners = np.array([[0.0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]])
    cone = revolution_piece((0, 0, 0), (0, 0, 1), (0.0, 0.0), (1.0, 1.0))
    for hair in (1e-90, 1e-150, 1e-161, 1e-170, 5e-324):
        for piece, p in ((quad_piece(corners), (0.5, -hair, 0.0)), (cone, (0.0, 0.0, -hair))):
            distance, normal = measure(table_of(piece), np.array(p))
            assert 0.0 <= distance[0] <= 2 * hair
            assert np.linalg.norm(normal[0]) == pytest.approx(1.0, abs=1e-12)


def odd_table():
    """One of each kind with masks, guards, a hole that opens and simple numbers."""
    square = np.array([[-1.0, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0]])
    guards = np.zeros((4, 3))
    guards[0] = (0.0, -0.6, -0.8)
    return table_of(
        plane_piece((0, 0, 0), (0, 0, 1)),
        plane_piece((0, 0, 0), (1, 1, 0), two_sided=True),
        quad_piece(square, one_sided=True, count=(True, False, True, False), guards=guards),
        quad_piece(square),
        revolution_piece((0, 0, 0), (0, 0, 1), (1.0, 0.0), (2.0, 1.0), one_sided=True,
                         count=(True, False), guards=((0.6, -0.8), (0.0, 0.0))),
        revolution_piece((0, 0, 0), (0, 0, 1), (0.0, 0.0), (2.0, 0.0), hole=1.0, opens=1.0),
        revolution_piece((0, 0, 0), (1, 0, 0), (1.0, 1.0), (1.0, 0.0), infinite=True),
        revolution_piece((0, 0, 0), (0, 1, 1), (0.0, 0.0), (1.0, 1.0)),
        sphere_piece((0, 0, 0), 1.0),
        sphere_piece((0, 0, 0), 2.0, inside=False),
    )


TABLE = odd_table()
# a lattice meets axes, rims, corners and surfaces exactly; tiny numbers are nearly there
coordinate = st.one_of(st.sampled_from([-2.0, -1.0, -0.5, -0.0, 0.0, 0.5, 1.0, 2.0]),
                       st.sampled_from([5e-324, 1e-160, -1e-101, 1e-16, 1 + 2**-52, -1 - 2**-52]),
                       st.floats(-3.0, 3.0))
point = st.tuples(coordinate, coordinate, coordinate)


@settings(max_examples=400, deadline=None)
@given(centre=point, time=st.sampled_from([0.0, 1.0, 2.0]), w=st.integers(0, len(TABLE.kind) - 1))
def test_no_centre_yields_nan_and_normals_are_units(centre, time, w):
    distance, *normal = closest(TABLE.kind, TABLE.data, w, time, *centre)
    length = math.hypot(*normal)
    assert length == 0.0 if distance == math.inf else abs(length - 1.0) < 1e-12
    assert distance >= 0.0 or w == 0
    least = nearest_possible(TABLE.kind, TABLE.data, w, *centre)
    assert math.isfinite(least)
    assert least <= distance + 1e-15 * abs(distance)  # two kernels may round differently


@settings(max_examples=400, deadline=None)
@given(here=point, there=point, w=st.integers(0, len(TABLE.kind) - 1))
def test_the_bound_changes_no_faster_than_the_centre_moves(here, there, w):
    """Otherwise a grain left out of the candidates could touch before it has moved by the skin."""
    change = bound(TABLE, [here], w)[0] - bound(TABLE, [there], w)[0]
    assert abs(change) <= math.dist(here, there) + 1e-12


def test_rows_are_as_wide_as_promised():
    assert TABLE.data.shape == (len(TABLE.kind), ROW)

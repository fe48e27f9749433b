"""Swept convex shapes: mass properties against closed forms, and what no frame may change."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial import ConvexHull
from scipy.spatial.transform import Rotation
from swept_samples import rounded_box

import granum as gr
from granum.shapes.apart import is_inside, points_to_triangles
from granum.shapes.columns import swept_union
from granum.shapes.skeleton import hull
from granum.shapes.steiner import swept_hull, swept_polygon

EXACT = 1e-12
RATIOS = [(1.0, 0.5), (2.0, 0.01), (0.3, 1.0), (1e-3, 2e-3), (7.0, 3.0)]


@pytest.mark.parametrize(("l", "r"), RATIOS)
def test_spherocylinder(l, r):  # noqa: E741
    """Pournin (2005), equation 4.10, with l the whole length of the skeleton."""
    shape = gr.Spherocylinder(l, r)
    across = np.pi * (r**3 * l**2 / 3 + r**2 * l**3 / 12 + 3 / 4 * r**4 * l + 8 / 15 * r**5)
    along = np.pi * (r**4 * l / 2 + 8 / 15 * r**5)
    assert shape.volume == pytest.approx(np.pi * r**2 * l + 4 / 3 * np.pi * r**3, rel=EXACT)
    assert np.diag(shape.inertia) == pytest.approx([along, across, across], rel=EXACT)
    assert shape.inertia - np.diag(np.diag(shape.inertia)) == pytest.approx(0.0, abs=EXACT * along)
    assert shape.centre == pytest.approx(0.0, abs=EXACT * l)
    assert shape.bounding_radius == pytest.approx(0.5 * l + r, rel=EXACT)
    assert shape.error == 0.0


@pytest.mark.parametrize(("l", "r"), RATIOS)
def test_regular_spherotetrahedron(l, r):  # noqa: E741
    """Pournin (2005), equation 4.21, with l from the centre to a vertex and α = arccos(-1/3)."""
    shape = gr.Spherotetrahedron(np.sqrt(8 / 3) * l, r)
    alpha, root = np.arccos(-1 / 3), np.sqrt(3)
    wanted = 4 / 3 * (
        2 / 5 * np.pi * r**5 + np.sqrt(6) * alpha * r**4 * l
        + 2 / 3 * (np.pi + 10 / root) * r**3 * l**2
        + (4 + 5 * np.sqrt(2) * alpha) / (3 * root) * r**2 * l**3
        + 4 / (3 * root) * r * l**4 + 4 / (45 * root) * l**5)
    assert np.diag(shape.inertia) == pytest.approx([wanted] * 3, rel=EXACT)
    assert shape.inertia - np.diag(np.diag(shape.inertia)) == pytest.approx(0.0, abs=EXACT * wanted)
    assert shape.bounding_radius == pytest.approx(l + r, rel=EXACT)


@pytest.mark.parametrize(("sides", "radius"), [
    ((1, 2, 3), 0.3), ((1, 1, 1), 1e-3), ((5, 1, 0.1), 2),
])
def test_box(sides, radius):
    shape = gr.SpheroPolyhedron.box(sides, radius)
    volume, second = rounded_box(sides, radius)
    assert shape.volume == pytest.approx(volume, rel=EXACT)
    assert np.diag(shape.inertia) == pytest.approx(second.sum() - second, rel=EXACT)
    settled = shape.settled(3)
    assert settled.axes.tolist() == [1, 0, 0, 0]
    assert settled.shape.gyration == pytest.approx((second.sum() - second) / volume, rel=EXACT)


def test_a_plate_is_a_box_without_a_height():
    """The limit of ever lower boxes, and half a turn of the normal at its border."""
    plate = gr.SpheroPolyhedron([(x, y, 0) for x in (0, 2) for y in (0, 3)], radius=0.4)
    volume, second = rounded_box((2, 3, 0), 0.4)
    assert plate.volume == pytest.approx(volume, rel=EXACT)
    assert plate.centre == pytest.approx([1, 1.5, 0], abs=EXACT)
    assert np.diag(plate.inertia) == pytest.approx(second.sum() - second, rel=EXACT)
    triangle = gr.Spherotriangle(2.0, 0.3)
    assert triangle.volume == pytest.approx(
        2 * 0.3 * np.sqrt(3) + np.pi * 0.09 / 2 * 6 + 4 / 3 * np.pi * 0.027, rel=EXACT)


@pytest.mark.parametrize(("faces", "vertices", "edges", "volume"), [
    (4, 4, 6, 1 / (6 * np.sqrt(2))), (6, 8, 12, 1.0), (8, 6, 12, np.sqrt(2) / 3),
    (12, 20, 30, (15 + 7 * np.sqrt(5)) / 4), (20, 12, 30, 5 * (3 + np.sqrt(5)) / 12),
])
def test_platonic_solids(faces, vertices, edges, volume):
    """Corners, edges, volumes of the sharp ones, and the same inertia about every axis."""
    shape = gr.SpheroPolyhedron.regular(faces, 2.0, 1e-9)
    skeleton = shape.skeleton()
    assert (len(skeleton.points), len(skeleton.edges)) == (vertices, edges)
    assert len(skeleton.faces) - len(skeleton.seams) == faces
    assert shape.volume == pytest.approx(8.0 * volume, rel=1e-7)
    moments = np.linalg.eigvalsh(gr.SpheroPolyhedron.regular(faces, 2.0, 0.3).inertia)
    assert moments == pytest.approx([moments[0]] * 3, rel=EXACT)


@st.composite
def clouds(draw):
    """Points in general position, or on a coarse grid, where many lie in one plane or line."""
    count = draw(st.integers(4, 14))
    if draw(st.booleans()):
        return np.random.default_rng(draw(st.integers(0, 2**32 - 1))).normal(size=(count, 3))
    grid = st.integers(-2, 2).map(float)
    return np.array([[draw(grid) for _ in range(3)] for _ in range(count)])


@settings(max_examples=50, deadline=None)
@given(clouds(), st.floats(0.01, 3.0), st.integers(0, 2**32 - 1))
def test_no_frame_matters(cloud, radius, seed):
    turn = Rotation.random(rng=np.random.default_rng(seed))
    one = swept_hull(hull(cloud), radius)
    other = swept_hull(hull(2.0 * turn.apply(cloud) + (3, -1, 2)), 2.0 * radius)
    matrix = turn.as_matrix()
    assert other.volume == pytest.approx(8.0 * one.volume, rel=1e-10)
    assert other.centre == pytest.approx(2.0 * matrix @ one.centre + (3, -1, 2), abs=1e-9)
    wanted = 32.0 * matrix @ one.second @ matrix.T
    assert other.second == pytest.approx(wanted, abs=1e-10 * np.trace(wanted))


@settings(max_examples=50, deadline=None)
@given(clouds())
def test_hulls_hold_together_and_keep_nothing_superfluous(cloud):
    """Euler's formula, directed sides that pair up, and what lies inside or between is gone."""
    found = hull(cloud)
    if not found.closed.any():
        assert len(found.points) < 3 or len(found.edges) == len(found.points)
        return
    sides = len(found.edges) + len(found.seams)
    assert len(found.points) - sides + len(found.faces) == 2
    run = {(a, b) for face in found.faces.tolist() for a, b in zip(face, face[1:] + face[:1],
                                                                  strict=True)}
    assert len(run) == 2 * sides
    assert {(b, a) for a, b in run} == run
    assert {tuple(sorted(side)) for side in run} == {
        *map(tuple, found.edges.tolist()), *map(tuple, found.seams.tolist())}
    middle = found.points.mean(axis=0)
    richer = hull(np.concatenate([found.points, 0.5 * (found.points + middle),
                                  found.points[found.edges].mean(axis=1),
                                  found.points[found.faces].mean(axis=1)]))
    assert sorted(richer.points.tolist()) == sorted(found.points.tolist())
    assert len(richer.edges) == len(found.edges)


@pytest.mark.parametrize("seed", range(3))
def test_random_hulls_against_points_at_random(seed):
    rng = np.random.default_rng(seed)
    found, radius = hull(rng.normal(size=(10, 3))), 0.4
    solid = swept_hull(found, radius)
    low, high = found.points.min(axis=0) - radius, found.points.max(axis=0) + radius
    count = 20_000
    points = low + (high - low) * rng.random((count, 3))
    k, f = (number.ravel() for number in np.indices((count, len(found.faces))))
    corner = found.points[found.faces]
    near = points_to_triangles(points[k], corner[f]).reshape(count, -1).min(axis=1) <= radius
    inside = near | is_inside(points, corner)
    first = solid.volume * solid.centre
    second = solid.second + solid.volume * np.outer(solid.centre, solid.centre)
    x, y, z = points.T
    for drawn, wanted in ((np.ones(count), solid.volume), (x, first[0]), (y, first[1]),
                          (z, first[2]), (x * x, second[0, 0]), (y * y, second[1, 1]),
                          (z * z, second[2, 2]), (x * y, second[0, 1]), (y * z, second[1, 2])):
        values = np.prod(high - low) * np.where(inside, drawn, 0.0)
        assert values.mean() == pytest.approx(wanted, abs=5.0 * values.std() / np.sqrt(count))


@pytest.mark.parametrize("shape", [
    gr.Spherocylinder(1.3, 0.4), gr.Spherocylinder(0.4, 1.0), gr.Spherotetrahedron(1.2, 0.3),
    gr.Spherotetrahedron(0.5, 0.8)], ids=["rod", "short rod", "tetrahedron", "blunt tetrahedron"])
def test_spherocylinder_and_spherotetrahedron_against_points_at_random(shape):
    """Volume, centre and inertia, with distances to segments and half spaces worked out here."""
    rng, r, count = np.random.default_rng(4), shape.radius, 400_000
    corners = shape.skeleton().points
    low, high = corners.min(axis=0) - r, corners.max(axis=0) + r
    points = low + (high - low) * rng.random((count, 3))
    distance = to_segment if len(corners) == 2 else to_tetrahedron
    values = np.prod(high - low) * (distance(points, *corners) <= r)
    assert values.mean() == pytest.approx(shape.volume, abs=5.0 * values.std() / np.sqrt(count))
    away = points - shape.centre
    second = (away**2).sum(axis=1)
    for i in range(3):
        drawn = values * away[:, i]
        assert drawn.mean() == pytest.approx(0.0, abs=5.0 * drawn.std() / np.sqrt(count))
        for j in range(i, 3):
            drawn = values * ((i == j) * second - away[:, i] * away[:, j])
            assert drawn.mean() == pytest.approx(shape.inertia[i, j],
                                                 abs=5.0 * drawn.std() / np.sqrt(count))


def to_segment(points, a, b):
    """Return distances of points to a segment."""
    t = np.clip((points - a) @ (b - a) / ((b - a) @ (b - a)), 0.0, 1.0)
    return np.linalg.norm(points - a - t[:, None] * (b - a), axis=1)


def to_tetrahedron(points, *corners):
    """Return distances of points to a solid tetrahedron: 0 within, else to edges or faces."""
    best = np.min([to_segment(points, corners[i], corners[j])
                   for i in range(4) for j in range(i)], axis=0)
    inside = np.ones(len(points), dtype=bool)
    for k in range(4):
        a, b, c = np.delete(corners, k, axis=0)
        normal = np.cross(b - a, c - a)
        normal /= np.linalg.norm(normal) * np.sign(normal @ (a - corners[k]))
        height = (points - a) @ normal
        inside &= height <= 0.0
        over = np.ones(len(points), dtype=bool)
        for p, q, third in ((a, b, c), (b, c, a), (c, a, b)):
            across = np.cross(normal, q - p)
            over &= ((points - p) @ across) * ((third - p) @ across) >= 0.0
        best = np.where(over, np.minimum(best, np.abs(height)), best)
    return np.where(inside, 0.0, best)


def test_a_small_ball_adds_surface_times_radius():
    cloud = np.random.default_rng(5).normal(size=(12, 3))
    sharp = ConvexHull(cloud)
    solid = swept_hull(hull(cloud), 1e-7)
    assert solid.volume == pytest.approx(sharp.volume + 1e-7 * sharp.area, rel=1e-13)
    area = swept_polygon(np.array([(0, 0), (3, 0), (0, 4.0)]), 1e-7).volume
    assert area == pytest.approx(6 + 12 * 1e-7, rel=1e-13)


def test_quadrature_agrees_with_the_closed_form():
    """Slices and lines know nothing of faces' normals and solid angles: an independent way."""
    for cloud, radius in ((np.random.default_rng(2).normal(size=(7, 3)), 0.3),
                          (np.array([(0.0, 0, 0), (2, 0, 0), (1, 1.5, 0)]), 0.2)):
        found = hull(cloud)
        exact, (solid, error) = swept_hull(found, radius), swept_union(found, radius, 3)
        assert error < 1e-6
        assert solid.volume == pytest.approx(exact.volume, rel=3 * error)
        assert solid.centre == pytest.approx(exact.centre, abs=1e-6)
        assert solid.second == pytest.approx(exact.second, abs=1e-6 * np.trace(exact.second))


def test_in_the_plane():
    """Rice, and a rectangle: area a b + 2 r (a + b) + π r², moment of rice by hand."""
    rice = gr.SpheroPolygon([(0, 0), (2, 0)], 0.5).settled(2).shape
    assert rice == gr.Spherocylinder(2.0, 0.5).settled(2).shape
    area = 2.0 + np.pi / 4
    ends = np.pi / 4 * (0.125 + 1.0) + 4 * (2 / 3 * 0.5**3)  # two half discs: r²/2 + s² + 2 s x
    about = 2 * (1 + 4) / 12 + ends
    assert rice.volume == pytest.approx(area, rel=EXACT)
    assert rice.gyration[2] == pytest.approx(about / area, rel=EXACT)
    box = gr.SpheroPolygon([(0, 0), (3, 0), (3, 1), (0, 1)], 0.2)
    assert box.volume == pytest.approx(3 + 8 * 0.2 + np.pi * 0.04, rel=EXACT)
    assert box.centre == pytest.approx([1.5, 0.5, 0], abs=EXACT)
    disc = gr.SpheroPolygon([(1, 2)], 0.3)
    assert (disc.volume, disc.inertia[2, 2]) == pytest.approx(
        (np.pi * 0.09, np.pi / 2 * 0.3**4), rel=EXACT)

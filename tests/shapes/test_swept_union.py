"""Swept shapes that are not convex: mass properties, and what of a skeleton is kept."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from scipy.stats import qmc
from swept_samples import ELL, cross, ell, prism, rounded_box

import granum as gr
from granum.shapes.apart import points_to_segments
from granum.shapes.outline import area_of
from granum.shapes.skeleton import volume_of
from granum.shapes.triangulate import ears

PROMISED = 1e-6
EXACT = 1e-12


@pytest.mark.parametrize("r", [0.3, 0.01])
def test_three_rods(r):
    """Steinmetz: two cylinders share 16/3 r³, three 8 (2 - √2) r³."""
    shape = cross(r)
    rod = np.pi * r**2 * 2 + 4 / 3 * np.pi * r**3
    volume = 3 * rod - 16 * r**3 + 8 * (2 - np.sqrt(2)) * r**3
    assert 0.0 < shape.error < PROMISED
    assert shape.volume == pytest.approx(volume, rel=3 * shape.error)
    moments = np.diag(shape.inertia)
    assert moments == pytest.approx([moments.mean()] * 3, rel=PROMISED)
    assert shape.inertia - np.diag(moments) == pytest.approx(0.0, abs=PROMISED * moments[0])
    assert shape.centre == pytest.approx(0.0, abs=PROMISED)


def ell_volume(r, h):
    """Two boxes less what they share: a third one, and at the inner edge a square less a quarter.

    Beyond the flat ends, at t from them, that has the side ρ = √(r² - t²).
    """
    long, short = rounded_box((2, 1, h), r)[0], rounded_box((1, 1, h), r)[0]
    return 2 * long - short - (1 - np.pi / 4) * (r**2 * h + 4 / 3 * r**3)


@pytest.fixture(scope="module")
def solid_ell():
    return ell(0.2)


def test_a_solid_with_an_inner_edge(solid_ell):
    assert solid_ell.error < PROMISED
    assert solid_ell.volume == pytest.approx(ell_volume(0.2, 1.0), rel=3 * solid_ell.error)


def test_a_solid_counted_by_points(solid_ell):
    """The distance to an L is that to the nearer of its two boxes; points by Sobol's sequence."""
    r, size = 0.2, np.array([2.4, 2.4, 1.4])
    points = qmc.Sobol(3, rng=7).random_base2(18) * size - r

    def to_box(a, b):
        return np.linalg.norm(np.maximum(np.abs(points - (a / 2, b / 2, 0.5))
                                         - (a / 2, b / 2, 0.5), 0.0), axis=1)

    inside = points[np.minimum(to_box(2, 1), to_box(1, 2)) <= r]
    share = size.prod() / len(points)
    centre = inside.mean(axis=0)
    second = share * (inside - centre).T @ (inside - centre)
    assert solid_ell.volume == pytest.approx(share * len(inside), rel=3e-4)
    assert solid_ell.centre == pytest.approx(centre, abs=3e-4)
    wanted = np.trace(second) * np.eye(3) - second
    assert solid_ell.inertia == pytest.approx(wanted, abs=3e-4 * np.trace(wanted))


def test_turned_and_moved_it_is_the_same(solid_ell):
    turn = Rotation.from_rotvec((0.3, -1.0, 0.5))
    x = turn.apply(np.array(solid_ell.vertices)) + np.array([1, 2, 3])
    other = gr.SpheroPolyhedron(x.tolist(), solid_ell.faces, 0.2)
    assert other.volume == pytest.approx(solid_ell.volume, rel=PROMISED)
    assert other.settled(3).shape.gyration == pytest.approx(solid_ell.settled(3).shape.gyration,
                                                            rel=PROMISED)
    a, b = (len(shape.settled(3).shape.edges) for shape in (other, solid_ell))
    assert a == b == 18


@pytest.mark.parametrize("seed", range(10))
def test_a_corner_on_the_line_between_two_others(seed):
    """An L, its inner corner on the diagonal, was cut to a triangle of no area where it is turned.

    Rounding said that the corner was outside the ear whose side it lies on. The three sides of what
    was left then counted as edges.
    """
    vertices, faces = prism(ELL, 1.0)
    x = Rotation.random(random_state=seed).apply(np.array(vertices, dtype=float))
    cut = ears(x[6:])
    assert cut is not None
    areas = [np.linalg.norm(np.cross(x[6 + b] - x[6 + a], x[6 + c] - x[6 + a])) for a, b, c in cut]
    assert min(areas) > 0.9
    assert sum(areas) == pytest.approx(6.0, rel=1e-12)
    assert len(gr.SpheroPolyhedron(x, faces, 0.1).skeleton().edges) == 18


def test_seams_are_no_edges(solid_ell):
    """Diagonals of flat faces are kept apart, however the faces are given."""
    skeleton = solid_ell.skeleton()
    assert (len(skeleton.points), len(skeleton.edges), len(skeleton.faces)) == (12, 18, 20)
    assert len(skeleton.seams) == 12
    triangles = gr.SpheroPolyhedron(solid_ell.vertices, skeleton.faces.tolist(), 0.2).skeleton()
    assert triangles.edges.tolist() == skeleton.edges.tolist()
    assert triangles.seams.tolist() == skeleton.seams.tolist()
    shape = solid_ell.settled(3).shape
    assert not set(shape.edges) & set(shape.seams)
    assert (len(shape.edges), len(shape.seams), len(shape.faces)) == (18, 12, 20)


def test_what_cannot_be_felt_is_left_out():
    box = gr.SpheroPolyhedron.box((2, 2, 2), 0.1)
    faces = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    vertices = [*box.vertices, (0, 0, 0), (0.5, 0.5, 0), (0.5, 0, 0.2)]
    stuffed = gr.SpheroPolyhedron(vertices, faces, 0.1, edges=[(8, 9), (0, 1)])
    assert stuffed.settled(3).shape == box.settled(3).shape  # a rod and a point inside, and a side
    plain = ell(0.1).skeleton()
    edges = [(0, 1), (12, 13)]
    inside = gr.SpheroPolyhedron([*ell(0.1).vertices, (0.5, 0.5, 0.5), (1.5, 0.5, 0.5)],
                                 ell(0.1).faces, 0.1, edges).skeleton()
    assert inside.points.tolist() == plain.points.tolist()
    assert inside.edges.tolist() == plain.edges.tolist()
    bent = gr.SpheroPolyhedron([(0, 0, 0), (1, 0, 0), (2, 0, 0), (2, 1, 0), (2, 3, 0)], (), 0.1,
                               edges=[(0, 1), (1, 2), (2, 3), (3, 4)]).skeleton()
    assert bent.points.tolist() == [[0, 0, 0], [2, 0, 0], [2, 3, 0]]
    straight = gr.SpheroPolyhedron([(0, 0, 0), (1, 0, 0), (3, 0, 0)], (), 0.1, [(0, 1), (1, 2)])
    assert straight.settled(3).shape.volume == gr.Spherocylinder(3, 0.1).settled(3).shape.volume


def test_a_plate_by_its_face_is_the_hull():
    corners = [(0, 0, 0), (2, 0, 0), (0, 3, 0)]
    assert (gr.SpheroPolyhedron(corners, [(0, 1, 2)], 0.2).settled(3).shape
            == gr.SpheroPolyhedron(corners, radius=0.2).settled(3).shape)


# ---- in the plane -------------------------------------------------------------------------------


@pytest.mark.parametrize("r", [0.5, 0.1, 1e-4])
def test_outline_with_an_inner_corner(r):
    """What two edges add at an inner corner is counted once: less r² (1 - π/4) + r² π/2 / 2."""
    shape = gr.SpheroPolygon(ELL, r)
    outer = 3 + 8 * r + 5 * np.pi / 4 * r**2
    assert shape.volume == pytest.approx(outer - r**2, rel=EXACT)
    assert shape.error < 1e-11
    assert shape.volume == pytest.approx(gr.SpheroPolygon(ELL[::-1], r).volume, rel=EXACT)


def test_a_gap_that_the_disc_closes():
    """A slot narrower than the disc is filled; two quarter discs are left over its mouth."""
    w, r = 0.3, 0.4
    slot = [(0, 0), (2, 0), (2, 2), (1 + w / 2, 2), (1 + w / 2, 1), (1 - w / 2, 1),
            (1 - w / 2, 2), (0, 2)]
    mouth = r**2 * np.arcsin(w / (2 * r)) + w / 2 * np.sqrt(r**2 - w**2 / 4)
    assert gr.SpheroPolygon(slot, r).volume == pytest.approx(
        4 + 8 * r + np.pi * r**2 - r * w + mouth, rel=EXACT)


def test_a_bent_rod_that_crosses_itself():
    """Two strips less the square in which they cross, four half discs, and one quarter turn."""
    line = [(0, 0), (4, 0), (4, 2), (2, 2), (2, -2)]
    r, length = 0.1, 12.0
    area = 2 * r * length + np.pi * r**2 - 4 * r**2 - 3 * (r**2 - np.pi / 4 * r**2)
    assert gr.SpheroPolygon(line, r, closed=False).volume == pytest.approx(area, rel=EXACT)


def test_the_cow_counted_by_pixels():
    cow = gr.SpheroPolygon.cow(3.0, 0.1)
    corners = np.array(cow.points)
    assert corners.shape == (62, 2)
    assert np.ptp(corners[:, 0]) == pytest.approx(3.0)
    low, high = corners.min(axis=0) - 0.1, corners.max(axis=0) + 0.1
    n = (300, 220)
    step = (high - low) / n
    grid = np.stack(np.meshgrid(*(low[k] + step[k] * (np.arange(n[k]) + 0.5) for k in range(2)),
                                indexing="ij"), axis=-1).reshape(-1, 2)
    inside = np.zeros(len(grid), dtype=bool)
    near = np.zeros(len(grid), dtype=bool)
    for a, b in zip(corners, np.roll(corners, -1, axis=0), strict=True):
        over = (a[1] > grid[:, 1]) != (b[1] > grid[:, 1])
        rise = b[1] - a[1] if b[1] != a[1] else 1.0
        inside ^= over & (grid[:, 0] < a[0] + (grid[:, 1] - a[1]) / rise * (b[0] - a[0]))
        near |= points_to_segments(grid, a[None], b[None]) <= 0.1
    counted = grid[inside | near]
    assert cow.volume == pytest.approx(len(counted) * step.prod(), rel=2e-3)
    assert cow.centre[:2] == pytest.approx(counted.mean(axis=0), abs=2e-3)
    spread = ((counted - counted.mean(axis=0)) ** 2).sum() * step.prod()
    assert cow.inertia[2, 2] == pytest.approx(spread, rel=3e-3)


def test_a_face_may_have_any_outline():
    """The two sides of a thick cow are cut into triangles; diagonals are seams."""
    cow = gr.SpheroPolygon.cow(1.0, 1e-3)
    skeleton = gr.SpheroPolyhedron(*prism(cow.points, 0.3), 1e-3).skeleton()
    assert len(skeleton.points) == 124
    assert len(skeleton.edges) == 3 * 62
    assert len(skeleton.seams) == 62 + 2 * 59
    assert volume_of(skeleton.points, skeleton.faces) == pytest.approx(
        0.3 * area_of(np.array(cow.points)), rel=EXACT)


@pytest.mark.parametrize("radius", [1e-9, 1e-5])
def test_a_disc_that_is_next_to_nothing(radius):
    """Rounding may not keep the quadrature from ending."""
    cow = gr.SpheroPolygon.cow(1.0, radius)
    x = np.array(cow.points)
    around = np.linalg.norm(np.roll(x, -1, axis=0) - x, axis=1).sum()
    assert cow.volume == pytest.approx(area_of(x) + radius * around, abs=100 * radius**2 + 1e-12)
    rod = gr.SpheroPolygon([(0, 0), (1, 0), (1, 1)], radius, closed=False)
    assert rod.volume == pytest.approx(4 * radius, rel=1e-4)

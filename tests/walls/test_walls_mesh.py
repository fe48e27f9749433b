"""Meshes as walls: faces, edges and corners against slow twins and closed forms."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import granum as gr
import mesh_shapes as shapes
from granum.errors import InputError
from granum.walls import clearance, closest, make_table, nearest_possible
from granum.walls.piece import CORNER, EDGE, TRIANGLE


def touching(table, point):
    """All features that answer for a centre: piece, distance and normal."""
    found = [(w, *closest(table.kind, table.data, w, 0.0, *point)) for w in range(len(table.kind))]
    return [(w, d, np.array(n)) for w, d, *n in found if d < math.inf]


def feet_on(points, corners):
    """The slow twin: closest points (k, m, 3) of triangles (m, 3, 3) to points (k, 3).

    The closest of the foot in the plane, if that is inside, and of those on the three sides.
    """
    a, b, c = corners[:, 0], corners[:, 1], corners[:, 2]
    x = points[:, None, :]
    normal = np.cross(b - a, c - a)
    along = ((x - a) * normal).sum(-1) / (normal**2).sum(-1)
    feet = [x - along[..., None] * normal]
    sides = ((a, b), (b, c), (c, a))
    inside = np.min([(np.cross(q - p, feet[0] - p) * normal).sum(-1) for p, q in sides], axis=0)
    for p, q in sides:
        t = np.clip(((x - p) * (q - p)).sum(-1) / ((q - p) ** 2).sum(-1), 0.0, 1.0)
        feet.append(p + t[..., None] * (q - p))
    far = np.array([np.linalg.norm(foot - x, axis=-1) for foot in feet])
    far[0, inside < 0.0] = np.inf
    return np.take_along_axis(np.array(feet), far.argmin(axis=0)[None, ..., None], axis=0)[0]


def local_minima(point, corners):
    """The slow twin of all features: points that every triangle there has for its closest."""
    feet = feet_on(point[None], corners)[0]
    apart = np.linalg.norm(feet[:, None] - feet[None], axis=-1)
    is_there = np.linalg.norm(feet_on(feet, corners) - feet[:, None], axis=-1) < 1e-9
    kept = []
    for k in np.flatnonzero((~is_there | (apart < 1e-9)).all(axis=1)):
        if all(apart[k, other] >= 1e-9 for other in kept):
            kept.append(k)
    return feet[kept]


numbers = st.floats(-2.0, 2.0)
points3 = st.tuples(numbers, numbers, numbers)


@given(points3, st.integers(0, 2**32 - 1))
@settings(max_examples=100)
def test_whole_triangle_against_the_twin(point, seed):
    rng = np.random.default_rng(seed)
    corners = rng.uniform(-1.0, 1.0, (3, 3))
    table = make_table([gr.Mesh(vertices=corners, faces=[[0, 1, 2]])])
    expected = np.linalg.norm(feet_on(np.array([point]), corners[None])[0, 0] - point)
    assert nearest_possible(table.kind, table.data, 0, *point) == pytest.approx(expected, abs=1e-9)
    nearest = min(touching(table, point), key=lambda one: one[1])
    assert nearest[1] == pytest.approx(expected, abs=1e-9)
    assert np.linalg.norm(nearest[2]) == pytest.approx(1.0, abs=1e-12)


@pytest.mark.parametrize("seed", range(2))
def test_features_are_the_local_minima_of_the_distance(seed):
    """On a body with bumps and hollows, every feature answers where it must, and only there."""
    rng = np.random.default_rng(seed)
    vertices, faces = shapes.star(rng)
    table = make_table([gr.Mesh(vertices=vertices, faces=faces)])
    kinds = np.zeros(7, dtype=int)
    for point in rng.uniform(-1.6, 1.6, (60, 3)):
        expected = local_minima(point, vertices[faces])
        found = touching(table, point)
        feet = [point + d * n for _, d, n in found]
        assert len(found) == len(expected)
        for foot in feet:
            assert min(np.linalg.norm(foot - other) for other in expected) < 1e-9
        kinds += np.bincount(table.kind[[w for w, _, _ in found]], minlength=7)
    assert kinds[[TRIANGLE, EDGE, CORNER]].min() > 0


@given(st.tuples(*[st.floats(-0.9, 1.9)] * 3), st.sampled_from([0.0, 0.4]))
@settings(max_examples=100)
def test_convex_body_is_met_once(point, angle):
    """From outside: a face, an edge or a corner, exactly one, by the closed form of a box."""
    mesh = gr.Mesh(vertices=shapes.cube()[0], faces=shapes.CUBE_FACES, side="outside",
                   axis=(1, 2, 3), angle=angle)
    centre = gr.Mesh(vertices=[point, (9, 9, 9), (9, 8, 7)], faces=[[0, 1, 2]], axis=(1, 2, 3),
                     angle=angle).surface.vertices[0]
    box = np.clip(point, 0.0, 1.0)
    distance = np.linalg.norm(box - point)
    found = touching(make_table([mesh]), centre)
    if distance > 1e-9:
        assert len(found) == 1
        assert found[0][1] == pytest.approx(distance, abs=1e-12)
        assert mesh.contains([centre])[0]


def test_centre_exactly_between_features_belongs_to_one():
    """Above vertices, edges and diagonals of a flat sheet, on either side and on it."""
    table = make_table([gr.Mesh("", *shapes.sheet(4, 2.0, np.random.default_rng(0)))])
    for z in (0.3, -0.2, 0.0):
        for x in np.arange(-1.5, 1.6, 0.25):
            for y in np.arange(-1.5, 1.6, 0.25):
                found = [one for one in touching(table, (x, y, z)) if one[1] < abs(z) + 0.1]
                assert len(found) == 1
                assert found[0][1] == abs(z)
                assert found[0][2] == pytest.approx((0, 0, -1 if z >= 0.0 else 1))
    assert (table.kind == EDGE).sum() == 16  # those of the rim alone
    assert (table.kind == CORNER).sum() == 4


@pytest.mark.parametrize("seed", range(3))
def test_the_same_when_all_is_turned(seed):
    """Turned coordinates are off by rounding, so that nothing is exactly between features."""
    rng = np.random.default_rng(seed)
    turn = {"axis": tuple(rng.normal(size=3)), "angle": rng.uniform(0.1, 3.0)}
    points = [(a, b, 1.0 + h) for a in (0, 0.3, 0.5, 1) for b in (0, 0.5, 1) for h in (0.1, 0.7)]
    points += [(-h * i, -h * j, 1 + h) for i in (0, 1) for j in (0, 1) for h in (0.1, 0.5)]
    body = gr.Mesh("", *shapes.cube(), side="outside", **turn)
    table = make_table([body])
    for point in points:
        there = gr.Mesh(vertices=[point, (9, 9, 9), (9, 8, 7)], faces=[[0, 1, 2]], **turn)
        found = touching(table, there.surface.vertices[0])
        assert len(found) == 1
        assert found[0][1] == pytest.approx(np.linalg.norm(np.clip(point, 0, 1) - point), rel=1e-13)


def roof(slope):
    """Two rectangles that meet in the y axis and fall (or rise) to both sides by this slope."""
    vertices = [(-1, -1, -slope), (-1, 1, -slope), (0, -1, 0), (0, 1, 0), (1, -1, -slope),
                (1, 1, -slope)]
    return gr.Mesh(vertices=vertices, faces=[[0, 2, 3], [0, 3, 1], [2, 4, 5], [2, 5, 3]])


@pytest.mark.parametrize("x", [-0.3, -0.1, 0.0, 0.02, 0.3])
def test_convex_edge_gives_one_contact(x):
    table = make_table([roof(0.5)])
    height, r = 0.4, 0.6
    found = [one for one in touching(table, (x, 0.2, height)) if one[1] < r]
    assert len(found) == 1
    lean = math.sqrt(1.25)
    if abs(x) <= 0.5 * height:  # within the cone of the edge
        assert table.kind[found[0][0]] == EDGE
        assert found[0][1] == pytest.approx(math.hypot(x, height), rel=1e-14)
    else:
        assert table.kind[found[0][0]] == TRIANGLE
        assert found[0][1] == pytest.approx((height + 0.5 * abs(x)) / lean, rel=1e-14)
        assert found[0][2] == pytest.approx((-math.copysign(0.5, x) / lean, 0, -1 / lean))


@pytest.mark.parametrize("x", [-0.05, 0.0, 0.1])
def test_concave_edge_gives_two_contacts(x):
    table = make_table([roof(-0.5)])
    height, lean = 0.4, math.sqrt(1.25)
    found = [one for one in touching(table, (x, 0.2, height)) if one[1] < 0.6]
    assert len(found) == 2
    assert {int(table.kind[w]) for w, _, _ in found} == {TRIANGLE}
    for _, d, n in found:
        side = math.copysign(1.0, n[0])
        assert d == pytest.approx((height - 0.5 * side * x) / lean, rel=1e-14)
        assert n == pytest.approx((0.5 * side / lean, 0.0, -1.0 / lean))


def test_inner_corner_gives_three_contacts():
    table = make_table([gr.Mesh(vertices=shapes.cube()[0], faces=shapes.CUBE_FACES,
                                side="inside")])
    found = sorted(one[1:] for one in touching(table, (0.2, 0.3, 0.4)) if one[1] < 0.5)
    assert [d for d, _ in found] == pytest.approx([0.2, 0.3, 0.4], rel=1e-15)


def test_three_sheets_that_share_an_edge():
    """A baffle on a floor: an edge of three faces is met from where it sticks out only."""
    vertices = [(-1, -1, 0), (-1, 1, 0), (0, -1, 0), (0, 1, 0), (1, -1, 0), (1, 1, 0), (0, -1, 1),
                (0, 1, 1)]
    faces = [[0, 2, 3], [0, 3, 1], [2, 4, 5], [2, 5, 3], [2, 3, 7], [2, 7, 6]]
    table = make_table([gr.Mesh(vertices=vertices, faces=faces)])
    above = [one for one in touching(table, (0.1, 0.3, 0.2)) if one[1] < 0.5]
    assert sorted(d for _, d, _ in above) == pytest.approx([0.1, 0.2])
    below = [one for one in touching(table, (0.1, 0.3, -0.2)) if one[1] < 0.5]
    assert sorted(d for _, d, _ in below) == pytest.approx([0.2])


@pytest.mark.parametrize("side", ["both", "inside", "outside"])
def test_tree_finds_what_all_pieces_say(side):
    rng = np.random.default_rng(7)
    mesh = gr.Mesh("", *shapes.star(rng, 60), side=side)
    table = make_table([gr.Plane((0, 0, -0.5), (0, 0, 1)), mesh])
    points = rng.uniform(-2, 2, (300, 3))
    expected = [min(closest(table.kind, table.data, w, 0.0, *point)[0]
                    for w in range(len(table.kind))) for point in points]
    assert np.array_equal(clearance(table, points, 0.0), expected)


def test_inside_and_outside():
    """Against the solid angle that a closed surface fills, seen from the point."""
    rng = np.random.default_rng(8)
    vertices, faces = shapes.star(rng)
    points = rng.uniform(-1.5, 1.5, (400, 3))
    outward = gr.Mesh(vertices=vertices, faces=faces, side="outside")
    corners = outward.surface.vertices[outward.surface.faces][None] - points[:, None, None]
    size = np.linalg.norm(corners, axis=-1)
    a, b, c = corners[..., 0, :], corners[..., 1, :], corners[..., 2, :]
    volume = np.einsum("ijk,ijk->ij", a, np.cross(b, c))
    whole = (size.prod(axis=-1) + (a * b).sum(-1) * size[..., 2] + (b * c).sum(-1) * size[..., 0]
             + (c * a).sum(-1) * size[..., 1])
    is_inside = 2.0 * np.arctan2(volume, whole).sum(axis=1) > 2.0 * np.pi
    assert 20 < is_inside.sum() < 380
    assert np.array_equal(outward.contains(points), ~is_inside)
    inward = gr.Mesh(vertices=vertices, faces=faces, side="inside")
    assert np.array_equal(inward.contains(points), is_inside)
    assert gr.Mesh(vertices=vertices, faces=faces).contains(points).all()


def test_scale_turn_and_shift_in_this_order():
    vertices, faces = shapes.cube()
    mesh = gr.Mesh(vertices=vertices, faces=faces, scale=2.0, axis=(0, 0, 3), angle=math.pi / 2,
                   shift=(1, 0, 0))
    low, high = mesh.bounds()
    assert low == pytest.approx((-1, 0, 0), abs=1e-15)
    assert high == pytest.approx((1, 2, 2), abs=1e-15)
    assert "12 triangles, closed, 2 x 2 x 2 m" in mesh.describe()
    assert len(mesh.outline()) == 12  # no diagonals


def test_the_same_mesh_is_the_same_wall():
    vertices, faces = shapes.cube()
    one, other = (gr.Mesh(vertices=vertices, faces=faces, side=side) for side in ("both", "inside"))
    assert one == gr.Mesh(vertices=vertices.tolist(), faces=faces.tolist())
    assert len({one, other, gr.Mesh(vertices=vertices, faces=faces)}) == 2


def test_wrong_meshes_are_refused(tmp_path):
    vertices, faces = shapes.cube()
    (tmp_path / "cup.stl").write_bytes(shapes.stl_text(vertices, faces[:-1]))
    cup = str(tmp_path / "cup.stl")
    for given_, expected in (
            ({}, "one of the two"), ({"file": cup, "vertices": vertices}, "one of the two"),
            ({"vertices": vertices, "faces": faces, "scale": 0.0}, "Mesh scale"),
            ({"vertices": vertices, "faces": faces, "side": "in"}, "Mesh side"),
            ({"vertices": vertices, "faces": faces + 0.5}, "whole numbers"),
            ({"vertices": np.where(vertices > 0.5, np.inf, 0.0), "faces": faces}, "Mesh vertices"),
            ({"file": cup, "sha256": "0" * 64}, "has been changed"),
            ({"file": cup, "side": "inside"}, r"cup\.stl: .*1 hole: .*3 edges")):
        with pytest.raises(InputError, match=expected):
            gr.Mesh(**given_)
    assert "open" in gr.Mesh(cup).describe()

"""Ridges and tips: what grains with edges can lie on, of triangles, rectangles and round walls."""

from __future__ import annotations

import numpy as np
import pytest

import granum as gr
import mesh_shapes
from granum.walls import make_table
from granum.walls.piece import CORNER, EDGE
from granum.walls.ridges import FACETS, largest_error, make_ridges


def ridges_of(*walls):
    return make_ridges(walls, make_table(walls))


def counts(*walls):
    found = ridges_of(*walls)
    return int((found.kind == CORNER).sum()), int((found.kind == EDGE).sum())


def cut(vertices, faces):
    """Return each triangle cut into four."""
    points, made = [tuple(v) for v in vertices], []

    def middle(a, b):
        point = tuple(0.5 * (np.array(points[a]) + np.array(points[b])))
        if point not in points:
            points.append(point)
        return points.index(point)

    for a, b, c in faces.tolist():
        d, e, f = middle(a, b), middle(b, c), middle(c, a)
        made += [(a, d, f), (d, b, e), (f, e, c), (d, e, f)]
    return np.array(points), np.array(made)


def sets(found):
    """Return tips and ridges as sets of rounded points."""
    data = np.round(found.data, 9) + 0.0
    return ({tuple(row[:3]) for row in data[found.kind == CORNER]},
            {frozenset((tuple(row[:3]), tuple(row[3:6]))) for row in data[found.kind == EDGE]})


@pytest.mark.parametrize("side", ["both", "outside"])
def test_a_box_of_many_triangles_has_the_edges_of_a_box(side):
    vertices, faces = mesh_shapes.cube(high=(1.0, 2.0, 3.0))
    whole = sets(ridges_of(gr.Mesh(vertices=vertices, faces=faces, side=side)))
    assert (len(whole[0]), len(whole[1])) == (8, 12)
    for _ in range(2):
        vertices, faces = cut(vertices, faces)
    assert sets(ridges_of(gr.Mesh(vertices=vertices, faces=faces, side=side))) == whole


def test_what_is_met_from_inside_has_none():
    vertices, faces = mesh_shapes.cube()
    assert counts(gr.Mesh(vertices=vertices, faces=faces, side="inside")) == (0, 0)
    assert counts(gr.Plane((0, 0, 0), (0, 0, 1)), gr.Box((0, 0, 0), (1, 1, 1)),
                  gr.SphereWall((0, 0, 0), 1.0), gr.Cylinder((0, 0, 0), (0, 0, 1), 1.0)) == (0, 0)


def test_a_flat_sheet_has_its_rim_alone():
    vertices, faces = mesh_shapes.sheet(5, 1.0, np.random.default_rng(1))
    assert counts(gr.Mesh(vertices=vertices, faces=faces)) == (4, 4)
    assert counts(gr.Plane((0, 0, 0), (0, 0, 1), extent=(1, 2))) == (4, 4)


def test_a_neck_has_its_corners_once():
    assert counts(gr.Hourglass(section="square")) == (4, 4)
    assert counts(gr.Hourglass(section="round")) == (FACETS, FACETS)


@pytest.mark.parametrize(("wall", "radius"), [
    (gr.Cylinder((1, 2, 3), (1, 1, 0), 0.4, 2.0, side="outside"), 0.4),
    (gr.Cone((0, 0, 1), (0, 1, 0), 0.5, 0.2, 1.0, side="both"), 0.5),
    (gr.Cone((0, 0, 1), (0, 1, 0), 0.5, 0.0, 1.0, side="outside"), 0.5),
    (gr.SphereWall((1, 0, 0), 0.7, side="outside"), 0.7),
    (gr.Plate((0, 0, 0), (1, 0, 1), 0.6, hole=0.2), 0.6)])
def test_tips_of_round_walls_lie_on_them_and_ridges_are_off_by_no_more_than_told(wall, radius):
    table = make_table([wall])
    found = make_ridges((wall,), table)
    error = (1.0 - np.cos(np.pi / FACETS)) * radius
    assert largest_error([wall], table) == pytest.approx(error, rel=1e-12)
    tips = found.data[found.kind == CORNER, :3]
    ridge = found.data[found.kind == EDGE, :6].reshape(-1, 2, 3)
    for points, most in ((tips, 1e-12), (ridge.mean(axis=1), (1.0 + 1e-9) * error)):
        away = gr.walls.clearance(table, points, 0.0)
        assert np.abs(away).max() <= most
    ends = np.unique(np.round(ridge.reshape(-1, 3), 9), axis=0)
    assert len(ends) == len(tips) == len(np.unique(np.round(tips, 9), axis=0))


def test_the_rim_of_a_hole_is_there_since_it_opens():
    late = ridges_of(gr.Plate((0, 0, 0), (0, 0, 1), 1.0, hole=0.2, opens=3.0))
    never = ridges_of(gr.Plate((0, 0, 0), (0, 0, 1), 1.0, hole=0.2, opens=None))
    across = np.linalg.norm(late.data[:, :2], axis=1)
    assert (late.since[across < 0.5] == 3.0).all()
    assert np.isinf(never.since[across < 0.5]).all()
    assert (never.since[across > 0.5] == -np.inf).all()

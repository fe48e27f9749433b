"""Swept shapes in pictures: the surface is where the distance to the skeleton says."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import granum as gr
from granum.errors import InputError
from granum.output import raster
from granum.output.bodies import bodies_of, closed_surfaces
from granum.output.joined import by_grain, rows_left
from granum.output.picture import NO_CUT, draw
from granum.output.vtkhdf import Frame
from granum.shapes.turning import random_turns, turned

SIDE = 40
HEIGHTS = np.linspace(-25, 25, 2501)
SHAPES = {
    "rod": gr.Spherocylinder(20.0, 4.0),
    "plate": gr.Spherotriangle(20.0, 3.0),
    "box": gr.SpheroPolyhedron.box((14.0, 10.0, 18.0), 2.5),
    "hexapod": gr.SpheroPolyhedron([(11, 0, 0), (-11, 0, 0), (0, 11, 0), (0, -11, 0), (0, 0, 11),
                                    (0, 0, -11)], (), 3.0, edges=[(0, 1), (2, 3), (4, 5)]),
}


def to_segment(p, a, b):
    share = np.clip((p - a) @ (b - a) / ((b - a) @ (b - a)), 0.0, 1.0)
    return np.linalg.norm(p - a - share[:, None] * (b - a), axis=1)


def to_triangle(p, a, b, c):
    n = np.cross(b - a, c - a)
    n = n / np.linalg.norm(n)
    turns = [np.cross(v - u, p - u) @ n for u, v in ((a, b), (b, c), (c, a))]
    over = np.minimum.reduce(turns) >= 0.0
    rim = np.minimum.reduce([to_segment(p, u, v) for u, v in ((a, b), (b, c), (c, a))])
    return np.where(over, np.abs((p - a) @ n), rim)


def is_inside(p, points, shape, radius, is_solid):
    """Tell which points lie in a swept shape: near its skeleton, or held by its faces."""
    far = np.min([np.linalg.norm(p - x, axis=1) for x in points], axis=0)
    for a, b in shape.edges:
        far = np.minimum(far, to_segment(p, points[a], points[b]))
    behind = np.full(len(p), is_solid)
    for a, b, c in shape.faces:
        far = np.minimum(far, to_triangle(p, points[a], points[b], points[c]))
        n = np.cross(points[b] - points[a], points[c] - points[a])
        behind &= (p - points[a]) @ n <= 0.0
    return (far <= radius) | behind


@settings(max_examples=25, deadline=None)
@given(name=st.sampled_from(sorted(SHAPES)), seed=st.integers(0, 1000),
       cut_at=st.sampled_from([None, "towards", "away"]))
def test_the_z_buffer_of_a_shape_equals_a_search_along_the_ray(name, seed, cut_at):
    rng = np.random.default_rng(seed)
    shape = SHAPES[name].settled(3).shape
    radius = shape.radii[0]
    points = turned(random_turns(rng, 1, 3), np.array(shape.points))
    points[:, :2] += SIDE / 2
    cut = np.array(NO_CUT)
    if cut_at:
        normal = rng.normal(size=3)
        normal[2] = {"towards": 1.0, "away": -1.0}[cut_at] * (0.1 + abs(normal[2]))
        normal /= np.linalg.norm(normal)
        cut = np.append(normal, normal @ [SIDE / 2, SIDE / 2, rng.uniform(-5, 5)])
    bodies, lender = bodies_of(points, np.array(shape.radii),
                               np.array(shape.edges).reshape(-1, 2),
                               np.array(shape.faces, dtype=int).reshape(-1, 3))
    depth, owner = bodies.buffers((SIDE, SIDE), cut)
    assert owner.max() < len(lender)
    for row, column in rng.integers(0, SIDE, (30, 2)):
        ray = np.column_stack([np.full(len(HEIGHTS), column + 0.5),
                               np.full(len(HEIGHTS), row + 0.5), HEIGHTS])
        seen = is_inside(ray, points, shape, radius, name == "box")
        if cut_at:
            seen &= ray @ cut[:3] <= cut[3]
        z = float(depth[row, column])
        if owner[row, column] == raster.BACKGROUND:
            # a sliver at the rim may be seen by one and missed by the other
            assert seen.sum() <= 2 or not is_inside(
                ray[seen] + [[0.02, 0.02, 0.0]], points, shape, radius, name == "box").all()
            continue
        found = np.array([[column + 0.5, row + 0.5, z]])
        assert is_inside(found, points, shape, radius + 1e-3, name == "box")[0]
        if seen.any():
            assert z >= HEIGHTS[seen].max() - 1e-3
        if cut_at:
            assert found[0] @ cut[:3] <= cut[3] + 1e-3


def test_a_drawn_rod_covers_the_area_of_a_stadium():
    image = draw([(-0.5, 0, 0), (0.5, 0, 0)], 0.3, (0.9, 0.1, 0.1), size=(600, 600),
                 view=(-90.0, 90.0), frame=((-1, -1, -1), (1, 1, 1)), edges=[(0, 1)])
    empty = draw(np.zeros((0, 3)), np.zeros(0), np.zeros((0, 3)), size=(600, 600))
    scale = 600 * 0.9 / 2
    covered = (image != empty).any(axis=2).sum() / scale**2
    assert covered == pytest.approx(0.6 * 1.0 + np.pi * 0.3**2, rel=0.01)


def test_a_filled_outline_has_no_holes():
    shape = gr.SpheroPolygon.cow(2.0, 0.02).settled(2).shape
    world = gr.World(dimension=2)
    world.add(gr.SpheroPolygon.cow(2.0, 0.02), at=[(0, 0)], density=1.0)
    joints = world.joints()
    image = draw(world.drawn_balls(world.balls()), np.array(shape.radii), (0.9, 0.1, 0.1),
                 size=(500, 400), view=(-90.0, 90.0), frame=((-1, -0.8, -1), (1, 0.8, 1)),
                 edges=joints.edges, faces=joints.faces)
    empty = draw(np.zeros((0, 3)), np.zeros(0), np.zeros((0, 3)), size=(500, 400))
    scale = 500 * 0.9 / 2
    covered = (image != empty).any(axis=2).sum() / scale**2
    assert covered == pytest.approx(shape.volume, rel=0.03)


def test_faces_that_close_are_found_shape_by_shape():
    box = SHAPES["box"].settled(3).shape
    faces = np.array(box.faces)
    both = np.concatenate([faces, faces[1:] + 8])  # of the second one a face is missing
    found = closed_surfaces(17, both)
    assert len(set(found[:12].tolist())) == 1
    assert found[0] >= 0
    assert (found[12:] == -1).all()
    assert closed_surfaces(3, np.zeros((0, 3), dtype=int)).shape == (0,)


def test_grains_with_edges_have_one_value_and_others_keep_theirs():
    frame = Frame(0.0, np.zeros((5, 3)), {"id": np.array([4, 4, 7, 7, 9])}, np.array([(0, 1)]))
    values = np.array([1.0, 3.0, 5.0, 6.0, 7.0])
    assert by_grain(frame, values).tolist() == [2.0, 2.0, 5.0, 6.0, 7.0]
    left = rows_left(np.array([(0, 1), (3, 4)]), np.array([True, False, True, True, True]))
    assert left.tolist() == [[2, 3]]


@pytest.mark.parametrize("edges", [[(0, 2)], [(-1, 0)], [(0.0, 1.0)], [(0, 1, 1)]])
def test_edges_of_spheres_that_are_not_there_are_refused(edges):
    with pytest.raises(InputError, match="edges"):
        draw(np.zeros((2, 3)), 1.0, (0.5, 0.5, 0.5), edges=edges)

"""What joins the balls of grains, as frames and pictures get it."""

from __future__ import annotations

import numpy as np

import granum as gr
from granum.shapes.drawn_faces import drawn_faces


def test_edges_and_faces_are_told_by_rows_of_balls():
    world = gr.World()
    cube = gr.SpheroPolyhedron.box((1.0, 1.0, 1.0), 0.1)
    world.add(gr.Sphere(0.5), at=[(9, 0, 0)], density=1.0)
    world.add(cube, at=[(0, 0, 0), (3, 0, 0)], density=1.0, orientation=(0.6, 0.0, 0.0, 0.8))
    world.add(gr.Spherocylinder(2.0, 0.3), at=[(0, 5, 0)], density=1.0)
    world.add(gr.Clump([(0, 0, 0), (1, 0, 0)], 0.8), at=[(0, 9, 0)], density=1.0)
    balls, joints = world.balls(), world.joints()
    points = world.drawn_balls(balls)
    assert world.has_edges
    assert len(joints.edges) == 12 + 12 + 1
    assert len(joints.faces) == 12 + 12
    for rows in joints:  # all of one grain
        owner = balls.grain[rows]
        assert (owner == owner[:, :1]).all()
    length = np.linalg.norm(points[joints.edges[:, 0]] - points[joints.edges[:, 1]], axis=1)
    assert np.allclose(np.sort(length), [1.0] * 24 + [2.0])
    a, b, c = (points[joints.faces[:, k]] for k in range(3))
    assert np.allclose(0.5 * np.linalg.norm(np.cross(b - a, c - a), axis=1), 0.5)
    assert not {0, 19, 20} & set(joints.edges.ravel().tolist())  # the sphere and the clump


def test_a_grain_across_a_periodic_boundary_stays_whole():
    world = gr.World(periodic=(10.0, None, None))
    world.add(gr.Spherocylinder(2.0, 0.3), at=[(9.5, 0, 0)], density=1.0)
    world.add(gr.Clump([(0, 0, 0), (1, 0, 0)], 0.8), at=[(9.9, 4, 0)], density=1.0)
    balls = world.balls()
    points = world.drawn_balls(balls)
    assert np.ptp(points[:2], axis=0).max() == 2.0
    assert np.array_equal(points[2:], world.ball_positions(balls)[2:])
    assert (points[2:, 0] < 10.0).all()


def test_closed_outlines_of_the_plane_are_filled_and_open_ones_are_not():
    cow = gr.SpheroPolygon.cow(1.0, 0.01)
    shape = cow.settled(2).shape
    faces = np.array(drawn_faces(shape, 2))
    x = np.array(shape.points)[:, :2]
    u, v = x[faces[:, 1]] - x[faces[:, 0]], x[faces[:, 2]] - x[faces[:, 0]]
    after = np.roll(np.array(cow.points), -1, axis=0)
    outline = np.array(cow.points)
    area = 0.5 * (outline[:, 0] * after[:, 1] - outline[:, 1] * after[:, 0]).sum()
    signed = 0.5 * (u[:, 0] * v[:, 1] - u[:, 1] * v[:, 0])
    assert len(faces) == len(x) - 2
    assert (signed > 0.0).all() or (signed < 0.0).all()
    assert np.isclose(abs(signed.sum()), abs(area), rtol=1e-12)
    bent = gr.SpheroPolygon([(-0.6, -0.2), (0, 0.25), (0.6, -0.2)], 0.3, closed=False)
    assert drawn_faces(bent.settled(2).shape, 2) == ()
    plate = gr.Spherotriangle(1.0, 0.1).settled(3).shape
    assert drawn_faces(plate, 3) == plate.faces


def test_grains_to_be_poured_count_for_what_frames_hold():
    world = gr.World()
    assert not world.has_edges
    world.add(gr.Pour(radius=0.1, count=3, rate=1.0, low=(0, 0, 0), high=(1, 1, 1),
                      shape=gr.Spherocylinder(1.0, 0.2)), density=1.0)
    assert world.has_edges
    assert world.joints().edges.shape == (0, 2)

"""The container that walls make together: where it ends, and where grains are lost."""

import numpy as np
import pytest

import granum as gr

INF = np.inf


def world_of(*walls, **options):
    world = gr.World(**options)
    for wall in walls:
        world.add(wall)
    return world


def container(*walls, **options):
    space = world_of(*walls, **options).space()
    return space.low.tolist(), space.high.tolist()


def plane(axis, place, sign, **options):
    point, normal = np.zeros(3), np.zeros(3)
    point[axis], normal[axis] = place, sign
    return gr.Plane(tuple(point), tuple(normal), **options)


FLOOR, LID = plane(2, 0.1, 1.0), plane(2, 0.3, -1.0)
BOX = gr.Box((0.0, 0.0, 0.0), (1.0, 2.0, 3.0))


def test_nothing_holds_nothing():
    assert container() == ([-INF] * 3, [INF] * 3)


def test_a_floor_is_open_upwards_and_sideways():
    assert container(FLOOR) == ([-INF, -INF, 0.1], [INF] * 3)
    assert container(plane(2, 0.1, 1.0, two_sided=True)) == ([-INF] * 3, [INF] * 3)


def test_two_planes_that_face_each_other_close_a_direction():
    """Expected: from one plane to the other. Seen: an open container."""
    assert container(FLOOR, LID) == ([-INF, -INF, 0.1], [INF, INF, 0.3])
    assert container(LID, FLOOR) == ([-INF, -INF, 0.1], [INF, INF, 0.3])


def test_six_planes_are_a_box():
    planes = [plane(axis, place, sign) for axis in range(3)
              for place, sign in ((0.0, 1.0), (1.0 + axis, -1.0))]
    assert container(*planes) == ([0.0] * 3, [1.0, 2.0, 3.0])
    assert container(*planes) == container(BOX)


def test_the_inner_one_of_two_floors_counts():
    assert container(FLOOR, plane(2, 0.2, 1.0))[0] == [-INF, -INF, 0.2]


def test_a_hopper_above_a_floor_lets_grains_roll_away():
    hopper = gr.Cylinder((0.0, 0.0, 1.0), (0.0, 0.0, 1.0), radius=0.5, height=1.0)
    assert container(hopper, FLOOR) == ([-INF, -INF, 0.1], [INF] * 3)


def test_a_plane_across_a_box_cuts_it():
    assert container(BOX, plane(0, 0.4, 1.0))[0] == [0.4, -INF, -INF]


def test_an_endless_cylinder_between_two_planes():
    tube = gr.Cylinder((0.5, 0.5, 0.0), (0.0, 0.0, 1.0), radius=0.5)
    assert container(tube) == ([0.0, 0.0, -INF], [1.0, 1.0, INF])


def test_periods_and_flat_worlds():
    assert container(FLOOR, LID, periodic=(1.0, None, None)) == (
        [0.0, -INF, 0.1], [1.0, INF, 0.3])
    ground, top = plane(1, 0.0, 1.0), plane(1, 0.5, -1.0)
    assert container(ground, top, dimension=2) == ([-INF, 0.0, 0.0], [INF, 0.5, 0.0])


def test_grains_between_two_planes_need_no_corners():
    world = world_of(FLOOR, LID, periodic=(1.0, 1.0, None))
    world.add(gr.Random(radius=0.02, count=100), density=1.0)
    assert len(world) == 100
    assert (world.position[:, 2] >= 0.12).all()
    assert (world.position[:, 2] <= 0.28).all()


def test_a_grain_is_lost_half_the_longest_side_beyond():
    low, high = world_of(FLOOR, LID).limits()
    assert low == pytest.approx([-INF, -INF, 0.0])
    assert high == pytest.approx([INF, INF, 0.4])

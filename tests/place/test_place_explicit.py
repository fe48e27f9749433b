import math

import numpy as np
import pytest
from place_twin import box_walls

import granum as gr
from granum.errors import InputError
from granum.world.place import Explicit, Placed, Space

RNG = np.random.default_rng(1)
OPEN = Space()


def test_points_radii_and_velocities_come_back():
    entry = Explicit(((0, 0, 0), (1, 0, 0)), (0.4, 0.5), ((1, 0, 0), (-1, 0, 0)))
    placed = entry.place(OPEN, RNG)
    assert placed.points.tolist() == [[0, 0, 0], [1, 0, 0]]
    assert placed.radii.tolist() == [0.4, 0.5]
    assert placed.velocities.tolist() == [[1, 0, 0], [-1, 0, 0]]


def test_one_radius_and_one_velocity_for_all():
    placed = Explicit(((0, 0, 0), (1, 0, 0)), 0.5, (0, 0, -2)).place(OPEN, RNG)
    assert placed.radii.tolist() == [0.5, 0.5]
    assert placed.velocities.tolist() == [[0, 0, -2]] * 2
    assert not Explicit(((0, 0, 0),), 0.5).place(OPEN, RNG).velocities.any()


def test_arrays_become_plain_numbers():
    entry = Explicit(np.zeros((1, 3)), np.array([0.5]), np.ones((1, 3)))
    assert entry == Explicit(((0.0, 0.0, 0.0),), (0.5,), ((1.0, 1.0, 1.0),))
    assert hash(entry) == hash(Explicit(((0.0, 0.0, 0.0),), (0.5,), ((1.0, 1.0, 1.0),)))


def test_points_are_moved_into_the_cell():
    space = Space(periodic=(1.0, None, 1.0))
    placed = Explicit(((-0.25, -0.25, 2.0), (0.5, 0.5, -1e-20)), 0.1).place(space, RNG)
    assert placed.points.tolist() == [[0.75, -0.25, 0.0], [0.5, 0.5, 0.0]]


def test_touching_grains_and_walls_are_allowed():
    points = tuple((0.1 + 0.2 * k, 0.1, 0.1) for k in range(10))
    high = (0.2 * 10, 0.2, 0.2)
    space = Space(fits=box_walls((0, 0, 0), high))
    assert len(Explicit(points, 0.1).place(space, RNG)) == 10


@pytest.mark.parametrize(("entry", "space", "message"), [
    (Explicit(((0, 0, 0), (5, 0, 0), (1, 0, 0), (1.2, 0, 0)), 0.45), OPEN,
     r"Explicit points\[3\] overlaps points\[2\] by 0.7 m \(1 overlapping"),
    (Explicit(((0.1, 0, 0), (0.9, 0, 0)), 0.15), Space(periodic=(1.0, None, None)),
     r"points\[1\] overlaps points\[0\] by 0.1 m"),
    (Explicit(((0.1, 0, 0),), 0.6), Space(periodic=(1.0, None, None)),
     r"points\[0\] overlaps its own periodic image by 0.2 m"),
    (Explicit(((0, 0, 0),), 0.5), Space(fits=box_walls((-1, -1, 0), (1, 1, 1))),
     r"points\[0\] = \(0.0, 0.0, 0.0\) m with radius 0.5 m does not fit inside the walls \(1 of 1"),
    (Explicit(((0, 0, 0), (5, 0, 0.1)), 0.5), Space(dimension=2),
     r"points\[1\] has z = 0.1 m, but a 2D world"),
])
def test_what_cannot_be_placed_is_explained(entry, space, message):
    with pytest.raises(InputError, match=message):
        entry.place(space, RNG)


def test_earlier_grains_are_named_and_not_judged_again():
    before = OPEN.with_grains(Placed(np.zeros((2, 3)), np.ones(2)))  # overlapping: not our doing
    assert len(Explicit(((5, 0, 0),), 0.5).place(before, RNG)) == 1
    with pytest.raises(InputError, match=r"points\[0\] overlaps grain 0, which was placed before"):
        Explicit(((1, 0, 0),), 0.5).place(before, RNG)


@pytest.mark.parametrize(("fields", "message"), [
    (((), 0.5), "Explicit points must hold at least one"),
    ((((0, 0),), 0.5), r"Explicit points\[0\] must have shape \(3\)"),
    ((((0, 0, 0),), 0.0), "Explicit radius must be greater than 0"),
    ((((0, 0, 0),), (0.1, 0.2)), "Explicit radius must be one .* each of the 1 points, got 2"),
    ((((0, 0, 0),), (-0.1,)), r"Explicit radius\[0\] must be greater"),
    ((((0, 0, 0),), 0.1, ((1, 0, 0), (0, 0, 0))), "Explicit velocity must be one"),
    ((((0, 0, 0),), 0.1, (1, 0)), "Explicit velocity must have shape"),
])
def test_wrong_fields_are_named(fields, message):
    with pytest.raises(InputError, match=message):
        Explicit(*fields)


@pytest.mark.parametrize(("fields", "message"), [
    ({"dimension": 4}, "dimension must be 2 or 3, got 4"),
    ({"low": (0, 0)}, "low must be three coordinates"),
    ({"high": (0, np.nan, 0)}, "high must be three coordinates"),
    ({"points": np.zeros((2, 3))}, r"radii must have shape \(2\)"),
    ({"periodic": (0.0, None, None)}, "periodic length in x must be greater than 0"),
])
def test_a_wrong_space_is_refused(fields, message):
    with pytest.raises(InputError, match=message):
        Space(**fields)


# ---- shapes that are turned --------------------------------------------------------------------

ROD = gr.Spherocylinder(2.0, 0.25)  # along x, held by a sphere of radius 1.25
UP = (math.sqrt(0.5), 0.0, math.sqrt(0.5), 0.0)  # x to -z


def test_turned_shapes_may_stand_close_together():
    entry = Explicit(((0, 0, 0), (0.6, 0, 0), (0, 2.0, 0)), 1.25, shape=ROD,
                     orientation=(UP, UP, (1, 0, 0, 0)))
    world = gr.World()
    world.add(entry, density=1.0)
    balls = world.balls()
    ends = world.ball_positions(balls).reshape(3, 2, 3)
    assert np.abs(ends[1] - (0.6, 0.0, 0.0)).max(axis=0) == pytest.approx([0.0, 0.0, 1.0])
    assert np.abs(ends[2] - (0.0, 2.0, 0.0)).max(axis=0) == pytest.approx([1.0, 0.0, 0.0])
    assert Explicit(((0, 0, 0),), 2.5, shape=ROD, orientation=UP).orientation == UP


def test_turned_shapes_fit_where_their_balls_do():
    slot = Space(fits=box_walls((-0.3, -2, -2), (0.3, 2, 2)))
    assert len(Explicit(((0, 0, 0),), 1.25, shape=ROD, orientation=UP).place(slot, RNG)) == 1
    with pytest.raises(InputError, match=r"points\[1\] = .* does not fit inside .* \(1 of 2"):
        Explicit(((0, 0, 0), (0, 0.6, 0)), 1.25, shape=ROD,
                 orientation=(UP, (1, 0, 0, 0))).place(slot, RNG)


@pytest.mark.parametrize(("fields", "message"), [
    ({"orientation": UP}, "orientation is for a clump or a shape"),
    ({"orientation": (1, 1, 0, 0), "shape": ROD}, "unit quaternion .* got one of length 1.41"),
    ({"orientation": (UP, UP), "shape": ROD}, "orientation must be one .* 1 points, got 2"),
    ({"orientation": (1, 0, 0), "shape": ROD}, r"orientation must have shape \(4\)"),
])
def test_wrong_orientations_are_named(fields, message):
    with pytest.raises(InputError, match=message):
        Explicit(((0, 0, 0),), 1.25, **fields)

"""Motions of walls: velocities are derivatives, poses are rigid, bounds hold; refusals."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import itertools
import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import granum as gr
from granum.errors import InputError
from granum.walls import make_table
from granum.walls.moving import POSE, into_rest, make_motion_table, moved, way_between
from granum.walls.moving.prescribed import TURNS
from granum.walls.moving.table import CENTRE, SHIFT, SPIN, TURN, VELOCITY
from granum.world.body import Body, moved_bounds, poses_at

BOX = gr.Box((-1.0, -2.0, 0.0), (1.0, 2.0, 3.0))
FINITE = st.floats(-2.0, 2.0).map(lambda x: round(x, 3))
VECTOR = st.tuples(FINITE, FINITE, FINITE)
DIRECTION = VECTOR.filter(lambda v: np.linalg.norm(v) > 0.1)
STARTS = st.floats(0.0, 1.0).map(lambda x: round(x, 3))
ON = {"starts": STARTS, "stops": st.none() | st.floats(1.5, 2.5).map(lambda x: round(x, 3))}
SPAN = st.floats(0.05, 0.5)
MOTION = st.one_of(
    st.builds(gr.Linear, VECTOR, **ON),
    st.builds(gr.Sine, st.floats(0.5, 5.0), DIRECTION, amplitude=st.floats(0.01, 0.1),
              phase=st.floats(-4.0, 4.0), **ON),
    st.builds(gr.Tap, st.floats(0.01, 0.1), st.floats(0.5, 5.0), DIRECTION,
              rise=st.floats(0.1, 0.5), fall=st.floats(0.1, 0.5), **ON),
    st.builds(gr.Rotation, st.floats(-5.0, 5.0), DIRECTION, VECTOR, **ON),
    st.lists(st.tuples(SPAN, VECTOR), min_size=2, max_size=6).map(
        lambda rows: gr.Path(tuple(np.cumsum([row[0] for row in rows]).tolist()),
                             tuple(row[1] for row in rows))),
)
MOTIONS = st.lists(MOTION, min_size=1, max_size=4).map(tuple)


def pose_of(motions, time, wall=BOX):
    return poses_at([Body("", [wall], motions)], time)[0]


def velocity_in(pose, points):
    return pose[VELOCITY:VELOCITY + 3] + np.cross(
        pose[SPIN:SPIN + 3], points - pose[CENTRE:CENTRE + 3])


@settings(max_examples=150, deadline=None)
@given(MOTIONS, st.floats(0.0, 3.0), VECTOR)
def test_the_velocity_is_the_derivative_of_the_place(motions, time, point):
    """By central differences; the largest jump of acceleration, at the ends of a tap, is 1234 m/s2.

    (A tap of 0.1 m within 0.02 s: 0.05 (pi / 0.02)².) Taps and shakes of several motions add up.
    """
    h = 1e-6
    for motion in motions:
        for edge in (getattr(motion, "starts", None), getattr(motion, "stops", None)):
            assume(edge is None or abs(edge - time) > 2.0 * h)
    at = np.array([point])
    before, after = (moved(pose_of(motions, time + dt), at) for dt in (-h, h))
    pose = pose_of(motions, time)
    found = velocity_in(pose, moved(pose, at))
    assert np.abs((after - before) / (2.0 * h) - found).max() < len(motions) * 1300.0 * h


@settings(max_examples=100, deadline=None)
@given(MOTIONS, st.floats(0.0, 3.0))
def test_a_pose_is_rigid_and_can_be_undone(motions, time):
    pose = pose_of(motions, time)
    turn = pose[TURN:TURN + 9].reshape(3, 3)
    np.testing.assert_allclose(turn @ turn.T, np.eye(3), atol=1e-14)
    assert np.linalg.det(turn) == pytest.approx(1.0)
    points = np.random.default_rng(1).normal(0.0, 1.0, (5, 3))
    np.testing.assert_allclose(into_rest(pose, moved(pose, points)), points, atol=1e-13)


@settings(max_examples=100, deadline=None)
@given(MOTIONS, st.floats(0.0, 3.0), st.floats(0.0, 3.0), VECTOR, st.floats(0.0, 2.0))
def test_no_point_of_the_ball_comes_farther_than_the_bound(motions, first, second, centre, radius):
    """The bound on the way of a wall, by which stale lists of candidates are known."""
    table = make_table([gr.Plane((0.1, 0.2, 0.3), (1.0, 2.0, -1.0)), gr.SphereWall((0, 0, 0), 1)])
    poses = np.array([pose_of(motions, first), pose_of(motions, second)])
    points = np.random.default_rng(2).normal(0.0, 1.0, (50, 3))
    points *= radius / np.maximum(np.linalg.norm(points, axis=1, keepdims=True), 1e-300)
    there, before = (into_rest(pose, points + centre) for pose in poses)
    region = np.array([*centre, radius])
    for w, ways in enumerate([np.abs((there - before) @ table.data[0, 3:6]),
                              np.linalg.norm(there - before, axis=1)]):
        bound = way_between(table.kind, table.data, w, 0, poses[:1], poses[1:], region)
        assert (ways <= bound + 1e-13).all()


def test_walls_stand_still_before_the_start_and_after_the_stop():
    motions = (gr.Sine(3.0, amplitude=0.1, phase=0.7, starts=0.5, stops=1.1),
               gr.Linear((1.0, 2.0, 3.0), starts=0.4, stops=0.9),
               gr.Rotation(2.0, (0, 0, 1), (1, 0, 0), starts=0.6, stops=1.0))
    start, end = pose_of(motions, 0.0), pose_of(motions, 1.1)
    assert start.tolist() == pose_of(motions, 0.39).tolist()
    assert not start[SHIFT:].any()
    assert end.tolist() == pose_of(motions, 7.0).tolist()
    assert not end[VELOCITY:SPIN + 3].any()
    lift = 0.1 * (math.sin(2 * math.pi * 3.0 * 0.6 + 0.7) - math.sin(0.7))
    np.testing.assert_allclose(end[CENTRE:CENTRE + 3], [0.5, 1.0, 1.5 + lift], atol=1e-14)


def test_an_acceleration_stands_for_an_amplitude():
    shake = gr.Sine(30.0, acceleration=20.0)
    assert shake.reach * (2 * math.pi * 30.0) ** 2 == pytest.approx(20.0)
    assert "shakes at 30 Hz" in shake.describe()


def test_a_tap_rises_falls_and_rests():
    tap = (gr.Tap(3e-3, 4.0, rise=0.5, fall=0.1),)
    share = [0.0, 0.25, 0.5, 0.55, 0.6, 0.8, 1.0]
    lift = [pose_of(tap, 0.25 * (8.0 + s))[SHIFT + 2] for s in share]
    np.testing.assert_allclose(lift, [0.0, 1.5e-3, 3e-3, 1.5e-3, 0.0, 0.0, 0.0], atol=1e-15)
    fall = pose_of(tap, 0.25 * 8.55)[VELOCITY + 2]
    assert -fall == pytest.approx(tap[0].fastest)


def test_a_path_passes_through_its_places_and_never_beyond():
    times = (0.1, 0.3, 0.6, 0.7, 1.0)
    places = ((5, 0, 0), (6, 1, 0), (6, 3, 0), (4, 3, 1), (4, 4, 1))
    path = (gr.Path(times, places),)
    for time, place in zip(times, places, strict=True):
        np.testing.assert_allclose(pose_of(path, time)[SHIFT:SHIFT + 3],
                                   np.subtract(place, places[0]), atol=1e-14)
    for k, (a, b) in enumerate(itertools.pairwise(times)):
        ends = np.sort(np.subtract(places[k:k + 2], places[0]), axis=0)
        for time in np.linspace(a, b, 20):
            x = pose_of(path, time)[SHIFT:SHIFT + 3]
            assert (x >= ends[0] - 1e-14).all()
            assert (x <= ends[1] + 1e-14).all()
            assert np.linalg.norm(pose_of(path, time)[VELOCITY:VELOCITY + 3]) <= path[0].fastest
    assert not pose_of(path, 0.1)[VELOCITY:VELOCITY + 3].any()


def test_a_drum_turns_on_its_spot_and_a_box_does_not():
    turn = gr.Rotation(3.0, (0, 1, 0), (0.2, 0.0, 0.1))
    drum = [gr.Cylinder((0.2, 0.0, 0.1), (0, 1, 0), radius=0.1, height=0.3),
            gr.Plane((0, 0, 0), (0, 1, 0)), gr.Plane((0, 0.3, 0), (0, -1, 0))]
    aside = gr.Cylinder((0.25, 0.0, 0.1), (0, 1, 0), radius=0.1)
    turns = [make_motion_table([(walls, (turn,))]).motion[0, TURNS]
             for walls in (drum, [*drum, BOX], [aside])]
    assert turns == [0.0, 1.0, 1.0]
    pose = poses_at([Body("", drum, (turn,))], 0.3)[0]
    np.testing.assert_allclose(velocity_in(pose, np.array([0.3, 0.1, 0.1])), [0, 0, -0.3],
                               atol=1e-15)


def test_bounds_move_with_the_wall():
    shifted = moved_bounds(BOX.bounds(), pose_of((gr.Linear((1.0, 0.0, 2.0)),), 0.5))
    np.testing.assert_allclose(shifted, [[-0.5, -2.0, 1.0], [1.5, 2.0, 4.0]])
    quarter = pose_of((gr.Rotation(math.pi / 2, (0, 0, 1)),), 1.0)
    np.testing.assert_allclose(moved_bounds(BOX.bounds(), quarter), [[-2, -1, 0], [2, 1, 3]],
                               atol=1e-14)
    assert np.isinf(moved_bounds(gr.Plane((0, 0, 0), (0, 0, 1)).bounds(), quarter)).all()
    assert len(quarter) == POSE


@pytest.mark.parametrize(("make", "says"), [
    (lambda: gr.Sine(30.0), "either an amplitude or an acceleration, got neither"),
    (lambda: gr.Sine(30.0, amplitude=1e-3, acceleration=9.81), "got both"),
    (lambda: gr.Sine(0.0, amplitude=1e-3), "Sine frequency must be greater than 0"),
    (lambda: gr.Sine(1.0, (0, 0, 0), amplitude=1e-3), "Sine direction must not be the zero"),
    (lambda: gr.Linear((1, 0, 0), starts=2.0, stops=1.0), "Linear stops must be later than"),
    (lambda: gr.Tap(1e-3, 4.0, rise=0.8, fall=0.3), "must not be more than 1 together"),
    (lambda: gr.Rotation(math.nan, (0, 0, 1)), "Rotation rate must be a finite number"),
    (lambda: gr.Path((0.0, 2.0, 1.0), ((0, 0, 0),) * 3), "number 3 is 1 s after 2 s"),
    (lambda: gr.Path((0.0, 1.0), ((0, 0, 0),)), "2 times and 1 places"),
    (lambda: gr.Path((-1.0, 1.0), ((0, 0, 0),) * 2), "must not be negative"),
    (lambda: gr.Piston(0.0, (0, 0, 1)), "Piston mass must be greater than 0"),
    (lambda: gr.Piston(1.0, (0, 0, 1), steps=((2.0, 1.0), (1.0, 1.0))), "1 s comes after 2 s"),
    (lambda: gr.Piston(1.0, (0, 0, 1), damping=-1.0), "Piston damping must be at least 0"),
    (lambda: gr.FreeBody(1.0, steps=((1.0, (1, 2)),)), r"FreeBody steps\[0\] must have shape"),
    (lambda: gr.FreeBody(1.0, steps=(1.0,)), "pairs of a time and a force"),
    (lambda: gr.Servo((0, 0, 1), 0.0, 1e3, 0.1, force=1.0), "Servo mass must be greater than 0"),
    (lambda: gr.Servo((0, 0, 1), 1.0, 1e3, 0.0, force=1.0), "Servo limit must be greater than 0"),
    (lambda: gr.Servo((0, 0, 1), 1.0, 1e3, 0.1), "got neither"),
    (lambda: gr.Servo((0, 0, 1), 1.0, 1e3, 0.1, pressure=1e3), "belong together"),
    (lambda: gr.Servo((0, 0, 1), stiffness=1e3, limit=0.1, force=1.0),
     r"^Servo needs mass \(in kg: forces accelerate it"),
    (lambda: gr.Servo((0, 0, 1), 1.0, 1e3, force=1.0),
     r"^Servo needs limit \(in m/s: how fast it may go where it meets no grains\)$"),
    (lambda: gr.Servo(force=1.0), "needs direction .*, and mass .*, and stiffness .*, and limit"),
    (lambda: gr.Piston(direction=(0, 0, 1)), "^Piston needs mass"),
    (lambda: gr.FreeBody(force=(0, 0, 1)), "^FreeBody needs mass"),
])
def test_motions_without_a_meaning_are_refused(make, says):
    with pytest.raises(InputError, match=says):
        make()


def test_drives_can_be_copied_and_are_called_as_their_fields_say():
    servo = gr.Servo((0, 0, 1), 1.0, 1e3, limit=0.1, force=1.0)
    assert copy.deepcopy(servo) == servo == dataclasses.replace(servo, force=1.0)
    assert list(inspect.signature(gr.Servo).parameters) == [
        field.name for field in dataclasses.fields(gr.Servo)]
    with pytest.raises(TypeError, match="speed"):
        gr.Servo((0, 0, 1), 1.0, 1e3, limit=0.1, speed=1.0)


FLOOR = gr.Plane((0, 0, 0), (0, 0, 1))
PISTON = gr.Piston(1.0, (0, 0, 1))


@pytest.mark.parametrize(("options", "world", "says"), [
    ({"moving": PISTON}, {}, "a Piston needs a name"),
    ({"moving": [PISTON, gr.Linear((0, 0, 1))], "name": "a"}, {}, "cannot be combined"),
    ({"moving": 3.0}, {}, "moving must be a motion"),
    ({"moving": []}, {}, "empty list"),
    ({"moving": gr.Linear((0, 0, 1)), "name": "my lid"}, {}, "letters, digits and underscores"),
    ({"moving": gr.Linear((0, 0, 1))}, {"dimension": 2}, "this world is 2D"),
    ({"moving": gr.Rotation(1.0, (0, 1, 0))}, {"dimension": 2}, "about z only"),
    ({"moving": gr.Rotation(1.0, (0, 1, 0))}, {"periodic": (1, 1, None)}, "periodic world"),
])
def test_worlds_refuse_what_they_have_no_room_for(options, world, says):
    place = gr.World(**world)
    with pytest.raises(InputError, match=says):
        place.add(FLOOR, **options)
    assert (place.walls, place.bodies, place.names) == ([], [], {})


def test_walls_of_one_name_are_one_body():
    world = gr.World()
    world.add(FLOOR, name="lid")
    world.add(BOX, name="lid", moving=PISTON)
    world.add(gr.SphereWall((0, 0, 0), 1.0), name="lid")
    world.add(gr.SphereWall((0, 0, 0), 2.0))
    assert [len(body.walls) for body in world.bodies] == [3]
    assert world.wall_bodies(world.wall_table()).tolist() == [0] * 8 + [-1]
    assert world.wall_titles() == ["lid", "lid", "lid", "spherewall 2"]
    with pytest.raises(InputError, match="say it once"):
        world.add(gr.SphereWall((0, 0, 0), 3.0), name="lid", moving=gr.Linear((0, 0, 1)))
    with pytest.raises(InputError, match="there already"):
        world.add(BOX, name="other")
    with pytest.raises(InputError, match="name and moving are for walls"):
        world.add(gr.Sphere(1.0), at=[(0, 0, 0)], density=1.0, name="grain")


@pytest.mark.parametrize(("moving", "says"), [
    (gr.Sine(600.0, amplitude=1e-6), "at most 8.333e-05 s follows it"),
    (gr.Rotation(4e3, (0, 0, 1)), "at most 7.854e-05 s follows it"),
    (gr.Path((0.0, 1e-4), ((0, 0, 0), (0, 0, 1e-4))), "at most 5e-05 s follows it"),
    (gr.Linear((0, 0, 6.0)), "more than half the smallest radius"),
    (gr.Servo((0, 0, 1), 1e-6, 1e3, 1.0, force=1.0), "follows it"),
])
def test_steps_too_long_for_a_motion_are_refused(moving, says):
    world = gr.World()
    world.add(FLOOR, moving=moving, name="floor")
    world.add(gr.Sphere(1e-3), at=[(0, 0, 5e-3)], density=2500.0)
    law = gr.LinearViscoelastic(restitution=0.5, contact_time=5e-3)
    with pytest.raises(InputError, match=says):
        gr.Simulation(world, law, time_step=1e-4, threads=1)

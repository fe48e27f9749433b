import math
from dataclasses import replace

import numpy as np
import pytest
from place_twin import box_walls, deepest

import granum as gr
from granum.errors import InputError
from granum.world.place import Pour, Space
from granum.world.place.grid import Grid

STREAM = {"radius": 0.01, "count": 500, "rate": 1000.0, "low": (0, 0, 0.9), "high": (0.1, 0.1, 1),
          "spread": 0.2}
STEP = 0.01  # time between two events [s]


def event_rng(step, seed=7, entry=0):
    return np.random.default_rng([seed, entry, step])


def fall(points, radii, begin, end, fields=STREAM, speed=3.0):
    """Pour from event ``begin`` to ``end`` while all grains fall at one speed [m/s]."""
    stream = Pour(**fields)
    for step in range(begin, end):
        points = points - [0.0, 0.0, speed * STEP]
        wanted = stream.due(step * STEP) - len(radii)
        occupied = Space(points=points, radii=radii)
        new, new_radii = stream.batch(wanted, len(radii), event_rng(step), occupied)
        assert len(new) == len(new_radii) <= max(wanted, 0)
        points, radii = np.concatenate([points, new]), np.concatenate([radii, new_radii])
        assert deepest(points, radii) <= 0.0
    return points, radii


NOTHING = np.zeros((0, 3)), np.zeros(0)


def test_due_follows_rate_start_and_count():
    stream = Pour(**(STREAM | {"start": 0.5, "rate": 100.0, "count": 30}))
    assert [stream.due(time) for time in (0.0, 0.5, 0.509, 0.51, 0.6, 0.79, 0.8, 1e9)] == [
        0, 0, 0, 1, 10, 29, 30, 30]
    assert [Pour(**STREAM).due(k / 1000.0) for k in range(501)] == list(range(501))


def test_every_grain_enters_in_the_end():
    points, radii = fall(*NOTHING, 0, 80)
    assert len(radii) == len(points) == 500
    assert np.array_equal(radii, Pour(**STREAM).radii(0, 500))


def test_the_box_holds_whole_grains():
    points, radii = Pour(**STREAM).batch(40, 0, event_rng(1), Space())
    assert len(radii) > 10
    assert (points - radii[:, None] >= np.array([0, 0, 0.9]) - 1e-12).all()
    assert (points + radii[:, None] <= np.array([0.1, 0.1, 1.0]) + 1e-12).all()


def test_a_full_box_makes_grains_wait():
    stream = Pour(**STREAM)
    first, radii = stream.batch(500, 0, event_rng(1), Space())
    assert 10 < len(radii) < 200
    assert deepest(first, radii) <= 0.0
    blocked = Space(points=np.array([[0.05, 0.05, 0.95]]), radii=np.array([0.2]))
    assert len(stream.batch(500, 0, event_rng(1), blocked)[0]) == 0
    walls = Space(fits=lambda points, radii: radii > 1.0)
    assert len(stream.batch(500, 0, event_rng(1), walls)[0]) == 0


def test_waiting_loses_nothing():
    """Too slow a fall for the rate: the stream lags behind, and still delivers every grain."""
    _, early = fall(*NOTHING, 0, 50, speed=0.3)
    assert len(early) < 490
    _, late = fall(*NOTHING, 0, 250, speed=0.3)
    assert np.array_equal(late, Pour(**STREAM).radii(0, 500))


@pytest.mark.parametrize("cut", [1, 13, 37, 59])
def test_a_cut_run_pours_the_same_bits(cut):
    whole = fall(*NOTHING, 0, 60, speed=1.0)
    points, radii = fall(*NOTHING, 0, cut, speed=1.0)
    stored = np.frombuffer(points.tobytes()).reshape(-1, 3), np.frombuffer(radii.tobytes())
    again = fall(*stored, cut, 60, speed=1.0)
    assert whole[0].tobytes() == again[0].tobytes()
    assert whole[1].tobytes() == again[1].tobytes()


def test_events_differ_by_their_generator_alone():
    stream = Pour(**STREAM)
    one, other = (stream.batch(20, 0, event_rng(3), Space())[0] for _ in range(2))
    assert one.tobytes() == other.tobytes()
    assert one.tobytes() != stream.batch(20, 0, event_rng(4), Space())[0].tobytes()


def test_a_later_batch_goes_on_with_the_sizes():
    stream = Pour(**STREAM)
    _, radii = stream.batch(5, 100, event_rng(3), Space())
    assert np.array_equal(radii, stream.radii(0, 500)[100:105])
    assert len(stream.batch(50, 490, event_rng(3), Space())[1]) == 10
    assert len(stream.batch(50, 500, event_rng(3), Space())[1]) == 0
    assert len(stream.batch(-3, 0, event_rng(3), Space())[1]) == 0


def test_sizes_are_uniform_within_the_spread():
    radii = np.sort(Pour(**STREAM).radii(0, 1000)) / 0.01
    np.testing.assert_allclose(radii, np.linspace(0.8, 1.2, 1000), atol=0.002)
    assert (Pour(**(STREAM | {"spread": 0.0})).radii(3, 5) == 0.01).all()


def test_many_at_once_stay_in_order():
    """More than are drawn together: the numbers still run on without a hole."""
    stream = Pour(**(STREAM | {"radius": 0.001, "count": 2000}))
    points, radii = stream.batch(700, 50, event_rng(1), Space())
    assert len(points) == 700
    assert np.array_equal(radii, stream.radii(50, 700))
    assert deepest(points, radii) <= 0.0


def test_periodic_cells_and_flat_worlds():
    cell = (0.1, 0.1, None)
    points, radii = Pour(**STREAM).batch(500, 0, event_rng(1), Space(periodic=cell))
    assert deepest(points, radii, cell) <= 0.0
    assert (points[:, :2] < radii[:, None]).any(axis=0).all()
    flat = Pour(**(STREAM | {"low": (0, 0.9, 0), "high": (1, 1, 0)}))
    points, radii = flat.batch(500, 0, event_rng(1), Space(dimension=2))
    assert len(radii) > 50
    assert not points[:, 2].any()
    assert deepest(points, radii) <= 0.0


def test_nothing_is_placed_at_the_start():
    space = Space(fits=box_walls((0, 0, 0), (0.1, 0.1, 1)))
    assert len(Pour(**STREAM).place(space, event_rng(0))) == 0


@pytest.mark.parametrize(("fields", "message"), [
    ({"low": (5, 0, 0.9), "high": (6, 0.1, 1)}, "Pour: no grain .* move the box inside"),
    ({"high": (0.1, 0.1, 0.91)}, "Pour: the region is 0.01 m long in z, too thin"),
])
def test_a_box_where_no_grain_can_appear_is_refused_at_the_start(fields, message):
    space = Space(fits=box_walls((0, 0, 0), (0.1, 0.1, 1)))
    with pytest.raises(InputError, match=message):
        Pour(**(STREAM | fields)).place(space, event_rng(0))


@pytest.mark.parametrize(("fields", "message"), [
    ({"rate": 0.0}, "Pour rate must be greater than 0"),
    ({"start": math.inf}, "Pour start must be a finite"),
    ({"velocity": (0, 0)}, "Pour velocity must have shape"),
    ({"count": -1}, "Pour count must be at least 1"),
    ({"radius": 0.0}, "Pour radius must be greater than 0"),
    ({"low": None}, "Pour low must be given"),
    ({"high": (0.1, 0.1, 0.8)}, "Pour high must not be below low, got z from 0.9 m to 0.8 m"),
])
def test_wrong_fields_are_named(fields, message):
    with pytest.raises(InputError, match=message):
        Pour(**(STREAM | fields))


def test_descriptors_can_be_compared_and_changed():
    stream = Pour(**STREAM)
    assert replace(stream, count=500) == stream
    assert replace(stream, velocity=[0, 0, -1]).velocity == (0.0, 0.0, -1.0)


def test_due_follows_the_mass():
    """At 2 kg/s a grain is due when the masses up to it, its own included, have come."""
    stream = Pour(**(STREAM | {"rate": None, "mass_rate": 2.0, "start": 0.5, "count": 30}))
    unit = 2500.0 * 4.0 / 3.0 * math.pi
    come = np.cumsum(unit * stream.radii(0, 30) ** 3)
    assert stream.due(0.0, unit) == stream.due(0.5, unit) == 0
    for k, mass in enumerate(come):
        assert stream.due(0.5 + mass / 2.0 * (1.0 - 1e-9), unit) == k
        assert stream.due(0.5 + mass / 2.0 * (1.0 + 1e-9), unit) == k + 1
    assert stream.due(1e9, unit) == 30


@pytest.mark.parametrize(("dimension", "clump"), [
    (3, None), (2, None), (3, gr.Clump([(0, 0, 0), (1, 0, 0)], 1.0))])
def test_a_mass_rate_gives_that_mass(dimension, clump):
    """Within one grain at any time."""
    world = gr.World(dimension=dimension)
    world.add(gr.Pour(radius=gr.sizes.ByMass((0.01, 0.02), (0.5, 0.5)), count=400, clump=clump,
                      mass_rate=0.3, low=(0, 0, 0), high=(1, 1, dimension - 2)),
              density=1000 if dimension == 3 else 10)
    largest = world.unit_mass(world.streams[0]) * 0.02**dimension
    for step in range(1, 5):
        world.pour(0.5 * step, step)
        assert 0.0 <= 0.15 * step - world.mass.sum() + 1e-12 < largest
    assert len(world) > 20


def test_kernels_are_compiled_when_the_stream_is_set_up(monkeypatch):
    """And not at the first event in the midst of a run."""
    called = []
    before = Grid.add_in_turn
    monkeypatch.setattr(Grid, "add_in_turn",
                        lambda *args, **more: called.append(1) or before(*args, **more))
    assert len(Pour(**STREAM).place(Space(), event_rng(0))) == 0
    assert called


@pytest.mark.parametrize("rates", [{"rate": None}, {"mass_rate": 1.0}])
def test_there_is_one_rate(rates):
    with pytest.raises(InputError, match="Pour rate must be given, or mass_rate, but not both"):
        Pour(**(STREAM | rates))

"""Each condition against moments that are made by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from stage_worlds import asked, lone, moment

import granum as gr
from granum.errors import InputError
from granum.measures.flow import is_jammed

FLOW = (gr.Flow("hole", (0, 0, 0), (0, 0, -1)),)


def grains(*speeds: float) -> gr.World:
    world = gr.World()
    at = [(0.01 * k, 0, 0.1) for k in range(len(speeds))]
    world.add(gr.Sphere(1e-3), at=at, density=2500, velocity=[(v, 0, 0) for v in speeds])
    return world


def at_heights(*heights: float) -> gr.World:
    world = gr.World()
    world.add(gr.Sphere(1e-3), at=[(0.01 * k, 0, z) for k, z in enumerate(heights)], density=2500)
    return world


# ---- at rest ---------------------------------------------------------------------------------


def test_the_scale_of_rest_is_a_fall_by_a_diameter():
    """E < share g m d for one grain: v² < 2 share g d."""
    fast = math.sqrt(2e-5 * 9.81 * 2e-3)
    rest = gr.AtRest(lasting=0.0)
    assert asked(rest, [grains(0.999 * fast)], [1.0]) == [True]
    assert asked(rest, [grains(1.001 * fast)], [1.0]) == [False]
    # of four grains one may have all the energy
    assert asked(rest, [grains(1.998 * fast, 0, 0, 0)], [1.0]) == [True]
    assert asked(rest, [grains(2.002 * fast, 0, 0, 0)], [1.0]) == [False]


def test_spin_is_motion():
    world = grains(0.0)
    world.spin = [(0, 0, 1.0)]  # 0.2 m r² w², beside 0.5 m v²
    limit = math.sqrt(1e-5 * 9.81 * 2e-3 / 0.2e-6)
    for share, wanted in ((0.999, True), (1.001, False)):
        world.spin = [(0, 0, share * limit)]
        assert asked(gr.AtRest(lasting=0.0), [world], [0.0]) == [wanted]


def test_rest_has_to_last():
    still, moving = grains(0.0), grains(1.0)
    worlds = [still, still, moving, still, still, still]
    times = [0.0, 0.1, 0.2, 0.3, 0.4, 0.5]
    found = asked(gr.AtRest(lasting=0.2), worlds, times)
    assert found == [False, False, False, False, False, True]


def test_how_long_rest_has_to_last_unless_given():
    world = grains(0.0, 0.0)
    wanted = 5.0 * math.sqrt(2e-3 / 9.81)
    assert gr.AtRest().shortest(moment(world)) == pytest.approx(wanted)
    times = [0.0, 0.99 * wanted, 1.01 * wanted]
    assert asked(gr.AtRest(), [world] * 3, times) == [False, False, True]


def test_an_empty_world_is_not_at_rest():
    assert asked(gr.AtRest(lasting=0.0), [gr.World()], [0.0]) == [False]


def test_rest_needs_gravity():
    world = gr.World((0, 0, 0))
    with pytest.raises(InputError, match="'at rest' compares kinetic energy with a fall"):
        gr.AtRest().check(moment(world))


# ---- jammed ----------------------------------------------------------------------------------


def test_jammed_is_no_passing_with_grains_above():
    above, passing, gone = at_heights(1, 1), at_heights(1, -1), at_heights(-1, -1)
    times = [0.0, 0.1, 0.2, 0.3, 0.4]
    jam = gr.Jammed(lasting=0.15)
    assert asked(jam, [above] * 5, times, measures=FLOW) == [False, False, True, True, True]
    worlds = [above, passing, passing, passing, gone]
    assert asked(jam, worlds, times, measures=FLOW) == [False, False, False, True, False]
    assert asked(jam, [gone] * 5, times, measures=FLOW) == [False] * 5


def test_a_little_that_is_left_is_no_jam():
    world = at_heights(*([-1.0] * 99), 1.0)
    times = [0.0, 1.0]
    assert asked(gr.Jammed(), [world] * 2, times, measures=FLOW) == [False, False]
    assert asked(gr.Jammed(left=0.005), [world] * 2, times, measures=FLOW) == [False, True]


def test_the_judgement_of_the_hourglass():
    assert is_jammed(0.26, 0.03)
    assert not is_jammed(0.25, 0.03)
    assert not is_jammed(0.26, 0.02)


def test_jammed_names_its_plane():
    two = (*FLOW, gr.Flow("slot"))
    world = at_heights(1.0)
    gr.Jammed("slot").check(moment(world, measures=two))
    gr.Jammed().check(moment(world, measures=FLOW))
    with pytest.raises(InputError, match="flow 'slit' is unknown; did you mean 'slot'"):
        gr.Jammed("slit").check(moment(world, measures=two))
    for measures in ((), two):
        with pytest.raises(InputError, match="'jammed' needs a plane"):
            gr.Jammed().check(moment(world, measures=measures))


# ---- empty -----------------------------------------------------------------------------------


def test_empty_everywhere_and_in_a_box():
    world = at_heights(0.5, 1.5)
    box = gr.Empty(low=(-1, -1, 1), high=(1, 1, 2))
    assert asked(box, [world, at_heights(0.5), at_heights(2.5)], [0, 1, 2]) == [False, True, True]
    assert asked(gr.Empty(low=(-9, -9, 2)), [world], [0]) == [True]
    assert asked(gr.Empty(high=(9, 9, 1)), [world], [0]) == [False]
    assert asked(gr.Empty(), [world], [0]) == [False]
    world.remove([0, 1])
    assert asked(gr.Empty(), [world], [0]) == [True]
    assert asked(gr.Empty(), [gr.World()], [0]) == [False]  # nothing has come yet


# ---- columns ---------------------------------------------------------------------------------


@pytest.mark.parametrize(("sign", "wanted"), [
    ("<", [True, False, False]), ("<=", [True, True, False]),
    (">", [False, False, True]), (">=", [False, True, True]),
])
def test_comparison(sign, wanted):
    world = grains(0.0)
    for value, met in zip((1.0, 2.0, 3.0), wanted, strict=True):
        assert asked(gr.Compare("kinetic", sign, 2.0), [world], [0.0], kinetic=value) == [met]


def test_comparison_that_lasts():
    compare = gr.Compare("height", "<", 1.0, lasting=0.2)
    notes, found = (), []
    for time, height in ((0.0, 0.5), (0.1, 2.0), (0.2, 0.5), (0.3, 0.5), (0.4, 0.5)):
        met, notes = compare.look(moment(grains(0.0), time, height=height), notes)
        found.append(met)
    assert found == [False, False, False, False, True]


def test_an_unknown_column_is_refused_with_the_nearest():
    with pytest.raises(InputError, match=r"no column 'kinetik'.*did you mean 'kinetic'"):
        gr.Compare("kinetik", "<", 1.0).check(moment(grains(0.0), kinetic=0.0, height=0.0))
    with pytest.raises(InputError, match=r"no column 'hight'.*did you mean 'height'"):
        gr.Steady("hight").check(moment(grains(0.0), kinetic=0.0, height=0.0))


@given(st.lists(st.floats(0.5, 2.0), min_size=60, max_size=60), st.floats(0.01, 0.3))
def test_steady_compares_means_of_windows(values, tolerance):
    """Against a slow twin: windows of ten looks, the first with one more."""
    steady = gr.Steady("height", window=1.0, tolerance=tolerance)
    notes, found = (), []
    for k, value in enumerate(values):
        met, notes = steady.look(moment(grains(0.0), 0.1 * k, height=value), notes)
        found.append(met)
    ends = list(range(10, 60, 10))
    means = [np.mean(values[0 if end == 10 else end - 9 : end + 1]) for end in ends]
    wanted = [False] * 60
    for k in range(1, len(ends)):
        a, b = means[k - 1], means[k]
        if abs(abs(a - b) - tolerance * max(a, b)) < 1e-9:
            return  # too close to call
        wanted[ends[k]] = bool(abs(a - b) <= tolerance * max(a, b))
    assert found == wanted


def test_nothing_at_all_is_steady():
    steady = gr.Steady("kinetic", window=0.1)
    found = asked(steady, [grains(0.0)] * 4, [0.0, 0.1, 0.2, 0.3], kinetic=0.0)
    assert found == [False, False, True, True]


@pytest.mark.parametrize(("make", "word"), [
    (lambda: gr.AtRest(share=0.0), "share"), (lambda: gr.AtRest(lasting=-1.0), "lasting"),
    (lambda: gr.Jammed(lasting=0.0), "lasting"), (lambda: gr.Jammed(left=1.0), "left"),
    (lambda: gr.Empty((1, 0, 0), (0, 1, 1)), "high"), (lambda: gr.Steady(window=0.0), "window"),
    (lambda: gr.Steady(tolerance=1.0), "tolerance"), (lambda: gr.Compare("a", "=", 1.0), "sign"),
    (lambda: gr.Compare("a", "<", math.nan), "value"),
])
def test_values_without_a_meaning_are_refused(make, word):
    with pytest.raises(InputError, match=word):
        make()


def test_conditions_look_and_change_nothing():
    sim = gr.Simulation(lone(), gr.LinearViscoelastic(0.5, 1e-3), threads=1)
    before = sim.fingerprint()
    for condition in (gr.AtRest(), gr.Empty(), gr.Jammed()):
        condition.look(moment(sim.world, measures=FLOW), ())
    assert sim.fingerprint() == before

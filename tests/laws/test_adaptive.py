"""The adaptive law against its formulas, its collisions, its reloadings and its energy."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from loading import Contact, collide

from granum.errors import InputError
from granum.laws import Adaptive, WaltonBraun

T_C, MASS = 1e-3, 2e-6
UNIT = 1e-6  # of overlaps [m]


def slopes(law, mass=MASS):
    """k_1, k_2, k_r, k_0 [N/m]."""
    return mass * law.coefficients()[:4]


@pytest.mark.parametrize("e", [0.1, 0.2, 0.35, 0.5, 0.65, 0.8, 0.9, 1.0])
@pytest.mark.parametrize("phase", [0.01, 0.99])
def test_collision_returns_e_and_lasts_the_contact_time(e, phase):
    law = Adaptive(e, T_C)
    step = law.time_steps(np.ones(1), np.ones(1)).recommended
    rebound = collide(law, phase=phase)
    assert rebound.restitution == pytest.approx(e, abs=1e-3)
    assert rebound.lasted == pytest.approx(T_C, abs=1.01 * step)


def test_a_lone_collision_does_not_ask_for_the_reloading():
    one, other = (collide(Adaptive(0.6, T_C, reloading_restitution=e), step=1e-6)
                  for e in (0.3, 1.0))
    assert one == other


def test_path_of_the_force():
    """All corners by hand for e = e_r = 1/2, in units of k_1: 6.25, 2.5, 1/8 and 1/2 for k_b."""
    law = Adaptive(0.5, T_C)
    k_1, k_2, k_r, k_0 = slopes(law)
    assert np.array([k_2, k_r, k_0]) / k_1 == pytest.approx([6.25, 2.5, 0.125])
    contact = Contact(law, mass=MASS)
    path = [
        (4.0, 4.0), (8.0, 8.0),  # loading
        (7.6, 5.5), (7.2, 3.0),  # first unloading; m = (7.2, 3)
        (7.6, 3.4), (8.4, 4.2),  # reloading beside the first path
        (8.3, 3.95), (7.8, 3.3),  # steep until the return line 3 + (δ - 7.2) / 2, then along it
        (8.2, 3.7), (8.1, 3.45), (7.6, 3.2),  # a smaller loop ends on the same line
        (7.2, 3.0), (6.8, 2.0),  # through m, and steep again
        (6.4, 1.0), (6.2, 0.775), (4.0, 0.5),  # until δ / 8
        (6.0, 2.5), (5.8, 2.0), (4.0, 0.5),  # m = (4, 1/2): a loop from the return line
        (5.0, 1.5), (4.9, 1.25), (5.0, 1.35), (4.9, 1.25),  # from above the line: m = (4.9, 1.25)
        (4.8, 1.0), (4.7, 0.75), (4.0, 0.5),
        (1.6, 0.2), (0.0, 0.0),
        (1.0, 1.0),  # nothing is left of the deformation
    ]
    for overlap, wanted in path:
        found = contact.move(overlap * UNIT - contact.overlap) / (k_1 * UNIT)
        assert found == pytest.approx(wanted, abs=1e-9), (overlap, wanted, found)


@pytest.mark.parametrize("e_r", [0.2, 0.5, 0.8, 1.0])
@pytest.mark.parametrize("f_a", [0.0, 30.0, 80.0])
def test_every_reloading_loses_its_share_and_closes(e_r, f_a):
    """A reloading from F_a to F_b and back loses (1 - e_r²) (F_b - F_a)² / 4 k_1, each anew."""
    law = Adaptive(0.6, T_C, reloading_restitution=e_r)
    k_1 = slopes(law)[0]
    contact, f_b, f_a = Contact(law, mass=MASS), 100.0 * k_1 * UNIT, f_a * k_1 * UNIT
    contact.go(f_b / k_1, steps=100)
    while contact.f_n > f_a and contact.overlap > 0.1 * UNIT:
        contact.move(-0.01 * UNIT)
    f_a = contact.f_n
    for _ in range(3):
        start, depth = contact.normal_work, contact.overlap
        contact.go((f_b - f_a) / k_1, steps=1000)
        assert contact.f_n == pytest.approx(f_b)
        contact.go(-(f_b - f_a) / k_1, steps=1000)
        assert (contact.overlap, contact.f_n) == pytest.approx((depth, f_a))
        lost = contact.normal_work - start
        assert lost == pytest.approx((1.0 - e_r**2) * (f_b - f_a) ** 2 / (4.0 * k_1), rel=2e-3,
                                     abs=1e-6 * f_b**2 / k_1)


def test_walton_braun_loses_nothing_where_this_law_does():
    lost = []
    for law in (WaltonBraun(0.6, T_C), Adaptive(0.6, T_C)):
        contact = Contact(law, mass=MASS)
        contact.go(10.0 * UNIT, steps=100)
        contact.go(-1.0 * UNIT, steps=100)
        work, stored = contact.normal_work, contact.energy()[0]
        for _ in range(5):
            contact.go(0.5 * UNIT, steps=100)
            contact.go(-0.5 * UNIT, steps=100)
        lost.append(contact.normal_work - work - (contact.energy()[0] - stored))
    assert lost[0] == pytest.approx(0.0, abs=1e-12 * lost[1])


@pytest.mark.parametrize("e_r", [0.3, 0.7, 0.95])
def test_swings_about_a_standing_load_fade_by_the_same_restitution(e_r):
    """The speed through the middle, inwards, is multiplied by e_r in every swing."""
    law = Adaptive(0.8, T_C, reloading_restitution=e_r)
    k_1, *_ = slopes(law)
    load = 100.0 * k_1 * UNIT
    contact = Contact(law, mass=MASS)
    contact.go(load / k_1, steps=100)
    step, v, acceleration, speeds = 2e-7, 40.0 * UNIT * math.sqrt(k_1 / MASS), 0.0, []
    for _ in range(200_000):
        half = v + 0.5 * step * acceleration
        pushed = contact.f_n
        acceleration = (load - contact.move(step * half, step=step)) / MASS
        v = half + 0.5 * step * acceleration
        if pushed < load <= contact.f_n:
            speeds.append(v)
        if len(speeds) == 5:
            break
    ratios = np.array(speeds[2:]) / np.array(speeds[1:-1])  # the first swing is not yet a reloading
    assert ratios == pytest.approx([e_r] * 3, abs=5e-3)


def test_depth_is_bounded_by_the_return_line():
    """Whatever the path, k_0 δ <= F <= k_1 δ; and a load that swings evenly goes no deeper."""
    law = Adaptive(0.7, T_C)
    k_1, *_, k_0 = slopes(law)
    contact = Contact(law, mass=MASS)
    for to in np.random.default_rng(2).uniform(0.0, 30.0, 2000) * UNIT:
        f_n = contact.go(to - contact.overlap, steps=3)
        assert (1.0 - 1e-9) * k_0 * to <= f_n <= (1.0 + 1e-9) * k_1 * to
    contact, depths = Contact(law, mass=MASS), []
    for _ in range(30):
        while contact.f_n < 10.0 * k_1 * UNIT:
            contact.move(0.02 * UNIT)
        depths.append(contact.overlap)
        while contact.f_n > 2.0 * k_1 * UNIT:
            contact.move(-0.02 * UNIT)
    assert depths[1:] == pytest.approx([depths[1]] * 29, abs=0.2 * UNIT)


MOVES = st.lists(st.tuples(*[st.floats(-1.0, 1.0)] * 3), min_size=1, max_size=12)


@settings(max_examples=60)
@given(moves=MOVES, e=st.floats(0.1, 1.0), e_r=st.floats(0.1, 1.0),
       mu=st.sampled_from([0.0, 0.05, 0.5, 2.0]))
def test_energy_is_never_gained(moves, e, e_r, mu):
    """What is stored grows by no more than the work done, in every stretch of any path."""
    law, n = Adaptive(e, T_C, mu, e_r), 50
    contact = Contact(law, mass=MASS)
    k_1, k_2, k_r, _ = slopes(law)
    k_t = 2.0 / 7.0 * MASS * law.coefficients()[4]
    for share, *slide in moves:
        closer = min(max(10.0 * UNIT * share, -contact.overlap), 30.0 * UNIT - contact.overlap)
        slip = 10.0 * UNIT * np.array([*slide, 0.0])
        before = contact.energy()[0] - contact.normal_work, contact.energy()[1] - contact.slip_work
        contact.go(closer, slip, steps=n)
        after = contact.energy()[0] - contact.normal_work, contact.energy()[1] - contact.slip_work
        assert after[0] - before[0] <= max(k_2, k_r) * (closer / n) ** 2 + 1e-12 * k_1 * UNIT**2
        assert after[1] - before[1] <= 2.0 * k_t * (slip / n) @ (slip / n) + 1e-12 * k_1 * UNIT**2
        assert contact.f_n >= 0.0
        assert np.hypot(*contact.f_t[:2]) <= mu * contact.f_n * (1.0 + 1e-12) + 1e-30


@pytest.mark.parametrize("e_r", [0.3, 0.9])
def test_energy_is_what_the_way_back_returns(e_r):
    law = Adaptive(0.6, T_C, reloading_restitution=e_r)
    contact = Contact(law, mass=MASS)
    for closer in (10.0, -1.0, 3.0, -0.2, 1.0):
        contact.go(closer * UNIT, steps=1000)
    stored, work = contact.energy()[0], contact.normal_work
    contact.go(-contact.overlap, steps=20_000)
    assert work - contact.normal_work == pytest.approx(stored, rel=1e-4)
    assert contact.energy()[0] == pytest.approx(0.0, abs=1e-9 * stored)


def test_compiled_is_the_same_to_the_bit():
    rng = np.random.default_rng(3)
    law = Adaptive(0.6, T_C, 0.4, 0.8)
    plain, compiled = (Contact(law, mass=MASS, compiled=c) for c in (False, True))
    for wish, a, b in (rng.normal(size=(2000, 3)) * UNIT).tolist():
        closer = max(wish, -plain.overlap)
        for contact in (plain, compiled):
            contact.move(closer, (a, b, 0.0), step=1e-6)
        assert plain.f_n == compiled.f_n
        assert plain.f_t == compiled.f_t
        assert plain.state == compiled.state
        assert plain.energy() == compiled.energy()


def test_mixed_is_symmetric_and_keeps_equals():
    a, b = Adaptive(0.5, 1e-3, 0.2, 0.7), Adaptive(0.8, 2e-3, 0.8)
    assert a.mixed(b) == b.mixed(a)
    assert a.mixed(b).reloading_restitution == pytest.approx(math.sqrt(0.7 * 0.8))
    assert np.allclose(a.mixed(a).coefficients(), a.coefficients(), rtol=1e-14)


@pytest.mark.parametrize(("field", "value", "part"), [
    ("restitution", 0.0, "restitution must be greater than 0"),
    ("restitution", 1.1, "restitution must be at most 1"),
    ("contact_time", -1.0, "contact_time must be greater than 0"),
    ("friction", -0.1, "friction must be at least 0"),
    ("friction", float("inf"), "friction must be a finite number"),
    ("reloading_restitution", 0.0, "reloading_restitution must be greater than 0"),
    ("reloading_restitution", 2.0, "reloading_restitution must be at most 1"),
    ("tangential_restitution", 0.0, "tangential_restitution must be greater than 0"),
    ("restitution", True, "restitution must be a number"),
])
def test_bad_values_are_refused(field, value, part):
    good = {"restitution": 0.5, "contact_time": T_C, "friction": 0.3}
    with pytest.raises(InputError, match=part):
        Adaptive(**{**good, field: value})

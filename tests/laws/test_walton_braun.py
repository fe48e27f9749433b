"""The law of Walton & Braun against its formulas, its collisions and its energy."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from loading import Contact, collide

from granum.errors import InputError
from granum.laws import WaltonBraun
from granum.laws.walton_braun import cube_root

T_C, MASS = 1e-3, 2e-6
UNIT = 1e-6  # of overlaps and springs in the paths [m]


def stiffness(e, mass=MASS):
    """k_1 and k_2 [N/m], written out once more."""
    k_1 = mass * (np.pi * (1.0 + e) / (2.0 * T_C)) ** 2
    return k_1, k_1 / e**2


@pytest.mark.parametrize("e", [0.1, 0.2, 0.35, 0.5, 0.65, 0.8, 0.9, 1.0])
@pytest.mark.parametrize("phase", [0.01, 0.4, 0.99])
def test_collision_returns_e_and_pushes_for_the_contact_time(e, phase):
    law = WaltonBraun(e, T_C)
    step = law.time_steps(np.ones(1), np.ones(1)).recommended
    rebound = collide(law, phase=phase)
    assert rebound.restitution == pytest.approx(e, abs=1e-3)
    assert rebound.pushed == pytest.approx(T_C, abs=1.01 * step)


def test_restitution_converges_with_the_square_of_the_step():
    law = WaltonBraun(0.6, T_C)
    step = law.time_steps(np.ones(1), np.ones(1)).recommended

    def error(share):
        return max(abs(collide(law, step=share * step, phase=k / 11).restitution - 0.6)
                   for k in range(1, 11))

    assert error(0.1) < 0.02 * error(1.0)


def test_speed_does_not_matter():
    slow, fast = (collide(WaltonBraun(0.7, T_C), speed=v) for v in (1e-4, 1.0))
    assert slow == pytest.approx(fast, rel=1e-9)


def test_path_of_the_normal_force():
    e = 0.5
    k_1, k_2 = stiffness(e)
    contact = Contact(WaltonBraun(e, T_C), mass=MASS)
    # δ_max = 4 µm, so δ_0 = 3 µm; then δ_max = 6 µm, δ_0 = 4.5 µm
    path = [(1.0, k_1 * 1.0), (4.0, k_1 * 4.0), (3.6, k_2 * 0.6), (3.8, k_2 * 0.8),
            (3.2, k_2 * 0.2), (2.5, 0.0), (0.5, 0.0), (3.1, k_2 * 0.1), (3.9, k_2 * 0.9),
            (4.4, k_1 * 4.4), (6.0, k_1 * 6.0), (5.0, k_2 * 0.5), (4.5, 0.0), (0.1, 0.0)]
    for overlap, wanted in path:
        found = contact.move(overlap * UNIT - contact.overlap)
        assert found == pytest.approx(wanted * UNIT, rel=1e-9, abs=1e-12 * k_1 * UNIT)


def test_energy_of_the_normal_force_is_the_way_back():
    law, k_1 = WaltonBraun(0.6, T_C), stiffness(0.6)[0]
    contact = Contact(law, mass=MASS)
    contact.go(5.0 * UNIT, steps=100)
    assert contact.energy()[0] == pytest.approx(0.6**2 * 0.5 * k_1 * (5.0 * UNIT) ** 2)
    stored, work = contact.energy()[0], contact.normal_work
    contact.go(-5.0 * UNIT, steps=5000)
    assert work - contact.normal_work == pytest.approx(stored, rel=1e-6)
    assert contact.energy()[0] == 0.0


def pressed(e=0.8, mu=0.5, ratio=0.8, **options):
    """Return a contact under a normal force, its limit of friction and its k_t."""
    contact = Contact(WaltonBraun(e, T_C, mu, ratio), mass=MASS, **options)
    contact.move(10.0 * UNIT)
    return contact, mu * contact.f_n, ratio * stiffness(e)[0]


@pytest.mark.parametrize("steps", [1, 7, 100])
def test_first_slip_follows_mindlin_whatever_the_steps(steps):
    contact, limit, k_t = pressed()
    slip = 0.0
    for x in (0.3, 0.9, 1.4):  # k_t s / limit; sliding from 1.5 on
        contact.go(slide=((x - slip) * limit / k_t, 0.0, 0.0), steps=steps)
        slip = x
        wanted = limit * (1.0 - (1.0 - 2.0 * x / 3.0) ** 1.5)
        assert contact.f_t == pytest.approx((wanted, 0.0, 0.0), rel=1e-12)
    contact.go(slide=(limit / k_t, 0.0, 0.0), steps=steps)
    assert contact.f_t == pytest.approx((limit, 0.0, 0.0), rel=1e-12)


def test_slip_back_and_forth_against_the_published_stiffness():
    """Independent: dT/ds by small steps, stiff where T shrinks, T* at each turn of the slip."""
    contact, limit, k_t = pressed()
    t, turning, sense, n = 0.0, 0.0, 1.0, 4000
    for slip in (0.8, -0.3, 0.5, -1.4, 0.2, -0.4, 3.0, -2.2, 0.6):
        if np.sign(slip) != sense:
            turning, sense = t, np.sign(slip)
        for _ in range(n):
            left = max((limit - sense * t) / (limit - sense * turning), 0.0)
            soft = left ** (1.0 / 3.0) if sense * t > 0.0 else 1.0
            t += k_t * min(soft, 1.0) * slip / n * limit / k_t
            t = max(-limit, min(limit, t))
        contact.go(slide=(0.0, slip * limit / k_t, 0.0), steps=50)
        assert contact.f_t[1] == pytest.approx(t, abs=2e-3 * limit)
        assert contact.f_t[0] == contact.f_t[2] == 0.0


def test_turning_point_keeps_its_share_of_friction():
    """After a turn at τ and twice the normal force, the slip is soft as from half of τ."""
    law = WaltonBraun(1.0, T_C, 0.5)
    contact = Contact(law, mass=MASS)
    contact.move(10.0 * UNIT)
    limit, k_t = 0.5 * contact.f_n, 0.8 * stiffness(1.0)[0]
    contact.go(slide=(0.9 * limit / k_t, 0.0, 0.0))
    contact.go(slide=(-0.1 * limit / k_t, 0.0, 0.0))
    contact.go(slide=(1e-9 * limit / k_t, 0.0, 0.0))
    share = contact.f_t[0] / limit
    contact.move(10.0 * UNIT)
    before = contact.f_t[0]
    contact.go(slide=(0.3 * limit / k_t, 0.0, 0.0))
    # T* has grown to share (2 limit), above T, so the slip begins with k_t at T* = T
    tau = share / 2.0
    rest = (1.0 - tau) ** (2 / 3) - 0.15 / 1.5 / (1.0 - tau) ** (1 / 3)
    assert before == pytest.approx(share * limit)
    assert contact.f_t[0] == pytest.approx(2.0 * limit * (1.0 - rest**1.5), rel=1e-9)


def test_directions_are_alike_and_passing_by_zero_is_like_passing_through():
    forces = []
    for side in (0.0, 1e-7, 1e-3):
        contact, limit, k_t = pressed()
        contact.go(slide=(1.0 * limit / k_t, 0.0, 0.0), steps=50)
        contact.go(slide=(0.0, side * limit / k_t, 0.0))
        contact.go(slide=(-1.7 * limit / k_t, 0.0, 0.0), steps=3001)
        forces.append(np.array(contact.f_t) / limit)
    assert forces[1] == pytest.approx(forces[0], abs=1e-6)
    assert forces[2] == pytest.approx(forces[0], abs=1e-2)
    assert forces[0][0] < -0.5


def test_turned_frame_gives_the_turned_force():
    rng = np.random.default_rng(5)
    q, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    a, limit, k_t = pressed()
    b, *_ = pressed()
    for slide in rng.normal(size=(300, 2)) * 0.3 * limit / k_t:
        d = np.array([*slide, 0.0])
        a.move(slide=tuple(d))
        b.move(slide=tuple(q @ d))
        assert b.f_t == pytest.approx(q @ np.array(a.f_t), abs=1e-9 * limit)


@pytest.mark.parametrize("e", [0.3, 0.6, 1.0])
def test_oblique_impact_slides_by_coulombs_impulse(e):
    """A steep slip never sticks: it is slowed by μ (1 + e) v m_n / m_t, here with m_t = 2/7 m_n."""
    law, mu, v, u = WaltonBraun(e, T_C, 0.2), 0.2, 0.1, 1.0
    contact, step = Contact(law, mass=MASS), law.time_steps(np.ones(1), np.ones(1)).recommended / 4
    slip, approach, push, pull = u, v, 0.0, 0.0
    while approach > 0.0 or contact.overlap > 0.0:
        approach -= 0.5 * step * push / MASS
        slip -= 0.5 * step * pull / (2.0 / 7.0 * MASS)
        push = contact.move(step * approach, (step * slip, 0.0, 0.0), step=step)
        pull = contact.f_t[0]
        approach -= 0.5 * step * push / MASS
        slip -= 0.5 * step * pull / (2.0 / 7.0 * MASS)
    assert u - slip == pytest.approx(3.5 * mu * (1.0 + e) * v, rel=1e-2)


def test_no_force_no_spring():
    contact, limit, k_t = pressed(e=0.5)
    contact.go(slide=(0.7 * limit / k_t, 0.0, 0.0))
    contact.move(-5.0 * UNIT)  # below δ_0 = 7.5 µm
    assert contact.f_n == 0.0
    assert contact.spring == contact.f_t == (0.0, 0.0, 0.0)


MOVES = st.lists(st.tuples(*[st.floats(-1.0, 1.0)] * 3), min_size=1, max_size=12)
FRICTION = st.sampled_from([0.0, 0.05, 0.5, 2.0])


@settings(max_examples=60)
@given(moves=MOVES, e=st.floats(0.1, 1.0), mu=FRICTION)
def test_energy_is_never_gained(moves, e, mu):
    """What is stored grows by no more than the work done, in every stretch of any path.

    The work is right but for the steps with a kink; there are few in each stretch.
    """
    contact, n = Contact(WaltonBraun(e, T_C, mu), mass=MASS), 50
    k_1, k_2 = stiffness(e)
    for share, *slide in moves:
        closer = min(max(10.0 * UNIT * share, -contact.overlap), 30.0 * UNIT - contact.overlap)
        slip = 10.0 * UNIT * np.array([*slide, 0.0])
        before = contact.energy()[0] - contact.normal_work, contact.energy()[1] - contact.slip_work
        contact.go(closer, slip, steps=n)
        after = contact.energy()[0] - contact.normal_work, contact.energy()[1] - contact.slip_work
        assert after[0] - before[0] <= k_2 * (closer / n) ** 2 + 1e-12 * k_1 * UNIT**2
        assert after[1] - before[1] <= k_1 * (slip / n) @ (slip / n) + 1e-12 * k_1 * UNIT**2
        assert contact.f_n >= 0.0
        assert np.hypot(*contact.f_t[:2]) <= mu * contact.f_n * (1.0 + 1e-12) + 1e-30


def test_a_force_raised_in_jerks_gives_no_more_than_it_took():
    """The published softening of the way back would give 6 % more than was put in."""
    contact, limit, k_t = pressed()
    while contact.f_t[0] < 0.9 * limit:
        contact.move(slide=(2e-3 * limit / k_t, 0.0, 0.0))
        contact.move(slide=(-1e-3 * limit / k_t, 0.0, 0.0))
    taken = contact.slip_work
    while contact.f_t[0] > 0.0:
        contact.move(slide=(-1e-3 * limit / k_t, 0.0, 0.0))
    assert contact.slip_work >= -1e-6 * taken


def test_compiled_is_the_same_to_the_bit():
    rng = np.random.default_rng(3)
    law = WaltonBraun(0.6, T_C, 0.4)
    plain, compiled = (Contact(law, mass=MASS, compiled=c) for c in (False, True))
    for wish, a, b in (rng.normal(size=(2000, 3)) * UNIT).tolist():
        closer = max(wish, -plain.overlap)
        for contact in (plain, compiled):
            contact.move(closer, (0.3 * a, 0.3 * b, 0.0), step=1e-6)
        assert plain.f_n == compiled.f_n
        assert plain.f_t == compiled.f_t
        assert plain.state == compiled.state
        assert plain.energy() == compiled.energy()


@pytest.mark.parametrize(("e", "ratio"), [(0.3, 0.8), (0.9, 0.8), (0.9, 0.1)])
def test_time_steps_resolve_the_stiffest_spring(e, ratio):
    """A fiftieth of half its period: of k_2 with the mass, or of k_t with 2/7 of it for spheres."""
    k_1, k_2 = stiffness(e)
    omega = math.sqrt(max(k_2 / MASS, ratio * k_1 / (2.0 / 7.0 * MASS)))
    steps = WaltonBraun(e, T_C, 0.3, ratio).time_steps(np.ones(1), np.ones(1))
    assert steps == pytest.approx((math.pi / omega / 50.0, math.pi / omega / 10.0))


def test_mixed_is_symmetric_and_keeps_equals():
    a, b = WaltonBraun(0.5, 1e-3, 0.2, 0.7), WaltonBraun(0.8, 2e-3, 0.8)
    assert a.mixed(b) == b.mixed(a)
    assert a.mixed(b).friction == pytest.approx(0.4)
    assert np.allclose(a.mixed(a).coefficients(), a.coefficients(), rtol=1e-14)


@pytest.mark.parametrize(("field", "value", "part"), [
    ("restitution", 0.0, "restitution must be greater than 0"),
    ("restitution", 1.1, "restitution must be at most 1"),
    ("contact_time", 0.0, "contact_time must be greater than 0"),
    ("contact_time", float("nan"), "contact_time must be a finite number"),
    ("friction", -0.1, "friction must be at least 0"),
    ("stiffness_ratio", 0.0, "stiffness_ratio must be greater than 0"),
    ("stiffness_ratio", 1.5, "stiffness_ratio must be at most 1"),
    ("restitution", "half", "restitution must be a number"),
])
def test_bad_values_are_refused(field, value, part):
    good = {"restitution": 0.5, "contact_time": T_C, "friction": 0.3}
    with pytest.raises(InputError, match=part):
        WaltonBraun(**{**good, field: value})


def test_cube_roots_are_right_to_the_last_place():
    rng = np.random.default_rng(4)
    for x in [0.125, 1.0, 2.0, 1e-300, 5e-324, 1e300, *rng.random(300).tolist()]:
        root = cube_root(x)
        below, above = (Fraction(root) * Fraction(1 + k * 4e-16) for k in (-1, 1))
        assert below**3 < Fraction(x) < above**3

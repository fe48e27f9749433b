"""Mixing, time steps, what is refused, and that compiled functions give the same bits."""

from __future__ import annotations

import dataclasses
import math

import numba
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from two_grains import meeting, returned

from granum.errors import InputError
from granum.laws import LAWS as LAW_TABLES
from granum.laws import Elastic, HertzMindlin, KuwabaraKono, LinearRepulsive, LinearViscoelastic
from granum.laws.law import Touch
from granum.output.describe import from_plain, to_plain
from granum.scenario.schema import build_choice

LAWS = [LinearViscoelastic(0.6, 1e-4, 0.5, 0.7), LinearRepulsive(0.1, 1e-4, 0.5),
        HertzMindlin(1e9, 0.3, 0.6, 0.5), KuwabaraKono(5e8, 0.5, 1e-6, 0.3), Elastic(1e5)]
ids = [type(law).__name__ for law in LAWS]


# ---- compiled ------------------------------------------------------------------------------------


def touches(count):
    """Return contacts of all kinds: new and lasting, sticking and sliding, nearing and parting."""
    rng = np.random.default_rng(5)
    for _ in range(count):
        row = rng.normal(size=6)
        yield Touch(10.0 ** rng.uniform(-9, -4), rng.normal(), 10.0 ** rng.uniform(-6, 0),
                    10.0 ** rng.uniform(-6, 0), 10.0 ** rng.uniform(-4, -1),
                    *(10.0 ** rng.uniform(-10, -4) * row[:3]).tolist(), *row[3:].tolist(),
                    float(rng.integers(2)), 1e-6)
    yield Touch(0.0, 1.0, 1e-3, 1e-3, 1e-3, 0.0, 0.0, 0.0, 0.1, 0.0, 0.0, 0.0, 1e-6)


@pytest.mark.parametrize("law", LAWS, ids=ids)
def test_compiled_functions_give_the_same_bits(law):
    force, potential = law.kernel(), law.potential()

    @numba.njit
    def compiled(p, touch, state):
        return force(p, touch, state), potential(p, touch, state)

    p = tuple(law.coefficients().tolist())
    stiffness = np.random.default_rng(6)
    for touch in touches(300):
        state = (float(10.0 ** stiffness.uniform(2, 7)),) * law.remembers
        plain = force(p, touch, state), potential(p, touch, state)
        assert compiled(p, touch, state) == plain
        assert len(plain[0][3]) == law.remembers


@pytest.mark.parametrize("law", LAWS, ids=ids)
def test_friction_is_bounded_and_nothing_attracts(law):
    p = tuple(law.coefficients().tolist())
    for touch in touches(300):
        f_n, pull, _, _ = law.kernel()(p, touch, (1e5,) * law.remembers)
        mu = getattr(law, "friction", 0.0)
        assert np.linalg.norm(pull) <= mu * max(f_n, 0.0) * (1.0 + 1e-12)
        assert f_n >= 0.0 or type(law) is LinearViscoelastic


# ---- mixing --------------------------------------------------------------------------------------

materials = st.tuples(st.floats(1e5, 1e12), st.floats(-0.9, 0.5))


def compliances(young, poisson):
    """Return what one body adds to 1/E* and to 1/G*."""
    return (1.0 - poisson**2) / young, 2.0 * (2.0 - poisson) * (1.0 + poisson) / young


@given(materials, materials)
def test_mixed_spheres_have_the_moduli_of_the_pair(one, other):
    law = HertzMindlin(*one, 0.9, 0.4).mixed(HertzMindlin(*other, 0.4, 0.1))
    sums = [a + b for a, b in zip(compliances(*one), compliances(*other), strict=True)]
    coefficients = law.coefficients()
    assert coefficients[0] == pytest.approx(4.0 / 3.0 / sums[0], rel=1e-9)
    assert coefficients[2] == pytest.approx(8.0 / sums[1], rel=1e-9)
    assert law.restitution == pytest.approx(0.6)
    assert law.friction == pytest.approx(0.2)


def test_mixed_viscous_time_is_weighed_by_compliance():
    soft, hard = KuwabaraKono(1e8, 0.3, 1e-6), KuwabaraKono(1e11, 0.3, 5e-6)
    assert soft.mixed(hard).viscous_time == pytest.approx(1e-6, rel=0.01)
    assert soft.mixed(soft).viscous_time == pytest.approx(1e-6, rel=1e-12)


def test_mixed_elastic_springs_are_in_series():
    assert Elastic(1e5).mixed(Elastic(1e15)).stiffness == pytest.approx(2e5)


@pytest.mark.parametrize("law", LAWS, ids=ids)
def test_mixing_is_symmetric_and_keeps_the_law(law):
    other = dataclasses.replace(law, **{dataclasses.fields(law)[0].name: 0.5})
    assert law.mixed(other) == other.mixed(law)
    assert type(law.mixed(other)) is type(law)
    np.testing.assert_allclose(law.mixed(law).coefficients(), law.coefficients(), rtol=1e-12)


# ---- time steps ----------------------------------------------------------------------------------


@pytest.mark.parametrize("law", LAWS, ids=ids)
def test_restitution_at_the_recommended_and_the_longest_step(law):
    """Slow and fast: within a hundredth as recommended, within a tenth at the longest."""
    radius = np.array([2e-3, 1e-3, 5e-3])
    steps = law.time_steps(radius, 4.0 / 3.0 * math.pi * radius**3 * 2500.0)
    for speed in (1e-2, 1.0):
        fine = returned(meeting(law, (1e-3, 1e-3), (0.0, 0.0, -speed), steps.recommended / 8.0))
        for step, within in zip(steps, (0.015, 0.1), strict=True):
            found = returned(meeting(law, (1e-3, 1e-3), (0.0, 0.0, -speed), step))
            assert found == pytest.approx(fine, abs=within)


def test_the_smallest_grain_sets_the_rayleigh_time():
    law = HertzMindlin(1e9, 0.25, 1.0)
    shear, density = 1e9 / 2.5, 2500.0
    radius = np.array([4e-3, 1e-3])
    steps = law.time_steps(radius, 4.0 / 3.0 * math.pi * radius**3 * density)
    rayleigh = math.pi * 1e-3 * math.sqrt(density / shear) / (0.1631 * 0.25 + 0.8766)
    assert steps.recommended == pytest.approx(rayleigh / 20.0)
    assert steps.longest == pytest.approx(rayleigh / 5.0)


@pytest.mark.parametrize("law", LAWS[2:], ids=ids[2:])
def test_without_grains_there_is_no_time_step(law):
    with pytest.raises(InputError, match="none"):
        law.time_steps(np.empty(0), np.empty(0))


# ---- in files ------------------------------------------------------------------------------------


def test_scenarios_know_the_laws_and_their_units():
    def read(**table):
        return build_choice(LAW_TABLES, table)

    assert read(type="hertz_mindlin", young="48 GPa", poisson=0.2, restitution=0.9) == HertzMindlin(
        48e9, 0.2, 0.9)
    assert read(type="kuwabara_kono", young="20 MPa", poisson=0.25, viscous_time="2 us",
                friction=0.4) == KuwabaraKono(20e6, 0.25, 2e-6, 0.4)
    assert read(type="linear_repulsive", restitution=0.4, contact_time="1 ms") == LinearRepulsive(
        0.4, 1e-3)
    assert read(type="elastic", stiffness="3 kN/m") == Elastic(3000.0)


@pytest.mark.parametrize("law", LAWS, ids=ids)
def test_checkpoints_know_the_laws(law):
    assert from_plain(to_plain(law)) == law


# ---- what is refused -----------------------------------------------------------------------------

GOOD = {
    LinearRepulsive: {"restitution": 0.5, "contact_time": 1e-4, "friction": 0.3},
    HertzMindlin: {"young": 1e9, "poisson": 0.3, "restitution": 0.5, "friction": 0.3},
    KuwabaraKono: {"young": 1e9, "poisson": 0.3, "viscous_time": 1e-6, "friction": 0.3},
    Elastic: {"stiffness": 1e5},
}
BAD = [
    ("restitution", 1.2, "at most 1, got 1.2"), ("restitution", 0.0, "greater than 0"),
    ("restitution", math.nan, "finite"), ("contact_time", 0.0, "greater than 0"),
    ("friction", -0.1, "at least 0"), ("young", -1e9, "greater than 0, got -1e"),
    ("poisson", 0.6, "at most 0.5, got 0.6"), ("poisson", -1.0, "greater than -1"),
    ("viscous_time", -1e-6, "at least 0"), ("stiffness", 0.0, "greater than 0"),
    ("stiffness", math.inf, "finite"),
]


@pytest.mark.parametrize(("name", "value", "words"), BAD)
def test_values_without_a_meaning_are_refused(name, value, words):
    tried = [cls for cls, good in GOOD.items() if name in good]
    assert tried
    for cls in tried:
        with pytest.raises(InputError, match=rf"^{name} must be .*{words}"):
            cls(**{**GOOD[cls], name: value})


def test_limits_that_have_a_meaning_are_accepted():
    for law in (HertzMindlin(1.0, 0.5, 1.0, 0.0), KuwabaraKono(1.0, -0.99, 0.0),
                LinearRepulsive(1e-9, 1e-9, 0.0)):
        assert np.isfinite(law.coefficients()).all()

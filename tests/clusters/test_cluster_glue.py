"""Glue against its formulas: force, energy, stiffness, breaking; and what is refused."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import granum as gr
from granum.clusters import bond_numbers
from granum.clusters.glue import BREAKS, LONGEST, SHORTEST
from granum.contact.bonds import measure_bonds

R1, R2 = 1e-3, 1.5e-3
TOUCH = R1 + R2


def measured(glue, distances, rest=TOUCH):
    """Return pull and energy of one bond at several distances, as the engine has them."""
    n = len(distances)
    numbers = bond_numbers([glue], np.zeros(n, dtype=np.int64), np.full(n, rest),
                           np.full(n, R1), np.full(n, TOUCH))
    points = np.zeros((2 * n, 3))
    points[n:, 1] = distances
    out = np.zeros((n, 3))
    measure_bonds(points, np.arange(n), np.arange(n) + n, numbers, np.zeros(3), out)
    assert out[:, 0] == pytest.approx(distances)
    return out[:, 1], out[:, 2]


def power(stiffness, exponent, x):
    """The formula 3.25 with the sign of x kept."""
    return stiffness * math.copysign(abs(x) ** exponent, x)


def potential(glue, x, rest):
    """The formulas 3.26 and 3.29, word by word."""
    b = -glue.alpha / glue.beta * glue.coefficient * rest ** (glue.beta - glue.alpha)
    return glue.coefficient * x**-glue.alpha + b * x**-glue.beta


GLUES = [
    gr.PowerGlue(1e4), gr.PowerGlue(30.0, 0.5), gr.PowerGlue(1e7, 2.0),
    gr.PotentialGlue(-1500.0, 0.2, 1.0), gr.PotentialGlue(-2.0, 0.2, 8.0),
    gr.PotentialGlue(1e-12, 6.0, 3.0),
]
NAMES = ["spring", "root", "square", "thesis", "hard", "other way round"]


@pytest.mark.parametrize("glue", GLUES, ids=NAMES)
def test_the_pull_is_the_slope_of_the_energy(glue):
    x = TOUCH * np.concatenate([np.linspace(-0.15, -0.002, 40), np.linspace(0.002, 0.15, 40)])
    h = 1e-6 * TOUCH
    pull, _ = measured(glue, TOUCH + x)
    slope = (measured(glue, TOUCH + x + h)[1] - measured(glue, TOUCH + x - h)[1]) / (2.0 * h)
    assert pull == pytest.approx(slope, rel=2e-5)
    assert (pull[x > 0.0] > 0.0).all()
    assert (pull[x < 0.0] < 0.0).all()


@pytest.mark.parametrize("glue", GLUES, ids=NAMES)
def test_nothing_at_rest(glue):
    pull, stored = measured(glue, np.array([TOUCH, 0.9 * TOUCH, 1.1 * TOUCH]))
    assert pull[0] == stored[0] == 0.0
    assert (stored[1:] > 0.0).all()


@pytest.mark.parametrize("exponent", [0.3, 1.0, 1.5])
def test_the_power_law(exponent):
    glue = gr.PowerGlue(50.0, exponent, core=1e-3)
    x = TOUCH * np.array([-0.2, -0.01, 0.002, 0.1])
    pull, _ = measured(glue, TOUCH + x)
    assert pull == pytest.approx([power(50.0, exponent, one) for one in x], rel=1e-12)


def test_the_core_is_a_straight_line_that_meets_the_power():
    glue = gr.PowerGlue(50.0, 0.3, core=1e-2)
    s = 1e-2 * TOUCH
    pull, stored = measured(glue, TOUCH + s * np.array([-0.5, 0.25, 1.0, 1.0 + 1e-9]))
    slope = 50.0 * s**-0.7
    assert pull[:3] == pytest.approx(slope * s * np.array([-0.5, 0.25, 1.0]), rel=1e-10)
    assert pull[3] == pytest.approx(pull[2], rel=1e-8)
    assert stored[3] == pytest.approx(stored[2], rel=1e-8)
    assert stored[1] == pytest.approx(0.5 * slope * (0.25 * s) ** 2)


@given(alpha=st.floats(0.1, 6.0), beta=st.floats(0.1, 9.0), strain=st.floats(-0.3, 0.6))
def test_the_potential(alpha, beta, strain):
    """Energy by 3.26 and 3.29; the pull by 3.27, whose sign is that of a pull."""
    if abs(alpha - beta) < 0.01 or abs(strain) < 1e-3:
        return
    glue = gr.PotentialGlue(math.copysign(3.0, alpha - beta), alpha, beta)
    rest = 0.7
    d = rest * (1.0 + strain)
    pull, stored = measured(glue, np.array([d]), rest)
    least = potential(glue, rest, rest)
    size = abs(least) + abs(potential(glue, d, rest))
    assert stored[0] == pytest.approx(potential(glue, d, rest) - least, abs=1e-11 * size)
    b = -alpha / beta * glue.coefficient * rest ** (beta - alpha)
    first, second = alpha * glue.coefficient * d ** (-alpha - 1), beta * b * d ** (-beta - 1)
    assert pull[0] == pytest.approx(-first - second, abs=1e-12 * (abs(first) + abs(second)))


@pytest.mark.parametrize("glue", GLUES, ids=NAMES)
def test_the_stiffness_bounds_the_slope_of_the_pull(glue):
    """The time step is made for it: no steeper while bonds deform by up to 5 %."""
    x = TOUCH * np.linspace(-0.05, 0.05, 401)
    pull, _ = measured(glue, TOUCH + x)
    slopes = np.diff(pull) / np.diff(x)
    bound = glue.stiffness_within(np.array([TOUCH]), 0.05)[0]
    assert slopes.max() <= bound * (1.0 + 1e-9)
    if glue.exponent >= 1.0 if isinstance(glue, gr.PowerGlue) else True:
        assert slopes.max() > 0.9 * bound


@pytest.mark.parametrize("glue", [
    gr.PowerGlue(1e4, strength=0.5), gr.PowerGlue(30.0, 0.5, strength=0.5),
    gr.PowerGlue(30.0, 0.5, strength=1e-3), gr.PotentialGlue(-1500.0, 0.2, 1.0, strength=1e4),
    gr.PotentialGlue(-2.0, 0.2, 8.0, strength=20.0),
], ids=["spring", "root", "within the core", "thesis", "hard"])
def test_a_bond_breaks_where_its_pull_is_the_strength(glue):
    ends = glue.break_distance(np.array([TOUCH]))
    assert ends[0] > TOUCH
    assert measured(glue, ends)[0][0] == pytest.approx(glue.strength, rel=1e-9)


def test_limits_of_a_bond():
    glue = gr.PowerGlue(1e4, strength=5.0, stretch=0.1)
    both = np.array([TOUCH, 0.995 * TOUCH])
    numbers = bond_numbers([glue], np.zeros(2, dtype=np.int64), both, np.full(2, R1),
                           np.full(2, TOUCH))
    assert numbers[0, BREAKS] == pytest.approx(TOUCH + 0.1 * TOUCH)
    assert numbers[0, LONGEST] - TOUCH == pytest.approx(TOUCH - numbers[0, SHORTEST])
    assert numbers[0, LONGEST] == pytest.approx(TOUCH + 0.5 * R1)
    weak = bond_numbers([gr.PowerGlue(1e4, strength=1e-9)], np.zeros(2, dtype=np.int64), both,
                        np.full(2, R1), np.full(2, TOUCH))
    assert weak[1, BREAKS] == TOUCH  # not before the spheres have parted


@pytest.mark.parametrize(("make", "said"), [
    (lambda: gr.PowerGlue(0.0), "stiffness must be greater than 0"),
    (lambda: gr.PowerGlue(1e4, 0.0), "exponent must be greater than 0"),
    (lambda: gr.PowerGlue(1e4, damping=-0.1), "damping must be at least 0"),
    (lambda: gr.PowerGlue(1e4, damping=3.0), "damping must be at most 2"),
    (lambda: gr.PowerGlue(1e4, strength=0.0), "strength must be greater than 0"),
    (lambda: gr.PowerGlue(1e4, stretch=-1.0), "stretch must be greater than 0"),
    (lambda: gr.PowerGlue(1e4, core=0.0), "core must be greater than 0"),
    (lambda: gr.PowerGlue("stiff"), "stiffness must be a number"),
    (lambda: gr.PotentialGlue(1500.0, 0.2, 1.0), "coefficient must be negative"),
    (lambda: gr.PotentialGlue(-1.0, 2.0, 1.0), "coefficient must be positive"),
    (lambda: gr.PotentialGlue(-1.0, 2.0, 2.0), "beta must differ from alpha"),
    (lambda: gr.PotentialGlue(-1.0, 0.0, 2.0), "alpha must be greater than 0"),
    (lambda: gr.PotentialGlue(-1.0, 1.0, float("nan")), "beta must be a finite number"),
])
def test_what_is_refused(make, said):
    with pytest.raises(gr.InputError, match=said):
        make()


def test_a_strength_that_is_never_reached_is_refused():
    glue = gr.PotentialGlue(-2.0, 0.2, 1.0, strength=1e9)
    with pytest.raises(gr.InputError, match="more than this glue ever pulls"):
        glue.break_distance(np.array([TOUCH]))

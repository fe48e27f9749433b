"""Head-on collisions: restitution, duration, depth and force, against closed forms."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.special import beta
from two_grains import meeting, returned

from granum.laws import HertzMindlin, KuwabaraKono, LinearRepulsive, LinearViscoelastic
from granum.laws.damping import without_attraction

RESTITUTIONS = (0.1, 0.13, 0.14, 0.3, 0.6, 0.9, 1.0)  # critical damping lies at exp(-2) = 0.1353
SIZES = (5e-3, 5e-3)  # other sizes stand in `two_grain_table`
T_C = 1e-4
HERTZ = 2.943275  # contact time of an elastic Hertz collision, in depths by speeds


def depth(law, m, radius, speed):
    """Return how deep an elastic Hertz collision goes [m]."""
    normal = law.young / (2.0 * (1.0 - law.poisson**2))
    return (15.0 * m * speed**2 / (16.0 * normal * math.sqrt(radius))) ** 0.4


def pair(sizes, density=2500.0):
    """Return effective mass [kg] and effective radius [m]."""
    masses = [4.0 / 3.0 * math.pi * r**3 * density for r in sizes]
    return 1.0 / sum(1.0 / m for m in masses), 1.0 / sum(1.0 / r for r in sizes)


def hertz_time(law, sizes, speed, density=2500.0):
    return HERTZ * depth(law, *pair(sizes, density), speed) / speed


# ---- linear, without attraction ------------------------------------------------------------------


@pytest.mark.parametrize("restitution", RESTITUTIONS)
def test_linear_repulsive_returns_the_restitution(restitution):
    law = LinearRepulsive(restitution, T_C, friction=0.5)
    collision = meeting(law, SIZES, (0.0, 0.0, -0.01), T_C / 200.0)
    assert returned(collision) == pytest.approx(restitution, abs=1e-4)
    assert min(collision.course.normal) >= 0.0


@pytest.mark.parametrize("restitution", [0.05, 0.3, 0.8, 1.0])
def test_linear_repulsive_pushes_for_the_contact_time(restitution):
    law = LinearRepulsive(restitution, T_C)
    collision = meeting(law, SIZES, (0.0, 0.0, -0.01), T_C / 400.0)
    course = collision.run()
    last = max(t for t, f in zip(course.time, course.normal, strict=True) if f > 0.0)
    assert last == pytest.approx(T_C, abs=2.0 * T_C / 400.0)


def test_only_the_attractive_law_attracts():
    for law, attracts in ((LinearViscoelastic(0.5, T_C), True), (LinearRepulsive(0.5, T_C), False)):
        course = meeting(law, SIZES, (0.0, 0.0, -0.01), T_C / 100.0).run()
        assert (min(course.normal) < 0.0) == attracts


def test_damping_is_the_published_one():
    """Schwager & Pöschel's two branches, which meet at ζ = 1/√2, up to critical damping."""
    for zeta in (0.01, 0.2, 0.5, 0.7, 0.75, 0.9, 0.99):
        w = math.sqrt(1.0 - zeta**2)
        e = math.exp(-zeta / w * (math.pi - math.atan2(2.0 * zeta * w, 1.0 - 2.0 * zeta**2)))
        found = without_attraction(e)
        assert found.ratio == pytest.approx(zeta, rel=1e-10)
        assert found.ratio * found.phase == pytest.approx(-math.log(e), rel=1e-12)


@pytest.mark.parametrize("restitution", [1e-6, 0.01, 0.1, 0.135, 0.13534, 0.1355, 0.5, 0.999])
def test_damping_solves_the_equation_of_motion(restitution):
    """Any restitution, also beyond critical damping: δ'' + 2 ζ δ' + δ = 0 until δ'' = 0."""
    found = without_attraction(restitution)
    path = solve_ivp(lambda _, y: (y[1], -2.0 * found.ratio * y[1] - y[0]), (0.0, found.phase),
                     (0.0, 1.0), rtol=1e-11, atol=1e-14)
    overlap, rate = path.y[:, -1]
    assert -rate == pytest.approx(restitution, rel=1e-7)
    assert overlap + 2.0 * found.ratio * rate == pytest.approx(0.0, abs=1e-9)


# ---- Hertz ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("restitution", RESTITUTIONS)
def test_hertz_returns_the_restitution(restitution):
    law = HertzMindlin(1e9, 0.3, restitution, friction=0.5)
    step = hertz_time(law, SIZES, 1.0) / 300.0
    collision = meeting(law, SIZES, (0.0, 0.0, -1.0), step)
    assert returned(collision) == pytest.approx(restitution, abs=5e-4)
    assert min(collision.course.normal) >= 0.0


def test_hertz_restitution_does_not_depend_on_the_speed():
    law = HertzMindlin(1e9, 0.3, 0.4)
    for speed in (1e-3, 3.9):
        step = hertz_time(law, SIZES, speed) / 300.0
        found = returned(meeting(law, SIZES, (0.0, 0.0, -speed), step))
        assert found == pytest.approx(0.4, abs=5e-4)


RIGID = HertzMindlin(1e15, 0.0, 1.0)
CHUNG_OOI = [  # tests 1 to 3: law, sizes, speed of approach, density; F_max, d_max, t_c
    (HertzMindlin(48e9, 0.20, 1.0), (0.01, 0.01), 20.0, 2800.0, 10.697e3, 274.11e-6, 40.339e-6),
    (HertzMindlin(20e9, 0.25, 1.0), (0.01, 0.01), 20.0, 2500.0, 7.1082e3, 368.30e-6, 54.201e-6),
    (HertzMindlin(70e9, 0.30, 1.0).mixed(RIGID), (0.1, math.inf), 0.2, 2699.0, 11.370e3,
     49.717e-6, 731.66e-6),
]


@pytest.mark.parametrize(("law", "sizes", "speed", "density", "f_max", "d_max", "t_c"), CHUNG_OOI)
def test_hertz_impacts_of_chung_and_ooi(law, sizes, speed, density, f_max, d_max, t_c):
    """Elastic impacts of glass, limestone, aluminium (Granular Matter 13 (2011) 643)."""
    collision = meeting(law, sizes, (0.0, 0.0, -speed), t_c / 500.5, density=density)
    course = collision.run()
    assert max(course.normal) == pytest.approx(f_max, rel=3e-3)
    assert max(course.overlap) == pytest.approx(d_max, rel=3e-3)
    assert course.time[-1] == pytest.approx(t_c, rel=3e-3)


def test_hertz_damping_against_the_published_fit():
    """Thornton, Cummins & Cleary (2013): a polynomial for c = 2 γ √(m dF/dδ), made without the
    exact relation; good to 3e-4 in e up to 0.9."""
    h = (-6.918798, -16.41105, 146.8049, -796.4559, 2928.711, -7206.864, 11494.29, -11342.18,
         6276.757, -1489.915)
    for e in np.linspace(0.1, 0.9, 17):
        a = sum(c * e ** (k + 1) for k, c in enumerate(h))
        fit = math.sqrt(1.0 / (1.0 - (1.0 + e) ** 2 * math.exp(a)) - 1.0)
        ours = HertzMindlin(1e9, 0.3, float(e)).coefficients()[1] / math.sqrt(6.0)
        assert ours == pytest.approx(fit, rel=1.5e-3)


# ---- Kuwabara and Kono ---------------------------------------------------------------------------


def test_kuwabara_kono_loses_what_the_first_order_says():
    """1 - e = 6/5 B(3/5, 3/2) (5/4)^(3/5) A κ^(2/5) v^(1/5) for weak damping."""
    elastic = HertzMindlin(1e9, 0.3, 1.0)
    m, radius = pair(SIZES)
    kappa = 4.0 / 3.0 * 1e9 / (2.0 * (1.0 - 0.09)) * math.sqrt(radius) / m
    for speed in (0.01, 1.0):
        t_c = hertz_time(elastic, SIZES, speed)
        delay = 1e-3 * t_c
        law = KuwabaraKono(1e9, 0.3, delay)
        loss = 1.2 * beta(0.6, 1.5) * 1.25**0.6 * delay * kappa**0.4 * speed**0.2
        found = 1.0 - returned(meeting(law, SIZES, (0.0, 0.0, -speed), t_c / 400.0))
        assert found == pytest.approx(loss, rel=1e-2)


@pytest.mark.parametrize("share", [0.05, 0.5])
def test_kuwabara_kono_against_an_independent_integration(share):
    """Strong damping, up to the end of the force: x'' = -x^1.5 - 1.5 A √x x', A in own units."""
    elastic = HertzMindlin(1e9, 0.3, 1.0)
    t_c = hertz_time(elastic, SIZES, 1.0)
    unit = t_c / (HERTZ * 1.25**0.4)  # time in which κ = 1 and v = 1: depth (5/4)^(2/5)
    late = share * t_c / unit

    def over(_, y):
        return y[0] + 1.5 * late * y[1]

    over.terminal, over.direction = True, -1
    path = solve_ivp(lambda _, y: (y[1], -math.sqrt(y[0]) * over(0.0, y)), (0.0, 20.0),
                     (1e-9, 1.0), rtol=1e-10, atol=1e-13, events=over)
    collision = meeting(KuwabaraKono(1e9, 0.3, share * t_c), SIZES, (0.0, 0.0, -1.0),
                        t_c / 500.0)
    assert returned(collision) == pytest.approx(-path.y[1, -1], abs=1e-3)
    assert min(collision.course.normal) >= 0.0


def test_kuwabara_kono_returns_less_of_a_faster_approach():
    law = KuwabaraKono(1e9, 0.3, 4e-6)
    elastic = HertzMindlin(1e9, 0.3, 1.0)
    found = []
    for speed in (1e-3, 1e-2, 1e-1, 1.0):
        step = hertz_time(elastic, SIZES, speed) / 200.0
        found.append(returned(meeting(law, SIZES, (0.0, 0.0, -speed), step)))
    assert found == sorted(found, reverse=True)
    assert found[0] - found[-1] > 0.05

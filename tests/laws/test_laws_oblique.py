"""Oblique impacts on a wall: all of the contact slides, none of it slips, or something between.

A sphere comes in with the velocity (v_t, 0, -v_n) without spin, tan α = v_t / v_n. The impulse in
the contact plane is μ times that along the normal if it slides throughout, which asks for
tan α > 7/2 μ (1 + e) (Walton's limit; Maw, Barber & Fawcett, Wear 38 (1976) 101).
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from two_grains import meeting

from granum.laws import HertzMindlin, KuwabaraKono, LinearRepulsive

RADIUS = 1e-2
NORMAL = 0.1  # speed along the normal [m/s]
T_C = 1.1e-4  # about that of all laws here [s]


def hertz(restitution, mu):
    return HertzMindlin(7e10, 0.3, restitution, mu)


def linear(restitution, mu):
    return LinearRepulsive(restitution, T_C, mu)


def impact(law, tangent, steps=300):
    """Return the collision, after it, of an impact with tan α = ``tangent``."""
    speed = tangent * NORMAL
    collision = meeting(law, (RADIUS, math.inf), (speed, 0.0, -NORMAL), T_C / steps)
    collision.run()
    return collision


def rebound(collision, tangent):
    """Return -u'/u, the share of the slip velocity that is given back."""
    slip = collision.i.velocity[0] - RADIUS * collision.i.spin[1]
    return -slip / (tangent * NORMAL)


@pytest.mark.parametrize("make", [hertz, linear])
@pytest.mark.parametrize("restitution", [1.0, 0.6, 0.2])
@pytest.mark.parametrize("mu", [0.1, 0.5])
def test_sliding_branch(make, restitution, mu):
    """e_t = 1 - μ (1 + e) / tan α, spin = 5/2 μ (1 + e) v_n / R."""
    tangent = 1.3 * 3.5 * mu * (1.0 + restitution)
    after = impact(make(restitution, mu), tangent).i
    assert after.velocity[0] / (tangent * NORMAL) == pytest.approx(
        1.0 - mu * (1.0 + restitution) / tangent, abs=5e-4)
    spin = 2.5 * mu * (1.0 + restitution) * NORMAL / RADIUS
    assert after.spin[1] == pytest.approx(spin, rel=2e-3)


def test_sliding_branch_of_viscous_spheres():
    """The same with the restitution that the impact happens to have."""
    after = impact(KuwabaraKono(7e10, 0.3, 5e-6, 0.2), 3.0).i
    restitution = after.velocity[2] / NORMAL
    assert 0.5 < restitution < 0.95
    assert after.velocity[0] == pytest.approx(
        3.0 * NORMAL - 0.2 * (1.0 + restitution) * NORMAL, rel=1e-6)


def stuck(restitution):
    """Return the slip velocity given back if nothing ever slips, by another way.

    In units of κ = m = v_n = 1: loading, dT = k_t u dt; unloading, T = k_t s; until F_n is zero.
    """
    law = hertz(restitution, 1.0)
    e_star, gamma, g_star, twice_zeta, _ = law.coefficients()
    ratio, lighter = g_star / e_star, 2.0 / 7.0  # k_t / k, m_t / m

    def forces(x, v, u, pull):
        k = math.sqrt(max(x, 0.0))
        damping = twice_zeta * math.sqrt(lighter * ratio * k)
        return k * x + gamma * math.sqrt(k) * v, pull + damping * u

    def loading(_, y):
        x, v, u, pull = y
        f_n, f_t = forces(x, v, u, pull)
        return v, -f_n, -f_t / lighter, ratio * math.sqrt(max(x, 0.0)) * u

    def unloading(_, y):
        x, v, u, s = y
        f_n, f_t = forces(x, v, u, ratio * math.sqrt(max(x, 0.0)) * s)
        return v, -f_n, -f_t / lighter, u

    def turn(_, y):
        return y[1]

    def end(_, y):
        return forces(*y[:3], 0.0)[0] - 1e-9

    turn.terminal = end.terminal = True
    how = {"rtol": 1e-10, "atol": 1e-12}
    deep = solve_ivp(loading, (0.0, 10.0), (0.0, 1.0, 1.0, 0.0), events=turn, **how).y[:, -1]
    deep[3] /= ratio * math.sqrt(deep[0])
    return -solve_ivp(unloading, (0.0, 10.0), deep, events=end, **how).y[2, -1]


@pytest.mark.parametrize("restitution", [1.0, 0.7, 0.3])
def test_sticking_limit(restitution):
    """Without slip the share given back is one number, whatever the angle."""
    wanted = stuck(restitution)
    for tangent in (1e-3, 1.0):
        found = rebound(impact(hertz(restitution, 1e9), tangent), tangent)
        assert found == pytest.approx(wanted, abs=2e-3)


def test_from_sticking_to_sliding():
    """Elastic spheres: what is given back leaves the sticking limit and meets sliding at last.

    Mixed impacts first slide, then stick, and give slip back; angular momentum about the point of
    contact is kept, and the impulse in the plane stays below μ times that along the normal.
    """
    mu, law = 0.3, hertz(1.0, 0.3)
    limit = stuck(1.0)
    for share in (0.02, 0.5, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.5):  # tan α / μ
        tangent = share * mu
        collision = impact(law, tangent)
        after, v_t = collision.i, tangent * NORMAL
        assert after.velocity[0] + 0.4 * RADIUS * after.spin[1] == pytest.approx(v_t, rel=1e-9)
        impulse = (v_t - after.velocity[0]) / (after.velocity[2] + NORMAL)
        assert 0.0 < impulse <= mu * (1.0 + 1e-4)
        back = rebound(collision, tangent)
        if share < 0.1:
            assert back == pytest.approx(limit, abs=5e-3)
        elif 2.0 <= share <= 6.0:
            assert 0.05 < back < 0.5
        elif share > 7.0:
            assert back == pytest.approx(7.0 / share - 1.0, abs=1e-3)


@pytest.mark.parametrize("restitution", [1.0, 0.5])
def test_two_spheres_share_the_impulse(restitution):
    """Sliding between unlike spheres: momentum is kept, and each takes its share of spin."""
    mu, small, large = 0.2, 5e-3, 2e-2
    law = HertzMindlin(7e10, 0.3, restitution, mu)
    collision = meeting(law, (small, large), (0.4, 0.0, -NORMAL), 2e-7)
    i, j = collision.i, collision.j
    before = i.mass * i.velocity
    collision.run()
    np.testing.assert_allclose(i.mass * i.velocity + j.mass * j.velocity, before, rtol=1e-9,
                               atol=1e-12)
    impulse = mu * (1.0 + restitution) * NORMAL / (1.0 / i.mass + 1.0 / j.mass)
    assert i.spin[1] == pytest.approx(impulse * small / i.inertia, rel=3e-3)
    assert j.spin[1] == pytest.approx(impulse * large / j.inertia, rel=3e-3)

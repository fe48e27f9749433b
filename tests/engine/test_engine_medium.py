"""Damping and drag on each grain: closed forms, order of convergence, what is refused, bits.

All runs have the same law with different numbers, so that one compiled step serves most of this
file and `test_budget`.
"""

import math

import numpy as np
import pytest
from engine_worlds import agitate, reloaded

import granum as gr
from granum.errors import InputError
from granum.laws import medium_of
from granum.output.describe import from_plain, to_plain
from granum.scenario.build import understand
from granum.scenario.problems import Document, ScenarioError
from granum.scenario.schema import build_choice

G = 9.81
T_C = 1e-3
RADIUS, DENSITY = 5e-3, 2500.0
MASS = 4.0 / 3.0 * math.pi * RADIUS**3 * DENSITY
INERTIA = 0.4 * MASS * RADIUS**2


def law(*medium, friction=0.0):
    return gr.With(gr.LinearViscoelastic(0.5, T_C, friction), gr.RollingResistance(0.1, T_C),
                   *medium)


def flying(medium, step, *, gravity=(0, 0, 0), radius=RADIUS, dimension=3, **state):
    world = gr.World(gravity=gravity, dimension=dimension, domain=((-9, -9, -9), (9, 9, 9)))
    sizes = np.atleast_1d(radius)
    shape = gr.Disc(sizes) if dimension == 2 else gr.Sphere(sizes)
    places = [(0.1 * k, 0, 0) for k in range(len(sizes))]
    world.add(shape, at=places, density=DENSITY, **state)
    return gr.Simulation(world, law(medium), time_step=step, threads=1, budget=True)


TAU = 2e-4  # in which a motion falls to 1/e [s]


@pytest.mark.parametrize("medium", [
    gr.Damping(MASS / TAU, INERTIA / TAU), gr.Drag(INERTIA / TAU / (8 * math.pi * RADIUS**3)),
], ids=["damping", "drag"])
def test_motion_and_spin_decay_exponentially_with_second_order(medium):
    """v = v_0 exp(-C t / m) and ω = ω_0 exp(-C* t / I); Stokes' v is slower by 10/3."""
    c, d, c_spin, d_spin = medium.medium()[:4]
    rates = (c + d * RADIUS) / MASS, (c_spin + d_spin * RADIUS**3) / INERTIA
    v, w = np.array([0.3, -0.2, 0.1]), np.array([10.0, -40.0, 20.0])
    errors = []
    for parts in (10, 20, 40):
        sim = flying(medium, TAU / parts, velocity=v, spin=w)
        sim.step(2 * parts)
        decay = [math.exp(-rate * 2 * TAU) for rate in rates]
        errors.append([np.abs(sim.world.velocity[0] / v - decay[0]).max(),
                       np.abs(sim.world.spin[0] / w - decay[1]).max()])
    errors = np.array(errors)
    assert (errors[-1] < 3e-4).all()
    orders = np.log2(errors[:-1] / errors[1:])
    assert ((orders > 1.8) & (orders < 2.4)).all(), orders


def test_a_grain_that_comes_later_is_resisted_from_its_first_step():
    """Its rates at the start hold what the medium does, or its first step would be wrong."""
    medium = gr.Damping(MASS / TAU, INERTIA / TAU)
    sim = flying(medium, TAU / 40, velocity=(0.1, 0, 0))
    sim.step(10)
    sim.world.add(gr.Sphere(RADIUS), at=[(0, 0.1, 0)], density=DENSITY, velocity=(0, 0.5, 0),
                  spin=(0, 0, 30.0))
    sim.step(40)
    assert sim.world.velocity[1, 1] / 0.5 == pytest.approx(math.exp(-1), abs=2e-4)
    assert sim.world.spin[1, 2] / 30.0 == pytest.approx(math.exp(-1), abs=2e-4)


def test_terminal_velocity():
    """m g / C whatever the shape of the fall; with Stokes' drag u + 2/9 ρ g r² / η."""
    sim = flying(gr.Damping(MASS / 0.01), 1e-4, gravity=(0, 0, -G))
    sim.run(0.3)
    assert sim.world.velocity[0, 2] == pytest.approx(-G * 0.01, rel=1e-9)
    radius, eta, wind = np.array([0.5e-3, 1e-3, 2e-3]), 0.1, np.array([0.02, 0.0, 0.03])
    sim = flying(gr.Drag(eta, tuple(wind)), 4e-5, gravity=(0, 0, -G), radius=radius)
    sim.run(0.4)
    falls = wind - np.outer(2.0 / 9.0 * DENSITY * G * radius**2 / eta, [0, 0, 1.0])
    np.testing.assert_allclose(sim.world.velocity, falls, rtol=1e-6, atol=1e-12)


def test_discs_are_damped():
    mass = math.pi * RADIUS**2 * DENSITY
    medium = gr.Damping(mass / TAU, 0.5 * mass * RADIUS**2 / TAU)
    sim = flying(medium, TAU / 40, dimension=2, velocity=(0.1, 0.2, 0), spin=(0, 0, 20.0))
    sim.step(40)
    np.testing.assert_allclose(sim.world.velocity[0, :2] / [0.1, 0.2], math.exp(-1), atol=2e-4)
    assert sim.world.spin[0, 2] / 20.0 == pytest.approx(math.exp(-1), abs=2e-4)


def gas(medium, **options):
    world = gr.World(gravity=(0, 0, -40.0), seed=4)
    world.add(gr.Box((0, 0, 0), (0.05, 0.05, 0.05)))
    world.add(gr.Random(radius=RADIUS, count=40, spread=0.2), density=DENSITY)
    agitate(world, 1.5)
    return gr.Simulation(world, law(*medium, friction=0.4), time_step=5e-5,
                         **{"threads": 1, **options})


def test_nothing_changes_where_the_coefficients_are_zero():
    """Neither a medium of nothing nor the counting of work changes a bit."""
    plain, counted = gas(()), gas([gr.Damping(), gr.Drag(0.0)], budget=True)
    for sim in (plain, counted):
        sim.step(600)
    assert len(plain.contacts()) > 5
    assert counted.fingerprint() == plain.fingerprint()
    damped = gas([gr.Damping(1e-3)], budget=True)
    damped.step(600)
    assert damped.fingerprint() != plain.fingerprint()


def test_a_damped_run_goes_on_bitwise(tmp_path):
    whole = gas([gr.Damping(1e-2, 1e-7), gr.Drag(0.1, (0.1, 0, 0))], budget=True)
    parts = gas([gr.Damping(1e-2, 1e-7), gr.Drag(0.1, (0.1, 0, 0))], budget=True)
    whole.step(300)
    parts.step(130)
    parts = reloaded(parts, tmp_path / "half.h5")
    parts.step(170)
    assert parts.fingerprint() == whole.fingerprint()
    assert parts.budget() == whole.budget()


# ---- without the engine ----------------------------------------------------------------------


def test_a_time_step_too_long_for_the_damping_is_refused():
    world = gr.World()
    world.add(gr.Sphere([RADIUS, 2 * RADIUS]), at=[(0, 0, 0), (0.1, 0, 0)], density=DENSITY)
    for medium, tau in ((gr.Damping(MASS / TAU), TAU), (gr.Damping(0, INERTIA / TAU), TAU),
                        (gr.Drag(1.0), INERTIA / (8 * math.pi * RADIUS**3))):
        steps = medium.time_steps(*world.sizes())
        assert steps.longest == pytest.approx(0.1 * tau)
        assert steps.recommended == pytest.approx(0.02 * tau)
    with pytest.raises(InputError, match=r"too long .* at most 2e-05 s is stable"):
        gr.Simulation(world, law(gr.Damping(MASS / TAU)), time_step=2.1e-5)
    assert law(gr.Damping()).time_steps(*world.sizes()).recommended == T_C / 50


def test_drag_on_discs_is_refused():
    for made in (law(gr.Drag(1.0)), gr.Pairs(law(gr.Drag(1.0)), {"steel": {"friction": 0.1}})):
        with pytest.raises(InputError, match="use Damping in a 2D world"):
            medium_of(made, 2)


@pytest.mark.parametrize(("make", "words"), [
    (lambda: gr.Damping(-1.0), "translational must be at least 0"),
    (lambda: gr.Damping(0.0, math.nan), "rotational must be a finite number"),
    (lambda: gr.Drag(-1e-3), "viscosity must be at least 0"),
    (lambda: gr.Drag(1e-3, (0.0, 1.0)), "velocity must have shape"),
    (lambda: gr.Damping(1.0).mixed(gr.Damping(2.0)), "must be the same for all"),
    (lambda: gr.Pairs(law(gr.Damping(1.0)), {"steel": {"damping.translational": 2.0}}),
     "has no parameter 'damping.translational'"),
])
def test_values_without_a_meaning_are_refused(make, words):
    with pytest.raises(InputError, match=words):
        make()


def test_a_medium_is_no_part_of_the_contacts():
    """The law itself is compiled in, not one made of parts; two fluids are one."""
    base = gr.LinearViscoelastic(0.5, T_C, 0.3)
    damped = gr.With(base, gr.Damping(1.0), gr.Drag(2.0, (1.0, 0, 0)), gr.Drag(1.0, (0, 3.0, 0)))
    assert damped.kernel() is base.kernel()
    assert damped.potential() is base.potential()
    assert damped.couple() is None
    assert damped.signs == ()
    np.testing.assert_allclose(
        medium_of(damped, 3), [1.0, 18 * math.pi, 0.0, 24 * math.pi, 2 / 3, 1.0, 0.0])
    assert len(medium_of(base, 3)) == 0
    assert from_plain(to_plain(damped)) == damped


SCENE = {
    "materials": {"glass": {"density": 2500}},
    "law": {"type": "linear_viscoelastic", "restitution": 0.5, "contact_time": "1 ms",
            "add": [{"type": "damping", "translational": "1 N s/m", "rotational": "1e-3 N m s"},
                    {"type": "drag", "viscosity": "1 mPa s", "velocity": ["1 cm/s", 0, 0]}]},
    "grains": [{"type": "explicit", "points": [[0, 0, 0]], "radius": "5 cm"}],
    "run": {"duration": 0.01},
}


def test_scenarios_know_damping_and_drag():
    found = understand(Document(SCENE, "", "damped.toml")).law
    assert found.addons == (gr.Damping(1.0, 1e-3), gr.Drag(1e-3, (0.01, 0.0, 0.0)))
    assert build_choice({"drag": gr.Drag}, {"type": "drag", "viscosity": "2 cP"}).viscosity == 2e-3
    with pytest.raises(ScenarioError, match="unknown unit 'm2/s'"):
        build_choice({"drag": gr.Drag}, {"type": "drag", "viscosity": "1 m2/s"})
    flat = {**SCENE, "world": {"dimension": 2}}
    with pytest.raises(ScenarioError, match="use Damping in a 2D world"):
        understand(Document(flat, "", "damped.toml"))

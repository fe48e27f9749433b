"""Add-ons and their composition, as plain functions: no engine."""

import importlib.util
import itertools
import math
import sys

import numpy as np
import pytest
from scipy.integrate import quad

import granum as gr
from granum.contact.model import Touch, Turning
from granum.errors import InputError
from granum.laws import compose, model_of
from granum.laws.compose import Part
from granum.output.describe import from_plain, to_plain
from granum.sources import source_of

BASE = gr.LinearViscoelastic(0.6, 1e-3, friction=0.4)
ROLLING = gr.RollingResistance(0.1, contact_time=2e-3, twisting=0.05, restitution=0.7)
COHESION = gr.Cohesion(3e-4)
ADHESION = gr.Adhesion(work=0.05, neck=2e-6)
BRIDGE = gr.CapillaryBridge(surface_tension=0.072, volume=1e-11, contact_angle=0.3)
ADDONS = [ROLLING, COHESION, ADHESION, BRIDGE]
RADIUS = 4e-4  # effective [m]


def touching(overlap, *, rate=0.0, spring=(0.0, 0.0, 0.0), slip=(0.0, 0.0, 0.0), lasting=1.0):
    return Touch(overlap, rate, 1e-6, 2e-7, RADIUS, *spring, *slip, lasting, 1e-5)


SLIDING = touching(1e-6, rate=0.01, spring=(1e-7, -2e-7, 3e-7), slip=(0.001, 0.002, -0.001))


def force_of(law, touch, state=None):
    state = (0.0,) * law.remembers if state is None else state
    return law.kernel()(tuple(law.coefficients()), touch, state)


def energy_of(law, touch, state):
    return sum(law.potential()(tuple(law.coefficients()), touch, state))


# ---- composition -----------------------------------------------------------------------------


def test_a_law_without_addons_is_itself():
    law = gr.With(BASE)
    assert force_of(law, SLIDING) == force_of(BASE, SLIDING)
    assert law.couple() is None
    assert law.potential()(tuple(law.coefficients()), SLIDING, ()) == BASE.potential()(
        tuple(BASE.coefficients()), SLIDING, ())


@pytest.mark.parametrize("addons", list(itertools.permutations(ADDONS, 3)))
def test_parts_stand_one_after_the_other_in_any_order(addons):
    """The sum of the parts, each asked alone with its own numbers and its own state."""
    law = gr.With(BASE, *addons)
    own, pull, spring, _ = force_of(BASE, SLIDING)
    f_n, composed_pull, composed_spring, after = force_of(law, SLIDING)
    assert (composed_pull, composed_spring) == (pull, spring)
    expected, state = own, []
    for addon in addons:
        kernel = addon.kernel()
        more, kept = (0.0, (0.0,) * 4) if kernel is None else kernel(
            addon.coefficients(), SLIDING, (0.0,) * len(addon.signs))
        expected, state = expected + more, [*state, *kept]
    assert f_n == pytest.approx(expected, rel=1e-14)
    assert after[:law.remembers] == tuple(state)
    assert len(law.signs) == law.remembers == sum(len(addon.signs) for addon in addons)
    assert law.range == max(addon.range for addon in addons)
    sizes = np.array([1e-3]), np.array([1e-5])
    assert law.time_steps(*sizes) == tuple(map(min, zip(
        *(part.time_steps(*sizes) for part in (BASE, *addons)), strict=True)))


def test_the_couple_knows_the_repulsion_of_the_law_alone():
    law = gr.With(BASE, gr.Cohesion(1.0), ROLLING)  # pulls far more than the law pushes
    f_n, _, _, after = force_of(law, SLIDING)
    assert f_n < -0.9
    turning = Turning(0.0, 0.0, 1.0, 1e3, 0.0, 0.0, 0.0, 5e-6, 5e-6)
    moment, state = law.couple()(tuple(law.coefficients()), SLIDING, turning, f_n, after)
    own = force_of(BASE, SLIDING)[0]
    np.testing.assert_allclose(moment, (0.1 * RADIUS * own, 0.0, 0.0), rtol=1e-13)
    assert len(state) == law.remembers


def test_one_law_is_never_asked_across_a_gap():
    law = gr.With(BASE, BRIDGE)
    apart = touching(-1e-6, rate=0.01, spring=(1e-6, 0.0, 0.0), slip=(0.001, 0.0, 0.0))
    f_n, pull, spring, state = force_of(law, apart, (1.0,))
    assert f_n == BRIDGE.kernel()(BRIDGE.coefficients(), apart, (1.0,))[0] < 0.0
    assert pull == spring == (0.0, 0.0, 0.0)
    assert state == (1.0,)
    assert force_of(law, apart, (0.0,))[0] == 0.0


class Remembering:
    """A law that remembers two numbers."""

    remembers = 2
    range = 0.0

    def coefficients(self):
        return np.array([7.0])

    def kernel(self):
        return remember

    def potential(self):
        return lambda p, touch, state: (p[0], state[1])


def remember(p, touch, state):
    assert touch.overlap >= 0.0
    return p[0], (0.0, 0.0, 0.0), (1.0, 1.0, 1.0), (state[0] + 1.0, state[1] + 2.0)


def test_the_state_of_the_law_is_forgotten_across_a_gap():
    law = gr.With(Remembering(), ADHESION)
    assert force_of(law, touching(1e-6), (5.0, 5.0, 0.0))[3] == (6.0, 7.0, 1.0)
    f_n, _, spring, state = force_of(law, touching(-1e-6), (5.0, 5.0, 1.0))
    assert f_n < 0.0
    assert (spring, state) == ((0.0, 0.0, 0.0), (0.0, 0.0, 1.0))
    p = tuple(law.coefficients())
    assert law.potential()(p, touching(1e-6), (5.0, 4.0, 1.0))[1] == 4.0
    assert law.potential()(p, touching(-1e-6), (5.0, 4.0, 1.0))[1] == 0.0


def test_the_same_composition_is_the_same_function():
    first, second = (gr.With(BASE, gr.Cohesion(f), ROLLING) for f in (1e-4, 2e-4))
    for name in ("kernel", "couple", "potential"):
        assert getattr(first, name)() is getattr(second, name)()
    assert first.kernel() is not gr.With(BASE, ROLLING, COHESION).kernel()
    model, _ = model_of(first, ["glass"], 1e-5)
    assert model == model_of(second, ["glass"], 1e-5)[0]
    assert model.signs == (-1.0, -1.0, -1.0, 1.0)
    assert not model.far


def test_nested_and_equal():
    assert gr.With(gr.With(BASE, COHESION), ROLLING) == gr.With(BASE, COHESION, ROLLING)
    assert hash(gr.With(BASE, COHESION)) == hash(gr.With(BASE, addons=[COHESION]))


def test_files_keep_it():
    law = gr.With(BASE, *ADDONS)
    assert from_plain(to_plain(law)) == law


def test_what_is_no_addon_is_refused():
    with pytest.raises(InputError, match="LinearViscoelastic is not an add-on"):
        gr.With(BASE, BASE)
    with pytest.raises(InputError, match=r"Pairs\(With"):
        gr.With(gr.Pairs(BASE, {"glass": {"friction": 0.1}}), COHESION)


def test_materials_mix_part_by_part():
    law = gr.With(BASE, COHESION, ROLLING)
    pairs = gr.Pairs(law, {"steel": {"friction": 0.1, "cohesion.force": 12e-4,
                                     "rolling_resistance.coefficient": 0.4}})
    between = pairs.between("glass", "steel")
    assert between.law == BASE.mixed(gr.LinearViscoelastic(0.6, 1e-3, friction=0.1))
    assert between.addons[0].force == pytest.approx(6e-4)
    assert between.addons[1].coefficient == pytest.approx(0.2)
    model, numbers = model_of(pairs, ["glass", "steel"], 1e-5)
    assert model.mixed
    assert len(numbers.p) == 4 * model.coefficients == 4 * len(law.coefficients())
    with pytest.raises(InputError, match=r"did you mean 'cohesion\.force'"):
        gr.Pairs(law, {"steel": {"cohesion.forces": 1.0}})
    with pytest.raises(InputError, match="same add-ons"):
        law.mixed(gr.With(BASE, ROLLING, COHESION))


@pytest.mark.parametrize("addon", ADDONS)
def test_a_mixture_with_oneself_is_oneself(addon):
    np.testing.assert_allclose(addon.mixed(addon).coefficients(), addon.coefficients(), rtol=1e-14)


PART = """
STRENGTH = 1.0

def pull(p, touch, state):
    return -STRENGTH * p[0], state
"""


def test_an_edit_of_any_part_is_seen(tmp_path):
    seen = []
    for k, text in enumerate((PART, PART.replace("1.0", "2.0"), PART)):
        path = tmp_path / str(k) / "my_addon.py"
        path.parent.mkdir()
        path.write_text(text)
        spec = importlib.util.spec_from_file_location("my_addon", path)
        sys.modules["my_addon"] = module = importlib.util.module_from_spec(spec)
        try:
            spec.loader.exec_module(module)
            base, addon = Part(BASE.kernel(), 0, 5, 0, 0), Part(module.pull, 5, 6, 0, 0)
            seen.append(source_of(compose.force(base, (addon,), False, False)))
        finally:
            del sys.modules["my_addon"]
    assert seen[0] == seen[2] != seen[1]


# ---- rolling ---------------------------------------------------------------------------------

N = np.array([2.0, -1.0, 2.0]) / 3.0
ROLL = np.array([1.0, 2.0, 0.0]) / math.sqrt(5.0)


def roll(spin, f_n=1.0, state=(0.0, 0.0, 0.0, 0.0), *, twist=0.0, past=0.0, ahead=0.0):
    turning = Turning(*N, *spin, twist, past, ahead)
    return ROLLING.couple()(tuple(ROLLING.coefficients()), touching(1e-6), turning, f_n, state)


def test_rolling_on_meets_the_bound_and_twisting_its_own():
    moment, springs = roll(1e7 * ROLL + 1e7 * N, f_n=2.0)
    np.testing.assert_allclose(moment, 2.0 * RADIUS * (0.1 * ROLL + 0.05 * N), rtol=1e-12)
    assert springs == (0.0, 0.0, 0.0, 0.0), "the dashpot is not stored"
    assert np.linalg.norm(roll(1e4 * ROLL, f_n=-1.0)[0]) == 0.0


def test_small_turns_are_met_by_spring_and_dashpot():
    """J for a grain on a wall is its moment of inertia."""
    inertia = 0.4 * 1e-6 * RADIUS**2
    touch = Touch(1e-6, 0.0, 1e-6, 1.0 / (1e6 + 2.5e6), RADIUS, *[0.0] * 6, 1.0, 1e-5)
    log = math.log(0.7)
    k, c = inertia * (math.pi**2 + log**2) / 4e-6, -2.0 * inertia * log / 2e-3
    turning = Turning(*N, *(0.3 * ROLL - 0.2 * N), 0.0, 1e-4, 2e-4)
    moment, springs = ROLLING.couple()(tuple(ROLLING.coefficients()), touch, turning, 1e3,
                                       (*(1e-3 * ROLL), 5e-4))
    rolled, twisted = 1e-3 + 0.3e-4, 5e-4 - 0.2e-4
    np.testing.assert_allclose(moment, (k * rolled + c * 0.3) * ROLL + (k * twisted - c * 0.2) * N,
                               rtol=1e-12)
    np.testing.assert_allclose(springs, [*((rolled + 0.6e-4) * ROLL), twisted - 0.4e-4], rtol=1e-12,
                               atol=1e-18)


def test_springs_hold_no_more_than_the_bound():
    moment, springs = roll((0.0, 0.0, 0.0), f_n=1e-3, state=(*(0.5 * ROLL), -0.5))
    np.testing.assert_allclose(moment, 1e-3 * RADIUS * (0.1 * ROLL - 0.05 * N), rtol=1e-12)
    again, same = roll((0.0, 0.0, 0.0), f_n=1e-3, state=springs)
    np.testing.assert_allclose(again, moment, rtol=1e-12)
    np.testing.assert_allclose(same, springs, rtol=1e-12)


def test_the_rolling_spring_turns_with_the_contact():
    side = np.cross(N, ROLL)
    _, springs = roll((0.0, 0.0, 0.0), f_n=1e9, state=(*(1e-3 * ROLL + 1e-6 * N), 0.0),
                      twist=100.0, past=1e-5, ahead=1e-5)
    np.testing.assert_allclose(springs[:3], 1e-3 * (ROLL + 2e-3 * side), atol=1e-8)
    assert np.linalg.norm(springs[:3]) == pytest.approx(1e-3, rel=1e-5)


def test_seen_from_the_other_grain():
    """Normal and spins change sign, and so do couple and rolling spring; twisting does not."""
    spin, state = 0.3 * ROLL - 0.2 * N, (*(1e-3 * ROLL), 5e-4)
    moment, springs = roll(spin, 1e3, state, twist=3.0, past=1e-5, ahead=1e-5)
    turning = Turning(*-N, *-spin, -3.0, 1e-5, 1e-5)
    mirrored = tuple(np.array(ROLLING.signs) * state)
    other, seen = ROLLING.couple()(tuple(ROLLING.coefficients()), touching(1e-6), turning, 1e3,
                                   mirrored)
    np.testing.assert_allclose(other, -np.array(moment), rtol=1e-14)
    np.testing.assert_allclose(seen, np.array(ROLLING.signs) * springs, rtol=1e-14)


# ---- cohesion --------------------------------------------------------------------------------


def test_cohesion_is_steady_while_grains_touch():
    pull = COHESION.kernel()
    p = COHESION.coefficients()
    assert [pull(p, touching(d), ())[0] for d in (1e-5, 1e-9, 0.0, -1e-9)] == [-3e-4, -3e-4, 0, 0]


def test_adhesion_has_the_forces_of_jkr():
    pull_off = 1.5 * math.pi * 0.05 * RADIUS
    kernel, p = ADHESION.kernel(), ADHESION.coefficients()
    assert kernel(p, touching(-1e-7), (0.0,)) == (0.0, (0.0,)), "nothing before the first touch"
    assert kernel(p, touching(1e-7), (0.0,)) == (-pull_off, (1.0,))
    assert kernel(p, touching(0.0), (1.0,)) == (-pull_off, (1.0,))
    force, held = kernel(p, touching(-2e-6 * (1 - 1e-12)), (1.0,))
    assert force == pytest.approx(-5 / 9 * pull_off)
    assert held == (1.0,)
    assert kernel(p, touching(-2e-6), (1.0,)) == (0.0, (0.0,)), "torn"


def test_bridge_at_contact_and_at_rupture():
    """4 π R γ cos θ at contact; at a gap the published form with its filling angle left in."""
    kernel, p = BRIDGE.kernel(), BRIDGE.coefficients()
    at_touch = 4 * math.pi * RADIUS * 0.072 * math.cos(0.3)
    assert kernel(p, touching(1e-7), (0.0,))[0] == pytest.approx(-at_touch, rel=1e-14)
    rupture = 1.15 * 1e-11 ** (1 / 3)
    assert BRIDGE.range == pytest.approx(rupture, rel=1e-14)
    gap, equal = 0.3 * rupture, 2 * RADIUS  # radius of the two equal spheres
    wetted = 0.5 * gap * (-1 + math.sqrt(1 + 2 * 1e-11 / (math.pi * equal * gap**2)))
    expected = -2 * math.pi * equal * 0.072 * math.cos(0.3) / (1 + gap / (2 * wetted))
    assert kernel(p, touching(-gap), (1.0,))[0] == pytest.approx(expected, rel=1e-13)
    assert kernel(p, touching(-gap), (0.0,)) == (0.0, (0.0,))
    assert kernel(p, touching(-1.001 * rupture), (1.0,)) == (0.0, (0.0,))


@pytest.mark.parametrize("addon", [COHESION, ADHESION, BRIDGE])
@pytest.mark.parametrize("overlap", [3e-6, 1e-9, -5e-7, -1.5e-6])
def test_energy_is_the_integral_of_the_force(addon, overlap):
    state = (1.0,) * len(addon.signs)
    kernel, p = addon.kernel(), addon.coefficients()
    corners = [x for x in (0.0,) if -addon.range < x < overlap]
    expected, _ = quad(lambda d: kernel(p, touching(d), state)[0], -addon.range, overlap,
                       points=corners or None, epsabs=0, epsrel=1e-10)
    if overlap > -addon.range:
        assert sum(addon.potential()(p, touching(overlap), state)) == pytest.approx(
            expected, rel=1e-7, abs=1e-25)


@pytest.mark.parametrize("addon", [
    gr.Cohesion(1.0), gr.Adhesion(10.0, 1e-6), gr.CapillaryBridge(100.0, 1e-15),
])
def test_a_pull_that_outruns_the_time_step_is_refused(addon):
    world = gr.World()
    world.add(gr.Sphere(1e-4), at=[(0, 0, 0)], density=2500)
    with pytest.raises(InputError, match="too long for this law"):
        gr.Simulation(world, gr.With(BASE, addon), time_step=1e-5)


def test_no_pull_asks_for_nothing():
    sizes = np.array([1e-3]), np.array([1e-5])
    assert gr.Cohesion(0.0).time_steps(*sizes).longest == math.inf
    assert gr.Cohesion(1.0).time_steps(np.zeros(0), np.zeros(0)).longest == math.inf


@pytest.mark.parametrize(("make", "name"), [
    (lambda: gr.RollingResistance(-0.1, 1e-3), "coefficient"),
    (lambda: gr.RollingResistance(0.1, 0.0), "contact_time"),
    (lambda: gr.RollingResistance(0.1, 1e-3, twisting=-1.0), "twisting"),
    (lambda: gr.RollingResistance(0.1, 1e-3, restitution=0.0), "restitution"),
    (lambda: gr.Cohesion(-1.0), "force"),
    (lambda: gr.Adhesion(-1.0, 1e-6), "work"),
    (lambda: gr.Adhesion(1.0, 0.0), "neck"),
    (lambda: gr.CapillaryBridge(-1.0, 1e-9), "surface_tension"),
    (lambda: gr.CapillaryBridge(0.07, 0.0), "volume"),
    (lambda: gr.CapillaryBridge(0.07, 1e-9, contact_angle=1.6), "contact_angle"),
])
def test_values_without_a_meaning_are_refused(make, name):
    with pytest.raises(InputError, match=f"^{name} must be"):
        make()

"""Laws of a user's own: the same as built-in ones, remembered, refused with the line."""

from __future__ import annotations

import numpy as np
import pytest

import granum as gr
from granum.cli import starter_law
from granum.cli.check import describe
from granum.errors import CheckpointError, InputError
from granum.output.describe import from_plain, to_plain
from granum.output.law_files import find_law
from granum.scenario.build import understand
from granum.scenario.reader import parse_toml

BUILT_IN = gr.LinearViscoelastic(0.5, 2e-4, friction=0.3)
FILE = '''
import granum as gr


@gr.law(parameters=("k_n", "c_n", "k_t", "c_t", "friction"), state=2)
def counting(p, touch, state):
    normal = touch.mass * (p.k_n * touch.overlap + p.c_n * touch.rate)
    pull, spring = gr.bounded(p.friction * max(normal, 0.0), touch.slip_mass * p.k_t,
                              touch.slip_mass * p.c_t, touch)
    return normal, pull, spring, (state[0] + 1.0, max(state[1], touch.overlap))
'''
NUMBERS = dict(zip(("k_n", "c_n", "k_t", "c_t", "friction"),
                   BUILT_IN.coefficients().tolist(), strict=True))
SCENARIO = '''
[world]
[materials.glass]
density = 2500
[[walls]]
type = "box"
low = [0, 0, 0]
high = ["20 mm", "20 mm", "20 mm"]
[[grains]]
type = "lattice"
radius = "1 mm"
spacing = "2.5 mm"
count = 30
[law]
type = "mylaws.py:counting"
{numbers}
[run]
duration = "1 ms"
time_step = "4 us"
'''


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """One folder for all tests: a law is compiled once for each file."""
    return tmp_path_factory.mktemp("laws")


@pytest.fixture
def mylaws(folder):
    """A user's file with a law in it."""
    file = folder / "mylaws.py"
    file.write_text(FILE)
    return file


def crowd(law):
    world = gr.World(seed=5)
    world.add(gr.Box((0, 0, 0), (0.012, 0.012, 0.02)))
    world.add(gr.Lattice(radius=1e-3, spacing=2.45e-3, spread=0.2, low=(0, 0, 0),
                         high=(0.012, 0.012, 0.02)), density=2500)
    world.velocity = 0.5 * np.random.default_rng(2).normal(size=(len(world), 3))
    return gr.Simulation(world, law, time_step=4e-6, threads=1)


def test_the_same_formula_gives_the_same_bits_and_its_state_survives(mylaws, tmp_path):
    law = find_law(f"{mylaws}:counting")(**NUMBERS)
    own, built_in = crowd(law), crowd(BUILT_IN)
    own.step(400)
    own.save(tmp_path / "half.h5")
    own.step(400)
    built_in.step(800)
    np.testing.assert_array_equal(own.world.position, built_in.world.position)
    later = gr.Simulation.load(tmp_path / "half.h5", threads=1)
    later.step(400)
    assert later.fingerprint() == own.fingerprint()
    assert own.counts["list_updates"] > 1
    steps, deepest = own._engine.memory()[0].spring[:, 3:].T
    contacts = own.contacts()
    assert (steps >= 1.0).all()
    assert steps.max() > 50.0, "contacts that last over list updates count on"
    assert (deepest >= contacts.overlap[contacts.j >= 0]).all()


def test_an_edited_law_does_not_go_on_with_an_old_run(mylaws, tmp_path):
    sim = crowd(find_law(f"{mylaws}:counting")(**NUMBERS))
    sim.save(tmp_path / "start.h5")
    mylaws.write_text(FILE.replace("+ 1.0", "+ 2.0"))
    with pytest.raises(CheckpointError, match=r"mylaws.py:counting has been edited"):
        gr.Simulation.load(tmp_path / "start.h5", threads=1)
    mylaws.unlink()
    with pytest.raises(InputError, match="there is no file"):
        gr.Simulation.load(tmp_path / "start.h5", threads=1)


def scenario(mylaws, numbers, more=""):
    text = SCENARIO.format(numbers="\n".join(f"{key} = {value!r}" for key, value in
                                             numbers.items()) + "\n" + more)
    return understand(parse_toml(text, str(mylaws.with_name("own.toml"))))


def test_a_scenario_names_a_law_in_a_file_beside_it(mylaws):
    understood = scenario(mylaws, NUMBERS)
    np.testing.assert_array_equal(dict(understood.law.values)["k_n"], NUMBERS["k_n"])
    assert understood.as_understood()["law"]["type"] == f"{mylaws}:counting"
    with pytest.raises(InputError, match=r"line 14, law: .*no parameter 'k_m'; did you mean 'k_"):
        scenario(mylaws, {**NUMBERS, "k_m": 1.0})
    with pytest.raises(InputError, match="needs the parameter 'friction'"):
        scenario(mylaws, {key: value for key, value in NUMBERS.items() if key != "friction"})


BY_MATERIALS = """
[law.materials.glass]
k_n = "4 kN/m"

[[law.pairs]]
between = ["glass", "glass"]
friction = 0.1
"""


def test_parameters_have_units_and_depend_on_materials(mylaws):
    """As with the laws that come along; what has no declared unit takes plain numbers only."""
    mylaws.write_text(FILE.replace("state=2", 'state=2, units={"k_n": "N/m"}'))
    numbers = {**NUMBERS, "k_n": "2 kN/m"}
    assert dict(scenario(mylaws, numbers).law.values)["k_n"] == 2000.0
    found = scenario(mylaws, numbers, BY_MATERIALS)
    assert dict(found.law.of("glass").values)["k_n"] == 4000.0
    assert dict(found.law.between("glass", "glass").values)["friction"] == 0.1
    assert dict(found.law.between("glass", "steel").values)["k_n"] == pytest.approx(2828.4271)
    assert found.as_understood()["law"]["type"] == f"{mylaws}:counting"
    shown = describe(found)["law"]
    assert "k_n [N/m]" in shown[1]
    assert from_plain(to_plain(found.law)) == found.law


@pytest.mark.parametrize(("change", "more", "words"), [
    ({"k_n": "2 kPa"}, "", r"law\.k_n: .*is a pressure, but a k_n is wanted"),
    ({"friction": "0.3"}, "", "friction must be a number, in SI units"),
    ({}, "[law.materials.glas]\nk_n = 1", "material 'glas' is unknown; did you mean 'glass'"),
    ({}, "[law.materials.glass]\nk_m = 1", "no parameter 'k_m'"),
    ({}, "[[law.pairs]]\nk_n = 1", "between: missing"),
    ({}, "[law.materials]\nglass = 1", "law.materials.glass"),
])
def test_what_is_wrong_with_parameters_is_told_at_its_place(mylaws, change, more, words):
    mylaws.write_text(FILE.replace("state=2", 'state=2, units={"k_n": "N/m"}'))
    with pytest.raises(InputError, match=words):
        scenario(mylaws, {**NUMBERS, **change}, more)


def test_a_law_that_is_not_there_is_told(mylaws):
    with pytest.raises(InputError, match="no law 'count'; did you mean 'counting'"):
        find_law(f"{mylaws}:count")
    with pytest.raises(InputError, match="there is no file"):
        find_law("nowhere.py:law")
    mylaws.write_text(FILE.replace("state=2", "state=-2"))
    with pytest.raises(InputError, match=r"mylaws.py: state must be a whole number"):
        find_law(f"{mylaws}:counting")
    mylaws.write_text("def (")
    with pytest.raises(InputError, match=r"cannot be read as Python: SyntaxError"):
        find_law(f"{mylaws}:counting")


ZERO = (0.0, 0.0, 0.0)


def fails(p, touch, state):
    return 1.0 / (touch.overlap - touch.overlap), ZERO, ZERO, state


def too_short(p, touch, state):
    return 1.0, ZERO, ZERO


def flat_spring(p, touch, state):
    return 1.0, ZERO, 0.0, state


def not_finite(p, touch, state):
    return float("nan"), ZERO, ZERO, state


def does_not_compile(p, touch, state):
    return float(format(touch.overlap, ".3f")), ZERO, ZERO, state


@pytest.mark.parametrize(("function", "message"), [
    (fails, r"fails in line \d+: ZeroDivisionError"),
    (too_short, "must return four things"),
    (flat_spring, "returned 0.0 where 3 numbers belong"),
    (not_finite, "not finite"),
    (does_not_compile, "does not compile"),
])
def test_a_bad_law_is_refused_before_anything_runs(function, message):
    with pytest.raises(InputError, match=message):
        gr.law()(function)()


def divides_by_time(p, touch, state):
    return touch.overlap / touch.step, ZERO, ZERO, state


def test_a_law_must_bear_that_no_time_passes():
    """Contacts that are looked at are asked with a step of 0, so that nothing moves on in them."""
    with pytest.raises(InputError, match=r"fails in line \d+ where touch.step is 0"):
        gr.law()(divides_by_time)()


def test_bad_declarations_are_refused():
    with pytest.raises(InputError, match="the unit of 'far' is not one of a parameter"):
        gr.law(parameters=("near",), units={"far": "m"})
    with pytest.raises(InputError, match="range 'far' is not among the parameters"):
        gr.law(parameters=("near",), range="far")
    with pytest.raises(InputError, match="state must be a whole number"):
        gr.law(state=-1)
    with pytest.raises(InputError, match="stiffness must be a number"):
        starter_law.hertz(stiffness="1 N", damping=0.0, friction=0.0)


def test_without_a_contact_time_a_time_step_is_asked_for(mylaws):
    law = find_law(f"{mylaws}:counting")(**NUMBERS)
    world = gr.World()
    world.add(gr.Sphere(1e-3), at=[(0, 0, 0)], density=2500)
    with pytest.raises(InputError, match="give the simulation a time_step"):
        gr.Simulation(world, law)


def test_the_starter_passes_its_own_tests():
    starter_law.test_an_elastic_collision_keeps_the_speed()
    starter_law.test_damping_takes_speed_away()
    law = starter_law.hertz(stiffness=1e9, damping=0.0, friction=0.3)
    assert law == law.mixed(law)
    assert law.range == 0.0

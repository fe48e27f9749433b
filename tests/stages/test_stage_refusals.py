"""Bad stages are refused before anything runs, in words that help; good ones are told in words."""

from __future__ import annotations

import re

import pytest
from stage_run import STAGED
from stage_worlds import LAW, lone, silo, simulation

import granum as gr
from granum.cli.check import describe
from granum.errors import InputError
from granum.scenario.build import plan_of, understand
from granum.scenario.problems import ScenarioError
from granum.scenario.reader import parse_toml
from granum.scenario.staging import condition_of

COLUMNS = ["time", "grains", "kinetic", "rotational", "fastest", "height", "hole_mass",
           "lid_force_z", "lid_torque_x", "lid_z", "lid_work"]


def refused(*changes: tuple[str, str], text: str = STAGED) -> str:
    """Return what is said of the scenario with some texts replaced."""
    for old, new in changes:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    with pytest.raises(ScenarioError) as error:
        understand(parse_toml(text, "staged.toml"))
    return str(error.value)


# ---- conditions in words ---------------------------------------------------------------------


@pytest.mark.parametrize(("text", "wanted"), [
    ("at rest", gr.AtRest()), (" at  rest ", gr.AtRest()), ("jammed", gr.Jammed()),
    ("empty", gr.Empty()), ("steady", gr.Steady()),
    ("kinetic energy < 1e-6 J", gr.Compare("kinetic", "<", 1e-6)),
    ("Rotational energy<=2 mJ", gr.Compare("rotational", "<=", 2e-3)),
    ("height > 4 mm", gr.Compare("height", ">", 4e-3)), ("grains >= 12", gr.Compare(
        "grains", ">=", 12.0)),
    ("hole_mass > 2 g", gr.Compare("hole_mass", ">", 2e-3)),
    ("hole mass > 2 g", gr.Compare("hole_mass", ">", 2e-3)),
    ("lid_force_z < -5 mN", gr.Compare("lid_force_z", "<", -5e-3)),
    ("lid_torque_x > 2 N m", gr.Compare("lid_torque_x", ">", 2.0)),
    ("fastest < 0.01", gr.Compare("fastest", "<", 0.01)),
])
def test_conditions_in_words(text, wanted):
    assert condition_of(text, COLUMNS, {}) == wanted


@pytest.mark.parametrize(("text", "said"), [
    ("at east", "\"at east\" is not a condition; did you mean 'at rest'?"),
    ("kinetic", '(known: "at rest", "jammed", "empty", "steady", or a comparison such as'),
    ("kinetic energy < 1e-6 m", '"1e-6 m" is a length, but an energy is wanted'),
    ("kinetik energy < 1e-6 J", "there is no column 'kinetik energy' in the series; did you mean"),
    ("grains < 5 mm", '"5 mm" is a length, but a number is wanted'),
    ("height < tall", '"tall" is given, but a length is wanted'),
    ("1 < height < 2", "is not a condition"), ("height = 2", "is not a condition"),
])
def test_words_that_are_no_condition(text, said):
    with pytest.raises(InputError, match=re.escape(said)):
        condition_of(text, COLUMNS, {})


def test_columns_of_measures_have_their_own_units():
    assert condition_of("hole_rate > 2 g", ["hole_rate"], {"hole_rate": "kg"}) == gr.Compare(
        "hole_rate", ">", 2e-3)
    with pytest.raises(InputError, match='"2 mm" is a length, but a mass is wanted'):
        condition_of("hole_rate > 2 mm", ["hole_rate"], {"hole_rate": "kg"})


# ---- scenarios -------------------------------------------------------------------------------


@pytest.mark.parametrize(("old", "new", "said"), [
    ('for = "9.99 ms"\n', "", "stages[0]: stage 'fill' has no end: give it a duration"),
    ('until = "empty"', 'until = "emty"', "stages[4].until: \"emty\" is not a condition; did you "
     "mean 'empty'?"),
    ('until = "empty"', 'until = "grain > 5"', "stages[4].until: there is no column 'grain' in "
     "the series; did you mean 'grains'?"),
    ('until = "empty"', 'until = "height > 5 J"', 'stages[4].until: "5 J" is an energy, but a '
     "length is wanted"),
    ('name = "calm"', 'name = "fill"', "stages[1]: two stages are named 'fill'"),
    ('remove = ["shutter"]', 'remove = ["shuter"]', "stages[4]: stage 'flow': there is no wall "
     "named 'shuter'; did you mean 'shutter'?"),
    ('open = ["floor"]', 'open = ["tube"]', "the wall 'tube' has no hole"),
    ('motions.tube = "stop"', 'motions.floor = "stop"', "the wall 'floor' does not move"),
    ('motions.tube = "stop"', 'motions.tube = "stopp"', "stages[3].motions.tube: \"stopp\""),
    ('at_most = "20 ms"', 'at_most = "5 ms"', "at_most = 0.005 s is over before the condition can "
     "be met"),
    ('for = "8 ms"', 'for = "8 mm"', 'stages[2].for: "8 mm" is a length, but a time is wanted'),
    ('for = "8 ms"', 'forr = "8 ms"', "stages[2].forr: unknown key; did you mean 'for'?"),
    ('otherwise = "go on"', 'otherwise = "goon"', "stages[4].otherwise: \"goon\" is given, but "
     "'stop' or 'go on' is wanted; did you mean 'go on'?"),
    ("law.friction = 0.1", "law.frition = 0.1", "stages[2].law.frition: unknown key; did you mean "
     "'friction'?"),
    ("law.friction = 0.1", "law.friction = -1", "stages[2].law.friction: must be at least 0"),
    ("law.friction = 0.1", 'law.contact_time = "50 us"', "stage 'shake': a time step of 1.3e-05 s "
     "is too long for the law of this stage: at most 5e-06 s is stable"),
    ("law.friction = 0.1", 'law.type = "linear_repulsive"', "the law cannot become another one"),
    ('time_step = "13 us"', 'time_step = "200 us"', "stage 'shake': a time step of 0.0002 s is too "
     "long"),
    ('pour = "on"', 'pour = "yes"', "stages[2].pour"),
    ("gravity = [2, 0, -9]", "gravity = [2, 0]", "stages[3].gravity"),
    ('lasting = "4 ms"', 'lasting = "4 mm"', "stages[1].until.lasting"),
    ('type = "steady"', 'type = "stedy"', "\"stedy\" is unknown; did you mean 'steady'?"),
    ("output.series = \"0.3 ms\"", "output.series = 0", "stages[2].output.series: must be greater"),
])
def test_a_bad_stage_is_refused(old, new, said):
    assert said in refused((old, new))


def test_line_numbers_lead_to_the_stage():
    line = STAGED[: STAGED.index('name = "calm"')].count("\n")  # where [[stages]] stands
    assert f"line {line}, stages[1]: stage 'calm': at_most = 0.001 s is over" in refused(
        ('at_most = "80 ms"', 'at_most = "1 ms"'))


def test_a_run_needs_an_end():
    bare = STAGED[: STAGED.index("[[stages]]")]
    assert "run.duration: missing; a time is wanted" in refused(text=bare)
    with pytest.raises(ScenarioError, match=r"run\.duration: missing"):
        plan_of(parse_toml(bare))
    endless = bare + '[[stages]]\nname = "wait"\nuntil = "empty"\n'
    assert "output: nothing tells how long this run can take" in refused(text=endless)
    told = endless + '[output]\nseries = "1 ms"\nframes = "1 ms"\ncheckpoints = "1 s"\n'
    assert understand(parse_toml(told)).plan.duration is None
    assert understand(parse_toml(endless + '[run]\nduration = "2 s"\n')).plan.series == 0.01


def test_jammed_needs_a_flow():
    text = STAGED.replace('until = "empty"', 'until = "jammed"').replace(
        'flows = [{ name = "hole", point = [0, 0, 0], normal = [0, 0, -1] }]', "")
    assert "stage 'flow': 'jammed' needs a plane through which grains flow" in refused(
        ('at_most = "25 ms"', 'at_most = "1 s"'), text=text)


def test_the_end_of_the_run_is_checked_too():
    assert "run.stop: \"at east\" is not a condition" in refused(
        ("[output]", '[run]\nstop = "at east"\n[output]'))
    assert "no flow" not in describe(understand(parse_toml(
        STAGED.replace("[output]", '[run]\nstop = "at rest"\n[output]'))))["stages"][-1]


# ---- Python ----------------------------------------------------------------------------------


@pytest.mark.parametrize(("make", "said"), [
    (lambda: gr.Stage("a"), "stage 'a' has no end"),
    (lambda: gr.Stage("", 1.0), "a stage needs a name"),
    (lambda: gr.Stage("a", -1.0), "duration must be greater than 0"),
    (lambda: gr.Stage("a", until="at rest"), "until must be a condition such as gr.AtRest()"),
    (lambda: gr.Stage("a", 1.0, at_most=2.0), "at_most guards a condition"),
    (lambda: gr.Stage("a", 1.0, gr.AtRest(), at_most=0.5), "at_most = 0.5 s is shorter than"),
    (lambda: gr.Stage("a", 1.0, otherwise="no"), "otherwise must be 'stop' or 'go on'"),
    (lambda: gr.Stage("a", 1.0, pour="no"), "pour must be 'on' or 'off'"),
    (lambda: gr.Stage("a", 1.0, motions={"x": 3}), "moving must be a motion"),
    (lambda: gr.Stage("a", 1.0, open=[3]), "open must be names of walls"),
    (lambda: gr.Intervals(series=0.0), "series must be greater than 0"),
    (lambda: simulation(lone(), stages=[gr.Stage("a", 1), gr.Stage("a", 1)]), "two stages"),
    (lambda: simulation(lone(), stages=["a"]), "stages must be gr.Stage"),
    (lambda: simulation(lone(), stages=[gr.Stage("a", 1, pour="on")]), "nothing to pour in"),
    (lambda: simulation(silo(), stages=[gr.Stage("a", 1, motions={"tube": gr.Sine(
        9e3, amplitude=1e-6)})]), "stage 'a': time_step = 2e-05 s is too long for a wall"),
    (lambda: simulation(silo(), stages=[
        gr.Stage("a", 1, motions={"floor": gr.Piston(1.0, (0, 0, 1))}),
        gr.Stage("b", 1, motions={"floor": gr.Sine(9, amplitude=1e-3)})]),
     "stage 'b': the wall 'floor' is driven by forces"),
    (lambda: simulation(silo(), stages=[
        gr.Stage("a", 1, motions={"floor": gr.Rotation(1.0, (0, 0, 1))}),
        gr.Stage("b", 1, motions={"floor": gr.Piston(1.0, (0, 0, 1))})]),
     "stage 'b': the wall 'floor' has turned"),
    (lambda: simulation(lone(), stages=[gr.Stage("a", until=gr.AtRest(lasting=0.2), at_most=0.1)]),
     "takes at least 0.2 s"),
    (lambda: simulation(lone(gravity=(0, 0, 0)), stop=gr.AtRest()), "'at rest' compares"),
    (lambda: simulation(lone(), stop=gr.Compare("speed", "<", 1)), "no column 'speed'"),
    (lambda: gr.Simulation(gr.World(dimension=2), LAW, stages=[gr.Stage(
        "a", 1, gravity=(0, 0, 1))]), "gravity has a z component"),
])
def test_python_refuses_the_same(make, said):
    with pytest.raises(InputError, match=re.escape(said)):
        make()


# ---- in words --------------------------------------------------------------------------------


def test_check_tells_the_stages():
    facts = describe(understand(parse_toml(STAGED)))
    lines = facts["stages"]
    assert lines[0] == "1. fill: for 0.00999 s; floor closes"
    assert lines[1] == ("2. calm: until kinetic is below 1e-05 J for 0.004 s, at most 0.08 s, else "
                        "the run stops; pouring off")
    assert "tube shakes at 100 Hz" in lines[2]
    assert "friction=0.1" in lines[2]
    assert "time step 1.3e-05 s" in lines[2]
    assert "series every 0.0003 s" in lines[2]
    assert "gravity (2.0, 0.0, -9.0) m/s2, tube stops, pouring off" in lines[3]
    assert lines[4] == ("5. flow: until empty, at most 0.025 s, then on in any case; floor opens, "
                        "shutter is taken out")
    assert facts["steps"].startswith("at most ")

"""Measures that users write: from Python, from a scenario, and what is said when they are wrong."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from measure_samples import Still, grid, made

import granum as gr
from granum.errors import InputError
from granum.measures import Look
from granum.run import SERIES, Run
from granum.scenario.build import plan_of, understand
from granum.scenario.problems import ScenarioError
from granum.scenario.reader import parse_toml, read_toml
from granum.scenario.writer import to_toml
from small_scenario import beads

FILE = '''\
import granum as gr


@gr.measure(columns=("bed_height [m]", "spread [m]"))
def bed(sim):
    z = sim.world.position[:, 2]
    return z.mean(), z.std()


@gr.measure(columns=["fast"], interval=2e-4)
def count(sim):
    return int((sim.world.velocity**2).sum() > 0)


@gr.measure(columns=("bad",))
def late(sim):
    if sim.steps > 5:
        raise RuntimeError("no more")
    return 0.0
'''


def world():
    made_world = gr.World()
    made_world.add(gr.Sphere(0.05), at=0.1 * grid(2, 2, 2), density=1.0)
    return made_world


def look(of=None):
    of = world() if of is None else of
    return Look(Still(of, made(of, [], [])))


def test_a_function_becomes_a_measure():
    @gr.measure(columns=("height [m]", "grains"), interval=0.5)
    def bed(sim):
        return sim.world.position[:, 2].mean(), len(sim.world)

    assert bed.title == "bed"
    assert bed.has_table
    assert bed.units(world()) == {"height": "m", "grains": ""}
    assert bed.read(look()) == [0.05, 8]


def test_one_column_needs_no_list():
    one = gr.measure(columns=("top [m]",), name="my")(lambda sim: sim.world.position[:, 2].max())
    assert one.read(look()) == [0.1]
    assert one.columns(world()) == ["my_top"]
    array = gr.measure(columns=("x", "y", "z"))(lambda sim: sim.world.position.mean(axis=0))
    assert array.read(look()) == pytest.approx([0.05] * 3)


@pytest.mark.parametrize(("answer", "text"), [
    ((1.0,), r"returned 1 values; it must return 2 numbers, for a \[m\], b"),
    ((1.0, 2.0, 3.0), "returned 3 values"), (1.0, "returned 1 values"), (None, "returned 1 values"),
    (("x", 1.0), r"returned 'x' for a \[m\]"), ((None, 1.0), "returned None for a"),
    ((1.0, np.ones(3)), "for b"), ((1.0, float("nan")), "returned nan for b; if that may be so"),
    ((np.inf, 1.0), "returned inf for a"), ((1.0, 1j), "for b")])
def test_wrong_answers_are_refused(answer, text):
    wrong = gr.measure(columns=("a [m]", "b"))(lambda sim: answer)
    with pytest.raises(InputError, match=text) as refusal:
        wrong.read(look())
    assert "test_user_measure.py" in str(refusal.value)


def test_gaps_are_fine_where_they_are_allowed():
    gap = gr.measure(columns=("a",), gaps=True)(lambda sim: float("nan"))
    assert np.isnan(gap.read(look())).all()


def test_errors_come_with_file_and_line():
    @gr.measure(columns=("a",))
    def fails(sim):
        nothing = 0.0
        return 1.0 / nothing

    with pytest.raises(InputError, match="ZeroDivisionError") as refusal:
        fails.read(look())
    line = int(re.search(r"in line (\d+)", str(refusal.value))[1])
    assert "1.0 / nothing" in Path(__file__).read_text(encoding="utf-8").splitlines()[line - 1]


def test_a_measure_that_changes_the_grains_is_refused():
    @gr.measure(columns=("a",))
    def pushes(sim):
        sim.world.velocity[0] = 1.0
        return 0.0

    with pytest.raises(InputError, match=r"has changed the grains \(velocity\)"):
        pushes.read(look())


@pytest.mark.parametrize(("columns", "text"), [
    ((), "at least one"), (("a", "a"), "must be different"), (("a b",), "name and a unit"),
    (("1 [m]",), "name and a unit"), ("height", "list of texts")])
def test_columns_without_a_meaning_are_refused(columns, text):
    with pytest.raises(InputError, match=text):
        gr.measure(columns=columns)(lambda sim: 0.0)


# ---- from a scenario -------------------------------------------------------------------------


def scenario(tmp_path, *names, more=""):
    (tmp_path / "mine.py").write_text(FILE)
    entries = "".join(f'[[measures]]\ntype = "mine.py:{name}"\n{more}' for name in names)
    path = tmp_path / "beads.toml"
    path.write_text(beads(more=entries))
    return path


def test_a_scenario_names_the_file(tmp_path):
    understood = understand(read_toml(scenario(tmp_path, "bed", "count")))
    folder = tmp_path / "run"
    folder.mkdir()
    sim = understood.simulation(threads=1)
    Run(sim, understood.plan, folder).go()
    header, first, *_ = (folder / SERIES).read_text().splitlines()
    assert header.endswith(",bed_height,spread")
    z = understood.world.position[:, 2]
    assert len(first.split(",")) == 15
    assert float((folder / SERIES).read_text().splitlines()[-1].split(",")[-2]) == z.mean()
    rows = (folder / "measures" / "count.csv").read_text().splitlines()
    assert rows[0] == "time,step,fast"
    assert len(rows) == 1 + 6  # at 0, 0.2, ... 1 ms
    again = parse_toml(to_toml(understood.as_understood()), str(folder / "scenario.toml"))
    assert [m.place for m in plan_of(again).measures] == [
        f"{tmp_path / 'mine.py'}:bed", f"{tmp_path / 'mine.py'}:count"]


def test_name_and_interval_may_be_others(tmp_path):
    path = scenario(tmp_path, "bed", more='name = "upper"\ninterval = "0.5 ms"\n')
    measure, = understand(read_toml(path)).plan.measures
    assert measure.interval == 5e-4
    assert measure.columns(world()) == ["upper_bed_height", "upper_spread"]


@pytest.mark.parametrize(("name", "more", "text"), [
    ("bedd", "", "has no measure 'bedd'; did you mean 'bed'"),
    ("bed", "colour = 1\n", "unknown key"), ("bed", 'interval = "1 m"\n', "interval")])
def test_what_a_scenario_may_get_wrong(tmp_path, name, more, text):
    with pytest.raises(ScenarioError, match=text) as refusal:
        understand(read_toml(scenario(tmp_path, name, more=more)))
    assert "measures[0]" in str(refusal.value)


def test_no_such_file():
    text = beads(more='[[measures]]\ntype = "nowhere.py:x"\n')
    with pytest.raises(ScenarioError, match=r"measure 'nowhere\.py:x' cannot be found"):
        understand(parse_toml(text, "beads.toml"))


def test_a_measure_that_fails_on_the_way_leaves_a_run_to_go_on_with(tmp_path):
    understood = understand(read_toml(scenario(tmp_path, "late")))
    folder = tmp_path / "run"
    folder.mkdir()
    run = Run(understood.simulation(threads=1), understood.plan, folder)
    with pytest.raises(InputError, match=r"mine.py:late fails in line 18: RuntimeError"):
        run.go()
    assert '"state": "trouble"' in (folder / "summary.json").read_text()
    assert "no more" in (folder / "run.log").read_text()
    assert list((folder / "checkpoints").glob("*.h5"))

"""A box of Voronoi grains in a scenario: read, kept by the run, told, and refused by line."""

import json
import os
import signal

import pytest
from typer.testing import CliRunner

import granum as gr
from granum.cli.app import app
from granum.cli.compiling import SHAPED, kernels_for
from granum.run import SCENARIO, Run, newest_simulation, start_folder
from granum.scenario.build import plan_of, understand
from granum.scenario.problems import ScenarioError
from granum.scenario.reader import parse_toml, read_toml
from granum.scenario.writer import to_toml
from small_scenario import RANDOM, beads

CELLS = 'type = "voronoi"\ncount = 30\nradius = "0.2 mm"\nrelaxations = 2\n'
STEP = ('duration = "1 ms"', 'duration = "1 ms"\ntime_step = "5 us"')


def scene(table=CELLS, *changes):
    return beads((RANDOM, table), STEP, *changes)


def test_it_is_what_python_makes_and_the_seed_decides():
    scenario = understand(parse_toml(scene()))
    world = gr.World()
    world.add(gr.Box((0, 0, 0), (0.05, 0.05, 0.05)))
    world.add(gr.Voronoi(30, 2e-4, relaxations=2), density=2500.0)
    assert scenario.world.shapes == world.shapes
    assert scenario.world.position.tobytes() == world.position.tobytes()
    again = understand(parse_toml(to_toml(scenario.as_understood()))).world
    assert again.shapes == world.shapes
    assert again.orientation.tobytes() == world.orientation.tobytes()
    assert understand(parse_toml("seed = 1\n" + scene())).world.shapes != world.shapes
    assert SHAPED in kernels_for(scenario.document)


def test_check_tells_how_many_shapes(tmp_path):
    (tmp_path / "rock.toml").write_text(scene())
    result = CliRunner().invoke(app, ["check", str(tmp_path / "rock.toml")])
    told = " ".join(result.output.split())
    assert result.exit_code == 0, told
    assert "30 at the start" in told
    assert ", of 30 shapes with " in told
    assert told.count("vertices") == 1


def test_cut_resumed_and_with_two_threads_it_is_the_same_run(tmp_path):
    def run(folder, threads, report=None):
        scenario = understand(parse_toml(scene()))
        start_folder(folder, to_toml(scenario.as_understood()))
        return Run(scenario.simulation(threads), scenario.plan, folder,
                   **({} if report is None else {"report": report})).go()

    whole, threaded = run(tmp_path / "whole", 1), run(tmp_path / "threads", 2)
    assert threaded["state_sha256"] == whole["state_sha256"]
    folder = tmp_path / "cut"
    cut = run(folder, 1, lambda progress: os.kill(os.getpid(), signal.SIGINT))
    assert cut["state"] == "interrupted"
    assert cut["steps"] < whole["steps"]
    document = read_toml(folder / SCENARIO)
    Run(newest_simulation(folder, 2), plan_of(document), folder).go()
    resumed = json.loads((folder / "summary.json").read_text())
    assert resumed["state_sha256"] == whole["state_sha256"]
    anew = understand(document)
    assert anew.as_understood()["grains"] == document.data["grains"]
    start_folder(tmp_path / "anew", to_toml(anew.as_understood()))
    last = Run(anew.simulation(1), anew.plan, tmp_path / "anew").go()
    assert last["state_sha256"] == whole["state_sha256"]


@pytest.mark.parametrize(("old", "new", "key", "said"), [
    ("30", "0", "count", "must be at least 1, got 0"),
    ("30", "2.5", "count", "a whole number is wanted"),
    ('"0.2 mm"', '"0.2 s"', "radius", "a length is wanted"),
    ('radius = "0.2 mm"\n', "", "radius", "missing"),
    ('"0.2 mm"', "-1", "radius", "must be greater than 0"),
    ("relaxations = 2", "relaxation = 2", "relaxation", "did you mean 'relaxations'?"),
    ("relaxations = 2", "relaxations = 1000", "relaxations", "must be at most 100, got 1000"),
    ("relaxations = 2", 'gap = "-1 mm"', "gap", "must be at least 0"),
    ('"voronoi"', '"voronoy"', "type", "did you mean 'voronoi'?"),
    ("relaxations = 2", 'shape = { type = "cow", length = 1, radius = 0.1 }', "shape",
     "unknown key"),
])
def test_bad_values_are_told_by_key_and_line(old, new, key, said):
    with pytest.raises(ScenarioError) as error:
        understand(parse_toml(scene(CELLS.replace(old, new))))
    problem, = error.value.problems
    assert problem.path == ("grains", 0, key)
    assert said in problem.message
    assert problem.line is not None


def test_a_ball_without_room_is_told_at_the_placing():
    with pytest.raises(ScenarioError, match=r"line \d+, grains\[0\]: Voronoi radius = 0\.02 m is "
                                            r"too large: the smallest of the 30 cells holds"):
        understand(parse_toml(scene(CELLS.replace("0.2 mm", "2 cm"))))

"""What is refused: one message that says where and what, an exit code, nothing left behind."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

GRAINS = '[[grains]]\ntype = "random"\nradius = "1 mm"\ncount = 12\n\n'
ONE = ('[[grains]]\ntype = "explicit"\npoints = [["5 mm", "5 mm", "35 mm"]]\n'
       'radius = "0.5 mm"\n\n')
POINTS = 'points = [["5 mm", "5 mm", "35 mm"]]'

# What is changed in the file, how the line begins that must be named (None: the file alone), and
# words of the message.
BAD = {
    "unit of the wrong kind": ([('radius = "0.5 mm"', 'radius = "0.5 s"')], 'radius = "0.5 s"',
                               ['"0.5 s" is a time', "a length is wanted"]),
    "unknown unit": ([('"0.5 mm"', '"0.5 parsec"')], 'radius = "0.5 parsec"', ["parsec"]),
    "negative radius": ([('radius = "0.5 mm"', 'radius = "-0.5 mm"')], 'radius = "-0.5 mm"',
                        ["must be greater than 0", "-0.0005"]),
    "negative random radius": ([('radius = "1 mm"', 'radius = "-1 mm"')], 'radius = "-1 mm"',
                               ["must be greater than 0", "-0.001"]),
    "hole larger than the disc": ([('hole = "4 mm"', 'hole = "14 mm"')], 'hole = "14 mm"',
                                  ["must be smaller than", "0.014"]),
    "overlapping grains": ([(POINTS, "points = [[0.005, 0.005, 0.035], [0.005, 0.0055, 0.035]]")],
                           '[[grains]]\ntype = "explicit"', ["overlaps"]),
    "grain outside the container": ([(POINTS, 'points = [["5 mm", "5 mm", "45 mm"]]')],
                                    '[[grains]]\ntype = "explicit"',
                                    ["does not fit inside the walls"]),
    "time step too long": ([('duration = "2 ms"', 'duration = "2 ms"\ntime_step = "1 ms"')],
                           'time_step = "1 ms"', ["too long", "0.0001 s"]),
    "no grains": ([(GRAINS, ""), (ONE, "")], None, ["no grains"]),
    "too many grains": ([("count = 12", "count = 12000")], '[[grains]]\ntype = "random"',
                        ["12000"]),
    "unknown key": ([("friction = 0.3", "frictoin = 0.3")], "frictoin",
                    ["frictoin", "did you mean 'friction'"]),
    "unknown wall": ([('type = "box"', 'type = "bx"')], 'type = "bx"', ["did you mean 'box'"]),
    "unknown material": ([('radius = "0.5 mm"', 'radius = "0.5 mm"\nmaterial = "glas"')],
                         'material = "glas"', ["glas", "did you mean 'glass'"]),
    "no material": ([('[materials.glass]\ndensity = "2.5 g/cm3"\n', "")], None,
                    ["materials", "density"]),
    "no law": ([('[law]\ntype = "linear_viscoelastic"\nrestitution = 0.5\n'
                 'contact_time = "1 ms"\nfriction = 0.3\n', "")], None, ["law", "contact_time"]),
    "not TOML": ([('contact_time = "1 ms"', "contact_time = 1 ms")], "contact_time", ['"1 ms"']),
    "seed": ([("seed = 3", "seed = -3")], "seed", ["at least 0"]),
    "duration": ([('duration = "2 ms"', "duration = 0")], "duration", ["greater than 0"]),
    "endless": ([('duration = "2 ms"', "duration = inf")], "duration", ["finite"]),
}


def line_of(file, beginning):
    """Return the number of the line that begins so, as a message gives it."""
    text = file.read_text()
    assert text.count(f"\n{beginning}") == 1
    return f"line {text[: text.index(f'{chr(10)}{beginning}')].count(chr(10)) + 2}"


@pytest.mark.parametrize("name", ["run", "check"])
@pytest.mark.parametrize("case", BAD)
def test_a_bad_scenario(command, scenario, name, case):
    changes, beginning, words = BAD[case]
    file = scenario(*changes)
    result = command(name, file)
    assert result.code == 2
    assert result.out == ""
    assert result.err.startswith("error: ")
    assert "Traceback" not in result.err
    for word in words:
        assert word in result.err
    assert str(file) in result.err
    if beginning is not None:
        assert re.search(rf"\b{line_of(file, beginning)}\b", result.err)
    assert sorted(Path().iterdir()) == [file]


def test_all_problems_are_told_at_once(command, scenario):
    file = scenario(('radius = "0.5 mm"', 'radius = "0.5 kg"'), ("friction = 0.3", "friction = -1"),
                    ("seed = 3", "seed = -3"), ('hole = "4 mm"', 'hole = "4 s"'))
    result = command("check", file)
    assert result.code == 2
    assert "4 problems" in result.err
    told = [line.strip().partition(",")[0] for line in result.err.splitlines()[1:]]
    assert told == [line_of(file, beginning) for beginning in
                    ("seed", "friction", "hole", 'radius = "0.5 kg"')]


def test_a_study_that_does_not_exist(command):
    result = command("run", "hourglas")
    assert result.code == 2
    assert "no study 'hourglas'; did you mean 'hourglass'?" in result.err
    result = command("run", "hourglass", "--quick", "--set", "variant=mixd")
    assert result.code == 2
    assert "did you mean 'mixed'?" in result.err
    assert "turn-tall" in result.err
    assert not list(Path().iterdir())


def test_a_file_that_does_not_exist(command, scenario):
    scenario()
    result = command("run", "bead.toml")
    assert (result.code, result.out) == (2, "")
    assert "bead.toml: no such file" in result.err
    assert "beads.toml" in result.err


def test_quick_is_for_studies(command, scenario):
    result = command("run", scenario(), "--quick")
    assert result.code == 2
    assert "--quick is for studies" in result.err


@pytest.mark.parametrize(("change", "words"), [
    ("law.frictoin=0.3", ["--set law.frictoin", "did you mean 'friction'"]),
    ("run.duration=2 kg", ["--set run.duration", "a time is wanted"]),
    ("walls[7].radius=1", ["walls", "no entry 7"]),
    ("friction", ["has no value", "law.friction=0.3"]),
    ("law.restitution=1.5", ["--set law.restitution", "at most 1"]),
])
def test_a_bad_change(command, scenario, change, words):
    result = command("run", scenario(), "--set", change)
    assert (result.code, result.out) == (2, "")
    for word in words:
        assert word in result.err


def test_a_folder_that_holds_a_run(command, scenario):
    assert command("run", scenario(), "--out", "out", "--threads", 1, "--quiet").code == 0
    before = {path: path.read_bytes() for path in Path("out").rglob("*") if path.is_file()}
    result = command("run", "beads.toml", "--out", "out")
    assert (result.code, result.out) == (2, "")
    assert "out already holds a run" in result.err
    assert "granum resume out" in result.err
    assert before == {path: path.read_bytes() for path in Path("out").rglob("*") if path.is_file()}


def test_a_file_where_the_folder_should_be(command, scenario):
    result = command("run", scenario(), "--out", "beads.toml")
    assert result.code == 2
    assert "beads.toml is a file" in result.err
    assert command("run", "beads.toml", "--out", "beads.toml/out").code in (1, 2)


def test_resuming_what_is_no_run(command, tmp_path):
    result = command("resume", tmp_path)
    assert (result.code, result.out) == (2, "")
    assert f"{tmp_path} is not a run folder" in result.err
    assert command("resume", "nowhere").code == 2
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("threads", [0, -1, 10_000])
def test_impossible_threads(command, scenario, threads):
    result = command("run", scenario(), "--threads", threads)
    assert result.code == 2
    assert f"threads = {threads} is not possible here" in result.err
    assert not Path("runs").exists()


def test_numerical_trouble(command, scenario):
    file = scenario(('radius = "0.5 mm"', 'radius = "0.5 mm"\nvelocity = [0, 0, 500]'))
    result = command("run", file, "--out", "out", "--threads", 1, "--quiet")
    assert (result.code, result.out) == (3, "")
    assert "grain 12 moves at 500 m/s at t = 0 s" in result.err
    assert "contact_time" in result.err
    summary = json.loads(Path("out/summary.json").read_text())
    assert summary["state"] == "trouble"
    assert summary["trouble"] in result.err.replace("\n", "")
    assert command("resume", "out", "--threads", 1, "--quiet").code == 3


@pytest.mark.parametrize("arguments", [
    ("run", "beads.toml", "--threads", "10000"), ("run", "hourglas"), ("check", "none.toml"),
    ("resume", "nowhere"), ("run", "beads.toml", "--set", "seed=-1"),
    ("check", "beads.toml", "--set", "title=1"),
])
def test_errors_as_json(command, scenario, arguments):
    scenario()
    result = command(*arguments, "--json")
    assert result.code == 2
    assert result.json.keys() == {"error", "message"}
    assert result.json["message"] in result.err


def test_trouble_as_json(command, scenario):
    file = scenario(('radius = "0.5 mm"', 'radius = "0.5 mm"\nvelocity = [0, 0, 500]'))
    result = command("run", file, "--threads", 1, "--json")
    assert result.code == 3
    assert result.json["error"] == "NumericalError"


def test_a_full_disk(command, scenario, monkeypatch):
    from granum.errors import OutputError

    def full(self, path):
        message = f"cannot write {path}: the disk is full"
        raise OutputError(message)

    monkeypatch.setattr("granum.simulation.Simulation.save", full)
    result = command("run", scenario(), "--threads", 1, "--json")
    assert result.code == 1
    assert "the disk is full" in result.json["message"]


def test_a_process_ends_with_the_code_and_without_a_traceback(tmp_path):
    main = "from granum.cli import main; main()"
    result = subprocess.run([sys.executable, "-c", main, "resume", str(tmp_path)], text=True,
                            capture_output=True, check=False)
    assert result.returncode == 2
    assert result.stdout == ""
    assert result.stderr.startswith("error: ")
    assert "Traceback" not in result.stderr

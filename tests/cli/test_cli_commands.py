"""What the commands do when all is well."""

from __future__ import annotations

import json
import re
from pathlib import Path

import matplotlib.image
import numpy as np
import pytest

import granum.cli.compiling
import granum.cli.progress
from granum import __version__
from granum.cli.compiling import DYNAMICS, GEOMETRY, PLACE
from granum.compile import cache_folder
from granum.output import read_frames, read_series
from granum.scenario.build import understand
from granum.scenario.reader import read_toml
from granum.studies import STUDIES
from small_scenario import MATTER


def assert_not_blank(path):
    """A picture shows grains: it has saturated colours besides its pale background."""
    image = matplotlib.image.imread(path)[:, :, :3]
    saturated = image.max(axis=2) - image.min(axis=2) > 0.1
    assert 0.0005 < saturated.mean() < 0.9


def test_new_check_run(drawing_command):
    command = drawing_command
    result = command("new", "first.toml")
    assert result.code == 0
    assert "granum check first.toml" in result.out
    assert "granum run first.toml" in result.out
    assert command("new", "first.toml").code == 2  # never written over
    assert command("new", "first").code == 2

    result = command("check", "first.toml")
    assert result.code == 0, result.err
    for words in ("600 at the start", "300 poured in", "cylinder, radius 0.015 m", "plate",
                  "time step", "1e-05 s", "memory", "MB", "run time", "on one core", "friction=0.3",
                  "every 0.005 s"):
        assert words in result.out

    result = command("run", "first.toml", "--set", "run.duration=5 ms", "--threads", 1)
    assert result.code == 0, result.err
    assert "600 grains, 0.005 s, results in runs/first" in result.out
    assert "Done: 500 steps" in result.out
    assert result.err == ""
    assert {path.name for path in Path("runs/first").iterdir()} == {
        "scenario.toml", "run.log", "series.csv", "frames.vtkhdf", "checkpoints", "summary.json",
        "picture.png"}
    assert_not_blank("runs/first/picture.png")
    assert read_series(Path("runs/first/series.csv"))["hole_grains"].tolist() == [0, 0]
    assert len(read_frames(Path("runs/first"))) == 1


def test_the_first_beads_are_inside_their_cylinder(command):
    """Expected: grains in the cylinder. Seen: some beside it, for the file said "both" sides."""
    command("new", "first.toml")
    world = understand(read_toml(Path("first.toml"))).world
    assert len(world) == 600
    assert (np.hypot(*world.position[:, :2].T) + world.radius <= 0.015 + 1e-9).all()


def test_no_line_is_broken_where_nobody_looks(command, scenario, monkeypatch):
    """Expected: one line a fact in a pipe. Seen: lines broken and filled up to 80 columns."""
    monkeypatch.setenv("COLUMNS", "80")
    lines = command("check", scenario()).out.splitlines()
    assert len(lines) == sum(len(value) if isinstance(value, list) else 1
                             for value in command("check", scenario(), "--json").json.values())
    assert max(map(len, lines)) > 100
    assert all(line == line.rstrip() for line in lines)


@pytest.mark.parametrize(("changes", "compiled", "said"), [
    ([], {DYNAMICS, PLACE}, ""),
    ([], {PLACE, GEOMETRY}, "half a minute"),
    (["run.neighbours=triangulation"], {DYNAMICS, PLACE, GEOMETRY}, ""),
    (["run.neighbours=triangulation"], {DYNAMICS}, "two minutes"),
    (['output.fields=["local_density"]'], {DYNAMICS}, "two minutes"),
])
def test_compiling_is_announced_and_done_before_the_run(command, scenario, monkeypatch, changes,
                                                        compiled, said):
    """Expected: a word before minutes of compiling. Seen: silence, after any kernel was there."""
    monkeypatch.setattr(granum.cli.compiling, "is_compiled", lambda part: part in compiled)
    words = [word for change in changes for word in ("--set", change)]
    lines = command("run", scenario(), "--threads", 1, *words).out.splitlines()
    assert ("Compiling kernels for this machine, once" in lines[0]) == bool(said)
    assert said in lines[0]
    assert json.loads(Path("runs/beads/summary.json").read_text())["state"] == "finished"


def test_compiling_ahead_changes_nothing(command, scenario, monkeypatch):
    found = []
    for folder, compiled in (("a", True), ("b", False)):
        monkeypatch.setattr(granum.cli.compiling, "is_compiled", lambda part, c=compiled: c)
        found.append(command("run", scenario(), "--out", folder, "--threads", 1, "--json", "--set",
                             "run.neighbours=triangulation").json["state_sha256"])
    assert found[0] == found[1]


def test_a_folder_that_is_taken_is_refused_before_anything_is_made(command, scenario, monkeypatch):
    """Expected: an answer at once. Seen: minutes of compiling and placing, then the refusal."""
    command("run", scenario(), "--threads", 1)
    monkeypatch.setattr(granum.cli.run, "understand", lambda document: 1 / 0)
    result = command("run", scenario(), "--threads", 1)
    assert result.code == 2
    assert "runs/beads already holds a run" in result.err


def test_check_as_json(command, scenario):
    facts = command("check", scenario(), "--json").json
    assert facts["title"] == "Beads"
    assert facts["grains"][0].startswith("13 at the start")
    assert facts["grains"][1:] == ["1 of radius 0.0005 m", "12 of radius 0.001 m"]
    assert len(facts["walls"]) == 2
    assert facts["steps"] == 100
    assert facts["time_step"].startswith("2e-05 s")
    assert "MB" in facts["memory"]
    assert "s on one core" in facts["run_time"]
    assert "3D" in facts["world"]
    assert not Path("runs").exists()


def test_check_takes_changes_and_studies(command, scenario):
    facts = command("check", scenario(), "--set", "grains[0].count=3", "--json").json
    assert facts["grains"][0].startswith("4 at the start")
    facts = command("check", "hourglass", "--quick", "--set", "variant=turn-fast", "--json").json
    assert facts["grains"][0].startswith("71 at the start")
    assert "gravity turns 1 times" in facts["world"]


def test_run_as_json(command, scenario):
    result = command("run", scenario(), "--threads", 1, "--json")
    assert (result.code, result.err) == (0, "")
    summary = result.json
    assert summary == json.loads(Path("runs/beads/summary.json").read_text())
    assert summary["state"] == "finished"
    assert (summary["steps"], summary["grains"], summary["threads"]) == (100, 13, 1)
    assert summary["granum"] == __version__
    assert re.fullmatch("[0-9a-f]{64}", summary["state_sha256"])
    assert summary["found"] == {"picture": "runs/beads/picture.png"}
    again = command("resume", "runs/beads", "--threads", 1, "--json").json
    assert again["state_sha256"] == summary["state_sha256"]


def test_quiet_is_quiet(command, scenario):
    for arguments in (("run", scenario(), "--out", "out"), ("resume", "out")):
        result = command(*arguments, "--threads", 1, "--quiet")
        assert result == type(result)(0, "", "")


def test_a_change_is_written_down(command, scenario):
    command("run", scenario(), "--threads", 1, "--set", "law.friction=0.7", "--set", "title=Other")
    understood = understand(read_toml(Path("runs/beads/scenario.toml")))
    assert understood.law.friction == 0.7
    assert understood.table.title == "Other"
    assert understood.table.run.time_step == 2e-5
    assert understood.plan.frames == 1e-3
    assert understood.plan.checkpoints == 2e-4


def test_a_law_by_materials_from_file_to_run_folder(command, scenario):
    file = scenario(
        ("[law]", '[materials.steel]\ndensity = 7800\n\n[law]'),
        ("friction = 0.3\n", "friction = 0.3\n\n[law.materials.steel]\nfriction = 0.1\n\n"
         '[[law.pairs]]\nbetween = ["steel", "glass"]\ncontact_time = "0.8 ms"\n'),
        ('hole = "4 mm"', 'hole = "4 mm"\nmaterial = "steel"'),
        ("count = 12", 'count = 12\nmaterial = "glass"'),
        ('radius = "0.5 mm"', 'radius = "0.5 mm"\nmaterial = "steel"'),
    )
    result = command("check", file)
    assert result.code == 0, result.err
    for line in (r"restitution +contact_time \[s\] +friction", r"glass on glass +0.5 +0.001 +0.3",
                 r"glass on steel +0.5 +0.0008 +0.173205", r"steel on steel +0.5 +0.001 +0.1"):
        assert re.search(line, result.out)
    summary = command("run", file, "--threads", 1, "--json").json
    understood = understand(read_toml(Path("runs/beads/scenario.toml")))
    assert understood.law == understand(read_toml(Path(file))).law
    assert [m.name for m in understood.world.materials] == ["steel", "glass"]
    assert list(understood.world.made_of.values()) == [0]
    again = command("resume", "runs/beads", "--threads", 1, "--json").json
    assert again["state_sha256"] == summary["state_sha256"]


def test_check_tells_add_ons_of_each_pair(command, scenario):
    file = scenario(
        ("friction = 0.3\n", "friction = 0.3\n\n[law.materials.glass]\nfriction = 0.2\n\n"
         '[[law.add]]\ntype = "cohesion"\nforce = "1 mN"\n'),
    )
    result = command("check", file)
    assert result.code == 0, result.err
    for line in (r"friction +cohesion.force \[N\]", r"glass on glass +0.5 +0.001 +0.2 +0.001"):
        assert re.search(line, result.out)


def test_resume_says_where_it_goes_on(command, scenario):
    command("run", scenario(), "--threads", 1)
    result = command("resume", "runs/beads", "--threads", 1, "--set", "run.duration=3 ms")
    assert result.code == 0
    assert "going on at t = 0.002 of 0.003 s" in result.out
    assert "Done: 150 steps" in result.out


@pytest.mark.parametrize(("head", "grains"), [
    ("[world]\ndimension = 2\nperiodic = { x = 0.1 }\n",
     'type = "random"\nradius = "4 mm"\ncount = 6\nlow = [0, 0, 0]\nhigh = [0.1, 0.1, 0]\n'),
    ("[world]\nperiodic = { x = 0.1, y = 0.1, z = 0.1 }\n",
     'type = "lattice"\nradius = "4 mm"\ncount = 6\n'),
    ("[world]\ngravity = [0, 0, 0]\n",
     'type = "explicit"\nradius = 0.1\npoints = [[0, 0, 0], [0, 0, 1]]\n'),
    ("[[walls]]\ntype = \"box\"\nlow = [0, 0, 0]\nhigh = [0.1, 0.1, 0.1]\n",
     'type = "pour"\nradius = "4 mm"\ncount = 3\nrate = 5000\nlow = [0, 0, 0]\n'
     "high = [0.1, 0.1, 0.1]\n"),
], ids=["flat", "periodic", "without gravity and walls", "empty at first"])
def test_worlds_of_all_sorts(drawing_command, head, grains):
    text = f'{MATTER}[run]\nduration = "2 ms"\n[output]\nframes = "1 ms"\n'
    Path("world.toml").write_text(text + head + "[[grains]]\n" + grains)
    result = drawing_command("check", "world.toml")
    assert (result.code, result.err) == (0, "")
    result = drawing_command("run", "world.toml", "--threads", 1, "--json")
    assert (result.code, result.err) == (0, "")
    assert result.json["state"] == "finished"
    assert_not_blank("runs/world/picture.png")


def test_no_grain_is_cut_off_in_the_picture(drawing_command):
    """Without walls, the picture must reach around the grains, not only to their centres."""
    text = (f'{MATTER}[run]\nduration = "40 us"\n'
            '[[grains]]\ntype = "explicit"\nradius = 0.1\n'
            "points = [[0, 0, 0], [0, 0, 1], [0.5, 0, 0.5], [-0.5, 0, 0.5]]\n")
    Path("world.toml").write_text(text)
    assert drawing_command("run", "world.toml", "--threads", 1).code == 0
    image = matplotlib.image.imread("runs/world/picture.png")[:, :, :3]
    saturated = image.max(axis=2) - image.min(axis=2) > 0.1
    rows, columns = (np.flatnonzero(saturated.any(axis=axis)) for axis in (1, 0))
    # A disc begins with a few pixels, a disc that is cut with a long line.
    assert saturated[rows[0]].sum() < 0.2 * saturated.sum(axis=1).max()
    assert saturated[:, columns[0]].sum() < 0.2 * saturated.sum(axis=0).max()


# ---- looking around ------------------------------------------------------------------------


def test_studies(command):
    result = command("studies")
    assert (result.code, result.err) == (0, "")
    listed = command("studies", "--json").json
    assert listed.keys() == STUDIES.keys()
    for name, study in STUDIES.items():
        assert f"{name}  {study.title}" in result.out
        for variant, text in study.variants.items():
            assert re.search(rf"{variant} +{re.escape(text)}", result.out)
        assert listed[name]["variants"] == dict(study.variants)


def test_info(command):
    result = command("info")
    assert result.code == 0
    facts = command("info", "--json").json
    assert facts["granum"] == __version__
    assert facts["numpy"] == np.__version__
    assert facts["kernels"] == str(cache_folder())
    assert facts["threads"] >= 1
    assert facts["extras"]["plot"] is True
    for name in facts:
        assert re.search(rf"^{name} ", result.out, re.MULTILINE)


def test_version_and_help(command):
    assert command("--version").out == f"granum {__version__}\n"
    result = command("--help")
    assert result.code == 0
    for name in ("run", "resume", "check", "new", "studies", "report", "bench", "info"):
        assert name in result.out
        assert command(name, "--help").code == 0


def test_a_command_that_does_not_exist(command):
    result = command("rn")
    assert (result.code, result.out) == (2, "")
    assert command("run").code == 2


# ---- texts that look like something else -----------------------------------------------------

ODD = ["[red]x[/", "[/]", "[bold", "[link=http://x]y", ":smile: [b]", "50 % {x} $HOME", "ω → ∞"]


@pytest.mark.parametrize("title", ODD)
def test_odd_titles_are_shown_as_they_are(command, scenario, title):
    file = scenario(('title = "Beads"', f'title = "{title}"'))
    assert title in command("check", file).out
    result = command("run", file, "--threads", 1)
    assert (result.code, result.err) == (0, "")
    assert result.out.startswith(f"{title}: 13 grains")
    assert json.loads(Path("runs/beads/summary.json").read_text())["state"] == "finished"
    assert command("resume", "runs/beads", "--threads", 1).code == 0


@pytest.mark.parametrize("name", ["[red]x[", "[", "a b", "-x", "ü", "{0}"])
def test_odd_file_names_do_no_harm(command, scenario, name):
    file = scenario(name=f"{name}.toml")
    result = command("run", f"./{file}", "--threads", 1, "--out", f"./{name}")
    assert (result.code, result.err) == (0, "")
    assert f"results in {name}\n" in result.out
    assert command("resume", f"./{name}", "--threads", 1).code == 0
    result = command("run", f"./{file}", "--out", f"./{name}")
    assert result.code == 2
    assert f"{name} already holds a run" in result.err
    assert f"{name}.toml: no such file" in command("check", f"nowhere/{name}.toml").err

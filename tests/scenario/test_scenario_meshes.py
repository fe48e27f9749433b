"""Meshes in scenarios: found beside the file, told by check, safe in the run folder."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner

import granum.cli.run
import mesh_shapes as shapes
from granum.cli.app import app
from granum.errors import InputError
from granum.scenario.build import understand
from granum.scenario.problems import ScenarioError
from granum.scenario.reader import read_toml
from granum.walls import Mesh
from small_scenario import BEADS, no_picture

DRUM = Path(__file__).parents[2] / "docs" / "examples" / "drum.toml"
BOX = '[[walls]]\ntype = "box"\nlow = [0, 0, 0]\nhigh = [0.05, 0.05, 0.05]\n'
MESH = '[[walls]]\ntype = "mesh"\nfile = "parts/cube.stl"\nscale = 0.05\nside = "inside"\n'
WITH_MESH = BEADS.replace(BOX, MESH)


@pytest.fixture
def scenario(tmp_path, monkeypatch):
    """The path of a scenario with a mesh in a folder below."""
    monkeypatch.setattr(granum.cli.run, "draw_run", no_picture)
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "cube.stl").write_bytes(shapes.stl_binary(*shapes.cube()))
    path = tmp_path / "beads.toml"
    path.write_text(WITH_MESH)
    return path


def call(*words):
    result = CliRunner().invoke(app, [str(word) for word in words])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def state_of(folder):
    return json.loads((folder / "summary.json").read_text())["state_sha256"]


def test_mesh_is_found_beside_the_scenario(scenario):
    world = understand(read_toml(scenario)).world
    assert isinstance(world.walls[0], Mesh)
    assert world.walls[0].bounds()[1].tolist() == [0.05, 0.05, 0.05]
    assert len(world) == 20


def test_vertices_may_stand_in_the_scenario(tmp_path):
    text = ('[[walls]]\ntype = "mesh"\nvertices = [[0, 0, 0], ["5 cm", 0, 0], [0, "5 cm", 0]]\n'
            'faces = [[0, 1, 2]]\n[[walls]]\ntype = "box"\nlow = [0, 0, 0]\n'
            "high = [0.05, 0.05, 0.05]\n")
    path = tmp_path / "beads.toml"
    path.write_text(BEADS.replace(BOX, text))
    understood = understand(read_toml(path))
    assert len(understood.world.walls[0].surface.faces) == 1
    assert understood.as_understood()["walls"][0]["faces"] == [[0, 1, 2]]


def test_check_tells_the_mesh(scenario):
    told = call("check", scenario).output.replace("\n", " ")
    assert "mesh cube.stl, 12 triangles, closed, 0.05 x 0.05 x 0.05 m" in told
    assert "grains inside" in told


def test_run_does_not_need_the_file_any_more(scenario, tmp_path):
    whole, cut = tmp_path / "whole", tmp_path / "cut"
    call("run", scenario, "--out", whole, "--threads", 1)
    call("run", scenario, "--out", cut, "--threads", 1, "--set", "run.duration=0.4 ms")
    copies = list((cut / "meshes").iterdir())
    assert [path.read_bytes() for path in copies] == [
        (scenario.parent / "parts" / "cube.stl").read_bytes()]
    shutil.rmtree(scenario.parent / "parts")
    shutil.rmtree(cut / "meshes")  # the checkpoint has its own
    call("resume", cut, "--threads", 2, "--set", "run.duration=1 ms")
    assert state_of(cut) == state_of(whole)


def test_run_folder_can_be_run_again(scenario, tmp_path):
    whole, again = tmp_path / "whole", tmp_path / "again"
    call("run", scenario, "--out", whole, "--threads", 1)
    shutil.rmtree(scenario.parent / "parts")
    whole.rename(tmp_path / "moved")
    call("run", tmp_path / "moved" / "scenario.toml", "--out", again, "--threads", 1)
    assert state_of(again) == state_of(tmp_path / "moved")


def test_edited_copy_is_refused(scenario, tmp_path):
    folder = tmp_path / "run"
    call("run", scenario, "--out", folder, "--threads", 1)
    copy = next((folder / "meshes").iterdir())
    copy.write_bytes(shapes.stl_binary(*shapes.cube(high=(1, 1, 1.1))))
    with pytest.raises(ScenarioError, match=r"walls\[0\]\.sha256: .*has been changed since"):
        understand(read_toml(folder / "scenario.toml"))


def test_file_that_changes_under_way_is_refused(scenario):
    understood = understand(read_toml(scenario))
    (scenario.parent / "parts" / "cube.stl").write_bytes(b"solid\nendsolid\n")
    with pytest.raises(InputError, match="changed since it was read"):
        understood.mesh_copies()


@pytest.mark.parametrize(("old", "new", "expected"), [
    ("cube.stl", "none.stl", "none.stl: the mesh cannot be read: no such file"),
    ("cube.stl", "cube.step", "a mesh is a file of the kind"),
    ('"inside"', '"in"', r"walls\[0\]\.side: .*is wanted"),
    ("scale = 0.05", "scale = 0", r"walls\[0\]\.scale: must be greater than 0"),
    ('file = "parts/cube.stl"\n', "", "one of the two"),
])
def test_wrong_mesh_is_told_by_its_place(scenario, old, new, expected):
    scenario.write_text(WITH_MESH.replace(old, new))
    with pytest.raises(ScenarioError, match=expected):
        understand(read_toml(scenario))


def test_hole_is_told_by_its_place(scenario):
    vertices, faces = shapes.cube()
    (scenario.parent / "parts" / "cube.stl").write_bytes(shapes.stl_binary(vertices, faces[2:]))
    with pytest.raises(ScenarioError, match=r"line 7, walls\[0\].*1 hole: the first is bounded by "
                                            r"4 edges around \(0, 0\.5, 0\.5\)"):
        understand(read_toml(scenario))


def test_example_of_the_pages_is_understood():
    drum = understand(read_toml(DRUM)).world.walls[0]
    assert drum.surface.is_closed
    assert len(drum.surface.faces) > 200

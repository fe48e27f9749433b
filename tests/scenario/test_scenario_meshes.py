"""Meshes in scenarios: found beside the file, told by check, safe in the run folder."""

from __future__ import annotations

import json
import math
import shutil
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import granum.cli.run
import mesh_shapes as shapes
from granum.cli.app import app
from granum.errors import InputError
from granum.measures import Mixing
from granum.scenario.build import understand
from granum.scenario.problems import ScenarioError
from granum.scenario.reader import read_toml
from granum.walls import Mesh
from small_scenario import BEADS, no_picture

EXAMPLES = Path(__file__).parents[2] / "docs" / "examples"
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


@pytest.mark.parametrize(("name", "least"), [("drum", 200), ("screw", 350), ("mixer", 100)])
def test_examples_of_the_pages_are_understood(name, least):
    mesh = understand(read_toml(EXAMPLES / f"{name}.toml")).world.walls[0]
    assert mesh.surface.is_closed
    assert least < len(mesh.surface.faces) < 400


def turning(name, rate, folder):
    """Return the simulation of an example whose machine turns at another rate [rad/s]."""
    text = (EXAMPLES / f"{name}.toml").read_text(encoding="utf-8")
    assert "rate = 9.0" in text
    for mesh in EXAMPLES.glob(f"{name}.[op]*"):
        shutil.copy(mesh, folder)
    path = folder / f"{name}.toml"
    path.write_text(text.replace("rate = 9.0", f"rate = {rate}"), encoding="utf-8")
    return understand(read_toml(path)).simulation(threads=1)


@pytest.mark.parametrize("rate", [9.0, -9.0])
def test_screw_carries_grains_along_its_axis(rate, tmp_path):
    """Once they lie, at most by a pitch in a turn, and not much less; and it has to push them."""
    sim = turning("screw", rate, tmp_path)
    mesh = sim.world.walls[0]
    pitch = 0.03
    sim.run(0.1)
    start, before = sim.world.position[:, 0].mean(), sim.wall_forces()["screw"].work
    sim.run(0.1)
    carried = (sim.world.position[:, 0].mean() - start) / (pitch * rate * 0.1 / (2.0 * math.pi))
    assert 0.6 < carried < 1.0
    assert sim.wall_forces()["screw"].work > before > 0.0
    # no grain is squeezed between flight and tube, and none is lost in the screw
    assert sim.contacts().overlap.max() < 0.05 * sim.world.radius[0]
    assert mesh.contains(turned_back(sim.world.position, -rate * sim.time, axis=0)).all()


def test_mixer_mixes_two_materials(tmp_path):
    """They start apart, and stay so where the paddles rest: the fall onto the floor mixes none."""
    found = {}
    for rate in (9.0, 0.0):
        sim = turning("mixer", rate, tmp_path)
        mixing = Mixing(material="red", cell=7e-3)
        assert sim.measure(mixing)["lacey_index"] == pytest.approx(0.0, abs=1e-12)
        sim.run(0.15)
        found[rate] = sim.measure(mixing)["lacey_index"], sim.wall_forces()["mixer"].work
        overlap = sim.contacts().overlap.max()
        assert overlap < 0.1 * sim.world.radius[0]
        rho = np.hypot(sim.world.position[:, 0], sim.world.position[:, 2])
        assert rho.max() < 0.02 - sim.world.radius[0] + overlap
    assert found[0.0][0] < 0.05
    assert found[9.0][0] > 0.15
    assert found[9.0][1] > 0.0
    assert found[0.0][1] == 0.0  # what rests does no work


def turned_back(points, angle, axis):
    """Return points (n,3) turned by an angle [rad] about an axis through the origin."""
    first, second = (axis + 1) % 3, (axis + 2) % 3
    c, s = math.cos(angle), math.sin(angle)
    made = points.copy()
    made[:, first] = c * points[:, first] - s * points[:, second]
    made[:, second] = s * points[:, first] + c * points[:, second]
    return made

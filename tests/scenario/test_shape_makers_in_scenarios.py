"""Shapes that a scenario has made: the same as in Python, kept by the run, refused by key."""

from __future__ import annotations

import json
import os
import signal

import numpy as np
import pytest
from typer.testing import CliRunner

import granum as gr
import mesh_shapes
from granum.cli.app import app
from granum.run import SCENARIO, Run, newest_simulation, start_folder
from granum.scenario.branching import refuse_misfit
from granum.scenario.build import plan_of, understand
from granum.scenario.problems import ScenarioError
from granum.scenario.reader import parse_toml, read_toml
from granum.scenario.writer import to_toml
from small_scenario import RANDOM, beads

CORNERS = [(x, y, z) for x in (0, 1) for y in (0, 2) for z in (0, 3)]
ELL = [(0, 0), (2, 0), (2, 1), (1, 1), (1, 2), (0, 2)]
FLAT = [("high = [0.05, 0.05, 0.05]", "high = [0.1, 0.1, 0]"),
        ("[materials", "[world]\ndimension = 2\n[materials")]
MESH = 'type = "mesh"\nfile = "parts/stone.stl"\nscale = 1e-3\nradius = "0.1 mm"'
BLOCK = [(x, y, z) for z in (0, 1) for x, y in ELL]
SIDES = [(5, 4, 3, 2, 1, 0), (6, 7, 8, 9, 10, 11),
         *((k, (k + 1) % 6, (k + 1) % 6 + 6, k + 6) for k in range(6))]
BOX = 'type = "box"\nlengths = ["4 mm", "3 mm", "2 mm"]\nradius = "0.2 mm"'


def lists(points):
    return str([list(point) for point in points])


def scene(shape, *changes):
    return beads((RANDOM, f"{RANDOM}[grains.shape]\n{shape}\n"), *changes)


@pytest.fixture
def beside(tmp_path):
    """Return a function that writes a scenario with a stone in a folder below, and reads it."""
    (tmp_path / "parts").mkdir()
    stone = mesh_shapes.stl_binary(*mesh_shapes.cube(high=(1.0, 2.0, 3.0)))
    (tmp_path / "parts" / "stone.stl").write_bytes(stone)

    def write(shape=MESH, *changes):
        (tmp_path / "stones.toml").write_text(scene(shape, *changes))
        return read_toml(tmp_path / "stones.toml")

    return write


def shape_of(scenario):
    """Return what the placing of a scenario as understood, written and read again, has."""
    data = parse_toml(to_toml(scenario.as_understood())).data
    table = data["grains"][0]["shape"]
    kind = {"sphero_polyhedron": gr.SpheroPolyhedron, "sphero_polygon": gr.SpheroPolygon}[
        table.pop("type")]
    return kind(**table)


# ---- good ------------------------------------------------------------------------------------


@pytest.mark.parametrize(("shape", "python", "changes"), [
    (BOX, gr.SpheroPolyhedron.box((4e-3, 3e-3, 2e-3), 2e-4), ()),
    *((f'type = "regular"\nfaces = {faces}\nlength = "3 mm"\nradius = 3e-4',
       gr.SpheroPolyhedron.regular(faces, 3e-3, 3e-4), ()) for faces in (4, 6, 8, 12, 20)),
    (f'type = "rounded_hull"\nvertices = {lists(CORNERS)}\nradius = 0.2',
     gr.SpheroPolyhedron.rounded(CORNERS, 0.2), ()),
    (f'type = "rounded_polyhedron"\nvertices = {lists(BLOCK)}\nfaces = {lists(SIDES)}\n'
     "radius = 0.2", gr.SpheroPolyhedron.rounded(BLOCK, 0.2, SIDES), ()),
    (f'type = "rounded_outline"\npoints = {lists(ELL)}\nradius = 0.1',
     gr.SpheroPolygon.rounded(ELL, 0.1), FLAT),
    ('type = "cow"\nlength = "2 m"\nradius = "2 cm"', gr.SpheroPolygon.cow(2.0, 0.02), FLAT),
    ('type = "angular"\nlength = "4 mm"\nradius = "0.1 mm"', gr.families.angular(1, 4e-3, 1e-4)[0],
     ()),
    ('type = "angular"\nlength = 4e-3\nradius = 1e-4\nangularity = 0.8\nelongation = 0.7\n'
     "flatness = 0.6\nvertices = 30\nseed = 5",
     gr.families.angular(1, 4e-3, 1e-4, angularity=0.8, elongation=0.7, flatness=0.6, vertices=30,
                         seed=5)[0], ()),
    ('type = "angular"\ndimension = 2\nlength = 4e-3\nradius = 1e-4',
     gr.families.angular(1, 4e-3, 1e-4, dimension=2)[0], FLAT),
])
def test_what_is_made_is_what_python_makes(shape, python, changes):
    scenario = understand(parse_toml(scene(shape, *changes)))
    assert shape_of(scenario) == python
    world = scenario.world
    settled = python.settled(world.dimension).shape
    assert world.shapes[0].describe() == settled.describe()
    assert world.shapes[0].volume / world.shapes[0].radius ** world.dimension == pytest.approx(
        settled.volume / settled.radius ** world.dimension)
    again = understand(parse_toml(to_toml(scenario.as_understood()))).world
    assert again.shapes == world.shapes
    assert again.position.tobytes() == world.position.tobytes()


@pytest.mark.parametrize(("more", "options"), [("", {}), ("\nmost = 8", {"most": 8})])
@pytest.mark.parametrize("ending", ["stl", "obj", "ply"])
def test_a_body_in_a_file_is_that_of_python(beside, tmp_path, ending, more, options):
    content = {"stl": mesh_shapes.stl_binary, "obj": mesh_shapes.obj_text,
               "ply": mesh_shapes.ply}[ending](*mesh_shapes.cube(high=(1.0, 2.0, 3.0)))
    file = tmp_path / "parts" / f"stone.{ending}"
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    scenario = understand(beside(MESH.replace("stl", ending) + more))
    made = shape_of(scenario)
    assert made == gr.SpheroPolyhedron.from_file(str(file), 1e-4, scale=1e-3, **options)
    assert len(made.vertices) == 8
    assert len(made.faces) == 12
    assert "stone" not in to_toml(scenario.as_understood())


def test_a_body_in_a_file_that_keeps_its_size(beside, tmp_path):
    """Its hollow, too: an L, in triangles."""
    cut = [(f[0], f[k], f[k + 1]) for f in SIDES[2:] for k in (1, 2)] + [
        (0, 3, 2), (0, 2, 1), (0, 5, 3), (3, 5, 4), (6, 8, 9), (6, 7, 8), (6, 9, 11), (9, 10, 11)]
    (tmp_path / "parts" / "stone.stl").write_bytes(mesh_shapes.stl_binary(
        np.array(BLOCK, dtype=float), np.array(cut)))
    made = shape_of(understand(beside(MESH + "\nrounded = true")))
    assert sorted(made.vertices) == pytest.approx(np.array(sorted(
        gr.SpheroPolyhedron.rounded(1e-3 * np.array(BLOCK), 1e-4, SIDES).vertices)), abs=1e-15)
    assert not made.skeleton().is_convex


def test_a_finer_surface_is_drawn_together(beside, tmp_path):
    (tmp_path / "parts" / "stone.stl").write_bytes(mesh_shapes.stl_binary(
        *mesh_shapes.drum(1.0, 1.0, 20)))
    whole = shape_of(understand(beside()))
    made = shape_of(understand(beside(MESH + "\nmost = 12")))
    assert len(made.vertices) <= 12 < len(whole.vertices)


def test_check_tells_what_was_made(beside, tmp_path):
    beside()
    result = CliRunner().invoke(app, ["check", str(tmp_path / "stones.toml")])
    told = " ".join(result.output.split())
    assert result.exit_code == 0, told
    assert "20 of radius 0.002 m, swept skeletons of 8 vertices and 12 edges" in told


def test_a_run_goes_on_without_the_file(beside, tmp_path):
    def run(folder, report=None):
        scenario = understand(beside())
        start_folder(folder, to_toml(scenario.as_understood()))
        return Run(scenario.simulation(1), scenario.plan, folder,
                   **({} if report is None else {"report": report})).go()

    whole, folder = run(tmp_path / "whole"), tmp_path / "cut"
    cut = run(folder, lambda progress: os.kill(os.getpid(), signal.SIGINT))
    assert cut["state"] == "interrupted"
    (tmp_path / "parts" / "stone.stl").unlink()
    document = read_toml(folder / SCENARIO)
    Run(newest_simulation(folder, 1), plan_of(document), folder).go()
    resumed = json.loads((folder / "summary.json").read_text())
    assert resumed["state_sha256"] == whole["state_sha256"]
    anew = understand(document)  # it can be run anew, too
    assert anew.as_understood()["grains"] == document.data["grains"]


def test_another_run_may_go_on_from_one_with_a_file(beside, tmp_path):
    """The scenario names the file, the run folder its vertices: the grains are the same."""
    scenario = understand(beside())
    start_folder(tmp_path / "run", to_toml(scenario.as_understood()))
    refuse_misfit(scenario, tmp_path / "run")
    other = understand(beside(MESH.replace("0.1 mm", "0.2 mm")))
    with pytest.raises(ScenarioError, match=r"grains\[0\]: is not that of the run"):
        refuse_misfit(other, tmp_path / "run")


# ---- bad -------------------------------------------------------------------------------------


@pytest.mark.parametrize(("shape", "key", "said"), [
    (BOX.replace("box", "boxx"), "type", "\"boxx\" is unknown; did you mean 'box'?"),
    (BOX.replace("box", "regularr"), "type", "did you mean 'regular'?"),
    (BOX.replace("box", "sphero_polyhedrom"), "type", "did you mean 'sphero_polyhedron'?"),
    (BOX.replace("lengths", "lenghts"), "lenghts", "unknown key; did you mean 'lengths'?"),
    (BOX.replace('"3 mm"', "0"), "lengths", "along y must be greater than 0"),
    (BOX.replace('"3 mm", ', ""), "lengths", "a list of 3 lengths is wanted"),
    (BOX.replace('"0.2 mm"', "0"), "radius", "must be greater than 0, got 0"),
    (BOX.replace('radius = "0.2 mm"', ""), "radius", "missing"),
    ('type = "regular"\nfaces = 10\nlength = 1\nradius = 0.1', "faces", "4, 6, 8, 12 or 20"),
    ('type = "regular"\nfaces = 12\nlength = -1\nradius = 0.1', "length", "must be greater than 0"),
    (f'type = "rounded_hull"\nvertices = {lists(CORNERS)}\nradius = 0.6', "radius",
     "0.6 m is too large to round this body, which holds a ball of radius 0.5 m at most"),
    (f'type = "rounded_hull"\nvertices = {lists(CORNERS[:4])}\nradius = 0.1', "vertices", "flat"),
    (f'type = "rounded_polyhedron"\nvertices = {lists(BLOCK)}\nfaces = {lists(SIDES)}\n'
     "radius = 0.5", "radius", "0.5 m is too large: the edge from"),
    (f'type = "rounded_polyhedron"\nvertices = {lists(BLOCK)}\nfaces = {lists(SIDES[1:])}\n'
     "radius = 0.1", "faces", "open along the side"),
    (f'type = "rounded_polyhedron"\nvertices = {lists([*BLOCK, (9, 9, 9)])}\n'
     f"faces = {lists(SIDES)}\nradius = 0.1", "vertices", "vertex 12 at (9, 9, 9) m belongs to no"),
    (f'type = "rounded_outline"\npoints = {lists(ELL)}\nradius = 0.6', "radius",
     "0.6 m is too large: the side from (2, 0) m to (2, 1) m would vanish"),
    ('type = "rounded_outline"\npoints = [[0, 0], [1, 1], [1, 0], [0, 1]]\nradius = 0.1', "points",
     "cross"),
    ('type = "cow"\nlength = 0\nradius = 0.1', "length", "must be greater than 0"),
    ('type = "angular"\nlength = 1\nradius = 0.1\nflatness = 1.5', "flatness",
     "must be at most 1, got 1.5"),
    ('type = "angular"\nlength = 1\nradius = 0.1\nvertices = 5', "vertices", "must be at least 6"),
    ('type = "angular"\nlength = 1\nradius = 0.1\nseed = -1', "seed", "must be at least 0"),
    (MESH.replace("stone", "sand"), "file", "sand.stl: the mesh cannot be read: no such file"),
    (MESH.replace("stone.stl", "stone.step"), "file", "of the kind .stl, .obj, .ply, got '.step'"),
    (MESH.replace("parts/stone.stl", ""), "file", "the name of a file is wanted"),
    (MESH.replace('"parts/stone.stl"', "3"), "file", "text in quotes is wanted"),
    (MESH.replace("1e-3", "0"), "scale", "must be greater than 0"),
    (MESH.replace('"0.1 mm"', "-1"), "radius", "must be greater than 0"),
    (MESH + "\nmost = 3", "most", "must be at least 4"),
    (MESH + "\nrounded = 1", "rounded", "true or false"),
    (MESH.replace("0.1 mm", "0.6 mm") + "\nrounded = true", "radius", "0.0006 m is too large"),
])
def test_what_cannot_be_made_is_refused_by_key(beside, shape, key, said):
    document = beside(shape)
    with pytest.raises(ScenarioError) as error:
        understand(document)
    problem, = error.value.problems
    assert problem.path == ("grains", 0, "shape", key)
    assert said in problem.message
    assert problem.line is not None


def test_an_open_mesh_is_refused_at_its_file(beside, tmp_path):
    vertices, faces = mesh_shapes.cube()
    (tmp_path / "parts" / "stone.stl").write_bytes(mesh_shapes.stl_binary(vertices, faces[:-1]))
    with pytest.raises(ScenarioError, match=r"line \d+, grains\[0\]\.shape\.file: .*stone\.stl: a "
                       r"grain is solid, so it must be closed, but it has 1 hole"):
        understand(beside())


def test_a_file_called_as_a_key_is_still_a_file(beside, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ScenarioError, match=r"shape\.file: most\.stl: the mesh cannot be read"):
        understand(parse_toml(scene(MESH.replace("parts/stone", "most"))))


@pytest.mark.parametrize("shape", ['"cow"', "3", "[]"])
def test_a_shape_that_is_no_table(shape):
    text = beads((RANDOM, f"{RANDOM}shape = {shape}\n"))
    with pytest.raises(ScenarioError, match=r"grains\[0\]\.shape: .*'mesh', 'box', 'regular'"):
        understand(parse_toml(text))


def test_other_problems_are_told_beside_it():
    text = scene(BOX.replace('"0.2 mm"', "0"), ("restitution = 0.5", "restitution = 5"))
    with pytest.raises(ScenarioError) as error:
        understand(parse_toml(text))
    assert [problem.path[0] for problem in error.value.problems] == ["law", "grains"]


def test_a_shape_of_another_dimension_is_refused():
    with pytest.raises(ScenarioError, match="SpheroPolyhedron is a shape of a 3D world"):
        understand(parse_toml(scene(BOX, *FLAT)))

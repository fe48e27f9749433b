"""Swept shapes in other programs' formats: one row or one mesh for each grain, in its place."""

from __future__ import annotations

import csv
import json

import gsd.hoomd
import numpy as np
import pytest
from vtkmodules.vtkFiltersCore import vtkAppendPolyData, vtkMassProperties, vtkTriangleFilter
from vtkmodules.vtkIOGeometry import vtkGLTFReader

import granum as gr
import swept_run
from granum.convert import Choice, convert
from granum.convert.looks import shape_of
from granum.convert.swept_mesh import swept_mesh
from granum.convert.whole import whole_grains
from granum.output import write_container
from granum.output.worlds import plain_world
from granum.shapes.turning import random_turns
from granum.view import Record

ELL = [(0, 0), (2, 0), (2, 1), (1, 1), (1, 2), (0, 2)]
ANGLE = gr.SpheroPolyhedron(
    [(x, y, z) for z in (0, 1) for x, y in ELL],
    [tuple(range(6))[::-1], tuple(range(6, 12)),
     *((k, (k + 1) % 6, (k + 1) % 6 + 6, k + 6) for k in range(6))], 0.1)
SOLIDS = [gr.SpheroPolyhedron.box((1.0, 2.0, 3.0), 0.3), gr.Spherotetrahedron(1.0, 0.2),
          gr.SpheroPolyhedron.regular(12, 1.0, 0.1), gr.Spherocylinder(2.0, 0.4)]


def mesh_of(shape, detail=8):
    skeleton = shape.settled(3).shape
    return swept_mesh(np.array(skeleton.points), skeleton.radii[0],
                      np.array(skeleton.edges).reshape(-1, 2),
                      np.array(skeleton.faces, dtype=int).reshape(-1, 3), detail)


@pytest.mark.parametrize("shape", SOLIDS)
def test_meshes_of_convex_shapes_are_closed_and_hold_their_volume(shape):
    mesh = mesh_of(shape)
    _, same = np.unique(mesh.vertices.round(9), axis=0, return_inverse=True)
    triangles = same[mesh.triangles]
    real = (triangles != np.roll(triangles, 1, axis=1)).all(axis=1)
    ways = [(a, b) for face in triangles[real].tolist()
            for a, b in zip(face, face[1:] + face[:1], strict=True)]
    assert sorted(ways) == sorted((b, a) for a, b in ways)
    assert len(set(ways)) == len(ways)
    a, b, c = (mesh.vertices[mesh.triangles[:, k]] for k in range(3))
    assert (a * np.cross(b, c)).sum() / 6.0 == pytest.approx(shape.volume, rel=0.01)
    assert (a * np.cross(b, c)).sum() / 6.0 < shape.volume  # inscribed


@pytest.mark.parametrize("shape", [*SOLIDS, ANGLE, gr.Spherotriangle(2.0, 0.3),
                                   gr.SpheroPolyhedron(swept_run.TIPS, (), 0.2,
                                                       edges=[(0, 1), (2, 3), (4, 5)])])
def test_meshes_lie_on_the_surface_and_look_outwards(shape):
    """Each vertex is a radius away from the foot of its normal, which is on the skeleton."""
    mesh, skeleton = mesh_of(shape, 3), shape.settled(3).shape
    radius, points = skeleton.radii[0], np.array(skeleton.points)
    assert np.allclose(np.linalg.norm(mesh.normals, axis=1), 1.0)
    feet = mesh.vertices - radius * mesh.normals
    low, high = points.min(axis=0), points.max(axis=0)
    assert (feet >= low - 1e-9).all()
    assert (feet <= high + 1e-9).all()
    a, b, c = (mesh.vertices[mesh.triangles[:, k]] for k in range(3))
    normal = np.cross(b - a, c - a)
    real = np.linalg.norm(normal, axis=1) > 1e-12
    told = mesh.normals[mesh.triangles].sum(axis=1)
    assert ((normal * told).sum(axis=1)[real] > 0.0).all()


@pytest.fixture(scope="module")
def world():
    rng = np.random.default_rng(3)
    found = gr.World()
    found.add(gr.Sphere(0.4), at=[(-5.0, 0, 0)], density=1.0)
    for k, shape in enumerate([SOLIDS[1], ANGLE]):
        found.add(gr.Random(radius=0.8 + 0.2 * k, count=2, low=(0, 10 * k, 0),
                            high=(9, 10 * k + 9, 9), shape=shape), density=2.0,
                  velocity=(1.0, 0.0, 0.5 * k), spin=rng.normal(size=3))
    found.add(gr.Spherocylinder(1.0, 0.2), at=[(0, 30, 0)], density=1.0,
              orientation=random_turns(rng, 1, 3)[0])
    return found


@pytest.fixture(scope="module")
def run(world, tmp_path_factory):
    return swept_run.make_run(tmp_path_factory.mktemp("runs") / "shapes", world)


def test_wholes_are_the_grains_of_the_world(world, run):
    """Centre of mass, orientation and size, found from vertices."""
    record = Record(run)
    found = whole_grains(record.frame(0), record.walls.shapes)
    assert np.allclose(found.centre, world.position[1:], atol=1e-12)
    assert np.array_equal(found.turn, world.orientation[1:])
    radii = np.array([world.shapes[k].radius for k in found.shape]) * found.scale
    assert np.allclose(radii, world.radius[1:], rtol=1e-12)


def test_tables_have_one_row_for_each_grain(world, run, tmp_path):
    convert(Choice(Record(run), time=0.0), "csv", tmp_path / "a.csv")
    with (tmp_path / "a.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == len(world)
    for c, axis in enumerate("xyz"):
        assert np.allclose([float(row[axis]) for row in rows], world.position[:, c], atol=1e-12)
        assert np.allclose([float(row[f"velocity_{axis}"]) for row in rows], world.velocity[:, c],
                           atol=1e-12)
    assert np.allclose([float(row["radius"]) for row in rows], world.radius)
    assert [int(row["shape"]) for row in rows] == world.grains.shape.tolist()
    convert(Choice(Record(run), time=0.0), "lammps", tmp_path / "a.dump")
    lines = (tmp_path / "a.dump").read_text().splitlines()
    head = next(line for line in lines if line.startswith("ITEM: ATOMS")).split()[2:]
    assert {"quatw", "quati", "quatj", "quatk", "shape"} <= set(head)
    assert "mol" not in head
    assert len(lines[lines.index("ITEM: ATOMS " + " ".join(head)) + 1:]) == len(world)


def test_gsd_tells_the_shapes_of_its_types(world, run, tmp_path):
    convert(Choice(Record(run)), "gsd", tmp_path / "a.gsd")
    with gsd.hoomd.open(str(tmp_path / "a.gsd"), "r") as file:
        particles = file[0].particles
        assert len(world) == particles.N
        centre = particles.position + file[0].log["granum/origin"]
        assert np.allclose(centre, world.position, atol=1e-5)
        looks = [particles.type_shapes[k] for k in particles.typeid]
        assert [look.get("type") for look in looks] == [
            None, *["ConvexPolyhedron"] * 2, *["Mesh"] * 2, "Mesh"]
        vertices = np.array(looks[1]["vertices"])
        reach = np.linalg.norm(vertices, axis=1).max() + looks[1]["rounding_radius"]
        assert reach == pytest.approx(0.8, rel=1e-6)
        rod = np.array(looks[-1]["vertices"])
        assert np.linalg.norm(rod, axis=1).max() == pytest.approx(0.7, rel=1e-6)


def test_outlines_of_the_plane_are_polygons_in_a_gsd(tmp_path):
    shape = gr.SpheroPolygon(ELL, 0.1).settled(2).shape
    look = shape_of(shape, 2.0, 2)
    assert look["type"] == "Polygon"
    assert look["rounding_radius"] == pytest.approx(0.2)
    x, y = np.array(look["vertices"]).T
    assert 0.5 * (x * np.roll(y, -1) - y * np.roll(x, -1)).sum() == pytest.approx(3.0 * 4.0)
    bent = gr.SpheroPolygon([(-0.6, -0.2), (0, 0.25), (0.6, -0.2)], 0.3, closed=False)
    assert shape_of(bent.settled(2).shape, 1.0, 2)["type"] == "Mesh"
    run = swept_run.make_run(tmp_path / "cows", swept_run.cows())
    convert(Choice(Record(run)), "gsd", tmp_path / "a.gsd")
    with gsd.hoomd.open(str(tmp_path / "a.gsd"), "r") as file:
        assert file[0].particles.N == 2
        assert [look.get("type") for look in file[0].particles.type_shapes] == [None, "Polygon"]


def test_gltf_has_surfaces_that_hold_the_volume(tmp_path):
    """One box and a sphere, read by VTK: the volume is that of both."""
    world = gr.World()
    world.add(gr.Sphere(0.5), at=[(3, 0, 0)], density=1.0)
    world.add(SOLIDS[0], at=[(0, 0, 0)], density=1.0, orientation=(0.6, 0.0, 0.8, 0.0))
    run = swept_run.make_run(tmp_path / "run", world)
    _, told = convert(Choice(Record(run)), "gltf", tmp_path / "a.glb")
    assert told.startswith("2 grains")
    reader = vtkGLTFReader()
    reader.SetFileName(str(tmp_path / "a.glb"))
    reader.Update()
    parts, all_of_it = reader.GetOutput().NewIterator(), vtkAppendPolyData()
    while not parts.IsDoneWithTraversal():
        all_of_it.AddInputData(parts.GetCurrentDataObject())
        parts.GoToNextItem()
    triangles, mass = vtkTriangleFilter(), vtkMassProperties()
    triangles.SetInputConnection(all_of_it.GetOutputPort())
    mass.SetInputConnection(triangles.GetOutputPort())
    assert mass.GetVolume() == pytest.approx(world.volumes().sum(), rel=0.02)


def test_without_a_checkpoint_vertices_are_written(world, run, tmp_path):
    for path in (run / "checkpoints").iterdir():
        kept = path.read_bytes()
        path.unlink()
    try:
        convert(Choice(Record(run), time=0.0), "csv", tmp_path / "a.csv")
    finally:
        path.write_bytes(kept)
    with (tmp_path / "a.csv").open() as file:
        assert len(list(csv.DictReader(file))) == len(world.balls().number)


def test_a_checkpoint_with_impossible_shapes_is_not_used(tmp_path):
    plain = plain_world(swept_run.shapes_in_space())
    for change in ({"edges": [[0, 99]]}, {"radii": [-1.0] * 8}, {"type": "Mesh"},
                   {"points": [{"type": "UserLaw", "name": "x", "written": "", "values": []}]}):
        bad = json.loads(json.dumps(plain))
        bad["shapes"][0] |= change
        run = swept_run.make_run(tmp_path / "run", swept_run.shapes_in_space(), frames=1)
        path = next((run / "checkpoints").iterdir())
        write_container(path, {}, {"world": bad}, "checkpoint")
        walls = Record(run).walls
        assert walls.shapes == ()
        assert "cannot be used" in walls.why_not

"""Walls as triangles: on the wall, all of it, where it is at each moment."""

from __future__ import annotations

import numpy as np
import pytest
from view_folders import make_run, world_of, write_checkpoint

from granum.output.describe import to_plain
from granum.output.mesh_files import mesh_arrays
from granum.view import Record
from granum.view.block import unpack
from granum.view.enclosure import Walls
from granum.view.scene import Enclosing
from granum.view.surfaces import surfaces_of
from granum.walls import Box, Cone, Cylinder, Hourglass, Mesh, Plane, Plate, SphereWall
from granum.walls.moving import Linear, Piston, Rotation

SCENE = (np.array([-1.0, -2.0, 0.0]), np.array([1.0, 2.0, 3.0]))


def area_of(surface):
    a, b, c = (surface.vertices[surface.triangles[:, k]] for k in range(3))
    return 0.5 * np.linalg.norm(np.cross(b - a, c - a), axis=1).sum()


def total_area(wall):
    return sum(area_of(surface) for surface in surfaces_of(wall, SCENE))


POLYGON = 0.5 * 64 * np.sin(2 * np.pi / 64)  # area of the drawn circle of radius 1


@pytest.mark.parametrize(("wall", "area"), [
    (Box((0, 0, 0), (1, 2, 3)), 22.0),
    (Box((0, 0, 0), (1, 2, 5), open_top=True), 2 + 2 * 3 * 3),  # open: up to the scene's top
    (Plane((0, 0, -0.5), (0, 0, 1)), 8.0),
    (Plane((0, 0, 0), (0, 0, 1), extent=(3.0, 0.5)), 1.5),
    (Plate((0, 0, 1), (0, 0, 1), radius=1.0, hole=0.5), POLYGON * 0.75),
    (Mesh(vertices=[(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)], faces=[[0, 1, 2], [0, 2, 3]],
          scale=3.0), 9.0),
])
def test_area_of_flat_walls(wall, area):
    assert total_area(wall) == pytest.approx(area, rel=1e-6)


def test_glass_reaches_as_high_as_the_outline(tmp_path):
    """Expected: the sides of an open box end at its rim. Seen: they ended at the highest grain."""
    folder = make_run(tmp_path / "run", frames=1)
    write_checkpoint(folder, world_of([Box((0, 0, 0), (2.4, 1.2, 5.0), open_top=True)]))
    record = Record(folder)
    assert record.box()[2] == pytest.approx([2.4, 1.2, 5.0])
    assert Enclosing(record).at(0.0).vertices.max(axis=0) == pytest.approx([2.4, 1.2, 5.0])


def test_round_walls_lie_where_they_are():
    for surface in surfaces_of(Cylinder((0, 0, 0), (0, 0, 1), radius=0.7), SCENE):
        assert np.hypot(*surface.vertices[:, :2].T) == pytest.approx(0.7)
        assert surface.vertices[:, 2].min() == pytest.approx(0.0)  # endless: cut off at the scene
        assert surface.vertices[:, 2].max() == pytest.approx(3.0)
    (sphere,) = surfaces_of(SphereWall((1, 2, 3), 0.5), SCENE)
    assert np.linalg.norm(sphere.vertices - [1, 2, 3], axis=1) == pytest.approx(0.5)
    assert area_of(sphere) == pytest.approx(np.pi, rel=0.01)
    (cone,) = surfaces_of(Cone((0, 0, 0), (0, 0, 1), 1.0, 0.5, 2.0), SCENE)
    z = cone.vertices[:, 2]
    assert np.hypot(*cone.vertices[:, :2].T) == pytest.approx(1.0 - 0.25 * z)


def test_floor_and_lid_of_a_round_hourglass_are_round():
    """Expected: discs. Seen: squares around them."""
    wall = Hourglass(width=0.2, height=0.3, slot=0.02, section="round")
    floor, lid, *_ = surfaces_of(wall, SCENE)
    for surface in (floor, lid):
        assert np.hypot(*surface.vertices[:-1, :2].T) == pytest.approx(0.1, rel=1e-3)
    square = surfaces_of(Hourglass(width=0.2, height=0.3, slot=0.02), SCENE)
    assert area_of(square[0]) == pytest.approx(0.04)


def test_a_hole_that_opens_has_a_lid_until_then():
    first, lid = surfaces_of(Plate((0, 0, 0), (0, 0, 1), radius=1.0, hole=0.5, opens=0.3), SCENE)
    assert first.until == np.inf
    assert lid.until == 0.3
    assert area_of(lid) == pytest.approx(POLYGON * 0.25)


def body(name, moving, *walls):
    return {"name": name, "walls": list(walls), "moving": [to_plain(m) for m in moving]
            if isinstance(moving, tuple) else to_plain(moving)}


def test_walls_that_move_are_where_they_are(tmp_path):
    """The page turns about the origin of the scene; points must go where the motion says."""
    folder = make_run(tmp_path / "run", frames=3)
    turning = Rotation(2.0, (0, 0, 1), point=(0.3, 0.0, 0.0))
    walls = [Plane((0, 0, 0), (1, 0, 0), extent=(1, 1)), Plane((1, 0, 0), (1, 0, 0), extent=(1, 1)),
             Box((0, 0, 0), (2, 2, 2))]
    write_checkpoint(folder, world_of(walls, [
        body("gate", (Linear((0.5, 0.0, 0.0)), turning), 0),
        body("lid", Piston(mass=1.0, direction=(0, 0, 1)), 1)]))
    (folder / "series.csv").write_text("time,lid_x,lid_y,lid_z\n0.0,0.0,0.0,0.0\n0.4,0.0,0.0,0.8\n")
    record = Record(folder)
    origin = np.array(record.describe()["origin"])
    _, facts = unpack(record.frame_block(2))  # t = 0.2
    gate, lid = (np.array(pose) for pose in facts["poses"])
    point = np.array([0.1, 0.2, 0.3])
    seen = gate[:9].reshape(3, 3) @ (point - origin) + gate[9:] + origin
    c, s = np.cos(0.4), np.sin(0.4)
    x, y = point[0] - 0.3, point[1]
    assert seen == pytest.approx([0.3 + c * x - s * y + 0.1, s * x + c * y, 0.3])
    assert lid[:9] == pytest.approx(np.eye(3).ravel())
    assert lid[9:] == pytest.approx([0, 0, 0.4])
    assert [wall["body"] for wall in record.walls_described()] == [0, 1, -1]


def test_nothing_but_walls_is_made_of_a_checkpoint(tmp_path):
    """A law in a checkpoint may name a file of Python; looking at a run must never run it."""
    evil = tmp_path / "evil.py"
    evil.write_text(f"open({str(tmp_path / 'done')!r}, 'w')\n")
    law = {"type": "UserLaw", "name": f"{evil}:law", "written": "", "values": []}
    for walls in ([law], [{"type": "Box", "low": [0, 0, 0], "high": law}],
                  [{"type": "Box", "low": [0, 0, [law]], "high": [1, 1, 1]}]):
        write_checkpoint(tmp_path, {**world_of([]), "walls": walls})
        assert "walls are not shown" in Walls(tmp_path).why_not
    write_checkpoint(tmp_path, world_of([Box((0, 0, 0), (1, 1, 1))], [body("b", law, 0)]))
    assert "UserLaw" in Walls(tmp_path).why_not
    assert not (tmp_path / "done").exists()


def test_meshes_come_from_the_checkpoint_never_from_their_file(tmp_path):
    corners = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
    mesh = Mesh(vertices=corners, faces=[(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)])
    told = {**to_plain(mesh), "file": str(tmp_path / "secret.stl")}
    (tmp_path / "secret.stl").write_text("solid secret\nendsolid\n")
    arrays = mesh_arrays([mesh])
    write_checkpoint(tmp_path, {**world_of([]), "walls": [told]}, arrays)
    found = Walls(tmp_path)
    assert found.why_not == ""
    (surface,) = surfaces_of(found.enclosure.walls[0], SCENE)
    assert area_of(surface) == pytest.approx(1.5 + np.sqrt(0.75))
    write_checkpoint(tmp_path, {**world_of([]), "walls": [told]})
    assert "meshes/0/vertices" in Walls(tmp_path).why_not
    inside = {"type": "Box", "low": told, "high": [1, 1, 1], "open_top": False}
    write_checkpoint(tmp_path, {**world_of([]), "walls": [inside]}, arrays)
    assert "has others inside" in Walls(tmp_path).why_not


@pytest.mark.parametrize("world", [
    {}, {"walls": 3}, {**world_of([]), "walls": [{"type": "Box"}]},
    {**world_of([]), "bodies": [{}]},
    {**world_of([]), "walls": [None]}, {**world_of([]), "dimension": "<script>"},
])
def test_strange_checkpoints_are_told(tmp_path, world):
    write_checkpoint(tmp_path, world)
    assert "walls are not shown" in Walls(tmp_path).why_not


def test_an_older_checkpoint_serves_if_the_newest_is_broken(tmp_path):
    write_checkpoint(tmp_path, world_of([Box((0, 0, 0), (1, 1, 1))]))
    (tmp_path / "checkpoints" / "step_000000000001.h5").write_bytes(b"granum container 1")
    found = Walls(tmp_path)
    assert found.why_not == ""
    assert len(found.enclosure.walls) == 1

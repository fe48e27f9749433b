"""Rounded bodies, meshes from files, families, and what the world makes of swept shapes."""

from __future__ import annotations

import json

import numpy as np
import pytest
from scipy.spatial import ConvexHull
from swept_samples import ELL, cross, prism

import granum as gr
import mesh_shapes
from granum.errors import InputError
from granum.output.describe import from_plain, to_plain
from granum.shapes.skeleton import volume_of


def test_a_rounded_box_keeps_its_size():
    corners = [(x, y, z) for x in (0, 1) for y in (0, 2) for z in (0, 3)]
    shape = gr.SpheroPolyhedron.rounded(corners, 0.2)
    assert shape.volume == pytest.approx(
        gr.SpheroPolyhedron.box((0.6, 1.6, 2.6), 0.2).volume, rel=1e-12)
    assert np.array(shape.vertices).min(axis=0) == pytest.approx([0.2, 0.2, 0.2])
    assert np.array(shape.vertices).max(axis=0) == pytest.approx([0.8, 1.8, 2.8])


def test_faces_of_a_rounded_body_stay_where_they_are():
    cloud = np.random.default_rng(3).normal(size=(15, 3))
    shape = gr.SpheroPolyhedron.rounded(cloud, 0.1)
    planes = ConvexHull(cloud).equations
    reach = (np.array(shape.vertices) @ planes[:, :3].T + planes[:, 3]).max(axis=0) + 0.1
    assert (reach < 1e-9).all()  # inside all
    assert (np.abs(reach) < 1e-9).sum() > 0.5 * len(planes)  # and at most of them


def test_a_rounded_outline_keeps_its_inner_corner():
    shape = gr.SpheroPolygon.rounded(ELL, 0.1)
    assert shape.volume == pytest.approx(3 - 5 * (1 - np.pi / 4) * 0.01, rel=1e-12)
    clipped = gr.SpheroPolygon.rounded([(0, 0), (1, 0), (1, 1), (0.01, 1), (0, 0.99)], 0.2)
    assert len(clipped.points) == 4  # the short side has vanished


@pytest.mark.parametrize("shape", [
    gr.SpheroPolyhedron([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)], radius=0.1),
    gr.SpheroPolygon.cow(1.0, 0.02),
])
def test_a_centre_is_a_center(shape):
    assert shape.center.shape == (3,)
    assert shape.center.tobytes() == shape.centre.tobytes()
    assert shape.center.any()


def write_obj(path, vertices, faces):
    lines = [f"v {x!r} {y!r} {z!r}" for x, y, z in vertices]
    path.write_text("\n".join(lines + ["f " + " ".join(str(k + 1) for k in f) for f in faces]))


def fine_box(n):
    """The surface of the unit cube in squares of side 1/n, each cut in two."""
    number, faces = {}, []
    for axis in range(3):
        for side in (0, n):
            for i in range(n):
                for j in range(n):
                    square = []
                    for u, v in ((0, 0), (1, 0), (1, 1), (0, 1)):
                        point = [i + u, j + v]
                        point.insert(axis, side)
                        square.append(number.setdefault(tuple(point), len(number)))
                    if (side == 0) == (axis != 1):
                        square.reverse()
                    faces += [square[:3], [square[0], *square[2:]]]
    return (np.array(list(number)) / n).tolist(), faces


def test_a_fine_mesh_is_drawn_together(tmp_path):
    """A cube of 98 vertices has eight that count."""
    write_obj(tmp_path / "box.obj", *fine_box(4))
    shape = gr.SpheroPolyhedron.from_file(str(tmp_path / "box.obj"), 1e-3, scale=1e-2, most=8)
    assert len(shape.skeleton().points) == 8
    assert len(shape.skeleton().edges) == 12
    assert shape.volume == pytest.approx(
        gr.SpheroPolyhedron.box((1e-2, 1e-2, 1e-2), 1e-3).volume, rel=1e-9)
    whole = gr.SpheroPolyhedron.from_file(str(tmp_path / "box.obj"), 1e-3, scale=1e-2)
    assert len(whole.vertices) == 8  # what lies on flat faces always goes


@pytest.mark.parametrize("name", ["text.stl", "binary.stl", "text.ply", "little.ply", "big.ply"])
def test_other_files_give_the_same_solid(tmp_path, name):
    """A solid L, in triangles, as from the OBJ; a binary STL has single precision."""
    corners, faces = prism(ELL, 1.0)
    cut = [(face[0], face[k], face[k + 1]) for face in faces[2:] for k in (1, 2)] + [
        (0, 3, 2), (0, 2, 1), (0, 5, 3), (3, 5, 4), (6, 8, 9), (6, 7, 8), (6, 9, 11), (9, 10, 11)]
    mesh = np.array(corners, dtype=float), np.array(cut)
    forms = {"little.ply": "binary_little_endian", "big.ply": "binary_big_endian",
             "text.ply": "ascii"}
    data = {"text.stl": mesh_shapes.stl_text, "binary.stl": mesh_shapes.stl_binary}.get(
        name, lambda x, f: mesh_shapes.ply(x, f, forms.get(name)))(*mesh)
    (tmp_path / name).write_bytes(data)
    (tmp_path / "same.obj").write_bytes(mesh_shapes.obj_text(*mesh))
    shape, same = (gr.SpheroPolyhedron.from_file(str(tmp_path / file), 0.05, scale=1e-2)
                   for file in (name, "same.obj"))
    skeleton = shape.skeleton()
    assert volume_of(skeleton.points, skeleton.faces) == pytest.approx(3e-6, rel=1e-12)
    assert not skeleton.is_convex
    assert sorted(map(tuple, skeleton.points)) == sorted(map(tuple, same.skeleton().points))
    assert shape.volume == pytest.approx(same.volume, rel=1e-12)


def torus(ring, tube, around=48, across=24):
    """Vertices and faces of a torus about z."""
    u, v = np.meshgrid(2 * np.pi * np.arange(around) / around, 2 * np.pi * np.arange(across)
                       / across, indexing="ij")
    reach = ring + tube * np.cos(v)
    x = np.stack((reach * np.cos(u), reach * np.sin(u), tube * np.sin(v)), axis=-1)
    i, j = (k.ravel() for k in np.indices((around, across)))
    a, b = i * across + j, (i + 1) % around * across + j
    c, d = (i + 1) % around * across + (j + 1) % across, i * across + (j + 1) % across
    return x.reshape(-1, 3), np.vstack((np.column_stack((a, b, c)), np.column_stack((a, c, d))))


def ball(n=600):
    """Vertices and faces of a sphere of radius 1, its points on a spiral."""
    k = np.arange(n) + 0.5
    z, turn = 1.0 - 2.0 * k / n, np.pi * (1.0 + np.sqrt(5.0)) * k
    x = np.column_stack((np.sqrt(1 - z * z) * np.cos(turn), np.sqrt(1 - z * z) * np.sin(turn), z))
    return x, ConvexHull(x).simplices


@pytest.mark.parametrize(("mesh", "most", "volume", "share", "holes"), [
    (ball(), 60, 4.0 / 3.0 * np.pi, 0.06, 0), (ball(), 20, 4.0 / 3.0 * np.pi, 0.15, 0),
    (torus(1.0, 0.4), 100, 2.0 * np.pi**2 * 0.16, 0.06, 1),
], ids=["ball", "coarse ball", "torus"])
def test_what_is_round_is_drawn_together(tmp_path, mesh, most, volume, share, holes):
    """To a closed surface that looks outwards, of the volume of the round body but for a share.

    The regular one with its 20 vertices on the sphere, the dodecahedron, lacks a third.
    """
    (tmp_path / "round.ply").write_bytes(mesh_shapes.ply(*mesh))
    shape = gr.SpheroPolyhedron.from_file(str(tmp_path / "round.ply"), 0.01, most=most)
    skeleton = shape.skeleton()
    faces = skeleton.faces
    assert len(skeleton.points) <= most
    sides = [(a, b) for face in faces.tolist() for a, b in zip(face, face[1:] + face[:1],
                                                              strict=True)]
    assert len(set(sides)) == len(sides)
    assert {(b, a) for a, b in sides} == set(sides)  # closed, and all turn alike
    assert len(skeleton.points) - len(sides) // 2 + len(faces) == 2 - 2 * holes
    found = volume_of(skeleton.points, faces)  # negative if it looked inwards
    assert found == pytest.approx(volume, rel=share)


def test_a_mesh_that_is_not_convex(tmp_path):
    vertices, faces = prism(ELL, 1.0)
    write_obj(tmp_path / "ell.obj", vertices, [face[::-1] for face in faces[2:]] + [
        [0, 3, 2], [0, 2, 1], [0, 5, 3], [3, 5, 4], [6, 8, 9], [6, 7, 8], [6, 9, 11], [9, 10, 11]])
    shape = gr.SpheroPolyhedron.from_file(str(tmp_path / "ell.obj"), 0.05)  # some are inside out
    skeleton = shape.skeleton()
    assert not skeleton.is_convex
    assert volume_of(skeleton.points, skeleton.faces) == pytest.approx(3.0)
    write_obj(tmp_path / "open.obj", vertices, faces[2:])
    with pytest.raises(InputError, match=r"open\.obj: a grain is solid, so it must be closed"):
        gr.SpheroPolyhedron.from_file(str(tmp_path / "open.obj"), 0.05)


def test_vertices_on_flat_parts_are_left_out():
    """An L of cubes, each side of which has a vertex in its middle, is an L."""
    vertices, faces = prism(ELL, 1.0)
    fine, number = list(vertices), {}
    cut = []
    for face in faces:
        loop = []
        for a, b in zip(face, (*face[1:], face[0]), strict=True):
            key = (min(a, b), max(a, b))
            if key not in number:
                number[key] = len(fine)
                fine.append(tuple(0.5 * (np.array(vertices[a]) + vertices[b])))
            loop += [a, number[key]]
        cut.append(loop)
    assert len(fine) == 12 + 18
    skeleton = gr.SpheroPolyhedron(fine, cut, 0.1).skeleton()
    plain = gr.SpheroPolyhedron(vertices, faces, 0.1).skeleton()
    assert sorted(skeleton.points.tolist()) == sorted(plain.points.tolist())
    assert len(skeleton.edges) == len(plain.edges) == 18
    assert len(skeleton.faces) == len(plain.faces) == 20


@pytest.mark.parametrize("dimension", [2, 3])
def test_voronoi_grains_fill_their_box(dimension):
    """All but the rounded edges; each where its cell was, and none in the way of another."""
    cells = gr.families.voronoi(12, 2.0, 1e-4, dimension=dimension, seed=4)
    assert len(cells) == 12
    assert sum(cell.volume for cell in cells) == pytest.approx(2.0**dimension, rel=1e-4)
    again = gr.families.voronoi(12, 2.0, 1e-4, dimension=dimension, seed=4)
    assert cells == again
    assert cells != gr.families.voronoi(12, 2.0, 1e-4, dimension=dimension, seed=5)


@pytest.mark.parametrize("dimension", [2, 3])
def test_angular_grains(dimension):
    smooth, rough = (gr.families.angular(5, 2.0, 0.01, dimension=dimension, angularity=angularity,
                                         elongation=0.6, flatness=0.5, vertices=40, seed=1)
                     for angularity in (0.0, 1.0))
    for shape in (*smooth, *rough):
        x = np.array(shape.vertices if dimension == 3 else shape.points)
        assert (np.linalg.norm(x / [1.0, 0.6, 0.3][:dimension], axis=1) <= 1.0 + 1e-12).all()
    assert min(s.volume for s in smooth) > max(s.volume for s in rough)
    assert max(len(s.skeleton().points) for s in rough) < 40
    assert len({s.volume for s in rough}) == 5
    assert rough == gr.families.angular(5, 2.0, 0.01, dimension=dimension, angularity=1.0,
                                        elongation=0.6, flatness=0.5, vertices=40, seed=1)


# ---- in a world ---------------------------------------------------------------------------------


def test_a_world_takes_them_as_it_takes_clumps():
    rod = gr.Spherocylinder(4e-3, 1e-3)
    world = gr.World()
    world.add(rod, at=[(0, 0, 0), (0, 0, 1)], density=2500.0, orientation=(0.6, 0, 0.8, 0))
    assert world.mass == pytest.approx([2500.0 * rod.volume] * 2)
    assert world.inertia[0] == pytest.approx(2500.0 * np.diag(rod.inertia))
    assert world.radius == pytest.approx([3e-3, 3e-3])
    assert world.shapes[0].edges == ((0, 1),)
    assert len(world.balls().number) == 4
    world.add(gr.Random(radius=2e-3, count=5, low=(0, 0, 0), high=(0.1, 0.1, 0.1),
                        shape=cross(0.2)), density=1000.0)
    assert world.radius[2:] == pytest.approx([2e-3] * 5)
    assert len(np.unique(world.orientation[2:], axis=0)) == 5


def test_one_point_is_a_sphere_or_a_disc():
    world = gr.World(dimension=2)
    world.add(gr.SpheroPolygon([(3, 4)], 0.1), at=[(0, 0)], density=1.0)
    assert world.shapes == []
    assert world.mass == pytest.approx([np.pi * 0.01])


def test_grains_are_not_placed_inside_large_ones():
    """Vertices of a cube are far apart; a grain that fits between them is still in its way."""
    world = gr.World()
    world.add(gr.SpheroPolyhedron.box((1, 1, 1), 0.01), at=[(0, 0, 0)], density=1.0)
    world.add(gr.Random(radius=0.05, count=30, low=(-1, -1, -1), high=(1, 1, 1)), density=1.0)
    assert (np.linalg.norm(world.position[1:], axis=1) > world.radius[0]).all()


@pytest.mark.parametrize(("shape", "dimension", "said"), [
    (gr.Spherotriangle(1, 0.1), 2, "Spherotriangle is a shape of a 3D world, but this world is 2D"),
    (gr.SpheroPolygon(ELL, 0.1), 3, "SpheroPolygon is a shape of a 2D world, but this world is 3D"),
])
def test_shapes_of_the_other_dimension(shape, dimension, said):
    with pytest.raises(InputError, match=said):
        gr.World(dimension=dimension).add(shape, at=np.zeros((1, dimension)), density=1.0)
    with pytest.raises(InputError, match="shape must be left out where a clump is given"):
        gr.Random(1e-3, 2, clump=gr.Clump([(0, 0, 0)], 1.0), shape=shape)


@pytest.mark.parametrize("shape", [
    gr.Spherocylinder(1, 0.1), gr.Spherotriangle(1, 0.1), gr.Spherotetrahedron(1, 0.1),
    gr.SpheroPolygon(ELL, 0.1), gr.SpheroPolygon(ELL, 0.1, closed=False), cross(0.1),
    gr.SpheroPolyhedron(*prism(ELL, 1), 0.1), gr.SpheroPolyhedron.regular(12, 1, 0.1),
])
def test_checkpoints_can_hold_them(shape):
    assert from_plain(json.loads(json.dumps(to_plain(shape)))) == shape
    if shape.skeleton().is_convex:
        settled = shape.settled(shape.dimension).shape
        assert from_plain(json.loads(json.dumps(to_plain(settled)))) == settled

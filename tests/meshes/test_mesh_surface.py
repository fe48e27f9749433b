"""Triangles joined to a surface: neighbours, holes, outside; and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

import mesh_shapes as shapes
from granum.errors import InputError
from granum.meshes import RawMesh, facing_out, make_surface, refuse_open, volume
from granum.meshes.stl import read_stl


def raw(vertices, faces):
    return RawMesh(np.array(vertices, dtype=float), np.array(faces), np.arange(len(faces)), "face")


def test_corners_of_stl_are_joined():
    """Every triangle of an STL file has corners of its own, which may differ in the last digit."""
    vertices, faces = shapes.cube()
    rng = np.random.default_rng(1)
    loose = (vertices[faces] + rng.uniform(-1e-8, 1e-8, (12, 3, 3))).reshape(-1, 3)
    for points in (vertices[faces].reshape(-1, 3), loose):
        surface = make_surface(raw(points, np.arange(36).reshape(-1, 3)), "cube")
        assert len(surface.vertices) == 8
        assert len(surface.edges) == 18
        assert surface.is_closed


def test_edges_know_their_faces():
    surface = make_surface(raw(*shapes.sheet(3, 1.0, np.random.default_rng(2))), "sheet")
    n, e, f = len(surface.vertices), len(surface.edges), len(surface.faces)
    assert n - e + f == 1  # Euler: a disc
    assert (surface.uses == 1).sum() == 12
    for face, own in zip(surface.faces, surface.face_edge, strict=True):
        for k in range(3):
            assert {face[k], face[(k + 1) % 3]} == set(surface.edges[own[k]])


def test_orientation_is_made_outwards():
    vertices, faces = shapes.star(np.random.default_rng(3))
    rng = np.random.default_rng(4)
    for _ in range(5):
        mixed = faces.copy()
        flip = rng.random(len(faces)) < 0.5
        mixed[flip] = mixed[flip][:, ::-1]
        out = facing_out(make_surface(raw(vertices, mixed), "star"), "star")
        assert volume(out.vertices, out.faces) > 0.0
        runs = np.stack([out.faces, np.roll(out.faces, -1, axis=1)], axis=-1).reshape(-1, 2)
        assert len(np.unique(runs, axis=0)) == len(runs)  # no edge is run twice in one direction


def test_volume_of_a_cube():
    vertices, faces = shapes.cube((1, 2, 3), (2, 4, 6))
    assert volume(vertices, faces) == pytest.approx(6.0, rel=1e-14)


def test_hole_is_told_by_its_place():
    vertices, faces = shapes.cube()
    surface = make_surface(raw(vertices, faces[:-2]), "cup.stl")
    with pytest.raises(InputError, match=r"cup\.stl: .*1 hole: the first is bounded by 4 edges "
                                         r"around \(0\.5, 0\.5, 1\)"):
        refuse_open(surface, "cup.stl", "grains live inside")


def test_edge_of_three_faces_is_no_closed_surface():
    vertices, faces = shapes.cube()
    vertices = np.vstack([vertices, [[2, 2, 2], [3, 0, 1]]])
    fin = [[0, 1, 8], [1, 8, 9], [8, 0, 9], [0, 1, 9]]  # a closed tetrahedron on one edge
    surface = make_surface(raw(vertices, np.vstack([faces, fin])), "fin")
    with pytest.raises(InputError, match="belongs to 4"):
        refuse_open(surface, "fin", "grains live inside")


def test_surface_with_one_side_is_refused():
    """A closed one: the projective plane of six vertices, which cannot be without crossings."""
    faces = np.array([[0, 1, 2], [0, 2, 3], [0, 3, 4], [0, 4, 5], [0, 5, 1], [1, 2, 4], [2, 3, 5],
                      [3, 4, 1], [4, 5, 2], [5, 1, 3]])
    points = np.random.default_rng(5).normal(size=(6, 3))
    surface = make_surface(raw(points, faces), "one-sided")
    assert surface.is_closed
    with pytest.raises(InputError, match="only one side"):
        facing_out(surface, "one-sided")


def test_what_is_no_surface_is_refused():
    points = [(0, 0, 0), (1, 0, 0), (2, 0, 0), (0, 1, 0)]
    for faces, expected in (([], "no triangles"), ([[0, 1, 3], [0, 1, 2]], "triangle 2: .*no area"),
                            ([[0, 1, 1]], "no area"), ([[0, 1, 3], [3, 0, 1]], "there twice"),
                            ([[0, 1, 4]], "4 vertices"), ([[0, 1, -1]], "4 vertices")):
        with pytest.raises(InputError, match=expected):
            make_surface(raw(points, np.array(faces, dtype=int).reshape(-1, 3)), "it")


def test_place_in_the_file_is_told():
    vertices, faces = shapes.cube()
    text = shapes.stl_text(vertices, np.vstack([faces, [[0, 1, 1]]]))
    with pytest.raises(InputError, match=r"a\.stl: line 86, triangle 13: .*no area"):
        make_surface(read_stl(text, "a.stl"), "a.stl")

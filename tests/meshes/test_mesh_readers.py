"""Files of meshes: what is written is read, and what is broken is refused by line or byte."""

from __future__ import annotations

import contextlib
import struct

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import mesh_shapes as shapes
from granum.errors import InputError
from granum.meshes import make_surface, read_mesh
from granum.meshes.obj import read_obj
from granum.meshes.ply import read_ply
from granum.meshes.stl import read_stl

CUBE = shapes.cube()
PLY_FORMS = ("ascii", "binary_little_endian", "binary_big_endian")


def corners_of(raw):
    return raw.vertices[raw.faces]


@st.composite
def meshes(draw, width):
    """Vertices (n,3) that a float of this width holds, and faces of three different ones."""
    count = draw(st.integers(3, 8))
    number = st.floats(-1e6, 1e6, width=width)
    vertices = draw(arrays(np.float64, (count, 3), elements=number))
    corner = st.lists(st.integers(0, count - 1), min_size=3, max_size=3, unique=True)
    return vertices, np.array(draw(st.lists(corner, min_size=1, max_size=6)))


@given(meshes(32))
@settings(max_examples=40)
def test_stl_is_read_as_written(mesh):
    vertices, faces = mesh
    for data in (shapes.stl_text(vertices, faces), shapes.stl_binary(vertices, faces),
                 shapes.stl_binary(vertices, faces, header=b"solid is what some begin with")):
        raw = read_stl(data, "a.stl")
        assert np.array_equal(corners_of(raw), vertices[faces])


@given(meshes(64))
@settings(max_examples=40)
def test_obj_and_ply_are_read_as_written(mesh):
    vertices, faces = mesh
    found = [read_obj(shapes.obj_text(vertices, faces), "a.obj")]
    found += [read_ply(shapes.ply(vertices, faces, form), "a.ply") for form in PLY_FORMS]
    for raw in found:
        assert np.array_equal(raw.vertices, vertices)
        assert np.array_equal(raw.faces, faces)


def test_polygons_are_cut_into_triangles():
    square = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)]
    fan = [[0, 1, 2], [0, 2, 3]]
    text = b"v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 \\\n 3 4\n"
    assert read_obj(text, "a.obj").faces.tolist() == fan
    assert read_obj(text.replace(b"f 1", b"f -4"), "a.obj").faces.tolist() == fan
    for form in PLY_FORMS:
        assert read_ply(shapes.ply(square, [[0, 1, 2, 3]], form), "a.ply").faces.tolist() == fan


def test_several_solids_are_one_mesh():
    one = shapes.stl_text(*CUBE)
    assert len(read_stl(one + one.upper(), "a.stl").faces) == 24


def test_kind_is_told_by_the_ending(tmp_path):
    for name, data in (("a.stl", shapes.stl_binary(*CUBE)), ("b.OBJ", shapes.obj_text(*CUBE)),
                       ("c.ply", shapes.ply(*CUBE))):
        (tmp_path / name).write_bytes(data)
        raw, content = read_mesh(str(tmp_path / name))
        assert len(raw.faces) == 12
        assert len(content) == 64
    with pytest.raises(InputError, match=r"of the kind \.stl, \.obj, \.ply, got '\.step'"):
        read_mesh("a.step")
    with pytest.raises(InputError, match="no such file"):
        read_mesh(str(tmp_path / "none.stl"))


TEXT, BINARY = shapes.stl_text(*CUBE), shapes.stl_binary(*CUBE)
OBJ, PLY = shapes.obj_text(*CUBE), shapes.ply(*CUBE)
PLY_BINARY = shapes.ply(*CUBE, "binary_little_endian")
NAN = BINARY[:84 + 50 * 3 + 12] + struct.pack("<f", np.nan) + BINARY[84 + 50 * 3 + 16:]

BROKEN = {
    "stl: cut text": (read_stl, TEXT[:-64], "line 83: the file ends where .vertex. is"),
    "stl: text without an end": (read_stl, TEXT[:TEXT.index(b"endsolid")], "'endsolid'"),
    "stl: word": (read_stl, TEXT.replace(b"outer", b"inner", 1), "line 3: 'outer' is expected"),
    "stl: number": (read_stl, TEXT.replace(b"vertex 0.0", b"vertex zero", 1),
                    "line 4: 'zero' is no number"),
    "stl: not finite": (read_stl, TEXT.replace(b"vertex 0.0", b"vertex nan", 1),
                        "line 4: the coordinate 'nan' is not finite"),
    "stl: two coordinates": (read_stl, TEXT.replace(b"vertex 0.0", b"vertex", 1),
                             "line 4: .*got 2"),
    "stl: cut binary": (read_stl, BINARY[:-1], "byte 683: .* 12 triangles .* holds 11"),
    "stl: long binary": (read_stl, BINARY + b"x", "has more than it says"),
    "stl: short": (read_stl, b"abc", "byte 3: ends before"),
    "stl: binary not finite": (read_stl, NAN, "byte 234, triangle 4: .*not finite"),
    "obj: word": (read_obj, OBJ + b"facet 1 2 3\n", "line 24: 'facet' is no statement"),
    "obj: number": (read_obj, b"v 1 2 x\n", "line 1: 'x' is no number"),
    "obj: not finite": (read_obj, b"v 1 2 inf\n", "line 1: .*not finite"),
    "obj: no vertex": (read_obj, b"v 1 2 3\nf 1 1 2\n", "line 2: .*there are 1"),
    "obj: corner 0": (read_obj, b"v 1 2 3\nf 0 1 1\n", "line 2: there is no vertex 0"),
    "obj: back too far": (read_obj, b"v 1 2 3\nf 1 1 -2\n", "line 2: there is no vertex -2"),
    "obj: two corners": (read_obj, b"v 1 2 3\nv 2 2 2\nf 1 2\n", "line 3: .*three corners"),
    "obj: hollow": (read_obj, b"v 0 0 0\nv 2 0 0\nv .2 .2 0\nv 0 2 0\nf 1 2 3 4\n",
                    "line 5: .*not convex"),
    "obj: cut": (read_obj, b"v 1 2 3\nv 1 2 \\\n", "line 2: .*truncated"),
    "obj: binary": (read_obj, b"\xff\xfe\x00", "byte 0: neither text"),
    "ply: no ply": (read_ply, b"plx\n", "line 1: "),
    "ply: no header's end": (read_ply, PLY[:60], "within its header"),
    "ply: format": (read_ply, PLY.replace(b"ascii", b"utf-8"), "line 2: the format must be one of"),
    "ply: no format": (read_ply, PLY.replace(b"format ascii 1.0", b"comment none"),
                       "does not say the format"),
    "ply: type": (read_ply, PLY.replace(b"uchar red", b"byte red"), "line 8: .*is no property"),
    "ply: no y": (read_ply, PLY.replace(b"double y", b"double u"), "no coordinate 'y'"),
    "ply: no list": (read_ply, PLY.replace(b"vertex_indices", b"corners"), "no list"),
    "ply: no faces": (read_ply, PLY.replace(b"element face", b"element side"), "'face' is wanted"),
    "ply: fewer than said": (read_ply, PLY.replace(b"vertex 8", b"vertex 80"), "line [0-9]+: "),
    "ply: cut": (read_ply, PLY[:-10], "line 34: .*truncated"),
    "ply: more": (read_ply, PLY + b"3 0 1 2\n", "line 35: there is more"),
    "ply: numbers missing": (read_ply, PLY.replace(b"\n0.0 0.0 0.0 7", b"\n0.0 0.0 0.0"),
                             "line 14: too few numbers"),
    "ply: number": (read_ply, PLY.replace(b"\n0.0 0.0 0.0 7", b"\n0.0 nil 0.0 7"),
                    "line 14: 'nil' is no number"),
    "ply: cut binary": (read_ply, PLY_BINARY[:-9], f"byte {len(PLY_BINARY) - 9}: .*truncated"),
    "ply: long binary": (read_ply, PLY_BINARY + b"xx", f"byte {len(PLY_BINARY)}: there is more"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_broken_file_is_refused(name):
    read, data, expected = BROKEN[name]
    with pytest.raises(InputError, match=expected):
        read(data, "a file")


@given(st.binary(max_size=300), st.sampled_from([b"", b"solid x\n", b"ply\nformat ascii 1.0\n",
                                                 PLY[:200], TEXT[:150], PLY_BINARY[:300]]))
@settings(max_examples=100)
def test_no_other_error_than_ours(tail, head):
    """Whatever stands in a file, a person is told what is wrong with it."""
    for read in (read_stl, read_obj, read_ply):
        with contextlib.suppress(InputError):
            make_surface(read(head + tail, "a"), "a")

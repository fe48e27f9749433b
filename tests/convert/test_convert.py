"""Runs in other programs' formats, read back by readers that granum had no hand in."""

from __future__ import annotations

import csv
import json
import struct
import sys

import gsd.hoomd
import numpy as np
import pyarrow.parquet
import pytest
from vtkmodules.vtkIOGeometry import vtkGLTFReader

import drawn_run
from granum.cli import main
from granum.convert import FORMATS, Choice, Look, convert
from granum.convert.gltf import icosphere
from granum.errors import InputError, MissingExtraError, OutputError
from granum.output.colours import decode
from granum.view import Record
from granum.view.scene import colouring


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    return drawn_run.make_run(tmp_path_factory.mktemp("runs") / "seven")


@pytest.fixture
def write(run, tmp_path):
    def made(form, **chosen):
        path = tmp_path / f"a{FORMATS[form].suffix}"
        assert convert(Choice(Record(run), **chosen), form, path)[0] == path
        return path
    return made


# ---- LAMMPS ----------------------------------------------------------------------------------


def read_dump(path):
    """Frames of a dump as (items, columns, rows)."""
    lines = path.read_text().splitlines()
    frames, k, items = [], 0, {}
    while k < len(lines):
        name, *rest = lines[k].removeprefix("ITEM: ").split(" ")
        if name == "ATOMS":
            count = int(items["NUMBER"][0])
            rows = np.array([list(map(float, line.split())) for line in lines[k + 1:k + 1 + count]])
            frames.append((dict(items), rest, rows))
            k += 1 + count
        else:
            size = {"BOX": 3}.get(name, 1)
            items[name] = [*lines[k + 1:k + 1 + size], *rest]
            k += 1 + size
    return frames


def test_dump_has_all_frames(write):
    frames = read_dump(write("lammps"))
    assert [float(items["TIME"][0]) for items, _, _ in frames] == list(drawn_run.TIMES)
    assert [int(items["TIMESTEP"][0]) for items, _, _ in frames] == [0, 1, 2, 3]
    for k, (items, columns, rows) in enumerate(frames):
        table = dict(zip(columns, rows.T, strict=True))
        assert items["UNITS"] == ["si"]
        assert np.array_equal(table["id"], np.arange(7) + 1)
        assert np.array_equal(table["mol"], drawn_run.IDS + 1)  # two balls are one clump
        assert np.array_equal(table["type"], np.arange(7) % 2 + 1)
        fields = drawn_run.fields_at(k)
        centre = np.column_stack([table[axis] for axis in "xyz"])
        assert np.allclose(centre, drawn_run.points_at(k), rtol=1e-9, atol=0)
        for name, parts in (("velocity", "vx vy vz"), ("spin", "omegax omegay omegaz"),
                            ("orientation", "quatw quati quatj quatk")):
            got = np.column_stack([table[part] for part in parts.split()])
            assert np.allclose(got, fields[name], rtol=1e-9, atol=0)
        low, high = np.array([line.split() for line in items["BOX"][:3]], dtype=float).T
        reach = drawn_run.RADII[:, None]
        assert (centre - reach >= low - 1e-9).all()  # ten digits
        assert (centre + reach <= high + 1e-9).all()
        assert items["BOX"][3:] == ["BOUNDS", "ff", "ff", "ff"]


def test_periodic_cells_stay_the_cell(tmp_path):
    folder = drawn_run.make_run(tmp_path / "run", periodic=(3.0, None, None), moving=False)
    convert(Choice(Record(folder)), "lammps", tmp_path / "a.dump")
    items, _, _ = read_dump(tmp_path / "a.dump")[0]
    assert items["BOX"][0] == "0.0 3.0"
    assert items["BOX"][3:] == ["BOUNDS", "pp", "ff", "ff"]


def test_one_moment_and_every_other_frame(write):
    assert [int(f[0]["TIMESTEP"][0]) for f in read_dump(write("lammps", time=0.19))] == [2]
    assert [int(f[0]["TIMESTEP"][0]) for f in read_dump(write("lammps", every=2))] == [0, 2]


# ---- GSD -------------------------------------------------------------------------------------


def test_gsd_is_read_by_its_own_package(write):
    with gsd.hoomd.open(str(write("gsd")), "r") as file:
        assert len(file) == 4
        for k in range(4):
            frame, fields = file[k], drawn_run.fields_at(k)
            assert frame.configuration.step == k
            assert frame.configuration.dimensions == 3
            assert frame.particles.N == 7
            assert frame.particles.types == ["glass", "steel"]
            assert np.array_equal(frame.particles.typeid, np.arange(7) % 2)
            assert np.array_equal(frame.particles.body, drawn_run.IDS)
            assert np.allclose(frame.particles.diameter, 2 * drawn_run.RADII, rtol=1e-7)
            assert np.allclose(frame.particles.velocity, fields["velocity"], rtol=1e-6)
            assert np.allclose(frame.particles.orientation, fields["orientation"])
            origin = frame.log["granum/origin"]
            centre = frame.particles.position + origin
            assert np.allclose(centre, drawn_run.points_at(k), atol=1e-6)
            assert (np.abs(frame.particles.position) <= frame.configuration.box[:3] / 2).all()
            assert np.array_equal(frame.log["particles/spin"], fields["spin"])
            assert np.array_equal(frame.log["particles/id"], drawn_run.IDS)
            assert frame.log["granum/time"] == drawn_run.TIMES[k]


def test_what_does_not_change_stands_in_a_gsd_once(write):
    with gsd.fl.open(str(write("gsd")), "r") as file:
        assert file.schema == "hoomd"
        assert file.application == "granum"
        for name in ("particles/diameter", "configuration/box", "particles/types"):
            assert [file.chunk_exists(k, name) for k in range(4)] == [True, False, False, False]
        assert all(file.chunk_exists(k, "particles/position") for k in range(4))


# ---- glTF ------------------------------------------------------------------------------------

KINDS = {5126: ("<f4", 4), 5125: ("<u4", 4), 5123: ("<u2", 2)}
WIDTHS = {"SCALAR": 1, "VEC3": 3, "VEC4": 4}


def read_glb(path):
    """The description, and every accessor as an array, inside its view and its buffer."""
    content = path.read_bytes()
    magic, version, length = struct.unpack_from("<4sII", content)
    assert (magic, version, length) == (b"glTF", 2, len(content))
    size, kind = struct.unpack_from("<I4s", content, 12)
    assert kind == b"JSON"
    assert size % 4 == 0
    described = json.loads(content[20:20 + size])
    binary, kind = struct.unpack_from("<I4s", content, 20 + size)
    assert kind == b"BIN\0"
    data = content[28 + size:]
    assert len(data) == binary == described["buffers"][0]["byteLength"]
    arrays = []
    for accessor in described["accessors"]:
        view = described["bufferViews"][accessor["bufferView"]]
        dtype, width = KINDS[accessor["componentType"]][0], WIDTHS[accessor["type"]]
        begin = view["byteOffset"]
        assert begin % 4 == 0
        assert begin + view["byteLength"] <= binary
        array = np.frombuffer(data, dtype, accessor["count"] * width, begin)
        assert array.nbytes == view["byteLength"]
        array = array.reshape(-1, width)
        if "min" in accessor:
            assert np.array_equal(array.min(axis=0), np.array(accessor["min"], dtype=np.float32))
            assert np.array_equal(array.max(axis=0), np.array(accessor["max"], dtype=np.float32))
        arrays.append(array)
    return described, arrays


def test_gltf_has_grains_and_walls(run, write):
    described, arrays = read_glb(write("gltf", time=0.3))
    assert [mesh["name"] for mesh in described["meshes"]] == ["grains", "walls"]
    grains, walls = (mesh["primitives"][0] for mesh in described["meshes"])
    vertex = arrays[grains["attributes"]["POSITION"]].astype(float)
    assert len(vertex) % 7 == 0
    balls = vertex.reshape(7, -1, 3)
    centre = drawn_run.points_at(3)
    far = np.linalg.norm(balls - centre[:, None], axis=2)
    assert np.allclose(far, drawn_run.RADII[:, None], rtol=1e-5)
    normal = arrays[grains["attributes"]["NORMAL"]].reshape(7, -1, 3)
    assert np.allclose(normal, (balls - centre[:, None]) / far[..., None], atol=1e-5)
    index = arrays[grains["indices"]].reshape(-1, 3)
    assert index.max() < len(vertex)
    record = Record(run)
    wanted = decode(colouring(record, "speed").of(record.frame(3)))
    colour = arrays[grains["attributes"]["COLOR_0"]].reshape(7, -1, 4) / 65535
    assert np.abs(colour[..., :3] - wanted[:, None]).max() < 1e-5
    corner = arrays[walls["attributes"]["POSITION"]]
    assert corner.min(axis=0) == pytest.approx([0, 0, 0.3], abs=1e-6)  # it rises by 1 m/s
    assert corner.max(axis=0) == pytest.approx([2, 2, 2.3], abs=1e-6)
    material = described["materials"][walls["material"]]
    assert material["alphaMode"] == "BLEND"
    assert material["pbrMetallicRoughness"]["baseColorFactor"][3] < 0.5


def test_gltf_is_read_by_vtk(write):
    """With the turn from z up to y up: (x, y, z) becomes (x, z, -y)."""
    reader = vtkGLTFReader()
    reader.SetFileName(str(write("gltf", time=0.3)))
    reader.ApplyDeformationsToGeometryOn()
    reader.Update()
    parts = reader.GetOutput().NewIterator()
    found = []
    while not parts.IsDoneWithTraversal():
        found.append(parts.GetCurrentDataObject().GetBounds())
        parts.GoToNextItem()
    points, reach = drawn_run.points_at(3), drawn_run.RADII[:, None]
    low, high = (points - reach).min(axis=0), (points + reach).max(axis=0)
    # an icosphere of three refinements reaches to within 1 % of its radius
    turned = [low[0], high[0], low[2], high[2], -high[1], -low[1]]
    assert found[0] == pytest.approx(turned, abs=2e-3)
    assert found[1] == pytest.approx([0.0, 2.0, 0.3, 2.3, -2.0, 0.0], abs=1e-6)


@pytest.mark.parametrize("refined", range(4))
def test_icospheres_are_closed_and_look_outwards(refined):
    vertices, faces = icosphere(refined)
    assert vertices.shape == (10 * 4**refined + 2, 3)
    assert faces.shape == (20 * 4**refined, 3)
    assert np.allclose(np.linalg.norm(vertices, axis=1), 1.0)
    ways = {(a, b) for face in faces.tolist() for a, b in zip(face, face[1:] + face[:1],
                                                              strict=True)}
    assert len(ways) == faces.size
    assert all((b, a) in ways for a, b in ways)
    corner = vertices[faces]
    normal = np.cross(corner[:, 1] - corner[:, 0], corner[:, 2] - corner[:, 0])
    assert (np.einsum("ij,ij->i", normal, corner.mean(axis=1)) > 0).all()


# ---- tables ----------------------------------------------------------------------------------


def test_csv_of_grains_has_all_digits(write):
    with write("csv").open() as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 28
    for k in range(4):
        part = rows[7 * k:7 * k + 7]
        fields = drawn_run.fields_at(k)
        assert {float(row["time"]) for row in part} == {drawn_run.TIMES[k]}
        for c, axis in enumerate("xyz"):
            assert [float(row[axis]) for row in part] == drawn_run.points_at(k)[:, c].tolist()
            assert [float(row[f"spin_{axis}"]) for row in part] == fields["spin"][:, c].tolist()
        assert [int(row["id"]) for row in part] == drawn_run.IDS.tolist()
        assert float(part[2]["force"]) == 2.0  # on grain 2, by the wall


def test_parquet_is_the_csv_with_types_and_units(write, run):
    table = pyarrow.parquet.read_table(write("parquet"))
    with write("csv").open() as file:
        rows = list(csv.reader(file))
    assert table.column_names == rows[0]
    columns = dict(zip(rows[0], zip(*rows[1:], strict=True), strict=True))
    for name in table.column_names:
        assert [float(text) for text in columns[name]] == table[name].to_pylist()
    assert str(table.schema.field("id").type) == "int64"
    units = json.loads(table.schema.metadata[b"units"])
    assert {name: units[name] for name in ("time", "x", "velocity_z", "spin_x", "radius")} == {
        "time": "s", "x": "m", "velocity_z": "m/s", "spin_x": "rad/s", "radius": "m"}


def test_contacts_and_series_are_tables_too(write, run):
    table = pyarrow.parquet.read_table(write("parquet", table="contacts"))
    assert table.num_rows == 8
    assert table["j"].to_pylist()[:2] == [1, -1]
    assert table["force_z"].to_pylist()[:2] == [4.0, 2.0]
    with write("csv", table="series").open() as file, (run / "series.csv").open() as own:
        assert file.read() == own.read()


# ---- what is refused -------------------------------------------------------------------------


def test_what_cannot_be_done_is_refused(run, tmp_path):
    record = Record(run)
    with pytest.raises(InputError, match=r"no format 'gds'; did you mean 'gsd'"):
        convert(Choice(record), "gds", tmp_path / "a.gsd")
    with pytest.raises(InputError, match=r"ends in \.glb, got a\.obj"):
        convert(Choice(record), "gltf", tmp_path / "a.obj")
    with pytest.raises(InputError, match=r"no frame at 7 s: this run has frames from 0 s to 0\.3"):
        convert(Choice(record, time=7.0), "csv", tmp_path / "a.csv")
    with pytest.raises(InputError, match="is the table"):
        convert(Choice(record, table="series"), "csv")
    with pytest.raises(InputError, match=r"coloured by 'sped'; did you mean 'speed'"):
        convert(Choice(record, look=Look("sped")), "gltf", tmp_path / "a.glb")
    assert list(tmp_path.iterdir()) == []
    bare = drawn_run.make_run(tmp_path / "bare", contacts=False)
    with pytest.raises(InputError, match=r"output\.contacts = true"):
        convert(Choice(Record(bare), table="contacts"), "csv", tmp_path / "a.csv")
    (bare / "frames.vtkhdf").unlink()
    with pytest.raises(OutputError, match="nothing to show"):
        convert(Choice(Record(bare)), "gsd", tmp_path / "a.gsd")


def test_a_missing_package_is_named(run, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'granum\[convert\]'"):
        convert(Choice(Record(run)), "parquet", tmp_path / "a.parquet")


def test_the_command_says_what_it_wrote(run, tmp_path, monkeypatch, capsys):
    out = tmp_path / "beads.dump"
    monkeypatch.setattr(sys, "argv", ["granum", "convert", str(run), "--to", "lammps", "--out",
                                      str(out)])
    with pytest.raises(SystemExit) as end:
        main()
    assert end.value.code == 0
    assert f"Wrote {out}: 4 frames" in capsys.readouterr().out
    monkeypatch.setattr(sys, "argv", ["granum", "convert", str(run), "--to", "vtkhdf"])
    with pytest.raises(SystemExit):
        main()
    assert str(run / "frames.vtkhdf") in capsys.readouterr().out

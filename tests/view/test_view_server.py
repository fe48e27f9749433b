"""The server: what it hands out, what it refuses, and run folders that mean harm."""

from __future__ import annotations

import json
import socket
import struct

import h5py
import numpy as np
import pytest
from view_folders import block_of_grains, make_run, write_frames

from granum.errors import InputError
from granum.view import Record, make_server
from granum.view.block import unpack


def test_the_page_and_its_files(client):
    page = client.get("/")
    assert page.status == 200
    assert page.headers["Content-Type"].startswith("text/html")
    assert b'<script type="module" src="main.js">' in page.content
    for name, kind in (("main.js", "text/javascript"), ("style.css", "text/css")):
        answer = client.get(f"/{name}")
        assert answer.status == 200
        assert answer.headers["Content-Type"].startswith(kind)


def test_every_answer_has_a_policy(client):
    for path in ("/", "/main.js", "/api/run", "/api/frame/0", "/nothing", "/api/frame/99"):
        headers = client.get(path).headers
        policy = headers["Content-Security-Policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert "http" not in policy
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["Cross-Origin-Resource-Policy"] == "same-origin"
        assert headers["Cache-Control"] == "no-store"


def test_numbers(client):
    told = client.get("/api/run").json
    assert told["title"] == "A block"
    assert client.get("/api/limits/0").json == pytest.approx([0.0, 0.6])
    assert len(client.get("/api/walls").json[0]["surfaces"]) == 6
    assert len(unpack(client.get("/api/frame/4").content)[0]["id"]) == 216
    assert len(unpack(client.get("/api/values/4/1").content)[0]["value"]) == 216
    assert "kinetic" in unpack(client.get("/api/series").content)[0]
    assert unpack(client.get("/api/network/0").content)[1]["unit"] == "m"
    assert dict(client.get("/api/grain/0/3").json["fields"])["id"] == [3]
    edges = unpack(client.get("/api/triangulation/0").content)[0]["edges"]
    assert edges.shape[1] == 2
    assert edges.max() == 215
    cell = client.get("/api/cell/0/100").json
    assert len(cell["faces"]) >= 6
    assert len(cell["edges"]) == len(cell["neighbours"])


@pytest.mark.parametrize("path", [
    "/../summary.json", "/%2e%2e/summary.json", "/summary.json", "/run.log", "//etc/passwd",
    "/etc/passwd", "/page/../block.py", "/block.py", "/main.js/", "/main.js?x=1", "/..\\main.js",
    "/api/frame/../../x", "/api/frame/-1", "/api/frame/1e3", "/api/frame/\u0661".encode().decode(
        "latin-1"), "/api/frame/99999999999999999999", "/api/values/0", "/api/", "/index.html\x00",
    "/api/run/", "http://127.0.0.1/",
])
def test_other_paths_lead_nowhere(client, path):
    connection = socket.create_connection(("127.0.0.1", client.port), timeout=30)
    with connection:
        head = f"Host: 127.0.0.1:{client.port}\r\nConnection: close\r\n\r\n"
        connection.sendall(f"GET {path} HTTP/1.1\r\n{head}".encode("latin-1"))
        answer = b"".join(iter(lambda: connection.recv(1 << 16), b""))
    assert answer.split(b" ", 2)[1] in (b"404", b"400")
    assert b"import" not in answer
    assert b"root:" not in answer


@pytest.mark.parametrize("path", ["/api/frame/99", "/api/values/0/999", "/api/grain/0/216",
                                  "/api/cell/0/216", "/api/network/5",
                                  "/api/triangulation/5"])
def test_what_is_not_there_is_told(client, path):
    answer = client.get(path)
    assert answer.status == 422
    assert "there is no" in answer.json["error"] or "has no" in answer.json["error"]


def test_only_this_machine_by_its_own_name(client):
    """A name of elsewhere that leads here must not open the run to a page of elsewhere."""
    port = client.port
    for host in ("evil.example", f"evil.example:{port}", "127.0.0.1", "127.0.0.1:1",
                 f"127.0.0.1:{port}.evil.example", f"0.0.0.0:{port}"):
        for path in ("/", "/api/run"):
            answer = client.get(path, host=host)
            assert answer.status == 421
            assert b"block" not in answer.content
    assert client.get("/api/run", host=f"localhost:{port}").status == 200


def test_only_reading(client):
    for method in ("POST", "PUT", "DELETE", "OPTIONS"):
        assert client.get("/api/run", method=method).status == 501


def test_the_server_listens_to_this_machine_only(run):
    server = make_server(Record(run))
    try:
        assert server.server_address[0] == "127.0.0.1"
        with pytest.raises(InputError, match=r"port \d+ cannot be used"):
            make_server(Record(run), server.server_port)
    finally:
        server.server_close()


def test_a_browser_may_leave_before_its_answer(client, capfd):
    """Expected: silence. Seen: tracebacks in the terminal whenever a tab was closed."""
    for _ in range(20):
        with socket.create_connection(("127.0.0.1", client.port), timeout=30) as connection:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            request = f"GET /api/frame/0 HTTP/1.1\r\nHost: 127.0.0.1:{client.port}\r\n\r\n"
            connection.sendall(5 * request.encode())
    for _ in range(20):
        assert client.get("/api/frame/0").status == 200
    assert capfd.readouterr().err == ""


# ---- run folders that mean harm, or have come to harm ----------------------------------------

MARKUP = "<img src=x onerror=alert(1)>"


def test_markup_stays_text(serve, tmp_path):
    folder = make_run(tmp_path / MARKUP, title=MARKUP)
    with serve(folder) as client:
        answer = client.get("/api/run")
        assert answer.headers["Content-Type"] == "application/json"
        assert answer.json["title"] == MARKUP
        assert MARKUP.encode() not in client.get("/").content


def test_a_million_columns(serve, tmp_path):
    folder = make_run(tmp_path / "run")
    (folder / "series.csv").write_text("time," + ",".join(f"c{k}" for k in range(1_000_000)) + "\n")
    with serve(folder) as client:
        answer = client.get("/api/series")
        assert answer.status == 422
        assert "columns" in answer.json["error"]
        assert client.get("/api/run").status == 200


@pytest.mark.parametrize("content", [b"", b"time", b"\xff\xfe\n", b"a,b\n1,2\n", b"time\nx\n",
                                     b"time,a\n1\n", b"<script>alert(1)</script>\n"])
def test_broken_series(serve, tmp_path, content):
    folder = make_run(tmp_path / "run", frames=1)
    (folder / "series.csv").write_bytes(content)
    with serve(folder) as client:
        answer = client.get("/api/series")
        assert answer.status == 422
        assert "series.csv" in answer.json["error"]
        assert client.get("/api/frame/0").status == 200


@pytest.mark.parametrize("content", ["[1]", "{", "[" * 100_000, '{"state": 3}'])
def test_broken_summaries(serve, tmp_path, content):
    folder = make_run(tmp_path / "run", frames=1)
    (folder / "summary.json").write_text(content)
    with serve(folder) as client:
        told = client.get("/api/run").json
        assert len(told["times"]) == 1
        assert told["state"] == "3" or any("summary.json" in note for note in told["notes"])


@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 0.9])
def test_truncated_frames(serve, tmp_path, share):
    folder = make_run(tmp_path / "run")
    path = folder / "frames.vtkhdf"
    path.write_bytes(path.read_bytes()[: int(share * path.stat().st_size)])
    with serve(folder) as client:
        told = client.get("/api/run").json
        assert told["times"] == []
        assert any("frames.vtkhdf" in note for note in told["notes"])
        assert client.get("/api/frame/0").status == 422


def spoil(folder, change):
    with h5py.File(folder / "frames.vtkhdf", "r+") as file:
        change(file["VTKHDF"])


def external(root):
    del root["PointData/radius"]
    root.create_dataset("PointData/radius", (216 * 5,), "u1", external=[("/etc/passwd", 0, 1080)])


def linked(root):
    del root["PointData/radius"]
    root["PointData/radius"] = h5py.ExternalLink("/tmp/other.h5", "/secret")


def virtual(root):
    layout = h5py.VirtualLayout((216 * 5,), "f8")
    layout[:] = h5py.VirtualSource("/tmp/other.h5", "secret", (216 * 5,))
    del root["PointData/radius"]
    root.create_virtual_dataset("PointData/radius", layout)


def too_many_fields(root):
    for k in range(100):
        root[f"PointData/field{k}"] = np.zeros(216 * 5)


def texts(root):
    root["PointData/text"] = np.array([b"<b>"] * 1080)


def too_short(root):
    del root["PointData/radius"]
    root["PointData/radius"] = np.zeros(10)


def flat_points(root):
    del root["Points"]
    root["Points"] = np.zeros((1080, 2))


def no_points(root):
    del root["Points"]


def huge(root):
    del root["NumberOfPoints"]
    root["NumberOfPoints"] = np.full(5, 10**12)


def give_lines(root, count, rows):
    del root["Lines"]
    root["Lines/NumberOfCells"] = np.full(5, count)
    root["Lines/Connectivity"] = np.asarray(rows)


def huge_lines(root):
    give_lines(root, 10**12, [0, 1])


def short_lines(root):
    give_lines(root, 100, [0, 1])


def lines_to_nowhere(root):
    give_lines(root, 1, [0, 10**9])


def foreign_lines(root):
    give_lines(root, 1, [0, 1])
    del root["Lines/Connectivity"]
    root["Lines"].create_dataset("Connectivity", (12,), "u1", external=[("/etc/passwd", 0, 12)])


def linked_faces(root):
    del root["Polygons"]
    root["Polygons"] = h5py.ExternalLink("/tmp/other.h5", "/secret")


def foreign_contacts(root):
    for name, width in (("i", 0), ("j", 0), ("point", 3), ("force", 3)):
        shape = (4, width) if width else (4,)
        root.file.create_dataset(f"contacts/{name}", shape, "u1",
                                 external=[("/etc/passwd", 0, 12)])
    root.file["contacts/first"] = np.array([0, 1, 2, 3, 4, 4])


def wild_contacts(root):
    for name in ("i", "j", "point", "force"):
        root.file[f"contacts/{name}"] = np.zeros(3)
    root.file["contacts/first"] = np.array([-5, 10**12])


@pytest.mark.parametrize("change", [
    foreign_contacts, wild_contacts, external, linked, virtual, too_many_fields, texts, too_short,
    flat_points, no_points, huge, huge_lines, short_lines, lines_to_nowhere, foreign_lines,
    linked_faces])
def test_strange_frames(serve, tmp_path, change):
    folder = make_run(tmp_path / "run")
    spoil(folder, change)
    with serve(folder) as client:
        assert client.get("/api/run").json["notes"]
        answer = client.get("/api/frame/0")
        assert answer.status == 422
        assert "cannot be read" in answer.json["error"]
        assert b"root:" not in answer.content


def test_more_frames_than_any_run(serve, tmp_path):
    folder = make_run(tmp_path / "run", frames=1)

    def change(root):
        del root["Steps/Values"]
        root.create_dataset("Steps/Values", (10**12,), "f8", chunks=(1 << 16,))

    spoil(folder, change)
    with serve(folder) as client:
        told = client.get("/api/run").json
        assert told["times"] == []
        assert any("frames" in note for note in told["notes"])


def test_times_and_places_that_are_no_numbers(serve, tmp_path):
    frame = block_of_grains(0, 1)
    folder = make_run(tmp_path / "run", frames=1)

    def change(root):
        root["Points"][:3] = np.nan
        root["Points"][3] = np.inf
        root["PointData/velocity"][:] = np.nan

    spoil(folder, change)
    with serve(folder) as client:
        assert np.isfinite(client.get("/api/run").json["high"]).all()
        arrays, _ = unpack(client.get("/api/frame/0").content)
        assert np.isnan(arrays["position"][0]).all()
        assert len(arrays["id"]) == len(frame.points)
        assert client.get("/api/limits/0").json == [0.0, 1.0]
        assert client.get("/api/network/0").status == 200
        assert dict(client.get("/api/grain/0/0").json["fields"])["position"] == [None] * 3


@pytest.mark.parametrize("name", ["frames.vtkhdf", "series.csv", "summary.json", "checkpoints"])
def test_links_out_of_the_folder_are_not_followed(serve, tmp_path, name):
    other = make_run(tmp_path / "other", title="Secret")
    (other / "summary.json").write_text('{"state": "secret"}')
    folder = make_run(tmp_path / "run")
    path = folder / name
    path.rename(tmp_path / "old")
    path.symlink_to(other / name)
    with serve(folder) as client:
        told = client.get("/api/run")
        assert b"secret" not in told.content
        assert b"leads out of the run folder" in told.content + client.get("/api/series").content


def test_a_frame_file_that_is_damaged_while_the_run_goes_on(serve, tmp_path):
    (tmp_path / "scenario.toml").write_text("")
    write_frames(tmp_path, 20, 8, whole=False)
    with serve(tmp_path) as client:
        assert len(client.get("/api/run").json["times"]) == 20
        path = tmp_path / "frames" / "frame_000001.vtkhdf"
        path.write_bytes(path.read_bytes()[:-4000])
        assert client.get("/api/frame/0").status == 200
        answer = client.get("/api/frame/1")
        assert answer.status == 422
        assert json.loads(answer.content)["error"].startswith("frame 1 cannot be read")

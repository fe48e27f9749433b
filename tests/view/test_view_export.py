"""The page as one file: small enough, self-contained, and true to the run."""

from __future__ import annotations

import base64
import html.parser
import json
import re

import numpy as np
import pytest
from view_folders import block_of_grains, make_run

from granum.cli.app import app
from granum.errors import InputError, OutputError
from granum.output import FrameWriter
from granum.view import Record, export_page
from granum.view.block import unpack
from granum.view.bundle import START, joined_script, page_files, script_order

HOSTILE = "</script><script>alert(1)</script><!--"


class Elements(html.parser.HTMLParser):
    """The scripts of a page, as a browser finds them: attributes and text."""

    def __init__(self, text):
        super().__init__()
        self.scripts, self.addresses = [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.addresses += [value for name, value in attrs if name in ("src", "href")]
        if tag == "script":
            self.scripts.append((dict(attrs), ""))

    def handle_data(self, data):
        if self.scripts:
            self.scripts[-1] = (self.scripts[-1][0], self.scripts[-1][1] + data)

    def data(self, name):
        text = next(text for attrs, text in self.scripts if attrs.get("id") == f"data-{name}")
        return json.loads(text) if text.lstrip().startswith(("{", "[")) else unpack(
            base64.b64decode(text.split("<")[0]))


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    folder = make_run(tmp_path_factory.mktemp("export") / "run", frames=6, title=HOSTILE)
    path = folder.with_name("page.html")
    made = export_page(Record(folder), path)
    assert made == {"frames": 6, "of": 6, "bytes": path.stat().st_size}
    return path.read_text()


def test_the_numbers_are_those_of_the_run(page):
    found = Elements(page)
    told = found.data("run")
    assert told["title"] == HOSTILE
    shared, _ = found.data("shared")
    assert {"radius", "id"} <= shared.keys()  # they never change
    for number in range(6):
        wanted = block_of_grains(number, 6)
        arrays, facts = found.data(f"frame-{number}")
        points = arrays["position"].values() + told["origin"]
        assert np.abs(points - wanted.points).max() < 2.4 / 65534
        speed = {**shared, **arrays}["value 0"].values()[:, 0]
        assert speed == pytest.approx(np.linalg.norm(wanted.fields["velocity"], axis=1), abs=1e-4)
        assert facts["time"] == pytest.approx(0.1 * number)
    assert np.array_equal(shared["id"], np.arange(216))
    assert [quantity["label"] for quantity in told["quantities"]] == [
        "speed", "size (radius)", "spin", "contacts", "species", "id"]
    assert "kinetic" in found.data("series")[0]


def test_contacts_are_those_of_the_run(tmp_path):
    contacts = {"i": np.array([0, 1]), "j": np.array([1, -1]),
                "point": np.array([[1.0, 0.0, 0.0], [3.0, 0.0, 0.0]]),
                "force": np.array([[-4.0, 0.0, 0.0], [-1.0, 0.0, 0.0]])}
    FrameWriter(tmp_path).write(0, 0.0, np.array([[0.0, 0.0, 0.0], [2.0, 0.0, 0.0]]),
                                {"radius": np.ones(2)}, contacts)
    record = Record(tmp_path)
    export_page(record, tmp_path / "page.html", contacts=True)
    found = Elements((tmp_path / "page.html").read_text())
    assert found.data("run")["contacts"]
    arrays = {**found.data("shared")[0], **found.data("frame-0")[0]}
    wanted = unpack(record.network_block(0))
    assert len(wanted[0]["rods"]) == 3
    assert arrays["rod ends"].values() == pytest.approx(wanted[0]["rods"][:, :6], abs=1e-4)
    assert arrays["rod strength"].values()[:, 0] == pytest.approx(wanted[0]["rods"][:, 6], abs=1e-3)
    assert np.array_equal(arrays["rod at wall"], wanted[0]["rods"][:, 7])
    assert found.data("frame-0")[1]["rods"] == {
        name: wanted[1][name] for name in ("what", "unit", "high")}


def test_the_page_needs_nothing_from_anywhere(page):
    found = Elements(page)
    assert found.addresses == []
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]+)"', page)[1]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert "connect-src" not in policy  # so it falls back to 'none'
    assert not re.search(r"https?://", page.split("<script", 1)[0])


def test_no_text_of_a_run_becomes_a_script(page):
    runnable = [text for attrs, text in Elements(page).scripts
                if attrs.get("type") not in ("application/json", "text/plain")]
    assert len(runnable) == 1
    assert "alert(1)" not in runnable[0]
    assert page.count("</script>") == page.count("<script")


def test_frames_are_thinned_to_the_size(tmp_path):
    record = Record(make_run(tmp_path / "run", frames=40, count=1000))
    sizes = {}
    for size in (0.15, 0.25, 15.0):
        path = tmp_path / f"{size}.html"
        made = export_page(record, path, size)
        assert path.stat().st_size == made["bytes"] <= size * 1e6
        told = Elements(path.read_text()).data("run")
        assert len(told["times"]) == made["frames"]
        assert told["times"][0] == 0.0
        if made["frames"] > 1:
            assert told["times"][-1] == pytest.approx(3.9)
            assert np.ptp(np.diff(told["times"])) <= 0.1 + 1e-9  # even, as far as there are frames
        sizes[size] = made["frames"]
    assert 1 <= sizes[0.15] < sizes[0.25] < sizes[15.0] == 40
    with pytest.raises(OutputError, match="not even one frame of this run fits"):
        export_page(record, tmp_path / "small.html", 0.05)
    assert not (tmp_path / "small.html").exists()


def test_grains_that_come_and_go(tmp_path):
    writer = FrameWriter(tmp_path)
    for number, count in enumerate((0, 3, 5, 2)):
        writer.write(number, float(number), np.full((count, 3), 0.5 + number), {
            "id": 10 + np.arange(count), "radius": np.full(count, 0.1)})
    export_page(Record(tmp_path), tmp_path / "page.html")
    found = Elements((tmp_path / "page.html").read_text())
    assert found.data("shared")[0] == {}
    for number, count in enumerate((0, 3, 5, 2)):
        arrays, _ = found.data(f"frame-{number}")
        assert arrays["id"].tolist() == list(range(10, 10 + count))
        origin = np.array(found.data("run")["origin"])
        assert np.allclose(arrays["position"].values() + origin, 0.5 + number)


def test_a_run_without_series_or_frames(tmp_path):
    (tmp_path / "scenario.toml").write_text("")
    with pytest.raises(OutputError, match="there is nothing to export"):
        export_page(Record(tmp_path), tmp_path / "page.html")
    FrameWriter(tmp_path).write(0, 0.0, np.zeros((1, 3)), {"radius": np.ones(1)})
    export_page(Record(tmp_path), tmp_path / "page.html")
    assert Elements((tmp_path / "page.html").read_text()).data("series")[0] == {}
    (tmp_path / "series.csv").write_text("nonsense\n")
    export_page(Record(tmp_path), tmp_path / "page.html")
    found = Elements((tmp_path / "page.html").read_text())
    assert "series.csv" in found.data("series-error")["error"]


@pytest.mark.parametrize(("name", "size"), [("page.txt", 15.0), ("page", 15.0), ("page.html", 0.0),
                                            ("page.html", -1.0), ("page.html", float("nan"))])
def test_what_cannot_be_meant_is_refused(run, tmp_path, name, size):
    with pytest.raises(InputError, match=r"\.html|--size"):
        export_page(Record(run), tmp_path / name, size)
    assert not any(tmp_path.iterdir())


# ---- the scripts ---------------------------------------------------------------------------------


def scripts():
    return {name: text.decode() for name, text in page_files().items() if name.endswith(".js")}


def test_all_scripts_are_used():
    assert set(script_order(scripts())) == scripts().keys()
    assert script_order(scripts())[-1] == START


def test_names_are_different_in_all_scripts():
    """They share one script in an exported page."""
    seen = {}
    for name, text in scripts().items():
        made = re.findall(r"^(?:export )?(?:async )?(?:function|class|const|let) (\w+)", text, re.M)
        made += [also for line in re.findall(r"^let (.+);", text, re.M)
                 for also in re.findall(r"(\w+)(?: = [^,]+)?(?:, |$)", line)]
        for word in set(made):
            assert word not in seen, f"{word} is in {seen[word]} and {name}"
            seen[word] = name


def test_joined_scripts_import_nothing():
    joined = joined_script(scripts())
    assert not re.search(r"^(import|export)\b", joined, re.M)
    assert "import(" not in joined


def test_no_script_makes_markup_of_text():
    for name, text in scripts().items():
        for word in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(",
                     "new Function", "http://", "https://", "setAttribute(\"on"):
            assert word not in text, f"{word} in {name}"


def test_the_command(run, tmp_path, capsys):
    path = tmp_path / "page.html"
    app(["view", str(run), "--export", str(path), "--size", "5"], standalone_mode=False)
    assert "5 of 5 frames" in capsys.readouterr().out
    assert path.exists()

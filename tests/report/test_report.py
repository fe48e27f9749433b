"""The report of a run: what it says, what it refuses, and that its page needs nothing else."""

from __future__ import annotations

import json
import re
import sys
from html.parser import HTMLParser

import numpy as np
import pytest

from granum.cli import main
from granum.errors import InputError
from granum.output import write_png
from granum.report import gather, write_gallery, write_report
from granum.report.facts import Figure, changes_of_substance
from granum.report.gallery import verdict
from granum.report.wording import difference_text, time_text, value_text, verdict_text
from granum.studies import STUDIES, Origin
from granum.studies.cluster_stiffness import BETAS, PUBLISHED

SUMMARY = {
    "state": "finished", "granum": "0.1.0", "time": 12.0, "steps": 600_000, "time_step": 2e-5,
    "grains": 5592, "seed": 1, "threads": 1, "seconds": 754.2,
    "last_sample": {"time": 12.0, "contacts": 7, "coordination": 4.5, "height": 0.02,
                    "kinetic": 1e-12},
}
SERIES = "time,kinetic,rotational,elastic\n0.0,1.0,0.0,0.0\n0.5,0.25,0.1,0.0\n1.0,0.0,0.0,0.1\n"


@pytest.fixture
def make_run(tmp_path):
    """Write a run folder as granum leaves it, without running anything."""
    def make(origin=None, title="A run", found=None, name="run", **changes):
        folder = tmp_path / name
        folder.mkdir()
        head = origin.header() if origin else ""
        (folder / "scenario.toml").write_text(f"{head}title = {json.dumps(title)}\n")
        summary = {**SUMMARY, **changes}
        if found is not None:
            write_png(folder / "picture.png", np.full((4, 6, 3), 99, dtype=np.uint8))
            summary["found"] = {**found, "picture": "somewhere/else/picture.png"}
        (folder / "summary.json").write_text(json.dumps(summary))
        (folder / "series.csv").write_text(SERIES)
        return folder
    return make


PACKING = Origin("packing-frequency", "4hz")


# ---- what it says ----------------------------------------------------------------------------


def test_published_beside_measured(make_run):
    folder = make_run(PACKING, found={"density": 0.6075, "crystal_density": 0.6341, "top": 0.05})
    report = gather(folder)
    density, tapped, crystal = report.figures
    assert (density.published, density.unit, density.source) == (60.61, "%", "table 5.2")
    assert density.measured == pytest.approx(60.75)
    assert density.difference == pytest.approx(0.14)
    assert density.agrees is True
    assert (tapped.measured, tapped.agrees) == (None, None)  # the run has not found it
    assert crystal.agrees is True
    assert report.also == {"top": 0.05}
    assert report.command == "granum run packing-frequency --set variant=4hz"
    assert report.grain_steps == 5592 * 600_000
    assert [picture.name for picture in report.pictures] == ["picture.png"]
    assert report.caution == ""


def test_table_6_3(make_run):
    """The published strains themselves: twenty lines, no difference."""
    found = {f"strain_beta_{beta:g}": list(PUBLISHED[beta]) for beta in BETAS}
    report = gather(make_run(Origin("cluster-stiffness", "press"), found=found))
    assert len(report.figures) == 20
    assert all(figure.difference == 0.0 for figure in report.figures)
    assert report.figures[4].published == 0.031611


@pytest.mark.parametrize("jammed", [True, False])
def test_words_and_truths_of_the_hourglass(make_run, jammed):
    report = gather(make_run(Origin("hourglass", "A"),
                             found={"jammed": jammed, "unsteadiness": 0.043}))
    slot, flow = report.figures
    assert slot.agrees is (not jammed)
    assert (flow.published, flow.measured, flow.agrees) == ("regular", 0.043, None)


def test_a_run_that_is_no_study(make_run):
    report = write_report(make_run(found={}))
    assert report.origin is None
    assert {figure.name: figure.measured for figure in report.figures} == {
        "contacts": 7, "coordination": 4.5, "height": 0.02, "kinetic": 1e-12}
    text = (report.folder / "report.md").read_text()
    assert "published" not in text.lower()
    assert report.command.startswith(f"granum run {report.folder}/scenario.toml --out ")


def test_a_study_that_this_granum_does_not_know(make_run):
    assert gather(make_run(Origin("alchemy", "gold"), found={})).origin is None


def test_the_quick_size_and_changed_runs_are_not_judged(make_run):
    found = {"density": 0.6, "crystal_density": 0.6332}
    quick = gather(make_run(Origin("packing-frequency", "4hz", True), found=found, name="quick"))
    assert "quick size" in quick.caution
    assert all(figure.agrees is None for figure in quick.figures)
    other = Origin("packing-frequency", "4hz", False, ("law.friction=0.5", "seed=2"))
    changed = gather(make_run(other, found=found, name="changed"))
    assert "law.friction=0.5 was changed" in changed.caution
    assert all(figure.agrees is None for figure in changed.figures)
    assert changes_of_substance(Origin("a", "b", False, ("seed=2", "output.frames=0.1"))) == []


def test_an_interrupted_run(make_run):
    report = write_report(make_run(PACKING, state="interrupted"))
    assert all(figure.measured is None for figure in report.figures)
    assert "not come to its end" in report.caution
    assert "| density at the end | 60.61 % | – | – |" in (report.folder / "report.md").read_text()


def test_trouble_is_told(make_run):
    folder = make_run(PACKING, state="trouble", trouble="grain 7 is lost")
    write_report(folder)
    assert "grain 7 is lost" in (folder / "report.html").read_text()


@pytest.mark.parametrize(("name", "variant"), [(n, v) for n, s in STUDIES.items()
                                               for v in s.variants])
def test_every_variant_has_a_report(make_run, name, variant):
    report = gather(make_run(Origin(name, variant), found={}))
    assert len(report.figures) == len(STUDIES[name].published.get(variant, ()))


# ---- the page --------------------------------------------------------------------------------


class Page(HTMLParser):
    """Collects what a page refers to, and whether its tags are closed."""

    def __init__(self, text):
        super().__init__()
        self.sources, self.open, self.texts, self.tags = [], [], [], set()
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.sources += [value for key, value in attrs if key in ("src", "href", "data", "action")]
        if tag not in ("meta", "img"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts.append(data)


def test_the_page_needs_nothing_else(make_run):
    folder = make_run(PACKING, found={"density": 0.6, "crystal_density": 0.63})
    write_report(folder)
    text = (folder / "report.html").read_text()
    page = Page(text)
    assert page.open == []
    assert len(page.sources) == 2  # the picture, and the plot of the energies
    assert all(source.startswith("data:image/png;base64,iVBOR") for source in page.sources)
    assert not re.search(r"https?:|url\(|@import|<script|<link", text)
    assert "granum run packing-frequency --set variant=4hz" in "".join(page.texts)
    assert "12 min 34 s on 1 thread" in "".join(page.texts)


def test_text_is_escaped(make_run):
    bad = '<script>alert("x")</script> & | `_*'
    folder = make_run(Origin("packing-frequency", "4hz", False, (f"title={bad}",)), title=bad,
                      found={"density": 0.6})
    write_report(folder)
    page = Page((folder / "report.html").read_text())
    assert "script" not in page.tags
    assert bad in "".join(page.texts)
    markdown = (folder / "report.md").read_text()
    heading = markdown.splitlines()[0]
    assert heading == '# \\<script>alert("x")\\</script> & \\| \\`\\_\\*'


def test_a_page_without_pictures_stands(make_run):
    folder = make_run(PACKING, found={"density": 0.6})
    (folder / "picture.png").unlink()
    (folder / "series.csv").unlink()
    assert write_report(folder).pictures == ()
    assert Page((folder / "report.html").read_text()).sources == []


# ---- numbers ---------------------------------------------------------------------------------


def test_numbers_as_a_person_reads_them():
    assert value_text(60.6, "%") == "60.60 %"
    assert value_text(0.003935) == "0.003935"
    assert value_text(209.0) == "209"
    assert value_text(True) == "yes"
    assert value_text(None) == "–"
    assert value_text([0.1, 2]) == "0.1, 2"
    assert difference_text(Figure("a", 0.09, "", 0.1, -0.01)) == "-0.01 (-10.0 %)"
    assert difference_text(Figure("a", 0.0, "", 0.0, 0.0)) == "+0"
    assert difference_text(Figure("a", 60.0, "%", 61.0, -1.0)) == "-1.00"
    assert difference_text(Figure("a", 8e6, "1/s", 8e3, 8e6 - 8e3)) == "1000 times"
    assert difference_text(Figure("a", -8e6, "", 8e3, -8e6 - 8e3)) == "-8.01e+06 (-100100.0 %)"
    assert verdict_text(Figure("a", 1.0, agrees=False, spread=0.5)) == "differs (within 0.5)"
    assert verdict_text(Figure("a", 1.0)) == ""
    assert time_text(59.94) == "59.9 s"
    assert time_text(60.2) == "1 min 0 s"
    assert time_text(3725) == "1 h 2 min"


# ---- the command -----------------------------------------------------------------------------


def granum(capsys, *words):
    before, sys.argv = sys.argv, ["granum", *map(str, words)]
    capsys.readouterr()
    code = 0
    try:
        main()
    except SystemExit as end:
        code = end.code or 0
    finally:
        sys.argv = before
    return code, *capsys.readouterr()


def test_the_command_prints_the_table(make_run, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    folder = make_run(PACKING, found={"density": 0.6075, "crystal_density": 0.6341})
    code, out, err = granum(capsys, "report", folder)
    assert (code, err) == (0, "")
    assert re.search(r"density at the end +60\.61 % +60\.75 % +\+0\.14 +"
                     r"agrees \(within 1\.1\) +table 5\.2", out)
    assert str(folder / "report.html") in out
    assert (folder / "report.md").exists()


def test_the_command_prints_json(make_run, capsys):
    folder = make_run(PACKING, found={"density": 0.6075, "crystal_density": float("nan")})
    code, out, _ = granum(capsys, "report", folder, "--json")
    said = json.loads(out, parse_constant=pytest.fail)
    assert code == 0
    assert (said["study"], said["variant"], said["size"]) == (
        "packing-frequency", "4hz", "published")
    assert said["figures"][0]["difference"] == pytest.approx(0.14)
    assert said["figures"][1]["measured"] is None
    assert said["grain_steps"] == 5592 * 600_000
    assert said["files"]["html"] == str(folder / "report.html")


@pytest.mark.parametrize(("damage", "words"), [
    ("nothing there", "is not a run folder"),
    ("no summary", "still going on, or was killed"),
    ("half a summary", "cannot be read"),
    ("another summary", "does not say state"),
])
def test_refusals_speak_to_a_person(make_run, tmp_path, capsys, damage, words):
    folder = make_run(PACKING, found={})
    if damage == "nothing there":
        folder = tmp_path / "nowhere"
    elif damage == "no summary":
        (folder / "summary.json").unlink()
    else:
        text = '{"state": "fin' if damage == "half a summary" else "[1, 2]"
        (folder / "summary.json").write_text(text)
    code, out, err = granum(capsys, "report", folder, "--json")
    assert code == 2
    assert words in err
    assert words in json.loads(out)["message"]
    with pytest.raises(InputError):
        gather(folder)


# ---- the gallery -----------------------------------------------------------------------------


def test_the_gallery_has_all_studies_and_runs(make_run, tmp_path):
    found = {"density": 0.6075, "crystal_density": 0.6341, "top": 0.05}
    make_run(PACKING, found=found, name="packing run")
    make_run(title="<mine>", name="mine")
    make_run(name="broken")
    (tmp_path / "broken" / "summary.json").write_text("{")
    make_run(name="busy")
    (tmp_path / "busy" / "summary.json").unlink()
    page, reports, problems = write_gallery(tmp_path)
    text = page.read_text()
    assert [report.folder.name for report in reports] == ["mine", "packing run"]
    assert len(problems) == 2
    assert all(study.name in text or study.title in text for study in STUDIES.values())
    link = '<a href="packing%20run/report.html"><img alt="A run" src="packing%20run/picture.png">'
    assert link in text
    assert "&lt;mine&gt;" in text
    assert "<mine>" not in text
    assert "busy has not ended yet" in text
    assert text.index("Other runs") < text.index("&lt;mine&gt;")
    assert (tmp_path / "mine" / "report.html").exists()


def test_the_gallery_says_how_many_figures_agree(make_run):
    agreeing = gather(make_run(PACKING, found={"density": 0.6061, "crystal_density": 0.1}))
    judged = [figure.agrees for figure in agreeing.figures if figure.agrees is not None]
    assert verdict(agreeing).endswith(f"{sum(judged)} of {len(judged)} published figures agree")
    quick = gather(make_run(Origin("packing-frequency", "4hz", quick=True), name="quick",
                            found={"density": 0.6061}))
    assert verdict(quick) == "finished, 5592 grains, quick size"


def test_the_command_writes_the_gallery(make_run, tmp_path, monkeypatch, capsys):
    make_run(name="mine")
    monkeypatch.setattr(sys, "argv", ["granum", "report", "--all", str(tmp_path), "--json"])
    with pytest.raises(SystemExit) as end:
        main()
    assert end.value.code == 0
    told = json.loads(capsys.readouterr().out)
    assert told["html"] == str(tmp_path / "index.html")
    assert [run["title"] for run in told["runs"]] == ["A run"]
    for words, message in (([], "name the run folder"), (["--all", "nowhere"], "is no folder")):
        monkeypatch.setattr(sys, "argv", ["granum", "report", *words])
        with pytest.raises(SystemExit) as end:
            main()
        assert end.value.code == 2
        assert message in capsys.readouterr().err

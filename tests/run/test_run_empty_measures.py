"""Measures whose region holds no grain: said at the start, and at the end if that never changed."""

from __future__ import annotations

import json

import numpy as np
import pytest
from run_silo import command, interrupt, start, summary_of

import granum as gr
from granum.measures import Holding, Look, empty_at_start
from granum.output import read_series
from granum.run import LOG, SERIES, Run, newest_simulation
from granum.scenario.build import understand
from granum.scenario.reader import parse_toml

# Two beads, 8 mm above the floor of a box, fall by 4.9 mm in 32 ms. They come into the region
# "floor"; none is ever in "shelf"; "all" has them from the start.
FALLING = """\
[materials.glass]
density = 2500
[law]
type = "linear_viscoelastic"
restitution = 0.5
contact_time = "1 ms"
[[walls]]
type = "box"
low = [0, 0, 0]
high = [0.05, 0.05, 0.05]
[[grains]]
type = "explicit"
radius = "1 mm"
points = [["1 cm", "1 cm", "8 mm"], ["3 cm", "3 cm", "8 mm"]]
[run]
duration = "36 ms"
[output]
series = "2 ms"
frames = "18 ms"
checkpoints = "18 ms"
[[measures]]
type = "heights"
name = "floor"
region = { type = "box", low = [0, 0, 0], high = [0.05, 0.05, "4 mm"] }
[[measures]]
type = "density"
name = "shelf"
region = { type = "box", low = [0, 0, "3 cm"], high = [0.05, 0.05, "4 cm"] }
interval = "3 ms"
[[measures]]
type = "density"
name = "all"
region = { type = "container", top = "4 cm" }
"""
AT_START = ("its region, box from (0, 0, 0.03) m to (0.05, 0.05, 0.04) m, holds no grain; "
            "grains are between (0.009, 0.009, 0.007) m and (0.031, 0.031, 0.009) m. It is empty "
            "until grains come there")
AT_END = ("measure shelf (density): its region, box from (0, 0, 0.03) m to (0.05, 0.05, 0.04) m, "
          "held no grain")
LOW, HIGH = (0, 0, 0.02), (0.05, 0.05, 0.05)


def falling(text=FALLING):
    return understand(parse_toml(text, "falling.toml"))


@pytest.fixture(scope="module")
def told(tmp_path_factory):
    """The folder of a run in one go, and what was printed."""
    folder = tmp_path_factory.mktemp("empty")
    (folder / "falling.toml").write_text(FALLING)
    said = command("run", folder / "falling.toml", "--out", folder / "run", "--threads", 1)
    return folder / "run", said


def test_the_grains_do_fall_where_it_says(told):
    """The words are true: the floor is empty first and not last, the shelf always."""
    series = read_series(told[0] / SERIES)
    assert np.isnan(series["floor_top"][0])
    assert 0.0 < series["floor_top"][-1] < 5e-3
    assert (read_series(told[0] / "measures" / "shelf.csv")["shelf_density"] == 0.0).all()


def test_what_a_run_says(told):
    folder, said = told
    lines = said.replace("\n", " ")
    assert lines.count("measure floor (heights): its region") == 1  # at the start only
    assert lines.count("measure shelf (density): its region") == 2
    assert AT_START in lines
    assert AT_END in lines
    assert "measure all" not in lines
    log = (folder / LOG).read_text().splitlines()
    assert sum("warning at t = 0 s: measure floor (heights)" in line for line in log) == 1
    assert sum("warning at t = 0 s: measure shelf (density)" in line for line in log) == 1
    assert sum(AT_END in line for line in log) == 1
    (warning,) = summary_of(folder)["warnings"]
    assert warning.startswith(AT_END)
    assert "at the end grains are between (0.009, 0.009, " in warning


def test_what_check_says(tmp_path):
    path = tmp_path / "falling.toml"
    path.write_text(FALLING)
    said = " ".join(command("check", path).split())
    assert "warnings measure floor (heights): its region" in said
    assert AT_START in said
    facts = json.loads(command("check", path, "--json"))
    assert [words.split(":")[0] for words in facts["warnings"]] == [
        "measure floor (heights)", "measure shelf (density)"]
    path.write_text(FALLING.replace("4 mm", "9 mm").replace('"3 cm"], h', '"7 mm"], h'))
    assert "warnings" not in json.loads(command("check", path, "--json"))


def test_a_run_that_is_cut_knows_what_came_before(told, tmp_path):
    """What was found before a cut counts, and what was said is not said again."""
    folder = tmp_path / "cut"
    summary = start(folder, falling(), report=interrupt(0)).go()
    assert "warnings" not in summary
    while summary["state"] == "interrupted":
        summary = Run(newest_simulation(folder, 1), falling().plan, folder,
                      report=interrupt(summary["steps"] + 410)).go()
    whole = summary_of(told[0])
    assert summary["warnings"] == whole["warnings"]
    assert summary["state_sha256"] == whole["state_sha256"]
    log = (folder / LOG).read_text()
    assert log.count("measure floor (heights)") == 1
    assert log.count("measure shelf (density)") == 2


def world_at(*points, **options):
    world = gr.World(domain=((-1, -1, -1), (1, 1, 1)), **options)
    if points:
        world.add(gr.Sphere(1e-3), at=points, density=2500)
    return world


def test_a_grain_that_reaches_in_counts_where_parts_do():
    """Its centre is half a radius below: the density is not empty, the height is."""
    world = world_at((0.01, 0.01, 0.0195))
    region = gr.BoxRegion(LOW, HIGH)
    assert empty_at_start(gr.Density(region), world) == ""
    assert "holds no grain" in empty_at_start(gr.Heights(region=region), world)
    below = world_at((0.01, 0.01, 0.0189))
    assert "holds no grain" in empty_at_start(gr.Density(region), below)


def test_a_strain_says_that_it_stays_without_grains():
    words = empty_at_start(gr.Strain(region=gr.BoxRegion(LOW, HIGH)), world_at((0, 0, 0)))
    assert "will find none" in words
    assert "until" not in words


def test_an_empty_world():
    """A container waits for grains as it should; a box is told of."""
    world = gr.World()
    world.add(gr.Box((0, 0, 0), HIGH))
    assert empty_at_start(gr.Density(), world) == ""
    assert empty_at_start(gr.Heights(), world) == ""
    assert "there are no grains" in empty_at_start(gr.Density(gr.BoxRegion(LOW, HIGH)), world)


def test_images_across_a_periodic_side_count():
    world = world_at((0.049, 0.01, 0.01), periodic=(0.05, None, None))
    over = gr.BoxRegion((-0.002, 0, 0), (0.0, 0.05, 0.05))
    assert empty_at_start(gr.Heights(region=over), world) == ""
    beside = gr.BoxRegion((0.01, 0, 0), (0.02, 0.05, 0.05))
    assert "holds no grain" in empty_at_start(gr.Heights(region=beside), world)


def test_the_library_warns_once_by_its_logger(caplog):
    law = gr.LinearViscoelastic(restitution=0.5, contact_time=1e-3)
    sim = gr.Simulation(world_at((0.01, 0.01, 0.01)), law, threads=1)
    shelf = gr.Density(gr.BoxRegion(LOW, HIGH), name="shelf")
    before = sim.fingerprint()
    assert [sim.measure(shelf)["shelf_density"] for _ in range(2)] == [0.0, 0.0]
    assert [record.name for record in caplog.records] == ["granum"]
    assert "measure shelf (density)" in caplog.text
    assert sim.fingerprint() == before
    sim.measure(gr.Density(gr.BoxRegion((0, 0, 0), HIGH), name="all"))
    assert len(caplog.records) == 1


def test_once_found_is_never_forgotten():
    """A grain that was there at one look and is gone at the next: the region was not empty."""
    holding = Holding()
    region = gr.Heights(region=gr.BoxRegion(LOW, HIGH))
    law = gr.LinearViscoelastic(restitution=0.5, contact_time=1e-3)
    there, gone = (gr.Simulation(world_at((0.01, 0.01, z)), law, threads=1) for z in (0.03, 0.01))
    assert not holding.never(region)  # not looked at yet
    for sim, empty in ((gone, True), (there, False), (gone, False)):
        holding.note(region, Look(sim))
        assert holding.never(region) is empty

"""The hourglass: variants can be built, the flow is judged rightly, the quick ones flow."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from types import SimpleNamespace

import matplotlib.image
import numpy as np
import pytest
from quick_study import run_quick

from granum.cli import main
from granum.measures.flow import PAUSE
from granum.output import read_frames, read_series
from granum.scenario.build import understand
from granum.scenario.reader import parse_toml
from granum.scenario.writer import to_toml
from granum.studies import STUDIES
from granum.studies.hourglass import GLASSES, QUICK, fall_facts, flow_facts, rate
from granum.world import refuse_bad_world

STUDY = STUDIES["hourglass"]
# Diameter [mm] and number of grains (Ferrez 2001, section 6.3).
PUBLISHED = {
    "A": {4.0: 2790}, "B": {3.0: 7236}, "C": {3.0: 5898}, "mixed": {6.0: 273, 2.0: 4582},
}
STEEL = 7780.0  # density [kg/m3]


def sizes_of(world):
    """Return the number of grains by diameter [mm]."""
    diameters, counts = np.unique(2e3 * world.radius, return_counts=True)
    return dict(zip(diameters.round(9).tolist(), counts.tolist(), strict=True))


# ---- building --------------------------------------------------------------------------------


def test_every_variant_has_both_sizes():
    assert STUDY.variants.keys() == GLASSES.keys() == QUICK.keys()
    assert PUBLISHED.keys() <= GLASSES.keys()


@pytest.mark.parametrize("quick", [True, False], ids=["quick", "whole"])
@pytest.mark.parametrize("variant", STUDY.variants)
def test_every_variant_can_be_built(variant, quick):
    glass = (QUICK if quick else GLASSES)[variant]
    scenario = understand(parse_toml(to_toml(STUDY.scenario(variant, quick))))
    world = scenario.world
    refuse_bad_world(world)
    assert sizes_of(world) == {1e3 * f.diameter: f.count for f in glass.fillings}
    if not quick and variant in PUBLISHED:
        assert sizes_of(world) == PUBLISHED[variant]
    if "turn" in variant and "tall" not in variant:
        assert len(world) == 71
    assert (world.position[:, 2] > 0.0).all()  # all above the slot
    assert world.mass == pytest.approx(STEEL * np.pi / 6 * (2 * world.radius) ** 3)
    law = scenario.law
    assert (law.restitution, law.friction) == (0.3, 0.1)
    assert law.contact_time == (2.5e-4 if min(sizes_of(world)) == 2.0 else 1e-3)
    assert len(world.turns) == len(glass.turns)
    assert all(turn.start + turn.duration < glass.duration for turn in world.turns)
    assert [flow.name for flow in scenario.plan.flows] == ["slot"]


def test_a_quick_title_does_not_promise_the_published_grains():
    for variant in STUDY.variants:
        title = STUDY.scenario(variant, True)["title"]
        whole = {str(filling.count) for filling in GLASSES[variant].fillings}
        quick = {str(filling.count) for filling in QUICK[variant].fillings}
        assert not any(count in title.split() for count in whole - quick), title


# ---- judging a flow --------------------------------------------------------------------------

TIME = np.arange(0, 201) * 0.01  # [s]


def test_a_steady_flow():
    """2 kg at 2 kg/s from 0.2 s on, until all is through."""
    mass = np.clip(2.0 * (TIME - 0.2), 0.0, 2.0)
    found = flow_facts(TIME, mass, 2.0)
    assert found["passed_share"] == pytest.approx(1.0)
    assert found["mean_rate"] == pytest.approx(2.0)
    assert found["unsteadiness"] == pytest.approx(0.0, abs=1e-9)
    assert found["end"] == pytest.approx(1.2)
    assert found["left_above_share"] == pytest.approx(0.0, abs=1e-12)
    assert found["jammed"] is False


def test_a_flow_that_jams():
    mass = np.clip(2.0 * TIME, 0.0, 0.6)
    found = flow_facts(TIME, mass, 2.0)
    assert found["passed_share"] == pytest.approx(0.3)
    assert found["end"] == pytest.approx(0.3)
    assert found["left_above_share"] == pytest.approx(0.7)
    assert found["jammed"] is True


def test_a_flow_that_has_not_ended():
    """It is not jammed, however little has passed, nor so shortly after the last grain."""
    found = flow_facts(TIME, 0.1 * TIME, 2.0)
    assert found["jammed"] is False
    assert found["end"] == TIME[-1]
    assert found["mean_rate"] == pytest.approx(0.1)
    pause = np.clip(0.1 * TIME, 0.0, 0.1 * (2.0 - 0.9 * PAUSE))
    assert flow_facts(TIME, pause, 2.0)["jammed"] is False
    pause = np.clip(0.1 * TIME, 0.0, 0.1 * (2.0 - 1.2 * PAUSE))
    assert flow_facts(TIME, pause, 2.0)["jammed"] is True


def test_no_flow_at_all():
    found = flow_facts(TIME, np.zeros_like(TIME), 2.0)
    assert found == {"passed_share": 0.0, "mean_rate": 0.0, "unsteadiness": 0.0, "end": 0.0,
                     "jammed": True, "left_above_share": 1.0}


def test_what_is_below_at_the_start_has_not_passed():
    mass = 0.5 + np.clip(TIME, 0.0, 1.5)
    found = flow_facts(TIME, mass, 2.0)
    assert found["passed_share"] == pytest.approx(0.75)
    assert found["left_above_share"] == pytest.approx(0.0, abs=1e-12)
    assert found["jammed"] is False


def test_an_irregular_flow_is_unsteady():
    """A rate that swings between 0 and 2 kg/s: sin has half its mean square."""
    period = 0.8  # much longer than the window of the rate
    mass = TIME - period / (2 * np.pi) * np.sin(2 * np.pi * TIME / period)
    unsteady = flow_facts(TIME, mass, 3.0)["unsteadiness"]
    gentle = flow_facts(TIME, TIME + 0.2 * (mass - TIME), 3.0)["unsteadiness"]
    assert 0.5 < unsteady < 0.8
    assert gentle == pytest.approx(0.2 * unsteady, rel=0.1)


def test_the_rate_of_a_straight_line_is_its_slope_everywhere():
    assert rate(TIME, 3.0 * TIME + 1.0) == pytest.approx(3.0)
    uneven = np.sort(np.concatenate([TIME, TIME[:50] + 0.003]))
    assert rate(uneven, 3.0 * uneven) == pytest.approx(3.0)


# ---- running it ------------------------------------------------------------------------------


def run(folder, variant, duration, *options):
    """Run the quick study from the command line; return what is in its folder."""
    summary = run_quick(folder, "hourglass", "--set", f"run.duration={duration}", *options,
                        variant=variant)
    return SimpleNamespace(
        folder=folder, summary=summary,
        series=read_series(folder / "series.csv"), frames=read_frames(folder),
    )


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("hourglass")
    return {"A": run(folder / "A", "A", 0.85), "B": run(folder / "B", "B", 1.0),
            "C": run(folder / "C", "C", 0.75)}


@pytest.fixture(scope="module")
def shapes(tmp_path_factory):
    """The mixture in the tall and in the flat glass."""
    folder = tmp_path_factory.mktemp("shapes")
    return {variant: run(folder / variant, variant, duration)
            for variant, duration in (("tall", 0.4), ("flat", 0.5))}


@pytest.fixture(scope="module")
def turned(tmp_path_factory):
    """The glass that is turned over at 1 s, fast and slowly."""
    folder = tmp_path_factory.mktemp("turned")
    return {variant: run(folder / variant, variant, duration)
            for variant, duration in (("turn-fast", 1.6), ("turn-slow", 2.3))}


@pytest.mark.parametrize("variant", ["A", "B", "C"])
def test_nothing_is_lost_and_everything_settles(runs, variant):
    series, summary = runs[variant].series, runs[variant].summary
    filling, = QUICK[variant].fillings
    total = filling.count * STEEL * np.pi / 6 * filling.diameter**3
    assert summary["state"] == "finished"
    assert (series["grains"] == filling.count).all()
    assert (series["slot_grains"] <= filling.count).all()
    assert (series["slot_mass"] <= total * (1 + 1e-12)).all()
    assert series["slot_mass"] == pytest.approx(series["slot_grains"] * total / filling.count)
    assert (np.diff(series["slot_grains"]) >= -2).all()  # hardly any comes back up
    assert series["kinetic"][-1] < 1e-2 * series["kinetic"].max()
    assert series["deepest"].max() < 0.1
    fall = series["gravitational"][0] - series["gravitational"]
    assert (series["kinetic"] + series["rotational"] + series["elastic"] <= fall + 1e-9).all()
    assert (np.abs(runs[variant].frames[-1].points) <= 0.05).all()


def test_a_flows_steadily_until_all_is_through(runs):
    found = runs["A"].summary["found"]
    assert found["passed_share"] == pytest.approx(1.0)
    assert found["left_above_share"] == pytest.approx(0.0, abs=1e-9)
    assert found["jammed"] is False
    assert found["unsteadiness"] < 0.15
    assert 0.2 < found["end"] < 0.7
    assert found["mean_rate"] == pytest.approx(
        runs["A"].series["slot_mass"][-1] / found["end"], rel=0.35)


def test_b_jams(runs):
    found = runs["B"].summary["found"]
    assert found["jammed"] is True
    assert 0.0 <= found["passed_share"] < 0.6
    assert found["left_above_share"] == pytest.approx(1.0 - found["passed_share"])


def test_c_runs_through_and_ends_earlier(runs):
    """Fewer grains of the same size through the same slot: all pass, sooner, at the rate of A."""
    found, of_a = (runs[variant].summary["found"] for variant in ("C", "A"))
    assert found["passed_share"] == pytest.approx(1.0)
    assert found["jammed"] is False
    assert found["unsteadiness"] < 0.15
    assert found["end"] < of_a["end"]
    assert found["mean_rate"] == pytest.approx(of_a["mean_rate"], rel=0.15)


def test_the_flat_glass_is_slower_than_the_tall(shapes):
    """Even through a wider slot: on the gentle slope of a flat glass grains slide slowly."""
    tall, flat = (shapes[variant].summary["found"] for variant in ("tall", "flat"))
    assert QUICK["flat"].slot > QUICK["tall"].slot
    for found in (tall, flat):
        assert found["passed_share"] == pytest.approx(1.0)
        assert found["jammed"] is False
    assert flat["mean_rate"] < 0.9 * tall["mean_rate"]


@pytest.mark.parametrize("variant", ["turn-fast", "turn-slow"])
def test_grains_fall_back_once_the_glass_is_turned_over(turned, variant):
    """None does before the glass lies on its side, half way through the turn; then all do."""
    series, glass = turned[variant].series, QUICK[variant]
    time, passed = series["time"], series["slot_grains"]
    total = glass.fillings[0].count
    start, = glass.turns
    sideways = start + 0.5 * glass.turn
    assert (passed[(time > 0.5) & (time < sideways)] == total).all()
    assert passed[-1] == 0
    back = time[time > 0.5][passed[time > 0.5] < 0.5 * total]
    assert sideways < back[0] < start + glass.turn + 0.3
    assert turned[variant].summary["found"]["left_above_shares"] == pytest.approx(
        [0.0, 0.0], abs=1e-9)
    assert (turned[variant].frames[-1].points[:, 2] > 0.0).all()
    assert series["kinetic"][-1] < 1e-2 * series["kinetic"].max()


def test_turned_over_fast_grains_fall_more_heavily_than_slowly(turned):
    """The impact shows in the kinetic energy of the fall back; slowly they slide along the wall."""
    most = [turned[variant].series["kinetic"][turned[variant].series["time"] > 1.0].max()
            for variant in ("turn-fast", "turn-slow")]
    assert most[0] > 1.5 * most[1]


@pytest.mark.parametrize("variant", ["A", "B"])
def test_pictures_show_something(runs, variant):
    found = runs[variant].summary["found"]
    assert found["picture"] == str(runs[variant].folder / "picture.png")
    assert found["plot"] == str(runs[variant].folder / "flow.png")
    for path, least in ((found["picture"], 0.02), (found["plot"], 0.0005)):
        image = matplotlib.image.imread(path)[:, :, :3]
        assert min(image.shape[:2]) > 300
        saturated = image.max(axis=2) - image.min(axis=2) > 0.1
        assert least < saturated.mean() < 0.9


def test_a_study_can_be_resumed_and_concludes_again(runs, monkeypatch):
    folder = runs["A"].folder
    monkeypatch.setattr(sys, "argv", ["granum", "resume", str(folder), "--quiet"])
    (folder / "flow.png").unlink()
    with pytest.raises(SystemExit) as end:
        main()
    assert not end.value.code
    again = json.loads((folder / "summary.json").read_text())
    assert again["found"] == runs["A"].summary["found"]
    assert (folder / "flow.png").exists()


def test_a_study_shorter_than_one_sample(tmp_path, capsys):
    """One row of the series is too little for a rate, but no reason for noise."""
    short = run(tmp_path / "short", "A", 1e-3)
    assert len(short.series["time"]) == 1
    assert short.summary["found"]["mean_rate"] == 0.0
    assert capsys.readouterr() == ("", "")
    assert Path(short.summary["found"]["picture"]).exists()


def test_a_glass_that_is_turned_over():
    """Two kilograms fall, all but 0.5 come back after the turn, and 0.2 stay after the next."""
    time = np.linspace(0.0, 9.0, 901)
    mass = np.interp(time, [0.0, 2.0, 3.0, 4.5, 6.0, 7.0], [0.0, 2.0, 2.0, 0.5, 0.5, 1.8])
    found = fall_facts(time, mass, 2.0, [3.0, 6.0])
    assert found["left_above_shares"] == pytest.approx([0.0, 0.25, 0.1])
    assert found["mean_rate"] == pytest.approx(1.0)
    assert found["end"] == pytest.approx(2.0)
    assert not found["jammed"]
    assert "left_above_shares" not in fall_facts(time, mass, 2.0, [])
    assert fall_facts(time[time < 3.0], mass[time < 3.0], 2.0, [5.0])["passed_share"] == 1.0

"""Measures in runs: their tables, the same bits after a restart, and what is refused."""

from __future__ import annotations

import json
import re
import shutil

import numpy as np
import pytest
from run_silo import SILO, assert_same_run, command, interrupt, start, summary_of

from granum.errors import InputError
from granum.measures import Density, Flow, Heights
from granum.output import read_series
from granum.run import SERIES, Plan, Run, newest_simulation
from granum.scenario.build import understand
from granum.scenario.problems import ScenarioError
from granum.scenario.reader import parse_toml

TUBE = '{ type = "cylinder", base = [0, 0, 0], radius = "10 mm", height = "2 cm" }'
MEASURED = SILO + f"""
[[measures]]
type = "density"
region = {TUBE}

[[measures]]
type = "flow"
name = "opening"
point = [0, 0, "-1 mm"]
radius = "9 mm"
materials = true
sizes = ["1.2 mm"]
interval = "0.7 ms"

[[measures]]
type = "stress"
region = {TUBE}
name = "low"

[[measures]]
type = "moving_average"
of = "density"
over = "3 ms"

[[measures]]
type = "strain"

[[measures]]
type = "ring_density"
region = {TUBE}
count = 4
interval = "6 ms"

[[measures]]
type = "convection"
region = {TUBE}
cells = [3, 2]
looks = 5
interval = "0.9 ms"

[[measures]]
type = "force_network"
interval = "10 ms"

[[measures]]
type = "contact_number"
interval = "2 ms"
"""
TABLES = {"opening", "ring_density", "convection", "force_network", "contact_number"}


def measured():
    return understand(parse_toml(MEASURED, "silo.toml"))


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """The folder of a run in one go."""
    folder = tmp_path_factory.mktemp("measured") / "whole"
    start(folder, measured()).go()
    return folder


def tables(folder):
    return {path.stem: path.read_bytes() for path in (folder / "measures").glob("*.csv")}


def test_measuring_changes_no_bit_of_the_run(whole, uncut):
    assert summary_of(whole)["state_sha256"] == summary_of(uncut)["state_sha256"]
    ours, theirs = read_series(whole / SERIES), read_series(uncut / SERIES)
    assert all(np.array_equal(theirs[name], ours[name]) for name in theirs)


def test_what_is_written(whole):
    series = read_series(whole / SERIES)
    assert set(series) > {"density", "low_stress_zz", "low_pressure", "density_average",
                          "strain_xx"}
    assert 0.0 < series["density"].max() < 0.7
    assert series["density_average"][2] == pytest.approx(series["density"][:3].mean())
    assert tables(whole).keys() == TABLES
    flow = read_series(whole / "measures" / "opening.csv")
    assert flow["opening_grains"][-1] >= 5
    assert np.array_equal(flow["opening_grains"],
                          flow["opening_size_0_grains"] + flow["opening_size_1_grains"])
    assert np.array_equal(flow["opening_grains"], flow["opening_glass_grains"])
    rings = read_series(whole / "measures" / "ring_density.csv")
    assert len(rings["density"]) == 4 * 6
    network = read_series(whole / "measures" / "force_network.csv")
    assert network["normal_force"].max() > 0.0
    steps = np.unique(read_series(whole / "measures" / "convection.csv")["step"])
    assert len(steps) == (1 + 30 // 0.9) // 5  # a mean of five looks each


def test_cut_and_resumed_again_and_again(whole, tmp_path):
    """The same series and tables, to the last bit, flows and averages and all."""
    folder = tmp_path / "cut"
    summary = start(folder, measured(), report=interrupt(0)).go()
    while summary["state"] == "interrupted":
        sim = newest_simulation(folder, 1)
        summary = Run(sim, measured().plan, folder,
                      report=interrupt(summary["steps"] + 410)).go()
    assert_same_run(folder, whole)
    assert tables(folder) == tables(whole)


def test_going_on_from_an_earlier_checkpoint(whole, tmp_path):
    """As after a kill: rows that are later than the checkpoint are dropped and written anew."""
    folder = shutil.copytree(whole, tmp_path / "killed")
    newest = sorted((folder / "checkpoints").iterdir())[-1]
    newest.unlink()
    (folder / "summary.json").unlink()
    command("resume", folder, "--threads", 1)
    assert_same_run(folder, whole)
    assert tables(folder) == tables(whole)


def test_check_lists_measures_with_columns_and_units(tmp_path):
    path = tmp_path / "silo.toml"
    path.write_text(MEASURED)
    said = json.loads(command("check", path, "--json"))["measures"]
    assert len(said) == 10  # a flow of the output, too
    assert any(re.match(r"low: stress in cylinder of radius 0.01 m .* in series.csv: "
                        r"low_stress_xx \[Pa\], .*low_pressure \[Pa\]$", line) for line in said)
    assert any("measures/opening.csv: opening_grains, opening_mass [kg]" in line for line in said)


@pytest.mark.parametrize(("entry", "where", "text"), [
    ('type = "densty"', "type", "did you mean 'density'"),
    ('type = "density"\ncolour = 1', "colour", "unknown key"),
    ('type = "density"\nregion = { type = "ball" }', "region.type",
     '"ball" is unknown (known: box, cylinder, container)'),
    ('type = "density"\nregion = { type = "box", low = [1, 1, 1], high = [2, 2, 2] }',
     "measures[0]", "lies outside of the world"),
    ('type = "density"\nregion = { type = "container" }\n[[measures]]\ntype = "density"',
     "measures", "two measures have the same column 'density'"),
    ('type = "moving_average"\nof = "densty"\nover = 1', "measures", "is no column of the series"),
    ('type = "flow"\nradius = "1 kg"', "radius", "kg"),
    ('type = "mixing"\nmaterial = "steel"', "measures[0]", "known are glass"),
    ('type = "flow"\nname = "hole"', "measures", "the same column 'hole_grains'")])
def test_what_a_scenario_may_get_wrong(entry, where, text):
    with pytest.raises(ScenarioError) as refusal:
        understand(parse_toml(f"{SILO}\n[[measures]]\n{entry}\n", "silo.toml"))
    assert where in str(refusal.value)
    assert text in str(refusal.value)


def test_a_plan_refuses_two_measures_with_one_title():
    plan = Plan(1.0, 0.1, 0.1, 0.1, measures=(Density(interval=0.5), Heights(name="density")))
    with pytest.raises(InputError, match="same title 'density'"):
        plan.refuse(measured().world, False)
    Plan(1.0, 0.1, 0.1, 0.1, (Flow(),), measures=(Density(), Heights())).refuse(
        measured().world, False)

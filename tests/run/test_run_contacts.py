"""A run that keeps its contacts: those of the simulation, and nothing else changes."""

from __future__ import annotations

import json

import numpy as np
import pytest

import granum as gr
from granum.output import read_frames
from granum.run import Plan, Run
from granum.scenario.build import understand
from granum.scenario.reader import parse_toml
from granum.view import Record
from granum.view.block import unpack
from small_scenario import beads

LAW = gr.LinearViscoelastic(restitution=0.5, contact_time=1e-3)


def simulation():
    """Two grains on top of each other, on a floor, pressed together a little."""
    world = gr.World()
    world.add(gr.Plane((0, 0, 0), (0, 0, 1)))
    world.add(gr.Sphere(1e-3), at=[(0, 0, 0.99e-3), (0, 0, 2.96e-3)], density=2500)
    return gr.Simulation(world, LAW, threads=1, initial_overlap=0.1)


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    made = {}
    for keeps in (True, False):
        folder = tmp_path_factory.mktemp("run")
        plan = Plan(duration=4e-4, series=1e-4, frames=2e-4, checkpoints=1e-4, contacts=keeps)
        made[keeps] = folder, Run(simulation(), plan, folder).go()
    return made


def test_frames_hold_the_contacts_of_the_simulation(runs):
    frames = read_frames(runs[True][0])
    sim = simulation()
    for number, steps in enumerate((0, 10, 10)):
        sim.step(steps)
        wanted, found = sim.contacts(), frames.contacts(number)
        for name in ("i", "j", "point", "force"):
            assert np.array_equal(found[name], getattr(wanted, name))
    assert found["i"].tolist() == [0, 0]
    assert found["j"].tolist() == [-1, 1]


def test_keeping_contacts_changes_no_result(runs):
    (kept, with_contacts), (plain, without) = runs[True], runs[False]
    assert with_contacts["state_sha256"] == without["state_sha256"]
    assert read_frames(plain).contacts(0) is None
    assert (kept / "series.csv").read_text() == (plain / "series.csv").read_text()


def test_the_page_shows_the_forces(runs):
    record = Record(runs[True][0])
    labels = [quantity["label"] for quantity in record.describe()["quantities"]]
    contacts = read_frames(runs[True][0]).contacts(0)
    floor, pair = np.linalg.norm(contacts["force"], axis=1)
    force = unpack(record.values_block(0, labels.index("force")))[0]["value"]
    assert force == pytest.approx([floor + pair, pair], rel=1e-6)
    count = unpack(record.values_block(0, labels.index("contacts")))[0]["value"]
    assert count.tolist() == [2, 1]
    arrays, facts = unpack(record.network_block(0))
    assert (facts["what"], facts["unit"]) == ("force", "N")
    assert sorted(arrays["rods"][:, 6]) == pytest.approx(sorted([floor, pair, pair]))


def test_a_scenario_asks_for_them(capsys):
    understood = understand(parse_toml(beads(more="[output]\ncontacts = true\n"), "beads.toml"))
    assert understood.plan.contacts
    assert understood.as_understood()["output"]["contacts"] is True
    assert not understand(parse_toml(beads(), "beads.toml")).plan.contacts
    json.dumps(understood.as_understood())

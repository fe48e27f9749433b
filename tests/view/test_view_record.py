"""The run as the page sees it, against what stands in the folder."""

from __future__ import annotations

import itertools
import json

import numpy as np
import pytest
from view_folders import SIDE, block_of_grains, make_run, write_frames, write_series

import swept_run
from granum.errors import InputError, OutputError
from granum.output import FrameWriter
from granum.output.vtkhdf import Frame
from granum.view import Record
from granum.view.block import unpack
from granum.view.quantities import limits_of, quantities_in
from granum.view.touching import contact_counts, touching


def number_of(record, label):
    return [quantity.label for quantity in record.quantities].index(label)


def test_description(run):
    told = Record(run).describe()
    assert told["title"] == "A block"
    assert told["state"] == "finished"
    assert told["times"] == pytest.approx([0.0, 0.1, 0.2, 0.3, 0.4])
    assert told["notes"] == []
    box = np.array([told["low"], told["high"]]) + told["origin"]
    assert np.allclose(box, [[0, 0, 0], [2.4, 1.2, 1.2]])
    labels = [quantity["label"] for quantity in told["quantities"]]
    assert labels[:5] == ["speed", "size (radius)", "spin", "contacts", "species"]
    assert {"id", "velocity x", "position z", "orientation w"} <= set(labels)
    species = told["quantities"][labels.index("species")]
    assert species["kind"] == "category"
    assert species["labels"] == ["glass", "steel", "<b>lead</b>"]
    json.dumps(told, allow_nan=False)


def test_frames_are_those_of_the_folder(run):
    record = Record(run)
    origin = np.array(record.describe()["origin"])
    for number in (3, 0):
        arrays, facts = unpack(record.frame_block(number))
        wanted = block_of_grains(number, 5)
        assert facts == {"time": pytest.approx(0.1 * number), "poses": [], "grains": SIDE**3}
        assert np.allclose(arrays["position"] + origin, wanted.points, atol=1e-6)
        assert np.allclose(arrays["radius"], wanted.fields["radius"])
        assert np.array_equal(arrays["id"], wanted.fields["id"])
        assert arrays["position"].dtype == np.float32


def test_values_and_limits(run):
    record = Record(run)
    record.describe()
    arrays, facts = unpack(record.values_block(2, number_of(record, "speed")))
    speed = np.linalg.norm(block_of_grains(2, 5).fields["velocity"], axis=1)
    assert np.allclose(arrays["value"], speed)
    assert facts["limits"] == pytest.approx([0.0, 0.1 * SIDE])
    assert record.limits(number_of(record, "speed")) == pytest.approx((0.0, 0.1 * SIDE))
    assert record.limits(number_of(record, "species")) == (0.0, 2.0)
    low, high = record.limits(number_of(record, "position x"))
    assert 0.1 <= low < 0.2
    assert 2.2 < high <= 2.3


def test_shapes_are_told_to_the_page(tmp_path):
    """Edges and faces by rows; the faces of a cube hold its inside; one value for each grain."""
    world = swept_run.shapes_in_space()
    record = Record(swept_run.make_run(tmp_path / "run", world))
    assert "shape" in [quantity["label"] for quantity in record.describe()["quantities"]]
    arrays, facts = unpack(record.frame_block(0))
    joints = world.joints()
    assert np.array_equal(arrays["edges"], joints.edges)
    assert np.array_equal(arrays["faces"], joints.faces)
    assert arrays["holds"].tolist() == [1] * 12
    assert facts["grains"] == 4
    values = unpack(record.values_block(0, number_of(record, "position x")))[0]["value"]
    assert np.allclose(values, [0.0] * 8 + [1.2] * 2 + [-2.0] * 6 + [2.0])
    contacts = unpack(record.values_block(0, number_of(record, "contacts")))[0]["value"]
    assert np.isnan(contacts[:16]).all()  # those of edges are not known
    assert contacts[16] == 0.0
    flat = Record(swept_run.make_run(tmp_path / "flat", swept_run.cows()))
    assert not unpack(flat.frame_block(0))[0]["holds"].any()


def test_any_field_is_a_quantity():
    frame = Frame(0.0, np.zeros((2, 3)), {"stress": np.ones((2, 6)), "heat_flow": np.ones((2, 3)),
                                          "hot": np.array([1.0, np.nan]), "one": np.ones((2, 1))})
    found = {quantity.label: quantity for quantity in quantities_in(frame)}
    assert {"stress", "stress 1", "stress 6", "heat flow", "heat flow y", "hot", "one",
            "position x"} <= found.keys()
    assert found["heat flow"].of(frame) == pytest.approx(np.sqrt(3))
    assert found["hot"].of(frame)[0] == 1.0
    assert limits_of(found["hot"], [found["hot"].of(frame)]) == (1.0, 1.0)
    assert limits_of(found["hot"], [np.array([np.nan])]) == (0.0, 1.0)


def test_contacts_are_found_as_by_hand():
    rng = np.random.default_rng(3)
    frame = Frame(0.0, rng.random((150, 3)), {"radius": rng.choice([0.02, 0.05, 0.15], 150),
                                              "id": np.arange(150) // 2})
    radius, grain = frame.fields["radius"], frame.fields["id"]
    wanted = {(i, j): radius[i] + radius[j] - np.linalg.norm(frame.points[i] - frame.points[j])
              for i, j in itertools.combinations(range(150), 2) if grain[i] != grain[j]}
    wanted = {pair: overlap for pair, overlap in wanted.items() if overlap > 0.0}
    assert len(wanted) > 100
    found = touching(frame)
    pairs = {(min(i, j), max(i, j)): overlap for i, j, overlap in
             zip(found.i.tolist(), found.j.tolist(), found.overlap.tolist(), strict=True)}
    assert len(pairs) == len(found.i)
    assert pairs == pytest.approx(wanted)
    counts = np.bincount(np.array(list(wanted)).ravel(), minlength=150)
    assert np.array_equal(contact_counts(frame), counts)


def test_no_grains_touch_nobody():
    frame = Frame(0.0, np.zeros((0, 3)), {"radius": np.zeros(0)})
    assert contact_counts(frame).shape == (0,)
    lost = Frame(0.0, np.full((2, 3), np.nan), {"radius": np.ones(2)})
    assert contact_counts(lost).tolist() == [0, 0]


def test_network(tmp_path):
    writer = FrameWriter(tmp_path)
    writer.write(0, 0.0, np.array([[1.0, 0, 0], [2.9, 0, 0], [9.0, 0, 0]]), {"radius": np.ones(3)})
    record = Record(tmp_path)
    origin = np.array(record.describe()["origin"])
    arrays, facts = unpack(record.network_block(0))
    rod = arrays["rods"][0] + [*origin, *origin, 0.0, 0.0]
    assert len(arrays["rods"]) == 1
    assert rod == pytest.approx([1.0, 0, 0, 2.9, 0, 0, 0.1, 0.0], abs=1e-6)
    assert facts["high"] == pytest.approx(0.1)


def test_one_grain(run):
    fields = dict(Record(run).grain(1, 7)["fields"])
    wanted = block_of_grains(1, 5)
    assert fields["position"] == wanted.points[7].tolist()
    assert fields["velocity"] == wanted.fields["velocity"][7].tolist()
    assert fields["id"] == [7]
    with pytest.raises(OutputError, match="has no row 216"):
        Record(run).grain(1, SIDE**3)


def test_series_are_thinned_from_first_to_last(tmp_path):
    folder = make_run(tmp_path / "run", frames=1, count=1)
    (folder / "series.csv").unlink()
    write_series(folder, rows=5001)
    arrays, facts = unpack(Record(folder).series_block())
    assert facts["rows"] == 5001
    assert facts["units"]["kinetic"] == "J"
    assert len(arrays["time"]) == 2000
    assert arrays["time"][[0, -1]].tolist() == pytest.approx([0.0, 50.0])
    assert np.allclose(arrays["kinetic"], (arrays["step"] - 20.0) ** 2)


def test_a_run_without_series(tmp_path):
    write_frames(tmp_path, 1)
    assert unpack(Record(tmp_path).series_block())[0] == {}


def test_balls_of_a_clump_are_one_grain(tmp_path):
    FrameWriter(tmp_path).write(0, 0.0, np.zeros((4, 3)), {"id": np.array([0, 0, 5, 5])})
    assert unpack(Record(tmp_path).frame_block(0))[1]["grains"] == 2


def test_a_run_under_way_is_followed(tmp_path):
    folder = make_run(tmp_path / "run", frames=2, state="running")
    record = Record(folder)
    told = record.describe()
    assert told["state"] == "running"
    assert len(told["times"]) == 2
    writer = FrameWriter(folder)
    writer.write(2, 0.7, np.zeros((1, 3)), {name: values[:1] for name, values in
                                            block_of_grains(0, 1).fields.items()})
    assert record.describe()["times"][-1] == 0.7
    assert record.describe()["origin"] == told["origin"]
    writer.consolidate()
    (folder / "summary.json").write_text('{"state": "finished"}')
    told = record.describe()
    assert (told["state"], len(told["times"])) == ("finished", 3)
    assert len(unpack(record.frame_block(2))[0]["id"]) == 1


def test_frames_that_are_written_anew_are_read_anew(tmp_path):
    """A run that is resumed cuts off frames and writes others at the same numbers."""
    folder = make_run(tmp_path / "run", frames=3, state="running")
    record = Record(folder)
    record.describe()
    before = record.frame(2).points.copy()
    writer = FrameWriter(folder)
    writer.truncate(0.15)
    fields = block_of_grains(0, 1).fields
    writer.write(2, 0.21, before + 1.0, fields)
    assert record.describe()["times"] == pytest.approx([0.0, 0.1, 0.21])
    assert np.array_equal(record.frame(2).points, before + 1.0)


def test_a_folder_before_the_first_frame(tmp_path):
    (tmp_path / "scenario.toml").write_text("")
    told = Record(tmp_path).describe()
    assert told["times"] == []
    assert told["title"] == tmp_path.name
    assert any("no frames" in note for note in told["notes"])


def test_other_folders_are_refused(tmp_path):
    with pytest.raises(InputError, match="not a run folder"):
        Record(tmp_path)
    with pytest.raises(InputError, match="not a run folder"):
        Record(tmp_path / "missing")


def test_trouble_is_told(tmp_path):
    write_frames(tmp_path, 1)
    (tmp_path / "summary.json").write_text('{"state": "trouble", "trouble": "grain 3 is lost"}')
    told = Record(tmp_path).describe()
    assert told["state"] == "trouble"
    assert "the run was stopped: grain 3 is lost" in told["notes"]


def contacts_of(i, j, points, forces):
    return {"i": np.array(i), "j": np.array(j), "point": np.array(points, dtype=float),
            "force": np.array(forces, dtype=float)}


def test_rods_are_forces_where_frames_hold_contacts(tmp_path):
    """A clump of two balls (7), a ball that it touches (3), a wall, and the far side of a cell."""
    points = np.array([[0.0, 0, 0], [1.0, 0, 0], [2.4, 0, 0]])
    contacts = contacts_of([3, 3, 3], [7, -1, 7],
                           [[1.5, 0, 0], [2.4, 0, -0.6], [2.9, 0, 0]],
                           [[3.0, 0, 4.0], [0, 0, 2.0], [0, 1.0, 0]])
    writer = FrameWriter(tmp_path)
    writer.write(0, 0.0, points, {"id": np.array([7, 7, 3]), "radius": np.full(3, 0.6)}, contacts)
    record = Record(tmp_path)
    told = record.describe()
    labels = [quantity["label"] for quantity in told["quantities"]]
    force = unpack(record.values_block(0, labels.index("force")))[0]["value"]
    assert force == pytest.approx([6.0, 6.0, 8.0])
    counts = unpack(record.values_block(0, labels.index("contacts")))[0]["value"]
    assert counts.tolist() == [2, 2, 3]
    arrays, facts = unpack(record.network_block(0))
    rods = arrays["rods"] + np.array([*told["origin"], *told["origin"], 0.0, 0.0])
    rods = sorted(np.round(rods, 5).tolist())
    assert rods == [  # the last contact lies beyond the reach of 7: across a boundary
        [0.5, 0.0, 0.0, 1.5, 0.0, 0.0, 5.0, 0.0], [2.4, 0.0, 0.0, 1.5, 0.0, 0.0, 5.0, 0.0],
        [2.4, 0.0, 0.0, 2.4, 0.0, -0.6, 2.0, 1.0], [2.4, 0.0, 0.0, 2.9, 0.0, 0.0, 1.0, 0.0]]
    assert facts["unit"] == "N"


def test_contacts_of_grains_that_are_not_there_are_left_out(tmp_path):
    writer = FrameWriter(tmp_path)
    writer.write(0, 0.0, np.zeros((1, 3)), {"id": np.array([5]), "radius": np.ones(1)},
                 contacts_of([5, -9, 10**9], [6, 5, -1], np.zeros((3, 3)), np.ones((3, 3))))
    writer.write(1, 1.0, np.zeros((0, 3)), {"id": np.zeros(0, int), "radius": np.zeros(0)},
                 contacts_of([5], [6], np.zeros((1, 3)), np.ones((1, 3))))
    record = Record(tmp_path)
    record.describe()
    assert record.frame(0).fields["contacts"].tolist() == [2]
    assert len(unpack(record.network_block(0))[0]["rods"]) == 2
    assert len(unpack(record.network_block(1))[0]["rods"]) == 0

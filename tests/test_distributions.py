"""Distributions over the grains of a moment: right values, areas of 1, bins in common."""

import sys

import numpy as np
import pytest

import drawn_run
from granum import distributions
from granum.cli import main
from granum.distributions import DISTRIBUTIONS, plot_distributions
from granum.errors import InputError
from granum.output import FrameWriter
from granum.view import Record


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    return drawn_run.make_run(tmp_path_factory.mktemp("runs") / "seven")


@pytest.fixture
def drawn(monkeypatch):
    """What is handed to the drawing."""
    seen = []
    monkeypatch.setattr(distributions, "plot_panels", lambda *given: seen.append(given))
    return seen


def made(folder, points, radii, velocity=None):
    folder.mkdir()
    (folder / "scenario.toml").write_text("")
    count = len(points)
    velocity = np.zeros((count, 3)) if velocity is None else velocity
    FrameWriter(folder).write(0, 0.0, points, {"id": np.arange(count), "radius": radii,
                                               "velocity": velocity})
    return folder


def area(curve):
    return float(np.trapezoid(curve.y, curve.x))


def test_values_are_those_of_the_frame(run):
    record = Record(run)
    assert np.array_equal(DISTRIBUTIONS["sizes"].values(record, 2), 2 * drawn_run.RADII)
    speed = np.linalg.norm(drawn_run.fields_at(2)["velocity"], axis=1)
    assert np.array_equal(DISTRIBUTIONS["speeds"].values(record, 2), speed)
    # forces of 5 N and 2 N
    assert DISTRIBUTIONS["forces"].values(record, 2) == pytest.approx([5 / 3.5, 2 / 3.5])
    # grains 0 and 1 touch, grain 2 touches a wall; the last two balls are one grain
    assert DISTRIBUTIONS["contacts"].values(record, 2).tolist() == [1, 1, 1, 0, 0, 0]


def test_without_contacts_those_that_overlap_touch(tmp_path):
    points = np.array([[0.0, 0, 0], [1.9, 0, 0], [3.8, 0, 0], [9, 0, 0]])
    folder = made(tmp_path / "row", points, np.ones(4))
    assert DISTRIBUTIONS["contacts"].values(Record(folder), 0).tolist() == [1, 2, 1, 0]
    with pytest.raises(InputError, match=r"output\.contacts = true"):
        DISTRIBUTIONS["forces"].values(Record(folder), 0)


def test_runs_share_bins_and_have_an_area_of_one(tmp_path, drawn):
    rng = np.random.default_rng(0)
    runs = [made(tmp_path / f"run{n}", 100 * rng.random((n, 3)), rng.uniform(1, 2, n),
                 rng.normal(size=(n, 3)) * n) for n in (100, 900)]
    assert plot_distributions("a.png", runs, ["speeds", "sizes", "contacts"], title="All") == [0, 0]
    panels = drawn[0][1]
    assert panels[0].title == "All"
    for panel in panels:
        first, second = panel.curves
        assert (first.label, second.label) == ("run100", "run900")
        assert np.array_equal(first.x, second.x)
        assert [area(curve) for curve in panel.curves] == pytest.approx([1.0, 1.0])
    values = DISTRIBUTIONS["speeds"].values(Record(runs[0]), 0)
    curve = panels[0].curves[0]
    edges = curve.x[::2]
    for k in range(len(edges) - 1):  # counted once more, one by one
        last = k == len(edges) - 2
        inside = sum(edges[k] <= v < edges[k + 1] or (last and v == edges[-1]) for v in values)
        assert curve.y[2 * k + 1] == pytest.approx(inside / 100 / (edges[k + 1] - edges[k]))
    assert (panels[2].curves[0].x[::2] % 1 == 0.5).all()


def test_grains_of_one_size_have_one_bin(tmp_path, drawn):
    folder = made(tmp_path / "same", np.eye(3) * 9, np.full(3, 2.0))
    plot_distributions("a.png", [folder], ["sizes"])
    curve = drawn[0][1][0].curves[0]
    assert area(curve) == pytest.approx(1.0)
    assert curve.x[0] < 4.0 < curve.x[-1]


def test_what_cannot_be_plotted_is_refused(run, tmp_path):
    with pytest.raises(InputError, match=r"no distribution 'size'; did you mean 'sizes'"):
        plot_distributions(tmp_path / "a.png", [run], ["size"])
    with pytest.raises(InputError, match="no frame at 9 s"):
        plot_distributions(tmp_path / "a.png", [run], ["sizes"], time=9.0)
    empty = made(tmp_path / "empty", np.zeros((0, 3)), np.zeros(0))
    with pytest.raises(InputError, match="there is nothing to plot"):
        plot_distributions(tmp_path / "a.png", [empty], ["sizes"])


@pytest.mark.parametrize("form", ["png", "svg", "pdf"])
def test_the_command_writes_a_file(run, tmp_path, monkeypatch, capsys, form):
    path = tmp_path / f"a.{form}"
    monkeypatch.setattr(sys, "argv", ["granum", "plot", str(run), "--distribution", "forces",
                                      "--distribution", "contacts", "--out", str(path)])
    with pytest.raises(SystemExit) as end:
        main()
    assert end.value.code == 0
    assert str(path) in capsys.readouterr().out
    assert path.stat().st_size > 1000

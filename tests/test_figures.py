"""Plots of what runs have written: the right columns, together by unit, told apart by run."""

import numpy as np
import pytest

from granum import figures
from granum.errors import InputError

HEADER = "time,step,kinetic,rotational,contacts,grains\n"


@pytest.fixture
def runs(tmp_path):
    """Two run folders with a short series each, the second half as long."""
    folders = []
    for name, rows in (("first", 10), ("second", 5)):
        folder = tmp_path / name
        folder.mkdir()
        lines = [f"{0.1 * k!r},{k},{1.0 / (k + 1)!r},{0.5 * k!r},{k % 3},7" for k in range(rows)]
        (folder / "series.csv").write_text(HEADER + "\n".join(lines) + "\n")
        folders.append(folder)
    return folders


@pytest.fixture
def drawn(monkeypatch):
    """What is handed to the drawing."""
    seen = []
    monkeypatch.setattr(figures, "plot_panels", lambda *given: seen.append(given))
    return seen


def test_all_that_changes_is_drawn_unless_columns_are_named(runs, drawn):
    assert figures.plot("a.png", runs[:1]) == ["kinetic", "rotational", "contacts"]
    panels = drawn[0][1]
    assert [panel.ylabel for panel in panels] == ["kinetic [J]", "rotational [J]", "contacts"]
    assert {panel.xlabel for panel in panels} == {"time [s]"}
    assert np.array_equal(panels[1].curves[0].y, 0.5 * np.arange(10))


def test_columns_of_one_unit_share_a_panel(runs, drawn):
    figures.plot("a.png", runs[:1], ["kinetic", "contacts", "rotational"], title="All")
    energies, contacts = drawn[0][1]
    assert [curve.label for curve in energies.curves] == ["kinetic", "rotational"]
    assert [curve.colour for curve in energies.curves] == [0, 1]
    assert (energies.ylabel, contacts.ylabel, energies.title) == ("[J]", "contacts", "All")


def test_runs_are_told_apart(runs, drawn):
    figures.plot("a.png", runs, ["kinetic"])
    (panel,) = drawn[0][1]
    assert [(c.label, c.colour, c.dash, len(c.x)) for c in panel.curves] == [
        ("first", 0, 0, 10), ("second", 1, 0, 5)]
    figures.plot("a.png", runs, ["kinetic", "rotational"])
    (panel,) = drawn[1][1]
    assert [(c.label, c.colour, c.dash) for c in panel.curves] == [
        ("kinetic first", 0, 0), ("kinetic second", 0, 1),
        ("rotational first", 1, 0), ("rotational second", 1, 1)]


def test_any_table_will_do(tmp_path, drawn):
    table = tmp_path / "strain.csv"
    table.write_text("force,beta_1,beta_2\n10,0.1,0.2\n20,0.2,0.4\n")
    assert figures.plot("a.png", [table], log="x") == ["beta_1", "beta_2"]
    assert drawn[0][2] == "x"
    assert drawn[0][1][0].xlabel == "force [N]"
    figures.plot("a.png", [table], ["force"], against="beta_1")
    assert drawn[1][1][0].xlabel == "beta 1"


@pytest.mark.parametrize(("quantities", "said"), [
    (["kinetc"], "did you mean 'kinetic'"),
    (["height"], "it has time, step, kinetic"),
])
def test_what_is_not_there_is_named(runs, drawn, quantities, said):
    with pytest.raises(InputError, match=said):
        figures.plot("a.png", runs, quantities)
    assert not drawn


def test_what_cannot_be_read_is_named(tmp_path, runs):
    with pytest.raises(InputError, match="neither a run folder with a series"):
        figures.plot("a.png", [tmp_path / "none"])
    (tmp_path / "same.csv").write_text("time,a\n0,1\n1,1\n")
    with pytest.raises(InputError, match="nothing in this table changes"):
        figures.plot("a.png", [tmp_path / "same.csv"])


@pytest.mark.parametrize("form", ["png", "svg", "pdf"])
def test_the_file_is_written(runs, form):
    path = runs[0] / f"plot.{form}"
    figures.plot(path, runs, ["kinetic", "contacts"], log="y", title="Two runs")
    assert path.stat().st_size > 5000

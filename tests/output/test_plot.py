"""Plots: the file shows the curves, is the same every time, and trouble is named."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import matplotlib as mpl
import matplotlib.image
import numpy as np
import pytest

from granum.errors import InputError, MissingExtraError
from granum.output.plot import CURVE_COLOURS, plot_series

X = np.linspace(0.0, 1.0, 50)
CURVES = [("kinetic", X**2), ("potential", 1 - X)]
LABELS = ("time [s]", "energy [J]", "Energy")


def pixels(path: Path) -> np.ndarray:
    return np.round(255 * matplotlib.image.imread(io.BytesIO(path.read_bytes()))[..., :3])


def has_colour(image: np.ndarray, colour: str) -> bool:
    wanted = [int(colour[k:k + 2], 16) for k in (1, 3, 5)]
    return bool((image == wanted).all(axis=2).any())


def test_every_curve_is_there(tmp_path: Path) -> None:
    plot_series(tmp_path / "a.png", X, CURVES, *LABELS)
    image = pixels(tmp_path / "a.png")
    assert has_colour(image, CURVE_COLOURS[0])
    assert has_colour(image, CURVE_COLOURS[1])
    assert not has_colour(image, CURVE_COLOURS[2])


@pytest.mark.parametrize("form", ["png", "svg", "pdf"])
def test_the_same_plot_is_the_same_file(tmp_path, form: str) -> None:
    for name in "ab":
        plot_series(tmp_path / f"{name}.{form}", X, CURVES, *LABELS)
    assert (tmp_path / f"a.{form}").read_bytes() == (tmp_path / f"b.{form}").read_bytes()


def test_the_users_settings_neither_matter_nor_change(tmp_path: Path) -> None:
    plot_series(tmp_path / "a.png", X, CURVES, *LABELS)
    with mpl.rc_context({"lines.linewidth": 9.0, "axes.facecolor": "black"}):
        plot_series(tmp_path / "b.png", X, CURVES, *LABELS)
        assert mpl.rcParams["lines.linewidth"] == 9.0
    assert np.array_equal(pixels(tmp_path / "a.png"), pixels(tmp_path / "b.png"))


def test_gaps_single_points_and_empty_series_are_drawn(tmp_path: Path) -> None:
    plot_series(tmp_path / "a.png", X, [("gap", np.where(X < 0.5, np.nan, X))], *LABELS)
    plot_series(tmp_path / "b.png", [1.0], [("one", [2.0])], *LABELS)
    assert has_colour(pixels(tmp_path / "b.png"), CURVE_COLOURS[0])
    plot_series(tmp_path / "c.png", [], [("none", [])], *LABELS)


def test_trouble_is_named(tmp_path, monkeypatch) -> None:
    with pytest.raises(InputError, match="kinetic"):
        plot_series(tmp_path / "a.png", X[:3], CURVES, *LABELS)
    with pytest.raises(InputError, match=r"\.png"):
        plot_series(tmp_path / "a.jpeg", X, CURVES, *LABELS)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingExtraError, match=r"granum\[plot\]"):
        plot_series(tmp_path / "a.png", X, CURVES, *LABELS)
    assert not list(tmp_path.iterdir())

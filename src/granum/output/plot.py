"""Plots of measures over time, in one house style. Needs matplotlib (the extra ``plot``)."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from granum.errors import InputError, MissingExtraError
from granum.output.atomic import replace_bytes

# Dark and light in turn, so that neighbours also differ in grey.
CURVE_COLOURS = ("#1f4e8c", "#e08214", "#2a9d6f", "#8e3b8a", "#c8a000", "#4aa3c7", "#b2332e")
INK, QUIET, GRID = "#2b333d", "#77808c", "#e6e9ed"
STYLE: dict[str, Any] = {
    "font.size": 10.0,
    "axes.titlesize": 12.0,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.titlepad": 12.0,
    "axes.labelcolor": INK,
    "axes.edgecolor": QUIET,
    "axes.linewidth": 0.8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.formatter.limits": (-2, 5),  # smaller and larger numbers have a power of ten in common
    "axes.axisbelow": True,
    "grid.color": GRID,
    "grid.linewidth": 0.8,
    "xtick.color": QUIET,
    "ytick.color": QUIET,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "lines.linewidth": 1.8,
    "lines.solid_capstyle": "round",
    "legend.frameon": False,
    "text.color": INK,
    "svg.hashsalt": "granum",  # the same curves give the same file
}
MANY: dict[str, Any] = {"font.size": 8.0, "axes.titlesize": 9.0, "axes.titlepad": 6.0,
                        "lines.linewidth": 1.2}
SIZE = (6.4, 4.0)  # of one panel [inch]
SMALL = (3.4, 2.4)  # of one of many panels [inch]
RESOLUTION = 150  # [pixel/inch]
DASHES = ("-", "--", ":", "-.")
FORMS = ("png", "svg", "pdf")


class Curve(NamedTuple):
    """One curve: what is not a number leaves a gap."""

    label: str
    x: ArrayLike  # (n,)
    y: ArrayLike  # (n,)
    colour: int = 0  # number of the colour
    dash: int = 0  # number of the kind of line


class Panel(NamedTuple):
    """Curves with common axes; labels with their units, such as ``"time [s]"``."""

    curves: Sequence[Curve]
    xlabel: str
    ylabel: str
    title: str = ""
    marks: Sequence[tuple[float, str]] = ()  # where on the x axis something begins, and what


def plot_series(path_out: Path, x: ArrayLike, curves: Sequence[tuple[str, ArrayLike]],
                xlabel: str, ylabel: str, title: str, compared: bool = False) -> None:
    """Draw curves over a common x axis into a file.

    Args:
        path_out: ends in ``.png``, ``.svg`` or ``.pdf``.
        x: shape (n,).
        curves: label and values of each, shape (n,). The second half is dashed in the colours of
            the first if ``compared``.
        xlabel: with the unit.
        ylabel: with the unit.
        title: one line.
        compared: whether the curves are two sets, such as measured and published ones.
    """
    colours = len(curves) // 2 if compared else len(CURVE_COLOURS)
    drawn = [Curve(label, x, y, number % colours, number // colours)
             for number, (label, y) in enumerate(curves)]
    plot_panels(path_out, [Panel(drawn, xlabel, ylabel, title)])


def plot_panels(path_out: Path, panels: Sequence[Panel], log: str = "", columns: int = 3) -> None:
    """Draw panels beside and below each other into a file.

    Args:
        path_out: ends in ``.png``, ``.svg`` or ``.pdf``.
        panels: in the order of reading.
        log: axes that are logarithmic: ``""``, ``"x"``, ``"y"`` or ``"xy"``.
        columns: how many panels stand beside each other, at most.

    Raises:
        MissingExtraError: matplotlib is not installed.
    """
    path = Path(path_out)
    form = path.suffix.removeprefix(".")
    if form not in FORMS:
        message = f"a plot can be a .png, .svg or .pdf file, not {path.name!r}"
        raise InputError(message)
    try:
        import matplotlib as mpl
        from matplotlib.figure import Figure
    except ImportError as error:
        package = "matplotlib"
        raise MissingExtraError(package, "plot") from error
    # The style alone, whatever the user's own settings; a figure of its own needs no window.
    plain: Any = {key: value for key, value in mpl.rcParamsDefault.items() if key != "backend"}
    plain.update(STYLE if len(panels) == 1 else STYLE | MANY)
    across = min(columns, len(panels))
    down = -(-len(panels) // across)
    width, height = SIZE if len(panels) == 1 else SMALL
    with mpl.rc_context(plain):
        figure = Figure(figsize=(across * width, down * height), layout="constrained")
        for number, panel in enumerate(panels, start=1):
            _draw_panel(figure.add_subplot(down, across, number), panel, log)
        buffer = io.BytesIO()
        # Without a date in the file, equal plots are equal files.
        undated = {"png": {}, "svg": {"Date": None}, "pdf": {"CreationDate": None}}
        figure.savefig(buffer, format=form, dpi=RESOLUTION, metadata=undated[form])
    replace_bytes(path, buffer.getvalue())


def _draw_panel(axes: Any, panel: Panel, log: str) -> None:
    """Draw one panel. A single curve needs no legend, since the axis says what it is."""
    for curve in panel.curves:
        x, y = (np.asarray(values, dtype=np.float64) for values in (curve.x, curve.y))
        if y.shape != x.shape or x.ndim != 1:
            message = f"the curve {curve.label!r} has shape {y.shape}, but x has shape {x.shape}"
            raise InputError(message)
        axes.plot(x, y, label=curve.label, color=CURVE_COLOURS[curve.colour % len(CURVE_COLOURS)],
                  linestyle=DASHES[curve.dash % len(DASHES)], marker="o" if len(x) == 1 else None)
    axes.set(xlabel=panel.xlabel, ylabel=panel.ylabel, title=panel.title)
    axes.margins(x=0.0)
    for axis in log:
        axes.set(**{f"{axis}scale": "log"})
    for place, name in panel.marks:
        axes.axvline(place, color=QUIET, linewidth=0.8, linestyle=":")
        axes.text(place, 1.0, f" {name}", transform=axes.get_xaxis_transform(), va="top",
                  rotation=90, color=QUIET, fontsize=8.5)
    if len(panel.curves) > 1:
        axes.legend()

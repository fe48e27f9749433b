"""Plots of measures over time, in one house style. Needs matplotlib (the extra ``plot``)."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

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
SIZE = (6.4, 4.0)  # [inch]
RESOLUTION = 150  # [pixel/inch]


def plot_series(path_out: Path, x: ArrayLike, curves: Sequence[tuple[str, ArrayLike]],
                xlabel: str, ylabel: str, title: str, compared: bool = False,
                marks: Sequence[tuple[float, str]] = (), log: bool = False) -> None:
    """Draw curves over a common x axis into a file.

    Args:
        path_out: ends in ``.png``, ``.svg`` or ``.pdf``.
        x: shape (n,).
        curves: label and values of each, shape (n,); what is not a number leaves a gap. The
            second half is dashed in the colours of the first if ``compared``.
        xlabel: with the unit, such as ``"time [s]"``.
        ylabel: with the unit.
        title: one line.
        compared: whether the curves are two sets, such as measured and published ones.
        marks: places on the x axis at which something begins, and what.
        log: whether the y axis is logarithmic; what is not positive leaves a gap.

    Raises:
        MissingExtraError: matplotlib is not installed.
    """
    path = Path(path_out)
    form = path.suffix.removeprefix(".")
    if form not in ("png", "svg", "pdf"):
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
    plain.update(STYLE)
    with mpl.rc_context(plain):
        figure = Figure(figsize=SIZE, layout="constrained")
        axes = figure.add_subplot()
        axes.set(xlabel=xlabel, ylabel=ylabel, title=title, yscale="log" if log else "linear")
        colours = len(curves) // 2 if compared else len(CURVE_COLOURS)
        _draw_curves(axes, np.asarray(x, dtype=np.float64), curves, colours)
        axes.margins(x=0.0)
        for place, name in marks:
            axes.axvline(place, color=QUIET, linewidth=0.8, linestyle=":")
            axes.text(place, 1.0, f" {name}", transform=axes.get_xaxis_transform(), va="top",
                      rotation=90, color=QUIET, fontsize=8.5)
        buffer = io.BytesIO()
        # Without a date in the file, equal plots are equal files.
        undated = {"png": {}, "svg": {"Date": None}, "pdf": {"CreationDate": None}}
        figure.savefig(buffer, format=form, dpi=RESOLUTION, metadata=undated[form])
    replace_bytes(path, buffer.getvalue())


def _draw_curves(axes: Any, x: np.ndarray, curves: Sequence[tuple[str, ArrayLike]],
                 colours: int) -> None:
    """Draw the curves, dashed once all ``colours`` are used.

    A single one needs no legend, since the axis says what it is.
    """
    for number, (label, values) in enumerate(curves):
        y = np.array(values, dtype=np.float64)
        if axes.get_yscale() == "log":
            y[y <= 0.0] = np.nan
        if y.shape != x.shape or x.ndim != 1:
            message = f"the curve {label!r} has shape {y.shape}, but x has shape {x.shape}"
            raise InputError(message)
        mark = "o" if len(x) == 1 else None
        axes.plot(x, y, label=label, color=CURVE_COLOURS[number % colours],
                  linestyle="--" if number >= colours else "-", marker=mark)
    if len(curves) > 1:
        axes.legend()

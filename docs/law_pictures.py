"""The force-overlap diagrams of the contact laws.

    python docs/law_pictures.py

presses one contact, releases it, presses it again, and so on, under each law, and draws the normal
force over the overlap into ``docs/images/laws.png``, as figure 3.5 of Ferrez does. The area that
the path encloses is the energy lost. The paths go into ``docs/data/force-overlap.csv``, too, for
``granum plot``. It needs the extra ``plot``.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path

import matplotlib as mpl

mpl.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from granum.laws import (
    Adaptive,
    Elastic,
    HertzMindlin,
    KuwabaraKono,
    LinearRepulsive,
    LinearViscoelastic,
    WaltonBraun,
)
from granum.laws.law import Law, Touch

PICTURE = Path(__file__).parent / "images" / "laws.png"
TABLE = Path(__file__).parent / "data" / "force-overlap.csv"
EVERY = 20  # step of the paths that goes into the table
T_C = 1e-3  # contact time of the laws that have one, and about the time of each loading here [s]
MASS, RADIUS = 2.6e-6, 0.5e-3  # of two glass beads of 2 mm, effective [kg], [m]
DEEPEST = 1e-5  # overlap [m]
TURNS = (0.8, 0.62, 0.75, 0.3, 1.0, 0.0)  # overlaps where the path turns, as shares of the deepest
LAWS = {
    "linear viscoelastic": LinearViscoelastic(0.6, T_C),
    "linear repulsive": LinearRepulsive(0.6, T_C),
    "elastic": Elastic(28.0),
    "Hertz–Mindlin": HertzMindlin(young=5.4e5, poisson=0.3, restitution=0.6),
    "Kuwabara–Kono": KuwabaraKono(young=5.4e5, poisson=0.3, viscous_time=4e-5),
    "Walton & Braun": WaltonBraun(0.6, T_C),
    "adaptive": Adaptive(0.6, T_C),
}


def path_of(law: Law, steps: int = 400) -> np.ndarray:
    """Return overlaps [m] and normal forces [N] along the turns, shape (n, 2).

    The way from turn to turn is half a cosine, except that it begins and ends with speed, as a
    collision does. A law with a range begins and ends at its end.
    """
    step = 0.5 * T_C / steps
    corners = np.array([-law.range / DEEPEST, *TURNS[:-1], TURNS[-1] - law.range / DEEPEST])
    phase = np.linspace(0.0, 1.0, steps, endpoint=False)
    ways = [a + (b - a) * 0.5 * (1.0 - np.cos(np.pi * phase))
            for a, b in pairwise(corners[1:-1])]
    arc = 0.5 * np.pi * phase
    begin = corners[0] + (corners[1] - corners[0]) * np.sin(arc)
    end = corners[-1] + (corners[-2] - corners[-1]) * np.cos(arc)
    overlap = DEEPEST * np.concatenate((begin, *ways, end, corners[-1:]))
    rate = np.gradient(overlap, step)
    force, p = law.kernel(), tuple(law.coefficients().tolist())
    state, result = (0.0,) * law.remembers, []
    for k, (d, v) in enumerate(zip(overlap.tolist(), rate.tolist(), strict=True)):
        touch = Touch(d, v, MASS, 2.0 / 7.0 * MASS, RADIUS, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
                      float(k > 0), step)
        f_n, _, _, state = force(p, touch, state)
        result.append((d, f_n))
    return np.array(result)


def table(laws: Mapping[str, Law]) -> str:
    """Return the paths of laws without a range as a CSV table: overlap [m], forces [N]."""
    paths = [path_of(law)[::EVERY] for law in laws.values()]
    names = [type(law).__name__ for law in laws.values()]
    lines = [",".join(("overlap", *(f"{name}_force" for name in names)))]
    for k, (overlap, _) in enumerate(paths[0]):
        lines.append(",".join(f"{x:.6g}" for x in (overlap, *(path[k, 1] for path in paths))))
    return "\n".join(lines) + "\n"


def draw(laws: Mapping[str, Law]) -> Figure:
    """Draw a panel for each law."""
    columns = min(len(laws), 2 if len(laws) == 4 else 3)
    rows = -(-len(laws) // columns)
    figure, panels = plt.subplots(rows, columns, figsize=(3.7 * columns, 3.1 * rows),
                                  squeeze=False, layout="constrained")
    for axes, (name, law) in zip(panels.flat, laws.items(), strict=False):
        draw_path(axes, path_of(law))
        axes.set_title(name, fontsize=10)
    for axes in panels.flat[len(laws):]:
        axes.remove()
    figure.supxlabel("overlap [µm]", fontsize=10)
    figure.supylabel("normal force [mN]", fontsize=10)
    return figure


def draw_path(axes: Axes, path: np.ndarray) -> None:
    """Draw one path, the energy it loses, and arrows along it."""
    d, f = path[:, 0] * 1e6, path[:, 1] * 1e3
    axes.fill(d, f, color="#f3e3c3", linewidth=0.0)
    axes.axhline(0.0, color="#8a8a8a", linewidth=0.6)
    axes.plot(d, f, color="#c8442b", linewidth=1.4)
    turns = np.flatnonzero(np.diff(np.sign(np.diff(d)))) + 1
    ends = np.concatenate(([0], turns, [len(d) - 1]))
    for a, b in pairwise(ends):
        height = np.abs(f[a : b + 1] - 0.5 * (f[a : b + 1].max() + f[a : b + 1].min()))
        k = min(max(a + int(height.argmin()), a + 2), b - 6)
        axes.annotate("", (d[k + 5], f[k + 5]), (d[k], f[k]),
                      arrowprops={"arrowstyle": "-|>", "color": "#c8442b", "shrinkA": 0,
                                  "shrinkB": 0, "mutation_scale": 11})
    axes.spines[["top", "right"]].set_visible(False)
    axes.tick_params(labelsize=8)


if __name__ == "__main__":
    for file in (PICTURE, TABLE):
        file.parent.mkdir(exist_ok=True)
    TABLE.write_text(table(LAWS))
    draw(LAWS).savefig(PICTURE, dpi=110, metadata={"Software": None},
                       pil_kwargs={"optimize": True})

"""What a contact is, as a picture: ``python docs/concept_pictures.py``.

Two grains overlap; along the normal a spring and a dashpot push them apart, and sideways a spring
remembers how far the contact was strained, as long as friction bears it. It goes into
``docs/images/concepts-contact.png``. It needs the extra ``plot``.
"""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl

mpl.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Circle

PICTURE = Path(__file__).parent / "images" / "concepts-contact.png"
GRAIN, EDGE, INK, RED, BLUE = "#cfe2ee", "#2f4858", "#16202a", "#c33c26", "#1f5fa8"
SIZES = (1.0, 0.8)  # of the two grains
OVERLAP = 0.3


def centres(gap: float) -> tuple[np.ndarray, np.ndarray]:
    """Return where the two grains are if they are so far apart."""
    return np.array([-SIZES[0] - gap / 2, 0.0]), np.array([SIZES[1] + gap / 2, 0.0])


def grains(axes: Axes, gap: float) -> tuple[np.ndarray, np.ndarray]:
    """Draw the two grains; return their centres."""
    places = centres(gap)
    for place, size, name in zip(places, SIZES, "ij", strict=True):
        axes.add_patch(Circle(place, size, facecolor=GRAIN, edgecolor=EDGE, alpha=0.85))
        axes.plot(*place, "o", color=EDGE, markersize=3)
        axes.annotate(f"${name}$", place, (-8, 6), textcoords="offset points", color=EDGE)
    axes.set_xlim(-2.35, 2.0)
    axes.set_ylim(-1.75, 1.35)
    axes.set_aspect("equal")
    axes.axis("off")
    return places


def arrow(axes: Axes, start: np.ndarray, way: tuple[float, float], text: str, colour: str,
          shift: tuple[float, float] = (0.0, 6.0)) -> None:
    """Draw an arrow with a word beside its head."""
    head = start + np.array(way)
    axes.annotate("", head, start, arrowprops={"arrowstyle": "-|>", "color": colour, "lw": 1.6})
    axes.annotate(text, head, shift, textcoords="offset points", color=colour, ha="center")


def spring(start: float, end: float, height: float, turns: int = 5) -> tuple[np.ndarray, ...]:
    """Return the line of a spring that lies along x."""
    x = np.linspace(start, end, 4 * turns + 1)
    y = height + 0.09 * np.sin(np.linspace(0.0, 2 * np.pi * turns, len(x)))
    return x, y


def apart(axes: Axes) -> None:
    """Before they touch there is no force."""
    left, right = grains(axes, 0.3)
    arrow(axes, left, (0.7, 0.0), "$v_i$", BLUE, (-6, 6))
    arrow(axes, right, (-0.5, 0.0), "$v_j$", BLUE, (6, 6))
    axes.set_title("apart: no force", color=INK)


def pressed(axes: Axes) -> None:
    """Along the normal."""
    left, right = grains(axes, -OVERLAP)
    touch = np.array([0.0, 0.0])
    arrow(axes, touch, (0.75, 0.0), "$n$", INK, (2.0, -14.0))
    for x in (-OVERLAP / 2, OVERLAP / 2):
        axes.plot([x, x], [-1.22, 0.0], color=INK, lw=0.7, ls=":")
    axes.annotate("overlap", (0.0, -1.32), ha="center", va="top", color=INK)
    axes.annotate("", (OVERLAP / 2, -1.2), (-OVERLAP / 2, -1.2),
                  arrowprops={"arrowstyle": "<->", "color": INK, "lw": 0.9})
    axes.plot(*spring(left[0] + 0.1, right[0] - 0.1, 0.55), color=RED, lw=1.4)
    axes.plot([left[0] + 0.1, -0.35], [0.85, 0.85], color=RED, lw=1.4)
    axes.plot([0.25, 0.25, -0.35, -0.35], [0.96, 0.74, 0.74, 0.96], color=RED, lw=1.4)
    axes.plot([0.05, 0.05], [0.78, 0.92], color=RED, lw=2.0)
    axes.plot([0.05, right[0] - 0.1], [0.85, 0.85], color=RED, lw=1.4)
    axes.set_title("pressed: spring and dashpot", color=INK)


def sheared(axes: Axes) -> None:
    """Sideways: the contact remembers."""
    left, right = grains(axes, -OVERLAP)
    arrow(axes, left, (0.0, 0.75), "", BLUE)
    arrow(axes, right, (0.0, -0.75), "", BLUE)
    y, x = spring(-0.3, 0.3, 0.0, 4)
    axes.plot(x, y, color=RED, lw=1.6)
    axes.plot([0.0], [0.0], "o", color=INK, markersize=3.5)
    axes.annotate("strain so far,\nbounded by friction", (0.0, -0.33), (0.0, -1.32), ha="center",
                  va="top", color=INK, arrowprops={"arrowstyle": "-", "color": INK, "lw": 0.7})
    axes.set_title("sheared: a spring that remembers", color=INK)


def main() -> None:
    """Draw the three panels."""
    figure, panels = plt.subplots(1, 3, figsize=(9.6, 2.9), layout="constrained")
    for axes, draw in zip(panels, (apart, pressed, sheared), strict=True):
        draw(axes)
    figure.savefig(PICTURE, dpi=110)


if __name__ == "__main__":
    main()

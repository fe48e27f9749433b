"""The pictures of `filling.md`: sizes, a heap of two sizes, and packings that have grown.

    python docs/filling_pictures.py

makes them with granum's own renderer and plots (a minute or two). It needs the extra ``plot``.
"""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np

import granum as gr
from granum.checks import FloatArray
from granum.output import draw, panel, write_png
from granum.output.plot import Curve, Panel, plot_panels

IMAGES = Path(__file__).parent / "images"
LARGE, SMALL = (0.86, 0.62, 0.28), (0.42, 0.60, 0.78)
COUNT = 5000


def main() -> None:
    """Write all pictures."""
    draw_sizes()
    draw_sediment()
    draw_grown()


def draw_sizes() -> None:
    """Draw what was asked and what 5000 grains got."""
    rng = np.random.default_rng(1)
    normal = gr.sizes.Normal(1.0e-3, 0.3e-3, low=0.6e-3, high=1.5e-3)
    uneven = gr.sizes.LogNormal(1.0e-3, 0.4, low=0.3e-3, high=3.0e-3)
    sieve = gr.sizes.Sieve((0.5e-3, 1e-3, 2e-3, 4e-3, 8e-3), (0, 15, 35, 80, 100))
    panels = [
        _histogram(normal.radii(COUNT, 3, rng), "normal, cut off",
                   lambda r: np.exp(-0.5 * ((r - 1.0) / 0.3) ** 2), 0.6, 1.5),
        _histogram(uneven.radii(COUNT, 3, rng), "log-normal, cut off",
                   lambda r: np.exp(-0.5 * (np.log(r) / 0.4) ** 2) / r, 0.3, 3.0),
        _passing(sieve, sieve.radii(COUNT, 3, rng)),
    ]
    plot_panels(IMAGES / "sizes.png", panels)


def _histogram(radii: FloatArray, title: str, shape, low: float, high: float) -> Panel:
    """Return the panel of a histogram [mm] over its closed form."""
    edges = np.linspace(low, high, 31)
    share, _ = np.histogram(1e3 * radii, edges, density=True)
    r = np.linspace(low, high, 300)
    exact = shape(r) / np.trapezoid(shape(r), r)
    return Panel([Curve(f"{COUNT} grains", np.repeat(edges, 2)[1:-1], np.repeat(share, 2)),
                  Curve("asked", r, exact, 1, 1)], "radius [mm]", "grains by number [1/mm]", title)


def _passing(sieve: gr.sizes.Sieve, radii: FloatArray) -> Panel:
    """Return the panel of a sieve curve."""
    order = np.argsort(radii)
    share = 100.0 * np.cumsum(radii[order] ** 3) / (radii**3).sum()
    mesh = np.log2(2e3 * radii[order])
    return Panel([Curve(f"{COUNT} grains", mesh, share),
                  Curve("asked", np.log2(np.array(sieve.meshes) * 1e3), sieve.passing, 1, 1)],
                 "log2 of the mesh [mm]", "mass that passes [%]", "sieve curve")


def draw_sediment() -> None:
    """Draw a heap of two sizes in a cylinder, and what is inside it."""
    world = gr.World(seed=1)
    world.add(gr.Cylinder((0, 0, 0), (0, 0, 1), 0.025, 0.1))
    world.add(gr.Plate((0, 0, 0), (0, 0, 1), 0.025))
    world.add(gr.Sediment(radius=gr.sizes.ByMass((2e-3, 1e-3), (50, 50)), count=4500),
              density=7800)
    colours = np.where(world.radius[:, None] > 1.5e-3, LARGE, SMALL)
    outlines = world.outlines(0.0, {})
    top = float((world.position[:, 2] + world.radius).max())
    frame = ((-0.025, -0.025, 0.0), (0.025, 0.025, top))
    inside = world.position[:, 1] > 0.0
    images = [draw(world.position[shown], world.radius[shown], colours[shown], (), size=(460, 560),
                   view=(-90.0, 12.0), frame=frame) for shown in (inside | True, inside)]
    images.append(draw(world.position, world.radius, colours, outlines, size=(460, 560),
                       view=(-70.0, 35.0), frame=((-0.025, -0.025, 0.0), (0.025, 0.025, 0.1))))
    write_png(IMAGES / "sediment.png", panel(images, ["the heap", "cut in halves", "its cylinder"]))


def draw_grown() -> None:
    """Draw a cell of equal grains and one of unlike ones."""
    images, captions = [], []
    cases = [("equal grains", 0.63, 0.05), (
        "log-normal", 0.66, gr.sizes.LogNormal(0.04, 0.4, low=0.02, high=0.11))]
    edges = [np.array(line, dtype=float) for line in _edges()]
    for name, density, radius in cases:
        world = gr.World(periodic=(1.0, 1.0, 1.0), seed=1)
        world.add(gr.Grow(radius=radius, density=density), density=1)
        share = (world.radius - world.radius.min()) / max(np.ptp(world.radius), 1e-12)
        colours = share[:, None] * np.array(LARGE) + (1.0 - share[:, None]) * np.array(SMALL)
        images.append(draw(world.position, world.radius, colours, edges, size=(520, 520),
                           view=(-62.0, 24.0)))
        filled = float((4.0 / 3.0 * math.pi * world.radius**3).sum())
        captions.append(f"{name}: {len(world)} grains, density {filled:.3f}")
    write_png(IMAGES / "grown.png", panel(images, captions))


def _edges() -> list[list[tuple[float, float, float]]]:
    """Return the edges of the unit cube."""
    square = [(0, 0), (1, 0), (1, 1), (0, 1), (0, 0)]
    return [[(*p, h) for p in square] for h in (0.0, 1.0)] + [
        [(*p, 0.0), (*p, 1.0)] for p in square[:4]]


if __name__ == "__main__":
    main()

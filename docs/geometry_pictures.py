"""The pictures of `triangulation.md` and `run-folder.md`.

    python docs/geometry_pictures.py

draws discs with their weighted Delaunay triangulation and power cells, a flip, and the skin. It
needs the extra ``plot``.
"""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl

mpl.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection, PatchCollection
from matplotlib.figure import Figure
from matplotlib.patches import Circle, Polygon

import granum as gr
from granum.geometry import Triangulation
from granum.measures.local_density import local_density, power_cells_of

IMAGES = Path(__file__).parent / "images"
SIZE = (0.15, 0.1)  # of the box [m]
LINES = {"linewidths": 0.9, "linestyles": (0, (2, 2))}


def discs() -> gr.World:
    """Return discs of many sizes at random places in a box."""
    world = gr.World(dimension=2, seed=4)
    world.add(gr.Box((0.0, 0.0, 0.0), (*SIZE, 0.0)))
    for radius, count in ((0.016, 4), (0.008, 14), (0.004, 40)):
        world.add(gr.Random(radius=radius, spread=0.2, count=count), density=2500.0)
    return world


def draw_diagram(world: gr.World) -> Figure:
    """Draw discs, triangulation and cells of a 2D world."""
    diagram, density = power_cells_of(world), local_density(world)
    points = world.position[:, :2]
    edges = Triangulation(points, world.radius**2).edges
    figure, axes = plt.subplots(figsize=(7.5, 4.6), layout="constrained")
    shown = [k for k in range(len(world)) if diagram.volumes[k] > 0.0]
    cells = PatchCollection([Polygon(diagram.polygons(k)[0]) for k in shown], cmap="viridis",
                            edgecolor="white", linewidth=1.5, alpha=0.8)
    cells.set_array(density[shown])
    axes.add_collection(cells)
    circles(axes, points, world.radius, facecolor=(1.0, 1.0, 1.0, 0.35))
    axes.add_collection(LineCollection(points[edges], colors="black", **LINES))
    frame(axes, SIZE)
    figure.colorbar(cells, label="local density", shrink=0.8)
    return figure


def draw_flip() -> Figure:
    """Draw four discs before and after one has moved: the diagonal changes."""
    radius = np.array([0.9, 0.75, 1.0, 0.8])
    before = np.array([[-1.9, 0.0], [0.0, -1.6], [1.9, 0.1], [0.0, 1.6]])
    after = before + np.array([[0.5, 0.0], [0.0, -0.5], [-0.5, 0.0], [0.0, 0.5]])
    figure, panels = plt.subplots(1, 2, figsize=(7.5, 3.4), layout="constrained")
    mesh = Triangulation(before, radius**2)
    for axes, points, title in zip(panels, (before, after), ("before", "after"), strict=True):
        mesh.move(points)
        edges = {tuple(edge) for edge in mesh.edges.tolist()}
        diagonal = np.array([edge for edge in edges if edge in {(0, 2), (1, 3)}])
        circles(axes, points, radius, facecolor="#cfe3ee")
        axes.add_collection(LineCollection(points[mesh.edges], colors="black", linewidths=1.2))
        axes.add_collection(LineCollection(points[diagonal], colors="#c8442b", linewidths=2.5))
        axes.set_title(title)
        axes.set(xlim=(-3.2, 3.2), ylim=(-3.2, 3.2), aspect="equal", xticks=[], yticks=[])
    return figure


def draw_skin() -> Figure:
    """Draw discs with their skins; edges of pairs whose skins meet stand out."""
    rng = np.random.default_rng(3)
    found: list[np.ndarray] = []
    while len(found) < 34:
        disc = np.append(rng.uniform((0.95, 0.95), (9.05, 5.05)), rng.choice([0.35, 0.5, 0.8]))
        if all(np.hypot(*(disc[:2] - other[:2])) > disc[2] + other[2] for other in found):
            found.append(disc)
    table = np.array(found)
    points, radius, skin = table[:, :2], table[:, 2], 0.4 * 0.35
    mesh = Triangulation(points, (radius + skin) ** 2)
    i, j = mesh.edges.T
    gap = np.hypot(*(points[j] - points[i]).T) - radius[i] - radius[j]
    figure, axes = plt.subplots(figsize=(7.5, 4.5), layout="constrained")
    circles(axes, points, radius + skin, facecolor="#f3e3c3", edgecolor="none")
    circles(axes, points, radius, facecolor="#cfe3ee")
    axes.add_collection(LineCollection(points[mesh.edges], colors="#8a8a8a", **LINES))
    axes.add_collection(LineCollection(points[mesh.edges[gap < 2.0 * skin]], colors="#c8442b",
                                       linewidths=2.0))
    frame(axes, (10.0, 6.0))
    return figure


def circles(axes: Axes, points: np.ndarray, radius: np.ndarray, **look: object) -> None:
    """Draw discs."""
    look = {"edgecolor": "black", "linewidth": 0.8, **look}
    axes.add_collection(PatchCollection(
        [Circle(p, r) for p, r in zip(points, radius, strict=True)], **look))


def frame(axes: Axes, size: tuple[float, float]) -> None:
    """Show the box and nothing else."""
    axes.set(xlim=(0.0, size[0]), ylim=(0.0, size[1]), aspect="equal", xticks=[], yticks=[])


if __name__ == "__main__":
    for name, figure in (("power-diagram", draw_diagram(discs())), ("flip", draw_flip()),
                         ("skin", draw_skin())):
        figure.savefig(IMAGES / f"{name}.png", dpi=110, metadata={"Software": None},
                       pil_kwargs={"optimize": True})

"""The picture of a power diagram in ``run-folder.md``.

    python docs/power_picture.py

draws discs between walls, the weighted Delaunay triangulation of their centres, and the power
cells, coloured by local density. It needs the extra ``plot``.
"""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl

mpl.use("Agg")

import matplotlib.pyplot as plt
from matplotlib.collections import LineCollection, PatchCollection
from matplotlib.patches import Circle, Polygon

import granum as gr
from granum.geometry import Triangulation
from granum.measures.local_density import local_density, power_cells_of

PICTURE = Path(__file__).parent / "images" / "power-diagram.png"
SIZE = (0.15, 0.1)  # of the box [m]


def discs() -> gr.World:
    """Return discs of many sizes at random places in a box."""
    world = gr.World(dimension=2, seed=4)
    world.add(gr.Box((0.0, 0.0, 0.0), (*SIZE, 0.0)))
    for radius, count in ((0.016, 4), (0.008, 14), (0.004, 40)):
        world.add(gr.Random(radius=radius, spread=0.2, count=count), density=2500.0)
    return world


def draw(world: gr.World, path: Path) -> None:
    """Draw discs, triangulation and cells of a 2D world."""
    diagram, density = power_cells_of(world), local_density(world)
    edges = Triangulation(world.position, world.radius**2).edges
    figure, axes = plt.subplots(figsize=(7.5, 4.6), layout="constrained")
    shown = [k for k in range(len(world)) if diagram.volumes[k] > 0.0]
    cells = PatchCollection([Polygon(diagram.polygons(k)[0]) for k in shown], cmap="viridis",
                            edgecolor="white", linewidth=1.5, alpha=0.8)
    cells.set_array(density[shown])
    axes.add_collection(cells)
    axes.add_collection(PatchCollection(
        [Circle(p[:2], r) for p, r in zip(world.position, world.radius, strict=True)],
        facecolor=(1.0, 1.0, 1.0, 0.35), edgecolor="black", linewidth=0.8))
    axes.add_collection(LineCollection(world.position[edges][:, :, :2], colors="black",
                                       linewidths=0.9, linestyles=(0, (2, 2))))
    axes.set(xlim=(0.0, SIZE[0]), ylim=(0.0, SIZE[1]), aspect="equal", xticks=[], yticks=[])
    figure.colorbar(cells, label="local density", shrink=0.8)
    figure.savefig(path, dpi=110, metadata={"Software": None},
                   pil_kwargs={"optimize": True})
    plt.close(figure)


if __name__ == "__main__":
    draw(discs(), PICTURE)

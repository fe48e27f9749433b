"""Draws the ready clusters: ``python docs/cluster_pictures.py`` writes ``images/clusters.png``."""

from __future__ import annotations

from pathlib import Path

import granum as gr
from granum.output import SAND, draw, panel, write_png

IMAGE = Path(__file__).with_name("images") / "clusters.png"
GLUE = gr.PowerGlue(1e5)
SHAPES = {
    "rod, 15 spheres": gr.GluedRod(1e-3, GLUE),
    "tetrahedron, 35 spheres": gr.GluedTetrahedron(1e-3, GLUE),
    "cylinder, 8 layers": gr.GluedCylinder(1e-3, GLUE, width=11e-3, layers=8),
}


def main() -> None:
    """Draw all shapes side by side, each as large as it may be."""
    layouts = [shape.layout() for shape in SHAPES.values()]
    images = [draw(one.points, one.radii, SAND, size=(420, 420), view=(-65.0, 18.0))
              for one in layouts]
    write_png(IMAGE, panel(images, list(SHAPES)))


if __name__ == "__main__":
    main()

"""The picture of swept shapes in `shapes.md`.

    python docs/swept_pictures.py

draws one of each with granum's own renderer.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

import granum as gr
from granum.output import draw, write_png
from granum.shapes.turning import random_turns

PICTURE = Path(__file__).parent / "images" / "swept-shapes.png"
COLOURS = np.array([(0.86, 0.62, 0.28), (0.42, 0.60, 0.78), (0.62, 0.72, 0.42), (0.80, 0.52, 0.48),
                    (0.72, 0.66, 0.80)])
ELL = [(0, 0), (1.4, 0), (1.4, 0.6), (0.6, 0.6), (0.6, 1.4), (0, 1.4)]
N = len(ELL)
ANGLE = gr.SpheroPolyhedron(
    [(x, y, z) for z in (0, 0.6) for x, y in ELL],
    [tuple(range(N))[::-1], tuple(range(N, 2 * N)),
     *((k, (k + 1) % N, (k + 1) % N + N, k + N) for k in range(N))], 0.1)
TIPS = [(s * x, s * y, s * z) for x, y, z in np.eye(3) for s in (1, -1)]
ROWS = [
    [gr.Spherocylinder(1.2, 0.35), gr.Spherotriangle(1.3, 0.2), gr.Spherotetrahedron(1.2, 0.2),
     gr.SpheroPolyhedron.box((0.9, 0.7, 1.2), 0.15), gr.SpheroPolyhedron.regular(12, 0.6, 0.1),
     gr.SpheroPolyhedron(TIPS, (), 0.2, edges=[(0, 1), (2, 3), (4, 5)]), ANGLE],
    [*gr.families.angular(4, 1.7, 0.06, angularity=0.9, elongation=0.8, flatness=0.8, seed=5),
     *gr.families.voronoi(3, 1.7, 0.08, seed=7)],
    [gr.SpheroPolygon([(-0.5, 0), (0.5, 0)], 0.3),
     gr.SpheroPolygon([(-0.5, -0.3), (0.5, -0.4), (0.3, 0.5)], 0.25),
     gr.SpheroPolygon([(-0.6, -0.2), (0, 0.25), (0.6, -0.2)], 0.3, closed=False),
     gr.SpheroPolygon.rounded([(x - 0.7, y - 0.7) for x, y in ELL], 0.12),
     *gr.families.angular(1, 1.5, 0.08, dimension=2, vertices=9, angularity=0.7, seed=2),
     gr.SpheroPolygon.cow(2.6, 0.04)],
]
PLACES = [np.arange(7.0), np.arange(7.0), np.array([0, 1, 2, 3, 4, 5.45])]


def main() -> None:
    """Write the picture."""
    rng = np.random.default_rng(8)
    points, radii, colours, edges, faces, first = [], [], [], [], [], 0
    for row, (shapes, columns) in enumerate(zip(ROWS, PLACES, strict=True)):
        for column, shape in zip(columns, shapes, strict=True):
            world = gr.World(dimension=shape.dimension)
            turn = random_turns(rng, 1, 3)[0] if shape.dimension == 3 else (1, 0, 0, 0)
            world.add(shape, at=[np.zeros(shape.dimension)], density=1.0, orientation=turn)
            balls, joints = world.balls(), world.joints()
            points.append(world.drawn_balls(balls) + np.array([2.2 * column, -2.3 * row, 0.0]))
            radii.append(balls.arm[:, 3])
            colour = COLOURS[(row + int(column)) % len(COLOURS)]
            colours.append(np.tile(colour, (len(radii[-1]), 1)))
            edges.append(joints.edges + first)
            faces.append(joints.faces + first)
            first += len(radii[-1])
    image = draw(np.concatenate(points), np.concatenate(radii), np.concatenate(colours),
                 edges=np.concatenate(edges), faces=np.concatenate(faces), size=(1100, 520),
                 view=(-90.0, 90.0))
    write_png(PICTURE, image)


if __name__ == "__main__":
    main()

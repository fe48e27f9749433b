"""The picture of swept shapes in `shapes.md`.

    python docs/swept_pictures.py

lays many small steps of the ball along each skeleton and draws them with granum's own renderer.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

import granum as gr
from granum.output import draw, write_png
from granum.shapes.turning import random_turns, turned

PICTURE = Path(__file__).parent / "images" / "swept-shapes.png"
STEP = 0.12  # between two places of the ball, in radii
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


def along(a: np.ndarray, b: np.ndarray, radius: float) -> np.ndarray:
    """Return places of the ball from a to b."""
    count = max(int(np.linalg.norm(b - a) / (STEP * radius)), 1)
    return a + np.linspace(0.0, 1.0, count + 1)[:, None] * (b - a)


def over(corners: np.ndarray, radius: float) -> np.ndarray:
    """Return places of the ball over a triangle, along lines parallel to one of its sides."""
    a, b, c = corners
    longest = max(np.linalg.norm(b - a), np.linalg.norm(c - a))
    shares = np.linspace(0.0, 1.0, int(longest / (STEP * radius)) + 2)
    return np.concatenate([along(a + t * (b - a), a + t * (c - a), radius) for t in shares])


def places(shape: gr.SpheroPolyhedron | gr.SpheroPolygon) -> np.ndarray:
    """Return places of the ball all over a skeleton, seen from the centre of mass, (n,3)."""
    skeleton = shape.skeleton()
    x = skeleton.points - shape.centre
    found = [x, *(along(x[a], x[b], shape.radius) for a, b in skeleton.edges)]
    found += [over(x[face], shape.radius) for face in skeleton.faces]
    if shape.dimension == 2 and skeleton.closed.any():
        found.append(inside(x, shape.radius))
    return np.concatenate(found)


def inside(x: np.ndarray, radius: float) -> np.ndarray:
    """Return a grid of places inside an outline (n,3)."""
    step = STEP * radius
    low, high = x.min(axis=0), x.max(axis=0)
    grid = np.stack(np.meshgrid(*(np.arange(low[k], high[k], step) for k in (0, 1)), [0.0]),
                    axis=-1).reshape(-1, 3)
    odd = np.zeros(len(grid), dtype=bool)
    for a, b in zip(x, np.roll(x, -1, axis=0), strict=True):
        over_it = (a[1] > grid[:, 1]) != (b[1] > grid[:, 1])
        rise = b[1] - a[1] if b[1] != a[1] else 1.0
        odd ^= over_it & (grid[:, 0] < a[0] + (grid[:, 1] - a[1]) / rise * (b[0] - a[0]))
    return grid[odd]


def main() -> None:
    """Write the picture."""
    rng = np.random.default_rng(8)
    points, radii, colours = [], [], []
    for row, (shapes, columns) in enumerate(zip(ROWS, PLACES, strict=True)):
        for column, shape in zip(columns, shapes, strict=True):
            ball = places(shape)
            if shape.dimension == 3:
                ball = turned(random_turns(rng, 1, 3), ball)
            points.append(ball + np.array([2.2 * column, -2.3 * row, 0.0]))
            radii.append(np.full(len(ball), shape.radius))
            colours.append(np.tile(COLOURS[(row + int(column)) % len(COLOURS)], (len(ball), 1)))
    image = draw(np.concatenate(points), np.concatenate(radii), np.concatenate(colours),
                 size=(1100, 520), view=(-90.0, 90.0))
    write_png(PICTURE, image)


if __name__ == "__main__":
    main()

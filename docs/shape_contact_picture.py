"""The picture of `shapes-contact.md`: one cube slides over another and off its edge.

    python docs/shape_contact_picture.py

draws energy and normal force of the raw sum over all pairs of features, of all contacts counted
once, and of the single contact. It needs the extra ``plot``.
"""

from __future__ import annotations

from itertools import combinations, product
from pathlib import Path

import matplotlib as mpl

mpl.use("Agg")

import matplotlib.pyplot as plt
import numpy as np

from granum.contact.pairs import pair_energy_and_force, single_contact
from granum.contact.skeleton import Skeleton, skeleton_of
from granum.geometry.simplices import of_segments, on_triangle
from granum.shapes import RigidShape

PICTURE = Path(__file__).parent / "images" / "shapes-contact.png"
RADIUS, DEPTH = 0.1, 0.01  # of the sweeping ball, and overlap of the faces; the cube has side 1
SIDES = ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3))
COLOURS = {"raw": "0.6", "all contacts, each once": "tab:blue", "single contact": "tab:red"}


def cube() -> RigidShape:
    """Return a cube of side 1, each side two triangles."""
    points = tuple(product((-0.5, 0.5), repeat=3))
    faces = tuple(face for a, b, c, d in SIDES for face in ((a, b, c), (a, c, d)))
    edges = tuple(pair for pair in combinations(range(8), 2)
                  if np.abs(np.subtract(*(points[v] for v in pair))).sum() == 1.0)
    seams = tuple((a, c) for a, _, c, _ in SIDES)
    return RigidShape(points, (RADIUS,) * 8, 1.0, (1.0, 1.0, 1.0), edges, faces, seams)


def raw(XA: np.ndarray, XB: np.ndarray, body: Skeleton) -> tuple[float, float]:
    """Return energy and normal force of the sum over vertex and side, edge and edge."""
    halves = [on_triangle(tuple(p), *(tuple(Y[v]) for v in face))[3]
              for X, Y in ((XA, XB), (XB, XA)) for p in X for face in body.face]
    squares = [min(pair) for pair in zip(halves[::2], halves[1::2], strict=True)]
    squares += [of_segments(*(tuple(XA[v]) for v in one), *(tuple(XB[v]) for v in two))[2]
                for one in body.edge[:12] for two in body.edge[:12]]
    d = np.sqrt(squares)
    overlap = np.maximum(0.0, 2.0 * RADIUS - d)
    rise = (2.0 * RADIUS - DEPTH) / d  # all points in touch are as high above each other
    return float(0.5 * (overlap**2).sum()), float((overlap * rise).sum())


def curves(offsets: np.ndarray) -> dict[str, np.ndarray]:
    """Return energy and normal force of each model over the offset, in units of one contact."""
    shape = cube()
    XA, body = np.array(shape.points), skeleton_of(shape, 3)
    found: dict[str, list[tuple[float, float]]] = {name: [] for name in COLOURS}
    for x in offsets:
        at = np.array([x, 0.0, 1.0 + 2.0 * RADIUS - DEPTH])
        rows = np.array([(0.0, 0.0, 0.0, RADIUS), (*at, RADIUS)])
        energy, force, *_ = pair_energy_and_force(XA, body, XA + at, body, rows, 1.0)
        overlap, normal, _ = single_contact(XA, body, XA + at, body, rows)
        overlap = max(0.0, overlap)
        of_each = (raw(XA, XA + at, body), (energy, -force[2]),
                   (0.5 * overlap**2, overlap * normal[2]))
        for name, pair in zip(found, of_each, strict=True):
            found[name].append(pair)
    return {name: np.array(rows) / (0.5 * DEPTH**2, DEPTH) for name, rows in found.items()}


def main() -> None:
    """Write the picture."""
    offsets = np.linspace(-0.4, 1.1, 601)
    figure, axes = plt.subplots(1, 2, figsize=(9.0, 3.4), sharey=True, layout="constrained")
    for name, rows in curves(offsets).items():
        for axis, column in zip(axes, rows.T, strict=True):
            axis.plot(offsets, np.where(column > 0.0, column, np.nan), label=name,
                      color=COLOURS[name])
    axes[0].set(yscale="log", ylim=(0.5, 80), yticks=[1, 2, 4, 8, 16, 32, 56],
                yticklabels=["1", "2", "4", "8", "16", "32", "56"], title="energy / (k δ² / 2)",
                xlabel="offset of the cubes / side")
    axes[1].set(title="normal force / (k δ)", xlabel="offset of the cubes / side")
    axes[0].minorticks_off()
    axes[0].legend(frameon=False, fontsize="small", loc=(0.37, 0.75))
    figure.savefig(PICTURE, dpi=130)


if __name__ == "__main__":
    main()

"""Grains and walls as a small SVG picture: text, for which nothing has to be compiled.

Grains are discs, painted from the farthest to the nearest and the lighter the nearer. Of many
grains only those are drawn that can be seen: the picture is divided into squares, and the nearest
few centres of each are kept.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from granum.checks import FloatArray
from granum.output.colours import SAND
from granum.output.picture import view_axes

VIEW, FLAT = (-60.0, 18.0), (-90.0, 90.0)  # azimuth and elevation of the viewer, 3D and 2D [degree]
MARGIN = 6.0  # around the scene [pixel]
SQUARE = 5.0  # side of a square, at least [pixel]
KEPT = 2  # grains of a square
SHADE = (0.55, 1.08)  # brightness of the farthest and of the nearest grain


def sketch(points: FloatArray, radii: FloatArray, lines: Sequence[FloatArray], *,
           flat: bool = False, size: int = 220) -> str:
    """Return a picture of spheres and lines as SVG.

    Args:
        points: centres, (n, 3) [m].
        radii: (n,) [m].
        lines: polylines, each (k, 3) [m].
        flat: whether the world is one of discs in the plane.
        size: longer side of the picture [pixel].
    """
    axes = view_axes(*(FLAT if flat else VIEW))
    good = np.isfinite(points).all(axis=1)
    centre, radius = points[good] @ axes.T, radii[good]
    turned = [np.asarray(line) @ axes.T for line in lines]
    everything = np.concatenate([centre - radius[:, None], centre + radius[:, None], *turned,
                                 np.zeros((0, 3))])
    if not len(everything):
        return ""
    low, high = everything.min(axis=0)[:2], everything.max(axis=0)[:2]
    extent = np.maximum(high - low, 1e-30)
    scale = (size - 2 * MARGIN) / float(extent.max())
    width, height = np.ceil(extent * scale + 2 * MARGIN).astype(int).tolist()
    place = (centre[:, :2] - low) * scale + MARGIN
    parts = _discs(place, centre[:, 2], radius * scale)
    parts += [_polyline((line[:, :2] - low) * scale + MARGIN) for line in turned]
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
            f'viewBox="0 0 {width} {height}" role="img" aria-label="sketch of {len(points)} balls">'
            f'{"".join(parts)}</svg>')


def _discs(place: FloatArray, depth: FloatArray, radius: FloatArray) -> list[str]:
    """Return the discs that can be seen, the farthest first; depth grows towards the viewer."""
    if not len(place):
        return []
    side = max(SQUARE, 0.7 * float(np.median(radius)))
    square = np.floor(place / side).astype(np.int64)
    key = square[:, 0] * (int(square[:, 1].max()) + 1) + square[:, 1]
    order = np.lexsort((-depth, key))
    same = key[order]
    begins = np.flatnonzero(np.concatenate([[True], same[1:] != same[:-1]]))
    rank = np.arange(len(order)) - np.repeat(begins, np.diff([*begins, len(order)]))
    seen = order[rank < KEPT]
    seen = seen[np.argsort(depth[seen], kind="stable")]
    span = float(np.ptp(depth[seen])) or 1.0
    bright = SHADE[0] + (SHADE[1] - SHADE[0]) * (depth[seen] - depth[seen].min()) / span
    colour = np.clip(np.outer(bright, SAND) * 255.0, 0, 255).round().astype(int)
    rows = zip(place[seen].tolist(), radius[seen].tolist(), colour.tolist(), strict=True)
    return [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{max(r, 0.6):.1f}" fill="rgb({a},{b},{c})" '
            'stroke="#5a4526" stroke-width=".4"/>' for (x, y), r, (a, b, c) in rows]


def _polyline(line: FloatArray) -> str:
    points = " ".join(f"{x:.1f},{y:.1f}" for x, y in line.tolist())
    return f'<polyline points="{points}" fill="none" stroke="#5b6b7d" stroke-opacity=".6"/>'

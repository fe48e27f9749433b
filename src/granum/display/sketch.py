"""Grains and walls as a small SVG picture: text, for which nothing has to be compiled.

Balls are discs, swept shapes their edges and faces with lines as thick as the ball: that is how
they look from far away, to the rim. They are painted from the farthest to the nearest and the
lighter the nearer. Of many grains only those are drawn that can be seen: the picture is divided
into squares, and the nearest few centres of each are kept.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from granum.checks import FloatArray, IntArray
from granum.output.colours import SAND
from granum.output.joined import rows_left
from granum.output.picture import view_axes

VIEW, FLAT = (-60.0, 18.0), (-90.0, 90.0)  # azimuth and elevation of the viewer, 3D and 2D [degree]
MARGIN = 6.0  # around the scene [pixel]
SQUARE = 5.0  # side of a square, at least [pixel]
KEPT = 2  # grains of a square
SHADE = (0.55, 1.08)  # brightness of the farthest and of the nearest grain
RIM, RIM_WIDTH = "#5a4526", 0.4  # colour and width of the line around a grain [pixel]
NO_EDGES, NO_FACES = np.zeros((0, 2), dtype=np.int64), np.zeros((0, 3), dtype=np.int64)


def sketch(points: FloatArray, radii: FloatArray, lines: Sequence[FloatArray], *,
           flat: bool = False, size: int = 220, edges: IntArray = NO_EDGES,
           faces: IntArray = NO_FACES) -> str:
    """Return a picture of spheres, swept shapes and lines as SVG.

    Args:
        points: centres, (n, 3) [m].
        radii: (n,) [m].
        lines: polylines, each (k, 3) [m].
        flat: whether the world is one of discs in the plane.
        size: longer side of the picture [pixel].
        edges: pairs of spheres that a swept segment joins, (e, 2).
        faces: triples of spheres that a swept triangle joins, (f, 3).
    """
    axes = view_axes(*(FLAT if flat else VIEW))
    good = np.asarray(np.isfinite(points).all(axis=1))
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
    parts = _grains(place, centre[:, 2], radius * scale, rows_left(edges, good),
                    rows_left(faces, good))
    parts += [_polyline((line[:, :2] - low) * scale + MARGIN) for line in turned]
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
            f'viewBox="0 0 {width} {height}" role="img" aria-label="sketch of {len(points)} balls">'
            f'{"".join(parts)}</svg>')


def _grains(place: FloatArray, depth: FloatArray, radius: FloatArray, edges: IntArray,
            faces: IntArray) -> list[str]:
    """Return the grains that can be seen, the farthest first; depth grows towards the viewer."""
    if not len(place):
        return []
    joined = coo_array((np.ones(len(edges)), (edges[:, 0], edges[:, 1])), shape=(len(place),) * 2)
    count, grain = connected_components(joined, directed=False)
    balls = np.bincount(grain, minlength=count)
    middle = np.column_stack([np.bincount(grain, values) / balls for values in place.T])
    height = np.bincount(grain, depth) / balls
    thick = np.zeros(count)
    np.maximum.at(thick, grain, radius)
    reach = np.zeros(count)
    np.maximum.at(reach, grain, np.linalg.norm(place - middle[grain], axis=1) + radius)
    seen = _seen(middle, height, reach)
    span = float(np.ptp(height[seen])) or 1.0
    bright = SHADE[0] + (SHADE[1] - SHADE[0]) * (height[seen] - height[seen].min()) / span
    colours = np.clip(np.outer(bright, SAND) * 255.0, 0, 255).round().astype(int).tolist()
    paths: dict[int, list[str]] = {k: [] for k in seen.tolist() if balls[k] > 1}
    for rows, end in ((edges, ""), (faces, "Z")):
        for k, corners in zip(grain[rows[:, 0]].tolist(), place[rows].tolist(), strict=True):
            if k in paths:
                paths[k].append("M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in corners) + end)
    return [_swept("".join(paths[k]), thick[k], colour) if k in paths else
            _disc(middle[k], thick[k], colour)
            for k, colour in zip(seen.tolist(), colours, strict=True)]


def _seen(place: FloatArray, depth: FloatArray, radius: FloatArray) -> IntArray:
    """Return which grains can be seen, the farthest first."""
    side = max(SQUARE, 0.7 * float(np.median(radius)))
    square = np.floor(place / side).astype(np.int64)
    key = square[:, 0] * (int(square[:, 1].max()) + 1) + square[:, 1]
    order = np.lexsort((-depth, key))
    same = key[order]
    begins = np.flatnonzero(np.concatenate([[True], same[1:] != same[:-1]]))
    rank = np.arange(len(order)) - np.repeat(begins, np.diff([*begins, len(order)]))
    seen = order[rank < KEPT]
    return np.asarray(seen[np.argsort(depth[seen], kind="stable")])


def _disc(place: FloatArray, radius: float, colour: list[int]) -> str:
    return (f'<circle cx="{place[0]:.1f}" cy="{place[1]:.1f}" r="{max(radius, 0.6):.1f}" '
            f'fill="rgb({colour[0]},{colour[1]},{colour[2]})" stroke="{RIM}" '
            f'stroke-width=".{RIM_WIDTH * 10:.0f}"/>')


def _swept(path: str, radius: float, colour: list[int]) -> str:
    """Return a skeleton with lines as thick as its ball, once wider for the rim."""
    width, fill = 2.0 * max(radius, 0.3), f"rgb({colour[0]},{colour[1]},{colour[2]})"
    return "".join(f'<path d="{path}" fill="{tint}" stroke="{tint}" stroke-width="{wide:.1f}" '
                   'stroke-linecap="round" stroke-linejoin="round"/>'
                   for tint, wide in ((RIM, width + 2.0 * RIM_WIDTH), (fill, width)))


def _polyline(line: FloatArray) -> str:
    points = " ".join(f"{x:.1f},{y:.1f}" for x, y in line.tolist())
    return f'<polyline points="{points}" fill="none" stroke="#5b6b7d" stroke-opacity=".6"/>'

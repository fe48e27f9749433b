"""The renderer's kernels: spheres, lines and panes into buffers of pixels.

Swept shapes are drawn by `raster_swept`, and light by `shading`.

Coordinates are those of the picture: x to the right, y downwards, z towards the viewer, all in
(sub)pixels, so that normals and slopes need no scale. Pixel (row, column) is sampled at its centre
(column + 0.5, row + 0.5).

A cut is a plane (a, b, c, d) with the unit normal (a, b, c): what lies beyond it, where
a x + b y + c z > d, is not drawn, and spheres that it meets are solid. There is none if d is
infinite.

Symbols: (u, v, w) centre and r radius of a sphere; (n_x, n_y, n_z) outward normal; d distance.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from granum.checks import FloatArray
from granum.compile import kernel

Plane = NDArray[np.float32]  # one number for each (sub)pixel

SMALLEST = 0.75  # smaller spheres are drawn this large, or they would flicker [subpixel]
BACKGROUND = -1  # owner of a pixel that shows no grain
GRAZING = 3.5  # how much more light a pane holds back that is seen from its side


@kernel
def splat(sphere: FloatArray, cut: FloatArray, depth: Plane, owner: NDArray[np.int32]) -> None:
    """Draw spheres into a z-buffer: in each pixel the nearest surface stays.

    Args:
        sphere: rows (u, v, w, r), shape (n, 4).
        cut: see above, shape (4,).
        depth: z of the surface seen, shape (height, width); starts at -infinity.
        owner: number of the sphere seen; starts at ``BACKGROUND``.
    """
    height, width = depth.shape
    for i in range(len(sphere)):
        u, v, w = sphere[i, 0], sphere[i, 1], sphere[i, 2]
        r = max(sphere[i, 3], SMALLEST)
        first_row = max(0, math.ceil(v - r - 0.5))
        last_row = min(height - 1, math.floor(v + r - 0.5))
        for row in range(first_row, last_row + 1):
            dy = row + 0.5 - v
            reach = math.sqrt(max(0.0, r * r - dy * dy))
            first_column = max(0, math.ceil(u - reach - 0.5))
            last_column = min(width - 1, math.floor(u + reach - 0.5))
            for column in range(first_column, last_column + 1):
                dx = column + 0.5 - u
                half = math.sqrt(max(0.0, r * r - dx * dx - dy * dy))
                z = w + half
                left = cut[3] - cut[0] * (column + 0.5) - cut[1] * (row + 0.5)
                if cut[2] * z > left:
                    if cut[2] <= 0.0:  # what lies behind is beyond the cut, too
                        continue
                    z = left / cut[2]
                    if z < w - half:
                        continue
                if z > depth[row, column]:
                    depth[row, column] = z
                    owner[row, column] = i


@kernel
def stroke(
    segment: FloatArray, half_width: float, depth: Plane, front: Plane, hidden: Plane
) -> None:
    """Draw round-ended lines as coverage from 0 to 1, in front of the surface or behind it.

    Where lines meet or cross, the larger coverage counts, so that joints do not show.

    Args:
        segment: rows (x, y, z) of one end and (x, y, z) of the other, shape (m, 6).
        half_width: half the width of a line [pixel].
        depth: z of the surface, shape (height, width).
        front: coverage by lines in front of it, same shape.
        hidden: coverage by lines behind it, same shape.
    """
    height, width = depth.shape
    reach = half_width + 0.5
    for k in range(len(segment)):
        x0, y0, z0 = segment[k, 0], segment[k, 1], segment[k, 2]
        ex, ey = segment[k, 3] - x0, segment[k, 4] - y0
        length_squared = ex * ex + ey * ey
        steep = abs(ey) > abs(ex)
        # Walk along the longer axis and look only at the pixels near the line.
        if steep:
            first = max(0, math.floor(min(y0, y0 + ey) - reach))
            last = min(height - 1, math.floor(max(y0, y0 + ey) + reach))
        else:
            first = max(0, math.floor(min(x0, x0 + ex) - reach))
            last = min(width - 1, math.floor(max(x0, x0 + ex) + reach))
        for a in range(first, last + 1):
            if steep:
                t = min(max((a + 0.5 - y0) / ey, 0.0), 1.0)
                middle, limit = x0 + t * ex, width
            else:
                t = min(max((a + 0.5 - x0) / ex, 0.0), 1.0) if ex != 0.0 else 0.0
                middle, limit = y0 + t * ey, height
            # A slope of at most 1 makes the cut through the line at most sqrt(2) wider.
            low = max(0, math.floor(middle - 1.5 * reach - 1.0))
            high = min(limit - 1, math.floor(middle + 1.5 * reach + 1.0))
            for b in range(low, high + 1):
                row, column = (a, b) if steep else (b, a)
                dx, dy = column + 0.5 - x0, row + 0.5 - y0
                t = 0.0
                if length_squared > 0.0:
                    t = min(max((dx * ex + dy * ey) / length_squared, 0.0), 1.0)
                cover = reach - math.hypot(dx - t * ex, dy - t * ey)
                if cover <= 0.0:
                    continue
                cover = min(cover, 1.0)
                z = z0 + t * (segment[k, 5] - z0)
                if z >= depth[row, column]:
                    front[row, column] = max(front[row, column], cover)
                else:
                    hidden[row, column] = max(hidden[row, column], cover)


@kernel
def glaze(
    corner: FloatArray, cut: FloatArray, depth: Plane, density: float, slack: float, veil: Plane
) -> None:
    """Add panes in front of the surface: how much light each pixel loses on its way to the viewer.

    Adds up what the panes of one pixel hold back, density / |n_z|, so that their order does not
    matter; a pane seen from its side holds back more, as glass does, up to `GRAZING` times as much.
    A pixel belongs to a triangle if its centre does; on a common edge it belongs to one of the two,
    since both find the same crossing of the edge with the row.

    Args:
        corner: rows of three corners (x, y, z), shape (m, 9).
        cut: see above, shape (4,).
        depth: z of the surface, shape (height, width).
        density: what a pane holds back that is seen from the front.
        slack: how far a surface may stand through a pane and still be behind it, along the pane's
            normal; grains press into walls, and round walls are drawn with corners.
        veil: the sum, same shape.
    """
    height, width = depth.shape
    for k in range(len(corner)):
        x0, y0, z0 = corner[k, 0], corner[k, 1], corner[k, 2]
        ax, ay, az = corner[k, 3] - x0, corner[k, 4] - y0, corner[k, 5] - z0
        bx, by, bz = corner[k, 6] - x0, corner[k, 7] - y0, corner[k, 8] - z0
        n_x, n_y, n_z = ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx
        length = math.sqrt(n_x * n_x + n_y * n_y + n_z * n_z)
        if abs(n_z) <= 1e-9 * length:
            continue
        slanted = min(GRAZING, length / abs(n_z))
        added, near = density * slanted, slack * slanted
        lowest = min(y0, corner[k, 4], corner[k, 7])
        highest = max(y0, corner[k, 4], corner[k, 7])
        for row in range(max(0, math.ceil(lowest - 0.5)),
                         min(height - 1, math.floor(highest - 0.5)) + 1):
            y = row + 0.5
            begin, end = math.inf, -math.inf
            for side in range(3):
                p, q = 3 * side, 3 * ((side + 1) % 3)
                if corner[k, p + 1] > corner[k, q + 1]:
                    p, q = q, p
                if corner[k, p + 1] <= y < corner[k, q + 1]:
                    share = (y - corner[k, p + 1]) / (corner[k, q + 1] - corner[k, p + 1])
                    x = corner[k, p] + share * (corner[k, q] - corner[k, p])
                    begin, end = min(begin, x), max(end, x)
            if not begin < end:
                continue
            for column in range(max(0, math.ceil(begin - 0.5)),
                                min(width, math.ceil(end - 0.5))):
                x = column + 0.5
                z = z0 - (n_x * (x - x0) + n_y * (y - y0)) / n_z
                shown = cut[0] * x + cut[1] * y + cut[2] * z <= cut[3]
                if shown and z + near >= depth[row, column]:
                    veil[row, column] += added

"""The renderer's kernels: spheres, lines and panes into buffers of pixels, and light on them.

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
ON_CUT = 0.02  # how close to the cut a point lies on it: coarser than the z-buffer [subpixel]


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


@kernel
def openness(
    row: int, column: int, n_x: float, n_y: float, n_z: float, depth: Plane, offset: FloatArray,
    radius: float
) -> float:
    """Return how open a surface point is to light from everywhere: 1 free, towards 0 in a hole.

    Neighbouring pixels stand for the surface around; each counts by the sine of its elevation over
    the tangent plane, less when it is further than ``radius``.

    Args:
        row: of the pixel.
        column: of the pixel.
        n_x: normal, to the right.
        n_y: normal, downwards.
        n_z: normal, towards the viewer.
        depth: the z-buffer.
        offset: places to look at, shape (m, 2), in units of ``radius``.
        radius: [subpixel]
    """
    height, width = depth.shape
    z = depth[row, column]
    blocked = 0.0
    for k in range(len(offset)):
        x = column + round(offset[k, 0] * radius)
        y = row + round(offset[k, 1] * radius)
        if x < 0 or y < 0 or x >= width or y >= height:
            continue
        dz = depth[y, x] - z
        if dz < -2.0 * radius:
            continue
        dx, dy = x - column, y - row
        d_squared = dx * dx + dy * dy + dz * dz + 1e-9
        rise = (n_x * dx + n_y * dy + n_z * dz) / math.sqrt(d_squared) - 0.08
        if rise > 0.0:
            blocked += rise / (1.0 + d_squared / (4.0 * radius * radius))
    return math.exp(-2.6 * blocked / len(offset))


@kernel
def lit(
    x: float, y: float, z: float, n_x: float, n_y: float, n_z: float, turn: FloatArray,
    shift: FloatArray, shadow: Plane, offset: FloatArray, softness: float
) -> float:
    """Return the share of the key light that reaches a surface point, from 0 to 1.

    Args:
        x: of the point [subpixel].
        y: of the point.
        z: of the point.
        n_x: normal; the point is lifted along it, so that a surface does not shade itself.
        n_y: normal.
        n_z: normal.
        turn: from the picture's axes to those of the light, scaled to its pixels, shape (3, 3).
        shift: of the origin in the light's picture, shape (3,).
        shadow: the z-buffer seen from the light, shape (s, s).
        offset: places to look at, shape (m, 2), within the unit circle.
        softness: radius around the point to look at [pixel of the light].
    """
    size = shadow.shape[0]
    p = turn[0, 0] * x + turn[0, 1] * y + turn[0, 2] * z + shift[0]
    q = turn[1, 0] * x + turn[1, 1] * y + turn[1, 2] * z + shift[1]
    s = turn[2, 0] * x + turn[2, 1] * y + turn[2, 2] * z + shift[2]
    p += turn[0, 0] * n_x + turn[0, 1] * n_y + turn[0, 2] * n_z
    q += turn[1, 0] * n_x + turn[1, 1] * n_y + turn[1, 2] * n_z
    free = 0
    for k in range(len(offset)):
        column = math.floor(p + softness * offset[k, 0])
        row = math.floor(q + softness * offset[k, 1])
        inside = 0 <= column < size and 0 <= row < size
        if not inside or shadow[row, column] <= s + 1.5 + softness:
            free += 1
    return free / len(offset)


@kernel
def to_byte(light: float) -> int:
    """Return linear light (0 to 1) as an sRGB byte (IEC 61966-2-1)."""
    value = 12.92 * light if light <= 0.0031308 else 1.055 * light ** (1.0 / 2.4) - 0.055
    return int(min(max(value, 0.0), 1.0) * 255.0 + 0.5)


@kernel
def shade(
    sphere: FloatArray, colour: FloatArray, cut: FloatArray, depth: Plane, owner: NDArray[np.int32],
    front: Plane, hidden: Plane, veil: Plane, backdrop: FloatArray, line_colour: FloatArray,
    pane_colour: FloatArray, key: FloatArray,
    turn: FloatArray, shift: FloatArray, shadow: Plane, offset: FloatArray, radius: float,
    softness: float, nearest: float, farthest: float, image: NDArray[np.uint8]
) -> None:
    """Light every subpixel and average four of them to one pixel of the picture.

    Light: a warm key light with soft shadows, a cooler fill light from the right and light from
    above, both held back by what stands around (:func:`openness`), a faint gleam, darker rims,
    and a little haze with distance. The weights are a matter of taste, not of physics.

    Args:
        sphere: rows (u, v, w, r), shape (n, 4) [subpixel].
        colour: of each sphere, linear light, shape (n, 3).
        cut: see above, shape (4,).
        depth: the z-buffer, shape (2 height, 2 width).
        owner: the sphere seen in each subpixel.
        front: coverage by lines in front.
        hidden: coverage by lines behind grains.
        veil: what panes in front hold back, see :func:`glaze`.
        backdrop: colour of the background of each row, linear light, shape (height, 3).
        line_colour: linear light, shape (3,).
        pane_colour: linear light, shape (3,).
        key: direction towards the key light, unit vector.
        turn: see :func:`lit`.
        shift: see :func:`lit`.
        shadow: see :func:`lit`.
        offset: places to look at, one set for each of the four subpixels, shape (4, m, 2).
        radius: how far to look for what holds light back [subpixel].
        softness: of shadows [pixel of the light].
        nearest: z of the nearest grain [subpixel].
        farthest: z of the farthest.
        image: the result, shape (height, width, 3), bytes.
    """
    height, width = image.shape[0], image.shape[1]
    span = nearest - farthest
    half = math.sqrt(key[0] * key[0] + key[1] * key[1] + (key[2] + 1.0) * (key[2] + 1.0))
    sum_rgb = np.empty(3)
    for row in range(height):
        for column in range(width):
            sum_rgb[:] = 0.0
            for part in range(4):
                y, x = 2 * row + part // 2, 2 * column + part % 2
                i = owner[y, x]
                line = 0.62 * front[y, x]
                pane = 1.0 - math.exp(-veil[y, x])
                gleam, haze, light, warmth = 0.0, 0.0, 0.0, 0.0
                if i != BACKGROUND:
                    r = max(sphere[i, 3], SMALLEST)
                    z = depth[y, x]
                    n_x = (x + 0.5 - sphere[i, 0]) / r
                    n_y = (y + 0.5 - sphere[i, 1]) / r
                    n_z = max(0.0, (z - sphere[i, 2]) / r)
                    if cut[0] * (x + 0.5) + cut[1] * (y + 0.5) + cut[2] * z > cut[3] - ON_CUT:
                        n_x, n_y, n_z = cut[0], cut[1], cut[2]
                    facing = n_x * key[0] + n_y * key[1] + n_z * key[2]
                    direct = 0.0
                    if facing > 0.0:
                        direct = facing * lit(x + 0.5, y + 0.5, z, n_x, n_y, n_z, turn, shift,
                                              shadow, offset[part], softness)
                    open_ = openness(y, x, n_x, n_y, n_z, depth, offset[part], radius)
                    fill = max(0.0, 0.62 * n_x - 0.10 * n_y + 0.78 * n_z)
                    ambient = (0.25 - 0.11 * n_y + 0.24 * fill) * open_
                    rim = 1.0 - 0.60 * (1.0 - n_z) ** 3
                    bright = 0.84 * direct * (0.35 + 0.65 * open_)
                    light = (ambient + bright) * rim
                    warmth = 0.05 * (bright - ambient) * rim
                    aligned = max(0.0, (facing + n_z) / half)
                    gleam = 0.09 * aligned ** 32 * min(1.0, direct / max(facing, 1e-9))
                    haze = 0.12 * (nearest - z) / span
                    line = 0.55 * front[y, x] + 0.14 * hidden[y, x]
                for c in range(3):
                    value = backdrop[row, c]
                    if i != BACKGROUND:
                        tinted = colour[i, c] * (light + (1 - c) * warmth) + gleam
                        value = (1.0 - haze) * tinted + haze * value
                    value += pane * (pane_colour[c] - value)
                    value += line * (line_colour[c] - value)
                    sum_rgb[c] += min(max(value, 0.0), 1.0)
            for c in range(3):
                image[row, column, c] = to_byte(0.25 * sum_rgb[c])

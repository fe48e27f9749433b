"""The renderer's kernels of light: what reaches a surface, and the colour it gets.

Coordinates and the cut are those of `raster`.

Symbols: (n_x, n_y, n_z) outward normal; d distance.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from granum.checks import FloatArray
from granum.compile import kernel
from granum.output.raster import BACKGROUND, SMALLEST, Plane
from granum.output.raster_swept import normal_to_viewer

ON_CUT = 0.02  # how close to the cut a point lies on it: coarser than the z-buffer [subpixel]


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
def normal(
    i: int, x: float, y: float, z: float, sphere: FloatArray, tube: FloatArray, plate: FloatArray
) -> tuple[float, float, float]:
    """Return the outward normal of what is drawn as number ``i`` at a point of its surface."""
    if i < len(sphere):
        r = max(sphere[i, 3], SMALLEST)
        return ((x - sphere[i, 0]) / r, (y - sphere[i, 1]) / r,
                max(0.0, (z - sphere[i, 2]) / r))
    if i >= len(sphere) + len(tube):
        return normal_to_viewer(plate[i - len(sphere) - len(tube)])
    k = i - len(sphere)
    r = max(tube[k, 6], SMALLEST)
    dx, dy, dz = x - tube[k, 0], y - tube[k, 1], z - tube[k, 2]
    ex, ey, ez = tube[k, 3] - tube[k, 0], tube[k, 4] - tube[k, 1], tube[k, 5] - tube[k, 2]
    t = (dx * ex + dy * ey + dz * ez) / (ex * ex + ey * ey + ez * ez)
    return (dx - t * ex) / r, (dy - t * ey) / r, max(0.0, (dz - t * ez) / r)


@kernel
def to_byte(light: float) -> int:
    """Return linear light (0 to 1) as an sRGB byte (IEC 61966-2-1)."""
    value = 12.92 * light if light <= 0.0031308 else 1.055 * light ** (1.0 / 2.4) - 0.055
    return int(min(max(value, 0.0), 1.0) * 255.0 + 0.5)


@kernel
def shade(
    sphere: FloatArray, tube: FloatArray, plate: FloatArray, colour: FloatArray, cut: FloatArray,
    depth: Plane, owner: NDArray[np.int32], front: Plane, hidden: Plane, veil: Plane,
    backdrop: FloatArray, line_colour: FloatArray, pane_colour: FloatArray, key: FloatArray,
    turn: FloatArray, shift: FloatArray, shadow: Plane, offset: FloatArray, radius: float,
    softness: float, nearest: float, farthest: float, image: NDArray[np.uint8]
) -> None:
    """Light every subpixel and average four of them to one pixel of the picture.

    Light: a warm key light with soft shadows, a cooler fill light from the right and light from
    above, both held back by what stands around (:func:`openness`), a faint gleam, darker rims,
    and a little haze with distance. The weights are a matter of taste, not of physics.

    Args:
        sphere: rows (u, v, w, r), shape (n, 4) [subpixel].
        tube: see `raster_swept`, shape (m, 7).
        plate: see `raster_swept`, shape (k, 10).
        colour: of all that is drawn, linear light, shape (n + m + k, 3).
        cut: see above, shape (4,).
        depth: the z-buffer, shape (2 height, 2 width).
        owner: number of what is seen in each subpixel: spheres, then tubes, then plates.
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
                    z = depth[y, x]
                    n_x, n_y, n_z = normal(i, x + 0.5, y + 0.5, z, sphere, tube, plate)
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

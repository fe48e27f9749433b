"""The renderer's kernels for swept shapes: tubes along edges, plates over faces, and what is cut.

The ball at each vertex is drawn as any other (`raster`). Along an edge it sweeps a *tube*: the part
of a cylinder between two planes through the vertices, which end inside the balls there. Over a face
it sweeps a *plate*: a prism as thick as the ball, whose sides end inside the tubes around it. So
all that is seen of a plate is the face moved towards the viewer by the radius, along its normal.

Coordinates, cut, ``depth`` and ``owner`` are those of `raster`. A shape whose faces close holds
matter inside, which no ball was swept over; it is seen only where it is cut.

Symbols: e unit vector along a tube, (x0, y0, z0) its beginning, s the sine of its angle to the line
of sight; (n_x, n_y, n_z) normal of a plate, towards the viewer.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from granum.checks import FloatArray, IntArray
from granum.compile import kernel
from granum.output.raster import SMALLEST, Plane

EDGE_ON = 1e-9  # sine of the angle between a line of sight and what is not seen from there


@kernel
def tubes(tube: FloatArray, first: int, cut: FloatArray, depth: Plane, owner: NDArray[np.int32]
          ) -> None:
    """Draw tubes into a z-buffer.

    In the plane of the picture the axis passes a line of sight at the distance
    c = (d_x e_y - d_y e_x) / s, and is nearest to it t = (d_x e_x + d_y e_y) / s² along the axis.
    The line meets the cylinder at z = z0 + t e_z ± sqrt(r² - c²) / s.

    Args:
        tube: rows of two ends (x, y, z) and the radius, shape (m, 7).
        first: number of the first tube among all that is drawn.
        cut: see `raster`, shape (4,).
        depth: the z-buffer, shape (height, width).
        owner: number of what is seen.
    """
    height, width = depth.shape
    for k in range(len(tube)):
        x0, y0, z0 = tube[k, 0], tube[k, 1], tube[k, 2]
        x1, y1 = tube[k, 3], tube[k, 4]
        r = max(tube[k, 6], SMALLEST)
        ex, ey, ez = x1 - x0, y1 - y0, tube[k, 5] - z0
        length = math.sqrt(ex * ex + ey * ey + ez * ez)
        if length == 0.0:
            continue
        ex, ey, ez = ex / length, ey / length, ez / length
        s = math.sqrt(ex * ex + ey * ey)
        if s <= EDGE_ON:
            continue
        for row in range(max(0, math.ceil(min(y0, y1) - r - 0.5)),
                         min(height - 1, math.floor(max(y0, y1) + r - 0.5)) + 1):
            dy = row + 0.5 - y0
            begin, end = min(x0, x1) - r, max(x0, x1) + r
            if abs(ey) > EDGE_ON:  # the strip |c| <= r in this row
                middle, half = x0 + dy * ex / ey, abs(r * s / ey)
                begin, end = max(begin, middle - half), min(end, middle + half)
            for column in range(max(0, math.ceil(begin - 0.5)),
                                min(width - 1, math.floor(end - 0.5)) + 1):
                dx = column + 0.5 - x0
                c = (dx * ey - dy * ex) / s
                inside = r * r - c * c
                if inside <= 0.0:
                    continue
                half = math.sqrt(inside) / s
                t = (dx * ex + dy * ey) / (s * s)
                back, z = t * ez - half, t * ez + half
                # Between its ends: 0 <= t s² + z e_z <= length.
                if abs(ez) > EDGE_ON:
                    one, other = -t * s * s / ez, (length - t * s * s) / ez
                    back, z = max(back, min(one, other)), min(z, max(one, other))
                elif t < 0.0 or t > length:
                    continue
                if back > z:
                    continue
                back, z = back + z0, z + z0
                left = cut[3] - cut[0] * (column + 0.5) - cut[1] * (row + 0.5)
                if cut[2] * z > left:
                    if cut[2] <= 0.0:  # what lies behind is beyond the cut, too
                        continue
                    z = left / cut[2]
                    if z < back:
                        continue
                if z > depth[row, column]:
                    depth[row, column] = z
                    owner[row, column] = first + k


@kernel
def normal_to_viewer(plate: FloatArray) -> tuple[float, float, float]:
    """Return the unit normal of a plate that points towards the viewer; of none if it has none."""
    ax, ay, az = plate[3] - plate[0], plate[4] - plate[1], plate[5] - plate[2]
    bx, by, bz = plate[6] - plate[0], plate[7] - plate[1], plate[8] - plate[2]
    n_x, n_y, n_z = ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx
    length = math.sqrt(n_x * n_x + n_y * n_y + n_z * n_z)
    if length == 0.0:
        return 0.0, 0.0, 0.0
    sign = -1.0 if n_z < 0.0 else 1.0
    return sign * n_x / length, sign * n_y / length, sign * n_z / length


@kernel
def span(plate: FloatArray, sx: float, sy: float, y: float) -> tuple[float, float]:
    """Return between which x a triangle, shifted by (sx, sy), covers the line at y.

    The end is before the beginning if it does not. Two triangles with a common side find the same
    place for it, so that no pixel falls between them and none belongs to both.
    """
    begin, end = math.inf, -math.inf
    for side in range(3):
        p, q = 3 * side, 3 * ((side + 1) % 3)
        if plate[p + 1] > plate[q + 1]:
            p, q = q, p
        low, high = plate[p + 1] + sy, plate[q + 1] + sy
        if low <= y < high:
            x = plate[p] + sx + (y - low) / (high - low) * (plate[q] - plate[p])
            begin, end = min(begin, x), max(end, x)
    return begin, end


@kernel
def plates(plate: FloatArray, first: int, cut: FloatArray, depth: Plane,
           owner: NDArray[np.int32]) -> None:
    """Draw plates into a z-buffer: the side of each that is turned towards the viewer.

    Args:
        plate: rows of three corners (x, y, z) and the radius, shape (m, 10).
        first: number of the first plate among all that is drawn.
        cut: see `raster`, shape (4,).
        depth: the z-buffer, shape (height, width).
        owner: number of what is seen.
    """
    height, width = depth.shape
    for k in range(len(plate)):
        n_x, n_y, n_z = normal_to_viewer(plate[k])
        if n_z <= EDGE_ON:
            continue
        r = max(plate[k, 9], SMALLEST)
        sx, sy = r * n_x, r * n_y
        x0, y0, z0 = plate[k, 0] + sx, plate[k, 1] + sy, plate[k, 2] + r * n_z
        lowest = min(plate[k, 1], plate[k, 4], plate[k, 7]) + sy
        highest = max(plate[k, 1], plate[k, 4], plate[k, 7]) + sy
        for row in range(max(0, math.ceil(lowest - 0.5)),
                         min(height - 1, math.floor(highest - 0.5)) + 1):
            y = row + 0.5
            begin, end = span(plate[k], sx, sy, y)
            if not begin < end:
                continue
            for column in range(max(0, math.ceil(begin - 0.5)), min(width, math.ceil(end - 0.5))):
                x = column + 0.5
                z = z0 - (n_x * (x - x0) + n_y * (y - y0)) / n_z
                shown = cut[0] * x + cut[1] * y + cut[2] * z <= cut[3]
                if shown and z > depth[row, column]:
                    depth[row, column] = z
                    owner[row, column] = first + k


@kernel
def cut_plates(plate: FloatArray, first: int, cut: FloatArray, depth: Plane,
               owner: NDArray[np.int32]) -> None:
    """Draw where a cut that faces the viewer goes through plates; arguments as of :func:`plates`.

    A point of the cut is inside a plate if it is over the triangle, and no further from its plane
    than the radius.
    """
    height, width = depth.shape
    for k in range(len(plate)):
        n_x, n_y, n_z = normal_to_viewer(plate[k])
        r = max(plate[k, 9], SMALLEST)
        if (n_x == 0.0 and n_y == 0.0 and n_z == 0.0) or not _meets(plate[k], r, cut):
            continue
        for row in range(
                max(0, math.ceil(min(plate[k, 1], plate[k, 4], plate[k, 7]) - r - 0.5)),
                min(height - 1, math.floor(max(plate[k, 1], plate[k, 4], plate[k, 7]) + r)) + 1):
            for column in range(
                    max(0, math.ceil(min(plate[k, 0], plate[k, 3], plate[k, 6]) - r - 0.5)),
                    min(width - 1, math.floor(max(plate[k, 0], plate[k, 3], plate[k, 6]) + r)) + 1):
                x, y = column + 0.5, row + 0.5
                z = (cut[3] - cut[0] * x - cut[1] * y) / cut[2]
                if z <= depth[row, column]:
                    continue
                over = n_x * (x - plate[k, 0]) + n_y * (y - plate[k, 1]) + n_z * (z - plate[k, 2])
                if abs(over) <= r and _is_over(plate[k], n_x, n_y, n_z, x, y, z):
                    depth[row, column] = z
                    owner[row, column] = first + k


@kernel
def _meets(plate: FloatArray, r: float, cut: FloatArray) -> bool:
    """Tell whether a plate may meet the cut."""
    low, high = math.inf, -math.inf
    for p in range(0, 9, 3):
        beyond = cut[0] * plate[p] + cut[1] * plate[p + 1] + cut[2] * plate[p + 2] - cut[3]
        low, high = min(low, beyond), max(high, beyond)
    return low <= r and high >= -r


@kernel
def _is_over(plate: FloatArray, n_x: float, n_y: float, n_z: float, x: float, y: float, z: float
             ) -> bool:
    """Tell whether a point, moved along the normal, falls into the triangle or on its rim."""
    left = right = False
    for side in range(3):
        p, q = 3 * side, 3 * ((side + 1) % 3)
        ex, ey, ez = plate[q] - plate[p], plate[q + 1] - plate[p + 1], plate[q + 2] - plate[p + 2]
        dx, dy, dz = x - plate[p], y - plate[p + 1], z - plate[p + 2]
        turn = (n_x * (ey * dz - ez * dy) + n_y * (ez * dx - ex * dz) + n_z * (ex * dy - ey * dx))
        left, right = left or turn > 0.0, right or turn < 0.0
    return not (left and right)


@kernel
def cut_solids(plate: FloatArray, solid: IntArray, first: int, cut: FloatArray, depth: Plane,
               owner: NDArray[np.int32], crossed: NDArray[np.uint8]) -> None:
    """Draw where a cut that faces the viewer goes through what closed faces hold.

    A point of the cut is inside if the way from it to the viewer crosses the faces an odd number of
    times.

    Args:
        plate: see :func:`plates`.
        solid: number of the closed surface of which each is a part, those of one in a row; -1: of
            none.
        first: number of the first plate among all that is drawn.
        cut: see `raster`, shape (4,).
        depth: the z-buffer, shape (height, width).
        owner: number of what is seen.
        crossed: room for a mark in each pixel, zeros, shape (height, width).
    """
    height, width = depth.shape
    begin_plate = 0
    while begin_plate < len(plate):
        end_plate = begin_plate + 1
        while end_plate < len(plate) and solid[end_plate] == solid[begin_plate]:
            end_plate += 1
        some = False
        if solid[begin_plate] >= 0:
            low, high = math.inf, -math.inf
            for k in range(begin_plate, end_plate):
                for p in range(0, 9, 3):
                    beyond = (cut[0] * plate[k, p] + cut[1] * plate[k, p + 1]
                              + cut[2] * plate[k, p + 2] - cut[3])
                    low, high = min(low, beyond), max(high, beyond)
            some = low < 0.0 < high
        for turn in range(2 if some else 0):  # mark, then draw and clear the marks
            for k in range(begin_plate, end_plate):
                n_x, n_y, n_z = normal_to_viewer(plate[k])
                if n_z <= EDGE_ON:
                    continue
                for row in range(
                        max(0, math.ceil(min(plate[k, 1], plate[k, 4], plate[k, 7]) - 0.5)),
                        min(height - 1,
                            math.floor(max(plate[k, 1], plate[k, 4], plate[k, 7]) - 0.5)) + 1):
                    y = row + 0.5
                    begin, end = span(plate[k], 0.0, 0.0, y)
                    if not begin < end:
                        continue
                    for column in range(max(0, math.ceil(begin - 0.5)),
                                        min(width, math.ceil(end - 0.5))):
                        x = column + 0.5
                        z = (cut[3] - cut[0] * x - cut[1] * y) / cut[2]
                        if turn == 0:
                            of_face = plate[k, 2] - (n_x * (x - plate[k, 0])
                                                     + n_y * (y - plate[k, 1])) / n_z
                            if of_face > z:
                                crossed[row, column] ^= 1
                        elif crossed[row, column] == 1:
                            crossed[row, column] = 0
                            if z > depth[row, column]:
                                depth[row, column] = z
                                owner[row, column] = first + k
        begin_plate = end_plate

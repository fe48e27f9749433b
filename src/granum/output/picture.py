"""Pictures of grains without any graphics package: a small renderer of spheres and swept shapes.

Every run can end in a picture on every machine: grains are drawn exactly, pixel by pixel, seen from
far away (parallel projection), with soft shadows, and walls as thin lines around them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from granum import checks
from granum.checks import FloatArray, IntArray
from granum.errors import InputError
from granum.output import raster, shading
from granum.output.bodies import Bodies, bodies_of
from granum.output.colours import decode
from granum.output.lettering import write_text

Image = NDArray[np.uint8]
Box = tuple[ArrayLike, ArrayLike]
Cut = tuple[ArrayLike, ArrayLike]

MARGIN = 0.05  # free room around the scene, as a share of the picture
SUBPIXELS = 2  # in each direction
LINE_WIDTH = 1.4  # [pixel]
SKY, FLOOR = (0.985, 0.988, 0.992), (0.895, 0.910, 0.925)  # background, above and below
LINE_COLOUR = (0.16, 0.22, 0.30)
PANE_COLOUR = (0.60, 0.69, 0.78)
PANE_DENSITY = 0.07  # of walls as panes: what one of them holds back, seen from the front
PANE_SLACK = 0.15  # how far grains may stand through a pane, in typical radii
NO_CUT = (0.0, 0.0, 0.0, math.inf)
PAPER, INK = (1.0, 1.0, 1.0), (0.20, 0.24, 0.30)
KEY_LIGHT = (-0.48, -0.70, 0.66)  # towards it: from above, left, and the viewer's side
SHADOW_SIZE = 1400  # of the picture seen from the light [pixel]
LOOKS = 9  # places looked at for shadows and for light held back, a subpixel


def draw(points: ArrayLike, radii: ArrayLike, colours: ArrayLike,
         outlines: Sequence[ArrayLike] = (), *, size: tuple[int, int] = (900, 900),
         view: tuple[float, float] = (-60.0, 15.0), frame: Box | None = None,
         panes: ArrayLike | None = None, cut: Cut | None = None,
         edges: ArrayLike | None = None, faces: ArrayLike | None = None) -> Image:
    """Draw spheres, swept shapes and walls, these as outlines and as panes of glass.

    Args:
        points: centres, shape (n, 3) [m].
        radii: shape (n,) or one for all [m].
        colours: red green blue from 0 to 1, shape (n, 3) or one for all.
        outlines: lines through points, each of shape (k, 3) [m].
        size: width and height of the picture [pixel].
        view: where the viewer stands: azimuth from the x axis and elevation [degree]; a world in
            the plane z = 0 is seen upright from (-90, 90).
        frame: two opposite corners of the box to show [m], to give several pictures the same
            scale; by default everything there is.
        panes: triangles of glass, shape (m, 3, 3) [m].
        cut: a point of a plane [m] and its normal: what lies on the side to which that points is
            not drawn; grains that are cut are solid.
        edges: pairs of spheres that a swept segment joins, by their rows, shape (e, 2); radius and
            colour are those of the first one.
        faces: triples of spheres that a swept triangle joins, shape (f, 3).

    Returns:
        The picture, shape (height, width, 3).
    """
    centres = checks.array("points", points, (None, 3))
    count = len(centres)
    radius = _for_all("radii", radii, (count,))
    colour = _for_all("colours", colours, (count, 3))
    lines = [checks.array(f"outlines[{k}]", line, (None, 3)) for k, line in enumerate(outlines)]
    if not ((radius > 0).all() and (colour >= 0).all() and (colour <= 1).all()):
        message = "radii must be greater than zero, and colours between 0 and 1"
        raise InputError(message)
    width, height = (int(checks.number("size", side, at_least=1)) for side in size)
    axes = view_axes(*view)
    turned = centres @ axes.T
    turned_lines = [line @ axes.T for line in lines]
    glass = checks.array("panes", np.zeros((0, 3, 3)) if panes is None else panes, (None, 3, 3))
    scale, origin = _fit(turned, radius, turned_lines, frame, axes, (width, height))
    tubes, plates = (_rows(name, rows, k, count)
                     for name, rows, k in (("edges", edges, 2), ("faces", faces, 3)))
    bodies, lender = bodies_of(turned, radius, tubes, plates)
    plane = _plane(cut, axes, scale, origin)
    segments = _kept(_segments([line * scale + origin for line in turned_lines]), plane)
    corners = (glass @ axes.T * scale + origin).reshape(-1, 9)
    # A grain lost far away must not stretch the picture of the light.
    placed = bodies.moved(scale * np.eye(3), origin)
    shown, seen = placed.within(SUBPIXELS * width, SUBPIXELS * height)
    return _render(shown, decode(colour[lender[seen]]), segments, corners, plane, (width, height))


def _rows(name: str, given: ArrayLike | None, width: int, count: int) -> IntArray:
    """Return checked numbers of spheres, (m, width)."""
    rows = np.zeros((0, width), dtype=np.int64) if given is None else np.asarray(given)
    if rows.ndim != 2 or rows.shape[1] != width or rows.dtype.kind not in "iu" or (
            rows.size and (rows.min() < 0 or rows.max() >= count)):
        message = (f"{name} must be numbers of spheres from 0 to {count - 1}, {width} in a row, "
                   f"got {rows.dtype} of shape {rows.shape}")
        raise InputError(message)
    return rows.astype(np.int64)


def _for_all(name: str, value: ArrayLike, shape: tuple[int, ...]) -> FloatArray:
    """Return a checked array with one entry for each sphere; a single one is given to all."""
    given = np.asarray(value)
    if given.shape == shape[1:]:
        given = np.broadcast_to(given, shape)
    return checks.array(name, given, shape)


def view_axes(azimuth: float, elevation: float) -> FloatArray:
    """Return the picture's axes as rows: right, down, and towards the viewer.

    Args:
        azimuth: of the viewer, from the x axis towards the y axis [degree].
        elevation: of the viewer above the x-y plane [degree].
    """
    a, e = math.radians(azimuth), math.radians(elevation)
    right = np.array([-math.sin(a), math.cos(a), 0.0])
    viewer = np.array([math.cos(e) * math.cos(a), math.cos(e) * math.sin(a), math.sin(e)])
    return np.array([right, np.cross(right, viewer), viewer])


def panel(images: Sequence[Image], captions: Sequence[str]) -> Image:
    """Put pictures side by side, each with a caption below."""
    if len(images) != len(captions) or not images:
        message = f"{len(images)} pictures cannot take {len(captions)} captions"
        raise InputError(message)
    height = max(image.shape[0] for image in images)
    gap = max(2, height // 60)
    letters = max(9, height // 36)
    width = sum(image.shape[1] for image in images) + gap * (len(images) + 1)
    sheet = np.empty((height + 2 * gap + 3 * letters, width, 3), dtype=np.uint8)
    sheet[:] = np.round(255 * np.array(PAPER))
    left = gap
    for image, caption in zip(images, captions, strict=True):
        top = gap + (height - image.shape[0]) // 2
        sheet[top:top + image.shape[0], left:left + image.shape[1]] = image
        middle = left + image.shape[1] / 2
        write_text(sheet, caption, (middle, height + 1.6 * gap + 1.6 * letters), letters, INK)
        left += image.shape[1] + gap
    return sheet


def _fit(turned: FloatArray, radius: FloatArray, lines: list[FloatArray], frame: Box | None,
         axes: FloatArray, size: tuple[int, int]) -> tuple[float, FloatArray]:
    """Return scale [subpixel/m] and origin [subpixel] that bring the scene into the picture."""
    if frame is not None:
        low, high = (checks.vector(f"frame[{k}]", corner) for k, corner in enumerate(frame))
        corner = np.array([[low[0], high[0]], [low[1], high[1]], [low[2], high[2]]])
        box = np.stack(np.meshgrid(*corner), axis=-1).reshape(-1, 3) @ axes.T
        seen = [box]
    else:
        seen = [turned - radius[:, None], turned + radius[:, None], *lines]
    everything = np.concatenate([*seen, np.zeros((0, 3))])
    if len(everything) == 0:
        everything = np.zeros((1, 3))
    low, high = everything.min(axis=0), everything.max(axis=0)
    room = np.array(size) * SUBPIXELS * (1 - 2 * MARGIN)
    extent = np.maximum(high[:2] - low[:2], 1e-30)
    scale = float(min(room / extent)) if (high > low).any() else 1.0
    middle = 0.5 * (low + high) * scale
    return scale, np.array([size[0], size[1], 0.0]) * SUBPIXELS / 2 - middle


def _segments(lines: list[FloatArray]) -> FloatArray:
    """Return the pieces of all lines, shape (m, 6)."""
    pieces = [np.hstack([line[:-1], line[1:]]) for line in lines if len(line) > 1]
    return np.concatenate([*pieces, np.zeros((0, 6))])


def _plane(cut: Cut | None, axes: FloatArray, scale: float, origin: FloatArray) -> FloatArray:
    """Return a cut as the kernels see it, (4,) [subpixel]."""
    if cut is None:
        return np.array(NO_CUT)
    normal = axes @ checks.direction("cut normal", cut[1])
    point = axes @ checks.vector("cut point", cut[0]) * scale + origin
    return np.append(normal, normal @ point)


def _kept(segments: FloatArray, plane: FloatArray) -> FloatArray:
    """Return the parts of segments, (m, 6), on the side of a cut that is drawn."""
    if not np.isfinite(plane[3]):
        return segments
    ends = segments.reshape(-1, 2, 3)
    beyond = ends @ plane[:3] - plane[3]
    some = beyond.min(axis=1) <= 0.0
    ends, beyond = ends[some], beyond[some]
    for a, b in ((0, 1), (1, 0)):
        cut = beyond[:, a] > 0.0
        share = (beyond[cut, a] / (beyond[cut, a] - beyond[cut, b]))[:, None]
        ends[cut, a] += share * (ends[cut, b] - ends[cut, a])
    return ends.reshape(-1, 6)


def _render(bodies: Bodies, colour: FloatArray, segments: FloatArray, corners: FloatArray,
            cut: FloatArray, size: tuple[int, int]) -> Image:
    """Return the picture of bodies, segments and panes given in subpixels."""
    width, height = size
    shape = (SUBPIXELS * height, SUBPIXELS * width)
    sphere, typical = bodies.sphere, bodies.typical()
    depth, owner = bodies.buffers(shape, cut)
    veil = np.zeros(shape, np.float32)
    raster.glaze(corners, cut, depth, PANE_DENSITY, PANE_SLACK * typical, veil)
    front, hidden = np.zeros(shape, np.float32), np.zeros(shape, np.float32)
    raster.stroke(segments, LINE_WIDTH * SUBPIXELS / 2, depth, front, hidden)
    key = np.array(KEY_LIGHT) / np.linalg.norm(KEY_LIGHT)
    turn, shift = _light_axes(sphere, key)
    length = float(np.linalg.norm(turn[0]))
    normal = turn @ cut[:3] / length
    of_light = np.append(normal, length * cut[3] + normal @ shift)
    shadow, _ = bodies.moved(turn, shift).buffers((SHADOW_SIZE, SHADOW_SIZE), of_light)
    nearest = float((sphere[:, 2] + sphere[:, 3]).max(initial=-np.inf))
    farthest = float((sphere[:, 2] - sphere[:, 3]).min(initial=np.inf))
    softness = max(1.0, 0.25 * typical * length)
    fade = np.linspace(0.0, 1.0, height)[:, None]
    backdrop = decode((1 - fade) * np.array(SKY) + fade * np.array(FLOOR))
    image = np.empty((height, width, 3), dtype=np.uint8)
    shading.shade(*bodies[:3], colour, cut, depth, owner, front, hidden, veil, backdrop,
                  decode(np.array(LINE_COLOUR)), decode(np.array(PANE_COLOUR)), key, turn, shift,
                  shadow, _looks(), max(4.0, 1.8 * typical), softness, nearest, farthest, image)
    return image


def _light_axes(sphere: FloatArray, key: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return turn (scaled) and shift that bring all spheres into the light's square picture."""
    side = np.cross(key, [0.0, 0.0, 1.0])
    side /= np.linalg.norm(side)
    turn = np.array([side, np.cross(side, key), key])
    if len(sphere) == 0:
        return turn, np.zeros(3)
    seen = sphere[:, :3] @ turn.T
    low = (seen - sphere[:, 3:]).min(axis=0)
    high = (seen + sphere[:, 3:]).max(axis=0)
    scale = SHADOW_SIZE / float((high - low)[:2].max())
    return turn * scale, -low * scale


def _looks() -> FloatArray:
    """Return four sets of places in the unit circle, shape (4, m, 2); together an even spiral.

    The four subpixels of a pixel look at different places, which makes the average smooth.
    """
    number = np.arange(4 * LOOKS)
    distance = np.sqrt((number + 0.5) / len(number))
    angle = number * math.pi * (3.0 - math.sqrt(5.0))  # the golden angle
    place = np.column_stack([distance * np.cos(angle), distance * np.sin(angle)])
    return np.ascontiguousarray(place.reshape(LOOKS, 4, 2).transpose(1, 0, 2))

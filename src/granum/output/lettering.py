"""Letters for captions: a small font of pen strokes, drawn smoothly at any size.

A glyph is a text of strokes; each point is two digits, x and y, on a grid whose base line is y = 2,
whose small letters reach y = 7 and whose capitals reach y = 9. A stroke begins with

* ``-``: straight from point to point (one point twice: a dot),
* ``~``: a curve from the first to the last point, bent towards the points between (a quadratic
  B-spline, whose pieces meet half way between neighbouring points),
* ``o``: the same, closed.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from granum.checks import FloatArray
from granum.output import raster
from granum.output.colours import decode, encode

BASE, CAPITAL = 2.0, 7.0  # height of the base line, and of capitals above it
GAP = 1.9  # between letters
SPACE = 3.2  # width of a blank
PEN, DOT = 0.95, 1.5  # width of a stroke, and of a dot
CURVE_STEPS = 8

GLYPHS = {
    "0": "o02 09 49 42", "1": "-07 29 22", "2": "~07 09 49 46 02 -02 42",
    "3": "~07 09 49 46 16 ~16 46 42 02 04", "4": "-32 39 04 44",
    "5": "-49 09 06 ~06 17 47 42 12 03", "6": "~39 09 04 o02 06 46 42", "7": "-09 49 12",
    "8": "o06 09 49 46 o02 06 46 42", "9": "o05 09 49 45 ~47 42 12",
    "A": "-02 29 42 -14 34", "B": "-02 09 ~09 49 46 06 ~06 56 52 02", "C": "~47 49 09 02 42 44",
    "D": "-02 09 ~09 59 52 02", "E": "-49 09 02 42 -06 36", "F": "-49 09 02 -06 36",
    "G": "~47 49 09 02 42 45 -45 25", "H": "-02 09 -42 49 -06 46", "I": "-02 09",
    "J": "-39 34 ~34 32 02 04", "K": "-02 09 -49 05 -16 42", "L": "-09 02 42",
    "M": "-02 09 34 69 62", "N": "-02 09 42 49", "O": "o02 09 59 52", "P": "-02 09 ~09 49 45 05",
    "Q": "o02 09 59 52 -34 52", "R": "-02 09 ~09 49 45 05 -25 42", "S": "~47 49 09 06 45 42 02 04",
    "T": "-09 49 -22 29", "U": "-09 04 ~04 02 42 44 -44 49", "V": "-09 22 49",
    "W": "-09 12 37 52 69", "X": "-02 49 -09 42", "Y": "-09 26 49 -26 22", "Z": "-09 49 02 42",
    "a": "o02 07 47 42 -47 42", "b": "-02 09 o02 07 47 42", "c": "~46 47 07 02 42 43",
    "d": "o02 07 47 42 -42 49", "e": "-04 44 ~44 47 07 02 42 43", "f": "~39 19 16 -16 12 -07 37",
    "g": "o02 07 47 42 -47 42 ~42 40 00 01", "h": "-02 09 ~04 07 47 44 -44 42",
    "i": "-02 07 -09 09", "j": "-17 11 ~11 10 00 -19 19", "k": "-02 09 -37 04 -15 32",
    "l": "-09 03 ~03 02 12", "m": "-02 07 ~04 07 37 34 -34 32 ~34 37 67 64 -64 62",
    "n": "-02 07 ~04 07 47 44 -44 42",
    "o": "o02 07 47 42", "p": "-00 07 o02 07 47 42", "q": "o02 07 47 42 -47 40",
    "r": "-02 07 ~04 07 37", "s": "~36 37 07 05 34 32 02 03", "t": "-19 14 ~14 12 32 -07 37",
    "u": "-07 05 ~05 02 42 45 -47 42", "v": "-07 22 47", "w": "-07 12 36 52 67",
    "x": "-02 47 -07 42", "y": "-07 22 -47 10", "z": "-07 47 02 42",
    ".": "-02 02", ",": "-12 01", ":": "-02 02 -06 06", ";": "-12 01 -16 16", "!": "-09 05 -02 02",
    "?": "~07 09 49 46 25 24 -22 22", "'": "-09 07", '"': "-09 07 -29 27",
    "=": "-04 44 -06 46", "+": "-05 45 -23 27", "-": "-05 35", "_": "-01 41",
    "*": "-25 29 -06 48 -08 46", "/": "-01 49", "(": "~29 07 04 21", ")": "~09 27 24 01",
    "[": "-29 09 01 21", "]": "-09 29 21 01", "<": "-47 05 43", ">": "-07 45 03",
    "%": "-02 59 o07 09 29 27 o32 34 54 52",
    "°": "o07 09 29 27", "²": "~08 09 29 28 06 -06 26", "³": "~09 29 28 17 ~17 27 26 06",
    "µ": "-07 00 ~05 02 42 45 -47 42", "×": "-13 46 -16 43", "·": "-05 05", "|": "-01 09",
}
UNKNOWN_GLYPH = "-02 09 49 42 02"


def write_text(image: NDArray[np.uint8], text: str, middle: tuple[float, float], height: float,
               ink: tuple[float, float, float]) -> None:
    """Write one line of text into ``image``.

    Args:
        image: shape (height, width, 3), changed in place.
        text: characters without a glyph show as a box.
        middle: where the middle of the text goes, x and y [pixel].
        height: of capital letters [pixel].
        ink: colour, red green blue from 0 to 1.
    """
    segments, width = _layout(text)
    scale = height / CAPITAL
    segments[:, 0::2] = middle[0] + scale * (segments[:, 0::2] - width / 2)
    segments[:, 1::2] = middle[1] - scale * (segments[:, 1::2] - BASE - CAPITAL / 2)
    if not len(segments):
        return
    x, y = segments[:, 0::2], segments[:, 1::2]
    reach = DOT * scale + 2.0  # a pen's width around the strokes, and the soft edge
    left, right, above, below = (max(0, int(side)) for side in (
        x.min() - reach, x.max() + reach + 1.0, y.min() - reach, y.max() + reach + 1.0))
    part = image[above:below, left:right]  # nothing else changes
    pieces = np.zeros((len(segments), 6))
    pieces[:, 0::3], pieces[:, 1::3] = x - left, y - above
    shape = part.shape[:2]
    depth = np.full(shape, -np.inf, dtype=np.float32)
    cover, nothing = np.zeros(shape, np.float32), np.zeros(shape, np.float32)
    is_dot = (segments[:, :2] == segments[:, 2:]).all(axis=1)
    for chosen, pen in ((~is_dot, PEN), (is_dot, DOT)):
        raster.stroke(pieces[chosen], 0.5 * pen * scale, depth, cover, nothing)
    share = cover[..., None].astype(np.float64)
    light = (1 - share) * decode(part / 255.0) + share * decode(np.array(ink))
    part[:] = np.round(255 * encode(light))


def _layout(text: str) -> tuple[FloatArray, float]:
    """Return the pieces of a line of text, rows (x, y, x, y), and its width, in grid units."""
    pieces = [np.zeros((0, 4))]
    left = 0.0
    for letter in text:
        if letter == " ":
            left += SPACE
            continue
        strokes = _strokes(GLYPHS.get(letter, UNKNOWN_GLYPH))
        shift = np.array([left, 0.0, left, 0.0])
        pieces += [shift + np.hstack([line[:-1], line[1:]]) for line in strokes]
        left += max(float(line[:, 0].max()) for line in strokes) + GAP
    return np.concatenate(pieces), max(left - GAP, 0.0)


def _strokes(glyph: str) -> list[FloatArray]:
    """Return the lines of a glyph, each of shape (k, 2)."""
    lines: list[FloatArray] = []
    kinds: list[str] = []
    for token in glyph.split():
        if token[0] in "-~o":
            kinds.append(token[0])
            lines.append(np.zeros((0, 2)))
        point = np.array([[float(token[-2]), float(token[-1])]])
        lines[-1] = np.concatenate([lines[-1], point])
    return [line if kind == "-" else _curve(line, closed=kind == "o")
            for kind, line in zip(kinds, lines, strict=True)]


def _curve(control: FloatArray, *, closed: bool) -> FloatArray:
    """Return points along the quadratic B-spline of ``control``."""
    if closed:
        control = np.concatenate([control, control[:2]])
        joints = 0.5 * (control[:-1] + control[1:])
    else:
        inner = 0.5 * (control[1:-2] + control[2:-1])
        joints = np.concatenate([control[:1], inner, control[-1:]])
    t = np.linspace(0.0, 1.0, CURVE_STEPS + 1)[1:, None]
    points = [joints[:1]]
    for bend, (start, end) in zip(control[1:], pairwise(joints), strict=False):
        points.append((1 - t) ** 2 * start + 2 * t * (1 - t) * bend + t**2 * end)
    return np.concatenate(points)

"""What stands in a strip below the grains: the time, and the scale of colours."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from granum.output.lettering import write_text
from granum.output.maps import category_colours
from granum.output.picture import FLOOR, INK, Image
from granum.view.scene import Colouring

LETTER = 1 / 42  # height of capitals, as a share of the picture's
MARGIN = 1.6  # between letters and the edge, in their height
STRIP = 5.6  # height of the strip, in heights of letters
PITCH = 0.72  # from one letter to the next, in their height
TIME_ROOM = 0.3  # share of the width that belongs to the time
BAR = (14.0, 0.9)  # width and height of the scale, in heights of letters


def strip_height(height: int) -> int:
    """Return how high the strip is in a picture of so many pixels."""
    return round(STRIP * _letter(height))


def with_strip(image: Image, height: int) -> Image:
    """Return a picture of a given height, the free room below in the colour of the background."""
    strip = np.empty((height - image.shape[0], image.shape[1], 3), dtype=np.uint8)
    strip[:] = np.round(255 * np.array(FLOOR))
    return np.concatenate([image, strip])


def add_time(image: Image, text: str) -> None:
    """Write a time into the lower left corner."""
    letter = _letter(image.shape[0])
    width = PITCH * letter * len(text)
    write_text(image, text, (MARGIN * letter + width / 2, image.shape[0] - 2 * letter), letter, INK)


def add_scale(image: Image, colouring: Colouring) -> None:
    """Draw the scale of colours with its limits into the lower right corner.

    Categories have names instead, and grains that are all alike nothing.
    """
    quantity = colouring.quantity
    if quantity is None:
        return
    if quantity.kind == "category":
        _add_names(image, quantity.labels)
        return
    letter = _letter(image.shape[0])
    height, width = image.shape[:2]
    across = round(min(BAR[0] * letter, 0.4 * width))
    tall = max(3, round(BAR[1] * letter))
    left, top = width - across - round(MARGIN * letter), height - round(3.6 * letter)
    place = (np.arange(across) / max(across - 1, 1) * (len(colouring.table) - 1)).round()
    bar = np.round(255 * colouring.table[place.astype(int)]).astype(np.uint8)
    image[top:top + tall, left:left + across] = bar
    unit = f" [{quantity.unit}]" if quantity.unit else ""
    write_text(image, quantity.label + unit, (left + across / 2, top - 1.1 * letter), letter, INK)
    low, high = (f"{value:.3g}" for value in colouring.limits)
    below = top + tall + 1.1 * letter
    for text, x in ((low, left + PITCH / 2 * letter * len(low)),
                    (high, left + across - PITCH / 2 * letter * len(high))):
        write_text(image, text, (x, below), letter, INK)


def _add_names(image: Image, names: Sequence[str]) -> None:
    """Write names with their colours into the lower right corner, as many as fit."""
    letter = _letter(image.shape[0])
    colours = np.round(255 * category_colours(np.arange(len(names)))).astype(np.uint8)
    side, line = round(letter), image.shape[0] - round(2 * letter)
    room = image.shape[1] - MARGIN * letter
    for name, colour in reversed(list(zip(names, colours, strict=True))):
        width = PITCH * letter * len(name)
        left = round(room - width - 1.6 * letter)
        if left < TIME_ROOM * image.shape[1]:
            return
        write_text(image, name, (room - width / 2, line), letter, INK)
        image[line - side // 2:line - side // 2 + side, left:left + side] = colour
        room = left - 1.2 * letter


def _letter(height: int) -> float:
    return max(6.0, LETTER * height)

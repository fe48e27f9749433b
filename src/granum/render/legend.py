"""What stands in a strip below the grains: the time, and the scale of colours."""

from __future__ import annotations

import numpy as np

from granum.output.lettering import write_text
from granum.output.picture import FLOOR, INK, Image
from granum.view.scene import Colouring

LETTER = 1 / 42  # height of capitals, as a share of the picture's
MARGIN = 1.6  # between letters and the edge, in their height
STRIP = 5.6  # height of the strip, in heights of letters
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
    width = 0.72 * letter * len(text)
    write_text(image, text, (MARGIN * letter + width / 2, image.shape[0] - 2 * letter), letter, INK)


def add_scale(image: Image, colouring: Colouring) -> None:
    """Draw the scale of colours with its limits into the lower right corner.

    Categories have none, nor have grains that are all alike.
    """
    quantity = colouring.quantity
    if quantity is None or quantity.kind == "category":
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
    for text, x in ((low, left + 0.36 * letter * len(low)),
                    (high, left + across - 0.36 * letter * len(high))):
        write_text(image, text, (x, below), letter, INK)


def _letter(height: int) -> float:
    return max(6.0, LETTER * height)

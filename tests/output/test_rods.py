"""Rods, and pictures that shine through."""

import numpy as np
import pytest

from granum.errors import InputError
from granum.output import draw, rods, seen_through


def test_rods_reach_from_end_to_end():
    starts = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [5.0, 5.0, 5.0]])
    ends = np.array([[0.0, 0.0, 2.0], [4.0, 4.0, 0.0], [5.0, 5.0, 5.0]])
    radii, colours = np.array([0.1, 0.5, 0.2]), np.eye(3)
    made = rods(starts, ends, radii, colours)
    for k, (a, b) in enumerate(made.edges):
        assert made.points[[a, b]].tolist() == [starts[k].tolist(), ends[k].tolist()]
        assert made.radii[[a, b]].tolist() == [radii[k]] * 2
        assert made.colours[[a, b]].tolist() == [colours[k].tolist()] * 2
    assert len(rods(np.zeros((0, 3)), np.zeros((0, 3)), [], np.zeros((0, 3))).edges) == 0


def test_a_rod_is_drawn_without_gaps():
    """Seen from the front, all of it is red, but for its two round ends."""
    made = rods([[0.0, 0.0, 0.0]], [[1.0, 0.0, 0.0]], [0.05], [[1.0, 0.0, 0.0]])
    image = draw(*made[:3], edges=made.edges, size=(220, 40), view=(-90.0, 0.0)).astype(int)
    red = image[:, :, 0] - image[:, :, 2] > 60
    columns = np.flatnonzero(red.any(axis=0))
    assert 190 < len(columns) == np.ptp(columns) + 1


def test_rods_without_thickness_are_refused():
    with pytest.raises(InputError, match="greater than zero"):
        draw(*rods([[0, 0, 0]], [[0, 0, 1]], [0.0], [[1, 0, 0]])[:3])


def test_a_picture_shines_through():
    dark, light = np.zeros((2, 3, 3), np.uint8), np.full((2, 3, 3), 255, np.uint8)
    assert (seen_through(dark, light, 0.0) == 255).all()
    assert (seen_through(dark, light, 1.0) == 0).all()
    half = seen_through(dark, light, 0.5)
    assert (half == 188).all()  # half of the light, as sRGB
    with pytest.raises(InputError, match="do not cover"):
        seen_through(dark, light[:1], 0.5)
    with pytest.raises(InputError, match="opacity"):
        seen_through(dark, light, 1.5)

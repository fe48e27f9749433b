"""Rods of balls, and pictures that shine through."""

import numpy as np
import pytest

from granum.errors import InputError
from granum.output import rods, seen_through


def test_rods_reach_from_end_to_end_without_gaps():
    starts = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [5.0, 5.0, 5.0]])
    ends = np.array([[0.0, 0.0, 2.0], [4.0, 4.0, 0.0], [5.0, 5.0, 5.0]])
    radii, colours = np.array([0.1, 0.5, 0.2]), np.eye(3)
    points, sizes, shades = rods(starts, ends, radii, colours)
    for k in range(3):
        mine = sizes == radii[k]
        assert (shades[mine] == colours[k]).all()
        row = points[mine]
        assert row[0] == pytest.approx(starts[k])
        assert row[-1] == pytest.approx(ends[k])
        steps = np.linalg.norm(np.diff(row, axis=0), axis=1)
        assert (steps <= 0.5 * radii[k]).all()  # closer than their radius: no waist to see
    assert len(rods(np.zeros((0, 3)), np.zeros((0, 3)), [], np.zeros((0, 3)))[0]) == 0


def test_rods_without_thickness_are_refused():
    with pytest.raises(InputError, match="greater than zero"):
        rods([[0, 0, 0]], [[0, 0, 1]], [0.0], [[1, 0, 0]])


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

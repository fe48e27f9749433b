"""Outlines that are filled with discs: as many as were asked for, the form of the outline."""

import numpy as np
import pytest

import granum as gr
from granum.errors import InputError
from granum.shapes import filled_with_discs
from granum.shapes.filling import is_inside


def test_the_cow_of_discs_has_the_form_of_the_swept_one():
    cow = gr.SpheroPolygon.cow(3.0, 0.1)
    clump = filled_with_discs(cow, 726)
    assert len(clump) == 726
    seen = clump.settled(2)
    assert seen.shape.volume == pytest.approx(cow.volume, rel=0.01)
    assert seen.shape.radius == pytest.approx(cow.bounding_radius, rel=1e-3)
    assert seen.centre == pytest.approx(cow.centre, abs=3e-3)
    assert seen.shape.gyration[2] == pytest.approx(cow.inertia[2, 2] / cow.volume, rel=0.01)


def test_no_disc_reaches_beyond_the_outline():
    square = gr.SpheroPolygon([(0, 0), (2, 0), (2, 1), (0, 1)], 0.1)
    points = np.array(filled_with_discs(square, 200).points)
    assert (points[:, :2] >= -1e-12).all()
    assert (points[:, 0] <= 2 + 1e-12).all()
    assert (points[:, 1] <= 1 + 1e-12).all()
    assert len(points) == pytest.approx(200, abs=8)


@pytest.mark.parametrize("outline", [gr.SpheroPolygon([(0, 0), (1, 0), (1, 1)], 0.1, closed=False),
                                     gr.SpheroPolygon([(0, 0), (1, 0)], 0.1)])
def test_a_line_cannot_be_filled(outline):
    with pytest.raises(InputError, match="closed outline"):
        filled_with_discs(outline, 50)


def test_points_inside_an_outline_are_told():
    square = np.array([(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)])
    points = np.array([(0.5, 0.5), (1.5, 0.5), (-0.1, 0.2), (0.99, 0.01), (0.5, 1.2)])
    assert is_inside(points, square).tolist() == [True, False, False, True, False]

"""What grains are coloured by in the picture of a run."""

import numpy as np
import pytest

from granum.output import Frame, colour_by
from granum.portrait import _colours


def frame(time, ids, heights, radii, speeds):
    count = len(ids)
    points, velocity = np.zeros((count, 3)), np.zeros((count, 3))
    points[:, 2], velocity[:, 0] = heights, speeds
    return Frame(time, points, {"id": np.array(ids), "radius": np.array(radii),
                                "velocity": velocity})


SHOWN = [frame(0.0, [0, 1, 2], [0.1, 0.2, 0.3], [1.0, 2.0, 4.0], [0.0, 1.0, 2.0]),
         frame(1.0, [2, 0, 7], [0.1, 0.2, 0.3], [4.0, 1.0, 2.0], [0.5, 0.5, 0.5])]


def test_a_grain_keeps_the_colour_of_its_first_layer():
    first, later = _colours(SHOWN, "layer")
    assert first == pytest.approx(colour_by([0.0, 0.5, 1.0], 0.0, 1.0))
    assert later[:2] == pytest.approx(first[[2, 0]])
    assert np.ptp(later[2]) == pytest.approx(0.0)  # grey: it was not there


def test_sizes_are_told_apart_by_their_ratio():
    first, later = _colours(SHOWN, "size")
    assert first == pytest.approx(colour_by([0.0, 0.5, 1.0], 0.0, 1.0))
    assert later == pytest.approx(first[[2, 0, 1]])


def test_speed_has_one_scale_for_all_moments():
    _, later = _colours(SHOWN, "speed")
    assert later == pytest.approx(np.tile(later[0], (3, 1)))


@pytest.mark.parametrize("colour", ["speed", "size", "layer"])
def test_no_grains_at_all(colour):
    assert _colours([frame(0.0, [], [], [], [])], colour)[0].shape == (0, 3)

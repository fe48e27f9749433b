"""Named colour maps: those of the page, in equal steps, lighter all the way."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest

from granum.errors import InputError
from granum.output.colours import CONE_TO_RGB, LAB_TO_CONE, UNKNOWN, decode
from granum.output.maps import STATIONS, category_colours, map_table
from granum.view.bundle import page_files


def lab_of(colour):
    """OKLab of sRGB colours, by the inverse of both matrices."""
    return np.cbrt(decode(colour) @ np.linalg.inv(CONE_TO_RGB).T) @ np.linalg.inv(LAB_TO_CONE).T


def test_maps_are_those_of_the_page():
    text = page_files()["colours.js"].decode()
    block = re.search(r"const STATIONS = (\{.*?\n\});", text, re.DOTALL)[1]
    told = json.loads(re.sub(r",\s*}", "}", block))
    assert told == {name: [list(station) for station in path] for name, path in STATIONS.items()}


@pytest.mark.parametrize("name", STATIONS)
def test_a_map_goes_in_equal_steps(name):
    table = map_table(name)
    assert table.shape == (256, 3)
    assert (table >= 0).all()
    assert (table <= 1).all()
    lab = lab_of(table)
    steps = np.linalg.norm(np.diff(lab, axis=0), axis=1)
    assert np.median(steps) == pytest.approx(steps.mean(), rel=0.1)
    lighter = np.diff(lab[:, 0])
    assert (lighter[:120] > 0).all()
    assert (lighter[-120:] < 0).all() if name == "two sides" else (lighter > 0).all()


def test_categories_differ_and_what_is_none_is_grey():
    colours = category_colours(np.arange(12))
    apart = np.linalg.norm(colours[:, None] - colours[None], axis=2) + np.eye(12)
    assert apart.min() > 0.05
    assert np.array_equal(category_colours([np.nan, -1.0]), [UNKNOWN, UNKNOWN])


def test_an_unknown_map_is_refused():
    with pytest.raises(InputError, match=r"no colour map 'embers'; did you mean 'ember'"):
        map_table("embers")

"""Turns by quaternions, against SciPy's rotations."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from granum.shapes.turning import product, random_turns, turned, turned_back

TURNS = random_turns(np.random.default_rng(1), 500, 3)
ROTATIONS = Rotation.from_quat(TURNS[:, [1, 2, 3, 0]])
VECTORS = np.random.default_rng(2).normal(size=(500, 3))


def test_vectors_are_turned_there_and_back():
    assert turned(TURNS, VECTORS) == pytest.approx(ROTATIONS.apply(VECTORS), abs=1e-14)
    assert turned_back(TURNS, VECTORS) == pytest.approx(ROTATIONS.inv().apply(VECTORS), abs=1e-14)


def test_every_turn_of_every_vector():
    every = turned(TURNS[:, None], VECTORS[:7])
    assert every == pytest.approx(np.einsum("nab,kb->nka", ROTATIONS.as_matrix(), VECTORS[:7]),
                                  abs=1e-14)


def test_a_product_turns_by_the_second_first():
    both = turned(product(TURNS, TURNS[::-1]), VECTORS)
    assert both == pytest.approx(turned(TURNS, turned(TURNS[::-1], VECTORS)), abs=1e-14)


def test_chance_prefers_no_direction():
    """The mean of a coordinate of 500 unit vectors has a spread of 1 / sqrt(1500)."""
    for axis in np.eye(3):
        assert np.abs(turned(TURNS, axis).mean(axis=0)).max() < 4.0 / np.sqrt(1500.0)


def test_chance_in_the_plane_turns_about_z():
    flat = random_turns(np.random.default_rng(1), 50, 2)
    assert turned(flat, np.array([0.0, 0.0, 1.0])) == pytest.approx(
        np.tile([0.0, 0.0, 1.0], (50, 1)))

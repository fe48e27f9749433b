"""How close surfaces come, against known cases and a search over points."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial import ConvexHull

from granum.shapes import apart
from granum.shapes.apart import near_boxes
from granum.shapes.closest import closest, surface_of


def tetrahedron(corners):
    return surface_of(np.array(corners, dtype=float),
                      np.array([(0, 2, 1), (0, 1, 3), (1, 2, 3), (2, 0, 3)]))


def sampled(surface, n=40):
    """Points all over the triangles of a surface."""
    u, v = (k.ravel() / n for k in np.indices((n + 1, n + 1)))
    share = np.column_stack((u, v, 1.0 - u - v))[u + v <= 1.0]
    return np.einsum("sk,tkd->tsd", share, surface.points[surface.faces]).reshape(-1, 3)


LOW = tetrahedron([(0, 0, 0), (4, 0, 0), (0, 4, 0), (0, 0, -4)])


@pytest.mark.parametrize(("other", "distance", "near", "vertex"), [
    ([(1, 1, 0.5), (0, 0, 3), (3, 0, 3), (0, 3, 3)], 0.5, 1.0, 0),  # a corner over a face
    ([(-2, 2, 0.3), (2, -2, 0.3), (-3, -3, 3), (-3, -3, 2)], 0.3, 1.0, 0),  # across a corner
    ([(2, 1, 0.7), (2, -1, 0.7), (3, 0, 4), (1, 0, 4)], 0.7, 1.0, 0),
    ([(5, 5, 5), (6, 5, 5), (5, 6, 5), (5, 5, 6)], np.inf, 1.0, 0),
    ([(1, 1, 9), (1.01, 1, -9), (1, 1.1, 9), (1.1, 1.1, 9)], 0.0, 1.0, None),  # goes through
])
def test_two_tetrahedra(other, distance, near, vertex):
    second = tetrahedron(other)
    found = closest(LOW, second, near)
    assert found[0] == pytest.approx(distance, abs=1e-12)
    assert closest(second, LOW, near)[0] == pytest.approx(distance, abs=1e-12)
    if vertex is not None:
        assert found[1] == vertex


def test_sides_that_pass_each_other():
    """No corner of either is near: crossed ridges, one above the other."""
    below = tetrahedron([(-5, 0, 0), (5, 0, 0), (0, 5, -5), (0, -5, -5)])
    above = tetrahedron([(0, -5, 0.25), (0, 5, 0.25), (5, 0, 6), (-5, 0, 6)])
    assert closest(below, above, 1.0)[0] == pytest.approx(0.25, abs=1e-12)
    assert closest(below, above, 0.2)[0] == np.inf


@pytest.mark.parametrize("seed", range(8))
def test_random_bodies(seed):
    """The distance of points all over them is larger, but by no more than their spacing."""
    rng = np.random.default_rng(seed)
    clouds = rng.normal(size=(6, 3)), rng.normal((5.0, 0.0, 0.0), size=(6, 3))
    one, other = (surface_of(x, ConvexHull(x).simplices.astype(np.int64)) for x in clouds)
    a, b = sampled(one), sampled(other)
    brute = min(np.linalg.norm(b - p, axis=1).min() for p in a[::3])
    found, k = closest(one, other, 10.0)
    assert brute - 0.25 < found < brute + 1e-12
    assert k < 6


def test_a_surface_and_itself():
    """Two spikes of one body cross, or are far apart; what shares a vertex does not count."""
    assert closest(LOW, LOW, 1.0)[0] == np.inf
    for lift, crosses in ((0.5, True), (9.0, False)):
        both = surface_of(np.vstack((LOW.points, np.add(LOW.points, (1, 1, lift)))),
                          np.vstack((LOW.faces, LOW.faces + 4)))
        assert (closest(both, both, 1e-9)[0] == 0.0) == crosses


@pytest.mark.parametrize("block", [1, 40, 10**6])
def test_boxes_that_are_near(monkeypatch, block):
    """As found by looking at each pair by itself, in blocks of any size."""
    monkeypatch.setattr(apart, "BLOCK", block)
    rng = np.random.default_rng(3)
    low, other = rng.uniform(0, 5, (30, 3)), rng.uniform(0, 5, (20, 3))
    high, end = low + rng.uniform(0, 1, (30, 3)), other + rng.uniform(0, 1, (20, 3))
    i, j = near_boxes(low, high, other, end, 0.3)
    brute = {(p, q) for p in range(30) for q in range(20)
             if all(max(low[p, k] - end[q, k], other[q, k] - high[p, k]) <= 0.3 for k in range(3))}
    assert set(zip(i.tolist(), j.tolist(), strict=True)) == brute
    assert 0 < len(brute) == len(i) < 600
    assert near_boxes(low[:0], high[:0], other, end, 0.3)[0].shape == (0,)

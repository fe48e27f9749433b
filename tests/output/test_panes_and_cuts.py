"""Scenes that are cut open, and walls of glass: what geometry says, found once more by search."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from granum.output import raster
from granum.output.bodies import bodies_of
from granum.output.colours import decode
from granum.output.picture import NO_CUT, draw

NOWHERE = np.array(NO_CUT)
BOX = ((-1.0, -1.0, -1.0), (1.0, 1.0, 1.0))
FRONT = (-90.0, 0.0)
SIDE = 40


@settings(max_examples=30)
@given(seed=st.integers(0, 1000), tilt=st.sampled_from(["towards", "away", "across"]))
def test_a_cut_z_buffer_equals_a_search_along_the_ray(seed, tilt):
    """Of each ray the highest point that lies in a sphere and is not cut away."""
    rng = np.random.default_rng(seed)
    sphere = np.column_stack([rng.uniform(0, SIDE, (12, 2)), rng.uniform(-9, 9, 12),
                              rng.uniform(1, 9, 12)])
    normal = rng.normal(size=3)
    normal[2] = {"towards": 1.0, "away": -1.0, "across": 0.0}[tilt] * abs(normal[2])
    normal /= np.linalg.norm(normal)
    cut = np.append(normal, normal @ [SIDE / 2, SIDE / 2, rng.uniform(-5, 5)])
    none = np.zeros((0, 2), dtype=int), np.zeros((0, 3), dtype=int)
    bodies, _ = bodies_of(sphere[:, :3], sphere[:, 3], *none)
    depth, owner = bodies.buffers((SIDE, SIDE), cut)
    heights = np.linspace(-20, 20, 4001)
    for row, column in rng.integers(0, SIDE, (25, 2)):
        ray = np.column_stack([np.full(4001, column + 0.5), np.full(4001, row + 0.5), heights])
        far = np.linalg.norm(ray[:, None] - sphere[None, :, :3], axis=2) - sphere[None, :, 3]
        seen = (far.min(axis=1) <= 0) & (ray @ cut[:3] <= cut[3])
        if seen.any():
            top = heights[seen].max()
            # a thin slice between two samples may be missed
            assert depth[row, column] >= top - 1e-3
            if depth[row, column] > top + 0.02:
                found = np.array([column + 0.5, row + 0.5, depth[row, column]])
                i = owner[row, column]
                assert np.linalg.norm(found - sphere[i, :3]) <= sphere[i, 3] + 1e-3
                assert found @ cut[:3] <= cut[3] + 1e-3


def veil_of(corners, cut=NOWHERE, depth=None, density=1.0, slack=0.0):
    veil = np.zeros((SIDE, SIDE), np.float32)
    depth = np.full((SIDE, SIDE), -np.inf, np.float32) if depth is None else depth
    corner = np.asarray(corners, dtype=np.float64).reshape(-1, 9)
    raster.glaze(corner, cut, depth, density, slack, veil)
    return veil


@settings(max_examples=40)
@given(st.lists(st.floats(-5.0, SIDE + 5.0), min_size=6, max_size=6))
def test_a_pane_covers_its_triangle(numbers):
    """The pixels whose centres lie in it, told by barycentric coordinates."""
    corner = np.column_stack([np.array(numbers).reshape(3, 2), np.zeros(3)])
    (ax, ay), (bx, by) = corner[1, :2] - corner[0, :2], corner[2, :2] - corner[0, :2]
    area = ax * by - ay * bx
    if abs(area) < 1.0:
        return
    y, x = np.mgrid[0:SIDE, 0:SIDE] + 0.5
    u = ((x - corner[0, 0]) * by - (y - corner[0, 1]) * bx) / area
    v = ((y - corner[0, 1]) * ax - (x - corner[0, 0]) * ay) / area
    least = np.minimum(np.minimum(u, v), 1 - u - v)
    veil = veil_of(corner)
    assert (veil[least > 1e-6] == 1.0).all()
    assert (veil[least < -1e-6] == 0.0).all()


@settings(max_examples=40)
@given(st.integers(0, 10_000))
def test_two_panes_share_an_edge_without_a_seam(seed):
    rng = np.random.default_rng(seed)
    a, c = rng.uniform(0, SIDE, (2, 3))
    middle, across = 0.5 * (a + c), np.array([-(c - a)[1], (c - a)[0], 0.0])
    b, d = middle + rng.uniform(0.2, 1) * across, middle - rng.uniform(0.2, 1) * across
    b[2] = d[2] = a[2] = c[2] = 0.0
    veil = veil_of([[a, b, c], [a, c, d]])
    assert set(np.unique(veil)) <= {0.0, 1.0}


def test_only_panes_in_front_count_and_those_seen_from_their_side_more():
    a, b, c, d = [0, 0, 1], [SIDE, 0, 1], [SIDE, SIDE, 1], [0, SIDE, 1]
    square = [[a, b, c], [a, c, d]]
    depth = np.full((SIDE, SIDE), 2.0, np.float32)
    depth[:, :20] = 0.0
    veil = veil_of(square, depth=depth, density=0.3)
    assert (veil[:, :20] == np.float32(0.3)).all()
    assert (veil[:, 20:] == 0.0).all()
    assert (veil_of(square, depth=depth, slack=1.1) == 1.0).all()
    tilted = np.array(square, dtype=float)
    tilted[..., 2] = tilted[..., 0]  # by 45 degrees
    assert veil_of(tilted, density=0.3) == pytest.approx(0.3 * np.sqrt(2))
    cut = np.array([1.0, 0.0, 0.0, 10.0])
    assert (veil_of(square, cut)[:, :10] == 1.0).all()
    assert (veil_of(square, cut)[:, 10:] == 0.0).all()


def test_a_cut_ball_shows_a_flat_disc():
    """Of a ball cut through its middle towards the viewer all of the disc has one brightness."""
    ball = ([[0.0, 0.0, 0.0]], [0.8], [[0.9, 0.1, 0.1]])
    whole = draw(*ball, size=(200, 200), view=FRONT, frame=BOX)
    flat = draw(*ball, size=(200, 200), view=FRONT, frame=BOX, cut=((0, 0, 0), (0, -1, 0)))
    inner = (slice(60, 140), slice(60, 140))
    assert np.ptp(decode(flat[inner] / 255.0)[..., 0]) < 0.02
    assert np.ptp(decode(whole[inner] / 255.0)[..., 0]) > 0.1
    gone = draw(*ball, size=(200, 200), view=FRONT, frame=BOX, cut=((0, 0, -0.81), (0, 0, 1)))
    empty = draw(np.zeros((0, 3)), np.zeros(0), np.zeros((0, 3)), size=(200, 200), view=FRONT,
                 frame=BOX)
    assert np.array_equal(gone, empty)


def test_lines_end_at_the_cut():
    line = [np.array([[-0.9, 0.0, 0.0], [0.9, 0.0, 0.0]])]
    nothing = (np.zeros((0, 3)), np.zeros(0), np.zeros((0, 3)))
    whole, half = (draw(*nothing, line, size=(200, 200), view=FRONT, frame=BOX, cut=cut)
                   for cut in (None, ((0, 0, 0), (1, 0, 0))))
    empty = draw(*nothing, size=(200, 200), view=FRONT, frame=BOX)
    drawn = [(image != empty).any(axis=2).any(axis=0) for image in (whole, half)]
    assert drawn[0].sum() == pytest.approx(162, abs=3)
    assert np.array_equal(drawn[0][:98], drawn[1][:98])
    assert not drawn[1][103:].any()

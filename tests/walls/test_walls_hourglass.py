"""The hourglass as a whole: every place of it met once, nothing met that is not there.

Seen from inside, a side is two slopes that share the slot's edge, which sticks out. In the plane
across the edge the exact distance to the two is a textbook one; the pieces must reproduce it with
exactly one answer for each side.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.spatial import cKDTree

from granum.errors import InputError
from granum.walls import Hourglass, clearance, closest, make_table

SLOPES = [
    pytest.param({"width": 0.1, "height": 0.1, "slot": 0.02}, id="published"),
    pytest.param({"width": 0.1, "height": 1.0, "slot": 0.06}, id="steep"),
    pytest.param({"width": 0.4, "height": 0.02, "slot": 0.05}, id="flat"),
]
CENTRE = (0.3, -0.2, 0.7)


def measure(table, w, p):
    return np.array(closest(table.kind, table.data, w, 0.0, *p))


def two_slopes(glass, out, z):
    """Distance of (out, z) to both slopes of a side, drawn in the plane across its edge."""
    least = math.inf
    for sign in (-1.0, 1.0):
        a = np.array([0.5 * glass.slot, 0.0])
        e = np.array([0.5 * (glass.width - glass.slot), sign * 0.5 * glass.height])
        p = np.array([out, z]) - a
        s = min(max(p @ e / (e @ e), 0.0), 1.0)
        least = min(least, math.hypot(*(p - s * e)))
    return least


def neck_points(glass, rng, count):
    """Points in the hole of the slot and close above and below it."""
    half, reach = 0.5 * glass.slot, 0.25 * min(glass.slot, glass.height)
    points = rng.uniform(-1, 1, size=(count, 3)) * (half, half, reach)
    points[: count // 4, 2] = 0.0  # the very plane of the slot, where both slopes end
    return points


@pytest.mark.parametrize("sizes", SLOPES)
def test_each_square_side_answers_once_in_the_neck(sizes):
    rng = np.random.default_rng(1)
    glass = Hourglass(**sizes, centre=CENTRE)
    table = make_table([glass])
    sides = {"+x": (1, 0), "+y": (0, 1), "-x": (-1, 0), "-y": (0, -1)}
    for local in neck_points(glass, rng, 200):
        for name, towards in sides.items():
            pieces = [table.names.index(f"hourglass: {half} {name}") for half in ("upper", "lower")]
            found = [measure(table, w, local + CENTRE) for w in pieces]
            answers = [row for row in found if row[0] < np.inf]
            assert len(answers) == 1
            exact = two_slopes(glass, local[:2] @ towards, local[2])
            assert answers[0][0] == pytest.approx(exact, abs=1e-14)


@pytest.mark.parametrize("sizes", SLOPES)
def test_a_round_glass_answers_once_in_the_neck(sizes):
    rng = np.random.default_rng(2)
    glass = Hourglass(**sizes, section="round", centre=CENTRE)
    table = make_table([glass])
    pieces = [table.names.index(f"hourglass: {half} cone") for half in ("upper", "lower")]
    for local in neck_points(glass, rng, 400):
        if np.hypot(local[0], local[1]) > 0.5 * glass.slot:
            continue
        answers = [row for row in (measure(table, w, local + CENTRE) for w in pieces)
                   if row[0] < np.inf]
        assert len(answers) == 1
        exact = two_slopes(glass, np.hypot(local[0], local[1]), local[2])
        assert answers[0][0] == pytest.approx(exact, abs=1e-14)


@pytest.mark.parametrize("section", ["square", "round"])
@pytest.mark.parametrize("sizes", SLOPES)
def test_a_grain_rolling_round_the_edge_feels_one_smooth_contact(sizes, section):
    """Face, edge, face: along a circle about the edge the one answer never jumps or doubles."""
    glass = Hourglass(**sizes, section=section)
    table = make_table([glass])
    radius = 0.1 * min(glass.slot, glass.height, glass.width - glass.slot)
    steep = math.atan2(glass.height, glass.width - glass.slot)
    angles = np.linspace(steep + 0.05, 2 * np.pi - steep - 0.05, 200)
    last = None
    kinds = set()
    for angle in angles:
        p = np.array([0.5 * glass.slot + radius * math.cos(angle), 0.0, radius * math.sin(angle)])
        near = [found for found in (measure(table, w, p) for w in range(len(table.kind)))
                if found[0] <= radius * (1 + 1e-12)]
        assert len(near) == 1
        foot = p + near[0][0] * near[0][1:]
        kinds.add("edge" if abs(foot[2]) < 1e-12 * glass.height else np.sign(foot[2]))
        if last is not None:
            assert np.abs(near[0][1:] - last).max() < 3 * (angles[1] - angles[0])
        last = near[0][1:]
    assert kinds == {"edge", 1.0, -1.0}


@pytest.mark.parametrize("sizes", SLOPES)
def test_the_slot_edge_belongs_to_the_upper_half(sizes):
    for section in ("square", "round"):
        glass = Hourglass(**sizes, section=section)
        table = make_table([glass])
        p = np.array([0.3 * glass.slot, 0.0, 0.0])
        touched = [name for w, name in enumerate(table.names)
                   if measure(table, w, p)[0] < 0.21 * glass.slot]
        touched = [name for name in touched if not name.endswith(("floor", "lid"))]
        assert touched == ["hourglass: upper +x" if section == "square" else
                           "hourglass: upper cone"]


@pytest.mark.parametrize("sizes", SLOPES)
def test_hollow_edges_of_a_square_glass_never_answer(sizes):
    """From inside, a side is met across its face or at the slot, nowhere else on its rim."""
    rng = np.random.default_rng(4)
    glass = Hourglass(**sizes)
    table = make_table([glass])
    points = rng.uniform(*glass.bounds(), size=(400, 3))
    points = points[glass.contains(points)]
    rise, run = glass.height, glass.width - glass.slot
    silent = 0
    for w, name in enumerate(table.names[2:], start=2):
        out = np.array({"x": (1.0, 0, 0), "y": (0, 1.0, 0)}[name[-1]]) * float(name[-2] + "1")
        across = out * rise + np.array([0, 0, -run if "upper" in name else run])
        across /= math.hypot(rise, run)
        for p in points:
            distance, *n = measure(table, w, p)
            silent += distance == np.inf
            if distance < np.inf and abs(p[2] + distance * n[2]) > 1e-12:
                np.testing.assert_allclose(n, across, atol=1e-12)
    assert silent > 0


def sample(glass, steps=60):
    """Points on the whole surface, and their greatest distance from each other."""
    t = np.linspace(-1.0, 1.0, 2 * steps + 1)
    reach = 0.5 * glass.slot + 0.5 * (glass.width - glass.slot) * np.abs(t)
    z = 0.5 * glass.height * t
    u = np.linspace(-1.0, 1.0, 2 * steps + 1)
    if glass.section == "square":
        rim = np.concatenate([np.stack([1 + 0 * u, u]), np.stack([u, 1 + 0 * u]),
                              np.stack([-1 + 0 * u, u]), np.stack([u, -1 + 0 * u])], axis=1)
    else:
        rim = np.stack([np.cos(np.pi * u), np.sin(np.pi * u)])
    rings = (reach[:, None] * rim[0], reach[:, None] * rim[1], z[:, None] + 0 * rim[0])
    side = np.stack(rings, axis=-1).reshape(-1, 3)
    lids = [np.stack([s * 0.5 * glass.width * rim[0], s * 0.5 * glass.width * rim[1],
                      level * 0.5 * glass.height + 0 * rim[0]], axis=-1)
            for level in (-1, 1) for s in np.linspace(0, 1, steps)]
    spacing = (np.pi * glass.width + glass.height + glass.width) / (2 * steps)
    return np.concatenate([side, *lids]) + glass.centre, spacing


@pytest.mark.parametrize("section", ["square", "round"])
@pytest.mark.parametrize("sizes", SLOPES)
def test_from_inside_the_whole_glass_is_met_at_its_closest_point(sizes, section):
    """Edges left out are never the closest place, so none is missing."""
    rng = np.random.default_rng(3)
    glass = Hourglass(**sizes, section=section, centre=CENTRE)
    low, high = glass.bounds()
    points = rng.uniform(low, high, size=(4000, 3))
    points = points[glass.contains(points)]
    assert len(points) > 300
    distance = clearance(make_table([glass]), points, 0.0)
    surface, spacing = sample(glass)
    sampled, _ = cKDTree(surface).query(points)
    assert (distance <= sampled + 1e-12).all()
    assert (sampled <= distance + spacing).all()


def test_contains_follows_the_section():
    corner = np.array([[0.009, 0.009, 0.0], [0.045, 0.045, 0.049], [0.0, 0.0, 0.051],
                       [0.011, 0.0, 0.0], [0.0, 0.0, -0.049], [0.02, 0.0, -0.02]])
    assert Hourglass().contains(corner).tolist() == [True, True, False, False, True, True]
    rounded = Hourglass(section="round").contains(corner)
    assert rounded.tolist() == [False, False, False, False, True, True]


def test_bad_glasses_are_refused_by_name():
    with pytest.raises(InputError, match=r"Hourglass slot must be narrower .*0\.1 m.*got 0\.2 m"):
        Hourglass(slot=0.2)
    with pytest.raises(InputError, match="Hourglass slot must be narrower"):
        Hourglass(width=0.1, slot=0.1)
    with pytest.raises(InputError, match="Hourglass height must be greater than 0"):
        Hourglass(height=0.0)
    with pytest.raises(InputError, match=r'section must be one of "square", "round".*"round"'):
        Hourglass(section="rond")

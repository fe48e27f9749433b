import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from place_twin import all_pairs, box_walls, deepest

from granum.errors import InputError
from granum.world.place import Lattice, Random, Space, overlapping_pairs

INF = math.inf
BOX = Space(low=(0, 0, 0), high=(0.1, 0.1, 0.1), fits=box_walls((0, 0, 0), (0.1, 0.1, 0.1)))


def rng(seed=1):
    return np.random.default_rng(seed)


def same_bits(one, other):
    return one.points.tobytes() == other.points.tobytes() and (
        one.radii.tobytes() == other.radii.tobytes()
    )


def ferrez_walls(radius):
    """Return the answer of a vertical cylinder, closed below, open above."""
    return lambda points, radii: (np.hypot(points[:, 0], points[:, 1]) + radii <= radius) & (
        points[:, 2] >= radii
    )


def test_density_of_the_bulk_is_keplers():
    """pi / (3 sqrt 2) = 0.74048 for touching spheres, in a cell that the lattice fills."""
    r = 0.003
    d = 2.0 * r
    cell = (6 * d, 4 * math.sqrt(3.0) * d, 3 * math.sqrt(6.0) * d)
    placed = Lattice(r, spacing=d).place(Space(periodic=cell), rng())
    density = len(placed) * 4.0 / 3.0 * math.pi * r**3 / math.prod(cell)
    assert density == pytest.approx(math.pi / (3.0 * math.sqrt(2.0)), rel=1e-12)
    assert density == pytest.approx(0.74048, abs=5e-6)
    i, _, depth = all_pairs(placed.points, placed.radii, cell)
    touching = np.abs(depth) < 1e-14
    assert touching.sum() == 6 * len(placed)  # twelve neighbours each
    assert depth.max() < 1e-15
    assert len(overlapping_pairs(placed.points, placed.radii, cell)[0]) == 0
    assert len(np.unique(i[touching])) > len(placed) // 2


def test_second_neighbours_are_those_of_face_centred_cubic():
    """Six at sqrt(2) D; hexagonal close packing would add two at sqrt(8/3) D."""
    cell = (6.0, 4 * math.sqrt(3.0), 3 * math.sqrt(6.0))
    placed = Lattice(0.5, spacing=1.0).place(Space(periodic=cell), rng())
    distance = 1.0 - all_pairs(placed.points, placed.radii, cell)[2]
    shells = [round(2.0 * np.isclose(distance, shell).sum() / len(placed), 9)
              for shell in (1.0, math.sqrt(2.0), math.sqrt(8.0 / 3.0), math.sqrt(3.0))]
    assert shells == [12, 6, 0, 24]


def test_density_of_discs_is_hexagonal():
    cell = (7.0, 4 * math.sqrt(3.0), None)
    placed = Lattice(0.5, spacing=1.0).place(Space(dimension=2, periodic=cell), rng())
    assert len(placed) * math.pi / 4.0 / (cell[0] * cell[1]) == pytest.approx(
        math.pi / math.sqrt(12.0), rel=1e-12
    )
    assert not placed.points[:, 2].any()
    assert deepest(placed.points, placed.radii, cell) < 1e-14


def test_row_distances():
    placed = Lattice(1e-3, spacing=2.5e-3).place(BOX, rng())
    d = 2.5e-3
    for axis, row in enumerate([d / 2.0, d * math.sqrt(3.0) / 6.0, d * math.sqrt(2.0 / 3.0)]):
        steps = np.diff(np.unique(placed.points[:, axis].round(12)))
        np.testing.assert_allclose(steps, row, rtol=1e-6)
    first_layer = placed.points[placed.points[:, 2] < 1.1e-3]
    rows = np.diff(np.unique(first_layer[:, 1].round(12)))
    np.testing.assert_allclose(rows, d * math.sqrt(3.0) / 2.0, rtol=1e-6)


def test_default_spacing_leaves_one_per_cent():
    placed = Lattice(2e-3, spread=0.02).place(BOX, rng())
    gaps = np.diff(np.unique(placed.points[placed.points[:, 2] < 2.1e-3][:, 0].round(12)))
    np.testing.assert_allclose(gaps, 2.02 * 2e-3 * 1.02 / 2.0, rtol=1e-6)


def test_touching_neighbours_do_not_overlap_by_rounding():
    """Not even in the last bit, however far from the origin."""
    space = Space(low=(7.7, -3.1, 100.3), high=(8.31, -2.49, 100.93))
    placed = Lattice(0.03, spacing=0.06).place(space, rng())
    assert len(placed) > 500
    depth = all_pairs(placed.points, placed.radii)[2]
    assert depth.max() <= 0.0
    assert depth.max() > -1e-12


def test_a_box_cut_to_measure_is_filled():
    """Ten touching discs fill a box ten diameters wide, walls strict to the last bit."""
    high = (10 * 0.2, 0.2 + 4 * 0.2 * math.sqrt(0.75), 0.0)
    walls = box_walls((0, 0, -1), (*high[:2], 1))
    space = Space(dimension=2, low=(0, 0, 0), high=high, fits=walls)
    placed = Lattice(0.1, spacing=0.2).place(space, rng())
    assert len(placed) == 10 + 9 + 10 + 9 + 10
    assert len(overlapping_pairs(placed.points, placed.radii)[0]) == 0


def test_the_lattice_stands_on_the_bottom_and_in_the_middle():
    placed = Lattice(3e-3).place(BOX, rng())
    low, high = placed.points.min(axis=0), placed.points.max(axis=0)
    assert low[2] == pytest.approx(3e-3)
    np.testing.assert_allclose((low + high)[:2] / 2.0, 0.05, atol=3e-3 / 2)
    assert (low >= 3e-3 - 1e-15).all()
    assert (high <= 0.097 + 1e-15).all()


@settings(deadline=None, max_examples=40)
@given(radius=st.floats(0.35, 0.5), spread=st.sampled_from([0.0, 0.02, 0.3]),
       periodic=st.tuples(*[st.sampled_from([None, 2.0])] * 3), dimension=st.sampled_from([2, 3]),
       low=st.floats(-3.0, 3.0), seed=st.integers(0, 999))
def test_never_an_overlap(radius, spread, periodic, dimension, low, seed):
    """Three phases, any direction periodic, regions anywhere in and across the cell."""
    space = Space(dimension=dimension, low=[low] * 3, high=[low + 2.0] * 3, periodic=periodic)
    phases = [Random(radius, 1, spread=spread),
              Lattice(radius / 3.0, spread=spread, probability=0.5),
              Lattice(radius / 6.0, probability=0.3)]
    for phase in phases:
        space = space.with_grains(phase.place(space, rng(seed)))
    assert deepest(space.points, space.radii, periodic) <= 0.0
    for axis in range(3):
        if periodic[axis] is None and axis < dimension:
            assert (space.points[:, axis] - space.radii >= low - 1e-12).all()
            assert (space.points[:, axis] + space.radii <= low + 2.0 + 1e-12).all()
        elif periodic[axis] is not None:
            assert (space.points[:, axis] >= 0.0).all()
            assert (space.points[:, axis] < periodic[axis]).all()
    if dimension == 2:
        assert not space.points[:, 2].any()


def test_periodic_rows_close_without_a_seam():
    """Stretched to a whole number of rows: every grain has its neighbours within the stretch."""
    cell = (0.73, 0.67, 0.8)
    placed = Lattice(0.04).place(Space(periodic=cell), rng())
    i, j, depth = all_pairs(placed.points, placed.radii, cell)
    near = 0.08 - depth < 0.0808 * 1.25
    partners = np.bincount(np.concatenate([i[near], j[near]]), minlength=len(placed))
    assert (partners == 12).all()
    assert depth.max() < 0.0


def test_a_region_longer_than_the_cell_is_the_cell():
    """Otherwise the same places would be used twice."""
    space = Space(periodic=(1.0, 1.0, 1.0))
    whole = Lattice(0.05, low=(0, 0, 0), high=(1, 1, 1)).place(space, rng())
    longer = Lattice(0.05, low=(0, 0, 0), high=(2.5, 1.7, 1)).place(space, rng())
    assert same_bits(whole, longer)
    assert deepest(whole.points, whole.radii, space.periodic) < 0.0


def test_height_bounds_the_centres():
    for height in (0.004, 0.0353, 0.07):
        placed = Lattice(3e-3, height=height).place(BOX, rng())
        assert placed.points[:, 2].max() <= height
        assert placed.points[:, 2].max() > height - 2.02 * 3e-3 * math.sqrt(2.0 / 3.0)


def test_height_stands_in_for_an_open_top():
    space = replace(BOX, high=np.array([0.1, 0.1, INF]), fits=ferrez_walls(1.0))
    placed = Lattice(3e-3, height=0.2).place(space, rng())
    assert 0.19 < placed.points[:, 2].max() <= 0.2


def test_height_is_above_the_bottom_of_the_region_and_along_y_in_2d():
    region = {"low": (0.0, 0.02, 0.0), "high": (0.1, 0.1, 0.1)}
    flat = Lattice(3e-3, height=0.03, **region).place(replace(BOX, dimension=2, fits=ferrez_all),
                                                      rng())
    assert 0.04 < flat.points[:, 1].max() <= 0.05
    assert flat.points[:, 1].min() == pytest.approx(0.023)


def ferrez_all(points, radii):
    return np.ones(len(radii), dtype=bool)


def test_height_in_a_periodic_direction_keeps_clear_of_the_cell_end():
    cell = (0.1, 0.1, 0.1)
    placed = Lattice(5e-3, height=0.098).place(Space(periodic=cell), rng())
    assert deepest(placed.points, placed.radii, cell) < 0.0
    assert (placed.points[:, 2] <= 0.095).all()
    assert (placed.points[:, 2] >= 0.005).all()


def test_probability_thins_out():
    everything = len(Lattice(1.2e-3).place(BOX, rng()))
    for chance in (0.1, 0.5, 0.9):
        got = len(Lattice(1.2e-3, probability=chance).place(BOX, rng()))
        sigma = math.sqrt(everything * chance * (1.0 - chance))
        assert abs(got - chance * everything) < 5.0 * sigma


def test_spread_is_uniform_within_its_limits():
    radii = Lattice(1.2e-3, spread=0.1).place(BOX, rng()).radii / 1.2e-3
    assert 0.9 <= radii.min() < 0.901
    assert 1.099 < radii.max() <= 1.1
    assert radii.mean() == pytest.approx(1.0, abs=5 * 0.1 / math.sqrt(3 * len(radii)))
    assert radii.std() == pytest.approx(0.1 / math.sqrt(3.0), rel=0.02)


def test_count_fills_from_the_bottom_up():
    everything = Lattice(2e-3, spread=0.01).place(BOX, rng())
    some = Lattice(2e-3, spread=0.01, count=777).place(BOX, rng())
    assert len(some) == 777
    assert np.array_equal(some.points, everything.points[:777])
    assert (np.diff(everything.points[:, 2]) >= 0.0).all()
    flat = Lattice(2e-3, count=77).place(replace(BOX, dimension=2, fits=ferrez_all), rng())
    assert (np.diff(flat.points[:, 1]) >= 0.0).all()


def test_count_needs_no_more_of_a_huge_region_than_it_uses():
    space = Space(low=(0, 0, 0), high=(0.1, 0.1, 1e4))
    assert len(Lattice(1e-3, count=5000).place(space, rng())) == 5000


def test_phases_of_ferrez():
    """Large, medium, small in a cylinder open at the top: each takes what is left."""
    space = Space(low=(-0.02, -0.02, 0), high=(0.02, 0.02, INF), fits=ferrez_walls(0.02))
    counts, alone = [], []
    phases = [Lattice(6e-3, height=0.03, probability=0.7, spread=0.02),
              Lattice(3e-3, height=0.033, probability=0.6, spread=0.02),
              Lattice(1.3e-3, height=0.036, spread=0.02)]
    generator = rng(3)
    for phase in phases:
        alone.append(len(phase.place(replace(space, points=np.zeros((0, 3)), radii=np.zeros(0)),
                                     rng(3))))
        placed = phase.place(space, generator)
        counts.append(len(placed))
        space = space.with_grains(placed)
    assert counts[0] < counts[1] < counts[2]
    assert counts[1] < alone[1]
    assert counts[2] < alone[2]
    assert deepest(space.points, space.radii) < 0.0
    assert len(overlapping_pairs(space.points, space.radii)[0]) == 0
    assert ferrez_walls(0.02)(space.points, space.radii * (1 - 1e-12)).all()


def test_earlier_grains_change_only_their_neighbourhood():
    lattice = Lattice(2e-3, probability=0.5, spread=0.05)
    empty = lattice.place(BOX, rng())
    ball = replace(BOX, points=np.full((1, 3), 0.05), radii=np.array([0.02]))
    around = lattice.place(ball, rng())
    clear = np.linalg.norm(empty.points - 0.05, axis=1) >= 0.02 + empty.radii
    assert np.array_equal(around.points, empty.points[clear])
    assert np.array_equal(around.radii, empty.radii[clear])


def test_same_seed_same_bits():
    lattice = Lattice(2e-3, probability=0.5, spread=0.05)
    assert same_bits(lattice.place(BOX, rng(5)), lattice.place(BOX, rng(5)))
    assert not same_bits(lattice.place(BOX, rng(5)), lattice.place(BOX, rng(6)))


@pytest.mark.parametrize(("fields", "message"), [
    ({"radius": 0.0}, "Lattice radius must be greater than 0"),
    ({"radius": math.nan}, "Lattice radius must be a finite"),
    ({"radius": 1.0, "spacing": 1.99}, r"Lattice spacing must be at least .* = 2 m.*got 1.99"),
    ({"radius": 1.0, "spread": 0.1, "spacing": 2.1}, r"Lattice spacing must be .* = 2.2 m"),
    ({"radius": 1.0, "probability": 0.0}, "Lattice probability must be greater than 0"),
    ({"radius": 1.0, "probability": 1.1}, "Lattice probability must be at most 1"),
    ({"radius": 1.0, "spread": 1.0}, "Lattice spread must be less than 1"),
    ({"radius": 1.0, "height": -1.0}, "Lattice height must be greater than 0"),
    ({"radius": 1.0, "count": 0}, "Lattice count must be at least 1"),
    ({"radius": 1.0, "count": 2.5}, "Lattice count must be a whole number, got 2.5"),
    ({"radius": 1.0, "low": (0, 1)}, r"Lattice low must have shape \(3\)"),
    ({"radius": 1.0, "low": (0, 1, 0), "high": (1, 0, 1)}, "Lattice high must not be below low"),
])
def test_wrong_fields_are_named(fields, message):
    with pytest.raises(InputError, match=message):
        Lattice(**fields)


@pytest.mark.parametrize(("lattice", "space", "message"), [
    (Lattice(1e-3), replace(BOX, high=np.array([0.1, 0.1, INF])),
     "Lattice high must be given: the container is open on its upper side in z"),
    (Lattice(1e-3, height=0.1), Space(), "Lattice low must be given: .* lower side in x"),
    (Lattice(0.06), BOX, "Lattice: the region is 0.1 m long in x, too thin .* need 0.12 m"),
    (Lattice(1e-3, height=5e-4), BOX, "Lattice height = 0.0005 m leaves no room"),
    (Lattice(1e-3, height=5e-4), replace(BOX, high=np.array([0.1, 0.1, INF])), "leaves no room"),
    (Lattice(1e-6), BOX, "Lattice: a spacing of 2.02e-06 m gives .* places .* check the units"),
    (Lattice(5e-3, count=9999), BOX, r"Lattice count = 9999 .* do not fit .*: \d+ found a place"),
    (Lattice(5e-3), replace(BOX, fits=lambda points, radii: radii > 1.0),
     "Lattice: no place is free"),
    (Lattice(0.02), Space(periodic=(0.1, 0.05, 0.1)),
     "periodic cell is 0.05 m long in y, but the lattice repeats only after 0.0699"),
])
def test_what_cannot_be_placed_is_explained(lattice, space, message):
    with pytest.raises(InputError, match=message):
        lattice.place(space, rng())

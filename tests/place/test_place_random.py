import math
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from place_twin import box_walls, deepest

from granum.errors import InputError
from granum.world.place import Lattice, Random, Space, overlapping_pairs

UNIT = Space(low=(0, 0, 0), high=(1, 1, 1))


def rng(seed=1):
    return np.random.default_rng(seed)


@settings(deadline=None, max_examples=40)
@given(radius=st.floats(0.01, 0.1), spread=st.sampled_from([0.0, 0.3, 0.9]),
       periodic=st.tuples(*[st.sampled_from([None, 1.0])] * 3), dimension=st.sampled_from([2, 3]),
       low=st.floats(-2.0, 2.0), seed=st.integers(0, 999))
def test_never_an_overlap(radius, spread, periodic, dimension, low, seed):
    space = Space(dimension=dimension, low=[low] * 3, high=[low + 1.0] * 3, periodic=periodic)
    size = math.pi * radius**2 if dimension == 2 else 4.2 * radius**3
    for scale in (1.0, 0.5, 1.0 / 35.0):
        count = max(1, min(60, int(0.05 / (size * scale**dimension))))
        placed = Random(radius * scale, count, spread=spread).place(space, rng(seed))
        assert len(placed) == count
        assert not placed.velocities.any()
        space = space.with_grains(placed)
    assert deepest(space.points, space.radii, periodic) <= 0.0
    for axis in range(dimension):
        if periodic[axis] is None:
            assert (space.points[:, axis] - space.radii >= low - 1e-12).all()
            assert (space.points[:, axis] + space.radii <= low + 1.0 + 1e-12).all()
        else:
            assert ((space.points[:, axis] >= 0.0) & (space.points[:, axis] < 1.0)).all()
    if dimension == 2:
        assert not space.points[:, 2].any()


def test_thirty_per_cent_by_volume():
    radius = (0.3 * 0.75 / math.pi / 1500) ** (1.0 / 3.0)
    cell = (1.0, 1.0, 1.0)
    placed = Random(radius, 1500).place(Space(periodic=cell), rng())
    assert len(placed) == 1500
    assert deepest(placed.points, placed.radii, cell) <= 0.0
    assert len(overlapping_pairs(placed.points, placed.radii, cell)[0]) == 0


def test_a_mix_of_one_to_thirty_five():
    space = Space(periodic=(1.0, 1.0, None), low=(0, 0, 0), high=(1, 1, 1))
    for entry in (Random(0.14, 6), Random(0.14 / 35.0, 1500), Random(0.03, 50)):
        space = space.with_grains(entry.place(space, rng()))
    assert deepest(space.points, space.radii, space.periodic) <= 0.0


def test_places_are_uniform():
    points = Random(1e-4, 6000).place(UNIT, rng()).points
    np.testing.assert_allclose(points.mean(axis=0), 0.5, atol=5 / math.sqrt(12 * 6000))
    np.testing.assert_allclose(points.std(axis=0), math.sqrt(1 / 12), rtol=0.03)


def test_crowding_does_not_favour_small_grains():
    """Sizes are drawn before places, so their mean is kept however full the box is."""
    radii = Random(0.05, 400, spread=0.5).place(UNIT, rng()).radii
    assert radii.mean() == pytest.approx(0.05, abs=5 * 0.025 / math.sqrt(3 * 400))
    assert (np.abs(radii / 0.05 - 1.0) <= 0.5).all()
    sparse = Random(0.05, 400, spread=0.5).place(Space(low=(0, 0, 0), high=(9, 9, 9)), rng()).radii
    assert np.array_equal(radii, sparse)


def test_region_and_walls_are_kept():
    walls = box_walls((0, 0, 0), (0.5, 1, 1))
    space = Space(low=(0, 0, 0), high=(1, 1, 1), fits=walls)
    placed = Random(0.02, 300, low=(0.1, 0.2, 0.3), high=(0.9, 0.8, 0.7)).place(space, rng())
    assert walls(placed.points, placed.radii).all()
    assert (placed.points >= np.array([0.1, 0.2, 0.3]) + 0.02 - 1e-12).all()
    assert (placed.points <= np.array([0.9, 0.8, 0.7]) - 0.02 + 1e-12).all()


def test_grains_lie_across_a_periodic_boundary():
    placed = Random(0.05, 100).place(Space(periodic=(1.0, 1.0, 1.0)), rng())
    assert (placed.points < 0.05).any(axis=0).all()


def test_same_seed_same_bits():
    one, other = (Random(0.03, 500, spread=0.2).place(UNIT, rng(8)) for _ in range(2))
    assert one.points.tobytes() == other.points.tobytes()
    assert one.radii.tobytes() == other.radii.tobytes()
    another = Random(0.03, 500, spread=0.2).place(UNIT, rng(9))
    assert another.points.tobytes() != one.points.tobytes()


def test_too_full_says_how_far_it_came():
    with pytest.raises(InputError) as caught:
        Random(0.05, 1000, attempts=100).place(UNIT, rng())
    message = str(caught.value)
    found = re.search(r"places: (\d+) were placed.* fraction of ([\d.]+) %", message)
    assert found is not None
    placed, percent = int(found[1]), float(found[2])
    assert 400 < placed < 800
    assert percent == pytest.approx(placed * 400.0 / 3.0 * math.pi * 0.05**3, abs=0.051)
    for part in ("count = 1000", "Lower count or radius", "attempts (now 100)", "Lattice"):
        assert part in message


def test_too_full_counts_the_grains_before_and_names_the_area_in_2d():
    space = Space(dimension=2, low=(0, 0, 0), high=(1, 1, 0))
    space = space.with_grains(Lattice(0.1, spacing=0.2).place(space, rng()))
    filled = len(space.radii) * math.pi
    with pytest.raises(InputError, match=rf"0 were placed.* area fraction of {filled:.1f} %"):
        Random(0.08, 3).place(space, rng())


class Counting:
    """A container without walls that counts the places it was asked about."""

    asked = 0

    def __call__(self, points, radii):
        self.asked += len(radii)
        return np.ones(len(radii), dtype=bool)


@pytest.mark.parametrize(("dimension", "densest"), [(2, 0.9069), (3, 0.7405)])
@pytest.mark.parametrize("periodic", [False, True])
def test_more_than_any_packing_holds_is_refused_before_a_place_is_tried(dimension, densest,
                                                                        periodic):
    size = math.pi * 0.01**2 if dimension == 2 else 4.0 / 3.0 * math.pi * 0.01**3
    fits = Counting()
    cell = (1.0, 1.0, 1.0) if periodic else (None, None, None)
    space = Space(dimension=dimension, low=(0, 0, 0), high=(1, 1, 1), fits=fits, periodic=cell)
    for spread, limit, words in ((0.0, densest, "of equal grains takes"), (0.3, 1.2, "takes")):
        with pytest.raises(InputError, match=rf"cannot fit.*no packing {words} more than"):
            Random(0.01, int(1.001 * limit / size), spread=spread).place(space, rng())
    assert fits.asked == 0


@pytest.mark.parametrize("spread", [0.0, 0.2])
def test_what_stalls_is_refused_long_before_all_attempts_are_used(spread):
    """Half of the volume: no place is left beyond 38 %, and there are 5 million attempts."""
    fits = Counting()
    space = Space(low=(0, 0, 0), high=(1, 1, 1), fits=fits)
    count = int(0.5 / (4.0 / 3.0 * math.pi * 0.016**3))
    with pytest.raises(InputError, match="do not fit at random places") as refusal:
        Random(0.016, count, spread=spread).place(space, rng())
    found = float(re.search(r"fraction of ([\d.]+) %", str(refusal.value))[1])
    assert 30.0 < found < 40.0
    assert fits.asked < 0.7 * 200 * count


@pytest.mark.parametrize("fraction", [0.33, 0.35])
def test_a_nearly_full_box_is_still_filled(fraction):
    """Free places are rare towards the end, but the attempts left are enough."""
    radius = (fraction * 0.75 / math.pi / 800) ** (1.0 / 3.0)
    placed = Random(radius, 800, attempts=1000).place(Space(periodic=(1.0, 1.0, 1.0)), rng())
    assert len(placed) == 800


def test_walls_that_refuse_everything_are_blamed():
    space = Space(low=(0, 0, 0), high=(1, 1, 1), fits=lambda points, radii: radii > 1.0)
    with pytest.raises(InputError, match="walls refused 100 % of the places"):
        Random(0.05, 3).place(space, rng())


@pytest.mark.parametrize(("fields", "message"), [
    ({"radius": -1.0, "count": 1}, "Random radius must be greater than 0, got -1"),
    ({"radius": 1.0, "count": 0}, "Random count must be at least 1, got 0"),
    ({"radius": 1.0, "count": True}, "Random count must be a whole number"),
    ({"radius": 1.0, "count": 1, "attempts": 0}, "Random attempts must be at least 1"),
    ({"radius": 1.0, "count": 1, "spread": -0.1}, "Random spread must be at least 0"),
    ({"radius": 1.0, "count": 1, "high": (1, math.inf, 1)}, "Random high must be finite"),
])
def test_wrong_fields_are_named(fields, message):
    with pytest.raises(InputError, match=message):
        Random(**fields)


@pytest.mark.parametrize(("space", "message"), [
    (Space(), "Random low must be given"),
    (Space(low=(0, 0, 0)), "Random high must be given"),
    (Space(low=(0, 0, 0), high=(1, 0.1, 1)), "Random: the region is 0.1 m long in y"),
    (Space(periodic=(1.0, 0.15, 1.0)), "Random: the region is 0.15 m long in y"),
])
def test_regions_that_cannot_be_are_refused(space, message):
    with pytest.raises(InputError, match=message):
        Random(0.1, 1).place(space, rng())


@pytest.mark.parametrize("dimension", [2, 3])
def test_a_gas_has_one_speed_in_all_directions(dimension):
    space = Space(dimension=dimension, low=(0, 0, 0), high=(1, 1, 1))
    still = Random(1e-3, 4000).place(space, rng())
    gas = Random(1e-3, 4000, speed=0.3).place(space, rng())
    assert np.array_equal(gas.points, still.points)  # chance has the same places
    v = gas.velocities[:, :dimension]
    assert np.linalg.norm(gas.velocities, axis=1) == pytest.approx(0.3)
    assert (gas.velocities[:, dimension:] == 0.0).all()
    # means of 4000 directions: a standard deviation of 1/sqrt(4000 d) and less
    assert np.abs(v.mean(axis=0) / 0.3).max() < 4.0 / math.sqrt(4000 * dimension)
    assert v.T @ v / 4000 == pytest.approx(0.09 / dimension * np.eye(dimension), abs=0.005)


def test_a_speed_is_not_negative():
    with pytest.raises(InputError, match="Random speed must be at least 0"):
        Random(0.1, 3, speed=-1.0)

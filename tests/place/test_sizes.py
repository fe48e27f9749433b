"""Sizes of grains against closed forms of their distributions."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from granum.errors import InputError
from granum.sizes import ByMass, ByNumber, LogNormal, Normal, Plain, Sieve, Uniform
from granum.sizes.mixture import apportioned
from granum.world.place import Lattice, Random, Space

MANY = 20_000
KOLMOGOROV = 1.95  # sqrt(n) D stays below this for 999 of 1000 samples of the right distribution


def phi(x):
    return 0.5 * math.erfc(-x / math.sqrt(2.0))


def cut_normal(x, low, high):
    return (phi(x) - phi(low)) / (phi(high) - phi(low))


def share_below(sizes, r):
    """The distribution function by number, worked out from the definition."""
    if isinstance(sizes, Uniform):
        return (r - sizes.low) / (sizes.high - sizes.low)
    if isinstance(sizes, Normal):
        return cut_normal(*((x - sizes.mean) / sizes.deviation for x in (r, sizes.low, sizes.high)))
    return cut_normal(*(math.log(x / sizes.median) / sizes.deviation
                        for x in (r, sizes.low, sizes.high)))


def mean_power(sizes, k):
    """The mean of r^k in closed form."""
    if isinstance(sizes, Uniform):
        a, b = sizes.low, sizes.high
        return (b ** (k + 1) - a ** (k + 1)) / ((k + 1) * (b - a))
    if isinstance(sizes, LogNormal):
        s = sizes.deviation
        a, b = (math.log(x / sizes.median) / s for x in (sizes.low, sizes.high))
        return (sizes.median**k * math.exp(0.5 * (k * s) ** 2)
                * (phi(b - k * s) - phi(a - k * s)) / (phi(b) - phi(a)))
    a, b = ((x - sizes.mean) / sizes.deviation for x in (sizes.low, sizes.high))
    f, g, z = density(a), density(b), phi(b) - phi(a)
    first = (f - g) / z
    second = 1.0 + (a * f - b * g) / z
    if k == 1:
        return sizes.mean + sizes.deviation * first
    return (sizes.mean**2 + 2.0 * sizes.mean * sizes.deviation * first
            + sizes.deviation**2 * second)


def density(x):
    return math.exp(-0.5 * x * x) / math.sqrt(2.0 * math.pi)


CONTINUOUS = [
    Uniform(0.5e-3, 2e-3),
    Normal(1e-3, 0.2e-3, low=0.4e-3, high=1.8e-3),
    Normal(1e-3, 0.5e-3, low=0.9e-3, high=1.4e-3),
    Normal(1e-3, 0.2e-3, low=1.3e-3, high=1.6e-3),
    LogNormal(1e-3, 0.4, low=0.3e-3, high=4e-3),
    LogNormal(2e-3, 0.3, low=0.5e-3, high=1.8e-3),
]


@pytest.mark.parametrize("sizes", CONTINUOUS, ids=repr)
@pytest.mark.parametrize("stream", [False, True])
def test_continuous_sizes_follow_their_distribution(sizes, stream):
    radii = np.sort(sizes.numbered(np.arange(MANY), MANY, 3) if stream
                    else sizes.radii(MANY, 3, np.random.default_rng(5)))
    assert sizes.smallest == sizes.low <= radii[0]
    assert radii[-1] <= sizes.high == sizes.largest
    expected = np.array([share_below(sizes, r) for r in radii])
    steps = np.arange(MANY + 1) / MANY
    apart = max((expected - steps[:-1]).max(), (steps[1:] - expected).max())
    # Evenly spread numbers are far closer than chance: their discrepancy is below ln(n) / n.
    assert apart < (math.log(MANY) / MANY if stream else KOLMOGOROV / math.sqrt(MANY))


@pytest.mark.parametrize("sizes", CONTINUOUS, ids=repr)
def test_moments_are_those_of_the_truncated_distribution(sizes):
    radii = sizes.radii(MANY, 3, np.random.default_rng(3))
    for k in (1, 2):
        error = np.std(radii**k) / math.sqrt(MANY)
        assert abs((radii**k).mean() - mean_power(sizes, k)) < 4.0 * error


def test_no_size_piles_up_at_a_limit():
    """A clamp would put the cut-off tail onto the limit itself."""
    sizes = Normal(1e-3, 0.5e-3, low=0.9e-3, high=1.4e-3)
    radii = sizes.radii(MANY, 3, np.random.default_rng(1))
    assert (radii == sizes.low).sum() + (radii == sizes.high).sum() <= 1


@given(st.lists(st.floats(0.01, 1.0), min_size=1, max_size=5), st.integers(1, 60))
def test_counts_are_the_nearest_whole_numbers(weights, count):
    """Against all ways to round each share down or up."""
    shares = np.array(weights) / sum(weights)
    counts = apportioned(shares, count)
    assert counts.sum() == count
    ways = [way for way in itertools.product(*((math.floor(x), math.floor(x) + 1)
                                               for x in count * shares)) if sum(way) == count]
    best = min(np.abs(np.array(way) - count * shares).sum() for way in ways)
    assert np.abs(counts - count * shares).sum() <= best + 1e-9


def counted(radii):
    return dict(zip(*(values.tolist() for values in np.unique(radii, return_counts=True)),
                    strict=True))


def test_shares_by_mass_are_kept_to_the_grain():
    """70 : 20 : 10 by mass at radii 1 : 2 : 4: by number as 70 : 20/8 : 10/64."""
    sizes = ByMass((1e-3, 2e-3, 4e-3), (70, 20, 10))
    weights = np.array([70.0, 20.0 / 8.0, 10.0 / 64.0])
    ideal = 1000 * weights / weights.sum()  # 963.4, 34.4, 2.15
    assert counted(sizes.radii(1000, 3, np.random.default_rng(0))) == {
        1e-3: 964, 2e-3: 34, 4e-3: 2}
    assert ideal == pytest.approx([963.44, 34.41, 2.15], abs=0.01)
    flat = np.array([70.0, 20.0 / 4.0, 10.0 / 16.0])  # discs: masses go as the square
    flat *= 1000 / flat.sum()
    assert list(sizes.counts(1000, 2)) == [926, 66, 8]
    assert flat == pytest.approx([925.6, 66.1, 8.26], abs=0.05)


def test_shares_by_number_are_kept_to_the_grain():
    sizes = ByNumber((1e-3, 3e-3), (0.75, 0.25))
    assert counted(sizes.radii(101, 3, np.random.default_rng(0))) == {1e-3: 76, 3e-3: 25}


def test_a_mixture_is_shuffled_and_follows_the_seed():
    sizes = ByNumber((1.0, 2.0), (50, 50))
    one, same, other = (sizes.radii(200, 3, np.random.default_rng(k)) for k in (1, 1, 2))
    assert one.tobytes() == same.tobytes() != other.tobytes()
    assert 60 < (one[:100] == 1.0).sum() * 2 < 140  # 6 standard deviations of a fair shuffle


def test_every_stretch_of_a_stream_is_a_fair_sample():
    sizes = ByMass((1.0, 2.0), (0.5, 0.5))
    radii = sizes.numbered(np.arange(900), 900, 3)
    assert counted(radii) == {1.0: 800, 2.0: 100}
    for begin in range(0, 800, 50):
        # Points of the golden sequence in an interval are off by a few, whatever the stretch.
        assert abs((radii[begin : begin + 100] == 2.0).sum() - 100 / 9) <= 3
    assert np.array_equal(sizes.numbered(np.array([7, 500]), 900, 3), radii[[7, 500]])


CURVE = Sieve(meshes=(1e-3, 2e-3, 4e-3, 8e-3, 16e-3), passing=(0, 20, 20, 70, 100))


@pytest.mark.parametrize("dimension", [2, 3])
@pytest.mark.parametrize("stream", [False, True])
def test_a_sieve_curve_is_met_by_mass(dimension, stream):
    count = 50_000
    radii = (CURVE.numbered(np.arange(count), count, dimension) if stream
             else CURVE.radii(count, dimension, np.random.default_rng(2)))
    mass = radii**dimension
    total = mass.sum()
    # Each fraction is off by less than one grain, and one of its strata: two of its largest.
    for mesh, percent in zip(CURVE.meshes, CURVE.passing, strict=True):
        off = sum(2.0 * (m / 2.0) ** dimension for m in CURVE.meshes[1:]) / total
        assert abs(mass[2.0 * radii <= mesh].sum() / total - percent / 100.0) < off < 0.02
    # Between two sieves the curve is straight over the logarithm of the mesh.
    for low, high, half in ((1e-3, 2e-3, 0.10), (8e-3, 16e-3, 0.85)):
        share = mass[2.0 * radii <= math.sqrt(low * high)].sum() / total
        assert abs(share - half) < off
    assert not ((2.0 * radii > 2e-3) & (2.0 * radii < 4e-3)).any()


def test_plain_sizes_are_as_ever():
    rng, twin = np.random.default_rng(4), np.random.default_rng(4)
    assert np.array_equal(Plain(2.0, 0.25).radii(9, 3, rng),
                          2.0 * (1.0 + 0.25 * (2.0 * twin.random(9) - 1.0)))
    assert np.array_equal(Plain(2.0).radii(3, 3, rng), [2.0, 2.0, 2.0])
    assert rng.random() == twin.random()


@pytest.mark.parametrize("sizes", [*CONTINUOUS, CURVE, Plain(1e-3), Plain(1e-3, 0.4),
                                   ByMass((1e-3, 2e-3), (0.4, 0.6))], ids=repr)
@pytest.mark.parametrize("dimension", [2, 3])
def test_filling_comes_as_near_as_one_grain(sizes, dimension):
    total = 3000.0 * sizes.largest**dimension
    radii = sizes.filling(total, dimension, np.random.default_rng(1))
    off = abs((radii**dimension).sum() - total)
    classes = 4 if isinstance(sizes, Sieve | ByMass) else 0
    assert off <= (0.5 + classes) * sizes.largest**dimension * (1.0 + 1e-12)
    if not classes:
        assert len(sizes.filling(1e-9 * total, dimension, np.random.default_rng(1))) == 1


def test_placings_take_distributions():
    mix = ByMass((0.02, 0.04), (0.5, 0.5))
    space = Space(periodic=(1.0, 1.0, 1.0))
    random = Random(radius=mix, count=900).place(space, np.random.default_rng(1))
    assert counted(random.radii) == {0.02: 800, 0.04: 100}
    lattice = Lattice(radius=mix, low=(0, 0, 0), high=(1, 1, 1), count=900)
    placed = lattice.place(Space(), np.random.default_rng(1))
    assert counted(placed.radii) == {0.02: 800, 0.04: 100}
    assert (placed.points >= 0.04 - 1e-12).all()
    whole = Lattice(radius=mix, low=(0, 0, 0), high=(1, 1, 1)).place(
        Space(), np.random.default_rng(1))
    assert counted(whole.radii) == dict(zip((0.02, 0.04), apportioned(
        np.array([8.0, 1.0]) / 9.0, len(whole)).tolist(), strict=True))


@pytest.mark.parametrize(("make", "message"), [
    (lambda: Uniform(2e-3, 1e-3), "Uniform high must be greater than low = 0.002 m, got 0.001"),
    (lambda: Uniform(0.0, 1e-3), "Uniform low must be greater than 0"),
    (lambda: Normal(1e-3, -1e-4, 1e-4, 2e-3), "Normal deviation must be greater than 0"),
    (lambda: Normal(1e-3, 1e-4, 2e-3, 1e-3), "Normal high must be greater than low"),
    (lambda: Normal(1e-3, 1e-4, 2e-3, 3e-3), "Normal: only .* lies between"),
    (lambda: LogNormal(1e-3, 0.0, 1e-4, 2e-3), "LogNormal deviation must be greater than 0"),
    (lambda: LogNormal(1e-3, 0.1, 3e-3, 4e-3), "LogNormal: only .* lies between"),
    (lambda: LogNormal(1e-3, math.nan, 1e-4, 2e-3), "LogNormal deviation must be a finite"),
    (lambda: ByMass((1e-3, 2e-3), (70, 20)), r"fractions must add up to 1 or to 100, got 70 \+ 20"),
    (lambda: ByMass((1e-3, 2e-3), (1.0,)), "must be one for each of the 2 radii, got 1"),
    (lambda: ByNumber((1e-3, -2e-3), (50, 50)), r"ByNumber radius\[1\] must be greater than 0"),
    (lambda: ByNumber((), ()), "ByNumber radius must be a list of at least 1"),
    (lambda: Sieve((1e-3, 2e-3), (0, 90)), "add the sieve that 100 % pass"),
    (lambda: Sieve((1e-3, 2e-3), (5, 100)), "add the sieve that 0 % pass"),
    (lambda: Sieve((2e-3, 1e-3), (0, 100)), r"Sieve meshes must rise .* meshes\[1\] = 0.001"),
    (lambda: Sieve((1e-3, 2e-3, 3e-3), (0, 60, 40)), r"Sieve passing must rise .*passing\[2\]"),
    (lambda: Sieve((1e-3, 2e-3, 3e-3), (0, 100)), "one for each of the 3 meshes, got 2"),
    (lambda: ByMass((1e-3, 1e-1), (0.5, 0.5)).radii(100, 3, np.random.default_rng(0)),
     "of 100 grains none would have the radius 0.1 m.*take at least 1000001 grains"),
    (lambda: Random(radius=Uniform(1e-3, 2e-3), count=1, spread=0.1),
     "Random spread must be left out where the radius is a distribution"),
    (lambda: Random(radius="1 mm", count=1), "Random radius must be a number"),
])
def test_what_makes_no_sense_is_refused(make, message):
    with pytest.raises(InputError, match=message):
        make()

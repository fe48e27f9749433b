"""Mixtures whose shares are kept to the grain: species by mass or number, and sieve curves.

A mixture has classes. Class k holds the share p_k of all grains, by number. Of N grains it gets
N p_k, rounded down, and those classes get one more whose N p_k lost most by that (the method of the
largest remainder): no other whole numbers are closer. Nothing about this is left to chance.

A share m_k of the mass means, with the mean <r^D> of the class in D dimensions,

    p_k = (m_k / <r^D>_k) / sum_l (m_l / <r^D>_l).

Between two sieves the share of the mass that passes is taken to grow with the logarithm of the
mesh, as sieve curves are drawn. Then r^-D is uniform by number between a^-D and b^-D, and

    <r^D> = D ln(b / a) / (a^-D - b^-D).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from granum import checks
from granum.checks import FloatArray, IntArray, name_of, settle
from granum.errors import InputError
from granum.quantity import Length, Number
from granum.sizes.protocol import spread_out

WHOLE = (1.0, 100.0)  # what shares may add up to
CLOSE = 1e-6


class Classes(NamedTuple):
    """The classes of a mixture, from small to large as they were given."""

    low: FloatArray  # (k,) smallest radius of each [m]
    high: FloatArray  # (k,) largest; the same for a species
    number: FloatArray  # (k,) share of all grains by number


class Mixture:
    """What mixtures share; a mixture tells its ``classes``."""

    def classes(self, dimension: int) -> Classes:
        """Return the classes in this dimension."""
        raise NotImplementedError

    @property
    def smallest(self) -> float:
        """No grain is smaller [m]."""
        return float(self.classes(3).low.min())

    @property
    def largest(self) -> float:
        """No grain is larger [m]."""
        return float(self.classes(3).high.max())

    def counts(self, count: int, dimension: int) -> IntArray:
        """Return how many of ``count`` grains each class gets, (k,).

        Raises:
            InputError: a class would get none.
        """
        number = self.classes(dimension).number
        counts = apportioned(number, count)
        if counts.min() == 0:
            rare = int(number.argmin())
            low, high = (getattr(self.classes(dimension), end)[rare] for end in ("low", "high"))
            radius = f"{low:g}" if low == high else f"{low:g} to {high:g}"
            message = (
                f"{type(self).__name__}: of {count} grains none would have the radius {radius} m, "
                f"which only one of {1.0 / number[rare]:.4g} has: take at least "
                f"{int(np.ceil(1.0 / number[rare]))} grains, or leave that size out"
            )
            raise InputError(message)
        return counts

    def radii(self, count: int, dimension: int, rng: np.random.Generator) -> FloatArray:
        """Return ``count`` radii [m] with the shares of the classes, shuffled."""
        radii = self._sorted(count, dimension, rng)
        return np.asarray(radii[rng.permutation(count)])

    def numbered(self, numbers: IntArray, count: int, dimension: int) -> FloatArray:
        """Return the radii of the grains of these numbers [m]."""
        return np.asarray(_in_turn(self, count, dimension)[numbers])

    def filling(self, total: float, dimension: int, rng: np.random.Generator) -> FloatArray:
        """Return radii [m] whose powers add up to ``total`` as nearly as the shares allow."""
        classes = self.classes(dimension)
        mean = float((classes.number * _mean_power(classes.low, classes.high, dimension)).sum())
        return self.radii(max(1, round(total / mean)), dimension, rng)

    def _sorted(self, count: int, dimension: int, rng: np.random.Generator | None) -> FloatArray:
        """Return ``count`` radii [m], class by class.

        Those of a sieve fraction are drawn one from each of as many equal parts of it as it has
        grains (without ``rng`` the middle of each), so that the mass of the fraction is right.
        """
        classes = self.classes(dimension)
        radii = []
        for low, high, n in zip(classes.low, classes.high, self.counts(count, dimension),
                                strict=True):
            place = np.full(n, 0.5) if rng is None or low == high else rng.random(n)
            radii.append(_within(low, high, (np.arange(n) + place) / n, dimension))
        return np.concatenate(radii)


@dataclass(frozen=True)
class ByMass(Mixture):
    """A few species of one size each, by their shares of the mass.

    Args:
        radius: of each species [m].
        fractions: share of each species in the mass of all grains; they add up to 1 or to 100.
    """

    radius: tuple[Length, ...]
    fractions: tuple[Number, ...]

    def __post_init__(self) -> None:
        """Check every number."""
        _settle_species(self)

    def classes(self, dimension: int) -> Classes:
        """Return a class for each species."""
        radii = np.array(self.radius)
        return Classes(radii, radii, _by_number(radii, radii, np.array(self.fractions), dimension))


@dataclass(frozen=True)
class ByNumber(Mixture):
    """A few species of one size each, by their shares of the number of grains.

    Args:
        radius: of each species [m].
        fractions: share of each species in the number of grains; they add up to 1 or to 100.
    """

    radius: tuple[Length, ...]
    fractions: tuple[Number, ...]

    def __post_init__(self) -> None:
        """Check every number."""
        _settle_species(self)

    def classes(self, dimension: int) -> Classes:
        """Return a class for each species."""
        radii, shares = np.array(self.radius), np.array(self.fractions)
        return Classes(radii, radii, shares / shares.sum())


@dataclass(frozen=True)
class Sieve(Mixture):
    """A sieve curve: how much of the mass passes each mesh.

    Args:
        meshes: openings of the sieves from fine to coarse [m]; a grain passes if its diameter is
            not larger.
        passing: how much of the mass passes each of them [%], from 0 for the finest to 100 for the
            coarsest.
    """

    meshes: tuple[Length, ...]
    passing: tuple[Number, ...]

    def __post_init__(self) -> None:
        """Check that the curve rises from 0 to 100."""
        meshes = _positive_list(self, "meshes", at_least=2)
        passing = tuple(checks.number(f"{name_of(self, 'passing')}[{k}]", one, at_least=0.0,
                                      at_most=100.0) for k, one in enumerate(self.passing))
        settle(self, meshes=meshes, passing=passing)
        if len(passing) != len(meshes):
            message = (f"Sieve passing must be one for each of the {len(meshes)} meshes, got "
                       f"{len(passing)}")
            raise InputError(message)
        for name, values in (("meshes", meshes), ("passing", passing)):
            fall = np.flatnonzero(np.diff(values) < (0.0 if name == "passing" else 1e-300))
            if fall.size:
                k = int(fall[0]) + 1
                message = (f"Sieve {name} must rise from fine to coarse, but {name}[{k}] = "
                           f"{values[k]:g} follows {values[k - 1]:g}")
                raise InputError(message)
        for end, mesh, wanted in ((passing[0], meshes[0], 0.0), (passing[-1], meshes[-1], 100.0)):
            if end != wanted:
                message = (f"Sieve passing must run from 0 to 100 %, but {end:g} % pass the mesh "
                           f"of {mesh:g} m: add the sieve that {wanted:g} % pass")
                raise InputError(message)

    def classes(self, dimension: int) -> Classes:
        """Return a class for each fraction between two sieves that holds any mass."""
        mass = np.diff(self.passing) / 100.0
        held = mass > 0.0
        radii = np.array(self.meshes) / 2.0
        low, high = radii[:-1][held], radii[1:][held]
        return Classes(low, high, _by_number(low, high, mass[held], dimension))


def apportioned(shares: FloatArray, count: int) -> IntArray:
    """Return whole numbers that add up to ``count``, nearest to ``count`` times the shares.

    What is left after rounding down goes to the largest remainders, of equal ones to the first.
    """
    ideal = count * shares
    counts = np.floor(ideal).astype(np.int64)
    order = np.argsort(-(ideal - counts), kind="stable")
    counts[order[: count - int(counts.sum())]] += 1
    return counts


@lru_cache(maxsize=16)
def _in_turn(mixture: Any, count: int, dimension: int) -> FloatArray:
    """Return the radii of a stream of ``count`` grains [m], in the order in which they come.

    The sorted radii are taken in the order of numbers that are evenly spread, so that any stretch
    of the stream holds the sizes in about their shares.
    """
    order = np.argsort(spread_out(np.arange(count)), kind="stable")
    radii = np.empty(count)
    radii[order] = mixture._sorted(count, dimension, None)
    radii.flags.writeable = False
    return radii


def _mean_power(low: FloatArray, high: FloatArray, dimension: int) -> FloatArray:
    """Return the mean of r^D by number in each class [m^D]."""
    unlike = low < high
    ratio = np.where(unlike, high / low, 2.0)
    within = dimension * np.log(ratio) / (1.0 - ratio**-dimension)
    return np.asarray(low**dimension * np.where(unlike, within, 1.0))


def _within(low: float, high: float, share: FloatArray, dimension: int) -> FloatArray:
    """Return the radius [m] that this share of a class's grains is smaller than."""
    if low == high:
        return np.full(len(share), low)
    ratio = low / high
    radius = low * (1.0 - share * (1.0 - ratio**dimension)) ** (-1.0 / dimension)
    return np.clip(radius, low, high)  # beyond by rounding only


def _by_number(low: FloatArray, high: FloatArray, mass: FloatArray, dimension: int) -> FloatArray:
    """Return shares by number from shares by mass."""
    scale = float(high.max())
    number = mass / _mean_power(low / scale, high / scale, dimension)
    return np.asarray(number / number.sum())


def _positive_list(sizes: object, field: str, *, at_least: int) -> tuple[float, ...]:
    values = getattr(sizes, field)
    if np.ndim(values) != 1 or len(values) < at_least:
        message = f"{name_of(sizes, field)} must be a list of at least {at_least}, got {values!r}"
        raise InputError(message)
    return tuple(checks.positive(f"{name_of(sizes, field)}[{k}]", one)
                 for k, one in enumerate(values))


def _settle_species(sizes: ByMass | ByNumber) -> None:
    radius = _positive_list(sizes, "radius", at_least=1)
    fractions = _positive_list(sizes, "fractions", at_least=1)
    if len(fractions) != len(radius):
        message = (f"{name_of(sizes, 'fractions')} must be one for each of the {len(radius)} "
                   f"radii, got {len(fractions)}")
        raise InputError(message)
    total = sum(fractions)
    if min(abs(total - whole) / whole for whole in WHOLE) > CLOSE:
        message = (f"{name_of(sizes, 'fractions')} must add up to 1 or to 100, got "
                   f"{' + '.join(f'{one:g}' for one in fractions)} = {total:g}")
        raise InputError(message)
    settle(sizes, radius=radius, fractions=fractions)

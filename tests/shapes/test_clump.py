"""Mass properties of clumps against closed forms, and what no frame or order may change."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.spatial.transform import Rotation

import granum as gr
from granum.errors import InputError
from granum.shapes.union import union_of_balls, union_of_discs

CLOSE = 1e-12  # far better than the 1e-10 that is promised; the error is that of a few roundings


def zone(radius, low, high):
    """Volume, ∫x, ∫x², ∫y² of a ball about the origin between two planes x = low and high."""
    def between(coefficients):
        primitive = np.polynomial.Polynomial(coefficients).integ()
        return np.pi * (primitive(high) - primitive(low))

    r2 = radius**2
    return np.array([between([r2, 0, -1]), between([0, r2, 0, -1]), between([0, 0, r2, 0, -1]),
                     between([r2**2 / 4, 0, -r2 / 2, 0, 1 / 4])])


def chain(centres, radii):
    """The same for balls along x of which only neighbours meet, cut where their circles lie."""
    cuts = [(b**2 - a**2 + r**2 - s**2) / (2 * (b - a)) for a, b, r, s in
            zip(centres, centres[1:], radii, radii[1:], strict=False)]
    total = np.zeros(4)
    for c, r, low, high in zip(centres, radii, [centres[0] - radii[0], *cuts],
                               [*cuts, centres[-1] + radii[-1]], strict=True):
        v, x, xx, yy = zone(r, max(low - c, -r), min(high - c, r))
        total += v, x + c * v, xx + 2 * c * x + c**2 * v, yy
    return total


def check_along(direction, centres, radii, wanted, shift=(0.3, -0.2, 0.7)):
    """Compare a clump along any direction with moments along x."""
    n = np.array(direction) / np.linalg.norm(direction)
    solid = union_of_balls(np.outer(centres, n) + shift, np.array(radii))
    volume, x, xx, yy = wanted
    mean = x / volume
    assert solid.volume == pytest.approx(volume, rel=CLOSE)
    assert solid.centre == pytest.approx(mean * n + shift, abs=CLOSE)
    second = (xx - mean * x - yy) * np.outer(n, n) + yy * np.eye(3)
    assert solid.second == pytest.approx(second, abs=CLOSE * np.trace(second))


DIRECTIONS = [(0, 0, 1), (1, 0, 0), (1, 2, 3), (0, 1e-8, 1), (1, 1, 1e-5)]


@pytest.mark.parametrize("direction", DIRECTIONS)
@pytest.mark.parametrize(("distance", "radii"), [
    (1.0, (1.0, 1.0)), (1.9, (1.0, 1.0)), (1.999999, (1.0, 1.0)), (0.05, (1.0, 1.0)),
    (1.2, (1.0, 0.5)), (0.6, (1.0, 0.5)), (1.5, (1.0, 0.5)), (0.500001, (1.0, 0.5)),
])
def test_two_overlapping_spheres(direction, distance, radii):
    """Each sphere up to the plane of the circle in which the two meet."""
    check_along(direction, [0.0, distance], radii, chain([0.0, distance], radii))


@pytest.mark.parametrize("direction", DIRECTIONS)
def test_chain(direction):
    centres, radii = [0.0, 1.1, 2.0, 3.4, 4.0], [1.0, 0.4, 0.8, 0.7, 0.3]
    check_along(direction, centres, radii, chain(centres, radii))


def test_touching_spheres_are_a_sum_by_parallel_axes():
    points = np.array([(0, 0, 0), (3, 0, 0), (3, 2, 0), (3, 2, 3)], dtype=float)
    radii = np.array([2.0, 1.0, 1.0, 2.0])
    mass = 4.0 / 3.0 * np.pi * radii**3
    solid = union_of_balls(points, radii)
    centre = mass @ points / mass.sum()
    second = np.einsum("i,ij,ik->jk", mass, points - centre, points - centre)
    second += np.eye(3) * (mass * radii**2 / 5.0).sum()
    assert solid.volume == pytest.approx(mass.sum(), rel=CLOSE)
    assert solid.centre == pytest.approx(centre, abs=CLOSE)
    assert solid.second == pytest.approx(second, rel=CLOSE, abs=1e-10)


@pytest.mark.parametrize("points", [
    [(0, 0, 0), (0.2, 0.1, 0)], [(0, 0, 0), (0, 0, 0)], [(1, 2, 3), (1.5, 2, 3), (1, 2, 3)],
], ids=["inside", "concentric", "touching from within"])
def test_a_sphere_inside_another_adds_nothing(points):
    radii = (1.0, 0.5, 1.0)[: len(points)]
    shape, centre, axes = gr.Clump(points, radii).settled(3)
    assert shape.radii == (1.0,)
    assert centre.tolist() == list(points[0])
    assert axes.tolist() == [1.0, 0.0, 0.0, 0.0]
    assert shape.volume == pytest.approx(4.0 / 3.0 * np.pi, rel=1e-15)
    assert shape.gyration == pytest.approx([0.4, 0.4, 0.4], rel=1e-15)


@st.composite
def clumps(draw):
    """Spheres that hang together, each on one before; some inside others, some at the same place.

    Places on a grid make many of them meet in the same points, circles touch and heights agree.
    """
    count = draw(st.integers(2, 7))
    step = st.integers(-2, 2).map(lambda k: 0.25 * k)
    points, radii = [np.zeros(3)], [1.0]
    for _ in range(count - 1):
        way = np.array([draw(step), draw(step), draw(step)])
        points.append(points[draw(st.integers(0, len(points) - 1))] + way)
        radii.append(draw(st.sampled_from([0.5, 0.7, 0.75, 1.0])))
    return np.array(points), np.array(radii)


@settings(max_examples=60)
@given(clumps(), st.integers(0, 2**32 - 1))
def test_neither_turning_nor_order_nor_size_matters(clump, seed):
    """Slices in another direction see other arcs and heights: an independent way to the number."""
    points, radii = clump
    rng = np.random.default_rng(seed)
    R = Rotation.random(random_state=rng).as_matrix()
    order = rng.permutation(len(radii))
    solid = union_of_balls(points, radii)
    turned = union_of_balls(1e-3 * points[order] @ R.T + 5e-3, 1e-3 * radii[order])
    assert turned.volume == pytest.approx(1e-9 * solid.volume, rel=1e-11)
    assert turned.centre == pytest.approx(1e-3 * R @ solid.centre + 5e-3, abs=1e-14)
    second = 1e-15 * R @ solid.second @ R.T
    assert turned.second == pytest.approx(second, abs=1e-11 * np.trace(second))


def test_eight_spheres_at_the_corners_of_a_cube_cut_each_other_alike():
    """Each ends at the three planes half-way to its neighbours, which a plain integral gives."""
    corners = np.array(np.meshgrid(*[[-0.5, 0.5]] * 3)).reshape(3, -1).T
    r = 0.8

    def corner(z):
        """Area of the disc of the slice where x and y are below 0.5."""
        rho2 = r * r - z * z
        if rho2 <= 0.0:
            return 0.0

        def chord(x):
            half = np.sqrt(max(rho2 - x * x, 0.0))
            return max(min(half, 0.5) + half, 0.0)

        rho = np.sqrt(rho2)
        kinks = sorted({-rho, min(rho, 0.5), *(
            k for k in (-np.sqrt(max(rho2 - 0.25, 0.0)), np.sqrt(max(rho2 - 0.25, 0.0)))
            if -rho < k < min(rho, 0.5))})
        return sum(quad(chord, a, b, epsabs=1e-13)[0]
                   for a, b in pairwise(kinks))

    kinks = [-r, -np.sqrt(r * r - 0.25), -np.sqrt(r * r - 0.5), np.sqrt(r * r - 0.5), 0.5]
    one = sum(quad(corner, a, b, epsabs=1e-10)[0] for a, b in pairwise(kinks))
    solid = union_of_balls(corners, np.full(8, r))
    assert solid.volume == pytest.approx(8.0 * one, rel=1e-8)
    assert solid.centre == pytest.approx(np.zeros(3), abs=1e-15)


def test_two_discs():
    """Widths of the union along x, integrated by another rule."""
    d, (r, s) = 1.1, (1.0, 0.6)
    cut = (d * d + r * r - s * s) / (2 * d)

    def moment(weight):
        left = quad(lambda x: weight(x, np.sqrt(max(r * r - x * x, 0.0))), -r, cut, epsabs=1e-13)
        right = quad(lambda x: weight(x, np.sqrt(max(s * s - (x - d) ** 2, 0.0))), cut, d + s,
                     epsabs=1e-13)
        return left[0] + right[0]

    area = moment(lambda x, h: 2 * h)
    mean = moment(lambda x, h: 2 * h * x) / area
    polar = moment(lambda x, h: 2 * h * (x - mean) ** 2 + 2 * h**3 / 3)
    turn = Rotation.from_rotvec([0, 0, 0.7]).as_matrix()
    points = np.array([(0, 0, 0), (d, 0, 0)]) @ turn.T
    solid = union_of_discs(points, np.array([r, s]))
    assert solid.volume == pytest.approx(area, rel=1e-10)
    assert solid.centre == pytest.approx(turn @ [mean, 0, 0], abs=1e-10)
    assert solid.second[0, 0] + solid.second[1, 1] == pytest.approx(polar, rel=1e-10)
    shape = gr.Clump(points[:, :2], (r, s)).settled(2).shape
    assert shape.gyration == pytest.approx([polar / area] * 3, rel=1e-10)


# ---- the clump as a grain -----------------------------------------------------------------------


def test_its_frame_is_that_of_the_principal_axes():
    points, radii = np.array([(0, 0, 0), (1, 0.5, 0), (0.5, 1, 0.8)]), (1.0, 0.6, 0.7)
    shape, centre, axes = gr.Clump(points, radii).settled(3)
    R = Rotation.from_quat(axes, scalar_first=True).as_matrix()
    assert np.array(shape.points) @ R.T + centre == pytest.approx(points, abs=1e-14)
    solid = union_of_balls(np.array(shape.points), np.array(radii))
    inertia = np.trace(solid.second) * np.eye(3) - solid.second
    assert inertia == pytest.approx(np.diag(shape.gyration) * shape.volume, abs=1e-13)
    assert solid.centre == pytest.approx(np.zeros(3), abs=1e-15)
    assert shape.radius == pytest.approx(
        max(np.linalg.norm(points - centre, axis=1) + radii), rel=1e-14)


def test_axes_that_are_principal_already_stay():
    shape, _, axes = gr.Clump([(0, -1, 0), (0, 1, 0)], 1.0).settled(3)
    assert axes.tolist() == [1.0, 0.0, 0.0, 0.0]
    assert shape.points == ((0.0, -1.0, 0.0), (0.0, 1.0, 0.0))


def test_lightness_is_the_most_that_a_push_off_centre_makes_of_it():
    """A dumbbell of touching spheres: k² = 2/5 r² + r² across, so 1 + r² / k² at right angles."""
    shape = gr.Clump([(-1, 0, 0), (1, 0, 0)], 1.0).settled(3).shape
    assert shape.lightness == pytest.approx(1.0 + 1.0 / 1.4, rel=1e-12)


def test_a_world_takes_it_at_its_centre_of_mass_turned_and_scaled():
    clump = gr.Clump([(0, 0, 0), (3e-3, 0, 0)], (2e-3, 1e-3))
    world = gr.World(gravity=(0, 0, 0))
    quarter = Rotation.from_rotvec([0, 0, np.pi / 2]).as_quat(scalar_first=True)
    world.add(clump, at=[(0.1, 0.2, 0.3), (0.2, 0.2, 0.3)], density=2000.0, orientation=quarter)
    world.add(gr.Explicit([(0.5, 0.5, 0.5)], radius=0.02, clump=clump), density=2000.0)
    mass = 2000.0 * 4.0 / 3.0 * np.pi * 9e-9
    x = 3e-3 / 9.0
    assert world.mass[:2] == pytest.approx([mass, mass])
    assert world.radius[:2] == pytest.approx([3e-3 - x + 1e-3] * 2)
    scale = 0.02 / world.radius[0]
    assert world.mass[2] == pytest.approx(mass * scale**3)
    assert world.inertia[2] == pytest.approx(world.inertia[0] * scale**5)
    balls = world.balls()
    assert balls.number.tolist() == [0, 1, 2, 3, 4, 5]
    assert world.grains.ball.tolist() == [0, 2, 4]
    assert world.ball_positions(balls)[:2] == pytest.approx(
        np.array([(0.1, 0.2 - x, 0.3), (0.1, 0.2 + 3e-3 - x, 0.3)]))
    assert balls.arm[4:, 3] == pytest.approx(scale * np.array([2e-3, 1e-3]))
    assert world.volumes() == pytest.approx(world.mass / 2000.0)


def test_a_clump_of_one_sphere_is_a_sphere():
    one, other = gr.World(), gr.World()
    one.add(gr.Clump([(1.0, 2.0, 3.0)], 0.01), at=[(0, 0, 0)], density=2500.0)
    other.add(gr.Sphere(0.01), at=[(0, 0, 0)], density=2500.0)
    assert not one.shapes
    for name, array in one.grains.arrays().items():
        assert array.tobytes() == getattr(other, name).tobytes(), name


@pytest.mark.parametrize(("points", "radii", "said"), [
    ([(0, 0, 0), (3, 0, 0)], 1.0, "must hang together, but sphere 1"),
    ([(0, 0, 0), (1, 0, 0), (9, 0, 0), (10, 0, 0)], 1.0, "but sphere 2 at \\(9.0, 0.0, 0.0\\)"),
    ([], 1.0, "must be 1 to 2000, got 0"),
    ([(0, 0, 0)], (1.0, 2.0), "one for each of the 1 points, got 2"),
    ([(0, 0, 0)], (-1.0,), "radii\\[0\\] must be greater than 0"),
    ([(0, 0, float("nan"))], 1.0, "must be finite"),
    ([0, 0, 0], 1.0, "must have shape"),
])
def test_what_is_refused(points, radii, said):
    with pytest.raises(InputError, match=said):
        gr.Clump(points, radii)


def test_a_flat_world_takes_flat_clumps_only():
    world = gr.World(dimension=2)
    with pytest.raises(InputError, match="z = 1 m, but a 2D world"):
        world.add(gr.Clump([(0, 0, 0), (0, 0, 1)], 1.0), at=[(0, 0)], density=1.0)
    with pytest.raises(InputError, match="turn about z"):
        world.add(gr.Clump([(0, 0), (0, 1)], 1.0), at=[(0, 0)], density=1.0,
                  orientation=(0.6, 0.8, 0.0, 0.0))

"""The power diagram: cells fill the box, and are what all other points leave of it."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest
from oracle import edges_of, lifted_hull
from power_twin import cell_hull, exact_area

from granum.errors import InputError
from granum.geometry import Triangulation
from granum.geometry.power import power_cells, power_diagram

UNIT = (np.zeros(3), np.ones(3))
SQUARE = (np.zeros(2), np.ones(2))


def random_points(n, ratio, seed=0, dim=3):
    """Return points in the unit box whose radii differ by so much; many are hidden if much."""
    rng = np.random.default_rng(seed)
    largest = 0.5 * n ** (-1.0 / dim) * ratio**0.5
    return rng.random((n, dim)), (largest * rng.uniform(1.0 / ratio, 1.0, n) ** 2) ** 2


def lattice(basis, size, shift=0.25, scale=1.0):
    """Return size³ cells of a lattice."""
    steps = np.stack(np.meshgrid(*[np.arange(size)] * 3), axis=-1).reshape(-1, 1, 3)
    return scale * ((steps + np.array(basis)).reshape(-1, 3) + shift)


SIMPLE = [(0.0, 0.0, 0.0)]
CENTRED = [(0.0, 0.0, 0.0), (0.5, 0.5, 0.5)]
FACES = [(0.0, 0.0, 0.0), (0.5, 0.5, 0.0), (0.5, 0.0, 0.5), (0.0, 0.5, 0.5)]


def flat_edges(points, weights):
    """Return the edges in the plane, from the lifted hull."""
    return np.array(sorted(edges_of(lifted_hull(points, weights))))


def outward(polygon):
    """Return the area of a polygon in space as a vector, by its triangles."""
    a = polygon - polygon[0]
    return 0.5 * np.cross(a[:-1], a[1:]).sum(axis=0)


# ---- the whole -------------------------------------------------------------------------------


@pytest.mark.parametrize("ratio", [1, 10, 35])
@pytest.mark.parametrize("n", [1, 2, 3, 4, 30, 1000])
def test_cells_fill_the_box(n, ratio):
    points, weights = random_points(n, ratio)
    triangulation = Triangulation(points, weights)
    diagram = power_diagram(triangulation, UNIT)
    assert diagram.volumes.sum() == pytest.approx(1.0, rel=1e-12)
    assert (diagram.volumes[triangulation.hidden] == 0.0).all()
    assert n < 1000 or ratio == 1 or triangulation.hidden.sum() > 10
    has_cell = diagram.volumes > 0.0
    mean = (diagram.volumes[has_cell, None] * diagram.centroids[has_cell]).sum(axis=0)
    assert mean == pytest.approx([0.5] * 3, rel=1e-12)
    assert np.isnan(diagram.centroids[~has_cell]).all()


@pytest.mark.parametrize("ratio", [1, 10, 35])
@pytest.mark.parametrize("n", [4, 30, 1000])
def test_cells_fill_the_rectangle(n, ratio):
    points, weights = random_points(n, ratio, dim=2)
    volumes = power_cells(points, weights, flat_edges(points, weights), SQUARE).volumes
    assert volumes.sum() == pytest.approx(1.0, rel=1e-12)


@pytest.mark.parametrize("scale", [1.0, 0.1 / 3.0, 1e-4 / 7.0])
@pytest.mark.parametrize("basis", [SIMPLE, CENTRED, FACES])
def test_lattices_fill_the_box(basis, scale):
    points = lattice(basis, 5, scale=scale)
    diagram = power_diagram(Triangulation(points, np.zeros(len(points))),
                            (np.zeros(3), np.full(3, 5.0 * scale)))
    assert diagram.volumes.sum() == pytest.approx((5.0 * scale) ** 3, rel=1e-12)
    inside = ((points > 1.1 * scale) & (points < 3.9 * scale)).all(axis=1)
    assert diagram.volumes[inside] == pytest.approx(scale**3 / len(basis), rel=1e-12)


def test_points_with_a_turned_lattice_and_all_planes_through_one_corner():
    angle = 0.3
    turn = np.array([[np.cos(angle), -np.sin(angle), 0.0], [np.sin(angle), np.cos(angle), 0.0],
                     [0.0, 0.0, 1.0]])
    points = lattice(SIMPLE, 8, shift=-3.5) @ turn.T
    diagram = power_diagram(Triangulation(points, np.zeros(512)), (-np.ones(3), np.ones(3)))
    assert diagram.volumes.sum() == pytest.approx(8.0, rel=1e-12)
    middle = np.linalg.norm(points, axis=1) < 0.9
    near = power_diagram(Triangulation(points, np.zeros(len(points))), ([-3] * 3, [3] * 3))
    assert near.volumes[middle] == pytest.approx(np.ones(8), rel=1e-12)


def test_cocircular_points_on_a_sphere_share_the_corner_in_its_middle():
    rng = np.random.default_rng(4)
    points = rng.normal(size=(200, 3))
    points /= np.linalg.norm(points, axis=1)[:, None]
    diagram = power_diagram(Triangulation(points, np.zeros(200)), (-np.ones(3), np.ones(3)))
    assert diagram.volumes.sum() == pytest.approx(8.0, rel=1e-12)


@pytest.mark.parametrize("weight", [0.0, 1e-17, -1e-17])
def test_a_vertex_that_is_just_about_hidden(weight):
    """The cell of the middle one is flat: both faces of it lie in one plane, up to rounding."""
    points = np.array([[0.1, 0.2, 0.3], [0.4, 0.4, 0.4], [0.7, 0.6, 0.5]])
    gap = ((points[1] - points[0]) ** 2).sum()
    weights = np.array([0.0, weight - gap, 0.0])
    edges = np.array([[0, 1], [1, 2]])
    diagram = power_cells(points, weights, edges, UNIT)
    assert diagram.volumes.sum() == pytest.approx(1.0, rel=1e-12)
    assert diagram.volumes[1] < 1e-12


@pytest.mark.parametrize("jitter", [0.0, 1e-16, 1e-13])
def test_small_whole_numbers_with_and_without_rounding(jitter):
    """Points, weights and sides of the box coincide all the time, exactly or nearly."""
    for seed in range(60):
        rng = np.random.default_rng(seed)
        n, size, scale = rng.integers(2, 40), rng.integers(1, 5), rng.choice([1.0, 1.0 / 3.0])
        points = scale * (rng.integers(0, size + 1, (n, 3)) + jitter * rng.normal(size=(n, 3)))
        weights = scale**2 * (seed % 2 * rng.integers(-1, size, n) + jitter * rng.normal(size=n))
        low, high = scale * rng.integers(-2, 1, 3), scale * rng.integers(size, size + 3, 3)
        diagram = power_diagram(Triangulation(points, weights), (low, high))
        assert diagram.volumes.sum() == pytest.approx((high - low).prod(), rel=1e-12)
        points[:, 2] = 0.0
        edges = Triangulation(points, weights).edges
        areas = power_cells(points[:, :2], weights, edges, (low[:2], high[:2])).volumes
        assert areas.sum() == pytest.approx((high - low)[:2].prod(), rel=1e-12)


def test_a_side_of_the_box_between_two_points_belongs_to_the_cell_inside():
    points = np.array([[0.5, 0.5, 0.5], [1.5, 0.5, 0.5]])
    diagram = power_diagram(Triangulation(points, np.zeros(2)), UNIT)
    assert diagram.volumes == pytest.approx([1.0, 0.0], rel=1e-15)
    assert diagram.faces.neighbour.tolist() == [-1, -2, -3, -4, -5, -6]
    assert diagram.faces.area == pytest.approx(np.ones(6), rel=1e-15)


def test_a_box_of_which_cells_see_only_a_part():
    points, weights = random_points(300, 3, seed=2)
    triangulation = Triangulation(points, weights)
    parts = [power_diagram(triangulation, ([x, y, z], [x + 0.5, y + 0.5, z + 0.5])).volumes
             for x in (0.0, 0.5) for y in (0.0, 0.5) for z in (0.0, 0.5)]
    whole = power_diagram(triangulation, UNIT).volumes
    assert np.sum(parts, axis=0) == pytest.approx(whole, rel=1e-11, abs=1e-16)
    assert min((part == 0.0).sum() for part in parts) > 100


# ---- against others --------------------------------------------------------------------------


@pytest.mark.parametrize("ratio", [1, 10])
def test_cells_are_what_all_other_points_leave(ratio):
    points, weights = random_points(40, ratio, seed=5)
    diagram = power_diagram(Triangulation(points, weights), (np.full(3, 0.1), np.full(3, 0.8)))
    found = 0
    for i in range(len(points)):
        hull = cell_hull(points, weights, i, np.full(3, 0.1), np.full(3, 0.8))
        if hull is None:
            assert diagram.volumes[i] < 1e-12
            continue
        found += 1
        start, _, area = diagram.faces
        assert diagram.volumes[i] == pytest.approx(hull.volume, rel=1e-9)
        assert area[start[i] : start[i + 1]].sum() == pytest.approx(hull.area, rel=1e-9)
        reach = np.linalg.norm(hull.points - points[i], axis=1).max()
        assert diagram.reach[i] == pytest.approx(reach, rel=1e-9)
    assert found > 15


@pytest.mark.parametrize("ratio", [1, 10])
def test_areas_are_exact_to_rounding(ratio):
    points, weights = random_points(40, ratio, seed=6, dim=2)
    low, high = (0.1, 0.0), (0.9, 0.7)
    volumes = power_cells(points, weights, flat_edges(points, weights), (low, high)).volumes
    exact = [float(exact_area(points, weights, i, low, high)) for i in range(len(points))]
    assert volumes == pytest.approx(exact, rel=1e-12, abs=1e-15)


def test_squares_on_a_grid_are_exact():
    points = np.stack(np.meshgrid(np.arange(6.0), np.arange(6.0)), axis=-1).reshape(-1, 2) / 3.0
    flat = np.column_stack((points, np.zeros(36)))
    edges = Triangulation(flat, np.zeros(36)).edges
    diagram = power_cells(points, np.zeros(36), edges, ([-1 / 6] * 2, [11 / 6] * 2))
    assert diagram.volumes == pytest.approx(np.full(36, 1 / 9), rel=1e-13)
    assert diagram.centroids == pytest.approx(points, abs=1e-15)


# ---- closed forms ----------------------------------------------------------------------------


def test_two_points():
    """The plane between x = 0.2 and x = 0.6 lies at x = 0.4 + (w_0 - w_1) / (2 * 0.4)."""
    points, weights = np.array([[0.2, 0.5, 0.5], [0.6, 0.5, 0.5]]), np.array([0.09, 0.01])
    diagram = power_diagram(Triangulation(points, weights), (np.zeros(3), [1.0, 2.0, 3.0]))
    assert diagram.volumes == pytest.approx([3.0, 3.0], rel=1e-14)
    assert diagram.centroids == pytest.approx(
        np.array([[0.25, 1.0, 1.5], [0.75, 1.0, 1.5]]), rel=1e-14)
    start, neighbour, area = diagram.faces
    assert start.tolist() == [0, 6, 12]
    assert neighbour.tolist() == [1, -1, -3, -4, -5, -6, 0, -2, -3, -4, -5, -6]
    assert area[:6] == pytest.approx([6.0, 6.0, 1.5, 1.5, 1.0, 1.0], rel=1e-14)
    flat = power_cells(points[:, :2], weights, np.array([[0, 1]]), (np.zeros(2), [1.0, 2.0]))
    assert flat.volumes == pytest.approx([1.0, 1.0], rel=1e-14)
    assert flat.faces.neighbour.tolist() == [1, -1, -3, -4, 0, -2, -3, -4]
    assert flat.faces.area[:4] == pytest.approx([2.0, 2.0, 0.5, 0.5], rel=1e-14)


def test_rhombic_dodecahedron():
    """A cell of face-centred cubes of side 1: volume 1/4, and 12 faces of area √2 / 16 · 2."""
    points = lattice(FACES, 3, shift=0.0)
    diagram = power_diagram(Triangulation(points, np.zeros(len(points))), ([-1] * 3, [4] * 3))
    middle = int(np.flatnonzero((points == 1.0).all(axis=1))[0])
    start, neighbour, area = (part for part in diagram.faces)
    mine = slice(start[middle], start[middle + 1])
    large = area[mine] > 1e-12
    assert diagram.volumes[middle] == pytest.approx(0.25, rel=1e-14)
    assert area[mine][large] == pytest.approx(np.full(12, 0.125 * np.sqrt(2.0)), rel=1e-14)
    distance = np.linalg.norm(points[neighbour[mine][large]] - points[middle], axis=1)
    assert distance == pytest.approx(np.full(12, np.sqrt(0.5)), rel=1e-14)
    assert diagram.centroids[middle] == pytest.approx(points[middle], rel=1e-14)


# ---- faces and polygons ----------------------------------------------------------------------


def test_faces_are_the_same_from_both_sides():
    points, weights = random_points(500, 10, seed=7)
    diagram = power_diagram(Triangulation(points, weights), UNIT)
    start, neighbour, area = diagram.faces
    owner = np.repeat(np.arange(500), np.diff(start))
    between = neighbour >= 0
    there = {(i, j): a for i, j, a in zip(owner[between], neighbour[between], area[between],
                                         strict=True)}
    typical = diagram.volumes.mean() ** (2 / 3)
    for (i, j), a in there.items():
        assert there.get((j, i), 0.0) == pytest.approx(a, abs=1e-12 * typical)
    assert sum(area[neighbour == -3]) == pytest.approx(1.0, rel=1e-12)


def test_polygons_close_the_cell():
    points, weights = random_points(200, 10, seed=8)
    diagram = power_diagram(Triangulation(points, weights), UNIT)
    for i in range(200):
        polygons = diagram.polygons(i)
        assert bool(polygons) == (diagram.volumes[i] > 0.0)
        areas = np.array([outward(p) for p in polygons]).reshape(-1, 3)
        assert areas.sum(axis=0) == pytest.approx(np.zeros(3), abs=1e-15)
        volume = sum(p[0] @ a for p, a in zip(polygons, areas, strict=True)) / 3.0
        assert volume == pytest.approx(diagram.volumes[i], rel=1e-10, abs=1e-15)
        mine = slice(diagram.faces.start[i], diagram.faces.start[i + 1])
        assert sorted(diagram.faces.area[mine]) == pytest.approx(
            sorted(np.linalg.norm(areas, axis=1)), abs=1e-15)


def test_the_polygon_of_a_flat_cell():
    points, weights = random_points(50, 10, seed=9, dim=2)
    diagram = power_cells(points, weights, flat_edges(points, weights), SQUARE)
    for i in np.flatnonzero(diagram.volumes > 0.0):
        (polygon,) = diagram.polygons(int(i))
        x, y = (polygon - polygon[0]).T
        area = 0.5 * (x * np.roll(y, -1) - y * np.roll(x, -1)).sum()
        assert area == pytest.approx(diagram.volumes[i], rel=1e-12)
    hidden = int(np.flatnonzero(~diagram.is_visible)[0])
    assert diagram.polygons(hidden) == []


@pytest.mark.parametrize("dim", [2, 3])
def test_one_large_grain_among_many_small_ones(dim):
    """Its cell has more corners than there is room for at first."""
    rng = np.random.default_rng(10)
    around = rng.normal(size=(900, 3))
    around[:, dim:] = 0.0
    around /= np.linalg.norm(around, axis=1)[:, None]
    points = np.vstack((np.zeros((1, 3)), around))
    weights = np.r_[0.81, np.full(900, 1e-4)]
    edges = Triangulation(points, weights).edges
    box = (np.full(dim, -1.1), np.full(dim, 1.1))
    diagram = power_cells(points[:, :dim], weights, edges, box)
    assert diagram.volumes.sum() == pytest.approx(2.2**dim, rel=1e-12)
    assert (diagram.faces.area[: diagram.faces.start[1]] > 0.0).sum() > 600
    ball = {2: np.pi, 3: 4.0 * np.pi / 3.0}[dim]
    assert diagram.volumes[0] == pytest.approx(ball * 0.90495**dim, rel=0.02)
    corners = sum(map(len, diagram.polygons(0)))
    assert corners > 600


# ---- which vertices ---------------------------------------------------------------------------


def test_removed_and_hidden_vertices_have_no_cell():
    points = np.array([[0.5, 0.5, 0.5], [0.5, 0.5, 0.5], [0.2, 0.2, 0.2]])
    triangulation = Triangulation(points, np.array([0.1, 0.2, 0.0]))
    triangulation.remove(np.array([2]))
    diagram = power_diagram(triangulation, UNIT)
    assert diagram.volumes == pytest.approx([0.0, 1.0, 0.0])
    without_edges = power_cells(points[:2], np.array([0.1, 0.2]), np.empty((0, 2)), UNIT).volumes
    assert without_edges == pytest.approx([0.0, 1.0])


def test_no_points_no_cells():
    diagram = power_cells(np.empty((0, 3)), np.empty(0), np.empty((0, 2)), UNIT)
    assert len(diagram.volumes) == 0
    assert diagram.faces.start.tolist() == [0]


# ---- periodic ---------------------------------------------------------------------------------


def periodic_diagram(points, weights, box, periods):
    periodic = [period or None for period in periods]
    return power_diagram(Triangulation(points, weights, periodic=periodic), box)


@pytest.mark.parametrize("periods", [(1.0, 0.0, 0.0), (1.0, 2.0, 0.0), (1.0, 2.0, 3.0)])
@pytest.mark.parametrize("n", [1, 2, 5, 200])
def test_periodic_cells_fill_the_box_wherever_it_begins(n, periods):
    size = np.array([1.0, 2.0, 3.0])
    points, weights = random_points(n, 3, seed=n)
    points *= size
    here, there = (
        periodic_diagram(points + move * (np.array(periods) > 0.0), weights,
                         (np.zeros(3), size), periods)
        for move in (0.0, np.array([0.3, 5.1, -0.7]))
    )
    assert here.volumes.sum() == pytest.approx(6.0, rel=1e-12)
    assert there.volumes == pytest.approx(here.volumes, rel=1e-9, abs=1e-15)
    assert (here.faces.neighbour >= 0).sum() % 2 == 0
    for axis in range(3):
        assert (periods[axis] > 0.0) == (-1 - 2 * axis not in here.faces.neighbour)


@pytest.mark.parametrize("n", [1, 2, 5, 15])
def test_periodic_cells_are_those_among_all_images(n):
    points, weights = random_points(n, 3, seed=n, dim=2)
    points[:, 0] *= 0.2  # a cluster: images far away take part
    diagram = periodic_diagram(points, weights, SQUARE, (1.0, 1.0))
    moves = [(x, y) for x in range(-2, 3) for y in range(-2, 3)]
    images = np.vstack([points, *(points + m for m in moves if any(m))])
    for i in range(n):
        area = exact_area(images, np.tile(weights, 25), i, points[i] - 1.0, points[i] + 1.0)
        assert diagram.volumes[i] == pytest.approx(float(area), rel=1e-12, abs=1e-15)


def test_points_that_are_the_same_in_the_next_period():
    points = np.array([[0.25, 0.5], [1.25, 0.5], [0.75, -2.5], [0.25, 0.5]])
    diagram = periodic_diagram(points, np.zeros(4), SQUARE, (1.0, 1.0))
    assert diagram.volumes == pytest.approx([0.5, 0.0, 0.5, 0.0], rel=1e-14)
    assert diagram.centroids[[0, 2]] == pytest.approx(points[[0, 2]], rel=1e-14)
    (outline,) = diagram.polygons(2)
    assert np.ptp(outline, axis=0) == pytest.approx([0.5, 1.0], rel=1e-14)


def test_shifts_say_where_the_other_end_is():
    points = np.array([[0.1, 0.5, 0.5], [0.8, 0.5, 0.5]])
    diagram = power_cells(points, np.zeros(2), np.array([[0, 1], [0, 1]]), UNIT,
                          shifts=np.array([[0, 0, 0], [-1, 0, 0]]), periods=(1.0, 0.0, 0.0))
    assert diagram.volumes == pytest.approx([0.5, 0.5], rel=1e-14)
    assert diagram.centroids[:, 0] == pytest.approx([0.2 - 0.05 + 0.05, 0.7], rel=1e-14)


# ---- how it is done ----------------------------------------------------------------------------


THREADS = """
import hashlib, numba, numpy as np
from granum.geometry import Triangulation
from granum.geometry.power import power_cells

points = np.random.default_rng(1).random((400, 3))
for dim in (2, 3):
    points[:, dim:] = 0.0
    weights = 0.02 * np.random.default_rng(2).random(400)
    edges = Triangulation(points, weights).edges
    for threads in (1, 2, 4):
        numba.set_num_threads(threads)
        d = power_cells(points[:, :dim], weights, edges, (np.zeros(dim), np.ones(dim)))
        parts = (d.volumes, d.centroids, d.areas, d.sides)
        print(dim, hashlib.sha256(b"".join(part.tobytes() for part in parts)).hexdigest())
    points = np.random.default_rng(1).random((400, 3))
"""


def test_threads_change_no_bit():
    environment = {**os.environ, "NUMBA_NUM_THREADS": "4"}
    output = subprocess.run([sys.executable, "-c", THREADS], env=environment, text=True,
                            capture_output=True, check=True).stdout.splitlines()
    assert len(output) == 6
    assert len(set(output)) == 2


@pytest.mark.parametrize(("change", "message"), [
    ({"points": np.zeros((3, 4))}, r"points must have shape \(n, 2\) or \(n, 3\)"),
    ({"weights": np.zeros(2)}, "weights must have shape"),
    ({"edges": np.array([[0, 3]])}, "edges must name vertices from 0 to 2, got 0 to 3"),
    ({"box": (np.ones(3), np.zeros(3))}, "box must have its low corner below its high one"),
    ({"periods": (-1.0, 0.0, 0.0)}, "periods must be positive"),
])
def test_what_does_not_fit_is_refused(change, message):
    given = {"points": np.eye(3), "weights": np.zeros(3), "edges": np.array([[0, 1]]),
             "box": UNIT, **change}
    with pytest.raises(InputError, match=message):
        power_cells(**given)


def test_a_vertex_that_is_not_there_is_refused():
    diagram = power_cells(np.eye(3), np.zeros(3), np.array([[0, 1]]), UNIT)
    with pytest.raises(InputError, match="there is no vertex 3"):
        diagram.polygons(3)

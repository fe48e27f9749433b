"""What walls tell of themselves: sides, extents, drawings, and why a value is refused."""

from __future__ import annotations

import dataclasses
import typing

import numpy as np
import pytest

from granum import quantity
from granum.errors import InputError
from granum.walls import (
    Box,
    Cone,
    Cylinder,
    Hourglass,
    Plane,
    Plate,
    SphereWall,
    Wall,
    clearance,
    closest,
    make_table,
    nearest_possible,
    quad_piece,
    revolution_piece,
)

ORIGIN, Z = (0.0, 0.0, 0.0), (0.0, 0.0, 1.0)
TILTED = (1.0, -2.0, 0.5)
FINITE = [
    Plane((1, 2, 3), TILTED, extent=(0.4, 0.7)),
    Plane((1, 2, 3), Z, extent=(0.4, 0.7), along=(1, 1, 0), two_sided=True),
    Cylinder((1, 2, 3), TILTED, 0.5, 0.8),
    Cone((1, 2, 3), TILTED, 0.5, 0.2, 0.8),
    Cone((1, 2, 3), TILTED, 0.0, 0.2, 0.8, side="outside"),
    SphereWall((1, 2, 3), 0.7),
    Plate((1, 2, 3), TILTED, 0.7, hole=0.2, opens=1.0),
    Hourglass(centre=(1, 2, 3)),
    Hourglass(section="round", centre=(1, 2, 3)),
    Box((0, 0, 0), (1, 2, 3)),
    Box((0, 0, 0), (1, 2, 0)),
]
INFINITE = [Plane(ORIGIN, Z), Plane(ORIGIN, TILTED, two_sided=True), Cylinder(ORIGIN, TILTED, 0.5)]
ALL = FINITE + INFINITE


@pytest.mark.parametrize("wall", FINITE, ids=lambda wall: wall.describe())
def test_drawings_lie_on_the_wall_and_span_its_bounds(wall):
    """Corners of an outline are on the surface; together they reach as far as the bounds."""
    table = make_table([wall])
    corners = np.concatenate(wall.outline())
    assert corners.shape[1] == 3
    for corner in corners[::5]:
        off = min(abs(nearest_possible(table.kind, table.data, w, *corner))
                  for w in range(len(table.kind)))
        assert off < 1e-12
    low, high = wall.bounds()
    assert (corners >= low - 1e-12).all()
    assert (corners <= high + 1e-12).all()
    np.testing.assert_allclose(corners.min(axis=0), low, atol=2e-3)
    np.testing.assert_allclose(corners.max(axis=0), high, atol=2e-3)


@pytest.mark.parametrize("wall", INFINITE, ids=lambda wall: wall.describe())
def test_infinite_walls_are_not_drawn(wall):
    assert wall.outline() == []


def test_boxes_draw_all_their_edges():
    def edges(box):
        return {frozenset([tuple(a), tuple(b)]) for line in box.outline()
                for a, b in zip(line[:-1].tolist(), line[1:].tolist(), strict=True)}
    assert len(edges(Box((0, 0, 0), (1, 2, 3), open_top=True))) == 12
    assert all(sum(x != y for x, y in zip(*edge, strict=True)) == 1
               for edge in edges(Box((0, 0, 0), (1, 2, 3))))
    assert len(edges(Box((0, 0, 0), (1, 2, 0)))) == 4


def test_bounds_of_infinite_walls():
    inf = np.inf
    cases = [
        (Plane((1, 2, 3), (0, 0, 2)), [-inf, -inf, 3], [inf, inf, inf]),
        (Plane((1, 2, 3), (0, -1, 0)), [-inf, -inf, -inf], [inf, 2, inf]),
        (Plane((1, 2, 3), (0, 0, 1), two_sided=True), [-inf] * 3, [inf] * 3),
        (Plane((1, 2, 3), (0, 1, 1)), [-inf] * 3, [inf] * 3),
        (Cylinder((1, 2, 3), (0, 0, 1), 0.5), [0.5, 1.5, -inf], [1.5, 2.5, inf]),
        (Cylinder((1, 2, 3), (0, 3, 4), 0.5), [0.5, -inf, -inf], [1.5, inf, inf]),
        (Box((0, 0, 0), (1, 2, 3), open_top=True), [0, 0, 0], [1, 2, inf]),
        (Box((0, 0, 0), (1, 2, 0), open_top=True), [0, 0, 0], [1, inf, 0]),
    ]
    for wall, low, high in cases:
        np.testing.assert_allclose(wall.bounds()[0], low, err_msg=wall.describe())
        np.testing.assert_allclose(wall.bounds()[1], high, err_msg=wall.describe())


def test_contains_of_planes_and_boxes():
    points = np.array([[0.5, 0.5, 0.5], [0.5, 0.5, -0.5], [0.5, 0.5, 0.0], [0.5, 0.5, 1.5],
                       [-0.1, 0.5, 0.5], [0.5, 1.5, 0.5]])
    above = Plane(ORIGIN, (0, 0, 3)).contains(points)
    assert above.tolist() == [True, False, True, True, True, True]
    assert Plane(ORIGIN, Z, two_sided=True).contains(points).all()
    assert Plane(ORIGIN, Z, extent=(1, 1)).contains(points).all()
    box = Box(ORIGIN, (1, 1, 1)).contains(points)
    assert box.tolist() == [True, False, True, False, False, False]
    opened = Box(ORIGIN, (1, 1, 1), open_top=True).contains(points)
    assert opened.tolist() == [True, False, True, True, False, False]
    flat = Box(ORIGIN, (1, 1, 0)).contains(points)
    assert flat.tolist() == [True, True, True, True, False, False]
    assert Box(ORIGIN, (1, 1, 0), open_top=True).contains(points)[-1]


def test_contains_of_round_walls():
    points = np.array([[0.3, 0.0, 0.5], [0.9, 0.0, 0.5], [1.5, 0.0, 0.5], [1.5, 0.0, 2.5],
                       [0.0, 0.0, -0.5]])
    cases = [
        (Cylinder(ORIGIN, Z, 1.0, 2.0), [1, 1, 0, 1, 1]),
        (Cylinder(ORIGIN, Z, 1.0), [1, 1, 0, 0, 1]),
        (Cylinder(ORIGIN, Z, 1.0, 2.0, side="outside"), [0, 0, 1, 1, 1]),
        (Cylinder(ORIGIN, Z, 1.0, 2.0, side="both"), [1, 1, 1, 1, 1]),
        (Cone(ORIGIN, Z, 1.0, 0.0, 2.0), [1, 0, 0, 1, 1]),
        (Cone(ORIGIN, Z, 0.2, 1.0, 2.0, side="outside"), [0, 1, 1, 1, 1]),
        (SphereWall(ORIGIN, 1.0), [1, 0, 0, 0, 1]),
        (SphereWall(ORIGIN, 1.0, side="outside"), [0, 1, 1, 1, 0]),
        (SphereWall(ORIGIN, 1.0, side="both"), [1, 1, 1, 1, 1]),
        (Plate(ORIGIN, Z, 1.0, hole=0.5), [1, 1, 1, 1, 1]),
    ]
    for wall, expected in cases:
        assert wall.contains(points).tolist() == [bool(e) for e in expected], wall.describe()


def test_a_box_is_its_planes_and_a_flat_one_has_four():
    box = make_table([Box((-1, -2, -3), (1, 2, 3))])
    centre = np.array([0.9, -1.5, 2.0])
    found = [closest(box.kind, box.data, w, 0.0, *centre) for w in range(6)]
    np.testing.assert_allclose([f[0] for f in found], [1.9, 0.1, 0.5, 3.5, 5.0, 1.0])
    np.testing.assert_allclose([f[1:] for f in found], [[-1, 0, 0], [1, 0, 0], [0, -1, 0],
                                                        [0, 1, 0], [0, 0, -1], [0, 0, 1]])
    assert len(Box(ORIGIN, (1, 1, 1), open_top=True).pieces()) == 5
    assert len(Box(ORIGIN, (1, 1, 0)).pieces()) == 4
    names = [piece.name for piece in Box(ORIGIN, (1, 1, 0), open_top=True).pieces()]
    assert names == ["low x", "high x", "low y"]


def test_tables_name_their_pieces_and_know_their_owners():
    table = make_table([Plane(ORIGIN, Z), Box(ORIGIN, (1, 1, 0)), Plane(ORIGIN, Z)])
    assert table.names == ("plane", "box: low x", "box: high x", "box: low y", "box: high y",
                           "plane 2")
    assert table.owner.tolist() == [0, 1, 1, 1, 1, 2]
    assert make_table([Plane(ORIGIN, Z)], names=["floor"]).names == ("floor",)
    with pytest.raises(InputError, match="one for each of the 1 walls, got 2"):
        make_table([Plane(ORIGIN, Z)], names=["a", "b"])


def test_clearance_is_the_least_distance_less_the_radius():
    plate = Plate((0, 0, 1), Z, 0.5, hole=0.2, opens=1.0)
    table = make_table([Plane(ORIGIN, Z), SphereWall((0, 0, 1), 1.5), plate])
    points = np.array([[0.0, 0.0, 0.3], [0.0, 0.0, -0.1], [0.0, 0.0, 1.1], [1.2, 0.0, 1.0]])
    radii = np.array([0.1, 0.05, 0.1, 0.2])
    np.testing.assert_allclose(clearance(table, points, radii, 0.0), [0.2, -0.15, 0.0, 0.1],
                               atol=1e-15)
    later = clearance(table, points, radii, 1.0)
    np.testing.assert_allclose(later[2], np.hypot(0.2, 0.1) - 0.1)
    np.testing.assert_allclose(clearance(table, points, 0.1)[:2], [0.2, -0.2])
    assert clearance(make_table([]), points, 0.1).tolist() == [np.inf] * 4
    with pytest.raises(InputError, match=r"radii must have shape \(4\), got \(3,\)"):
        clearance(table, points, radii[:3])


@pytest.mark.parametrize("wall", ALL, ids=lambda wall: wall.describe())
def test_walls_are_plain_values(wall):
    """They compare, hash, rebuild from their fields, and say the kind of each of them."""
    assert isinstance(wall, Wall)
    values = {f.name: getattr(wall, f.name) for f in dataclasses.fields(wall)}
    assert type(wall)(**values) == wall
    assert hash(type(wall)(**values)) == hash(wall)
    as_arrays = {k: np.array(v) if isinstance(v, tuple) else v for k, v in values.items()}
    assert type(wall)(**as_arrays) == wall
    hints = typing.get_type_hints(type(wall), include_extras=True)
    assert all(hints[k] is quantity.Length for k in ("radius", "hole", "width") if k in hints)
    assert "\n" not in wall.describe()


@pytest.mark.parametrize(("make", "message"), [
    (lambda: Plane((0, 0), Z), r"Plane point must have shape \(3\), got \(2,\)"),
    (lambda: Plane((0, 0, np.nan), Z), r"Plane point must be finite"),
    (lambda: Plane(ORIGIN, ORIGIN), "Plane normal must not be the zero vector"),
    (lambda: Plane(ORIGIN, Z, two_sided=1), "Plane two_sided must be true or false, got 1"),
    (lambda: Plane(ORIGIN, Z, extent=(1, 0)), r"extent \(second side\) must be greater than 0"),
    (lambda: Plane(ORIGIN, Z, extent=(1, 2, 3)), r"Plane extent must have shape \(2\)"),
    (lambda: Plane(ORIGIN, Z, along=(1, 0, 0)), "Plane extent is missing"),
    (lambda: Plane(ORIGIN, Z, extent=(1, 1), along=(1, 0, 1)), r"right angle .* at 45 degrees"),
    (lambda: Cylinder(ORIGIN, Z, -1.0), "Cylinder radius must be greater than 0, got -1"),
    (lambda: Cylinder(ORIGIN, Z, "4 mm"), "Cylinder radius must be a number, got '4 mm'"),
    (lambda: Cylinder(ORIGIN, Z, 1.0, height=0.0), "Cylinder height must be greater than 0"),
    (lambda: Cylinder(ORIGIN, Z, 1.0, side="insid"),
     'Cylinder side must be one of "inside", "outside", "both", got \'insid\'; did you mean'),
    (lambda: Cylinder(ORIGIN, Z, 1.0, side=3), "Cylinder side must be one of"),
    (lambda: Cone(ORIGIN, Z, 0.0, 0.0, 1.0), "must not both be 0"),
    (lambda: Cone(ORIGIN, Z, -1.0, 0.0, 1.0), "Cone base_radius must be at least 0"),
    (lambda: SphereWall(ORIGIN, np.inf), "SphereWall radius must be a finite number"),
    (lambda: Plate(ORIGIN, Z, 1.0, hole=1.0), r"Plate hole must be smaller .*\(1 m\), got 1 m"),
    (lambda: Plate(ORIGIN, Z, 1.0, hole=2.0), "not diameters"),
    (lambda: Plate(ORIGIN, Z, 1.0, opens=-1.0), "Plate opens must be at least 0"),
    (lambda: Box((0, 0, 0), (1, 0, 1)), "Box high must be greater than Box low along y"),
    (lambda: Box((0, 0, 1), (1, 1, 1)), r"along z, got low 1 m and high 1 m \(a flat box"),
    (lambda: quad_piece([[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]]), "convex quadrilateral"),
    (lambda: quad_piece([[0, 0, 0], [1, 0, 0], [1, 1, 0.1], [0, 1, 0]]), "in one plane"),
    (lambda: revolution_piece(ORIGIN, Z, (1, 0), (1, 0)), "length of the segment"),
])
def test_wrong_values_are_refused_with_their_names(make, message):
    with pytest.raises(InputError, match=message):
        make()

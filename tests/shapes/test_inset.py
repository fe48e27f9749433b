"""Solids with hollows, rounded so that they keep their size."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from inset_samples import CUBES, PENTAGRAM, PLUS, SOLIDS, blocks, star_pyramid
from scipy.spatial import ConvexHull
from swept_samples import ELL, prism

import granum as gr
import mesh_shapes
from granum.shapes.apart import points_to_segments, points_to_triangles
from granum.shapes.erosion import eroded_hull
from granum.shapes.inset import eroded_mesh, shortest_in
from granum.shapes.skeleton import hull, volume_of


def turned(points, seed=5):
    """Points turned about a skew axis, so that no plane is along the axes."""
    q, _ = np.linalg.qr(np.random.default_rng(seed).normal(size=(3, 3)))
    return np.asarray(points, dtype=float) @ (q * np.linalg.det(q)).T


def distance(points, corner):
    """Distance of each point from all triangles together."""
    i, j = (k.ravel() for k in np.indices((len(points), len(corner))))
    return points_to_triangles(points[i], corner[j]).reshape(len(points), -1).min(axis=1)


def area_and_border(outline):
    """Area and length of the border of an outline whose sides are along the axes."""
    x = np.array(outline, dtype=float)
    after = np.roll(x, -1, axis=0)
    return 0.5 * (x[:, 0] @ after[:, 1] - x[:, 1] @ after[:, 0]), np.abs(after - x).sum()


def rectilinear_volume(outline, height, r):
    """Volume of a prism over an outline with right angles, rounded, in closed form.

    A slice at t from where the rounding of an end begins has its sides moved in by d = r - ρ with
    ρ = √(r² - t²): the area A - P d + 4 d², as outer corners are four more than inner ones. Its
    outer corners are rounded with ρ and lack (1 - π/4) ρ² each. ∫ ρ dt = π r²/4 and
    ∫ ρ² dt = 2 r³/3 over an end.
    """
    area, around = area_and_border(outline)
    outer, lack = (len(outline) + 4) // 2, 1.0 - np.pi / 4.0
    end = (area * r - around * lack * r**2 + 4.0 * r**3 * (5.0 / 3.0 - np.pi / 2.0)
           - outer * lack * 2.0 * r**3 / 3.0)
    return (height - 2.0 * r) * (area - outer * lack * r**2) + 2.0 * end


def edges_of(skeleton):
    """Ends of the outer edges of a solid, and of its inner ones, (k,2,3) each."""
    outer, inner = [], []
    x, faces = skeleton.points, skeleton.faces
    for edge in skeleton.edges:
        one, other = faces[np.isin(faces, edge).sum(axis=1) == 2]
        n = np.cross(x[one[1]] - x[one[0]], x[one[2]] - x[one[0]])
        tip = other[~np.isin(other, edge)][0]
        (outer if n @ (x[tip] - x[edge[0]]) < 0.0 else inner).append(x[edge])
    return np.array(outer), np.array(inner)


def to_edges(points, ends):
    """Distance of each point from all segments together."""
    i, j = (k.ravel() for k in np.indices((len(points), len(ends))))
    apart = points_to_segments(points[i], ends[j, 0], ends[j, 1])
    return apart.reshape(len(points), -1).min(axis=1)


@pytest.mark.parametrize("name", SOLIDS)
@pytest.mark.parametrize("radius", [0.1, 0.3])
def test_faces_stay_where_they_were(name, radius):
    """Old faces away from outer edges are on the new surface, right up to inner edges.

    By an inner corner a ball touches a face no nearer than √2 r from it.
    """
    vertices, faces = SOLIDS[name]
    x = turned(vertices)
    shape = gr.SpheroPolyhedron.rounded(x, radius, faces)
    plain = gr.SpheroPolyhedron(x, faces, radius).skeleton()
    share = np.random.default_rng(1).dirichlet((1, 1, 1), size=(len(plain.faces), 300))
    points = np.einsum("tsk,tkd->tsd", share, plain.points[plain.faces]).reshape(-1, 3)
    outer, inner = edges_of(plain)
    points = points[to_edges(points, outer) > 1.42 * radius]
    assert (to_edges(points, inner) < 0.5 * radius).sum() > 5
    assert (to_edges(points, inner) > 2.0 * radius).sum() > 5
    new = np.array(shape.vertices)[np.array(shape.faces)]
    assert distance(points, new) == pytest.approx(np.full(len(points), radius), abs=4e-12)
    assert len(shape.skeleton().points) == len(plain.points)


@pytest.mark.parametrize("name", SOLIDS)
def test_the_outer_size_is_kept(name):
    vertices, faces = SOLIDS[name]
    inner = np.array(gr.SpheroPolyhedron.rounded(vertices, 0.3, faces).vertices)
    x = np.asarray(vertices, dtype=float)
    assert inner.min(axis=0) - 0.3 == pytest.approx(x.min(axis=0), abs=1e-14)
    assert inner.max(axis=0) + 0.3 == pytest.approx(x.max(axis=0), abs=1e-14)


def test_an_inner_edge_stays_sharp():
    """The mesh moved in has the inner corner deeper in the material, by the radius both ways."""
    shape = gr.SpheroPolyhedron.rounded(*_with_radius(SOLIDS["L-block"], 0.25))
    assert sorted(shape.vertices) == sorted(
        (x, y, z) for z in (0.25, 0.75) for x, y in (
            (0.25, 0.25), (1.75, 0.25), (1.75, 0.75), (0.75, 0.75), (0.75, 1.75), (0.25, 1.75)))
    assert not shape.skeleton().is_convex
    new = np.array(shape.vertices)[np.array(shape.faces)]
    points = np.array([[1.0, 1.0, 0.5], [1.0, 1.1, 0.5], [1.1, 1.0, 0.5], [1.1, 1.1, 0.5]])
    assert distance(points, new) == pytest.approx([0.25, 0.25, 0.25, 0.35], abs=1e-15)


def _with_radius(solid, radius):
    return solid[0], radius, solid[1]


@pytest.mark.parametrize(("outline", "height", "radius"), [
    (ELL, 1.0, 0.1), (ELL, 1.0, 0.4), (PLUS, 0.7, 0.3),
])
def test_volume_in_closed_form(outline, height, radius):
    vertices, faces = prism(outline, height)
    shape = gr.SpheroPolyhedron.rounded(vertices, radius, faces)
    assert shape.volume == pytest.approx(rectilinear_volume(outline, height, radius), rel=1e-6)
    assert shape.error > 0.0  # by quadrature


def test_the_closed_form_of_a_box():
    """That of the L, for an outline of four corners, is that of a box swept by a ball."""
    assert rectilinear_volume([(0, 0), (2, 0), (2, 3), (0, 3)], 4.0, 0.3) == pytest.approx(
        gr.SpheroPolyhedron.box((1.4, 2.4, 3.4), 0.3).volume, rel=1e-14)


def stone(seed, count=60):
    """A blunt stone with dents: points all around a sphere, and waves of three directions on it."""
    rng = np.random.default_rng(seed)
    k = np.arange(count) + 0.5
    height, turn = 1.0 - 2.0 * k / count, np.pi * (1.0 + np.sqrt(5.0)) * k
    around = np.sqrt(1.0 - height**2)
    x = np.column_stack((around * np.cos(turn), around * np.sin(turn), height))
    faces = np.array([face if volume > 0.0 else face[::-1] for face, volume in (
        (face, np.linalg.det(x[face])) for face in ConvexHull(x).simplices)])
    waves = np.cos(x @ rng.normal(scale=2.5, size=(3, 3)) + rng.uniform(0.0, 6.0, size=3))
    return x * (1.0 + 0.1 * waves.sum(axis=1))[:, None] * (1.3, 1.0, 0.8), faces.tolist()


@pytest.mark.parametrize("seed", range(3))
def test_a_scanned_stone_keeps_its_size(seed):
    """Six planes at a vertex: nothing comes out of the stone, and little is missing."""
    vertices, faces = stone(seed)
    radius = 0.05
    plain = gr.SpheroPolyhedron(vertices, faces, radius).skeleton()
    assert not plain.is_convex
    shape = gr.SpheroPolyhedron.rounded(vertices, radius, faces)
    share = np.random.default_rng(1).dirichlet((1, 1, 1), size=(len(plain.faces), 10))
    points = np.einsum("tsk,tkd->tsd", share, plain.points[plain.faces]).reshape(-1, 3)
    new = np.array(shape.vertices)[np.array(shape.faces)]
    apart = distance(points, new)
    assert radius * (1.0 - 1e-9) <= apart.min()
    away = to_edges(points, edges_of(plain)[0]) > radius
    assert np.median(apart[away]) < 1.05 * radius
    assert apart[away].max() < 1.5 * radius
    volume = volume_of(plain.points, plain.faces)
    assert 0.985 * volume < shape.volume < volume


def shortest_of_subsets(normals):
    """The slow twin: of all points where one, two or three planes meet, the shortest behind all."""
    best = None
    for count in (1, 2, 3):
        for rows in itertools.combinations(normals, count):
            p = np.linalg.lstsq(np.array(rows), -np.ones(count), rcond=None)[0]
            if (normals @ p <= -1.0 + 1e-9).all() and (best is None or p @ p < best @ best):
                best = p
    return best


@given(st.integers(0, 10_000), st.integers(3, 9), st.floats(0.0, 3.0))
def test_the_shortest_way_behind_all_planes(seed, count, bias):
    normals = np.random.default_rng(seed).normal(loc=(0.0, 0.0, bias), size=(count, 3))
    normals /= np.linalg.norm(normals, axis=1)[:, None]
    found, wanted = shortest_in(normals), shortest_of_subsets(normals)
    assert (found is None) == (wanted is None)
    if wanted is not None:
        assert found == pytest.approx(wanted, abs=1e-9 * (wanted @ wanted))


@pytest.mark.parametrize("inner", [1.2, PENTAGRAM])
def test_a_crooked_tip_goes_in_behind_all_its_planes(inner):
    """That of a regular pyramid goes where they meet again; this one cannot."""
    vertices, faces = star_pyramid((0.1, 0.2, 2.0), inner)
    shape = gr.SpheroPolyhedron.rounded(vertices, 0.1, faces)
    tip = np.array(shape.vertices)[np.argmax(np.array(shape.vertices)[:, 2])]
    plain = gr.SpheroPolyhedron(vertices, faces, 0.1).skeleton()
    corner = plain.points[plain.faces[(plain.points[plain.faces] == vertices[-1]).all(2).any(1)]]
    normals = np.cross(corner[:, 1] - corner[:, 0], corner[:, 2] - corner[:, 0])
    normals /= np.linalg.norm(normals, axis=1)[:, None]
    depth = -(normals * (tip - corner[:, 0])).sum(axis=1)
    assert depth.min() == pytest.approx(0.1, abs=1e-12)
    assert (depth > 0.1001).any()


@pytest.mark.parametrize("solid", [
    mesh_shapes.cube(high=(1.0, 2.0, 3.0)), blocks(CUBES), mesh_shapes.drum(1.0, 1.5, 9),
], ids=["box", "cubes", "drum"])
def test_a_convex_mesh_is_its_hull(solid):
    vertices, faces = solid
    shape = gr.SpheroPolyhedron.rounded(vertices, 0.2, faces)
    same = gr.SpheroPolyhedron.rounded(vertices, 0.2)
    assert shape.faces is None
    assert sorted(shape.vertices) == pytest.approx(np.array(sorted(same.vertices)), abs=1e-12)
    assert shape.error == 0.0


def test_a_cube_moved_in_as_a_mesh_is_that_of_its_planes():
    """Both ways give the same corners; faces look outwards."""
    corners = np.array(list(itertools.product((0.0, 2.0), repeat=3)))
    skeleton = hull(corners)
    moved, faces = eroded_mesh("cube", skeleton, 0.25, np.arange(8))
    assert sorted(moved.tolist()) == sorted(eroded_hull("cube", corners, 0.25).tolist())
    assert volume_of(moved, faces) == pytest.approx(1.5**3, rel=1e-15)


def test_vertices_on_an_edge_or_a_face_take_the_shortest_way():
    """A cube of 26 vertices as a mesh: those on edges have two planes, those on faces one."""
    vertices, faces = blocks(set(itertools.product(range(2), repeat=3)))
    assert len(vertices) == 26
    cut = np.array([(a, b, c) for f in faces for a, b, c in (f[:3], (f[0], f[2], f[3]))])
    side = {tuple(sorted((f[0], f[2]))) for f in faces}
    around = {tuple(sorted((f[k - 1], f[k]))) for f in faces for k in range(4)}
    flat = [(a, b) for a, b in around if ((vertices[a] == vertices[b]) & (vertices[a] % 2 == 0)
                                          ).sum() == 1]
    seams = np.array(sorted(side | set(flat)))
    edges = np.array(sorted(around - set(flat)))
    skeleton = hull(vertices)._replace(points=vertices, faces=cut, seams=seams, edges=edges)
    moved, _ = eroded_mesh("cube", skeleton, 0.25, np.arange(26))
    expected = vertices + 0.25 * ((vertices == 0.0).astype(float) - (vertices == 2.0))
    assert moved == pytest.approx(expected, abs=1e-15)


@pytest.mark.parametrize("inner", [1.2, PENTAGRAM])
def test_many_planes_that_do_meet(inner):
    """At the tip of a regular pyramid all planes have the same slope."""
    vertices, faces = star_pyramid((0.0, 0.0, 2.0), inner)
    shape = gr.SpheroPolyhedron.rounded(vertices, 0.1, faces)
    assert len(shape.vertices) == 11
    n = np.cross(vertices[1] - vertices[0], vertices[10] - vertices[0])
    assert np.array(shape.vertices)[10] == pytest.approx(
        [0.0, 0.0, 2.0 - 0.1 * np.linalg.norm(n) / n[2]], abs=1e-14)


def outline_of(lengths, is_tee):
    """An L or a T with arms of these lengths and widths."""
    a, b, c, d, e = lengths
    if is_tee:
        return [(-e, 0), (a + b, 0), (a + b, c), (a, c), (a, c + d), (0, c + d), (0, c), (-e, c)]
    return [(0, 0), (a + b, 0), (a + b, c), (a, c), (a, c + d), (0, c + d)]


LENGTHS = st.lists(st.floats(0.3, 3.0), min_size=5, max_size=5)


@settings(max_examples=40, deadline=None)
@given(LENGTHS, st.floats(0.3, 3.0), st.booleans(), st.floats(0.02, 0.98))
def test_random_prisms_moved_in(lengths, height, is_tee, share):
    """Size and volume of what the ball is swept over, with arms that may be shorter than it."""
    outline = outline_of(lengths, is_tee)
    r = share * 0.5 * min(height, lengths[0], lengths[2])
    vertices, faces = prism(outline, height)
    skeleton = gr.SpheroPolyhedron.rounded(vertices, r, faces).skeleton()
    assert np.ptp(skeleton.points, axis=0) + 2.0 * r == pytest.approx(np.ptp(vertices, axis=0))
    area, around = area_and_border(outline)
    assert volume_of(skeleton.points, skeleton.faces) == pytest.approx(
        (height - 2.0 * r) * (area - r * around + 4.0 * r**2), rel=1e-9)


@settings(max_examples=6, deadline=None)
@given(LENGTHS, st.floats(0.3, 3.0), st.booleans(), st.floats(0.1, 0.98))
def test_random_prisms_rounded(lengths, height, is_tee, share):
    """More than what the ball is swept over, less than before; by how much, if arms are long."""
    outline = outline_of(lengths, is_tee)
    radius = share * 0.5 * min(height, lengths[0], lengths[2])
    vertices, faces = prism(outline, height)
    shape = gr.SpheroPolyhedron.rounded(vertices, radius, faces)
    skeleton = shape.skeleton()
    whole = height * area_and_border(outline)[0]
    assert volume_of(skeleton.points, skeleton.faces) < shape.volume < whole
    if radius <= min(lengths):
        assert shape.volume == pytest.approx(rectilinear_volume(outline, height, radius), rel=2e-6)


# ---- from a file -----------------------------------------------------------------------------


def test_a_mesh_from_a_file_keeps_size_and_hollow(tmp_path):
    """In single precision, turned: facets are flat, and planes meet, only to a ten-millionth."""
    vertices, faces = SOLIDS["pocket"]
    cut = np.array([(a, b, c) for f in faces for a, b, c in (f[:3], (f[0], f[2], f[3]))])
    (tmp_path / "pocket.stl").write_bytes(mesh_shapes.stl_binary(turned(vertices), cut))
    file = str(tmp_path / "pocket.stl")
    shape = gr.SpheroPolyhedron.from_file(file, 2e-3, scale=1e-2, rounded=True)
    same = gr.SpheroPolyhedron.rounded(1e-2 * turned(vertices), 2e-3, faces)
    assert not shape.skeleton().is_convex
    order, also = (np.array(sorted(np.round(s.vertices, 6).tolist())) for s in (shape, same))
    assert order == pytest.approx(also, abs=2e-6)
    x = np.array(shape.skeleton().points)
    assert volume_of(x, shape.skeleton().faces) == pytest.approx(
        (2.6**2 * 2.6 - 1.4**2 * 1.0) * 1e-6, rel=1e-5)
    grown = gr.SpheroPolyhedron.from_file(file, 2e-3, scale=1e-2)
    assert volume_of(grown.skeleton().points, grown.skeleton().faces) == pytest.approx(
        26e-6, rel=1e-5)


def test_a_convex_mesh_from_a_file(tmp_path):
    (tmp_path / "box.stl").write_bytes(mesh_shapes.stl_binary(*mesh_shapes.cube()))
    shape = gr.SpheroPolyhedron.from_file(str(tmp_path / "box.stl"), 0.1, rounded=True)
    assert shape.volume == pytest.approx(gr.SpheroPolyhedron.box((0.8,) * 3, 0.1).volume, rel=1e-12)

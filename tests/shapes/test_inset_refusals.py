"""Solids with hollows that leave no room for the ball, and others that cannot be rounded."""

from __future__ import annotations

import re

import numpy as np
import pytest
from inset_samples import CUBES, SOLIDS, blocks
from swept_samples import prism

import granum as gr
import mesh_shapes
from granum.errors import InputError
from granum.shapes.outline import area_of
from granum.shapes.skeleton import volume_of

THIN = [(0, 0), (4, 0), (4, 0.3), (1, 0.3), (1, 2), (0, 2)]
WAIST = [(0, 0), (3, 0), (3, 1), (2, 1), (1.5, 0.2), (1, 1), (0, 1)]
STEP = [(0, 0), (2, 0), (2, 0.6), (4, 0.6), (4, 1.6), (1.6, 1.6), (1.6, 1), (0, 1)]
"""Two blocks that overlap at a corner: its inner edges come towards each other across it."""
STAIRS = {cell for cell in CUBES if max(cell) < 2} - {(0, 0, 0), (0, 0, 1), (0, 1, 1), (1, 1, 1)}
"""Four cubes and four holes around one corner: it has faces that look to either side."""
VERTICES, FACES = SOLIDS["L-block"]
TWICE = [(x + shift, y, z) for shift in (0, 2.05) for x, y, z in VERTICES]


DENTED = [(0, 0), (6.3, 0), (6, 2.5), (6.2, 3), (3, 2.9), (0, 3)]
"""As it moves in, the dent at (3, 2.9) crosses the line from (0, 3) to (6, 2.5)."""


def cut_ends(outline, top):
    """Vertices and faces of a prism whose two ends are cut into these pieces."""
    n = len(outline)
    return prism(outline, 1.0)[0], [*(tuple(k + n for k in face) for face in top),
                                    *(face[::-1] for face in top)]


def test_triangles_are_cut_anew():
    """The triangle beside the dent turns over; the face that it is part of does not."""
    vertices, ends = cut_ends(DENTED, [(5, 2, 4), (4, 2, 3), (0, 1, 2, 5)])
    solid = vertices, 0.35, [*ends, *prism(DENTED, 1.0)[1][2:]]
    skeleton = gr.SpheroPolyhedron.rounded(*solid).skeleton()
    flat = gr.SpheroPolygon.rounded(DENTED, 0.35)
    assert volume_of(skeleton.points, skeleton.faces) == pytest.approx(
        0.3 * area_of(np.array(flat.points)), rel=1e-12)


def test_a_face_with_a_hole_keeps_its_triangles():
    """And is refused when that beside the dent turns over."""
    outline = [*DENTED, (2, 0.8), (4, 0.8), (4, 1.6), (2, 1.6)]
    vertices, ends = cut_ends(outline, [(5, 2, 4), (4, 2, 3), (0, 1, 7, 6), (1, 2, 8, 7),
                                        (2, 5, 9, 8), (5, 0, 6, 9)])
    faces = [*ends, *((k, (k + 1) % 6, (k + 1) % 6 + 10, k + 10) for k in range(6)),
             *((b, a, a + 10, b + 10) for a, b in ((6, 7), (7, 8), (8, 9), (9, 6)))]
    assert len(gr.SpheroPolyhedron.rounded(vertices, 0.25, faces).vertices) == 20
    with pytest.raises(InputError, match=r"the face about \(3, 2\.8, \d\) m would turn over"):
        gr.SpheroPolyhedron.rounded(vertices, 0.35, faces)


def slot_and_pit():
    """A block with a narrow slot from below, and from above a pit whose tip is beside its roof.

    Moved in, the tip goes through the roof, though none is near where the other was.
    """
    outline = [(-3, 0), (-0.05, 0), (-0.05, 1), (0.05, 1), (0.05, 0), (3, 0), (3, 3), (-3, 3)]
    vertices, faces = prism(outline, 6.0)
    x = [(u, -w, v) for u, v, w in vertices]
    rim = [(0.4 + a, -3 + b, 3) for a, b in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
    at = [15, 14, 6, 7]  # around the top, in the same turn
    ring = [(at[k], at[(k + 1) % 4], 16 + (k + 1) % 4, 16 + k) for k in range(4)]
    pit = [(16 + k, 16 + (k + 1) % 4, 20) for k in range(4)]
    sides = [face for face in faces if set(face) != set(at)]
    return [*x, *rim, (0.4, -3, 2)], [*sides, *ring, *pit]


@pytest.mark.parametrize(("vertices", "faces", "radius", "said"), [
    (*prism(THIN, 1.0), 0.16, "SpheroPolyhedron radius = 0.16 m is too large: the edge from "
     "(4, 0, 0) m to (4, 0.3, 0) m would vanish. It must be less than 0.15 m"),
    (*prism(THIN, 0.2), 0.11, "the edge from (0, 0, 0) m to (0, 0, 0.2) m would vanish"),
    (*prism(WAIST, 1.0), 0.12, "radius = 0.12 m is too large: near (1.5, 0.2, 0) m the body is"),
    (*prism(STEP, 1.0), 0.22, "near (2, 0.6, 0) m the body is too narrow"),
    (*slot_and_pit(), 0.44, "near (0.4, -3, 2) m the body is too narrow"),
    (*SOLIDS["pocket"], 0.55, "m the body is too narrow"),
    (*SOLIDS["hole through"], 0.52, "m the body is too narrow"),
    (*blocks(STAIRS), 0.1, "vertex 4 at (1, 1, 1) m cannot be moved in: of its faces in 4 planes "
     "some look in opposite directions"),
    (VERTICES, FACES[1:], 0.1, "faces are open along the side from vertex 0 at (0, 0, 0) m"),
    (VERTICES, [face[::-1] for face in FACES], 0.1, "faces are inside out"),
    (VERTICES[:6], FACES[:1], 0.1, "faces must close a solid to be rounded"),
    (VERTICES, (), 0.1, "faces must close a solid to be rounded"),
    ([*VERTICES, (1, 1, 1.1)], FACES, 0.1, "vertex 12 at (1, 1, 1.1) m belongs to no face"),
    (TWICE, [*FACES, *(tuple(k + 12 for k in face) for face in FACES)], 0.1,
     "vertices must hang together"),
    (VERTICES, FACES, 0.0, "SpheroPolyhedron radius must be greater than 0, got 0"),
    (*mesh_shapes.cube(), 0.6, "which holds a ball of radius 0.5 m at most"),
])
def test_it_is_refused(vertices, faces, radius, said):
    with pytest.raises(InputError, match=re.escape(said)):
        gr.SpheroPolyhedron.rounded(vertices, radius, faces)


@pytest.mark.parametrize(("solid", "limit"), [
    (prism(THIN, 1.0), 0.15), (prism(STEP, 1.0), 0.2), (slot_and_pit(), np.sqrt(2.0) - 1.0),
    (SOLIDS["pocket"], 0.5), (SOLIDS["hole through"], 0.5), (SOLIDS["plus"], 0.5),
], ids=["thin", "step", "slot and pit", "pocket", "hole", "plus"])
def test_what_is_just_small_enough(solid, limit):
    vertices, faces = solid
    assert gr.SpheroPolyhedron.rounded(vertices, 0.999 * limit, faces)
    with pytest.raises(InputError, match="too large"):
        gr.SpheroPolyhedron.rounded(vertices, 1.001 * limit, faces)

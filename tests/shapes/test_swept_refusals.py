"""What makes no swept shape, and what is said about it."""

from __future__ import annotations

import re

import pytest
from swept_samples import ELL, prism

import granum as gr
from granum.errors import InputError

VERTICES, FACES = prism(ELL, 1)
SQUARE = [(0, 0), (1, 0), (1, 1), (0, 1)]


@pytest.mark.parametrize(("make", "said"), [
    (lambda: gr.Spherocylinder(0, 1), "Spherocylinder length must be greater than 0, got 0"),
    (lambda: gr.Spherotriangle(1, -1), "Spherotriangle radius must be greater than 0, got -1"),
    (lambda: gr.Spherotetrahedron(1, float("nan")), "Spherotetrahedron radius must be a finite"),
    (lambda: gr.SpheroPolyhedron(VERTICES, FACES), "SpheroPolyhedron radius must be greater than"),
    (lambda: gr.SpheroPolyhedron([], radius=1), "SpheroPolyhedron vertices must be 1 to 2000"),
    (lambda: gr.SpheroPolyhedron(VERTICES, FACES[1:], 0.1),
     "faces are open along the side from vertex 0 at (0, 0, 0) m to 1 at (2, 0, 0) m"),
    (lambda: gr.SpheroPolyhedron(VERTICES, [face[::-1] for face in FACES], 0.1),
     "faces are inside out, from that at vertex 0 at (0, 0, 0) m on"),
    (lambda: gr.SpheroPolyhedron(VERTICES, [FACES[0][::-1], *FACES[1:]], 0.1),
     "faces[0] and faces[2] both run from vertex 0 at (0, 0, 0) m to 1: one is seen from inside"),
    (lambda: gr.SpheroPolyhedron([*VERTICES, (2, 1, 1 + 1e-12)], FACES, 0.1),
     "vertices 8 and 12 are both at (2, 1, 1) m: leave one of them out"),
    (lambda: gr.SpheroPolyhedron(SQUARE_3D, [(0, 1, 2, 3), (0, 3, 2, 1)], 0.1),
     "faces hold no volume: the surface at vertex 0 at (0, 0, 0) m is flat"),
    (lambda: gr.SpheroPolyhedron([*SQUARE_3D[:3], (0, 1, 0.5)], [(0, 1, 2, 3)], 0.1),
     "faces[0] is not flat: vertex"),
    (lambda: gr.SpheroPolyhedron(SQUARE_3D, [(0, 2, 1, 3)], 0.1), "faces[0] has no area"),
    (lambda: gr.SpheroPolyhedron([(0, 0, 0), (3, 0, 0), (3, 1, 0), (1, -1, 0), (0, 2, 0)],
                                 [(0, 1, 2, 3, 4)], 0.1), "faces[0] crosses itself"),
    (lambda: gr.SpheroPolyhedron(VERTICES, [(0, 1, 99)], 0.1),
     "faces[0] = [0, 1, 99] names vertex 99, but there are 12"),
    (lambda: gr.SpheroPolyhedron(VERTICES, [(0, 1)], 0.1), "faces[0] has 2 vertices, but needs 3"),
    (lambda: gr.SpheroPolyhedron(VERTICES, (), 0.1, [(3, 3)]), "edges[0] = [3, 3] names vertex 3"),
    (lambda: gr.SpheroPolyhedron([(0, 0, 0), (1, 0, 0), (5, 0, 0), (6, 0, 0)], (), 0.1,
                                 [(0, 1), (2, 3)]),
     "must hang together, but vertex 2 at (5, 0, 0) m is in another piece than vertex 0"),
    (lambda: gr.SpheroPolyhedron(SPIKED, SPIKED_FACES, 0.1), "faces cross each other"),
    (lambda: gr.SpheroPolyhedron.regular(10, 1, 0.1), "faces must be 4, 6, 8, 12 or 20, got 10"),
    (lambda: gr.SpheroPolyhedron.box((1, 0, 1), 0.1), "box length along y must be greater than 0"),
    (lambda: gr.SpheroPolyhedron.rounded(VERTICES, 0.6),
     "radius = 0.6 m is too large to round this body, which holds a ball of radius 0.5 m at most"),
    (lambda: gr.SpheroPolyhedron.rounded(SQUARE_3D, 0.1), "they are flat"),
    (lambda: gr.SpheroPolygon(SQUARE, 0), "SpheroPolygon radius must be greater than 0, got 0"),
    (lambda: gr.SpheroPolygon([*SQUARE, (0, 0)], 0.1),
     "points 0 and 4 are both at (0, 0) m: an outline closes by itself, leave point 4 out"),
    (lambda: gr.SpheroPolygon([SQUARE[0], *SQUARE], 0.1), "points 0 and 1 are both at (0, 0) m"),
    (lambda: gr.SpheroPolygon([SQUARE[0], SQUARE[2], SQUARE[1], SQUARE[3]], 0.1),
     "the side from point 0 at (0, 0) m to 1 meets that from point 2 at (1, 0) m to 3"),
    (lambda: gr.SpheroPolygon([(0, 0), (1, 0), (2, 0)], 0.1), "lie on one line"),
    (lambda: gr.SpheroPolygon([(0, 0), (2, 0), (1, 1), (1, 2), (1, 1.1)], 0.1),
     "points 3 at (1, 2) m is a tip without any width"),
    (lambda: gr.SpheroPolygon([(0, 0, 1)], 0.1), "points 0 has z = 1 m"),
    (lambda: gr.SpheroPolygon.rounded(ELL, 0.6), "SpheroPolygon radius = 0.6 m is too large"),
    (lambda: gr.SpheroPolygon.rounded(ELL, 0.6), "the side from (2, 0) m to (2, 1) m would vanish"),
    (lambda: gr.SpheroPolygon.rounded(WAIST, 0.12), "near (1.5, 0.2) m the outline is narrower"),
    (lambda: gr.families.angular(3, 1.0, 0.1, flatness=1.5), "flatness must be at most 1, got 1.5"),
    (lambda: gr.families.voronoi(0, 1.0, 0.1), "count must be at least 1, got 0"),
    (lambda: gr.families.voronoi(50, 1.0, 0.3), "radius = 0.3 m is too large"),
])
def test_it_is_refused_by_name(make, said):
    with pytest.raises(InputError, match=re.escape(said)):
        make()


SQUARE_3D = [(x, y, 0) for x, y in SQUARE]
WAIST = [(0, 0), (3, 0), (3, 1), (2, 1), (1.5, 0.2), (1, 1), (0, 1)]
# a tetrahedron whose tip goes through its own base
SPIKED, SPIKED_FACES = prism([(0, 0), (4, 0), (4, 1), (0, 1)], 1)
SPIKED = [*SPIKED, (2, 0.5, -1)]
SPIKED_FACES = [*(face for k, face in enumerate(SPIKED_FACES) if k != 1),
                (4, 5, 8), (5, 6, 8), (6, 7, 8), (7, 4, 8)]

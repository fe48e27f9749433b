"""Swept shapes in a scenario: what is understood, what is refused where, what is told."""

from __future__ import annotations

import numpy as np
import pytest

from granum.cli.check import describe
from granum.scenario.build import understand
from granum.scenario.problems import ScenarioError
from granum.scenario.reader import parse_toml
from granum.scenario.writer import to_toml
from small_scenario import RANDOM, beads

ROD = '[grains.shape]\ntype = "spherocylinder"\nlength = "3 mm"\nradius = "1 mm"\n'
BOX = ('[grains.shape]\ntype = "sphero_polyhedron"\nradius = 0.1\nvertices = ['
       + ", ".join(f"[{x}, {y}, {z}]" for x in (0, 1) for y in (0, 1) for z in (0, 1)) + "]\n")
HEXAPOD = ('[grains.shape]\ntype = "sphero_polyhedron"\nradius = 0.1\nfaces = []\n'
           "vertices = [[1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0]]\nedges = [[0, 1], [2, 3]]\n")


def shaped(shape, *changes):
    return beads((RANDOM, RANDOM + shape), *changes)


@pytest.mark.parametrize(("shape", "told"), [
    (ROD, "20 of radius 0.002 m, spherocylinders"),
    (BOX, "20 of radius 0.002 m, swept skeletons of 8 vertices and 12 edges with 12 triangles"),
    (HEXAPOD, "20 of radius 0.002 m, swept skeletons of 4 vertices and 2 edges"),
])
def test_they_are_placed_as_large_as_the_radius_and_told(shape, told):
    understood = understand(parse_toml(shaped(shape)))
    world = understood.world
    assert world.radius == pytest.approx(np.full(20, 2e-3))
    assert len(np.unique(world.orientation, axis=0)) == 20
    assert world.mass == pytest.approx(
        2500.0 * world.shapes[0].volume * (2e-3 / world.shapes[0].radius) ** 3)
    assert told in describe(understood)["grains"]
    again = understand(parse_toml(to_toml(understood.as_understood())))
    assert again.world.position.tobytes() == world.position.tobytes()
    assert again.world.shapes == world.shapes


def test_they_can_be_poured():
    poured = shaped(ROD, (RANDOM.splitlines()[0], 'type = "pour"\nrate = 100\nlow = [0, 0, 0]\n'
                          "high = [0.05, 0.05, 0.05]"))
    told = describe(understand(parse_toml(poured)))["grains"]
    assert "20 poured in, 100 a second from 0 s on, spherocylinders" in told


@pytest.mark.parametrize(("old", "new", "said"), [
    ("radius = \"1 mm\"", "radius = \"1 kg\"", r"grains\[0\].shape.radius"),
    ("length", "lenght", r"grains\[0\].shape.lenght: unknown key; did you mean 'length'\?"),
    ("spherocylinder", "sphereocylinder", r"did you mean 'spherocylinder'\?"),
    ("length = \"3 mm\"", "length = 0", r"grains\[0\].shape.length: must be greater than 0, got 0"),
])
def test_what_is_refused_and_where(old, new, said):
    with pytest.raises(ScenarioError, match=said):
        understand(parse_toml(shaped(ROD.replace(old, new))))


def test_a_bad_body_is_told_by_its_vertex():
    flat = BOX.replace("radius = 0.1", "radius = 0.1\nfaces = [[0, 1, 3, 2], [0, 4, 5, 1]]")
    with pytest.raises(ScenarioError, match=r"grains\[0\].shape.faces.*open along .* vertex"):
        understand(parse_toml(shaped(flat)))

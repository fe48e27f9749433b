"""Swept shapes in a scenario: what is understood, what is refused where, what is told."""

from __future__ import annotations

import numpy as np
import pytest

from granum.cli.check import describe
from granum.cli.compiling import kernels_for
from granum.cli.run_time import seconds_a_step
from granum.scenario.build import understand
from granum.scenario.problems import ScenarioError
from granum.scenario.reader import parse_toml
from granum.scenario.writer import to_toml
from small_scenario import DURATION, RANDOM, beads

ROD = '[grains.shape]\ntype = "spherocylinder"\nlength = "3 mm"\nradius = "1 mm"\n'
BOX = ('[grains.shape]\ntype = "sphero_polyhedron"\nradius = 0.1\nvertices = ['
       + ", ".join(f"[{x}, {y}, {z}]" for x in (0, 1) for y in (0, 1) for z in (0, 1)) + "]\n")
COVER = ("cover = [" + ", ".join(f'["{x} mm", 0, 0, "1.18 mm"]' for x in (-1.32, -0.4, 0.4, 1.32))
         + "]\n")
HEXAPOD = ('[grains.shape]\ntype = "sphero_polyhedron"\nradius = 0.1\nfaces = []\n'
           "vertices = [[1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0]]\nedges = [[0, 1], [2, 3]]\n")


def shaped(shape, *changes):
    return beads((RANDOM, RANDOM + shape), *changes)


@pytest.mark.parametrize(("shape", "told"), [
    (ROD, "20 of radius 0.002 m, spherocylinders"),
    (ROD + COVER, "20 of radius 0.002 m, spherocylinders"),
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


@pytest.mark.parametrize(("shape", "measured"), [(ROD, 0.85), (BOX, 0.34)])
def test_how_long_a_run_takes_is_guessed_at_the_speed_of_shapes(shape, measured):
    """Expected: the speed that `granum bench shapes` finds. Seen: that of spheres, ten times it."""
    seconds, grains = seconds_a_step(understand(parse_toml(shaped(shape))).world)
    assert grains == 20
    assert 1e-6 * grains / seconds == pytest.approx(measured, rel=0.2)
    told = describe(understand(parse_toml(shaped(shape))))["run_time"]
    assert f"(at {1e-6 * grains / seconds:.2g} million grain-steps a second)" in told
    spheres, number = seconds_a_step(understand(parse_toml(beads())).world)
    assert number / spheres == pytest.approx(5e6)


def test_a_run_knows_that_its_step_is_that_of_shapes():
    """Expected: a word before compiling. Seen: two minutes of silence if spheres had been run."""
    assert "contact/shaped/slots" in kernels_for(parse_toml(shaped(ROD)))
    assert "contact/shaped/slots" not in kernels_for(parse_toml(beads()))


def test_covers_of_ones_own_are_understood_and_checked():
    """Lengths with units; a hole is refused at once, and what does not suit others by the check."""
    world = understand(parse_toml(shaped(ROD + COVER))).world
    assert [row[3] for row in world.shapes[0].cover] == [1.18e-3] * 4
    with pytest.raises(ScenarioError, match=r"grains.*cover of this Spherocylinder does not hold"):
        understand(parse_toml(shaped(ROD + COVER.replace("1.18", "1.05"))))
    by_triangulation = (DURATION, DURATION + '\nneighbours = "triangulation"')
    for large, wanted in ((COVER, ""), (COVER.replace("1.18", "1.6"), "in the cover of shape 0")):
        for changes in ((), (by_triangulation,)):
            scenario = understand(parse_toml(shaped(ROD + large, *changes)))
            if wanted and changes:
                with pytest.raises(ScenarioError, match=wanted):
                    scenario.refuse_bad_world()
            else:
                scenario.refuse_bad_world()


def test_they_can_be_poured():
    poured = shaped(ROD, (RANDOM.splitlines()[0], 'type = "pour"\nrate = 100\nlow = [0, 0, 0]\n'
                          "high = [0.05, 0.05, 0.05]"))
    told = describe(understand(parse_toml(poured)))["grains"]
    assert "20 poured in, 100 a second from 0 s on, spherocylinders" in told
    assert seconds_a_step(understand(parse_toml(poured)).world) == seconds_a_step(
        understand(parse_toml(shaped(ROD))).world)


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

"""What goes wrong when experiments are set up: refused before anything runs, and in words."""

from __future__ import annotations

import math

import pytest

import granum as gr
from granum.scenario.build import understand
from granum.scenario.problems import ScenarioError
from granum.scenario.reader import parse_toml
from small_scenario import MATTER, RANDOM, beads

LAW = gr.LinearViscoelastic(restitution=0.5, contact_time=1e-3)
SERVO = {"direction": "[0, 0, -1]", "mass": '"5 g"', "stiffness": '"1 kN/m"', "limit": '"1 m/s"',
         "force": '"1 N"'}
CUP = ("vertices = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]\n"
       "faces = [[0, 2, 1], [0, 1, 3], [0, 3, 2]]\n")


def refused(text):
    with pytest.raises(ScenarioError) as error:
        understand(parse_toml(text, "beads.toml")).refuse_bad_world()
    return str(error.value)


def lid(**changes):
    """Return a lid that is driven; what is None is left out."""
    keys = {key: value for key, value in (SERVO | changes).items() if value is not None}
    table = "".join(f"{key} = {value}\n" for key, value in keys.items())
    return ('[[walls]]\ntype = "plane"\npoint = [0, 0, 0.05]\nnormal = [0, 0, -1]\nname = "lid"\n'
            f'[walls.motion]\ntype = "servo"\n{table}')


def test_a_wall_that_starts_in_grains_is_refused():
    explicit = 'type = "explicit"\npoints = [[0.02, 0.02, 0.02]]\nradius = "2 mm"\n'
    shelf = '[[walls]]\ntype = "plane"\npoint = [0, 0, 0.0195]\nnormal = [0, 0, 1]\n'
    text = refused(beads((RANDOM, explicit), more=shelf))
    assert "grains[0]: Explicit points[0] = (0.02, 0.02, 0.02) m with radius 0.002 m" in text
    assert "does not fit inside the walls" in text
    world = gr.World()
    world.add(gr.Sphere(2e-3), at=[(0.02, 0.02, 0.02)], density=2500.0)
    world.add(gr.Plane((0, 0, 0.0195), (0, 0, 1)))
    with pytest.raises(gr.InputError, match=r"grain 0 at .* cuts 0\.0015 m into a wall"):
        gr.Simulation(world, LAW)


@pytest.mark.parametrize(("changes", "said"), [
    ({"mass": None}, "walls[1].motion.mass: missing"),
    ({"limit": None}, "walls[1].motion.limit: missing"),
    ({"mass": '"0 g"'}, "walls[1].motion.mass: must be greater than 0"),
    ({"limit": '"0 m/s"'}, "walls[1].motion.limit: must be greater than 0"),
    ({"force": None}, "needs either a force or a pressure with an area, got neither"),
])
def test_a_servo_needs_a_mass_and_a_limit(changes, said):
    assert said in refused(beads(more=lid(**changes)))


def test_a_mesh_with_a_hole_holds_nothing():
    text = refused(beads(more=f'[[walls]]\ntype = "mesh"\nside = "outside"\n{CUP}'))
    assert "walls[1]" in text
    assert "1 hole" in text
    assert "3 edges" in text


def test_a_region_without_grains_is_refused_where_none_can_ever_be():
    density = '[[measures]]\ntype = "density"\nregion = { type = "box", low = %s, high = %s }\n'
    text = refused(beads(more=density % ([1, 1, 1], [2, 2, 2])))
    assert "measures[0]" in text
    assert "lies outside of the world" in text
    corner = understand(parse_toml(beads(("count = 20", "count = 1"), more=density % (
        [0.0, 0.0, 0.0], [1e-4, 1e-4, 1e-4]))))  # grains may still come
    (measure,) = corner.plan.measures
    assert gr.measures.density(corner.world, measure.region) == 0.0


def test_grains_that_find_no_room_say_so_whatever_the_law():
    """Expected: what is wrong with the grains. Seen: that a law for elastic spheres needs some.

    The time step of such a law follows from the grains, of which there were none.
    """
    elastic = ('[law]\ntype = "hertz_mindlin"\nyoung = "1 GPa"\npoisson = 0.3\n'
               "restitution = 0.5\n")
    matter = MATTER[:MATTER.index("[law]")] + elastic
    text = refused(beads((MATTER, matter), ("count = 20", "count = 20000")))
    assert "grains[0]" in text
    assert "20000" in text
    assert "needs grains" not in text
    assert not math.isnan(understand(parse_toml(beads((MATTER, matter)))).time_step)

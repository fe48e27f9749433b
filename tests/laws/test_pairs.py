"""Laws by pairs of materials: what mixes how, what overrides what, and what is refused."""

import json
import math

import numpy as np
import pytest

import granum as gr
from granum.output.describe import from_plain, to_plain

LAW = gr.LinearViscoelastic(restitution=0.6, contact_time=1e-4, friction=0.4)


# ---- mixing and overriding ---------------------------------------------------------------------

def test_a_material_against_itself_has_its_own_parameters():
    pairs = gr.Pairs(LAW, {"steel": {"friction": 0.1, "restitution": 0.9}})
    assert pairs.between("steel", "steel") == gr.LinearViscoelastic(0.9, 1e-4, 0.1)
    assert pairs.between("glass", "glass") == LAW
    assert pairs.between("glass", "wood") == LAW


def test_two_materials_mix():
    """Geometric means of restitution and friction, the root mean square of the contact times."""
    pairs = gr.Pairs(LAW, {"steel": {"friction": 0.1, "restitution": 0.9, "contact_time": 2e-4}})
    mixed = pairs.between("glass", "steel")
    assert mixed.restitution == pytest.approx(math.sqrt(0.6 * 0.9))
    assert mixed.friction == pytest.approx(0.2)
    assert mixed.contact_time == pytest.approx(1e-4 * math.sqrt((1 + 4) / 2))
    assert mixed.tangential_restitution is None
    k = mixed.coefficients()
    assert k[:2].tolist() == k[2:4].tolist()  # slip returns what the normal does


def test_stiffness_mixes_as_springs_in_series_where_nothing_is_lost():
    """Two halves of 2 k_1 and 2 k_2 one behind the other."""
    hard, soft = gr.LinearViscoelastic(1.0, 1e-4), gr.LinearViscoelastic(1.0, 3e-4)
    k_1, k_2, k = (law.coefficients()[0] for law in (hard, soft, hard.mixed(soft)))
    assert k == pytest.approx(1.0 / (0.5 / k_1 + 0.5 / k_2))


def test_slip_mixes_where_one_of_the_two_is_given():
    pairs = gr.Pairs(LAW, {"steel": {"tangential_restitution": 0.3}})
    assert pairs.between("glass", "steel").tangential_restitution == pytest.approx(
        math.sqrt(0.6 * 0.3))


def test_what_is_said_of_a_pair_holds_and_the_rest_is_mixed():
    pairs = gr.Pairs(LAW, {"steel": {"friction": 0.1}, ("glass", "steel"): {"restitution": 0.8}})
    law = pairs.between("glass", "steel")
    assert law.restitution == 0.8
    assert law.friction == pytest.approx(0.2)
    assert pairs.between("wood", "steel").restitution == 0.6
    assert law.coefficients()[0] == law.coefficients()[2]  # slip follows


def test_a_pair_of_a_kind_is_not_mixed_with_others():
    pairs = gr.Pairs(LAW, {("steel", "steel"): {"friction": 0.1}})
    assert pairs.between("steel", "steel").friction == 0.1
    assert pairs.between("steel", "glass") == LAW


def test_the_order_of_names_does_not_matter():
    one = gr.Pairs(LAW, {("glass", "steel"): {"friction": 0.1, "restitution": 0.5},
                         "steel": {"friction": 0.7}})
    other = gr.Pairs(LAW, {"steel": {"friction": 0.7},
                           ("steel", "glass"): {"restitution": 0.5, "friction": 0.1}})
    assert one == other
    assert hash(one) == hash(other)
    table = one.table(["steel", "ice", "glass"]).reshape(3, 3, -1)
    assert table.tolist() == table.transpose(1, 0, 2).tolist()
    turned = one.table(["glass", "ice", "steel"]).reshape(3, 3, -1)
    assert turned[::-1, ::-1].tolist() == table.tolist()


def test_alike_materials_mix_to_the_last_bit():
    rng = np.random.default_rng(1)
    for e, t, mu in rng.uniform(0.1, 0.9, (200, 3)):
        law = gr.LinearViscoelastic(e, t, mu, tangential_restitution=0.3)
        pairs = gr.Pairs(law, {"steel": {"friction": mu}, "glass": {"restitution": e}})
        assert pairs.between("glass", "steel") == law
        assert pairs.between("wood", "steel") == law


def test_the_time_step_serves_the_shortest_contact():
    quick = gr.Pairs(LAW, {("glass", "steel"): {"contact_time": 1e-5}})
    assert quick.time_steps(np.ones(1), np.ones(1)).recommended == pytest.approx(1e-5 / 50)
    slow = gr.Pairs(LAW, {"steel": {"contact_time": 1e-3}})
    assert slow.time_steps(np.ones(1), np.ones(1)).longest == pytest.approx(1e-4 / 10)
    assert slow.range == 0.0


def test_to_a_file_and_back():
    pairs = gr.Pairs(LAW, {"steel": {"friction": 0.1, "tangential_restitution": None},
                           ("wood", "glass"): {"contact_time": 1 / 3e4}})
    assert from_plain(json.loads(json.dumps(to_plain(pairs)))) == pairs


# ---- what is refused ---------------------------------------------------------------------------

@pytest.mark.parametrize(("changes", "words"), [
    ({"steel": {"fricton": 0.1}}, "no parameter 'fricton' .for steel.; did you mean 'friction'"),
    ({("b", "a"): {"e": 1.0}}, "no parameter 'e' .between a and b.; it takes restitution,"),
    ({"steel": {"friction": -0.1}}, "for steel: friction must be at least 0, got -0.1"),
    ({("b", "a"): {"restitution": 2}}, "between a and b: restitution must be at most 1"),
    ({"steel": 0.1}, "for steel must be named"),
    ({("a", "b", "c"): {}}, "for one material or between two"),
    ({(): {}}, "for one material or between two"),
    ({gr.Material("steel", 7800.0): {}}, "by their names"),
    ({("a", 1): {}}, "by their names"),
    ({("a", "b"): {}, ("b", "a"): {}}, "between a and b are given twice"),
])
def test_a_senseless_change_is_refused(changes, words):
    with pytest.raises(gr.InputError, match=words):
        gr.Pairs(LAW, changes)


def simulated(changes, **grains):
    world = gr.World()
    world.add(gr.Sphere(1e-3), at=[(0.0, 0.0, 0.0)], **grains)
    return gr.Simulation(world, gr.Pairs(LAW, changes))


def test_a_material_that_nothing_is_made_of_is_refused():
    with pytest.raises(gr.InputError, match=r"'stel', but no grain and no wall is made of it; "
                       r"did you mean 'steel'\? \(there are: steel\)"):
        simulated({"stel": {"friction": 0.1}}, material=gr.Material("steel", 7800.0))


def test_grains_of_a_density_alone_are_told_how_to_get_a_name():
    with pytest.raises(gr.InputError, match=r"\(there are: grains of 2500 kg/m3\); give grains or "
                       r"walls material=gr.Material\('glass', density\)"):
        simulated({"glass": {"friction": 0.1}}, density=2500.0)


# ---- materials in a world ------------------------------------------------------------------------

def test_what_a_world_refuses():
    world = gr.World()
    floor = gr.Plane((0.0, 0.0, 0.0), (0.0, 0.0, 1.0))
    with pytest.raises(gr.InputError, match=r"must be a Material, .* got 'steel'"):
        world.add(floor, material="steel")
    with pytest.raises(gr.InputError, match="a wall has no density"):
        world.add(floor, density=7800.0)
    with pytest.raises(gr.InputError, match=r"^density must be greater than 0, got -5"):
        world.add(gr.Sphere(1e-3), at=[(0, 0, 0)], density=-5.0)
    with pytest.raises(gr.InputError, match=r"^density must be a number, got '2\.5 g/cm3'"):
        world.add(gr.Sphere(1e-3), at=[(0, 0, 0)], density="2.5 g/cm3")
    assert world.walls == []
    assert world.materials == []
    world.add(floor, material=gr.Material("steel", 7800.0))
    with pytest.raises(gr.InputError, match="there already, of another material"):
        world.add(floor)
    with pytest.raises(gr.InputError, match="there already, of another material"):
        world.add(floor, material=gr.Material("glass", 2500.0))


def test_pieces_of_a_wall_are_of_its_material():
    world = gr.World()
    steel = gr.Material("steel", 7800.0)
    assert world.add(gr.Material("glass", 2500.0)).size == 0
    world.add(gr.Box((0, 0, 0), (1, 1, 1)))
    world.add(gr.Plate((0.5, 0.5, 0.5), (0, 0, 1), 0.1), material=steel)
    assert world.wall_materials(world.wall_table()).tolist() == [-1] * 6 + [1]

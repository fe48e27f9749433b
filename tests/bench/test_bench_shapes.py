"""The bench of shapes measures what it says."""

import json

import numpy as np
import pytest

import granum as gr
from granum.bench import shapes
from granum.bench.lammps_bodies import body_file, body_script


def test_the_cow_of_discs_has_the_form_and_about_the_discs_of_the_published_one():
    kinds = shapes.kinds()
    cow, discs = kinds["cows"], kinds["cow of discs"]
    assert len(discs) == pytest.approx(shapes.DISCS, rel=0.1)
    assert discs.settled(2).shape.volume == pytest.approx(cow.volume, rel=0.1)
    assert discs.settled(2).shape.radius == pytest.approx(cow.bounding_radius, rel=0.05)


def test_grains_come_to_rest_on_the_floor(monkeypatch):
    monkeypatch.setattr(shapes, "SETTLING", 0.03)
    sim = shapes.settled(shapes.kinds()["cubes"], 8, threads=1).sim
    assert len(sim.world) == 8
    assert (sim.contacts().j == -1).any()
    assert np.abs(sim.world.velocity).max() < 0.05


def test_a_larger_heap_is_a_smaller_one_repeated(monkeypatch):
    monkeypatch.setattr(shapes, "SETTLING", 0.03)
    monkeypatch.setattr(shapes, "FALLING", 8)
    monkeypatch.setattr(shapes, "BRAKES", 0)
    heap = shapes.settled(shapes.kinds()["cubes"], 32, threads=1)
    world = heap.sim.world
    assert (heap.falling, len(world)) == (8, 32)
    assert world.periods()[:2] == pytest.approx([2 * heap.side, 2 * heap.side])
    copies = world.position.reshape(4, 8, 3)
    shift = copies - copies[0]
    assert np.ptp(shift, axis=1).max() < 1e-12
    assert len({tuple(np.round(s[0] / heap.side).astype(int)) for s in shift}) == 4
    assert np.array_equal(world.orientation[:8], world.orientation[8:16])


def test_lammps_gets_the_same_cubes(monkeypatch):
    monkeypatch.setattr(shapes, "SETTLING", 0.03)
    heap = shapes.settled(shapes.kinds()["cubes"], 8, threads=1)
    bodies = shapes.peer_bodies(heap)
    centre = bodies.vertices.mean(axis=1)
    assert np.abs(centre).max() < 1e-12
    sides = [np.linalg.norm(bodies.vertices[:, a] - bodies.vertices[:, b], axis=1)
             for a, b in bodies.edges]
    assert len(sides) == 12
    assert np.allclose(sides, sides[0][0])
    assert len(bodies.faces) == 6
    for points in bodies.vertices:
        for a, b, c, d in bodies.faces:
            normal = np.cross(points[b] - points[a], points[c] - points[b])
            assert np.linalg.norm(normal) == pytest.approx(sides[0][0] ** 2)
            assert normal @ points[a] > 0.0
            assert np.allclose(points[a] + points[c], points[b] + points[d])
    lowest = (heap.sim.world.position[:, None, 2] + bodies.vertices[..., 2]).min()
    assert lowest == pytest.approx(bodies.rounding, rel=0.01)  # on the floor
    lines = body_file(bodies).split("Bodies\n\n")[1].splitlines()
    numbers = [float(x) for line in lines[2 : len(lines) // 8] for x in line.split()]
    assert len(numbers) == int(lines[0].split()[2])
    assert numbers[-1] == pytest.approx(2.0 * bodies.rounding / shapes.RADIUS)
    assert "pair_style body/rounded/polyhedron" in body_script(bodies, 5)


def test_the_figures_follow_from_the_speeds(monkeypatch):
    """The best of all turns is a speed, the median over them a ratio; no LAMMPS unless asked."""
    few = {"spheres": None, "spherocylinders": gr.Spherocylinder(2.0, 0.5),
           "cows": gr.SpheroPolygon([(0, 0), (1, 0), (0, 1)], 0.2),
           "cow of discs": gr.Clump(points=[(0, 0), (1, 0)], radii=0.6)}
    for name, value in (("SETTLING", 1e-3), ("BRAKES", 1), ("TURNS", 3), ("TIMED", 1e-4),
                        ("FALLING", 4), ("kinds", lambda: few)):
        monkeypatch.setattr(shapes, name, value)
    kept, in_turns = {}, shapes._time_in_turns

    def timed(*args):
        speed, lammps = in_turns(*args)
        kept.update(speed)
        return speed, lammps

    monkeypatch.setattr(shapes, "_time_in_turns", timed)
    said = []
    found = shapes.bench_shapes(8, 1, peer=False, say=said.append)
    assert set(found) == {"bench", "threads", "cases", "rods_to_spheres", "cow_to_discs"}
    assert (found["bench"], found["threads"]) == ("shapes", 1)
    assert json.loads(json.dumps(found)) == found
    assert said[:4] == [f"settling {name} ..." for name in few]
    assert {name: len(kept[name]) for name in kept} == dict.fromkeys(few, 3) | {"lammps": 0}
    for name, case in found["cases"].items():
        assert set(case) == {"grains", "balls", "contacts_per_grain", "cpu_speed", "to_spheres"}
        assert case["cpu_speed"] == max(kept[name]) > 0.0
        assert case["to_spheres"] == median_ratio(kept[name], kept["spheres"])
    assert [case["grains"] for case in found["cases"].values()] == [8, 8, 8, 4]
    assert [case["balls"] for case in found["cases"].values()] == [1, 2, 3, 2]
    assert found["rods_to_spheres"] == found["cases"]["spherocylinders"]["to_spheres"]
    assert found["cow_to_discs"] == median_ratio(kept["cows"], kept["cow of discs"])


def median_ratio(one, two):
    return sorted(a / b for a, b in zip(one, two, strict=True))[len(one) // 2]

"""Flow: grains through a plane are counted exactly, at any interval, by kind, by opening."""

from __future__ import annotations

import numpy as np
import pytest
from measure_samples import LAW, look, made

import granum as gr
from granum.errors import InputError


def at(world, measure, memory, steps=0):
    """Return what the measure finds and remembers, without contacts."""
    values, memory = measure.recall(look(world, made(world, [], []), steps=steps), memory)
    return dict(zip(measure.columns(world), values, strict=True)), memory


def falling(n=40, seed=1):
    """Return grains at random above z = 0, far apart, and their paths as functions of time."""
    rng = np.random.default_rng(seed)
    world = gr.World()
    places = rng.uniform(-1, 1, (n, 3)) + np.array([0, 0, 1.2])
    world.add(gr.Sphere(rng.uniform(0.5e-3, 1.5e-3, n)), at=places, density=1000.0)
    velocity = rng.normal(size=(n, 3))

    def move(t):
        world.position = places + velocity * t + 0.5 * t * t * np.array([0, 0, -9.81])

    return world, move, places, velocity


@pytest.mark.parametrize("interval", [0.004, 0.05, 0.3, 2.0])
def test_every_grain_that_falls_through_a_plane_is_counted_once(interval):
    world, move, *_ = falling()
    measure, memory = gr.Flow("plane"), {}
    for time in np.arange(0.0, 4.0 + interval / 2, interval):
        move(time)
        row, memory = at(world, measure, memory)
        below = world.position[:, 2] < 0.0
        assert row["plane_grains"] == below.sum()
        assert row["plane_mass"] == pytest.approx(world.mass[below].sum(), rel=1e-12, abs=1e-30)
    assert row["plane_grains"] == len(world)


def test_what_comes_back_counts_less():
    world = gr.World()
    world.add(gr.Sphere(0.01), at=[(0, 0, 0.1)], density=1.0)
    measure, memory, counts = gr.Flow(), {}, []
    for z in (0.1, -0.1, -0.2, 0.3, 0.2, -0.5):
        world.position[0, 2] = z
        row, memory = at(world, measure, memory)
        counts.append(row["flow_grains"])
    assert counts == [0, 1, 1, 0, 0, 1]


@pytest.mark.parametrize("opening", [
    {"radius": 0.3}, {"slot": (0.4, 0.9)}, {"slot": (0.4, 0.9), "along": (1, 2, 0)}])
def test_an_opening_counts_what_goes_through_it(opening):
    """At short intervals straight ways are good enough: compared with where paths cross."""
    world, move, places, v = falling(300)
    middle = np.array([0.2, -0.1, 0.0])
    measure, memory = gr.Flow("hole", tuple(middle), **opening), {}
    for time in np.arange(0.0, 4.0, 0.005):
        move(time)
        row, memory = at(world, measure, memory)
    t = (v[:, 2] + np.sqrt(v[:, 2] ** 2 + 2 * 9.81 * places[:, 2])) / 9.81
    cross = (places + v * t[:, None] - middle)[:, :2]
    if "radius" in opening:
        inside = np.hypot(*cross.T) <= 0.3
    else:
        along = np.array(opening.get("along", (1, 0, 0)))[:2] / np.hypot(
            *opening.get("along", (1, 0, 0))[:2])
        across = np.array([-along[1], along[0]])
        inside = (np.abs(cross @ along) <= 0.2) & (np.abs(cross @ across) <= 0.45)
    assert row["hole_grains"] == inside.sum() > 5


def test_by_material_and_by_size():
    world = gr.World()
    glass, steel = gr.Material("glass", 2500.0), gr.Material("hard steel", 7800.0)
    world.add(gr.Sphere(np.array([0.01, 0.02, 0.03])), at=[(k, 0, 1) for k in range(3)],
              material=glass)
    world.add(gr.Sphere(0.02), at=[(3, 0, 1)], material=steel)
    measure = gr.Flow("slot", materials=True, sizes=(0.015, 0.025))
    assert measure.columns(world) == [f"slot_{kind}{what}" for kind in (
        "", "glass_", "hard_steel_", "size_0_", "size_1_", "size_2_") for what in (
        "grains", "mass")]
    _, memory = at(world, measure, {})
    world.position[[0, 1, 3], 2] = -1.0
    row, _ = at(world, measure, memory)
    assert [row[f"slot_{kind}grains"] for kind in ("", "glass_", "hard_steel_", "size_0_",
                                                   "size_1_", "size_2_")] == [3, 2, 1, 1, 2, 0]
    assert row["slot_size_1_mass"] == pytest.approx(world.mass[1] + world.mass[3])
    assert measure.units(world)["slot_glass_mass"] == "kg"


@pytest.mark.parametrize("axis", [0, 2])
def test_in_a_periodic_cell_each_turn_counts(axis):
    """A grain that goes round 20 times passes 20 times, also where its coordinate jumps."""
    normal = tuple(float(k == axis) for k in range(3))
    world = gr.World(periodic=(1.0, 1.0, 1.0))
    world.add(gr.Sphere(0.01), at=[(0.3, 0.3, 0.3)], density=1.0)
    through = gr.Flow("plane", (0.0, 0.0, 0.0), normal)
    hole = gr.Flow("hole", (0.9, 0.25, 0.9), normal, radius=0.7)
    found, memory = {}, {through: {}, hole: {}}
    through.refuse(world)
    for k in range(201):
        world.position[0, axis] = np.mod(0.3 + 0.1 * k, 1.0)
        for measure, known in memory.items():
            row, memory[measure] = at(world, measure, known)
            found |= row
    assert found["plane_grains"] == 20
    assert found["hole_grains"] == 20
    with pytest.raises(InputError, match="along a periodic direction"):
        gr.Flow(normal=(1, 1, 0)).refuse(world)


def test_grains_that_come_and_go_between_two_looks(tmp_path):
    """Poured above the plane, removed below it, and the look is later: none is missed."""
    def silo():
        world = gr.World(domain=((-1, -1, -0.2), (1, 1, 1)), leaving="remove")
        world.add(gr.Sphere(1e-3), at=[(0, 0, 0.02)], density=1000.0, velocity=(0, 0, -3))
        world.add(gr.Pour(radius=1e-3, count=30, rate=300, low=(-0.1, -0.1, 0.05),
                          high=(0.1, 0.1, 0.1), velocity=(0, 0, -3)), density=1000.0)
        return gr.Simulation(world, LAW, threads=1)

    measure = gr.Flow("plane", (0, 0, 0), materials=True)
    often, rarely = silo(), silo()
    for sim in (often, rarely):
        sim.measure(measure)
    for _ in range(30):
        often.run(0.01)
        counted = often.measure(measure)
    rarely.run(0.13)
    rarely.save(tmp_path / "half.h5")
    rarely = gr.Simulation.load(tmp_path / "half.h5", threads=1)
    rarely.run(0.17)
    found = rarely.measure(measure)
    assert len(rarely.world) < 5  # most have left
    assert counted["plane_grains"] == 31
    assert found == pytest.approx(counted, rel=1e-12)


def test_what_is_remembered_is_saved_to_the_bit(tmp_path):
    world, *_ = falling()
    sim = gr.Simulation(world, LAW, threads=1)
    measures = (gr.Flow("plane", sizes=(1e-3,)), gr.Strain(), gr.MovingAverage("kinetic", over=1.0),
                gr.Convection(gr.BoxRegion((-1, -1, 0), (1, 1, 2)), cells=(2, 2)))
    for measure in measures:
        sim.measure(measure)
    sim.step(20)
    sim.save(tmp_path / "kept.h5")
    back = gr.Simulation.load(tmp_path / "kept.h5", threads=1)
    assert back.fingerprint() == sim.fingerprint()
    found = []
    for one in (sim, back):
        one.step(30)
        rows = [one.measure(measure) for measure in measures]
        found.append([np.asarray(value).tobytes() for row in rows for value in row.values()])
    assert found[0] == found[1]


def test_another_measure_of_the_same_title_begins_anew():
    world, move, *_ = falling()
    sim = gr.Simulation(world, LAW, threads=1)
    sim.measure(gr.Flow("a"))
    move(4.0)
    assert sim.measure(gr.Flow("a"))["a_grains"] == len(world)
    assert sim.measure(gr.Flow("a", (0, 0, -1)))["a_grains"] == 0


@pytest.mark.parametrize(("make", "text"), [
    (lambda: gr.Flow(normal=(0, 0, 0)), "zero vector"),
    (lambda: gr.Flow(radius=-1.0), "radius must be greater than 0"),
    (lambda: gr.Flow(radius=1.0, slot=(1.0, 1.0)), "exclude each other"),
    (lambda: gr.Flow(slot=(1.0, 0.0)), "slot must be greater than 0"),
    (lambda: gr.Flow(slot=(1.0, 1.0), along=(0, 0, 2)), "parallel to the normal"),
    (lambda: gr.Flow(sizes=(2.0, 1.0)), "sizes must ascend")])
def test_openings_without_a_meaning_are_refused(make, text):
    with pytest.raises(InputError, match=text):
        make()

"""Sizes and dense fillings in a scenario: what is understood, told, refused, kept."""

from __future__ import annotations

import json

import numpy as np
import pytest

import granum as gr
import granum.cli.compiling
from granum.cli.check import describe
from granum.cli.compiling import compile_step, kernels_for
from granum.output.describe import from_plain, to_plain
from granum.scenario.build import understand
from granum.scenario.problems import ScenarioError
from granum.scenario.reader import parse_toml
from granum.scenario.writer import to_toml
from small_scenario import RANDOM, beads

SIZES = {
    '{type = "uniform", low = "1 mm", high = "2 mm"}': gr.sizes.Uniform(1e-3, 2e-3),
    '{type = "normal", mean = "1.5 mm", deviation = "0.2 mm", low = 1e-3, high = "2 mm"}':
        gr.sizes.Normal(1.5e-3, 0.2e-3, 1e-3, 2e-3),
    '{type = "log_normal", median = "1.5 mm", deviation = 0.2, low = "1 mm", high = "2 mm"}':
        gr.sizes.LogNormal(1.5e-3, 0.2, 1e-3, 2e-3),
    '{type = "by_mass", radius = ["1 mm", "2 mm"], fractions = [60, 40]}':
        gr.sizes.ByMass((1e-3, 2e-3), (60, 40)),
    '{type = "by_number", radius = ["1 mm", "2 mm"], fractions = [0.6, 0.4]}':
        gr.sizes.ByNumber((1e-3, 2e-3), (0.6, 0.4)),
    '{type = "sieve", meshes = ["2 mm", "3 mm", "4 mm"], passing = [0, 30, 100]}':
        gr.sizes.Sieve((2e-3, 3e-3, 4e-3), (0, 30, 100)),
}
PLACINGS = {
    "random": "count = 50\n",
    "lattice": "count = 50\n",
    "sediment": "count = 50\n",
    "grow": "density = 0.3\n",
    "pour": "count = 50\nrate = 100\nlow = [0, 0, 0]\nhigh = [0.05, 0.05, 0.05]\n",
}


def filled(way, radius, more=""):
    return beads((RANDOM, f'type = "{way}"\nradius = {radius}\n{PLACINGS[way]}{more}'))


def told(text):
    return describe(understand(parse_toml(text)))["grains"]


@pytest.mark.parametrize("way", PLACINGS)
@pytest.mark.parametrize("text", SIZES)
def test_every_way_of_placing_takes_every_distribution(way, text):
    """The file says the same as Python does."""
    world = understand(parse_toml(filled(way, text))).world
    twin = gr.World()
    twin.add(gr.Box((0, 0, 0), (0.05, 0.05, 0.05)))
    kinds = {"random": gr.Random, "lattice": gr.Lattice, "sediment": gr.Sediment}
    glass = gr.Material("glass", 2500)
    if way == "pour":
        pour = gr.Pour(radius=SIZES[text], count=50, rate=100, low=(0, 0, 0),
                       high=(0.05, 0.05, 0.05))
        assert world.streams[0].pour == pour
        world.pour(1.0, 50)
        twin.add(pour, material=glass)
        twin.pour(1.0, 50)
    elif way == "grow":
        twin.add(gr.Grow(radius=SIZES[text], density=0.3), material=glass)
    else:
        twin.add(kinds[way](radius=SIZES[text], count=50), material=glass)
    assert len(world) >= 50
    assert world.position.tobytes() == twin.position.tobytes()
    assert world.radius.tobytes() == twin.radius.tobytes()
    assert world.radius.min() >= 1e-3
    assert world.radius.max() <= 2e-3


@pytest.mark.parametrize("text", SIZES)
def test_a_stream_of_sizes_is_kept_in_checkpoints(text):
    world = understand(parse_toml(filled("pour", text, "velocity = [0, 0, -0.1]\n"))).world
    stream = world.streams[0]
    assert from_plain(json.loads(json.dumps(to_plain(stream)))) == stream


def test_a_run_of_a_mixture_goes_on_bitwise(tmp_path):
    """Poured by mass: what has come and what will come follows from the checkpoint."""
    text = filled("pour", '{type = "by_mass", radius = ["1 mm", "2 mm"], fractions = [60, 40]}')
    text = text.replace("rate = 100", 'mass_rate = "50 g/s"')
    whole = understand(parse_toml(text)).simulation(1)
    whole.step(600)
    part = understand(parse_toml(text)).simulation(1)
    part.step(310)
    part.save(tmp_path / "half")
    again = gr.Simulation.load(tmp_path / "half", threads=1)
    again.step(290)
    assert 0 < len(again.world) < 50
    assert again.fingerprint() == whole.fingerprint()


def test_the_file_can_be_written_again():
    one = understand(parse_toml(filled("sediment", next(iter(SIZES)))))
    other = understand(parse_toml(to_toml(one.as_understood())))
    assert one.world.position.tobytes() == other.world.position.tobytes()


def test_check_tells_counts_masses_and_ranges():
    mix = '{type = "by_mass", radius = ["1 mm", "2 mm"], fractions = [60, 40]}'
    lines = told(filled("sediment", mix))
    mass = 2500 * 4 / 3 * np.pi * (46 * 1e-9 + 4 * 8e-9)
    assert lines[0] == f"50 at the start, {mass:.4g} kg"
    assert lines[1:] == ["46 of radius 0.001 m, 59 % of the mass",
                         "4 of radius 0.002 m, 41 % of the mass"]
    lines = told(filled("random", '{type = "uniform", low = "1 mm", high = "2 mm"}'))
    assert lines[1].startswith("radius 0.001")
    assert "10, 50 and 90 % of the mass is of grains up to 0.001" in lines[1]
    poured = filled("pour", mix).replace("rate = 100", 'mass_rate = "50 g/s"')
    assert told(poured)[1:] == [
        "50 poured in, 0.05 kg a second from 0 s on",
        f"{mass:.4g} kg in all, to be poured in",
        "46 of radius 0.001 m, 59 % of the mass, to be poured in",
        "4 of radius 0.002 m, 41 % of the mass, to be poured in",
    ]


def test_a_run_knows_which_kernels_place_its_grains():
    for way, module in (("sediment", "world/place/descent"), ("grow", "world/place/relax")):
        assert module in kernels_for(parse_toml(filled(way, '"2 mm"')))
    assert "world/place/relax" not in kernels_for(parse_toml(beads()))


@pytest.mark.parametrize(("way", "radius", "said"), [
    ("random", '{type = "log_normal", median = "1 mm", deviation = -1, low = 1e-4, high = 1e-2}',
     r"grains\[0\].radius.deviation: must be greater than 0, got -1"),
    ("random", '{type = "uniform", low = "2 mm", high = "1 mm"}',
     r"grains\[0\].radius.high: must be greater than low"),
    ("sediment", '{type = "by_mass", radius = ["1 mm", "2 mm"], fractions = [60, 30]}',
     r"grains\[0\].radius.fractions: must add up to 1 or to 100, got 60 \+ 30 = 90"),
    ("random", '{type = "gauss", mean = "1 mm"}', r"grains\[0\].radius.type: .gauss. is unknown"),
    ("random", '{type = "sieve", meshes = ["1 mm", "2 mm"], passing = [0, 99]}',
     r"grains\[0\].radius.passing: must run from 0 to 100 %"),
    ("pour", '{type = "by_number", radius = ["1 mm", "2 mm"], fractions = [99.9, 0.1]}',
     r"grains\[0\]: ByNumber: of 50 grains none would have the radius 0.002 m"),
    ("grow", '"1 kg"', r"grains\[0\].radius"),
])
def test_what_is_refused_and_where(way, radius, said):
    with pytest.raises(ScenarioError, match=said):
        understand(parse_toml(filled(way, radius)))


def test_a_stream_has_one_rate():
    both = filled("pour", '"2 mm"', 'mass_rate = "1 g/s"\n')
    with pytest.raises(ScenarioError, match=r"rate: must be given, or mass_rate, but not both"):
        understand(parse_toml(both))
    with pytest.raises(ScenarioError, match=r"mass_rate: .*a mass rate is wanted"):
        understand(parse_toml(filled("pour", '"2 mm"', 'mass_rate = "1 m"\n')))


@pytest.mark.parametrize("rate", ["rate = 100", 'mass_rate = "50 g/s"'])
def test_the_step_is_compiled_before_the_first_grain_comes(rate, monkeypatch):
    """Expected: all compiling before the run. Seen: a pause when the first grain was poured in."""
    text = filled("pour", '"2 mm"').replace("rate = 100", rate)
    sim = understand(parse_toml(text)).simulation(1)
    made = []
    monkeypatch.setattr(granum.cli.compiling, "Simulation",
                        lambda world, *_, **__: made.append(world))
    compile_step(sim)
    assert [len(world) for world in made] == [1]
    assert made[0] is not sim.world
    assert len(sim.world) == sim.world.streams[0].entered == 0

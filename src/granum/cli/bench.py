"""``granum bench``: speed on this machine."""

from __future__ import annotations

import json
from typing import Annotated, Any

import typer
from rich.console import Console

from granum.bench import BENCHES, bench_laws, bench_shapes, bench_spheres, bench_triangulation
from granum.cli.progress import say
from granum.cli.run import AsJson
from granum.errors import InputError


def bench(
    name: Annotated[
        str, typer.Argument(help="What to measure: laws, shapes, spheres or triangulation."),
    ] = "spheres",
    n: Annotated[int, typer.Option("--n", min=100, help="Number of grains.")] = 10_000,
    ratio: Annotated[float, typer.Option(min=1.0, help="Large to small grains.")] = 1.0,
    threads: Annotated[int, typer.Option(min=1, help="Processor threads.")] = 1,
    peer: Annotated[bool, typer.Option(help="LAMMPS or CGAL too, if installed.")] = True,
    as_json: AsJson = False,
) -> None:
    """Measure the speed on this machine.

    ``spheres``: grains x steps a second on a settled packing, beside LAMMPS if it is installed.
    ``triangulation``: what neighbours by triangulation cost, beside those by cells, for several
    cases or one ``--ratio``; and whether CGAL, if it is installed, finds the same edges.
    ``laws``: each contact law on the same packing, and one written by a user beside its twin.
    ``shapes``: rods, tetrahedra, cubes, pebbles and cows, beside spheres, a cow of discs, and
    LAMMPS' cubes if it is installed.
    """
    if name not in BENCHES:
        message = f"there is no bench {name!r}; known: {', '.join(BENCHES)}"
        raise InputError(message)
    console = Console(stderr=True, quiet=as_json)
    if name == "laws":
        result = bench_laws(n, threads, console.print)
    elif name == "shapes":
        result = bench_shapes(n, threads, peer, console.print)
    elif name == "triangulation":
        result = bench_triangulation(n, ratio, threads, peer, console.print)
    else:
        result = bench_spheres(n, ratio, threads, peer, console.print)
    if as_json:
        typer.echo(json.dumps(result))
    else:
        {"laws": _show_laws, "shapes": _show_shapes, "triangulation": _show_triangulation}.get(
            name, _show)(result, Console())


def _show_laws(result: dict[str, Any], console: Console) -> None:
    """Print the speed under each law."""
    clock = "processor time" if result["threads"] == 1 else "the clock"
    say(console, f"{result['grains']} grains, {result['contacts_per_grain']:.2f} contacts each, "
        f"{result['threads']} threads; million grain-steps/s by {clock}")
    for name, speed in result["cpu_speed"].items():
        say(console, f"  {name:<20} {speed / 1e6:8.2f}")
    say(console, f"  a user's law over the built-in one with the same formula: "
        f"{result['user_to_built_in']:.3f}")


def _show_shapes(result: dict[str, Any], console: Console) -> None:
    """Print the speed of each shape."""
    say(console, f"{result['threads']} threads; million grain-steps/s")
    for name, case in result["cases"].items():
        say(console, f"  {name:<16} {case['cpu_speed'] / 1e6:8.3f} {case['to_spheres']:8.3f} of "
            f"spheres   {case['grains']} grains of {case['balls']:.0f} balls, "
            f"{case['contacts_per_grain']:.1f} contacts each")
    say(console, f"  spherocylinders over spheres {result['rods_to_spheres']:.2f}, "
        f"a cow over a cow of discs {result['cow_to_discs']:.1f}")
    lammps = result.get("lammps", {})
    if "cubes_to_lammps" in result:
        say(console, f"  cubes in LAMMPS  {lammps['cpu_speed'] / 1e6:8.4f}   {lammps['grains']} "
            f"grains, body/rounded/polyhedron; granum over LAMMPS {result['cubes_to_lammps']:.0f}")
    if "missing" in lammps:
        say(console, f"  LAMMPS: {lammps['missing']}")


def _show_triangulation(result: dict[str, Any], console: Console) -> None:
    """Print a line of costs for each case."""
    columns = ("build", "check", "repair", "refresh", "cells")
    say(console, f"ns a vertex, {result['threads']} threads")
    say(console, f"  {'':<12}{'vertices':>9}{'edges':>7}" + "".join(f"{c:>9}" for c in columns)
        + f"{'ratio':>7}{'bands':>7}")
    for name, case in result["cases"].items():
        say(console, f"  {name:<12}{case['vertices']:>9}{case['edges_per_vertex']:>7.1f}"
            + "".join(f"{case[c]:>9.0f}" for c in columns)
            + f"{case['refresh_to_cells']:>7.2f}{case['in_bands']['refresh_to_cells']:>7.2f}")
    for name, run in result["runs"].items():
        for motion, costs in run.items():
            say(console, f"  {f'{name} {motion}':<55}" + f"{costs['refresh']:>9.0f}"
                f"{costs['cells']:>9.0f}{costs['refresh_to_cells']:>7.2f}")
    for name, case in result["cases"].items():
        cgal = case.get("cgal", {})
        if "build" in cgal:
            say(console, f"  CGAL {name:<6} build {cgal['build']:.0f}, edges not in both: "
                f"{cgal['edges_only_in_granum']} and {cgal['edges_only_in_cgal']}")


def _show(result: dict[str, Any], console: Console) -> None:
    say(console, f"{result['grains']} grains, {result['contacts_per_grain']:.2f} contacts each, "
                  f"{result['threads']} threads ({result['threading_layer']}), "
                  f"{result['memory_per_grain']:.0f} byte a grain")
    say(console, f"  granum {result['speed'] / 1e6:8.2f} million grain-steps/s "
                  f"({result['cpu_speed'] / 1e6:.2f} by processor time)")
    lammps = result.get("lammps", {})
    if "speed" in lammps:
        say(console, f"  LAMMPS {lammps['speed'] / 1e6:8.2f} million grain-steps/s "
                      f"({lammps['cpu_speed'] / 1e6:.2f} by processor time)")
    if "ratio_to_lammps" in result:
        say(console, f"  ratio  {result['ratio_to_lammps']:8.2f}")
    if "missing" in lammps:
        say(console, f"  LAMMPS: {lammps['missing']}")
    for phase, value in result["phases_ns_per_grain_step"].items():
        say(console, f"  {phase:<12} {value:8.1f} ns a grain")

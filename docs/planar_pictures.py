"""Pictures of the studies in the plane, from their runs at the published size.

    python docs/planar_pictures.py runs

reads ``runs/elastic-gas-discs``, ``runs/biaxial-rice``, ``runs/cow-300`` and so on, and draws those
pictures whose runs are all there. Biaxial tests with other seeds, ``runs/biaxial-rice-2`` and so
on, are averaged.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np

from granum.figures import table_of
from granum.output import colour_by, draw, panel, read_container, read_series, write_png
from granum.output.plot import Curve, Panel, plot_panels
from granum.output.worlds import restored_world
from granum.run import checkpoints
from granum.studies import biaxial, elastic_gas, planar
from granum.world import World

IMAGES = Path(__file__).with_name("images")
GOLDEN = 0.6180339887
ABOVE = (-90.0, 90.0)
KINDS = list(planar.SHAPES)


def world_of(checkpoint: Path) -> World:
    """Return the world that a checkpoint holds."""
    arrays, meta = read_container(checkpoint, "checkpoint")
    return restored_world(arrays, meta["world"])


def picture(world: World, size: tuple[int, int], number: bool = False) -> np.ndarray:
    """Return a world seen from above, coloured by speed or, by ``number``, grain by grain."""
    balls, joints = world.balls(), world.joints()
    speed = np.linalg.norm(world.velocity, axis=1)
    values = (np.arange(len(world)) * GOLDEN % 1.0) if number else speed / np.quantile(speed, 0.98)
    colours = colour_by(values, 0.0, 1.0)[balls.grain]
    outlines = world.outlines(0.0, {}) if number else ()
    return draw(world.drawn_balls(balls), balls.arm[:, 3], colours, outlines, size=size, view=ABOVE,
                edges=joints.edges, faces=joints.faces)


def draw_gas(runs: Path) -> None:
    """Draw the grains, the energy over time and the error over the time step, of four shapes."""
    folders = {kind: runs / f"elastic-gas-{kind}" for kind in KINDS}
    images = [picture(world_of(checkpoints(folder)[-1]), (460, 460)) for folder in folders.values()]
    write_png(IMAGES / "elastic-gas.png", panel(images, KINDS))
    energy, order = [], []
    for k, (kind, folder) in enumerate(folders.items()):
        series = read_series(folder / "series.csv")
        total = series["kinetic"] + series["rotational"] + series["elastic"]
        energy.append(Curve(kind, series["time"], 100.0 * elastic_gas.errors(total), k))
        found = json.loads((folder / "summary.json").read_text())["found"]
        order.append(Curve(kind, found["time_steps"], found["wandering"], k))
    steps = np.array(elastic_gas.LADDER)
    order.append(Curve("square of the time step", steps, 1e-6 * (steps / steps[-1]) ** 2, 4, 1))
    plot_panels(IMAGES / "elastic-gas-energy.png", [Panel(
        energy, "time [s]", "change of the total energy [%]", "Total energy")])
    plot_panels(IMAGES / "elastic-gas-order.png", [Panel(
        order, "time step [s]", "how far the energy wanders (share of it)",
        "Error of the energy")], log="xy")


def draw_biaxial(runs: Path) -> None:
    """Draw the packed samples, and stress and void ratio of all tests, as means over the seeds."""
    images, stress, void = [], [], []
    for k, kind in enumerate(KINDS):
        folder = runs / f"biaxial-{kind}"
        stages = json.loads((folder / "summary.json").read_text())["stages"]
        began = next(row["began_step"] for row in stages if row["name"] == biaxial.SHEAR)
        packed = next(path for path in checkpoints(folder) if path.stem.endswith(f"{began:012d}"))
        images.append(picture(world_of(packed), (460, 460), number=True))
        tables = [table_of(seed / f"{kind}.csv") for seed in sorted(runs.glob(f"biaxial-{kind}*"))]
        strain, stresses, voids = (np.mean([table[name] for table in tables], axis=0)
                                   for name in ("strain", "stress_ratio", "void_ratio"))
        stress.append(Curve(kind, strain, stresses, k))
        void.append(Curve(kind, strain, voids, k))
    write_png(IMAGES / "biaxial.png", panel(images, KINDS))
    plot_panels(IMAGES / "biaxial-response.png", [
        Panel(stress, "axial strain", "axial over lateral stress", "Stress"),
        Panel(void, "axial strain", "void ratio", "Void ratio")])


def draw_cows(runs: Path) -> None:
    """Draw a heap of cows, without the empty upper half of its pen."""
    world = world_of(checkpoints(runs / "cow-100")[-1])
    write_png(IMAGES / "cow.png", picture(world, (1100, 760), number=True)[400:])


if __name__ == "__main__":
    place = Path(sys.argv[1] if len(sys.argv) > 1 else "runs")
    for name, make, needs in (
            ("elastic-gas", draw_gas, [f"elastic-gas-{kind}" for kind in KINDS]),
            ("biaxial", draw_biaxial, [f"biaxial-{kind}" for kind in KINDS]),
            ("cow", draw_cows, ["cow-100"])):
        if all((place / need / "summary.json").exists() for need in needs):
            make(place)
        else:
            print(f"{name}: not all of its runs are in {place}")

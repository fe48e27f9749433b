"""Run folders without a run, of worlds with swept shapes: frames, and a checkpoint."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

import granum as gr
from granum.output import FrameWriter, write_container
from granum.output.worlds import plain_world

TITLE = "Shapes"
TIPS = [(1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0), (0, 0, 1), (0, 0, -1)]


def shapes_in_space() -> gr.World:
    """A thin-edged cube (id 0), a rod (1), three crossed rods (2) and a sphere (3)."""
    world = gr.World()
    world.add(gr.SpheroPolyhedron.box((1.0, 1.0, 1.0), 0.02), at=[(0, 0, 0)], density=1.0,
              velocity=(1.0, 0.0, 0.0))
    world.add(gr.Spherocylinder(1.0, 0.1), at=[(1.2, 0, 0)], density=1.0,
              orientation=(np.sqrt(0.5), 0.0, np.sqrt(0.5), 0.0), velocity=(0.5, 0.0, 0.0))
    world.add(gr.SpheroPolyhedron(TIPS, (), 0.2, edges=[(0, 1), (2, 3), (4, 5)]),
              at=[(-2.0, 0, 0)], density=1.0)
    world.add(gr.Sphere(0.3), at=[(2.0, 0, 0)], density=1.0)
    return world


def cows() -> gr.World:
    """Two cows in the plane."""
    world = gr.World(dimension=2)
    world.add(gr.SpheroPolygon.cow(1.0, 0.01), at=[(0, 0), (1.2, 0)], density=1.0,
              velocity=(1.0, 0.0))
    return world


def make_run(folder: Path, world: gr.World, frames: int = 2) -> Path:
    """Write the folder of a finished run in which nothing moved."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "scenario.toml").write_text(f'title = "{TITLE}"\n')
    (folder / "summary.json").write_text(json.dumps({"state": "finished"}))
    balls, joints, grains = world.balls(), world.joints(), world.grains
    names = ("id", "spin", "orientation", "material", "shape")
    fields = {name: getattr(grains, name)[balls.grain] for name in names}
    fields |= {"radius": balls.arm[:, 3], "velocity": world.ball_velocities(balls)}
    writer = FrameWriter(folder)
    for k in range(frames):
        writer.write(k, 0.1 * k, world.drawn_balls(balls), fields, None, joints.edges, joints.faces)
    writer.consolidate()
    (folder / "checkpoints").mkdir(exist_ok=True)
    write_container(folder / "checkpoints" / "step_000000000000.h5", {},
                    {"world": plain_world(world)}, "checkpoint")
    return folder

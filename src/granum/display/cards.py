"""Worlds and simulations as a short table with a sketch, in HTML."""

from __future__ import annotations

from html import escape

import numpy as np

from granum.display.sketch import sketch
from granum.measures.energy import kinetic, rotational
from granum.simulation import Simulation
from granum.world import World

MOST_WALLS = 6  # that are told one by one
CELL = "text-align:left;vertical-align:top;padding:1px 10px 1px 0"
Rows = list[tuple[str, str]]


def world_card(world: World) -> str:
    """Return what is in a world, as HTML."""
    return _card(world, f"World in {world.dimension}D", _world_rows(world), 0.0)


def simulation_card(sim: Simulation) -> str:
    """Return where a simulation is and what is in its world, as HTML; nothing is computed for it.

    The walls are drawn where they are at its time.
    """
    grains = sim.world.grains
    moving = kinetic(grains) + rotational(grains)
    rows = [("time", f"{sim.time:.6g} s, {sim.steps} steps of {sim.time_step:.3g} s"),
            ("law", repr(sim.law)),
            ("kinetic energy", f"{moving:.4g} J"),
            *_world_rows(sim.world)]
    return _card(sim.world, "Simulation", rows, sim.time)


def _world_rows(world: World) -> Rows:
    rows = [("grains", _grains(world))]
    told = [wall.describe() for wall in world.walls[:MOST_WALLS]]
    if len(world.walls) > MOST_WALLS:
        told.append(f"and {len(world.walls) - MOST_WALLS} more")
    rows += [("walls" if k == 0 else "", text) for k, text in enumerate(told)]
    if world.streams:
        rows.append(("poured in", f"{len(world.streams)} streams"))
    if any(world.periodic):
        cell = ", ".join(f"{axis}: {length:g} m" for axis, length in zip("xyz", world.periodic,
                                                                        strict=True) if length)
        rows.append(("periodic", cell))
    rows.append(("gravity", f"({', '.join(f'{g:g}' for g in world.gravity)}) m/s2"))
    return rows


def _grains(world: World) -> str:
    if not len(world):
        return "none"
    radii = world.radius
    size = f"radius {radii.min():.4g} m"
    if np.ptp(radii) > 1e-9 * radii.max():
        size = f"radii {radii.min():.4g} to {radii.max():.4g} m"
    names = ", ".join(world.materials[k].name for k in np.unique(world.material))
    return f"{len(world)}, {size}, {world.mass.sum():.4g} kg of {names}"


def _card(world: World, title: str, rows: Rows, time: float) -> str:
    balls, joints = world.balls(), world.joints()
    picture = sketch(world.drawn_balls(balls), balls.arm[:, 3], world.outlines(time, {}),
                     flat=world.dimension == 2, edges=joints.edges, faces=joints.faces)
    table = "".join(f'<tr><th style="{CELL}">{escape(name)}</th>'
                    f'<td style="{CELL}">{escape(text)}</td></tr>' for name, text in rows)
    return (f'<div style="display:flex;gap:16px;align-items:center">{picture}<div>'
            f"<strong>{escape(title)}</strong><table>{table}</table></div></div>")

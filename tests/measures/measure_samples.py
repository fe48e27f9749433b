"""Worlds and contacts made by hand, for measures that need no motion."""

from __future__ import annotations

from typing import Any

import numpy as np

import granum as gr
from granum.contact.table import Contacts
from granum.measures import Look

LAW = gr.LinearViscoelastic(restitution=0.5, contact_time=1e-3)
FCC = np.array([(0, 0, 0), (1, 1, 0), (1, 0, 1), (0, 1, 1)]) / 2.0


def grid(*counts: int) -> np.ndarray:
    """Return all places of whole coordinates below ``counts``."""
    return np.stack(np.meshgrid(*[np.arange(c) for c in counts], indexing="ij"), -1).reshape(
        -1, len(counts)).astype(float)


def fcc_world(cells: int = 3) -> gr.World:
    """Return the densest packing of equal spheres, periodic, with cells of side 1."""
    world = gr.World(periodic=(float(cells),) * 3)
    points = (grid(cells, cells, cells)[:, None] + FCC).reshape(-1, 3)
    world.add(gr.Sphere(np.sqrt(0.125)), at=points, density=1.0)
    return world


def touching(world: gr.World, stiffness: float = 1.0) -> Contacts:
    """Return all contacts between grains, by brute force, with forces as of springs.

    Grains that touch within rounding are in contact.
    """
    x, r, cell = world.position, world.radius, world.periods()
    rows = []
    for i in range(len(x)):
        way = x[i + 1:] - x[i]
        way -= np.where(cell > 0, cell * np.rint(way / np.where(cell > 0, cell, 1.0)), 0.0)
        far = np.linalg.norm(way, axis=1)
        for k in np.flatnonzero(far <= (r[i + 1:] + r[i]) * (1.0 + 1e-9)):
            j, n = i + 1 + k, way[k] / far[k]
            depth = r[i] + r[j] - far[k]
            rows.append((i, j, x[i] + (r[i] - 0.5 * depth) * n, n, depth))
    return made(world, rows, [-stiffness * depth * n for *_, n, depth in rows])


def made(world: gr.World, rows: list[tuple[Any, ...]], forces: list[Any]) -> Contacts:
    """Return contacts of rows (i, j, point, normal, overlap), j = -1 for a wall."""
    i, j = (np.array([row[k] for row in rows], dtype=np.int64) for k in (0, 1))
    point, normal = (np.array([row[k] for row in rows], dtype=float).reshape(-1, 3) for k in (2, 3))
    force, n = np.array(forces, dtype=float).reshape(-1, 3), len(rows)
    return Contacts(world.id[i], np.where(j >= 0, world.id[j], -1), np.where(j >= 0, -1, 0), point,
                    normal, np.array([row[4] for row in rows], dtype=float), force,
                    np.zeros((n, 3)), np.ones((n, 2)), np.zeros((n, 3)), np.zeros((n, 3)),
                    np.ones((n, 2)))


class Still:
    """A simulation that stands still, with contacts made by hand."""

    def __init__(self, world: gr.World, contacts: Contacts | None = None, time: float = 0.0,
                 steps: int = 0) -> None:
        self.world, self.time, self.steps = world, time, steps
        self.gravity = world.gravity
        self._contacts = contacts

    def contacts(self) -> Contacts:
        return touching(self.world) if self._contacts is None else self._contacts

    def sample(self) -> dict[str, float]:
        return {"time": self.time, "kinetic": float(self.steps)}


def look(world: gr.World, contacts: Contacts | None = None, **moment: Any) -> Look:
    """Return a look at a world that stands still."""
    return Look(Still(world, contacts, **moment))


def read(measure: Any, world: gr.World, contacts: Contacts | None = None) -> dict[str, Any]:
    """Return what a measure finds at its first look, by column."""
    values, _ = measure.recall(look(world, contacts), {})
    return dict(zip(measure.columns(world), values, strict=True))

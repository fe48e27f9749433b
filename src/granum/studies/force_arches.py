"""The forces inside a packing, made visible (Ferrez 2001, section 6.5).

209 grains at rest in a cylinder; grains are drawn almost transparent, every contact as a rod, blue
between two grains and red at a wall, the thicker the greater its force (the cross-section is in
proportion to it). Neither the size of the grains nor that of the cylinder is in the text of the
thesis: here they are 4 mm and 20 mm.

What it must show: forces are larger at the bottom, and some arches carry more than their
neighbours.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from granum.contact.table import Contacts
from granum.output import SAND, draw, panel, rods, seen_through, write_png
from granum.output.rods import AT_WALLS, BETWEEN_GRAINS, Rods
from granum.run import newest_simulation
from granum.studies.packing import QUICK_FRAMES, Packing, lattice, tables
from granum.studies.study import Published
from granum.world import World

COUNT, DIAMETER, WIDTH = 209, 4e-3, 0.02  # the last two in m
VIEWS = {"from above": (-90.0, 89.0), "from the front": (-90.0, 4.0), "from the side": (0.0, 4.0)}
SIZE = (520, 640)  # of one view [pixel]
OPACITY = 0.22  # of the grains
THICKEST, THINNEST = 0.30, 0.02  # radius of a rod, in radii of a grain
PICTURE = "picture.png"


class ForceArchesStudy:
    """The visualisation of forces of Ferrez 6.5."""

    name = "force-arches"
    title = "Forces in a packing"
    source = "Ferrez 2001, section 6.5"
    shows = "the forces between grains as rods: larger at the bottom, in arches"
    variants: Mapping[str, str] = {"209": "209 grains of 4 mm in a cylinder of 20 mm"}
    published: Mapping[str, tuple[Published, ...]] = {"209": (
        Published("grains", 209.0, "grains", spread=0.0, source="figure 6.25"),
        Published("mean force in the lower half over that in the upper", "larger at the bottom",
                  "lower_over_upper", source="figure 6.25"),
        Published("largest force over the mean", "some arches are visible", "largest_over_mean",
                  source="figure 6.25"),
    )}

    def scenario(self, variant: str, quick: bool) -> dict[str, Any]:
        """Return the tables; ``quick`` is the same for a shorter time."""
        packing = Packing(WIDTH, (lattice(COUNT, DIAMETER, 1.06, 0.8, spread=0.02),),
                          0.4 if quick else 1.0, height=0.08)
        title = f"{self.title}: " + ("quick" if quick else self.variants[variant])
        return tables(packing, title, QUICK_FRAMES)

    def conclude(self, folder: Path, world: World) -> dict[str, Any]:
        """Draw the forces; return how they are spread over the height."""
        contacts = newest_simulation(folder, threads=1).contacts()
        return {"grains": len(world), **force_facts(contacts, world),
                "picture": str(draw_forces(folder / PICTURE, contacts, world))}


def force_facts(contacts: Contacts, world: World) -> dict[str, Any]:
    """Return what the forces of all contacts say.

    ``floor_share`` is the share of the weight that the floor carries; the side wall has the rest,
    by friction. Numbers that need two forces to compare are 0 where there are none.
    """
    size = np.linalg.norm(contacts.force, axis=1)
    if not len(size) or not size.max() > 0.0:
        return {"contacts": len(size), "lower_over_upper": 0.0, "largest_over_mean": 0.0,
                "floor_share": 0.0, "largest_force": 0.0}
    height = contacts.point[:, 2]
    low = height < 0.5 * float((world.position[:, 2] + world.radius).max())
    lower, upper = (float(size[half].mean()) if half.any() else 0.0 for half in (low, ~low))
    on_floor = (contacts.j < 0) & (np.abs(contacts.normal[:, 2]) > 0.5)
    weight = float(world.mass.sum()) * float(np.linalg.norm(world.gravity))
    return {
        "contacts": len(size),
        "lower_over_upper": lower / upper if upper > 0.0 else 0.0,
        "largest_over_mean": float(size.max() / size.mean()),
        "floor_share": float(contacts.force[on_floor, 2].sum()) / weight,
        "largest_force": float(size.max()),
    }


def draw_forces(path: Path, contacts: Contacts, world: World) -> Path:
    """Draw the packing from three sides, with rods for the forces in its contacts."""
    shown = force_rods(contacts, world)
    lines = world.outlines(0.0, {})
    reach = world.radius[:, None]
    low = (world.position - reach).min(axis=0)
    high = (world.position + reach).max(axis=0)
    inside = [line[(line[:, 2] <= high[2] + 1e-9)] for line in lines]
    views = []
    for view in VIEWS.values():
        frame: dict[str, Any] = {"size": SIZE, "view": view, "frame": (low, high)}
        forces = draw(*shown[:3], inside, edges=shown.edges, **frame)
        grains = draw(world.position, world.radius, SAND, inside, **frame)
        views.append(seen_through(grains, forces, OPACITY))
    write_png(path, panel(views, list(VIEWS)))
    return path


def force_rods(contacts: Contacts, world: World) -> Rods:
    """Return a rod for each contact, from centre to centre or to the wall."""
    size = np.linalg.norm(contacts.force, axis=1)
    chosen = size > 0.0
    size, i, j = size[chosen], contacts.i[chosen], contacts.j[chosen]
    at_wall = j < 0
    first = world.position[np.searchsorted(world.id, i)]
    other = world.position[np.searchsorted(world.id, np.where(at_wall, i, j))]
    last = np.where(at_wall[:, None], contacts.point[chosen], other)
    grain = float(world.radius.mean())
    thick = grain * np.maximum(THICKEST * np.sqrt(size / size.max(initial=1e-300)), THINNEST)
    colour = np.where(at_wall[:, None], AT_WALLS, BETWEEN_GRAINS)
    return rods(first, last, thick, colour)

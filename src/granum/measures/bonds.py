"""Bonds of clusters: how many hold, and how many have broken so far.

Their energy is part of the elastic one (see `energy`). Grains that are taken out of the world take
their bonds along; these do not count as broken.
"""

from __future__ import annotations

from granum.world import World

BOND_COLUMNS = ["bonds", "broken_bonds"]


def bond_columns(world: World) -> list[str]:
    """Return the columns of the series for a world with clusters; none for another."""
    return BOND_COLUMNS if world.clusters else []


def bond_row(world: World) -> dict[str, int]:
    """Return the numbers of those columns."""
    numbers = (len(world.bonds), world.broken_bonds)
    return dict(zip(BOND_COLUMNS, numbers, strict=True)) if world.clusters else {}

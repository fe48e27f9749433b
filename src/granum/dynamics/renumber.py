"""Pieces of walls that have come to stand elsewhere in the table, after walls came or went.

What a grain remembers of a wall goes with the piece, not with its number.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from granum.checks import IntArray
from granum.contact.history import Memory
from granum.walls import Wall, WallTable
from granum.walls.ridges import make_ridges


def new_numbers(walls: Sequence[Wall], table: WallTable, walls_now: Sequence[Wall],
                table_now: WallTable, rimmed: bool = False) -> IntArray:
    """Return the number that each piece has now; -1 for those that are gone.

    Where grains meet the rims of walls (``rimmed``) their numbers, which come after those of all
    pieces, as well.
    """
    if not len(walls):
        return np.zeros(0, dtype=np.int64)
    keys, keys_now = _keys(walls), _keys(walls_now)
    places = {key: k for k, key in enumerate(keys_now)}
    place = np.array([places.get(key, -1) for key in keys], dtype=np.int64)
    pieces = _moved(table.owner, table_now.owner, place)
    if not rimmed:
        return pieces
    rims, rims_now = (make_ridges(tuple(w), t).owner for w, t in (
        (walls, table), (walls_now, table_now)))
    rim = _moved(rims, rims_now, place)
    return np.concatenate([pieces, np.where(rim >= 0, rim + len(table_now.owner), -1)])


def _moved(owner: IntArray, owner_now: IntArray, place: IntArray) -> IntArray:
    """Return where each of a table's rows stands now, its wall being the ``place``-th; or -1."""
    first = np.searchsorted(owner, np.arange(len(place)))
    shift = np.searchsorted(owner_now, place) - first
    return np.where(place[owner] >= 0, np.arange(len(owner)) + shift[owner], -1)


def _keys(walls: Sequence[Wall]) -> list[tuple[Any, int]]:
    """Return what stays the same of each wall while its hole opens; equal ones are counted."""
    seen: Counter[Any] = Counter()
    keys = []
    for wall in walls:
        still: Any = replace(wall, opens=0.0) if hasattr(wall, "opens") else wall  # type: ignore[type-var]
        keys.append((still, seen[still]))
        seen[still] += 1
    return keys


def joined(walls: Memory, rims: Memory) -> Memory:
    """Return the memory of contacts with pieces and with rims as one."""
    return Memory(np.concatenate([walls.i, rims.i]), np.concatenate([walls.j, rims.j]),
                  np.concatenate([walls.spring, rims.spring]))


def parted(memory: Memory, pieces: int) -> tuple[Memory, Memory]:
    """Return the memory of contacts with pieces, of which there are so many, and with rims."""
    at_rim = memory.j >= pieces
    here, there = (Memory(memory.i[some], memory.j[some], memory.spring[some])
                   for some in (~at_rim, at_rim))
    return here, there


def renumbered(memory: Memory, numbers: IntArray) -> Memory:
    """Return the memory of wall contacts with new numbers of the pieces, without those gone."""
    j = numbers[memory.j]
    stays = j >= 0
    return Memory(memory.i[stays], j[stays], memory.spring[stays])

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


def new_numbers(walls: Sequence[Wall], table: WallTable, walls_now: Sequence[Wall],
                table_now: WallTable) -> IntArray:
    """Return the number that each piece has now, (w,); -1 for those that are gone."""
    places = {key: k for k, key in enumerate(_keys(walls_now))}
    first, first_now = (np.searchsorted(t.owner, np.arange(n)) for t, n in (
        (table, len(walls)), (table_now, len(walls_now))))
    shift = np.array([first_now[places[key]] - first[k] if key in places else -1
                      for k, key in enumerate(_keys(walls))], dtype=np.int64)
    is_there = np.array([key in places for key in _keys(walls)], dtype=np.bool_)
    if not len(walls):
        return np.zeros(0, dtype=np.int64)
    pieces = np.arange(len(table.owner), dtype=np.int64)
    return np.where(is_there[table.owner], pieces + shift[table.owner], -1)


def _keys(walls: Sequence[Wall]) -> list[tuple[Any, int]]:
    """Return what stays the same of each wall while its hole opens; equal ones are counted."""
    seen: Counter[Any] = Counter()
    keys = []
    for wall in walls:
        still: Any = replace(wall, opens=0.0) if hasattr(wall, "opens") else wall  # type: ignore[type-var]
        keys.append((still, seen[still]))
        seen[still] += 1
    return keys


def renumbered(memory: Memory, numbers: IntArray) -> Memory:
    """Return the memory of wall contacts with new numbers of the pieces, without those gone."""
    j = numbers[memory.j]
    stays = j >= 0
    return Memory(memory.i[stays], j[stays], memory.spring[stays])

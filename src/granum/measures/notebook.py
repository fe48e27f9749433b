"""What measures remember between two looks, kept for them by the simulation.

The notebook is told of grains that come and go at that very moment, so that a flow misses none
that crosses its plane and leaves before the next look. It is part of checkpoints, and never of the
fingerprint: a run is the same run whatever is measured in it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from granum.measures.measure import Found, Look, Measure, Memory
from granum.world import Grains, World


@dataclass
class Page:
    """A measure, and what it remembers."""

    measure: Measure
    memory: Memory


@dataclass(eq=False)
class Notebook:
    """The memories of all measures, by their titles."""

    pages: dict[str, Page] = field(default_factory=dict)

    def measure(self, measure: Measure, look: Look) -> Found:
        """Return what a measure finds, by column, and keep what it wants to remember.

        What another measure of the same title remembered is forgotten.
        """
        page = self.pages.get(measure.title)
        known = page.memory if page is not None and page.measure == measure else {}
        values, memory = measure.recall(look, known)
        if memory:
            self.pages[measure.title] = Page(measure, memory)
        plain = [value.item() if isinstance(value, np.generic) else value for value in values]
        return dict(zip(measure.columns(look.world), plain, strict=True))

    def entered(self, grains: Grains) -> None:
        """Note grains that have come into the world."""
        for page in self.pages.values():
            page.memory = page.measure.entered(page.memory, grains)

    def leaving(self, grains: Grains, world: World) -> None:
        """Note grains that are about to leave the world."""
        for page in self.pages.values():
            page.memory = page.measure.leaving(page.memory, grains, world)

    def arrays(self) -> dict[str, NDArray]:
        """Return all that is remembered, by title and name."""
        return {f"{title}/{name}": array.copy()
                for title, page in self.pages.items() for name, array in page.memory.items()}


def restored(measures: Mapping[str, Measure], arrays: Mapping[str, NDArray]) -> Notebook:
    """Return the notebook of these measures, by title, whose ``arrays`` were kept."""
    return Notebook({
        title: Page(measure, {name.removeprefix(f"{title}/"): array.copy()
                              for name, array in arrays.items() if name.startswith(f"{title}/")})
        for title, measure in measures.items()})

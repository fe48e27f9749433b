"""The bonds of a world: which grains are glued, at what distance, by which glue."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from granum.checks import FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class Bonds:
    """All bonds that hold, in the order of i and then j.

    Attributes:
        i: (b,) id of a grain.
        j: (b,) id of the grain that it is glued to, i < j.
        rest: (b,) distance of the centres at which the bond pulls and pushes nothing [m].
        glue: (b,) number of the glue, in the order of ``world.glues``.
    """

    i: IntArray
    j: IntArray
    rest: FloatArray
    glue: IntArray

    def __len__(self) -> int:
        """Return the number of bonds."""
        return len(self.i)

    def arrays(self) -> dict[str, NDArray]:
        """Return all arrays by name."""
        return {"i": self.i, "j": self.j, "rest": self.rest, "glue": self.glue}

    def joined(self, other: Bonds) -> Bonds:
        """Return these bonds and ``other``, which are of later grains."""
        more = other.arrays()
        return Bonds(**{name: np.concatenate([array, more[name]])
                        for name, array in self.arrays().items()})

    def chosen(self, keep: NDArray[np.bool_]) -> Bonds:
        """Return the bonds where ``keep`` is true."""
        return Bonds(**{name: array[keep] for name, array in self.arrays().items()})

    def without(self, ids: IntArray) -> Bonds:
        """Return the bonds of which neither end is in ``ids``."""
        return self.chosen(~(np.isin(self.i, ids) | np.isin(self.j, ids)))


def no_bonds() -> Bonds:
    """Return an empty table."""
    none = np.zeros(0, dtype=np.int64)
    return Bonds(none, none, np.zeros(0), none)

"""Broad phase: who may touch before the next update.

In: packed positions and radii, and how far each grain may go. Out: ``Candidates``, rows of pairs
with a gap below both margins, in an order that depends on the grains alone. A new method is one
module with a class like ``Cells``.
"""

from granum.neighbours.candidates import Candidates, block_bounds
from granum.neighbours.cells import Cells

__all__ = ["Candidates", "Cells", "block_bounds"]

"""Broad phase: who may touch before the next update.

In: packed positions and radii. Out: ``Candidates``, rows of pairs with a gap below the skin, in an
order that depends on the grains alone. A new method is one module that returns the same rows.
"""

from granum.neighbours.candidates import Candidates, block_bounds, find_candidates

__all__ = ["Candidates", "block_bounds", "find_candidates"]

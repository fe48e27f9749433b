"""Numbers read from a world: energies, contacts, flow.

In: the grains, their contacts. Out: plain numbers; reading changes nothing. ``energy`` and
``flow`` hold one quantity each; ``series`` is the row that a run writes at each sample. A new
measure is one module here with its formula, and its columns in ``series``.
"""

from granum.measures.energy import Energy, energy
from granum.measures.flow import Flow
from granum.measures.series import COLUMNS, sample

__all__ = ["COLUMNS", "Energy", "Flow", "energy", "sample"]

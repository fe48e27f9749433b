"""Where the energy has gone: what there is, what was lost and how, what came in from where.

    total + dissipated = start + brought in

holds at every moment, with

    total         kinetic + rotational + gravitational + elastic, as in `energy`
    dissipated    by normal forces, tangential forces (friction and dashpots), couples against
                  rolling and twisting, by glue that gives way or breaks, and by damping and drag:
                  for contacts and bonds the work done on them less what they can give back now,
                  each by itself
    brought in    by walls that move, by a stream of fluid, by gravity that turns, with grains that
                  are put in, taken out or changed by hand

The work is counted where the forces act (`granum.dynamics.work`), not taken from the energies, so
``unaccounted`` is a test of the simulation: it is rounding, with damping and drag an error of
second order in the time step. While a contact lasts, what it has lost is known to the second order
of the step, too, for the energy that its law tells is that of continuous motion. Cohesion is part
of the normal force: what a bridge costs when it ends is lost by the normal force. All in joules.
"""

from __future__ import annotations

from typing import NamedTuple

from granum.dynamics.books import Books
from granum.dynamics.work import (
    COUPLE,
    GLUE,
    GRAVITY,
    MEDIUM,
    NORMAL,
    STREAM,
    TANGENTIAL,
    WALLS,
)
from granum.measures.energy import Energy

BUDGET_COLUMNS = ["lost_normal", "lost_tangential", "lost_rolling", "lost_glue", "lost_medium",
                  "from_walls", "from_stream", "from_gravity", "from_grains", "unaccounted"]


class Budget(NamedTuple):
    """The energy budget since the start [J].

    Attributes:
        energy: what there is now.
        lost_normal: dissipated by normal forces.
        lost_tangential: dissipated by tangential forces.
        lost_rolling: dissipated by couples against rolling and twisting.
        lost_glue: dissipated by the bonds of clusters, those that broke included.
        lost_medium: dissipated by damping and drag.
        from_walls: brought in by walls that move.
        from_stream: brought in by a fluid that moves.
        from_gravity: brought in by gravity that turns, and by periodic directions along gravity.
        from_grains: brought in by grains put in, less those taken out, and by changes by hand.
        start: what there was at the start.
    """

    energy: Energy
    lost_normal: float
    lost_tangential: float
    lost_rolling: float
    lost_glue: float
    lost_medium: float
    from_walls: float
    from_stream: float
    from_gravity: float
    from_grains: float
    start: float

    @property
    def dissipated(self) -> float:
        """All that was lost [J]."""
        return (self.lost_normal + self.lost_tangential + self.lost_rolling + self.lost_glue
                + self.lost_medium)

    @property
    def brought_in(self) -> float:
        """All that came in since the start [J]."""
        return self.from_walls + self.from_stream + self.from_gravity + self.from_grains

    @property
    def unaccounted(self) -> float:
        """What is missing: start + brought in - total - dissipated [J]; nearly nothing."""
        return self.start + self.brought_in - self.energy.total - self.dissipated

    def columns(self) -> dict[str, float]:
        """Return the columns of the series."""
        return {name: getattr(self, name) for name in BUDGET_COLUMNS}


def budget(energies: Energy, stored: tuple[float, float, float, float], books: Books) -> Budget:
    """Return the budget of the moment.

    Args:
        energies: of the moment.
        stored: what normal forces, tangential forces and couples of all contacts, and the bonds
            of clusters can give back [J].
        books: of the engine.
    """
    work = [float(value) for value in books.work[0]]
    start, come, gravitational = (float(value) for value in books.sums)
    return Budget(
        energy=energies,
        lost_normal=work[NORMAL] - stored[0],
        lost_tangential=work[TANGENTIAL] - stored[1],
        lost_rolling=work[COUPLE] - stored[2],
        lost_glue=work[GLUE] - stored[3],
        lost_medium=work[MEDIUM],
        from_walls=work[WALLS],
        from_stream=work[STREAM],
        from_gravity=work[GRAVITY] + energies.gravitational - gravitational,
        from_grains=come,
        start=start,
    )

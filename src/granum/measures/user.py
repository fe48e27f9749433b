"""Measures that users write in Python.

    import granum as gr

    @gr.measure(columns=("height [m]", "spread [m]"))
    def bed(sim):
        z = sim.world.position[:, 2]
        return z.mean(), z.std()

    sim.measure(bed)                                    # {"height": ..., "spread": ...}

The function gets the simulation and returns one number for each column, or the number itself if
there is one column. It must change nothing; what it does to the grains is refused.
"""

from __future__ import annotations

import inspect
import numbers
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from granum.errors import InputError
from granum.measures.measure import Look, Measure, Values, split
from granum.world import World


@dataclass(frozen=True)
class UserMeasure(Measure):
    """What ``@gr.measure`` makes of a function.

    Args:
        function: of the simulation to one number for each column.
        wanted: the columns, each as in ``"height [m]"``.
        gaps: whether values may be nan or infinite.
    """

    function: Callable[..., Any] = field(kw_only=True)
    wanted: tuple[str, ...] = field(kw_only=True)
    gaps: bool = False

    def __post_init__(self) -> None:
        """Refuse columns that cannot be any."""
        super().__post_init__()
        names = [split(text)[0] for text in self.wanted]
        if not names or len(set(names)) != len(names):
            message = f"columns must be different, and at least one, got {self.wanted!r}"
            raise InputError(message)

    @property
    def title(self) -> str:
        """What it is called: its name, or else that of the function."""
        return self.name or self.function.__name__

    @property
    def place(self) -> str:
        """Where it is written: file and function, as a scenario names it."""
        return f"{inspect.getsourcefile(self.function) or 'here'}:{self.function.__name__}"

    def quantities(self, world: World) -> tuple[str, ...]:
        """Return the columns."""
        return self.wanted

    def read(self, look: Look) -> Values:
        """Return what the function says, or refuse it with file and line."""
        before = {name: array.copy() for name, array in look.grains.arrays().items()}
        try:
            answer = self.function(look.sim)
        except Exception as error:  # whatever a user's code raises is the user's to see
            message = f"the measure {self.place} fails {self._line_of(error)}: {error!r}"
            raise InputError(message) from error
        self._refuse_changes(before, look)
        return self._checked(answer)

    def _checked(self, answer: Any) -> list[float | int]:
        """Return the answer as plain numbers, one for each column."""
        is_list = isinstance(answer, tuple | list) or (
            isinstance(answer, np.ndarray) and answer.ndim == 1)
        values = [*answer] if is_list else [answer]
        wanted = f"it must return {len(self.wanted)} numbers, for {', '.join(self.wanted)}"
        if len(values) != len(self.wanted):
            message = f"the measure {self.place} returned {len(values)} values; {wanted}"
            raise InputError(message)
        found: list[float | int] = []
        for text, value in zip(self.wanted, values, strict=True):
            plain = value.item() if isinstance(value, np.generic | np.ndarray) and (
                np.ndim(value) == 0) else value
            if not isinstance(plain, numbers.Real):
                message = f"the measure {self.place} returned {value!r} for {text}; {wanted}"
                raise InputError(message)
            if not self.gaps and not np.isfinite(float(plain)):
                message = (f"the measure {self.place} returned {plain} for {text}; if that may be "
                           "so, say @gr.measure(..., gaps=True)")
                raise InputError(message)
            found.append(int(plain) if isinstance(plain, numbers.Integral) else float(plain))
        return found

    def _refuse_changes(self, before: dict[str, Any], look: Look) -> None:
        """Refuse a function that has changed the grains."""
        after = look.grains.arrays()
        changed = [name for name, array in before.items()
                   if not np.array_equal(array, after[name], equal_nan=array.dtype.kind == "f")]
        if changed:
            message = (f"the measure {self.place} has changed the grains ({', '.join(changed)}); a "
                       "measure may only look: work on copies")
            raise InputError(message)

    def _line_of(self, error: BaseException) -> str:
        """Return the line of the user's file where an error arose."""
        file = self.place.rpartition(":")[0]
        trace, line = error.__traceback__, 0
        while trace is not None:
            if trace.tb_frame.f_code.co_filename == file:
                line = trace.tb_lineno
            trace = trace.tb_next
        return f"in line {line}" if line else "when it is called"


def measure(
    *, columns: Sequence[str], interval: float | None = None, name: str = "", gaps: bool = False,
) -> Callable[[Callable[..., Any]], UserMeasure]:
    """Make a measure of a Python function of the simulation.

    Args:
        columns: what the function returns, each with its unit, as in ``"height [m]"``.
        interval: simulated time between two looks [s], for a table of its own; unless given, the
            columns are in ``series.csv``.
        name: put before the names of the columns.
        gaps: whether values may be nan or infinite.
    """
    if isinstance(columns, str):
        message = f"columns must be a list of texts, as in columns=({columns!r},)"
        raise InputError(message)

    def decorate(function: Callable[..., Any]) -> UserMeasure:
        return UserMeasure(function=function, wanted=tuple(columns), interval=interval, name=name,
                           gaps=gaps)

    return decorate

"""The named errors of granum.

Every message is written for the person who has to act on it: what was found, where, what is
allowed, what to change. The command line turns each class into an exit code.
"""

from __future__ import annotations


class GranumError(Exception):
    """Anything granum itself reports; never a bug in granum."""

    exit_code = 1


class InputError(GranumError, ValueError):
    """The description of the simulation is wrong; nothing has run."""

    exit_code = 2


class CheckpointError(InputError):
    """A checkpoint cannot be used: broken, truncated or not granum's."""


class NumericalError(GranumError, ArithmeticError):
    """The simulation went wrong: a grain too deep in its neighbour, lost, or not finite.

    Args:
        message: what happened, to which grain, when, why, and what to change.
        grain: stable id of the grain.
        time: simulated time [s].
    """

    exit_code = 3

    def __init__(self, message: str, *, grain: int, time: float) -> None:
        super().__init__(message)
        self.grain = grain
        self.time = time


class StageError(GranumError):
    """A stage did not come to its end in time, or the next one could not begin."""

    exit_code = 4


class OutputError(GranumError, OSError):
    """A file of the run cannot be written, or read back: disk full, no permission, damaged.

    The message says which file, why, and that what was there before is unchanged.
    """

    exit_code = 1


class MissingExtraError(GranumError, ImportError):
    """An optional package is not installed; the message names the extra to install."""

    exit_code = 2

    def __init__(self, package: str, extra: str) -> None:
        super().__init__(
            f"this needs the package {package!r}, which is not installed: "
            f"pip install 'granum[{extra}]'"
        )

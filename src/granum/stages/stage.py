"""What a user says of a stage: its name, its end, and what changes when it begins."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from typing import Any, Literal

from granum.checks import positive, settle, vector
from granum.errors import InputError
from granum.quantity import Time
from granum.stages.conditions import CONDITIONS
from granum.world.body import motions_of

Otherwise = Literal["stop", "go on"]
Pouring = Literal["on", "off"]
STOP: Literal["stop"] = "stop"


@dataclass(frozen=True)
class Intervals:
    """How often a stage is written down (simulated time); what is left out stays as it is.

    Attributes:
        series: between two rows of the series [s].
        frames: between two frames [s].
        checkpoints: between two checkpoints [s].
    """

    series: Time | None = None
    frames: Time | None = None
    checkpoints: Time | None = None

    def __post_init__(self) -> None:
        """Refuse intervals without a meaning."""
        for name, value in self.given().items():
            positive(name, value)

    def given(self) -> dict[str, float]:
        """Return the intervals that are given, by name."""
        every = {field.name: getattr(self, field.name) for field in fields(self)}
        return {name: value for name, value in every.items() if value is not None}


@dataclass(frozen=True)
class Stage:
    """A part of a run.

    It ends after its duration, or when a condition is met; with both, when the condition is met
    after that time. What it changes stays changed in the stages after it.

    Args:
        name: what it is called in logs and messages.
        duration: how long it lasts; with a condition, how long at least [s].
        until: the condition that ends it.
        at_most: the guard: how long it may take until the condition is met [s].
        otherwise: what happens at the guard: ``"stop"`` the run as failed, or ``"go on"`` with the
            next stage.
        gravity: from now on [m/s2].
        motions: how walls move from now on, by their names: a motion, a list of them, or
            ``"stop"``. Times of motions are counted from the beginning of the stage, and a wall
            goes on from where it is.
        open: names of plates whose holes open.
        close: names of plates whose holes close.
        remove: names of walls that are taken out.
        law: from now on; the same kind of law with other parameters. Damping and drag may come and
            go.
        pour: whether grains are poured in, ``"on"`` or ``"off"``.
        time_step: from now on [s]. It is shortened a little, so that the stage begins at a whole
            number of steps.
        output: how often the stage is written down.
    """

    name: str
    duration: float | None = None
    until: Any = None
    at_most: float | None = None
    otherwise: Otherwise = "stop"
    gravity: Any = None
    motions: Any = ()
    open: Any = ()
    close: Any = ()
    remove: Any = ()
    law: Any = None
    pour: Pouring | None = None
    time_step: float | None = None
    output: Intervals | None = None

    def __post_init__(self) -> None:
        """Refuse wrong values by the name of their field."""
        if not isinstance(self.name, str) or not self.name.strip():
            message = f"a stage needs a name, got {self.name!r}"
            raise InputError(message)
        _refuse_no_end(self)
        for field in ("duration", "at_most", "time_step"):
            if getattr(self, field) is not None:
                positive(field, getattr(self, field))
        for field, value, known in (("otherwise", self.otherwise, ("stop", "go on")),
                                    ("pour", self.pour, ("on", "off", None))):
            if value not in known:
                words = " or ".join(repr(word) for word in known if word)
                message = f"{field} must be {words}, got {value!r}"
                raise InputError(message)
        if self.at_most is not None and self.duration and self.at_most < self.duration:
            message = (f"at_most = {self.at_most:g} s is shorter than the {self.duration:g} s that "
                       "the stage lasts at least")
            raise InputError(message)
        settle(self, open=_names("open", self.open), close=_names("close", self.close),
               remove=_names("remove", self.remove), motions=_motions(self.motions))
        if self.gravity is not None:
            pull = [*self.gravity, 0.0] if len(self.gravity) == 2 else self.gravity
            settle(self, gravity=tuple(vector("gravity", pull).tolist()))

    @property
    def longest(self) -> float:
        """How long it can take [s]; infinite if there is no telling."""
        if self.until is None:
            return float(self.duration or 0.0)
        return float("inf") if self.at_most is None else self.at_most

    @property
    def is_quiet(self) -> bool:
        """Whether nothing in the simulation changes when it begins."""
        return not (self.gravity is not None or self.motions or self.open or self.close
                    or self.remove or self.law is not None or self.pour or self.time_step)

    def describe(self) -> str:
        """Return name, end and changes for a person, in one line."""
        text = f"{self.name}: {self.describe_end()}"
        changes = list(self.describe_changes())
        return text + (f"; {', '.join(changes)}" if changes else "")

    def describe_end(self) -> str:
        """Return when it ends."""
        parts = [f"for {self.duration:g} s"] if self.duration else []
        if self.until is not None:
            parts.append(f"{'then ' if parts else ''}until {self.until.describe()}")
        if self.at_most is not None:
            then = "else the run stops" if self.otherwise == "stop" else "then on in any case"
            parts.append(f"at most {self.at_most:g} s, {then}")
        return ", ".join(parts)

    def describe_changes(self) -> Iterable[str]:
        """Yield what changes when it begins."""
        if self.gravity is not None:
            yield f"gravity {self.gravity} m/s2"
        for name, moving in self.motions:
            yield f"{name} stops" if moving == STOP else (
                f"{name} " + " and ".join(motion.describe() for motion in _each(moving)))
        for verb, names in (("opens", self.open), ("closes", self.close),
                            ("is taken out", self.remove)):
            yield from (f"{name} {verb}" for name in names)
        if self.law is not None:
            yield f"law {self.law!r}"
        if self.pour:
            yield f"pouring {self.pour}"
        if self.time_step:
            yield f"time step {self.time_step:g} s"
        if self.output:
            yield from (f"{name} every {value:g} s" for name, value in self.output.given().items())


def _refuse_no_end(stage: Stage) -> None:
    """Refuse a stage that would never end, and ends that are none."""
    if stage.duration is None and stage.until is None:
        message = (f"stage '{stage.name}' has no end: give it a duration (in a file, for = \"1 s\")"
                   " or a condition (until = \"at rest\")")
        raise InputError(message)
    if stage.until is not None and not isinstance(stage.until, tuple(CONDITIONS.values())):
        message = f"until must be a condition such as gr.AtRest(), got {stage.until!r}"
        raise InputError(message)
    if stage.at_most is not None and stage.until is None:
        message = ("at_most guards a condition, and there is none: give until, or only the "
                   "duration")
        raise InputError(message)


def _names(field: str, given: Any) -> tuple[str, ...]:
    names = (given,) if isinstance(given, str) else tuple(given)
    for name in names:
        if not isinstance(name, str):
            message = f"{field} must be names of walls, got {name!r}"
            raise InputError(message)
    return names


def _motions(given: Any) -> tuple[tuple[str, Any], ...]:
    """Return names and motions as pairs, which compare and can be written to a file."""
    pairs = given.items() if isinstance(given, Mapping) else given
    return tuple((name, moving if moving == STOP else motions_of(moving))
                 for name, moving in pairs)


def _each(moving: Any) -> tuple[Any, ...]:
    return moving if isinstance(moving, tuple) else (moving,)


def refuse_same_names(stages: Iterable[Stage]) -> None:
    """Refuse two stages of one name."""
    seen = set()
    for stage in stages:
        if not isinstance(stage, Stage):
            message = f"stages must be gr.Stage(...), got {stage!r}"
            raise InputError(message)
        if stage.name in seen:
            message = f"two stages are named '{stage.name}': each needs a name of its own"
            raise InputError(message)
        seen.add(stage.name)


def expected(stages: Iterable[Stage]) -> float:
    """Return how long all stages can take together [s]; infinite if there is no telling."""
    return sum(stage.longest for stage in stages)

"""Laws that users write in Python, compiled into the force kernel like those that come along.

    import granum as gr

    @gr.law(parameters=("stiffness", "damping", "friction"))
    def spring(p, touch, state):
        normal = p.stiffness * touch.overlap + p.damping * touch.rate
        limit = p.friction * max(normal, 0.0)
        pull, slip = gr.bounded(limit, 2.0 / 7.0 * p.stiffness, 0.0, touch)
        return normal, pull, slip, state

    sim = gr.Simulation(world, spring(stiffness=1e4, damping=0.1, friction=0.3), time_step=1e-6)

The function gets the parameters by name, a `Touch` and what the contact remembers (a tuple of
``state`` numbers, zeros in a new contact). It returns the normal force, the tangential force on i,
the tangential spring and the state to remember. It may use arithmetic, ``if``, ``math``, NumPy
scalars and other functions marked with Numba's ``register_jitable``; no loops over arrays.
"""

from __future__ import annotations

import hashlib
import inspect
import math
from collections import namedtuple
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from types import MappingProxyType
from typing import Any

import numpy as np
from numba.core.errors import NumbaError
from numba.extending import register_jitable

from granum.checks import FloatArray, nearest
from granum.compile import kernel
from granum.contact.model import Touch
from granum.errors import InputError
from granum.laws.law import TimeSteps
from granum.sources import source_of

SAMPLE = Touch(1e-6, 1e-3, 1e-6, 3e-7, 5e-4, 1e-8, 0.0, 0.0, 1e-4, 0.0, 0.0, 1.0, 1e-6)


@dataclass(frozen=True, eq=False)
class LawFunction:
    """What ``@gr.law`` makes of a function: call it with its parameters to get a law."""

    function: Callable[..., Any]
    parameters: tuple[tuple[str, float | None], ...]
    state: int = 0
    range: str = ""
    energy: Callable[..., Any] | None = None
    contact_time: Callable[..., float] | None = None
    units: tuple[tuple[str, str], ...] = ()

    @property
    def name(self) -> str:
        """Where the law is written: file and function, as a scenario names it."""
        return f"{inspect.getsourcefile(self.function) or 'here'}:{self.function.__name__}"

    def __call__(self, **values: float) -> UserLaw:
        """Return the law with these parameters."""
        known = dict(self.parameters)
        for key in values:
            if key not in known:
                message = (f"the law {self.function.__name__} has no parameter '{key}'"
                           f"{nearest(key, known)}; it takes {', '.join(known)}")
                raise InputError(message)
        missing = [key for key, value in known.items() if value is None and key not in values]
        if missing:
            message = f"the law {self.function.__name__} needs the parameter '{missing[0]}'"
            raise InputError(message)
        together = sorted({**known, **values}.items())
        numbers = tuple((key, _finite(key, value)) for key, value in together)
        made = UserLaw(self.name, fingerprint(self.function), numbers, self)
        refuse_bad_law(made)
        return made


def law(
    *, parameters: Sequence[str] | Mapping[str, float | None] = (), state: int = 0, range: str = "",
    energy: Callable[..., Any] | None = None, contact_time: Callable[..., float] | None = None,
    units: Mapping[str, str] = MappingProxyType({}),
) -> Callable[[Callable[..., Any]], LawFunction]:
    """Make a contact law of a Python function of (p, touch, state).

    Args:
        parameters: names of the numbers that the law takes; a mapping gives them values that hold
            unless others are given.
        state: how many numbers a contact keeps for the law from step to step.
        range: name of the parameter that tells how far apart grains may be and still feel each
            other [m]; the law then also sees gaps, as negative overlaps.
        energy: function of (p, touch, state) to the energies that the normal and the tangential
            force can give back [J]; unless given, none is counted.
        contact_time: function of (p, radius, mass) of one grain to how long its shortest contact
            lasts [s]; unless given, a simulation must be told its time step.
        units: SI units of parameters, as in ``{"stiffness": "N/m"}``; a scenario may then give
            such a parameter as text, ``"2 kN/m"``.
    """
    given = parameters if isinstance(parameters, Mapping) else dict.fromkeys(parameters)
    if range and range not in given:
        message = f"the range '{range}' is not among the parameters {', '.join(given)}"
        raise InputError(message)
    for key in units:
        if key not in given:
            message = f"the unit of '{key}' is not one of a parameter ({', '.join(given)})"
            raise InputError(message)
    if isinstance(state, bool) or not isinstance(state, int) or state < 0:
        message = f"state must be a whole number, 0 or more, got {state!r}"
        raise InputError(message)

    def decorate(function: Callable[..., Any]) -> LawFunction:
        return LawFunction(function, tuple(sorted(given.items())), state, range, energy,
                           contact_time, tuple(sorted(units.items())))

    return decorate


@dataclass(frozen=True)
class UserLaw:
    """A law of a user's own, with its parameters.

    Args:
        name: file and function, as in ``"mylaws.py:capillary"``.
        written: fingerprint of the file when the law was made.
        values: parameters and their values, in the order of names.
        definition: what ``@gr.law`` made of the function.
    """

    name: str
    written: str
    values: tuple[tuple[str, float], ...]
    definition: LawFunction = field(repr=False, compare=False)

    @property
    def remembers(self) -> int:
        """Numbers that a contact keeps for the law."""
        return self.definition.state

    @property
    def range(self) -> float:
        """How far apart grains may be and still feel each other [m]."""
        return float(dict(self.values)[self.definition.range]) if self.definition.range else 0.0

    def mixed(self, other: UserLaw) -> UserLaw:
        """Return the law between two materials: geometric means of all parameters."""
        mean = {key: math.copysign(math.sqrt(abs(a * b)), a + b)
                for (key, a), (_, b) in zip(self.values, other.values, strict=True)}
        return self.definition(**mean)

    def parameters(self) -> list[str]:
        """Return the names of the parameters."""
        return [key for key, _ in self.values]

    def changed(self, changes: Mapping[str, float]) -> UserLaw:
        """Return the law with some other parameters."""
        return self.definition(**{**dict(self.values), **changes})

    def coefficients(self) -> FloatArray:
        """Return the values of the parameters, in the order of their names."""
        return np.array([value for _, value in self.values], dtype=np.float64)

    def kernel(self) -> Callable[..., Any]:
        """Return the user's function as the sweep calls it."""
        return _with_names(self.definition.function, tuple(key for key, _ in self.values))

    def potential(self) -> Callable[..., Any]:
        """Return the user's energy, or none."""
        energy = self.definition.energy
        if energy is None:
            return no_energy
        return _with_names(energy, tuple(key for key, _ in self.values))

    def time_steps(self, radius: FloatArray, mass: FloatArray) -> TimeSteps:
        """Return a fiftieth and a tenth of the shortest contact; not a number if none is told."""
        told = self.definition.contact_time
        if told is None or not len(radius):
            return TimeSteps(math.nan, math.inf)
        p = _record(tuple(key for key, _ in self.values))(*self.coefficients())
        shortest = min(told(p, float(r), float(m)) for r, m in zip(radius, mass, strict=True))
        return TimeSteps(shortest / 50.0, shortest / 10.0)


@register_jitable(inline="always")
def no_energy(p, touch, state):
    """Return that nothing is known of the energy that this contact can give back."""
    return 0.0, 0.0


@cache
def _record(names: tuple[str, ...]) -> Any:
    """Return the tuple with named places that carries the parameters."""
    return namedtuple("Parameters", names)


@cache
def _with_names(function: Callable[..., Any], names: tuple[str, ...]) -> Callable[..., Any]:
    """Return ``function`` taking its parameters as a plain tuple."""
    record = _record(names)
    inner = register_jitable(inline="always")(function)

    @register_jitable(inline="always")
    def named(p, touch, state):
        return inner(record(*p), touch, state)

    named.parts = (function,)
    return named


def _finite(name: str, value: Any) -> float:
    """Return a parameter as a number; what is wild for it only its law can tell."""
    if (isinstance(value, bool) or not isinstance(value, int | float | np.integer | np.floating)
            or not math.isfinite(value)):
        message = f"{name} must be a number, in SI units, got {value!r}"
        raise InputError(message)
    return float(value)


def fingerprint(function: Callable[..., Any]) -> str:
    """Return a hash of the file that a law stands in, so that an edit is noticed."""
    return hashlib.sha256(source_of(function).encode()).hexdigest()[:16]


def refuse_bad_law(made: UserLaw) -> None:
    """Try the law once in Python and once compiled; say what is wrong with it, and where."""
    p = tuple(float(value) for value in made.coefficients())
    state = (0.0,) * made.remembers
    looked_at = SAMPLE._replace(step=0.0)
    title = made.name.replace("\\", "/").rpartition("/")[2]
    try:
        answer = made.kernel()(p, SAMPLE, state)
    except Exception as error:  # whatever a user's code raises is the user's to see
        message = f"the law {title} fails {_line_of(error, made)}: {error!r}"
        raise InputError(message) from error
    _refuse_answer(title, answer, made.remembers)
    try:
        made.kernel()(p, looked_at, state)
    except ArithmeticError as error:
        message = (f"the law {title} fails {_line_of(error, made)} where touch.step is 0: contacts "
                   "that are only looked at have no time passing; divide by no time step")
        raise InputError(message) from error
    try:
        _probe(made.kernel())(p, SAMPLE, state)
    except NumbaError as error:
        message = (f"the law {title} does not compile: {_first_lines(str(error))}\n"
                   "A law may use arithmetic, if, math and NumPy's scalar functions.")
        raise InputError(message) from error


@cache
def _probe(force: Callable[..., Any]) -> Callable[..., Any]:
    """Return a small kernel that calls the law once."""
    source = source_of(force)

    @kernel
    def probe(p, touch, state):
        source  # noqa: B018  (part of the cache key)
        return force(p, touch, state)

    return probe


def _refuse_answer(title: str, answer: Any, count: int) -> None:
    """Refuse an answer that is not normal force, tangential force, spring and state."""
    wanted = ("it must return four things: the normal force, the tangential force (three numbers), "
              f"the spring (three numbers) and the state ({count} numbers)")
    if not isinstance(answer, tuple) or len(answer) != 4:
        message = f"the law {title} returned {answer!r}; {wanted}"
        raise InputError(message)
    for part, length in zip(answer[1:], (3, 3, count), strict=True):
        if not isinstance(part, tuple) or len(part) != length:
            message = f"the law {title} returned {part!r} where {length} numbers belong; {wanted}"
            raise InputError(message)
    if not np.isfinite([answer[0], *answer[1], *answer[2], *answer[3]]).all():
        message = (f"the law {title} gives {answer!r}, which is not finite, for a light touch "
                   f"({SAMPLE}); look for a division by zero or a root of a negative number")
        raise InputError(message)


def _line_of(error: BaseException, made: UserLaw) -> str:
    """Return the line of the user's file where an error arose."""
    file = made.name.rpartition(":")[0]
    trace, line = error.__traceback__, 0
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == file:
            line = trace.tb_lineno
        trace = trace.tb_next
    return f"in line {line}" if line else "when it is called"


def _first_lines(text: str) -> str:
    """Return what Numba says of the user's code, without its own inner story."""
    lines = [line for line in text.splitlines() if line.strip()]
    told = [line for line in lines if 'File "' in line or line.startswith(("No implementation",
            "Unknown", "Untyped", "NameError", "Invalid", "Cannot"))]
    return "\n  ".join((told or lines)[:6])

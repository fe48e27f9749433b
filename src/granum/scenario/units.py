"""Units at the door: ``"4 mm"`` becomes 0.004, and ``"4 mm"`` for a time is refused.

A number and its unit are multiplied exactly and rounded once, so ``"9 mm"`` is the float 0.009 and
``"180 deg"`` is ``math.pi``. The same letters may stand for two kinds (``g``: gram, and the
acceleration of free fall); the kind wanted decides.
"""

from __future__ import annotations

import math
import numbers
import re
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from typing import Any

from granum.errors import InputError
from granum.quantity import Kind
from granum.scenario.wording import (
    Want,
    either,
    found,
    nearest,
    plural,
    printable,
    refusal,
    with_article,
)

NUMBER = Kind("number", "")
"""The kind of a number without a unit."""

_PI = Fraction(math.pi)
_MILLI = Fraction(1, 1000)
_MICRO = Fraction(1, 10**6)
_FREE_FALL = Fraction("9.80665")  # [m/s2], standard value, 3rd CGPM (1901)


@dataclass(frozen=True)
class _Family:
    """All units of one kind: their sizes in the SI unit, which comes first."""

    name: str
    example: str
    sizes: dict[str, Fraction | int]


_FAMILIES = (
    _Family("length", "4 mm", {
        "m": 1, "km": 1000, "cm": Fraction(1, 100), "mm": _MILLI, "um": _MICRO,
        "in": Fraction("0.0254")}),
    _Family("time", "1 ms", {"s": 1, "ms": _MILLI, "us": _MICRO, "min": 60, "h": 3600}),
    _Family("mass", "2 g", {"kg": 1, "g": _MILLI, "mg": _MICRO, "t": 1000}),
    _Family("density", "2.5 g/cm3", {"kg/m3": 1, "g/cm3": 1000, "g/l": 1, "kg/l": 1000}),
    _Family("speed", "5 cm/s", {
        "m/s": 1, "cm/s": Fraction(1, 100), "mm/s": _MILLI, "um/s": _MICRO,
        "km/h": Fraction(1000, 3600)}),
    _Family("acceleration", "1 g", {
        "m/s2": 1, "cm/s2": Fraction(1, 100), "mm/s2": _MILLI, "g": _FREE_FALL}),
    _Family("angle", "30 deg", {"rad": 1, "deg": _PI / 180, "turn": 2 * _PI}),
    _Family("angular speed", "30 rpm", {
        "rad/s": 1, "deg/s": _PI / 180, "turn/s": 2 * _PI, "rpm": 2 * _PI / 60}),
    _Family("rate", "30 Hz", {"1/s": 1, "Hz": 1, "kHz": 1000, "1/min": Fraction(1, 60)}),
    _Family("pressure", "2 MPa", {"Pa": 1, "kPa": 1000, "MPa": 10**6, "GPa": 10**9}),
    _Family("force", "5 mN", {"N": 1, "mN": _MILLI, "kN": 1000}),
    _Family("stiffness", "2 kN/m", {"N/m": 1, "kN/m": 1000, "N/mm": 1000, "mN/m": _MILLI}),
    _Family("area", "4 cm2", {"m2": 1, "cm2": Fraction(1, 10**4), "mm2": _MICRO}),
    _Family("damping or mass rate", "2 kg/s", {"kg/s": 1, "g/s": _MILLI, "N s/m": 1}),
    _Family("volume", "2 mm3", {
        "m3": 1, "cm3": _MICRO, "mm3": Fraction(1, 10**9), "l": _MILLI, "ml": _MICRO,
        "ul": Fraction(1, 10**9), "nl": Fraction(1, 10**12)}),
    _Family("surface energy", "50 mJ/m2", {"J/m2": 1, "mJ/m2": _MILLI}),
    _Family("viscosity", "1 mPa s", {
        "Pa s": 1, "mPa s": _MILLI, "P": Fraction(1, 10), "cP": _MILLI}),
    _Family("energy", "3 mJ", {"J": 1, "mJ": _MILLI, "uJ": _MICRO, "kJ": 1000}),
)
_OF_SI = {next(iter(family.sizes)): family for family in _FAMILIES}

# Names in full are not units here, but what they mean is plain.
_IN_FULL = {
    "meter": "m", "metre": "m", "millimeter": "mm", "millimetre": "mm", "centimeter": "cm",
    "centimetre": "cm", "kilometer": "km", "kilometre": "km", "micrometer": "um",
    "micrometre": "um", "micron": "um", "inch": "in", "second": "s", "sec": "s",
    "millisecond": "ms", "msec": "ms", "microsecond": "us", "minute": "min", "hour": "h", "hr": "h",
    "kilogram": "kg", "gram": "g", "milligram": "mg", "ton": "t", "tonne": "t", "degree": "deg",
    "radian": "rad", "revolution": "turn", "rev": "turn", "hertz": "Hz", "newton": "N",
    "pascal": "Pa", "joule": "J", "g/cc": "g/cm3", "gee": "g",
}
_SAME = str.maketrans({"µ": "u", "μ": "u", "²": "2", "³": "3", "^": None, "*": None, " ": None})
_INFINITE = "is not a finite number;"
_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_NOT_FINITE = re.compile(r"[+-]?(inf|infinity|nan)", re.IGNORECASE)
_DECIMAL_COMMA = re.compile(r"[+-]?[0-9]+,[0-9]+")


def want(kind: Kind) -> Want:
    """Return the words for a number of ``kind``."""
    family = _OF_SI.get(kind.unit)
    noun, many = with_article(kind.name), plural(kind.name)
    if kind.unit == "":
        return Want(noun, many, ("0.5",))
    if family is None:
        return Want(noun, many, (f'"2 {kind.unit}"', "2"))
    return Want(noun, many, (f'"{family.example}"', f"{parse(family.example, kind):g}"))


def kind_name(unit: str) -> str:
    """Return what an SI unit measures, such as ``length``; nothing for one that is not known."""
    return _OF_SI[unit].name if unit in _OF_SI else "" if unit else NUMBER.name


def starts_as_number(text: str) -> bool:
    """Tell whether ``text`` is meant as a number, with or without a unit."""
    return _NUMBER.match(_plain(text)) is not None


def parse(value: Any, kind: Kind) -> float:
    """Return ``value`` in the SI unit of ``kind``.

    Args:
        value: a number, taken as SI, or text such as ``"4 mm"``, ``"7.8 g/cm^3"`` or ``"0.5"``.
        kind: what the number must measure.

    Raises:
        InputError: it is no finite number, or its unit is unknown or of another kind.
    """
    if isinstance(value, str):
        return _parse_text(value, kind)
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise refusal(value, want(kind))
    try:
        result = float(value)
    except OverflowError:
        result = math.inf
    if not math.isfinite(result):
        raise refusal(value, want(kind), _INFINITE)
    return result


def _plain(text: str) -> str:
    return text.strip().replace("−", "-")  # the minus sign of typeset papers


def _parse_text(text: str, kind: Kind) -> float:
    plain = _plain(text)
    match = _NUMBER.match(plain)
    if match is None:
        is_what = _INFINITE if _NOT_FINITE.fullmatch(plain) else "is given, but"
        raise refusal(text, want(kind), is_what)
    if _DECIMAL_COMMA.match(plain):
        message = f"{found(text)} has a comma in its number; write the decimal point as '.'"
        raise InputError(message)
    size = _size(text, plain[match.end():].strip(), kind)
    estimate = float(match[0])
    # Only a number of ordinary size is worked out exactly: 1e999999999 would fill the memory.
    if estimate == 0.0:
        return estimate
    try:
        result = float(Fraction(Decimal(match[0])) * size) if math.isfinite(estimate) else math.inf
    except OverflowError:
        result = math.inf
    if not math.isfinite(result):
        raise refusal(text, want(kind), _INFINITE)
    return result


def _size(text: str, unit: str, kind: Kind) -> Fraction | int:
    """Return the size of ``unit`` in the SI unit of ``kind`` [SI unit]."""
    if unit == "":
        return 1
    family = _OF_SI.get(kind.unit)
    units = family.sizes if family else {kind.unit: 1}
    sizes = {name.translate(_SAME): size for name, size in units.items()}
    plain = "deg" if unit == "°" else unit.translate(_SAME)
    if plain in sizes:
        return sizes[plain]
    others = [with_article(family.name) for family in _FAMILIES
              if plain in [name.translate(_SAME) for name in family.sizes]]
    if others:
        raise refusal(text, want(kind), f"is {either(others)}, but")
    if not kind.unit:
        bare = replace(want(kind), noun="a number without unit")
        raise refusal(text, bare, f"has the unit '{_shown(unit)}', but")
    allowed = list(units)
    near = _nearest_unit(plain, allowed)
    hint = f"; did you mean '{near}'?" if near else ""
    message = (f"{found(text)} has the unknown unit '{_shown(unit)}'{hint} "
               f"({with_article(kind.name)} may be in {either(allowed)})")
    raise InputError(message)


def _nearest_unit(plain: str, allowed: list[str]) -> str | None:
    word = plain.lower()
    in_full = _IN_FULL.get(word) or _IN_FULL.get(word.removesuffix("s"))
    return in_full if in_full in allowed else nearest(plain, allowed)


def _shown(unit: str) -> str:
    return printable(unit if len(unit) <= 20 else unit[:17] + "...")

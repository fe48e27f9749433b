"""Numbers of a report as a person reads them."""

from __future__ import annotations

from typing import Any

from granum.report.facts import Figure

NOTHING = "–"
MANY = 10.0  # times as much as published, from which on a ratio says more than a difference


def value_text(value: Any, unit: str = "") -> str:
    """Return a figure with its unit, such as ``60.61 %``; yes or no for a truth."""
    if value is None:
        return NOTHING
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list | tuple):
        return ", ".join(value_text(entry) for entry in value)
    if not isinstance(value, int | float):
        return str(value)
    number = f"{value:.2f}" if unit == "%" else f"{value:.4g}"
    return f"{number} {unit}".strip()


def difference_text(figure: Figure) -> str:
    """Return measured less published, with its share of the published one if that says more.

    Where it is many times as much, that is told instead.
    """
    if figure.difference is None:
        return NOTHING
    if figure.unit == "%":
        return f"{figure.difference:+.2f}"
    if not figure.published or isinstance(figure.published, str):
        return f"{figure.difference:+.3g}"
    if figure.difference / figure.published >= MANY - 1.0:
        return f"{1.0 + figure.difference / figure.published:.0f} times"
    return (f"{figure.difference:+.3g} "
            f"({100.0 * figure.difference / abs(figure.published):+.1f} %)")


def verdict_text(figure: Figure) -> str:
    """Return whether both agree, and within which spread."""
    if figure.agrees is None:
        return ""
    within = f" (within {figure.spread:g})" if figure.spread else ""
    return ("agrees" if figure.agrees else "differs") + within


def time_text(seconds: float) -> str:
    """Return a computing time, such as ``3 min 20 s``."""
    if seconds < 60.0:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {rest} s"

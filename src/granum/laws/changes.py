"""The same law or add-on with some other parameters.

Most are dataclasses, whose fields are the parameters. One that is made otherwise (of parts, or of a
user's function) has two methods of its own: ``parameters()`` and ``changed(values)``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any


def parameters_of(law: Any) -> list[str]:
    """Return the names of its parameters."""
    if hasattr(law, "parameters"):
        return list(law.parameters())
    return [field.name for field in fields(law)]


def changed(law: Any, values: Mapping[str, Any]) -> Any:
    """Return the same with other values of some parameters."""
    if not values:
        return law
    return law.changed(values) if hasattr(law, "changed") else replace(law, **values)

"""From a law to what the sweeps compile in and the numbers that they take."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from granum.contact.model import Model
from granum.contact.sweep import Numbers
from granum.laws.pairs import Pairs


def model_of(law: Any, materials: Sequence[str], step: float) -> tuple[Model, Numbers]:
    """Return a law as the sweeps take it.

    Coefficients that are the same for all pairs of ``materials`` are taken once, others are looked
    up contact by contact.
    """
    base = law.law if isinstance(law, Pairs) else law
    table = law.table(materials) if isinstance(law, Pairs) else np.array([law.coefficients()])
    mixed = bool((table != table[0]).any())
    couple = base.couple() if hasattr(base, "couple") else None
    signs = base.signs if hasattr(base, "signs") else (1.0,) * base.remembers
    model = Model(base.kernel(), couple, base.potential(), table.shape[1], signs, mixed,
                  law.range > 0.0)
    p = np.ascontiguousarray(table.ravel() if mixed else table[0], dtype=np.float64)
    return model, Numbers(p, np.uint64(len(materials)), float(law.range), float(step))

"""The phases of a step, each as a loop of its own, to be timed one by one."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numba

from granum.compile import parallel_kernel
from granum.contact.model import Model
from granum.contact.sweep import make_sweep
from granum.dynamics.integrate import begin, finish


@cache
def make_phases(model: Model, periodic: bool) -> dict[str, Callable[..., Any]]:
    """Return the loops over all blocks of ``begin``, ``sweep`` and ``finish``."""
    sweep = make_sweep(model, periodic)
    law_source = model.sources

    @parallel_kernel
    def all_begin(rows, pairs, dt, cell, share):
        for b in numba.prange(pairs.block.size - 1):
            begin(pairs.block[b], pairs.block[b + 1], rows, dt, cell, share)

    @parallel_kernel
    def all_sweep(rows, F, pairs, history, now, law, L, scratch):
        law_source  # noqa: B018  (part of the cache key)
        for b in numba.prange(pairs.block.size - 1):
            sweep(b, rows, F, pairs, history, now, law, 0.0, 0.0, L, scratch)

    @parallel_kernel
    def all_finish(rows, F, pairs):
        for b in numba.prange(pairs.block.size - 1):
            finish(pairs.block[b], pairs.block[b + 1], rows, F, pairs.halo_begin,
                   pairs.halo_row, (0.0, 0.0, 0.0), 0.0)

    return {"begin": all_begin, "sweep": all_sweep, "finish": all_finish}

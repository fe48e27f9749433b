"""The spread of densities that reports tell is that of the seeds in the documentation's data."""

from __future__ import annotations

import csv
from collections import defaultdict
from pathlib import Path

import pytest

from granum.studies import STUDIES
from granum.studies.packing import DENSITY, TO_SURFACE

DATA = Path(__file__).parents[2] / "docs" / "data" / "packing-seeds.csv"


def densities() -> dict[tuple[str, str, str], list[float]]:
    """Return the densities [%] of all seeds, by study, variant and how the height is read."""
    found: dict[tuple[str, str, str], list[float]] = defaultdict(list)
    with DATA.open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            for key in (DENSITY, TO_SURFACE):
                found[row["study"], row["variant"], key].append(float(row[key]))
    return found


MANY = {key: values for key, values in densities().items() if len(values) == 5}


@pytest.mark.parametrize("study", sorted({study for study, *_ in MANY}))
def test_spread_is_that_of_five_seeds(study):
    for (name, variant, key), values in MANY.items():
        figures = [figure for figure in STUDIES[study].published[variant]
                   if figure.key == key] if name == study else []
        for figure in figures:
            assert figure.spread is not None
            differ = max(values) - min(values)
            assert figure.spread == pytest.approx(max(differ, 0.5), abs=0.51), (variant, differ)
            assert figure.spread >= differ - 0.05, (variant, differ)

"""Units of columns: those that the measures themselves declare, whatever the measure is called."""

from dataclasses import replace

import pytest
from test_measures_of_grains import OF_ALL

import granum as gr
from granum.measures.budget import BUDGET_COLUMNS
from granum.measures.columns import unit_of
from granum.measures.series import COLUMNS

OF_SERIES = [measure for measure in OF_ALL
             if not measure.has_table and not isinstance(measure, gr.MovingAverage)]


@pytest.mark.parametrize("measure", OF_SERIES, ids=lambda measure: measure.type_name)
def test_units_are_those_of_the_measures(measure):
    assert len(OF_SERIES) > 8
    for named in (measure, replace(measure, name="bottom")):
        units = named.units(gr.World())
        assert {column: unit_of(column) for column in units} == units


def test_units_of_the_series():
    units = {column: unit_of(column) for column in COLUMNS}
    plain = {"step", "grains", "contacts", "wall_contacts", "coordination", "deepest"}
    assert {column for column, unit in units.items() if not unit} == plain
    assert units["kinetic"] == unit_of(BUDGET_COLUMNS[0]) == unit_of("kinetic_average") == "J"
    assert [unit_of(f"lid_{what}") for what in ("x", "force_z", "torque_y", "work")] == [
        "m", "N", "N m", "J"]
    assert unit_of("inflow") == unit_of("below") == ""

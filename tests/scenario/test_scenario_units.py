"""Units: exact values, and every refusal in full."""

import math
from decimal import Decimal
from fractions import Fraction
from typing import get_args

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scenario_samples import outcome

from granum import quantity
from granum.errors import InputError
from granum.quantity import Kind
from granum.scenario.units import parse, want


def kind_of(annotation):
    return get_args(annotation)[1]


LENGTH = kind_of(quantity.Length)
TIME = kind_of(quantity.Time)
DENSITY = kind_of(quantity.Density)
SPEED = kind_of(quantity.Speed)
ACCELERATION = kind_of(quantity.Acceleration)
ANGULAR_SPEED = kind_of(quantity.AngularSpeed)
ANGLE = kind_of(quantity.Angle)
RATE = kind_of(quantity.Rate)
NUMBER = kind_of(quantity.Number)
MASS = Kind("mass", "kg")
STRESS = Kind("stress", "Pa")
FORCE = Kind("force", "N")
STIFFNESS = Kind("stiffness", "N/m")
ENERGY = Kind("energy", "J")
HEAT_FLUX = Kind("heat flux", "W/m2")
TORQUE = Kind("torque", "N m")


@pytest.mark.parametrize(("text", "kind", "value"), [
    ("4 mm", LENGTH, 0.004), ("4mm", LENGTH, 0.004), (" 4  mm ", LENGTH, 0.004),
    ("9 mm", LENGTH, 0.009), ("1.5 km", LENGTH, 1500.0), ("3 cm", LENGTH, 0.03),
    ("250 um", LENGTH, 250e-6), ("250 µm", LENGTH, 250e-6), ("250 μm", LENGTH, 250e-6),
    ("1 in", LENGTH, 0.0254), ("2 m", LENGTH, 2.0), (".5 m", LENGTH, 0.5), ("5. m", LENGTH, 5.0),
    ("−4 mm", LENGTH, -0.004), ("+4 mm", LENGTH, 0.004), ("0.5", LENGTH, 0.5),
    ("1e-3 s", TIME, 1e-3), ("1E3ms", TIME, 1.0), ("7 us", TIME, 7e-6), ("7 µs", TIME, 7e-6),
    ("2 min", TIME, 120.0), ("2 h", TIME, 7200.0),
    ("3 g", MASS, 0.003), ("3 kg", MASS, 3.0), ("3 mg", MASS, 3e-6), ("3 t", MASS, 3000.0),
    ("7.8 g/cm3", DENSITY, 7800.0), ("7.8 g/cm^3", DENSITY, 7800.0), ("7.8 g/cm³", DENSITY, 7800.0),
    ("7.8 g / cm**3", DENSITY, 7800.0), ("1000 kg/m3", DENSITY, 1000.0), ("3 g/l", DENSITY, 3.0),
    ("5 cm/s", SPEED, 0.05), ("5 mm/s", SPEED, 0.005), ("36 km/h", SPEED, 10.0),
    ("1 g", ACCELERATION, 9.80665), ("9.81 m/s2", ACCELERATION, 9.81),
    ("9.81 m/s²", ACCELERATION, 9.81), ("981 cm/s^2", ACCELERATION, 9.81),
    ("180 deg", ANGLE, math.pi), ("180°", ANGLE, math.pi), ("1 turn", ANGLE, 2 * math.pi),
    ("60 rpm", ANGULAR_SPEED, 2 * math.pi), ("180 deg/s", ANGULAR_SPEED, math.pi),
    ("30 Hz", RATE, 30.0), ("30 1/s", RATE, 30.0), ("2 kHz", RATE, 2000.0),
    ("3 GPa", STRESS, 3e9), ("3 kPa", STRESS, 3e3), ("0.3", NUMBER, 0.3),
    ("5 mN", FORCE, 0.005), ("2 kN/m", STIFFNESS, 2000.0), ("3 N/mm", STIFFNESS, 3000.0),
    ("3 mJ", ENERGY, 0.003), ("3 W/m^2", HEAT_FLUX, 3.0), ("2 N m", TORQUE, 2.0),
    ("0e999999999 m", LENGTH, 0.0), ("1e-999999999 m", LENGTH, 0.0),
    ("1." + "1" * 5000 + " m", LENGTH, 1.1111111111111112),
])
def test_text_with_a_unit_is_read_exactly(text, kind, value):
    assert parse(text, kind) == value


@pytest.mark.parametrize("value", [0, 3, -2.5, np.float64(0.25), np.float32(0.25), np.int64(3)])
def test_a_bare_number_is_si(value):
    result = parse(value, LENGTH)
    assert type(result) is float
    assert result == value


@settings(deadline=None)
@given(st.decimals(allow_nan=False, allow_infinity=False, min_value=-1e9, max_value=1e9))
def test_value_is_rounded_once(number):
    assert parse(f"{number} mm", LENGTH) == float(Fraction(Decimal(number)) / 1000)


@settings(deadline=None)
@given(st.floats(allow_nan=False, allow_infinity=False))
def test_repr_of_a_float_comes_back(number):
    assert parse(repr(number), NUMBER) == number


@pytest.mark.parametrize(("value", "kind", "message"), [
    ("3 mm", TIME, '"3 mm" is a length, but a time is wanted (for example "1 ms" or 0.001)'),
    ("3 g", LENGTH, '"3 g" is a mass or an acceleration, but a length is wanted '
                    '(for example "4 mm" or 0.004)'),
    ("30 Hz", ANGULAR_SPEED, '"30 Hz" is a rate, but an angular speed is wanted '
                             '(for example "30 rpm" or 3.14159)'),
    ("3 mm", NUMBER, '"3 mm" is a length, but a number is wanted (for example 0.5)'),
    ("3 s", HEAT_FLUX, '"3 s" is a time, but a heat flux is wanted '
                       '(for example "2 W/m2" or 2)'),
    ("3 %", NUMBER, '"3 %" has the unit \'%\', but a number without unit is wanted '
                    "(for example 0.5)"),
    ("3 mn", LENGTH, '"3 mn" has the unknown unit \'mn\'; did you mean \'mm\'? '
                     "(a length may be in m, km, cm, mm, um or in)"),
    ("3 sec", TIME, '"3 sec" has the unknown unit \'sec\'; did you mean \'s\'? '
                    "(a time may be in s, ms, us, min or h)"),
    ("3 Seconds", TIME, '"3 Seconds" has the unknown unit \'Seconds\'; did you mean \'s\'? '
                        "(a time may be in s, ms, us, min or h)"),
    ("3 mpa", STRESS, '"3 mpa" has the unknown unit \'mpa\'; did you mean \'MPa\'? '
                      "(a stress may be in Pa, kPa, MPa or GPa)"),
    ("3 furlongs", LENGTH, '"3 furlongs" has the unknown unit \'furlongs\' '
                           "(a length may be in m, km, cm, mm, um or in)"),
    ("3 N mm", TORQUE, '"3 N mm" has the unknown unit \'N mm\'; did you mean \'N m\'? '
                       "(a torque may be in N m)"),
    ("3 4", LENGTH, '"3 4" has the unknown unit \'4\' '
                    "(a length may be in m, km, cm, mm, um or in)"),
    ("0,5 mm", LENGTH, '"0,5 mm" has a comma in its number; write the decimal point as \'.\''),
    ("big", LENGTH, '"big" is given, but a length is wanted (for example "4 mm" or 0.004)'),
    ("", ANGLE, '"" is given, but an angle is wanted (for example "30 deg" or 0.523599)'),
    ("mm", LENGTH, '"mm" is given, but a length is wanted (for example "4 mm" or 0.004)'),
    (True, LENGTH, 'true is given, but a length is wanted (for example "4 mm" or 0.004)'),
    (None, LENGTH, 'nothing is given, but a length is wanted (for example "4 mm" or 0.004)'),
    ([1, 2], DENSITY, "a list of 2 values is given, but a density is wanted "
                      '(for example "2.5 g/cm3" or 2500)'),
    ({}, ACCELERATION, "a table is given, but an acceleration is wanted "
                       '(for example "1 g" or 9.80665)'),
    (math.nan, NUMBER, "nan is not a finite number; a number is wanted (for example 0.5)"),
    (-math.inf, NUMBER, "-inf is not a finite number; a number is wanted (for example 0.5)"),
    ("inf", NUMBER, '"inf" is not a finite number; a number is wanted (for example 0.5)'),
    ("NaN", NUMBER, '"NaN" is not a finite number; a number is wanted (for example 0.5)'),
    ("1e999 m", LENGTH, '"1e999 m" is not a finite number; a length is wanted '
                        '(for example "4 mm" or 0.004)'),
    ("1e308 km", LENGTH, '"1e308 km" is not a finite number; a length is wanted '
                         '(for example "4 mm" or 0.004)'),
    (10**400, NUMBER, "a whole number of more than 20 digits is not a finite number; "
                      "a number is wanted (for example 0.5)"),
    ("3 \x1b[31m", LENGTH, '"3 \\x1b[31m" has the unknown unit \'\\x1b[31m\' '
                           "(a length may be in m, km, cm, mm, um or in)"),
])
def test_refusals_in_full(value, kind, message):
    with pytest.raises(InputError) as caught:
        parse(value, kind)
    assert str(caught.value) == message


@pytest.mark.parametrize("annotation", [
    quantity.Length, quantity.Time, quantity.Density, quantity.Speed, quantity.Acceleration,
    quantity.AngularSpeed, quantity.Angle, quantity.Rate, quantity.Number,
])
def test_the_examples_in_messages_are_right(annotation):
    kind = kind_of(annotation)
    values = [parse(example.strip('"'), kind) for example in want(kind).examples]
    assert values == pytest.approx([values[0]] * len(values), rel=1e-5)


@settings(deadline=None)
@given(st.one_of(st.text(), st.text("0123456789.eE+-,mkgs/^ "), st.integers(), st.floats(),
                 st.none(), st.booleans(), st.binary()),
       st.sampled_from([LENGTH, NUMBER, ACCELERATION, TORQUE]))
def test_anything_gives_a_finite_number_or_an_input_error(value, kind):
    result, error = outcome(parse, value, kind)
    if error is None:
        assert type(result) is float
        assert math.isfinite(result)
    else:
        assert str(error).isprintable()

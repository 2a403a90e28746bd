"""Quantities are read in any unit of their dimension, exactly, and in no other."""

import pytest

from pigglesim.units import quantity, unit_named

MM = unit_named("mm")


@pytest.mark.parametrize(
    ("text", "value"),
    [("2in", 50.8), ('2"', 50.8), ("3 inches", 76.2), (".5cm", 5.0), ("1e-3m", 1.0), ("-4", -4.0)],
)
def test_a_length_is_read_in_millimetres(text, value):
    assert quantity(text, MM) == value


@pytest.mark.parametrize("text", ["", "2 ft", "2s", "in", "1..2", "nan", "inf", "1e999", "2in3"])
def test_what_is_not_a_length_is_not_read(text):
    assert quantity(text, MM) is None


def test_unknown_units_have_no_name():
    assert unit_named("ft") is None
    assert unit_named("deg/s").dimension is unit_named("rad/s").dimension

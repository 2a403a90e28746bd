"""Quantities with units, and numbers with the digits that their intervals support."""

from dataclasses import dataclass
from math import inf, nan

import pytest

from pigglesim.units import DASH, MINUS, decimals, plus_minus, quantity, unit_named, with_interval

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


@dataclass
class Found:
    value: float
    low: float
    high: float


# The rule of the Particle Data Group (Review of Particle Physics, introduction 5.3): 100 to 354
# keep two digits, 355 to 949 one, 950 to 999 are rounded up to 1000 and keep two.
@pytest.mark.parametrize(
    ("half", "places"),
    [
        (0.1, 2), (0.354, 2), (0.355, 1), (0.827, 1), (0.0119, 3), (0.0355, 2), (1.19, 1),
        (3.6, 0), (120.0, 0), (1e-9, 6), (0.0, 3), (-1.0, 3), (inf, 3), (nan, 3),
    ],
)  # fmt: skip
def test_an_uncertainty_sets_how_many_decimals_a_number_has(half, places):
    assert decimals(half) == places


@pytest.mark.parametrize(
    ("found", "signed", "interval", "arms"),
    [
        (Found(0.51, 0.49, 0.53), False, "0.510 [0.490, 0.530]", "0.510 ± 0.020"),
        (Found(0.51, 0.49, 0.53), True, "+0.510 [+0.490, +0.530]", "+0.510 ± 0.020"),
        # The longer arm is the one that is told.
        (Found(0.51, 0.50, 0.54), False, "0.510 [0.500, 0.540]", "0.510 ± 0.030"),
        (Found(-2.0, -3.2, 0.8), False, f"{MINUS}2.0 [{MINUS}3.2, 0.8]", f"{MINUS}2.0 ± 2.8"),
        # What is nothing after rounding has no minus; where signs are told it has a plus.
        (Found(-0.001, -0.5, 0.5), False, f"0.0 [{MINUS}0.5, 0.5]", "0.0 ± 0.5"),
        (Found(-0.001, -0.5, 0.5), True, f"+0.0 [{MINUS}0.5, +0.5]", "+0.0 ± 0.5"),
        (Found(0.512345, -inf, inf), False, f"0.512 [{MINUS}∞, ∞]", "0.512"),
        (Found(0.512345, -inf, inf), True, f"+0.512 [{MINUS}∞, ∞]", "+0.512"),
        (Found(0.5, nan, nan), False, f"0.500 [{DASH}, {DASH}]", "0.5"),
        (Found(nan, 0.0, 1.0), False, DASH, DASH),
        # The shares of a whole add up after rounding too.
        (Found(0.715, 0.62, 0.80), False, "0.72 [0.62, 0.80]", "0.72 ± 0.09"),
        (Found(0.285, 0.20, 0.38), False, "0.28 [0.20, 0.38]", "0.28 ± 0.10"),
    ],
)  # fmt: skip
def test_a_number_has_the_digits_that_its_interval_knows(found, signed, interval, arms):
    assert with_interval(found, signed=signed) == interval
    assert plus_minus(found, signed=signed) == arms
